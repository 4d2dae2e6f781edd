"""Peers that send what no program of this protocol sends: each honest peer that gets it names and shuns them.

Such a message is not signed, so no transcript can show it; only forged entries would be evidence, and against nobody.
"""

from __future__ import annotations

import msgpack
import pytest
from nodealer.crypto.identity import Identity
from nodealer.p2p.bodies import NOTHING
from nodealer.p2p.entry import MAX_ENTRY, Entry
from nodealer.p2p.events import Outcome, PlayerOut, Shunned
from nodealer.p2p.mesh import MAX_FRAME, have_list
from nodealer.p2p.verify import Status
from nodealer.p2p.wire import encode

from examples.liar import CheatTable, caught, forge, play_out, report_of, sitting_of
from examples.table import Seated


def at_play(players: int = 4) -> CheatTable:
    table = CheatTable(players=players)
    table.form()
    table.until(lambda match: match.slot.number > 16)
    return table


def send(table: CheatTable, frame: bytes, to: int | None = None) -> None:
    """Put raw bytes on the cheat's lines."""
    peer = table.seats[table.cheat].peer
    for link in peer._mesh.links.values():
        if to is None or link.key == table.seats[to].peer.key:
            peer._mesh.outbox.append((link.line, frame))
    table._drain(table.cheat)


def shunning(table: CheatTable, seated: Seated) -> bool:
    """Whether this peer has said that the cheat's program sends what no honest one does."""
    return [event.seat for event in seated.told if isinstance(event, Shunned)] == [table.liar.seat]


def shunned_by_all(table: CheatTable) -> None:
    """Each honest peer says who has sent such things, together they drop it, and they play to the end."""
    play_out(table)
    for seated in table.honest:
        assert shunning(table, seated)
        out = [event for event in seated.told if isinstance(event, PlayerOut)]
        assert [event.seat for event in out] == [table.liar.seat]
        assert report_of(seated).status is Status.COMPLETE
    endings = [seated.ended for seated in table.honest]
    assert {ended.outcome for ended in endings if ended} == {Outcome.COMPLETE}
    assert len({ended.digest for ended in endings if ended}) == 1


def deep(levels: int) -> object:
    value: object = 0
    for _ in range(levels):
        value = [value]
    return value


