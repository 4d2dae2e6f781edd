"""Which key decides what. One table gives both the footer and the keys their meaning, so they cannot differ.

No two decisions share a key, but for `u`, which always says UNO: a key pressed twice, or just after the table has
changed, never decides something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nodealer import engine
from nodealer.engine import Action, Handle, Kind

from .model import Model

# Every action that a person decides, by its key. A card is played, and a colour or a discard confirmed, with Enter.
KEYS: dict[type[object], str] = {
    engine.PlayCard: "enter",
    engine.Draw: "d",
    engine.Pass: "p",
    engine.Keep: "k",
    engine.Take: "t",
    engine.NameColour: "enter",
    engine.Accept: "a",
    engine.Challenge: "c",
    engine.Called: "u",
    engine.Caught: "x",
    engine.Discard: "enter",
}
WORDS: dict[type[object], str] = {
    engine.Draw: "draw",
    engine.Pass: "pass",
    engine.Keep: "keep it",
    engine.Take: "take the stack",
    engine.Accept: "accept, draw 4",
    engine.Challenge: "challenge",
    engine.Called: "say UNO now",
    engine.Caught: "catch",
}
SAY_UNO = "u"
ANYWHERE = "f5"
"""Calls or catches in an UNO window whatever else is open, also while one is typing."""


@dataclass(frozen=True, slots=True)
class Command:
    """A key that is legal now. ``action`` is what it decides; None: it opens something or moves about."""

    key: str
    words: str
    action: Action | None = None


def decisions(model: Model, cursor: Handle | None) -> list[Command]:
    """What a person can decide now with one key, the chosen card being the one at ``cursor``."""
    ask = model.ask
    if ask is None and model.ended is not None:
        return [Command("e", "how it ended, play again")]
    if ask is None:
        return [Command("s", "start with who is here")] if model.may_start else []
    found: list[Command] = []
    plays = model.plays().get(cursor, []) if cursor is not None else []
    if plays:
        words = model.words
        face = "" if words is None else words.card(plays[0].card)
        found.append(Command("enter", f"play {face}", plays[0]))
        if len(ask.view.hand) == 2:
            found.append(Command(SAY_UNO, "play it and say UNO", plays[0]))
    match ask.kind:
        case Kind.COLOUR:
            found.append(Command("enter", "name the colour"))
        case Kind.CHOOSE:
            found.append(Command("enter", "choose what to discard"))
        case Kind.WINDOW:
            action: Action = engine.Called() if ask.mine else engine.Caught()
            key = KEYS[type(action)]
            found.append(Command(key, WORDS[type(action)], action))
        case _:
            found += [
                Command(KEYS[type(action)], WORDS[type(action)], action)
                for action in ask.legal
                if type(action) in WORDS
            ]
    return found


def steering(model: Model, cursor: Handle | None) -> list[Command]:
    """What moves about in the hand now, the chosen card being the one at ``cursor``."""
    cards = len(model.hand)
    if cards < 2:
        return []
    found = [Command("arrows", "choose")]
    plays = model.plays()
    if len(plays) > 1 or (plays and cursor not in plays):
        found.append(Command("tab", "next playable"))
    return found


def always(model: Model) -> list[Command]:
    """What can be opened at any time."""
    if model.made is None:
        return [Command("?", "help"), Command("q", "leave"), Command("l", "log")]
    found = [
        Command("?", "help"),
        Command("q", "leave"),
        Command("/", "chat"),
        Command("v", "trust"),
        Command("g", "scores"),
        Command("l", "log"),
    ]
    if model.ask is not None and model.ask.kind is not Kind.WINDOW:
        found.append(Command("o", "program answers"))
    return found


def by_key(commands: Sequence[Command], key: str) -> Command | None:
    """The command on this key."""
    return next((command for command in commands if command.key == key), None)
