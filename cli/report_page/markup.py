"""HTML that cannot be broken by what it tells: only ``Html`` is markup, every other text is cleaned and escaped.

Names in sentences are written as marks (one private-use character a seat, which no name and no chat can hold) and
become isolated elements here, so that a name written from right to left does not turn the sentence around it.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

from nodealer.p2p.names import clean_text

FIRST_MARK = 0xE000
VOID = frozenset({"meta", "br", "rect", "line", "path", "circle", "polyline"})


class Html(str):
    """Markup, made here alone."""

    __slots__ = ()


def mark(seat: int) -> str:
    """The character that stands for a seat's name in a sentence."""
    return chr(FIRST_MARK + seat)


def text(words: str) -> Html:
    """Words from anywhere, without control and direction characters, escaped."""
    return Html(html.escape(clean_text(words)))


def join(children: Sequence[str], between: str = "") -> Html:
    """Children one after the other; what is not markup is escaped."""
    return Html(between.join(child if isinstance(child, Html) else text(child) for child in children))


def tag(name: str, /, *children: str, **attributes: object) -> Html:
    """An element. ``class_`` is class, ``_`` in a name is ``-``, True an attribute without a value, None none."""
    parts = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        key = key.rstrip("_").replace("_", "-")
        parts.append(key if value is True else f'{key}="{text(str(value))}"')
    opening = f"<{' '.join(parts)}>"
    if name in VOID and not children:
        return Html(opening if name in ("meta", "br") else opening[:-1] + "/>")
    return Html(f"{opening}{join(children)}</{name}>")


def prose(sentence: str, names: Sequence[str]) -> Html:
    """A sentence in which marks stand for ``names``."""
    parts: list[str] = []
    run = ""
    for char in sentence:
        seat = ord(char) - FIRST_MARK
        if 0 <= seat < len(names):
            parts += [run, tag("bdi", names[seat])]
            run = ""
        else:
            run += char
    return join([*parts, run])


def number(value: int) -> str:
    """A whole number with thin gaps between thousands."""
    return f"{value:,}".replace(",", "\u202f")


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], class_: str = "") -> Html:
    """A table in a box of its own that scrolls sideways where it is too wide. Cells in ``Html`` "<td" stand as they
    are."""
    # The head of a column of numbers stands over their ends.
    numeric = {at for row in rows[:1] for at, cell in enumerate(row) if cell.startswith('<td class="n"')}
    columns = (tag("th", cell, scope="col", class_="n" if at in numeric else None) for at, cell in enumerate(heads))
    head = tag("thead", tag("tr", *columns))
    body = tag("tbody", *(tag("tr", *(_cell(cell) for cell in row)) for row in rows))
    return tag("div", tag("table", head, body, class_=class_ or None), class_="scroll", tabindex="0")


def _cell(cell: str) -> Html:
    if isinstance(cell, Html) and cell.startswith(("<td", "<th")):
        return cell
    return tag("td", cell)


def section(anchor: str, title: str, *children: str) -> Html:
    return tag("section", tag("h2", title), *children, id=anchor)
