"""``nodealer verify``: check the transcript of a match, with no secret and on any machine."""

from __future__ import annotations

import argparse
import json

from nodealer.p2p.verify import Report, Status, verify

from .exits import Complaint, Exit
from .output import write_line
from .words import count, listed


def run(args: argparse.Namespace) -> int:
    try:
        with open(args.file, "rb") as file:
            report = verify(file)
    except OSError as error:
        raise Complaint(f"The transcript {args.file} cannot be read ({error.strerror}).") from None
    if args.json:
        write_line(json.dumps(as_json(report), ensure_ascii=False))
    elif report.status is Status.UNREADABLE:
        raise Complaint(f"{args.file}: {report.sentence}")
    else:
        for line in told(report):
            write_line(line)
    return Exit(report.status.value)


def as_json(report: Report) -> dict[str, object]:
    """The report as one object; names stand in seat order."""
    names = [player.name for player in report.players]
    options = report.options
    return {
        "status": report.status.name.lower(),
        "sentence": report.sentence,
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


def told(report: Report) -> list[str]:
    """The report for a person: what was found, who played, what was checked."""
    lines = [report.sentence]
    if report.check is not None:
        of = f" by {report.writer}" if report.writer is not None else ""
        where = f"; entry {report.number}{of}" if report.number is not None else ""
        lines.append(f"Failed check: {report.check} (record {report.record}{where}).")
    if report.players:
        lines.append("Players: " + listed([f"{player.name} ({player.fingerprint})" for player in report.players]) + ".")
    if report.scores:
        players = zip(report.players, report.scores, strict=False)
        scores = ", ".join(f"{who.name} {points}" for who, points in players)
        lines.append(f"{count(report.rounds, 'round')} ended; scores: {scores}.")
    if report.winner is not None:
        lines.append(f"{report.players[report.winner].name} won.")
    checked = ", ".join(f"{what} {number}" for what, number in report.counts.items())
    lines.append(
        f"Checked: {count(report.entries, 'signed entry').replace('entrys', 'entries')}; {checked or 'nothing'}."
    )
    return lines
