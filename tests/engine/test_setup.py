"""rules.md §2: S1-S6."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nodealer.engine import (
    Agree,
    CardTurned,
    Draw,
    EpochReady,
    Handle,
    Kind,
    NameColour,
    NeedEpoch,
    NeedKeys,
    Options,
    RoundStarted,
    Take,
    TurnSkipped,
    new_match,
)

from tests.helpers.open_table import OpenTable, eager
from tests.helpers.scene import Deal, Scene


def test_s1_first_dealer_is_seat_0_then_the_next_to_the_left() -> None:
    table = OpenTable(Options("four-colors", 3, 500), seed=4)
    dealers = [table.state.dealer]
    for _ in range(4):
        table.play_round(eager)
        table.agree(eager)
        dealers.append(table.state.dealer)
    assert dealers == [0, 1, 2, 0, 1]


@pytest.mark.parametrize(("edition", "seats"), [("four-colors", 3), ("despicable-me-4", 10), ("lilo-stitch", 2)])
def test_s2_seven_each_one_at_a_time_left_of_the_dealer_first(edition: str, seats: int) -> None:
    deal = Deal(edition, seats, "blue 5")
    pending = deal.state.pending
    assert isinstance(pending, NeedEpoch)
    assert list(pending.cards) == list(range(len(deal.edition.cards)))
    assert deal.state.epoch == 0
    deal.faces = {Handle(0, i): card for i, card in enumerate(deal.order)}
    deal.apply(EpochReady())
    assert isinstance(deal.state.pending, NeedKeys)
    assert [seat for seat, _ in deal.state.pending.deals] == [*range(1, seats), 0]
    for k, (seat, handles) in enumerate(deal.state.pending.deals):
        assert handles == tuple(Handle(0, r * seats + k) for r in range(7)) == deal.state.hands[seat]
    assert deal.state.draw[0] == Handle(0, 7 * seats)


@pytest.mark.parametrize("edition", ["despicable-me-4", "lilo-stitch"])
def test_s3_not_a_number_is_ignored_and_stays(edition: str) -> None:
    turned = "blue skip, blue reverse, blue draw two, wild, wild draw four, yellow 3"
    deal = Deal(edition, 3, turned)
    deal.begin()
    assert deal.pile() == turned.split(", ")
    assert [event.ignored for event in deal.happened(CardTurned) if isinstance(event, CardTurned)] == [True] * 5 + [
        False
    ]
    assert deal.asked == (Kind.MOVE, (1,))
    assert deal.colour() == "yellow"
    assert deal.state.direction == 1
    assert deal.counts_of() == [7, 7, 7]


def test_s4_number() -> None:
    deal = Deal("four-colors", 4, "green 0")
    deal.begin()
    assert deal.asked == (Kind.MOVE, (1,))
    assert deal.colour() == "green"


@pytest.mark.parametrize(("seats", "mover"), [(4, 2), (2, 0)])
def test_s4_skip(seats: int, mover: int) -> None:
    deal = Deal("four-colors", seats, "green skip")
    deal.begin()
    assert deal.asked == (Kind.MOVE, (mover,))
    assert deal.happened(TurnSkipped) == [TurnSkipped(1)]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_s4_reverse(seats: int) -> None:
    deal = Deal("four-colors", seats, "green reverse")
    deal.begin()
    assert deal.asked == (Kind.MOVE, (0,))
    assert deal.state.direction == -1


def test_s4_draw_two() -> None:
    deal = Deal("four-colors", 4, "green draw two")
    deal.begin()
    assert deal.asked == (Kind.DRAW, (1,))
    assert deal.settle() == ["draw 1", "keys 1:2"]
    assert deal.asked == (Kind.MOVE, (2,))
    assert deal.counts_of() == [7, 9, 7, 7]


def test_s4_draw_two_stacking_take() -> None:
    deal = Deal("four-colors", 4, "green draw two", stacking=True)
    deal.begin()
    assert deal.asked == (Kind.ANSWER, (1,))
    deal.act(1, Take())
    assert deal.settle() == ["keys 1:2"]
    assert deal.asked == (Kind.MOVE, (2,))
    assert deal.counts_of() == [7, 9, 7, 7]


def test_s4_draw_two_stacking_answer() -> None:
    deal = Deal("four-colors", 4, "green draw two", stacking=True, dealt="red draw two")
    deal.begin()
    deal.play(1, "red draw two")
    assert deal.state.stack == 4
    assert deal.asked == (Kind.ANSWER, (2,))


@pytest.mark.parametrize("stacking", [False, True])
def test_s4_wild(stacking: bool) -> None:
    deal = Deal("four-colors", 3, "wild", stacking=stacking)
    deal.begin()
    assert deal.asked == (Kind.COLOUR, (1,))
    assert deal.colour() is None
    deal.refuse(1, NameColour(4))
    deal.refuse(1, NameColour(-1))
    deal.refuse(0, NameColour(1))
    deal.refuse(1, Draw())
    deal.act(1, NameColour(3))
    assert deal.colour() == "blue"
    assert deal.asked == (Kind.MOVE, (1,))


def test_s4_wild_draw_four_stays_and_another_is_turned() -> None:
    deal = Deal("four-colors", 3, "wild draw four, wild draw four, blue 2")
    deal.begin()
    assert deal.pile() == ["wild draw four", "wild draw four", "blue 2"]
    assert deal.asked == (Kind.MOVE, (1,))
    assert deal.counts_of() == [7, 7, 7]


def test_s5_direction_is_left_again_in_the_next_round() -> None:
    scene = Scene("four-colors", ["red 1", "red 2", "red 3"], "red 5", direction=-1, target=250)
    scene.play(0, "red 1")
    scene.open(1)
    scene.open(2)
    for seat in range(3):
        scene.act(seat, Agree())
    assert scene.state.direction == 1
    assert scene.state.dealer == 1


def test_s6_everything_is_cleared_between_rounds() -> None:
    scene = Scene("four-colors", ["red 1", "red 2, red 4", "red 3"], "red 5", target=250)
    scene.state = replace(scene.state, uno=(True, False, True))
    scene.play(0, "red 1")
    scene.open(1)
    scene.open(2)
    for seat in range(3):
        scene.act(seat, Agree())
    fresh = new_match(scene.state.options)
    for name in set(fresh.__slots__) - {"round", "dealer", "turn", "scores"}:
        assert getattr(scene.state, name) == getattr(fresh, name), name
    assert scene.happened(RoundStarted) == [RoundStarted(1, 1)]
    assert scene.state.scores == (9, 0, 0)
