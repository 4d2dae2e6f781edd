"""What stands over the table for a while: dialogs that a person opens, and the questions that open by themselves.

A box is a title, lines, and the keys that it takes. It never sees the network: it answers a key with what to do next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from nodealer import engine
from nodealer.engine import Action, Edition, Handle

from .commands import Command
from .faces import colour_name, letter, several
from .hand import HandLook, hand_rows
from .look import Glyphs
from .text import Line, Span, fit, line, width, wrapped

LINE_KEYS = {"up": -1, "down": 1, "pageup": -8, "pagedown": 8, "home": -10_000, "end": 10_000, " ": 8, "updown": 8}


@dataclass(frozen=True, slots=True)
class Close:
    """The box is done with."""


@dataclass(frozen=True, slots=True)
class Decide:
    """The box is done with, and this is the decision."""

    action: Action


@dataclass(frozen=True, slots=True)
class Do:
    """The box is done with, and the program is to do this."""

    what: str


Reply = Close | Decide | Do | None


class Box(Protocol):
    """``answers`` is true for a box that answers an open decision: it goes when the decision is over."""

    title: str
    answers: bool

    def lines(self, glyphs: Glyphs, cells: int, height: int) -> list[Line]:
        """What stands inside, in at most this many cells and lines."""

    def keys(self) -> list[Command]: ...

    def press(self, key: str) -> Reply:
        """Take a key; None leaves the box open."""

    def click(self, target: str) -> Reply: ...


@dataclass(slots=True)
class Reading:
    """Lines to be read, scrolled where they do not fit. ``write`` makes them for a width, anew for every frame."""

    title: str
    write: Callable[[Glyphs, int], list[Line]]
    own_key: str = ""
    at: int = 0
    answers: bool = False
    _below: int = 0

    def lines(self, glyphs: Glyphs, cells: int, height: int) -> list[Line]:
        written = self.write(glyphs, cells)
        self._below = max(len(written) - height, 0)
        at = min(self.at, self._below)  # the picture may ask for more than one height: where one reads stays
        shown = written[at : at + height]
        if at < self._below and shown:
            more = line(Span("dim", f"{glyphs.low} {self._below - at + 1} more lines"))
            shown[-1] = more
        return shown

    def keys(self) -> list[Command]:
        return [*self._moves(), Command("esc", "close")]

    def _moves(self) -> list[Command]:
        return [Command("updown", "scroll")] if self._below else []

    def _scroll(self, key: str) -> None:
        self.at = max(0, min(min(self.at, self._below) + LINE_KEYS.get(key, 0), self._below))

    def press(self, key: str) -> Reply:
        if key in ("escape", "enter", "q", self.own_key):
            return Close()
        self._scroll(key)
        return None

    def click(self, target: str) -> Reply:
        return None


@dataclass(slots=True)
class Ending(Reading):
    """How it ended, and what can be done now. ``kept``: whether there is a transcript to verify and to replay."""

    kept: Callable[[], bool] = lambda: False

    def keys(self) -> list[Command]:
        first = [Command("q", "quit"), Command("n", "play again")]
        kept = [Command("v", "verify"), Command("r", "replay")] if self.kept() else []
        return [*first, *kept, Command("esc", "look at the table"), *self._moves()]

    def press(self, key: str) -> Reply:
        match key:
            case "q":
                return Do("quit")
            case "n":
                return Do("again")
            case "v" if self.kept():
                return Do("verify")
            case "r" if self.kept():
                return Do("replay")
            case "escape":
                return Close()
        self._scroll(key)
        return None


@dataclass(slots=True)
class Sure:
    """A question with a yes and a no, each on its own key; Enter says nothing, so that nobody slips into it."""

    title: str
    text: str
    yes: str
    yes_words: str
    what: str
    no_words: str = "stay"
    answers: bool = False

    def lines(self, glyphs: Glyphs, cells: int, height: int) -> list[Line]:
        return [line(row) for row in wrapped(self.text, cells)]

    def keys(self) -> list[Command]:
        return [Command(self.yes, self.yes_words), Command("n", self.no_words)]

    def press(self, key: str) -> Reply:
        if key == self.yes:
            return Do(self.what)
        return Close() if key in ("n", "escape") else None

    def click(self, target: str) -> Reply:
        return None


@dataclass(slots=True)
class ColourBox:
    """Choose a colour: for a wild to be played (``choices`` are its plays), or for the wild that was turned up."""

    edition: Edition
    choices: Sequence[Action]
    what: str
    may_cancel: bool = True
    at: int | None = None
    title: str = "Which colour?"
    answers: bool = True

    def lines(self, glyphs: Glyphs, cells: int, height: int) -> list[Line]:
        shown = [line(row) for row in wrapped(self.what, cells)]
        if len(shown) + 5 <= height:
            shown.append(())
        for place in range(len(self.choices)):
            colour = self._colour(place)
            mark, style = (("[", "pick"), ("]", "pick")) if place == self.at else ((" ", ""), (" ", ""))
            name = colour_name(self.edition, glyphs, colour)
            key = letter(self.edition, colour).lower()
            shown.append(
                line(
                    Span("", "  "),
                    Span(mark[1], mark[0], f"pick {place}"),
                    Span("key", f" {key} ", f"pick {place}"),
                    name._replace(target=f"pick {place}"),
                    Span(style[1], " " + style[0], f"pick {place}"),
                )
            )
        return shown

    def _colour(self, place: int) -> int:
        match self.choices[place]:
            case engine.PlayCard(colour=int() as colour) | engine.NameColour(colour=colour):
                return colour
        return 0

    def keys(self) -> list[Command]:
        letters = "".join(letter(self.edition, self._colour(place)).lower() for place in range(len(self.choices)))
        found = [Command(" ".join(letters), "choose the colour")]
        if self.at is not None:
            found.append(Command("enter", "take it"))
        return [*found, Command("esc", "back")] if self.may_cancel else found

    def press(self, key: str) -> Reply:
        count = len(self.choices)
        match key:
            case "escape" if self.may_cancel:
                return Close()
            case "up" | "left":
                self.at = count - 1 if self.at is None else (self.at - 1) % count
            case "down" | "right" | "tab":
                self.at = 0 if self.at is None else (self.at + 1) % count
            case "enter" if self.at is not None:
                return Decide(self.choices[self.at])
            case _:
                for place in range(count):
                    if key.casefold() == letter(self.edition, self._colour(place)).lower():
                        return Decide(self.choices[place])
        return None

    def click(self, target: str) -> Reply:
        word, _, place = target.partition(" ")
        return Decide(self.choices[int(place)]) if word == "pick" else None


@dataclass(slots=True)
class DiscardBox:
    """Ohana: mark exactly as many cards as must go."""

    edition: Edition
    cards: Sequence[tuple[Handle, int]]
    need: int
    suggestion: engine.Discard
    at: int = 0
    marked: set[Handle] = field(default_factory=set)
    title: str = "Ohana: keep four cards"
    answers: bool = True

    def lines(self, glyphs: Glyphs, cells: int, height: int) -> list[Line]:
        left = self.need - len(self.marked)
        state = f"Mark {left} more." if left > 0 else "Enter discards them." if left == 0 else f"{-left} too many."
        look = HandLook(marked=self.marked, chosen=self.cards[self.at][0])
        head = wrapped(f"Mark the {self.need} cards that go under the Ohana card (x). {state}", cells)
        rows = hand_rows(self.cards, look, self.edition, glyphs, cells, max(height - len(head) - 1, 1))
        return [*(line(row) for row in head), (), *rows][: max(height, 1)]

    def keys(self) -> list[Command]:
        found = [Command("arrows", "move"), Command("space", "mark"), Command("s", "suggest")]
        return [*found, Command("enter", "discard")] if len(self.marked) == self.need else found

    def press(self, key: str) -> Reply:
        match key:
            case "left" | "up":
                self.at = (self.at - 1) % len(self.cards)
            case "right" | "down" | "tab":
                self.at = (self.at + 1) % len(self.cards)
            case "home":
                self.at = 0
            case "end":
                self.at = len(self.cards) - 1
            case " " | "x":
                self.marked ^= {self.cards[self.at][0]}
            case "s":
                self.marked = {handle for handle, _ in self.suggestion.cards}
            case "enter" if len(self.marked) == self.need:
                return Decide(engine.Discard(tuple(sorted(item for item in self.cards if item[0] in self.marked))))
        return None

    def click(self, target: str) -> Reply:
        for place, (handle, _) in enumerate(self.cards):
            if target == f"card {handle.epoch} {handle.index}":
                self.at = place
                self.marked ^= {handle}
        return None


@dataclass(slots=True)
class Opened:
    """The hand that one's own challenge has opened, to oneself alone."""

    edition: Edition
    who: str
    cards: Sequence[int]
    colour: int | None
    guilty: bool | None
    title: str = "The hand you challenged"
    answers: bool = False

    def lines(self, glyphs: Glyphs, cells: int, height: int) -> list[Line]:
        told = f"{self.who} held these cards when the wild draw four was played. Nobody but you sees them."
        shown = [line(row) for row in wrapped(told, cells)]
        row: Line = ()
        for card in sorted(self.cards):
            face = several(self.edition, glyphs, [card])
            if row and width(row) + width(face) + 2 > cells:
                shown.append(row)
                row = ()
            row = (*row, Span("", "  "), *face)
        shown.append(row)
        if self.colour is not None:
            shown.append(line("The colour was ", colour_name(self.edition, glyphs, self.colour), "."))
        if self.guilty is not None:
            style, words = ("good", "It was a bluff.") if self.guilty else ("warn", "It was played rightly.")
            shown.append(line(Span(style, words)))
        return shown[:height]

    def keys(self) -> list[Command]:
        return [Command("esc", "close")]

    def press(self, key: str) -> Reply:
        return Close() if key in ("escape", "enter", "q") else None

    def click(self, target: str) -> Reply:
        return None


def framed(title: str, inside: Sequence[Line], glyphs: Glyphs, cells: int) -> list[Line]:
    """A box of exactly ``cells`` cells with a title in its frame."""
    nw, ne, sw, se = tuple(glyphs.corners)
    room = cells - 4
    head = f" {title} "
    rule = glyphs.across * max(cells - 3 - width(head), 0)
    top = fit(line(Span("frame", nw + glyphs.across), Span("frame.title", head), Span("frame", rule + ne)), cells)
    bottom = line(Span("frame", sw + glyphs.across * (cells - 2) + se))
    side = Span("frame", glyphs.down)
    return [top, *(line(side, " ", *fit(row, room), " ", side) for row in inside), bottom]


def ruled(title: str, glyphs: Glyphs, cells: int, right: str = "") -> Line:
    """A heading in a horizontal rule."""
    start = line(Span("rule", glyphs.across), Span("head", f" {title} "))
    end = line(Span("note", f" {right} "), Span("rule", glyphs.across)) if right else ()
    rule = line(Span("rule", glyphs.across * max(cells - width(start) - width(end), 0)))
    return fit((*start, *rule, *end), cells)
