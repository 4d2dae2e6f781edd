"""Finding tables on the LAN: announcing one's own by mDNS, and a list of the others' that is always current.

An announcement is only a hint that somebody may listen somewhere: anybody can send one, and one of a program that
was killed stays in caches for many minutes. So nothing is listed before it has answered over a secure line
(``query``), and what is listed is asked again and again.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from zeroconf import ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from .interfaces import Responder, cancelled, lan_addresses
from .query import QueryError, ask_table
from .records import SERVICE, Description, TableInfo, instance_name, nonce_of_instance, speaks_our_version, txt_of

log = logging.getLogger(__name__)

MAX_TABLES = 64
"""Announcements followed at once; a LAN with more is being flooded."""

RENEW_EVERY = 15.0
"""Seconds after which the browser asks the whole LAN anew: what came back, or was missed, shows up by then."""

ASK_EVERY = 3.0
"""Seconds between two questions to a table, listed or not."""

SHORTEST_GAP = 0.25
"""Seconds between two questions to a table whose announcement keeps changing."""

_RESOLVE_WITHIN_MS = 1500
_ADDRESSES_TRIED = 4
_ASKED_AT_ONCE = 16
_FORGET_AFTER = 5
"""Failed questions after which an announcement is forgotten until it is seen again."""


class FindingFails(Exception):
    """This machine cannot look for tables now; the text is a sentence for a person."""


class Announcer:
    """Tells the LAN about one table while the context stands.

    ``bind`` is the address that the table listens on, None for all of them.
    """

    def __init__(self, description: Description, key: bytes, port: int, bind: str | None = None) -> None:
        self._description = description
        self._key = key
        self._port = port
        self._only = _specific(bind)
        self._live: AsyncZeroconf | None = None
        self._live_addresses: tuple[str, ...] = ()
        self._responder = Responder(self._begin, self._end, self._where)

    async def __aenter__(self) -> Announcer:
        self._responder.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._responder.stop()

    @property
    def trouble(self) -> str:
        """A sentence while announcing does not work."""
        return self._responder.trouble

    async def update(self, description: Description) -> None:
        """Tells what has changed. The nonce must be the same."""
        if description == self._description:
            return
        self._description = description
        if self._live is not None:
            with contextlib.suppress(OSError, KeyError):
                await self._live.async_update_service(self._info(self._live_addresses))

    def _where(self) -> tuple[str, ...]:
        """The addresses to announce on: mDNS itself goes over IPv4, whatever the table listens on."""
        return lan_addresses() if self._only is None or ":" in self._only else (self._only,)

    async def _begin(self, responder: AsyncZeroconf, addresses: tuple[str, ...]) -> None:
        # The name is unique by its nonce, so there is nobody to ask whether it is free, which would take a second;
        # and it is never changed, which can run away.
        announcing = await responder.async_register_service(
            self._info(addresses), cooperating_responders=True, allow_name_change=False
        )
        self._live, self._live_addresses = responder, addresses
        await announcing

    async def _end(self, responder: AsyncZeroconf) -> None:
        self._live = None
        await responder.async_unregister_all_services()

    def _info(self, addresses: tuple[str, ...]) -> AsyncServiceInfo:
        nonce = self._description.nonce
        return AsyncServiceInfo(
            SERVICE,
            instance_name(nonce),
            port=self._port,
            properties=txt_of(self._description, self._key),
            server=f"nodealer-{nonce.hex()[:16]}.local.",
            parsed_addresses=list(addresses) if self._only is None else [self._only],
        )


def _specific(bind: str | None) -> str | None:
    """The one address that a table listens on; None if it listens on all, or on a name, which is left to the others."""
    try:
        address = ipaddress.ip_address(bind or "0.0.0.0")
    except ValueError:
        return None
    return None if address.is_unspecified else str(address)


@dataclass(slots=True)
class _Sighting:
    """An announcement that is being followed."""

    task: asyncio.Task[None]
    info: TableInfo | None = None
    failures: int = 0
    again: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the announcement has changed: worth a question before its time."""


