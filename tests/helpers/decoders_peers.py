"""Whole peers and parts of them that keep something between messages: each input is a fresh one's whole life."""

from __future__ import annotations

import json
from functools import cache
from types import SimpleNamespace
from typing import Any

from nodealer.cli.exits import Complaint
from nodealer.cli.join import parse_address
from nodealer.cli.resuming import Note
from nodealer.cli.screen.lobby import Choice
from nodealer.crypto.identity import Identity
from nodealer.p2p.ballots import Ballots
from nodealer.p2p.book import Public
from nodealer.p2p.entry import Entry
from nodealer.p2p.feed import ForkProof
from nodealer.p2p.gallery import Gallery
from nodealer.p2p.match import Match
from nodealer.p2p.mesh import Link, Mesh, have_list
from nodealer.p2p.options import TableOptions
from nodealer.p2p.peer import Peer
from nodealer.p2p.proposal import Proposal
from nodealer.p2p.trace import Trace
from nodealer.p2p.transcript import parse_record
from nodealer.p2p.watching import Watcher
from nodealer.p2p.wire import decode, encode

from examples.table import seeded

from .decoders import Decoder, pieces, several
from .decoders_lines import HASH, WHERE, _first_records
from .decoders_messages import PROPOSAL, VOID, entries, rosters

ME, STRANGER = Identity.from_seed(b"m" * 32), Identity.from_seed(b"s" * 32)
OPTIONS = TableOptions.defaults("four-colors", seats=3, target=0).fast()
NOW = 100.0


def _lives(peer: Peer | Watcher, data: bytes, key: bytes, outgoing: bool) -> None:
    """A line, these messages on it, some time, the end of the line. Nobody reads more than a screen of it."""
    peer.line_up(1, key, outgoing, WHERE, NOW, HASH)
    try:
        for message in pieces(data)[:12]:
            peer.receive(1, message, NOW)
            peer.tick(NOW)
    finally:
        peer.line_down(1, "over", NOW + 1)
        peer.tick(NOW + 30)
        frames = peer.data_to_send()
        assert sum(len(frame) for _, frame in frames) < 64_000
        for event in peer.events():
            repr(event)


def _host(data: bytes) -> None:
    _lives(Peer.host(ME, "Zoe", OPTIONS, seeded("host")), data, STRANGER.public, False)


def _joiner(data: bytes) -> None:
    _lives(Peer.join(STRANGER, "Moe", seeded("joiner")), data, ME.public, True)


def _watcher(data: bytes) -> None:
    # Whom one watches through sits at the table: who does not shows no match.
    _lives(Watcher(STRANGER.public, randbytes=seeded("watcher")), data, rosters()[0].keys[0], True)


@cache
def _forming() -> dict[str, list[bytes]]:
    """What a host and a joiner say to each other, as they do it below with the same randomness."""
    host = Peer.host(ME, "Zoe", OPTIONS, seeded("host"))
    joiner = Peer.join(STRANGER, "Moe", seeded("joiner"))
    host.line_up(1, STRANGER.public, False, WHERE, NOW, HASH)
    joiner.line_up(1, ME.public, True, WHERE, NOW, HASH)
    said: dict[str, list[bytes]] = {"host": [], "joiner": []}
    for turn in range(4):
        for name, one, other in (("joiner", joiner, host), ("host", host, joiner)):
            for _, message in one.data_to_send():
                said[name].append(message)
                other.receive(1, message, NOW)
        if turn == 2:
            host.start_now(NOW)
    return said


def _host_hears() -> list[bytes]:
    said = _forming()["joiner"]
    return [several(*said), several(encode(["query"]), encode(["watch", b"", []]), encode(["read", 0]))]


def _watcher_hears() -> list[bytes]:
    match = encode(["watching", rosters()[0].table, [None] * len(rosters()[0].keys)])
    shown = [encode(["record", record]) for record in _first_records()[:6]]
    lobby = encode(["waiting", OPTIONS.to_wire(), [["Zoe", HASH]]])
    return [several(match, *shown, encode(["over", "it is over"])), several(lobby, encode(["no", "go away"]))]


# -- the mesh and the gallery ----------------------------------------------------------------------------------------


@cache
def _match() -> Match:
    """A match that has begun, up to its first shuffle."""
    match = Match(rosters()[0])
    for record in _first_records()[1:]:
        entry = parse_record(record)
        assert isinstance(entry, Entry)
        match.offer(entry)
    match.advance()
    return match


def _asked(data: bytes) -> None:
    """Lists of how far feeds are had, and requests, on one line: what is sent in answer is bounded."""
    match, mesh, link = _match(), Mesh(), Link(1, STRANGER.public, WHERE)
    mesh.links[1], link.writer = link, 1
    for at, message in enumerate(pieces(data)[:8]):
        mesh.take_have(link, decode(message, max_bytes=1 << 12), match, 0, NOW + at)
    sizes = [len(frame) for _, frame in mesh.outbox]
    assert len(sizes) < 400


