"""Random sequences of entries for a whole table: the cheat's own program is made to sign and send them on its lines."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

from nodealer.p2p.entry import Entry
from nodealer.p2p.errors import WireError
from nodealer.p2p.events import Outcome, PlayerOut, Shunned
from nodealer.p2p.feed import Contradiction, ForkProof
from nodealer.p2p.match import Match
from nodealer.p2p.wire import decode, encode

from examples.liar import CheatTable, LyingPlayer, forge

from .fuzz import changed, garbage
from .sequences import KINDS, statement

MOST = 5
# Deliveries and deadlines that the table gets afterwards: enough for what follows at once, not for a new deal.
STEPS = 25


def play(table: CheatTable, rng: random.Random) -> str:
    """One sequence, and what the others make of it; in a word how the table stands then."""
    player = table.liar
    match = player.match
    old = [entry for feed in match.feeds for entry in feed.entries[-20:]]
    for _ in range(rng.randint(1, MOST)):
        to = None if rng.random() < 0.6 else rng.choice([n for n in range(len(table.seats)) if n != table.cheat])
        table.say_now(*message(player, match, old, rng), to=to)
        if rng.random() < 0.5:
            for _ in range(rng.randint(1, 4)):
                table.step()
    for _ in range(STEPS):
        if all(seated.peer.done for seated in table.seats):
            break
        table.step()
    return judge(table)


def message(player: LyingPlayer, match: Match, old: list[Entry], rng: random.Random) -> list[Any]:
    """An entry of its own that nobody asked for, an old one of anybody, evidence that is none, a list of feeds."""
    if old and rng.random() < 0.15:
        return ["entry", rng.choice(old).encode()]
    if len(old) > 1 and rng.random() < 0.1:
        one, other = rng.sample(old, 2)
        return ["fork", ForkProof(one.signed, other.signed).to_wire()]
    if rng.random() < 0.05:
        have = [[rng.randrange(60), rng.randbytes(32)] for _ in match.feeds]
        return ["ping", have, rng.sample(range(len(match.feeds)), 1), False]
    entry = forged(player, match, old, rng)
    if rng.random() < 0.7:
        # Its own program goes on from it; else it will sign another one with this number.
        with suppress(WireError, Contradiction):
            match.offer(entry)
    return ["entry", entry.encode()]


def forged(player: LyingPlayer, match: Match, old: list[Entry], rng: random.Random) -> Entry:
    kind = rng.choice((*KINDS, *match.slot.rule.takes, "vote", "vote"))
    known = [entry.body for entry in old if entry.header.kind == kind]
    if kind in ("vote", "ready", "withdraw", "refuse"):
        known = [statement(match, kind, rng)]
    body = rng.choice(known) if known and rng.random() < 0.9 else encode(garbage(rng))
    if rng.random() < 0.4:
        try:
            body = encode(changed(rng, decode(body, max_bytes=1 << 18)))
        except (WireError, ValueError, OverflowError):
            body = body[: len(body) // 2]
    changes: dict[str, Any] = {}
    number, _ = match.feeds[player.writer].head
    match rng.randrange(12):
        case 0:
            changes["slot"] = max(0, match.slot.number + rng.choice((-1, 1, 1 << 20)))
        case 1:
            changes["digest"] = rng.randbytes(32)
        case 2:
            changes["previous"] = rng.randbytes(32)
        case 3 if number:
            changes["number"] = rng.randrange(number)
        case 4:
            changes["number"] = number + rng.choice((1, 2))
        case _:
            pass
    return forge(player, kind, body, **changes)


def judge(table: CheatTable) -> str:
    """No honest peer blames an honest one, or has another history where nobody has signed two."""
    cheat = table.seats[table.cheat].peer
    slots: dict[int, set[bytes]] = {}
    feeds = [seated.peer.match.feeds[table.liar.writer] for seated in table.honest if seated.peer.match]
    shared = min(feed.head[0] for feed in feeds)
    forked = any(feed.hash_at(count) != feeds[0].hash_at(count) for feed in feeds for count in range(shared + 1))
    told = "goes on"
    for seated in table.honest:
        match, ended = seated.peer.match, seated.ended
        assert match is not None
        writer = match.roster.writer_of(cheat.key)
        seat = match.seat_of(writer)
        for event in seated.told:
            if isinstance(event, PlayerOut):
                assert event.seat == seat, event
                told = "cheat out"
            elif isinstance(event, Shunned):
                assert event.seat == seat, event
                told = "cheat shunned" if told == "goes on" else told
        assert match.blame is None or match.blame.writer == writer, match.blame
        assert set(match.ballots.faults) <= {writer}
        if ended is not None:
            assert ended.outcome in (Outcome.COMPLETE, Outcome.CHEAT, Outcome.GONE), ended
            assert ended.blamed in (None, seat), ended
            told = f"ended: {ended.outcome.name.lower()}"
        if match.blame is None:
            slots.setdefault(match.slot.number, set()).add(match.slot.digest)
        forked = forked or bool(match.forks.proofs)
    # A fork comes to light with the next exchange of lists; until then there may be two histories.
    assert forked or all(len(digests) == 1 for digests in slots.values()), slots
    return told
