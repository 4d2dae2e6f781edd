"""The file of a report: tried before the work begins, whole or not there, and never written over something else."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .exits import Complaint
from .report_page.page import SIGN


class PageFile:
    """``write`` puts a page at ``path``. An existing file is replaced only if it is a report too."""

    def __init__(self, path: Path, others: Sequence[Path] = ()) -> None:
        self._path = path
        self._temporary: str | None = None
        try:
            if path.is_dir():
                raise Complaint(f"The report cannot be written to {path}: that is a folder.")
            if path.exists() and not _is_report(path):
                raise Complaint(f"{path} exists and is no report; name another file for the report.")
            if any(other.exists() and path.exists() and path.samefile(other) for other in others):
                raise Complaint(f"{path} cannot be the transcript and the report; name another file for the report.")
            handle, self._temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
            os.close(handle)
        except OSError as error:
            raise self._failed(error) from None

    def write(self, page: str) -> None:
        if self._temporary is None:
            raise ValueError("the file is closed")
        try:
            Path(self._temporary).write_text(page, encoding="utf-8", newline="\n")
            os.chmod(self._temporary, 0o666 & ~_umask())
            os.replace(self._temporary, self._path)
        except OSError as error:
            raise self._failed(error) from None
        self._temporary = None

    def close(self) -> None:
        """Leave nothing behind of a page that was not written."""
        if self._temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._temporary)
            self._temporary = None

    def _failed(self, error: OSError) -> Complaint:
        self.close()
        return Complaint(f"The report {self._path} cannot be written ({error.strerror}).")


def _is_report(path: Path) -> bool:
    """Also of an empty file: nothing is lost with it."""
    with path.open("rb") as file:
        return file.read(len(SIGN)) in (SIGN.encode(), b"")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
