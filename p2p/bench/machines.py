"""A table on simulated machines: real peers, real proofs, each step's own time, and a stated model of the rest.

The model. Every peer does one thing at a time, in the order in which messages reach it. A step takes the processor
time that it takes here, measured on this thread's clock; where it splits work over cores, the shares are timed one by
one, and the step takes as long as the longest of them (waiting for the interpreter's lock is not modelled). A message
takes `delay` from the end of the step that sent it. With a machine for every player all steps of different players
run side by side; with one machine they share `shared` cores, first come, first served. Encryption of the line, the
system's sockets and the disk are left out; so are starting up and finding one another. With `free` steps take no time
at all: what is left are the delays, and everything that is counted is the same in every run.
"""

from __future__ import annotations

import heapq
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from nodealer import engine
from nodealer.crypto import cores
from nodealer.crypto.bench import clock
from nodealer.crypto.identity import Identity

from ..events import DecisionNeeded, GameEvent
from ..match import Match
from ..options import TableOptions
from ..peer import Peer

DELAY = 0.0005
"""Seconds from one machine to another on a LAN."""
JOINING = 0.01
"""Seconds between two players who sit down."""

PORT = 7425

Chooser = Callable[[DecisionNeeded, random.Random], engine.Action | None]


def eager(asked: DecisionNeeded, rng: random.Random) -> engine.Action | None:
    """Plays when it can, calls UNO with the play, and lets windows pass."""
    if asked.kind is engine.Kind.WINDOW:
        return None
    plays = [action for action in asked.legal if isinstance(action, engine.PlayCard)]
    if not plays:
        return rng.choice(asked.legal)
    play = rng.choice(plays)
    if play.uno is not None and len(asked.view.hand) == 2:
        return engine.PlayCard(play.handle, play.card, play.colour, True)
    return play


@dataclass(frozen=True, slots=True)
class Message:
    """What is under way to a peer, on one of its lines."""

    to: int
    line: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Press:
    """A key that is pressed, if the slot that asked for it is still open then."""

    to: int
    slot: int
    action: engine.Action


