"""Lies about a Wild Draw Four: the accused in its verdict, the challenger in its complaint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

from nodealer import engine
from nodealer.crypto import box as box_module
from nodealer.crypto.box import make_key, seal
from nodealer.crypto.group import ORDER, encode_scalar
from nodealer.crypto.hand import Hand, encode_openings, prove_all, prove_one
from nodealer.engine import Handle
from nodealer.p2p import claims
from nodealer.p2p.wire import decode, encode

from examples.liar import Lie, LyingPlayer, Trick, when
from examples.rigged import LS, Deal, Rigged

ACCUSED, CHALLENGER = 1, 2
RED, YELLOW = 0, 1
INNOCENT = "wild draw four, yellow 1 2 5, green 1 2 3"
GUILTY = "wild draw four, yellow 1 2 5, green 1 2, red 9"
CLAIM = 1 << 18


def table(hand: str, trick: Trick, *, cheat: int = ACCUSED, seats: int = 3) -> Rigged:
    """Red is active; seat 1 plays a Wild Draw Four from this hand, the next challenges, and one of them lies."""
    challenger = CHALLENGER % seats
    steps = {ACCUSED: ["wild draw four -> yellow"], challenger: ["challenge"]}
    deal = Deal(LS, ["", hand, ""][:seats], top="red 5")
    return Rigged(deal, steps, trick=trick, cheat_seat=cheat % seats)


@dataclass
class Case:
    """What the accused works with; a lie changes some of it."""

    player: LyingPlayer
    guilty: bool
    box: bytes
    proof: bytes

    def __post_init__(self) -> None:
        match = self.player.match
        case = match.open_case()
        self.rules = match.playing().rules
        self.ctx = claims.place(match.decks, self.player.seat, match.slot.number)
        self.handles = list(case.hand)
        self.cards, self.keys = self.player._numbers(case.hand)

    def hand(self, handles: list[Handle] | None = None) -> Hand:
        return claims.hidden_hand(
            self.player.match.decks, self.player.seat, self.handles if handles is None else handles
        )

    def for_colour(self, colour: int = RED) -> tuple[int, ...]:
        return claims.cards_for(self.rules, colour)

    def against(self, colour: int = RED) -> tuple[int, ...]:
        return claims.cards_against(self.rules, colour)

    def all_in(self, allowed: tuple[int, ...], cards: list[int] | None = None, hand: Hand | None = None) -> bytes:
        """The proof that all cards are in a set, by the honest prover, of what it is told they are."""
        held = self.cards if cards is None else cards
        return prove_all(self.ctx, LS, allowed, hand or self.hand(), held, self.keys[: len(held)]).encode()

    def one_in(self, allowed: tuple[int, ...], cards: list[int] | None = None) -> bytes:
        return prove_one(self.ctx, LS, allowed, self.hand(), cards or self.cards, self.keys).encode()

    def pretending(self, allowed: tuple[int, ...]) -> list[int]:
        """The hand with each card that is not in the set replaced by one of the set."""
        spare = [card for card in allowed if card not in self.cards]
        return [card if card in allowed else spare.pop() for card in self.cards]

    def sealed(self, plaintext: bytes, **changes: Any) -> bytes:
        """An honest box, but for what it holds or where it belongs."""
        case, file = self.player.match.open_case(), self.player.match.challenge
        assert file is not None
        return seal(replace(self.ctx, **changes), case.challenger, file.key.point, plaintext).encode()


def verdict(lie: Callable[[Case], None]) -> Trick:
    """A trick that changes the accused's verdict."""

    def told(player: LyingPlayer, body: bytes) -> Lie:
        case = Case(player, *decode(body, max_bytes=CLAIM))
        lie(case)
        return Lie(body=encode([case.guilty, case.box, case.proof]))

    return when("verdict", told)


def says_it_is_innocent(case: Case) -> None:
    case.guilty = False


def swears_to_other_cards(case: Case) -> None:
    """The honest prover, told that the red card is one that is allowed."""
    case.guilty, case.proof = False, case.all_in(case.for_colour(), case.pretending(case.for_colour()))


def leaves_a_card_out(case: Case) -> None:
    """True of the five cards that it is about."""
    case.guilty = False
    case.proof = case.all_in(case.for_colour(), case.cards[:-1], case.hand(case.handles[:-1]))


def counts_a_card_twice(case: Case) -> None:
    """A true proof about the first card, given twice: for the second time under the red card's place."""
    case.guilty = False
    case.cards[-1], case.keys[-1] = case.cards[0], case.keys[0]
    honest = case.hand()
    doubled = replace(
        honest,
        commitments=(*honest.commitments[:-1], honest.commitments[0]),
        tags=(*honest.tags[:-1], honest.tags[0]),
    )
    spare = case.pretending(case.for_colour())
    spare[-1] = next(card for card in case.for_colour() if card not in case.cards)
    case.proof = case.all_in(case.for_colour(), spare, doubled)


def gives_an_index_twice(case: Case) -> None:
    case.guilty = False
    proof = bytearray(case.all_in(case.for_colour(), case.pretending(case.for_colour())))
    end = len(proof) - 32 * (2 + len(case.cards))
    proof[end - 2 : end] = proof[end - 4 : end - 2]
    case.proof = bytes(proof)


def takes_another_card_of_its_own(case: Case) -> None:
    """Proves a hand in which the card it has played stands in for the red one."""
    played = Handle(0, 0)
    secrets = case.player._secrets_of(Handle(0, 0))
    case.guilty, case.keys[-1] = False, secrets.key(played.index)
    case.proof = case.all_in(
        case.for_colour(), case.pretending(case.for_colour()), case.hand([*case.handles[:-1], played])
    )


