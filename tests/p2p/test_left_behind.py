"""Who is dropped while it holds an entry of its own that nobody else has: its transcript accuses nobody."""

from __future__ import annotations

import io
import random

import pytest
from nodealer.p2p.entry import Entry
from nodealer.p2p.events import Outcome
from nodealer.p2p.transcript import MAGIC, frame, parse_record
from nodealer.p2p.verify import Report, Status, verify

from examples.liar import CheatTable, report_of, sitting_of
from examples.table import HOP

LOST = 1


def dropped_with_an_entry_of_its_own(kind: str) -> CheatTable:
    """Player 1 writes this, its lines break before it is out, and it comes back when the others have gone on."""
    table = CheatTable(seed=("left behind", kind))
    table.form()
    sitting_of(table.seats[LOST]).patient = True  # as a person's, which waits as long as it likes
    others = [index for index in range(4) if index != LOST]

    def written() -> bool:
        match = table.liar.match
        return any(entry.header.kind == kind for entry in match.feeds[table.liar.writer].entries)

    table.meddle = lambda sender, receiver, data: [] if sender == LOST and written() else [(HOP, data)]
    table.run(600, until=written)
    for other in others:
        table.disconnect(LOST, other)
    table.meddle = lambda sender, receiver, data: [(HOP, data)]
    slot = table.liar.match.slot.number
    table.run(
        600, until=lambda: all(s.peer.match is not None and s.peer.match.slot.number > slot + 4 for s in table.honest)
    )
    for other in others:
        table.heal(LOST, other)
    table.run(3600)
    return table


def verified(records: list[bytes]) -> Report:
    return verify(io.BytesIO(MAGIC + b"".join(map(frame, records))))


@pytest.mark.parametrize("kind", ["shuffle", "lock"])
def test_nobody_is_accused_in_any_order_of_the_records(kind: str) -> None:
    table = dropped_with_an_entry_of_its_own(kind)
    for seated in table.honest:
        assert seated.ended is not None
        assert seated.ended.outcome is Outcome.COMPLETE
        assert report_of(seated).status is Status.COMPLETE
    lost = table.seats[LOST]
    assert lost.ended is not None
    assert (lost.ended.outcome, lost.ended.blamed) == (Outcome.GONE, None)
    report = report_of(lost)
    assert report.status is Status.UNFINISHED
    assert "the others went on without Player 1, before entry" in report.sentence
    assert not report.out

    # The same with all that the others wrote, whoever's entries come first.
    own = [record for record in lost.records if isinstance(entry := parse_record(record), Entry)]
    full = max((seated.records for seated in table.honest), key=len)
    rng = random.Random(kind)
    for _ in range(6):
        feeds: dict[int, list[bytes]] = {}
        for record in dict.fromkeys((*own, *full)):
            entry = parse_record(record)
            if isinstance(entry, Entry):
                feeds.setdefault(entry.header.writer, []).append(record)
        for writer, records in feeds.items():
            feeds[writer] = sorted(records, key=lambda record: parse_record(record).header.number)  # type: ignore[union-attr]
        order = rng.sample(sorted(feeds), len(feeds))
        # What the others had in common comes first, as they had it; then whole feeds, one after the other.
        mine = table.liar.writer
        order = [mine, *(writer for writer in order if writer != mine)]
        mixed = verified([full[0], *(record for writer in order for record in feeds[writer][:200])])
        assert mixed.status is Status.UNFINISHED, mixed.sentence
        assert not mixed.out
