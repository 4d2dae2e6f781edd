"""A spectator sees what the players see, from the start, from the middle or at the end, and nobody can fool it."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from nodealer.crypto.identity import Identity
from nodealer.p2p.entry import Entry
from nodealer.p2p.errors import LocalProtocolError, WireError
from nodealer.p2p.events import (
    Ended,
    GameEvent,
    LobbyChanged,
    Notice,
    Outcome,
    PeerBack,
    PeerMissing,
    PlayerOut,
    TableMade,
)
from nodealer.p2p.feed import ForkProof
from nodealer.p2p.gallery import WINDOW
from nodealer.p2p.mesh import MAX_FRAME
from nodealer.p2p.offer import Roster
from nodealer.p2p.options import TableOptions
from nodealer.p2p.passphrase import Passphrase
from nodealer.p2p.peer import Peer
from nodealer.p2p.transcript import MAGIC, TranscriptReader, frame, parse_record, record_entry, record_two_rosters
from nodealer.p2p.verify import Status, verify
from nodealer.p2p.watching import DISPUTE_WAIT, LEAST_PATIENCE, MOVE_WITHIN, STALE_AFTER, Watcher
from nodealer.p2p.wire import decode, encode

from examples.liar import CHEAT, CheatTable, Trick, instead, verdict_of
from examples.table import FAST
from examples.two_faces import TwoFaces
from tests.helpers.fuzz import noise, values
from tests.helpers.watchers import WatchedTable
from tests.p2p.cheats.test_equivocation import draw_or_play
from tests.p2p.cheats.test_keys import add, shares
from tests.vectors.test_match_vectors import NOT_INVALID
from tests.vectors.test_match_vectors import forged as forged_file

KEY = b"w" * 32
ABOUT_VOTES = [vector for vector in NOT_INVALID if vector["from"] == "match-drop.nodealer"]
ABOUT_FORKS = [vector for vector in NOT_INVALID if vector not in ABOUT_VOTES]


def options(players: int) -> TableOptions:
    return replace(FAST, seats=players, escrow=players > 2)


def table_of(players: int, seed: object = "watched") -> WatchedTable:
    return WatchedTable(players, options(players), seed=seed)


def slot_of(table: WatchedTable, index: int = 0) -> int:
    match = table.seats[index].peer.match
    return -1 if match is None else match.slot.number


def facts(told: list[object]) -> list[object]:
    return [event for event in told if isinstance(event, GameEvent)]


def same_end(table: WatchedTable, watcher: int, player: int = 0) -> None:
    """The watcher has ended as this player has, has told the same game, and its transcript verifies by itself."""
    one, other = table.ended(watcher), table.ended(player)
    assert one.outcome is Outcome.COMPLETE
    assert (one.digest, one.scores, one.winner, one.sentence) == (
        other.digest,
        other.scores,
        other.winner,
        other.sentence,
    )
    assert facts(list(table.seats[watcher].told)) == facts(list(table.seats[player].told))
    report = verify(io.BytesIO(MAGIC + b"".join(frame(record) for record in table.seats[watcher].records)))
    assert (report.status, report.digest) == (Status.COMPLETE, other.digest)


# -- when and through whom -------------------------------------------------------------------------------------------


def test_from_the_lobby_on():
    table = table_of(3)
    index = table.watch(0)
    table.connect(1, 0)
    table.connect(2, 0)
    table.run()
    same_end(table, index)
    told = table.seats[index].told
    assert [len(event.players) for event in told if isinstance(event, LobbyChanged)] == [1, 2, 3]
    (made,) = [event for event in told if isinstance(event, TableMade)]
    assert made.seat is None
    # In the order in which the one it watched through has written them.
    assert table.seats[index].records == table.seats[0].records


@pytest.mark.parametrize("slot", [0, 3, 60])
@pytest.mark.parametrize("through", [0, 1])
def test_in_the_middle_of_a_match(slot, through):
    table = table_of(2)
    table.form()
    table.run(until=lambda: slot_of(table) >= slot)
    index = table.watch(through)
    table.run()
    same_end(table, index)


def test_when_all_is_over_but_the_players_are_still_there():
    table = table_of(2)
    table.form()
    table.run(until=lambda: all(seated.ended is not None for seated in table.seats))
    index = table.watch(1)
    table.run()
    same_end(table, index)


def test_a_watcher_changes_nothing_at_the_table():
    alone, watched = table_of(2), table_of(2)
    alone.form()
    alone.run()
    watched.form()
    watched.watch(0)
    watched.watch(1)
    watched.run()
    assert watched.seats[0].records == alone.seats[0].records


def test_it_goes_to_another_player_when_its_line_breaks():
    table = table_of(3)
    table.form()
    index = table.watch(0)
    table.run(until=lambda: slot_of(table) > 20)
    table.disconnect(index, 0)
    table.run()
    same_end(table, index)
    told = table.seats[index].told
    assert [event.name for event in told if isinstance(event, PeerMissing)] == ["Player 0"]
    assert not [event for event in told if isinstance(event, PeerBack)]
    ways = [event.text for event in told if isinstance(event, Notice)]
    assert ways[0] == "Watching by way of Player 0."
    assert ways[1] in ("Watching by way of Player 1 now.", "Watching by way of Player 2 now.")


def test_it_comes_back_to_the_same_player_when_there_is_no_other():
    table = table_of(2)
    table.form()
    index = table.watch(0)
    table.run(until=lambda: slot_of(table) > 20)
    table.disconnect(index, 1)
    table.disconnect(index, 0)
    table.heal(index, 0)
    table.run()
    same_end(table, index)
    assert [event.name for event in table.seats[index].told if isinstance(event, PeerBack)] == ["Player 0"]


def test_nobody_left_to_watch_through():
    table = table_of(2)
    table.form()
    index = table.watch(0)
    table.run(until=lambda: slot_of(table) > 20)
    table.kill(0)
    table.kill(1)
    began = table.now
    table.run()
    ended = table.ended(index)
    assert ended.outcome is Outcome.GONE
    assert "No player of this table can be reached" in ended.sentence
    assert LEAST_PATIENCE <= table.now - began <= LEAST_PATIENCE + 2


def test_a_match_in_which_one_dies():
    """One player's process dies; the others drop it by a vote and play on, and the watcher sees that too."""
    table = table_of(3)
    table.form()
    index = table.watch(0)
    table.run(until=lambda: slot_of(table) > 20)
    table.kill(2)
    table.run()
    ended = table.ended(index)
    assert ended.outcome is Outcome.COMPLETE


