"""Whole scripted matches of Despicable Me 4 and Lilo & Stitch in which every kind of event occurs.

What happened is read off the transcript by the verifier, which must find it valid and complete.
"""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from typing import Any

import pytest
from nodealer import engine
from nodealer.engine import Kind
from nodealer.p2p.events import DecisionNeeded, GameEvent, PeerEvent
from nodealer.p2p.transcript import MAGIC, frame
from nodealer.p2p.verify import Status, verify

from examples.rigged import DM, LS, Deal, Rigged
from examples.table import Chooser, eager

MINIONS, OHANA, FOUR = "wild mega minions power", "wild ohana", "wild draw four"
# The same card ids in both editions.
SPECIALS = {card.id for card in engine.EDITIONS[DM].cards if card.kind is engine.CardKind.MINIONS}
ANSWERS = (engine.Accepted, engine.ChallengeWon, engine.ChallengeLost)


def played(deal: Deal, steps: dict[int, list[str]], after: Chooser = eager, target: int = 0) -> list[Any]:
    """Play to the end; the game's facts as the verifier finds them, the same for every peer's transcript."""
    table = Rigged(deal, steps, after=after, target=target)
    ended = table.play()
    digests = {end.digest for end in ended if end is not None}
    assert len(digests) == 1
    told: list[list[Any]] = []
    for seated in table.seats:
        facts: list[PeerEvent] = []
        report = verify(io.BytesIO(MAGIC + b"".join(frame(record) for record in seated.records)), facts.append)
        assert report.status is Status.COMPLETE, report
        assert {report.digest} == digests
        told.append([event.event for event in facts if isinstance(event, GameEvent)])
    assert all(facts == told[0] for facts in told)
    assert not any(left for left in table.script.left.values()), table.script.left
    return told[0]


def of(facts: Sequence[Any], kind: type) -> list[Any]:
    return [fact for fact in facts if isinstance(fact, kind)]


def specials(facts: Sequence[Any]) -> list[list[Any]]:
    """For each Mega Minions or Ohana that was played, what followed up to the next turn."""
    groups: list[list[Any]] = []
    inside = False
    for fact in facts:
        if isinstance(fact, engine.CardPlayed):
            inside = fact.card in SPECIALS
            groups += [[]] if inside else []
        elif isinstance(fact, engine.TurnStarted):
            inside = False
        elif inside:
            groups[-1].append(fact)
    return groups


@pytest.mark.parametrize(
    ("edition", "guilty", "answer", "kind"),
    [
        (LS, True, "accept", engine.Accepted),
        (DM, False, "accept", engine.Accepted),
        (DM, True, "challenge", engine.ChallengeWon),
        (LS, True, "challenge", engine.ChallengeWon),
        (LS, False, "challenge", engine.ChallengeLost),
        (DM, False, "challenge", engine.ChallengeLost),
    ],
)
def test_challenges(edition: str, guilty: bool, answer: str, kind: type) -> None:
    one, two, three, _ = engine.EDITIONS[edition].colours
    hand = f"{FOUR}, {two} 1 2 3, {three} 1 2" + (f", {one} 9" if guilty else "")
    hand = hand if guilty else f"{hand}, {three} 3"
    facts = played(Deal(edition, ["", hand], top=f"{one} 5"), {1: [f"{FOUR} -> {two}"], 0: [answer]})
    assert type(next(fact for fact in facts if isinstance(fact, ANSWERS))) is kind


def test_minions_with_icon_cards_and_without() -> None:
    """The first Mega Minions takes two icon cards from one and none from another; the second, next, takes none.

    What was drawn for the two could be icon cards again, so the deck gives numbers.
    """
    hands = [
        "blue 1 2 3 4 6 7 8",
        f"{MINIONS}, orange 1 2 3 4 6 7",
        f"{MINIONS}, purple skip, yellow draw two, purple 1 2 3 4",
    ]
    deal = Deal(DM, hands, top="blue 5", draw="purple 6 7")
    facts = played(deal, {1: [f"{MINIONS} -> blue"], 2: [f"{MINIONS} -> blue"]})
    first, second = specials(facts)[:2]
    (gone,) = of(first, engine.CardsDiscarded)
    assert (gone.seat, len(gone.cards)) == (2, 2)
    assert [(fact.seat, len(fact.handles)) for fact in of(first, engine.CardsDrawn)] == [(2, 2)]
    assert not of(second, engine.CardsDiscarded)
    assert not of(second, engine.CardsDrawn)


