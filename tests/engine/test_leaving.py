"""rules.md §10: N2 and N3."""

from __future__ import annotations

import random

import pytest
from nodealer.engine import (
    Accept,
    Agree,
    Called,
    Caught,
    Challenge,
    Draw,
    Handle,
    Heard,
    IllegalAction,
    Keep,
    KeysLost,
    KeysReleased,
    Kind,
    MatchOver,
    MatchWon,
    NameColour,
    NeedActions,
    NeedEpoch,
    NeedKeys,
    Options,
    RoundLost,
    RoundVoided,
    Seat,
    SeatLeft,
    Seen,
    Silent,
    Verdict,
    digest,
)

from tests.helpers.open_table import POLICIES, OpenTable, replay
from tests.helpers.scene import Deal, Scene

FC = "four-colors"
DM = "despicable-me-4"
LS = "lilo-stitch"
OTHERS = ["yellow 8, yellow 9", "yellow 3, yellow 4"]
ONE, TWO, ZERO = Seat(1), Seat(2), Seat(0)


def test_n2_the_hand_goes_under_the_discard_pile_and_the_turn_passes() -> None:
    scene = Scene(FC, ["blue 2, blue 1", *OTHERS], "red 1, blue 5")
    scene.leave(ZERO)
    assert scene.pile() == ["blue 2", "blue 1", "red 1", "blue 5"]
    assert scene.counts_of() == [0, 2, 2]
    assert scene.state.seats_in == (1, 2)
    assert scene.asked == (Kind.MOVE, (1,))
    scene.act(1, Draw())
    scene.settle()
    scene.act(1, Keep())
    assert scene.asked == (Kind.MOVE, (2,))


def test_n2_whoever_is_not_asked_may_go_too() -> None:
    scene = Scene(FC, ["blue 2, blue 1", *OTHERS], "blue 5")
    scene.leave(ONE)
    assert scene.asked == (Kind.MOVE, (0,))
    scene.play(0, "blue 1", uno=True)
    assert scene.asked == (Kind.MOVE, (2,))


def test_n2_the_whole_hand_must_be_opened_and_once() -> None:
    scene = Scene(FC, ["blue 2, blue 1", *OTHERS], "blue 5")
    hand = tuple((handle, scene.faces[handle]) for handle in scene.state.hands[1])
    for cards in ((), hand[:1], hand[::-1], (hand[0], hand[0])):
        with pytest.raises(IllegalAction):
            scene.apply(SeatLeft(ONE, cards))
    for seat in (0, 7, -1):
        with pytest.raises(IllegalAction):
            scene.apply(SeatLeft(Seat(seat), hand))
    scene.apply(SeatLeft(ONE, hand))
    with pytest.raises(IllegalAction):
        scene.apply(SeatLeft(ONE, ()))


def test_n2_scores_stand_and_the_next_deal_is_without_the_seat() -> None:
    scene = Scene(FC, ["blue 1", *OTHERS, "red 1, red 2"], "blue 5", target=250)
    scene.leave(ONE)
    scene.play(0, "blue 1")
    scene.open(2)
    scene.open(3)
    for seat in (0, 2, 3):
        scene.act(seat, Agree())
    assert scene.state.dealer == 2  # seat 1 is passed over
    assert isinstance(scene.state.pending, NeedEpoch)
    scene.apply(scene._epoch(scene.state.pending.cards))
    assert isinstance(scene.state.pending, NeedKeys)
    deals = scene.state.pending.deals
    assert [seat for seat, _ in deals] == [3, 0, 2]
    assert deals[1][1] == tuple(Handle(0, r * 3 + 1) for r in range(7))
    assert scene.state.draw[0] == Handle(0, 21)
    assert scene.state.scores == (3 + 4 + 1 + 2, 0, 0, 0)


def test_n2_drawn_card_pending() -> None:
    scene = Scene(FC, ["blue 2, blue 1", *OTHERS], "blue 5")
    scene.act(0, Draw())
    assert scene.asked == "NeedKeys"
    scene.leave(ZERO)  # between "I draw" and the keys: the card is opened with the hand
    assert len(scene.state.discard) == 4
    assert scene.asked == (Kind.MOVE, (1,))