FRAMES = {
    "nothing": b"",
    "noise": bytes(range(256)),
    "no array": encode("ping"),
    "empty": encode([]),
    "no name": encode([1, 2]),
    "unknown": encode(["nonsense"]),
    "too long": encode(["entry", bytes(MAX_FRAME)]),
    "too deep": encode(["ping", deep(9), [], False]),
    "far too deep": b"\x91" * 5000 + b"\xc0",
    "a map": msgpack.packb(["ping", {1: 2}, [], False]),
    "a float": msgpack.packb(["ask", 1.0, 0]),
    "an extension": msgpack.packb(["ask", msgpack.ExtType(1, b"x"), 0]),
    "not shortest": b"\x93\xa3ask\xcc\x00\x00",
    "not UTF-8": b"\x93\xa3bye\xa1\xff\x00",
    "trailing": encode(["ask", 0, 0]) + b"\xc0",
    "cut": encode(["ask", 0, 0])[:-1],
    "huge array": b"\xdd\xff\xff\xff\xff",
    "huge string": b"\x92\xa5entry\xc6\xff\xff\xff\xff",
    "bool for int": encode(["ask", True, 0]),
    "bool for a player": encode(["bye", "gone", True]),
    "negative": encode(["ask", -1, 0]),
    "nobody": encode(["ask", 4, 0]),
    "a list of nobody": encode(["ping", [], [], False]),
    "reaches nobody": encode(["ping", [[0, bytes(32)]] * 4, [9], False]),
    "half a part": encode(["part", True]),
    "a part of nothing": encode(["part", True, b""]),
    "a part in a part": encode(["part", True, encode(["part", True, b""])]),
    "no proof": encode(["fork", [[], []]]),
    "no entry": encode(["entry", encode([])]),
    "a farewell for nothing": encode(["bye", "because", 0]),
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_message_that_is_none(name):
    table = at_play(2)
    send(table, FRAMES[name])
    caught(table, "line", transcript=None)
    # What was signed before stands.
    assert report_of(table.honest[0]).status is Status.UNFINISHED


@pytest.mark.parametrize("name", ["noise", "too deep", "not shortest", "no entry"])
def test_a_message_that_is_none_to_three(name):
    """Nobody has a line to it any more: after the grace it is dropped, and the others play on."""
    table = at_play()
    send(table, FRAMES[name])
    shunned_by_all(table)


def test_parts_without_end():
    table = at_play(2)
    for _ in range(MAX_ENTRY // MAX_FRAME + 2):
        send(table, encode(["part", False, bytes(MAX_FRAME - 64)]))
    caught(table, "line", transcript=None)


def test_an_entry_longer_than_any():
    table = at_play(2)
    table.say_now("entry", forge(table.liar, "draw", bytes(MAX_ENTRY)).encode())
    caught(table, "line", transcript=None)


def entries(table: CheatTable) -> dict[str, Entry]:
    """Entries that are signed falsely, for a table at play."""
    liar, match = table.liar, table.liar.match
    victim = match.roster.writer_of(table.seats[0].peer.key)
    number, previous = match.feeds[victim].head
    good = forge(liar, "draw", NOTHING)
    stranger = Identity.from_seed(b"s" * 32)
    return {
        "forged in another's name": forge(liar, "draw", NOTHING, writer=victim, number=number, previous=previous),
        "signed by a stranger": Entry.make(stranger, good.header, NOTHING),
        "signed under another label": Entry(
            type(good.signed)(good.header, good.signed.raw, liar.identity.sign("offer", good.signed.raw)),
            NOTHING,
            good.hash,
        ),
        "of another table": forge(liar, "draw", NOTHING, table=b"t" * 32),
        "by nobody": forge(liar, "draw", NOTHING, writer=9),
        "with another body": Entry(good.signed, encode([1]), good.hash),
        "with another's signature": Entry(
            type(good.signed)(good.header, good.signed.raw, match.feeds[victim].entries[0].signed.signature),
            NOTHING,
            good.hash,
        ),
    }


@pytest.mark.parametrize(
    "name",
    [
        "forged in another's name",
        "signed by a stranger",
        "signed under another label",
        "of another table",
        "by nobody",
        "with another body",
        "with another's signature",
    ],
)
def test_a_forged_entry(name):
    table = at_play()
    table.say_now("entry", entries(table)[name].encode())
    shunned_by_all(table)


@pytest.mark.parametrize("name", ["forged in another's name", "noise"])
def test_what_is_sent_to_one_peer_costs_it_nothing_but_that_line(name):
    """It is the matter of that one line: what the cheat signs comes by way of the others, and all play to the end."""
    table = at_play()
    send(table, encode(["entry", entries(table)[name].encode()]) if name in entries(table) else FRAMES[name], to=0)
    play_out(table)
    endings = [seated.ended for seated in table.seats]
    assert [ended.outcome for ended in endings if ended] == [Outcome.COMPLETE] * 4
    assert len({ended.digest for ended in endings if ended}) == 1
    assert not any(isinstance(event, PlayerOut) for seated in table.seats for event in seated.told)
    assert [shunning(table, seated) for seated in table.honest] == [True, False, False]


def test_a_shunned_player_gets_no_new_line():
    """It is closed at once, none is sought, and what comes on it meanwhile says nothing."""
    table = at_play()
    peer, key = table.seats[0].peer, table.seats[table.cheat].peer.key
    before = table.liar.match.feeds[table.liar.writer].entries[-1]
    send(table, FRAMES["noise"], to=0)
    table.run(2)
    assert key not in {wanted for wanted, *_ in peer.wanted()}
    peer.line_up(999, key, False, None, table.now)
    assert peer.lines_to_close() == [999]
    peer.receive(999, encode(["entry", before.encode()]), table.now)
    peer.line_down(999, "closed", table.now)
    play_out(table)
    assert {seated.ended.outcome for seated in table.seats if seated.ended} == {Outcome.COMPLETE}


def test_a_stranger_on_a_line_says_nothing_to_anybody():
    table = at_play()
    sitting = sitting_of(table.seats[0])
    peer, key = table.seats[0].peer, Identity.from_seed(b"s" * 32).public
    peer.line_up(999, key, False, None, table.now)
    entry = table.liar.match.feeds[0].entries[0]
    for message in (
        ["entry", entry.encode()],
        ["ping", have_list(sitting.match), [], False],
        ["bye", "left", -1],
        ["hello", "me", 1],
        ["offer", []],
        ["roster", []],
    ):
        peer.receive(999, encode(message), table.now)
    assert sitting.ended is None
    play_out(table)
    assert {seated.ended.outcome for seated in table.seats if seated.ended} == {Outcome.COMPLETE}


@pytest.mark.parametrize("claim", [[1 << 31, b"h" * 32], [0, b"h" * 32], [3, b"h" * 32]])
def test_a_false_list_of_feeds_harms_nobody(claim):
    table = at_play()
    for _ in range(3):
        table.say_now("ping", [claim] * 4, [0, 1, 2, 3], False)
        table.run(1)
    play_out(table)
    assert {seated.ended.outcome for seated in table.seats if seated.ended} == {Outcome.COMPLETE}
    assert len({seated.ended.digest for seated in table.seats if seated.ended}) == 1


def test_what_one_sends_who_is_out_already_ends_nothing():
    """Two are left, and each of them has a line to it still: it is closed, and they play on."""
    table = at_play(3)
    table.write_now("vote", NOTHING)
    table.run(60, until=lambda: all(event_of_going(seated) for seated in table.honest))
    send(table, FRAMES["noise"])
    play_out(table)
    endings = [seated.ended for seated in table.honest]
    assert [ended.outcome for ended in endings if ended] == [Outcome.COMPLETE] * 2, endings
    assert len({ended.digest for ended in endings if ended}) == 1
    assert all(report_of(seated).status is Status.COMPLETE for seated in table.honest)


def event_of_going(seated: Seated) -> bool:
    return any(isinstance(event, PlayerOut) for event in seated.told)
