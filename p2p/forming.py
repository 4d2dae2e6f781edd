"""Filling a table: offers to the host, the roster back from it (PROTOCOL.md, "Making a table").

The host is trusted with nothing but this: whom it lets in. Everybody checks the roster, signs its id as entry 0, and
goes on only with everybody else's entry 0 for the same id.

    joiner                         host
    pake, confirm           <->    pake, confirm | locked             where the table has a passphrase (passphrase.py)
    hello [name, port]      ->
                            <-     seat [options, host key, host nonce, host's name] | no [why]
    offer [signed offer]    ->
                            <-     lobby [[name, key] ...]            whenever it changes
                            <-     roster [roster, addresses, watch]  when the table is full or the host starts it
"""

from __future__ import annotations

import os
import string
from collections.abc import Callable
from dataclasses import dataclass

from nodealer.crypto.box import make_key
from nodealer.crypto.group import random_scalar
from nodealer.crypto.identity import Identity

from .entry import HASH, MAX_WRITERS
from .errors import LocalProtocolError, WireError
from .events import LobbyChanged, PlayerInfo
from .names import clean_name, display_names, person
from .offer import Offer, Roster, SignedOffer, box_key_place, coin_commitment
from .options import TableOptions
from .passphrase import Knock, Passphrase
from .wire import exactly, fields, natural

MAX_HOST_TEXT = 64
# Of names and addresses, with the zone of a link-local one. Anything else may reach a screen, or a resolver's faults.
HOST_CHARACTERS = frozenset(string.ascii_letters + string.digits + ".:%_-")
MIN_PLAYERS = 2


@dataclass(frozen=True, slots=True)
class Formed:
    """A table that is ready to begin: its roster and where each player listens (None: unknown), in roster order.

    ``watch``: the host lets people watch, and asks the other players to do so too.
    """

    roster: Roster
    addresses: tuple[tuple[str, int] | None, ...]
    watch: bool = True


class Own:
    """What a player brings to a table: identity, name, and its secret share of the coin."""

    def __init__(self, identity: Identity, name: str, randbytes: Callable[[int], bytes] = os.urandom) -> None:
        self.identity = identity
        self.name = clean_name(name)
        if not self.name:
            raise LocalProtocolError("A name needs at least one character that can be shown.")
        self.coin_share = randbytes(HASH)
        # z of the key for boxes: of this table alone, never from an epoch's seed.
        self.box_secret = random_scalar(randbytes)
        self._randbytes = randbytes
        self._nonce = randbytes(HASH)

    def __repr__(self) -> str:
        return f"Own({self.name!r})"

    def offer(self, options: TableOptions, host_key: bytes, host_nonce: bytes) -> SignedOffer:
        """One's signed offer to sit at this table."""
        key = self.identity.public
        commitment = coin_commitment(key, self.coin_share)
        box_key = b""
        if options.escrow:
            box_key = make_key(box_key_place(host_nonce, key), self.box_secret, self._randbytes).encode()
        offer = Offer(options, host_key, host_nonce, key, self.name, self._nonce, commitment, box_key)
        return SignedOffer.make(self.identity, offer)


@dataclass(slots=True)
class _Guest:
    signed: SignedOffer
    address: tuple[str, int] | None


class HostTable:
    """The host's side while its table fills. Lines are those of the mesh."""

    def __init__(
        self, own: Own, options: TableOptions, randbytes: Callable[[int], bytes] = os.urandom, *, watch: bool = True
    ) -> None:
        self.own = own
        self.watch = watch
        self.options = options.check()
        self.nonce = randbytes(HASH)
        self._mine = own.offer(options, own.identity.public, self.nonce)
        self._ports: dict[int, int] = {}
        self._guests: dict[int, _Guest] = {}

    @property
    def taken(self) -> int:
        return 1 + len(self._guests)

    @property
    def full(self) -> bool:
        return self.taken >= self.options.seats

    def invitation(self) -> list[object]:
        """The answer to *hello* while there is room."""
        return ["seat", self.options.to_wire(), self.own.identity.public, self.nonce, self.own.name]

    def hello(self, line: int, name: object, port: object) -> list[object]:
        """Answer a *hello*; raises ``WireError``."""
        fields([name, port], "a hello", str, int)
        if type(port) is not int:
            raise WireError("a port that is no number")
        self._ports[line] = natural(port, 1 << 16, "a port")
        if self.full:
            return ["no", "All seats of this table are taken."]
        return self.invitation()

    def take_offer(self, line: int, key: bytes, address: tuple[str, int] | None, value: object) -> str | None:
        """Seat the player of this line; a sentence where it cannot be. Raises ``WireError``."""
        signed = SignedOffer.from_wire(value)
        offer = signed.offer
        if offer.key != key:
            raise WireError("an offer in another's name")
        if (offer.options, offer.host_key, offer.host_nonce) != (self.options, self.own.identity.public, self.nonce):
            raise WireError("an offer for another table")
        if any(guest.signed.offer.key == key for guest in self._guests.values()) or key == self.own.identity.public:
            return "A player with this key sits at the table already."
        if self.full:
            return "All seats of this table are taken."
        port = self._ports.get(line, 0)
        self._guests[line] = _Guest(signed, (address[0], port) if address and port else None)
        return None

    def line_down(self, line: int) -> bool:
        """Forget a line; whether a seat became free by it."""
        self._ports.pop(line, None)
        return self._guests.pop(line, None) is not None

    def guests(self) -> tuple[int, ...]:
        """The lines of those who have a seat."""
        return tuple(self._guests)

    def names(self) -> list[object]:
        """The lobby message: who has a seat, in the order of coming."""
        offers = [self._mine.offer] + [guest.signed.offer for guest in self._guests.values()]
        return ["lobby", [[offer.name, offer.key] for offer in offers]]

    def waiting(self) -> list[object]:
        """The same for who only watches and waits."""
        _, names = self.names()
        return ["waiting", self.options.to_wire(), names]

    def lobby(self) -> LobbyChanged:
        offers = [self._mine.offer] + [guest.signed.offer for guest in self._guests.values()]
        return LobbyChanged(self.own.name, self.options, display_names(offers))

    def form(self, port: int) -> Formed:
        """Close the table with who is there; raises ``LocalProtocolError`` when that is too few."""
        if self.taken < MIN_PLAYERS:
            raise LocalProtocolError("A table needs at least two players.")
        roster = Roster.make(self.own.identity, [self._mine] + [guest.signed for guest in self._guests.values()])
        by_key = {guest.signed.offer.key: guest.address for guest in self._guests.values()}
        # The host's own address is what each joiner dialled; an empty host name stands for it.
        by_key[self.own.identity.public] = ("", port)
        return Formed(roster, tuple(by_key[key] for key in roster.keys), self.watch)


