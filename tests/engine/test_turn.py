"""rules.md §3: T1-T9."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nodealer.engine import (
    Accept,
    Agree,
    Draw,
    DrawReason,
    Handle,
    Keep,
    Kind,
    Pass,
    PlayCard,
    RoundDrawn,
    TurnSkipped,
    legal_actions,
)

from tests.helpers.scene import Scene

FC = "four-colors"
EDITIONS = ["four-colors", "despicable-me-4", "lilo-stitch"]


def playable(scene: Scene, seat: int = 0) -> set[str]:
    actions = legal_actions(scene.state, seat, scene.known(seat))
    return {scene.label(action.card) for action in actions if isinstance(action, PlayCard)}


def test_t1_colour_number_symbol_or_wild() -> None:
    hand = "red 1, blue 5, green 7, blue skip, wild, wild draw four"
    assert playable(Scene(FC, [hand, "red 3"], "red 5")) == {"red 1", "blue 5", "wild", "wild draw four"}
    assert playable(Scene(FC, [hand, "red 3"], "red skip")) == {"red 1", "blue skip", "wild", "wild draw four"}
    assert playable(Scene(FC, ["red draw two, blue reverse", "red 3"], "green draw two")) == {"red draw two"}


def test_t1_refused_plays() -> None:
    scene = Scene(FC, ["green 7, blue skip, red draw two", "red 3"], "yellow 5")
    for label in ("green 7", "blue skip", "red draw two"):
        scene.refuse(0, scene.card(0, label))


def test_t1_a_wild_on_top_has_no_number_or_symbol() -> None:
    scene = Scene(FC, ["red 1, green 1, wild", "red 3"], "wild", colour="green")
    assert playable(scene) == {"green 1", "wild"}


def test_t1_the_active_colour_is_of_the_state_not_of_the_card() -> None:
    scene = Scene(FC, ["blue 5, red 5, green 2", "red 3"], "red 9", colour="blue")
    assert playable(scene) == {"blue 5"}


@pytest.mark.parametrize("edition", EDITIONS)
def test_t2_a_playable_card_may_be_declined(edition: str) -> None:
    scene = Scene(edition, ["blue 1, blue 2", "blue 3, blue 4"], "blue 5")
    assert Draw() in legal_actions(scene.state, 0, scene.known(0))
    scene.act(0, Draw())
    assert scene.settle() == ["keys 0:1"]
    assert scene.counts_of() == [3, 2]


@pytest.mark.parametrize("edition", EDITIONS)
def test_t3_only_the_drawn_card_may_be_played(edition: str) -> None:
    scene = Scene(edition, ["blue 1, yellow 1", "blue 3, blue 4"], "blue 5", draw="blue 1")
    scene.act(0, Draw())
    scene.settle()
    assert scene.asked == (Kind.DRAWN, (0,))
    old, _, new = scene.state.hands[0]
    assert scene.state.drawn == new
    # The same face from the hand is another card.
    scene.refuse(0, PlayCard(old, scene.faces[old], None, False))
    scene.refuse(0, Draw())
    scene.refuse(0, Pass())
    scene.act(0, PlayCard(new, scene.faces[new], None, False))
    assert scene.asked == (Kind.MOVE, (1,))


@pytest.mark.parametrize("drawn", ["blue 7", "yellow 7"])
def test_t3_keep_is_asked_whether_or_not_it_can_be_played(drawn: str) -> None:
    scene = Scene(FC, ["red 1, yellow 1", "blue 3, blue 4"], "blue 5", draw=drawn)
    scene.act(0, Draw())
    scene.settle()
    assert scene.asked == (Kind.DRAWN, (0,))
    if drawn == "yellow 7":
        scene.refuse(0, scene.card(0, drawn))
    scene.act(0, Keep())
    assert scene.asked == (Kind.MOVE, (1,))
    assert scene.state.drawn is None


def test_t4_one_draw_one_card() -> None:
    scene = Scene(FC, ["red 1, red 2, red 3", "blue 3, blue 4"], "red 5")
    scene.play(0, "red 1")
    scene.refuse(0, scene.card(0, "red 2"))
    scene.refuse(0, Draw())
    scene.act(1, Draw())
    scene.settle()
    scene.refuse(1, Draw())
    scene.act(1, Keep())
    scene.refuse(1, Draw())
    assert scene.asked == (Kind.MOVE, (0,))


def test_t5_out_of_turn_and_foreign_cards() -> None:
    scene = Scene(FC, ["red 1, red 2", "red 3, red 4", "red 6, red 7"], "red 5")
    scene.refuse(1, scene.card(1, "red 3"))
    scene.refuse(2, Draw())
    scene.refuse(7, Draw())
    scene.refuse(-1, Draw())
    scene.refuse(0, scene.card(1, "red 3"))
    scene.refuse(0, Accept())
    scene.refuse(0, Agree())
    handle = scene.find(0, "red 1")
    for card in (-1, 108, 10**40, scene.state.discard[-1]):
        scene.refuse(0, PlayCard(handle, card, None, False))
    scene.refuse(0, PlayCard(Handle(5, 0), scene.faces[handle], None, False))
    scene.refuse(0, PlayCard(Handle(0, -1), scene.faces[handle], None, False))


def empty_piles(hands: list[str]) -> Scene:
    """Nothing is left to draw. Cards that nobody holds would break conservation, so it is not looked at."""
    scene = Scene(FC, hands, "red 5", rest="discard", target=250)
    scene.checked = False
    scene.state = replace(scene.state, discard=scene.state.discard[-1:])
    return scene


def test_t6_play_or_pass_freely() -> None:
    scene = empty_piles(["red 1, green 2", "red 3, red 4"])
    assert scene.state.available == 0
    scene.refuse(0, Draw())
    assert legal_actions(scene.state, 0, scene.known(0))[-1] == Pass()
    scene.act(0, Pass())
    assert scene.asked == (Kind.MOVE, (1,))
    assert playable(scene, 1) == {"red 3", "red 4"}


def test_t6_all_pass_one_after_the_other_ends_the_round() -> None:
    scene = empty_piles(["red 1, green 2", "red 3, red 4", "green 3, green 4"])
    scene.act(0, Pass())
    scene.act(1, Pass())
    scene.act(2, Pass())
    assert scene.happened(RoundDrawn) == [RoundDrawn(DrawReason.ALL_PASSED)]
    assert scene.asked == (Kind.ROUND_END, (0, 1, 2))
    assert scene.state.scores == (0, 0, 0)
    for seat in range(3):
        scene.act(seat, Agree())
    assert scene.state.dealer == 1
    assert scene.asked == "NeedEpoch"


def test_t6_a_play_in_between_starts_the_count_anew() -> None:
    scene = empty_piles(["red 1, green 2, green 6", "red 3, red 4, blue 1", "green 3, green 4"])
    scene.act(0, Pass())
    scene.act(1, Pass())
    scene.state = replace(scene.state, turn=0, pending=replace(scene.state.pending, seats=(0,)))
    scene.play(0, "red 1")
    assert scene.state.passes == 0
    # Two cards lie on the pile now: there is one to draw again.
    assert scene.state.available == 1
    scene.refuse(1, Pass())


def test_t6_one_hand_goes_on_until_a_round_has_a_winner() -> None:
    scene = empty_piles(["red 1, green 2", "red 3, red 4"])
    scene.state = replace(scene.state, options=replace(scene.state.options, target=0))
    scene.act(0, Pass())
    scene.act(1, Pass())
    assert scene.asked == (Kind.ROUND_END, (0, 1))


@pytest.mark.parametrize("edition", EDITIONS)
def test_t7_the_colour_of_a_wild(edition: str) -> None:
    scene = Scene(edition, ["wild, blue 2, blue 3", "blue 4, blue 6"], "blue 5")
    good = scene.card(0, "wild", "yellow")
    for colour in (None, 4, -1, 99, True, "red"):
        scene.refuse(0, replace(good, colour=colour))
    scene.refuse(0, replace(good, uno=None))
    scene.refuse(0, replace(scene.card(0, "blue 2"), colour=0))
    current = replace(good, colour=scene.edition.colours.index("blue"))
    scene.act(0, current)
    assert scene.colour() == "blue"


def test_t7_absent_for_a_last_card() -> None:
    scene = Scene(FC, ["wild", "blue 4, blue 6"], "blue 5")
    good = scene.card(0, "wild")
    assert (good.colour, good.uno) == (None, None)
    scene.refuse(0, replace(good, colour=1))
    scene.refuse(0, replace(good, uno=False))
    assert good in legal_actions(scene.state, 0, scene.known(0))
    scene.act(0, good)
    assert scene.state.round_winner == 0


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("label", ["blue reverse", "blue skip", "blue draw two"])
def test_t8_two_seats(edition: str, label: str) -> None:
    scene = Scene(edition, [f"{label}, blue 2, blue 3", "blue 4, blue 6"], "blue 5")
    scene.play(0, label)
    scene.settle()
    assert scene.asked == (Kind.MOVE, (0,))
    assert scene.happened(TurnSkipped) == [TurnSkipped(1)]
    assert scene.counts_of() == [2, 4 if "two" in label else 2]


def test_t8_three_seats_reverse_only_turns() -> None:
    scene = Scene(FC, ["blue reverse, blue 2, blue 3", "blue 4, blue 6", "blue 7, blue 8"], "blue 5")
    scene.play(0, "blue reverse")
    assert scene.asked == (Kind.MOVE, (2,))
    assert not scene.happened(TurnSkipped)
    scene.play(2, "blue 7", uno=True)
    assert scene.asked == (Kind.MOVE, (1,))


@pytest.mark.parametrize("edition", EDITIONS)
def test_t9_no_answering(edition: str) -> None:
    scene = Scene(edition, ["blue draw two, blue 2, blue 3", "yellow draw two, blue 6", "blue 7, blue 8"], "blue 5")
    scene.play(0, "blue draw two")
    scene.refuse(1, scene.card(1, "yellow draw two"))
    assert scene.settle() == ["draw 1", "keys 1:2"]
    assert scene.asked == (Kind.MOVE, (2,))
    scene = Scene(edition, ["blue skip, blue 2, blue 3", "yellow skip, blue 6", "blue 7, blue 8"], "blue 5")
    scene.play(0, "blue skip")
    assert scene.asked == (Kind.MOVE, (2,))
