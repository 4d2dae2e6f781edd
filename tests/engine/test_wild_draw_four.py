"""rules.md §4: F1-F10."""

from __future__ import annotations

import pytest
from nodealer.engine import (
    EDITIONS,
    Accept,
    Accepted,
    Challenge,
    Challenged,
    ChallengeLost,
    ChallengeWon,
    Draw,
    Keep,
    Kind,
    Seen,
    TurnSkipped,
    Verdict,
    is_guilty,
    legal_actions,
)

from tests.helpers.scene import Scene

FC = "four-colors"
DM = "despicable-me-4"
BLUFF = [DM, "lilo-stitch"]
OTHERS = ["yellow 8, yellow 9", "yellow 3, yellow 4"]


def played(edition: str, rest: str, top: str = "blue 5", colour: str | None = None, chosen: str = "yellow") -> Scene:
    """Seat 0 of three has played a Wild Draw Four and holds `rest`."""
    scene = Scene(edition, [f"wild draw four, {rest}", *OTHERS], top, colour=colour)
    scene.play(0, "wild draw four", chosen)
    return scene


@pytest.mark.parametrize("edition", BLUFF)
@pytest.mark.parametrize(
    ("rest", "guilty"),
    [
        ("yellow 1, yellow 2", False),
        ("yellow 1, blue 2", True),
        ("yellow 1, blue skip", True),
        ("yellow 1, wild", True),
        ("yellow 1, wild draw four", True),
        ("yellow 1, special", True),
    ],
)
def test_f1_wrong_with_the_active_colour_or_any_wild(edition: str, rest: str, guilty: bool) -> None:
    special = EDITIONS[edition].special
    scene = played(edition, rest.replace("special", special.value if special else ""))
    case = scene.state.challenge
    assert case is not None
    assert (case.accused, case.challenger, case.hand) == (0, 1, scene.state.hands[0])
    assert scene.edition.colours[case.colour] == "blue"
    assert is_guilty(scene.state, scene.known(0)) is guilty
    held = {scene.faces[handle] for handle in case.hand}
    assert bool(held & set(scene.edition.incriminating(case.colour))) is guilty
    scene.act(1, Challenge())
    assert legal_actions(scene.state, 0, scene.known(0)) == (Verdict(guilty),)


@pytest.mark.parametrize("edition", BLUFF)
def test_f1_always_playable(edition: str) -> None:
    scene = Scene(edition, ["wild draw four, blue 1", "blue 2, blue 3"], "blue 5")
    assert scene.card(0, "wild draw four", "blue") in legal_actions(scene.state, 0, scene.known(0))


def test_f1_four_colors_is_always_correct_without_a_challenge() -> None:
    scene = played(FC, "blue 1, wild")
    assert scene.state.challenge is None
    assert scene.asked == (Kind.DRAW, (1,))
    scene.refuse(1, Challenge())
    scene.refuse(1, Accept())


@pytest.mark.parametrize("rest", ["yellow 5, orange 5", "orange 1, yellow 5"])
def test_f2_a_number_match_in_another_colour_is_not_wrong(rest: str) -> None:
    assert is_guilty((scene := played(DM, rest)).state, scene.known(0)) is False


def test_f2_a_symbol_match_in_another_colour_is_not_wrong() -> None:
    scene = played(DM, "yellow skip, orange 2", top="blue skip")
    assert is_guilty(scene.state, scene.known(0)) is False


@pytest.mark.parametrize(("rest", "guilty"), [("purple 1, blue 1", True), ("yellow 1, blue 1", False)])
def test_f3_on_a_wild_the_colour_chosen_for_it_counts(rest: str, guilty: bool) -> None:
    scene = played(DM, rest, top="blue 5, wild", colour="purple")
    assert is_guilty(scene.state, scene.known(0)) is guilty


def test_f4_just_drawn_the_whole_hand_counts() -> None:
    scene = Scene(DM, ["blue 1, yellow 1", *OTHERS], "blue 5", draw="wild draw four")
    scene.act(0, Draw())
    scene.settle()
    scene.play(0, "wild draw four", "yellow")
    case = scene.state.challenge
    assert case is not None
    assert [scene.label(scene.faces[h]) for h in case.hand] == ["blue 1", "yellow 1"]
    assert is_guilty(scene.state, scene.known(0)) is True


@pytest.mark.parametrize("edition", BLUFF)
def test_f5_only_the_next_player_answers_before_anything_else(edition: str) -> None:
    scene = played(edition, "yellow 1, yellow 2")
    assert scene.asked == (Kind.ACCEPT, (1,))
    assert scene.colour() == "yellow"
    for action in (Draw(), Keep(), Seen(), Verdict(True), scene.card(1, "yellow 8")):
        scene.refuse(1, action)
    scene.refuse(2, Challenge())
    scene.refuse(0, Accept())
    assert legal_actions(scene.state, 1, scene.known(1)) == (Accept(), Challenge())


def test_f5_the_new_colour_has_no_bearing() -> None:
    scene = played(DM, "yellow 1, yellow 2", chosen="yellow")
    assert is_guilty(scene.state, scene.known(0)) is False


def test_f5_follows_the_direction_of_play() -> None:
    scene = Scene(DM, ["wild draw four, yellow 1, yellow 2", *OTHERS], "blue 5", direction=-1)
    scene.play(0, "wild draw four", "yellow")
    assert scene.asked == (Kind.ACCEPT, (2,))
    scene.act(2, Accept())
    scene.settle()
    assert scene.asked == (Kind.MOVE, (1,))


