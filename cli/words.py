"""The game in plain words: cards, actions and events as a person reads them, in every edition.

A sentence about oneself says "you"; the others go by name. Colour words stand beside every colour, so nothing here
depends on a terminal that shows colours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nodealer import engine

# What a slot waits for, in words.
WAITS = {
    "start": "to confirm the table",
    "coin": "to toss the coin",
    "shuffle": "to shuffle",
    "lock": "to lock",
    "epoch ok": "to confirm the deck",
    "keys": "for keys",
    "turn up": "for keys",
    "move": "to play",
    "drawn": "to play or keep the card",
    "draw": "to draw",
    "window": "in the UNO window",
    "accept": "to accept or challenge",
    "answer": "to answer the stack",
    "colour": "to name a colour",
    "commit": "to choose what to discard",
    "verdict": "to prove what the hand was",
    "seen": "to say what it has seen",
    "show": "to show its hand",
    "reveal": "to show what is discarded",
    "shares": "for pieces of keys",
    "open": "to open the hand",
    "round end": "to confirm the round",
    "end": "to confirm the end",
}


class Words:
    """The words of one table: who sits where, and which edition is played."""

    def __init__(self, edition: str, names: Sequence[str], seat: int | None) -> None:
        self.edition = engine.EDITIONS[edition]
        self.names = tuple(names)
        self.seat = seat

    def who(self, seat: int) -> str:
        """ "you" or the name, in the middle of a sentence."""
        return "you" if seat == self.seat else self.names[seat]

    def Who(self, seat: int) -> str:
        """ "You" or the name, at the start of a sentence."""
        return "You" if seat == self.seat else self.names[seat]

    def does(self, seat: int, you: str, they: str) -> str:
        """ "You play" or "Ada plays"."""
        return f"{self.Who(seat)} {you if seat == self.seat else they}"

    def people(self, seats: Iterable[int]) -> str:
        """ "Ada, Bea and you"."""
        return listed([self.who(seat) for seat in seats])

    def colour(self, colour: int) -> str:
        return self.edition.colours[colour]

    def card(self, card: int) -> str:
        """ "red 7", "wild draw four"."""
        return self.edition.cards[card].label(self.edition)

    def cards(self, cards: Iterable[int]) -> str:
        """Cards in a person's order: by colour, numbers first, wilds last (which is the order of the ids)."""
        return ", ".join(self.card(card) for card in sorted(cards))

    def action(self, action: engine.Action) -> str:
        """An action as it stands in a prompt and can be typed."""
        match action:
            case engine.PlayCard(card=card, colour=colour, uno=uno):
                words = self.card(card)
                if colour is not None:
                    words += f" {self.colour(colour)}"
                return f"{words} uno" if uno else words
            case engine.NameColour(colour=colour):
                return self.colour(colour)
            case engine.Draw():
                return "draw"
            case engine.Pass():
                return "pass"
            case engine.Keep():
                return "keep"
            case engine.Take():
                return "take"
            case engine.Accept():
                return "accept"
            case engine.Challenge():
                return "challenge"
            case engine.Called():
                return "uno"
            case engine.Caught():
                return "catch"
            case engine.Quiet() | engine.Silent():
                return "nothing"
            case engine.Discard(cards=cards):
                return "discard " + self.cards(card for _, card in cards)
        return type(action).__name__.lower()

    def event(self, event: engine.Event) -> str | None:
        """One sentence, or None for what another sentence tells already."""
        match event:
            case engine.CardTurned(card=card, ignored=True):
                return f"Turned up: {self.card(card)}; another card is turned on top of it."
            case engine.CardTurned(card=card):
                return f"Turned up: {self.card(card)}."
            case engine.CardPlayed(seat=seat, card=card, colour=colour, uno=uno):
                told = self.does(seat, "play", "plays") + f" {self.card(card)}"
                if colour is not None:
                    told += f" and {self.form(seat, 'choose', 'chooses')} {self.colour(colour)}"
                return told + (", and says UNO!" if uno and seat != self.seat else ", and say UNO!" if uno else ".")
            case engine.ColourNamed(seat=seat, colour=colour):
                return f"{self.does(seat, 'name', 'names')} {self.colour(colour)}."
            case engine.CardsDrawn(seat=seat, handles=handles):
                return f"{self.does(seat, 'draw', 'draws')} {count(len(handles), 'card')}."
            case engine.DrawForgiven(seat=seat, count=number):
                return f"Nothing is left to draw: {count(number, 'card')} less for {self.who(seat)}."
            case engine.CardKept(seat=seat):
                return f"{self.does(seat, 'keep', 'keeps')} the card."
            case engine.TurnPassed(seat=seat):
                return f"{self.does(seat, 'pass', 'passes')}."
            case engine.TurnSkipped(seat=seat):
                return f"{self.does(seat, 'miss', 'misses')} a turn."
            case engine.DirectionReversed(direction=direction):
                return f"The direction turns: play goes to the {'left' if direction == 1 else 'right'}."
            case engine.Reshuffled(cards=cards):
                return f"The new draw pile has {count(cards, 'card')}."
            case engine.StackRaised(total=total):
                return f"The stack stands at {total} cards."
            case engine.StackTaken(seat=seat, total=total):
                return f"{self.does(seat, 'take', 'takes')} the stack of {total}."
            case engine.WindowOpened(seat=seat):
                return f"{self.does(seat, 'have', 'has')} one card and did not say UNO."
            case engine.WindowClosed(seat=seat):
                return f"Nobody caught {self.who(seat)}."
            case engine.UnoCalled(seat=seat):
                return f"{self.does(seat, 'say', 'says')} UNO in time."
            case engine.UnoCaught(seat=seat, by=by):
                if not by:
                    return f"{self.does(seat, 'were', 'was')} quiet: a penalty of two cards."
                return f"{sentence(self.people(by))} caught {self.who(seat)}: a penalty of two cards."
            case engine.Accepted(seat=seat):
                return f"{self.does(seat, 'accept', 'accepts')} the wild draw four."
            case engine.Challenged(seat=seat, accused=accused):
                return f"{self.does(seat, 'challenge', 'challenges')} {self.who(accused)}: was it a bluff?"
            case engine.ChallengeWon(accused=accused):
                return f"Proven: it was a bluff; {self.who(accused)} must draw."
            case engine.ChallengeLost(seat=seat, accused=accused):
                return f"Proven: {self.who(accused)} played it rightly; {self.who(seat)} must draw."
            case engine.CardsDiscarded(seat=seat, cards=cards):
                if not cards:
                    return None
                return f"{self.does(seat, 'discard', 'discards')} {self.cards(cards)}."
            case engine.HandOpened(seat=seat, cards=cards):
                return f"{self.does(seat, 'had', 'had')} left: {self.cards(card for _, card in cards)}."
            case engine.RoundWon(seat=seat, points=points):
                return f"{self.does(seat, 'win', 'wins')} the round: {count(points, 'point')}."
            case engine.RoundDrawn(reason=reason):
                return f"The round ends without a winner ({reason.value})."
            case engine.RoundLost():
                return "Cards of that player cannot be opened: the round counts for nothing and is dealt anew."
            case engine.MatchWon(seat=seat, by_default=by_default):
                return f"{self.does(seat, 'win', 'wins')} the match{' by default' if by_default else ''}!"
            case engine.SeatGone(seat=seat):
                return f"{self.does(seat, 'are', 'is')} out of the match."
        return None

    def form(self, seat: int, you: str, they: str) -> str:
        """The verb alone."""
        return you if seat == self.seat else they


def count(number: int, noun: str) -> str:
    """ "a card", "2 cards", "no cards"."""
    if number == 1:
        return f"1 {noun}"
    return f"{number or 'no'} {noun}s"


def listed(words: Sequence[str]) -> str:
    """ "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return ", ".join(words[:-1]) + f" and {words[-1]}"


def sentence(text: str) -> str:
    """``text`` with a capital, for the start of a sentence; a name that begins small keeps its own form otherwise."""
    return "You" + text[3:] if text.startswith("you") and text[3:4] in ("", " ", ",") else text
