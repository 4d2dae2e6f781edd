"""Two entries with one number."""

from __future__ import annotations

from nodealer.p2p.bodies import NOTHING
from nodealer.p2p.slots import SlotKind
from nodealer.p2p.wire import encode

from examples.liar import LyingPlayer
from examples.two_faces import Other


def at(kind: str, other: tuple[str, bytes]) -> Other:
    return lambda player, written, body: other if written == kind else None


def draw_or_play(player: LyingPlayer, kind: str, body: bytes) -> tuple[str, bytes] | None:
    """Both are moves that the rules allow, so only their being two is wrong."""
    return ("draw", NOTHING) if kind == "play" and player.match.slot.kind is SlotKind.MOVE else None


COIN = at("coin", ("chat", encode(["wait"])))
EPOCH_OK = at("epoch ok", ("chat", encode(["wait"])))
