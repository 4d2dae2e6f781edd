"""Names of players on this machine: the person's own, and the bots'. What is shown is cleaned by ``p2p.names``."""

from __future__ import annotations

import getpass
from collections.abc import Collection

from nodealer.p2p.names import MAX_NAME, clean_name

from .exits import Complaint

BOT_NAMES = ("Ada", "Bea", "Cyd", "Dov", "Eli", "Fay", "Gus", "Hal", "Ivy", "Jon", "Kim", "Lou")


def default_name() -> str:
    """The login name, or "player" where there is none."""
    try:
        name = clean_name(getpass.getuser())
    except (OSError, KeyError, ImportError):
        name = ""
    return name or "player"


def checked_name(name: str) -> str:
    """A name given by the person, cleaned; a sentence where nothing is left or it is too long."""
    if len(name) > MAX_NAME:
        raise Complaint(f"A name has at most {MAX_NAME} characters.")
    cleaned = clean_name(name)
    if not cleaned:
        raise Complaint("A name needs at least one character that can be shown.")
    return cleaned


def bot_names(count: int, taken: Collection[str] = ()) -> tuple[str, ...]:
    """``count`` names for bots that nobody in ``taken`` has, compared without case."""
    used = {name.casefold() for name in taken}
    free = [name for name in BOT_NAMES if name.casefold() not in used]
    number = 1
    while len(free) < count:
        name = f"Bot {number}"
        if name.casefold() not in used:
            free.append(name)
        number += 1
    return tuple(free[:count])
