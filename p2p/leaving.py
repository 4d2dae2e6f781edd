"""Seats that go: why, which keys they hand over or the others recover, and how the round goes on (rules.md N2).

Theory of operation. A slot takes a `leave`, or an entry that fails a check, as a *departure*: the entries of the others
in that slot stand, the seat is out of the view at once. Whatever is still needed of its keys must then become known:
it handed them over, or the others publish the pieces that they hold (slot `shares`), or they are lost. Only then does
the engine hear of it: the hand is opened under the pile and the round goes on, or the round is void.

    slot taken -> going -> [shares] -> settled: SeatLeft for each, in seat order, or RoundVoided
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from nodealer import engine
from nodealer.crypto.deck import EpochDeck
from nodealer.crypto.escrow import join_keys
from nodealer.engine import Handle, Kind, NeedActions, NeedKeys

from . import bodies
from .entry import Entry
from .errors import WireError
from .events import PlayerOut
from .judging import check, invalid
from .options import MIN_ESCROW_SEATS

if TYPE_CHECKING:
    from .match import Match

Reason = Literal["left", "cheat", "dropped"]

# A piece by its place: (epoch, giver, holder).
PieceId = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Departure:
    """A seat that is out of the match. ``number`` is its entry that ended its feed, None where silence did.

    ``refuted``: a verdict that it had just given turned out to be false.
    """

    seat: int
    writer: int
    reason: Reason
    number: int | None = None
    check: str | None = None
    detail: str | None = None
    refuted: bool = False


class Leaving:
    """The departures of one match, and the keys and pieces that they leave behind."""

    def __init__(self, match: Match) -> None:
        self._match = match
        # All who are out, by seat; and those of them of whom the engine has not heard yet, by seat.
        self.out: dict[int, Departure] = {}
        self.going: dict[int, Departure] = {}
        # Of the open slot `shares`: the pieces that each seat owes, in the order in which it sends them.
        self.plan: dict[int, tuple[PieceId, ...]] = {}
        self._pieces: dict[PieceId, list[int]] = {}
        # By slot: what a `leave` written for it is judged against, from the oldest that may still come on. Its decks
        # may be those of a round that has been void since.
        self._opened: dict[int, tuple[bytes, engine.State, list[EpochDeck]]] = {}
        self._last_taken: dict[int, int] = {}

    # -- what a leave is judged against ------------------------------------------------------------------------------

    def slot_opened(self) -> None:
        """Note the slot that has just been opened."""
        match = self._match
        if match.state is None:
            return
        self._opened[match.slot.number] = (match.slot.digest, match.state, match.decks)
        oldest = min((self._last_taken.get(seat, 0) for seat in match.view), default=0)
        for number in [number for number in self._opened if number < oldest]:
            del self._opened[number]

    def took(self, seat: int, slot: int) -> None:
        """A slot has taken an entry of this seat."""
        self._last_taken[seat] = slot

    def digest_at(self, slot: int) -> bytes | None:
        """The digest with which this slot opened; None where no honest `leave` can name it any more."""
        opened = self._opened.get(slot)
        return None if opened is None else opened[0]

    def positions(self, seat: int, slot: int | None = None) -> tuple[Handle, ...]:
        """The positions whose keys this seat hands over when it leaves in this slot (None: now), in order.

        The draw pile, its own hand, and what it owed keys for; nothing once the round is scored.
        """
        match = self._match
        state = match.playing() if slot is None else self._opened[slot][1]
        pending = state.pending
        if isinstance(pending, NeedActions) and pending.kind in (Kind.ROUND_END, Kind.END):
            return ()
        due: tuple[Handle, ...] = ()
        if isinstance(pending, NeedKeys):
            due = tuple(handle for owner, handles in pending.deals if owner != seat for handle in handles)
        return (*state.draw, *state.hands[seat], *due)

    def judge(self, seat: int, entry: Entry) -> Departure:
        """Check a `leave` against the slot that it names and take its keys; raises ``RemoteProtocolError``."""
        header = entry.header
        opened, _, decks = self._opened.get(header.slot, (None, None, []))
        if opened is None or header.slot < self._last_taken.get(seat, 0):
            raise invalid(entry, "slot", f"left in slot {header.slot}, which was not open for it any more")
        if header.digest != opened:
            raise invalid(entry, "digest", "named a false digest of the state in which it left")
        try:
            keys = bodies.parse_keys(entry.body).keys
        except WireError as error:
            raise invalid(entry, "body", f"sent a malformed {header.kind!r}: {error}") from None
        positions = self.positions(seat, header.slot)
        if len(keys) != len(positions):
            raise invalid(entry, "key count", f"handed over {len(keys)} keys where {len(positions)} were asked for")
        for handle, key in zip(positions, keys, strict=True):
            check(entry, partial(decks[handle.epoch].take_key, seat, handle.index, key))
        return Departure(seat, header.writer, "left", header.number)

    # -- who is out --------------------------------------------------------------------------------------------------

    def depart(self, departure: Departure) -> None:
        """This seat is out from now on; the first reason counts."""
        if departure.seat not in self.out:
            self.out[departure.seat] = self.going[departure.seat] = departure

    def lost(self, seat: int) -> tuple[Handle, ...]:
        """The positions that need a key of this seat which nobody knows."""
        decks = self._match.decks
        return tuple(h for h in self.positions(seat) if decks[h.epoch].key_of(seat, h.index) is None)

    @property
    def recoverable(self) -> bool:
        """Whether the pieces of those who are left, and those published before, give every key that is lost."""
        match = self._match
        for seat in self.going:
            for epoch in {handle.epoch for handle in self.lost(seat)}:
                escrow = match.escrows.get(epoch)
                if escrow is None:
                    return False
                for holder in escrow.holders(seat):
                    if holder not in match.view and (epoch, seat, holder) not in self._pieces:
                        return False
        return True

    def plan_shares(self) -> tuple[int, ...]:
        """Fix what each seat owes in a slot `shares` that opens now; the seats that owe something, ascending.

        For each live epoch and each seat that goes: one's piece of that seat's keys, unless all are known; and, with
        three or more left, what that seat held of one's own, so that the others can do without it.
        """
        match = self._match
        self.plan = {}
        if not self.going or len(match.view) < 2 or match.scored or not self.recoverable:
            return ()
        for seat in match.view:
            pieces: list[PieceId] = []
            for epoch in sorted(match.escrows):
                for gone in sorted(self.going):
                    if self.lost(gone):
                        pieces.append((epoch, gone, seat))
                    if len(match.view) >= MIN_ESCROW_SEATS:
                        pieces.append((epoch, seat, gone))
            due = tuple(piece for piece in pieces if piece not in self._pieces)
            if due:
                self.plan[seat] = due
        return tuple(self.plan)

    def take_shares(self, seat: int, entry: Entry, shares: tuple[bytes, ...]) -> None:
        """Check the pieces of one seat and remember them; raises ``RemoteProtocolError``."""
        due = self.plan.get(seat, ())
        if len(shares) != len(due):
            raise invalid(entry, "share count", f"sent {len(shares)} pieces where {len(due)} were asked for")
        for piece, share in zip(due, shares, strict=True):
            check(entry, partial(self._take_share, piece, share))

    def _take_share(self, piece: PieceId, share: bytes) -> None:
        epoch, giver, holder = piece
        self._pieces[piece] = self._match.escrows[epoch].check_seed(giver, holder, share)

    # -- what becomes of the round -----------------------------------------------------------------------------------

    def settle(self) -> list[engine.Input]:
        """What the engine is to be told, now that no more keys will come; nobody is going afterwards."""
        match, going = self._match, dict(sorted(self.going.items()))
        self.going = {}
        state = match.playing()
        for seat in going:
            self._recover(seat, self.lost(seat))
        if state.round_winner is None and any(self.lost(seat) for seat in going):
            return [engine.RoundVoided(tuple(engine.Seat(seat) for seat in going))]
        return [
            engine.SeatLeft(engine.Seat(seat), () if match.scored else self._open(seat), departure.refuted)
            for seat, departure in going.items()
        ]

    def round_over(self) -> None:
        """Pieces serve within one round."""
        self._pieces.clear()

    def begin_anew(self, out: dict[int, Departure]) -> None:
        """A void has put these out, and nothing that was going on counts."""
        self.out, self.going, self.plan = out, {}, {}
        self._opened, self._last_taken = {}, {}
        self.round_over()

    def _recover(self, seat: int, handles: tuple[Handle, ...]) -> None:
        match = self._match
        for epoch in sorted({handle.epoch for handle in handles}):
            escrow = match.escrows.get(epoch)
            if escrow is None:
                continue
            pieces = [self._pieces.get((epoch, seat, holder)) for holder in escrow.holders(seat)]
            known = [piece for piece in pieces if piece is not None]
            if len(known) < len(pieces):
                continue
            keys = join_keys(known)
            for handle in handles:
                if handle.epoch == epoch:
                    match.decks[epoch].take_key(seat, handle.index, keys[handle.index])

    def _open(self, seat: int) -> engine.Shown:
        """The hand of a seat that goes, as far as all keys to it are known."""
        match = self._match
        shown: list[tuple[Handle, int]] = []
        for handle in match.playing().hands[seat]:
            deck = match.decks[handle.epoch]
            if not deck.missing(handle.index):
                shown.append((handle, match.face(handle)))
        return tuple(shown)


def sentence(gone: PlayerOut) -> str:
    """What people are told about it."""
    match gone.reason:
        case "left":
            return f"{gone.name} has left the table."
        case "cheat":
            return f"{gone.name} cheated: it {gone.detail} (check: {gone.check})."
        case _:
            return f"{gone.name} is gone and was dropped."
