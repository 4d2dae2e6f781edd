"""``nodealer watch``: see a match live without a seat; everything is verified by this program while it goes on."""

from __future__ import annotations

import argparse
import asyncio
import json
from contextlib import AsyncExitStack

from nodealer.p2p.events import Outcome, PeerEvent
from nodealer.p2p.identity import Identity
from nodealer.p2p.net.discovery import browse, find_table
from nodealer.p2p.net.records import TableInfo
from nodealer.p2p.net.runner import DialError, Runner
from nodealer.p2p.watching import Watcher

from .exits import Complaint, Exit
from .home import Home
from .join import BROWSE_S, FIND_S, about, is_locked, locked, parse_address
from .keeper import Keeper, transcript_path
from .narrator import Narrator
from .output import write_line
from .passphrase import ask, given, may_ask
from .player import Leave, Wish
from .report import Report
from .session import Observer, Session
from .words import listed

FIRST = "You watch without a seat; this program checks every message by itself. `leave` ends it."


def run(args: argparse.Namespace) -> int:
    address = parse_address(args.table) if args.table is not None else None
    if given(args) is None and may_ask(args) and asyncio.run(is_locked(lambda: find(args.table), address)):
        args.passphrase = ask()
    return asyncio.run(_watch(args, address))


class Onlooker:
    """Who watches in line mode: it can only go. The end of input means nothing, so that a script may watch."""

    def __init__(self) -> None:
        self._wishes: list[Wish] = []

    def on_event(self, event: PeerEvent, now: float) -> None:
        """Nothing is asked of it."""

    def on_line(self, line: str | None, now: float) -> None:
        word = (line or "").strip().casefold()
        if word in ("leave", "quit", "q"):
            self._wishes.append(Leave())
        elif word:
            write_line(f"* {FIRST}")

    def on_refusal(self, sentence: str, now: float) -> None:
        write_line(f"* {sentence}")

    def wants_line(self) -> bool:
        return True

    def next_deadline(self) -> float | None:
        return None

    def tick(self, now: float) -> list[Wish]:
        wishes, self._wishes = self._wishes, []
        return wishes


async def _watch(args: argparse.Namespace, address: tuple[str, int] | None) -> Exit:
    """Watch the table at ``address``, or the one that is found, to its end."""
    passphrase = given(args)
    path = transcript_path(args.transcript, Home.memory(), "")
    table = None if address is not None else await find(args.table)
    # Nobody needs to know who watches: the key lasts as long as this program.
    identity = Identity.generate()
    watcher = Watcher(
        identity.public,
        passphrase,
        host_key=None if table is None else table.key,
        nonce=None if table is None else table.nonce,
    )
    where = address if table is None else table.address
    report, keeper = Report(), Keeper(path, watcher.records)
    observers: list[Observer] = [report] if args.json else [report, Narrator(write_line)]
    runner = Runner(watcher, identity, listen=False, on_events=lambda events: session.take_events(events))
    session = Session(watcher, Onlooker(), runner, observers, after=keeper.keep, read_input=not args.json)
    if not args.json:
        if table is not None:
            write_line(f"* {about(table)}")
        write_line(f"* {FIRST}")

    async def setup() -> None:
        if where is None:
            return
        try:
            await runner.connect(*where, None if table is None else table.key, keep=False)
        except DialError as error:
            raise Complaint(f"{error} Check the address, or see `nodealer tables`.", Exit.UNREACHED) from None

    try:
        async with AsyncExitStack():
            code = await session.run(setup)
    finally:
        keeper.close()
    ended = watcher.ended
    if ended is not None and ended.outcome is Outcome.LOCKED:
        raise Complaint(locked(ended.sentence) if passphrase is None else ended.sentence, Exit.UNREACHED)
    if args.json:
        write_line(json.dumps(report.result(keeper.written)))
    else:
        if ended is not None and ended.digest:
            write_line(f"* The final state is {ended.digest.hex()[:16]}….")
        if keeper.written is not None:
            write_line(f"* The transcript is {keeper.written}")
    return Exit.UNREACHED if watcher.refused else code


async def find(wanted: str | None) -> TableInfo:
    """The table that is meant, whether it has begun to play or not: the one named, or the only one there is."""
    if wanted is not None:
        table = await find_table(wanted, FIND_S)
        if table is None:
            raise Complaint(
                f"No table called {wanted[:40]!r} is on this network; HOST:PORT of any player watches by address.",
                Exit.UNREACHED,
            )
        return table
    tables = await browse(BROWSE_S, open_only=False)
    if not tables:
        raise Complaint("There is no table on this network; watch by address with HOST:PORT.", Exit.UNREACHED)
    if len(tables) > 1:
        hosts = listed([f"{table.host} ({table.table})" for table in tables])
        raise Complaint(f"There are several tables ({hosts}); say which: nodealer watch TABLE.", Exit.UNREACHED)
    return tables[0]
