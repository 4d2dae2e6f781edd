"""``nodealer join``: take a seat at a table found on the network, or at an address."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

from nodealer.engine import EDITIONS
from nodealer.p2p.events import Outcome
from nodealer.p2p.journal import Saved
from nodealer.p2p.names import clean_text
from nodealer.p2p.net.discovery import FindingFails, browse, find_table
from nodealer.p2p.net.interfaces import on_a_network
from nodealer.p2p.net.query import QueryError, ask_table
from nodealer.p2p.net.records import TableInfo
from nodealer.p2p.net.runner import DialError, Runner
from nodealer.p2p.peer import Peer

from .exits import Complaint, Exit
from .passphrase import Locked, ask, given, may_ask
from .resuming import Note, Unfinished, again
from .seat import Seat, run_seat
from .session import Session
from .words import listed

# Of a port.
MAX_DIGITS = 5
BROWSE_S = 2.0
FIND_S = 4.0


def run(args: argparse.Namespace) -> int:
    address = parse_address(args.table) if args.table is not None else None
    in_lines = getattr(args, "screen", None) is None
    # In lines the terminal is read from the beginning, and so the question has to come before it.
    if in_lines and given(args) is None and may_ask(args) and asyncio.run(is_locked(lambda: find(args.table), address)):
        args.passphrase = ask()
    return run_seat(args, lambda seat: sit_down(seat, address))


def about(table: TableInfo) -> str:
    """A table that was found, in a sentence."""
    edition = EDITIONS.get(table.edition)
    game = table.edition if edition is None else edition.title
    return f"{table.host}'s table: {game}, {table.taken} of {table.seats} seats are taken."


async def is_locked(look: Callable[[], Awaitable[TableInfo]], address: tuple[str, int] | None) -> bool:
    """Whether the table that is meant says that it has a passphrase; False where none answers."""
    try:
        table = await (look() if address is None else ask_table(*address))
    except (Complaint, QueryError):
        return False  # said when it is joined
    return table.passphrase


async def sit_down(seat: Seat, address: tuple[str, int] | None) -> Exit:
    """Join the table at ``address``, or look for the one that the command line names."""
    args = seat.args
    passphrase = given(args)
    going_on = seat.unfinished(
        lambda saved, note: note.command == "join" and is_meant(args.table, address, saved, note)
    )
    if going_on is not None and address is not None and await _is_another(address, going_on):
        going_on.file.close()
        seat.tell("Another table is open there now; the unfinished match is kept.")
        going_on = None
    if going_on is not None:
        return await seat.play(
            again(going_on), bind=args.bind, port=args.port, host=False, setup=nothing, going_on=going_on
        )
    peer = Peer.join(seat.identity, seat.name, passphrase=passphrase)

    async def setup(stack: AsyncExitStack, session: Session, runner: Runner) -> None:
        key = None
        where = address
        if where is None:
            table = await find(args.table)
            where, key = table.address, table.key
            if not seat.json:
                seat.tell(about(table))
            if table.passphrase and passphrase is None:
                raise Locked(locked(f"{table.host}'s table asks for a passphrase."), given=False)
        try:
            await runner.connect(where[0], where[1], key)
        except DialError as error:
            raise Complaint(f"{error} Check the address, or see `nodealer tables`.", Exit.UNREACHED) from None

    begun_by = Note("join", args.table or "")
    code = await seat.play(peer, bind=args.bind, port=args.port, host=False, setup=setup, begun_by=begun_by)
    if peer.ended is not None and peer.ended.outcome is Outcome.LOCKED:
        sentence = peer.ended.sentence
        raise Locked(locked(sentence) if passphrase is None else sentence, given=passphrase is not None)
    return code


async def nothing(stack: AsyncExitStack, session: Session, runner: Runner) -> None:
    """Who goes on knows where the others listen, and is known to them."""


def is_meant(wanted: str | None, address: tuple[str, int] | None, saved: Saved, note: Note) -> bool:
    """Whether an unfinished match is at the table that the command line means."""
    if note.command != "join":
        return False
    if wanted is None or wanted == note.table:
        return True
    host = saved.roster.offers[saved.roster.host].offer
    if address is not None:
        return saved.addresses.get(host.key) == address
    return wanted.casefold() in (host.name.casefold(), host.host_nonce[:4].hex())


async def _is_another(address: tuple[str, int], going_on: Unfinished) -> bool:
    """Whether a new table fills at this address: then that one is meant."""
    try:
        table = await ask_table(*address)
    except QueryError:
        return False
    return table.open and table.nonce != going_on.saved.roster.offers[0].offer.host_nonce[:16]


def locked(sentence: str) -> str:
    return f"{sentence.removesuffix('.')}; give it with --passphrase-file."


async def find(wanted: str | None) -> TableInfo:
    """The table that is meant: the one named, or the only open one."""
    try:
        return await _find(wanted)
    except FindingFails as error:
        raise Complaint(str(error), Exit.UNREACHED) from None


async def _find(wanted: str | None) -> TableInfo:
    where = "on this network" if on_a_network() else "on this machine, and it is on no network"
    if wanted is not None:
        table = await find_table(wanted, FIND_S)
        if table is None:
            raise Complaint(
                f"No table called {clean_text(wanted)[:40]!r} is open {where}; `nodealer tables` lists those that "
                "are, and HOST:PORT joins by address.",
                Exit.UNREACHED,
            )
        return table
    tables = await browse(BROWSE_S)
    if not tables:
        raise Complaint(
            f"No table is open {where}; open one with `nodealer host`, or join by address with HOST:PORT.",
            Exit.UNREACHED,
        )
    if len(tables) > 1:
        hosts = listed([f"{table.host} ({table.table})" for table in tables])
        raise Complaint(f"Several tables are open ({hosts}); say which: nodealer join TABLE.", Exit.UNREACHED)
    return tables[0]


def parse_address(text: str) -> tuple[str, int] | None:
    """``HOST:PORT`` or ``[IPV6]:PORT``; None for the name of a table."""
    host, colon, port = text.rpartition(":")
    if not colon or not port:
        return None
    if not (port.isascii() and port.isdigit() and len(port) <= MAX_DIGITS and 0 < int(port) < 65536):
        raise Complaint(f"{port[:20]!r} is no port; an address is HOST:PORT with a port from 1 to 65535.")
    host = host.removeprefix("[").removesuffix("]")
    if not host:
        raise Complaint("An address is HOST:PORT, with a host.")
    return host, int(port)
