"""The canonical bytes of a state and their digest: equal on every peer, platform and Python version."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import msgpack  # type: ignore[import-untyped]

from .state import State

FORMAT = 1
"""Counts the meanings of the bytes; raised when a field of the state or a rule's order changes."""


def encode(state: State) -> bytes:
    """Canonical msgpack: integers, booleans, nil, text and arrays only, in shortest form.

    A dataclass is an array of its name and its fields in order; enumerations are their values.
    """
    packed: bytes = msgpack.packb([FORMAT, state], default=_array, use_bin_type=True)
    return packed


def digest(state: State) -> bytes:
    """32 bytes: H("engine state", encode(state)) with the hash of PROTOCOL.md (SHA-512 over framed parts, cut)."""
    return hashlib.sha512(_framed(b"nodealer v1 engine state") + _framed(encode(state))).digest()[:32]


def _framed(part: bytes) -> bytes:
    return len(part).to_bytes(8, "big") + part


@cache
def _shape(kind: Hashable) -> tuple[str, ...]:
    """The name and the field names of this dataclass."""
    if not isinstance(kind, type) or not is_dataclass(kind):
        raise TypeError(f"{kind!r} has no place in a state")
    return (kind.__name__, *(f.name for f in fields(kind)))


def _array(value: Any) -> list[Any]:
    name, *names = _shape(type(value))
    return [name, *(getattr(value, field) for field in names)]
