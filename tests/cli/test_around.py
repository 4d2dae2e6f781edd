"""What stands around the game: the configuration file, completion, the man page, the doctor."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from nodealer.cli import completion, doctor, manual
from nodealer.cli import main as command
from nodealer.cli.config import Config
from nodealer.cli.exits import Complaint, Exit
from nodealer.cli.screen.look import Depth
from nodealer.cli.screen.program import chosen_look


def written(folder: Path, text: str) -> str:
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return str(folder)


def test_no_configuration_is_the_defaults(tmp_path: Path) -> None:
    assert Config.load(str(tmp_path)) == Config()
    assert Config.load(str(tmp_path / "nowhere")) == Config()


def test_a_configuration(tmp_path: Path) -> None:
    config = Config.load(written(tmp_path, 'plain = true\ncolours = "16"\npalette = "safe"\nbell = false\n'))
    assert config == Config(plain=True, colours="16", palette="safe", bell=False)


# Deeper than Python follows.
DEEP = "plain = " + "[" * 3000


@pytest.mark.parametrize("text", ["plain = 1", 'colours = "many"', "nonsense = true", "plain =", 'mouse = "no"', DEEP])
def test_a_wrong_configuration_is_one_sentence(text: str, tmp_path: Path) -> None:
    with pytest.raises(Complaint) as caught:
        Config.load(written(tmp_path, text))
    assert caught.value.sentence.endswith(".")
    assert "config.toml" in caught.value.sentence


def test_the_command_line_goes_before_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    args = argparse.Namespace(ascii=False, palette="edition", edition="lilo-stitch")
    look = chosen_look(args, Config(palette="safe", colours="16"))
    assert (look.safe, look.depth, look.edition) == (False, Depth.SIXTEEN, "lilo-stitch")
    monkeypatch.setenv("NO_COLOR", "1")
    assert chosen_look(args, Config(colours="true")).depth is Depth.NONE


def test_completion_knows_every_command_and_option() -> None:
    for shell in (completion.bash(), completion.zsh(), completion.fish()):
        for name, (_, words) in completion.commands().items():
            assert name in shell
            for word in words:
                assert word.name.removeprefix("--") in shell
                assert all(value in shell for value in word.values)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes() -> None:
    script = completion.bash() + (
        'COMP_WORDS=(nodealer host --edition ""); COMP_CWORD=3; _nodealer; echo "${COMPREPLY[@]}"\n'
        'COMP_WORDS=(nodealer ver); COMP_CWORD=1; _nodealer; echo "${COMPREPLY[@]}"\n'
        'COMP_WORDS=(nodealer play --sta); COMP_CWORD=2; _nodealer; echo "${COMPREPLY[@]}"\n'
        'COMP_WORDS=(nodealer completion ""); COMP_CWORD=2; _nodealer; echo "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "four-colors despicable-me-4 lilo-stitch", "verify", "--stacking", "bash zsh fish",
    ]  # fmt: skip


COMPLETED = {
    "nodealer ver": "nodealer verify",
    "nodealer play --sta": "nodealer play --stacking",
    "nodealer host --edition li": "nodealer host --edition lilo-stitch",
    "nodealer host --edition=li": "nodealer host --edition=lilo-stitch",
    "nodealer completion z": "nodealer completion zsh",
    "nodealer rules fo": "nodealer rules four-colors",
    "nodealer host --passphrase-file sec": "nodealer host --passphrase-file secret.txt",
    "nodealer verify sec": "nodealer verify secret.txt",
}


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed here")
def test_zsh_completes(tmp_path: Path) -> None:
    """An interactive zsh on a terminal of its own: what is typed, Tab, and what then stands there."""
    (tmp_path / "_nodealer").write_text(completion.zsh(), encoding="utf-8")
    (tmp_path / "secret.txt").touch()
    steps = "\n".join(
        f"zpty -n -w z $'{typed}\\t'; zpty -r z shown '*{done}*'; print -r -- got {done}; zpty -n -w z $'\\x15'"
        for typed, done in COMPLETED.items()
    )
    begin = (
        f"PROMPT=; cd {tmp_path}; fpath=({tmp_path} \\$fpath); autoload -Uz compinit; compinit -u -d {tmp_path}/dump"
    )
    script = f"""zmodload zsh/zpty
zpty -b z zsh -f -i
zpty -w z "{begin}; bindkey '^I' complete-word; print REA''DY"
zpty -r z shown '*READY*'
{steps}
zpty -d z
"""
    done = subprocess.run(
        ["zsh", "-f", "-c", script], capture_output=True, text=True, timeout=90, cwd=tmp_path, stdin=subprocess.DEVNULL
    )
    assert done.stdout.splitlines() == [f"got {text}" for text in COMPLETED.values()], done.stderr


def fish(folder: Path, command: str, *words: str) -> str:
    """What fish says after having read the completion."""
    done = subprocess.run(
        [shutil.which("fish") or "fish", "--no-config", "-c", f"source nodealer.fish; {command}", *words],
        capture_output=True, text=True, timeout=60, cwd=folder, env={"HOME": str(folder), "PATH": os.environ["PATH"]},
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed here")
def test_fish_completes(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").touch()
    (tmp_path / "nodealer.fish").write_text(completion.fish(), encoding="utf-8")
    for typed, full in COMPLETED.items():
        offered = [line.split("\t")[0] for line in fish(tmp_path, "complete -C $argv[1]", typed).splitlines()]
        assert offered == [full.split(" ")[-1]], typed
    assert "the edition's colours" in fish(tmp_path, "complete -C 'nodealer play --pal'")


def test_the_manual_tells_everything() -> None:
    page = manual.page()
    plain = page.replace(r"\-", "-")
    for name, (_, words) in completion.commands().items():
        assert f'.SS "nodealer {name}"' in page
        assert all(rf"\fB{word.name}\fR" in plain for word in words if word.name not in ("", "--help"))
    for setting in Config.__slots__:
        assert f"{setting} = " in plain
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-man", "-ww", "-Tutf8"], input=page, capture_output=True, text=True)
        assert done.stderr == ""


async def test_the_doctor_finds_a_table_of_its_own(tmp_path: Path) -> None:
    found = {check.what: check async for check in doctor.checks(str(tmp_path))}
    assert found["a second player on this machine"].good is True
    assert {"network", "port", "finding tables (multicast)", "firewall", "your folder", "terminal"} <= found.keys()
    assert all(check.found for check in found.values())


def test_the_doctor_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = command.main(["doctor", "--json", "--data-dir", str(tmp_path)])
    rows = json.loads(capsys.readouterr().out)
    assert code == (Exit.UNREACHED if any(row["good"] is False for row in rows) else Exit.COMPLETE)
    assert {"what", "good", "found", "advice"} == set(rows[0])
