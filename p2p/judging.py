"""What an entry about cards claims, checked against the deck: from a parsed body to the engine's action.

Every check that fails raises ``RemoteProtocolError`` with its name and the writer to blame; for a sealed hand that is
the accused, not the one who complains.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from nodealer import engine
from nodealer.crypto.box import Box, BoxKey, open_box
from nodealer.crypto.errors import CryptoError, DecodeError, VerificationError
from nodealer.engine import Handle

from . import bodies, claims
from .entry import Entry, Header, SignedHeader, body_hash
from .errors import RemoteProtocolError, WireError
from .events import CardsOpened, PeerEvent, StepVerified
from .feed import Contradiction, ForkFound, ForkProof

if TYPE_CHECKING:
    from .match import Match


def invalid(entry: Entry, check: str, detail: str) -> RemoteProtocolError:
    """The error that blames this entry's writer."""
    return RemoteProtocolError(entry.header.writer, entry.header.number, check, detail)


def check(entry: Entry, verify: Callable[[], None]) -> None:
    """Run a check of `crypto`; what it raises is the writer's fault."""
    try:
        verify()
    except VerificationError as error:
        raise invalid(entry, error.check, f"sent a false {entry.header.kind!r} ({error})") from None
    except DecodeError as error:
        raise invalid(entry, "encoding", f"sent a malformed {entry.header.kind!r} ({error})") from None


