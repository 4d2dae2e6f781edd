"""Forks for tests: at which slot the second face is shown, delivery at random, and what all who stay must have seen."""

from __future__ import annotations

import random
from dataclasses import replace

from nodealer.p2p.bodies import NOTHING
from nodealer.p2p.entry import Entry, body_hash
from nodealer.p2p.events import Ended, Notice, Outcome, PlayerOut
from nodealer.p2p.feed import CONTROL_KINDS
from nodealer.p2p.options import TableOptions
from nodealer.p2p.verify import Status
from nodealer.p2p.wire import encode

from examples.liar import LyingPlayer, report_of, sitting_of
from examples.table import FAST, Meddler, Seated, Table
from examples.two_faces import Other

FORK = "equivocation"
FIVE = TableOptions.defaults("despicable-me-4", seats=5, target=0).fast()


def options_for(players: int) -> TableOptions:
    return FIVE if players > 4 else FAST


def face(slot: str, least: int = 0) -> Other:
    """The other face of an entry for a slot of this kind: a draw instead of a play, else a line of chat before it."""

    def other(player: LyingPlayer, kind: str, body: bytes) -> tuple[str, bytes] | None:
        if kind in CONTROL_KINDS or player.match.slot.kind.value != slot or player.match.slot.number < least:
            return None
        return ("draw", NOTHING) if slot == "move" and kind == "play" else ("chat", encode(["wait"]))

    return other


def at_random(table: Table, inner: Meddler, seed: object) -> Meddler:
    """Every frame takes its own time; what one sends to another stays in order, as on any line."""
    rng = random.Random(repr(seed))
    last: dict[tuple[int, int], float] = {}

    def meddle(sender: int, receiver: int, data: bytes) -> list[tuple[float, bytes]]:
        frames = []
        for delay, frame in inner(sender, receiver, data):
            when = table.now + delay + rng.choice([0, 0, 0.01, 0.05, 0.4])
            last[sender, receiver] = when = max(last.get((sender, receiver), 0.0), when)
            frames.append((when - table.now, frame))
        return frames

    return meddle


def twin(seated: Seated, number: int, text: str = "or not") -> Entry:
    """Another entry with this number, signed by this player."""
    player = sitting_of(seated).player
    body = encode([text])
    header = player.match.feeds[player.writer].entries[number].header
    return Entry.make(player.identity, replace(header, kind="chat", body_hash=body_hash(body)), body)


def show(table: Table, entry: Entry, to: int, by: int) -> None:
    """One player sends an entry to another."""
    mesh = table.seats[by].peer._mesh
    key = table.seats[to].peer.key
    for link in mesh.links.values():
        if link.key == key:
            mesh.send(link.line, "entry", entry.encode())
    table._drain(by)


def fork(table: Table, by: int, to: int, back: int = 1) -> None:
    """A player signs another entry with the number of one of its last, and shows it to one other."""
    match = sitting_of(table.seats[by]).match
    feed = match.feeds[sitting_of(table.seats[by]).me]
    show(table, twin(table.seats[by], len(feed.entries) - back), to, by)


def outs(seated: Seated) -> list[tuple[str, str, str | None]]:
    return [(event.name, event.reason, event.check) for event in seated.told if isinstance(event, PlayerOut)]


def said(seated: Seated, text: str) -> bool:
    return any(isinstance(event, Notice) and text in event.text for event in seated.told)


def dealt_anew(table: Table, cheat: int) -> None:
    """Play until the others have a new deck; all went back to the same slot, and so does the verifier."""
    stay = [seated for index, seated in enumerate(table.seats) if index != cheat]
    matches = [sitting_of(seated).match for seated in stay]
    table.run(120, until=lambda: all(match.forks.voids and match.decks for match in matches))
    expected = [(table.seats[cheat].peer.own.name, "cheat", FORK)]
    for seated, match in zip(stay, matches, strict=True):
        assert seated.ended is None
        assert match.decks
        assert outs(seated) == expected
        assert match.forks.boundaries == matches[0].forks.boundaries
        report = report_of(seated)
        assert report.status is Status.UNFINISHED, report
        assert [(out.name, out.reason, out.check) for out in report.out] == expected
        assert report.digest == match.result_digest


def played_on(table: Table, *gone: tuple[int, str, str | None]) -> list[Ended]:
    """All but these play to the same end, name these and nobody else, and so does the verifier of what they wrote.

    Who learns of a fork when all is over says so, and the result stands.
    """
    expected = [(table.seats[index].peer.own.name, reason, check) for index, reason, check in gone]
    stay = [seated for index, seated in enumerate(table.seats) if index not in {index for index, _, _ in gone}]
    for seated in stay:
        ended = seated.ended
        assert ended is not None
        assert ended.outcome is Outcome.COMPLETE, ended
        late = not outs(seated) and said(seated, "The result stands.")
        assert late or sorted(outs(seated)) == sorted(expected), (outs(seated), expected)
        report = report_of(seated)
        assert report.status is Status.COMPLETE, report
        assert sorted((out.name, out.reason, out.check) for out in report.out) == sorted(expected), report
        assert report.digest == ended.digest
        assert dict(enumerate(report.scores)) == dict(ended.scores)
    found = [seated.ended for seated in stay if seated.ended is not None]
    assert len({ended.digest for ended in found}) == 1
    return found
