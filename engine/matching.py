"""Which card goes on which (T1, §7)."""

from __future__ import annotations

from .editions import Card, CardKind


def matches(card: Card, top: Card, colour: int | None) -> bool:
    """May `card` be played on `top` while `colour` is active? A wild on top has no number or symbol (T1)."""
    if card.wild or card.colour == colour:
        return True
    if card.kind is not top.kind:
        return False
    return card.kind is not CardKind.NUMBER or card.number == top.number


def answers(card: Card, top: Card) -> bool:
    """Does `card` answer the stack that `top` has raised? Same kind, any colour, never mixed (§7)."""
    return card.kind is top.kind
