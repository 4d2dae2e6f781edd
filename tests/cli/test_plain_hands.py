"""Whole hands in line mode, of each edition, by two people and two bots; and lines that read well aloud."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from nodealer.engine import EDITIONS

from tests.helpers.command import Program


def first(question: str) -> str:
    """Answer 1 to everything: play what can be played, say UNO, catch, accept."""
    return "1"


def last(question: str) -> str:
    """The last answer to everything but a window: draw, keep, challenge."""
    return str(question.count("·") + 1)


def reads_well(*lines: str) -> None:
    """Sentences and questions: no drawn boxes, no cursor moved, nothing told by a symbol alone."""
    for line in lines:
        assert re.fullmatch(r"(\* .*[.!?:]|\? .*|\* .* says: .*|\* The transcript is .*)", line), line
        assert not re.search("[\x00-\x1f\x7f\u2190-\u2bff]", line), line


@pytest.mark.parametrize("edition", EDITIONS)
def test_two_people_and_two_bots_in_lines(edition: str, tmp_path: Path) -> None:
    host = Program(
        [
            *("host", "--plain", f"--edition={edition}", "--seats=4", "--bots=2", "--bind=127.0.0.1", "--port=0"),
            *("--no-announce", "--target=0", "--fast", "--name=Hana", f"--data-dir={tmp_path / 'hana'}"),
        ],
        lambda question: first(question) if "start with who is there" not in question else "1",
    )
    with host:
        address = host.expect("The table is open at", within=20).split(" at ")[1].split(",")[0]
        words = ["join", "--plain", address, "--name=Joe", f"--data-dir={tmp_path / 'joe'}"]
        with Program(words, lambda question: last(question) if "Accept" in question else "auto") as guest:
            for program in (host, guest):
                program.expect("the match!", within=240)
                assert program.end(within=20) == 0
            reads_well(*host.lines, *guest.lines)


@pytest.mark.soak
def test_a_match_to_250_in_lines(tmp_path: Path) -> None:
    words = ["play", "--plain", "--bots=3", "--target=250", "--stacking", "--fast", f"--data-dir={tmp_path}"]
    with Program([*words, "--name=Zoe"], first) as program:
        program.expect("the match!", within=1800)
        assert program.end(within=20) == 0
        reads_well(*program.lines)
