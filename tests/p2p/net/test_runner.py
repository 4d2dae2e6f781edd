"""The runner over real sockets on loopback, with a peer that only notes what it is told."""

from __future__ import annotations

import asyncio
import random
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from nodealer.crypto.identity import Identity
from nodealer.p2p.errors import WireError
from nodealer.p2p.limits import Standing
from nodealer.p2p.line import SecureLine
from nodealer.p2p.net.connection import Limits
from nodealer.p2p.net.listen import ListenError
from nodealer.p2p.net.runner import DialError, Runner
from nodealer.p2p.net.targets import Target, candidate_addresses, new_line_stays

LOW, HIGH = sorted((Identity.from_seed(b"1" * 32), Identity.from_seed(b"2" * 32)), key=lambda who: who.public)
THIRD = Identity.from_seed(b"3" * 32)


class FakePeer:
    """Answers nothing by itself; the test reads its notes and fills its queues."""

    def __init__(self) -> None:
        self.port = 0
        self.lines: dict[int, bytes] = {}
        self.outgoing: dict[int, bool] = {}
        self.ups = 0
        self.downs: list[str] = []
        self.received: list[bytes] = []
        self.out: list[tuple[int, bytes]] = []
        self.closing: list[int] = []
        self.want: list[tuple[bytes, str, int]] = []
        self.happened: list[str] = []
        self.ticks = 0
        self.deadline: float | None = None
        self.refuse = False
        self.broken = False
        self.place = Standing.PLAYER

    def line_up(
        self,
        line: int,
        remote_key: bytes,
        outgoing: bool,
        address: tuple[str, int] | None,
        now: float,
        binding: bytes,
    ) -> None:
        assert len(binding) == 32
        assert line not in self.lines
        assert address is not None
        self.lines[line] = remote_key
        self.outgoing[line] = outgoing
        self.ups += 1

    def line_down(self, line: int, reason: str, now: float) -> None:
        del self.lines[line]
        self.downs.append(reason)

    def receive(self, line: int, message: bytes, now: float) -> None:
        if self.refuse:
            raise WireError("not msgpack as agreed")
        if self.broken:
            raise KeyError("a mistake in the program")
        self.received.append(message)
        if message.startswith(b"echo "):
            self.out.append((line, message[5:]))
        self.happened.append(message[:20].decode())

    def data_to_send(self) -> list[tuple[int, bytes]]:
        out, self.out = self.out, []
        return out

    def lines_to_close(self) -> list[int]:
        closing, self.closing = self.closing, []
        return closing

    def standing(self, line: int) -> Standing:
        return self.place

    def wanted(self) -> list[tuple[bytes, str, int]]:
        return self.want

    def next_deadline(self) -> float | None:
        return self.deadline

    def tick(self, now: float) -> None:
        self.ticks += 1
        self.deadline = None

    def events(self) -> list[str]:
        happened, self.happened = self.happened, []
        return happened


async def until(condition: Callable[[], object], within: float = 5.0) -> None:
    """Waits for a condition; fails the test when it takes too long."""
    end = time.monotonic() + within
    while not condition():
        assert time.monotonic() < end, "it took too long"
        await asyncio.sleep(0.005)


@asynccontextmanager
async def running(
    identity: Identity, peer: FakePeer | None = None, *, port: int = 0, limits: Limits | None = None
) -> AsyncIterator[tuple[Runner, FakePeer]]:
    peer = peer or FakePeer()
    runner = Runner(peer, identity, bind="127.0.0.1", port=port, limits=limits, rng=random.Random(1))
    await runner.start()
    task = asyncio.create_task(runner.run())
    try:
        yield runner, peer
    finally:
        runner.stop()
        await asyncio.wait_for(task, 5)


class Dialler:
    """A hand-made client: a socket and the other end of a secure line."""

    def __init__(self, port: int, identity: Identity) -> None:
        self.port = port
        self.line = SecureLine(True, identity, 0.0)

    async def shake(self, buffer: int | None = None) -> None:
        raw = socket.socket()
        if buffer is not None:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        raw.setblocking(False)
        await asyncio.get_running_loop().sock_connect(raw, ("127.0.0.1", self.port))
        self.reader, self.writer = await asyncio.open_connection(sock=raw, limit=1024)
        self.writer.write(self.line.data_to_send())
        while not self.line.established:
            self.line.receive(await self.reader.read(1000), 0.0)
        self.writer.write(self.line.data_to_send())

    def say(self, message: bytes) -> None:
        self.line.send(message, 0.0)
        self.writer.write(self.line.data_to_send())


