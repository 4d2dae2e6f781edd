"""Watching by real processes over real sockets, started the way a person starts them."""

from __future__ import annotations

import json
import subprocess
import threading
from contextlib import ExitStack
from pathlib import Path

from nodealer.cli.narrator import watching

from tests.helpers.command import Program, nodealer

HOST = ("host", "--bot", "--json", "--bind", "127.0.0.1", "--port", "0", "--no-announce", "--target", "0")


def opened(host: Program) -> str:
    return str(json.loads(host.expect("address", within=30))["address"])


def verified(file: Path) -> dict[str, object]:
    told = subprocess.run(nodealer("verify", "--json", str(file)), capture_output=True, text=True, timeout=120)
    report: dict[str, object] = json.loads(told.stdout)
    assert report["status"] == "complete"
    return report


def test_from_the_lobby_and_from_the_middle_the_same_end(tmp_path: Path) -> None:
    """A watcher before the start, another in mid-match: both end in the state in which the players do.

    The host is a person without a clock who waits for the second watcher, so no slow machine misses the match.
    """
    go = threading.Event()
    files = {who: tmp_path / f"{who}.nodealer" for who in ("host", "early")}
    table = ["host", "--plain", "--seats", "2", "--turn-clock", "0", "--target", "0"]
    network = ["--bind", "127.0.0.1", "--port", "0", "--no-announce", "--transcript", str(files["host"])]
    person = Program([*table, *network, "--data-dir", str(tmp_path)], lambda question: "1" if go.is_set() else None)
    with person as host:
        address = host.expect("The table is open at", within=60).split(" at ")[1].split(",")[0]
        with Program(["watch", address, "--plain", "--transcript", str(files["early"])]) as early:
            early.expect("1 of 2 seats are taken", within=60)
            joins = ["join", address, "--bot", "--json", "--bind", "127.0.0.1", "--port", "0", "--fast"]
            with Program([*joins, "--data-dir", str(tmp_path / "bot")]) as bot, ExitStack() as stack:
                host.expect("? ", within=120)
                late = stack.enter_context(Program(["watch", address, "--json"]))
                host.expect("2 people watch the match.", within=120)
                go.set()
                host.say("1")
                assert [program.end(within=600) for program in (bot, host, early, late)] == [0, 0, 0, 0]
                result, told = json.loads(bot.lines[-1]), json.loads(late.lines[-1])
    assert told["complete"] is True
    assert told["seat"] is None
    assert (told["digest"], told["scores"]) == (result["digest"], result["scores"])
    assert verified(files["host"])["digest"] == verified(files["early"])["digest"] == told["digest"]
    assert any(f"The final state is {told['digest'][:16]}" in line for line in early.lines)
    assert all(line.startswith("* ") for line in early.lines)
    assert any("proof checked" in line for line in early.lines)
    assert not any("Your hand" in line for line in early.lines)


def test_leaving_harms_nobody(tmp_path: Path) -> None:
    with Program([*HOST, "--seats", "2", "--data-dir", str(tmp_path)]) as host:
        with Program(["watch", opened(host), "--plain"]) as watcher:
            watcher.expect("1 of 2 seats are taken", within=30)
            watcher.say("hello")
            watcher.expect("`leave` ends it", within=20)
            watcher.say("leave")
            assert watcher.end(within=20) == 6
        assert host.process.poll() is None


def test_where_nobody_may_watch(tmp_path: Path) -> None:
    with (
        Program([*HOST, "--no-watch", "--seats", "2", "--data-dir", str(tmp_path)]) as host,
        Program(["watch", opened(host), "--plain"]) as watcher,
    ):
        watcher.expect("Nobody may watch at this table.", within=30)
        assert watcher.end(within=20) == 7


def test_nobody_is_there() -> None:
    ended = subprocess.run(
        nodealer("watch", "127.0.0.1:9"), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 7
    assert ended.stderr.count("\n") == 1


def test_how_many_watch_in_a_sentence() -> None:
    assert [watching(number) for number in (0, 1, 8)] == [
        "Nobody watches the match any more.",
        "One person watches the match.",
        "8 people watch the match.",
    ]
