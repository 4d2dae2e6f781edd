"""Watchers that flood, read slowly or send garbage: they cost the players nothing, and hold up themselves alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nodealer.crypto.identity import Identity
from nodealer.p2p.errors import WireError
from nodealer.p2p.events import Outcome, WatchersChanged
from nodealer.p2p.gallery import (
    MAX_SMALL_STEPS,
    MAX_WATCHERS,
    READ_STEP,
    READ_WITHIN,
    SHOW_EVERY,
    TELL_EVERY,
    WINDOW,
)
from nodealer.p2p.limits import LINGER
from nodealer.p2p.mesh import MAX_FRAME, have_list
from nodealer.p2p.peer import Peer
from nodealer.p2p.wire import decode, encode

from examples.liar import CheatTable, caught
from examples.table import FAST, Table
from tests.p2p.cheats.test_lines import FRAMES

LINE = 9000


class Guest:
    """The far end of a watcher's line to one peer, in the hands of the test; the simulated wire does not carry it."""

    def __init__(self, table: Table, index: int = 0, line: int = LINE, *, ask: bool = True) -> None:
        self.table, self.index, self.line = table, index, line
        self.peer = table.seats[index].peer
        self.key = Identity.from_seed(bytes([line % 251]) * 32).public
        self.got: list[list[object]] = []
        self.bytes = 0
        self._parts = b""
        self._inbox: list[bytes] = []
        self._rest = self.peer.data_to_send
        self.peer.data_to_send = self._take_mine  # type: ignore[method-assign]
        self.peer.line_up(line, self.key, False, ("10.0.0.99", 50_000), table.now)
        if ask:
            self.say("watch", b"", [])

    def _take_mine(self) -> list[tuple[int, bytes]]:
        frames = self._rest()
        self._inbox += [data for line, data in frames if line == self.line]
        return [frame for frame in frames if frame[0] != self.line]

    def say(self, *message: object) -> None:
        self.peer.receive(self.line, encode(list(message)), self.table.now)
        self.listen()

    def listen(self) -> list[list[object]]:
        """What has come since the last time."""
        self.table._drain(self.index)
        new: list[list[object]] = []
        for data in self._inbox:
            message = decode(data, max_bytes=MAX_FRAME)
            if message[0] == "part":
                self._parts += message[2]
                if not message[1]:
                    continue
                message, self._parts = decode(self._parts, max_bytes=1 << 20), b""
            if message[0] == "record":
                self.bytes += len(message[1])
            new.append(message)
        self._inbox.clear()
        self.got += new
        return new

    def records(self) -> list[object]:
        return [message[1] for message in self.got if message[0] == "record"]

    @property
    def let_go(self) -> bool:
        return self.line in self.peer._gallery.closing


def at_play(players: int = 2, seed: object = "gallery") -> Table:
    table = Table(players, replace(FAST, seats=players, escrow=False), seed=seed)
    table.form()
    table.run(until=lambda: slot_of(table) > 16)
    return table


def slot_of(table: Table, index: int = 0) -> int:
    match = table.seats[index].peer.match
    return -1 if match is None else match.slot.number


def plays_on(table: Table) -> None:
    """The players notice nothing: they end well, all in the same state."""
    table.run()
    ends = [seated.ended for seated in table.seats]
    assert all(ended is not None and ended.outcome is Outcome.COMPLETE for ended in ends)
    assert len({ended.digest for ended in ends if ended is not None}) == 1


def test_who_reads_gets_everything():
    table = at_play()
    guest, read = Guest(table), 0
    for _ in range(10_000):
        if table.seats[0].peer.done:
            break
        table.step()
        guest.listen()
        if guest.bytes - read >= READ_STEP or (guest.bytes > read and table.seats[0].ended):
            read = guest.bytes
            guest.say("read", read)
    assert guest.records() == table.seats[0].records
    assert guest.got[-1][0] == "over"
    assert "wins the match" in str(guest.got[-1][1])


def test_who_does_not_read_gets_no_more_than_the_window_and_is_let_go():
    table = at_play(3)
    began = table.now
    guest = Guest(table)
    heaviest = max(map(len, table.seats[0].records))
    assert heaviest < WINDOW
    while not guest.let_go and table.now < began + READ_WITHIN + 2:
        # The clock alone goes on: nobody at the table moves meanwhile.
        table.now += 1
        guest.peer.tick(table.now)
        guest.listen()
    assert 0 < guest.bytes <= WINDOW
    assert table.now - began >= READ_WITHIN
    assert guest.let_go


