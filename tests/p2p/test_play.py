"""Whole matches of real peers over the encrypted deck, each one verified from every peer's own transcript."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from nodealer import engine
from nodealer.p2p.events import DecisionNeeded, GameEvent, Outcome, SlotOpened, StepVerified
from nodealer.p2p.shelf import AT_HAND
from nodealer.p2p.verify import Report, Status

from examples.liar import report_of
from examples.table import FAST, Table, eager, hoard

PLAIN = replace(FAST, escrow=False)


def played(table: Table) -> list[Report]:
    """Play to the end; all peers end alike and every transcript is complete and says the same."""
    table.form()
    table.run(36_000)
    endings = [seated.ended for seated in table.seats]
    assert all(ended is not None and ended.outcome is Outcome.COMPLETE for ended in endings)
    assert len({(ended.digest, ended.winner, tuple(ended.scores.items())) for ended in endings if ended}) == 1
    reports = [report_of(seated) for seated in table.seats]
    for report, ended in zip(reports, endings, strict=True):
        assert ended is not None
        assert (report.status, report.digest, report.winner) == (Status.COMPLETE, ended.digest, ended.winner), report
        assert dict(enumerate(report.scores)) == dict(ended.scores)
    return reports


def sparing(decision: DecisionNeeded, rng: random.Random) -> engine.Action | None:
    """Draws whenever it may until the pile is nearly dry, so that a penalty finds too few cards; then plays on."""
    view = decision.view
    dry = view.reshuffles or view.draw_count <= 2 or len(view.hand) >= 20
    return (eager if dry else hoard)(decision, rng)


@pytest.mark.parametrize("stacking", [False, True], ids=["plain", "stacking"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_one_hand(players, stacking):
    table = Table(players, replace(PLAIN, seats=players, stacking=stacking), seed=("hand", players, stacking))
    report = played(table)[0]
    assert report.rounds == 1
    # Every seat shuffles and locks once an epoch, and every key of every dealt card was checked.
    epochs = 1 + report.counts.get("reshuffles", 0)
    assert report.counts["shuffle"] == report.counts["lock"] == players * epochs
    assert report.counts["keys"] >= 7 * players * (players - 1)
    assert report.counts["plays"] > 0


def test_a_match_to_250():
    table = Table(2, replace(PLAIN, seats=2, target=250), seed="250")
    report = played(table)[0]
    assert report.rounds > 1
    assert max(report.scores) >= 250
    # The deal moves on and every round has its own decks.
    rounds = {event.round for event in table.seats[0].told if isinstance(event, SlotOpened)}
    assert len(rounds) >= report.rounds
    # What a peer holds in memory is bounded, whatever the length of the match (`make soak-memory` measures it).
    for seated in table.seats:
        match = seated.peer.match
        assert match is not None
        shelves = [feed.entries for feed in match.feeds] + [seated.peer._records.public]
        assert all(len(shelf._items) <= AT_HAND < len(shelf) for shelf in shelves)
        assert len(match._remembered) < sum(len(feed.entries) for feed in match.feeds)


def test_a_match_of_three_to_250_with_stacking():
    table = Table(3, replace(PLAIN, seats=3, target=250, stacking=True), seed="three")
    assert max(played(table)[0].scores) >= 250


def slots_of(table: Table) -> list[SlotOpened]:
    return [event for event in table.seats[0].told if isinstance(event, SlotOpened)]


def test_hoarding_gives_reshuffles():
    table = Table(3, replace(PLAIN, seats=3), seed=3, choose=sparing)
    report = played(table)[0]
    assert report.counts["reshuffles"] >= 1
    assert max(event.epoch for event in slots_of(table)) == report.counts["reshuffles"]
    # Proven like the first: every seat's shuffle and lock, of the smaller deck, was verified.
    small = [e for e in table.seats[0].told if isinstance(e, StepVerified) and e.what == "shuffle" and e.cards < 108]
    assert len(small) == 3 * report.counts["reshuffles"]


def middle_of_a_draw(table: Table) -> list[int]:
    """The slots of those reshuffles that part one draw: keys, the epoch, and keys again with nothing between."""
    opened = slots_of(table)
    found = []
    for at, slot in enumerate(opened):
        if slot.kind == "shuffle" and slot.epoch > 0 and opened[at - 1].kind == "keys":
            after = next(later for later in opened[at:] if later.kind not in ("shuffle", "lock", "epoch ok"))
            if after.kind == "keys":
                found.append(slot.slot)
    return found


def test_a_reshuffle_in_the_middle_of_a_draw():
    table = Table(3, replace(PLAIN, seats=3, stacking=True), seed=0, choose=sparing)
    report = played(table)[0]
    slots = middle_of_a_draw(table)
    assert slots
    # It is in the transcript: between the two slots of keys stand only the entries of the epoch.
    match = table.seats[0].peer.match
    assert match is not None
    for slot in slots:
        kinds = [e.header.kind for feed in match.feeds for e in feed.entries if slot <= e.header.slot < slot + 7]
        assert sorted(kinds) == sorted(["shuffle"] * 3 + ["lock"] * 3 + ["epoch ok"] * 3)
    assert report.counts["reshuffles"] >= len(slots)
    assert any(isinstance(e, GameEvent) and isinstance(e.event, engine.Reshuffled) for e in table.seats[0].told)


def test_all_see_the_same_public_events():
    table = Table(4, PLAIN, seed="events")
    played(table)
    streams = [
        [event for event in seated.told if isinstance(event, (GameEvent, StepVerified, SlotOpened))]
        for seated in table.seats
    ]
    assert all(stream == streams[0] for stream in streams)