class JoinTable:
    """A joiner's side until the roster comes. ``options`` None accepts whatever the host offers."""

    def __init__(
        self,
        own: Own,
        passphrase: Passphrase | None = None,
        randbytes: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self.own = own
        self.line: int | None = None
        self.knock = Knock(passphrase, own.identity.public, randbytes)
        self.host_name = ""
        self.options: TableOptions | None = None
        self._signed: SignedOffer | None = None

    def seat(self, key: bytes, value: list[object]) -> list[object]:
        """Answer an invitation with one's offer; raises ``WireError``."""
        if not self.knock.proven:
            raise WireError("an invitation before the host has proven the passphrase")
        _, options, host_key, host_nonce, name = fields(value, "an invitation", str, list, bytes, bytes, str)
        if host_key != key:
            raise WireError("an invitation in another's name")
        exactly(host_nonce, HASH, "the host's nonce")
        if self._signed is not None:
            # A second offer would let the host put one player on two lists that do not convict it.
            raise WireError("a second invitation")
        self.options = TableOptions.from_wire(options)
        self.host_name = clean_name(name) or "?"
        self._signed = self.own.offer(self.options, host_key, host_nonce)
        return ["offer", self._signed.to_wire()]

    def lobby(self, value: object) -> LobbyChanged | None:
        """Who sits at the table so far; raises ``WireError``."""
        if self.options is None:
            return None
        return LobbyChanged(self.host_name, self.options, parse_names(value))

    def formed(self, value: list[object], host: tuple[str, int] | None) -> Formed:
        """Check the roster: this is the table that one offered to sit at, and one is in it. Raises ``WireError``."""
        _, wire, places, watch = fields(value, "a roster message", str, list, list, bool)
        roster = Roster.from_wire(wire)
        mine = self._signed
        if mine is None or [signed.raw for signed in roster.offers].count(mine.raw) != 1:
            raise WireError("a roster without one's own offer")
        return Formed(roster, parse_places(places, len(roster.offers), host), watch)


def parse_names(value: object) -> tuple[PlayerInfo, ...]:
    """Who sits at a table that fills, [[name, key], ...]; raises ``WireError``."""
    if not isinstance(value, list) or len(value) > MAX_WRITERS:
        raise WireError("a lobby that is no list of players")
    infos: list[PlayerInfo] = []
    for item in value:
        name, key = fields(item, "a player in the lobby", str, bytes)
        infos.append(person(clean_name(name) or "?", exactly(key, HASH, "a player's key")))
    return tuple(infos)


def parse_places(
    value: list[object], players: int, sender: tuple[str, int] | None
) -> tuple[tuple[str, int] | None, ...]:
    """Where each of so many players listens, None where nobody knows; raises ``WireError``.

    An empty host name stands for ``sender``: the address at which one dialled who says this.
    """
    if len(value) != players:
        raise WireError("a roster with another number of addresses")
    addresses: list[tuple[str, int] | None] = []
    for item in value:
        if item is None:
            addresses.append(None)
            continue
        text, port = fields(item, "an address", str, int)
        natural(port, 1 << 16, "a port")
        if len(text) > MAX_HOST_TEXT or not set(text) <= HOST_CHARACTERS:
            raise WireError("an address that is none")
        addresses.append((text, port) if text else sender)
    return tuple(addresses)
