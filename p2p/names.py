"""Names and chat as they may reach a screen: no control, format or direction characters, bounded, in normal form C."""

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


def clean_text(text: str) -> str:
    """``text`` in normal form C without characters that steer a terminal or the direction of writing."""
    kept = (
        " " if unicodedata.category(char) in ("Zl", "Zp") or char in "\t\r\n" else char
        for char in unicodedata.normalize("NFC", text)
    )
    # Cc/Cf: control and format (bidirectional marks among them); Cs/Co/Cn: surrogates, private use, unassigned.
    return unicodedata.normalize("NFC", "".join(c for c in kept if unicodedata.category(c)[0] != "C"))


def clean_name(name: str) -> str:
    """A name fit to be shown: clean, without outer or double blanks, at most 24 characters; may come out empty."""
    return " ".join(clean_text(name).split())[:MAX_NAME].rstrip()


def clean_chat(text: str) -> str:
    """A line of chat fit to be sent and shown: clean, stripped; its UTF-8 is *not* cut here (the limit is checked)."""
    return clean_text(text).strip()


def person(name: str, key: bytes) -> PlayerInfo:
    """A player by name and key, as people see it."""
    return PlayerInfo(name, fingerprint(key), key)


def display_names(offers: Sequence[Offer]) -> tuple[PlayerInfo, ...]:
    """The players of these offers; where two gave one name, the fingerprint's words tell them apart."""
    counts = Counter(offer.name.casefold() for offer in offers)
    infos = []
    for offer in offers:
        unique = counts[offer.name.casefold()] == 1
        infos.append(person(offer.name if unique else f"{offer.name} ({fingerprint(offer.key)})", offer.key))
    return tuple(infos)
