"""Writes the protocol's test vectors beside this file, from public seeds, the same bytes every time.

Run `python tests/vectors/make.py` after a deliberate change of the protocol; a test fails while a file differs. It also
writes the generated parts of PROTOCOL.md.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.vectors import crypto_vectors, match_vectors, page, passphrase_vectors, table_vectors
from tests.vectors.common import FOLDER

JSON: dict[str, Callable[[], dict[str, Any]]] = {
    **crypto_vectors.FILES,
    **table_vectors.FILES,
    **passphrase_vectors.FILES,
    **match_vectors.FILES,
}
FILES = (*JSON, *match_vectors.TRANSCRIPTS)


def build(name: str) -> bytes:
    """The exact content of one file."""
    if name in JSON:
        return (json.dumps(JSON[name](), indent=1, ensure_ascii=True) + "\n").encode()
    return match_vectors.TRANSCRIPTS[name]()


if __name__ == "__main__":
    for name in FILES:
        (FOLDER / name).write_bytes(build(name))
    page.PAGE.write_text(page.filled(page.PAGE.read_text()))
