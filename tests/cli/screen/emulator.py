"""prompt-toolkit on a terminal that is not there: keys through a pipe, what comes out read by an emulator (pyte)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pyte
from nodealer.cli.screen.app import Terminal, View
from nodealer.cli.screen.look import Depth, Look
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "left": "\x1b[D",
    "right": "\x1b[C",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "tab": "\t",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "backspace": "\x7f",
    "delete": "\x1b[3~",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "f1": "\x1bOP",
    "f5": "\x1b[15~",
    "c-c": "\x03",
    "c-l": "\x0c",
    "c-u": "\x15",
}


class _Out:
    """Standard output of the emulated terminal. ``raw`` is everything that was written."""

    encoding = "utf-8"

    def __init__(self, stream: pyte.Stream) -> None:
        self._stream = stream
        self.raw = ""

    def write(self, text: str) -> None:
        self.raw += text
        # pyte takes xterm's "modify other keys" for text attributes.
        self._stream.feed(text)

    def flush(self) -> None:
        """Everything was taken already."""

    def isatty(self) -> bool:
        return True


class Emulated:
    """A running terminal with its screen."""

    def __init__(self, view: View, keys: PipeInput, columns: int, rows: int, look: Look) -> None:
        self.size = Size(rows, columns)
        self.glass = pyte.Screen(columns, rows)
        self.out = _Out(pyte.Stream(self.glass))
        self._keys = keys
        self.inputs = 0
        output = Vt100_Output(self.out, lambda: self.size, term="xterm-256color", enable_cpr=False)  # type: ignore[arg-type]
        self.terminal = Terminal(view, look, self._took, input=keys, output=output)

    def _took(self) -> None:
        self.inputs += 1

    async def press(self, *keys: str) -> None:
        """Type keys, each taken before the next."""
        for key in keys:
            before = self.inputs
            self._keys.send_text(KEYS.get(key, key))
            for _ in range(400):
                if self.inputs > before or key in ("c-l",):
                    break
                await asyncio.sleep(0.005)
            else:
                raise AssertionError(f"the key {key!r} was not taken")
        await self.settle()

    async def send(self, raw: str) -> None:
        self._keys.send_text(raw)
        await self.settle()

    async def resize(self, columns: int, rows: int) -> None:
        """The window has another size now."""
        self.size = Size(rows, columns)
        self.glass.resize(rows, columns)
        self.terminal._app._on_resize()
        await self.settle()

    async def settle(self) -> None:
        """Until what has changed is painted."""
        self.terminal.show()
        await asyncio.sleep(0.06)

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.glass.display) + "\n"


@asynccontextmanager
async def emulated(view: View, columns: int = 80, rows: int = 24, look: Look | None = None) -> AsyncIterator[Emulated]:
    with create_pipe_input() as keys:
        machine = Emulated(view, keys, columns, rows, look or Look(Depth.TRUE))
        running = asyncio.create_task(machine.terminal.run())
        await asyncio.sleep(0.1)
        try:
            yield machine
        finally:
            machine.terminal.close()
            await running
