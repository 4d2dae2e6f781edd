"""Lies when a special wild is played: what is shown, what is kept, what had been chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nodealer import engine
from nodealer.crypto.group import encode_scalar
from nodealer.crypto.hand import Hand, prove_all
from nodealer.engine import Handle
from nodealer.p2p import claims
from nodealer.p2p.wire import decode, encode

from examples.liar import Lie, LyingPlayer, Trick, when
from examples.rigged import DM, Deal, Rigged

CHEAT = 2
CLAIM = 1 << 18


def table(edition: str, hand: str, trick: Trick, *, players: int = 3) -> Rigged:
    """Seat 1 plays its special wild; the next seat holds this hand, and lies."""
    special = "wild mega minions power" if edition == DM else "wild ohana"
    colour = engine.EDITIONS[edition].colours[1]
    cheat = CHEAT % players
    hands = ["blue skip, blue 1 2 3 4 5 6", special, ""][:players]
    hands[cheat] = hand
    deal = Deal(edition, hands, top="blue 5")
    return Rigged(deal, {1: [f"{special} -> {colour}"]}, trick=trick, cheat_seat=cheat)


class Show:
    """What the cheat shows and what it proves about the rest; a lie changes some of it."""

    def __init__(self, player: LyingPlayer, body: bytes) -> None:
        self.player = player
        self.shown, self.proof = decode(body, max_bytes=CLAIM, max_depth=3, max_items=999)
        state = player.match.playing()
        self.rules, self.hand = state.rules, list(state.hands[player.seat])
        self.kept = [handle for handle in self.hand if [*handle] not in [item[:2] for item in self.shown]]

    def item(self, handle: Handle, card: int | None = None) -> list[Any]:
        """A shown card as it stands in the body."""
        return [*handle, self.player.known[handle] if card is None else card, self.player._key(handle)]

    def find(self, label: str) -> Handle:
        known = self.player.known
        return next(handle for handle in self.hand if self.rules.cards[known[handle]].label(self.rules) == label)

    def prove(self, handles: list[Handle], cards: list[int] | None = None, about: Hand | None = None) -> bytes:
        """The honest prover, of what it is told these cards are."""
        match, player = self.player.match, self.player
        held, keys = player._numbers(handles)
        hand = about or claims.hidden_hand(match.decks, player.seat, handles)
        ctx = claims.place(match.decks, player.seat, match.slot.number)
        return prove_all(ctx, DM, claims.cards_without_icon(self.rules), hand, cards or held, keys).encode()

    def pretending(self, handles: list[Handle]) -> list[int]:
        """These cards, with each icon replaced by a number."""
        spare = [card for card in claims.cards_without_icon(self.rules) if card not in self.player.known.values()]
        cards = [self.player.known[handle] for handle in handles]
        return [spare.pop() if self.rules.cards[card].kind in engine.ICONS else card for card in cards]


def show(lie: Callable[[Show], None]) -> Trick:
    def told(player: LyingPlayer, body: bytes) -> Lie:
        case = Show(player, body)
        lie(case)
        return Lie(body=encode([case.shown, case.proof]))

    return when("show", told)


MIXED = "orange skip, orange draw two, orange 1 2 3, wild, wild draw four"


def keeps_one_and_swears(case: Show) -> None:
    """The honest prover, told that the icon card is a number."""
    del case.shown[0]
    kept = [handle for handle in case.hand if [*handle] not in [item[:2] for item in case.shown]]
    case.proof = case.prove(kept, case.pretending(kept))


def keeps_all_and_swears(case: Show) -> None:
    case.shown = []
    case.proof = case.prove(case.hand, case.pretending(case.hand))


def leaves_it_out(case: Show) -> None:
    """Keeps an icon card, with a true proof about all others."""
    del case.shown[0]


def puts_another_in_its_place(case: Show) -> None:
    """Keeps an icon card, with a proof in which another card of the hand is counted twice instead."""
    kept = [case.find("orange skip"), *case.kept]
    case.shown = [item for item in case.shown if item[:2] != [*kept[0]]]
    honest = claims.hidden_hand(case.player.match.decks, case.player.seat, kept)
    twice = Hand(honest.handles, (honest.commitments[1], *honest.commitments[1:]), (honest.tags[1], *honest.tags[1:]))
    case.proof = case.prove(kept, case.pretending(kept), twice)


def shows_it_as_a_number(case: Show) -> None:
    case.shown[0][2] = case.pretending([Handle(*case.shown[0][:2])])[0]


def shows_a_number_instead(case: Show) -> None:
    """A number goes away as if it were an icon card; the icon card stays, sworn to be a number."""
    gone = case.find("orange 1")
    case.shown[0] = case.item(gone)
    case.shown.sort(key=lambda item: item[:2])
    kept = [handle for handle in case.hand if [*handle] not in [item[:2] for item in case.shown]]
    case.proof = case.prove(kept, case.pretending(kept))


def shows_a_number_too(case: Show) -> None:
    gone = case.find("orange 1")
    case.shown = sorted([*case.shown, case.item(gone)], key=lambda item: item[:2])
    case.proof = case.prove([handle for handle in case.kept if handle != gone])


def shows_anothers(case: Show) -> None:
    """The next seat's card instead of its own."""
    foreign = case.player.match.playing().hands[0][0]
    case.shown[0] = [*foreign, *case.shown[0][2:]]


