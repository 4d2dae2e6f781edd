"""Chat as it stands in a feed: it touches no state, and is shown only when it is well formed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import bodies
from .entry import Entry
from .errors import WireError
from .events import ChatSaid
from .names import MAX_CHAT_BYTES, clean_chat

if TYPE_CHECKING:
    from .match import Match


def chat_said(match: Match, entry: Entry) -> ChatSaid | None:
    """What an entry of kind *chat* says, clean; None if it is malformed, empty or too long to be shown."""
    try:
        text = clean_chat(bodies.parse_chat(entry.body))
    except WireError:
        return None
    if not text or len(text.encode()) > MAX_CHAT_BYTES:
        return None
    seat = match.seat_of(entry.header.writer)
    return ChatSaid(seat, match.players()[seat].name, text)
