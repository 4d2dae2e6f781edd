"""The bots' policy: always legal in every edition, sensible where it matters, and it forgets sometimes."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from nodealer import engine
from nodealer.cli import policy
from nodealer.engine import Kind, Options, Seat

from tests.helpers.open_table import OpenTable


def bot_policy(rng: random.Random, style: policy.Style = policy.Style.SENSIBLE):
    """A policy for the open table: bots decide what people decide; the rest is answered as any program does."""

    def answer(table: OpenTable, seat: Seat) -> engine.Action:
        state, known = table.state, table.known(seat)
        legal = engine.legal_actions(state, seat, known)
        kind = state.pending.kind
        if kind is Kind.WINDOW:
            return window(state, seat, rng)
        action = policy.decide(kind, engine.view(state, seat, known), legal, rng, style)
        plain = replace(action, uno=False) if isinstance(action, engine.PlayCard) and action.uno else action
        assert plain in legal or isinstance(action, engine.Discard)
        table.counts[f"decided {kind.value}"] += 1
        table.counts[type(action).__name__ + " by a bot"] += 1
        return action

    return answer


def window(state: engine.State, seat: Seat, rng: random.Random) -> engine.Action:
    if seat == state.window:
        return engine.Called() if policy.late_call(rng) else engine.Quiet()
    return engine.Caught() if policy.notices(rng) else engine.Silent()


OPTIONS = [
    *(Options("four-colors", seats, 0, stacking) for seats in (2, 3, 4) for stacking in (False, True)),
    *(Options(edition, seats, 0) for edition in ("despicable-me-4", "lilo-stitch") for seats in (2, 4, 7)),
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: f"{o.edition}-{o.seats}{'-stacking' if o.stacking else ''}")
def test_every_decision_is_legal(options: Options) -> None:
    for seed in range(6):
        table = OpenTable(options, seed, checked=False)
        table.play_match(bot_policy(random.Random(seed)))
        assert table.state.winner is not None


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_hoarders_make_reshuffles_and_still_end(seats: int) -> None:
    crossed = 0
    for seed in range(5):
        table = OpenTable(Options("four-colors", seats), seed, checked=False)
        table.play_match(bot_policy(random.Random(seed), policy.Style.HOARD))
        assert table.counts["Reshuffled"] >= policy.HOARD_RESHUFFLES
        crossed += _interrupted_draws(table)
    assert crossed, "no reshuffle in the middle of a draw"


def _interrupted_draws(table: OpenTable) -> int:
    """Play the inputs again; count epochs that came between two parts of one draw."""
    state = engine.new_match(table.state.options)
    found, before = 0, None
    for given in table.inputs:
        if isinstance(given, engine.EpochReady) and isinstance(before, engine.KeysReleased):
            found += state.epoch > 0
        before = given
        state, _ = engine.apply(state, given)
    return found


def test_sensible_bots_beat_hoarders_and_chance() -> None:
    """The policy is worth something: against one that draws and plays at random it wins far more than its share."""
    wins = 0
    for seed in range(60):
        rng = random.Random(seed)
        sensible = bot_policy(rng)

        def chance(table: OpenTable, seat: Seat, rng: random.Random = rng) -> engine.Action:
            return rng.choice(engine.legal_actions(table.state, seat, table.known(seat)))

        def mixed(table: OpenTable, seat: Seat, sensible=sensible, chance=chance) -> engine.Action:
            return (
                sensible(table, seat) if seat == 0 or table.state.pending.kind is not Kind.MOVE else chance(table, seat)
            )

        table = OpenTable(Options("four-colors", 4), seed, checked=False)
        table.play_match(mixed)
        wins += table.state.winner == 0
    assert wins >= 24  # a quarter would be 15


def view_of(
    hand: list[str],
    *,
    top: str = "red 5",
    colour: str = "red",
    counts: tuple[int, ...] = (7, 7, 7),
    edition: str = "four-colors",
    **fields: object,
) -> tuple[engine.View, tuple[engine.Action, ...]]:
    """A view of seat 0 with this hand in words, on its turn, and its legal actions."""
    data = engine.EDITIONS[edition]
    ids: list[int] = []
    for word in [top, *hand]:
        ids.append(next(c.id for c in data.cards if c.label(data) == word and c.id not in ids))
    table = OpenTable(Options(edition, len(counts)), 1, checked=False)
    while not (isinstance(table.state.pending, engine.NeedActions) and table.state.pending.kind is Kind.MOVE):
        table.step(lambda t, s: engine.legal_actions(t.state, s, t.known(s))[0])
    handles = [engine.Handle(0, 100 - i) for i in range(sum(counts))]
    hands, start = [], 0
    for seat, number in enumerate((len(hand), *counts[1:])):
        hands.append(tuple(handles[start : start + number]))
        start += number if seat else len(hand)
    state = replace(
        table.state,
        hands=tuple(hands),
        discard=(ids[0],),
        colour=data.colours.index(colour),
        turn=Seat(0),
        direction=1,
        pending=engine.NeedActions(Kind.MOVE, (Seat(0),)),
        **fields,
    )
    known = dict(zip(hands[0], ids[1:], strict=True))
    return engine.view(state, Seat(0), known), engine.legal_actions(state, Seat(0), known)


def plays(view: engine.View, legal: tuple[engine.Action, ...], times: int = 40) -> set[str]:
    data = engine.EDITIONS[view.options.edition]
    words = set()
    for seed in range(times):
        action = policy.decide(Kind.MOVE, view, legal, random.Random(seed))
        words.add(data.cards[action.card].label(data) if isinstance(action, engine.PlayCard) else type(action).__name__)
    return words


def test_holds_back_wilds() -> None:
    view, legal = view_of(["red 3", "wild", "wild draw four", "blue 9", "green 1", "green 2"])
    assert plays(view, legal) == {"red 3"}


def test_keeps_the_colour_that_it_can_follow() -> None:
    view, legal = view_of(["blue 5", "red 1", "red 2", "red 4", "green 9", "green 8"])
    assert plays(view, legal) <= {"red 1", "red 2", "red 4"}


@pytest.mark.parametrize("stopper", ["red skip", "red draw two", "red reverse", "wild draw four"])
def test_stops_a_neighbour_who_is_nearly_out(stopper: str) -> None:
    view, legal = view_of([stopper, "red 9", "red 8", "red 7", "blue 1"], counts=(5, 1, 7))
    assert plays(view, legal) == {stopper}


def test_names_its_best_colour() -> None:
    view, legal = view_of(["wild", "green 1", "green 2", "blue 3"], top="yellow 9", colour="yellow", counts=(4, 2, 7))
    for seed in range(20):
        action = policy.decide(Kind.MOVE, view, legal, random.Random(seed))
        assert isinstance(action, engine.PlayCard)
        assert action.colour == 2


def test_says_uno_nearly_always() -> None:
    view, legal = view_of(["red 3", "red 4"], counts=(2, 7, 7))
    calls = [policy.decide(Kind.MOVE, view, legal, random.Random(seed)).uno for seed in range(500)]
    assert 0.85 < sum(calls) / len(calls) < 1.0


def test_never_bluffs_without_need_and_sometimes_with() -> None:
    hand = ["wild draw four", "blue 9", "blue 8", "red 4", "red 6"]
    view, legal = view_of(hand, edition="lilo-stitch", counts=(5, 7, 7))
    assert "wild draw four" not in plays(view, legal, 100)
    view, legal = view_of(hand, edition="lilo-stitch", counts=(5, 1, 7))
    assert plays(view, legal, 100) >= {"wild draw four"}


def test_challenges_a_full_hand_and_not_a_single_card() -> None:
    view, _ = view_of(["blue 9", "blue 8"], edition="lilo-stitch")
    deal = tuple(engine.Handle(0, i) for i in range(12))
    case = engine.ChallengeCase(Seat(2), deal, 0, Seat(0))
    assert policy.guilt(replace(view, challenge=case)) >= policy.CHALLENGE_FROM
    assert policy.guilt(replace(view, challenge=case._replace(hand=deal[:1]))) < policy.CHALLENGE_FROM


@pytest.mark.parametrize("edition", ["despicable-me-4", "lilo-stitch"])
def test_challenges_are_worth_their_risk(edition: str) -> None:
    """Among bots: some Wild Draw Fours are bluffs, and who is challenged is guilty far oftener than who is not."""
    guilty: dict[bool, list[bool]] = {True: [], False: []}
    for seed in range(120):
        rng = random.Random(seed)
        bot = bot_policy(rng)

        def watched(table: OpenTable, seat: Seat, bot=bot) -> engine.Action:
            action = bot(table, seat)
            case = table.state.challenge
            if case is not None and isinstance(action, engine.Accept | engine.Challenge):
                wrong = engine.is_guilty(table.state, {handle: table.faces[handle] for handle in case.hand})
                guilty[isinstance(action, engine.Challenge)].append(bool(wrong))
            return action

        OpenTable(Options(edition, 2 + seed % 4), seed, checked=False).play_match(watched)
    rates = {challenged: sum(wrong) / len(wrong) for challenged, wrong in guilty.items()}
    assert len(guilty[True]) > 40
    assert len(guilty[False]) > 40
    assert rates[True] > 0.25 > 0.2 > rates[False]


def test_evidence_for_a_bluff() -> None:
    """A large hand, much of the colour still out, and a reason to bluff speak for it."""
    view, _ = view_of(["blue 9", "blue 8", "green 7", "green 6"], edition="lilo-stitch", counts=(4, 7, 6))
    deal = tuple(engine.Handle(0, i) for i in range(12))
    view = replace(view, challenge=engine.ChallengeCase(Seat(2), deal[:6], 0, Seat(0)))
    reds = tuple(card.id for card in engine.EDITIONS["lilo-stitch"].cards if card.colour == 0)
    guilt = policy.guilt(view)
    assert policy.guilt(replace(view, challenge=view.challenge._replace(hand=deal[:3]))) < guilt
    assert policy.guilt(replace(view, discard=reds[:20])) < guilt
    assert policy.guilt(replace(view, counts=(4, 1, 6))) > guilt


def test_ohana_keeps_what_it_can_play() -> None:
    view, _ = view_of(["wild", "red 1", "red 2", "red 3", "blue 9", "green 8"], edition="lilo-stitch")
    data = engine.EDITIONS["lilo-stitch"]
    gone = {data.cards[card].label(data) for _, card in policy.choose(view, 2, random.Random(1)).cards}
    assert gone == {"blue 9", "green 8"}
