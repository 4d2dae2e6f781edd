"""rules.md §8: P1-P7."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nodealer.engine import (
    Agree,
    Caught,
    Draw,
    DrawForgiven,
    DrawReason,
    EpochReady,
    Handle,
    Keep,
    KeysReleased,
    Kind,
    NeedEpoch,
    NeedKeys,
    Quiet,
    Reshuffled,
    RoundDrawn,
)
from nodealer.engine.editions import MAX_RESHUFFLES

from tests.helpers.scene import Scene

FC = "four-colors"
DM = "despicable-me-4"
TWO = ["blue 1, blue 2, blue 3", "yellow 1, yellow 2"]


def thin(edition: str, draw: str, under: str, hands: list[str] | None = None, top: str = "blue 5") -> Scene:
    """Only these cards in the piles; the rest of the deck is out of the game, so conservation is not looked at."""
    scene = Scene(edition, hands or TWO, f"{under}, {top}", draw=draw, rest="discard", target=500)
    scene.checked = False
    keep = len([word for word in under.split(",") if word.strip()]) + 1
    scene.state = replace(scene.state, discard=scene.state.discard[-keep:])
    return scene


@pytest.mark.parametrize("edition", [FC, DM, "lilo-stitch"])
def test_p1_only_when_a_card_must_be_drawn_and_the_pile_is_empty(edition: str) -> None:
    scene = Scene(edition, TWO, "blue 5", draw="yellow 9", rest="discard")
    scene.act(0, Draw())
    assert scene.settle() == ["keys 0:1"]
    assert scene.state.draw == ()  # empty, and nothing is shuffled yet
    scene.act(0, Keep())
    below = scene.state.discard[:-1]
    scene.act(1, Draw())
    assert scene.state.pending == NeedEpoch(tuple(sorted(below)))
    assert scene.state.epoch == 1
    scene.apply(scene._epoch(tuple(sorted(below))))
    assert scene.pile() == ["blue 5"]
    assert scene.happened(Reshuffled) == [Reshuffled(1, len(below))]
    assert scene.state.pending == NeedKeys(((1, (Handle(1, 0),)),))
    assert scene.state.draw == tuple(Handle(1, i) for i in range(1, len(below)))
    assert scene.state.reshuffles == 1


def test_p1_a_reshuffle_of_one_card() -> None:
    scene = thin(FC, "", "yellow 9")
    scene.act(0, Draw())
    assert scene.settle() == ["epoch 1", "keys 0:1"]
    assert scene.hand(0)[-1] == "yellow 9"
    assert scene.asked == (Kind.DRAWN, (0,))


def test_p2_four_with_two_left_is_two_reshuffle_two() -> None:
    hands = ["wild draw four, blue 2, blue 3", "yellow 1, yellow 2", "yellow 3, yellow 4"]
    scene = Scene(FC, hands, "blue 5", draw="red 1, red 2", rest="discard")
    scene.play(0, "wild draw four", "red")
    below = len(scene.state.discard) - 1
    # One "I draw" for the whole draw.
    assert scene.settle() == ["draw 1", "keys 1:2", f"epoch {below}", "keys 1:2"]
    assert scene.counts_of() == [2, 6, 2]
    assert scene.asked == (Kind.MOVE, (2,))


def test_p3_too_few_in_both_the_rest_is_forgiven_the_turn_is_lost() -> None:
    hands = ["wild draw four, blue 2, blue 3", "yellow 1, yellow 2", "yellow 3, yellow 4"]
    scene = thin(FC, "red 1", "red 2", hands)
    scene.play(0, "wild draw four", "red")
    assert scene.settle() == ["draw 1", "keys 1:1", "epoch 2", "keys 1:2"]
    assert scene.happened(DrawForgiven) == [DrawForgiven(1, 1)]
    assert scene.counts_of() == [2, 5, 2]
    assert scene.asked == (Kind.MOVE, (2,))


def test_p3_nothing_at_all_is_not_even_asked() -> None:
    scene = thin(FC, "", "", ["blue draw two, blue 2", "yellow 1, yellow 2"])
    scene.play(0, "blue draw two")
    # The card that was played covers the one below: that one can be drawn, and then nothing is left.
    assert scene.settle() == ["draw 1", "epoch 1", "keys 1:1"]
    scene.window({0: Quiet(), 1: Caught()})
    assert scene.happened(DrawForgiven) == [DrawForgiven(1, 1), DrawForgiven(0, 2)]
    assert scene.asked == (Kind.MOVE, (0,))


def test_p4_reshuffled_wilds_are_blank() -> None:
    scene = thin(FC, "", "yellow 9, wild, green 7", top="blue 5")
    scene.act(0, Draw())
    scene.settle()
    while scene.hand(0)[-1] != "wild":
        scene.act(0, Keep())
        scene.act(1, Draw())
        scene.settle()
        scene.act(1, Keep())
        scene.act(0, Draw())
        scene.settle()
    assert scene.asked == (Kind.DRAWN, (0,))
    scene.play(0, "wild", "green")
    assert scene.colour() == "green"


def test_p5_the_discard_pile_is_public_and_in_order() -> None:
    scene = Scene(FC, ["blue 1, blue 2, blue 3", "blue 4, blue 6, blue 7"], "red 2, blue 5")
    scene.play(0, "blue 1")
    scene.play(1, "blue 4")
    scene.play(0, "blue 2", uno=True)
    assert scene.pile() == ["red 2", "blue 5", "blue 1", "blue 4", "blue 2"]


def test_p6_a_card_that_lies_elsewhere_cannot_be_shown() -> None:
    """Conservation against false faces, as far as the public state tells."""
    scene = Scene(FC, TWO, "green 1, green 2, blue 5", draw="blue 8", rest="discard")
    handle = scene.find(0, "blue 1")
    play = scene.card(0, "blue 1")
    for card in scene.state.discard:
        scene.refuse(0, replace(play, card=card))
    scene.act(0, Draw())
    scene.settle()
    scene.act(0, Keep())
    scene.act(1, Draw())
    scene.settle()
    scene.act(1, Keep())
    # A card of the new draw pile cannot have been in the hand since the deal.
    later = scene.faces[next(h for h in scene.state.draw if scene.label(scene.faces[h]).startswith("blue"))]
    scene.refuse(0, replace(play, handle=handle, card=later))


def test_p7_after_twenty_reshuffles_the_round_ends_when_the_pile_is_empty_again() -> None:
    scene = Scene(FC, TWO, "blue 5", draw="yellow 9, yellow 8", target=250, rest="discard")
    scene.state = replace(scene.state, reshuffles=MAX_RESHUFFLES)
    scene.act(0, Draw())
    scene.settle()
    assert scene.asked == (Kind.DRAWN, (0,))
    scene.act(0, Keep())
    scene.act(1, Draw())
    scene.apply(KeysReleased())
    assert scene.happened(RoundDrawn) == [RoundDrawn(DrawReason.TOO_MANY_RESHUFFLES)]
    assert scene.asked == (Kind.ROUND_END, (0, 1))
    assert scene.state.scores == (0, 0)
    scene.act(0, Agree())
    scene.act(1, Agree())
    assert scene.state.dealer == 1
    assert scene.state.reshuffles == 0


def test_p7_the_twentieth_reshuffle_is_still_made() -> None:
    scene = Scene(FC, TWO, "blue 5", rest="discard")
    scene.state = replace(scene.state, reshuffles=MAX_RESHUFFLES - 1, epoch=MAX_RESHUFFLES - 1)
    scene.act(0, Draw())
    assert isinstance(scene.state.pending, NeedEpoch)
    scene.apply(scene._epoch(scene.state.pending.cards))
    assert scene.state.reshuffles == MAX_RESHUFFLES
    scene.settle()
    assert scene.asked == (Kind.DRAWN, (0,))


def test_p7_a_round_that_is_won_stands() -> None:
    scene = Scene(DM, ["blue draw two", "yellow 1, yellow 2"], "blue 5", draw="yellow 8", rest="discard")
    scene.state = replace(scene.state, reshuffles=MAX_RESHUFFLES)
    scene.play(0, "blue draw two")
    assert scene.settle() == ["draw 1", "keys 1:1"]
    assert scene.happened(DrawForgiven) == [DrawForgiven(1, 1)]
    scene.open(1)
    assert scene.state.scores == (8 + 1 + 2, 0)


def test_epoch_and_keys_are_refused_when_not_awaited() -> None:
    scene = Scene(FC, TWO, "blue 5")
    for action in (EpochReady(), KeysReleased()):
        with pytest.raises(Exception, match="awaited"):
            scene.apply(action)
