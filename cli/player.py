"""What sits at the table for a person: a bot or a person's screen, as a machine without input, output or a clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from nodealer import engine
from nodealer.p2p.events import PeerEvent


@dataclass(frozen=True, slots=True)
class Act:
    """Answer the open decision."""

    action: engine.Action


@dataclass(frozen=True, slots=True)
class Say:
    """Send a line of chat."""

    text: str


@dataclass(frozen=True, slots=True)
class StartNow:
    """The host starts with who is there."""


@dataclass(frozen=True, slots=True)
class Leave:
    """Leave the table."""


Wish = Act | Say | StartNow | Leave


class Player(Protocol):
    """Events and the time in, wishes and the next deadline out. ``now`` is the clock of the peer."""

    def on_event(self, event: PeerEvent, now: float) -> None: ...

    def on_line(self, line: str | None, now: float) -> None:
        """A line of standard input; None at its end."""

    def on_refusal(self, sentence: str, now: float) -> None:
        """The last wish was refused by the own peer; nothing was sent."""

    def wants_line(self) -> bool:
        """Whether a line of input would be used now."""

    def next_deadline(self) -> float | None: ...

    def tick(self, now: float) -> list[Wish]:
        """The wishes that are due."""
