"""``nodealer manual``: the man page, made from the command line itself (``nodealer manual | man -l -``)."""

from __future__ import annotations

import argparse
import inspect

from . import config
from .completion import Word, before, commands
from .exits import Exit
from .main import EXITS
from .output import write_line
from .screen.panels import HELP, HELP_KEYS


def run(args: argparse.Namespace) -> int:
    write_line(page().rstrip("\n"))
    return Exit.COMPLETE


def page() -> str:
    """The page in man's own macros."""
    told = ['.TH NODEALER 1 "" "nodealer" "User Commands"', ".SH NAME"]
    told.append(
        r"nodealer \- a card game of the UNO family for one network, with no server and no dealer to be trusted"
    )
    told += [".SH SYNOPSIS", ".B nodealer", "[OPTIONS]", ".br", ".B nodealer", "COMMAND [OPTIONS]", ".SH DESCRIPTION"]
    told += [
        "Alone it opens the lobby: the tables found on this network, joining by address, opening a table, playing "
        "bots. Everything can also be done by a command. Without a terminal, with TERM=dumb or with "
        r"\-\-plain the game goes in numbered lines, with nothing missing.",
        *_listed(before()),
        ".SH COMMANDS",
    ]
    for name, (help, words) in commands().items():
        told += [f'.SS "nodealer {name}"', _text(help[:1].upper() + help[1:] + "."), *_listed(words)]
    told += [".SH KEYS AT THE TABLE", *(_text(text) + "\n.PP" for text in HELP)]
    for keys, meaning in HELP_KEYS:
        told += [".TP", rf"\fB{_text(keys)}\fR", _text(meaning)]
    told += [".SH CONFIGURATION", ".nf"]
    told += [_text(line) for line in (inspect.getdoc(config) or "").splitlines()]
    told += [".fi", ".SH ENVIRONMENT"]
    told.append(
        "NO_COLOR: no colours. COLORTERM, TERM: how many colours there are. XDG_CONFIG_HOME, XDG_DATA_HOME: the"
    )
    told += ["folders.", ".SH EXIT STATUS", _text(EXITS.removeprefix("exit codes: "))]
    return "\n".join(told) + "\n"


def _listed(words: list[Word]) -> list[str]:
    """Options, each with what it takes and its help; what stands without a dash is told by the command's own help."""
    told: list[str] = []
    for word in words:
        if word.name not in ("", "--help"):
            value = f" {'|'.join(word.values)}" if word.values else f" {word.called}" if word.takes else ""
            told += [".TP", rf"\fB{_text(word.name)}\fR{_text(value)}", _text(word.help)]
    return told


def _text(text: str) -> str:
    """Text that man takes for nothing but text."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped
