"""One seat at one table, from the first line to the last: carries events, input lines, time and signals between the
runner and the player (a bot or a person's screen), who are both machines without input or output of their own."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from nodealer import engine
from nodealer.p2p import events as p2p
from nodealer.p2p.errors import LocalProtocolError

from .exits import Complaint, Exit
from .lines import Lines
from .player import Act, Leave, Player, Say, StartNow, Wish
from .spawn import LEAVE

log = logging.getLogger("nodealer.session")

# Who leaves waits so long for its own peer to say that the match is over, and not longer.
GOODBYE_S = 2.0
# After the end the peer stays for those who lack something; it says itself when it is done, and this bounds it.
LINGER_S = 4.0
LINGER_STEP_S = 0.05


class Peer(Protocol):
    """What a session needs of the peer."""

    @property
    def done(self) -> bool: ...
    def act(self, action: engine.Action, now: float) -> None: ...
    def say(self, text: str, now: float) -> None: ...
    def start_now(self, now: float) -> None: ...
    def leave(self, now: float) -> None: ...


class Runner(Protocol):
    """What a session needs of the runner."""

    def now(self) -> float: ...
    def pump(self) -> None: ...
    def stop(self) -> None: ...
    async def run(self) -> None: ...


class Observer(Protocol):
    """Sees every event and says nothing to the table."""

    def on_event(self, event: p2p.PeerEvent, now: float) -> None: ...
    def next_deadline(self) -> float | None: ...
    def tick(self, now: float) -> None: ...


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of standard input, None at its end."""

    text: str | None


@dataclass(frozen=True, slots=True)
class _Signal:
    number: int


@dataclass(frozen=True, slots=True)
class Failure:
    """Something around the table went wrong (a bot that could not start): ends the session with this complaint."""

    complaint: Complaint


