"""A peer with two faces: of two entries with one number, one to some peers and the other to the rest.

A `Table.meddle` that changes what leaves the cheat: its entry, and (with ``lists``) what its lists say of its own feed.
"""

from __future__ import annotations

from collections.abc import Callable

from nodealer.p2p.entry import Entry
from nodealer.p2p.wire import decode, encode

from .liar import CheatTable, Lie, LyingPlayer, forge
from .table import HOP

# From (player, kind, body) about to be written to the (kind, body) of the other face; None: not yet.
Other = Callable[[LyingPlayer, str, bytes], tuple[str, bytes] | None]


class TwoFaces:
    """Arm a table's cheat: ``victims`` (indexes) see the other face of the first entry for which there is one."""

    def __init__(self, other: Other, victims: set[int], *, lists: bool = False) -> None:
        self._other = other
        self._victims = victims
        self._lists = lists
        self.table: CheatTable | None = None
        self.shown: Entry | None = None
        self.hidden: Entry | None = None

    def trick(self, player: LyingPlayer, kind: str, body: bytes) -> Lie | None:
        if self.shown is None:
            face = self._other(player, kind, body)
            if face is not None:
                # Signatures are deterministic: this is the very entry that the player writes now.
                self.shown, self.hidden = forge(player, kind, body), forge(player, *face)
        return None

    def meddle(self, sender: int, receiver: int, data: bytes) -> list[tuple[float, bytes]]:
        table, shown, hidden = self.table, self.shown, self.hidden
        if table is None or sender != table.cheat or receiver not in self._victims or shown is None or hidden is None:
            return [(HOP, data)]
        message = decode(data, max_bytes=1 << 20)
        if message[0] == "entry" and message[1] == shown.encode():
            message[1] = hidden.encode()
        if self._lists and message[0] in ("ping", "entry"):
            for item in message[1 if message[0] == "ping" else 2 :][:1]:
                number, last = item[shown.header.writer]
                item[shown.header.writer] = [number, hidden.hash if last == shown.hash else last]
        return [(HOP, encode(message))]

    def seat(self, **where: object) -> CheatTable:
        """The table at which this happens."""
        self.table = CheatTable(self.trick, **where)  # type: ignore[arg-type]
        self.table.meddle = self.meddle
        return self.table
