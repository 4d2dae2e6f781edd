"""A seat's secrets, and the entries that it owes: the only place where keys and seeds live.

What is due is read off the public state of `match.py` each time; nothing here decides whose turn it is. A key leaves
this module only as an answer to an open slot that asks for it (design: "A key leaves a peer only when the public state
says so").
"""

from __future__ import annotations

from collections.abc import Sequence

from nodealer import engine
from nodealer.crypto.box import make_key, open_box, seal
from nodealer.crypto.deck import EpochDeck, EpochId, EpochSecrets
from nodealer.crypto.errors import CryptoError, DeckError
from nodealer.crypto.group import encode_scalar
from nodealer.crypto.hand import encode_openings, prove_all, prove_one
from nodealer.crypto.identity import Identity
from nodealer.engine import Handle

from . import bodies, claims
from .entry import Entry, Header, SignedHeader, body_hash
from .errors import LocalProtocolError
from .escrow import EpochEscrow
from .events import HandSeen
from .feed import LEAVE
from .leaving import PieceId
from .match import Match, UnsoundDeck
from .slots import SlotKind
from .vault import UsedElsewhere, Vault
from .wire import encode


class Player:
    """What one seat of one match writes, with the secrets of its ``vault``."""

    def __init__(
        self,
        identity: Identity,
        match: Match,
        coin_share: bytes,
        box_secret: int,
        vault: Vault,
    ) -> None:
        self.identity = identity
        self.match = match
        self.writer = match.roster.writer_of(identity.public)
        self.known: dict[Handle, int] = {}
        self._coin_share = coin_share
        self._box_secret = box_secret
        self._vault = vault
        # For proofs, which may be made anew; what must not be is in the vault.
        self._randbytes = vault.randbytes
        self._secrets: dict[EpochId, EpochSecrets] = {}
        # The hand that an own challenge has opened, until `sitting.py` hands it on.
        self.seen: HandSeen | None = None

    def __repr__(self) -> str:
        return f"Player(writer={self.writer})"

    @property
    def seat(self) -> int:
        """One's own seat (the roster number before the coin)."""
        return self.match.seat_of(self.writer)

    def owes(self) -> bool:
        """Whether the open slot waits for an entry that is not made yet."""
        match = self.match
        return not match.over and self.seat in match.slot.owed and match.feeds[self.writer].waiting() is None

    # -- what the program answers by itself ------------------------------------------------------------------------

    def automatic(self) -> tuple[str, bytes] | None:
        """The entry (kind, body) that the open slot asks of a program; None where a person decides."""
        match = self.match
        kind = match.slot.kind
        match kind:
            case SlotKind.START:
                return "start", encode([match.table, match.roster.host_signature])
            case SlotKind.COIN:
                return "coin", encode([self._coin_share])
            case SlotKind.SHUFFLE:
                deck = self._deck_being_made()
                self._vault.commit(deck.where, deck.input_hash)
                return "shuffle", encode([self._secret(deck).make_shuffle(deck, match.slot.number, self._randbytes)])
            case SlotKind.LOCK:
                deck = self._deck_being_made()
                return "lock", self._lock(deck, self._secret(deck))
            case SlotKind.KEYS | SlotKind.TURN_UP:
                return kind.value, bodies.keys_body([self._key(handle) for handle in match.due(self.seat)])
            case SlotKind.EPOCH_OK:
                return self._check_pieces()
            case SlotKind.DRAW | SlotKind.ROUND_END:
                return kind.value, bodies.NOTHING
            case SlotKind.OPEN:
                hand = self._state().hands[self.seat]
                return "open", bodies.open_body([(self.known[handle], self._key(handle)) for handle in hand])
            case SlotKind.VERDICT:
                return "verdict", self._verdict()
            case SlotKind.SEEN:
                return self._answer_verdict()
            case SlotKind.SHOW:
                return "show", self._show()
            case SlotKind.REVEAL:
                return "reveal", self._reveal()
            case SlotKind.SHARES:
                return "shares", encode([b"".join(self._share(piece) for piece in match.leaving.plan[self.seat])])
            case SlotKind.END:
                return "end", encode([self.match.state_digest])
            case _:
                return None

    # -- escrow ------------------------------------------------------------------------------------------------------

    def _lock(self, deck: EpochDeck, secrets: EpochSecrets) -> bytes:
        slot = self.match.slot.number
        step = secrets.make_lock(deck, slot, self._randbytes)
        pieces: list[list[bytes]] = []
        if self.match.escrow:
            pieces = self._escrow_being_made().give(secrets, self.seat, slot, self._randbytes)
        return encode([step, pieces])

    def _check_pieces(self) -> tuple[str, bytes]:
        """Open what was sealed to oneself in the locks: *epoch ok*, or a complaint about the first that is wrong."""
        match = self.match
        if match.escrow:
            escrow = self._escrow_being_made()
            for giver in escrow.given:
                if giver == self.seat:
                    continue
                try:
                    escrow.open_own(self.seat, giver, self._box_secret)
                except CryptoError:
                    data = escrow.complain(self.seat, match.slot.number, giver, self._box_secret, self._randbytes)
                    return "escrow complaint", encode([giver, data])
        return "epoch ok", bodies.NOTHING

    def _share(self, piece: PieceId) -> bytes:
        """The seed of a piece: of another's keys, as it was sealed to oneself, or what another was given of one's own.

        Published only in a slot that asks for it: its giver or its holder is out then.
        """
        epoch, giver, holder = piece
        if giver == self.seat:
            return self._secrets[self.match.decks[epoch].where].sigma(holder)
        try:
            return self.match.escrows[epoch].open_own(self.seat, giver, self._box_secret)
        except CryptoError as error:
            raise UnsoundDeck(f"a piece of a key that was checked does not open ({error})") from None

    def parting(self) -> tuple[str, bytes]:
        """The entry that leaves the table: one's keys of all that is undealt, of one's hand, and what is owed here."""
        return LEAVE, bodies.keys_body([self._key(handle) for handle in self.match.leaving.positions(self.seat)])

    # -- claims about the own hand -----------------------------------------------------------------------------------

    def _numbers(self, handles: Sequence[Handle]) -> tuple[list[int], list[int]]:
        """The cards and keys of own handles: the witness of a claim."""
        keys = [self._secrets_of(handle).key(handle.index) for handle in handles]
        return [self.known[handle] for handle in handles], keys

    def _verdict(self) -> bytes:
        """Open the hand to the challenger alone, and prove the verdict to all."""
        match, state = self.match, self._state()
        case, file = state.challenge, match.challenge
        if case is None or file is None:
            raise LocalProtocolError("No challenge is open.")
        guilty = bool(engine.is_guilty(state, self.known))
        cards, keys = self._numbers(case.hand)
        ctx = claims.place(match.decks, self.seat, match.slot.number)
        openings = encode_openings(cards, keys)
        box = seal(ctx, case.challenger, file.key.point, openings, self._randbytes)
        rules, hand = state.rules, match.challenged_hand()
        candidates = (claims.cards_against if guilty else claims.cards_for)(rules, case.colour)
        prove = prove_one if guilty else prove_all
        proof = prove(ctx, rules.name, candidates, hand, cards, keys, self._randbytes)
        return encode([guilty, box.encode(), proof.encode()])

    def _answer_verdict(self) -> tuple[str, bytes]:
        """The challenger has seen the hand, or complains, with its one-time secret, about what was sealed."""
        file, secret = self.match.challenge, self._vault.challenge
        if file is None or file.sealed is None or secret is None:
            raise LocalProtocolError("No verdict is open.")
        sealed = file.sealed
        try:
            cards = sealed.read(self._state().rules.name, open_box(sealed.ctx, self.seat, secret, sealed.box))
        except CryptoError:
            return "complaint", encode([encode_scalar(secret)])
        self.seen = HandSeen(self.match.seat_of(sealed.writer), cards)
        return "seen", bodies.NOTHING

    def _show(self) -> bytes:
        """Show all icon cards, and prove that the rest of the hand holds none."""
        match, state = self.match, self._state()
        icons = engine.icons(state, engine.Seat(self.seat), self.known)
        gone = {handle for handle, _ in icons}
        kept = [handle for handle in state.hands[self.seat] if handle not in gone]
        proof = b""
        if kept:
            ctx = claims.place(match.decks, self.seat, match.slot.number)
            hand = claims.hidden_hand(match.decks, self.seat, kept)
            allowed = claims.cards_without_icon(state.rules)
            proof = prove_all(ctx, state.rules.name, allowed, hand, *self._numbers(kept), self._randbytes).encode()
        return encode([self._shown(icons), proof])

    def _shown(self, cards: engine.Shown) -> list[object]:
        return bodies.shown_list([(handle, card, self._key(handle)) for handle, card in cards])

    def _commit(self, cards: engine.Shown) -> bytes:
        """Seal an Ohana choice until all have chosen."""
        slot = self.match.slot.number
        salt = self._vault.new_choice(slot, cards)
        return encode([claims.choice_commitment(self.match.table, slot, self.seat, salt, cards)])

    def _reveal(self) -> bytes:
        if self._vault.choice is None:
            raise LocalProtocolError("There is no choice to reveal.")
        salt, cards = self._vault.choice
        return encode([salt, self._shown(cards)])

    def _challenge(self) -> bytes:
        """A one-time key for this challenge alone."""
        secret = self._vault.new_challenge(self.match.slot.number)
        ctx = claims.place(self.match.decks, self.seat, self.match.slot.number)
        return encode([make_key(ctx, secret, self._randbytes).encode()])

    # -- decks -------------------------------------------------------------------------------------------------------

    def _state(self) -> engine.State:
        if self.match.state is None:
            raise LocalProtocolError("The game has not begun.")
        return self.match.state

    def _deck_being_made(self) -> EpochDeck:
        if self.match.making is None:
            raise LocalProtocolError("No deck is being made.")
        return self.match.making

    def _escrow_being_made(self) -> EpochEscrow:
        if self.match.making_escrow is None:
            raise LocalProtocolError("No keys are given in pieces.")
        return self.match.making_escrow

    def _secret(self, deck: EpochDeck) -> EpochSecrets:
        """The secrets of this attempt at this epoch, from a seed of its own that nothing else ever uses."""
        where = deck.where
        if where not in self._secrets:
            # A round's secrets serve until its hands are opened; those of earlier rounds are dropped.
            self._secrets = {place: kept for place, kept in self._secrets.items() if place.round == where.round}
            holders = self._escrow_being_made().holders(self.seat) if self.match.escrow else ()
            self._secrets[where] = EpochSecrets(self._vault.seed(where), where, self.seat, deck.n, holders)
        return self._secrets[where]

    def _secrets_of(self, handle: Handle) -> EpochSecrets:
        """The secrets of the attempt at its epoch that stands."""
        return self._secrets[self.match.decks[handle.epoch].where]

    def _key(self, handle: Handle) -> bytes:
        return encode_scalar(self._secrets_of(handle).key(handle.index))

    def restore(self) -> None:
        """After a crash: make the secrets of an epoch anew out of the seed that its own shuffle was made with.

        Raises ``UsedElsewhere`` where somebody else made that shuffle.
        """
        deck = self.match.making
        if deck is None:
            return
        if self._vault.knows(deck.where):
            self._secret(deck)
        elif self.seat in deck.seats and deck.has_shuffled(self.seat):
            raise UsedElsewhere(
                "This identity was used elsewhere: it has shuffled a deck with a seed that this machine does not have."
            )

    def prepare(self) -> None:
        """Begin what one's own shuffle and lock can do before their input is known (C_π, C_d, C_Δ and S need no deck).

        Returns at once and may be called again and again; masking waits until the deck before it has been verified.
        """
        deck = self.match.making
        ahead = None if deck is None else deck.next_shuffle
        if deck is not None and ahead is not None and ahead < self.seat:
            self._secret(deck).prepare(deck, self._randbytes)

    # -- what a person decides -------------------------------------------------------------------------------------

    def decided(self, action: engine.Action) -> tuple[str, bytes]:
        """The entry (kind, body) of a decision; raises ``LocalProtocolError`` with a sentence if it is not allowed."""
        state = self._state()
        if not self.owes():
            raise LocalProtocolError("It is not your turn to decide anything.")
        try:
            engine.apply(state, engine.SeatAction(engine.Seat(self.seat), action))
        except engine.IllegalAction as error:
            raise LocalProtocolError(str(error)) from None
        match action:
            case engine.PlayCard(handle, card, colour, uno):
                if self.known.get(handle) != card:
                    raise LocalProtocolError("That card is not in your hand.")
                return "play", bodies.play_body(handle, card, self._key(handle), colour, uno)
            case engine.NameColour(colour):
                return "colour", encode([colour])
            case engine.Challenge():
                return "challenge", self._challenge()
            case engine.Discard(cards):
                if any(self.known.get(handle) != card for handle, card in cards):
                    raise LocalProtocolError("That card is not in your hand.")
                return "commit", self._commit(cards)
            case engine.Accept() | engine.Draw() | engine.Pass() | engine.Keep() | engine.Take():
                return type(action).__name__.lower(), bodies.NOTHING
            case engine.Called() | engine.Quiet() | engine.Caught() | engine.Silent():
                return type(action).__name__.lower(), bodies.NOTHING
            case _:
                raise LocalProtocolError("Your program answers this by itself.")

    def heard(self, call: SignedHeader) -> tuple[str, bytes]:
        """The answer to an UNO call that one holds: *heard*, with the owner's signed header."""
        return "heard", encode(call.to_wire())

    # -- signing ---------------------------------------------------------------------------------------------------

    def write(self, kind: str, body: bytes) -> Entry:
        """Sign the next entry of one's own feed and put it there."""
        match = self.match
        number, previous = match.feeds[self.writer].head
        slot = match.slot
        header = Header(match.table, self.writer, number, previous, slot.number, slot.digest, kind, body_hash(body))
        entry = Entry.make(self.identity, header, body)
        match.remember(entry)
        match.offer(entry)
        return entry

    # -- reading one's own cards -----------------------------------------------------------------------------------

    def learn(self) -> bool:
        """Read the cards that have come into one's hand; whether the readable hand has changed."""
        state = self.match.state
        if state is None:
            return False
        hand = state.hands[self.seat]
        pending = state.pending
        # Cards on their way are in the hand before their keys are there.
        coming: set[Handle] = set()
        if isinstance(pending, engine.NeedKeys):
            coming = {handle for owner, handles in pending.deals if owner == self.seat for handle in handles}
        readable = [handle for handle in hand if handle not in coming]
        new = [handle for handle in readable if handle not in self.known]
        for handle in new:
            secrets = self._secrets_of(handle)
            try:
                self.known[handle] = secrets.read(self.match.decks[handle.epoch], handle.index)
            except DeckError as error:
                raise UnsoundDeck(str(error)) from None
        gone = [handle for handle in self.known if handle not in hand]
        for handle in gone:
            del self.known[handle]
        return bool(new or gone)

    def hand(self) -> tuple[tuple[Handle, int], ...]:
        """One's own readable cards, in hand order."""
        state = self.match.state
        if state is None:
            return ()
        return tuple((handle, self.known[handle]) for handle in state.hands[self.seat] if handle in self.known)

    def view(self) -> engine.View:
        """Everything that this player may see."""
        return engine.view(self._state(), engine.Seat(self.seat), self.known)

    def legal(self) -> tuple[engine.Action, ...]:
        """The actions that the open slot lets this player choose from."""
        return engine.legal_actions(self._state(), engine.Seat(self.seat), self.known)

    def clock_action(self) -> engine.Action:
        """What this player's program does when the turn clock runs out (rules.md N1)."""
        return engine.clock_action(self._state(), engine.Seat(self.seat), self.known)
