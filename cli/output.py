"""Standard output, a line at a time."""

from __future__ import annotations

import sys


def write_line(line: str) -> None:
    """One line to standard output, at once: whoever reads it may answer. What the encoding lacks is replaced."""
    try:
        print(line, flush=True)
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding or "ascii"
        print(line.encode(encoding, "replace").decode(encoding), flush=True)
