"""Hostile bytes at every stage: real frames changed, structured garbage, signed nonsense. Only `WireError` comes out.

And whatever the honest peers were sent, they never blame each other.
"""

from __future__ import annotations

import contextlib
import random

import pytest
from nodealer import engine
from nodealer.p2p.errors import LocalProtocolError, WireError
from nodealer.p2p.match import Match
from nodealer.p2p.peer import Peer
from nodealer.p2p.slots import RULES, SlotKind
from nodealer.p2p.wire import decode, encode

from examples.liar import CheatTable, Lie, LyingPlayer, forge, sitting_of
from examples.table import Table
from tests.helpers.fuzz import changed, garbage

NAMES = (
    *("hello", "offer", "seat", "lobby", "roster", "no", "query", "entry", "ping", "ask", "fork", "bye", "part", "x"),
    *("pake", "confirm", "locked"),
)


def message(rng: random.Random, real: list[bytes]) -> bytes:
    """A frame to throw."""
    kind = rng.random()
    if real and kind < 0.7:
        frame = rng.choice(real[-60:] if rng.random() < 0.5 else real)
        if kind < 0.1:
            data = bytearray(frame)
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            return bytes(data)
        return encode(changed(rng, decode(frame, max_bytes=1 << 20)))
    return encode([rng.choice(NAMES), *(garbage(rng) for _ in range(rng.randrange(4)))])


def throw(peer: Peer, line: int, data: bytes, now: float) -> bool:
    """Whether it was taken without complaint; anything but ``WireError`` fails the test."""
    try:
        peer.receive(line, data, now)
    except WireError:
        return False
    finally:
        deadline = peer.next_deadline()
        if deadline is not None and deadline <= now:
            peer.tick(now)
            again = peer.next_deadline()
            assert again is None or again > now, "a deadline that ticking does not change"
    return True


@pytest.mark.parametrize("seed", range(6))
def test_frames_from_a_player_or_a_stranger(seed):
    """At a random moment, from forming to the end, thousands of frames from the cheat, from the host, from nobody."""
    rng = random.Random(seed)
    table = CheatTable(players=3, seed=("fuzz", seed), escrow=bool(seed % 2))
    if seed < 2:
        table.connect(1, 0)
    else:
        table.form()
    wait = rng.choice((0.001, 0.02, 3.0, 30.0))
    # Before the table is full nobody has a deadline that would move the time.
    table._deliver_until(table.now + 0.05) if seed < 2 else table.run(wait)
    real = [frame for _, _, frame in table.traffic] or [encode(["query"])]
    for _ in range(40):
        victim = rng.choice(table.honest).peer
        links = list(victim._mesh.links)
        stranger = 10_000 + rng.randrange(1 << 30)
        victim.line_up(stranger, rng.randbytes(32), rng.random() < 0.5, ("10.9.9.9", 1), table.now)
        for _ in range(8):
            throw(victim, stranger, message(rng, real), table.now)
        victim.line_down(stranger, "over", table.now)
        if links and victim.ended is None and rng.random() < 0.5:
            throw(victim, rng.choice(links), message(rng, real), table.now)
        victim.events()
        victim.data_to_send()


@pytest.mark.parametrize("seed", range(4))
def test_changed_frames_on_a_cheats_lines_never_blame_the_honest(seed):
    """One player's frames are changed on their way: whatever comes of it, it is that player's fault or nobody's."""
    rng = random.Random(seed)
    table = CheatTable(players=3, seed=("changed", seed), escrow=bool(seed % 2))
    start = rng.choice((2, 20, 60))
    count = 0

    def meddle(sender: int, receiver: int, data: bytes) -> list[tuple[float, bytes]]:
        nonlocal count
        if sender == table.cheat and table.seats[sender].peer.match is not None:
            count += 1
            if count > start and rng.random() < 0.3:
                return [(0.001, encode(changed(rng, decode(data, max_bytes=1 << 20)))), (0.002, data)]
        return [(0.001, data)]

    table.meddle = meddle
    table.form()
    table.run(300)
    honest_are_clean(table)


def honest_are_clean(table: CheatTable) -> None:
    cheat = table.seats[table.cheat].peer
    for seated in table.honest:
        match, ended = seated.peer.match, seated.ended
        assert match is not None
        assert ended is not None, "nobody waits for ever"
        if ended.check is not None and ended.blamed is not None:
            assert match.order[ended.blamed] == match.roster.writer_of(cheat.key), ended