@dataclass(slots=True)
class Session:
    """Plays one seat to the end of the match; ``run`` returns the exit code.

    ``after`` is called whenever something has happened (the transcript is written there). ``tied``: standard input is
    not read for answers; its end means that whoever started this program is gone. Then this one leaves the table, or,
    if it ``keeps`` a journal, stops as it is: it may be started again.
    """

    peer: Peer
    player: Player
    runner: Runner
    observers: Sequence[Observer] = ()
    after: Callable[[], None] = lambda: None
    read_input: bool = False
    tied: bool = False
    keeps: bool = False
    made: bool = False
    ended: p2p.Ended | None = None
    _left: Exit | None = None
    _queue: asyncio.Queue[object] = field(default_factory=asyncio.Queue)

    def take_events(self, events: Sequence[p2p.PeerEvent]) -> None:
        """Receiver for the runner's events."""
        for event in events:
            self._queue.put_nowait(event)

    def wake(self) -> None:
        """Look at the player's wishes now, not only after the next event. Only in this session's thread."""
        self._queue.put_nowait(None)

    def fail(self, complaint: Complaint) -> None:
        """End the session from outside."""
        self._queue.put_nowait(Failure(complaint))

    async def run(self, setup: Callable[[], Awaitable[None]]) -> Exit:
        """Run until the match is over, the person has left, or a signal came. ``setup`` finds or fills the table
        meanwhile; what it raises ends the session."""
        loop = asyncio.get_running_loop()
        lines: Lines | None = None
        if self.read_input or self.tied:

            def take(line: str | None) -> None:
                loop.call_soon_threadsafe(self._queue.put_nowait, _Line(line))

            eager = self.tied or sys.stdin.isatty()
            lines = Lines(0, take, eager=eager)
            lines.start()
        for number in _signals():
            # Beside a full screen this is not the main thread: signals are the screen's.
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, self._queue.put_nowait, _Signal(number))
        work = asyncio.create_task(self.runner.run())
        work.add_done_callback(lambda _: self._queue.put_nowait(None))
        begun = asyncio.ensure_future(setup())
        begun.add_done_callback(lambda _: self._queue.put_nowait(None))
        await asyncio.sleep(0)  # what it says at once comes before anything else
        try:
            code = await self._loop(lines, work, begun)
            await self._linger()
        finally:
            if not begun.done():
                begun.cancel()
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await begun
            if not work.done():
                self.runner.stop()
            try:
                await asyncio.wait_for(asyncio.shield(work), timeout=5)
            except TimeoutError:
                work.cancel()
            except asyncio.CancelledError:
                pass
        return code

    async def _linger(self) -> None:
        """Stay until the others have what they need from here."""
        end = self.runner.now() + LINGER_S
        while self.ended is not None and not self.peer.done and self.runner.now() < end:
            await asyncio.sleep(LINGER_STEP_S)

    async def _loop(self, lines: Lines | None, work: asyncio.Task[None], begun: asyncio.Future[None]) -> Exit:
        give_up: float | None = None
        while True:
            now = self.runner.now()
            for wish in self.player.tick(now):
                self._grant(wish, now)
            for observer in self.observers:
                observer.tick(now)
            self.after()
            if begun.done() and not begun.cancelled() and (fault := begun.exception()) is not None:
                raise fault
            if self.ended is not None:
                return Exit(self.ended.outcome.value) if self._left is None else self._left
            if work.done() or (give_up is not None and now >= give_up):
                return self._left if self._left is not None else Exit.GONE
            if self._left is not None and give_up is None:
                give_up = now + GOODBYE_S
            if lines is not None and not self.tied and self.player.wants_line():
                lines.want()
            item = await self._next(now, give_up)
            now = self.runner.now()
            match item:
                case _Line(text=text):
                    if lines is not None:
                        lines.delivered()
                    if not self.tied:
                        self.player.on_line(text, now)
                    elif text is None and self.keeps and self._left is None:
                        return Exit.GONE
                    elif text in (None, LEAVE):
                        self._grant(Leave(), now)
                case _Signal(number=number):
                    if self._left is not None:  # asked twice: no more waiting
                        return self._left
                    self._leave(Exit.INTERRUPTED if number == signal.SIGINT else Exit.TERMINATED, now)
                case Failure(complaint=complaint):
                    self._leave(complaint.code, now)
                    raise complaint
                case None:
                    pass
                case _:
                    self._hand_on(item, now)

    async def _next(self, now: float, give_up: float | None) -> object | None:
        """The next thing that happens, or None when a deadline has passed."""
        deadlines = [give_up, self.player.next_deadline(), *(observer.next_deadline() for observer in self.observers)]
        due = [deadline for deadline in deadlines if deadline is not None]
        try:
            return await asyncio.wait_for(self._queue.get(), max(min(due) - now, 0.0) if due else None)
        except TimeoutError:
            return None

    def _hand_on(self, event: object, now: float) -> None:
        if isinstance(event, p2p.Ended):
            self.ended = event
        if isinstance(event, p2p.TableMade):
            self.made = True
        log.debug("%s", event)
        for observer in self.observers:
            observer.on_event(event, now)  # type: ignore[arg-type]
        self.player.on_event(event, now)  # type: ignore[arg-type]

    def _grant(self, wish: Wish, now: float) -> None:
        """Do what the player asks of the peer; a refusal of the own peer goes back to the player."""
        try:
            match wish:
                case Act(action=action):
                    self.peer.act(action, now)
                case Say(text=text):
                    self.peer.say(text, now)
                case StartNow():
                    self.peer.start_now(now)
                case Leave():
                    self._leave(Exit.LEFT, now)
        except LocalProtocolError as error:
            self.player.on_refusal(str(error), now)
        self.runner.pump()

    def _leave(self, code: Exit, now: float) -> None:
        """Tell the table that this seat goes, once."""
        if self._left is None:
            self._left = code
            with contextlib.suppress(LocalProtocolError):
                self.peer.leave(now)
            self.runner.pump()


def _signals() -> tuple[int, ...]:
    """The signals that mean: leave. A closed terminal is one of them where it exists."""
    return (signal.SIGINT, signal.SIGTERM, *((signal.SIGHUP,) if hasattr(signal, "SIGHUP") else ()))