def test_n2_in_the_middle_of_a_reshuffle_it_starts_anew_with_the_hand() -> None:
    scene = Scene(FC, ["blue 2, blue 1", *OTHERS], "red 3, blue 5", rest="discard")
    scene.act(0, Draw())
    before = scene.state.pending
    assert isinstance(before, NeedEpoch)
    hand = [scene.faces[handle] for handle in scene.state.hands[0]]
    scene.leave(ZERO)
    assert scene.state.pending == NeedEpoch(tuple(sorted([*before.cards, *hand])))
    assert scene.state.epoch == 1
    scene.settle()
    assert scene.asked == (Kind.MOVE, (1,))


def test_n2_who_must_draw_goes() -> None:
    scene = Scene(FC, ["blue draw two, blue 1, blue 2", *OTHERS], "blue 5")
    scene.play(0, "blue draw two")
    assert scene.asked == (Kind.DRAW, (1,))
    scene.leave(ONE)
    assert scene.asked == (Kind.MOVE, (2,))


def test_n2_stack_counts_as_taken_with_nothing_drawn() -> None:
    scene = Scene(FC, ["blue draw two, blue 1, blue 2", *OTHERS], "blue 5", stacking=True)
    scene.play(0, "blue draw two")
    scene.leave(ONE)
    assert scene.state.stack == 0
    assert scene.asked == (Kind.MOVE, (2,))
    assert scene.counts_of() == [2, 0, 2]


def accused(rest: str = "blue 1, blue 2") -> Scene:
    scene = Scene(DM, [f"wild draw four, {rest}", *OTHERS], "blue 5")
    scene.play(0, "wild draw four", "yellow")
    return scene


@pytest.mark.parametrize("challenged", [False, True])
def test_n2_the_challenger_goes_counts_as_accept_with_nothing_drawn(challenged: bool) -> None:
    scene = accused()
    if challenged:
        scene.act(1, Challenge())
    scene.leave(ONE)
    assert scene.counts_of() == [2, 0, 2]
    assert scene.state.challenge is None
    assert scene.asked == (Kind.MOVE, (2,))


@pytest.mark.parametrize("challenged", [False, True])
def test_n2_the_accused_goes_before_its_verdict_nobody_draws(challenged: bool) -> None:
    scene = accused()
    if challenged:
        scene.act(1, Challenge())
    scene.leave(ZERO)
    assert scene.counts_of() == [0, 2, 2]
    assert scene.asked == (Kind.MOVE, (1,))
    assert scene.colour() == "yellow"


@pytest.mark.parametrize("guilty", [False, True])
def test_n2_a_verdict_that_stands_is_carried_out(guilty: bool) -> None:
    scene = accused("blue 1, blue 2" if guilty else "yellow 1, yellow 2")
    scene.act(1, Challenge())
    scene.act(0, Verdict(guilty))
    scene.leave(ZERO)
    assert scene.asked == (Kind.SEEN, (1,))
    scene.act(1, Seen())
    assert scene.settle() == ([] if guilty else ["keys 1:6"])
    assert scene.asked == (Kind.MOVE, (1,) if guilty else (2,))


@pytest.mark.parametrize("guilty", [False, True])
def test_n2_the_challenger_goes_after_the_verdict(guilty: bool) -> None:
    scene = accused("blue 1, blue 2" if guilty else "yellow 1, yellow 2")
    scene.act(1, Challenge())
    scene.act(0, Verdict(guilty))
    scene.leave(ONE)
    assert scene.settle() == (["draw 0", "keys 0:4"] if guilty else [])
    assert scene.asked == (Kind.MOVE, (2,))


def test_n2_a_start_wild_is_named_by_the_next_seat() -> None:
    deal = Deal(FC, 3, "wild")
    deal.begin()
    assert deal.asked == (Kind.COLOUR, (1,))
    deal.leave(ONE)
    assert deal.asked == (Kind.COLOUR, (2,))
    deal.act(2, NameColour(0))
    assert deal.asked == (Kind.MOVE, (2,))


def test_n2_window_of_a_leaver_is_void_and_a_gone_opponent_is_silent() -> None:
    def opened() -> Scene:
        scene = Scene(DM, ["blue 1, blue 2", *OTHERS], "blue 5")
        scene.play(0, "blue 1")
        return scene

    scene = opened()
    scene.act(1, Caught())
    scene.leave(ZERO)
    assert scene.asked == (Kind.MOVE, (1,))
    scene = opened()
    scene.act(0, Called())
    scene.act(2, Heard())
    scene.leave(ONE)
    assert scene.asked == (Kind.MOVE, (2,))
    assert scene.state.uno == (True, False, False)


