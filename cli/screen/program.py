"""The program around the full screen: starts matches in a thread of their own, and says what comes after one."""

from __future__ import annotations

import argparse
import asyncio
import copy
import errno
import logging
import os
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

from nodealer.p2p import events as p2p
from nodealer.p2p.identity import Identity
from nodealer.p2p.names import person
from nodealer.p2p.net.discovery import Browser

from ..config import Config
from ..doctor import checks
from ..exits import Complaint, Exit
from ..home import Home
from ..main import parser
from ..names import default_name
from ..output import write_line
from ..passphrase import Locked
from ..player import Leave
from ..resuming import waiting
from .app import Terminal
from .bridge import Bridge, Posted, Refused, Written
from .lobby import Lobby, table_defaults
from .look import Depth, Look, depth_of
from .replaying import Replaying
from .screen import Screen

TROUBLE_EVERY_S = 2.0
# Who plays again with a host waits so long for the table to be open again, and looks every so often.
AGAIN_WITHIN_S, AGAIN_EVERY_S = 90.0, 1.0
# A match that is still running when the screen goes has so long to tell the others, and to end its bots.
GOODBYE_S = 5.0

log = logging.getLogger("nodealer.screen")


@dataclass(slots=True)
class Match:
    """A match that runs, or has run: its command line, its bridge, its screen, and how it ended."""

    args: argparse.Namespace
    bridge: Bridge
    screen: Screen
    patient_until: float = 0.0
    thread: threading.Thread | None = None
    code: int | None = None
    fault: BaseException | None = None

    @property
    def finished(self) -> bool:
        return self.code is not None or self.fault is not None