def test_ohana_with_more_fewer_and_exactly_four() -> None:
    hands = ["red skip, red skip, red reverse, wild ohana, yellow 1 2 3", f"{OHANA}, green 1 2 3 4, blue 1 2"]
    steps = {
        1: [f"{OHANA} -> red", "discard blue 1 2"],
        0: ["discard yellow 1 2 3", "red skip", "red skip", f"{OHANA} -> blue"],
    }
    facts = played(Deal(LS, hands, top="green 9"), steps)
    first, second = specials(facts)[:2]
    assert [(fact.seat, len(fact.cards)) for fact in of(first, engine.CardsDiscarded)] == [(0, 3), (1, 2)]
    # Now seat 0 holds one card and no call is owed, seat 1 exactly four: nobody discards, one draws.
    assert not of(second, engine.CardsDiscarded)
    assert [(fact.seat, len(fact.handles)) for fact in of(second, engine.CardsDrawn)] == [(0, 3)]
    assert not of(second, engine.WindowOpened)


@pytest.mark.parametrize(
    ("mine", "other", "kind"),
    [
        ("call", "quiet", engine.UnoCalled),
        ("quiet", "catch", engine.UnoCaught),
        ("quiet", "quiet", engine.WindowClosed),
    ],
    ids=["late call", "caught", "nobody noticed"],
)
def test_windows(mine: str, other: str, kind: type) -> None:
    """Down to four by an Ohana, then three cards in a row; the last but one without a word."""
    hands = ["red skip, red skip, red reverse, red 5, yellow 1 2 3", f"{OHANA}, green 1 2 3 4, blue 1 2"]
    steps = {
        1: [f"{OHANA} -> red", "discard blue 1 2", other],
        0: [
            "discard yellow 1 2 3",
            "red skip",
            "red skip",
            "red reverse",
            mine,
            *(["red 5"] if mine == "call" else []),
        ],
    }
    facts = played(Deal(LS, hands, top="green 9"), steps)
    opened = facts.index(engine.WindowOpened(engine.Seat(0)))
    after = next(f for f in facts[opened:] if isinstance(f, engine.UnoCalled | engine.UnoCaught | engine.WindowClosed))
    assert isinstance(after, kind)
    if kind is engine.UnoCaught:
        assert after.by == (1,)


def test_reshuffles_and_a_challenge_against_fifty_cards() -> None:
    """Both draw until the pile is empty; then one bluffs with some fifty cards, and an Ohana takes them all away."""
    hands = [f"{FOUR}, red 1 2 3 4 6 7", f"{OHANA}, {OHANA}, green 1 2 3 4 6"]
    steps = {1: [f"{OHANA} -> red", "discard green 1 2"], 0: ["discard red 1 2 3"]}

    def thirsty(decision: DecisionNeeded, rng: random.Random) -> engine.Action | None:
        view, rules = decision.view, decision.view.options.rules
        if decision.kind is Kind.ACCEPT:
            return engine.Challenge()
        wilds = {
            rules.cards[action.card].kind: action
            for action in decision.legal
            if isinstance(action, engine.PlayCard) and rules.cards[action.card].wild
        }
        if view.reshuffles and len(view.hand) > 20 and decision.kind is Kind.MOVE:
            wanted = engine.CardKind.WILD_DRAW_FOUR if view.seat == 0 else engine.CardKind.OHANA
            return wilds.get(wanted) or wilds[engine.CardKind.OHANA]
        if not view.reshuffles and decision.kind in (Kind.MOVE, Kind.DRAWN):
            return engine.Draw() if decision.kind is Kind.MOVE else engine.Keep()
        return eager(decision, rng)

    facts = played(Deal(LS, hands, top="red 5"), steps, thirsty)
    assert of(facts, engine.Reshuffled)
    discards = of(facts, engine.CardsDiscarded)
    assert max(len(fact.cards) for fact in discards) > 30
    # The bluff was made with the colour in hand, and before the Ohana.
    assert of(facts, engine.ChallengeWon)
