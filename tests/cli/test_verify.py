"""``nodealer verify``: what it says, its one line of JSON, its exit codes, the file of its report, its progress."""

from __future__ import annotations

import io
import json
import re
import stat
import sys
from pathlib import Path

import pytest
from nodealer.cli import main as command
from nodealer.cli import verify as verify_module
from nodealer.cli.exits import Exit
from nodealer.cli.progress import Progress
from nodealer.cli.report_page.page import SIGN
from nodealer.p2p.transcript import MAGIC, TranscriptReader, frame

from tests.helpers.pages import read, vector

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def payloads(name: str) -> list[bytes]:
    return list(TranscriptReader(io.BytesIO(vector(name).read_bytes())).payloads())


@pytest.fixture
def cut(tmp_path: Path) -> Path:
    """A match that was left in the middle."""
    return cut_of(tmp_path)


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """A transcript that was damaged on the way."""
    data = bytearray(vector("two").read_bytes())
    data[-100] ^= 1
    path = tmp_path / "bad.nodealer"
    path.write_bytes(bytes(data))
    return path


def test_it_says_what_was_established(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["verify", str(vector("minions"))]) == Exit.COMPLETE
    said = capsys.readouterr()
    assert said.err == ""
    lines = said.out.splitlines()
    assert lines[:2] == [
        "The match is valid and complete.",
        "Established: 3 shuffles of 112 cards by 3 players proven; 3 locks proven; 62 cards shown, each opened to the "
        "deck; 1 challenge proven; 4 hands proven to hold no icon; final scores follow.",
    ]
    assert lines[3:] == ["1 round ended; scores: Player 2 73, Player 0 0, Player 1 0.", "Player 2 won.",
                         "202 signed messages checked."]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("ohana", "1 challenge proven; 3 sealed choices opened as committed"),
        ("reshuffle", "2 shuffles of 108 cards and 2 of the discard pile by 2 players proven; 4 locks proven;"),
        ("reshuffle", "scores so far follow"),
    ],
)
def test_it_counts_every_kind_of_proof(name: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["verify", str(vector(name))]) in (Exit.COMPLETE, 3)
    assert told in capsys.readouterr().out


def test_an_invalid_one_names_message_and_check(bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["verify", str(bad)]) == Exit.INVALID
    out = capsys.readouterr().out
    assert re.search(r"^Failed check: record \(record \d+\)\.$", out, re.M)
    assert "Until then: 2 shuffles of 108 cards by 2 players proven" in out
    assert "scores follow" not in out


def test_json_is_one_line_with_the_documented_fields(capsys: pytest.CaptureFixture[str], bad: Path, cut: Path) -> None:
    codes = {vector("two"): 0, bad: 1, cut: 3}
    for path, code in codes.items():
        assert command.main(["verify", "--json", str(path)]) == code
        out = capsys.readouterr().out
        assert out.count("\n") == 1
        told = json.loads(out)
        assert told["file"] == str(path)
        assert told["status"] == {0: "complete", 1: "invalid", 3: "unfinished"}[code]
        documented = re.search(r"`verify --json` .*?\n\n((?:\|.*\n)+)", README, re.S)
        assert documented is not None
        assert set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|([^|]*)\|", documented[1], re.M)))) == set(told)
    unreadable = cut.with_name("none")
    unreadable.write_bytes(b"GIF89a")
    assert command.main(["verify", "--json", str(unreadable)]) == Exit.USAGE
    assert json.loads(capsys.readouterr().out)["status"] == "unreadable"


def test_of_several_each_is_told_and_the_worst_counts(
    capsys: pytest.CaptureFixture[str], bad: Path, cut: Path, tmp_path: Path
) -> None:
    noise = tmp_path / "noise"
    noise.write_bytes(b"GIF89a")
    whole = str(vector("two"))
    for files, code in (
        ([whole, str(cut)], 3),
        ([str(cut), str(noise)], 2),
        ([str(noise), str(bad)], 1),
    ):
        assert command.main(["verify", *files]) == code
        out = capsys.readouterr().out
        assert [line.partition(": ")[0] for line in out.splitlines() if not line.startswith("  ")] == files
    assert command.main(["verify", "--json", str(noise), str(cut)]) == 2
    assert [json.loads(line)["file"] for line in capsys.readouterr().out.splitlines()] == [str(noise), str(cut)]


def test_a_file_that_cannot_be_read_keeps_no_other_from_being_checked(
    capsys: pytest.CaptureFixture[str], bad: Path, tmp_path: Path
) -> None:
    none, whole, out = tmp_path / "none", vector("two"), tmp_path / "out.html"
    assert command.main(["verify", str(whole), str(none), str(tmp_path), str(bad), "--report", str(out)]) == 1
    said = capsys.readouterr().out
    assert f"{none}: The transcript cannot be read (" in said
    assert f"{bad}: " in said
    sections = read(out.read_text(encoding="utf-8")).all("section")
    [files] = [one.text for one in sections if one.attributes["id"] == "files"]
    assert "none" in files
    assert "Not valid" in files
    assert command.main(["verify", "--json", str(none), str(whole)]) == 2
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["file"], one["status"]) for one in told] == [(str(none), "unreadable"), (str(whole), "complete")]


