"""From the words of the command line to the options of a table."""

from __future__ import annotations

import argparse
from dataclasses import replace

from nodealer.p2p.errors import LocalProtocolError
from nodealer.p2p.options import TableOptions

from .exits import Complaint

# What a bot's command line says again when this program starts one, besides the table's own options.
_FLAGS = ("stacking", "no_escrow", "fast")
_VALUES = ("edition", "seats", "target", "turn_clock", "uno_window", "grace")


def table_options(args: argparse.Namespace, seats: int | None = None) -> TableOptions:
    """The options that the host offers; raises ``Complaint`` for what no table can have."""
    options = TableOptions.defaults(args.edition, args.seats if seats is None else seats, args.target)
    if args.fast:
        options = options.fast()
    given = {
        "turn_clock": args.turn_clock,
        "uno_window_ms": args.uno_window,
        "grace": args.grace,
    }
    escrow = options.escrow and not args.no_escrow
    options = replace(
        options, stacking=args.stacking, escrow=escrow, **{k: v for k, v in given.items() if v is not None}
    )
    try:
        return options.check()
    except LocalProtocolError as error:
        raise Complaint(str(error)) from None


def again(args: argparse.Namespace) -> list[str]:
    """The table's options as arguments of another process."""
    words = [f"--{flag.replace('_', '-')}" for flag in _FLAGS if getattr(args, flag)]
    for name in _VALUES:
        value = getattr(args, name)
        if value is not None:
            words.append(f"--{name.replace('_', '-')}={value}")
    return words
