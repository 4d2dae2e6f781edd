"""rules.md N0: who must draw says so itself. And the special wilds never find the supplies too small (§5, P1)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nodealer.engine import (
    EDITIONS,
    ICONS,
    Accept,
    CardsDrawn,
    Challenge,
    Discard,
    Draw,
    DrawForgiven,
    DrawReason,
    Kind,
    Quiet,
    RoundDrawn,
    Seen,
    ShowCards,
    Silent,
    Verdict,
    surplus,
)
from nodealer.engine.editions import MAX_RESHUFFLES

from tests.helpers.scene import Scene

DM = "despicable-me-4"
LS = "lilo-stitch"
FC = "four-colors"
FOUR = "wild draw four"
EACH = pytest.mark.parametrize("edition", [DM, LS, FC])
SEATS = pytest.mark.parametrize("seats", range(2, 11))


@EACH
def test_n0_the_one_who_is_hit_says_so_and_only_then_the_keys_are_due(edition: str) -> None:
    scene = Scene(edition, ["blue draw two, blue 2, blue 3", "yellow 1, yellow 2", "yellow 3, yellow 4"], "blue 5")
    scene.play(0, "blue draw two")
    assert scene.asked == (Kind.DRAW, (1,))
    assert scene.counts_of() == [2, 2, 2]
    for other in (0, 2):
        scene.refuse(other, Draw())
    scene.act(1, Draw())
    assert scene.asked == "NeedKeys"
    assert scene.settle() == ["keys 1:2"]


def test_n0_a_wild_draw_four_without_a_challenge() -> None:
    scene = Scene(FC, [f"{FOUR}, blue 2, blue 3", "yellow 1, yellow 2"], "blue 5")
    scene.play(0, FOUR, "red")
    assert scene.asked == (Kind.DRAW, (1,))
    assert scene.settle() == ["draw 1", "keys 1:4"]


@pytest.mark.parametrize("edition", [DM, LS])
def test_n0_a_challenge_is_an_entry_of_who_draws_or_asks_for_one(edition: str) -> None:
    """The challenger's accept and seen say "I draw"; the guilty accused has to say it."""
    for rest, answers, keys in (
        ("yellow 1", (Accept(),), ["keys 1:4"]),
        ("yellow 1", (Challenge(), Verdict(False), Seen()), ["keys 1:6"]),
        ("blue 1", (Challenge(), Verdict(True), Seen()), ["draw 0", "keys 0:4"]),
    ):
        scene = Scene(edition, [f"{FOUR}, yellow 2, {rest}", "yellow 3, yellow 4"], "blue 5")
        scene.play(0, FOUR, "purple" if edition == DM else "green")
        for answer in answers:
            scene.act(0 if isinstance(answer, Verdict) else 1, answer)
        assert scene.settle() == keys


@EACH
def test_n0_a_last_draw_two_and_the_penalty_of_a_window(edition: str) -> None:
    scene = Scene(edition, ["blue draw two", "yellow 1, yellow 2"], "blue 5")
    scene.play(0, "blue draw two")
    # Four Colors is over at once.
    assert scene.settle() == ([] if edition == FC else ["draw 1", "keys 1:2"])
    if edition == FC:
        scene = Scene(edition, ["blue 2, blue 3", "yellow 1, yellow 2"], "blue 5")
        scene.play(0, "blue 2")
        scene.window({0: Quiet(), 1: Silent()})
        assert scene.settle() == ["draw 0", "keys 0:2"]


@SEATS
def test_minions_finds_enough_even_with_every_icon_card_in_hands_and_no_draw_pile(seats: int) -> None:
    labels = [card.label(EDITIONS[DM]) for card in EDITIONS[DM].cards if card.kind in ICONS]
    others = [", ".join(labels[seat :: seats - 1]) for seat in range(seats - 1)]
    scene = Scene(DM, ["wild mega minions power, blue 1, blue 2", *others], "blue 5")
    # The draw pile, all of it, into the first hand.
    rich = scene.state.hands[0] + scene.state.draw
    scene.state = replace(scene.state, hands=(rich, *scene.state.hands[1:]), draw=())
    before = scene.counts_of()
    scene.play(0, "wild mega minions power", "blue")
    for seat in range(1, seats):
        scene.act(seat, ShowCards(tuple((handle, scene.faces[handle]) for handle in sorted(scene.state.hands[seat]))))
    scene.settle()
    assert not scene.happened(DrawForgiven)
    assert scene.counts_of() == [before[0] - 1, *before[1:]]
    assert sum(len(event.handles) for event in scene.happened(CardsDrawn)) == 24


@SEATS
@pytest.mark.parametrize("rich", [False, True], ids=["all hands small", "one hand holds nearly all"])
def test_ohana_finds_enough_even_without_a_draw_pile(seats: int, rich: bool) -> None:
    numbers = [f"{colour} {number}" for colour in EDITIONS[LS].colours for number in (1, 2, 3)]
    scene = Scene(LS, ["wild ohana, wild", *numbers[: seats - 1]], "red 5", rest="discard")
    if rich:
        # The discard pile but for its top goes into the first hand.
        below = tuple(scene._handle(card) for card in scene.state.discard[:-1])
        hands = (scene.state.hands[0] + below, *scene.state.hands[1:])
        scene.state = replace(scene.state, hands=hands, discard=scene.state.discard[-1:])
    scene.play(0, "wild ohana", "blue")
    if rich:
        assert scene.asked == (Kind.CHOOSE, (0,))
        gone = scene.state.hands[0][: surplus(scene.state, 0)]
        scene.act(0, Discard(tuple(sorted((handle, scene.faces[handle]) for handle in gone))))
    scene.settle()
    assert not scene.happened(DrawForgiven)
    assert scene.counts_of() == [4] * seats


def test_p7_ends_a_round_in_which_minions_finds_nothing_any_more() -> None:
    """Only after the twentieth reshuffle can it run short; the round is over then, and an empty hand has not won."""
    scene = Scene(
        DM, ["wild mega minions power, blue 1, blue 2", "blue skip", "yellow 1, yellow 2"], "blue 5", rest="discard"
    )
    scene.state = replace(scene.state, reshuffles=MAX_RESHUFFLES)
    scene.play(0, "wild mega minions power", "blue")
    scene.show(1, "blue skip")
    scene.show(2, "")
    scene.settle()
    assert scene.happened(RoundDrawn) == [RoundDrawn(DrawReason.TOO_MANY_RESHUFFLES)]
    assert scene.state.round_winner is None
