"""Filling a table: who may sit down, what a joiner is told, and what neither side takes from the other."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from nodealer.crypto.identity import Identity
from nodealer.p2p.errors import LocalProtocolError, WireError
from nodealer.p2p.events import Ended, LobbyChanged, Notice, Outcome
from nodealer.p2p.options import TableOptions
from nodealer.p2p.peer import Peer
from nodealer.p2p.wire import decode, encode

from examples.table import FAST, HOP, Table, seeded
from tests.helpers.fuzz import values

OPTIONS = TableOptions(seats=3, target=0, escrow=False).fast()


def peers(count: int = 3, options: TableOptions = OPTIONS) -> Table:
    return Table(count, options, seed="forming")


def lobby(peer_events: list[object]) -> list[LobbyChanged]:
    return [event for event in peer_events if isinstance(event, LobbyChanged)]


def test_everybody_sees_who_comes():
    table = peers()
    table.connect(1, 0)
    table._deliver_until(table.now + 0.01)
    assert [player.name for player in lobby(table.seats[0].told)[-1].players] == ["Player 0", "Player 1"]
    seen = lobby(table.seats[1].told)[-1]
    assert (seen.host, seen.options) == ("Player 0", OPTIONS)
    assert [player.name for player in seen.players] == ["Player 0", "Player 1"]
    assert table.seats[0].peer.match is None
    table.connect(2, 0)
    table._deliver_until(table.now + 0.01)
    assert all(seated.peer.match is not None for seated in table.seats)
    assert len({seated.peer.match.table for seated in table.seats if seated.peer.match}) == 1


def test_start_with_who_is_there():
    table = peers()
    with pytest.raises(LocalProtocolError, match="two players"):
        table.seats[0].peer.start_now(table.now)
    table.connect(1, 0)
    table._deliver_until(table.now + 0.01)
    table.seats[0].peer.start_now(table.now)
    table._drain(0)
    table._deliver_until(table.now + 0.01)
    assert [seated.peer.match is not None for seated in table.seats] == [True, True, False]
    with pytest.raises(LocalProtocolError):
        table.seats[0].peer.start_now(table.now)
    with pytest.raises(LocalProtocolError):
        table.seats[1].peer.start_now(table.now)


def test_too_late():
    table = peers(4)
    for index in (1, 2, 3):
        table.connect(index, 0)
        table._deliver_until(table.now + 0.01)
    ended = table.seats[3].ended
    assert isinstance(ended, Ended)
    assert ended.outcome is Outcome.DISSOLVED
    assert "has begun" in ended.sentence or "taken" in ended.sentence


def test_a_guest_that_goes_frees_its_seat():
    table = peers()
    table.connect(1, 0)
    table._deliver_until(table.now + 0.01)
    table.disconnect(0, 1)
    assert [player.name for player in lobby(table.seats[0].told)[-1].players] == ["Player 0"]


def test_who_does_not_host_lets_nobody_in():
    peer = Peer.join(Identity.from_seed(b"j" * 32), "Joiner", seeded("joiner"))
    peer.line_up(1, b"k" * 32, False, None, 0.0)
    peer.receive(1, encode(["hello", "Somebody", 7425]), 0.0)
    messages = [decode(frame, max_bytes=60_000) for _, frame in peer.data_to_send()]
    assert [message[0] for message in messages] == ["no"]


@pytest.mark.parametrize(
    "message",
    [
        ["hello", 1, 2],
        ["hello", "x", -1],
        ["hello", "x", 1 << 16],
        ["hello", "x", True],
        ["offer", None],
        ["offer", [b"", b""]],
        ["offer", [b"\x90", bytes(64)]],
    ],
    ids=repr,
)
def test_a_guest_that_sends_nonsense(message):
    host = Peer.host(Identity.from_seed(b"h" * 32), "Host", OPTIONS, seeded("host"))
    host.line_up(1, b"k" * 32, False, ("10.0.0.2", 1), 0.0)
    with pytest.raises(WireError):
        host.receive(1, encode(message), 0.0)
    host.line_down(1, "refused", 0.0)
    assert host.ended is None


@pytest.mark.parametrize(
    "message",
    [
        ["seat"],
        ["seat", [], b"h" * 32, b"n" * 32, "Host"],
        ["seat", OPTIONS.to_wire(), b"x" * 32, b"n" * 32, "Host"],
        ["seat", OPTIONS.to_wire(), b"h" * 32, b"n", "Host"],
        ["roster"],
        ["roster", [], []],
        ["no", 1],
    ],
    ids=repr,
)
def test_a_host_that_sends_nonsense(message):
    peer = Peer.join(Identity.from_seed(b"j" * 32), "Joiner", seeded("joiner"))
    peer.line_up(1, b"h" * 32, True, ("10.0.0.1", 7425), 0.0)
    with pytest.raises(WireError):
        peer.receive(1, encode(message), 0.0)
    assert peer.match is None


@given(values.filter(lambda value: isinstance(value, list)))
def test_no_message_breaks_a_peer_that_waits(value):
    """Anything at all, to a host and to a joiner: it is taken, ignored, or refused with the one error."""
    host = Peer.host(Identity.from_seed(b"h" * 32), "Host", OPTIONS, seeded("host"))
    joiner = Peer.join(Identity.from_seed(b"j" * 32), "Joiner", seeded("joiner"))
    for peer, outgoing in ((host, False), (joiner, True)):
        peer.line_up(1, b"k" * 32, outgoing, None, 0.0)
        for name in ("hello", "offer", "seat", "lobby", "roster", "no", "entry", "ping", "ask", "fork", "bye", "part"):
            try:
                data = encode([name, *value])
            except (TypeError, ValueError):
                return
            try:
                peer.receive(1, data, 0.0)
            except WireError:
                continue


def test_names_from_the_wire_are_cleaned():
    table = peers()
    peer = table.seats[1].peer
    peer.line_up(1, table.seats[0].peer.key, True, None, 0.0)
    peer.receive(1, encode(["seat", OPTIONS.to_wire(), table.seats[0].peer.key, b"n" * 32, "H\x1b[2Jost"]), 0.0)
    peer.receive(1, encode(["lobby", [["E\u202eve", b"k" * 32]]]), 0.0)
    peer.receive(1, encode(["no", "because\x07 of \u202ethat"]), 0.0)
    texts = []
    for event in peer.events():
        match event:
            case LobbyChanged(host, _, players):
                texts += [host, *(player.name for player in players)]
            case Ended(sentence=sentence) | Notice(sentence):
                texts.append(sentence)
            case _:
                pass
    assert texts
    assert all(text.isprintable() for text in texts)
    assert any("because" in text for text in texts)


@pytest.mark.parametrize("name", ["", "   ", "\u200b", "\x00\x01"])
def test_a_name_needs_something_to_show(name):
    with pytest.raises(LocalProtocolError):
        Peer.join(Identity.from_seed(b"j" * 32), name)


def test_who_has_left_is_not_drawn_into_a_match():
    table = peers()
    table.connect(1, 0)
    table._deliver_until(table.now + 0.01)
    table.seats[1].peer.leave(table.now)
    table.seats[0].peer.start_now(table.now)
    table._drain(0)
    table._deliver_until(table.now + 0.01)
    peer = table.seats[1].peer
    assert peer.match is None
    assert peer.done


def test_a_host_that_has_left_starts_nothing():
    table = peers()
    table.connect(1, 0)
    table._deliver_until(table.now + 0.01)
    host = table.seats[0].peer
    host.leave(table.now)
    with pytest.raises(LocalProtocolError):
        host.start_now(table.now)
    assert host.match is None


def test_one_invitation_only():
    """Two offers by one player could stand on two lists whose entries do not convict the host."""
    peer = Peer.join(Identity.from_seed(b"j" * 32), "Joiner", seeded("joiner"))
    peer.line_up(1, b"h" * 32, True, ("10.0.0.1", 7425), 0.0)
    peer.receive(1, encode(["seat", OPTIONS.to_wire(), b"h" * 32, b"n" * 32, "Host"]), 0.0)
    with pytest.raises(WireError, match="second invitation"):
        peer.receive(1, encode(["seat", OPTIONS.to_wire(), b"h" * 32, b"m" * 32, "Host"]), 0.0)


@pytest.mark.parametrize("place", ["a\0b", "\x1b[2J", "a b", "h\u00f6st", "x" * 65])
def test_an_address_that_is_none(place):
    table = peers()
    for index in (1, 2):
        table.connect(index, 0)
        table._deliver_until(table.now + (0.01 if index == 1 else 0.0))
    changed: list[bool] = []

    def meddle(sender: int, receiver: int, data: bytes) -> list[tuple[float, bytes]]:
        message = decode(data, max_bytes=60_000)
        if message[0] == "roster":
            message[2] = [[place, 1] for _ in message[2]]
            changed.append(True)
        return [(0.001, encode(message))]

    table.meddle = meddle
    table._deliver_until(table.now + 0.05)
    assert changed
    assert table.seats[1].peer.match is None


@pytest.mark.parametrize("answers", [(), ("seat",)], ids=["nothing", "the invitation only"])
def test_a_host_that_does_not_answer_is_not_waited_for_without_end(answers):
    table = Table(2, FAST, seed="mute host")
    table.meddle = lambda sender, receiver, frame: (
        [(HOP, frame)] if sender != 0 or decode(frame, max_bytes=1 << 16)[0] in answers else []
    )
    table.form()
    table.run(60, until=lambda: table.seats[1].ended is not None)
    ended = table.seats[1].ended
    assert ended is not None
    assert ended.outcome is Outcome.DISSOLVED
    assert "does not answer" in ended.sentence


def test_a_seat_is_kept_as_long_as_people_take_to_come():
    table = Table(2, replace(FAST, seats=3), seed="patience")
    table.form()
    guest = table.seats[1].peer
    assert guest.next_deadline() is None
    guest.tick(table.now + 3600)
    assert guest.ended is None
