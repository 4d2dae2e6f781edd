"""The command line itself: usage, exit codes, one sentence for an error, what the README promises, light start."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from nodealer.cli import VERSION
from nodealer.cli import main as command
from nodealer.cli.exits import Exit
from nodealer.cli.join import parse_address
from nodealer.cli.manual import page
from nodealer.cli.options import again, table_options
from nodealer.engine import EDITIONS
from nodealer.p2p.options import TableOptions

ROOT = Path(__file__).resolve().parents[2]


def commands() -> dict[str, argparse.ArgumentParser]:
    """The sub-commands of the parser by name."""
    actions = command.parser()._actions
    return next(a.choices for a in actions if isinstance(a, argparse._SubParsersAction))


def test_readme_and_help_name_the_same_commands() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `nodealer (\w+)` \|", readme, re.M))
    assert told == set(commands()) == set(command.MODULES)
    assert all(f"make {target}" in readme for target in ("play", "test"))


def test_readme_names_files_that_exist() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in re.findall(r"`((?:engine|crypto|p2p|cli|tests)/[\w/]*(?:\.py)?)`", readme):
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["play", "--foo"], "Unrecognized arguments: --foo; see nodealer play --help."),
        (["verify", "x", "--bots", "2"], "Unrecognized arguments: --bots 2; see nodealer verify --help."),
        (["--foo"], "Unrecognized arguments: --foo; see nodealer --help."),
        (["paly"], "There is no command 'paly'; see nodealer --help."),
        (["--ascii", "play"], "--ascii before a command is for the lobby: nodealer play --ascii."),
        (["--data-dir", "x", "doctor"], "--data-dir before a command is for the lobby: nodealer doctor --data-dir."),
    ],
)
def test_wrong_usage_names_the_help_that_helps(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(arguments) == Exit.USAGE
    assert capsys.readouterr().err == f"{told}\n"


def test_help_keeps_within_the_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    for arguments in (["--help"], *([name, "--help"] for name in command.MODULES)):
        with pytest.raises(SystemExit):
            command.main(arguments)
        assert max(map(len, capsys.readouterr().out.splitlines())) <= 70, arguments


def test_the_man_page_names_what_an_option_takes() -> None:
    told = page()
    assert "VALUE" not in told
    assert r"\fB\-\-bots\fR K" in told
    assert r"\fB\-\-log\-file\fR FILE" in told


def test_every_exit_code_is_documented() -> None:
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for code in Exit:
        if code not in (Exit.INTERNAL, Exit.TERMINATED):
            assert re.search(rf"[·:] {code.value}[ ,]", readme), code
            assert re.search(rf"(?<!\d){code.value}[ ,]", command.EXITS), code


@pytest.mark.parametrize("name", sorted(command.MODULES))
def test_every_command_has_help_for_every_option(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main([name, "--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: nodealer {name}")
    assert all(action.help for action in commands()[name]._actions)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["play", "--bots", "0"],
        ["play", "--bots", "2", "--seats", "4"],
        ["play", "--edition", "poker"],
        ["play", "--bots", "5"],
        ["play", "--target", "123"],
        ["play", "--name", "\x1b\x07"],
        ["play", "--name", "x" * 25],
        ["host", "--seats", "3", "--bots", "3"],
        ["host", "--edition", "lilo-stitch", "--stacking"],
        ["join", "127.0.0.1:0"],
        ["join", ":7425"],
        ["join", "host:port"],
        ["bots", "--seats", "1"],
        ["bots", "--seats", "5"],
        ["bots", "--transcript", "/nowhere/at/all"],
        ["verify"],
        ["verify", "/nowhere/at/all"],
        ["rules", "poker"],
        ["bench", "--cards", "1"],
        ["tables", "--log-file", "/nowhere/at/all"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_one_sentence_and_exit_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    if arguments[0] in ("play", "host", "join"):
        arguments = [*arguments, "--data-dir", str(tmp_path)]
    assert command.main(arguments) == Exit.USAGE
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.rstrip().endswith(".")


def test_no_command_prints_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([]) == Exit.USAGE
    assert "exit codes:" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--version"]) == 0
    assert re.fullmatch(r"nodealer \d+\.\d+\.\d+\n", capsys.readouterr().out)


def test_a_fault_of_ours_is_a_sentence_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def broken(args: object) -> int:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("nodealer.cli.rulebook.run", broken)
    log = tmp_path / "log"
    assert command.main(["rules", "--log-file", str(log)]) == Exit.INTERNAL
    err = capsys.readouterr().err
    assert "ZeroDivisionError: oops" in err
    assert "Traceback" not in err
    assert "Traceback" in log.read_text()


def test_options_of_a_table() -> None:
    args = command.parser().parse_args(["bots", "--seats", "3", "--stacking", "--fast", "--turn-clock", "9"])
    options = table_options(args)
    assert (options.seats, options.stacking, options.uno_window_ms, options.turn_clock) == (3, True, 300, 9)
    assert options.keep_delay_ms == 0
    again_args = command.parser().parse_args(["host", *again(args)])
    assert table_options(again_args) == options


def test_escrow_is_the_rule_for_three_or_more_and_can_be_declined() -> None:
    def offered(*arguments: str) -> tuple[bool, bool]:
        args = command.parser().parse_args(["host", *arguments])
        passed_on = command.parser().parse_args(["host", *again(args)])
        return table_options(args).escrow, table_options(passed_on).escrow

    assert offered() == offered("--seats", "3", "--fast") == (True, True)
    assert offered("--seats", "2") == offered("--seats", "2", "--no-escrow") == (False, False)
    assert offered("--no-escrow") == offered("--seats", "3", "--no-escrow", "--fast") == (False, False)


@pytest.mark.parametrize("name", ["play", "host", "bots"])
def test_help_of_a_table_is_honest(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main([name, "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert "--no-escrow" in told
    assert "before they vote to go on without it (90); who starts again within it plays on" in told


def test_the_help_knows_every_edition_and_its_defaults() -> None:
    assert set(command.EDITIONS) == set(EDITIONS)
    for edition in EDITIONS:
        options = TableOptions.defaults(edition)
        first = edition == command.EDITIONS[0]
        assert (options.target, options.uno_window_ms) == ((250, 5000) if first else (0, 3000))


def test_defaults_of_a_table() -> None:
    options = table_options(command.parser().parse_args(["host"]))
    assert (options.edition, options.seats, options.target) == ("four-colors", 4, 250)
    assert (options.turn_clock, options.uno_window_ms, options.grace) == (60, 5000, 90)


def test_addresses() -> None:
    assert parse_address("10.0.0.1:7425") == ("10.0.0.1", 7425)
    assert parse_address("[fe80::1%eth0]:80") == ("fe80::1%eth0", 80)
    assert parse_address("Zoe") is None


@pytest.mark.parametrize("edition", ["four-colors", "despicable-me-4", "lilo-stitch"])
def test_rules_of_every_edition(edition: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["rules", edition]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) < 80 for line in lines)
    assert ("Ohana" in "".join(lines)) == (edition == "lilo-stitch")


def test_bench_tells_what_was_promised(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["bench", "--cards", "8", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["n"] == 8
    assert set(figures["group_us"]) == {"mul", "mul_base", "add", "hash_to_group"}
    steps = {"shuffle", "prove_ahead", "prove", "verify", "lock", "lock_verify", "verdict", "verdict_verify"}
    assert steps <= set(figures["ms"])
    assert steps <= set(figures["ops"])


def test_the_version_is_that_of_the_package() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project["version"] == VERSION


def test_the_version_loads_next_to_nothing() -> None:
    """Under four times a bare `python`: what it loads beyond that is argparse and its own few modules."""
    code = (
        "import sys; before = set(sys.modules); from nodealer.cli.main import main; main(['--version']); "
        "print(*set(sys.modules) - before)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split("\n")
    assert told[0] == f"nodealer {VERSION}"
    loaded = set(told[1].split())
    assert {name for name in loaded if name.startswith("nodealer")} <= {
        "nodealer",
        "nodealer.cli",
        "nodealer.cli.exits",
        "nodealer.cli.main",
        "nodealer.cli.output",
    }
    assert not {name for name in loaded if name.split(".")[0] in ("importlib_metadata", "email", "json", "logging")}


def test_the_command_starts_light() -> None:
    """Help and usage errors load neither the network nor the cryptography."""
    code = "import sys; from nodealer.cli.main import main; main(['play', '--bots', 'x']); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"asyncio", "zeroconf", "rbcl", "cryptography", "noise", "msgpack", "nodealer.engine", "nodealer.p2p"}
    assert not heavy & set(loaded)


def test_a_trace_on_the_full_screen_needs_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "full_screen", lambda args: True)
    assert command.main(["play", "--trace"]) == Exit.USAGE
    assert "--trace=FILE" in capsys.readouterr().err
