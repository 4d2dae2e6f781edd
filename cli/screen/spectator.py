"""The table for somebody who sits nowhere: a spectator of a live match, or a reader of its transcript afterwards.

The same picture as a player's, but for three places: where a player's hand would lie stand the hand of the seat whose
eyes are lent, as far as its cards were shown, or what was verified so far; the status line asks nothing; the lowest
lines offer no decision. `Onlooker` takes the events of the public machine, and `Glance.of(match, None, {})` after them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..words import count
from . import panels
from .boxes import Box, Close, Reading, ruled
from .commands import Command
from .hand import HandLook, hand_rows
from .look import Look
from .model import Happening, Model
from .table import Front, Paint
from .text import Line, Span, fill, line, wrapped

ALWAYS = (
    Command("?", "help"),
    Command("q", "quit"),
    Command("v", "trust"),
    Command("g", "scores"),
    Command("l", "log"),
    Command("m", "chat"),
)
HELP = (
    "You look on: you see what everybody at the table sees, and no hidden card. This program checks every signature, "
    "proof and move by itself, as each player's does.",
)
HELP_KEYS = (
    ("v g l m", "trust: what was proven; scores; the whole log; all chat"),
    ("q", "quit; the match goes on without you"),
    ("Ctrl-L", "draw the screen anew; Ctrl-Z suspends"),
)


@dataclass(frozen=True, slots=True)
class Below:
    """What stands under the table. Empty places are filled as a spectator needs them."""

    heading: str = ""
    right: str = ""
    notes: tuple[str, ...] = ()
    status: tuple[str, str] | None = None
    status_right: str = ""
    commands: tuple[Command, ...] = ()


class OnlookerPaint(Paint):
    """One frame for somebody without a seat."""

    below = Below()

    def hand_heading(self) -> Line:
        view, words = self.model.view, self.model.words
        heading, right = self.below.heading, self.below.right
        if view is not None and view.seat is not None and words is not None:
            hidden = sum(card is None for _, card in view.hand)
            heading = f"{words.names[view.seat]}'s hand: {count(len(view.hand), 'card')}"
            room = f" {self.glyphs.dot} "
            right = room.join(filter(None, (f"{hidden} face down" if hidden else "", right)))
        return ruled(heading or "What was verified", self.glyphs, self.columns, right)

    def hand(self, height: int) -> list[Line]:
        view = self.model.view
        if view is None or view.seat is None:
            notes = self.below.notes or verified(self.model)
            rows = [line(" ", row) for note in notes for row in wrapped(note, self.columns - 2)]
            return fill(rows, max(height, 1), self.columns)
        shown = sorted(((handle, card) for handle, card in view.hand if card is not None), key=lambda item: item[1])
        rows = hand_rows(shown, HandLook(), self.edition, self.glyphs, self.columns, max(height - 1, 1))
        hidden = len(view.hand) - len(shown)
        if hidden:
            rows.append(line(" ", Span("dim", " ".join([self.glyphs.back] * hidden))))
        return rows or [line(" ", Span("dim", "no card"))]

    def chat(self, cells: int, room: int) -> list[Line]:
        return super().chat(cells, room) if self.model.chat else [line(Span("dim", " Nothing was said yet."))][:room]

    def saying(self) -> tuple[str, str, tuple[str, str]]:
        text, style, right = super().saying()
        if self.below.status is not None and not self.front.hint:
            text, style = self.below.status
        return text, style, (self.below.status_right, "note") if self.below.status_right else right

    def footer(self, height: int) -> list[Line]:
        box = self.front.box
        commands = list(self.below.commands) if box is None else box.keys()
        always = [] if box is not None else list(ALWAYS)
        return self.keys([commands, always] if commands else [always], height)


def verified(model: Model) -> tuple[str, ...]:
    """What this program has checked so far, in a sentence; keys are counted by the messages that brought them."""
    totals = {what: sum(n for (kind, _), n in model.proofs.items() if kind == what) for what in ("shuffle", "lock")}
    shown = sum(n for (kind, _), n in model.proofs.items() if kind == "card")
    keys = sum(n for (kind, _), n in model.proofs.items() if kind == "keys")
    told = (
        f"{count(totals['shuffle'], 'shuffle')} and {count(totals['lock'], 'lock')} proven, {count(keys, 'set')} of "
        f"keys checked, {count(shown, 'card')} played and opened to the deck."
    )
    return (told[:1].upper() + told[1:], "Nobody but its owner can see a card of a hand.")


class Onlooker:
    """The machine behind the screen of somebody without a seat: happenings and keys in, a picture out.

    ``wanted`` collects what the program around it is to do: "quit", or "signal" when the system wants it to end.
    """

    help: tuple[str, ...] = HELP
    help_keys: tuple[tuple[str, str], ...] = HELP_KEYS

    def __init__(self) -> None:
        self.model = Model()
        self.bells = 0
        self.wanted: list[str] = []
        self._front = Front()

    def take(self, event: Happening, now: float) -> None:
        """One thing that happened at the table, or a line of the program."""
        self.model.take(event, now)

    def tick(self, now: float) -> None:
        """Time passes."""

    def hurries(self) -> bool:
        return False

    def scrolls(self) -> bool:
        """Whether the mouse wheel has something to scroll."""
        return isinstance(self._front.box, Reading)

    def press(self, key: str, now: float) -> None:
        """One key: a character, or a name such as "enter", "escape", "left", "f1", "c-c"."""
        box = self._front.box
        if key in ("c-c", "signal"):
            self.wanted.append("quit" if key == "c-c" else key)
        elif box is not None:
            if isinstance(box.press(key), Close):
                self._front = replace(self._front, box=None)
        elif not self.own_key(key, now):
            self._any_key(key)

    def own_key(self, key: str, now: float) -> bool:
        """A key that means something here only; whether it did."""
        return False

    def _any_key(self, key: str) -> None:
        match key:
            case "?" | "f1":
                self.open(Reading("Help", panels.help_text(self.help, self.help_keys), own_key="?"))
            case "v" | "f2":
                self.open(Reading("Trust", panels.trust(self.model), own_key="v"))
            case "g":
                self.open(Reading("Scores", panels.scores(self.model), own_key="g"))
            case "l":
                self.open(Reading("Log", panels.log(self.model), own_key="l", at=10_000))
            case "m":
                self.open(Reading("Chat", panels.chat(self.model), own_key="m", at=10_000))
            case "q":
                self.wanted.append("quit")

    def open(self, box: Box) -> None:
        """Lay a box over the table."""
        self._front = replace(self._front, box=box)

    def paste(self, text: str) -> None:
        """There is no line to type."""

    def click(self, target: str, now: float) -> None:
        """A mouse click on something that names a target."""
        word, _, rest = target.partition(" ")
        if word == "key":
            self.press(rest, now)

    def below(self, now: float) -> Below:
        """What stands under the table now."""
        return Below()

    def render(self, columns: int, rows: int, look: Look, now: float) -> list[Line]:
        """The picture now."""
        paint = OnlookerPaint(self.model, self._front, columns, look, now)
        paint.below = self.below(now)
        return paint.frame(rows)