class Browser:
    """The tables of this LAN, current while the context stands: ``tables`` now, ``changes`` as they come.

    ``addresses`` says where to listen for announcements, by default wherever this machine has an address.
    """

    def __init__(self, addresses: Callable[[], tuple[str, ...]] = lan_addresses) -> None:
        self._sightings: dict[str, _Sighting] = {}
        self._changed = asyncio.Event()
        self._renewing: asyncio.Task[None] | None = None
        self._responder = Responder(self._begin, self._end, addresses)
        self._places = asyncio.Semaphore(_ASKED_AT_ONCE)

    async def __aenter__(self) -> Browser:
        self._responder.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._responder.stop()
        for name in list(self._sightings):
            self._forget(name)

    @property
    def trouble(self) -> str:
        """A sentence while finding tables does not work."""
        return self._responder.trouble

    def tables(self) -> list[TableInfo]:
        """The tables that have answered, each once, open ones first, in an order that does not jump about."""
        found = {
            (info.nonce, info.key): info for info in (s.info for s in self._sightings.values()) if info is not None
        }
        return sorted(found.values(), key=lambda info: (not info.open, info.host, info.table))

    async def changes(self) -> AsyncIterator[list[TableInfo]]:
        """The list now, and again whenever it changes."""
        shown: list[TableInfo] | None = None
        while True:
            self._changed.clear()
            tables = self.tables()
            if tables != shown:
                shown = tables
                yield tables
            await self._changed.wait()

    # mDNS

    async def _begin(self, responder: AsyncZeroconf, addresses: tuple[str, ...]) -> None:
        for name in list(self._sightings):
            # Their followers resolve names with the responder that has gone.
            self._forget(name)
        self._renewing = asyncio.get_running_loop().create_task(self._renew(responder))

    async def _end(self, responder: AsyncZeroconf) -> None:
        if self._renewing is not None:
            await cancelled(self._renewing)

    async def _renew(self, responder: AsyncZeroconf) -> None:
        while True:
            browser = AsyncServiceBrowser(responder.zeroconf, SERVICE, handlers=[self._on_change])
            try:
                await asyncio.sleep(RENEW_EVERY)
            finally:
                await browser.async_cancel()

    def _on_change(self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        sighting = self._sightings.get(name)
        if state_change is ServiceStateChange.Removed:
            if sighting is not None:
                self._forget(name)
            return
        if sighting is not None:
            if state_change is ServiceStateChange.Updated:
                sighting.again.set()
            return
        nonce = nonce_of_instance(name)
        if nonce is not None and self._has_room():
            task = asyncio.get_running_loop().create_task(self._follow(zeroconf, name, nonce))
            self._sightings[name] = _Sighting(task)

    def _has_room(self) -> bool:
        """Whether one more announcement can be followed; one that nobody has answered for makes room."""
        if len(self._sightings) < MAX_TABLES:
            return True
        idle = [name for name, sighting in self._sightings.items() if sighting.info is None and sighting.failures]
        if idle:
            self._forget(idle[0])
        return bool(idle)

    def _forget(self, name: str) -> None:
        self._sightings.pop(name).task.cancel()
        self._changed.set()

    async def _follow(self, zeroconf: Zeroconf, name: str, nonce: bytes) -> None:
        """Asks one announced table, again and again, until it has not answered for a while."""
        while (sighting := self._sightings.get(name)) is not None and sighting.failures < _FORGET_AFTER:
            sighting.again.clear()
            info = None
            try:
                async with self._places:
                    info = await _ask_announced(zeroconf, name, nonce)
                sighting.failures = 0
            except QueryError as fault:
                log.debug("%s: %s", name, fault)
                sighting.failures += 1
            if sighting.info != info:
                sighting.info = info
                self._changed.set()
            await asyncio.sleep(SHORTEST_GAP)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(sighting.again.wait(), ASK_EVERY - SHORTEST_GAP)
        if name in self._sightings:
            self._forget(name)


async def _ask_announced(zeroconf: Zeroconf, name: str, nonce: bytes) -> TableInfo:
    """The answer of an announced table from the first of its addresses that gives one. Raises QueryError."""
    service = AsyncServiceInfo(SERVICE, name)
    if not await service.async_request(zeroconf, _RESOLVE_WITHIN_MS):
        raise QueryError("The announcement does not say where the table is.")
    if not speaks_our_version(service.properties):
        raise QueryError("The table speaks another version of the protocol.")
    if not service.port:
        raise QueryError("The announcement names no port.")
    addresses = [(host, service.port) for host in service.parsed_scoped_addresses()[:_ADDRESSES_TRIED]]
    asking = [asyncio.ensure_future(ask_table(*address)) for address in addresses]
    try:
        for answer in asyncio.as_completed(asking):
            with contextlib.suppress(QueryError):
                info = await answer
                if info.nonce == nonce:
                    return info
    finally:
        for question in asking:
            question.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
    raise QueryError("The table does not answer.")


async def browse(
    seconds: float = 2.0, addresses: Callable[[], tuple[str, ...]] = lan_addresses, *, open_only: bool = True
) -> list[TableInfo]:
    """The tables that answer within this time. Raises FindingFails where none could."""
    async with Browser(addresses) as browser:
        await asyncio.sleep(seconds)
        if browser.trouble:
            raise FindingFails(browser.trouble)
        return [info for info in browser.tables() if info.open or not open_only]


async def find_table(wanted: str, seconds: float = 3.0) -> TableInfo | None:
    """The first table whose name begins with ``wanted`` or whose host is called so; None if there is none in time.

    A part of a name has four or more hexadecimal digits. Raises FindingFails where none could be found.
    """
    async with Browser() as browser:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                async for tables in browser.changes():
                    for info in tables:
                        if (
                            len(wanted) >= 4 and info.nonce.hex().startswith(wanted.lower())
                        ) or info.host.casefold() == wanted.casefold():
                            return info
        if browser.trouble:
            raise FindingFails(browser.trouble)
    return None
