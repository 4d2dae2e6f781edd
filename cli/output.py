"""Standard output, a line at a time, and what becomes of streams that cannot be used."""

from __future__ import annotations

import contextlib
import os
import sys

from .exits import Complaint


def mend_streams() -> None:
    """Put nothing in the place of a standard stream that was closed before this program began: what is opened later
    would get its number, and be taken for it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - as long as the program


def write_line(line: str) -> None:
    """One line to standard output, at once: whoever reads it may answer. What the encoding lacks is replaced.

    Raises ``BrokenPipeError`` where nobody reads any more, and ``Complaint`` where it cannot be written otherwise.
    """
    try:
        try:
            print(line, flush=True)
        except UnicodeEncodeError:
            encoding = sys.stdout.encoding or "ascii"
            print(line.encode(encoding, "replace").decode(encoding), flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        hush()
        raise Complaint(f"Standard output cannot be written ({error.strerror}).") from None


def write_json(value: object) -> None:
    """One line of JSON; what the encoding of standard output lacks, or a file's name spoils, is written by number."""
    import json  # nothing heavy is loaded before it is needed

    line = json.dumps(value, ensure_ascii=False)
    try:
        line.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        line = json.dumps(value)
    write_line(line)


def hush() -> None:
    """Nobody hears what is printed from now on, nor what the interpreter still holds."""
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the program


def complain(sentence: str) -> None:
    """A sentence to standard error, if that can be written."""
    with contextlib.suppress(OSError):
        print(sentence, file=sys.stderr, flush=True)
