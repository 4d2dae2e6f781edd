"""What makes a script of an example's ``main``: no traceback where nobody reads on, or somebody has seen enough."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

from nodealer.cli.exits import Exit
from nodealer.cli.output import hush, mend_streams


def exit_code(main: Callable[[], int]) -> int:
    """Run it as a program."""
    mend_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # what takes its time is read as it comes
    try:
        return main()
    except BrokenPipeError:  # ``| head``: the rest is not told, and what it would have said is not known
        hush()
        return 1
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
