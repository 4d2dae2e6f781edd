"""Cheats with a shuffle: what a cheat knows while it makes one, and what it puts in its place."""

from __future__ import annotations

from collections.abc import Callable

from nodealer.crypto import shuffle
from nodealer.crypto.context import Context
from nodealer.crypto.deck import EpochDeck
from nodealer.crypto.group import Point, hash_to_point
from nodealer.crypto.shuffle import ShuffleStep
from nodealer.p2p.wire import encode

from examples.liar import Lie, LyingPlayer, Trick, when


class Shuffler:
    """What the cheat knows while it makes its shuffle."""

    def __init__(self, player: LyingPlayer) -> None:
        self.player = player
        self.deck: EpochDeck = player._deck_being_made()
        secrets = player._secret(self.deck)
        self.k, self.order = secrets._k, tuple(secrets._permutation)
        self.ctx = self.deck.context(player.seat, player.match.slot.number)
        self.honest, self.key = shuffle.mask(self.deck.current, self.k, self.order)

    def prove(
        self, masked: tuple[Point, ...], order: tuple[int, ...] | None = None, ctx: Context | None = None
    ) -> bytes:
        """The honest prover's program, told that this is the shuffle."""
        proof = shuffle.prove_statement(
            ctx or self.ctx, shuffle.STATEMENT, self.deck.current, masked, self.key, self.k, order or self.order
        )
        return ShuffleStep(masked, self.key, proof).encode()


def shuffles(make: Callable[[Shuffler], bytes | None]) -> Trick:
    """A trick that puts other bytes in the place of the first shuffle for which there are any."""

    def lie(player: LyingPlayer, body: bytes) -> Lie | None:
        data = make(Shuffler(player))
        return None if data is None else Lie(body=encode([data]))

    return when("shuffle", lie)


def with_points(change: Callable[[Shuffler, list[Point]], None]) -> Callable[[Shuffler], bytes]:
    def make(s: Shuffler) -> bytes:
        points = list(s.honest)
        change(s, points)
        return s.prove(tuple(points))

    return make


def replaced(s: Shuffler, points: list[Point]) -> None:
    points[5] = s.k * hash_to_point("a card of another deck")


def doubled_under_another_mask(s: Shuffler, points: list[Point]) -> None:
    points[5] = (s.k + 1) * s.deck.current[s.order[4]]


def sum_kept(s: Shuffler, points: list[Point]) -> None:
    change = hash_to_point("anything")
    points[0], points[1], points[2] = points[0] + change, points[1] - 2 * change, points[2] + change