class Program:
    """Everything on the full screen from start to end; ``run`` returns the exit code."""

    def __init__(self, look: Look, *, mouse: bool = True, bell: bool = True) -> None:
        self.look = look
        self._mouse, self._bell = mouse, bell
        self._terminal: Terminal | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._match: Match | None = None
        self._leaving = False
        self._lobby: Lobby | None = None
        self._folder: str | None = None
        self._seeking: asyncio.Task[None] | None = None
        self._replaying: Replaying | None = None

    async def lobby(self, folder: str | None = None) -> int:
        """The lobby, matches from there, and the lobby again, until the person quits."""
        self._loop = asyncio.get_running_loop()
        self._folder = folder
        home = Home.open(folder)
        try:
            kept = {key: home.setting(key) for key in ("name", "hosting", "alone", "address")}
            hosting, alone = table_defaults(kept)
            fingerprint = person("", Identity.from_seed(home.seed()).public).fingerprint if not home.throwaway else ""
        finally:
            home.close()
        lobby = Lobby(kept["name"] or default_name(), fingerprint, hosting, alone, last_address=kept["address"] or "")
        self._lobby = lobby
        self._terminal = Terminal(lobby, self.look, self._after_input, mouse=self._mouse, bell=self._bell)
        self._seek()
        try:
            await self._terminal.run()
        finally:
            await self._stop_seeking()
            self._end_match()
        if self._match is not None and self._match.fault is not None and not isinstance(self._match.fault, Complaint):
            raise self._match.fault
        return Exit.COMPLETE

    def _seek(self) -> None:
        """Look for tables, and at what may keep them from being found, while the lobby shows."""
        if self._seeking is None:
            self._look_back()
            self._seeking = asyncio.get_running_loop().create_task(self._look_around())

    def _look_back(self) -> None:
        """Look for a match that can go on."""
        lobby = self._lobby
        if lobby is None:
            return
        home = Home.open(self._folder)
        try:
            lobby.unfinished = waiting(home)
        finally:
            home.close()

    async def _stop_seeking(self) -> None:
        seeking, self._seeking = self._seeking, None
        while seeking is not None and not seeking.done():
            # Again and again: what waits for its own task to be cancelled may swallow that we are cancelling it.
            seeking.cancel()
            await asyncio.wait({seeking}, timeout=0.2)

    async def _look_around(self) -> None:
        lobby, terminal = self._lobby, self._terminal
        if lobby is None or terminal is None:
            return
        lobby.checks, lobby.checked = [], False

        async def follow(browser: Browser) -> None:
            async for tables in browser.changes():
                home = Home.open(self._folder)
                try:
                    lobby.strangers = frozenset(table.key for table in tables if home.differs(table.host, table.key))
                finally:
                    home.close()
                # A table that nobody may join and only its host sits at is none: a doctor's, or one just closed.
                lobby.tables = [table for table in tables if table.open or table.taken > 1]
                terminal.show()

        try:
            async with Browser() as browser, asyncio.TaskGroup() as group:
                group.create_task(follow(browser))
                async for check in checks(self._folder):
                    lobby.checks.append(check)
                    lobby.trouble = browser.trouble
                    terminal.show()
                lobby.checked = True
                while True:
                    lobby.trouble = browser.trouble
                    await asyncio.sleep(TROUBLE_EVERY_S)
        except Exception as error:  # the lobby works without: tables can be opened, and joined by address
            log.exception("looking for tables has failed")
            lobby.trouble = f"Looking for tables has failed ({error}); join by address."
            lobby.checked = True
            terminal.show()

    def _leave_lobby(self, words: list[str]) -> None:
        """What the lobby wants: a command line, or the end."""
        lobby, terminal = self._lobby, self._terminal
        if lobby is None or terminal is None:
            return
        if words == ["quit"]:
            terminal.close()
            return
        self._keep()
        argv = [*words, *(["--data-dir", self._folder] if self._folder is not None else [])]
        args = parser().parse_args([*argv, f"--name={lobby.name}"])
        args.passphrase, lobby.passphrase = lobby.passphrase, None
        stopping = asyncio.get_running_loop().create_task(self._stop_seeking())
        stopping.add_done_callback(lambda _: self._begin(args))

    def _keep(self) -> None:
        """Remember what was chosen."""
        lobby = self._lobby
        if lobby is None:
            return
        home = Home.open(self._folder)
        try:
            for key, value in (
                ("hosting", lobby.hosting.dump()),
                ("alone", lobby.alone.dump()),
                ("address", lobby.last_address),
                ("name", lobby.changed_name),
            ):
                if value:
                    home.remember(key, value)
        finally:
            home.close()

    def _to_lobby(self, note: str = "") -> None:
        lobby, terminal = self._lobby, self._terminal
        if lobby is not None and terminal is not None:
            self._end_replay()
            lobby.note = note
            terminal.view = lobby
            self._match = None
            self._seek()
            terminal.show()

    async def play(self, args: argparse.Namespace) -> int:
        """One match after the other, as long as the person wants to play again. Raises what ended the match."""
        self._loop = asyncio.get_running_loop()
        match = self._begin(args)
        self._terminal = Terminal(match.screen, self.look, self._after_input, mouse=self._mouse, bell=self._bell)
        try:
            await self._terminal.run()
        finally:
            self._end_match()
        match = self._match or match
        if match.fault is not None:
            raise match.fault
        return Exit.LEFT if match.code is None else match.code

    def last_words(self) -> list[str]:
        """What should still stand on the terminal when the screen is gone."""
        if self._match is None:
            return []
        screen = self._match.screen
        told = [] if screen.model.ended is None else [f"* {screen.model.ended.sentence}"]
        return told if screen.transcript is None else [*told, f"* The transcript is {screen.transcript}"]

    def _begin(self, args: argparse.Namespace, patient_until: float = 0.0) -> Match:
        """Start a match in a thread of its own. Until then a table that cannot be reached is tried again."""
        given = copy.copy(args)
        bridge = Bridge(lambda what, now: self._post(lambda: self._take(match, what, now)))
        given.screen = bridge
        early = args.command == "host" and (args.bots or 0) < (args.seats or 4) - 1
        match = Match(args, bridge, Screen(host=early), patient_until)
        self._match = match
        self._leaving = False
        edition = getattr(args, "edition", self.look.edition)
        self._dress(edition)
        match.thread = threading.Thread(target=self._work, args=(match, given), name="match", daemon=True)
        match.thread.start()
        self._end_replay()
        if self._terminal is not None:
            self._terminal.view = match.screen
        return match

    def _end_match(self) -> None:
        """However the screen has ended: a match that still runs says goodbye to the others."""
        match = self._match
        if match is not None and match.thread is not None and match.thread.is_alive():
            match.bridge.wish(Leave())
            match.thread.join(GOODBYE_S)

    def _work(self, match: Match, args: argparse.Namespace) -> None:
        """The match's thread."""
        code: int | None = None
        fault: BaseException | None = None
        try:
            module = import_module(f"nodealer.cli.{args.command}")
            code = int(module.run(args))
        except BaseException as error:
            fault = error

        def over() -> None:
            match.code, match.fault = code, fault
            self._over(match)

        self._post(over)

    def _post(self, call: Callable[[], None]) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(call)

    # In the screen's thread

    def _take(self, match: Match, what: Posted, now: float) -> None:
        match what:
            case Refused(sentence=sentence):
                match.screen.refused(sentence, now)
            case Written(path=path):
                match.screen.transcript = path
            case _:
                match.screen.take(what, now)
                if isinstance(what, p2p.LobbyChanged | p2p.TableMade):
                    self._dress(what.options.edition)
        if self._terminal is not None and match is self._match:
            self._terminal.show()

    def _dress(self, edition: str) -> None:
        """The colours of this edition."""
        self.look = replace(self.look, edition=edition)
        if self._terminal is not None:
            self._terminal.look = self.look

    def _over(self, match: Match) -> None:
        """The match's thread has ended."""
        terminal = self._terminal
        if terminal is None or match is not self._match:
            return
        fault = match.fault
        away = isinstance(fault, Complaint) and fault.code in (Exit.UNREACHED, Exit.DISSOLVED)
        if away and not self._leaving and terminal_now() < match.patient_until:
            asyncio.get_running_loop().call_later(AGAIN_EVERY_S, self._try_again, match)
            return
        if match.fault is not None or self._leaving or match.screen.model.ended is None:
            if self._lobby is None or (match.fault is not None and not isinstance(match.fault, Complaint)):
                terminal.close()
            else:
                self._to_lobby(match.fault.sentence if isinstance(match.fault, Complaint) else "")
                if isinstance(match.fault, Locked):
                    self._lobby.note = match.screen.model.ended.sentence if match.screen.model.ended else ""
                    self._lobby.ask_passphrase(["join", match.args.table])
        terminal.show()

    def _try_again(self, match: Match) -> None:
        if match is self._match and not self._leaving:
            self._begin(match.args, match.patient_until)
        else:
            match.patient_until = 0.0
            self._over(match)

    def _after_input(self) -> None:
        match = self._match
        if self._replaying is not None and match is not None:
            asked = self._replaying.screen.wanted
            if asked:
                self._end_replay()
            if "signal" not in asked:
                return
            match.screen.press("signal", terminal_now())
        if match is None:
            if self._lobby is not None:
                wanted, self._lobby.wanted = self._lobby.wanted, []
                if self._lobby.changed_name is not None:
                    self._keep()
                    self._lobby.changed_name = None
                for words in wanted[:1]:
                    self._leave_lobby(words)
            return
        for wish in match.screen.wishes():
            self._leaving = self._leaving or isinstance(wish, Leave)
            match.bridge.wish(wish)
        orders, match.screen.wanted = match.screen.wanted, []
        for what in orders:
            self._do(match, what)

    def _do(self, match: Match, what: str) -> None:
        match what:
            case "quit":
                self._leaving = True
                if match.finished and self._lobby is not None:
                    self._to_lobby()
                elif match.finished and self._terminal is not None:
                    self._terminal.close()
                else:
                    match.screen.notes[:] = ["One moment: the others are still being told how it ended."]
            case "again" if match.finished:
                self._begin(match.args, terminal_now() + AGAIN_WITHIN_S)
            case "again":
                match.screen.notes[:] = ["One moment: the others are still being told how it ended."]
            case "verify":
                self._verify(match)
            case "replay":
                self._replay(match)

    def _replay(self, match: Match) -> None:
        """Step through the transcript, and come back to the table."""
        if match.screen.transcript is None or self._terminal is None:
            return

        def changed(_: Replaying) -> None:
            if self._terminal is not None:
                self._terminal.show()

        self._replaying = Replaying(match.screen.transcript, self._post, changed, terminal_now)
        self._terminal.view = self._replaying.screen
        self._replaying.start()

    def _end_replay(self) -> None:
        """Back to the match, if a replay shows."""
        replaying, self._replaying = self._replaying, None
        if replaying is not None:
            replaying.stop()
            if self._terminal is not None and self._match is not None:
                self._terminal.view = self._match.screen

    def _verify(self, match: Match) -> None:
        """Check the transcript as a stranger would, in a thread of its own."""
        path = match.screen.transcript
        if path is None:
            match.screen.notes[:] = ["The transcript is not closed yet; try again in a moment."]
            return
        match.screen.notes[:] = [f"Verifying {path} …"]

        def work() -> None:
            from ..verify import check, told

            try:
                one = check(str(path))
                lines = told(one.report, one.tally)
            except Complaint as complaint:
                lines = [complaint.sentence]
            self._post(lambda: self._verified(match, lines))

        threading.Thread(target=work, name="verify", daemon=True).start()

    def _verified(self, match: Match, lines: list[str]) -> None:
        match.screen.notes[:] = lines
        if self._terminal is not None:
            self._terminal.show()


