"""The canonical bytes of a state and their digest: equal on every peer, platform and Python version."""

from __future__ import annotations

import hashlib
from dataclasses import fields, is_dataclass
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


_SHAPES: dict[type, tuple[str, ...]] = {}
"""Name and field names by class; `dataclasses.fields` is slow."""


def _shape(kind: type) -> tuple[str, ...]:
    if kind not in _SHAPES:
        if not is_dataclass(kind):
            raise TypeError(f"{kind.__name__} has no place in a state")
        _SHAPES[kind] = (kind.__name__, *(f.name for f in fields(kind)))
    return _SHAPES[kind]


def _array(value: Any) -> list[Any]:
    name, *names = _shape(type(value))
    return [name, *(getattr(value, field) for field in names)]
