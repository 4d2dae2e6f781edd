"""JSON from a file or from another program, of which nothing is known yet."""

from __future__ import annotations

import json


def from_json(text: str | bytes) -> object:
    """The value of this text; raises ``ValueError`` where it is no JSON, or nests deeper than Python can follow."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("JSON that nests too deep") from None
