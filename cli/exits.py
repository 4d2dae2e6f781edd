"""Exit codes of the command, and the one exception that carries a sentence and a code to the person."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What a script may rely on; the README and ``nodealer --help`` list them."""

    COMPLETE = 0
    INVALID = 1  # a transcript that does not hold; bots that ended differently
    USAGE = 2  # wrong usage, or a file that cannot be read or written
    CHEAT = 3  # a cheat, named; for verify: valid so far, match unfinished
    GONE = 4  # somebody is gone
    DISSOLVED = 5  # the table dissolved before the first card
    LEFT = 6  # the person left before the end
    UNREACHED = 7  # no table could be reached or opened, or its passphrase was not right
    JOURNAL = 8  # the journal of a match cannot be kept or used, or its identity was used elsewhere
    INTERNAL = 70  # a fault of ours
    INTERRUPTED = 130
    TERMINATED = 143


class Complaint(Exception):
    """Ends the command: ``sentence`` goes to standard error as it is, ``code`` is the exit code."""

    def __init__(self, sentence: str, code: Exit = Exit.USAGE) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code
