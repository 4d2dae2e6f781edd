"""Writes the transcript of a match as it goes: the peer's public records, in one file that anybody can verify."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from nodealer.p2p.errors import LocalProtocolError
from nodealer.p2p.transcript import Damaged, NoTranscript, TranscriptReader, TranscriptWriter

from .exits import Complaint
from .home import Home


class Keeper:
    """Takes records with ``take`` and appends them to ``path``; None keeps nothing. The file begins with the match."""

    def __init__(
        self,
        path: Path | None,
        take: Callable[[], list[bytes]],
        *,
        again: bool = False,
        ready: Callable[[], bool] = lambda: True,
    ) -> None:
        """``ready``: whether the file may begin; not before the journal, for without one its match cannot go on."""
        self.path = path
        self._take = take
        self._ready = ready
        self._early: list[bytes] = []
        # Of a match that goes on the journal has everything: the file is written anew from it.
        self._again = again
        self._writer: TranscriptWriter | None = None

    def keep(self) -> None:
        """Write what has come since the last time."""
        records = self._early + self._take()
        self._early = []
        if self.path is None or not records:
            return
        if not self._ready():
            self._early = records
            return
        try:
            if self._writer is None:
                self._writer = TranscriptWriter(self.path, again=self._again)
            self._writer.write(records)
        except OSError as error:
            raise Complaint(f"The transcript {self.path} cannot be written ({error.strerror}).") from None
        except LocalProtocolError as error:
            raise Complaint(str(error)) from None

    def close(self) -> None:
        """Write the rest and bring it to the disk."""
        self._ready = lambda: True
        self.keep()
        if self._writer is not None:
            self._writer.close()

    @property
    def written(self) -> str | None:
        """The file's name, once there is one."""
        return str(self.path) if self._writer is not None else None


def continued_path(given: str | None, kept: str, roster: bytes) -> Path | None:
    """Where the transcript of a match that goes on is: the same file. Another one that is named must be free, or of
    this very match, whose first record is ``roster``."""
    path = Path(given if given is not None else kept) if given is not None or kept else None
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            first = next(TranscriptReader(file).payloads(), None)
    except FileNotFoundError:
        return path
    except (NoTranscript, Damaged):
        first = b""
    except OSError as error:
        raise Complaint(f"The transcript {path} cannot be written ({error.strerror}).") from None
    if first not in (None, roster):
        raise Complaint(f"{path} is the transcript of another match and is kept; name another file with --transcript.")
    return path


def transcript_path(given: str | None, home: Home, word: str) -> Path | None:
    """Where a match goes: the file that was named, which must not hold anything yet, or one by date and ``word``."""
    if given is None:
        folder = home.transcripts()
        return None if folder is None else folder / f"{time.strftime('%Y-%m-%d-%H%M%S')}-{word}.nodealer"
    path = Path(given)
    try:
        if path.exists() and (not path.is_file() or path.stat().st_size):
            raise Complaint(f"{path} exists already and is kept; name another file with --transcript.")
        if not path.parent.is_dir():
            raise Complaint(f"There is no folder {path.parent} for the transcript.")
    except OSError as error:
        raise Complaint(f"The transcript {path} cannot be written ({error.strerror}).") from None
    return path
