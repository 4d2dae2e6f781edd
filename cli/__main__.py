"""``python -m nodealer.cli`` is the command ``nodealer``; it is how bots are started as processes of their own."""

from __future__ import annotations

import sys

from .main import main

if __name__ == "__main__":
    sys.exit(main())
