"""How often a passphrase may be guessed: waits that double with every wrong guess, by address and for all together.

A guess counts from its beginning, so that many lines at once are no way around the waits; one that is broken off has
been a wrong one. What is remembered is bounded: whoever comes from very many addresses meets the wait for all.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field

AT_ONCE = 12
"""Exchanges under way from one address without a wrong guess: the bots of one machine sit down together."""

AT_ONCE_OVERALL = 24
FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0
"""Seconds after wrong guesses from one address: 1, 2, 4 … 60."""

FREE_OVERALL = 10
"""Wrong guesses of all together that make nobody else wait: a whole table of people who mistype."""

FIRST_WAIT_OVERALL = 0.5
LONGEST_WAIT_OVERALL = 5.0
"""Seconds for everybody: short, since somebody who guesses could otherwise keep the others out."""

FORGET_AFTER = 600.0
"""Seconds without a wrong guess after which all is as at first."""

MAX_PLACES = 512


@dataclass(slots=True)
class _Count:
    wrong: int = 0
    last: float = 0.0
    under_way: int = 0

    def age(self, now: float) -> None:
        if now - self.last >= FORGET_AFTER:
            self.wrong = 0

    def failed(self, now: float) -> None:
        self.wrong, self.last = self.wrong + 1, now

    def left(self, free: int, first: float, longest: float, now: float) -> float:
        if self.wrong <= free:
            return 0.0
        wait: float = min(first * 2.0 ** min(self.wrong - free - 1, 30), longest)
        return max(self.last + wait - now, 0.0)


@dataclass(slots=True)
class Guesses:
    """Counts guesses; ``now`` is a clock that only goes forward. A *place* is what ``place_of`` makes of an address."""

    _all: _Count = field(default_factory=_Count)
    _places: dict[str, _Count] = field(default_factory=dict)

    @property
    def wrong(self) -> int:
        """Wrong guesses lately, of all together."""
        return self._all.wrong

    def wait(self, place: str, now: float) -> float:
        """Seconds until a guess from this place may begin; 0 for now."""
        here = self._places.get(place, _Count())
        for count in (here, self._all):
            count.age(now)
        wait = max(
            here.left(0, FIRST_WAIT, LONGEST_WAIT, now),
            self._all.left(FREE_OVERALL, FIRST_WAIT_OVERALL, LONGEST_WAIT_OVERALL, now),
        )
        busy = here.under_way >= (1 if here.wrong else AT_ONCE) or self._all.under_way >= (
            1 if self._all.wrong > FREE_OVERALL else AT_ONCE_OVERALL
        )
        return max(wait, FIRST_WAIT) if busy else wait

    def begin(self, place: str, now: float) -> None:
        """A guess begins; ``end`` must follow."""
        if place not in self._places and len(self._places) >= MAX_PLACES:
            self._make_room()
        here = self._places.setdefault(place, _Count(last=now))
        here.under_way += 1
        self._all.under_way += 1

    def end(self, place: str, good: bool, now: float) -> None:
        """How it ended. A right one takes no wrong ones back: they may have been another's at that address."""
        here = self._places[place]
        here.under_way -= 1
        self._all.under_way -= 1
        if not good:
            here.failed(now)
            self._all.failed(now)
        elif not here.wrong and not here.under_way:
            del self._places[place]

    def _make_room(self) -> None:
        idle = [(count.last, place) for place, count in self._places.items() if not count.under_way]
        if idle:
            del self._places[min(idle)[1]]


def place_of(address: tuple[str, int] | None) -> str:
    """Whom a wait is meant for: an IPv4 address; of IPv6 the network of 64 bits, in which anybody has any address."""
    if address is None:
        return ""
    try:
        found = ipaddress.ip_address(address[0].partition("%")[0])
    except ValueError:
        return address[0]
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        # On a link all have the same link-local network: there the whole address is all that tells them apart.
        return str(found) if found.is_link_local else str(ipaddress.IPv6Network((found, 64), strict=False))
    return str(found)
