"""Watching by real processes over real sockets, started the way a person starts them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from nodealer.cli.narrator import watching

from tests.helpers.command import ENVIRONMENT, Program, nodealer

HOST = ("host", "--bot", "--json", "--bind", "127.0.0.1", "--port", "0", "--no-announce", "--target", "0")


def opened(host: Program) -> str:
    return str(json.loads(host.expect("address", within=30))["address"])


def test_from_the_lobby_and_from_the_middle_the_same_end(tmp_path: Path) -> None:
    """A watcher before the start, another in mid-match through the other player: all end in one state."""
    file = tmp_path / "watched.nodealer"
    with Program([*HOST, "--seats", "2", "--data-dir", str(tmp_path / "host")]) as host:
        address = opened(host)
        with Program(["watch", address, "--plain", "--transcript", str(file)]) as early:
            early.expect("1 of 2 seats are taken", within=30)
            joins = ["join", address, "--bot", "--json", "--bind", "127.0.0.1", "--port", "0"]
            with Program([*joins, "--data-dir", str(tmp_path / "guest")]) as guest:
                early.expect("Turned up", within=60)
                late = subprocess.run(
                    nodealer("watch", address, "--json"),
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                    encoding="utf-8",
                    timeout=200,
                    env=ENVIRONMENT,
                )
                assert late.returncode == 0, late.stdout + late.stderr
                told = json.loads(late.stdout)
                assert (early.end(within=30), host.end(within=30), guest.end(within=30)) == (0, 0, 0)
                players = [json.loads(program.lines[-1]) for program in (host, guest)]
    assert told["complete"] is True
    assert told["seat"] is None
    assert {player["digest"] for player in players} == {told["digest"]}
    assert told["scores"] == players[0]["scores"]
    assert any(f"The final state is {told['digest'][:16]}" in line for line in early.lines)
    assert all(line.startswith("* ") for line in early.lines)
    assert any("proof checked" in line for line in early.lines)
    assert not any("Your hand" in line for line in early.lines)
    verified = subprocess.run(nodealer("verify", "--json", str(file)), capture_output=True, text=True, timeout=60)
    assert json.loads(verified.stdout)["digest"] == told["digest"]


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
