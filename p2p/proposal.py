"""A proposal to go on without somebody, and what electors say about it on their tapes (PROTOCOL.md, "Voting")."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from nodealer.crypto.hashing import digest

from .entry import HASH, MAX_NUMBER, MAX_WRITERS, NO_HASH, SignedHeader
from .errors import WireError
from .wire import decode, encode, exactly, fields, natural

# More ballots than that no view needs: the waits between them have long reached a minute each.
MAX_BALLOTS = 64
# What a control entry may hold; the largest of these, a refusal with a header, has 280 bytes.
MAX_STATEMENT = 600
# The kinds of entries that carry a vote and what follows from it.
STATEMENT_KINDS = frozenset({"vote", "ready", "refuse", "withdraw"})


def admissible(seats: int, electors: int) -> bool:
    """Whether so many electors may go on without the rest of a view of so many seats.

    From four seats up any two such groups share two electors, so that one who lies is not enough to have both.
    """
    if seats < 3:
        return False
    return 2 * electors > (seats if seats == 3 else seats + 1)


def electors_needed(seats: int) -> int | None:
    """The fewest electors that may drop somebody; None where there is no vote."""
    return next((few for few in range(1, seats) if admissible(seats, few)), None)


class Mode(Enum):
    """``DROP``: the round goes on without the leavers. ``VOID``: somebody forked, the round is dealt anew."""

    DROP = 0
    VOID = 1


@dataclass(frozen=True, slots=True, order=True)
class Cut:
    """How far a leaver's feed counts: this many entries, the last of them the slot entry with this hash."""

    writer: int
    count: int
    hash: bytes

    @classmethod
    def at(cls, writer: int, last: SignedHeader | None) -> Cut:
        """The cut after this slot entry (None: after nothing)."""
        return cls(writer, 0, NO_HASH) if last is None else cls(writer, last.header.number + 1, last.hash)


@dataclass(frozen=True, slots=True)
class Base:
    """A round boundary: a slot that all owed, and its digest, which all who stay have signed."""

    slot: int
    digest: bytes


@dataclass(frozen=True, slots=True)
class Proposal:
    """Who goes, how far each one's feed counts, and for a void round from where to deal anew. Writers throughout."""

    view: tuple[int, ...]
    ballot: int
    mode: Mode
    cuts: tuple[Cut, ...]
    base: Base | None = None
    leavers: frozenset[int] = field(init=False, repr=False, compare=False)
    # Who stays and must agree, all of them; also the next view.
    electors: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        leavers = frozenset(cut.writer for cut in self.cuts)
        object.__setattr__(self, "leavers", leavers)
        object.__setattr__(self, "electors", tuple(writer for writer in self.view if writer not in leavers))

    def below(self, other: Proposal) -> bool:
        """Whether ``other`` is larger: more leavers with the same cuts for these; a void is larger than any drop."""
        if self.view != other.view:
            return False
        if self.mode is not other.mode:
            return other.mode is Mode.VOID
        return len(self.cuts) < len(other.cuts) and set(self.cuts) <= set(other.cuts)

    def encode(self) -> bytes:
        """The body of a vote."""
        cuts = [[cut.writer, cut.count, cut.hash] for cut in self.cuts]
        base = None if self.base is None else [self.base.slot, self.base.digest]
        return encode([list(self.view), self.ballot, self.mode.value, cuts, base])

    def name(self, table: bytes) -> bytes:
        """The hash that ready, refuse and withdraw name this proposal by."""
        return digest("proposal", table, self.encode())

    @classmethod
    def decode(cls, data: bytes) -> Proposal:
        """Parse the body of a vote; raises ``WireError``."""
        value = decode(data, max_bytes=MAX_STATEMENT, max_depth=3, max_items=64)
        view, ballot, mode, cuts, base = fields(value, "a vote", list, int, int, list, (list, type(None)))
        proposal = cls(
            _view(view),
            natural(ballot, MAX_BALLOTS, "a ballot"),
            Mode(natural(mode, len(Mode), "a mode")),
            tuple(_cut(item) for item in cuts),
            None if base is None else _base(base),
        )
        proposal._check()
        return proposal

    def _check(self) -> None:
        writers = [cut.writer for cut in self.cuts]
        if not writers or writers != sorted(set(writers)) or not set(writers) <= set(self.view):
            raise WireError("a vote about others than players, each once, in order")
        if not admissible(len(self.view), len(self.electors)):
            raise WireError("a vote by too few")
        if (self.mode is Mode.VOID) != (self.base is not None):
            raise WireError("a vote that voids a round without saying from where, or the other way round")
        if self.mode is Mode.VOID and any(cut.count for cut in self.cuts):
            # Nothing of the round counts: a place in it would only make two proposals out of one.
            raise WireError("a vote that voids a round and cuts a feed within it")


