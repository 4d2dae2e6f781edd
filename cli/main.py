"""The command ``nodealer``: what it takes, and which module does it. Nothing heavy is imported before it is needed."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NoReturn

from . import VERSION
from .exits import Complaint, Exit
from .output import complain, hush, mend_streams

EDITIONS = ("four-colors", "despicable-me-4", "lilo-stitch")  # the engine has them, but the help need not load it
DEFAULT_PORT = 7425
DATA_DIR = "keep identity, settings and transcripts here"
# The options before a command are the lobby's own; a command has its own after it.
LOBBY = "lobby_"

# Each command is a module of this package with `run(args) -> int`.
MODULES = {
    "play": "play",
    "host": "host",
    "join": "join",
    "tables": "tables",
    "watch": "watch",
    "bots": "bots",
    "verify": "verify",
    "replay": "replay",
    "rules": "rulebook",
    "doctor": "doctor",
    "completion": "completion",
    "manual": "manual",
    "bench": "bench",
}

# The commands that seat somebody at a table.
SEATED = ("play", "host", "join")
# What it means when nobody reads the output any more, where it is more than words that were not heard: the program left
# the table, or has not read the transcript to its end. (`verify` goes on without.)
UNHEARD = {**dict.fromkeys((*SEATED, "watch", "bots"), Exit.LEFT), "replay": Exit.CHEAT}

EXITS = """\
exit codes: 0 done and complete; 1 invalid (a transcript, or bots that ended differently); 2 wrong usage or a file
that cannot be read or written; 3 a cheat, named (verify, replay: valid so far, unfinished); 4 somebody is gone; 5 the
table dissolved before the first card; 6 you left before the end; 7 no table could be reached or opened, or the
passphrase was not right; 8 the journal of a match cannot be kept or used; 130, 143 interrupted
"""


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaint is one sentence."""

    def error(self, message: str) -> NoReturn:
        unknown = re.match(r"argument COMMAND: invalid choice: (.*?) \(choose", message, re.S)
        if unknown:
            message = f"there is no command {unknown[1][:40]}"
        raise Complaint(f"{message[:1].upper()}{message[1:].rstrip('.')}; see {self.prog} --help.")

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """As it is, but a command complains itself about what it does not know, and so names its own help."""
        found, rest = super().parse_known_args(args, namespace)
        if rest and " " in self.prog:
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        return found, rest


