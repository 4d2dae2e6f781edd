"""Real processes that are killed and started again with the same command: the match ends, alike for all."""

from __future__ import annotations

import random
import subprocess
import time
from pathlib import Path

import pytest
from nodealer.cli.home import Home
from nodealer.cli.resuming import waiting

from tests.helpers.command import Program, alive, children, nodealer, wait_until
from tests.helpers.killable import Match


@pytest.fixture
def match(tmp_path: Path):  # type: ignore[no-untyped-def]
    made = Match(tmp_path)
    yield made
    made.end()


def verify(path: Path) -> int:
    return subprocess.run(nodealer("verify", str(path)), capture_output=True, check=False).returncode


@pytest.mark.parametrize("victim", ["host", "first"])
def test_killed_and_started_again(match: Match, victim: str) -> None:
    """By the size of its journal it is known to be in the middle of a deal, or of a round."""
    rng = random.Random()
    size = rng.randrange(10_000, 75_000)
    match.wait_for_bytes(victim, size)
    home = Home.open(str(match.folder / victim))
    assert waiting(home) is None, "it is running"
    home.close()
    match.kill(victim)
    home = Home.open(str(match.folder / victim))
    found = waiting(home)
    home.close()
    assert found is not None
    assert found.command == match.commands[victim][0]
    assert {*found.others, victim} == {"host", "first", "second"}
    match.start(victim)
    results = match.results()
    assert len({result["digest"] for result in results}) == 1
    assert {result["outcome"] for result in results} == {"complete"}
    for name in match.commands:
        assert verify(match.folder / f"{name}.nodealer") == 0
        assert match.journal(name) is None


def test_a_damaged_journal_one_in_use_and_new(match: Match) -> None:
    path = match.wait_for_bytes("first", 12_000)
    # Without the second joiner the match stands still, for as long as the grace.
    match.kill("second")
    second = subprocess.run(
        nodealer(*match.commands["first"], "--transcript", str(match.folder / "other.nodealer")),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    # A second program on the folder has a throw-away identity, for which the table is full or has begun.
    assert second.returncode == 5
    match.kill("first")
    whole = path.read_bytes()
    # In the list of players: what came after it was synced.
    path.write_bytes(whole[:300] + bytes([whole[300] ^ 1]) + whole[301:])
    match.start("first")
    out, err = match.processes["first"].communicate(timeout=120)
    assert match.processes["first"].returncode == 8, (out, err)
    assert len(err.splitlines()) == 1
    assert "damaged" in err
    assert "--new" in err
    match.commands["first"].append("--new")
    match.commands["first"][:] = [word for word in match.commands["first"] if not word.startswith("--transcript")]
    match.start("first")
    out, err = match.processes["first"].communicate(timeout=120)
    assert match.processes["first"].returncode == 5, (out, err)
    assert match.journal("first") is None


@pytest.mark.parametrize("again_at", [0, 3])
def test_a_game_against_ones_own_bots_goes_on(again_at: int, tmp_path: Path) -> None:
    """The bots end with the program that is killed, and come back with it, with their identities and their hands."""
    words = ["play", "--plain", "--bots=2", "--target=0", "--fast", "--turn-clock=60", f"--data-dir={tmp_path}"]
    with Program(words, lambda question: None) as program:
        program.expect("? Your turn", within=60)
        bots = children(program.process.pid)
        assert len(bots) == 2
        program.process.kill()
    time.sleep(again_at)  # at once, and when the bots have surely ended
    with Program(words, lambda question: "1") as program:
        program.expect("Going on with the unfinished match", within=10)
        program.expect("the match!", within=240)
        assert program.end(within=20) == 0
    wait_until(lambda: not any(alive(bot) for bot in bots), 10, "the first bots have ended")
    [transcript] = (tmp_path / "transcripts").iterdir()
    assert verify(transcript) == 0
    assert not list((tmp_path / "journals").iterdir())
    assert not list((tmp_path / "bots").iterdir())


def test_new_drops_ones_own_bots_too(tmp_path: Path) -> None:
    words = ["play", "--plain", "--bots=2", "--target=0", "--fast", "--turn-clock=60", f"--data-dir={tmp_path}"]
    with Program(words, lambda question: None) as program:
        program.expect("? Your turn", within=60)
        program.process.kill()
    [before] = (tmp_path / "bots").iterdir()
    with Program([*words, "--new"], lambda question: None) as program:
        program.expect("? Your turn", within=60)
        assert not before.exists()
        assert len(list((tmp_path / "bots").iterdir())) == 1
        program.say("leave")
        assert program.end(within=20) == 6
    assert not list((tmp_path / "bots").iterdir())
    assert not list((tmp_path / "journals").iterdir())
