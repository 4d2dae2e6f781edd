"""The file of a report: tried before the work begins, whole or not there, and never written over something else."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from .exits import Complaint
from .report_page.page import SIGN


class PageFile:
    """``write`` puts a page at ``path``. An existing file is replaced only if it is a report too."""

    def __init__(self, path: Path, others: Sequence[Path] = ()) -> None:
        self._given = path
        try:
            if path.is_dir():
                raise Complaint(f"The report cannot be written to {path}: that is a folder.")
            if path.exists() and not path.is_file():  # a device or a pipe: to look into it could take for ever
                raise Complaint(f"The report cannot be written to {path}: that is no ordinary file.")
            if path.exists() and not _is_report(path):
                raise Complaint(f"{path} exists and is no report; name another file for the report.")
            if any(other.exists() and path.exists() and path.samefile(other) for other in others):
                raise Complaint(f"{path} cannot be the transcript and the report; name another file for the report.")
            # A link stays one.
            self._path = Path(os.path.realpath(path))
            os.unlink(self._draft())
        except OSError as error:
            raise self._failed(error) from None

    def write(self, page: Iterable[str]) -> None:
        """The pieces of a page."""
        draft: str | None = None
        try:
            draft = self._draft()
            with open(draft, "w", encoding="utf-8", newline="\n") as file:
                file.writelines(page)
            os.chmod(draft, 0o666 & ~_umask())
            os.replace(draft, self._path)
        except OSError as error:
            raise self._failed(error) from None
        else:
            draft = None
        finally:
            if draft is not None:
                with contextlib.suppress(OSError):
                    os.unlink(draft)

    def _draft(self) -> str:
        """A new empty file beside the page's place. Raises ``OSError``."""
        handle, name = tempfile.mkstemp(prefix=f".{self._path.name}.", suffix=".part", dir=self._path.parent)
        os.close(handle)
        return name

    def _failed(self, error: OSError) -> Complaint:
        return Complaint(f"The report {self._given} cannot be written ({error.strerror}).")


def _is_report(path: Path) -> bool:
    """Also of an empty file: nothing is lost with it."""
    with path.open("rb") as file:
        return file.read(len(SIGN)) in (SIGN.encode(), b"")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