@pytest.mark.parametrize("seed", range(10))
def test_signed_nonsense_is_its_writers_fault(seed):
    """A signed entry with a wrong body, kind or header, at a random moment: all honest end, blaming nobody else."""
    rng = random.Random(seed)
    wait = rng.choice((0, 1, 3, 6, 9, 14))
    kinds = sorted({kind for rule in RULES.values() for kind in rule.takes})

    def lie(player: LyingPlayer, kind: str, body: bytes) -> Lie | None:
        nonlocal wait
        wait -= 1
        if wait >= 0 or kind == "chat":
            return None
        if rng.random() < 0.3:
            return Lie(kind=rng.choice(kinds), body=encode(garbage(rng)))
        new = encode(changed(rng, decode(body, max_bytes=1 << 20)))
        return Lie(body=new) if new != body else None

    table = CheatTable(lie, players=3, seed=("signed", seed), escrow=bool(seed % 2))
    table.form()
    table.run(300)
    honest_are_clean(table)


def wild_actions(rng: random.Random, match: Match) -> engine.Action:
    number = rng.choice((0, 1, 7, 111, 112, 5000, -1))
    handle = engine.Handle(rng.choice((0, 1, 70, -1)), number)
    card = rng.choice((0, 5, 111, 500, -1))
    return rng.choice(
        (
            engine.PlayCard(handle, card, rng.choice((None, 0, 9, -1)), rng.choice((None, True))),
            engine.NameColour(rng.choice((0, 4, -1))),
            engine.Discard(((handle, card), (handle, card))),
            engine.ShowCards(((handle, card),)),
            engine.OpenHand(((handle, card),)),
            engine.Verdict(True),
            *(kind() for kind in (engine.Draw, engine.Pass, engine.Keep, engine.Take, engine.Challenge, engine.Accept)),
            *(kind() for kind in (engine.Called, engine.Quiet, engine.Heard, engine.Caught, engine.Silent)),
            *(kind() for kind in (engine.Seen, engine.Agree)),
        )
    )


def test_whatever_a_program_asks_of_its_peer():
    """`act` at any moment takes it or raises ``LocalProtocolError``; the table stays sound for the others."""
    rng = random.Random(1)
    table = CheatTable(players=3, seed="act")
    table.form()
    end = table.now + 60
    while table.now < end and not all(seated.ended for seated in table.seats):
        table.step()
        seated = table.seats[rng.randrange(3)]
        if seated.peer.match is not None and rng.random() < 0.5:
            before = table.now
            with contextlib.suppress(LocalProtocolError):
                seated.peer.act(wild_actions(rng, seated.peer.match), before)
            table._drain(table.seats.index(seated))
    assert all(seated.ended is None or seated.ended.check is None for seated in table.seats)


@pytest.mark.parametrize("seed", range(5))
def test_leaving_at_any_time(seed):
    rng = random.Random(seed)
    table: Table = CheatTable(players=3, seed=("leave", seed))
    table.connect(1, 0)
    if rng.random() < 0.8:
        table._deliver_until(table.now + 0.01)
        table.connect(2, 0)
        table._deliver_until(table.now + 0.05)
        table.run(rng.choice((0.001, 0.05, 2.0)))
    who = rng.randrange(3)
    table.seats[who].peer.leave(table.now)
    table.seats[who].peer.leave(table.now)
    table._drain(who)
    table._deliver_until(table.now + 0.05)
    if any(seated.peer.match for seated in table.seats):
        table.run(60)
    assert table.seats[who].peer.done
    assert all(seated.ended is None or seated.ended.check is None for seated in table.seats)


def test_forged_entries_ahead_of_time_fill_nothing():
    """A writer may be only so far ahead; what is beyond is dropped and asked for again."""
    table = CheatTable(players=2, seed="ahead")
    table.form()
    table.until(lambda match: match.slot.kind is SlotKind.MOVE)
    player, victim = table.liar, sitting_of(table.seats[0])
    for _ in range(400):
        entry = forge(player, "vote", encode(["x" * 500]))
        player.match.feeds[player.writer].entries.append(entry)
        table.say_now("entry", entry.encode())
        table._deliver_until(table.now)
    table.run(30)
    assert len(victim.match.feeds[player.writer].entries) <= 400
    honest_are_clean(table)
