"""One writer's feed: a hash-chained tape of signed entries, accepted in order only (PROTOCOL.md, "Feeds")."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .entry import NO_HASH, Entry, SignedHeader
from .errors import WireError

# Entries that touch no state and that no slot ever takes; the names kept free belong to leaving and cheating.
CONTROL_KINDS = frozenset({"chat", "vote", "ready", "refuse", "withdraw", "shares", "fork"})
# What may lie in a feed untaken: more than any honest writer can be ahead, small enough for ten feeds in memory.
MAX_WAITING = 256
MAX_WAITING_BYTES = 8 * 1024 * 1024
# More chat than this between two slot entries of one writer makes the next of them invalid.
MAX_CHAT_RUN = 50
MAX_CONTROL_BODY = 600


class Added(Enum):
    """What became of an entry that was offered to its feed."""

    NEW = "new"
    KNOWN = "known"
    GAP = "gap"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class ForkProof:
    """Two headers that one honest writer cannot both have signed: one number, or a wrong previous hash."""

    first: SignedHeader
    second: SignedHeader

    @property
    def writer(self) -> int:
        return self.first.header.writer

    def to_wire(self) -> list[object]:
        return [self.first.to_wire(), self.second.to_wire()]

    def check(self, table: bytes, key: bytes) -> None:
        """Raise ``WireError`` unless this convicts the holder of ``key`` at ``table``."""
        one, two = self.first.header, self.second.header
        if one.table != table or two.table != table or one.writer != two.writer:
            raise WireError("a proof of equivocation from two different feeds")
        same_number = one.number == two.number and self.first.hash != self.second.hash
        wrong_chain = one.number + 1 == two.number and two.previous != self.first.hash
        if not same_number and not wrong_chain:
            raise WireError("two headers that contradict each other in nothing")
        self.first.check(key)
        self.second.check(key)


class ForkFound(Exception):
    """A feed was offered an entry that contradicts it."""

    def __init__(self, proof: ForkProof) -> None:
        super().__init__("equivocation")
        self.proof = proof


class Feed:
    """The entries of one writer as far as this peer has them."""

    def __init__(self, writer: int, key: bytes) -> None:
        self.writer = writer
        self.key = key
        self.entries: list[Entry] = []
        self.position = 0
        self._waiting_bytes = 0

    @property
    def head(self) -> tuple[int, bytes]:
        """(number of entries, hash of the last one): how far this peer has the feed."""
        return len(self.entries), self.entries[-1].hash if self.entries else NO_HASH

    def hash_at(self, count: int) -> bytes:
        """The hash of the last of the first ``count`` entries."""
        return self.entries[count - 1].hash if count else NO_HASH

    def add(self, entry: Entry) -> Added:
        """Accept the next entry, whose signature has been checked; raises ``ForkFound`` on a contradiction."""
        number = entry.header.number
        if number < len(self.entries):
            mine = self.entries[number]
            if mine.hash != entry.hash:
                raise ForkFound(ForkProof(mine.signed, entry.signed))
            return Added.KNOWN
        if number > len(self.entries):
            return Added.GAP
        if len(self.entries) - self.position >= MAX_WAITING or self._waiting_bytes >= MAX_WAITING_BYTES:
            return Added.FULL
        if entry.header.previous != self.head[1]:
            if not self.entries:
                raise WireError("a first entry that names one before it")
            raise ForkFound(ForkProof(self.entries[-1].signed, entry.signed))
        self.entries.append(entry)
        self._waiting_bytes += len(entry.body)
        return Added.NEW

    def waiting(self) -> Entry | None:
        """The next entry that a slot takes: the next slot entry, or before it the first chat that is too much."""
        index, _ = self._next()
        return None if index is None else self.entries[index]

    def take(self) -> tuple[Entry, bool]:
        """Take the waiting entry; the flag says whether it is chat that is too much. Needs ``waiting()``."""
        index, chatty = self._next()
        if index is None:
            raise ValueError("nothing is waiting")
        self._waiting_bytes -= sum(len(entry.body) for entry in self.entries[self.position : index + 1])
        self.position = index + 1
        return self.entries[index], chatty

    def _next(self) -> tuple[int | None, bool]:
        # A flood of chat is judged by itself: it may have filled the feed, so that no slot entry fits in after it.
        for index in range(self.position, len(self.entries)):
            entry = self.entries[index]
            if entry.header.kind not in CONTROL_KINDS:
                return index, False
            if index - self.position >= MAX_CHAT_RUN or len(entry.body) > MAX_CONTROL_BODY:
                return index, True
        return None, False
