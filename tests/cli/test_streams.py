"""Standard streams that are closed, full, or read by nobody, and files that are pipes or devices: the exit code is
still the right one, nothing false is said, and nothing hangs."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from nodealer.cli import main as command
from nodealer.cli import tracing
from nodealer.cli.exits import Exit
from nodealer.cli.output import hush, write_json
from nodealer.cli.progress import Progress
from nodealer.cli.verify import check
from nodealer.p2p.transcript import MAGIC

from tests.helpers.command import ENVIRONMENT, nodealer
from tests.helpers.pages import vector

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
needs_posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")


@pytest.fixture
def bad(tmp_path: Path) -> str:
    data = bytearray(vector("two").read_bytes())
    data[-100] ^= 1
    path = tmp_path / "bad.nodealer"
    path.write_bytes(data)
    return str(path)


def run(*arguments: str, redirect: str) -> subprocess.CompletedProcess[str]:
    """The command with this redirection of the shell."""
    script = f'exec "$@" {redirect}'
    return subprocess.run(
        ["sh", "-c", script, "sh", *nodealer(*arguments)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, env=ENVIRONMENT,
    )  # fmt: skip


def unheard(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    """The command with a standard output that nobody reads."""
    read, write = os.pipe()
    os.close(read)
    try:
        return subprocess.run(
            nodealer(*arguments), stdin=subprocess.DEVNULL, stdout=write, stderr=subprocess.PIPE, timeout=300,
            env=ENVIRONMENT,
        )  # fmt: skip
    finally:
        os.close(write)


@contextmanager
def piped(data: bytes) -> Iterator[str]:
    """The name of a pipe that gives these bytes, a few at a time."""
    read, write = os.pipe()

    def feed() -> None:
        with open(write, "wb", buffering=0) as pipe:
            for at in range(0, len(data), 5000):
                pipe.write(data[at : at + 5000])

    thread = threading.Thread(target=feed, daemon=True)
    thread.start()
    try:
        yield f"/dev/fd/{read}"
    finally:
        os.close(read)


# Nobody reads


@needs_posix
def test_what_verify_finds_is_its_exit_code_also_where_nobody_reads(bad: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    ended = unheard("verify", "--report", str(page), str(vector("two")), bad)
    assert (ended.returncode, ended.stderr) == (Exit.INVALID, b"")
    assert page.exists()
    assert unheard("verify", "--json", str(vector("two"))).returncode == Exit.COMPLETE


@needs_posix
def test_a_replay_that_nobody_reads_is_not_read_to_its_end(bad: str) -> None:
    ended = unheard("replay", bad)
    assert (ended.returncode, ended.stderr) == (3, b"")


@needs_posix
def test_a_table_that_nobody_reads_is_left(tmp_path: Path) -> None:
    ended = unheard(
        "host", "--plain", "--bind", "127.0.0.1", "--port", "0", "--no-announce", "--data-dir", str(tmp_path)
    )
    assert (ended.returncode, ended.stderr) == (Exit.LEFT, b"")
    assert unheard("rules").returncode == Exit.COMPLETE


# Nothing can be written


@needs_full
@pytest.mark.parametrize("arguments", [["verify"], ["verify", "--json"], ["replay"], ["replay", "--open"]])
def test_a_full_disk_is_not_said_of_the_transcript(arguments: list[str], bad: str) -> None:
    ended = run(*arguments, bad, redirect=f">{FULL}")
    assert ended.returncode == Exit.USAGE
    assert ended.stderr == "Standard output cannot be written (No space left on device).\n"


@needs_full
def test_a_sentence_that_cannot_be_said_changes_no_exit_code(tmp_path: Path) -> None:
    assert run("verify", str(tmp_path / "none"), redirect=f"2>{FULL}").returncode == Exit.USAGE


@needs_full
def test_a_trace_that_cannot_be_written_ends_no_match(capsys: pytest.CaptureFixture[str]) -> None:
    class Peer:
        match = None

        def tap(self, tell: object) -> None:
            self.tell = tell

    peer = Peer()
    with tracing.traced(str(FULL), peer):  # type: ignore[arg-type]
        for _ in range(2):
            peer.tell(True, type("Link", (), {"writer": None, "key": b""})(), ["query"])  # type: ignore[operator]
    said = capsys.readouterr().err
    assert said == f"The trace {FULL} is not whole: it could not be written any more (No space left on device).\n"


def test_a_trace_is_written_after_what_the_file_holds(tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear Ada\n")
    with tracing.traced(str(file), type("Peer", (), {"tap": lambda self, tell: None})()):  # type: ignore[arg-type]
        pass
    assert file.read_text() == "Dear Ada\n"


@needs_full
def test_a_log_that_cannot_be_written_is_no_traceback() -> None:
    ended = run("verify", "--log-file", str(FULL), str(vector("two")), redirect="")
    assert (ended.returncode, ended.stderr) == (Exit.COMPLETE, "")
    ended = run("host", "--bind", "203.0.113.9", "--no-announce", "--log-file", str(FULL), redirect="")
    assert ended.returncode == Exit.UNREACHED
    assert ended.stderr.count("\n") == 1


def test_a_terminal_that_is_gone_does_not_stop_the_check() -> None:
    class Gone(io.StringIO):
        def isatty(self) -> bool:
            return True

        def write(self, text: str) -> int:
            raise OSError(5, "Input/output error")

    assert check(str(vector("two")), progress=Progress(Gone())).report.status.value == Exit.COMPLETE


# Closed from the beginning


@needs_posix
@pytest.mark.parametrize("redirect", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("name", ["verify", "replay"])
def test_closed_streams(name: str, redirect: str, bad: str) -> None:
    for file, code in ((str(vector("two")), Exit.COMPLETE), (bad, Exit.INVALID)):
        ended = run(name, file, redirect=redirect)
        assert (ended.returncode, ended.stderr) == (code, "")


# What is no ordinary file


@needs_posix
def test_pipes_are_read_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    data = vector("two").read_bytes()
    for name in ("verify", "replay"):
        with piped(data) as pipe:
            assert command.main([name, pipe]) == Exit.COMPLETE
        assert "The match is valid and complete." in capsys.readouterr().out
        with piped(MAGIC) as pipe:
            assert command.main([name, pipe]) == 3
        with piped(b"GIF89a") as pipe:
            assert command.main([name, pipe]) == Exit.USAGE
        assert "no transcript of nodealer" in capsys.readouterr().err


@needs_posix
def test_progress_of_a_pipe_tells_no_percentage(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("nodealer.cli.progress.EVERY_S", 0.0)
    out = Terminal()
    with piped(vector("two").read_bytes()) as pipe:
        assert check(pipe, progress=Progress(out)).report.status.value == Exit.COMPLETE
    assert "Checking: round 1; 2 shuffles" in out.getvalue()
    assert "%" not in out.getvalue()


@needs_posix
def test_a_report_goes_into_no_pipe_and_no_device(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for out in (fifo, Path(os.devnull)):
        assert command.main(["verify", str(vector("two")), "--report", str(out)]) == Exit.USAGE
        said = capsys.readouterr()
        assert (said.out, said.err) == ("", f"The report cannot be written to {out}: that is no ordinary file.\n")
        assert out.exists()
        assert not out.is_file()


@needs_posix
def test_a_link_to_a_report_stays_one(tmp_path: Path) -> None:
    page, link = tmp_path / "page.html", tmp_path / "link.html"
    page.touch()
    link.symlink_to(page.name)
    assert command.main(["verify", str(vector("two")), "--report", str(link)]) == Exit.COMPLETE
    assert link.is_symlink()
    assert "Valid and complete" in page.read_text(encoding="utf-8")


# What the encoding lacks


def test_json_is_whole_in_any_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    value = {"name": "Zoë \u05d0", "file": "a\udcff.nodealer"}
    for encoding in ("ascii", "utf-8", "latin-1"):
        raw = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
        write_json(value)
        assert json.loads(raw.getvalue().decode(encoding)) == value
        monkeypatch.undo()


def test_hushed_output_is_written_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = io.StringIO()
    monkeypatch.setattr(sys, "stdout", heard)
    hush()
    print("nothing")
    assert heard.getvalue() == ""
