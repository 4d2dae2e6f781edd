"""``nodealer rules``: the rules of an edition in our own words, with the numbers taken from the edition's data."""

from __future__ import annotations

import argparse
from collections import Counter
from textwrap import fill

from nodealer.engine import EDITIONS, CardKind, Edition
from nodealer.engine.editions import CHALLENGE_LOST, HAND_SIZE, PENALTY

from .exits import Complaint, Exit
from .output import write_line
from .words import listed

WIDTH = 79


def run(args: argparse.Namespace) -> int:
    edition = EDITIONS.get(args.edition)
    if edition is None:
        raise Complaint(f"There is no edition {args.edition[:40]!r}; there are {listed(sorted(EDITIONS))}.")
    for place, paragraph in enumerate(rules(edition)):
        if place > 1 and not paragraph.startswith("- "):
            write_line("")  # before a heading
        write_line(fill(paragraph, WIDTH, subsequent_indent="  " if paragraph.startswith("- ") else ""))
    return Exit.COMPLETE


def rules(edition: Edition) -> list[str]:
    """The paragraphs."""
    kinds = Counter(card.kind for card in edition.cards)
    colours = listed(edition.colours)
    targets = " or ".join(str(target) for target in edition.targets if target)
    told = [
        f"{edition.title}: {edition.min_seats} to {edition.max_seats} players, {len(edition.cards)} cards.",
        f"Four colours ({colours}), in each one 0 and two of every number to 9; {kinds[CardKind.DRAW_TWO]} Draw Two, "
        f"{kinds[CardKind.REVERSE]} Reverse, {kinds[CardKind.SKIP]} Skip, {kinds[CardKind.WILD]} Wild and "
        f"{kinds[CardKind.WILD_DRAW_FOUR]} Wild Draw Four"
        + (f", and {kinds[edition.special]} {edition.special.value.title()}." if edition.special else "."),
        "The deal",
        f"- Everybody gets {HAND_SIZE} cards. A card is turned up; who sits left of the dealer begins, to the left.",
        *_start(edition),
        "Your turn",
        "- Play one card of the active colour, or of the number or symbol on top, or a wild; or draw one card. You may "
        "draw although you could play. After drawing only that very card may be played; otherwise you keep it.",
        "- Draw Two: the next player draws two and misses the turn. Skip: the next player misses the "
        "turn. Reverse: the "
        "direction turns; between two players it is a Skip. Wild: you name the colour.",
        *_wild_four(edition),
        *_special(edition),
        "One card left",
        f"- Say UNO with the play of your last card but one. Forgotten, it may still be said for a moment "
        f"({edition.uno_window_ms / 1000:g} s as a rule); whoever is caught by another player first draws {PENALTY}."
        + (" Who says nothing to the end is caught in any case." if edition.quiet_is_caught else ""),
        "The end",
        "- The round ends when a hand is empty."
        + (" A last Draw Two or Wild Draw Four is still drawn, and counts." if edition.last_card_draws else "")
        + " Its winner alone scores what the others hold: numbers their value, Draw Two, Reverse and Skip "
        "20, wilds 50.",
        f"- A match is one hand (--target 0), or goes to {targets} points.",
        "- When the draw pile is used up, the discard pile but its top card is shuffled anew, by everybody. When there "
        "is nothing to draw at all you may pass; when all have passed in a row the round ends without a winner.",
    ]
    return told


def _start(edition: Edition) -> list[str]:
    if edition.start_effects:
        return [
            "- The first card counts: a Skip skips the first player, a Reverse gives the dealer the first "
            "turn and turns "
            "the direction, a Draw Two makes the first player draw two and miss the turn, a Wild lets the first player "
            "name its colour. On a Wild Draw Four another card is turned."
        ]
    return ["- Cards are turned up until a number lies on top; what was turned before has no effect."]


def _wild_four(edition: Edition) -> list[str]:
    four = "- Wild Draw Four: you name the colour; the next player draws four and misses the turn."
    if not edition.challenge:
        told = [four + " It may be played at any time."]
    else:
        told = [
            four
            + " It is rightly played only when you hold no card of the active colour and no other wild, but it may "
            "be a bluff. The next player may challenge it: a bluff makes you draw four instead, a wrong "
            "challenge costs "
            f"{CHALLENGE_LOST} cards and the turn. The verdict is proven to everybody without showing a card."
        ]
    if edition.stacking:
        told.append(
            "- With stacking (agreed for the table): a Draw Two may be answered with a Draw Two, a Wild "
            "Draw Four with a "
            "Wild Draw Four, and so on; who does not answer takes the whole sum and misses the turn."
        )
    return told


def _special(edition: Edition) -> list[str]:
    match edition.special:
        case CardKind.MINIONS:
            return [
                "- Wild Mega Minions Power: you name the colour; everybody else discards all Draw Two, Reverse "
                "and Skip "
                "cards and draws as many, and proves that none stayed in the hand."
            ]
        case CardKind.OHANA:
            return [
                "- Wild Ohana: you name the colour; then everybody, you too, comes to four cards, by discarding "
                "cards of "
                "their own choice under it, or by drawing."
            ]
    return []
