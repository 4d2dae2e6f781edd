"""``nodealer verify``: check transcripts of matches, with no secret and on any machine."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import BinaryIO

from nodealer.p2p.events import PeerEvent
from nodealer.p2p.names import clean_text
from nodealer.p2p.verify import Report, Status, verify

from .exits import Exit
from .output import complain, hush, write_json, write_line
from .page_file import PageFile
from .progress import Progress
from .report_page.chronicle import Chronicle
from .report_page.fairness import Sample
from .report_page.page import Checked, pieces
from .tally import Tally, where
from .words import count, listed

# Of several transcripts the worst counts.
WORST = (Status.INVALID, Status.UNREADABLE, Status.UNFINISHED, Status.COMPLETE)


def run(args: argparse.Namespace) -> int:
    page = None if args.report is None else PageFile(Path(args.report), [Path(file) for file in args.file])
    samples: dict[str, Sample] = {}
    first: Chronicle | None = None
    results: list[Checked] = []
    for path in args.file:
        chronicle = Chronicle(samples) if page is not None else None
        one = check(path, chronicle, Progress())
        results.append(one)
        first = first or chronicle
        try:
            _tell(one, args)
        except BrokenPipeError:  # nobody reads any more; what is found goes into the exit code, and into the page
            hush()
    if page is not None and first is not None:
        if results[0].report.status is Status.UNREADABLE:
            name = clean_text(args.file[0])
            complain(f"No report is written: it would tell the match of {name}, which cannot be read as a transcript.")
        else:
            page.write(pieces(results, first, samples))
    status = min((one.report.status for one in results), key=WORST.index)
    return Exit(status.value)


def check(path: str, chronicle: Chronicle | None = None, progress: Progress | None = None) -> Checked:
    """Verify one file; ``chronicle`` is told everything, ``progress`` how far it is."""
    tally = Tally()
    try:
        with open(path, "rb") as file:
            size = _size(file)

            def on_event(event: PeerEvent) -> None:
                tally.on_event(event)
                if chronicle is not None:
                    chronicle.on_event(event)
                if progress is not None and progress.due():
                    progress.show(_so_far(file, size, tally))

            report = verify(file, on_event)
    except OSError as error:
        report = Report(Status.UNREADABLE, f"The transcript cannot be read ({error.strerror}).")
    finally:
        if progress is not None:
            progress.clear()
    if chronicle is not None:
        chronicle.decks.finish()
    return Checked(path, report, tally)


def _size(file: BinaryIO) -> int | None:
    """In bytes; None for what has none, a pipe for one."""
    return max(os.fstat(file.fileno()).st_size, 1) if file.seekable() else None


def _so_far(file: BinaryIO, size: int | None, tally: Tally) -> str:
    done = "" if size is None else f"{min(file.tell() * 100 // size, 100)} %, "
    counts = tally.counts
    return (
        f"Checking: {done}round {tally.round + 1}; {count(counts['shuffle'], 'shuffle')}, "
        f"{count(counts['lock'], 'lock')} and {count(counts['shown'], 'card')} hold"
    )


def _tell(one: Checked, args: argparse.Namespace) -> None:
    if args.json:
        write_json(as_json(one))
        return
    many = len(args.file) > 1
    name = clean_text(one.file)
    if one.report.status is Status.UNREADABLE and not many:
        complain(f"{name}: {one.report.sentence}")
        return
    for index, line in enumerate(told(one.report, one.tally)):
        write_line(f"{name}: {line}" if many and index == 0 else f"  {line}" if many else line)


def as_json(one: Checked) -> dict[str, object]:
    """The report as one object; names stand in seat order."""
    report = one.report
    names = [player.name for player in report.players]
    options = report.options
    return {
        "file": one.file,
        "status": report.status.name.lower(),
        "sentence": report.sentence,
        "established": one.tally.established(report.status),
        "edition": options.edition if options is not None else None,
        "seats": len(names),
        "names": names,
        "fingerprints": [player.fingerprint for player in report.players],
        "rounds": report.rounds,
        "winner": names[report.winner] if report.winner is not None else None,
        "scores": dict(zip(names, report.scores, strict=False)),
        "digest": report.digest.hex(),
        "entries": report.entries,
        "slot": report.slot,
        "verified": report.counts,
        "record": report.record,
        "number": report.number,
        "writer": report.writer,
        "check": report.check,
    }


def told(report: Report, tally: Tally | None = None) -> list[str]:
    """The report for a person: what was found, what was established (by the tally), who played, how it stands."""
    lines = [report.sentence]
    if report.status is Status.UNREADABLE:
        return lines
    failed = where(report)
    if failed:
        lines.append(failed)
    if tally is not None:
        until = "Until then" if report.status is Status.INVALID else "Established"
        lines.append(f"{until}: {tally.established(report.status)}")
    if report.players:
        lines.append("Players: " + listed([f"{player.name} ({player.fingerprint})" for player in report.players]) + ".")
    if report.scores:
        players = zip(report.players, report.scores, strict=False)
        scores = ", ".join(f"{who.name} {points}" for who, points in players)
        lines.append(f"{count(report.rounds, 'round').capitalize()} ended; scores: {scores}.")
    if report.winner is not None:
        lines.append(f"{report.players[report.winner].name} won.")
    lines.append(f"{count(report.entries, 'signed message').capitalize()} checked.")
    return lines
