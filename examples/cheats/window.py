"""False answers in an UNO window."""

from __future__ import annotations

import random

from nodealer import engine
from nodealer.p2p.bodies import NOTHING
from nodealer.p2p.entry import SignedHeader
from nodealer.p2p.events import DecisionNeeded
from nodealer.p2p.wire import encode

from examples.liar import Lie, LyingPlayer, Trick, forge, when
from examples.table import eager


def silent(decision: DecisionNeeded, rng: random.Random) -> engine.Action | None:
    """Never calls with the play, never presses a key in a window: every window runs out, and nobody ever wins."""
    if decision.kind is engine.Kind.WINDOW:
        return None
    action = eager(decision, rng)
    if isinstance(action, engine.PlayCard) and action.uno:
        return engine.PlayCard(action.handle, action.card, action.colour, False)
    return action


def calls(decision: DecisionNeeded, rng: random.Random) -> engine.Action | None:
    """Calls in the window as its owner; the others do nothing."""
    if decision.kind is engine.Kind.WINDOW:
        return engine.Called() if engine.Called() in decision.legal else None
    return silent(decision, rng)


def heard(call) -> Trick:
    """In place of *silent*, a *heard* with this signed header."""

    def lie(player: LyingPlayer, body: bytes) -> Lie | None:
        state = player.match.playing()
        owner = state.window
        if owner is None or owner == player.seat:
            return None
        signed = call(player, player.match.feed_of(owner))
        return None if signed is None else Lie(kind="heard", body=encode(signed.to_wire()))

    return when("silent", lie)


def signed_by_the_cheat(player: LyingPlayer, feed) -> SignedHeader:
    number, previous = feed.head
    return forge(player, "called", NOTHING, writer=feed.writer, number=number, previous=previous).signed


def own_call(player: LyingPlayer, feed) -> SignedHeader:
    return forge(player, "called", NOTHING).signed


def entry_before(player: LyingPlayer, feed) -> SignedHeader:
    return feed.entries[-1].signed


def far_ahead(player: LyingPlayer, feed) -> SignedHeader:
    return forge(player, "called", NOTHING, writer=feed.writer, number=feed.head[0] + 5).signed