def number(low: int, high: int) -> Callable[[str], int]:
    """A parser of whole numbers in a range, for argparse."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"must be a whole number from {low} to {high}, not {text!r}")
        return value

    return parse


def either(words: Sequence[str]) -> str:
    """ "a, b or c"."""
    return ", ".join(words[:-1]) + f" or {words[-1]}"


def parser() -> Parser:
    """The whole command line."""
    top = Parser(
        prog="nodealer",
        description="A card game of the UNO family for one network, with no server and no dealer to be trusted.",
        epilog=EXITS,
    )
    top.add_argument("--version", action="store_true", help="tell the version and end")
    lobby = _screen(top, LOBBY, "the lobby, which is nodealer without a command")
    lobby.add_argument("--data-dir", dest=f"{LOBBY}data_dir", metavar="DIR", help=DATA_DIR)
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)

    def command(name: str, does: str) -> Parser:
        made: Parser = commands.add_parser(name, help=does, description=does[:1].upper() + does[1:] + ".")
        made.add_argument("--log-file", metavar="FILE", help="write what happens inside to this file")
        return made

    play = command("play", "a game against bots on this machine: loopback only, announces nothing, needs no network")
    play.add_argument("--bots", type=number(1, 9), metavar="K", help="how many bots (3)")
    _seat(play)
    _table(play)
    _style(play)

    host = command("host", "open a table on the local network; it starts when the seats are full, or earlier with s")
    host.add_argument("--bots", type=number(0, 9), metavar="K", default=0, help="fill K seats with bots")
    host.add_argument("--bind", metavar="ADDRESS", help="listen at this address only")
    host.add_argument("--no-announce", action="store_true", help="do not announce the table; others join by address")
    _seat(host)
    host.add_argument("--no-watch", action="store_true", help="nobody may watch the match without a seat")
    _passphrase(host, "only who knows the passphrase in this file sits down (its first line; - is standard input)")
    _table(host)
    _style(host)
    _bot(host)

    join = command("join", "take a seat: at the only table found, at the one named, or at HOST:PORT")
    join.add_argument(
        "table", nargs="?", metavar="TABLE", help="the host's name as `nodealer tables` shows it, or HOST:PORT"
    )
    join.add_argument("--bind", metavar="ADDRESS", help="listen at this address only")
    join.add_argument("--fast", action="store_true", help="a bot does not wait like a person")
    _seat(join)
    _passphrase(join, "the table's passphrase is the first line of this file (- is standard input); else it is asked")
    _style(join)
    _bot(join)

    watch = command("watch", "see a match live without a seat: every message is verified, no hidden card is seen")
    watch.add_argument(
        "table",
        nargs="?",
        metavar="TABLE",
        help="the host's name as `nodealer tables` shows it, or HOST:PORT of any player; also when they play already",
    )
    watch.add_argument("--plain", action="store_true", help="lines, which is the only way yet")
    watch.add_argument("--json", action="store_true", help="nothing but one JSON object at the end")
    watch.add_argument("--transcript", metavar="FILE", help="write the match's transcript to this file")
    _passphrase(watch, "the table's passphrase is the first line of this file (- is standard input); else it is asked")

    tables = command("tables", "list the tables that are open on the local network now")
    tables.add_argument("--json", action="store_true", help="one JSON array instead of a table")

    bots = command("bots", "let bots play a match among themselves, each a real process, and compare how they ended")
    _table(bots)
    _style(bots)
    bots.add_argument("--json", action="store_true", help="end with one JSON object on one line")
    bots.add_argument("--transcript", metavar="FILE", help="write the match's transcript to this file")

    verify = command("verify", "check transcripts of matches, without a secret and on any machine")
    verify.add_argument("file", metavar="FILE", nargs="+", help="the transcript; of more, each is checked")
    verify.add_argument("--json", action="store_true", help="one JSON object on one line for each FILE")
    verify.add_argument(
        "--report",
        metavar="OUT.html",
        help="write what was checked as a page for a browser, whole in itself: the first FILE's match, and how fairly "
        "the cards of all FILEs came to lie",
    )

    replay = command("replay", "step through a transcript of a match; everything is verified on the way")
    replay.add_argument("file", metavar="FILE", help="the transcript")
    replay.add_argument("--open", action="store_true", help="show cards of hands that become known later")
    _screen(replay)

    rules = command("rules", "the rules of an edition, in our own words")
    rules.add_argument(
        "edition", nargs="?", default=EDITIONS[0], metavar="GAME", help=f"{either(EDITIONS)} ({EDITIONS[0]})"
    )

    doctor = command("doctor", "why tables may not be found on this network, and what to do")
    doctor.add_argument("--data-dir", metavar="DIR", help="the folder to look at")
    doctor.add_argument("--json", action="store_true", help="one JSON array instead of lines")

    completion = command("completion", "what your shell needs to complete this command")
    completion.add_argument("shell", choices=("bash", "zsh", "fish"), help="bash, zsh or fish")

    command("manual", "the man page, for man -l -")

    bench = command("bench", "the speed of the deck's proofs on this machine, on one core and on two; or of more")
    bench.add_argument("--cards", type=number(2, 512), default=112, metavar="N", help="size of the deck (112)")
    bench.add_argument(
        "--deal",
        action="store_true",
        help="the deal as a whole, for each edition and number of players: simulated, and by real processes",
    )
    bench.add_argument(
        "--play", action="store_true", help="what comes of each key: messages and work; lines lost, starting up"
    )
    bench.add_argument(
        "--rounds",
        action="store_true",
        help="what a round costs a player, and whoever verifies it later, by players and rounds",
    )
    bench.add_argument("--growth", action="store_true", help="how each proof grows with the number of cards")
    bench.add_argument("--all", action="store_true", help="the proofs and all of that; takes some minutes")
    bench.add_argument("--json", action="store_true", help="one JSON object on one line")
    return top


def _table(to: Parser) -> None:
    """What the players of a table agree on."""
    group = to.add_argument_group("the table")
    group.add_argument("--edition", default=EDITIONS[0], metavar="GAME", help=f"{either(EDITIONS)} ({EDITIONS[0]})")
    group.add_argument("--seats", type=number(2, 10), metavar="N", help="players, bots included (4)")
    group.add_argument(
        "--target",
        type=number(0, 10_000),
        metavar="POINTS",
        help="points to win; 0 is one hand (250 in four-colors, else 0)",
    )
    group.add_argument(
        "--stacking", action="store_true", help="Draw Two and Wild Draw Four may be answered with another"
    )
    group.add_argument("--turn-clock", type=number(0, 3600), metavar="S", help="seconds for a turn; 0 is no clock (60)")
    group.add_argument(
        "--uno-window",
        type=number(100, 60_000),
        metavar="MS",
        help="time to say UNO or to catch (5000 in four-colors, else 3000)",
    )
    group.add_argument(
        "--grace",
        type=number(1, 3600),
        metavar="S",
        help="how long the others wait for a player whom nobody reaches before they vote to go on without it (90); who "
        "starts again within it plays on",
    )
    group.add_argument("--fast", action="store_true", help="short clocks, and bots that do not wait like people")
    group.add_argument(
        "--no-escrow",
        action="store_true",
        help="no sealed pieces of every key for the others; with three seats or more they are given, so that a round "
        "can go on without a player that is gone",
    )


def _screen(to: Parser, before: str = "", title: str = "the screen") -> argparse._ArgumentGroup:
    """Lines or the full screen (the lobby knows no lines), and what it looks like; ``before`` begins the names of the
    values."""
    group = to.add_argument_group(title)
    if not before:
        group.add_argument("--plain", action="store_true", help="lines instead of the full screen")
    group.add_argument(
        "--ascii", dest=f"{before}ascii", action="store_true", help="the full screen in ASCII characters alone"
    )
    group.add_argument(
        "--palette",
        dest=f"{before}palette",
        choices=("edition", "safe"),
        help="the edition's colours, or some that all eyes tell apart (edition)",
    )
    group.add_argument(
        "--no-mouse", dest=f"{before}no_mouse", action="store_true", help="leave the mouse to the terminal"
    )
    return group


def _seat(to: Parser) -> None:
    """Who sits there, and what stays on this machine."""
    _screen(to)
    group = to.add_argument_group("your seat")
    group.add_argument("--name", help="your name at the table")
    group.add_argument("--data-dir", metavar="DIR", help=DATA_DIR)
    group.add_argument(
        "--port", type=number(0, 65535), metavar="PORT", help=f"listen here ({DEFAULT_PORT} or the next free)"
    )
    group.add_argument("--transcript", metavar="FILE", help="write the match's transcript to this file")
    group.add_argument(
        "--new", action="store_true", help="drop the unfinished match of this folder instead of going on with it"
    )
    group.add_argument(
        "--trace",
        nargs="?",
        const="-",
        metavar="FILE",
        help="tell every message and every step of a proof at the end of this file, or on standard error; no secret is "
        "in it",
    )


def _passphrase(to: Parser, help: str) -> None:
    to.add_argument("--passphrase-file", metavar="FILE", help=help)


def _style(to: Parser) -> None:
    to.add_argument(
        "--style", choices=("sensible", "hoard"), default="sensible", help="hoard: bots draw whenever they may"
    )


def _bot(to: Parser) -> None:
    to.add_argument("--bot", action="store_true", help="a bot sits there instead of a person")
    to.add_argument("--json", action="store_true", help="nothing but JSON, one object a line, the result last")
    # For bots that this program starts itself: keep nothing on disk, and leave when standard input ends.
    to.add_argument("--tied", action="store_true", help=argparse.SUPPRESS)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. Errors are one sentence on standard error."""
    mend_streams()
    try:
        return _run(argv)
    except Complaint as complaint:
        complain(complaint.sentence)
        return complaint.code
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except Exception as error:  # the last line of defence: a person gets a sentence, the log gets the traceback
        import logging

        logging.getLogger("nodealer").exception("a fault of ours")
        complain(
            f"Something went wrong inside nodealer ({type(error).__name__}: {error}); "
            "run it again with --log-file FILE for the detail."
        )
        return Exit.INTERNAL


