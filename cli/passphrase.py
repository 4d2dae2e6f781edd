"""A table's passphrase as a person gives it: in a file, on standard input, or typed without being shown.

It is never an argument or a variable of the environment, where other programs of this machine could read it.
"""

from __future__ import annotations

import argparse
import getpass
import os
import sys
import warnings

from nodealer.p2p.errors import LocalProtocolError
from nodealer.p2p.passphrase import Passphrase

from .exits import Complaint, Exit

# Of a file the first line counts; a longer one than this is no passphrase.
MAX_LINE = 4096


class Locked(Complaint):
    """The table did not let this seat in. ``given``: with a passphrase, so that asking for one again is no use."""

    def __init__(self, sentence: str, given: bool) -> None:
        super().__init__(sentence, Exit.UNREACHED)
        self.given = given


def given(args: argparse.Namespace) -> Passphrase | None:
    """The passphrase of the command line, if it names one; read once and kept in ``args``. Raises ``Complaint``."""
    file = getattr(args, "passphrase_file", None)
    if getattr(args, "passphrase", None) is None:
        args.passphrase = None if file is None else _read(file)
    found: Passphrase | None = args.passphrase
    return found


def may_ask(args: argparse.Namespace) -> bool:
    """Whether somebody sits here who can be asked for one."""
    quiet = getattr(args, "bot", False) or getattr(args, "json", False) or getattr(args, "tied", False)
    return not quiet and sys.stdin.isatty() and sys.stderr.isatty()


def ask() -> Passphrase:
    """Have one typed at the terminal, unseen. Raises ``Complaint``."""
    with warnings.catch_warnings():
        # Where the terminal cannot be kept from showing it, nobody is to type it.
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return checked(getpass.getpass("Passphrase of the table: "))
        except (EOFError, OSError, getpass.GetPassWarning):
            raise Complaint("No passphrase could be typed here; give it with --passphrase-file.") from None


def checked(text: str) -> Passphrase:
    """Text as a passphrase; a sentence where it can be none."""
    try:
        return Passphrase(text)
    except LocalProtocolError as error:
        raise Complaint(str(error)) from None


def _read(file: str) -> Passphrase:
    if file == "-":
        return ask() if sys.stdin.isatty() else checked(_text(_first_line(), "standard input"))
    try:
        with open(file, "rb") as handle:
            line = handle.readline(MAX_LINE)
    except OSError as error:
        raise Complaint(f"The passphrase file {file} cannot be read ({error.strerror}).") from None
    return checked(_text(line, f"the file {file}"))


def _text(line: bytes, where: str) -> str:
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Complaint(f"The passphrase in {where} is not text in UTF-8.") from None


def _first_line() -> bytes:
    """The first line of standard input and not a byte more: what follows are a person's answers."""
    line = b""
    while len(line) < MAX_LINE and not line.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            break
        line += byte
    return line
