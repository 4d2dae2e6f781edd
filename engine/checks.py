"""Is this action one that this seat may take now? Each check returns the action as it will be kept, or raises.

Everything that comes from outside stops here: after these checks all numbers are in range, all handles are the
seat's own, and no shown card can be one that lies open, is shown twice, or was shuffled elsewhere.
"""

from __future__ import annotations

from itertools import pairwise

from .actions import Discard, NameColour, OpenHand, PlayCard, ShowCards, Shown, Verdict
from .draft import Draft
from .editions import ICONS, OHANA_SIZE, Card
from .errors import IllegalAction
from .ids import Handle, Seat
from .matching import answers, matches
from .state import Kind


def check_play(d: Draft, kind: Kind, seat: Seat, action: PlayCard) -> PlayCard:
    """T1, T3, T7 and §7."""
    handle = own_handle(d, seat, action.handle)
    card = claimed(d, handle, action.card)
    if kind is Kind.DRAWN and handle != d.drawn:
        raise IllegalAction("After drawing, only the card just drawn may be played.")
    if kind is Kind.ANSWER:
        if not answers(card, d.top):
            raise IllegalAction("The stack can only be answered with the same kind of card.")
    elif not matches(card, d.top, d.colour):
        raise IllegalAction("This card does not match the colour, number or symbol on the pile.")
    if len(d.hands[seat]) == 1:
        if action.colour is not None or action.uno is not None:
            raise IllegalAction("A last card names no colour and needs no call.")
    else:
        if type(action.uno) is not bool:
            raise IllegalAction("A play says whether UNO is called with it.")
        if card.wild:
            colour(d, action.colour)
        elif action.colour is not None:
            raise IllegalAction("Only a wild names a colour.")
    return PlayCard(handle, card.id, action.colour, action.uno)


def check_name_colour(d: Draft, action: NameColour) -> NameColour:
    return NameColour(colour(d, action.colour))


def check_verdict(action: Verdict) -> Verdict:
    if type(action.guilty) is not bool:
        raise IllegalAction("A verdict is guilty or not guilty.")
    return action


def check_show(d: Draft, seat: Seat, action: ShowCards) -> ShowCards:
    """Icon cards only; that none stayed in the hand is proven elsewhere."""
    shown = _sorted(cards(d, seat, action.cards))
    if any(d.rules.cards[card].kind not in ICONS for _, card in shown):
        raise IllegalAction("Mega Minions takes only Draw Two, Reverse and Skip cards.")
    return ShowCards(shown)


def check_discard(d: Draft, seat: Seat, action: Discard) -> Discard:
    shown = _sorted(cards(d, seat, action.cards))
    surplus = len(d.hands[seat]) - OHANA_SIZE
    if len(shown) != surplus:
        raise IllegalAction(f"Exactly {surplus} of the cards must be discarded.")
    return Discard(shown)


def check_open(d: Draft, seat: Seat, action: OpenHand) -> OpenHand:
    shown = cards(d, seat, action.cards)
    if tuple(handle for handle, _ in shown) != d.hands[seat]:
        raise IllegalAction("The whole hand must be opened, in its order.")
    return OpenHand(shown)


def own_handle(d: Draft, seat: Seat, handle: object) -> Handle:
    """This handle as the state has it, if the seat holds it."""
    for own in d.hands[seat]:
        if own == handle:
            return own
    raise IllegalAction("This card is not in the hand.")


def claimed(d: Draft, handle: Handle, card: object) -> Card:
    """The card with this id, if the hidden card `handle` can be it."""
    deck = d.rules.cards
    if type(card) is not int or not 0 <= card < len(deck):
        raise IllegalAction("There is no such card.")
    if card in d.discard or d.origin[card] != handle.epoch:
        raise IllegalAction("This card cannot be in the hand: it is somewhere else.")
    return deck[card]


def cards(d: Draft, seat: Seat, shown: object) -> Shown:
    """Cards of this hand, each handle and each card once, and none that another seat has just shown."""
    if not isinstance(shown, tuple) or len(shown) > len(d.hands[seat]):
        raise IllegalAction("These cards are not in the hand.")
    elsewhere = _shown_by_others(d, seat)
    handles: set[Handle] = set()
    result: list[tuple[Handle, int]] = []
    for entry in shown:
        if not isinstance(entry, tuple) or len(entry) != 2:
            raise IllegalAction("A shown card is a handle and a card.")
        handle = own_handle(d, seat, entry[0])
        card = claimed(d, handle, entry[1]).id
        if handle in handles or card in elsewhere:
            raise IllegalAction("A card is shown twice.")
        handles.add(handle)
        elsewhere.add(card)
        result.append((handle, card))
    return tuple(result)


def colour(d: Draft, value: object) -> int:
    if type(value) is not int or not 0 <= value < len(d.rules.colours):
        raise IllegalAction("A colour must be named: " + ", ".join(d.rules.colours) + ".")
    return value


def _sorted(shown: Shown) -> Shown:
    if any(a[0] >= b[0] for a, b in pairwise(shown)):
        raise IllegalAction("Shown cards are sorted by their place in the deck.")
    return shown


def _shown_by_others(d: Draft, seat: Seat) -> set[int]:
    """Cards that lie open in this slot or at this round's end but are not in the discard pile yet."""
    shown = {card for hand in d.opened for card in hand}
    for other, action in d.answers.items():
        if other != seat and isinstance(action, ShowCards | Discard | OpenHand):
            shown.update(card for _, card in action.cards)
    return shown
