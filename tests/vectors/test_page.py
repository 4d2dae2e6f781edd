"""PROTOCOL.md says what the code does, wherever a test can tell."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from nodealer import engine
from nodealer.cli import main as command
from nodealer.crypto.hashing import digest
from nodealer.p2p import (
    ballots,
    bodies,
    elector,
    entry,
    feed,
    gallery,
    limits,
    line,
    mesh,
    names,
    offer,
    options,
    proposal,
    slots,
    transcript,
    watching,
    wire,
)

from tests.vectors import page
from tests.vectors.common import FOLDER
from tests.vectors.test_match_vectors import INVALID, MATCHES, forged

PAGE = page.PAGE.read_text()
ROOT = page.PAGE.parent
FLAT = " ".join(PAGE.split())


def test_the_generated_parts_are_what_the_code_says():
    assert page.filled(PAGE) == PAGE


def test_examples():
    values: dict[str, object] = {
        "enc [1, -1, true, nil, \"aé\", h'00ff']": wire.encode([1, -1, True, None, "aé", b"\x00\xff"]).hex(),
        "enc []": wire.encode([]).hex(),
        "enc [300, 70000]": wire.encode([300, 70000]).hex(),
        'H("test")': digest("test").hex(),
        "H(\"test\", h'')": digest("test", b"").hex(),
    }
    (block,) = re.findall(r"```example\n(.*?)```", PAGE, re.S)
    lines = dict(row.rsplit(" = ", 1) for row in block.strip().splitlines())
    assert lines == values


def test_every_code_block_is_of_a_known_sort():
    # text: formulas and diagrams, which the vectors check; example: above; sh: below.
    assert set(re.findall(r"^```(\w+)$", PAGE, re.M)) == {"text", "example", "sh"}


def test_the_command_gives_the_exit_codes(tmp_path, capsys):
    (block,) = re.findall(r"```sh\n(.*?)```", PAGE, re.S)
    assert block.split() == ["nodealer", "verify", "FILE"]
    whole = (FOLDER / MATCHES[0]["file"]).read_bytes()
    fault = next(vector for vector in INVALID if vector["from"] == MATCHES[0]["file"] and vector["check"] == "coin")
    for code, data in (
        (0, whole),
        (1, forged(fault)),
        (2, b"something else"),
        (3, whole[:-1]),
    ):
        file = tmp_path / f"{code}.nodealer"
        file.write_bytes(data)
        assert command.main(["verify", str(file)]) == code
    capsys.readouterr()


@pytest.mark.parametrize(
    "says",
    [
        f"at most {entry.MAX_ENTRY // 1000} {entry.MAX_ENTRY % 1000} bytes, depth 1",
        f"at most {entry.MAX_HEADER} bytes, depth 1, at most 9 values",
        f"1 to {entry.MAX_KIND} ASCII characters",
        f"0 to {entry.MAX_WRITERS - 1}: the place in the roster",
        f"An entry is refused if {feed.MAX_WAITING} entries, or bodies of {feed.MAX_WAITING_BYTES >> 20} MiB "
        f"({f'{feed.MAX_WAITING_BYTES:,}'.replace(',', ' ')} bytes) or more in all,",
        f"at most {feed.MAX_CHAT_RUN} entries between two slot entries",
        f"the {feed.MAX_CHAT_RUN + 1}st `chat` between two slot entries",
        f"longer than {feed.MAX_CONTROL_BODY} bytes",
        f"at most {names.MAX_CHAT_BYTES} bytes of UTF-8",
        f"1 to {names.MAX_NAME} code points",
        f"at most {offer.MAX_OFFER} bytes, depth 2, at most 24 values",
        f"at most {mesh.MAX_FRAME // 1000} 000 bytes is one mesh frame",
        f"longer than {mesh.MAX_MESSAGE // 1000} {mesh.MAX_MESSAGE % 1000} bytes nor be",
        f"at most {mesh.MAX_BATCH_BYTES >> 10} KiB at a time",
        f"sent twice on one line within {mesh.RESEND:.0f} s",
        f"has lacked them for {mesh.LACKING_FOR:.0f} s",
        f"msgpack of at most {transcript.MAX_RECORD // 1000} {transcript.MAX_RECORD % 1000} bytes",
        f"depth {wire.MAX_DEPTH}, {wire.MAX_ITEMS} values",
        f"17 to {(line.MAX_MESSAGE + 17) // 1000} {(line.MAX_MESSAGE + 17) % 1000:03} bytes",
        f"prologue `{line.PROLOGUE.decode()}`",
        f"handshake takes longer than {line.HANDSHAKE_WITHIN:.0f} s",
        f"sent nothing for {line.PING_EVERY:.0f} s MUST send a ping",
        f"received nothing for {line.GONE_AFTER:.0f} s",
        f"| `start` from all | {limits.START_LIMIT:.0f} s |",
        f"| a slot that programs answer | {limits.AUTOMATIC_LIMIT:.0f} s |",
        f"turn clock + {limits.PERSON_MARGIN:.0f} s",
        f"UNO window + {limits.WINDOW_MARGIN:.0f} s",
        f"that programs answer | {limits.ROUND_DELAY:.0f} s together",
        f"integer | 0 to {proposal.MAX_BALLOTS - 1} |",
        f"A statement is at most {proposal.MAX_STATEMENT} bytes",
        f"at most {proposal.MAX_BALLOTS} votes in a view",
        f"at most {ballots.MAX_REFUSALS} refusals",
        f"for {elector.FETCH_LIMIT:.0f} s before it votes for its own",
        f"random wait of 0 to {elector.FIRST_WAIT:.0f} s, the bound doubling each time to {elector.LAST_WAIT:.0f} s",
        f"After a gap of {limits.SLEPT:.0f} s",
        f"if {gallery.MAX_WATCHERS} keys watch this table already",
        f"after every {gallery.READ_STEP // 1000} {gallery.READ_STEP % 1000} bytes and MUST at the latest after "
        f"{gallery.READ_EVERY:.0f} s",
        f"{gallery.MAX_SMALL_STEPS} smaller steps in one second",
        f"more than {gallery.WINDOW // 1000} {gallery.WINDOW % 1000} bytes of payloads",
        f"reads nothing for {gallery.READ_WITHIN:.0f} s",
        f"{watching.DISPUTE_WAIT:.0f} s have passed without a fork",
        f"nothing new has come for {watching.STALE_AFTER:.0f} s",
        f"at least {watching.LEAST_PATIENCE:.0f} s, or all have said",
        f"at most {gallery.MAX_WATCHERS} keys of 32 bytes",
        f"SHOULD stay for {limits.LINGER:.0f} s",
        f"for at most {limits.LINGER_FOR_MISSING:.0f} s (and no longer than the grace)",
        f"seconds, 0 to {options.MAX_CLOCK_S}; 0 = none",
        f"milliseconds, {options.MIN_WINDOW_MS} to {options.MAX_WINDOW_MS // 1000} 000",
        f"milliseconds, 0 to {options.MAX_KEEP_DELAY_MS // 1000} 000",
        f"seconds, 1 to {options.MAX_GRACE_S}",
        f"`[bytes of section 8]` | {bodies.MAX_STEP // 1000} {bodies.MAX_STEP % 1000} |",
        f"`[guilty, box, proof]` | {bodies.MAX_CLAIM // 1000} 000 |",
    ],
)
def test_limits(says: str):
    assert says in FLAT


def test_every_kind_of_entry_and_every_slot_is_there():
    for name in (*bodies.PARSERS, *feed.CONTROL_KINDS, *(kind.value for kind in slots.SlotKind)):
        assert f"`{name}`" in PAGE, name


def test_every_check_is_there():
    vectors = {vector["check"] for vector in INVALID}
    known = set(re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```", "", PAGE, flags=re.S | re.M)))
    for check in vectors:
        general = re.sub(r"^hand all, candidates V.*", "hand all, candidates V4", check)
        assert general in known, check


def test_every_field_of_the_state_is_there_in_order():
    section = PAGE[PAGE.index("| State: field |") : PAGE.index("A handle is `[epoch, index]`.")]
    rows = re.findall(r"^\| (\w+) \|", section, re.M)
    assert rows == [field.name for field in dataclasses.fields(engine.State)]


def test_every_file_that_the_page_names_is_there():
    table = PAGE[PAGE.index("## 18 ") :]
    for name in re.findall(r"`((?:crypto|p2p|engine)/[\w/.]*)`", table):
        assert (ROOT / name).exists(), name
    for name in re.findall(r"`(\w+\.json)`", table):
        assert (FOLDER / name).exists(), name


def test_what_the_code_says_of_the_page_is_there():
    headings = {re.sub(r"^\d+ ", "", heading) for heading in re.findall(r"^#+ (.*)$", PAGE, re.M)}
    for package in ("engine", "crypto", "p2p"):
        for file in Path(ROOT, package).rglob("*.py"):
            for name in re.findall(r'PROTOCOL\.md, "([^"]+)"', file.read_text()):
                assert name in headings, f"{file}: {name}"