def _run(argv: Sequence[str] | None) -> int:
    command_line = parser()
    args = command_line.parse_args(argv)
    try:
        return _command(command_line, args)
    except BrokenPipeError:
        hush()
        return UNHEARD.get(args.command, Exit.COMPLETE)


def _command(command_line: Parser, args: argparse.Namespace) -> int:
    if args.version:
        print(f"nodealer {VERSION}")
        return Exit.COMPLETE
    for name, value in [*vars(args).items()]:
        if name.startswith(LOBBY):
            own = name.removeprefix(LOBBY)
            if value and args.command is not None:
                option = f"--{own.replace('_', '-')}"
                raise Complaint(f"{option} before a command is for the lobby: nodealer {args.command} {option}.")
            if args.command is None:
                setattr(args, own, value)
    if args.command is None and full_screen(args):
        _log_to(None)
        return int(import_module(".screen.program", __package__).run_lobby(args))
    if args.command is None:
        command_line.print_help()
        return Exit.USAGE
    _log_to(args.log_file)
    if args.command in SEATED:
        from .passphrase import given

        given(args)
        if full_screen(args):
            if args.trace == "-":
                raise Complaint("On the full screen a trace needs a file: --trace=FILE (or use --plain).")
            return _on_screen(args)
    module = import_module(f".{MODULES[args.command]}", __package__)
    return int(module.run(args))


def _on_screen(args: argparse.Namespace) -> int:
    """A seat on the full screen; for a passphrase it is left once, and then begun anew."""
    from .passphrase import Locked, ask, may_ask

    program = import_module(".screen.program", __package__)
    try:
        return int(program.run(args))
    except Locked as locked:
        if locked.given or not may_ask(args):
            raise
    args.passphrase = ask()
    return int(program.run(args))


def full_screen(args: argparse.Namespace) -> bool:
    """Whether a person sits here with a terminal that can show pictures; else the game goes in lines."""
    if getattr(args, "plain", False) or getattr(args, "bot", False) or getattr(args, "json", False):
        return False
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    if os.environ.get("TERM", "dumb" if os.name != "nt" else "") == "dumb":
        return False
    from .config import Config

    return not Config.load(getattr(args, "data_dir", None)).plain


def _log_to(file: str | None) -> None:
    """Send the detail to ``file``; without one it goes nowhere, so that no library writes into the game."""
    import logging

    root = logging.getLogger()
    if file is None:
        root.addHandler(logging.NullHandler())
        return
    try:
        handler = logging.FileHandler(file, encoding="utf-8")
    except OSError as error:
        raise Complaint(f"The log file {file} cannot be written ({error.strerror}).") from None
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(name)s %(levelname)s %(message)s"))
    # A full disk is no reason to write tracebacks into the game.
    logging.raiseExceptions = False
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
