"""Cards and colours as spans: a shape, a letter and a colour for each colour of the game, short words for symbols."""

from __future__ import annotations

from collections.abc import Sequence

from nodealer.engine import Card, CardKind, Edition

from .look import Glyphs
from .text import Line, Span, line

# The short face of a symbol; numbers are their digit.
SYMBOLS = {
    CardKind.DRAW_TWO: "+2",
    CardKind.REVERSE: "Rev",
    CardKind.SKIP: "Skip",
    CardKind.WILD: "Wild",
    CardKind.WILD_DRAW_FOUR: "+4",
    CardKind.MINIONS: "Minions",
    CardKind.OHANA: "Ohana",
}


def style_of(card: Card) -> str:
    """The style word of a card's colour."""
    return "kw" if card.colour is None else f"k{card.colour}"


def symbol(card: Card) -> str:
    """ "7", "+2", "Wild"."""
    return str(card.number) if card.number is not None else SYMBOLS[card.kind]


def letter(edition: Edition, colour: int) -> str:
    """The letter of a colour; the colours of an edition begin with different letters."""
    return edition.colours[colour][0].upper()


def sign(edition: Edition, glyphs: Glyphs, colour: int | None) -> str:
    """Shape and letter: "●R"; for wilds the star alone."""
    return glyphs.wild if colour is None else glyphs.shapes[colour] + letter(edition, colour)


def short(edition: Edition, glyphs: Glyphs, card: Card) -> Span:
    """A card in a few cells: "●R7", "★+4"."""
    return Span(style_of(card), sign(edition, glyphs, card.colour) + symbol(card))


def several(edition: Edition, glyphs: Glyphs, cards: Sequence[int]) -> Line:
    """Cards in a person's order, blanks between them."""
    spans: list[Span] = []
    for card in sorted(cards):
        spans += [short(edition, glyphs, edition.cards[card]), Span("", " ")]
    return tuple(spans[:-1])


def colour_name(edition: Edition, glyphs: Glyphs, colour: int) -> Span:
    """A colour to be read from afar: "▲ YELLOW"."""
    return Span(f"k{colour}", f"{glyphs.shapes[colour]} {edition.colours[colour].upper()}")


def picture(edition: Edition, glyphs: Glyphs, card: Card | None, colour: int | None) -> list[Line]:
    """The top card as five lines of eleven cells; its frame has the active colour."""
    frame = "kw" if colour is None else f"k{colour}"
    nw, ne, sw, se = tuple(glyphs.corners)
    top = line(Span(frame, nw + glyphs.across * 9 + ne))
    bottom = line(Span(frame, sw + glyphs.across * 9 + se))
    if card is None:
        inside = [("", " " * 9)] * 3
    else:
        style, mark, word = style_of(card), sign(edition, glyphs, card.colour), symbol(card)
        inside = [(style, f" {mark:<8}"), (style, f"{word:^9}"), (style, f"{mark:>8} ")]
    side = Span(frame, glyphs.down)
    return [top, *(line(side, Span(style, text), side) for style, text in inside), bottom]
