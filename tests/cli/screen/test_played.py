"""Whole hands on the full screen: real programs in tmux, played by a script that reads the screen and presses keys."""

from __future__ import annotations

import shutil
import socket
import time
from pathlib import Path

import pytest
from nodealer.p2p.offer import Roster
from nodealer.p2p.transcript import TranscriptReader, parse_record

from tests.cli.screen.tmux import ScreenPlayer, Tmux, dealt, how_it_ended, play

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

FAST = ("--fast", "--turn-clock=30")


def look_back(window: Tmux) -> None:
    """After the end: the transcript is there and holds, checked and then replayed from the screen itself; and quit."""
    window.wait("Transcript:", 10)
    window.press("v")
    window.wait("valid", 120)
    window.press("r")
    window.wait("Replay of", 20)
    window.press("End")
    window.wait("The match is valid", 120)
    window.press("q")
    window.wait("The match is over", 10)
    window.press("q")
    window.wait("EXIT 0", 15)


@pytest.mark.parametrize(
    ("edition", "columns", "rows", "challenges"),
    [
        ("four-colors", 80, 24, False),
        ("four-colors", 120, 40, False),
        ("despicable-me-4", 80, 24, True),
        ("despicable-me-4", 120, 40, False),
        ("lilo-stitch", 80, 24, False),
        ("lilo-stitch", 120, 40, True),
        ("four-colors", 40, 16, False),
    ],
)
def test_one_hand(edition: str, columns: int, rows: int, challenges: bool, tmp_path: Path) -> None:
    words = ["play", "--bots=2", "--target=0", f"--edition={edition}", *FAST, f"--data-dir={tmp_path}", "--name=Zoe"]
    with Tmux(words, columns, rows) as window:
        player = ScreenPlayer(window, challenges=challenges)
        shown = player.play(240)
        assert player.pressed
        look_back(window)
    assert "wins the match" in shown or "You win the match!" in shown or "The match is over." in shown


def test_two_people_and_two_bots(tmp_path: Path) -> None:
    """Two programs of people and two bots at one table; one of the people sits at a small screen."""
    with Tmux(
        ["host", "--seats=4", "--bots=2", "--no-announce", "--bind=127.0.0.1", "--port=0", "--target=0", *FAST,
         "--name=Zoe", f"--data-dir={tmp_path / 'zoe'}"], 80, 24,
    ) as host:  # fmt: skip
        shown = host.wait(lambda text: "127.0.0.1:" in text and "players" in text, 20)
        port = "".join(shown.split("127.0.0.1:", 1)[1].split(",")[0].split())
        with Tmux(["join", f"127.0.0.1:{port}", "--name=Moe", f"--data-dir={tmp_path / 'moe'}"], 120, 40) as guest:
            host.wait("Moe", 20)
            guest.wait("Zoe", 20)
            host.wait(dealt, 40)  # there is nobody to talk to before the table is made
            host.press("/", "h", "i", "Enter")
            guest.wait("Zoe: hi", 20)
            play(300, ScreenPlayer(host), ScreenPlayer(guest))
            for window in (host, guest):
                how_it_ended(window)
                window.press("q")
                window.wait("EXIT 0", 15)


def test_leaving_and_the_exit_code(tmp_path: Path) -> None:
    with Tmux(["play", "--bots=1", *FAST, f"--data-dir={tmp_path}"], 80, 24) as window:
        window.wait(dealt, 30)
        window.press("q")
        window.wait("Leave the table for good?")
        window.press("y")
        window.wait("EXIT 6", 15)


def test_resizing_suspending_and_a_small_window(tmp_path: Path) -> None:
    with Tmux(["play", "--bots=1", "--turn-clock=0", f"--data-dir={tmp_path}"], 80, 24) as window:
        window.wait(dealt, 30)
        window.resize(39, 10)
        window.wait("Make the window 40x16 or larger.")
        window.resize(40, 16)
        window.wait(dealt)
        window.resize(120, 40)
        window.wait("─ Chat ")


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_suspending_and_going_on(tmp_path: Path) -> None:
    words = ["play", "--bots=1", "--turn-clock=0", f"--data-dir={tmp_path}"]
    with Tmux(words, 100, 30, job=True) as window:
        window.wait(dealt, 30)
        window.press("C-z")
        window.wait("Stopped")
        assert "Your hand" not in window.screen()
        window.press("fg", "Enter")
        window.wait(dealt)
        window.press("q", "y")
        window.wait(lambda text: text.rstrip().endswith("prompt>"), 15)
        window.press("echo can be seen", "Enter")
        window.wait("prompt> echo can be seen\ncan be seen")


def tables(folder: Path) -> list[Roster]:
    """The lists of players that the transcripts in this folder begin with, in the order of the matches."""
    found = []
    for path in sorted((folder / "transcripts").iterdir()):
        with path.open("rb") as file:
            roster = parse_record(next(TranscriptReader(file).payloads()))
        assert isinstance(roster, Roster)
        found.append(roster)
    return found


