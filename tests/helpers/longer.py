"""A valid transcript made long: a match of the vectors with chat woven in, every entry signed anew by its writer.

The proofs stay as they are: they are about the table, the seat and the slot, not about what hash an entry has.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from nodealer.crypto.identity import Identity
from nodealer.p2p.bodies import parse_heard
from nodealer.p2p.entry import Entry, Header, SignedHeader, body_hash
from nodealer.p2p.feed import MAX_CHAT_RUN
from nodealer.p2p.match import Match
from nodealer.p2p.offer import Roster
from nodealer.p2p.transcript import MAGIC, TranscriptReader, frame, parse_record, record_entry, record_roster
from nodealer.p2p.wire import encode

from tests.vectors.common import FOLDER

CHAT = encode(["so " * 160])


def vector(file: str) -> dict[str, Any]:
    """What matches.json says of this transcript."""
    matches = json.loads((FOLDER / "matches.json").read_bytes())["matches"]
    found: dict[str, Any] = next(match for match in matches if match["file"] == file)
    return found


def longer(file: str, lines: int = MAX_CHAT_RUN) -> Iterator[bytes]:
    """The file, piece by piece, with so many lines of chat before every entry."""
    described = vector(file)
    seeds = described["secret"]["seeds"]
    own = [Identity.from_seed(bytes.fromhex(seeds[player["name"]])) for player in described["players"]]
    signed_anew: dict[bytes, SignedHeader] = {}
    match: Match | None = None
    with (FOLDER / file).open("rb") as old:
        for payload in TranscriptReader(old).payloads():
            record = parse_record(payload)
            if isinstance(record, Roster):
                match = Match(record)
                yield MAGIC + frame(record_roster(record))
            elif isinstance(record, Entry) and match is not None:
                for _ in range(lines):
                    yield _write(match, own, replace(record.header, kind="chat"), CHAT)
                body = record.body
                if record.header.kind == "heard":
                    body = encode(signed_anew[parse_heard(body).hash].to_wire())
                yield _write(match, own, record.header, body, record, signed_anew)


def _write(
    match: Match,
    own: list[Identity],
    like: Header,
    body: bytes,
    old: Entry | None = None,
    signed_anew: dict[bytes, SignedHeader] | None = None,
) -> bytes:
    number, previous = match.feeds[like.writer].head
    digest = match.slot.digest if like.slot == match.slot.number else bytes(32)
    header = replace(like, number=number, previous=previous, digest=digest, body_hash=body_hash(body))
    entry = Entry.make(own[like.writer], header, body)
    if old is not None and signed_anew is not None:
        signed_anew[old.hash] = entry.signed
        match.remember(entry)
    match.offer(entry)
    match.advance()
    return frame(record_entry(entry))
