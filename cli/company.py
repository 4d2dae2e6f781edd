"""Bots for the free seats of one's own table, each a process of its own, gone when the table is.

Where the table's own journal is kept theirs are too, in a folder for this one match (``bots/NAME``): a match that goes
on after a crash goes on with the same bots. The folder is gone with the match.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import shutil
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from nodealer.p2p.passphrase import Passphrase

from .exits import Complaint, Exit
from .home import Home
from .json_text import from_json
from .session import Session
from .spawn import Child, end, spawn

FOLDER = "bots"
PLAN = "company.json"


@dataclass(frozen=True, slots=True)
class Company:
    """The bots of one table: what they are called, the arguments of their command, and the folder that is theirs
    (None: they keep nothing)."""

    folder: Path | None
    names: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()

    def save(self) -> None:
        """Write down how they are started again. Raises ``Complaint``."""
        if self.folder is None:
            return
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            (self.folder / PLAN).write_text(json.dumps([self.names, self.arguments]), encoding="utf-8")
        except OSError as error:
            raise Complaint(f"The folder {self.folder} of the bots cannot be used ({error.strerror}).") from None

    @classmethod
    def saved(cls, folder: Path | None) -> Company:
        """The bots that were started with this folder; none where it tells of none."""
        if folder is None:
            return cls(None)
        try:
            value = from_json((folder / PLAN).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            value = None
        match value:
            case [list() as names, list() as arguments] if all(isinstance(item, str) for item in names + arguments):
                return cls(folder, tuple(filter(_is_plain, names)), tuple(arguments))
            case _:
                return cls(folder)

    async def sit_down(
        self, stack: AsyncExitStack, session: Session, stays: Callable[[], bool], passphrase: Passphrase | None = None
    ) -> None:
        """Start them all; they end with ``stack``. One that ends before the match begins ends the session, with why.

        ``stays``: whether the match is to go on later, so that they must not leave it for good at the end.
        """
        arguments, first = list(self.arguments), None
        if passphrase is not None:
            arguments, first = [*arguments, "--passphrase-file=-"], passphrase.line
        children: list[Child] = []
        watchers: list[asyncio.Task[None]] = []

        async def dismiss() -> None:
            for watcher in watchers:
                watcher.cancel()
            await end(children, leave=not stays())
            for watcher in watchers:
                with contextlib.suppress(asyncio.CancelledError):
                    await watcher

        stack.push_async_callback(dismiss)
        for name in self.names:
            keep = [] if self.folder is None else [f"--data-dir={self.folder / name}"]
            child = await spawn(name, [*arguments, *keep], first=first)
            children.append(child)
            watchers.append(asyncio.create_task(_watch(child, session)))


def new_folder(home: Home) -> Path | None:
    """A folder for the bots of a new match; None for a home that keeps nothing."""
    return None if home.data is None else home.data / FOLDER / secrets.token_hex(8)


def folder_called(home: Home, name: str) -> Path | None:
    """The folder that a journal's note names; None where it names none that could be ours."""
    return home.data / FOLDER / name if home.data is not None and _is_plain(name) else None


def forget(folder: Path | None) -> None:
    """The match is over: nothing of its bots stays."""
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


async def _watch(child: Child, session: Session) -> None:
    await child.wait()
    if not session.made:
        session.fail(Complaint(f"The bot {child.name} could not sit down: {child.why()}", Exit.DISSOLVED))


def _is_plain(name: str) -> bool:
    """Whether this names something in a folder, and nothing outside it, whatever has become of the file it is from."""
    return name not in ("", "..") and Path(name).name == name
