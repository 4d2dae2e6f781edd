"""``nodealer play``: a game against bots on this machine. The table listens on loopback alone and is not announced;
the bots are real peers, each in a process of its own."""

from __future__ import annotations

import argparse

from .exits import Complaint
from .host import open_table
from .options import table_options
from .seat import LOOPBACK, run_seat
from .words import count

BOTS = 3


def run(args: argparse.Namespace) -> int:
    if args.bots is not None and args.seats is not None and args.seats != args.bots + 1:
        bots = count(args.bots, "bot")
        raise Complaint(f"{bots} and yourself take {args.bots + 1} seats, not {args.seats}: give --bots or --seats.")
    seats = args.seats if args.seats is not None else (args.bots or BOTS) + 1
    args.bots = seats - 1
    options = table_options(args, seats)
    return run_seat(args, lambda seat: open_table(seat, options, announce=False, bind=LOOPBACK, command="play"))
