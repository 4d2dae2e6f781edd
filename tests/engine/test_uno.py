"""rules.md §6: U1-U9."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nodealer.engine import (
    Accept,
    Action,
    Called,
    Caught,
    Challenge,
    Draw,
    Heard,
    Keep,
    Kind,
    Quiet,
    Seen,
    Silent,
    Take,
    UnoCalled,
    UnoCaught,
    Verdict,
    WindowClosed,
    WindowOpened,
    legal_actions,
)

from tests.helpers.scene import Scene

FC = "four-colors"
DM = "despicable-me-4"
LS = "lilo-stitch"
EDITIONS = [FC, DM, LS]
OTHERS = ["yellow 8, yellow 9", "yellow 3, yellow 4"]


def window(edition: str = FC, draw: str = "") -> Scene:
    scene = Scene(edition, ["blue 1, blue 2", *OTHERS], "blue 5", draw=draw)
    scene.play(0, "blue 1")
    return scene


@pytest.mark.parametrize("edition", EDITIONS)
def test_u1_exactly_one_card_opens_a_window_before_the_next_turn(edition: str) -> None:
    scene = window(edition)
    assert scene.asked == (Kind.WINDOW, (0, 1, 2))
    assert scene.state.window == 0
    assert scene.happened(WindowOpened) == [WindowOpened(0)]


def test_u1_not_with_two_cards() -> None:
    scene = Scene(FC, ["blue 1, blue 2, blue 3", *OTHERS], "blue 5")
    scene.play(0, "blue 1")
    assert scene.asked == (Kind.MOVE, (1,))


@pytest.mark.parametrize("edition", EDITIONS)
def test_u1_after_forced_draws(edition: str) -> None:
    scene = Scene(edition, ["blue draw two, blue 2", *OTHERS], "blue 5")
    scene.play(0, "blue draw two")
    assert scene.settle() == ["draw 1", "keys 1:2"]
    assert scene.asked == (Kind.WINDOW, (0, 1, 2))


def test_u1_after_a_challenge() -> None:
    scene = Scene(DM, ["wild draw four, yellow 1", *OTHERS], "blue 5")
    scene.play(0, "wild draw four", "yellow")
    scene.act(1, Challenge())
    scene.act(0, Verdict(False))
    scene.act(1, Seen())
    assert scene.settle() == ["keys 1:6"]
    assert scene.asked == (Kind.WINDOW, (0, 1, 2))
    scene.window({0: Quiet(), 1: Silent(), 2: Silent()})
    assert scene.asked == (Kind.MOVE, (2,))


def test_u1_a_guilty_player_owes_no_call() -> None:
    scene = Scene(DM, ["wild draw four, blue 1", *OTHERS], "blue 5")
    scene.play(0, "wild draw four", "yellow", uno=True)
    scene.act(1, Challenge())
    scene.act(0, Verdict(True))
    scene.act(1, Seen())
    scene.settle()
    assert scene.asked == (Kind.MOVE, (1,))
    assert scene.state.uno == (False, False, False)
    assert not scene.happened(UnoCalled)


def test_u1_after_mega_minions() -> None:
    scene = Scene(DM, ["wild mega minions power, blue 1", "blue skip, yellow 8", "yellow 3, yellow 4"], "blue 5")
    scene.play(0, "wild mega minions power", "blue")
    scene.show(1, "blue skip")
    scene.show(2, "")
    assert scene.settle() == ["draw 1", "keys 1:1"]
    assert scene.asked == (Kind.WINDOW, (0, 1, 2))


def test_u1_with_stacking_before_the_answer() -> None:
    scene = Scene(FC, ["blue draw two, blue 2", *OTHERS], "blue 5", stacking=True)
    scene.play(0, "blue draw two")
    scene.window({0: Called(), 1: Heard(), 2: Heard()})
    assert scene.asked == (Kind.ANSWER, (1,))
    scene.act(1, Take())
    assert scene.settle() == ["keys 1:2"]
    assert scene.asked == (Kind.MOVE, (2,))


def test_u1_when_playing_the_drawn_card() -> None:
    scene = Scene(FC, ["yellow 1", *OTHERS], "blue 5", draw="blue 7")
    scene.act(0, Draw())
    scene.settle()
    scene.play(0, "blue 7")
    assert scene.asked == (Kind.WINDOW, (0, 1, 2))


@pytest.mark.parametrize("edition", EDITIONS)
def test_u2_a_call_with_the_play_opens_no_window(edition: str) -> None:
    scene = Scene(edition, ["blue 1, blue 2", *OTHERS], "blue 5")
    scene.play(0, "blue 1", uno=True)
    assert scene.asked == (Kind.MOVE, (1,))
    assert scene.state.uno == (True, False, False)
    assert scene.happened(UnoCalled) == [UnoCalled(0)]


def test_u2_the_flag_is_dropped_silently() -> None:
    scene = Scene(FC, ["blue 1, blue 2, blue 3", *OTHERS], "blue 5")
    scene.play(0, "blue 1", uno=True)
    assert scene.state.uno == (False, False, False)
    assert not scene.happened(UnoCalled)


def test_u3_every_seat_owes_one_answer_of_its_own_kind() -> None:
    scene = window()
    for action in (Heard(), Caught(), Silent(), Draw(), Keep()):
        scene.refuse(0, action)
    for action in (Called(), Quiet(), Draw(), scene.card(1, "yellow 8")):
        scene.refuse(1, action)
    assert legal_actions(scene.state, 0, {}) == (Called(), Quiet())
    assert legal_actions(scene.state, 2, {}) == (Heard(), Caught(), Silent())
    scene.act(1, Silent())
    scene.refuse(1, Caught())
    assert scene.asked == (Kind.WINDOW, (0, 2))


def test_u3_the_order_of_the_answers_does_not_matter() -> None:
    ends = []
    for order in ([0, 1, 2], [2, 0, 1]):
        scene = window()
        answers: dict[int, Action] = {0: Called(), 1: Caught(), 2: Heard()}
        for seat in order:
            scene.act(seat, answers[seat])
        ends.append(scene.state)
    assert ends[0] == ends[1]


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize(
    ("others", "caught"),
    [
        ((Heard(), Heard()), False),
        ((Heard(), Caught()), False),
        ((Caught(), Caught()), True),
        ((Silent(), Silent()), False),
        ((Heard(), Silent()), False),
        ((Caught(), Silent()), True),
    ],
)
def test_u4_called(edition: str, others: tuple[Action, Action], caught: bool) -> None:
    scene = window(edition)
    scene.window({0: Called(), 1: others[0], 2: others[1]})
    assert bool(scene.happened(UnoCaught)) is caught
    assert bool(scene.happened(UnoCalled)) is not caught
    assert scene.state.uno[0] is not caught
    assert scene.asked == ((Kind.DRAW, (0,)) if caught else (Kind.MOVE, (1,)))


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize(
    "others", [(Silent(), Silent()), (Caught(), Silent()), (Heard(), Caught()), (Heard(), Heard())]
)
def test_u5_quiet(edition: str, others: tuple[Action, Action]) -> None:
    scene = window(edition)
    scene.window({0: Quiet(), 1: others[0], 2: others[1]})
    by = tuple(seat for seat, answer in zip((1, 2), others, strict=True) if answer == Caught())
    caught = bool(by) or edition == FC
    assert scene.happened(UnoCaught) == ([UnoCaught(0, by)] if caught else [])
    assert scene.happened(WindowClosed) == ([] if caught else [WindowClosed(0)])
    assert scene.state.uno == (False, False, False)


@pytest.mark.parametrize("edition", EDITIONS)
def test_u6_two_cards_and_the_turn_order_stays(edition: str) -> None:
    scene = window(edition)
    scene.window({0: Quiet(), 1: Caught(), 2: Silent()})
    assert scene.settle() == ["draw 0", "keys 0:2"]
    assert scene.counts_of() == [3, 2, 2]
    assert scene.asked == (Kind.MOVE, (1,))


def test_u6_as_many_as_exist() -> None:
    scene = Scene(FC, ["blue 1, blue 2", *OTHERS], "blue 5", rest="discard")
    scene.checked = False
    scene.state = replace(scene.state, discard=scene.state.discard[-1:])
    scene.play(0, "blue 1")
    scene.window({0: Quiet(), 1: Caught(), 2: Silent()})
    assert scene.settle() == ["draw 0", "epoch 1", "keys 0:1"]
    assert scene.counts_of() == [2, 2, 2]
    assert scene.asked == (Kind.MOVE, (1,))


def test_u7_a_call_dies_with_the_single_card() -> None:
    scene = Scene(FC, ["blue 1, blue 2", *OTHERS], "blue 5", draw="green 9, blue 8, yellow 2")
    scene.play(0, "blue 1", uno=True)
    for seat in (1, 2, 0):
        assert scene.state.uno[0]
        scene.act(seat, Draw())
        scene.settle()
        scene.act(seat, Keep())
    assert scene.state.uno == (False, False, False)
    for seat in (1, 2):
        scene.act(seat, Draw())
        scene.settle()
        scene.act(seat, Keep())
    scene.play(0, "blue 2")  # back to one: a new call is owed
    assert scene.asked == (Kind.WINDOW, (0, 1, 2))


def test_u7_a_forced_draw_ends_the_call() -> None:
    scene = Scene(FC, ["blue 1, blue 2", "yellow 8, blue draw two, red 1", "red 3, red 4"], "blue 5", direction=-1)
    scene.play(0, "blue 1", uno=True)
    scene.act(2, Draw())
    scene.settle()
    scene.act(2, Keep())
    scene.play(1, "blue draw two")
    scene.settle()
    assert scene.state.uno == (False, False, False)


def test_u8_void_when_the_round_is_over() -> None:
    scene = Scene(FC, ["blue 1", *OTHERS], "blue 5")
    scene.play(0, "blue 1")
    assert scene.asked == (Kind.OPEN, (1, 2))
    assert not scene.happened(WindowOpened)


def test_u8_void_when_the_hand_is_not_one_any_more() -> None:
    scene = Scene(LS, ["wild ohana, red 1", "yellow 1, yellow 2", "yellow 3, yellow 4"], "red 5")
    scene.play(0, "wild ohana", "red")
    scene.settle()
    assert not scene.happened(WindowOpened)


@pytest.mark.parametrize("action", [Called(), Quiet(), Heard(), Caught(), Silent()])
def test_u9_outside_a_window_refused_without_a_fine(action: Action) -> None:
    scene = Scene(FC, ["blue 1", *OTHERS], "blue 5")
    for seat in range(3):
        scene.refuse(seat, action)
    scene = Scene(DM, ["wild draw four, blue 1, blue 2", *OTHERS], "blue 5")
    scene.play(0, "wild draw four", "blue")
    scene.refuse(1, action)
    scene.act(1, Accept())
    assert scene.asked == "NeedKeys"
    scene.refuse(1, action)
