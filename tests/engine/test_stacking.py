"""rules.md §7: stacking in Four Colors."""

from __future__ import annotations

import pytest
from nodealer.engine import Draw, Kind, Pass, PlayCard, StackRaised, StackTaken, Take, legal_actions

from tests.helpers.scene import Scene

FC = "four-colors"


def table(*hands: str, stacking: bool = True) -> Scene:
    return Scene(FC, list(hands), "blue 5", stacking=stacking)


def test_stack_two_on_two_of_any_colour() -> None:
    scene = table("blue draw two, red 1, red 2", "yellow draw two, red 3, red 4", "green draw two, red 6, red 7")
    scene.play(0, "blue draw two")
    assert scene.asked == (Kind.ANSWER, (1,))
    scene.play(1, "yellow draw two")
    assert scene.colour() == "yellow"
    scene.play(2, "green draw two")
    assert scene.state.stack == 6
    assert scene.happened(StackRaised) == [StackRaised(0, 2), StackRaised(1, 4), StackRaised(2, 6)]
    scene.act(0, Take())
    assert scene.settle() == ["keys 0:6"]
    assert scene.counts_of() == [8, 2, 2]
    assert scene.state.stack == 0
    assert scene.asked == (Kind.MOVE, (1,))  # seat 0 has lost its turn
    assert scene.happened(StackTaken) == [StackTaken(0, 6)]


def test_stack_four_on_four_and_the_last_names_the_colour() -> None:
    scene = table("wild draw four, red 1, red 2", "wild draw four, red 3, red 4", "red 6, red 7")
    scene.play(0, "wild draw four", "red")
    scene.play(1, "wild draw four", "green")
    assert scene.colour() == "green"
    scene.act(2, Take())
    assert scene.settle() == ["keys 2:8"]
    assert scene.asked == (Kind.MOVE, (0,))


def test_stack_never_mixed() -> None:
    scene = table("blue draw two, red 1, red 2", "wild draw four, blue 3, wild", "red 6, red 7")
    scene.play(0, "blue draw two")
    scene.refuse(1, scene.card(1, "wild draw four", "red"))
    scene.refuse(1, scene.card(1, "blue 3"))
    scene.refuse(1, scene.card(1, "wild", "red"))
    assert legal_actions(scene.state, 1, scene.known(1)) == (Take(),)
    scene = table("wild draw four, red 1, red 2", "blue draw two, red draw two, blue 3", "red 6, red 7")
    scene.play(0, "wild draw four", "blue")
    scene.refuse(1, scene.card(1, "blue draw two"))
    assert legal_actions(scene.state, 1, scene.known(1)) == (Take(),)


def test_stack_declining_is_allowed_and_taking_is_explicit() -> None:
    scene = table("blue draw two, red 1, red 2", "yellow draw two, red 3, red 4", "red 6, red 7")
    scene.play(0, "blue draw two")
    scene.refuse(1, Draw())
    scene.refuse(1, Pass())
    scene.act(1, Take())
    scene.settle()
    assert scene.counts_of() == [2, 5, 2]
    scene.refuse(1, scene.card(1, "yellow draw two"))
    assert scene.asked == (Kind.MOVE, (2,))


def test_stack_one_card_per_turn() -> None:
    scene = table("blue draw two, red 1, red 2", "yellow draw two, green draw two, red 4", "red 6, red 7")
    scene.play(0, "blue draw two")
    scene.play(1, "yellow draw two")
    scene.refuse(1, scene.card(1, "green draw two"))
    assert scene.asked == (Kind.ANSWER, (2,))


def test_stack_after_taking_the_top_card_counts_as_usual_and_a_new_stack_starts_at_two() -> None:
    scene = table("blue draw two, red 1, red 2", "yellow draw two, red 3, red 4", "green draw two, blue 6, red 7")
    scene.play(0, "blue draw two")
    scene.act(1, Take())
    scene.settle()
    plays = [a for a in legal_actions(scene.state, 2, scene.known(2)) if isinstance(a, PlayCard)]
    assert {scene.label(play.card) for play in plays} == {"green draw two", "blue 6"}
    scene.play(2, "green draw two")
    assert scene.state.stack == 2


def test_stack_an_answer_that_empties_the_hand_wins_at_once() -> None:
    scene = table("blue draw two, red 1, red 2", "yellow draw two", "red 6, red 7")
    scene.play(0, "blue draw two")
    scene.play(1, "yellow draw two")
    assert scene.asked == (Kind.OPEN, (0, 2))
    assert scene.state.stack == 0
    assert scene.counts_of() == [2, 0, 2]


def test_stack_two_seats() -> None:
    scene = table("blue draw two, red 1, red 2", "yellow draw two, red 3, red 4")
    scene.play(0, "blue draw two")
    scene.play(1, "yellow draw two")
    assert scene.asked == (Kind.ANSWER, (0,))
    scene.act(0, Take())
    scene.settle()
    assert scene.counts_of() == [6, 2]
    assert scene.asked == (Kind.MOVE, (1,))


@pytest.mark.parametrize(("label", "count"), [("blue draw two", 2), ("wild draw four", 4)])
def test_stack_off_the_target_draws_and_is_skipped(label: str, count: int) -> None:
    hands = [f"{label}, red 1, red 2", "yellow draw two, wild draw four, red 4", "red 6, red 7"]
    scene = table(*hands, stacking=False)
    scene.play(0, label, "red" if count == 4 else None)
    assert scene.asked == (Kind.DRAW, (1,))
    assert scene.settle() == ["draw 1", f"keys 1:{count}"]
    assert scene.asked == (Kind.MOVE, (2,))
    assert scene.state.stack == 0


def test_stack_across_a_reshuffle() -> None:
    hands = ["wild draw four, red 1, red 2", "red 3, red 4"]
    scene = Scene(FC, hands, "blue 5", draw="red 9", rest="discard", stacking=True)
    scene.play(0, "wild draw four", "red")
    scene.act(1, Take())
    below = len(scene.state.discard) - 1
    assert scene.settle() == ["keys 1:1", f"epoch {below}", "keys 1:3"]
    assert scene.asked == (Kind.MOVE, (0,))