def test_a_host_that_closes_its_table():
    table = table_of(3)
    index = table.watch(0)
    table._deliver_until(table.now + 1)
    table.seats[0].peer.leave(table.now)
    table._drain(0)
    table._deliver_until(table.now + 1)
    ended = table.ended(index)
    assert (ended.outcome, ended.sentence) == (
        Outcome.DISSOLVED,
        "The table refused: The host has closed the table.",
    )


def test_who_watches_does_nothing_else():
    table = table_of(2)
    watcher = table.watcher(table.watch(0))
    for wish in (lambda: watcher.say("hello", 0.0), lambda: watcher.start_now(0.0)):
        with pytest.raises(LocalProtocolError):
            wish()
    watcher.leave(0.0)
    assert watcher.done
    assert watcher.next_deadline() is None


# -- cheats at the table ---------------------------------------------------------------------------------------------


class WatchedCheats(WatchedTable, CheatTable):
    """Watchers at a table at which somebody cheats."""


def blamed(table: WatchedCheats, index: int, check: str) -> None:
    found, match = verdict_of(table.seats[index]), table.watcher(index).match
    assert match is not None
    assert found is not None
    writer = match.roster.writer_of(table.seats[CHEAT].peer.key)
    assert (found.check, found.seat) == (check, match.seat_of(writer))
    # Where the others play on, the watcher sees them do so, to the same end.
    ended, honest = table.ended(index), table.ended(0)
    assert ended.outcome is honest.outcome
    assert ended.digest == honest.digest
    file = io.BytesIO(MAGIC + b"".join(frame(record) for record in table.seats[index].records))
    report = verify(file)
    named = [(gone.name, gone.check) for gone in report.out if gone.reason == "cheat"]
    if report.status is Status.INVALID:
        named = [(str(report.writer), report.check)]
    assert named == [("Player 1", check)]


@pytest.mark.parametrize(
    ("trick", "check"),
    [
        (shares("keys", add(1)), "key share"),
        (instead("draw", header={"slot": 9999}), "slot"),
        (instead("draw", header={"digest": b"d" * 32}), "digest"),
    ],
    ids=["keys", "slot", "digest"],
)
@pytest.mark.parametrize("through", [0, CHEAT])
def test_a_cheat_is_named_as_at_the_table(trick: Trick, check: str, through: int):
    table = WatchedCheats(trick, players=3)
    table.form()
    index = table.watch(through)
    table.run(300)
    blamed(table, index, check)