def test_a_report_without_a_match_is_not_missed_in_silence(
    capsys: pytest.CaptureFixture[str], cut: Path, tmp_path: Path
) -> None:
    noise, out = tmp_path / "noise", tmp_path / "out.html"
    noise.write_bytes(b"GIF89a")
    assert command.main(["verify", str(noise), str(cut), "--report", str(out)]) == 2
    assert capsys.readouterr().err.startswith("No report is written: ")
    assert not out.exists()


@pytest.mark.parametrize("name", ["a\x1b[31m\x07red", "two\nlines", "\u202ereversed", "<b>&'\"", "a\udcffb"])
def test_a_file_may_have_any_name(name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """It may have come from anywhere: it steers no terminal and no page."""
    file, out = tmp_path / name, tmp_path / "out.html"
    try:
        file.write_bytes(vector("two").read_bytes())
    except OSError:
        pytest.skip("no such name on this system")
    for words in (["verify"], ["verify", str(cut_of(tmp_path))], ["replay", "--plain"]):
        assert command.main([*words, str(file)]) in (0, 3)
        said = capsys.readouterr().out
        assert all(char.isprintable() or char == "\n" for char in said)
    assert command.main(["verify", "--json", str(file)]) == 0
    assert json.loads(capsys.readouterr().out)["file"] == str(file)
    assert command.main(["verify", "--report", str(out), str(file), str(file)]) == 0
    page = out.read_text(encoding="utf-8")
    assert name not in page
    file.write_bytes(b"GIF89a")
    for command_name in ("verify", "replay"):
        assert command.main([command_name, str(file)]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert said[:-1].isprintable()


def cut_of(folder: Path) -> Path:
    path = folder / "cut.nodealer"
    path.write_bytes(MAGIC + b"".join(map(frame, payloads("two")[:60])))
    return path


def test_how_many_have_shuffled_is_counted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Of a file that ends in the middle of the first deck not more is said than stands in it."""
    path = tmp_path / "early.nodealer"
    path.write_bytes(MAGIC + b"".join(map(frame, payloads("two")[:6])))
    assert command.main(["verify", str(path)]) == 3
    told = (
        "Established: 1 shuffle of 108 cards by 1 player proven; no locks proven; no card shown; scores so far follow."
    )
    assert told in capsys.readouterr().out.splitlines()


def test_the_report_is_written_whole_and_again(tmp_path: Path, cut: Path, bad: Path) -> None:
    out = tmp_path / "out.html"
    for path, code, word in ((vector("two"), 0, "Valid and complete"), (cut, 3, "unfinished"), (bad, 1, "Not valid")):
        assert command.main(["verify", str(path), "--report", str(out)]) == code
        page = out.read_text(encoding="utf-8")
        assert page.startswith(SIGN)
        assert word in read(page).all("header")[0].text
        assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []
    if sys.platform != "win32":
        assert not stat.S_IMODE(out.stat().st_mode) & 0o111


def test_a_report_that_cannot_be_written_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = vector("two").read_bytes()
    mine = tmp_path / "match.nodealer"
    mine.write_bytes(whole)
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ada")
    link = tmp_path / "link.nodealer"
    for out in (tmp_path, tmp_path / "nowhere" / "x.html", letter, mine, letter / "x.html"):
        assert command.main(["verify", str(mine), "--report", str(out)]) == Exit.USAGE
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.count("\n") == 1
        assert said.err.rstrip().endswith(".")
    assert mine.read_bytes() == whole
    assert letter.read_text() == "Dear Ada"
    assert {one.name for one in tmp_path.iterdir()} == {mine.name, letter.name}
    # An empty file holds nothing to lose, unless it is what is to be checked.
    link.write_bytes(b"")
    assert command.main(["verify", str(link), "--report", str(link)]) == Exit.USAGE
    assert link.read_bytes() == b""


def test_no_page_of_what_is_no_transcript(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    noise, out = tmp_path / "noise", tmp_path / "out.html"
    noise.write_bytes(b"GIF89a")
    assert command.main(["verify", str(noise), "--report", str(out)]) == Exit.USAGE
    assert "no transcript" in capsys.readouterr().err
    assert {one.name for one in tmp_path.iterdir()} == {"noise"}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_told_on_a_terminal_and_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nodealer.cli.progress.EVERY_S", 0.0)
    out = Terminal()
    verify_module.check(str(vector("two")), progress=Progress(out))
    shown = out.getvalue().split("\r")
    assert any(re.match(r"Checking: \d+ %, round 1; 2 shuffles, 1 lock and no cards hold", line) for line in shown)
    percents = [int(match[1]) for line in shown if (match := re.match(r"Checking: (\d+) %", line))]
    assert percents == sorted(percents)
    assert percents[0] < 20
    assert percents[-1] > 90
    assert shown[-1] == ""
    assert set(shown[-2]) == {" "}
    assert "\n" not in out.getvalue()


def test_no_progress_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nodealer.cli.progress.EVERY_S", 0.0)
    out = io.StringIO()
    verify_module.check(str(vector("two")), progress=Progress(out))
    assert out.getvalue() == ""
