"""Every fenced block of PROTOCOL.md and README.md is executed, or computed anew and compared with the vectors.

Each block is claimed by the beginning of its first line; a block that nobody claims fails, and a claim without a block.
The formulas are computed here by the hash of the standard library alone, apart from the program.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import shlex
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nodealer.cli import main as command
from nodealer.crypto.escrow import PLEDGE_BYTES
from nodealer.crypto.group import hash_to_point
from nodealer.p2p.entry import Entry
from nodealer.p2p.transcript import MAGIC, TranscriptReader, parse_record

from tests.vectors import page, test_page
from tests.vectors.common import FOLDER

ROOT = Path(__file__).resolve().parents[1]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.S | re.M)
Check = Callable[[str], None]


def load(name: str) -> dict[str, Any]:
    """A file of vectors."""
    vectors: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_bytes())
    return vectors


def frame(data: bytes) -> bytes:
    return len(data).to_bytes(8, "big") + data


def h64(label: str, *parts: bytes) -> bytes:
    return hashlib.sha512(b"".join(map(frame, (b"nodealer v1 " + label.encode(), *parts)))).digest()


def h(label: str, *parts: bytes) -> bytes:
    return h64(label, *parts)[:32]


def u32(value: int) -> bytes:
    return value.to_bytes(4, "big")


def u64(value: int) -> bytes:
    return value.to_bytes(8, "big")


def size(text: str) -> int:
    """Bytes of a value in hex."""
    return len(text) // 2


# -- PROTOCOL.md -------------------------------------------------------------------------------------------------------


def hashes(_: str) -> None:
    vectors = load("hash")
    for vector in vectors["digest64"]:
        assert h64(vector["label"], *map(bytes.fromhex, vector["parts"])).hex() == vector["digest64"]
    for vector in load("group")["hash_to_point"]:
        parts = list(map(bytes.fromhex, vector["parts"]))
        assert hash_to_point(vector["label"], *parts).data.hex() == vector["point"]


def examples(_: str) -> None:
    test_page.test_examples()


def generated(block: str) -> None:
    """It is written by a program, and is what that would write now."""
    assert page.filled(test_page.PAGE) == test_page.PAGE
    assert any(block.strip() in make() for make in page.PARTS.values())


def passphrase(block: str) -> None:
    """M, N and the labels stand in the program; the numbers are checked where the vectors of passphrases are."""
    assert re.findall(r"^[MN] = [0-9a-f]{64}$", block, re.M)
    code = (ROOT / "p2p" / "passphrase.py").read_text()
    for label in re.findall(r'H\("([^"]+)"', block):
        assert f'"{label}"' in code, label
    assert load("passphrase")["accepted"]


def passphrase_messages(block: str) -> None:
    code = "".join(file.read_text() for file in (ROOT / "p2p").glob("*.py"))
    for name in re.findall(r'\["(\w+)"', block):
        assert f'"{name}"' in code, name


def table_id(_: str) -> None:
    vectors = load("table")
    offers = [bytes.fromhex(vectors["players"][player]["offer"]) for player in vectors["roster order"]]
    assert h("table", bytes.fromhex(vectors["options"]), *offers).hex() == vectors["table"]


def digests(_: str) -> None:
    """The row of digests of a whole match, from the hashes of its entries and of its states."""
    match = next(match for match in load("matches")["matches"] if match["file"] == "match-two.nodealer")
    with (FOLDER / match["file"]).open("rb") as file:
        parsed = [parse_record(payload) for payload in TranscriptReader(file).payloads()]
    taken: dict[int, dict[int, bytes]] = {}
    for record in parsed:
        if isinstance(record, Entry):
            taken.setdefault(record.header.slot, {})[record.header.writer] = h("entry", record.signed.raw)
    writer_of = {player["seat"]: player["writer"] for player in match["players"]}
    table = next(record.header.table for record in parsed if isinstance(record, Entry))
    slots = [slot.split("|") for slot in match["slots"]]
    expected = h("first digest", table)
    for number, (_, owed, digest, _) in enumerate(slots):
        assert digest == expected.hex(), number
        if number + 1 == len(slots):
            return
        # Before the coin the seats are the writers.
        seats = [int(seat) for seat in owed.split()]
        order = seats if number < 2 else [writer_of[seat] for seat in seats]
        state = bytes.fromhex(slots[number + 1][3])
        expected = h("digest", expected, *(taken[number][writer] for writer in order), state)
    raise AssertionError("a match has slots")


def coin(_: str) -> None:
    vectors = load("table")
    shares = [bytes.fromhex(vectors["players"][player]["secret"]["share"]) for player in vectors["roster order"]]
    assert h("coin result", bytes.fromhex(vectors["table"]), *shares).hex() == vectors["coin"]


def cards(_: str) -> None:
    vectors = load("cards")
    for vector in vectors["points"]:
        point = hash_to_point("card", vector["edition"].encode(), u64(vector["card"]))
        assert point.data.hex() == vector["point"]
    for vector in vectors["lists"]:
        joined = b"".join(map(u64, vector["cards"]))
        assert h("cards", vector["edition"].encode(), joined).hex() == vector["hash"]
    for number, point in enumerate(load("group")["generators"], 1):
        assert hash_to_point("generator", u64(number)).data.hex() == point


def layouts(block: str) -> None:
    shuffle, lock = load("shuffle"), load("lock")
    n = shuffle["context"]["n"]
    assert "32·(3n + 10) bytes" in block
    assert "32·(3n + 2) bytes" in block
    assert size(shuffle["accepted"]) == 32 * (3 * n + 10)
    assert size(shuffle["accepted one card"]) == 32 * 4
    assert size(lock["accepted"]) == 32 * (3 * lock["context"]["n"] + 2)


def transcripts(_: str) -> None:
    order = int.from_bytes(bytes.fromhex(load("group")["order"]), "little")
    for vector in load("transcript")["transcripts"]:
        stream = frame(b"nodealer v1 transcript")
        for label, data in vector["append"]:
            stream += frame(b"append") + frame(label.encode()) + frame(bytes.fromhex(data))
        assert hashlib.sha512(stream).hexdigest() == vector["state"]
        stream += frame(b"challenge") + frame(b"e") + frame(u64(1))
        wide = h64("challenge", hashlib.sha512(stream).digest(), u64(0))
        challenge = int.from_bytes(wide, "little") % order
        assert challenge.to_bytes(32, "little").hex() == vector["challenge e"]


def equations(block: str) -> None:
    """Each is broken by a vector of its own."""
    named = set(re.findall(r"^(V\S+)", block, re.M))
    broken = {vector["check"].removeprefix("shuffle ") for vector in load("shuffle")["rejected"]}
    assert named <= broken


def pledge(block: str) -> None:
    assert "96 bytes" in block
    assert PLEDGE_BYTES == 96
    assert all(size(text) == 96 for text in load("epoch")["escrow"]["pledges"])


def complaint(block: str) -> None:
    assert "96 bytes" in block
    assert size(load("box")["complaint"]) == 96


def hand(_: str) -> None:
    vectors = load("hand")
    t, held = len(vectors["allowed"]), len(vectors["handles"])
    assert size(vectors["accepted all"]) == 32 * (3 * t + 10) + 2 * held + 32 * (2 + held)
    assert size(vectors["accepted one"]) == 2 * 32 * t * held


def box(block: str) -> None:
    vectors = load("box")
    assert "96 + length + 16 bytes" in block
    assert size(vectors["accepted"]) == 96 + size(vectors["plaintext"]) + 16


def openings(block: str) -> None:
    vectors = load("hand")
    assert "34 bytes each" in block
    expected = [
        card.to_bytes(2, "big").hex() + key
        for card, key in zip(vectors["secret"]["cards"], vectors["secret"]["keys"], strict=True)
    ]
    assert vectors["openings"] == "".join(expected)


def transcript_file(block: str) -> None:
    assert 'file    = "nodealer transcript 1" ‖ 0a (hex)' in block
    file = io.BytesIO((FOLDER / "match-two.nodealer").read_bytes())
    assert file.read(22) == b"nodealer transcript 1\n" == MAGIC
    records = 0
    while head := file.read(4):
        payload = file.read(int.from_bytes(head, "big"))
        assert file.read(4) == u32(zlib.crc32(payload))
        records += 1
    match = next(match for match in load("matches")["matches"] if match["file"] == "match-two.nodealer")
    assert records == match["records"]


# -- README.md ---------------------------------------------------------------------------------------------------------


def targets(block: str) -> None:
    made = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    named = re.findall(r"^make ([a-z-]+)", block, re.M)
    assert named
    assert set(named) <= made


def commands(block: str) -> None:
    """Each line after a dollar is one that the program takes."""
    lines = re.findall(r"^\$ nodealer (.*)$", block, re.M)
    assert lines
    for line in lines:
        command.parser().parse_args(shlex.split(line))


def picture(block: str) -> None:
    """It is no wider than a terminal, and made of what the pictures of the tests are made of."""
    assert max(map(len, block.splitlines())) <= 80
    golden = "".join(file.read_text() for file in (ROOT / "tests" / "cli" / "screen" / "golden").glob("*.txt"))
    for part in ("─ Players ", "─ Pile ", "─ Chat ", "─ Log ", "─ Your hand: ", "Draw pile ", "Discard ", "? help"):
        assert part in block
        assert part in golden


def plain_session(block: str) -> None:
    commands(block)
    told = block.splitlines()[1:]
    assert all(re.match(r"\* |\? |  |\d+$", line) for line in told)
    question = next(line for line in told if line.startswith("? "))
    answer = told[told.index(question) + 1]
    assert f" {answer} " in question


def verified(block: str) -> None:
    commands(block)
    source = (ROOT / "cli" / "verify.py").read_text() + (ROOT / "p2p" / "verify.py").read_text()
    assert "The match is valid and complete." in block
    assert "The match is valid and complete." in source


CLAIMS: dict[str, dict[str, Check]] = {
    "PROTOCOL.md": {
        "H64(label, p1": hashes,
        "enc [1, -1": examples,
        "0000-001F": generated,
        "start -> coin": generated,
        "M = 15cfd18e": passphrase,
        'joiner: ["pake"': passphrase_messages,
        'table = H("table"': table_id,
        'd_0     = H("first digest"': digests,
        'coin = H("coin result"': coin,
        'M_c = P("card"': cards,
        "shuffle, n ≥ 2": layouts,
        "append(label, data)": transcripts,
        "V1  ": equations,
        "pledge = ": pledge,
        "complaint = ": complaint,
        "V_0 … V_(t−1)": hand,
        "box      = ": box,
        "openings = ": openings,
        "file    = ": transcript_file,
        # Executed, with all four exit codes, by tests/vectors/test_page.py.
        "nodealer verify FILE": lambda block: commands(f"$ {block}"),
    },
    "README.md": {
        "make play": targets,
        "$ nodealer host --name Zoe": commands,
        " Four Colors · to 250": picture,
        "$ nodealer play --plain": plain_session,
        "$ nodealer verify match.nodealer": verified,
        "$ nodealer verify --report evenings.html": commands,
    },
}


def blocks(document: str) -> list[str]:
    """What stands between fences, in order."""
    text = (ROOT / document).read_text(encoding="utf-8")
    found = [block for _, block in FENCE.findall(text)]
    assert len(found) * 2 == len(re.findall(r"^ *```", text, re.M)), "a fence that is not closed, or indented"
    return found


@pytest.mark.parametrize("document", CLAIMS)
def test_every_block_is_claimed_once_and_every_claim_has_a_block(document: str) -> None:
    claims = CLAIMS[document]
    used = []
    for block in blocks(document):
        claimed = [begin for begin in claims if block.startswith(begin)]
        assert len(claimed) == 1, f"{document}: nobody checks the block that begins {block[:60]!r}"
        used += claimed
    assert sorted(used) == sorted(claims)


@pytest.mark.parametrize(("document", "begin"), [(name, begin) for name, claims in CLAIMS.items() for begin in claims])
def test_a_block(document: str, begin: str) -> None:
    (block,) = [block for block in blocks(document) if block.startswith(begin)]
    CLAIMS[document][begin](block)


def test_every_command_in_the_text_is_one() -> None:
    """Commands in running text too: `nodealer …` and `make …` between backticks."""
    made = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    for document in CLAIMS:
        text = FENCE.sub("", (ROOT / document).read_text(encoding="utf-8"))
        for line in re.findall(r"`make ([a-z-]+)[^`]*`", text):
            assert line in made, f"{document}: make {line}"
        for line in re.findall(r"`nodealer ([a-z]+)[^`]*`", text):
            assert line in command.MODULES or line in ("transcript", "v"), f"{document}: nodealer {line}"
