"""Who hears every frame of every line, and may be told the secrets of some players: what can it read?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from nodealer.crypto.cards import card_point
from nodealer.crypto.deck import EpochDeck
from nodealer.crypto.group import ORDER, Point, inverse
from nodealer.p2p.entry import Entry
from nodealer.p2p.feed import Added
from nodealer.p2p.match import Match
from nodealer.p2p.player import Player
from nodealer.p2p.wire import decode

from examples.liar import sitting_of
from examples.table import Table

Frame = tuple[int, int, bytes]


class Eavesdropper:
    """The public machine fed with nothing but frames; ``published`` holds every point that was ever in one."""

    def __init__(self, table: Table) -> None:
        match = table.seats[0].peer.match
        assert match is not None
        self.match = Match(match.roster)
        self.published: set[bytes] = set()
        self.scalars: set[int] = set()
        self._early: list[Entry] = []

    def hear(self, frame: bytes) -> bool:
        """Take a frame in; whether a slot has closed by it."""
        message = decode(frame, max_bytes=1 << 20)
        if message[0] != "entry":
            return False
        entry = Entry.decode(message[1])
        if self.match.offer(entry) is not Added.NEW:
            return False
        pieces = pieces_of(entry)
        if entry.header.kind in ("shuffle", "lock"):
            self.published.update(pieces)
        else:
            self.scalars.update(int.from_bytes(piece, "little") % ORDER for piece in pieces)
        before = self.match.slot.number
        self.match.advance()
        return self.match.slot.number != before


def pieces_of(entry: Entry) -> list[bytes]:
    """All runs of 32 bytes in a body's byte strings, in order: its points or its scalars."""

    def strings(value: object) -> Iterator[bytes]:
        if isinstance(value, bytes):
            yield value
        elif isinstance(value, list):
            for item in value:
                yield from strings(item)

    body = decode(entry.body, max_bytes=1 << 20)
    return [data[at : at + 32] for data in strings(body) for at in range(0, len(data) - 31, 32)]


def players_of(table: Table) -> dict[int, Player]:
    """Every player by seat: the secrets that a coalition may hold."""
    players = [sitting_of(seated).player for seated in table.seats]
    return {player.seat: player for player in players}


def multipliers(scalars: Sequence[int]) -> Iterator[int]:
    """All products of these scalars, each taken as it is, inverted, or not at all."""
    powers = [(1, value, inverse(value)) for value in scalars]
    for choice in product(*powers):
        result = 1
        for value in choice:
            result = result * value % ORDER
        yield result


def readable(deck: EpochDeck, targets: set[bytes], scalars: Sequence[int]) -> set[int]:
    """The cards c for which some product of the scalars takes M_c to one of the targets."""
    known = list(multipliers(scalars))
    return {
        card
        for card in deck.cards
        if any((factor * card_point(deck.edition, card)).data in targets for factor in known)
    }


def linked_points(match: Match, deck: EpochDeck, position: int, owner: int) -> set[bytes]:
    """The public points that belong to one position: under each lock, its tags, its commitment."""
    points = {deck.current[position].data, *(deck.tag(seat, position).data for seat in deck.seats)}
    if not deck.missing(position) - {owner}:
        points.add(deck.commitment(position, owner).data)
    # Positions are what they are from the last shuffle on; before it another seat's permutation stands between.
    steps = [e for feed in match.feeds for e in feed.entries if e.header.kind in ("shuffle", "lock")]
    steps.sort(key=lambda entry: entry.header.slot)
    # The steps of one epoch: all its shuffles, then all its locks.
    seats = len(deck.seats)
    epoch = steps[2 * seats * deck.where.epoch :][: 2 * seats]
    points.update(pieces_of(entry)[position] for entry in epoch[seats - 1 :])
    return points


def small_multiples(point: Point, of: Iterable[int]) -> dict[bytes, int]:
    """Small multiples of a point: what a deck of known multiples of one point could be read by."""
    return {(factor * point).data: factor for factor in of}
