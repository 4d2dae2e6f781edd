"""One TCP connection that carries one secure line, and the bounds on what the other side may make us do."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import dataclass
from typing import Protocol, cast

from nodealer.crypto.identity import Identity

from ..limits import Standing
from ..line import LineError, SecureLine

Address = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Limits:
    """What others may cost this program. Tests shrink them; the reasons stand beside the numbers."""

    lines: int = 200
    """All connections together: ten players, some lookers-on, and a browser now and then need far fewer."""
    strangers: int = 64
    """Of them those without a place at the table; one more, and the oldest of them goes."""
    stranger_stay: float = 10.0
    """Seconds in which a stranger has asked what it wanted to ask, or has taken a seat."""
    stranger_burst: int = 256 * 1024
    """Bytes from a stranger; FRAME_COST makes it some 60 frames."""
    stranger_rate: int = 16 * 1024
    """Bytes a second: four frames, of which an honest one's ping is one."""
    guest_burst: int = 1024 * 1024
    guest_rate: int = 256 * 1024
    """Bytes a second from who has a place but does not play: some 60 short messages, a hundredth of a core."""
    lines_per_address: int = 48
    """A machine may run ten bots at once, each with a line and another that is just being replaced."""
    handshakes: int = 64
    """Incoming handshakes under way; each costs about half a millisecond and ends within five seconds."""
    handshakes_per_address: int = 24
    read_burst: int = 16 * 1024 * 1024
    """Bytes that a player may send at once, over all its lines: some four thousand entries are a second's work."""
    read_rate: int = 4 * 1024 * 1024
    """Bytes a second in the long run: a quarter of a core. Who catches up with a long match is read that fast."""
    read_pause: float = 2.0
    """Seconds that a line may be left unread until the rate is kept; more at once is a flood."""
    write_buffer: int = 8 * 1024 * 1024
    """Bytes that wait for a slow reader; beyond, it is cut and catches up on its next line."""
    write_stall: float = 15.0
    """Seconds that more than WRITE_HIGH bytes may wait without a break."""


FRAME_COST = 4096
"""Bytes that a frame is counted as beyond its own: a short message costs a fifth of a millisecond, as 4 kB do."""

WRITE_HIGH = 1024 * 1024

CLOSE_WITHIN = 2.0
"""Seconds in which what was written before a close may still go out."""


class Allowance:
    """A bucket that refills with time: how much may still come."""

    def __init__(self, burst: int, rate: int, now: float) -> None:
        self._burst = float(burst)
        self._rate = rate
        self._left = float(burst)
        self._since = now

    def take(self, amount: int, now: float) -> float:
        """Takes ``amount``; the seconds until that much is there, 0 if it was."""
        self._left = min(self._burst, self._left + (now - self._since) * self._rate) - amount
        self._since = now
        debt = max(-self._left, 0.0)
        # Not deeper than what a flood of one's whole allowance makes: who comes back has to wait, but not for ever.
        self._left = max(self._left, -self._burst)
        return debt / self._rate


class Owner(Protocol):
    """Who keeps connections. Every call but the last may be followed by ``connection_over``, which comes once."""

    def connection_made(self, connection: Connection) -> bool:
        """The TCP connection stands; False refuses it."""

    def connection_ready(self, connection: Connection) -> None:
        """The handshake is done; ``connection.remote_key`` is known."""

    def connection_message(self, connection: Connection, message: bytes) -> None:
        """A message came."""

    def connection_read(self, connection: Connection) -> None:
        """All messages of one read have been given."""

    def connection_over(self, connection: Connection, reason: str) -> None:
        """The connection is over, with a sentence that says why."""


