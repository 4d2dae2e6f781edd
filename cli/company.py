"""Bots for the free seats of one's own table, each a process of its own, gone when the table is."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from contextlib import AsyncExitStack

from nodealer.p2p.passphrase import Passphrase

from .exits import Complaint, Exit
from .names import bot_names
from .session import Session
from .spawn import Child, end, spawn


async def seat_bots(
    stack: AsyncExitStack,
    session: Session,
    count: int,
    arguments: Sequence[str],
    taken: Sequence[str],
    passphrase: Passphrase | None = None,
) -> None:
    """Start ``count`` bots with these arguments. One that ends before the match begins ends the session, with why."""
    first = None
    if passphrase is not None:
        arguments, first = [*arguments, "--passphrase-file=-"], passphrase.line
    children: list[Child] = []
    watchers: list[asyncio.Task[None]] = []

    async def dismiss() -> None:
        for watcher in watchers:
            watcher.cancel()
        await end(children)
        for watcher in watchers:
            with contextlib.suppress(asyncio.CancelledError):
                await watcher

    stack.push_async_callback(dismiss)
    for name in bot_names(count, taken):
        child = await spawn(name, arguments, first=first)
        children.append(child)
        watchers.append(asyncio.create_task(_watch(child, session)))


async def _watch(child: Child, session: Session) -> None:
    await child.wait()
    if not session.made:
        session.fail(Complaint(f"The bot {child.name} could not sit down: {child.why()}", Exit.DISSOLVED))