@pytest.mark.parametrize("through", [0, CHEAT, 2])
def test_two_faces(through):
    faces = TwoFaces(draw_or_play, {0})
    table = WatchedCheats(faces.trick, players=3)
    faces.table, table.meddle = table, faces.meddle
    table.form()
    index = table.watch(through)
    table.run(300)
    blamed(table, index, "equivocation")


def test_an_honest_writer_is_not_blamed_for_the_history_that_a_cheat_has_shown_it():
    """The watcher sees the one face of a fork, and the player that it watches through keeps the proof back."""
    faces = TwoFaces(draw_or_play, {0})
    table = WatchedCheats(faces.trick, players=3)
    index = -1

    def meddle(sender: int, receiver: int, data: bytes) -> list[tuple[float, bytes]]:
        if sender == CHEAT and receiver == index:
            message = decode(data, max_bytes=MAX_FRAME)
            if message[0] == "over" or (
                message[0] == "record" and decode(message[1], max_bytes=MAX_FRAME)[0] == "fork"
            ):
                return []
        return faces.meddle(sender, receiver, data)

    faces.table, table.meddle = table, meddle
    table.form()
    index = table.watch(CHEAT)
    table.run(300)
    blamed(table, index, "equivocation")


# -- by hand: what a player may do to who watches through it ---------------------------------------------------------


@cache
def played() -> tuple[Roster, tuple[bytes, ...], Ended]:
    """A whole match of three: its players, its records, how it ended."""
    table = CheatTable(players=3, seed="watching")
    table.form()
    table.run(300)
    seated = table.seats[0]
    match, ended = seated.peer.match, seated.ended
    assert match is not None
    assert ended is not None
    return match.roster, tuple(seated.records), ended


