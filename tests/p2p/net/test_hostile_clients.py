"""Hostile programs on real sockets: what floods, reads nothing, hangs or talks nonsense costs the others no game."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from nodealer.crypto.identity import Identity
from nodealer.p2p.errors import LocalProtocolError
from nodealer.p2p.events import DecisionNeeded, DecisionOver, Outcome
from nodealer.p2p.limits import Standing
from nodealer.p2p.line import LineError, SecureLine
from nodealer.p2p.net.connection import Allowance, Limits
from nodealer.p2p.net.interfaces import cancelled
from nodealer.p2p.net.query import QueryError, ask_table
from nodealer.p2p.net.runner import Runner
from nodealer.p2p.options import TableOptions
from nodealer.p2p.peer import Peer
from nodealer.p2p.wire import encode

from examples.table import eager
from tests.p2p.net.test_runner import HIGH, LOW, THIRD, Dialler, FakePeer, running, until

TWO = TableOptions.defaults("four-colors", 2, 0).fast()
NUMBERS = itertools.count(2)


def machine() -> str:
    """Another loopback address, as another machine would have; on Linux all of 127/8 are there."""
    return f"127.0.{next(NUMBERS) // 250}.{2 + next(NUMBERS) % 250}"


async def raw(port: int, source: str = "127.0.0.1", buffer: int | None = None) -> socket.socket:
    """A TCP connection from this address."""
    made = socket.socket()
    made.setblocking(False)
    if buffer is not None:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    try:
        made.bind((source, 0))
    except OSError:
        made.close()
        pytest.skip("this system has one loopback address only")
    await asyncio.get_running_loop().sock_connect(made, ("127.0.0.1", port))
    return made


async def send(connection: socket.socket, data: bytes) -> None:
    with contextlib.suppress(OSError):
        await asyncio.get_running_loop().sock_sendall(connection, data)


async def is_closed(connection: socket.socket, within: float = 5.0) -> bool:
    """Whether the other side ends the connection in this time."""
    try:
        async with asyncio.timeout(within):
            while await asyncio.get_running_loop().sock_recv(connection, 65536):
                pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


class Client(Dialler):
    """A hand-made client from an address of its own."""

    def __init__(self, port: int, source: str | None = None, identity: Identity | None = None) -> None:
        super().__init__(port, identity or Identity.generate())
        self.source = source or machine()

    async def open(self) -> Client:
        connection = await raw(self.port, self.source)
        self.reader, self.writer = await asyncio.open_connection(sock=connection)
        self.writer.write(self.line.data_to_send())
        async with asyncio.timeout(5):
            while not self.line.established:
                data = await self.reader.read(1000)
                assert data, "refused"
                self.line.receive(data, 0.0)
        self.writer.write(self.line.data_to_send())
        return self

    async def closed(self, within: float = 5.0) -> bool:
        try:
            async with asyncio.timeout(within):
                while await self.reader.read(65536):
                    pass
        except TimeoutError:
            return False
        except OSError:
            pass
        return True


def player(peer: Peer, runner: Runner, rng: random.Random) -> Callable[[Sequence[object]], None]:
    """Plays by itself."""

    def on_events(events: Sequence[object]) -> None:
        for at, event in enumerate(events):
            over = any(isinstance(later, DecisionOver) for later in events[at:])
            if isinstance(event, DecisionNeeded) and not over:
                action = eager(event, rng)
                if action is not None:
                    with contextlib.suppress(LocalProtocolError):
                        peer.act(action, runner.now())

    return on_events


@asynccontextmanager
async def at_work(peer: Peer, identity: Identity, limits: Limits | None = None) -> AsyncIterator[Runner]:
    """A real peer on loopback."""
    runner = Runner(peer, identity, bind="127.0.0.1", port=0, limits=limits)
    runner._on_events = player(peer, runner, random.Random(peer.own.name))
    await runner.start()
    task = asyncio.create_task(runner.run())
    try:
        yield runner
    finally:
        runner.stop()
        await asyncio.wait_for(task, 10)


@asynccontextmanager
async def table_of_one(limits: Limits | None = None) -> AsyncIterator[tuple[Runner, Peer]]:
    """A real host that waits for somebody."""
    peer = Peer.host(LOW, "Hana", TWO)
    async with at_work(peer, LOW, limits) as runner:
        yield runner, peer


@asynccontextmanager
async def seats(count: int, limits: Limits | None = None) -> AsyncIterator[list[tuple[Runner, Peer]]]:
    """Real peers on real sockets that play one hand by themselves; the first hosts."""
    options = TableOptions.defaults("four-colors", count, 0).fast()
    made: list[tuple[Runner, Peer]] = []
    async with AsyncExitStack() as stack:
        for number in range(count):
            identity = Identity.from_seed(bytes([number + 1]) * 32)
            peer = Peer.join(identity, f"P{number}") if number else Peer.host(identity, "P0", options)
            runner = await stack.enter_async_context(at_work(peer, identity, limits))
            made.append((runner, peer))
        yield made


# Places: who takes them, and for how long


async def test_a_stranger_does_not_stay() -> None:
    async with table_of_one(Limits(stranger_stay=0.3)) as (host, _):
        client = await Client(host.port).open()
        assert await client.closed()
        client.writer.close()


async def test_a_guest_stays_as_long_as_people_take() -> None:
    options = TableOptions.defaults("four-colors", 3, 0).fast()
    limits = Limits(stranger_stay=0.2)
    host, guest = Peer.host(LOW, "Hana", options), Peer.join(HIGH, "Greta")
    async with AsyncExitStack() as stack:
        runners = [await stack.enter_async_context(at_work(*who, limits)) for who in ((host, LOW), (guest, HIGH))]
        await runners[1].connect("127.0.0.1", runners[0].port)
        await until(lambda: len(host._hosting.guests()) == 1)  # type: ignore[union-attr]
        await asyncio.sleep(1.0)
        assert guest.ended is None
        assert len(host._hosting.guests()) == 1  # type: ignore[union-attr]


async def test_too_many_strangers_make_room_and_players_never_do() -> None:
    peer = FakePeer()
    async with running(LOW, peer, limits=Limits(strangers=3)) as (host, _):
        player = await Client(host.port).open()
        await until(lambda: len(peer.lines) == 1)
        peer.place = Standing.STRANGER
        [first] = peer.lines
        peer.standing = lambda line: Standing.PLAYER if line == first else Standing.STRANGER  # type: ignore[method-assign]
        strangers = [await Client(host.port).open() for _ in range(5)]
        await until(lambda: peer.ups == 6 and len(peer.lines) == 4)
        assert first in peer.lines
        assert [await client.closed(0.2) for client in strangers] == [True, True, False, False, False]
        assert not await player.closed(0.2)
        for client in (player, *strangers):
            client.writer.close()


async def test_half_open_handshakes_from_many_addresses_keep_nobody_out() -> None:
    limits = Limits(handshakes=8, handshakes_per_address=4)
    async with running(LOW, limits=limits) as (host, peer):
        held = [await raw(host.port, source) for source in (machine(), machine(), machine()) for _ in range(4)]
        held += [await raw(host.port, machine()) for _ in range(4)]
        client = await Client(host.port).open()
        await until(lambda: peer.lines)
        for connection in held:
            connection.close()
        client.writer.close()


async def test_all_lines_taken_by_strangers_keep_no_player_out() -> None:
    peer = FakePeer()
    peer.place = Standing.STRANGER
    async with running(LOW, peer, limits=Limits(lines=6, strangers=6)) as (host, _):
        strangers = [await Client(host.port).open() for _ in range(6)]
        await until(lambda: len(peer.lines) == 6)
        player = await Client(host.port).open()
        await until(lambda: peer.ups == 7)
        assert len(peer.lines) == 6
        for client in (player, *strangers):
            client.writer.close()


async def test_lines_of_one_address_are_bounded() -> None:
    async with running(LOW, limits=Limits(lines_per_address=3)) as (host, peer):
        clients = [await Client(host.port, "127.0.0.2").open() for _ in range(3)]
        assert await is_closed(await raw(host.port, "127.0.0.2"))
        other = await Client(host.port, "127.0.0.3").open()
        await until(lambda: len(peer.lines) == 4)
        for client in (*clients, other):
            client.writer.close()


# Rates


@pytest.mark.parametrize("message", [None, encode(["query"]), bytes(20_000)], ids=["pings", "questions", "garbage"])
async def test_a_stranger_that_floods_is_cut(message: bytes | None) -> None:
    async with table_of_one() as (host, _):
        client = await Client(host.port).open()
        for _ in range(2000):
            if message is None:
                client.line._seal(0, b"")
            else:
                client.line.send(message, 0.0)
        client.writer.write(client.line.data_to_send())
        assert await client.closed()
        assert (await ask_table("127.0.0.1", host.port)).taken == 1


async def test_a_stranger_that_asks_and_never_reads_fills_no_memory() -> None:
    async with table_of_one() as (host, _):
        client = await Client(host.port).open()
        client.writer.transport.pause_reading()  # type: ignore[attr-defined]
        for _ in range(200):
            client.say(encode(["query"]))
            await asyncio.sleep(0)
        await until(lambda: not host._up)
        client.writer.close()


async def test_a_player_that_catches_up_is_slowed_and_not_cut() -> None:
    limits = Limits(read_burst=400_000, read_rate=400_000, read_pause=10.0)
    async with running(LOW, limits=limits) as (host, peer):
        client = await Client(host.port).open()
        await until(lambda: peer.lines)
        for number in range(200):
            client.say(str(number).encode())
        await until(lambda: len(peer.received) == 200, 15)
        assert not peer.downs
        client.writer.close()


async def test_a_guest_may_say_more_than_a_stranger_and_less_than_a_player() -> None:
    limits = Limits(stranger_burst=50_000, stranger_rate=1, guest_burst=200_000, guest_rate=1, read_burst=10_000_000)
    received = {}
    for place in Standing:
        peer = FakePeer()
        peer.place = place
        async with running(LOW, peer, limits=limits) as (host, _):
            client = await Client(host.port).open()
            await until(lambda peer=peer: peer.lines)
            with contextlib.suppress(OSError):
                for _ in range(100):
                    client.say(b"x")
                    await client.writer.drain()
                    await asyncio.sleep(0.001)
            await until(lambda peer=peer: peer.downs or len(peer.received) == 100)
            received[place] = len(peer.received)
            client.writer.close()
    assert received[Standing.STRANGER] < 15 < received[Standing.GUEST] < 60 < received[Standing.PLAYER] == 100


async def test_a_new_line_is_no_new_allowance() -> None:
    limits = Limits(read_burst=400_000, read_rate=1_000)
    async with running(LOW, limits=limits) as (host, peer):
        for _ in range(2):
            client = await Client(host.port, identity=THIRD).open()
            await until(lambda: peer.lines)
            for _ in range(90):
                client.say(b"x")
            with contextlib.suppress(AssertionError):
                await until(lambda: not peer.lines, 1)
            client.writer.close()
            await until(lambda: not peer.lines)
        assert "sends more" in peer.downs[-1]
        assert len(peer.received) < 180


def test_an_allowance_is_used_up_and_comes_back() -> None:
    allowance = Allowance(100, 10, 0.0)
    assert allowance.take(100, 0.0) == 0.0
    assert allowance.take(20, 0.0) == 2.0
    assert allowance.take(10_000, 0.0) == 1002.0
    assert allowance.take(0, 0.0) == 10.0  # no debt is deeper than one whole allowance
    assert allowance.take(100, 20.0) == 0.0
    assert allowance.take(101, 1000.0) == 0.1


# Faults of one's own, and cancellation


async def test_a_fault_of_ones_own_closes_no_innocent_line() -> None:
    class Confused(FakePeer):
        def receive(self, line: int, message: bytes, now: float) -> None:
            raise LocalProtocolError("No challenge is open.")

    peer = Confused()
    runner = Runner(peer, LOW, bind="127.0.0.1", port=0)
    await runner.start()
    task = asyncio.create_task(runner.run())
    client = await Client(runner.port).open()
    client.say(b"a message like any other")
    with pytest.raises(LocalProtocolError):
        await asyncio.wait_for(task, 5)
    assert "No challenge" not in " ".join(peer.downs)
    client.writer.close()


async def test_waiting_for_a_cancelled_task_swallows_no_cancellation_of_ones_own() -> None:
    begun = asyncio.Event()

    async def slow_to_end() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            begun.set()
            await asyncio.sleep(0.2)

    inner = asyncio.create_task(slow_to_end())
    await asyncio.sleep(0)
    outer = asyncio.create_task(cancelled(inner))
    await begun.wait()
    outer.cancel()
    with pytest.raises(asyncio.CancelledError):
        await outer
    await asyncio.wait({inner})
    again = asyncio.create_task(slow_to_end())
    await asyncio.sleep(0)
    await cancelled(again)
    assert again.cancelled()


# All of it at once, while others play


async def harass(port: int, ended: asyncio.Event) -> int:
    """Every kind of hostile client, again and again; how many connections that took."""
    made = 0

    async def garbage() -> None:
        connection = await raw(port, machine())
        with connection:
            await send(connection, random.Random(1).randbytes(3000))
            await is_closed(connection, 0.2)

    async def half_open() -> None:
        with await raw(port, machine()) as connection:
            await send(connection, b"\x00\x20" + bytes(10))
            await asyncio.sleep(0.3)

    async def flood() -> None:
        client = await Client(port).open()
        message = encode(["ping", [], [], False])
        for _ in range(500):
            client.line.send(message, 0.0)
        client.writer.write(client.line.data_to_send())
        await client.closed(0.3)
        client.writer.close()

    async def mute_reader() -> None:
        client = await Client(port).open()
        client.writer.transport.pause_reading()  # type: ignore[attr-defined]
        for _ in range(30):
            client.say(encode(["query"]))
        await asyncio.sleep(0.3)
        client.writer.close()

    async def liar() -> None:
        client = await Client(port).open()
        client.say(encode(["hello", "\x1b[2J\u202eMallory", 1]))
        client.say(encode(["offer", [b"", b""]]))
        await client.closed(0.3)
        client.writer.close()

    async def one(kind: Callable[[], Awaitable[None]]) -> None:
        nonlocal made
        while not ended.is_set():
            made += 1
            with contextlib.suppress(OSError, LineError, AssertionError, TimeoutError):
                await kind()
            await asyncio.sleep(0.05)

    await asyncio.gather(*(one(kind) for kind in (garbage, half_open, half_open, flood, mute_reader, liar)))
    return made


async def test_a_hand_is_played_while_strangers_do_their_worst() -> None:
    async with seats(3) as table:
        ended = asyncio.Event()
        port = table[0][0].port
        harassing = asyncio.create_task(harass(port, ended))
        try:
            await asyncio.sleep(0.5)
            for runner, _ in table[1:]:
                await runner.connect("127.0.0.1", port, within=20)
            await until(lambda: all(peer.ended is not None for _, peer in table), 120)
        finally:
            ended.set()
            made = await harassing
        outcomes = [peer.ended for _, peer in table]
        assert [end.outcome for end in outcomes if end is not None] == [Outcome.COMPLETE] * 3
        assert len({end.digest for end in outcomes if end is not None}) == 1
        assert made > 20


async def test_nothing_is_asked_of_a_program_that_talks_nonsense() -> None:
    async def nonsense(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(random.Random(2).randbytes(5000))
        writer.close()

    server = await asyncio.start_server(nonsense, "127.0.0.1", 0)
    async with server:
        with pytest.raises(QueryError):
            await ask_table("127.0.0.1", server.sockets[0].getsockname()[1])


async def test_a_program_that_takes_the_line_and_says_nothing_is_not_waited_for() -> None:
    async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = SecureLine(False, HIGH, 0.0)
        while data := await reader.read(1000):
            line.receive(data, 0.0)
            writer.write(line.data_to_send())

    server = await asyncio.start_server(mute, "127.0.0.1", 0)
    async with server:
        with pytest.raises(QueryError, match="Nothing answers"):
            await ask_table("127.0.0.1", server.sockets[0].getsockname()[1], within=0.5)
