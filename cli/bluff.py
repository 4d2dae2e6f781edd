"""What can be known about a Wild Draw Four before it is accepted or challenged, for the screen and the lines."""

from __future__ import annotations

from math import comb

from nodealer.engine import ChallengeCase, Edition, View

from .words import Words


def told(case: ChallengeCase, words: Words) -> str:
    """On which colour it was played, and what would make it a bluff."""
    accused, colour = words.who(case.accused), words.colour(case.colour)
    count = len(case.hand)
    others = f"{accused}'s only other card" if count == 1 else f"one of {accused}'s {count} other cards"
    return f"{words.Who(case.accused)} played it on {colour}. It was a bluff if {others} was {colour} or a wild."


def odds(view: View, edition: Edition) -> str:
    """How often as many unknown cards would hold one that makes the play a bluff; nothing where that cannot be said."""
    case = view.challenge
    if case is None:
        return ""
    seen = {card for _, card in view.hand if card is not None} | set(view.discard)
    unseen = [card for card in edition.cards if card.id not in seen]
    bad = sum(card.wild or card.colour == case.colour for card in unseen)
    hand = len(case.hand)
    if not unseen or hand > len(unseen):
        return ""
    share = 1 - comb(len(unseen) - bad, hand) / comb(len(unseen), hand)
    drawn = "one at random is one" if hand == 1 else f"{hand} at random hold one"
    return f"Of {len(unseen)} cards you cannot see {bad} are such; {drawn} in {share:.0%} of cases."
