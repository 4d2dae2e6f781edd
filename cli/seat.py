"""A seat at a table, made ready: identity and name, a bot or a person, what is told and what is kept, the network."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import random
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from nodealer.p2p.errors import LocalProtocolError
from nodealer.p2p.identity import Identity
from nodealer.p2p.journal import Saved
from nodealer.p2p.net.disk import JournalError, Ledger
from nodealer.p2p.net.listen import ListenError
from nodealer.p2p.net.runner import Runner
from nodealer.p2p.peer import Peer
from nodealer.p2p.transcript import record_roster

from .acquaintance import strangers
from .bot import Bot
from .exits import Complaint, Exit
from .home import Home
from .keeper import Keeper, continued_path, transcript_path
from .names import bot_names, checked_name, default_name
from .narrator import Narrator
from .output import write_line
from .plain import Plain
from .player import Player
from .policy import Style
from .report import Report
from .resuming import Note, Unfinished, folder_of, unfinished
from .session import Observer, Session
from .tracing import traced
from .words import listed

if TYPE_CHECKING:
    from .screen.bridge import Bridge

LOOPBACK = "127.0.0.1"
# A bot that is started again waits so long for the one before it, which ends when its pipe has closed.
PATIENCE_S = 5.0

log = logging.getLogger("nodealer.seat")


@dataclass(slots=True)
class Seat:
    """What a command brings to a table; ``make_peer`` gives it the table itself."""

    args: argparse.Namespace
    home: Home
    identity: Identity
    name: str
    # Of a throw-away identity: it stands nowhere else.
    seed: bytes = field(default=b"", repr=False)

    @classmethod
    def open(cls, args: argparse.Namespace) -> Seat:
        """The seat that the command line describes. Close it with ``close``."""
        bot = getattr(args, "bot", False)
        if not getattr(args, "tied", False):
            home = Home.open(args.data_dir)
        elif args.data_dir is None:
            home = Home.memory()
        else:
            home = Home.open(args.data_dir, patience=PATIENCE_S)
        try:
            if args.name is not None:
                name = checked_name(args.name)
                if not bot:
                    home.remember("name", name)
            else:
                kept = home.setting("name")
                name = bot_names(1)[0] if bot else checked_name(kept) if kept is not None else default_name()
            seed = home.seed()
            return cls(args, home, Identity.from_seed(seed), name, seed)
        except BaseException:
            home.close()
            raise

    def close(self) -> None:
        self.home.close()

    @property
    def is_bot(self) -> bool:
        return bool(getattr(self.args, "bot", False))

    @property
    def json(self) -> bool:
        return bool(getattr(self.args, "json", False))

    @property
    def screen(self) -> Bridge | None:
        """The full screen's side of this seat; None in line mode, and for bots."""
        bridge: Bridge | None = getattr(self.args, "screen", None)
        return bridge

    def tell(self, line: str) -> None:
        """A line for the person, wherever the person looks."""
        if self.screen is not None:
            self.screen.tell(line)
        elif self.json:
            log.info("%s", line)
        else:
            write_line(f"* {line}")

    @property
    def tied(self) -> bool:
        return bool(getattr(self.args, "tied", False))

    async def play(
        self,
        peer: Peer,
        *,
        bind: str | None,
        port: int | None,
        host: bool,
        setup: Callable[[AsyncExitStack, Session, Runner], Awaitable[None]],
        going_on: Unfinished | None = None,
        begun_by: Note = Note(""),  # noqa: B008
    ) -> Exit:
        """Listen, let ``setup`` find or announce the table, and play to the end. Returns the exit code.

        ``going_on``: the unfinished match that ``peer`` was made from; ``begun_by``: by what a match is found again.
        """
        ledger = self._ledger(going_on)
        try:
            with traced(getattr(self.args, "trace", None), peer):
                return await self._play(peer, bind, port, host, setup, going_on, begun_by, ledger)
        except JournalError as error:
            raise Complaint(str(error), Exit.JOURNAL) from None
        finally:
            if ledger is not None:
                ledger.close(finished=not peer.resumable)

    def unfinished(self, wanted: Callable[[Saved, Note], bool]) -> Unfinished | None:
        """The unfinished match that this command goes on with; told to the person."""
        new = bool(getattr(self.args, "new", False))
        found = unfinished(self.home, self.identity, wanted, new=new)
        if found is not None:
            self.identity = found.identity
            self.tell(
                f"Going on with the unfinished match with {listed(found.others)}; --new would drop it. "
                "Waiting for the others to answer."
            )
        return found

    def _ledger(self, going_on: Unfinished | None) -> Ledger | None:
        """What keeps the journal; None for who keeps nothing on the disk."""
        folder = folder_of(self.home)
        return None if folder is None else Ledger(folder, None if going_on is None else going_on.file)

    async def _play(
        self,
        peer: Peer,
        bind: str | None,
        port: int | None,
        host: bool,
        setup: Callable[[AsyncExitStack, Session, Runner], Awaitable[None]],
        going_on: Unfinished | None,
        begun_by: Note,
        ledger: Ledger | None,
    ) -> Exit:
        report = Report()
        narrator = Narrator(
            write_line,
            lambda players, seat: strangers(players, None if seat is None else players[seat].key, self.home, note=True),
        )
        if self.tied and self.args.transcript is None:
            path = None
        elif going_on is None:
            path = transcript_path(self.args.transcript, self.home, peer.key.hex()[:6])
        else:
            path = continued_path(self.args.transcript, going_on.note.transcript, record_roster(going_on.saved.roster))
        keeper = Keeper(path, peer.records, again=going_on is not None, ready=lambda: ledger is None or ledger.begun)
        if ledger is not None and going_on is None:
            note = replace(begun_by, transcript=str(path.absolute()) if path else "")
            peer.keep_journal(note.encode(), self.seed if self.home.throwaway else b"")
        observers: list[Observer] = [report] if self.json or self.screen is not None else [report, narrator]
        runner = Runner(
            peer,
            self.identity,
            bind=bind,
            port=port,
            on_events=lambda events: session.take_events(events),
            journal=ledger,
            # The others know where this program listened.
            wish=0 if going_on is None else going_on.saved.seat.port,
        )
        session = Session(
            peer,
            self._player(narrator, host=host),
            runner,
            observers,
            after=keeper.keep,
            read_input=not (self.is_bot or self.tied or self.screen is not None),
            tied=self.tied,
            keeps=ledger is not None,
        )
        if self.home.throwaway and not self.tied:
            self.tell("Another nodealer uses this folder: you sit here under a throw-away identity.")
        try:
            await runner.start()
        except ListenError as error:
            raise Complaint(str(error), Exit.UNREACHED) from None
        peer.port = runner.port
        peer.patient = not self.is_bot
        if self.screen is not None:
            self.screen.sit(session, peer, self.home)
        try:
            async with AsyncExitStack() as stack:
                code = await session.run(lambda: setup(stack, session, runner))
        finally:
            keeper.close()
        if self.json:
            write_line(json.dumps(report.result(keeper.written)))
        elif self.screen is not None:
            self.screen.wrote(keeper.written)
        elif keeper.written is not None:
            write_line(f"* The transcript is {keeper.written}")
        return code

    def _player(self, narrator: Narrator, *, host: bool) -> Player:
        if self.screen is not None:
            return self.screen
        if not self.is_bot:
            return Plain(narrator, write_line, host=host)
        return Bot(random.Random(), fast=self.args.fast, style=Style(self.args.style))


def run_seat(args: argparse.Namespace, work: Callable[[Seat], Awaitable[Exit]]) -> int:
    """Open the seat, do ``work`` in an event loop, close the seat."""

    async def whole() -> Exit:
        return await work(seat)

    seat = Seat.open(args)
    try:
        return asyncio.run(whole())
    except LocalProtocolError as error:
        raise Complaint(str(error)) from None
    finally:
        seat.close()
