"""The two ways in which the engine says no. Both messages are whole sentences, made to be shown."""

from __future__ import annotations


class IllegalOptions(ValueError):
    """No match can be played with these options."""


class IllegalAction(Exception):
    """The rules forbid this action in this state. The state is as it was."""