def test_n2_minions_and_ohana_go_on() -> None:
    hands = ["wild mega minions power, blue 1, blue 2", "blue skip, wild", *OTHERS]
    scene = Scene(DM, hands, "blue 5")
    scene.play(0, "wild mega minions power", "blue")
    scene.show(1, "blue skip")
    scene.show(3, "")
    scene.leave(TWO)
    assert scene.settle() == ["draw 1", "keys 1:1"]
    assert scene.asked == (Kind.MOVE, (1,))
    six = "red 1, red 2, red 3, red 4, red 6, red 7"
    scene = Scene(LS, ["wild ohana, blue 1, blue 2", six, "yellow 1, yellow 2, yellow 3, yellow 4"], "blue 5")
    scene.play(0, "wild ohana", "blue")
    scene.leave(ONE)
    assert scene.pile()[-1] == "wild ohana"
    assert scene.settle() == ["draw 0", "keys 0:2"]
    assert scene.asked == (Kind.MOVE, (2,))


def test_n2_from_an_empty_hand_on_the_round_stands() -> None:
    """What could be opened counts, the rest counts 0; the winner scores even when it has left."""
    scene = Scene(DM, ["blue draw two", *OTHERS, "wild, purple 1"], "blue 5", target=500)
    scene.play(0, "blue draw two")
    scene.leave(ONE, missing=1)
    assert scene.asked == (Kind.OPEN, (2, 3))
    scene.leave(ZERO)
    scene.open(2)
    scene.open(3)
    assert scene.state.scores == (8 + 3 + 4 + 51, 0, 0, 0)
    assert scene.asked == (Kind.ROUND_END, (2, 3))


def test_n2_a_winner_of_the_match_may_have_left() -> None:
    scene = Scene(FC, ["blue 1", *OTHERS], "blue 5")
    scene.play(0, "blue 1")
    scene.leave(ZERO)
    scene.open(1)
    scene.open(2)
    assert scene.state.winner == 0
    assert not scene.state.by_default
    assert scene.asked == (Kind.END, (1, 2))


def test_n3_the_last_one_wins_by_default() -> None:
    scene = Scene(FC, ["blue 1, blue 2", "red 1, red 2"], "blue 5", target=250)
    scene.leave(ZERO)
    assert scene.happened(MatchWon) == [MatchWon(ONE, by_default=True)]
    assert scene.asked == (Kind.END, (1,))
    scene.act(1, Agree())
    assert scene.state.pending == MatchOver()
    assert (scene.state.winner, scene.state.by_default) == (1, True)


def test_n3_with_an_empty_hand_the_round_is_scored_first() -> None:
    scene = Scene(FC, ["blue 1", "wild, red 2"], "blue 5", target=250)
    scene.play(0, "blue 1")
    scene.leave(ONE)
    assert scene.state.scores == (52, 0)
    assert scene.happened(MatchWon) == [MatchWon(ZERO, by_default=True)]


def test_n3_between_rounds_and_after_the_end() -> None:
    scene = Scene(FC, ["blue 1", "wild, red 2"], "blue 5", target=250)
    scene.play(0, "blue 1")
    scene.open(1)
    scene.act(0, Agree())
    scene.leave(ONE)
    assert scene.happened(MatchWon) == [MatchWon(ZERO, by_default=True)]
    scene.leave(ZERO)
    assert scene.state.pending == MatchOver()
    with pytest.raises(IllegalAction):
        scene.leave(ZERO)


def test_n2_during_the_deal() -> None:
    deal = Deal(FC, 3, "blue 5")
    deal.faces = {Handle(0, i): card for i, card in enumerate(deal.order)}
    deal.apply(deal._epoch(tuple(deal.order)))
    deal.leave(TWO)
    assert isinstance(deal.state.pending, NeedKeys)
    assert [seat for seat, _ in deal.state.pending.deals] == [1, 0]
    events = deal.apply(KeysReleased())
    assert [type(event).__name__ for event in events] == ["CardsDealt", "CardsDealt"]
    assert deal.asked == "NeedFace"


