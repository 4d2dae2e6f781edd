"""The statistics of the report: they find a rigged sample, leave an honest one alone, and are not bent by how a round
goes on."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest
from nodealer.cli.report_page.fair_section import limits, verdict
from nodealer.cli.report_page.fairness import (
    BANDS,
    Cells,
    Sample,
    chance_of_more,
    chi_square,
    class_names,
    class_of,
    colour_groups,
    kind_groups,
    solve,
)
from nodealer.engine import EDITIONS, Edition

FC = EDITIONS["four-colors"]
DM = EDITIONS["despicable-me-4"]
Shuffle = Callable[[Edition, random.Random], list[int]]


def honest(edition: Edition, rng: random.Random) -> list[int]:
    cards = list(range(len(edition.cards)))
    rng.shuffle(cards)
    return cards


def wilds_in_front(edition: Edition, rng: random.Random) -> list[int]:
    """A shuffle that is half as likely to put a wild into the back half."""
    cards = honest(edition, rng)
    half = len(cards) // 2
    for place in range(half, len(cards)):
        if edition.cards[cards[place]].wild and rng.random() < 0.5:
            other = rng.randrange(half)
            cards[place], cards[other] = cards[other], cards[place]
    return cards


def drawn(edition: Edition, decks: int, seed: object, shuffle: Shuffle = honest, stop: bool = True) -> Sample:
    """A sample of so many decks; with ``stop`` a round goes on until it has seen two more wilds, as play depends on
    cards."""
    rng = random.Random(repr(seed))
    sample = Sample(edition)
    for _ in range(decks):
        order = shuffle(edition, rng)
        dealt, wilds = 29, 0
        while dealt < len(order) - 10 and (wilds < 2 or not stop):
            wilds += edition.cards[order[dealt]].wild
            dealt += 1
        assert sample.take(range(len(order)), dict(enumerate(order[:dealt])), dealt)
    return sample


@pytest.mark.parametrize(
    ("statistic", "freedom", "p"),
    # From printed tables of the distribution.
    [(3.841, 1, 0.05), (5.991, 2, 0.05), (7.815, 3, 0.05), (18.307, 10, 0.05), (37.566, 20, 0.01), (2.706, 1, 0.1)],
)
def test_the_distribution(statistic: float, freedom: int, p: float) -> None:
    assert chance_of_more(statistic, freedom) == pytest.approx(p, rel=2e-3)
    assert chance_of_more(0, freedom) == 1
    assert chance_of_more(3000, freedom) < 1e-100


def test_equations() -> None:
    assert solve([[2.0, 1.0], [1.0, 3.0]], [3.0, 5.0]) == pytest.approx([0.8, 1.4])
    assert solve([[0.0, 1.0], [1.0, 0.0]], [2.0, 3.0]) == pytest.approx([3.0, 2.0])
    # Without any spread in one direction.
    assert solve([[1.0, 0.0], [0.0, 0.0]], [2.0, 0.0]) == pytest.approx([2.0, 0.0])


@pytest.mark.parametrize("edition", [FC, DM], ids=lambda edition: edition.name)
def test_classes_part_the_deck(edition: Edition) -> None:
    counts = [0] * len(class_names(edition))
    for card in edition.cards:
        counts[class_of(edition, card.id)] += 1
    assert sum(counts) == len(edition.cards)
    assert counts[:2] == [19, 6]
    assert set(counts[8:]) == {4}
    for groups in (colour_groups(edition), kind_groups(edition)):
        assert sorted(kind for group in groups for kind in group) == list(range(len(counts)))


def test_expectation_and_spread_by_hand() -> None:
    """One card of the whole deck: the chance of each kind is its share, the spread that of one throw."""
    sample = Sample(FC)
    assert sample.take(range(108), {0: 0}, 1)
    whole = sample.whole
    assert whole.observed[0] == 1
    assert sum(whole.observed) == 1
    assert whole.expected[0] == pytest.approx(19 / 108)
    assert whole.covariance[0][0] == pytest.approx(19 / 108 * 89 / 108)
    assert whole.covariance[0][1] == pytest.approx(-19 / 108 * 6 / 108)
    assert sample.bands[0].observed == whole.observed
    assert whole.deviation(0) == pytest.approx((1 - 19 / 108) / math.sqrt(19 / 108 * 89 / 108))


def test_a_deck_dealt_to_its_end_says_nothing() -> None:
    """All cards of it are there, whoever shuffled: observed is expected, kind by kind."""
    sample = Sample(FC)
    order = honest(FC, random.Random("all"))
    assert sample.take(range(108), dict(enumerate(order)), 108)
    assert sum(sample.whole.expected) == pytest.approx(108)
    assert sum(sample.whole.observed) == 108
    assert len([band for band in sample.bands if sum(band.observed)]) == BANDS


@pytest.mark.parametrize("edition", [FC, DM], ids=lambda edition: edition.name)
def test_honest_samples_look_honest_however_rounds_end(edition: Edition) -> None:
    """The chances come out uniform although a round's length depends on its cards: no bias from stopping."""
    found = [test.p for seed in range(200) if (test := drawn(edition, 12, (edition.name, seed)).test()) is not None]
    assert len(found) == 200
    assert 0.42 < sum(found) / len(found) < 0.58
    assert sum(p < 0.05 for p in found) <= 22
    assert sum(p < 0.5 for p in found) in range(75, 126)


def test_counting_naively_would_be_bent() -> None:
    """That the test above can fail: with the share in the whole deck as expectation the same samples look rigged."""
    gaps = []
    for seed in range(60):
        sample = drawn(FC, 12, seed)
        wild = sample.whole.merged(colour_groups(FC))
        gaps.append(wild.observed[-1] - sample.shown * 8 / 108)
    mean = sum(gaps) / len(gaps)
    assert abs(mean) > 4 * (sum((gap - mean) ** 2 for gap in gaps) / len(gaps) / len(gaps)) ** 0.5


def test_a_rigged_sample_is_found() -> None:
    test = drawn(FC, 60, "rigged", wilds_in_front, stop=False).test()
    assert test is not None
    assert test.p < 1e-4
    assert "hardly ever look like this" in verdict(test, "all is well")
    few = drawn(FC, 1, "rigged", wilds_in_front).test()
    assert "cannot be asked" in verdict(few, "all is well")


def test_a_deck_with_a_gap_is_left_out_whole() -> None:
    sample = Sample(FC)
    assert not sample.take(range(108), {0: 5, 2: 7}, 3)
    assert not sample.take(range(108), {}, 0)
    assert (sample.decks, sample.shown, sum(sample.whole.observed)) == (0, 0, 0)


def test_whose_cards_they_were() -> None:
    seats = [Cells.empty(len(class_names(FC))) for _ in range(2)]
    sample = Sample(FC)
    owners = {place: seats[place % 2] for place in range(10)}
    assert sample.take(range(108), {place: place for place in range(11)}, 11, owners)
    assert [sum(cells.observed) for cells in seats] == [5, 5]
    assert sum(sample.whole.observed) == 11
    assert chi_square([cells.merged(kind_groups(FC)) for cells in seats]) is None


def test_what_a_sample_can_show_grows_with_it() -> None:
    small, large = drawn(FC, 8, "a"), drawn(FC, 200, "b")
    assert large.noticed() < small.noticed() / 3
    assert "gross faults only" in limits(large)
    assert "next to nothing" in limits(drawn(FC, 1, "c"))
    assert all("never show that a shuffle was fair" in limits(sample) for sample in (small, large))
    # And it tells the truth: a sample with that much more of wilds is noticed more often than not.
    assert 0.05 < large.noticed() < 0.3