def test_the_window_is_full_and_opens_by_reading():
    table = at_play(2)
    peer = table.seats[0].peer
    # A long match: the records that there are, many times over.
    for record in peer._records.public[1:] * 25:
        peer._records.public.append(record)
    guest = Guest(table)
    first = guest.bytes
    assert WINDOW // 2 < first <= WINDOW
    table.now += 0.1
    guest.peer.tick(table.now)
    assert guest.listen() == []
    guest.say("read", first)
    assert first < guest.bytes <= first + WINDOW


def test_what_is_sent_of_a_match_depends_on_what_the_watcher_has():
    table = at_play()
    peer = table.seats[0].peer
    match = peer.match
    assert match is not None
    have = have_list(match)
    guest = Guest(table, ask=False)
    guest.say("watch", match.table, have)
    # The roster, which goes to everybody, and nothing else.
    assert guest.records() == table.seats[0].records[:1]
    # Another entry there than ours, or more than we have: the last that can be compared is sent.
    for line, change in ((LINE + 1, [have[0][0], b"x" * 32]), (LINE + 2, [int(str(have[0][0])) + 3, b"x" * 32])):
        other = Guest(table, line=line, ask=False)
        other.say("watch", match.table, [change, *have[1:]])
        _, record = other.records()
        assert record == encode(["entry", match.feeds[0].entries[-1].encode()])
    assert peer.ended is None


def test_another_match_is_refused():
    table = at_play()
    guest = Guest(table, ask=False)
    guest.say("watch", b"t" * 32, [])
    assert [message[0] for message in guest.got] == ["no"]
    assert guest.let_go


BAD = {
    "a second wish": ["watch", b"", []],
    "nothing read": ["read", 0],
    "less than nothing": ["read", -1],
    "more than was sent": ["read", 1 << 30],
    "no number": ["read", True],
    "a wish for a seat": ["hello", "Mallory", 1],
    "an entry": ["entry", b"x"],
    "a ping": ["ping", [], [], False],
    "a question for a feed": ["ask", 0, 0],
    "watchers": ["watchers", []],
    "a proof": ["fork", [[b"x", b"x"], [b"x", b"x"]]],
    "a farewell": ["bye", "gone", 0],
}


@pytest.mark.parametrize("name", BAD)
def test_a_watcher_that_says_what_watchers_do_not(name):
    table = at_play()
    guest = Guest(table)
    with pytest.raises(WireError):
        guest.say(*BAD[name])
    guest.peer.line_down(guest.line, "misbehaved", table.now)
    plays_on(table)


@pytest.mark.parametrize("name", FRAMES)
def test_a_watcher_that_sends_garbage(name):
    table = at_play()
    guest = Guest(table)
    with pytest.raises(WireError):
        table.seats[0].peer.receive(LINE, FRAMES[name], table.now)
    assert guest.peer.ended is None
    assert slot_of(table) > 16


@pytest.mark.parametrize(
    "wish",
    [
        ["watch"],
        ["watch", b""],
        ["watch", "", []],
        ["watch", b"short", []],
        ["watch", b"", None],
        ["watch", b"", [], 1],
    ],
    ids=repr,
)
def test_a_wish_that_is_none(wish):
    table = at_play()
    guest = Guest(table, ask=False)
    with pytest.raises(WireError):
        guest.say(*wish)
    assert guest.peer.ended is None


def test_a_list_of_feeds_that_is_none():
    table = at_play()
    match = table.seats[0].peer.match
    assert match is not None
    guest = Guest(table, ask=False)
    with pytest.raises(WireError):
        guest.say("watch", match.table, [[0, bytes(32)]] * 3)
    guest.peer.line_down(guest.line, "misbehaved", table.now)
    plays_on(table)


def test_a_watcher_that_reads_byte_by_byte():
    table = at_play()
    guest = Guest(table)
    for count in range(1, MAX_SMALL_STEPS + 1):
        guest.say("read", count)
    with pytest.raises(WireError, match="more words"):
        guest.say("read", MAX_SMALL_STEPS + 1)
    # A second later it may again.
    table.now += 1.0
    guest.say("read", MAX_SMALL_STEPS + 1)


