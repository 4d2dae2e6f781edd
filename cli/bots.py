"""``nodealer bots``: a match of bots alone, every one a process with its own keys, over real sockets on loopback.

The first bot hosts; the others join at the address that it says. Each ends with one JSON object; what they say of the
final state must be the same, byte for byte.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .exits import Complaint, Exit
from .home import Home
from .keeper import transcript_path
from .main import parser
from .names import bot_names
from .options import again, table_options
from .output import write_json, write_line
from .report import summary
from .seat import LOOPBACK
from .spawn import Child, end, spawn
from .words import count

# A bot that hosts says its address within this time, or something is wrong with this machine.
ADDRESS_WITHIN_S = 30.0
OUTCOMES = {"cheat": Exit.CHEAT, "gone": Exit.GONE, "left": Exit.GONE, "dissolved": Exit.DISSOLVED}


def run(args: argparse.Namespace) -> int:
    seats = table_options(args).seats
    transcript_path(args.transcript, Home.memory(), "")  # a file that is in the way is told before anything starts
    return asyncio.run(_match(args, seats))


async def _match(args: argparse.Namespace, seats: int) -> Exit:
    children: list[Child] = []
    stopped = asyncio.get_running_loop().create_future()

    def stop(code: Exit) -> None:
        if not stopped.done():
            stopped.set_result(code)

    for number, code in ((signal.SIGINT, Exit.INTERRUPTED), (signal.SIGTERM, Exit.TERMINATED)):
        try:
            asyncio.get_running_loop().add_signal_handler(number, stop, code)
        except NotImplementedError:  # Windows: the interrupt arrives as an exception
            break
    play = asyncio.create_task(_play(args, seats, children))
    try:
        await asyncio.wait([play, stopped], return_when=asyncio.FIRST_COMPLETED)
        if stopped.done():
            play.cancel()
            interrupted: Exit = stopped.result()
            return interrupted
        await play
    finally:
        await end(children)
    return _judge(args, seats, children)


async def hand(edition: str, seats: int, folder: Path | None) -> list[Mapping[str, object]]:
    """Let bots play one hand as fast as they can; what each tells of it, as far as they give a result. With a
    ``folder`` they keep their journals there."""
    words = ["bots", f"--edition={edition}", f"--seats={seats}", "--target=0", "--fast", "--json"]
    children: list[Child] = []
    try:
        await _play(parser().parse_args(words), seats, children, folder)
    finally:
        await end(children)
    return [child.result for child in children if child.result is not None]


async def _play(args: argparse.Namespace, seats: int, children: list[Child], folder: Path | None = None) -> None:
    """Start everybody and wait until all have ended."""
    names = bot_names(seats)
    table = [*again(args), f"--seats={seats}"] if args.seats is None else again(args)
    common = [f"--style={args.style}", f"--bind={LOOPBACK}", "--port=0"]
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def listen(child: Child) -> None:
        said = child.said[-1].get("address")
        if isinstance(said, str) and not address.done():
            address.set_result(said)

    kept = [f"--transcript={args.transcript}"] if args.transcript is not None else []
    own = {name: [] if folder is None else [f"--data-dir={folder / name}"] for name in names}
    host = await spawn(names[0], ["host", "--no-announce", *table, *common, *kept, *own[names[0]]], listen)
    children.append(host)
    ended = asyncio.create_task(host.wait())
    ended.add_done_callback(lambda _: address.done() or address.cancel())
    try:
        where = await asyncio.wait_for(address, ADDRESS_WITHIN_S)
    except (TimeoutError, asyncio.CancelledError):
        raise Complaint(f"The bot that hosts could not open a table: {host.why()}", Exit.UNREACHED) from None
    if not args.json:
        write_line(f"* {names[0]} hosts at {where}; {seats - 1} more join.")
    fast = ["--fast"] if args.fast else []
    for name in names[1:]:
        children.append(await spawn(name, ["join", where, *common, *fast, *own[name]]))
    others: asyncio.Future[list[int]] = asyncio.gather(*(child.wait() for child in children[1:]))
    both: list[asyncio.Future[Any]] = [ended, others]
    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    if ended.done() and host.result is None:
        # It keeps the transcript: the others could play on, but nothing would come of it.
        others.cancel()
        return
    await asyncio.gather(*both)


def _judge(args: argparse.Namespace, seats: int, children: Sequence[Child]) -> Exit:
    """Print what came of it; the exit code is 0 only if all ended in the same state."""
    results = [child.result for child in children if child.result is not None]
    kept = next((text for result in results if isinstance(text := result.get("transcript"), str)), None)
    told = summary(args.edition, seats, results, kept)
    if args.json:
        write_json(told)
    if told["complete"]:
        if not args.json:
            scores = ", ".join(f"{name} {points}" for name, points in dict(told["scores"]).items())  # type: ignore[call-overload]
            write_line(f"* {told['winner']} wins after {count(int(told['rounds']), 'round')}; {scores}.")  # type: ignore[call-overload]
            write_line(f"* All {seats} ended in the same state, {str(told['digests'][0])[:16]}….")  # type: ignore[index]
        return Exit.COMPLETE
    raise Complaint(*_why(children, results))


def _why(children: Sequence[Child], results: Sequence[Mapping[str, object]]) -> tuple[str, Exit]:
    """What went wrong, in one sentence, and its exit code; the gravest first."""
    if children[0].result is None:
        return f"The bot {children[0].name} gave no result: {children[0].why()}", Exit.GONE
    for outcome, code in OUTCOMES.items():
        for result in results:
            if result.get("outcome") == outcome:
                return str(result.get("sentence")) or "A bot left the table.", code
    for child in children:
        if child.result is None:
            return f"The bot {child.name} gave no result: {child.why()}", Exit.GONE
    return "The bots did not end in the same state.", Exit.INVALID
