"""Who is known here: a name that was met with one key and comes back with another is flagged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from nodealer.p2p.events import PlayerInfo

from .home import Home, same_name
from .names import BOT_NAMES


def given_name(player: PlayerInfo) -> str:
    """The name that a player gave itself: where two gave one name, the table adds the words of the key to it."""
    return player.name.removesuffix(f" ({player.fingerprint})")


def strangers(players: Sequence[PlayerInfo], own: bytes | None, home: Home, *, note: bool) -> frozenset[bytes]:
    """The keys of players who come by a name that is known with another key. ``note``: remember the new names.

    Of two who come by one name that nobody knows, neither is remembered: it cannot be said whose it is.
    """
    # The bots' names belong to nobody: each has a fresh key every time.
    others = [player for player in players if player.key != own and given_name(player) not in BOT_NAMES]
    counts = Counter(same_name(given_name(player)) for player in others)
    found: set[bytes] = set()
    for player in others:
        name = given_name(player)
        if home.differs(name, player.key):
            found.add(player.key)
        elif note and counts[same_name(name)] == 1:
            home.meet(name, player.key)
    return frozenset(found)
