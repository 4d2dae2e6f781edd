"""rules.md §1: what the cards are."""

from __future__ import annotations

from collections import Counter

import pytest
from nodealer.engine import EDITIONS, CardKind, IllegalOptions, Options

SIZES = {"despicable-me-4": 112, "lilo-stitch": 112, "four-colors": 108}


@pytest.mark.parametrize("name", sorted(SIZES))
def test_counts(name: str) -> None:
    edition = EDITIONS[name]
    assert [card.id for card in edition.cards] == list(range(SIZES[name]))
    kinds = Counter(card.kind for card in edition.cards)
    assert kinds[CardKind.NUMBER] == 76
    assert kinds[CardKind.DRAW_TWO] == kinds[CardKind.REVERSE] == kinds[CardKind.SKIP] == 8
    assert kinds[CardKind.WILD] == kinds[CardKind.WILD_DRAW_FOUR] == 4
    assert sum(kinds.values()) - 76 - 24 - 8 == (4 if edition.special else 0)
    for colour in range(4):
        numbers = Counter(card.number for card in edition.cards if card.colour == colour and card.number is not None)
        assert numbers == {0: 1, **dict.fromkeys(range(1, 10), 2)}
    assert len(edition.icons()) == 24


def test_canonical_order() -> None:
    edition = EDITIONS["despicable-me-4"]
    labels = [card.label(edition) for card in edition.cards]
    assert labels[:5] == ["blue 0", "blue 1", "blue 1", "blue 2", "blue 2"]
    assert labels[17:27] == [
        *["blue 9"] * 2,
        *["blue draw two"] * 2,
        *["blue reverse"] * 2,
        *["blue skip"] * 2,
        "orange 0",
        "orange 1",
    ]
    assert labels[100:] == ["wild"] * 4 + ["wild draw four"] * 4 + ["wild mega minions power"] * 4


def test_colours_and_points() -> None:
    assert EDITIONS["despicable-me-4"].colours == ("blue", "orange", "purple", "yellow")
    assert EDITIONS["lilo-stitch"].colours == EDITIONS["four-colors"].colours == ("red", "yellow", "green", "blue")
    for edition in EDITIONS.values():
        for card in edition.cards:
            expected = card.number if card.number is not None else 50 if card.colour is None else 20
            assert card.points == expected


@pytest.mark.parametrize(
    ("edition", "seats", "target", "stacking"),
    [
        ("four-colors", 2, 250, False),
        ("four-colors", 4, 500, True),
        ("four-colors", 3, 0, True),
        ("despicable-me-4", 10, 500, False),
        ("lilo-stitch", 2, 0, False),
    ],
)
def test_options_allowed(edition: str, seats: int, target: int, stacking: bool) -> None:
    assert Options(edition, seats, target, stacking).rules is EDITIONS[edition]


@pytest.mark.parametrize(
    ("edition", "seats", "target", "stacking"),
    [
        ("four-colors", 1, 250, False),
        ("four-colors", 5, 250, False),
        ("four-colors", 4, 100, False),
        ("four-colors", 4, -1, False),
        ("four-colors", 4, 250, 1),
        ("four-colors", True, 250, False),
        ("despicable-me-4", 11, 0, False),
        ("despicable-me-4", 4, 250, False),
        ("despicable-me-4", 4, 0, True),
        ("lilo-stitch", 4, 0, True),
        ("uno", 4, 0, False),
        ([], 4, 0, False),
    ],
)
def test_options_refused(edition: str, seats: int, target: int, stacking: bool) -> None:
    with pytest.raises(IllegalOptions):
        Options(edition, seats, target, stacking)