def test_f5_four_colors_draws_four_and_is_skipped() -> None:
    scene = played(FC, "blue 1, wild")
    assert scene.settle() == ["draw 1", "keys 1:4"]
    assert scene.counts_of() == [2, 6, 2]
    assert scene.asked == (Kind.MOVE, (2,))


@pytest.mark.parametrize("edition", BLUFF)
def test_f6_accept_draws_four_and_loses_the_turn(edition: str) -> None:
    scene = played(edition, "blue 1, blue 2")
    scene.act(1, Accept())
    # The accept itself releases the keys: no DRAW is asked.
    assert scene.settle() == ["keys 1:4"]
    assert scene.counts_of() == [2, 6, 2]
    assert scene.asked == (Kind.MOVE, (2,))
    assert scene.state.challenge is None
    assert scene.happened(Accepted) == [Accepted(1)]
    assert scene.happened(TurnSkipped) == [TurnSkipped(1)]


@pytest.mark.parametrize("edition", BLUFF)
def test_f7_innocent_the_challenger_draws_six_and_loses_the_turn(edition: str) -> None:
    scene = played(edition, "yellow 1, yellow 2")
    scene.act(1, Challenge())
    assert scene.asked == (Kind.VERDICT, (0,))
    scene.act(0, Verdict(False))
    assert scene.asked == (Kind.SEEN, (1,))
    scene.act(1, Seen())
    assert scene.settle() == ["keys 1:6"]
    assert scene.counts_of() == [2, 8, 2]
    assert scene.asked == (Kind.MOVE, (2,))
    assert scene.happened(Challenged) == [Challenged(1, 0)]
    assert scene.happened(ChallengeLost) == [ChallengeLost(1, 0)]


@pytest.mark.parametrize("edition", BLUFF)
def test_f8_guilty_the_player_draws_four_and_the_challenger_plays(edition: str) -> None:
    scene = played(edition, "blue 1, blue 2")
    scene.act(1, Challenge())
    scene.act(0, Verdict(True))
    scene.act(1, Seen())
    assert scene.settle() == ["draw 0", "keys 0:4"]
    assert scene.counts_of() == [6, 2, 2]
    assert scene.asked == (Kind.MOVE, (1,))
    assert scene.pile()[-1] == "wild draw four"
    assert scene.colour() == "yellow"
    assert scene.happened(ChallengeWon) == [ChallengeWon(1, 0)]
    scene.play(1, "yellow 8", uno=True)


def test_f8_two_seats() -> None:
    scene = Scene(DM, ["wild draw four, blue 1, blue 2", "yellow 1, yellow 2"], "blue 5")
    scene.play(0, "wild draw four", "yellow")
    scene.act(1, Challenge())
    scene.act(0, Verdict(True))
    scene.act(1, Seen())
    scene.settle()
    assert scene.asked == (Kind.MOVE, (1,))


def test_f9_nothing_is_shown() -> None:
    """Whatever is answered, the public state keeps handles only; the snapshot goes when the case closes."""
    for answer in (Accept(), Challenge()):
        scene = played(DM, "blue 1, blue 2")
        scene.act(1, answer)
        if isinstance(answer, Challenge):
            scene.act(0, Verdict(True))
            case = scene.state.challenge
            assert case is not None
            assert case.guilty is True
            scene.refuse(1, Verdict(False))
            scene.act(1, Seen())
        assert scene.state.challenge is None
        assert scene.state.opened == ((), (), ())


@pytest.mark.parametrize("verdict", [1, None, "guilty"])
def test_f9_a_verdict_is_one_of_two(verdict: bool) -> None:
    scene = played(DM, "blue 1, blue 2")
    scene.act(1, Challenge())
    scene.refuse(0, Verdict(verdict))


@pytest.mark.parametrize("edition", BLUFF)
def test_f10_as_last_card_no_challenge_and_the_four_count(edition: str) -> None:
    scene = Scene(edition, ["wild draw four", *OTHERS], "blue 5", draw="yellow 1, yellow 1, blue 2, wild")
    scene.play(0, "wild draw four")
    assert scene.state.challenge is None
    assert scene.asked == (Kind.DRAW, (1,))
    scene.settle()
    assert scene.counts_of() == [0, 6, 2]
    assert scene.asked == (Kind.OPEN, (1, 2))
    scene.open(1)
    scene.open(2)
    assert scene.state.scores == (8 + 9 + 1 + 1 + 2 + 50 + 3 + 4, 0, 0)


@pytest.mark.parametrize("edition", BLUFF)
@pytest.mark.parametrize("card", ["wild", "wild draw four"])
def test_a_wild_as_last_card_leaves_the_colour_as_it_was(edition: str, card: str) -> None:
    """T7: it names none. The colour is in the digest, so a program that cleared it would refuse an honest match."""
    scene = Scene(edition, [card, *OTHERS], "blue 5")
    before = scene.state.colour
    assert before is not None
    scene.play(0, card)
    assert scene.state.colour == before


def test_f10_four_colors_is_over_at_once() -> None:
    scene = Scene(FC, ["wild draw four", *OTHERS], "blue 5")
    scene.play(0, "wild draw four")
    assert scene.asked == (Kind.OPEN, (1, 2))
    assert scene.counts_of() == [0, 2, 2]
