"""What one peer can tell about a match when it is over: the last line of ``--json``, and what ``bots`` makes of many.

Times are of the system-wide monotonic clock, so that those of several processes on one machine can be compared.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from nodealer import engine
from nodealer.p2p import events as p2p
from nodealer.p2p.names import clean_text

EPOCH_SLOTS = ("shuffle", "lock", "epoch ok")
Span = tuple[float, float]


@dataclass(slots=True)
class Report:
    """An observer that keeps digests and times. ``work`` is a clock of this process's own processor time."""

    work: Callable[[], float] = time.process_time
    names: tuple[str, ...] = ()
    seat: int | None = None
    rounds: int = 0
    started: float | None = None
    deals: list[Span] = field(default_factory=list)
    deal_work: list[float] = field(default_factory=list)
    reshuffles: list[Span] = field(default_factory=list)
    ended: p2p.Ended | None = None
    _round: int | None = None
    _deal_since: float | None = None
    _work_since: float = 0.0
    _dealt: bool = False
    _reshuffle_since: float | None = None

    def next_deadline(self) -> float | None:
        return None

    def tick(self, now: float) -> None:
        return

    def on_event(self, event: p2p.PeerEvent, now: float) -> None:
        match event:
            case p2p.TableMade(players=players, seat=seat):
                self.names = tuple(clean_text(player.name) for player in players)
                self.seat = seat
            case p2p.SlotOpened(kind=kind, round=number, epoch=epoch):
                self._slot(kind, number, epoch, now)
            case p2p.HandChanged():
                # The old hand goes at the round's beginning; the new one is readable once the deal's keys have come.
                if self._deal_since is not None and self._dealt:
                    self.deals.append((self._deal_since, now))
                    self.deal_work.append(self.work() - self._work_since)
                    self._deal_since = None
            case p2p.GameEvent(event=engine.RoundWon() | engine.RoundDrawn()):
                self.rounds += 1
            case p2p.Ended():
                self.ended = event

    def _slot(self, kind: str, number: int, epoch: int, now: float) -> None:
        if kind == "start":
            self.started = now
        if kind == "shuffle" and number != self._round:
            self._round, self._deal_since, self._dealt = number, now, False
            self._work_since = self.work()
        elif kind == "keys":
            self._dealt = True
        elif kind == "shuffle" and epoch > 0 and self._reshuffle_since is None:
            self._reshuffle_since = now
        if kind not in EPOCH_SLOTS and self._reshuffle_since is not None:
            self.reshuffles.append((self._reshuffle_since, now))
            self._reshuffle_since = None

    def result(self, transcript: str | None) -> dict[str, object]:
        """The object that a bot process ends with."""
        ended = self.ended
        winner = ended.winner if ended is not None else None
        return {
            "outcome": ended.outcome.name.lower() if ended is not None else "left",
            "sentence": ended.sentence if ended is not None else "",
            "complete": ended is not None and ended.outcome is p2p.Outcome.COMPLETE,
            "seat": self.seat,
            "names": list(self.names),
            "winner": self.names[winner] if winner is not None and winner < len(self.names) else None,
            "scores": {self.names[seat]: points for seat, points in sorted(ended.scores.items())}
            if ended is not None
            else {},
            "rounds": self.rounds,
            "digest": ended.digest.hex() if ended is not None else None,
            "blamed": self.names[ended.blamed] if ended is not None and ended.blamed is not None else None,
            "check": ended.check if ended is not None else None,
            "started": self.started,
            "deals": [[round(a, 4), round(b, 4)] for a, b in self.deals],
            "deal_work": [round(seconds, 4) for seconds in self.deal_work],
            "reshuffles": [[round(a, 4), round(b, 4)] for a, b in self.reshuffles],
            "memory_mb": memory_mb(),
            "transcript": transcript,
        }


def memory_mb() -> float | None:
    """The most memory that this process has had resident so far; None where the system does not tell."""
    try:
        with open("/proc/self/status", encoding="ascii") as file:
            lines = dict(line.split(":", 1) for line in file if ":" in line)
        return round(int(lines["VmHWM"].split()[0]) * 1024 / 1e6, 1)
    except (OSError, KeyError, ValueError):
        return None


def slowest(results: Sequence[Mapping[str, object]], key: str) -> list[float]:
    """Seconds of each span ``key``, from its first begin at any peer to its last end at any."""
    rows = [value for result in results if isinstance(value := result.get(key), list)]
    return [
        round(max(end for _, end in spans) - min(begin for begin, _ in spans), 4) for spans in zip(*rows, strict=False)
    ]


def summary(
    edition: str, seats: int, results: Sequence[Mapping[str, object]], transcript: str | None
) -> dict[str, object]:
    """The object of ``nodealer bots --json`` out of the results of those peers that gave one."""
    digests = [result["digest"] for result in results if result.get("digest")]
    first: Mapping[str, object] = results[0] if results else {}
    complete = len(digests) == seats and len(set(digests)) == 1 and all(result.get("complete") for result in results)
    return {
        "edition": edition,
        "seats": seats,
        "rounds": first.get("rounds", 0),
        "winner": first.get("winner"),
        "scores": first.get("scores", {}),
        "digests": digests,
        "deal_seconds": slowest(results, "deals"),
        "reshuffle_seconds": slowest(results, "reshuffles"),
        "complete": complete,
        "transcript": transcript,
    }