def _view(items: list[object]) -> tuple[int, ...]:
    view = tuple(_whole(item, MAX_WRITERS, "a writer") for item in items)
    if list(view) != sorted(set(view)):
        raise WireError("a view that is not in order")
    return view


def _cut(item: object) -> Cut:
    writer, count, last = fields(item, "a cut", int, int, bytes)
    natural(writer, MAX_WRITERS, "a writer")
    natural(count, MAX_NUMBER, "a number of entries")
    if (count == 0) != (exactly(last, HASH, "a hash") == NO_HASH):
        raise WireError("a cut whose number and hash do not fit each other")
    return Cut(writer, count, last)


def _base(item: object) -> Base:
    slot, state = fields(item, "a round boundary", int, bytes)
    return Base(natural(slot, MAX_NUMBER, "a slot"), exactly(state, HASH, "a digest"))


def _whole(item: object, limit: int, what: str) -> int:
    if type(item) is not int:
        raise WireError(f"{what} that is no number")
    return natural(item, limit, what)


class Reason(Enum):
    """Why a proposal is refused, and so what stands beside it."""

    # A signed header of a leaver that lies beyond the cut, or contradicts it.
    BEYOND = 0
    # The name of one's own standing vote, which is not below this proposal.
    STANDING = 1
    # The name of a proposal of the same view that is in force.
    IN_FORCE = 2
    # A later round boundary than the one proposed.
    BASE = 3
    # Nothing: this view is over, because a slot has taken somebody's going.
    VIEW = 4


@dataclass(frozen=True, slots=True)
class Refusal:
    """The refusal of the proposal with this name. Its evidence helps the others on; it counts with any."""

    name: bytes
    reason: Reason
    header: SignedHeader | None = None
    other: bytes | None = None
    base: Base | None = None

    def encode(self) -> bytes:
        evidence: object = None
        if self.header is not None:
            evidence = self.header.to_wire()
        elif self.other is not None:
            evidence = self.other
        elif self.base is not None:
            evidence = [self.base.slot, self.base.digest]
        return encode([self.name, self.reason.value, evidence])

    @classmethod
    def decode(cls, data: bytes) -> Refusal:
        """Parse the body of a refusal; raises ``WireError``."""
        value = decode(data, max_bytes=MAX_STATEMENT, max_depth=2, max_items=8)
        name, number, evidence = fields(value, "a refusal", bytes, int, (list, bytes, type(None)))
        exactly(name, HASH, "a proposal's name")
        reason = Reason(natural(number, len(Reason), "a reason"))
        match reason, evidence:
            case Reason.BEYOND, list():
                return cls(name, reason, header=SignedHeader.from_wire(evidence))
            case ((Reason.STANDING | Reason.IN_FORCE), bytes()):
                return cls(name, reason, other=exactly(evidence, HASH, "a proposal's name"))
            case Reason.BASE, list():
                return cls(name, reason, base=_base(evidence))
            case Reason.VIEW, None:
                return cls(name, reason)
            case _:
                raise WireError("a refusal whose evidence is not of its reason")


def encode_name(name: bytes) -> bytes:
    """The body of a ready or withdraw."""
    return encode([name])


def decode_name(data: bytes) -> bytes:
    """Parse the body of a ready or withdraw; raises ``WireError``."""
    (name,) = fields(decode(data, max_bytes=64, max_depth=1, max_items=2), "a statement", bytes)
    return exactly(name, HASH, "a proposal's name")