class Judge:
    """Judges entries of the open slot of one match; changes nothing of it but keys, and the file of a challenge."""

    def __init__(self, match: Match) -> None:
        self.match = match

    def action(self, seat: int, entry: Entry, body: object, entries: dict[int, Entry]) -> engine.Action:
        """The engine's action that this entry stands for, with every claim about cards checked against the deck."""
        match entry.header.kind, body:
            case "play", bodies.Play(shown, colour, uno):
                self._check_shown(seat, entry, shown)
                return engine.PlayCard(shown.handle, shown.card, colour, uno)
            case "open", bodies.Open(cards):
                return self._opened_hand(seat, entry, cards)
            case "colour", int():
                return engine.NameColour(body)
            case "heard", SignedHeader():
                self._check_heard(entry, body, entries)
                return engine.Heard()
            case "challenge", bytes():
                check(entry, partial(self._take_challenge, seat, body))
                return engine.Challenge()
            case "verdict", bodies.Verdict():
                check(entry, partial(self._take_verdict, seat, entry, body))
                return engine.Verdict(body.guilty)
            case "complaint", int():
                raise self._settle_complaint(seat, entry, body)
            case "show", bodies.Show():
                return self._take_show(seat, entry, body)
            case "reveal", bodies.Reveal():
                return self._take_reveal(seat, entry, body)
            case "accept", _:
                return engine.Accept()
            case "seen", _:
                return engine.Seen()
            case "draw", _:
                return engine.Draw()
            case "pass", _:
                return engine.Pass()
            case "keep", _:
                return engine.Keep()
            case "take", _:
                return engine.Take()
            case "called", _:
                return engine.Called()
            case "quiet", _:
                return engine.Quiet()
            case "caught", _:
                return engine.Caught()
            case "silent", _:
                return engine.Silent()
            case _:
                return engine.Agree()

    def established(self, seat: int, action: engine.Action) -> list[PeerEvent]:
        """What a judged action has proven of cards: each that it shows opens to the deck, each claim about hidden ones
        holds. To be asked before the action is applied."""
        match action:
            case engine.PlayCard(handle=handle, card=card):
                return [CardsOpened(seat, ((handle, card),))]
            case engine.OpenHand(cards=cards):
                return [CardsOpened(seat, cards)]
            case engine.Discard(cards=cards):
                return [StepVerified("choice", seat, len(cards)), CardsOpened(seat, cards)]
            case engine.ShowCards(cards=cards):
                kept = len(self.match.playing().hands[seat]) - len(cards)
                opened: list[PeerEvent] = [CardsOpened(seat, cards)] if cards else []
                return [*opened, StepVerified("kept", seat, kept)] if kept else opened
            case engine.Verdict():
                return [StepVerified("verdict", seat, len(self.match.open_case().hand))]
            case _:
                return []

    def _check_shown(self, seat: int, entry: Entry, shown: bodies.Shown) -> None:
        state = self.match.playing()
        if shown.handle not in state.hands[seat]:
            raise invalid(entry, "hand", "showed a card that is not in its hand")
        deck = self.match.decks[shown.handle.epoch]
        check(entry, lambda: deck.check_show(seat, shown.handle.index, shown.card, shown.key))

    def _opened_hand(self, seat: int, entry: Entry, cards: tuple[tuple[int, int], ...]) -> engine.OpenHand:
        hand = self.match.playing().hands[seat]
        if len(cards) != len(hand):
            raise invalid(entry, "hand", f"opened {len(cards)} cards of a hand of {len(hand)}")
        for handle, (card, key) in zip(hand, cards, strict=True):
            self._check_shown(seat, entry, bodies.Shown(handle, card, key))
        return engine.OpenHand(tuple((handle, card) for handle, (card, _) in zip(hand, cards, strict=True)))

    # -- claims about hidden cards -----------------------------------------------------------------------------------

    def _take_challenge(self, seat: int, data: bytes) -> None:
        key = BoxKey.decode(data)
        key.verify(claims.place(self.match.decks, seat, self.match.slot.number))
        self.match.challenge = claims.ChallengeFile(key)

    def _take_verdict(self, seat: int, entry: Entry, body: bodies.Verdict) -> None:
        case, file = self.match.open_case(), self.match.challenge
        if file is None:
            raise RuntimeError("a verdict without a challenge")
        hand = self.match.challenged_hand()
        ctx = claims.place(self.match.decks, seat, self.match.slot.number)
        box = Box.decode(claims.SealedHand.length(hand), body.box)
        box.verify(ctx, case.challenger, file.key.point)
        rules = self.match.playing().rules
        if body.guilty:
            claims.check_one(ctx, rules.name, claims.cards_against(rules, case.colour), hand, body.proof)
        else:
            claims.check_all(ctx, rules.name, claims.cards_for(rules, case.colour), hand, body.proof)
        file.sealed = claims.SealedHand(ctx, case.challenger, hand, box, entry.header.writer, entry.header.number)

    def _settle_complaint(self, seat: int, entry: Entry, secret: int) -> RemoteProtocolError:
        """Open the box that is complained about with the challenger's own secret, and see who lied (proofs §5)."""
        file = self.match.challenge
        if file is None or file.sealed is None:
            raise RuntimeError("a complaint without a verdict")
        sealed = file.sealed
        try:
            file.key.check_secret(secret)
        except CryptoError:
            return invalid(entry, "complaint", "complained with another key than the one it had asked with")
        try:
            sealed.read(self.match.playing().rules.name, open_box(sealed.ctx, seat, secret, sealed.box))
        except CryptoError:
            detail = "sealed to the challenger what does not open its hand"
            return RemoteProtocolError(sealed.writer, sealed.number, "sealed hand", detail)
        return invalid(entry, "complaint", "complained about a sealed hand that is in order")

    def _take_show(self, seat: int, entry: Entry, body: bodies.Show) -> engine.ShowCards:
        for shown in body.cards:
            self._check_shown(seat, entry, shown)
        gone = {shown.handle for shown in body.cards}
        kept = [handle for handle in self.match.playing().hands[seat] if handle not in gone]
        check(entry, partial(self._check_kept, seat, kept, body.proof))
        return engine.ShowCards(tuple((shown.handle, shown.card) for shown in body.cards))

    def _check_kept(self, seat: int, kept: list[Handle], proof: bytes) -> None:
        """That no icon card was kept: shown and kept together are the hand, exactly (proofs §4)."""
        if not kept:
            if proof:
                raise VerificationError("kept", "a proof about no card")
            return
        rules = self.match.playing().rules
        hand = claims.hidden_hand(self.match.decks, seat, kept)
        ctx = claims.place(self.match.decks, seat, self.match.slot.number)
        claims.check_all(ctx, rules.name, claims.cards_without_icon(rules), hand, proof)

    def _take_reveal(self, seat: int, entry: Entry, body: bodies.Reveal) -> engine.Discard:
        cards = tuple((shown.handle, shown.card) for shown in body.cards)
        sealed = claims.choice_commitment(self.match.table, self.match.commit_slot, seat, body.salt, cards)
        if sealed != self.match.sealed_choices[seat]:
            raise invalid(entry, "choice", "revealed another choice than it had committed to")
        for shown in body.cards:
            self._check_shown(seat, entry, shown)
        return engine.Discard(cards)

    # -- the UNO window ----------------------------------------------------------------------------------------------

    def _check_heard(self, entry: Entry, heard: SignedHeader, entries: dict[int, Entry]) -> None:
        """A *heard* must carry the call of the owner; beside another entry of the owner's it proves equivocation."""
        owner = self.match.window_owner_feed()
        header = heard.header
        own = entries.get(self.match.seat_of(owner.writer))
        if own is None:
            # Who had heard a call holds it, and would not have voted for a cut before it.
            raise invalid(entry, "heard", "claims to have heard a call of one who was dropped without one")
        own_number = own.header.number
        expected = Header(
            self.match.table,
            owner.writer,
            header.number,
            header.previous,
            self.match.slot.number,
            self.match.slot.digest,
            "called",
            body_hash(bodies.NOTHING),
        )
        if header != expected or header.number > own_number:
            raise invalid(entry, "heard", "claims to have heard a call that is none for this window")
        try:
            heard.check(owner.key)
        except WireError:
            raise invalid(entry, "heard", "claims to have heard a call that its player did not sign") from None
        try:
            owner.compare(heard)
        except Contradiction as found:
            # Where the other entry is still here it was found before the slot closed (`forked_call`).
            if owner.writer not in self.match.forks.proofs:
                self.match.charge(owner.writer, found)
            return
        if header.number != own_number:
            raise invalid(entry, "heard", "claims to have heard a call that is none for this window")

    def forked_call(self, entry: Entry) -> ForkProof | None:
        """The proof in a *heard* that the owner of the open window has called, and signed another entry besides."""
        owner = self.match.window_owner_feed()
        if entry.header.kind != "heard":
            return None
        try:
            heard = bodies.parse_heard(entry.body)
            if heard.header.number >= owner.head[0] or heard.header.writer != owner.writer:
                return None
            heard.check(owner.key)
            if heard.header.table == self.match.table:
                owner.compare(heard)
        except ForkFound as found:
            return found.proof
        except (WireError, Contradiction):
            return None
        return None