def proves_another_colour(case: Case) -> None:
    """A true proof that none of its cards is blue: a set of the same size."""
    case.guilty, case.proof = False, case.all_in(case.for_colour(3))


def proves_the_colour_it_named(case: Case) -> None:
    case.guilty, case.proof = False, case.all_in(case.for_colour(YELLOW), case.pretending(case.for_colour(YELLOW)))


def proves_a_larger_set(case: Case) -> None:
    """A true proof that all its cards are of the edition."""
    case.guilty, case.proof = False, case.all_in(tuple(card.id for card in case.rules.cards))


def says_nothing(case: Case) -> None:
    case.guilty, case.proof = False, b""


def says_it_is_guilty(case: Case) -> None:
    case.guilty = True


def swears_to_a_red_card(case: Case) -> None:
    red = case.against()[0]
    case.guilty, case.proof = True, case.one_in(case.against(), [red, *case.cards[1:]])


def proves_a_card_of_another_colour(case: Case) -> None:
    """A true proof that one of its cards is green or wild: a set of the same size."""
    case.guilty, case.proof = True, case.one_in(case.against(2))


def proves_that_one_is_innocent(case: Case) -> None:
    case.guilty, case.proof = True, case.one_in(case.for_colour())


def proves_of_what_it_has_played(case: Case) -> None:
    """The Wild Draw Four itself is a wild, but not of the snapshot."""
    secrets = case.player._secrets_of(Handle(0, 0))
    case.handles[0], case.keys[0] = Handle(0, 0), secrets.key(0)
    played = next(card.id for card in case.rules.cards if card.kind is engine.CardKind.WILD_DRAW_FOUR)
    case.guilty, case.proof = True, case.one_in(case.against(), [played, *case.cards[1:]])


def with_seven(decision: Any, rng: Any) -> engine.Action | None:
    """Seat 0 plays down to seven cards, then a Wild Draw Four; seat 1 always challenges."""
    if decision.kind is engine.Kind.WINDOW:
        return None
    if decision.kind is engine.Kind.ACCEPT:
        return engine.Challenge()
    view = decision.view
    plays = [action for action in decision.legal if isinstance(action, engine.PlayCard)]
    fours = [play for play in plays if view.options.rules.cards[play.card].kind is engine.CardKind.WILD_DRAW_FOUR]
    plain = [play for play in plays if not view.options.rules.cards[play.card].wild]
    if view.seat == 0 and fours and len(view.hand) == 7:
        return fours[0]
    if plain and (view.seat == 1 or len(view.hand) > 7):
        return plain[0]
    return next(action for action in decision.legal if isinstance(action, engine.Draw | engine.Keep | engine.PlayCard))


def garbage(case: Case) -> None:
    case.box = case.sealed(bytes(len(encode_openings(case.cards, case.keys))))


def other_cards(case: Case) -> None:
    case.box = case.sealed(encode_openings(case.cards[::-1], case.keys))


def other_keys(case: Case) -> None:
    case.box = case.sealed(encode_openings(case.cards, case.keys[::-1]))


def all_keys_but_one(case: Case) -> None:
    case.box = case.sealed(encode_openings(case.cards, [*case.keys[:-1], (case.keys[-1] + 1) % ORDER]))


def no_card_of_the_edition(case: Case) -> None:
    case.box = case.sealed(encode_openings([*case.cards[:-1], 60_000], case.keys))


def to_another_key(case: Case) -> None:
    """Sealed so that nobody can read it, under a proof that names the right key."""
    honest = box_module._cipher

    def other(*args: Any) -> Any:
        return honest(*args[:-1], args[-1] + args[-1])

    with mock.patch.object(box_module, "_cipher", other):
        case.box = case.sealed(encode_openings(case.cards, case.keys))


def for_another_slot(case: Case) -> None:
    case.box = case.sealed(encode_openings(case.cards, case.keys), slot=case.ctx.slot - 1)


def by_another_seat(case: Case) -> None:
    case.box = case.sealed(encode_openings(case.cards, case.keys), seat=0)


def reworked(case: Case) -> None:
    """One byte of the ciphertext is changed: the proof is over all of it."""
    case.box = case.box[:-1] + bytes([case.box[-1] ^ 1])


def too_short(case: Case) -> None:
    case.box = case.sealed(encode_openings(case.cards[1:], case.keys[1:]))


def too_long(case: Case) -> None:
    case.box = case.sealed(encode_openings([*case.cards, 1], [*case.keys, 1]))


def challenge_with(make: Callable[[LyingPlayer, bytes], bytes]) -> Trick:
    return when("challenge", lambda player, body: Lie(body=encode([make(player, *decode(body, max_bytes=256))])))


def without_possession(player: LyingPlayer, key: bytes) -> bytes:
    """Somebody else's point, whose logarithm the challenger does not know."""
    return player.match.decks[0].tag(0, 0).data + key[32:]


def of_another_slot(player: LyingPlayer, key: bytes) -> bytes:
    ctx = claims.place(player.match.decks, player.seat, player.match.slot.number - 1)
    return make_key(ctx, 7).encode()


def of_another_seat(player: LyingPlayer, key: bytes) -> bytes:
    ctx = claims.place(player.match.decks, 0, player.match.slot.number)
    return make_key(ctx, 7).encode()


def complains_with(more: int) -> Trick:
    """The challenger complains about what was sealed to it, showing its one-time secret or another (``more``)."""

    def lie(player: LyingPlayer, body: bytes) -> Lie:
        secret = player._vault.challenge
        assert secret is not None
        return Lie(kind="complaint", body=encode([encode_scalar((secret + more) % ORDER)]))

    return when("seen", lie)