async def test_messages_pass_both_ways_and_events_come_out() -> None:
    async with running(LOW) as (one, first), running(HIGH) as (other, second):
        key = await one.connect("127.0.0.1", other.port)
        assert key == HIGH.public
        await until(lambda: second.lines)
        assert list(second.lines.values()) == [LOW.public]
        first.out.append((next(iter(first.lines)), b"echo hello"))
        one.pump()
        await until(lambda: first.received == [b"hello"])


async def test_a_big_burst_arrives_whole_and_in_order() -> None:
    async with running(LOW) as (one, first), running(HIGH) as (other, second):
        await one.connect("127.0.0.1", other.port)
        line = next(iter(first.lines))
        burst = [number.to_bytes(2, "big") + bytes(50_000) for number in range(100)]
        first.out += [(line, message) for message in burst]
        one.pump()
        await until(lambda: len(second.received) == 100)
        assert second.received == burst


async def test_events_reach_the_program_and_it_may_act_at_once() -> None:
    peer, seen = FakePeer(), list[str]()
    runner = Runner(peer, LOW, bind="127.0.0.1", port=0)

    def on_events(events: object) -> None:
        assert isinstance(events, list)
        seen.extend(events)
        if events == ["first"]:
            peer.happened.append("second")
            runner.pump()

    runner._on_events = on_events
    await runner.start()
    peer.happened.append("first")
    runner.pump()
    assert seen == ["first", "second"]
    runner.stop()
    await runner.run()


async def test_the_peer_is_told_where_it_listens() -> None:
    async with running(LOW) as (one, first):
        assert first.port == one.port > 0


async def test_the_peers_clock_is_run() -> None:
    async with running(LOW) as (one, first):
        first.deadline = one.now() + 0.05
        one.pump()
        await until(lambda: first.ticks == 1)


async def test_two_that_want_each_other_end_with_the_line_of_the_lower_key() -> None:
    async with running(LOW) as (one, first), running(HIGH) as (other, second):
        # Both dial at the same moment, without the courtesy that usually spares it.
        one.dial("127.0.0.1", other.port, HIGH.public)
        other.dial("127.0.0.1", one.port, LOW.public)
        await until(lambda: first.lines and second.lines)
        await asyncio.sleep(0.6)
        assert [first.outgoing[line] for line in first.lines] == [True]
        assert [second.outgoing[line] for line in second.lines] == [False]
        first.out.append((next(iter(first.lines)), b"echo still here"))
        one.pump()
        await until(lambda: first.received == [b"still here"])


async def test_four_peers_that_want_each_other_are_connected_pairwise_once() -> None:
    identities = [Identity.from_seed(bytes((n,)) * 32) for n in range(10, 14)]
    runners: list[tuple[Runner, FakePeer]] = []
    contexts = [running(identity) for identity in identities]
    for context in contexts:
        runners.append(await context.__aenter__())
    try:
        wants = [
            (identity.public, "127.0.0.1", runner.port)
            for identity, (runner, _) in zip(identities, runners, strict=True)
        ]
        for runner, peer in runners:
            peer.want = wants
            runner.pump()
        await until(lambda: all(len(peer.lines) == 3 for _, peer in runners))
        await asyncio.sleep(0.5)
        assert all(len(set(peer.lines.values())) == 3 == len(peer.lines) for _, peer in runners)
    finally:
        for context in contexts:
            await context.__aexit__(None, None, None)


async def test_a_line_that_broke_comes_back() -> None:
    first = FakePeer()
    async with running(HIGH, first) as (one, _):
        async with running(LOW) as (other, _):
            port = other.port
            first.want = [(LOW.public, "127.0.0.1", port)]
            one.pump()
            await until(lambda: first.lines)
        await until(lambda: not first.lines)
        async with running(LOW, port=port):
            await until(lambda: first.lines)
            assert first.ups == 2


async def test_a_line_that_is_closed_at_once_is_dialled_with_growing_waits() -> None:
    """Who closes every line must not make us dial in a tight circle, though the wish comes and goes with the line."""

    class Eager(FakePeer):
        def wanted(self) -> list[tuple[bytes, str, int]]:
            return [] if self.lines else self.want

    class Rude(FakePeer):
        def line_up(self, line: int, *rest: object) -> None:
            super().line_up(line, *rest)  # type: ignore[arg-type]
            self.closing.append(line)

    async with running(LOW, Eager()) as (one, first), running(HIGH, Rude()) as (other, _):
        first.want = [(HIGH.public, "127.0.0.1", other.port)]
        one.pump()
        await asyncio.sleep(2)
        assert 2 <= first.ups <= 6


