"""A transcript of any size is read within 100 MB; what hostile files hold back to be kept is bounded."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from nodealer.p2p.entry import NO_HASH, Entry, Header, body_hash
from nodealer.p2p.feed import MAX_WAITING_BYTES
from nodealer.p2p.forming import Own
from nodealer.p2p.offer import Roster
from nodealer.p2p.options import TableOptions
from nodealer.p2p.transcript import MAGIC, frame, record_entry, record_roster

from examples.table import seeded
from tests.helpers.longer import longer
from tests.p2p.test_offer import HOST, offer, own
from tests.vectors.common import FOLDER

STATUS = Path("/proc/self/status")
pytestmark = pytest.mark.skipif(not STATUS.exists(), reason="no /proc here, which tells the peak of a process's memory")

LIMIT = 100 << 20
# The whole command, then what the system says was its most. (`getrusage` would count what the parent had at the fork.)
PROGRAM = """
import re, sys
from nodealer.cli import main
code = main.main(["verify", "--json", sys.argv[1]])
print(int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1]) * 1024)
sys.exit(code)
"""


def verified(file: Path) -> tuple[int, dict[str, object], int]:
    """Exit code, report, and peak memory in bytes of `nodealer verify` in a process of its own."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(file)], capture_output=True, text=True, timeout=600)
    report, peak = done.stdout.strip().rsplit("\n", 1)
    return done.returncode, json.loads(report), int(peak)


def test_memory_does_not_grow_with_the_transcript(tmp_path):
    short, file = FOLDER / "match-reshuffle.nodealer", tmp_path / "long.nodealer"
    with file.open("wb") as long:
        for piece in longer(short.name):
            long.write(piece)
    assert file.stat().st_size > 10_000_000
    code, report, peak = verified(file)
    _, before, usual = verified(short)
    assert code == 3, report
    assert report["scores"] == before["scores"]
    assert report["entries"] == 51 * int(str(before["entries"]))
    assert peak < LIMIT
    # A list of the entries alone would be several times this.
    assert peak - usual < 6 << 20, f"{usual >> 20} MB for a short one, {peak >> 20} MB for a long one"


def test_what_waits_for_a_slot_is_bounded(tmp_path):
    """Nine of ten players run ahead, the last never begins."""
    options = TableOptions(edition="lilo-stitch", seats=10, target=0, escrow=False)
    players = [Own(HOST, "Host", seeded("host")), *(own(f"Player {number}") for number in range(9))]
    roster = Roster.make(HOST, [offer(player, options) for player in players])
    identities = {player.identity.public: player.identity for player in players}
    body = bytes(250_000)
    data = MAGIC + frame(record_roster(roster))
    for writer, key in enumerate(roster.keys[:9]):
        previous = NO_HASH
        for number in range(MAX_WAITING_BYTES // len(body) + 1):
            header = Header(roster.table, writer, number, previous, 0, bytes(32), "shuffle", body_hash(body))
            entry = Entry.make(identities[key], header, body)
            data += frame(record_entry(entry))
            previous = entry.hash
    file = tmp_path / "ahead.nodealer"
    file.write_bytes(data)
    code, report, peak = verified(file)
    assert (code, report["entries"]) == (3, 9 * 9)
    assert peak < LIMIT
    # One more is one too many.
    more = Entry.make(identities[key], replace(header, number=header.number + 1, previous=previous), body)
    file.write_bytes(data + frame(record_entry(more)))
    assert verified(file)[1]["check"] == "order"
