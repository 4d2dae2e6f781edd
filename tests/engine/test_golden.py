"""Playthroughs in text, with every seat's view at each step.

`python tests/engine/test_golden.py` writes them anew; read the difference before you commit it.
"""

from __future__ import annotations

import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import pytest
from nodealer.engine import (
    Card,
    Edition,
    Handle,
    NeedActions,
    NeedEpoch,
    NeedFace,
    NeedKeys,
    Options,
    SeatAction,
    View,
    digest,
    view,
)

from tests.helpers.open_table import OpenTable, eager

FOLDER = Path(__file__).parent / "golden"

# Seeds that show as much as possible in one short round; `python tests/engine/test_golden.py search` finds such.
GAMES = {
    "four-colors": (Options("four-colors", 3, 250), 627),
    "four-colors-stacking": (Options("four-colors", 2, 250, True), 1697),
    "despicable-me-4": (Options("despicable-me-4", 3, 0), 2525),
    "lilo-stitch": (Options("lilo-stitch", 3, 0), 342),
}


def playthrough(options: Options, seed: int) -> list[str]:
    """One round, from the shuffle to everybody's agreement, as lines of text."""
    table = OpenTable(options, seed)
    lines = [f"{options}", ""]
    number = table.state.round
    step = 0
    while table.state.round == number and not (table.ended() and not isinstance(table.state.pending, NeedActions)):
        action, events = table.step(eager)
        step += 1
        lines.append(f"{step} {_text(table, action)}")
        lines += [f"  ! {_text(table, event)}" for event in events]
        lines += _views(table)
    return [*lines, f"digest {digest(table.state).hex()}"]


def _views(table: OpenTable) -> list[str]:
    """The public part once, checked to be the same for all, and each hand."""
    public = view(table.state, None, {})
    lines = [f"  = {_public(table, public)}"]
    for seat in table.state.seats_in:
        own = view(table.state, seat, table.known(seat))
        if replace(own, seat=None, hand=()) != public:
            raise AssertionError("the views differ in public things")
        hand = ", ".join(_card(table.state.rules, card) for _, card in own.hand)
        lines.append(f"  {seat}: {hand}")
    return lines


def _public(table: OpenTable, seen: View) -> str:
    rules = table.state.rules
    colour = "-" if seen.colour is None else rules.colours[seen.colour]
    parts = [
        "/".join(f"{count}{'!' if called else ''}" for count, called in zip(seen.counts, seen.uno, strict=True)),
        f"{_card(rules, seen.top)} ({colour})",
        "left" if seen.direction == 1 else "right",
        f"turn {seen.turn}",
        f"draw {seen.draw_count}",
        f"discard {len(seen.discard)}",
    ]
    if seen.stack:
        parts.append(f"stack {seen.stack}")
    if any(seen.scores):
        parts.append("scores " + "/".join(map(str, seen.scores)))
    match seen.pending:
        case NeedActions(kind):
            parts.append(f"{kind} of {', '.join(map(str, seen.owing))}")
        case NeedEpoch(cards):
            parts.append(f"shuffle of {len(cards)}")
        case NeedKeys(deals):
            parts.append("keys for " + ", ".join(f"{seat}: {len(handles)}" for seat, handles in deals))
        case NeedFace():
            parts.append("first card")
        case _:
            parts.append("over")
    return " | ".join(parts)


def _card(rules: Edition, card: int | None) -> str:
    return "-" if card is None else rules.cards[card].label(rules)


def _text(table: OpenTable, value: Any) -> str:
    """An action or event: its name, then its fields, cards in words and handles as epoch.index."""
    rules = table.state.rules
    if isinstance(value, SeatAction):
        return f"seat {value.seat}: {_text(table, value.action)}"
    words = [type(value).__name__]
    for field in fields(value):
        content = getattr(value, field.name)
        if field.name in ("card", "cards", "hands") and not (field.name == "cards" and isinstance(content, int)):
            words.append(_cards(rules, content))
        elif field.name == "colour" and content is not None:
            words.append(rules.colours[content])
        elif content is not None and content is not False:
            words.append(_handles(content) if field.name.startswith("handle") else f"{field.name}={content}")
    return " ".join(words)


def _cards(rules: Edition, content: Any) -> str:
    if isinstance(content, int):
        card: Card = rules.cards[content]
        return card.label(rules)
    if isinstance(content, tuple) and len(content) == 2 and isinstance(content[0], Handle):
        return f"{_handles(content[0])}={_cards(rules, content[1])}"
    return "[" + ", ".join(_cards(rules, part) for part in content) + "]"


def _handles(content: Any) -> str:
    if isinstance(content, Handle):
        return f"{content.epoch}.{content.index}"
    return "[" + " ".join(_handles(part) for part in content) + "]"


@pytest.mark.parametrize("name", sorted(GAMES))
def test_golden(name: str) -> None:
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    assert playthrough(*GAMES[name]) == lines
    assert len(lines) <= 320


def write() -> None:
    for name, game in GAMES.items():
        (FOLDER / f"{name}.txt").write_text("\n".join(playthrough(*game)) + "\n", encoding="utf-8")


def search(limit: int = 300) -> None:
    """Print for each game the seed whose round of at most `limit` lines has the most kinds of events."""
    for name, (options, _) in GAMES.items():
        best: tuple[int, int, int] = (0, 0, 0)
        for seed in range(3000):
            table = OpenTable(options, seed, checked=False)
            table.play_round(eager)
            table.agree(eager)
            if table.counts["actions"] * (2 + len(table.state.hands)) < limit * 1.1:
                lines = len(playthrough(options, seed))
                if lines <= limit:
                    best = max(best, (len(table.counts), lines, seed))
        print(name, best)


if __name__ == "__main__":
    search() if sys.argv[1:] == ["search"] else write()