async def test_who_is_no_longer_wanted_is_not_dialled_again() -> None:
    async with running(LOW) as (one, first), running(HIGH) as (other, second):
        first.want = [(HIGH.public, "127.0.0.1", other.port)]
        one.pump()
        await until(lambda: first.lines and second.lines)
        first.want = []
        first.closing = list(first.lines)
        one.pump()
        await asyncio.sleep(0.6)
        assert first.ups == 1
        assert not first.lines
        assert not second.lines


async def test_another_peer_at_the_address_is_not_taken_for_the_wanted_one() -> None:
    async with running(LOW) as (one, first), running(HIGH) as (other, _):
        with pytest.raises(DialError, match="Another peer"):
            await one.connect("127.0.0.1", other.port, THIRD.public)
        assert first.ups == 0


async def test_dialling_nobody_and_oneself_is_said_in_a_sentence() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        async with running(LOW) as (one, _):
            with pytest.raises(DialError, match="Nobody listens"):
                await one.connect("127.0.0.1", held.getsockname()[1])
            with pytest.raises(DialError, match="own identity"):
                await one.connect("127.0.0.1", one.port)
            with pytest.raises(DialError, match="no host"):
                await one.connect("no such host", 1)


async def test_a_port_in_use_is_said_in_a_sentence() -> None:
    async with running(LOW) as (one, _):
        with pytest.raises(ListenError, match="in use"):
            await Runner(FakePeer(), HIGH, bind="127.0.0.1", port=one.port).start()


async def test_the_next_free_port_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        monkeypatch.setattr("nodealer.p2p.net.listen.DEFAULT_PORT", held.getsockname()[1])
        runner = Runner(FakePeer(), LOW, bind="127.0.0.1")
        await runner.start()
        assert runner.port > held.getsockname()[1]
        runner.stop()
        await runner.run()