def _visited(data: bytes) -> None:
    """A watcher's wish and words, a player's word of watchers, as a peer hands them on."""
    log = [Public(bytes(700 * size), None) for size in (1, 3, 60)]
    gallery, link = Gallery(Mesh(), log), Link(1, STRANGER.public, WHERE)
    player = Link(2, ME.public, WHERE, writer=1)
    gallery.mesh.links.update({1: link, 2: player})
    try:
        for at, message in enumerate(pieces(data)[:8]):
            match decode(message, max_bytes=1 << 12):
                case ["watch", table, have]:
                    gallery.watch(link, table, have, _match(), False, NOW + at)
                case ["read", count]:
                    gallery.read(link, count, NOW + at)
                case ["watchers", keys]:
                    gallery.elsewhere(player, keys)
            gallery.work(_match(), lambda: [], None, NOW + at)
    finally:
        for gone in (link, player):
            del gallery.mesh.links[gone.line]
            gallery.line_down(gone)
    assert not gallery.keys()


def _visits() -> list[bytes]:
    match = _match()
    wish, words = encode(["watch", match.table, have_list(match)]), encode(["read", 700])
    return [several(wish, words, encode(["watchers", [HASH]])), several(encode(["watch", b"", []]), words)]


# -- votes -----------------------------------------------------------------------------------------------------------

KINDS = ("vote", "ready", "withdraw", "refuse")
TABLE = b"t" * 32


def _voted(data: bytes) -> None:
    """Statements of three or four tapes: [writer, kind, body] each. What is in force never drops who is in the view."""
    ballots = Ballots(TABLE, range(4))
    for number, message in enumerate(pieces(data)[:40]):
        if len(message) > 2:
            header = SimpleNamespace(kind=KINDS[message[1] % 4], number=number)
            entry: Any = SimpleNamespace(header=header, body=message[2:])
            ballots.take(message[0] % 4, entry)
            while ballots.settle(message[0] % 3 or None) is not None:
                pass
    assert not set(ballots.dropped) & set(ballots.view)
    assert len(ballots.view) > 1
    assert ballots.clone().view == ballots.view


def _votes() -> list[bytes]:
    made = []
    for body in (PROPOSAL, VOID):
        name = encode([Proposal.decode(body).name(TABLE)])
        who = (0, 1, 3)
        votes = [bytes([writer, 0]) + body for writer in who]
        made.append(several(*votes, *(bytes([writer, 1]) + name for writer in who)))
        made.append(several(*votes, *(bytes([writer, 2]) + name for writer in who)))
    return made


# -- what a program of ours says of it --------------------------------------------------------------------------------


def _traced(data: bytes) -> None:
    """A message in the trace is lines of text that steer no terminal, whatever it is, and no longer than it."""
    told: list[str] = []
    trace, mesh = Trace(told.append, lambda: 0.0), Mesh()
    link = Link(1, STRANGER.public, WHERE)
    mesh.links[1] = link
    mesh.tap = trace._message
    mesh.unpack(link, data)
    for line in told:
        assert line.isprintable(), "a trace that steers the screen"
        assert len(line) < 2000 + 16 * len(data)


def _trace_hears() -> list[bytes]:
    proof = ForkProof(entries()[0].signed, entries()[1].signed)
    have = [[5, HASH], [6, HASH]]
    return [
        *(encode(["entry", entry.encode(), have]) for entry in entries()[:3]),
        encode(["ping", have, [0, 1], False]),
        encode(["ping", [["\x1b[2J", HASH]], ["\x1b[2J"], False]),
        encode(["fork", proof.to_wire()]),
        encode(["no", "go away"]),
    ]


# Deeper than Python follows.
DEEP = b"[" * 3000


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _noted(data: bytes) -> None:
    note = Note.decode(_text(data))
    assert Note.decode(note.encode()) == note


def _chosen(data: bytes) -> None:
    choice = Choice.load(_text(data))
    assert Choice.load(choice.dump()).dump() == choice.dump()


def _address(data: bytes) -> None:
    found = parse_address(_text(data))
    if found is not None:
        assert found[0]
        assert 0 < found[1] < 65536


DECODERS = [
    Decoder("host", _host, _host_hears, share=0.05),
    Decoder("joiner", _joiner, lambda: [several(*_forming()["host"])], share=0.05),
    Decoder("watcher", _watcher, _watcher_hears, share=0.1),
    Decoder("asked", _asked, lambda: [several(encode(have_list(_match())), encode([[0, bytes(32)]] * 3))], share=0.3),
    Decoder("gallery", _visited, _visits, share=0.3),
    Decoder("ballots", _voted, _votes, (), share=0.3),
    Decoder("trace", _traced, _trace_hears),
    Decoder("note", _noted, lambda: [Note("join", "Zoe", "/a", "x").encode().encode(), DEEP], ()),
    Decoder("choice", _chosen, lambda: [Choice().dump().encode(), json.dumps({"seats": 9}).encode(), DEEP], ()),
    Decoder("address", _address, lambda: [b"10.0.0.1:7425", b"[fe80::1]:80", b"Zoe"], (Complaint,)),
]
