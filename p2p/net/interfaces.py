"""Which addresses this machine has, and an mDNS responder that stays on them while they change."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
from collections.abc import Awaitable, Callable

import ifaddr
from zeroconf import Error, IPVersion
from zeroconf.asyncio import AsyncZeroconf

log = logging.getLogger(__name__)

POLL_EVERY = 2.5
"""Seconds between two looks at the interfaces: python-zeroconf reads them once, when it starts."""

LOOPBACK = "127.0.0.1"
_MAX_ADDRESSES = 16


def lan_addresses() -> tuple[str, ...]:
    """This machine's IPv4 addresses in order, loopback only if there is no other."""
    found = {
        str(address.ip) for adapter in ifaddr.get_adapters() for address in adapter.ips if isinstance(address.ip, str)
    }
    outside = [ip for ip in map(ipaddress.IPv4Address, found) if not ip.is_loopback and not ip.is_unspecified]
    return tuple(map(str, sorted(outside)[:_MAX_ADDRESSES])) or (LOOPBACK,)


async def cancelled(task: asyncio.Task[None]) -> None:
    """Cancel a task and wait until it has ended; raises what it ended with. Who is cancelled in here is cancelled.

    Awaiting the task itself would not do: its cancellation and one's own look alike, and one of them must not be
    swallowed.
    """
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled() and (fault := task.exception()) is not None:
        raise fault


def on_a_network() -> bool:
    """Whether this machine has an address that another could reach."""
    return lan_addresses() != (LOOPBACK,)


class Responder:
    """Keeps an mDNS responder on the addresses of this machine.

    ``begin`` is awaited with every fresh responder and the addresses it stands on, ``end`` before it is given up.
    ``trouble`` is a sentence while there is none, for the lobby and ``doctor``.
    """

    def __init__(
        self,
        begin: Callable[[AsyncZeroconf, tuple[str, ...]], Awaitable[None]],
        end: Callable[[AsyncZeroconf], Awaitable[None]],
        addresses: Callable[[], tuple[str, ...]] = lan_addresses,
    ) -> None:
        self._begin = begin
        self._end = end
        self._addresses = addresses
        self._task: asyncio.Task[None] | None = None
        self.trouble = ""

    def start(self) -> None:
        """Begins; returns at once."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Gives the responder up, with a goodbye to the network."""
        if self._task is not None:
            task, self._task = self._task, None
            await cancelled(task)

    async def _run(self) -> None:
        while True:
            addresses = self._addresses()
            try:
                await self._stand(addresses)
            except (OSError, Error) as fault:
                why = fault.strerror if isinstance(fault, OSError) and fault.strerror else fault
                self.trouble = f"Finding tables does not work on this machine now ({why}); join by address."
                log.info("no mDNS on %s: %s", addresses, fault)
                await asyncio.sleep(POLL_EVERY)

    async def _stand(self, addresses: tuple[str, ...]) -> None:
        """Serves on these addresses until they are not this machine's any more."""
        responder = AsyncZeroconf(interfaces=list(addresses), ip_version=IPVersion.V4Only)
        try:
            await self._begin(responder, addresses)
            self.trouble = ""
            while self._addresses() == addresses:
                await asyncio.sleep(POLL_EVERY)
            log.info("the addresses of this machine have changed from %s", addresses)
        finally:
            await self._give_up(responder)

    async def _give_up(self, responder: AsyncZeroconf) -> None:
        # An interface that has gone takes the goodbye's socket with it: nothing to be done about that.
        with contextlib.suppress(OSError, Error):
            await self._end(responder)
        with contextlib.suppress(OSError, Error):
            await responder.async_close()
