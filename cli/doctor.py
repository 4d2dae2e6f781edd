"""``nodealer doctor``: why tables may not be found here, or not be joined, and what to do about it.

Every check is made with the very parts that a game uses: a table of our own, asked over a secure line, on loopback and
on the network's address, announced and looked for by mDNS.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path

from nodealer.p2p.identity import Identity
from nodealer.p2p.net.discovery import Announcer, FindingFails, find_table
from nodealer.p2p.net.interfaces import LOOPBACK, lan_addresses
from nodealer.p2p.net.listen import DEFAULT_PORT, ListenError, listening_sockets
from nodealer.p2p.net.query import QueryError, ask_table
from nodealer.p2p.net.runner import Runner
from nodealer.p2p.options import TableOptions
from nodealer.p2p.peer import Peer

from .exits import Complaint, Exit
from .home import Home
from .host import describe
from .output import write_json, write_line
from .resuming import kept

# An announcement is back within milliseconds where multicast works at all.
FIND_S = 3.0


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: ``good`` None where it can only be said, not judged; ``advice`` says what to do."""

    what: str
    good: bool | None
    found: str
    advice: str = ""

    @property
    def mark(self) -> str:
        return {True: "ok", False: "PROBLEM", None: "note"}[self.good]


def run(args: argparse.Namespace) -> int:
    found = asyncio.run(_all(args.data_dir, tell=not args.json))
    if args.json:
        write_json([asdict(check) for check in found])
    elif all(check.good is not False for check in found):
        write_line("Nothing here keeps you from finding tables and from being found.")
    return Exit.UNREACHED if any(check.good is False for check in found) else Exit.COMPLETE


async def _all(data_dir: str | None, *, tell: bool) -> list[Check]:
    found = []
    async for check in checks(data_dir):
        found.append(check)
        if tell:
            write_line(f"{check.mark}: {check.what}: {check.found}")
            if check.advice:
                write_line(f"    {check.advice}")
    return found


async def checks(data_dir: str | None = None) -> AsyncIterator[Check]:
    """The checks one after the other, each as soon as it is known."""
    for check in (_folder(data_dir), _terminal(), _network(), _port()):
        yield check
    identity = Identity.generate()
    peer = Peer.host(identity, "doctor", TableOptions.defaults("four-colors"))
    peer.leave(0.0)  # closed before it opens: it answers, and nobody can sit down
    runner = Runner(peer, identity, port=0)
    try:
        await runner.start()
    except ListenError as error:
        yield Check("listening", False, str(error), "Another program or a policy of this machine forbids it.")
        return
    peer.port = runner.port
    work = asyncio.create_task(runner.run())
    try:
        yield await _asked("a second player on this machine", LOOPBACK, runner.port)
        address = lan_addresses()[0]
        if address != LOOPBACK:
            yield await _asked("a player at this machine's address", address, runner.port)
        yield await _found(peer, runner.port)
    finally:
        runner.stop()
        with contextlib.suppress(Exception):
            await asyncio.wait_for(work, 2.0)
    yield _firewall()


def _folder(data_dir: str | None) -> Check:
    try:
        home = Home.open(data_dir)
    except Complaint as complaint:
        return Check("your folder", False, complaint.sentence)
    home.close()
    if home.throwaway:
        return Check("your folder", None, "in use by another nodealer: a second one plays under a throw-away identity")
    unfinished = kept(home)
    if unfinished:
        return Check(
            "your folder",
            None,
            f"{home.config}; unfinished matches that can go on: {unfinished}",
            "The lobby's c or the command that began a match goes on with it; with --new that command drops it.",
        )
    return Check("your folder", True, str(home.config))


def _terminal() -> Check:
    if not (sys.stdout.isatty() and sys.stdin.isatty()):
        return Check("terminal", None, "there is none here: games go in lines (--plain)")
    encoding = (sys.stdout.encoding or "").casefold().replace("-", "")
    with contextlib.suppress(OSError):
        size = os.get_terminal_size()
        if size.columns < 40 or size.lines < 16:
            return Check("terminal", False, f"{size.columns}x{size.lines}", "Make it 40x16 or larger, 80x24 is better.")
        if encoding != "utf8":
            return Check("terminal", None, f"{size.columns}x{size.lines}, not UTF-8: it is drawn in ASCII")
        return Check("terminal", True, f"{size.columns}x{size.lines}, {os.environ.get('TERM', 'unknown')}")
    return Check("terminal", None, "its size is not known")


def _network() -> Check:
    addresses = lan_addresses()
    if addresses == (LOOPBACK,):
        return Check(
            "network",
            False,
            "this machine has no address on a network",
            "Join the network of the others; on this machine alone `nodealer play` works all the same.",
        )
    return Check("network", True, ", ".join(addresses))


def _port() -> Check:
    try:
        for listening in listening_sockets(None, DEFAULT_PORT):
            listening.close()
    except ListenError:
        return Check("port", None, f"{DEFAULT_PORT} is in use: the next free one is taken, and said")
    return Check("port", True, f"{DEFAULT_PORT} is free")


async def _asked(what: str, host: str, port: int) -> Check:
    begun = asyncio.get_running_loop().time()
    try:
        await ask_table(host, port)
    except QueryError as error:
        return Check(what, False, str(error), "A firewall of this machine keeps its own programs apart.")
    took = (asyncio.get_running_loop().time() - begun) * 1000
    return Check(what, True, f"{host} answers over a secure line in {took:.0f} ms")


async def _found(peer: Peer, port: int) -> Check:
    what = "finding tables (multicast)"
    advice = (
        "Tables are not found by themselves then; the host tells its address, and the others join by it. "
        "Guest networks often forbid multicast (UDP 5353 to 224.0.0.251), and so may a VPN."
    )
    async with Announcer(describe(peer), peer.key, port) as announcer:
        nonce = describe(peer).nonce.hex()
        begun = asyncio.get_running_loop().time()
        try:
            table = await find_table(nonce, FIND_S)
        except FindingFails as error:
            return Check(what, False, str(error), advice)
        took = asyncio.get_running_loop().time() - begun
        if table is not None:
            return Check(what, True, f"an announcement of our own came back and was verified in {took * 1000:.0f} ms")
        return Check(what, False, announcer.trouble or "an announcement of our own did not come back", advice)


def _firewall() -> Check:
    """A firewall that is known to be on; whether it lets us through only another machine can tell."""
    open_it = f"TCP {DEFAULT_PORT} and UDP 5353"
    if sys.platform == "darwin":
        return Check("firewall", None, "macOS asks once whether python may accept connections: allow it")
    if os.name == "nt":
        return Check("firewall", None, "Windows asks once whether python may use private networks: allow it")
    with contextlib.suppress(OSError):
        if "ENABLED=yes" in Path("/etc/ufw/ufw.conf").read_text(encoding="utf-8", errors="replace"):
            told = f"sudo ufw allow {DEFAULT_PORT}/tcp; sudo ufw allow 5353/udp"
            return Check("firewall", None, f"ufw is on; others need {open_it}", told)
    if Path("/run/firewalld").exists():
        told = f"sudo firewall-cmd --add-service=mdns --add-port={DEFAULT_PORT}/tcp"
        return Check("firewall", None, f"firewalld is on; others need {open_it}", told)
    return Check("firewall", None, f"none that is known here; others must reach {open_it}")