class Machines:
    """n peers; the first hosts. Make it with `machines`. ``run`` lets simulated time pass."""

    def __init__(
        self,
        options: TableOptions,
        serial: cores.Serial,
        *,
        shared: int | None = None,
        delay: float = DELAY,
        free: bool = False,
        think: float = 0.0,
        choose: Chooser = eager,
        journal: bool = False,
    ) -> None:
        """``shared``: cores of one machine for all, None for a machine each; ``think``: seconds before each key;
        ``journal``: the first peer keeps one."""
        count, seed = options.seats, repr(options)
        self.now = 100.0
        self.delay = delay
        self.peers: list[Peer] = []
        for index in range(count):
            stream = random.Random(f"{seed} peer {index}").randbytes
            identity = Identity.from_seed(stream(32))
            name = f"Player {index}"
            self.peers.append(
                Peer.join(identity, name, stream) if index else Peer.host(identity, name, options, stream)
            )
            # One of its own for each: players without a port are never dialled.
            self.peers[index].port = PORT + index
        if journal:
            self.peers[0].keep_journal()
        self.cpu = [0.0] * count
        """Processor seconds of each peer."""
        self.work: dict[str, list[float]] = defaultdict(list)
        """Seconds of each step of any peer, by what that peer awaited."""
        self.messages = [0] * count
        self.bytes = [0] * count
        self.rounds = 0
        """Rounds that have ended."""
        self.records: list[bytes] = []
        """The transcript of the first peer."""
        self.kept: list[bytes] = []
        """The journal of the first peer."""
        self._serial = serial
        self._free = free
        self._think = think
        self._choose = choose
        self._rngs = [random.Random(f"{seed} choice {index}") for index in range(count)]
        self._queue: list[tuple[float, int, Message | Press]] = []
        self._count = 0
        # Of each end of each line: the peer at the other end, and its number for the line.
        self._lines: dict[int, tuple[int, int]] = {}
        self._last_line = 0
        self._away: set[int] = set()
        self._peer_free = [0.0] * count
        self._core_free = [] if shared is None else [0.0] * shared

    # -- what is looked at ---------------------------------------------------------------------------------------------

    @property
    def away(self) -> bool:
        """Whether somebody's lines are lost."""
        return bool(self._away)

    def match_of(self, index: int) -> Match | None:
        return self.peers[index].match

    @property
    def finished(self) -> float:
        """When the last step ended."""
        return max(self._peer_free)

    def on_press(self, index: int, action: engine.Action, at: float) -> None:
        """A key is pressed."""

    def on_step(self, index: int, at: float) -> None:
        """A step of this peer is done."""

    # -- lines ---------------------------------------------------------------------------------------------------------

    def form(self) -> None:
        """Let everybody join the host's table, one after the other."""
        for index in range(1, len(self.peers)):
            self._work_until(self.now + JOINING)
            self._connect(index, 0)

    def take_away(self, index: int) -> None:
        """All lines of this peer break, and come again only with ``bring_back``."""
        self._away.add(index)
        for line in [line for line, (to, _) in self._lines.items() if to == index]:
            _, back = self._lines.pop(line)
            other, _ = self._lines.pop(back)
            for end, number in ((other, line), (index, back)):
                self._do_now(end, "line", partial(self.peers[end].line_down, number, "cut", self.now))

    def bring_back(self, index: int) -> None:
        self._away.discard(index)

    def _connect(self, dialler: int, answerer: int) -> None:
        mine, theirs = self._last_line + 1, self._last_line + 2
        self._last_line += 2
        self._lines[mine], self._lines[theirs] = (answerer, theirs), (dialler, mine)
        binding = mine.to_bytes(32, "big")
        for index, other, line, outgoing in ((dialler, answerer, mine, True), (answerer, dialler, theirs, False)):
            address = (f"10.0.0.{other + 1}", PORT + other)
            up = partial(self.peers[index].line_up, line, self.peers[other].key, outgoing, address, self.now, binding)
            self._do_now(index, "line", up)

    def _dial(self) -> None:
        here = len(self.peers) - len(self._away)
        if len(self._lines) >= here * (here - 1):
            return
        index_of = {peer.key: index for index, peer in enumerate(self.peers)}
        there = {frozenset((to, self._lines[back][0])) for to, back in self._lines.values()}
        for index, peer in enumerate(self.peers):
            for key, _, _ in peer.wanted() if index not in self._away else ():
                pair = frozenset((index, index_of[key]))
                if pair not in there and not pair & self._away:
                    there.add(pair)
                    self._connect(index, index_of[key])

    # -- time ----------------------------------------------------------------------------------------------------------

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Let time pass until ``until`` holds, all are done, or so many seconds are over."""
        end = self.now + seconds
        while self.now < end and not until() and not all(peer.done for peer in self.peers):
            self.step()

    def step(self) -> None:
        """To the next thing that happens: something arrives, or a deadline is there."""
        self._dial()
        deadlines = [peer.next_deadline() for peer in self.peers]
        times = [at for at in deadlines if at is not None] + [at for at, _, _ in self._queue[:1]]
        if not times:
            raise RuntimeError("nothing will ever happen at this table")
        self._work_until(max(self.now, min(times)))
        for index, at in enumerate(deadlines):
            if at is not None and at <= self.now:
                self._do_now(index, "clock", partial(self.peers[index].tick, self.now))

    def _ready_at(self, index: int, when: float) -> float:
        return max(when, self._peer_free[index], min(self._core_free, default=0.0))

    def _work_until(self, end: float) -> None:
        while self._queue and self._queue[0][0] <= end:
            when, count, item = heapq.heappop(self._queue)
            start = self._ready_at(item.to, when)
            if start > when:
                heapq.heappush(self._queue, (start, count, item))
                continue
            self.now = max(self.now, when)
            peer, match = self.peers[item.to], self.match_of(item.to)
            match item:
                case Message(to, line, data) if line in self._lines:
                    kind = "forming" if match is None else match.slot.kind.value
                    self._do(to, when, kind, partial(peer.receive, line, data, self.now))
                case Press(to, slot, action) if match is not None and match.slot.number == slot:
                    self.on_press(to, action, when)
                    self._do(to, when, "press", partial(peer.act, action, self.now))
                case _:
                    pass
        self.now = max(self.now, end)

    def _do_now(self, index: int, kind: str, call: Callable[[], None]) -> None:
        self._do(index, self._ready_at(index, self.now), kind, call)

    def _do(self, index: int, when: float, kind: str, call: Callable[[], None]) -> None:
        """A step: all that ``call`` brings about in this peer. What it says leaves when it is done."""
        peer, before = self.peers[index], self._serial.spared
        frames: list[tuple[int, bytes]] = []
        asked: list[DecisionNeeded] = []
        began = clock()
        call()
        while True:
            for event in peer.events():
                if isinstance(event, DecisionNeeded):
                    asked.append(event)
                elif not index and isinstance(event, GameEvent):
                    self.rounds += isinstance(event.event, engine.RoundWon | engine.RoundDrawn)
            kept = peer.to_keep().records
            frames += peer.data_to_send()
            if not index:
                self.kept += kept
                self.records += peer.records()
            if not peer.events_waiting:
                break
        spent = 0.0 if self._free else clock() - began - (self._serial.spared - before)
        self.cpu[index] += spent
        self.work[kind].append(spent)
        finish = self._peer_free[index] = when + spent
        if self._core_free:
            self._core_free[self._core_free.index(min(self._core_free))] = finish
        for line, data in frames:
            if line in self._lines:
                self.messages[index] += 1
                self.bytes[index] += len(data)
                to, back = self._lines[line]
                self._put(finish + self.delay, Message(to, back, data))
        for decision in asked:
            action, match = self._choose(decision, self._rngs[index]), peer.match
            if action is not None and match is not None:
                self._put(finish + self._think, Press(index, match.slot.number, action))
        self.on_step(index, finish)

    def _put(self, when: float, item: Message | Press) -> None:
        self._count += 1
        heapq.heappush(self._queue, (when, self._count, item))


@contextmanager
def machines(threads: int = 1) -> Iterator[cores.Serial]:
    """Everything in this block is done by this thread alone; `Machines` that is given what comes out of it counts
    split work as if it were done by so many threads at once."""
    with cores.using(threads), cores.one_by_one(clock) as serial:
        yield serial
