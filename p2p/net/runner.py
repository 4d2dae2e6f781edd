"""Runs one peer on the network: listens, dials, and carries bytes and time between the sockets and the peer.

The peer decides everything about the game and knows no socket; the runner knows no message. One clock for both: the
loop's. After whatever happens (bytes, time, a move by the user) comes one ``pump``: it sends what the peer has to say,
closes the lines that it is done with, hands its events on, and notes whom it wants to be connected to.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from nodealer.crypto.identity import Identity

from ..book import Batch
from ..errors import RemoteProtocolError, WireError
from ..limits import Standing
from .admission import admit
from .connection import Address, Allowance, Connection, Limits
from .listen import ListenError, listening_sockets
from .outgoing import Journal, Outgoing
from .targets import COURTESY, PROVEN_AFTER, Target, new_line_stays

DIAL_WITHIN = 3.0
"""Seconds for a TCP connection to stand; on a LAN it takes milliseconds."""


KEEP_WITHIN = 5.0
"""Seconds that the last records may take to reach the disk, and what waits for them to go out, at the end."""


class DialError(Exception):
    """Nobody there, or not the one that was wanted; the text is a sentence for a person."""


class TablePeer(Protocol):
    """What the runner needs of a peer. ``line_down`` comes exactly once for every line that was up."""

    port: int
    """Set by the runner: the port that this program listens on, which a peer tells the others."""

    def line_up(
        self, line: int, remote_key: bytes, outgoing: bool, address: Address | None, now: float, binding: bytes
    ) -> None:
        """A line stands; ``address`` is its far end (for an incoming one with a port that nobody listens on),
        ``binding`` its handshake hash, which is the same on both ends and on no other line."""

    def line_down(self, line: int, reason: str, now: float) -> None:
        """A line is over, whoever ended it."""

    def receive(self, line: int, message: bytes, now: float) -> None:
        """A whole message came on a line that is up. A ProtocolError raised here closes the line."""

    def data_to_send(self) -> list[tuple[int, bytes]]:
        """Takes the messages to be sent, in order; those for lines that are down are dropped."""

    def lines_to_close(self) -> list[int]:
        """Takes the lines to be closed after what was to be sent."""

    def standing(self, line: int) -> Standing:
        """What the far end of a line that is up is here: strangers may cost little and do not stay."""

    def wanted(self) -> list[tuple[bytes, str, int]]:
        """The peers (key, host, port) to be connected to; one key may stand there with several addresses."""

    def to_keep(self) -> Batch:
        """Takes the records for the journal; only asked where there is one."""

    def next_deadline(self) -> float | None:
        """When ``tick`` is wanted."""

    def tick(self, now: float) -> None:
        """Lets time pass."""

    def events(self) -> Sequence[Any]:
        """Takes what happened since the last call."""


class Runner:
    """Joins a peer to the network until ``stop``.

    ``bind`` is the address to listen on, None for all. ``port`` None means 7425 or the next free one, 0 any free one,
    any other number only that one; a port that is a ``wish`` is tried first; with ``listen`` off it only dials. With a
    ``journal`` nothing is sent before what it speaks of is on the disk. ``on_events`` gets every batch of the peer's
    events, in order.
    """

    def __init__(
        self,
        peer: TablePeer,
        identity: Identity,
        *,
        bind: str | None = None,
        port: int | None = None,
        on_events: Callable[[Sequence[Any]], None] | None = None,
        limits: Limits | None = None,
        listen: bool = True,
        rng: random.Random | None = None,
        journal: Journal | None = None,
        wish: int = 0,
    ) -> None:
        self._outgoing = None if journal is None else Outgoing(journal, self._deliver, self._fail)
        self._wish = wish
        self._peer = peer
        self._identity = identity
        self._bind = bind
        self._asked_port = port
        self._listen = listen
        self._on_events = on_events
        self._limits = limits or Limits()
        self._rng = rng or random.Random()
        self._connections: dict[int, Connection] = {}
        self._up: dict[int, Connection] = {}
        self._by_key: dict[bytes, Connection] = {}
        self._dialled: dict[int, Target] = {}
        # By key, so that a new line is no new allowance. Only players have one: there are few.
        self._allowances: dict[bytes, Allowance] = {}
        self._given: list[Target] = []
        self._wanted: dict[bytes, Target] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._last_number = 0
        self._pumping = False
        self._pump_again = False
        self._timer: asyncio.TimerHandle | None = None
        self._servers: list[asyncio.Server] = []
        self._ended: asyncio.Future[None] | None = None
        self.port = 0
        """The port that is listened on, from ``start`` on."""

    # For the program that uses it

    async def start(self) -> None:
        """Binds and listens. Raises ListenError."""
        await self._begin()

    async def run(self) -> None:
        """Starts if that has not been done, works until ``stop``, closes everything. Raises what the peer raised."""
        ended = self._ended or await self._begin()
        try:
            await ended
        finally:
            await self._shut()

    def stop(self) -> None:
        """Ends ``run`` after what has been said has gone out."""
        self.pump()
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(None)

    def now(self) -> float:
        """The time that the peer lives in, in seconds."""
        return asyncio.get_running_loop().time()

    def dial(self, host: str, port: int, key: bytes | None = None) -> Target:
        """Keeps a line to this address, again and again with growing waits, until ``forget``."""
        target = Target(key, [(host, port)], given=True, not_before=self.now())
        self._given.append(target)
        self.pump()
        return target

    def forget(self, target: Target) -> None:
        """Dials this given target no more; its line, if it has one, stays."""
        if target in self._given:
            self._given.remove(target)

    async def connect(
        self, host: str, port: int, key: bytes | None = None, within: float = 5.0, *, keep: bool = True
    ) -> bytes:
        """Dials once and waits for the line; from then on it is kept like one of ``dial``, or left to the peer.

        Returns the other side's key. Raises DialError with what to tell the user.
        """
        target = self.dial(host, port, key)
        end = self.now() + within
        while not (target.key is not None and target.key in self._by_key):
            if self.now() >= end or (target.trouble and not target.busy):
                self.forget(target)
                raise DialError(target.trouble or f"Nothing answers at {host} port {port}.")
            await asyncio.sleep(0.01)
        if not keep:
            self.forget(target)
        return target.key

    def pump(self) -> None:
        """Carries on what the peer has to say. Call it after every call of the peer (``act``, ``say``, ``leave``)."""
        if self._pumping:
            self._pump_again = True
            return
        self._pumping = True
        try:
            self._pump_again = True
            while self._pump_again and not self._is_over:
                self._pump_again = False
                self._carry()
            if not self._is_over:
                self._dial_due()
                self._set_timer()
        except Exception as fault:
            # A fault of this program must be seen, not swallowed by the loop's callback.
            self._fail(fault)
        finally:
            self._pumping = False

    # For its connections

    def connection_made(self, connection: Connection) -> bool:
        if self._is_over:
            return False
        if not connection.outgoing and not self._welcome(connection):
            return False
        self._connections[connection.number] = connection
        return True

    def connection_ready(self, connection: Connection) -> None:
        key = connection.remote_key
        if key is None:
            return
        now = self.now()
        target = self._dialled.get(connection.number)
        if target is not None:
            if target.key is None:
                target.key = key
            elif target.key != key:
                connection.close("Another peer answers at this address than the one that was wanted.")
                return
        old = self._by_key.get(key)
        if old is not None:
            age = now - (old.ready_at if old.ready_at is not None else now)
            if not new_line_stays(
                self._identity.public, key, old_outgoing=old.outgoing, new_outgoing=connection.outgoing, age=age
            ):
                connection.close("There is a line to this peer already.")
                return
            old.close("A newer line to this peer took its place.")
        self._by_key[key] = connection
        self._up[connection.number] = connection
        binding = connection.line.handshake_hash or b""
        self._guard(
            lambda: self._peer.line_up(connection.number, key, connection.outgoing, connection.address, now, binding)
        )
        self._note_standing(connection)
        strangers = self._strangers()
        if len(strangers) > self._limits.strangers:
            strangers[0].cut("Too many strangers are here at once.")

    def connection_message(self, connection: Connection, message: bytes) -> None:
        if connection.number not in self._up:
            return
        try:
            self._peer.receive(connection.number, message, self.now())
        except (WireError, RemoteProtocolError) as fault:
            connection.close(str(fault))
        except Exception as fault:
            # What this program asked of itself and could not do is no fault of the line.
            self._fail(fault)

    def connection_read(self, connection: Connection) -> None:
        self.pump()

    def connection_over(self, connection: Connection, reason: str) -> None:
        now = self.now()
        self._connections.pop(connection.number, None)
        target = self._dialled.pop(connection.number, None)
        if target is not None:
            if connection.ready_at is not None and now - connection.ready_at >= PROVEN_AFTER:
                target.proven()
            target.failed(now, reason, self._rng)
        key = connection.remote_key
        if key is not None and self._by_key.get(key) is connection:
            del self._by_key[key]
            if target is None and key in self._wanted:
                self._wanted[key].not_before = now + self._courtesy(key)
        if self._up.pop(connection.number, None) is not None:
            self._guard(lambda: self._peer.line_down(connection.number, reason, now))
        self._pump_again = True

    # Inside

    @property
    def _is_over(self) -> bool:
        return self._ended is None or self._ended.done()

    async def _begin(self) -> asyncio.Future[None]:
        loop = asyncio.get_running_loop()
        sockets = self._listening() if self._listen else []
        self._loop = loop
        self._ended = loop.create_future()
        self.port = self._peer.port = sockets[0].getsockname()[1] if sockets else 0
        for listening in sockets:
            listening.listen(128)
        self._servers = [await loop.create_server(self._incoming, sock=listening) for listening in sockets]
        self.pump()
        return self._ended

    def _listening(self) -> list[socket.socket]:
        if self._wish:
            with contextlib.suppress(ListenError):
                return listening_sockets(self._bind, self._wish)
        return listening_sockets(self._bind, self._asked_port)

    def _incoming(self) -> Connection:
        return Connection(self, self._number(), False, self._identity, self._limits)

    def _number(self) -> int:
        self._last_number += 1
        return self._last_number

    def _welcome(self, connection: Connection) -> bool:
        """Whether an incoming connection is within the limits; the refused one is closed without a word."""
        welcome, going = admit(connection, self._connections.values(), self._strangers(), self._limits)
        for other in going:
            other.cut("It made room for somebody else.")
        return welcome

    def _strangers(self) -> list[Connection]:
        """The lines that stand and were dialled by nobody who has a place here, the oldest first."""
        return [
            connection
            for number, connection in self._up.items()
            if not connection.outgoing and self._peer.standing(number) is Standing.STRANGER
        ]

    def _note_standing(self, connection: Connection) -> None:
        """Whoever has got a place may send what it needs for that."""
        if connection.standing is Standing.PLAYER:
            # There is nothing beyond it; with ten players this is asked some thousand times in a deal.
            return
        key, standing, limits = connection.remote_key, self._peer.standing(connection.number), self._limits
        if key is None or standing <= connection.standing:
            return
        connection.standing = standing
        if standing is Standing.GUEST:
            connection.trust(Allowance(limits.guest_burst, limits.guest_rate, self.now()))
            return
        if key not in self._allowances:
            self._allowances[key] = Allowance(limits.read_burst, limits.read_rate, self.now())
        connection.trust(self._allowances[key])

    def _carry(self) -> None:
        """One round of what the peer wants done."""
        frames, closes = self._peer.data_to_send(), self._peer.lines_to_close()
        if self._outgoing is None:
            self._deliver(frames, closes)
        else:
            self._outgoing.add(self._peer.to_keep(), frames, closes)
        for connection in list(self._up.values()):
            self._note_standing(connection)
        events = self._peer.events()
        if events:
            self._pump_again = True
            if self._on_events is not None:
                self._on_events(events)

    def _deliver(self, frames: list[tuple[int, bytes]], closes: list[int]) -> None:
        """Sends what may be sent now; whatever it speaks of is on the disk."""
        given: dict[int, Connection] = {}
        for number, message in frames:
            if number in self._up:
                given[number] = self._up[number]
                given[number].send(message)
        for connection in given.values():
            connection.flush()
        for number in closes:
            if number in self._up:
                self._up[number].close("This program closed the line.")

    def _dial_due(self) -> None:
        """Dials everybody who is wanted, has no line, and whose wait is over."""
        now = self.now()
        self._note_wanted(now)
        for target in self._targets():
            if target.busy or target.not_before > now or (target.key is not None and target.key in self._by_key):
                continue
            target.busy = True
            seen = [connection.address for connection in self._up.values() if connection.address is not None]
            task = self._loop.create_task(self._attempt(target, target.next_address(seen)))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _targets(self) -> list[Target]:
        return [target for target in self._given if target.key not in self._wanted] + list(self._wanted.values())

    def _note_wanted(self, now: float) -> None:
        wanted: dict[bytes, list[Address]] = {}
        for key, host, port in self._peer.wanted():
            if key != self._identity.public:
                wanted.setdefault(key, []).append((host, port))
        for target in self._given:
            # What the user typed has worked from here, whatever others say of the address.
            if target.key is not None and target.key in wanted:
                wanted[target.key] += target.addresses
        # Who has a line is not wanted just now, but its waits are kept for when the line breaks again.
        for key in self._wanted.keys() - wanted.keys() - self._by_key.keys():
            del self._wanted[key]
        for key, addresses in wanted.items():
            known = self._wanted.get(key)
            if known is not None:
                known.addresses = addresses
                continue
            self._wanted[key] = Target(key, addresses, given=False, not_before=now + self._courtesy(key))

    def _courtesy(self, key: bytes) -> float:
        return COURTESY if self._identity.public > key else 0.0

    async def _attempt(self, target: Target, address: Address) -> None:
        """Dials once. From the TCP connection on, ``connection_over`` says how it ended."""
        connection = Connection(self, self._number(), True, self._identity, self._limits)
        self._dialled[connection.number] = target
        host, port = address
        try:
            async with asyncio.timeout(DIAL_WITHIN):
                await self._loop.create_connection(lambda: connection, host, port)
        except (OSError, OverflowError, ValueError) as fault:
            # A TimeoutError is an OSError. The last two come from host names and ports that cannot be.
            self._dialled.pop(connection.number, None)
            target.failed(self.now(), _dial_sentence(fault, host, port), self._rng)
        self.pump()

    def _set_timer(self) -> None:
        deadlines = [self._peer.next_deadline()]
        deadlines += [connection.next_deadline() for connection in self._connections.values()]
        deadlines += [(stranger.ready_at or 0.0) + self._limits.stranger_stay for stranger in self._strangers()]
        deadlines += [
            target.not_before
            for target in self._targets()
            if not target.busy and not (target.key is not None and target.key in self._by_key)
        ]
        due = [deadline for deadline in deadlines if deadline is not None]
        if self._timer is not None:
            if due and self._timer.when() <= min(due):
                # It comes too early, looks, and is set anew: cheaper than to set it with every message.
                return
            self._timer.cancel()
        self._timer = self._loop.call_at(min(due), self._on_timer) if due else None

    def _on_timer(self) -> None:
        self._timer = None
        if self._is_over:
            return
        now = self.now()
        for connection in list(self._connections.values()):
            connection.tick(now)
        for stranger in self._strangers():
            if stranger.ready_at is not None and now - stranger.ready_at >= self._limits.stranger_stay:
                stranger.close("Who has no place at the table does not stay.")
        deadline = self._peer.next_deadline()
        if deadline is not None and deadline <= now:
            self._guard(lambda: self._peer.tick(now))
        self.pump()

    def _guard(self, call: Callable[[], None]) -> None:
        try:
            call()
        except Exception as fault:
            self._fail(fault)

    def _fail(self, fault: Exception) -> None:
        if self._ended is not None and not self._ended.done():
            self._ended.set_exception(fault)

    async def _shut(self) -> None:
        """Closes everything; what has been sent has two seconds to go out."""
        if self._timer is not None:
            self._timer.cancel()
        for server in self._servers:
            server.close()
        if self._outgoing is not None:
            await self._outgoing.drained(KEEP_WITHIN)
        for task in list(self._tasks):
            task.cancel()
        closing = list(self._connections.values())
        for connection in closing:
            connection.close("This program ended.")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(2.5):
                for connection in closing:
                    await connection.lost.wait()


def _dial_sentence(fault: Exception, host: str, port: int) -> str:
    match fault:
        case ConnectionRefusedError():
            return f"Nobody listens at {host} port {port}."
        case socket.gaierror() | ValueError() | OverflowError():
            return f"There is no host {host}, port {port}."
        case _:
            return f"Nothing answers at {host} port {port}."
