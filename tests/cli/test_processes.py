"""Whole matches by real processes over real sockets, started the way a person starts them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.helpers.command import ENVIRONMENT, Program, alive, children, nodealer, wait_until

ROOT = Path(__file__).resolve().parents[2]
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")


def run(*arguments: str, script: str | None = None, within: float = 120) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        nodealer(*arguments),
        input=script,
        stdin=subprocess.DEVNULL if script is None else None,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=within,
        env=ENVIRONMENT,
    )


def bots(tmp_path: Path, *arguments: str, within: float = 300) -> dict[str, object]:
    """A match of bots; it must end well, with one JSON line, equal digests, and a transcript that verifies."""
    file = tmp_path / "match.nodealer"
    ended = run("bots", "--fast", "--json", "--transcript", str(file), *arguments, within=within)
    assert ended.returncode == 0, ended.stderr + ended.stdout
    assert ended.stderr == ""
    assert ended.stdout.count("\n") == 1
    told = json.loads(ended.stdout)
    assert told["complete"] is True
    assert len(told["digests"]) == told["seats"] == len(told["scores"])
    assert len(set(told["digests"])) == 1
    assert len(told["digests"][0]) == 64
    assert told["scores"][told["winner"]] == max(told["scores"].values())
    assert len(told["deal_seconds"]) == told["rounds"]
    assert all(seconds > 0 for seconds in told["deal_seconds"] + told["reshuffle_seconds"])
    assert told["transcript"] == str(file)
    checked = run("verify", "--json", str(file), within=within)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    found = json.loads(checked.stdout)
    assert found["digest"] == told["digests"][0]
    assert (found["scores"], found["winner"], found["rounds"]) == (told["scores"], told["winner"], told["rounds"])
    file.unlink()
    return told


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_bots_play_a_hand(tmp_path: Path, seats: int) -> None:
    told = bots(tmp_path, "--seats", str(seats), "--target", "0")
    assert told["edition"] == "four-colors"
    assert told["seats"] == seats


def test_bots_play_a_match_with_stacking(tmp_path: Path) -> None:
    told = bots(tmp_path, "--seats", "3", "--target", "250", "--stacking")
    assert told["scores"][told["winner"]] >= 250


def test_hoarders_shuffle_again_in_the_middle_of_a_draw(tmp_path: Path) -> None:
    from nodealer.p2p.events import SlotOpened
    from nodealer.p2p.verify import Status, verify

    file = tmp_path / "hoard.nodealer"
    ended = run(
        "bots", "--seats", "2", "--target", "0", "--fast", "--style", "hoard", "--json", "--transcript", str(file)
    )
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout)
    slots: list[tuple[str, int]] = []
    with file.open("rb") as data:
        report = verify(data, lambda e: slots.append((e.kind, e.epoch)) if isinstance(e, SlotOpened) else None)
    assert report.status is Status.COMPLETE
    assert report.counts["reshuffles"] == len(told["reshuffle_seconds"]) >= 2
    before = [slots[i - 1][0] for i in range(1, len(slots)) if slots[i][0] == "shuffle" and slots[i][1] > 0]
    # A draw that was interrupted has just had its first keys; one from an empty pile comes straight from its question.
    assert "keys" in before


def test_a_person_plays_a_hand_by_script(tmp_path: Path) -> None:
    """`yes auto | nodealer play`, as in the acceptance of the project."""
    ended = run(
        *("play", "--plain", "--target", "0", "--fast", "--data-dir", str(tmp_path), "--name", "Zoe"),
        script="auto\n" * 2000,
        within=200,
    )
    assert ended.returncode == 0, ended.stderr + ended.stdout[-2000:]
    assert ended.stderr == ""
    lines = ended.stdout.splitlines()
    assert all(line.startswith(("* ", "? ")) for line in lines)
    assert sum("'s shuffle" in line or "Your shuffle" in line for line in lines) >= 4
    assert any("wins the match!" in line or "You win the match!" in line for line in lines)
    assert any(line.startswith("? Your turn") for line in lines)
    assert (tmp_path / "identity").exists()
    [transcript] = (tmp_path / "transcripts").iterdir()
    assert run("verify", str(transcript)).returncode == 0


def sensible(question: str) -> str:
    """Answer 1 to everything: play what can be played, say UNO, catch."""
    return "1"


def test_a_person_plays_to_the_end_with_moves_of_its_own(tmp_path: Path) -> None:
    arguments = ["play", "--bots", "1", "--target", "0", "--fast", "--stacking", "--data-dir", str(tmp_path)]
    with Program(arguments, sensible) as program:
        program.expect("the match!", within=120)
        assert program.end(within=20) == 0
        assert any("You play" in line for line in program.lines)


def test_the_end_of_input_leaves_and_the_bots_go_too(tmp_path: Path) -> None:
    ended = run(*("play", "--plain", "--fast", "--data-dir", str(tmp_path)), script="1\nsay hello\n1\n", within=60)
    assert ended.returncode == 6
    assert "Traceback" not in ended.stderr
    nobody = run(*("play", "--plain", "--fast", "--data-dir", str(tmp_path)), within=60)
    assert nobody.returncode == 6


def test_host_and_join_by_address(tmp_path: Path) -> None:
    """A person hosts, another joins by address with a bot beside; they talk; the table is played to the end."""
    host = Program(
        [
            *("host", "--seats", "3", "--bots", "1", "--bind", "127.0.0.1", "--port", "0", "--no-announce"),
            *("--target", "0", "--fast", "--name", "Hana", "--data-dir", str(tmp_path / "hana")),
        ],
        lambda question: "1" if "start with who is there" in question else "auto",
    )
    with host:
        address = host.expect("The table is open at", within=20).split(" at ")[1].split(",")[0]
        second = ["join", address, "--name", "Joe", "--data-dir", str(tmp_path / "joe")]
        with Program(second, lambda question: "auto") as guest:
            guest.expect("Your hand:", within=30)
            guest.say("say good evening")
            host.expect("Joe says: good evening", within=60)
            guest.expect("the match!", within=120)
            assert guest.end(within=20) == 0
            assert host.end(within=20) == 0


def test_a_table_that_is_not_there() -> None:
    ended = run("join", "127.0.0.1:9", "--bot", "--json", "--tied", script="", within=30)
    assert ended.returncode in (6, 7)
    ended = subprocess.run(
        nodealer("join", "127.0.0.1:9", "--bot"), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30
    )
    assert ended.returncode == 7
    assert ended.stderr.count("\n") == 1
    assert "127.0.0.1" in ended.stderr


def test_a_second_program_on_one_folder_says_so(tmp_path: Path) -> None:
    arguments = ["host", "--bind", "127.0.0.1", "--port", "0", "--no-announce", "--data-dir", str(tmp_path)]
    with Program(arguments) as first:
        first.expect("The table is open", within=20)
        with Program(arguments) as second:
            second.expect("throw-away identity", within=20)


@linux
def test_without_a_bot_that_is_killed_the_match_goes_on(tmp_path: Path) -> None:
    arguments = ["play", "--bots", "2", "--fast", "--data-dir", str(tmp_path)]
    with Program(arguments, sensible) as program:
        program.expect("Your turn", within=60)
        kids = children(program.process.pid)
        assert len(kids) == 2
        os.kill(kids[0], signal.SIGKILL)
        program.expect("No line to", within=20)
        program.expect("is gone and was dropped", within=60)
        assert program.end(within=120) == 0
        complaint = program.complaint()
        assert "Traceback" not in complaint + "\n".join(program.lines)
        wait_until(lambda: not alive(kids[1]), 5, "the other bot is gone")


@linux
def test_a_killed_bot_ends_a_match_of_two_bots(tmp_path: Path) -> None:
    file = tmp_path / "match.nodealer"
    table = ["--seats", "2", "--target", "250", "--grace", "3", "--turn-clock", "3", "--transcript", str(file)]
    with Program(["bots", *table, "--json"]) as program:  # not fast: there is time to kill
        wait_until(lambda: len(children(program.process.pid)) == 2, 20, "two bots")
        kids = children(program.process.pid)
        # A deal is being made: the table stands.
        wait_until(lambda: file.exists() and file.stat().st_size > 10_000, 60, "the deal")
        os.kill(kids[1], signal.SIGKILL)
        assert program.end(within=90) == 4
        told = json.loads(program.lines[-1])
        assert told["complete"] is False
        complaint = program.complaint()
        assert "is gone" in complaint
        assert complaint.count("\n") == 1


@linux
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda s: s.name)
def test_no_orphans(tmp_path: Path, how: signal.Signals) -> None:
    with Program(["play", "--bots", "3", "--data-dir", str(tmp_path)]) as program:
        program.expect("Your hand", within=60)
        kids = children(program.process.pid)
        assert len(kids) == 3
        program.process.send_signal(how)
        code = program.end(within=15)
        assert code == {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}[how]
        wait_until(lambda: not any(alive(kid) for kid in kids), 10, "all bots are gone")
        if how is not signal.SIGKILL:
            assert "Traceback" not in program.complaint()


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed here")
def test_make_play_in_a_real_terminal(tmp_path: Path) -> None:
    """What `make play` starts, typed at in a terminal, on a small screen."""
    name = f"nodealer-test-{os.getpid()}"
    tmux = ["tmux", "-L", name]
    command = " ".join(nodealer("play", "--plain", "--fast", "--turn-clock=60", "--target=0", f"--data-dir={tmp_path}"))

    def screen() -> str:
        shown = subprocess.run([*tmux, "capture-pane", "-p", "-S", "-2000"], capture_output=True, text=True, check=True)
        return shown.stdout

    subprocess.run(
        [*tmux, "new-session", "-d", "-x", "80", "-y", "24", f"{command}; echo exit code $?; sleep 60"],
        check=True,
        env={**ENVIRONMENT, "TERM": "xterm-256color"},
    )
    try:
        wait_until(lambda: "? Your turn" in screen(), 60, "the first question")
        subprocess.run([*tmux, "send-keys", "say hello", "Enter"], check=True)
        wait_until(lambda: "You say: hello" in screen(), 10, "the chat")
        subprocess.run([*tmux, "send-keys", "hand", "Enter"], check=True)
        answered = 0
        end = time.monotonic() + 120
        while "exit code" not in screen() and time.monotonic() < end:
            if screen().count("? ") > answered:
                answered = screen().count("? ")
                subprocess.run([*tmux, "send-keys", "1", "Enter"], check=True)
            time.sleep(0.1)
        assert "exit code 0" in screen(), screen()
        assert "the match!" in screen()
    finally:
        subprocess.run([*tmux, "kill-server"], check=False, capture_output=True)


@pytest.mark.soak
@pytest.mark.parametrize("number", range(30))
def test_thirty_matches_in_a_row(tmp_path: Path, number: int) -> None:
    """Two to four seats, to 250 and to 500, with stacking and without."""
    seats, target, stacking = 2 + number % 3, 250 if number % 2 else 500, number // 6 % 2 == 1
    arguments = ["--seats", str(seats), "--target", str(target), *(["--stacking"] if stacking else [])]
    told = bots(tmp_path, *arguments, within=1500)
    assert told["scores"][told["winner"]] >= target


def test_a_trace_of_a_live_peer(tmp_path: Path) -> None:
    """In a file, or on standard error; the game itself is told as ever."""
    file = tmp_path / "trace.txt"
    words = ("play", "--plain", "--bots=1", "--target=0", "--fast", f"--data-dir={tmp_path}")
    for arguments in ((f"--trace={file}",), ("--trace",)):
        done = run(*words, *arguments, script="auto\n" * 400)
        assert done.returncode in (0, 6), done.stderr
        told = file.read_text(encoding="utf-8") if arguments[0] != "--trace" else done.stderr
        for word in (" > ", " < ", "  proof of 'shuffle'", "    challenge rho: ", "'lock'", "key (masked)"):
            assert word in told, word
        assert "proof of" not in done.stdout
        assert (done.stderr == "") == (told != done.stderr)


def test_a_trace_that_cannot_be_written(tmp_path: Path) -> None:
    done = run(
        "play", "--plain", "--bots=1", f"--data-dir={tmp_path}", f"--trace={tmp_path / 'no' / 'where'}", script=""
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "cannot be written" in done.stderr


def test_a_transcript_that_cannot_be_written_ends_the_bots_with_its_name(tmp_path):
    path = tmp_path / "here" / "t.nodealer"
    path.parent.mkdir()
    words = nodealer("bots", "--seats=3", "--target=0", "--fast", f"--transcript={path}")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as program:
        assert program.stdout is not None
        assert "hosts at" in program.stdout.readline()
        # The file begins with the match, when all have come.
        path.parent.rmdir()
        _, told = program.communicate(timeout=120)
    assert told.splitlines() == [
        f"The bot Ada gave no result: The transcript {path} cannot be written (No such file or directory)."
    ]
    assert program.returncode == 4
