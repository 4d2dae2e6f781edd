"""When to dial whom: addresses, waits that double, and which of two lines between the same two peers stays.

No input or output here; ``runner`` does the dialling.
"""

from __future__ import annotations

import ipaddress
import random
from collections.abc import Iterable
from dataclasses import dataclass, field

from .connection import Address

FIRST_WAIT = 0.25
LONGEST_WAIT = 5.0
"""Seconds between two attempts: a LAN answers at once or not at all, and a player who is back should not wait long."""

PROVEN_AFTER = 5.0
"""A line that lived this many seconds was a good one: the next wait begins at the shortest again."""

COURTESY = 0.25
"""Seconds by which the higher key lets the lower one dial first: most double lines never come to be."""

CROSSING = 6.0
"""Lines dialled from both sides within this many seconds have crossed; a later one replaces what is dead unnoticed.
It is longer than a handshake may take, since no side dials while it has a line."""

_MAX_ADDRESSES = 6


@dataclass(slots=True)
class Target:
    """Somebody to keep a line to: by key, or by an address whose key is not known yet."""

    key: bytes | None
    addresses: list[Address]
    given: bool
    """Named by the user; stays until it is forgotten. Others stay while the peer wants them."""
    not_before: float
    busy: bool = False
    attempts: int = 0
    trouble: str = ""
    """Why the last attempt failed, a sentence."""
    _waits: int = field(default=0)

    def next_address(self, seen: Iterable[Address]) -> Address:
        """Where to dial now; every attempt takes the next address. ``seen`` are the far ends of lines that stand."""
        candidates = candidate_addresses(self.addresses, seen)
        address = candidates[self.attempts % len(candidates)]
        self.attempts += 1
        return address

    def failed(self, now: float, trouble: str, rng: random.Random) -> None:
        """An attempt or a line came to nothing: wait, twice as long as the last time, at random around that."""
        self.busy = False
        self.trouble = trouble
        wait = min(FIRST_WAIT * 2.0**self._waits, LONGEST_WAIT)
        self._waits = min(self._waits + 1, 10)
        self.not_before = now + wait * rng.uniform(0.5, 1.5)

    def proven(self) -> None:
        """The line to it lived long enough to begin with short waits again."""
        self._waits = 0


def candidate_addresses(addresses: Iterable[Address], seen: Iterable[Address]) -> list[Address]:
    """The addresses to try, in order, without doubles.

    Who sits on the host's own machine is known there by a loopback address, which means somebody else here; so the
    machines at the far ends of standing lines are tried with that port too. The handshake tells whether it was right.
    """
    candidates = list(addresses)
    machines = [host for host, _ in seen if not is_loopback(host)]
    candidates += [(machine, port) for host, port in addresses if is_loopback(host) for machine in machines]
    return list(dict.fromkeys(candidates))[:_MAX_ADDRESSES]


def is_loopback(host: str) -> bool:
    """Whether this host name or address means the machine that uses it."""
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return host == "localhost"


def new_line_stays(own_key: bytes, remote_key: bytes, *, old_outgoing: bool, new_outgoing: bool, age: float) -> bool:
    """Which of two lines to one peer stays when the second is up: True for the new one.

    Both ends decide alike without a word. Two that crossed: the line that the lower key dialled. Otherwise the new
    one, since the other side, or this one, would not have dialled had it thought the old one alive. ``age`` is how
    long the old one has been up, in seconds.
    """
    if old_outgoing != new_outgoing and age < CROSSING:
        return new_outgoing == (own_key < remote_key)
    return True
