"""The verifier in JavaScript, written from PROTOCOL.md, accepts and refuses what the vectors and the program do."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nodealer.engine import EDITIONS

from tests.vectors.common import FOLDER
from tests.vectors.test_match_vectors import INVALID, MATCHES, forged

VERIFIER = Path(__file__).resolve().parents[2] / "examples" / "js-verifier"
NODE = shutil.which("node")
pytestmark = [
    pytest.mark.skipif(NODE is None, reason="there is no Node here to run examples/js-verifier"),
    pytest.mark.skipif(
        not (VERIFIER / "node_modules" / "@noble" / "curves").exists(),
        reason="examples/js-verifier lacks its library: run npm install --no-package-lock there",
    ),
]
SMALL = ("hash", "encoding", "group", "cards", "identity", "transcript", "shuffle", "lock", "hand", "box", "epoch")


def node(*args: str | Path) -> subprocess.CompletedProcess[str]:
    """Run one of its programs; hours are a limit for a machine that does nothing else well."""
    command = [str(NODE), *map(str, args)]
    return subprocess.run(command, cwd=VERIFIER, capture_output=True, text=True, timeout=7200)


@pytest.mark.parametrize("names", [(*SMALL, "entry", "table"), ("matches",), ("invalid",)], ids=" ".join)
def test_the_vectors(names: tuple[str, ...]) -> None:
    done = node("test.mjs", *names)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines()[:-1]] == list(names)
    good, bad = done.stdout.splitlines()[-1].replace(" good", "").replace(" bad", "").split(", ")
    assert int(good) > len(names)
    assert bad == "0"


def test_every_file_of_vectors_is_read() -> None:
    read = (VERIFIER / "test.mjs").read_text() + (VERIFIER / "test-matches.mjs").read_text()
    left = {path.stem for path in FOLDER.glob("*.json")} - {name for name in read.split("'") if name}
    # Messages between peers, and what lets them to a table, are no part of a transcript.
    assert left == {"mesh", "passphrase"}


def test_exit_codes(tmp_path: Path) -> None:
    whole = (FOLDER / MATCHES[0]["file"]).read_bytes()
    fault = next(vector for vector in INVALID if vector["from"] == MATCHES[0]["file"] and vector["check"] == "coin")
    files = [(0, whole), (1, forged(fault)), (2, b"something else"), (3, whole[:-1])]
    # Zeros are a torn tail, unless something follows them.
    files += [(3, whole[:-40] + bytes(40)), (3, whole + bytes(9)), (1, whole + bytes(9) + b"x")]
    for code, data in files:
        file = tmp_path / "match.nodealer"
        file.write_bytes(data)
        done = node("verify.mjs", file)
        assert done.returncode == code, done.stdout
        assert done.stdout.count("\n") == 1
        assert not done.stderr


@pytest.mark.soak
@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("edition", EDITIONS)
def test_fresh_matches(edition: str, seats: int, tmp_path: Path) -> None:
    """A match that bots have just played, whatever it was: the same status and the same digest."""
    file = tmp_path / "match.nodealer"
    options = ["--edition", edition, "--seats", str(seats), "--target", "0", "--fast", "--json"]
    command = [sys.executable, "-m", "nodealer.cli", "bots", *options, "--transcript", str(file)]
    played = subprocess.run(command, capture_output=True, text=True, timeout=3600)
    assert played.returncode == 0, played.stderr
    told = json.loads(played.stdout.splitlines()[-1])
    done = node("verify.mjs", file)
    assert done.returncode == 0, done.stdout
    assert told["digests"][0] in done.stdout