class Hand:
    """A watcher whose lines are in the hands of the test."""

    def __init__(self, watcher: Watcher | None = None) -> None:
        self.watcher = watcher or Watcher(KEY)
        self.now = 50.0
        self.line = 0
        self.told: list[object] = []

    def dial(self, writer: int = 0, key: bytes | None = None) -> None:
        self.line += 1
        key = key or played()[0].keys[writer]
        self.watcher.line_up(self.line, key, True, (f"10.0.0.{writer}", 7425), self.now)

    def say(self, *message: object) -> None:
        for data in pieces(encode(list(message))):
            self.watcher.receive(self.line, data, self.now)

    def watching(self, roster: Roster | None = None) -> None:
        roster = roster or played()[0]
        self.say("watching", roster.table, [[f"10.0.0.{n}", 7425] for n in range(len(roster.keys))])

    def show(self, records: object) -> None:
        """Send these records, each checked before the next."""
        for record in records:  # type: ignore[attr-defined]
            if self.watcher.ended is None and self.line not in self.closed():
                self.say("record", record)
                self.check()

    def check(self) -> None:
        while self.watcher.next_deadline() == 0.0:
            self.watcher.tick(self.now)
        self.watcher.tick(self.now)

    def sleep(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end and self.watcher.ended is None:
            self.now += 1.0
            self.check()

    def sent(self) -> list[list[object]]:
        return [decode(data, max_bytes=MAX_FRAME) for line, data in self.watcher.data_to_send() if line == self.line]

    def closed(self) -> list[int]:
        return list(self.watcher._closing)

    def wanted(self) -> set[int]:
        keys = played()[0].keys
        return {keys.index(key) for key, _, _ in self.watcher.wanted()}

    def ends_well(self) -> None:
        """It watches on through an honest player, to the end."""
        self.dial(2)
        (asked,) = self.sent()
        assert asked[0] == "watch"
        self.watching()
        self.show(lacks(asked))
        ended = self.watcher.ended
        assert ended is not None
        assert (ended.outcome, ended.digest) == (Outcome.COMPLETE, played()[2].digest)


def pieces(data: bytes) -> list[bytes]:
    if len(data) <= MAX_FRAME:
        return [data]
    size = MAX_FRAME - 64
    return [
        encode(["part", start + size >= len(data), data[start : start + size]]) for start in range(0, len(data), size)
    ]


def lacks(asked: list[object]) -> list[bytes]:
    """What an honest player sends to who asks so: the entries that it lacks."""
    have: object = asked[2]
    assert isinstance(have, list)
    entries = [(payload, parse_record(payload)) for payload in played()[1]]
    return [
        payload
        for payload, record in entries
        if isinstance(record, Entry) and record.header.number >= have[record.header.writer][0]
    ]


def test_a_player_that_keeps_everything_back_is_left():
    hand = Hand()
    hand.dial()
    assert hand.sent() == [["watch", b"", []]]
    hand.watching()
    records = played()[1]
    hand.show(records[:40])
    hand.sleep(STALE_AFTER - 1)
    assert hand.wanted() == set()
    hand.sleep(2)
    assert len(hand.wanted()) == 1
    # The line stays until there is another; one that does not answer is left alone for a while.
    assert hand.closed() == []
    hand.sleep(MOVE_WITHIN + 1)
    assert hand.wanted() == set()
    hand.sleep(STALE_AFTER + 1)
    (writer,) = hand.wanted()
    old = hand.line
    hand.dial(writer)
    assert hand.closed() == [old]
    hand.watcher.line_down(old, "closed", hand.now)
    (asked,) = hand.sent()
    hand.watching()
    hand.show(lacks(asked))
    ended = hand.watcher.ended
    assert ended is not None
    assert ended.digest == played()[2].digest


def shown(vector: dict[str, Any]) -> Hand:
    """A watcher that was shown this file, and then nothing more."""
    records = tuple(TranscriptReader(io.BytesIO(forged_file(vector))).payloads())
    roster = parse_record(records[0])
    assert isinstance(roster, Roster)
    hand = Hand()
    hand.dial(key=roster.keys[0])
    hand.watching(roster)
    hand.show(records)
    hand.sleep(DISPUTE_WAIT + STALE_AFTER)
    return hand


@pytest.mark.parametrize("vector", ABOUT_FORKS, ids=lambda vector: vector["change"])
def test_of_forks_nobody_is_blamed_but_who_forked(vector: dict[str, Any]):
    hand = shown(vector)
    out = [(event.reason, event.check) for event in hand.watcher.events() if isinstance(event, PlayerOut)]
    assert set(out) <= {("cheat", "equivocation")}
    ended = hand.watcher.ended
    assert vector["status"] == "unfinished" or (ended is not None and ended.outcome is Outcome.COMPLETE)
    assert out or vector["change"] == "a fork that comes to light when all is over"


@pytest.mark.parametrize("vector", ABOUT_VOTES, ids=lambda vector: vector["change"])
def test_of_votes_nobody_is_blamed_wrongly(vector: dict[str, Any]):
    """Files in which one is dropped, as somebody may show them: beyond the cut, kept back, made up afterwards."""
    hand = shown(vector)
    assert hand.line not in hand.closed() or hand.watcher.ended is not None, "an honest player was left"
    assert [event.reason for event in hand.watcher.events() if isinstance(event, PlayerOut)] == (
        ["dropped"] if vector["status"] == "complete" else []
    )
    ended = hand.watcher.ended
    if vector["status"] == "complete":
        assert ended is not None
        assert ended.outcome is Outcome.COMPLETE
    else:
        assert ended is not None
        assert (ended.outcome, ended.blamed) == (Outcome.GONE, None)
        assert ended.sentence.startswith("The others have gone on without somebody")


def stranger() -> Identity:
    return Identity.from_seed(b"stranger" * 4)


def forged(at: int) -> bytes:
    """The entry of a record, with a header that somebody else has signed."""
    entry = parse_record(played()[1][at])
    assert isinstance(entry, Entry)
    return record_entry(Entry.make(stranger(), entry.header, entry.body))


def of_another_table() -> bytes:
    entry = parse_record(played()[1][5])
    assert isinstance(entry, Entry)
    return record_entry(Entry.make(stranger(), replace(entry.header, table=b"t" * 32), entry.body))


def by_nobody() -> bytes:
    entry = parse_record(played()[1][5])
    assert isinstance(entry, Entry)
    return record_entry(Entry.make(stranger(), replace(entry.header, writer=9), entry.body))


def no_fork() -> bytes:
    entry = parse_record(played()[1][5])
    assert isinstance(entry, Entry)
    return encode(["fork", ForkProof(entry.signed, entry.signed).to_wire()])


LIES: dict[str, Callable[[], bytes]] = {
    "an entry left out": lambda: played()[1][60],
    "an entry that its writer did not sign": lambda: forged(6),
    "an entry of another table": of_another_table,
    "an entry by nobody": by_nobody,
    "a proof that proves nothing": no_fork,
    "two lists of players that are one": lambda: record_two_rosters(played()[0].table, played()[0].host_signature),
    "a signature that is not the host's": lambda: record_two_rosters(b"t" * 32, b"s" * 64),
    "noise": lambda: b"noise",
    "nothing": lambda: b"",
    "an unknown record": lambda: encode(["secret", b"x"]),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_player_that_lies_is_left_and_nobody_is_blamed(lie):
    hand = Hand()
    hand.dial()
    hand.watching()
    hand.show(played()[1][:6])
    hand.sent()
    hand.say("record", LIES[lie]())
    hand.check()
    assert hand.closed() == [hand.line]
    assert hand.wanted() == {1, 2}
    hand.watcher.line_down(hand.line, "closed", hand.now)
    hand.ends_well()


def test_a_player_that_shows_a_match_it_does_not_play_in():
    hand = Hand()
    hand.dial(key=stranger().public)
    hand.watching()
    hand.show(played()[1][:1])
    assert hand.watcher.match is None
    ended = hand.watcher.ended
    assert ended is not None
    assert ended.outcome is Outcome.DISSOLVED
    assert hand.watcher.refused
    assert "does not play in itself" in ended.sentence


@pytest.mark.parametrize("expected", [{"host_key": b"h" * 32}, {"nonce": b"n" * 16}], ids=["host", "table"])
def test_another_table_than_the_one_that_was_meant(expected):
    hand = Hand(Watcher(KEY, **expected))
    hand.dial()
    hand.watching()
    hand.show(played()[1][:1])
    assert hand.watcher.match is None
    assert hand.watcher.refused


def test_the_table_that_was_meant():
    offer = played()[0].offers[0].offer
    hand = Hand(Watcher(KEY, host_key=offer.host_key, nonce=offer.host_nonce[:16]))
    hand.dial()
    hand.watching()
    hand.show(played()[1][:1])
    assert hand.watcher.match is not None


@pytest.mark.parametrize(
    "message",
    [
        ["record", b"x"],
        ["over", "done"],
        ["watching", b"short", []],
        ["watching", b"t" * 32, [None] * 11],
        ["watching", b"t" * 32, [["a host", 1]]],
        ["waiting", [], []],
        ["waiting", FAST.to_wire(), [["Ada", b"short"]]],
        ["seat", 1],
        ["roster", 1, 2],
        ["part", True],
    ],
    ids=repr,
)
def test_nonsense_before_the_match(message):
    hand = Hand()
    hand.dial()
    with pytest.raises(WireError):
        hand.say(*message)
    assert hand.watcher.refused


@pytest.mark.parametrize(
    "message", [["watching", b"t" * 32, []], ["record", "text"], ["over", 1], ["waiting", FAST.to_wire(), []]], ids=repr
)
def test_nonsense_in_the_match(message):
    hand = Hand()
    hand.dial()
    hand.watching()
    hand.show(played()[1][:6])
    hand.sent()
    with pytest.raises(WireError):
        hand.say(*message)
    hand.watcher.line_down(hand.line, "closed", hand.now)
    assert hand.watcher.ended is None
    hand.ends_well()


@given(noise)
def test_no_bytes_break_a_watcher(data):
    watcher = Watcher(KEY)
    watcher.line_up(1, b"k" * 32, True, ("10.0.0.1", 7425), 0.0)
    try:
        watcher.receive(1, data, 0.0)
    except WireError:
        assert watcher.ended is not None
    watcher.tick(0.0)


@given(values)
def test_no_record_breaks_a_watcher(value):
    hand = Hand()
    hand.dial()
    hand.watching()
    hand.say("record", encode(["table", played()[0].to_wire()]))
    try:
        payload = encode(value)
    except (OverflowError, TypeError, ValueError, UnicodeEncodeError):
        return
    hand.say("record", payload[:MAX_FRAME])
    hand.check()
    assert hand.watcher.ended is None
    assert hand.closed() == [hand.line]


def test_a_player_that_sends_more_than_was_asked_for():
    hand = Hand()
    hand.dial()
    hand.watching()
    for _ in range(WINDOW // 20_000):
        hand.say("record", bytes(20_000))
    with pytest.raises(WireError, match="more records"):
        hand.say("record", bytes(20_000))


def test_all_say_that_it_is_over():
    """What they say is told in their words, once nobody is left to ask; it is no proof of anything."""
    hand = Hand()
    hand.dial(0)
    hand.watching()
    hand.show(played()[1][:40])
    for writer in (1, 2, None):
        line = hand.line
        hand.say("over", "Somebody is gone.")
        hand.watcher.line_down(line, "closed", hand.now)
        if writer is not None:
            hand.sleep(1)
            assert hand.watcher.ended is None
            hand.dial(writer)
            hand.watching()
    hand.sleep(1)
    ended = hand.watcher.ended
    assert ended is not None
    assert ended.outcome is Outcome.GONE
    assert ended.blamed is None
    assert ended.sentence.endswith("says: Somebody is gone.")


def test_a_dispute_waits_for_a_fork_and_asks_its_writer_first():
    """An entry that names another history than the watcher's: its writer is asked, and only then blamed."""
    table = CheatTable(instead("draw", header={"digest": b"d" * 32}), players=3, seed="watching")
    table.form()
    table.run(300)
    seated = table.seats[0]
    match = seated.peer.match
    assert match is not None
    roster = match.roster
    writer = roster.writer_of(table.seats[CHEAT].peer.key)
    hand = Hand()
    hand.dial(key=roster.keys[(writer + 1) % 3])
    hand.watching(roster)
    hand.show(seated.records)
    assert hand.watcher.ended is None
    assert [key for key, _, _ in hand.watcher.wanted()] == [roster.keys[writer]]
    hand.sleep(DISPUTE_WAIT - 1)
    assert not [event for event in hand.watcher.events() if isinstance(event, PlayerOut)]
    hand.sleep(2)
    (out,) = [event for event in hand.watcher.events() if isinstance(event, PlayerOut)]
    assert (out.seat, out.check) == (match.seat_of(writer), "digest")
    ended = hand.watcher.ended
    assert ended is not None
    assert seated.ended is not None
    assert (ended.outcome, ended.digest) == (seated.ended.outcome, seated.ended.digest)


# -- with a passphrase -----------------------------------------------------------------------------------------------


def locked_table() -> WatchedTable:
    def make(index: int, identity: Identity, name: str, stream: Callable[[int], bytes]) -> Peer:
        key = Passphrase("three little words")
        if index == 0:
            return Peer.host(identity, name, options(3), stream, passphrase=key)
        return Peer.join(identity, name, stream, passphrase=key)

    return WatchedTable(3, options(3), seed="locked", make=make)


@pytest.mark.parametrize("through", [0, 1], ids=["the host", "another player"])
def test_who_knows_the_passphrase_watches_through_one_and_another(through):
    table = locked_table()
    if through == 0:
        index = table.watch(0, passphrase=Passphrase("three little words"))
    table.connect(1, 0)
    table.connect(2, 0)
    table.run(until=lambda: slot_of(table, through) > 3)
    if through != 0:
        index = table.watch(through, passphrase=Passphrase("three little words"))
    table.run(until=lambda: slot_of(table) > 20)
    table.disconnect(index, through)
    table.run()
    same_end(table, index)


@pytest.mark.parametrize("through", [0, 1], ids=["the host", "another player"])
@pytest.mark.parametrize("words", [None, "three other words"])
def test_who_does_not_know_it_sees_nothing(through, words):
    table = locked_table()
    table.form()
    table.run(until=lambda: slot_of(table, through) > 3)
    index = table.watch(through, passphrase=None if words is None else Passphrase(words))
    table.run(until=lambda: table.watcher(index).done)
    ended = table.ended(index)
    assert ended.outcome is Outcome.LOCKED
    assert table.watcher(index).match is None
    assert not [frame for _, to, frame in table.traffic if to == index and b"watching" in frame]
    table.run()
    assert table.ended(0).outcome is Outcome.COMPLETE


def test_a_player_that_does_not_prove_the_passphrase_shows_nothing():
    """A false player that lets everybody in: it is not the table that was meant."""
    hand = Hand(Watcher(KEY, Passphrase("three little words")))
    hand.watcher.line_up(1, played()[0].keys[0], True, ("10.0.0.1", 7425), hand.now, b"b" * 32)
    hand.line = 1
    with pytest.raises(WireError, match="before the passphrase"):
        hand.watching()
    assert hand.watcher.match is None


def test_a_table_without_a_passphrase_is_not_the_one_that_was_meant():
    table = table_of(2)
    table.form()
    table.run(until=lambda: slot_of(table) > 3)
    index = table.watch(0, passphrase=Passphrase("three little words"))
    table.run(until=lambda: table.watcher(index).done)
    assert table.watcher(index).refused
    assert "has no passphrase" in table.ended(index).sentence
