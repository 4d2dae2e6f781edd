"""How long a frame takes, and how soon a key is answered while proofs are being checked, on this machine.

A table of ten players is painted at 120x40 on a terminal that goes nowhere; everything else is as in a game, keys come
through a pipe. The load beside it is what the match's thread does during a shuffle: all steps of the deck's bench,
again and again.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable

from nodealer import engine
from nodealer.engine import Handle, Kind, NeedActions, NeedEpoch, NeedFace, NeedKeys, Options, Seat
from nodealer.p2p import bench
from nodealer.p2p import events as p2p
from nodealer.p2p.options import TableOptions
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from .app import Terminal
from .look import Depth, Look
from .model import Glance
from .screen import Screen

PLAYERS = 10
SIZE = Size(rows=40, columns=120)
FRAMES = 200
KEYS = 300
# A quick typist's distance between two keys.
KEY_EVERY_S = 0.02


class _Nowhere:
    """A terminal's output that is only counted."""

    encoding = "utf-8"

    def write(self, text: str) -> None: ...
    def flush(self) -> None: ...
    def isatty(self) -> bool:
        return True


def table() -> Screen:
    """A ten-player table in the middle of one's own turn."""
    options = Options("despicable-me-4", PLAYERS)
    state = engine.new_match(options)
    deck = sorted(range(112), key=lambda card: (card * 37) % 113)
    while not (isinstance(state.pending, NeedActions) and state.pending.kind is Kind.MOVE):
        match state.pending:
            case NeedEpoch():
                state, _ = engine.apply(state, engine.EpochReady())
            case NeedKeys():
                state, _ = engine.apply(state, engine.KeysReleased())
            case NeedFace(handle):
                state, _ = engine.apply(state, engine.TurnUp(deck[handle.index]))
            case _:
                break
    seat = state.turn
    known = {handle: deck[handle.index] for handle in state.hands[seat]}
    view = engine.view(state, seat, known)
    players = tuple(
        p2p.PlayerInfo(f"Player {place}", "lamp-stone-river-oak", bytes([place]) * 32) for place in range(10)
    )
    screen = Screen()
    screen.take(p2p.TableMade(b"t" * 32, TableOptions.defaults(options.edition, PLAYERS), players, seat), 0.0)
    screen.take(p2p.HandChanged(tuple(known.items())), 0.0)
    screen.take(Glance(view, (seat,), 40, b"d" * 32, 200), 0.0)
    legal = engine.legal_actions(state, Seat(seat), known)
    screen.take(p2p.DecisionNeeded(Kind.MOVE, view, legal, None), 0.0)
    return screen


Type = Callable[[str], None]
Work = Callable[[Terminal, Screen, Type], Awaitable[list[float]]]


async def _with_terminal(work: Work) -> list[float]:
    """Run ``work`` on a terminal that goes nowhere; it gets a way to type."""
    screen = table()
    with create_pipe_input() as keys:
        output = Vt100_Output(_Nowhere(), lambda: SIZE, term="xterm-256color", enable_cpr=False)  # type: ignore[arg-type]
        terminal = Terminal(screen, Look(Depth.TRUE), lambda: None, input=keys, output=output)
        running = asyncio.create_task(terminal.run())
        await asyncio.sleep(0.1)
        try:
            return await work(terminal, screen, keys.send_text)
        finally:
            terminal.close()
            await running


def frames() -> list[float]:
    """Milliseconds of work for each of some frames after a message or a key, in turn."""

    async def work(terminal: Terminal, screen: Screen, type_: Type) -> list[float]:
        taken = []
        for number in range(FRAMES):
            begun = time.thread_time()
            if number % 2:
                screen.take(p2p.GameEvent(engine.CardsDrawn(Seat(number % 10), (Handle(0, 90),))), 0.0)
            else:
                screen.press("right", 0.0)
            terminal.paint()
            taken.append((time.thread_time() - begun) * 1000)
            await asyncio.sleep(0)
        return taken

    return asyncio.run(_with_terminal(work))


def answers() -> list[float]:
    """Milliseconds from each of some keys to its picture, while another thread does the deck's work."""
    stop = threading.Event()

    def load() -> None:
        while not stop.is_set():
            bench.measure(112, 1)

    async def work(terminal: Terminal, screen: Screen, type_: Type) -> list[float]:
        taken = []
        for _ in range(KEYS):
            painted = terminal.painted
            begun = time.monotonic()
            type_("\x1b[C")
            cursor = screen.chosen
            while screen.chosen == cursor or terminal.painted == painted:
                await asyncio.sleep(0.001)
            taken.append((time.monotonic() - begun) * 1000)
            await asyncio.sleep(KEY_EVERY_S)
        return taken

    thread = threading.Thread(target=load, name="load", daemon=True)
    thread.start()
    try:
        return asyncio.run(_with_terminal(work))
    finally:
        stop.set()
        thread.join()


def measure() -> dict[str, float]:
    """``frame_ms``: the median frame; ``frame_ms_99``, ``key_ms_99``: 99 of 100 are below (see `frames`, `answers`)."""
    painted, answered = sorted(frames()), sorted(answers())
    return {
        "frame_ms": round(painted[len(painted) // 2], 2),
        "frame_ms_99": round(painted[len(painted) * 99 // 100], 2),
        "key_ms_99": round(answered[len(answered) * 99 // 100], 2),
    }