def test_playing_again_with_the_same_people(tmp_path: Path) -> None:
    """Two people and a bot at a locked table: after a hand both press n, and sit at a new one with the same people."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "word").write_text("swordfish\n")
    word = f"--passphrase-file={tmp_path / 'word'}"
    zoe, moe = tmp_path / "zoe", tmp_path / "moe"
    hosting = ["host", "--seats=3", "--bots=1", "--no-announce", "--bind=127.0.0.1", f"--port={port}", "--target=0"]
    with Tmux([*hosting, *FAST, word, "--name=Zoe", f"--data-dir={zoe}"], 80, 24) as host:
        host.wait("2 of 3", 30)
        joining = ["join", f"127.0.0.1:{port}", word, "--name=Moe", f"--data-dir={moe}"]
        with Tmux(joining, 80, 24) as guest:
            play(240, ScreenPlayer(host), ScreenPlayer(guest))
            for window in (guest, host):  # the guest first: it waits until the table is open again
                how_it_ended(window)
                window.press("n")
            for window in (host, guest):
                window.wait(lambda shown: dealt(shown) and "The match is over" not in shown, 90)
            play(240, ScreenPlayer(host), ScreenPlayer(guest))
            for window in (guest, host):
                how_it_ended(window)
                window.press("v")
                window.wait("valid", 120)
                window.press("q")
                window.wait("EXIT 0", 20)
    first, second = tables(zoe)
    assert tables(moe) == [first, second]
    assert first.table != second.table
    people = [{offer.offer.name: offer.offer.key for offer in roster.offers} for roster in (first, second)]
    assert people[0].keys() == people[1].keys()
    assert {people[0][name] for name in ("Zoe", "Moe")} == {people[1][name] for name in ("Zoe", "Moe")}
    nonces = [{offer.offer.nonce for offer in roster.offers} for roster in (first, second)]
    commitments = [{offer.offer.commitment for offer in roster.offers} for roster in (first, second)]
    assert not nonces[0] & nonces[1]
    assert not commitments[0] & commitments[1]


def test_a_terminal_that_goes_takes_the_bots_along(tmp_path: Path) -> None:
    import subprocess

    with Tmux(["play", "--bots=2", f"--data-dir={tmp_path}"], 80, 24) as window:
        window.wait(dealt, 30)
    end = time.monotonic() + 15
    while str(tmp_path) in subprocess.run(["ps", "ax", "-o", "args"], capture_output=True, text=True).stdout:
        assert time.monotonic() < end, "the program outlived its terminal"
        time.sleep(0.2)
    assert not (tmp_path / "crash.log").exists()


def test_a_crash_leaves_a_sane_terminal_and_a_log(tmp_path: Path) -> None:
    """A fault inside: the sentence stands on the normal screen, the trace in a file."""
    crash = tmp_path / "sitecustomize.py"
    crash.write_text(
        "import nodealer.cli.screen.screen as s\n"
        "def broken(*a):\n    raise ZeroDivisionError('oops')\n"
        "s.Screen.render = broken\n"
    )
    with Tmux(["play", "--bots=1", f"--data-dir={tmp_path}"], 80, 24, PYTHONPATH=str(tmp_path)) as window:
        shown = window.wait("EXIT 70", 30)
        assert "ZeroDivisionError: oops" in " ".join(shown.split())
        assert "crash.log" in "".join(shown.split())
    assert "Traceback" in (tmp_path / "crash.log").read_text()


def test_from_the_lobby_to_a_hand_and_back(tmp_path: Path) -> None:
    places = {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    with Tmux([], 80, 24, **places) as window:
        window.wait("Tables on this network", 20)
        window.press("p")
        window.wait("─ Play against bots")
        window.press("Down", "Left", "Left", "Enter")
        window.wait(dealt, 40)
        window.press("q", "y")
        window.wait("Tables on this network", 20)
        window.press("p")
        shown = window.wait("─ Play against bots", 5)
        assert " 1 " in next(line for line in shown.splitlines() if "Bots" in line), "the choice is remembered"
        window.press("Escape", "q")
        window.wait("EXIT 0", 15)


def test_replaying_a_file() -> None:
    with Tmux(["replay", "tests/vectors/match-ohana.nodealer"], 80, 24) as window:
        window.wait("Replay of match-ohana.nodealer", 20)
        window.wait("The whole file: The match is valid", 30)
        window.press("Tab", "Down", "Down", "Right")
        window.wait("'s hand: ", 10)
        window.press("Space")
        window.wait("pause", 10)
        window.press("End")
        window.wait("The match is valid and complete.", 30)
        window.press("q")
        window.wait("EXIT 0", 15)


@pytest.mark.soak
@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 40)])
def test_a_match_to_250(columns: int, rows: int, tmp_path: Path) -> None:
    words = ["play", "--bots=3", "--target=250", "--stacking", *FAST, f"--data-dir={tmp_path}", "--name=Zoe"]
    with Tmux(words, columns, rows) as window:
        ScreenPlayer(window).play(1800)
        look_back(window)