def terminal_now() -> float:
    return asyncio.get_running_loop().time()


def run(args: argparse.Namespace) -> int:
    """Play what the command line says on the full screen."""
    config = Config.load(args.data_dir)
    program = Program(chosen_look(args, config), mouse=config.mouse and not args.no_mouse, bell=config.bell)
    code = guarded(args, lambda: asyncio.run(program.play(args)))
    for line in program.last_words():
        write_line(line)
    return code


def run_lobby(args: argparse.Namespace) -> int:
    """`nodealer` alone: the lobby."""
    config = Config.load(args.data_dir)
    program = Program(chosen_look(args, config), mouse=config.mouse and not args.no_mouse, bell=config.bell)
    return guarded(args, lambda: asyncio.run(program.lobby(args.data_dir)))


def guarded(args: argparse.Namespace, work: Callable[[], int]) -> int:
    """Run ``work``; a fault of ours leaves its trace in a file, and a sentence that names the file."""
    try:
        return work()
    except (Complaint, KeyboardInterrupt):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.EIO:  # the terminal is gone
            return Exit.TERMINATED
        log.exception("a fault of ours")
        path = crash_file(getattr(args, "data_dir", None))
        told = f"Something went wrong inside nodealer ({type(error).__name__}: {error})"
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                file.write("".join(traceback.format_exception(error)))
        except OSError:
            raise Complaint(f"{told}; run it again with --log-file FILE for the detail.", Exit.INTERNAL) from None
        raise Complaint(f"{told}; the detail is in {path}.", Exit.INTERNAL) from None


def crash_file(folder: str | None) -> Path:
    """Where the trace of a crash goes."""
    if folder is not None:
        return Path(folder).expanduser() / "crash.log"
    from platformdirs import user_data_path

    return user_data_path("nodealer", appauthor=False) / "crash.log"


def chosen_look(args: argparse.Namespace, config: Config) -> Look:
    """What the command line, the configuration and the environment say about this terminal, in this order."""
    depths = {"none": Depth.NONE, "16": Depth.SIXTEEN, "256": Depth.MANY, "true": Depth.TRUE}
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").casefold().replace("-", "")
    return Look(
        depth=Depth.NONE if os.environ.get("NO_COLOR") else depths.get(config.colours) or depth_of(os.environ),
        ascii=bool(getattr(args, "ascii", False)) or config.ascii or encoding not in ("utf8", "utf16"),
        safe=(getattr(args, "palette", None) or config.palette) == "safe",
        edition=getattr(args, "edition", None) or "four-colors",
    )
