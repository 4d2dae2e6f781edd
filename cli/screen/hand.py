"""One's own hand: a row for each colour, the playable cards marked, the chosen one between brackets."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from nodealer.engine import Card, Edition, Handle

from .faces import letter, sign, style_of, symbol
from .look import Glyphs
from .text import EMPTY, Line, Span, line, width

LABEL = 11


@dataclass(frozen=True, slots=True)
class HandLook:
    """What is special about some cards: playable now, just drawn, marked (to be discarded), and the chosen one.

    ``asked``: a card is wanted now, so that what cannot be played steps back.
    """

    playable: Collection[Handle] = ()
    fresh: Collection[Handle] = ()
    marked: Collection[Handle] = ()
    chosen: Handle | None = None
    asked: bool = False


def hand_rows(
    cards: Sequence[tuple[Handle, int]], look: HandLook, edition: Edition, glyphs: Glyphs, cells: int, height: int
) -> list[Line]:
    """The hand in at most ``height`` lines: by colour where that fits, else one card after the other, else the part
    around the chosen card."""
    if not cards:
        return []
    rows = _grouped(cards, look, edition, glyphs, cells)
    if len(rows) > height:
        rows = _flowing(cards, look, edition, glyphs, cells)
    if len(rows) > height:
        at = next((place for place, row in enumerate(rows) if _holds(row, look.chosen)), 0)
        start = max(0, min(at - height // 2, len(rows) - height))
        rows = rows[start : start + height]
    return rows


def _holds(row: Line, handle: Handle | None) -> bool:
    return handle is not None and any(span.target == target(handle) for span in row)


def target(handle: Handle) -> str:
    """What a click on this card means."""
    return f"card {handle.epoch} {handle.index}"


def _cell(handle: Handle, card: Card, face: str, look: HandLook, glyphs: Glyphs) -> Line:
    """ "[•7]" chosen and playable, " 7" neither."""
    chosen, playable = handle == look.chosen, handle in look.playable
    mark = "x" if handle in look.marked else glyphs.playable if playable else "*" if handle in look.fresh else " "
    style = style_of(card)
    if look.asked and not playable and handle not in look.marked:
        style = "dim"
    aim = target(handle)
    if chosen:
        return line(Span("pick", "[", aim), Span(f"{style} pick", f"{mark}{face}", aim), Span("pick", "]", aim))
    weight = f"{style} playable" if playable or handle in look.marked else style
    return line(Span(weight, f" {mark}{face} ", aim))


def _grouped(
    cards: Sequence[tuple[Handle, int]], look: HandLook, edition: Edition, glyphs: Glyphs, cells: int
) -> list[Line]:
    rows: list[Line] = []
    groups: dict[int | None, list[tuple[Handle, Card]]] = {}
    for handle, number in cards:
        card = edition.cards[number]
        groups.setdefault(card.colour, []).append((handle, card))
    wide = cells >= 60
    for colour, members in groups.items():
        if colour is None:
            label = f" {glyphs.wild} wild" if wide else f" {glyphs.wild} "
        else:
            mark = glyphs.shapes[colour]
            label = f" {mark} {edition.colours[colour]}" if wide else f" {mark}{letter(edition, colour)}"
        style = "kw" if colour is None else f"k{colour}"
        room = LABEL if wide else 4
        row: Line = line(Span(style, label.ljust(room)))
        for handle, card in members:
            cell = _cell(handle, card, symbol(card), look, glyphs)
            if width(row) + width(cell) > cells:
                rows.append(row)
                row = line(" " * room)
            row += cell
        rows.append(row)
    return rows


def _flowing(
    cards: Sequence[tuple[Handle, int]], look: HandLook, edition: Edition, glyphs: Glyphs, cells: int
) -> list[Line]:
    rows: list[Line] = []
    row: Line = EMPTY
    for handle, number in cards:
        card = edition.cards[number]
        cell = _cell(handle, card, sign(edition, glyphs, card.colour) + symbol(card), look, glyphs)
        if row and width(row) + width(cell) > cells:
            rows.append(row)
            row = EMPTY
        row += cell
    return [*rows, row]
