"""How the screen looks on this terminal: which characters, which colours, and the colours of each edition.

Spans carry style words; here they become colours. Nothing is told by colour alone: a colour of the game is always a
shape and a letter too, so without colours (``NO_COLOR``) or with ASCII alone everything can still be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from nodealer.engine import EDITIONS
from prompt_toolkit.output import ColorDepth


class Depth(IntEnum):
    """Colours that the terminal has; the values are bits."""

    NONE = 1
    SIXTEEN = 4
    MANY = 8
    TRUE = 24

    @property
    def toolkit(self) -> ColorDepth:
        return {
            Depth.NONE: ColorDepth.DEPTH_1_BIT,
            Depth.SIXTEEN: ColorDepth.DEPTH_4_BIT,
            Depth.MANY: ColorDepth.DEPTH_8_BIT,
            Depth.TRUE: ColorDepth.DEPTH_24_BIT,
        }[self]


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters outside letters; all are one cell wide."""

    shapes: tuple[str, str, str, str]
    wild: str
    playable: str
    turn: str
    back: str
    tick: str
    dash: str
    bar: str
    trough: str
    corners: str
    across: str
    down: str
    dot: str
    more: str
    left: str
    right: str
    up: str
    low: str


UNICODE = Glyphs(
    shapes=("●", "▲", "■", "◆"),
    wild="★",
    playable="•",
    turn="▶",
    back="▮",
    tick="✓",
    dash="-",
    bar="█",
    trough="░",
    corners="╭╮╰╯",
    across="─",
    down="│",
    dot="·",
    more="…",
    left="←",
    right="→",
    up="↑",
    low="↓",
)
ASCII = Glyphs(
    shapes=("o", "^", "#", "+"),
    wild="@",
    playable="'",
    turn=">",
    back="=",
    tick="+",
    dash="-",
    bar="#",
    trough=".",
    corners="++++",
    across="-",
    down="|",
    dot="-",
    more="~",
    left="<",
    right=">",
    up="^",
    low="v",
)

# Each colour of a game by its word: (true colour, one of sixteen). All are bright enough to stand on black and, with
# their shape beside them, on white.
_COLOURS = {
    "red": ("#ff5f56", "ansibrightred"),
    "yellow": ("#f2c832", "ansibrightyellow"),
    "green": ("#4ec95f", "ansibrightgreen"),
    "blue": ("#5aa2ff", "ansibrightblue"),
    "orange": ("#ff9433", "ansiyellow"),
    "purple": ("#c08bff", "ansibrightmagenta"),
}
# Colours that stay apart for every kind of colour blindness (Okabe and Ito's set, lightened where text needs it).
_SAFE = {
    "red": ("#e8743b", "ansibrightred"),
    "yellow": ("#f0e442", "ansibrightyellow"),
    "green": ("#1fbf92", "ansibrightcyan"),
    "blue": ("#4a9fe0", "ansibrightblue"),
    "orange": ("#e69f00", "ansiyellow"),
    "purple": ("#cc79a7", "ansibrightmagenta"),
}
# The accent of each edition: titles and frames.
_ACCENTS = {
    "four-colors": ("#8fb8de", "ansibrightcyan"),
    "despicable-me-4": ("#f5d547", "ansibrightyellow"),
    "lilo-stitch": ("#5fd0e6", "ansibrightcyan"),
}


@dataclass(frozen=True, slots=True)
class Look:
    """The settings of one terminal."""

    depth: Depth = Depth.MANY
    ascii: bool = False
    safe: bool = False
    edition: str = "four-colors"

    @property
    def glyphs(self) -> Glyphs:
        return ASCII if self.ascii else UNICODE

    def rules(self) -> Mapping[str, str]:
        """The style of every style word, for prompt-toolkit."""
        return _rules(self)


@lru_cache(maxsize=32)
def _rules(look: Look) -> Mapping[str, str]:
    if look.depth is Depth.NONE:
        # What stands out does so by weight and by being turned over.
        bold = ("title", "asked", "you", "key", "playable", "uno", "warn", "bad", "head", "frame.title")
        turned = ("selected", "cursor", "footer.now", "field.on", "marked")
        return (
            {f"k{place}": "bold" for place in range(4)}
            | {"kw": "bold", "dim": "", "pile": "bold", "good": "bold", "pick": "reverse bold"}
            | dict.fromkeys(bold, "bold")
            | dict.fromkeys(turned, "reverse")
        )
    at = 1 if look.depth is Depth.SIXTEEN else 0
    table = _SAFE if look.safe else _COLOURS
    accent = _ACCENTS.get(look.edition, _ACCENTS["four-colors"])[at]
    grey = "ansigray" if at else "#8a8f98"
    dark = "ansibrightblack" if at else "#3d4450"
    dim = "ansibrightblack" if at else "#6c737e"
    rules = {
        "title": f"bold {accent}",
        "frame": accent,
        "frame.title": f"bold {accent}",
        "rule": dark,
        "head": f"bold {grey}",
        "dim": dim,
        "note": grey,
        "asked": "bold " + ("ansiwhite" if at else "#ffffff"),
        "you": "bold",
        "key": f"bold {accent}",
        "playable": "bold",
        "selected": "reverse bold",
        "pick": "reverse bold",
        "cursor": "reverse",
        "marked": "reverse",
        "field.on": "reverse",
        "good": "ansibrightgreen" if at else "#6fd08c",
        "warn": "bold " + ("ansibrightyellow" if at else "#ffb454"),
        "bad": "bold " + ("ansibrightred" if at else "#ff6b6b"),
        "uno": "bold reverse " + ("ansibrightyellow" if at else "#ffb454"),
        "kw": "bold " + ("ansiwhite" if at else "#f4f4f4"),
        "pile": "bold",
        "bar": accent,
    }
    for place, word in enumerate(EDITIONS[look.edition].colours):
        rules[f"k{place}"] = table[word][at]
    return rules


def depth_of(environment: Mapping[str, str]) -> Depth:
    """How many colours the terminal has, as far as its environment says; ``NO_COLOR`` is honoured."""
    term = environment.get("TERM", "")
    if environment.get("NO_COLOR") or term in ("dumb", "vt100", "vt102", "vt220") or term.endswith("-m"):
        return Depth.NONE
    if environment.get("COLORTERM", "").casefold() in ("truecolor", "24bit") or term.endswith("-direct"):
        return Depth.TRUE
    if "256" in term or environment.get("WT_SESSION"):
        return Depth.MANY
    return Depth.SIXTEEN
