"""A table's passphrase on the command line: from a file, from standard input, typed unseen; wrong ones; never shown."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from nodealer.cli import main as command
from nodealer.cli.exits import Complaint, Exit
from nodealer.cli.host import describe
from nodealer.cli.passphrase import given
from nodealer.cli.tables import row
from nodealer.p2p.guesses import FIRST_WAIT
from nodealer.p2p.identity import Identity
from nodealer.p2p.net.records import table_info, txt_of
from nodealer.p2p.options import TableOptions
from nodealer.p2p.passphrase import Passphrase
from nodealer.p2p.peer import Peer

from tests.cli.screen.tmux import Tmux, dealt
from tests.helpers.command import ENVIRONMENT, Program, children, nodealer, wait_until

SECRET = "vier Füße, swordfish"
tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed here")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "passphrase"
    path.write_text(f"{SECRET}\nwhat comes after does not count\n", encoding="utf-8")
    return path


@pytest.fixture
def host(tmp_path: Path, file: Path) -> Iterator[tuple[Program, str]]:
    """A table of three with one bot, and its address."""
    arguments = [
        *("host", "--seats=3", "--bots=1", "--bind=127.0.0.1", "--port=0", "--no-announce", "--target=0", "--fast"),
        *(f"--passphrase-file={file}", "--name=Hana", f"--data-dir={tmp_path / 'hana'}"),
    ]
    with Program(arguments, lambda question: None if "start with who is there" in question else "auto") as program:
        told = program.expect("The table is open at", within=20)
        assert "who know the passphrase" in told
        program.expect("2 of 3 seats are taken", within=30)
        yield program, told.split(" at ")[1].split(",")[0]


def join(address: str, *more: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        nodealer("join", address, "--bot", "--fast", *more),
        input=given, capture_output=True, text=True, encoding="utf-8", timeout=120, env=ENVIRONMENT,
    )  # fmt: skip


def test_bots_and_friends_sit_down_and_nobody_else(tmp_path: Path, host: tuple[Program, str]) -> None:
    program, address = host
    place = f"--data-dir={tmp_path / 'joe'}"
    for more, text, sentence in (
        ((), "", "asks for a passphrase; give it with --passphrase-file"),
        (("--passphrase-file=-",), "tuna\n", "The passphrase is wrong"),
    ):
        ended = join(address, place, *more, given=text)
        assert ended.returncode == 7, ended.stderr
        assert ended.stderr.count("\n") == 1
        assert sentence in ended.stderr
    program.expect("A wrong passphrase came lately, the last from 127.0.0.1.", within=10)
    assert not any("Joe" in line for line in program.lines)
    if sys.platform.startswith("linux"):
        for pid in (program.process.pid, *children(program.process.pid)):
            for name in ("cmdline", "environ"):
                assert b"swordfish" not in Path(f"/proc/{pid}/{name}").read_bytes()
    time.sleep(FIRST_WAIT + 0.2)
    ended = join(address, place, "--passphrase-file=-", given=f"{SECRET}\n")
    assert ended.returncode == 0, ended.stderr + ended.stdout
    assert program.end(within=60) == 0
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.name != "passphrase"]
    assert not any(b"swordfish" in data for data in kept)


def test_a_passphrase_where_there_is_none_is_refused(tmp_path: Path, file: Path) -> None:
    arguments = ["host", "--bind=127.0.0.1", "--port=0", "--no-announce", f"--data-dir={tmp_path / 'hana'}"]
    with Program(arguments) as program:
        address = program.expect("The table is open at", within=20).split(" at ")[1].split(",")[0]
        ended = join(address, f"--data-dir={tmp_path / 'joe'}", f"--passphrase-file={file}")
        assert ended.returncode == 5
        assert "This table has no passphrase" in ended.stdout


def test_what_is_announced_and_listed() -> None:
    options = TableOptions.defaults("four-colors", 4, 0)
    for passphrase in (None, Passphrase(SECRET)):
        peer = Peer.host(Identity.from_seed(bytes(32)), "Zoe", options, passphrase=passphrase)
        described = describe(peer)
        assert txt_of(described, peer.key)["pass"] == ("0" if passphrase is None else "1")
        assert row(table_info(described, peer.key, ("10.0.0.1", 1)))["passphrase"] is (passphrase is not None)


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff\xfe\n", b"x" * 300, b"x" * 10_000])
def test_a_file_without_a_passphrase_is_one_sentence(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "passphrase"
    path.write_bytes(content)
    assert command.main(["host", "--bot", f"--passphrase-file={path}", f"--data-dir={tmp_path}"]) == Exit.USAGE
    assert capsys.readouterr().err.count("\n") == 1
    assert command.main(["join", "--bot", f"--passphrase-file={tmp_path / 'none'}"]) == Exit.USAGE
    assert "cannot be read" in capsys.readouterr().err


def test_the_first_line_counts_and_is_read_once(file: Path) -> None:
    args = command.parser().parse_args(["join", f"--passphrase-file={file}"])
    found = given(args)
    assert found is not None
    assert found.line == SECRET
    file.unlink()
    assert given(args) is found
    assert SECRET not in repr(args)
    with pytest.raises(Complaint):
        given(command.parser().parse_args(["join", f"--passphrase-file={file}"]))


@tmux
@pytest.mark.parametrize("mode", ["--plain", "--ascii"], ids=["lines", "screen"])
def test_it_is_asked_for_at_a_terminal_and_not_shown(tmp_path: Path, host: tuple[Program, str], mode: str) -> None:
    _, address = host
    words = ["join", address, mode, "--name=Moe", f"--data-dir={tmp_path / 'moe'}"]
    with Tmux(words, 80, 24) as window:
        window.wait("Passphrase of the table:", 30)
        window.press("t", "u", "n", "a", "Enter")
        shown = window.wait("EXIT 7", 20)
        assert "The passphrase is wrong" in " ".join(shown.split())
        assert "tuna" not in shown
    time.sleep(FIRST_WAIT)
    with Tmux(words, 80, 24) as window:
        window.wait("Passphrase of the table:", 30)
        window.press("vier", "Space", "Füße,", "Space", "swordfish", "Enter")
        shown = window.wait(lambda text: dealt(text) or "Your hand:" in text or "try again in" in text, 40)
        assert "swordfish" not in shown
        assert "try again in" not in shown


@tmux
def test_it_is_asked_for_in_the_lobby_and_again_after_a_wrong_one(tmp_path: Path, host: tuple[Program, str]) -> None:
    program, address = host
    places = {"XDG_CONFIG_HOME": str(tmp_path / "c"), "XDG_DATA_HOME": str(tmp_path / "d")}
    with Tmux([], 80, 24, **places) as window:
        window.wait("Tables on this network", 20)
        window.press("a", *address, "Enter")
        window.wait("passphrase:", 20)
        window.press("tuna", "Enter")
        window.wait("The passphrase is wrong", 20)
        shown = window.wait("passphrase:", 20)
        assert "tuna" not in shown
        wait_until(lambda: any("wrong passphrase" in line for line in program.lines), 5, "the host's notice")
        time.sleep(FIRST_WAIT + 0.2)
        window.press("vier", "Space", "Füße,", "Space", "swordfish", "Enter")
        window.wait(dealt, 40)
        assert "swordfish" not in "\n".join(program.lines)
