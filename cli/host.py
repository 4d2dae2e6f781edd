"""``nodealer host``: open a table on the local network, fill seats with bots on request, and play."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace

from nodealer.p2p import events as p2p
from nodealer.p2p.net.discovery import Announcer
from nodealer.p2p.net.interfaces import lan_addresses, on_a_network
from nodealer.p2p.net.records import Description
from nodealer.p2p.net.runner import Runner
from nodealer.p2p.options import TableOptions
from nodealer.p2p.peer import Peer

from .company import Company, folder_called, forget, new_folder
from .exits import Complaint, Exit
from .names import bot_names
from .options import table_options
from .output import write_line
from .passphrase import given
from .resuming import Note, again
from .seat import LOOPBACK, Seat, run_seat
from .session import Session

EVERYWHERE = ("", "0.0.0.0", "::")


def run(args: argparse.Namespace) -> int:
    options = table_options(args)
    if args.bots >= options.seats:
        raise Complaint(f"{args.bots} bots and yourself are more than {options.seats} seats; use --seats.")
    return run_seat(args, lambda seat: open_table(seat, options, announce=not args.no_announce))


async def open_table(
    seat: Seat, options: TableOptions, *, announce: bool, bind: str | None = None, command: str = "host"
) -> Exit:
    """Host a table with these options and play at it, or go on with the unfinished one of the same ``command``."""
    args = seat.args
    passphrase = given(args)
    going_on = seat.unfinished(lambda saved, note: note.command == command)
    watch = not getattr(args, "no_watch", False)
    if going_on is None:
        peer = Peer.host(seat.identity, seat.name, options, passphrase=passphrase, watch=watch)
    else:
        peer = again(going_on)
    bots = options.seats - 1 if args.bots is None else args.bots
    if going_on is None:
        company = Company(new_folder(seat.home) if bots else None)
    else:
        company = Company.saved(folder_called(seat.home, going_on.note.bots))

    def stays() -> bool:
        return peer.match is not None and peer.resumable

    bind = bind if bind is not None else getattr(args, "bind", None)

    async def setup(stack: AsyncExitStack, session: Session, runner: Runner) -> None:
        address = joined(shown(bind), runner.port)
        if seat.json:
            write_line(json.dumps({"address": address}))
        if going_on is not None:
            await company.sit_down(stack, session, stays)
            return
        if not seat.json:
            who = "players" if passphrase is None else "players who know the passphrase"
            seat.tell(f"The table is open at {address}, for {options.seats} {who}.")
            if announce and not on_a_network():
                seat.tell("This machine is on no network now: only programs that run on it can join.")
        if announce:
            announcer = Announcer(describe(peer), peer.key, runner.port, bind)
            await stack.enter_async_context(announcer)
            session.observers = [*session.observers, Herald(announcer, peer, seat.tell)]
        if bots:
            here = LOOPBACK if bind is None or bind in EVERYWHERE else bind
            # A bot must be reachable for the other players: it listens where the table listens.
            where = [f"--bind={bind}"] if bind is not None else []
            fast = ["--fast"] if args.fast else []
            arguments = ["join", joined(here, runner.port), f"--style={args.style}", "--port=0", *where, *fast]
            seated = replace(company, names=bot_names(bots, [seat.name]), arguments=tuple(arguments))
            seated.save()
            await seated.sit_down(stack, session, stays, passphrase)

    early = args.bots is not None and args.bots < options.seats - 1  # else bots fill the table anyway
    early = early and going_on is None
    begun_by = Note(command, bots=company.folder.name if company.folder is not None else "")
    try:
        return await seat.play(
            peer, bind=bind, port=args.port, host=early, setup=setup, going_on=going_on, begun_by=begun_by
        )
    finally:
        if not stays():
            forget(company.folder)


class Herald:
    """An observer that keeps the announcement true, and says once when announcing does not work."""

    def __init__(self, announcer: Announcer, peer: Peer, tell: Callable[[str], None]) -> None:
        self._announcer = announcer
        self._tell = tell
        self._peer = peer
        self._tasks: set[asyncio.Task[None]] = set()
        self._told = False

    def on_event(self, event: p2p.PeerEvent, now: float) -> None:
        if isinstance(event, p2p.LobbyChanged | p2p.TableMade):
            task = asyncio.get_running_loop().create_task(self._announcer.update(describe(self._peer)))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def next_deadline(self) -> float | None:
        return None

    def tick(self, now: float) -> None:
        if self._announcer.trouble and not self._told:
            self._told = True
            self._tell(self._announcer.trouble)


def shown(bind: str | None) -> str:
    """The address to tell others: where one listens, or this machine's first address on a network."""
    if bind is not None and bind not in EVERYWHERE:
        return bind
    return next(iter(lan_addresses()), LOOPBACK)


def joined(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def describe(peer: Peer) -> Description:
    """What is announced of the table: its own answer to a question."""
    _, *values = peer.description()
    return Description(*values)  # type: ignore[arg-type]
