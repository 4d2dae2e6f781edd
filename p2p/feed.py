"""One writer's feed: a hash-chained tape of signed entries, accepted in order only (PROTOCOL.md, "Feeds")."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .entry import NO_HASH, Entry, SignedHeader
from .errors import WireError
from .shelf import Shelf
from .tape import HashTape

# Entries that touch no state and that no slot ever takes; the names kept free belong to leaving and cheating.
CONTROL_KINDS = frozenset({"chat", "vote", "ready", "refuse", "withdraw", "fork"})
# What ends a feed on purpose; the first slot that owes its writer something takes it.
LEAVE = "leave"
# What may lie in a feed untaken: more than any honest writer can be ahead (a feed is sent in batches of 512 KiB), small
# enough for ten feeds in memory.
MAX_WAITING = 256
MAX_WAITING_BYTES = 2 * 1024 * 1024
# More chat than this between two slot entries of one writer makes the next of them invalid.
MAX_CHAT_RUN = 50
MAX_CONTROL_BODY = 600


class Added(Enum):
    """What became of an entry that was offered to its feed."""

    NEW = "new"
    KNOWN = "known"
    GAP = "gap"
    FULL = "full"
    # Beyond the cut of a writer who was dropped: it counts for nothing any more.
    BEYOND = "beyond"


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


class Contradiction(Exception):
    """A feed was offered an entry that contradicts it; both signatures were checked. ``number`` is the second's."""

    def __init__(self, number: int) -> None:
        super().__init__("equivocation")
        self.number = number


class ForkFound(Contradiction):
    """A contradiction with both headers at hand."""

    def __init__(self, proof: ForkProof) -> None:
        super().__init__(proof.second.header.number)
        self.proof = proof


class Feed:
    """The entries of one writer as far as this peer has them; those that were taken long ago are not in memory.

    With a ``tape`` an entry that was taken is kept as its hash alone; then a contradiction to it comes without proof.
    """

    def __init__(self, writer: int, key: bytes, tape: HashTape | None = None) -> None:
        self.writer = writer
        self.key = key
        self.entries: Shelf[Entry] = Shelf(Entry.encode, Entry.decode)
        self._tape = tape
        # How many entries are no more than hashes; those in `entries` are numbered from here.
        self._kept_from = 0
        # What is taken from here on is kept whole all the same.
        self._keep_from: int | None = None
        self.position = 0
        self._waiting_bytes = 0

    @property
    def head(self) -> tuple[int, bytes]:
        """(number of entries, hash of the last one): how far this peer has the feed."""
        count = self._kept_from + len(self.entries)
        return count, self.hash_at(count)

    @property
    def closed(self) -> bool:
        """Its writer has left: what a slot will take of it is its `leave`."""
        return any(entry.header.kind == LEAVE for entry in self.entries[self.position - self._kept_from :])

    @property
    def chat_run(self) -> int:
        """How many chat entries stand after the last slot entry."""
        run = 0
        for entry in reversed(self.entries):
            if entry.header.kind not in CONTROL_KINDS:
                break
            run += entry.header.kind == "chat"
        return run

    def hash_at(self, count: int) -> bytes:
        """The hash of the last of the first ``count`` entries."""
        if not count:
            return NO_HASH
        if self._tape is not None and count <= self._kept_from:
            return self._tape[count - 1]
        return self.entries[count - 1 - self._kept_from].hash

    def compare(self, signed: SignedHeader) -> None:
        """Raise ``Contradiction`` (where it can be shown, ``ForkFound``) if the feed has another entry there.

        The entry with this number must be here, and the signature must have been checked.
        """
        number = signed.header.number
        if self.hash_at(number + 1) != signed.hash:
            raise self._contradiction(number, signed)

    def _contradiction(self, number: int, signed: SignedHeader) -> Contradiction:
        """What there is to say of ``signed`` beside the entry with this number."""
        if number < self._kept_from:
            return Contradiction(signed.header.number)
        return ForkFound(ForkProof(self.entries[number - self._kept_from].signed, signed))

    def add(self, entry: Entry) -> Added:
        """Accept the next entry, whose signature has been checked; raises ``Contradiction``."""
        number = entry.header.number
        count, last = self.head
        if number < count:
            self.compare(entry.signed)
            return Added.KNOWN
        if number > count:
            return Added.GAP
        if count - self.position >= MAX_WAITING or self._waiting_bytes >= MAX_WAITING_BYTES:
            return Added.FULL
        if entry.header.previous != last:
            if not count:
                raise WireError("a first entry that names one before it")
            raise self._contradiction(count - 1, entry.signed)
        self.entries.append(entry)
        self._waiting_bytes += len(entry.body)
        return Added.NEW

    @property
    def furthest(self) -> int:
        """The slot that the last slot entry here that none has taken names; -1 for none."""
        waiting = self.entries[self.position - self._kept_from :]
        return next((e.header.slot for e in reversed(waiting) if e.header.kind not in CONTROL_KINDS), -1)

    def waiting(self) -> Entry | None:
        """The next entry that a slot takes: the next slot entry, or before it the first chat that is too much."""
        index, _ = self._next()
        return None if index is None else self.entries[index]

    def take(self) -> tuple[Entry, bool]:
        """Take the waiting entry; the flag says whether it is chat that is too much. Needs ``waiting()``."""
        index, chatty = self._next()
        if index is None:
            raise ValueError("nothing is waiting")
        return self._pass(self._kept_from + index + 1)[-1], chatty

    def go_to(self, count: int) -> None:
        """A slot takes next what stands after the first ``count`` entries, taken before or not."""
        if count >= self.position:
            self._pass(count)
        elif count >= self._kept_from:
            again = self.entries[count - self._kept_from : self.position - self._kept_from]
            self._waiting_bytes += sum(len(entry.body) for entry in again)
            self.position = count

    def keep(self, count: int | None) -> None:
        """What stands after the first ``count`` entries may be gone back to, until None is said."""
        if count is None or self._keep_from is None:
            self._keep_from = count

    def _pass(self, count: int) -> list[Entry]:
        index = count - self._kept_from
        passed = self.entries[self.position - self._kept_from : index]
        self._waiting_bytes -= sum(len(entry.body) for entry in passed)
        self.position = count
        if self._tape is not None:
            last = count if self._keep_from is None else max(min(count, self._keep_from), self._kept_from)
            for entry in self.entries[: last - self._kept_from]:
                self._tape.append(entry.hash)
            self.entries = Shelf(Entry.encode, Entry.decode, self.entries[last - self._kept_from :])
            self._kept_from = last
        else:
            self.entries.put_away(count)
        return passed

    def _next(self) -> tuple[int | None, bool]:
        # A flood of chat is judged by itself: it may have filled the feed, so that no slot entry fits in after it.
        run = 0
        for index in range(self.position - self._kept_from, len(self.entries)):
            entry = self.entries[index]
            if entry.header.kind not in CONTROL_KINDS:
                return index, False
            run += entry.header.kind == "chat"
            if run > MAX_CHAT_RUN or len(entry.body) > MAX_CONTROL_BODY:
                return index, True
        return None, False
