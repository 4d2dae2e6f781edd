"""Cheats with the cards of one's hand: one that is not there, another face, a false opening at the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nodealer import engine
from nodealer.p2p.bodies import open_body
from nodealer.p2p.wire import decode, encode

from examples.liar import Lie, LyingPlayer, Trick, when


def plays(change: Callable[[LyingPlayer, list[Any]], object]) -> Trick:
    """A trick that changes the fields (epoch, index, card, key, colour, uno) of the first play that it can change."""

    def lie(player: LyingPlayer, body: bytes) -> Lie | None:
        fields = decode(body, max_bytes=1 << 10)
        before = list(fields)
        change(player, fields)
        return Lie(body=encode(fields)) if fields != before else None

    return when("play", lie)


def of_another_hand(player: LyingPlayer, fields: list[Any]) -> None:
    state = player.match.playing()
    fields[0], fields[1] = state.hands[(player.seat + 1) % len(state.hands)][0]


def undealt(player: LyingPlayer, fields: list[Any]) -> None:
    fields[0], fields[1] = player.match.playing().draw[-1]


def played_before(player: LyingPlayer, fields: list[Any]) -> None:
    own = player.match.feeds[player.writer].entries
    earlier = [entry for entry in own if entry.header.kind == "play"]
    if earlier:
        fields[:] = decode(earlier[0].body, max_bytes=1 << 10)


def of_no_epoch(player: LyingPlayer, fields: list[Any]) -> None:
    fields[0] = 63


def another_face(player: LyingPlayer, fields: list[Any]) -> None:
    """A card that would be legal too: the twin of the same colour and number, or any other of its colour."""
    edition = engine.EDITIONS["four-colors"]
    mine = edition.cards[fields[2]]
    fields[2] = next(c.id for c in edition.cards if c.id != mine.id and c.colour == mine.colour)


def face_of_another_hand_card(player: LyingPlayer, fields: list[Any]) -> None:
    others = [card for handle, card in player.known.items() if card != fields[2]]
    if others:
        fields[2] = others[0]


def opens(change: Callable[[list[Any]], list[Any]]) -> Trick:
    def lie(player: LyingPlayer, body: bytes) -> Lie | None:
        (cards,) = decode(body, max_bytes=1 << 14)
        return Lie(body=open_body(change(cards))) if len(cards) > 1 else None

    return when("open", lie)
