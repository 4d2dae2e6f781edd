"""The slots: what the table can wait for, who owes it, and which entries answer it. The whole machine is in this table.

A match is a row of slots. Each is opened by the public state alone and takes, from every seat that it owes, that
seat's next slot entry. When the last one has arrived they are judged and applied in seat order and the next slot
opens. So the history is a function of the feeds, whatever order they came in (PROTOCOL.md, "Slots").

    start -> coin -> EPOCH -> keys (the deal) -> turn up ... -> GAME -> open -> round end -> EPOCH ... -> end
    EPOCH:  shuffle (seat after seat) -> lock (seat after seat) -> epoch ok
    GAME:   the engine says what is awaited; `slot_for` translates it. A draw from an empty pile is an EPOCH again.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from nodealer.engine import Kind


class SlotKind(Enum):
    """The slots by the names that PROTOCOL.md gives them."""

    START = "start"
    COIN = "coin"
    SHUFFLE = "shuffle"
    LOCK = "lock"
    EPOCH_OK = "epoch ok"
    KEYS = "keys"
    TURN_UP = "turn up"
    COLOUR = "colour"
    MOVE = "move"
    DRAWN = "drawn"
    DRAW = "draw"
    ANSWER = "answer"
    WINDOW = "window"
    ACCEPT = "accept"
    VERDICT = "verdict"
    SEEN = "seen"
    SHOW = "show"
    COMMIT = "commit"
    REVEAL = "reveal"
    OPEN = "open"
    SHARES = "shares"
    ROUND_END = "round end"
    END = "end"


@dataclass(frozen=True, slots=True)
class Rule:
    """What a slot takes. ``person``: somebody decides; otherwise the program answers at once."""

    takes: frozenset[str]
    person: bool = False


def _rule(*takes: str, person: bool = False) -> Rule:
    return Rule(frozenset(takes), person)


RULES: dict[SlotKind, Rule] = {
    SlotKind.START: _rule("start"),
    SlotKind.COIN: _rule("coin"),
    SlotKind.SHUFFLE: _rule("shuffle"),
    SlotKind.LOCK: _rule("lock"),
    SlotKind.EPOCH_OK: _rule("epoch ok", "escrow complaint"),
    SlotKind.KEYS: _rule("keys"),
    SlotKind.TURN_UP: _rule("turn up"),
    SlotKind.COLOUR: _rule("colour", person=True),
    SlotKind.MOVE: _rule("play", "draw", "pass", person=True),
    SlotKind.DRAWN: _rule("play", "keep", person=True),
    SlotKind.DRAW: _rule("draw"),
    SlotKind.ANSWER: _rule("play", "take", person=True),
    SlotKind.WINDOW: _rule("called", "quiet", "heard", "caught", "silent", person=True),
    SlotKind.ACCEPT: _rule("accept", "challenge", person=True),
    SlotKind.VERDICT: _rule("verdict"),
    SlotKind.SEEN: _rule("seen", "complaint"),
    SlotKind.SHOW: _rule("show"),
    SlotKind.COMMIT: _rule("commit", person=True),
    SlotKind.REVEAL: _rule("reveal"),
    SlotKind.OPEN: _rule("open"),
    SlotKind.SHARES: _rule("shares"),
    SlotKind.ROUND_END: _rule("round end"),
    SlotKind.END: _rule("end"),
}

# The engine names what a seat owes by its own kinds; a sealed choice alone takes two slots, commit and reveal.
_SLOT_OF_KIND: dict[Kind, SlotKind] = {
    Kind.COLOUR: SlotKind.COLOUR,
    Kind.MOVE: SlotKind.MOVE,
    Kind.DRAWN: SlotKind.DRAWN,
    Kind.DRAW: SlotKind.DRAW,
    Kind.ANSWER: SlotKind.ANSWER,
    Kind.WINDOW: SlotKind.WINDOW,
    Kind.ACCEPT: SlotKind.ACCEPT,
    Kind.VERDICT: SlotKind.VERDICT,
    Kind.SEEN: SlotKind.SEEN,
    Kind.SHOW: SlotKind.SHOW,
    Kind.CHOOSE: SlotKind.COMMIT,
    Kind.OPEN: SlotKind.OPEN,
    Kind.ROUND_END: SlotKind.ROUND_END,
    Kind.END: SlotKind.END,
}


def slot_for(kind: Kind) -> SlotKind:
    """The slot in which seats answer what the engine awaits."""
    return _SLOT_OF_KIND[kind]


@dataclass(frozen=True, slots=True)
class Slot:
    """An open slot: its number, the digest of everything before it, and the seats that owe an entry, in seat order."""

    number: int
    digest: bytes
    kind: SlotKind
    owed: tuple[int, ...]

    @property
    def rule(self) -> Rule:
        return RULES[self.kind]
