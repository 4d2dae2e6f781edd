"""Bots as processes of their own: started, watched, and never left behind.

A child is the same command (``nodealer join … --bot --tied --json``). It keeps nothing on disk but in a folder that it
is given, writes one JSON object a line, and ends when its standard input does: the pipe closes however this process
dies, so no child outlives it. Told to, it leaves the table for good; else one with a folder can go on later.
Children stand in a session of their own, so that Ctrl-C at the terminal reaches this process alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from .json_text import from_json

log = logging.getLogger("nodealer.spawn")

# After the match, or after its pipe was closed, a child has so long to end by itself, and then again after SIGTERM.
END_WITHIN_S = 4.0
TERM_WITHIN_S = 1.0
# A result is a few hundred bytes for each round; a line longer than this is not one of ours.
MAX_LINE = 1 << 20
LAST_WORDS = 5
# The line on a child's standard input that sends it from the table for good.
LEAVE = "leave"


@dataclass(slots=True)
class Child:
    """One bot process. ``said`` are the JSON objects that it wrote, ``last_words`` the end of its standard error."""

    name: str
    process: asyncio.subprocess.Process
    said: list[Mapping[str, object]] = field(default_factory=list)
    last_words: list[str] = field(default_factory=list)
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)

    @property
    def result(self) -> Mapping[str, object] | None:
        """The object that ends its output, once it is there."""
        return self.said[-1] if self.said and "outcome" in self.said[-1] else None

    async def wait(self) -> int:
        """Its exit code, when it has ended and all its output was read."""
        code = await self.process.wait()
        for task in self._tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task
        return code

    def why(self) -> str:
        """Its own last sentence, or how it ended."""
        if self.last_words:
            return self.last_words[-1]
        code = self.process.returncode
        return "it was ended by a signal" if code is not None and code < 0 else f"it ended with exit code {code}"

    def let_go(self, *, leave: bool) -> None:
        """Close its standard input: it ends, and leaves the table for good if it is told so or keeps nothing."""
        if self.process.stdin is not None:
            if leave:
                with contextlib.suppress(OSError):
                    self.process.stdin.write(f"{LEAVE}\n".encode())
            self.process.stdin.close()


async def spawn(
    name: str, arguments: Sequence[str], on_said: Callable[[Child], None] | None = None, first: str | None = None
) -> Child:
    """Start ``nodealer ARGUMENTS`` as a bot called ``name``. ``on_said`` hears of every object that it writes;
    ``first`` is a line that it finds on its standard input."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "nodealer.cli",
        *arguments,
        "--bot",
        "--tied",
        "--json",
        f"--name={name}",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=MAX_LINE,
        start_new_session=True,
    )
    child = Child(name, process)
    if first is not None and process.stdin is not None:
        process.stdin.write(first.encode() + b"\n")
    child._tasks = [asyncio.create_task(_hear(child, on_said)), asyncio.create_task(_hear_complaints(child))]
    return child


async def _hear(child: Child, on_said: Callable[[Child], None] | None) -> None:
    stream = child.process.stdout
    if stream is None:
        return
    while line := await stream.readline():
        try:
            value = from_json(line)
        except ValueError:
            log.warning("%s wrote no JSON: %r", child.name, line[:200])
            continue
        if isinstance(value, dict):
            child.said.append(value)
            if on_said is not None:
                on_said(child)


async def _hear_complaints(child: Child) -> None:
    stream = child.process.stderr
    if stream is None:
        return
    while line := await stream.readline():
        text = line.decode("utf-8", "replace").rstrip()
        log.warning("%s: %s", child.name, text)
        child.last_words = [*child.last_words[1 - LAST_WORDS :], text]


async def end(children: Sequence[Child], *, leave: bool = True) -> None:
    """End all of them: by closing their input, then by asking, then by force."""
    for child in children:
        child.let_go(leave=leave)
    for limit, harder in ((END_WITHIN_S, "terminate"), (TERM_WITHIN_S, "kill"), (TERM_WITHIN_S, "")):
        alive = [child for child in children if child.process.returncode is None]
        if not alive:
            break
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.gather(*(child.process.wait() for child in alive)), limit)
        for child in alive:
            if child.process.returncode is None and harder:
                with contextlib.suppress(ProcessLookupError):
                    getattr(child.process, harder)()
