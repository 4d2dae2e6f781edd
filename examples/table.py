"""A table of n real peers in one process, on a wire that can drop, double, delay, reorder, tamper; time is simulated.

Below the sockets everything is real: keys, proofs, feeds, the machine. `Wire.meddle` sees every frame and says what
arrives of it and when.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from nodealer import engine
from nodealer.crypto.hashing import digest
from nodealer.crypto.identity import Identity
from nodealer.p2p.errors import ProtocolError
from nodealer.p2p.events import DecisionNeeded, DecisionOver, Ended, PeerEvent
from nodealer.p2p.line import LineError
from nodealer.p2p.options import TableOptions
from nodealer.p2p.peer import Peer

Chooser = Callable[[DecisionNeeded, random.Random], engine.Action | None]
# (sender, receiver, frame) -> [(delay, frame), ...]
Meddler = Callable[[int, int, bytes], list[tuple[float, bytes]]]

HOP = 0.001


def eager(decision: DecisionNeeded, rng: random.Random) -> engine.Action | None:
    """Plays when it can, calls UNO with the play three times in four, answers windows half of the time."""
    if decision.kind is engine.Kind.WINDOW:
        return rng.choice([None, decision.legal[0]])
    plays = [action for action in decision.legal if isinstance(action, engine.PlayCard)]
    if not plays:
        return rng.choice(decision.legal)
    play = rng.choice(plays)
    if play.uno is not None and len(decision.view.hand) == 2 and rng.random() < 0.75:
        play = engine.PlayCard(play.handle, play.card, play.colour, True)
    return play


def hoard(decision: DecisionNeeded, rng: random.Random) -> engine.Action | None:
    """Draws whenever it may."""
    for kind in (engine.Draw, engine.Keep, engine.Take):
        for action in decision.legal:
            if isinstance(action, kind):
                return action
    return eager(decision, rng)


@dataclass
class Seated:
    """One peer with its chooser and what it has told."""

    peer: Peer
    choose: Chooser
    rng: random.Random
    told: list[PeerEvent] = field(default_factory=list)
    records: list[bytes] = field(default_factory=list)
    down: bool = False

    @property
    def ended(self) -> Ended | None:
        return self.peer.ended


def seeded(seed: object) -> Callable[[int], bytes]:
    """Randomness for tests: a named stream of bytes."""
    return random.Random(repr(seed)).randbytes


class Table:
    """n peers; index 0 is the host. ``run`` plays until all have ended or the simulated time is up."""

    def __init__(
        self,
        players: int,
        options: TableOptions,
        *,
        seed: object = 0,
        choose: Chooser = eager,
        make: Callable[[int, Identity, str, Callable[[int], bytes]], Peer] | None = None,
    ) -> None:
        self.now = 100.0
        self.rng = random.Random(repr(seed))
        self.meddle: Meddler = lambda sender, receiver, frame: [(HOP, frame)]
        self.seats: list[Seated] = []
        self.traffic: list[tuple[int, int, bytes]] = []
        self._queue: list[tuple[float, int, int, int, int, bytes]] = []
        self._count = 0
        self._lines: dict[int, tuple[int, int]] = {}
        self._next_line = 1
        self.cut: set[frozenset[int]] = set()
        for index in range(players):
            identity = Identity.from_seed(seeded((seed, "identity", index))(32))
            stream = seeded((seed, "peer", index))
            name = f"Player {index}"
            if make is not None:
                peer = make(index, identity, name, stream)
            elif index == 0:
                peer = Peer.host(identity, name, options, stream)
            else:
                peer = Peer.join(identity, name, stream)
            peer.port = 7425 + index
            self.seats.append(Seated(peer, choose, random.Random(repr((seed, "choice", index)))))

    # -- wiring ------------------------------------------------------------------------------------------------------

    def connect(self, dialler: int, answerer: int) -> None:
        """A line from one peer to another; each end has its own number for it."""
        a, b = self._next_line, self._next_line + 1
        self._next_line += 2
        self._lines[a], self._lines[b] = (answerer, b), (dialler, a)
        for index, other, line, outgoing in ((dialler, answerer, a, True), (answerer, dialler, b, False)):
            if line not in self._lines:
                # The first to be told has died of it.
                continue
            key = self.seats[other].peer.key
            where = (f"10.0.0.{other + 1}", 7425)
            self.seats[index].peer.line_up(line, key, outgoing, where, self.now, self.binding(a))
            self._drain(index)

    def binding(self, line: int) -> bytes:
        """What stands for the handshake hash of the line that its dialler calls so."""
        return digest("test line", line.to_bytes(4, "big"))

    def lines_between(self, one: int, two: int) -> list[int]:
        return [line for line, (to, back) in self._lines.items() if {to, self._lines[back][0]} == {one, two}]

    def disconnect(self, one: int, two: int) -> None:
        """The cable between two peers is cut: both ends notice; no new line until ``heal``."""
        self.cut.add(frozenset((one, two)))
        for line in self.lines_between(one, two):
            if line not in self._lines:
                continue
            other, back = self._lines.pop(line)
            mine, _ = self._lines.pop(back)
            for index, number in ((mine, line), (other, back)):
                self.seats[index].peer.line_down(number, "cut", self.now)
                self._drain(index)

    def heal(self, one: int, two: int) -> None:
        self.cut.discard(frozenset((one, two)))

    def kill(self, index: int) -> None:
        """The process is gone without a word."""
        self.seats[index].down = True
        for other in range(len(self.seats)):
            if other != index:
                self.disconnect(index, other)

    def _dial(self) -> None:
        by_key = {seated.peer.key: index for index, seated in enumerate(self.seats)}
        for index, seated in enumerate(self.seats):
            if seated.down:
                continue
            for key, _, _ in seated.peer.wanted():
                other = by_key[key]
                pair = frozenset((index, other))
                if other < index or pair in self.cut or self.seats[other].down or self.lines_between(index, other):
                    continue
                self.connect(index, other)

    # -- running -----------------------------------------------------------------------------------------------------

    def form(self) -> None:
        """Let everybody join the host's table."""
        for index in range(1, len(self.seats)):
            self.connect(index, 0)
            self._deliver_until(self.now + 0.01)

    def _drain(self, index: int) -> None:
        seated = self.seats[index]
        if seated.down:
            return
        happened = seated.peer.events()
        for at, event in enumerate(happened):
            seated.told.append(event)
            # A window may be answered by what others did before anybody could press a key.
            if isinstance(event, DecisionNeeded) and not any(isinstance(e, DecisionOver) for e in happened[at:]):
                action = seated.choose(event, seated.rng)
                if action is not None:
                    seated.peer.act(action, self.now)
        seated.records += seated.peer.records()
        frames = seated.peer.data_to_send()
        self._keep(index)
        for line, frame in frames:
            if line in self._lines:
                self._send(index, line, frame)
        if seated.peer.events_waiting:
            self._drain(index)

    def _keep(self, index: int) -> None:
        """A place to keep what must be on the disk before the frames go out."""

    def _send(self, index: int, line: int, frame: bytes) -> None:
        other, back = self._lines[line]
        self.traffic.append((index, other, frame))
        for delay, data in self.meddle(index, other, self.wrap(line, frame)):
            self._count += 1
            heapq.heappush(self._queue, (self.now + delay, self._count, index, other, back, data))

    def wrap(self, line: int, frame: bytes) -> bytes:
        """What travels of a frame; here the frame itself."""
        return frame

    def unwrap(self, line: int, data: bytes) -> list[bytes]:
        """The frames in what has arrived; raises ``LineError`` where the line cannot go on."""
        return [data]

    def _receive(self, to: int, line: int, message: bytes) -> None:
        self.seats[to].peer.receive(line, message, self.now)

    def _break(self, line: int) -> None:
        """Both ends see the line end."""
        other, back = self._lines.pop(line)
        to, _ = self._lines.pop(back)
        for index, number in ((to, line), (other, back)):
            self.seats[index].peer.line_down(number, "broken", self.now)
            self._drain(index)

    def _deliver_until(self, end: float) -> None:
        while self._queue and self._queue[0][0] <= end:
            when, _, _, to, line, data = heapq.heappop(self._queue)
            self.now = max(self.now, when)
            if line not in self._lines or self.seats[to].down:
                continue
            try:
                for message in self.unwrap(line, data):
                    self._receive(to, line, message)
            except LineError:
                self._break(line)
            except ProtocolError:
                self.cut.add(frozenset((to, self._lines[line][0])))
                self._break(line)
            self._drain(to)
        self.now = max(self.now, end)

    def step(self) -> None:
        """Let time pass until the next thing happens: a frame arrives or a peer's deadline is due."""
        self._dial()
        times = [self._queue[0][0]] if self._queue else []
        for seated in self.seats:
            deadline = None if seated.down else seated.peer.next_deadline()
            if deadline is not None:
                times.append(deadline)
        if not times:
            return
        self._deliver_until(max(self.now, min(times)))
        for index, seated in enumerate(self.seats):
            deadline = None if seated.down else seated.peer.next_deadline()
            if deadline is not None and deadline <= self.now:
                seated.peer.tick(self.now)
                self._drain(index)

    def run(self, seconds: float = 3600.0, until: Callable[[], bool] | None = None) -> None:
        """Play until everybody who is up has ended and lingered, ``until`` holds, or the simulated time is up."""
        end = self.now + seconds
        while self.now < end:
            if until is not None and until():
                return
            if all(seated.down or seated.peer.done for seated in self.seats):
                return
            self.step()

    def play(self, seconds: float = 3600.0) -> list[Ended | None]:
        """Form the table and play it to its end; how it ended at each peer."""
        self.form()
        self.run(seconds)
        return [seated.ended for seated in self.seats]


FAST = TableOptions.defaults("four-colors", seats=4, target=0).fast()