class Connection(asyncio.Protocol):
    """A secure line on a transport. ``number`` names it in this process; numbers are never used again."""

    def __init__(self, owner: Owner, number: int, outgoing: bool, identity: Identity, limits: Limits) -> None:
        self._owner = owner
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._over = False
        self._closing = False
        self._stalled_since: float | None = None
        now = self._loop.time()
        # Whom one has dialled oneself one has wanted; the others show first who they are.
        self._trusted = outgoing
        self._allowance = (
            Allowance(limits.read_burst, limits.read_rate, now)
            if outgoing
            else Allowance(limits.stranger_burst, limits.stranger_rate, now)
        )
        self.line = SecureLine(outgoing, identity, now)
        self.number = number
        self.outgoing = outgoing
        self.address: Address | None = None
        self.ready_at: float | None = None
        self.standing = Standing.STRANGER
        """What the owner last found the other side to be."""
        self.lost = asyncio.Event()
        """Set when the socket is gone too, after everything that could still be written."""

    @property
    def remote_key(self) -> bytes | None:
        """The Ed25519 identity of the other side once the handshake is done."""
        return self.line.remote_key

    # What the loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=WRITE_HIGH)
        self.address = _address(self._transport.get_extra_info("peername"))
        tcp = self._transport.get_extra_info("socket")
        if tcp is not None:
            # The loop does this by default; a card that waits for its predecessor's acknowledgement would be felt.
            tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not self._owner.connection_made(self):
            self._over = True
            self._transport.abort()
            return
        self.flush()

    def data_received(self, data: bytes) -> None:
        if self._over or self._closing:
            return
        now = self._loop.time()
        was_ready = self.line.established
        frames = self.line.frames
        try:
            messages = self.line.receive(data, now)
        except LineError as error:
            self.cut(str(error))
            self._owner.connection_read(self)
            return
        self.flush()
        if self.line.established and not was_ready:
            # Before anything is counted: a player that comes back brings much with its handshake.
            self.ready_at = now
            self._owner.connection_ready(self)
        wait = self._allowance.take(len(data) + FRAME_COST * (self.line.frames - frames), now)
        if wait > (self._limits.read_pause if self._trusted else 0.0):
            self.cut("The other side sends more than a game can need.")
            self._owner.connection_read(self)
            return
        if wait > 0.0:
            self._pause(wait)
        for message in messages:
            if self._over or self._closing:
                break
            self._owner.connection_message(self, message)
        self._owner.connection_read(self)

    def pause_writing(self) -> None:
        self._stalled_since = self._loop.time()

    def resume_writing(self) -> None:
        self._stalled_since = None

    def eof_received(self) -> bool:
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost.set()
        self._finish("The connection broke." if exc else "The other side closed the connection.")
        self._owner.connection_read(self)

    # What the owner calls

    def trust(self, allowance: Allowance) -> None:
        """The other side has a place here: from now on this is what it may send, and more makes it wait first."""
        self._trusted = True
        self._allowance = allowance

    def _pause(self, seconds: float) -> None:
        """Leaves the line unread for a while: the other side has to wait with what it sends."""
        transport = self._transport
        if transport is not None and not transport.is_closing():
            transport.pause_reading()
            self._loop.call_later(seconds, self._resume)

    def _resume(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()

    def send(self, message: bytes) -> None:
        """Queues a message; ``flush`` writes it. Nothing happens on a connection that is over."""
        if not self._over and not self._closing:
            self.line.send(message, self._loop.time())

    def flush(self) -> None:
        """Writes what the line has queued; cuts a reader that is too slow for it."""
        if self._over or self._closing or self._transport is None:
            return
        data = self.line.data_to_send()
        if not data:
            return
        if self._transport.get_write_buffer_size() + len(data) > self._limits.write_buffer:
            self.cut("The other side reads too slowly.")
            return
        self._transport.write(data)

    def tick(self, now: float) -> None:
        """Lets time pass: pings, silence, a reader that has stopped."""
        if self._over or self._closing:
            return
        if self._stalled_since is not None and now - self._stalled_since > self._limits.write_stall:
            self.cut("The other side has stopped reading.")
            return
        try:
            self.line.tick(now)
        except LineError as error:
            self.cut(str(error))
            return
        self.flush()

    def next_deadline(self) -> float | None:
        """When ``tick`` is wanted at the latest."""
        return None if self._over or self._closing else self.line.next_deadline()

    def close(self, reason: str) -> None:
        """Ends the connection in order: what has been sent still goes out, nothing is read any more."""
        if self._over or self._closing:
            return
        self.flush()
        self._closing = True
        if self._transport is not None:
            self._transport.close()
            self._loop.call_later(CLOSE_WITHIN, self._transport.abort)
        self._finish(reason)

    def cut(self, reason: str) -> None:
        """Ends the connection at once."""
        if self._transport is not None:
            self._transport.abort()
        self._finish(reason)

    def _finish(self, reason: str) -> None:
        if not self._over:
            self._over = True
            self._owner.connection_over(self, reason)


def _address(peername: object) -> Address | None:
    """The host and port of a socket's name, with the zone of a link-local IPv6 address."""
    match peername:
        case (str(host), int(port)):
            return host, port
        case (str(host), int(port), _, int(zone)):
            return (f"{host}%{zone}" if zone and "%" not in host else host), port
    return None
