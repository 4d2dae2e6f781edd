"""What the tests run on the hosts of a LAN: a table that only answers what it is, a list of tables, a line kept.

lan_program.py table NAME          listens, announces itself, says "listening PORT"
lan_program.py watch               says the hosts' names of the listed tables, sorted, whenever the list changes
lan_program.py line HOST PORT      keeps a line to that address, says "up" and "down REASON"
"""

from __future__ import annotations

import asyncio
import os
import sys
import time

from nodealer.crypto.identity import Identity
from nodealer.p2p.limits import Standing
from nodealer.p2p.net.discovery import Announcer, Browser
from nodealer.p2p.net.records import QUERY, Description, encode_answer
from nodealer.p2p.net.runner import Runner


class SmallPeer:
    """Answers the question what the table is; says when lines come and go."""

    port = 0

    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self._out: list[tuple[int, bytes]] = []

    def line_up(
        self,
        line: int,
        remote_key: bytes,
        outgoing: bool,
        address: tuple[str, int] | None,
        now: float,
        binding: bytes,
    ) -> None:
        say("up")

    def line_down(self, line: int, reason: str, now: float) -> None:
        say(f"down {reason}")

    def receive(self, line: int, message: bytes, now: float) -> None:
        if message == QUERY:
            self._out.append((line, self._answer))

    def data_to_send(self) -> list[tuple[int, bytes]]:
        out, self._out = self._out, []
        return out

    def lines_to_close(self) -> list[int]:
        return []

    def standing(self, line: int) -> Standing:
        return Standing.STRANGER

    def wanted(self) -> list[tuple[bytes, str, int]]:
        return []

    def next_deadline(self) -> float | None:
        return None

    def tick(self, now: float) -> None:
        pass

    def events(self) -> list[object]:
        return []


def say(text: str) -> None:
    """A line with the time, which all namespaces of one machine share."""
    print(f"{time.monotonic():.3f} {text}", flush=True)


async def keep_table(name: str) -> None:
    identity = Identity.generate()
    what = Description(os.urandom(16), name, "four-colors", 4, 1, False, True)
    runner = Runner(SmallPeer(encode_answer(what)), identity)
    await runner.start()
    async with Announcer(what, identity.public, runner.port):
        say(f"listening {runner.port}")
        await runner.run()


async def watch() -> None:
    async with Browser() as browser:
        async for tables in browser.changes():
            say("tables: " + " ".join(sorted(f"{info.host}@{info.address[0]}" for info in tables)) + ".")


async def keep_line(host: str, port: int) -> None:
    runner = Runner(SmallPeer(b""), Identity.generate())
    await runner.start()
    runner.dial(host, port)
    await runner.run()


match sys.argv[1:]:
    case ["table", name]:
        asyncio.run(keep_table(name))
    case ["watch"]:
        asyncio.run(watch())
    case ["line", host, port]:
        asyncio.run(keep_line(host, int(port)))
    case _:
        sys.exit(__doc__)
