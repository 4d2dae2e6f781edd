"""rules.md §9 and the turn clock, N1."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nodealer.engine import (
    Accept,
    Agree,
    Challenge,
    Discard,
    Draw,
    IllegalAction,
    Keep,
    Kind,
    MatchOver,
    MatchWon,
    NameColour,
    OpenHand,
    Pass,
    Quiet,
    RoundWon,
    Seen,
    Silent,
    Take,
    Verdict,
    clock_action,
)

from tests.helpers.scene import Deal, Scene

FC = "four-colors"
DM = "despicable-me-4"
LS = "lilo-stitch"
OTHER = [f"red {number}" for number in (3, 4, 5, 6, 7, 8, 9)]


@pytest.mark.parametrize("edition", [FC, DM, LS])
@pytest.mark.parametrize("label", ["blue 1", "blue skip", "blue reverse", "wild"])
def test_any_card_may_be_the_last(edition: str, label: str) -> None:
    scene = Scene(edition, [label, "yellow 1, yellow 2", "yellow 3"], "blue 5")
    scene.play(0, label)
    assert scene.asked == (Kind.OPEN, (1, 2))
    assert scene.state.round_winner == 0


@pytest.mark.parametrize("edition", [DM, LS])
def test_a_last_draw_two_is_drawn_and_counts(edition: str) -> None:
    scene = Scene(edition, ["blue draw two", "yellow 1, yellow 2", "yellow 3"], "blue 5", draw="wild, yellow 9")
    scene.play(0, "blue draw two")
    assert scene.settle() == ["draw 1", "keys 1:2"]
    scene.open(1)
    scene.open(2)
    assert scene.state.scores == (1 + 2 + 50 + 9 + 3, 0, 0)


def test_four_colors_draws_nothing_at_the_end() -> None:
    scene = Scene(FC, ["blue draw two", "yellow 1, yellow 2", "yellow 3"], "blue 5")
    scene.play(0, "blue draw two")
    assert scene.asked == (Kind.OPEN, (1, 2))


def test_all_hands_are_opened_whole_and_in_order() -> None:
    scene = Scene(FC, ["blue 1", "yellow 1, wild", "yellow skip"], "blue 5", target=250)
    scene.play(0, "blue 1")
    hand = tuple((handle, scene.faces[handle]) for handle in scene.state.hands[1])
    scene.refuse(1, OpenHand(hand[:1]))
    scene.refuse(1, OpenHand(hand[::-1]))
    scene.refuse(1, OpenHand((hand[0], hand[0])))
    scene.refuse(1, OpenHand(((hand[0][0], hand[1][1]), (hand[1][0], hand[1][1]))))
    scene.refuse(1, OpenHand((*hand, (scene.state.hands[2][0], 3))))
    scene.refuse(1, Agree())
    scene.open(1)
    scene.refuse(2, OpenHand(((scene.state.hands[2][0], hand[0][1]),)))
    scene.open(2)
    opened = tuple(tuple(scene.faces[handle] for handle in hand) for hand in scene.state.hands)
    assert scene.happened(RoundWon) == [RoundWon(0, 71, opened)]
    assert scene.asked == (Kind.ROUND_END, (0, 1, 2))


def test_the_match_ends_at_the_target() -> None:
    scene = Scene(FC, ["blue 1", "wild, wild, wild", "wild, wild draw four"], "blue 5", target=250)
    scene.play(0, "blue 1")
    scene.open(1)
    scene.open(2)
    assert scene.state.scores == (250, 0, 0)
    assert scene.happened(MatchWon) == [MatchWon(0, by_default=False)]
    assert scene.asked == (Kind.END, (0, 1, 2))
    for seat in (2, 0, 1):
        scene.act(seat, Agree())
    assert scene.state.pending == MatchOver()
    assert scene.state.winner == 0
    scene.refuse(0, Agree())


def test_one_below_the_target_goes_on() -> None:
    hands = ["blue 1", "wild, wild, wild, wild", "blue 9, red 9, yellow 9, green 9, blue 9, blue 4"]
    scene = Scene(FC, hands, "blue 5", target=250)
    scene.play(0, "blue 1")
    scene.open(1)
    scene.open(2)
    assert scene.state.scores == (249, 0, 0)
    assert scene.asked == (Kind.ROUND_END, (0, 1, 2))


def test_scores_add_up_over_rounds() -> None:
    scene = Scene(FC, ["blue 1", "wild"], "blue 5", target=250)
    scene.state = replace(scene.state, scores=(200, 240))
    scene.play(0, "blue 1")
    scene.open(1)
    assert scene.state.scores == (250, 240)
    assert scene.asked == (Kind.END, (0, 1))


def test_one_hand_the_first_round_with_a_winner_decides() -> None:
    scene = Scene(DM, ["blue 1", "blue 0"], "blue 5")
    scene.play(0, "blue 1")
    scene.open(1)
    assert scene.state.scores == (0, 0)
    assert scene.state.winner == 0


# N1: what the turn clock does.


def clock(scene: Scene, seat: int) -> object:
    return clock_action(scene.state, seat, {**scene.known(seat)})


def test_n1_draw_keep_and_pass() -> None:
    scene = Scene(FC, ["blue 1, blue 2", "yellow 1, yellow 2"], "blue 5", draw="blue 7")
    assert clock(scene, 0) == Draw()
    with pytest.raises(IllegalAction):
        clock(scene, 1)
    scene.act(0, Draw())
    scene.settle()
    assert clock(scene, 0) == Keep()
    scene.act(0, Keep())
    scene.state = replace(scene.state, draw=(), discard=scene.state.discard[-1:])
    assert clock(scene, 1) == Pass()


def test_n1_accept_and_the_automatic_ones() -> None:
    scene = Scene(DM, ["wild draw four, blue 1", "yellow 1, yellow 2"], "blue 5")
    scene.play(0, "wild draw four", "blue")
    assert clock(scene, 1) == Accept()
    scene.act(1, Challenge())
    assert clock(scene, 0) == Verdict(True)
    scene.act(0, Verdict(True))
    assert clock(scene, 1) == Seen()
    scene.act(1, Seen())
    assert clock(scene, 0) == Draw()


def test_n1_take_and_window() -> None:
    scene = Scene(FC, ["blue draw two, blue 1", "yellow draw two, yellow 2"], "blue 5", stacking=True)
    scene.play(0, "blue draw two")
    assert clock(scene, 0) == Quiet()
    assert clock(scene, 1) == Silent()
    scene.window({0: Quiet(), 1: Silent()})
    scene.settle()
    assert clock(scene, 1) == Take()


@pytest.mark.parametrize(
    ("hand", "colour"),
    [
        ("green 1, green 2, red 1, blue 2, yellow 2, yellow 3, wild", 1),
        ("blue 1, blue 2, blue 3, red 1, red 2, green 1, green 2", 3),
        ("wild, wild, wild, wild draw four, wild draw four, wild draw four, wild draw four", 0),
    ],
)
def test_n1_most_frequent_colour_lowest_on_a_tie(hand: str, colour: int) -> None:
    own = hand.split(", ")
    deal = Deal(FC, 2, "wild", dealt=", ".join(word for pair in zip(own, OTHER, strict=True) for word in pair))
    deal.begin()
    assert deal.asked == (Kind.COLOUR, (1,))
    assert clock(deal, 1) == NameColour(colour)


def test_n1_ohana_highest_points_first_lowest_id_on_a_tie() -> None:
    hand = "yellow 9, red 9, wild, blue skip, red 1, red 2, green 0"
    scene = Scene(LS, ["wild ohana, red 3, red 4", hand], "red 5")
    scene.play(0, "wild ohana", "red")
    assert clock(scene, 1) == Discard(scene.shown(1, "wild, blue skip, red 9"))


def test_n1_nothing_while_the_cards_cannot_be_read() -> None:
    scene = Scene(LS, ["wild ohana, red 3, red 4", "red 1, red 2, red 6, red 7, red 8"], "red 5")
    scene.play(0, "wild ohana", "red")
    with pytest.raises(IllegalAction):
        clock_action(scene.state, 1, {})
