"""The unfinished match of a data folder: found again by the command that had begun it, or dropped with ``--new``.

A journal says by which command its match was begun and where its transcript goes (the *note*). ``host`` and ``play`` go
on with a match that was begun by the same word, ``join`` with one at the table that is meant.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nodealer.p2p.identity import Identity
from nodealer.p2p.journal import NoJournal, Saved
from nodealer.p2p.net.disk import JournalBusy, JournalFile, journals
from nodealer.p2p.peer import Peer

from .company import folder_called, forget
from .exits import Complaint, Exit
from .home import Home
from .json_text import from_json

FOLDER = "journals"
# The commands that begin a match, and go on with their newest one when they are given no table.
COMMANDS = ("play", "host", "join")


@dataclass(frozen=True, slots=True)
class Note:
    """By what a match is found again: the command that began it, the table it named, where the transcript goes, and
    what the folder of its own bots is called."""

    command: str
    table: str = ""
    transcript: str = ""
    bots: str = ""

    def encode(self) -> str:
        return json.dumps([self.command, self.table, self.transcript, self.bots], ensure_ascii=False)

    @classmethod
    def decode(cls, text: str) -> Note:
        """A note; an empty one for what no program of this version has written."""
        with contextlib.suppress(ValueError):
            value = from_json(text)
            if isinstance(value, list) and len(value) == 4 and all(isinstance(item, str) for item in value):
                return cls(*value)
        return cls("")


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A match that goes on: its open journal, what stands in it, and who one is there."""

    file: JournalFile
    saved: Saved
    identity: Identity
    note: Note

    @property
    def others(self) -> list[str]:
        """The names of the other players."""
        return [signed.offer.name for signed in self.saved.roster.offers if signed.offer.key != self.saved.seat.key]


def folder_of(home: Home) -> Path | None:
    """Where journals stand; None for a home that keeps nothing."""
    return None if home.data is None else home.data / FOLDER


def unfinished(
    home: Home, identity: Identity, wanted: Callable[[Saved, Note], bool], *, new: bool = False
) -> Unfinished | None:
    """The newest unfinished match that is wanted; with ``new`` all of those are dropped. Raises ``Complaint``."""
    folder = folder_of(home)
    for path in journals(folder) if folder is not None else []:
        own = path.name.startswith(identity.public.hex()[:16])
        try:
            file, saved = JournalFile.open(path)
        except JournalBusy as error:
            if own:
                raise Complaint(str(error), Exit.JOURNAL) from None
            continue
        except NoJournal as error:
            if new and own:
                path.unlink(missing_ok=True)
            elif own:
                raise Complaint(
                    f"The journal {path} of an unfinished match cannot be used: {error}. --new goes on without it.",
                    Exit.JOURNAL,
                ) from None
            continue
        except FileNotFoundError:
            continue
        except OSError as error:
            raise Complaint(f"The journal {path} cannot be read ({error.strerror}).", Exit.JOURNAL) from None
        if saved is None:
            file.remove()
            continue
        found = _mine(file, saved, identity)
        if found is None or not wanted(saved, found.note):
            file.close()
        elif new:
            file.remove()
            forget(folder_called(home, found.note.bots))
        else:
            return found
    return None


def _mine(file: JournalFile, saved: Saved, identity: Identity) -> Unfinished | None:
    note = Note.decode(saved.seat.note)
    if saved.seat.key == identity.public:
        return Unfinished(file, saved, identity, note)
    if saved.seat.identity:
        # A throw-away identity stands nowhere but in its journal.
        once = Identity.from_seed(saved.seat.identity)
        if once.public == saved.seat.key:
            return Unfinished(file, saved, once, note)
    return None


def again(match: Unfinished) -> Peer:
    """The peer of a match that goes on. Raises ``Complaint`` where its journal is no history of one."""
    try:
        return Peer.resume(match.identity, match.saved, asyncio.get_running_loop().time())
    except NoJournal as error:
        match.file.close()
        raise Complaint(
            f"The journal {match.file.path} of an unfinished match cannot be used: {error}. --new goes on without it.",
            Exit.JOURNAL,
        ) from None


@dataclass(frozen=True, slots=True)
class Waiting:
    """An unfinished match that can go on: with whom, and the command that goes on with it."""

    others: tuple[str, ...]
    command: str


def waiting(home: Home) -> Waiting | None:
    """The newest unfinished match of this folder, if one can go on now; nothing is taken or changed."""
    if home.throwaway:
        return None
    try:
        found = unfinished(home, Identity.from_seed(home.seed()), lambda _, note: note.command in COMMANDS)
    except Complaint:
        return None  # it is damaged, or goes on already: said by the command that would go on with it
    if found is None:
        return None
    found.file.close()
    return Waiting(tuple(found.others), found.note.command)


def kept(home: Home) -> int:
    """How many journals of unfinished matches stand in the folder."""
    folder = folder_of(home)
    return 0 if folder is None else len(journals(folder))