def test_at_most_eight_at_a_table_whomever_they_watch_through():
    table = at_play(2)
    guests = [Guest(table, number % 2, LINE + number) for number in range(MAX_WATCHERS)]
    assert all(guest.got[0][0] == "watching" for guest in guests)
    galleries = [seated.peer._gallery for seated in table.seats]
    table.run(3 * TELL_EVERY, until=lambda: all(len(gallery.keys()) == MAX_WATCHERS for gallery in galleries))
    ninth = Guest(table, 0, LINE + 50)
    assert [message[0] for message in ninth.got] == ["no"]
    assert ninth.let_go
    # One that goes from player to player is counted once, and let in; the line's number gives it its key.
    again = Guest(table, 1, LINE + 251)
    assert again.key == guests[0].key
    assert again.got[0][0] == "watching"
    assert len(again.peer._gallery.keys()) == MAX_WATCHERS
    guests[1].peer.line_down(guests[1].line, "gone", table.now)
    table.now += TELL_EVERY
    table.run(1.5, until=lambda: len(table.seats[0].peer._gallery.keys()) < MAX_WATCHERS)
    assert Guest(table, 0, LINE + 60).got[0][0] == "watching"


def test_nobody_watches_where_the_host_does_not_wish_it():
    options = replace(FAST, seats=2, escrow=False)

    def make(index, identity, name, stream):
        if index == 0:
            return Peer.host(identity, name, options, stream, watch=False)
        return Peer.join(identity, name, stream)

    table = Table(2, options, make=make)
    waiting = Guest(table, 0)
    assert waiting.got == [["no", "Nobody may watch at this table."]]
    table.form()
    table.run(until=lambda: slot_of(table) > 3)
    for index in (0, 1):
        guest = Guest(table, index, LINE + 1 + index)
        assert guest.got == [["no", "Nobody may watch at this table."]]
        assert guest.let_go


def test_a_player_without_a_table_shows_nothing():
    table = Table(2, replace(FAST, seats=2, escrow=False))
    guest = Guest(table, 1)
    assert guest.got == [["no", "This player is at no table."]]


def test_all_are_told_how_many_watch_and_not_too_often():
    table = at_play(2)
    began = table.now
    told: list[tuple[float, int]] = []

    def count(index: int) -> list[WatchersChanged]:
        return [event for event in table.seats[index].told if isinstance(event, WatchersChanged)]

    # Somebody comes and goes, again and again.
    for number in range(100):
        guest = Guest(table, 0, LINE + number % 7)
        table.now += 0.1
        guest.peer.tick(table.now)
        guest.listen()
        guest.peer.line_down(guest.line, "gone", table.now)
        told += [(table.now, event.count) for event in count(0)[len(told) :]]
    assert len(told) <= (table.now - began) / SHOW_EVERY + 1
    assert {count for _, count in told} <= {0, 1}
    assert told[0][1] == 1


def test_another_player_is_told():
    table = at_play(2)
    Guest(table, 0)
    other = table.seats[1]
    table.run(until=lambda: any(isinstance(event, WatchersChanged) for event in other.told))
    assert [event.count for event in other.told if isinstance(event, WatchersChanged)] == [1]


def test_who_reads_nothing_holds_up_no_end_for_long():
    table = at_play(2)
    guest = Guest(table)
    table.run(until=lambda: all(seated.ended is not None for seated in table.seats))
    peer = guest.peer
    ended = table.now
    assert not peer.done
    while not peer.done:
        table.now += 0.5
        peer.tick(table.now)
        guest.listen()
        assert table.now <= ended + LINGER + 1


@pytest.mark.parametrize(
    "value", [[b"short"], [1], "x", [bytes([n]) * 32 for n in range(MAX_WATCHERS + 1)]], ids=["short", "int", "x", "9"]
)
def test_a_player_that_counts_wrongly_is_named(value):
    table = CheatTable(players=2)
    table.form()
    table.until(lambda match: match.slot.number > 16)
    table.say_now("watchers", value)
    caught(table, "line", transcript=None)