def shows_anothers_with_its_key(case: Show) -> None:
    """The first player's Skip, with a made-up key."""
    foreign = case.player.match.playing().hands[0][0]
    skip = next(card.id for card in case.rules.cards if card.label(case.rules) == "blue skip")
    case.shown = [[*foreign, skip, encode_scalar(7)], *case.shown]


def shows_one_twice(case: Show) -> None:
    case.shown = [case.shown[0], *case.shown]


def shows_out_of_order(case: Show) -> None:
    case.shown.reverse()


def proves_nothing(case: Show) -> None:
    case.proof = b""


def proves_an_easier_set(case: Show) -> None:
    """Keeps an icon card, with a true proof that all its cards are of the edition."""
    del case.shown[0]
    kept = [handle for handle in case.hand if [*handle] not in [item[:2] for item in case.shown]]
    match, player = case.player.match, case.player
    hand = claims.hidden_hand(match.decks, player.seat, kept)
    ctx = claims.place(match.decks, player.seat, match.slot.number)
    edition = [card.id for card in case.rules.cards]
    case.proof = prove_all(ctx, DM, edition, hand, *player._numbers(kept)).encode()


SEVEN = "yellow 1 2 3 4 6 7 8"


def reveals(change: Callable[[LyingPlayer, bytes, list[Any]], tuple[bytes, list[Any]]]) -> Trick:
    """A trick that reveals something else than was committed to: (salt, cards) of the honest entry changed."""

    def told(player: LyingPlayer, body: bytes) -> Lie:
        salt, cards = decode(body, max_bytes=CLAIM, max_depth=3, max_items=999)
        return Lie(body=encode(list(change(player, salt, cards))))

    return when("reveal", told)


def other_cards(player: LyingPlayer, salt: bytes, cards: list[Any]) -> tuple[bytes, list[Any]]:
    """Chooses again, after having seen what the others throw away."""
    chosen = {tuple(item[:2]) for item in cards}
    kept = next(handle for handle in player.known if tuple(handle) not in chosen)
    items = [[*kept, player.known[kept], player._key(kept)], *cards[1:]]
    return salt, sorted(items, key=lambda item: item[:2])


def commit_to(player: LyingPlayer, cards: list[tuple[Handle, int]]) -> Lie:
    """Commit to these cards, allowed or not; the honest program will reveal exactly them."""
    salt = bytes(32)
    player._vault.choice = (salt, tuple(cards))
    slot = player.match.slot.number
    return Lie(body=encode([claims.choice_commitment(player.match.table, slot, player.seat, salt, tuple(cards))]))


def own(player: LyingPlayer, handles: list[Handle]) -> list[tuple[Handle, int]]:
    return [(handle, player.known[handle]) for handle in handles]


def with_another_face(player: LyingPlayer, hand: list[Handle]) -> list[tuple[Handle, int]]:
    """Throws away a card of its hand under the name of one that it fears less."""
    cards = own(player, hand[:3])
    return [(cards[0][0], player.known[hand[-1]]), *cards[1:]]
