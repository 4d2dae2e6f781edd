"""What this machine may do to the program: one sentence, the right exit code, and nothing lost."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from nodealer.cli.home import Home

from tests.helpers.command import ENVIRONMENT, nodealer

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, before: tuple[str, ...] = (), script: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*before, *nodealer(*arguments)],
        input=script, capture_output=True, text=True, encoding="utf-8", timeout=90, env=ENVIRONMENT,
    )  # fmt: skip


def sentence(ended: subprocess.CompletedProcess[str], code: int) -> str:
    """The one sentence on standard error."""
    assert ended.returncode == code, ended.stdout + ended.stderr
    assert ended.stderr.count("\n") == 1, ended.stderr
    assert ended.stderr.endswith(".\n")
    return ended.stderr


# The identity


@pytest.mark.skipif(os.name == "nt", reason="modes of files are Unix's")
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o602, 0o666])
def test_an_identity_that_others_can_read_or_change_is_refused(tmp_path: Path, mode: int) -> None:
    home = Home.open(str(tmp_path))
    seed = home.seed()
    home.close()
    file = tmp_path / "identity"
    before = file.read_bytes()
    file.chmod(mode)
    for command in (["host", "--bot"], ["join", "127.0.0.1:1", "--bot"], ["play", "--plain"]):
        said = sentence(run(*command, "--data-dir", str(tmp_path)), 2)
        assert "chmod 600" in said
        assert str(file) in said
        assert seed.hex() not in said
    assert file.read_bytes() == before
    file.chmod(0o600)
    home = Home.open(str(tmp_path))
    assert home.seed() == seed
    home.close()


# Ports


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        yield held.getsockname()[1]


@pytest.mark.parametrize("command", [["host"], ["host", "--json"], ["join", "127.0.0.1:1"]])
def test_a_port_in_use(tmp_path: Path, taken: int, command: list[str]) -> None:
    place = ["--bot", f"--port={taken}", "--bind=127.0.0.1", f"--data-dir={tmp_path}"]
    ended = run(*command, *place)
    said = sentence(ended, 7)
    assert f"Port {taken} is in use" in said
    assert "--port" in said
    assert ended.stdout == ""


def test_an_address_that_is_not_this_machines(tmp_path: Path) -> None:
    said = sentence(run("host", "--bot", "--bind=192.0.2.1", f"--data-dir={tmp_path}"), 7)
    assert "192.0.2.1" in said


# No network


@pytest.fixture(params=["nothing", "loopback"])
def alone(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """A command that runs another without any network, or with loopback alone."""
    unshare = ("unshare", "--user", "--map-root-user", "--net")
    if shutil.which("unshare") is None or subprocess.run([*unshare, "true"], capture_output=True).returncode:
        pytest.skip("no namespaces here")
    if request.param == "nothing":
        return unshare
    if shutil.which("ip") is None:
        pytest.skip("no ip command here")
    return (*unshare, "sh", "-c", 'ip link set lo up && exec "$@"', "sh")


def test_without_a_network_it_is_said(tmp_path: Path, alone: tuple[str, ...]) -> None:
    place = f"--data-dir={tmp_path}"
    nothing = len(alone) == 4
    for wanted in ([], ["Zoe"]):
        said = sentence(run("join", *wanted, "--bot", place, before=alone), 7)
        assert ("does not work on this machine" if nothing else "it is on no network") in said
    assert sentence(run("join", "192.0.2.1:7425", "--bot", place, before=alone), 7)
    listed = run("tables", before=alone)
    if nothing:
        assert "does not work on this machine" in sentence(listed, 7)
    else:
        assert (listed.returncode, listed.stderr) == (0, "")
        assert "it is on no network" in listed.stdout
        hosted = run("host", place, "--plain", before=alone)  # its input ends at once: it leaves
        assert hosted.returncode == 6
        assert "only programs that run on it can join" in hosted.stdout


def test_without_a_network_bots_still_play(tmp_path: Path, alone: tuple[str, ...]) -> None:
    """Loopback is all that a game against bots needs."""
    ended = run("play", "--plain", "--bots=1", "--target=0", "--fast", f"--data-dir={tmp_path}",
                before=alone, script="auto\n" * 1000)  # fmt: skip
    if len(alone) == 4:
        assert sentence(ended, 5)
    else:
        assert ended.returncode == 0, ended.stdout[-500:] + ended.stderr


def test_json_stays_json_whatever_is_wrong(tmp_path: Path, alone: tuple[str, ...]) -> None:
    with subprocess.Popen(
        [*alone, *nodealer("host", "--bot", "--json", "--tied")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT,
    ) as process:  # fmt: skip
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=3)
        out, _ = process.communicate("", timeout=30)
    for line in out.splitlines():
        assert isinstance(json.loads(line), dict)


# The clock


def test_no_program_asks_the_clock_on_the_wall() -> None:
    """A clock that jumps can matter only where one is read: nothing but file names may come from it."""
    asked: set[tuple[str, str]] = set()
    for path in sorted(path for folder in ("engine", "crypto", "p2p", "cli") for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Attribute(value=ast.Name(id="time"), attr=name):
                    asked.add((str(path.relative_to(ROOT)), name))
                case ast.Import(names=names) if any(name.name == "datetime" for name in names):
                    asked.add((str(path.relative_to(ROOT)), "datetime"))
                case ast.ImportFrom(module="time" | "datetime"):
                    asked.add((str(path.relative_to(ROOT)), "from time"))
    steady = {"monotonic", "get_clock_info", "perf_counter", "process_time", "thread_time", "sleep"}
    assert {place for place in asked if place[1] not in steady} == {("cli/keeper.py", "strftime")}


@pytest.mark.skipif(shutil.which("faketime") is None, reason="faketime is not installed here")
@pytest.mark.parametrize("rate", ["+0 x1000", "-1000d"])
def test_a_match_by_a_wrong_clock(tmp_path: Path, rate: str) -> None:
    """A clock on the wall that runs a thousand times too fast, or is years behind, with the steady one left alone."""
    environment = {**ENVIRONMENT, "DONT_FAKE_MONOTONIC": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    ended = subprocess.run(
        ["faketime", "-f", rate, *nodealer("bots", "--seats=2", "--target=0", "--fast", "--grace=60", "--json")],
        capture_output=True, text=True, timeout=120, env=environment,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