@pytest.mark.parametrize(
    "garbage", [b"GET / HTTP/1.1\r\n\r\n", bytes(5000), b"\x00\x20" + b"\xff" * 32, b"\x00\x20" + bytes(32)]
)
async def test_garbage_is_cut_and_harms_nobody(garbage: bytes) -> None:
    async with running(LOW) as (one, first), running(HIGH) as (other, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", one.port)
        writer.write(garbage)
        if not garbage.startswith(b"\x00\x20\xff"):
            assert await reader.read() == b""
        await other.connect("127.0.0.1", one.port)
        await until(lambda: first.lines)
        writer.close()


async def test_a_half_open_handshake_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nodealer.p2p.line.GONE_AFTER", 0.3)
    async with running(LOW) as (one, first):
        reader, writer = await asyncio.open_connection("127.0.0.1", one.port)
        writer.write(SecureLine(True, HIGH, 0.0).data_to_send())
        started = time.monotonic()
        try:
            while await reader.read(1000):
                pass
        except ConnectionError:
            pass
        assert 0.2 < time.monotonic() - started < 2
        assert first.ups == 0
        writer.close()


async def test_too_many_handshakes_from_one_address_are_refused_and_lines_that_stand_stay() -> None:
    async with running(LOW, limits=Limits(handshakes_per_address=4)) as (one, first), running(HIGH) as (other, _):
        await other.connect("127.0.0.1", one.port)
        openings = [await asyncio.open_connection("127.0.0.1", one.port) for _ in range(10)]
        await asyncio.sleep(0.2)
        cut = 0
        for reader, _ in openings:
            try:
                cut += await asyncio.wait_for(reader.read(1), 0.02) == b""
            except TimeoutError:
                pass
            except ConnectionError:
                cut += 1
        assert cut == 6
        assert len(first.lines) == 1
        for _, writer in openings:
            writer.close()


async def test_a_silent_line_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nodealer.p2p.line.GONE_AFTER", 0.5)
    async with running(LOW) as (one, first):
        client = Dialler(one.port, HIGH)
        await client.shake()
        await until(lambda: first.lines)
        await until(lambda: not first.lines, 3)
        assert "heard" in first.downs[0]
        client.writer.close()


async def test_an_idle_line_between_two_runners_stays() -> None:
    async with running(LOW) as (one, first), running(HIGH) as (other, second):
        await one.connect("127.0.0.1", other.port)
        await asyncio.sleep(4.5)
        assert first.ups == second.ups == 1
        assert not first.downs + second.downs


async def test_a_slow_reader_is_cut_and_the_others_do_not_wait_for_it() -> None:
    limits = Limits(write_buffer=2_000_000)
    async with running(LOW, limits=limits) as (one, first), running(THIRD) as (other, second):
        client = Dialler(one.port, HIGH)
        await client.shake(buffer=4096)
        client.writer.transport.pause_reading()  # type: ignore[attr-defined]
        await other.connect("127.0.0.1", one.port)
        await until(lambda: len(first.lines) == 2)
        for _ in range(200):
            first.out += [(line, bytes(60_000)) for line in first.lines]
            one.pump()
            await asyncio.sleep(0)
        await until(lambda: first.downs == ["The other side reads too slowly."])
        await until(lambda: len(second.received) == 200)
        client.writer.close()


async def test_a_reader_that_stopped_is_cut_after_a_while() -> None:
    limits = Limits(write_stall=0.3)
    async with running(LOW, limits=limits) as (one, first):
        client = Dialler(one.port, HIGH)
        await client.shake(buffer=4096)
        client.writer.transport.pause_reading()  # type: ignore[attr-defined]
        await until(lambda: first.lines)
        first.out += [(line, bytes(60_000)) for line in first.lines for _ in range(130)]
        one.pump()
        await until(lambda: first.downs == ["The other side has stopped reading."])
        client.writer.close()


@pytest.mark.parametrize("size", [0, 20_000])
async def test_a_flood_is_cut(size: int) -> None:
    limits = Limits(read_burst=300_000, read_rate=10_000)
    async with running(LOW, limits=limits) as (one, first):
        client = Dialler(one.port, HIGH)
        await client.shake()
        await until(lambda: first.lines)
        for _ in range(1000):
            client.say(bytes(size))
        await until(lambda: first.downs)
        assert first.downs == ["The other side sends more than a game can need."]
        client.writer.close()


async def test_a_message_that_the_peer_refuses_closes_the_line() -> None:
    async with running(LOW) as (one, first):
        first.refuse = True
        client = Dialler(one.port, HIGH)
        await client.shake()
        client.say(b"nonsense")
        await until(lambda: first.downs == ["not msgpack as agreed"])
        client.writer.close()


async def test_a_mistake_in_the_peer_ends_the_run_loudly() -> None:
    peer = FakePeer()
    peer.broken = True
    runner = Runner(peer, LOW, bind="127.0.0.1", port=0)
    await runner.start()
    task = asyncio.create_task(runner.run())
    client = Dialler(runner.port, HIGH)
    await client.shake()
    client.say(b"trigger")
    with pytest.raises(KeyError):
        await asyncio.wait_for(task, 5)
    client.writer.close()


async def test_what_was_said_last_still_arrives() -> None:
    async with running(HIGH) as (other, second):
        async with running(LOW) as (one, first):
            await one.connect("127.0.0.1", other.port)
            line = next(iter(first.lines))
            first.out += [(line, bytes(60_000))] * 20 + [(line, b"farewell")]
        await until(lambda: second.received[-1:] == [b"farewell"])


def test_tie_break_is_the_same_on_both_ends() -> None:
    for low_outgoing_is_new in (True, False):
        at_low = new_line_stays(
            b"a", b"b", old_outgoing=not low_outgoing_is_new, new_outgoing=low_outgoing_is_new, age=1.0
        )
        at_high = new_line_stays(
            b"b", b"a", old_outgoing=low_outgoing_is_new, new_outgoing=not low_outgoing_is_new, age=1.0
        )
        assert at_low == at_high == low_outgoing_is_new


def test_a_later_line_replaces_one_that_is_dead_unnoticed() -> None:
    assert new_line_stays(b"a", b"b", old_outgoing=True, new_outgoing=False, age=60.0)
    assert new_line_stays(b"a", b"b", old_outgoing=False, new_outgoing=False, age=1.0)


def test_waits_double_up_to_a_bound_and_begin_anew_after_a_good_line() -> None:
    rng = random.Random(5)
    target = Target(None, [("192.0.2.1", 7425)], given=True, not_before=0.0)
    waits = []
    for _ in range(12):
        target.failed(0.0, "Nobody there.", rng)
        waits.append(target.not_before)
    assert waits[0] < 0.4
    assert 2.5 <= waits[-1] <= 7.5
    target.proven()
    target.failed(0.0, "Nobody there.", rng)
    assert target.not_before < 0.4


def test_a_loopback_address_heard_from_elsewhere_means_the_machine_it_came_from() -> None:
    assert candidate_addresses([("127.0.0.1", 7426)], [("192.0.2.9", 7425), ("127.0.0.1", 5)]) == [
        ("127.0.0.1", 7426),
        ("192.0.2.9", 7426),
    ]
    assert candidate_addresses([("192.0.2.1", 7426)], [("192.0.2.9", 7425)]) == [("192.0.2.1", 7426)]
