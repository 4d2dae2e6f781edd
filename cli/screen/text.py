"""Lines of styled text on a grid of terminal cells, and the few ways to put them together.

A line is a tuple of spans. A span names its style by a word (`look.py` turns words into colours) and may name what a
mouse click on it means. Widths are cells of the terminal: a wide character of somebody's name counts two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from prompt_toolkit.utils import get_cwidth


class Span(NamedTuple):
    """Text in one style; ``target`` is what a click on it means."""

    style: str
    text: str
    target: str = ""


Line = tuple[Span, ...]
EMPTY: Line = ()


def line(*parts: Span | str) -> Line:
    """A line of spans; a bare string has no style."""
    return tuple(part if isinstance(part, Span) else Span("", part) for part in parts if not _nothing(part))


def _nothing(part: Span | str) -> bool:
    return part == "" if type(part) is str else part[1] == ""


def width(of: Line | str) -> int:
    """Cells that a line or a text takes."""
    if isinstance(of, str):
        return len(of) if of.isascii() else get_cwidth(of)
    return sum(width(span.text) for span in of)


def cut_text(text: str, cells: int, mark: str = "") -> str:
    """At most ``cells`` cells of the text; what is cut ends in ``mark``."""
    if width(text) <= cells:
        return text
    room = max(cells - width(mark), 0)
    kept = ""
    for char in text:
        room -= width(char)
        if room < 0:
            break
        kept += char
    return kept + mark if cells >= width(mark) else kept


def cut(of: Line, start: int, cells: int) -> Line:
    """The part of a line from cell ``start``, exactly so many cells; a blank stands for half a wide character."""
    spans: list[Span] = []
    at, end = 0, start + cells
    for span in of:
        size = width(span.text)
        if at + size <= start or at >= end:
            at += size
            continue
        if at >= start and at + size <= end:
            spans.append(span)
            at += size
            continue
        text = ""
        for char in span.text:
            wide = width(char)
            if at >= start and at + wide <= end:
                text += char
            elif at < end and at + wide > start:
                text += " " * (min(at + wide, end) - max(at, start))
            at += wide
        spans.append(span._replace(text=text))
    missing = end - max(at, start)
    if missing > 0:
        spans.append(Span("", " " * missing))
    return tuple(spans)


def fit(of: Line, cells: int) -> Line:
    """The line cut or filled to exactly ``cells`` cells."""
    return cut(of, 0, cells) if width(of) != cells else of


def fill(lines: Sequence[Line], height: int, cells: int) -> list[Line]:
    """Exactly ``height`` lines of ``cells`` cells: cut, or filled with blank ones."""
    kept = [fit(each, cells) for each in lines[:height]]
    return kept + [fit(EMPTY, cells)] * (height - len(kept))


def beside(*blocks: Sequence[Line]) -> list[Line]:
    """Blocks of equal height next to each other."""
    return [tuple(span for part in row for span in part) for row in zip(*blocks, strict=True)]


def spread(left: Line, right: Line, cells: int) -> Line:
    """One part at the left edge, one at the right; the left one gives way."""
    room = cells - width(right)
    return fit((*fit(left, max(room, 0)), *right), cells)


def centred(of: Line, cells: int) -> Line:
    """The line in the middle of so many cells."""
    room = max(cells - width(of), 0)
    return fit((Span("", " " * (room // 2)), *of), cells)


def wrapped(text: str, cells: int, indent: str = "") -> list[str]:
    """The text in lines of at most ``cells`` cells, broken at blanks; further lines are indented."""
    lines: list[str] = []
    current = ""
    for word in text.split():
        while True:
            lead = current + " " if current.strip() else current
            if width(lead + word) <= cells:
                current = lead + word
                break
            if current.strip():
                lines.append(current)
                current = indent
                continue
            head = cut_text(word, max(cells - width(current), 1))
            lines.append(current + head)
            current, word = indent, word[len(head) :]
            if not word:
                break
    if current.strip() or not lines:
        lines.append(current if current.strip() else "")
    return lines


def paragraphs(texts: Iterable[str], cells: int, style: str = "", indent: str = "") -> list[Line]:
    """Texts, each wrapped."""
    return [line(Span(style, row)) for text in texts for row in wrapped(text, cells, indent)]


def over(base: Sequence[Line], box: Sequence[Line], top: int, left: int) -> list[Line]:
    """``box`` laid over ``base`` at this cell; all lines of the box are equally wide."""
    laid = list(base)
    for place, row in enumerate(box, top):
        if 0 <= place < len(laid):
            under, wide = laid[place], width(row)
            laid[place] = (*cut(under, 0, left), *row, *cut(under, left + wide, max(width(under) - left - wide, 0)))
    return laid


def plain(lines: Iterable[Line]) -> str:
    """The text alone, as golden files keep it."""
    return "\n".join("".join(span.text for span in each).rstrip() for each in lines) + "\n"