def test_a_round_is_void_scores_stand_and_the_dealer_deals_again() -> None:
    scene = Scene(FC, ["blue 1", *OTHERS, "red 1, red 2"], "blue 5", target=250)
    scene.play(0, "blue 1")
    for seat in (1, 2, 3):
        scene.open(seat)
    for seat in range(4):
        scene.act(seat, Agree())
    scores, dealer, number = scene.state.scores, scene.state.dealer, scene.state.round
    scene.apply(RoundVoided((ZERO,)))
    assert scene.happened(RoundLost) == [RoundLost()]
    assert (scene.state.scores, scene.state.dealer, scene.state.round) == (scores, dealer, number + 1)
    assert scene.state.seats_in == (1, 2, 3)
    assert isinstance(scene.state.pending, NeedEpoch)
    assert len(scene.state.pending.cards) == 108
    # A dealer that goes with it hands the deal on to the left.
    scene.apply(RoundVoided((ONE,)))
    assert scene.state.dealer == 2
    scene.apply(RoundVoided((TWO,)))
    assert scene.happened(MatchWon) == [MatchWon(Seat(3), by_default=True)]
    assert scene.asked == (Kind.END, (3,))


def test_a_round_with_an_empty_hand_is_never_void() -> None:
    scene = Scene(FC, ["blue 1", *OTHERS], "blue 5", target=250)
    with pytest.raises(IllegalAction):
        scene.apply(RoundVoided((ONE, ONE)))
    with pytest.raises(IllegalAction):
        scene.apply(RoundVoided((Seat(3),)))
    with pytest.raises(IllegalAction):
        scene.apply(KeysLost())
    scene.play(0, "blue 1")
    for _ in range(2):
        with pytest.raises(IllegalAction):
            scene.apply(RoundVoided((ONE,)))
        if scene.asked == (Kind.OPEN, (1, 2)):
            scene.open(1)
            scene.open(2)


def test_cards_whose_keys_are_lost_at_the_end_are_not_drawn() -> None:
    scene = Scene(DM, ["blue draw two", *OTHERS], "blue 5", target=500)
    scene.play(0, "blue draw two")
    scene.act(1, Draw())
    assert scene.asked == "NeedKeys"
    top = scene.state.hands[1][-2:]
    scene.leave(TWO, missing=2)
    scene.apply(KeysLost())
    assert scene.counts_of() == [0, 2, 2]
    assert scene.state.draw[:2] == top
    assert scene.asked == (Kind.OPEN, (1,))


@pytest.mark.parametrize("edition", [FC, DM, LS])
@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_random_leaving(edition: str, policy: str) -> None:
    """Any seat may go at any moment: conservation holds, somebody owes, and the match ends."""
    for seed in range(25):
        rng = random.Random(seed)
        seats = rng.randint(2, 4)
        table = OpenTable(Options(edition, seats, 500 if seed % 2 else 0, edition == FC and seed % 3 == 0), seed)
        rate = rng.choice([0.002, 0.01, 0.1])
        for _ in range(60_000):
            if isinstance(table.state.pending, MatchOver):
                break
            state = table.state
            stands = state.round_winner is not None or table.ended()
            if rng.random() < rate / 4 and not stands:
                going = rng.sample(state.seats_in, rng.randint(1, len(state.seats_in)))
                table.apply(RoundVoided(tuple(sorted(going))))
            elif isinstance(state.pending, NeedKeys) and state.round_winner is not None and rng.random() < 0.5:
                table.apply(KeysLost())
            elif rng.random() < rate:
                seat = rng.choice(table.state.seats_in)
                won = table.state.round_winner is not None and not table.ended()
                missing = rng.randint(0, len(table.state.hands[seat])) if won else 0
                table.leave(seat, missing)
            else:
                table.step(POLICIES[policy])
        assert isinstance(table.state.pending, MatchOver)
        if seed < 10:
            assert replay(table.state.options, table.inputs) == digest(table.state)


def test_accept_after_a_third_has_left() -> None:
    scene = accused()
    scene.leave(TWO)
    scene.act(1, Accept())
    assert scene.settle() == ["keys 1:4"]
    assert scene.asked == (Kind.MOVE, (0,))
    assert isinstance(scene.state.pending, NeedActions)


def test_a_call_holds_when_an_opponent_leaves_silent() -> None:
    scene = Scene(FC, ["blue 1, blue 2", *OTHERS], "blue 5")
    scene.play(0, "blue 1")
    scene.act(0, Called())
    scene.act(1, Silent())
    scene.leave(TWO)
    assert scene.asked == (Kind.MOVE, (1,))
