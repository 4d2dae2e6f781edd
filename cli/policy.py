"""What a bot decides, as pure functions of what it may see: (view, legal actions, random source) -> action.

Every playable card gets a score in "cards' worth": shedding points counts a little, keeping a colour that one can
follow counts more, stopping a neighbour who is about to go out counts most, and a wild is dear until the end is near.
All three editions are played: bluffs with a Wild Draw Four, challenges on evidence, Ohana discards.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from math import comb

from nodealer.engine import (
    EDITIONS,
    Accept,
    Action,
    Called,
    Card,
    CardKind,
    Caught,
    Challenge,
    Discard,
    Draw,
    Edition,
    Handle,
    Keep,
    Kind,
    NameColour,
    Pass,
    PlayCard,
    Quiet,
    Silent,
    Take,
    View,
)

# How often a bot forgets to say UNO with the play, says it late, and notices that somebody else forgot.
FORGETS = 0.08
CALLS_LATE = 0.5
NOTICES = 0.85
# With so few cards a player may be out before one's own next turn.
NEARLY_OUT = 2
# How often a bot with a Wild Draw Four that would be wrong thinks of playing it when somebody is nearly out. It often
# has a better card then; so it suspects others of less: with such a reason to bluff, and without (bots among themselves
# bluff about as often as this).
BLUFFS = 0.4
SUSPECTS = 0.15
SUSPECTS_AT_EASE = 0.05
# A challenge risks two cards to save four and a turn, and to give four away.
CHALLENGE_FROM = 0.25
# A wild that is the only playable card of a large hand is sometimes saved at the price of drawing.
SAVES_WILD = 0.25
# A hoarder turns sensible after so many reshuffles, or its rounds would never end.
HOARD_RESHUFFLES = 2

HARMFUL = (CardKind.SKIP, CardKind.DRAW_TWO, CardKind.WILD_DRAW_FOUR)


class Style(StrEnum):
    """How a bot plays: to win, or to fill its hand so that reshuffles become certain."""

    SENSIBLE = "sensible"
    HOARD = "hoard"


def decide(
    kind: Kind, view: View, legal: Sequence[Action], rng: random.Random, style: Style = Style.SENSIBLE
) -> Action:
    """The action for a decision other than an UNO window. ``legal`` must not be empty."""
    plays = [action for action in legal if isinstance(action, PlayCard)]
    hoards = style is Style.HOARD and view.reshuffles < HOARD_RESHUFFLES
    match kind:
        case Kind.COLOUR:
            return NameColour(best_colour(view, held(view), rng))
        case Kind.MOVE if hoards:
            return with_call(_hoard(view, plays, legal, rng), view, rng)
        case Kind.MOVE | Kind.DRAWN | Kind.ANSWER:
            return with_call(_move(kind, view, plays, legal, rng, keeps_wilds=hoards), view, rng)
        case Kind.ACCEPT:
            return Challenge() if Challenge() in legal and guilt(view) >= CHALLENGE_FROM else clock(view, legal)
        case Kind.CHOOSE:
            return next(
                (choose(view, len(action.cards), rng) for action in legal if isinstance(action, Discard)), legal[0]
            )
    return clock(view, legal)


def late_call(rng: random.Random) -> bool:
    """Whether a bot that forgot UNO says it while the window is open."""
    return rng.random() < CALLS_LATE


def notices(rng: random.Random) -> bool:
    """Whether a bot notices that somebody else forgot."""
    return rng.random() < NOTICES


def window_action(view: View) -> Action:
    """What a bot that reacts to a window does: the owner calls, the others catch."""
    return Called() if view.window == view.seat else Caught()


def clock(view: View, legal: Sequence[Action]) -> Action:
    """What the turn clock would do (the rules' N1), out of what the player itself can see."""
    for action in legal:
        if isinstance(action, Draw | Pass | Keep | Take | Accept | Quiet | Silent):
            return action
    if isinstance(legal[0], NameColour):
        colours = [card.colour for card in held(view)]
        return NameColour(max(range(len(edition(view).colours)), key=lambda colour: (colours.count(colour), -colour)))
    return legal[0]


def edition(view: View) -> Edition:
    return EDITIONS[view.options.edition]


def held(view: View) -> list[Card]:
    """The own cards that can be read."""
    cards = edition(view).cards
    return [cards[card] for _, card in view.hand if card is not None]


def next_seat(view: View, steps: int = 1) -> int:
    """The seat that plays ``steps`` after one's own, in the present direction."""
    seats = list(view.seats_in)
    mine = seats.index(view.seat) if view.seat in seats else 0
    return seats[(mine + steps * view.direction) % len(seats)]


def with_call(action: Action, view: View, rng: random.Random) -> Action:
    """Say UNO with the play of the last card but one, nearly always."""
    if isinstance(action, PlayCard) and len(view.hand) == 2:
        return replace(action, uno=rng.random() >= FORGETS)
    return action


def best_colour(view: View, hand: Sequence[Card], rng: random.Random) -> int:
    """The colour that the own hand can follow best: most cards, then most points, then chance."""
    colours = range(len(edition(view).colours))

    def worth(colour: int) -> tuple[int, int, float]:
        mine = [card for card in hand if card.colour == colour]
        return len(mine), sum(card.points for card in mine), rng.random()

    return max(colours, key=worth)


def _move(
    kind: Kind, view: View, plays: Sequence[PlayCard], legal: Sequence[Action], rng: random.Random, *, keeps_wilds: bool
) -> Action:
    decline = clock(view, legal)
    if not plays:
        return decline
    cards = edition(view).cards
    best = max(plays, key=lambda play: (_score(view, cards[play.card], rng), play.handle))
    card = cards[best.card]
    if len(view.hand) == 1 or kind is Kind.ANSWER:
        return _with_colour(view, best, plays, rng)
    if card.wild and keeps_wilds:
        return decline
    if card.wild and not _endgame(view):
        # Nothing else fits: a drawn wild is kept for later, one from the hand is now and then saved.
        saves = kind is Kind.DRAWN or (len(view.hand) > 4 and rng.random() < SAVES_WILD)
        if saves and not isinstance(decline, Pass):
            return decline
    return _with_colour(view, best, plays, rng)


def _with_colour(view: View, play: PlayCard, plays: Sequence[PlayCard], rng: random.Random) -> PlayCard:
    """The same play with the colour that suits the hand that is left."""
    if play.colour is None:
        return play
    rest = [edition(view).cards[card] for handle, card in view.hand if card is not None and handle != play.handle]
    colour = best_colour(view, rest, rng)
    return next((other for other in plays if other.handle == play.handle and other.colour == colour), play)


def _endgame(view: View) -> bool:
    """Somebody is nearly out, or the own hand is small: points in the hand and dear cards are to be used now."""
    others = [view.counts[seat] for seat in view.seats_in if seat != view.seat]
    return len(view.hand) <= 3 or min(others, default=0) <= NEARLY_OUT


def _score(view: View, card: Card, rng: random.Random) -> float:
    rest = held(view)
    rest.remove(card)
    following = next_seat(view)
    threat = view.counts[following] <= NEARLY_OUT
    score = card.points / 20 + rng.random() * 0.1
    if card.wild:
        score -= 1 if _endgame(view) else 6
        score += 0.5 * sum(other.colour == best_colour(view, rest, rng) for other in rest)
    else:
        score += 0.6 * sum(other.colour == card.colour for other in rest)
    two = len(view.seats_in) == 2
    if card.kind in HARMFUL or (card.kind is CardKind.REVERSE and two):
        score += 6 if threat else -0.5
        if card.kind is CardKind.SKIP and not two and view.counts[next_seat(view, 2)] <= NEARLY_OUT:
            score -= 4  # the turn would go to another one who is nearly out
    elif card.kind is CardKind.REVERSE:
        behind = view.counts[next_seat(view, -1)] <= NEARLY_OUT
        score += 4 if threat and not behind else -4 if behind else 0
    if card.kind is CardKind.WILD_DRAW_FOUR:
        score -= 2
        bluffs = (threat or _endgame(view)) and rng.random() < BLUFFS
        if edition(view).challenge and wrong_now(view, rest) and not bluffs:
            score -= 20  # an honest card, unless a bluff is worth the risk
    if card.kind is CardKind.MINIONS:
        score += 2 if threat else 0
    if card.kind is CardKind.OHANA:
        # All hands come to four: good for who holds more than the others.
        mine = len(view.hand) - 1
        score += 0.8 * (max(mine, 4) - 4) - (2 if mine < 4 else 0) + (4 if threat else 0)
    return score


def _hoard(view: View, plays: Sequence[PlayCard], legal: Sequence[Action], rng: random.Random) -> Action:
    """Draw whenever the rules allow; but where the pile ends in the middle of a draw, make somebody draw across it."""
    cards = edition(view).cards
    for play in plays:
        crosses = {CardKind.WILD_DRAW_FOUR: 4, CardKind.DRAW_TWO: 2}.get(cards[play.card].kind, 0)
        if 0 < view.draw_count < crosses and len(view.discard) > crosses:
            return _with_colour(view, play, plays, rng)
    if Draw() in legal:
        return Draw()
    return _move(Kind.MOVE, view, plays, legal, rng, keeps_wilds=False)


def wrong_now(view: View, rest: Sequence[Card]) -> bool:
    """Whether a Wild Draw Four would be a bluff with this rest of the hand."""
    return any(card.wild or card.colour == view.colour for card in rest)


def guilt(view: View) -> float:
    """How likely the open Wild Draw Four was a bluff: what one has seen, and how often people bluff.

    The accused holds n cards out of all that are neither in the own hand nor on the discard pile: the more of the
    colour has been played, the likelier it has none. It had a reason to bluff if somebody, itself too, was nearly out.
    """
    case = view.challenge
    if case is None:
        return 0.0
    cards = edition(view).cards
    seen = {card for _, card in view.hand if card is not None} | set(view.discard)
    unseen = [card for card in cards if card.id not in seen]
    bad = sum(card.wild or card.colour == case.colour for card in unseen)
    hand = len(case.hand)
    clean = comb(len(unseen) - bad, hand) / comb(len(unseen), hand) if hand <= len(unseen) else 0.0
    others = [view.counts[seat] for seat in view.seats_in if seat != case.accused]
    reason = min([hand - 1, *others]) <= NEARLY_OUT
    bluff = (SUSPECTS if reason else SUSPECTS_AT_EASE) * (1 - clean)
    return bluff / (bluff + clean) if bluff + clean else 0.0


def choose(view: View, surplus: int, rng: random.Random) -> Discard:
    """Ohana: keep what can be played next; shed points when somebody is nearly out. Sorted by handle."""
    late = _endgame(view)
    cards = edition(view).cards
    colours = [card.colour for card in held(view)]

    def worth(item: tuple[Handle, int]) -> tuple[float, float]:
        card = cards[item[1]]
        if card.wild:
            keep = 0.5 if late else 6.0
        else:
            keep = (2.0 if card.colour == view.colour else 0.0) + 0.5 * colours.count(card.colour)
            keep += 1.0 if card.number is None else 0.0
        return keep - card.points / (10 if late else 40), rng.random()

    readable = [(handle, card) for handle, card in view.hand if card is not None]
    return Discard(tuple(sorted(sorted(readable, key=worth)[:surplus])))
