"""The program around the full screen: starts matches in a thread of their own, and says what comes after one."""

from __future__ import annotations

import argparse
import asyncio
import copy
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

from ..exits import Complaint, Exit
from ..player import Leave
from .app import Terminal
from .bridge import Bridge, Posted, Refused, Written
from .look import Look, depth_of
from .screen import Screen

log = logging.getLogger("nodealer.screen")


@dataclass(slots=True)
class Match:
    """A match that runs, or has run: its command line, its bridge, its screen, and how it ended."""

    args: argparse.Namespace
    bridge: Bridge
    screen: Screen
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

    async def play(self, args: argparse.Namespace) -> int:
        """One match after the other, as long as the person wants to play again. Raises what ended the match."""
        self._loop = asyncio.get_running_loop()
        match = self._begin(args)
        self._terminal = Terminal(match.screen, self.look, self._after_input, mouse=self._mouse, bell=self._bell)
        await self._terminal.run()
        match = self._match or match
        if match.fault is not None:
            raise match.fault
        return Exit.LEFT if match.code is None else match.code

    def _begin(self, args: argparse.Namespace) -> Match:
        """Start a match in a thread of its own."""
        given = copy.copy(args)
        bridge = Bridge(lambda what, now: self._post(lambda: self._take(match, what, now)))
        given.screen = bridge
        early = args.command == "host" and (args.bots or 0) < (args.seats or 4) - 1
        match = Match(args, bridge, Screen(host=early))
        self._match = match
        self._leaving = False
        edition = getattr(args, "edition", self.look.edition)
        self._dress(edition)
        threading.Thread(target=self._work, args=(match, given), name="match", daemon=True).start()
        if self._terminal is not None:
            self._terminal.view = match.screen
        return match

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
        if match.fault is not None or self._leaving or match.screen.model.ended is None:
            terminal.close()
        terminal.show()

    def _after_input(self) -> None:
        match = self._match
        if match is None:
            return
        for wish in match.screen.wishes():
            self._leaving = self._leaving or isinstance(wish, Leave)
            match.bridge.wish(wish)
        wanted, match.screen.wanted = match.screen.wanted, []
        for what in wanted:
            self._do(match, what)

    def _do(self, match: Match, what: str) -> None:
        match what:
            case "quit":
                self._leaving = True
                if match.finished and self._terminal is not None:
                    self._terminal.close()
                else:
                    match.screen.notes[:] = ["One moment: the others are still being told how it ended."]
            case "again" if match.finished:
                self._begin(match.args)
            case "again":
                match.screen.notes[:] = ["One moment: the others are still being told how it ended."]
            case "verify":
                self._verify(match)

    def _verify(self, match: Match) -> None:
        """Check the transcript as a stranger would, in a thread of its own."""
        path = match.screen.transcript
        if path is None:
            match.screen.notes[:] = ["The transcript is not closed yet; try again in a moment."]
            return
        match.screen.notes[:] = [f"Verifying {path} …"]

        def work() -> None:
            from nodealer.p2p.verify import verify

            from ..verify import told

            try:
                with open(path, "rb") as file:
                    lines = told(verify(file))
            except OSError as error:
                lines = [f"The transcript cannot be read ({error.strerror})."]
            self._post(lambda: self._verified(match, lines))

        threading.Thread(target=work, name="verify", daemon=True).start()

    def _verified(self, match: Match, lines: list[str]) -> None:
        match.screen.notes[:] = lines
        if self._terminal is not None:
            self._terminal.show()


def run(args: argparse.Namespace) -> int:
    """Play what the command line says on the full screen."""
    program = Program(chosen_look(args), mouse=not getattr(args, "no_mouse", False))
    return guarded(args, lambda: asyncio.run(program.play(args)))


def guarded(args: argparse.Namespace, work: Callable[[], int]) -> int:
    """Run ``work``; a fault of ours leaves its trace in a file, and a sentence that names the file."""
    try:
        return work()
    except (Complaint, KeyboardInterrupt):
        raise
    except Exception as error:
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


def chosen_look(args: argparse.Namespace) -> Look:
    """What the command line and the environment say about this terminal."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").casefold().replace("-", "")
    return Look(
        depth=depth_of(os.environ),
        ascii=bool(getattr(args, "ascii", False)) or encoding not in ("utf8", "utf16"),
        safe=getattr(args, "palette", None) == "safe",
        edition=getattr(args, "edition", None) or "four-colors",
    )
