"""The examples run, and what they print is so."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from examples import cheat, one_match
from examples.cheats.catalogue import CATALOGUE
from examples.program import exit_code

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ("one_match", "cheat")


def test_examples_import_no_test() -> None:
    for path in (ROOT / "examples").glob("**/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.split(".")[0] == "tests"], path


def test_one_match_tells_every_entry_of_its_side(capsys: pytest.CaptureFixture[str]) -> None:
    assert one_match.main(["--seats", "2", "--seed", "3"]) == 0
    told = capsys.readouterr().out
    assert "All 2 peers ended with the same digest." in told
    [signed] = re.findall(r"(\d+) signed messages checked", told)
    entries = set(re.findall(r"'(\w[\w ]*)', number (\d+) of ([\w ]+), for slot", told))
    # The first entry goes out before the players have their names.
    assert len({(number, who.replace("writer", "Player")) for _, number, who in entries}) == int(signed)
    for statement in ("'shuffle'", "'lock'"):
        assert f"proof of {statement}" in told
    assert "challenge e: scalar" in told
    assert "secret nonce" in told


def test_one_match_is_the_same_again_for_a_seed(capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for seed in ("a", "a", "b"):
        one_match.main(["--seats", "2", "--seed", seed, "--quiet"])
        told.append(capsys.readouterr().out)
    assert told[0] == told[1] != told[2]
    assert all(line.startswith("* ") for line in told[0].splitlines()[:-7])


@pytest.mark.parametrize("edition", ["despicable-me-4", "lilo-stitch"])
def test_one_match_of_another_edition(edition: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert one_match.main(["--edition", edition, "--seed", "2", "--quiet"]) == 0
    assert "valid and complete" in capsys.readouterr().out


@pytest.mark.parametrize("name", SCRIPTS)
def test_an_example_is_a_program(name: str) -> None:
    done = subprocess.run(
        [sys.executable, f"examples/{name}.py", "--help"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"usage: {name}.py")


@pytest.mark.parametrize(
    "words", [["--edition", "chess"], ["--edition", "four-colors", "--seats", "5"], ["--seats", "11"], ["more"]]
)
def test_a_match_that_cannot_be_is_one_sentence(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        one_match.main(words)
    assert ended.value.code == 2
    assert ": error: " in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(("name", "words"), [("one_match", ["--seats", "2"]), ("cheat", ["coin", "UNO"])])
def test_an_example_that_nobody_reads_on_ends(name: str, words: list[str]) -> None:
    with subprocess.Popen(
        [sys.executable, f"examples/{name}.py", *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        assert program.stdout.readline()
        program.stdout.close()
        assert program.stderr.read() == b""
        assert program.wait(timeout=600) == 1


def test_an_example_that_is_interrupted_ends() -> None:
    def interrupted() -> int:
        raise KeyboardInterrupt

    assert exit_code(interrupted) == 130
    assert exit_code(lambda: 0) == 0


@pytest.mark.parametrize("name", [kind.name for kind in CATALOGUE])
def test_each_cheat_is_found_and_told(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """That it is found by every honest peer and in every transcript is checked by `caught`, which raises otherwise."""
    assert cheat.main([name]) == 0
    told = capsys.readouterr().out
    kind = next(kind for kind in CATALOGUE if kind.name == name)
    assert told.startswith(f"{name}: Player ")
    for line in ("  sent: ", f"  failed check: {kind.check}, at Player ", "  verifier: "):
        assert line in told
    if kind.shown:
        assert "cheated" in told


def test_the_list_of_cheats(capsys: pytest.CaptureFixture[str]) -> None:
    assert cheat.main(["--list"]) == 0
    assert capsys.readouterr().out.count("\n") == len(CATALOGUE) == len({kind.name for kind in CATALOGUE})
    with pytest.raises(SystemExit):
        cheat.main(["no such cheat"])


def test_a_cheat_that_nobody_finds_is_a_failure() -> None:
    """The example does not just print: an honest peer called a cheat raises."""
    from dataclasses import replace

    kind = next(kind for kind in CATALOGUE if kind.name == "coin")
    with pytest.raises(AssertionError):
        cheat.try_out(replace(kind, check="another check"))
