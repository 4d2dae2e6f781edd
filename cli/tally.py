"""What a run of the verifier has established, counted as it goes and told in plain words."""

from __future__ import annotations

from collections import Counter

from nodealer import engine
from nodealer.p2p import events as p2p
from nodealer.p2p.verify import Report, Status

from .words import count


class Tally:
    """An observer of the verifier's events."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        # The seats that have shuffled, with proof.
        self.shufflers: set[int] = set()
        self.round = 0
        self.full = 0

    def on_event(self, event: p2p.PeerEvent) -> None:
        match event:
            case p2p.TableMade(options=options):
                self.full = len(engine.EDITIONS[options.edition].cards)
            case p2p.SlotOpened(round=number):
                self.round = number
            case p2p.StepVerified(what=what, seat=seat, cards=cards):
                self.counts[what] += 1
                if what == "shuffle":
                    self.shufflers.add(seat)
                    self.counts["small shuffle"] += cards < self.full
            case p2p.CardsOpened(cards=cards):
                self.counts["shown"] += len(cards)
            case p2p.GameEvent(event=engine.ChallengeWon() | engine.ChallengeLost()):
                self.counts["challenge"] += 1

    def established(self, status: Status) -> str:
        """A sentence: "4 shuffles of 108 cards by 4 players proven; 61 cards shown, each opened to the deck; …"."""
        counts = self.counts
        small = counts["small shuffle"]
        if not counts["shuffle"]:
            return "Nothing about cards was established yet."
        parts = [f"{count(counts['shuffle'] - small, 'shuffle')} of {self.full} cards"]
        if small:
            parts[0] += f" and {small} of the discard pile"
        parts[0] += f" by {count(len(self.shufflers), 'player')} proven"
        parts.append(f"{count(counts['lock'], 'lock')} proven")
        if counts["shown"]:
            parts.append(f"{count(counts['shown'], 'card')} shown, each opened to the deck")
        else:
            parts.append("no card shown")
        if counts["challenge"]:
            parts.append(f"{count(counts['challenge'], 'challenge')} proven")
        if counts["kept"]:
            parts.append(f"{count(counts['kept'], 'hand')} proven to hold no icon")
        if counts["choice"]:
            parts.append(f"{count(counts['choice'], 'sealed choice')} opened as committed")
        if status is not Status.INVALID:
            parts.append("final scores follow" if status is Status.COMPLETE else "scores so far follow")
        return "; ".join(parts) + "."


def where(report: Report) -> str:
    """Which check failed in which message of whom, or nothing."""
    if report.check is None:
        return ""
    of = f" by {report.writer}" if report.writer is not None else ""
    place = f"; entry {report.number}{of}" if report.number is not None else ""
    return f"Failed check: {report.check} (record {report.record}{place})."
