"""``nodealer tables``: the tables that are open on the local network now; each was asked before it is listed."""

from __future__ import annotations

import argparse
import asyncio

from nodealer.p2p.net.discovery import FindingFails, browse
from nodealer.p2p.net.interfaces import on_a_network
from nodealer.p2p.net.records import TableInfo

from .exits import Complaint, Exit
from .host import joined
from .output import write_json, write_line

BROWSE_S = 2.0


def run(args: argparse.Namespace) -> int:
    try:
        tables = [row(table) for table in asyncio.run(browse(BROWSE_S))]
    except FindingFails as error:
        raise Complaint(str(error), Exit.UNREACHED) from None
    if args.json:
        write_json(tables)
    elif not tables:
        where = "on this network" if on_a_network() else "on this machine, and it is on no network"
        write_line(f"No table is open {where}. Open one with `nodealer host`.")
    else:
        for line in columns(tables):
            write_line(line)
    return Exit.COMPLETE


def row(table: TableInfo) -> dict[str, object]:
    """A table as the JSON tells it."""
    return {
        "table": table.table,
        "host": table.host,
        "address": joined(*table.address),
        "edition": table.edition,
        "seats": table.seats,
        "taken": table.taken,
        "passphrase": table.passphrase,
        "fingerprint": table.fingerprint,
    }


def columns(tables: list[dict[str, object]]) -> list[str]:
    """The tables for a person, with a heading."""
    rows = [("HOST", "TABLE", "ADDRESS", "GAME", "SEATS", "KEY")]
    rows += [
        (
            str(table["host"]),
            str(table["table"]),
            str(table["address"]),
            str(table["edition"]),
            f"{table['taken']}/{table['seats']}" + (" (passphrase)" if table["passphrase"] else ""),
            str(table["fingerprint"]),
        )
        for table in tables
    ]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
