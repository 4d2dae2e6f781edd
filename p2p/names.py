"""Names and chat: which names are valid, the same for everybody forever, and what of a text may reach a screen.

Whether an offer is valid must not depend on the Unicode tables that a program happens to run with, so a name is judged
by the fixed list `NEVER`. What is shown is cleaned by the tables at hand as well: that is nobody else's business.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nodealer.crypto.identity import fingerprint

from .events import PlayerInfo

if TYPE_CHECKING:
    from .offer import Offer

MAX_NAME = 24
MAX_CHAT_BYTES = 500

# Code points that no name has, first and last: controls, formats and marks of direction, white space but U+0020, line
# and paragraph separators, surrogates, private use, noncharacters, and blocks that Unicode keeps for such.
NEVER = (
    (0x0000, 0x001F),
    (0x007F, 0x00A0),
    (0x00AD, 0x00AD),
    (0x0600, 0x0605),
    (0x061C, 0x061C),
    (0x06DD, 0x06DD),
    (0x070F, 0x070F),
    (0x0890, 0x0891),
    (0x08E2, 0x08E2),
    (0x1680, 0x1680),
    (0x180E, 0x180E),
    (0x2000, 0x200F),
    (0x2028, 0x202F),
    (0x205F, 0x206F),
    (0x3000, 0x3000),
    (0xD800, 0xF8FF),
    (0xFDD0, 0xFDEF),
    (0xFEFF, 0xFEFF),
    (0xFFF0, 0xFFFB),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1343F),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE00FF),
    (0xF0000, 0x10FFFF),
)
# The last two code points of every plane are noncharacters.
PLANE = 0xFFFF
LAST_OF_PLANE = 0xFFFE


def allowed(char: str) -> bool:
    """Whether a name may hold this character."""
    code = ord(char)
    return code & PLANE < LAST_OF_PLANE and not any(first <= code <= last for first, last in NEVER)


def is_name(text: str) -> bool:
    """Whether an offer may hold this name: 1 to 24 allowed code points, blanks single and inside only."""
    return 1 <= len(text) <= MAX_NAME and all(text.split(" ")) and all(map(allowed, text))


def clean_text(text: str) -> str:
    """``text`` in normal form C without characters that steer a terminal or the direction of writing."""
    kept = (
        " " if unicodedata.category(char) in ("Zl", "Zp") or char in "\t\r\n" else char
        for char in unicodedata.normalize("NFC", text)
    )
    # Cc/Cf: control and format (bidirectional marks among them); Cs/Co/Cn: surrogates, private use, unassigned.
    return unicodedata.normalize("NFC", "".join(c for c in kept if unicodedata.category(c)[0] != "C"))


def clean_name(name: str) -> str:
    """A name fit to be shown: valid or, if nothing is left, empty; and clean for a screen here and now."""
    kept = "".join(char for char in clean_text(name) if char.isspace() or allowed(char))
    return " ".join(kept.split())[:MAX_NAME].rstrip()


def clean_chat(text: str) -> str:
    """A line of chat fit to be sent and shown: clean, stripped; its UTF-8 is *not* cut here (the limit is checked)."""
    return clean_text(text).strip()


def person(name: str, key: bytes) -> PlayerInfo:
    """A player by name and key, as people see it."""
    return PlayerInfo(name, fingerprint(key), key)


def display_names(offers: Sequence[Offer]) -> tuple[PlayerInfo, ...]:
    """The players of these offers; where two gave one name, the fingerprint's words tell them apart."""
    names = [clean_name(offer.name) or "?" for offer in offers]
    counts = Counter(name.casefold() for name in names)
    infos = []
    for offer, name in zip(offers, names, strict=True):
        unique = counts[name.casefold()] == 1
        infos.append(person(name if unique else f"{name} ({fingerprint(offer.key)})", offer.key))
    return tuple(infos)
