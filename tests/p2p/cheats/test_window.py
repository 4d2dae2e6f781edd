"""False answers in an UNO window: a *heard* that nobody called, an owner with two answers."""

from __future__ import annotations

import pytest
from nodealer import engine
from nodealer.p2p.bodies import NOTHING, parse_heard
from nodealer.p2p.entry import SignedHeader
from nodealer.p2p.wire import encode

from examples.cheats.window import calls, entry_before, far_ahead, heard, own_call, signed_by_the_cheat, silent
from examples.liar import CheatTable, Lie, LyingPlayer, caught, instead, when
from examples.table import HOP, eager
from examples.two_faces import TwoFaces


@pytest.mark.parametrize("call", [signed_by_the_cheat, own_call, entry_before, far_ahead])
def test_a_call_that_was_never_made(call):
    caught(CheatTable(heard(call), choose=silent), "heard")


def test_a_call_of_an_earlier_window():
    """The owner's true call, but for another window."""
    earlier: list[SignedHeader] = []

    def lie(player: LyingPlayer, kind: str, body: bytes) -> Lie | None:
        if kind != "heard":
            return None
        if not earlier:
            earlier.append(parse_heard(body))
            return None
        return Lie(body=encode(earlier[0].to_wire())) if earlier[0] != parse_heard(body) else None

    caught(CheatTable(lie, choose=calls, seed=0, players=3), "heard")


def test_heard_beside_quiet_convicts_the_owner():
    """The owner calls to one peer and is quiet to the others; the one who heard it carries the proof."""

    def other(player: LyingPlayer, kind: str, body: bytes) -> tuple[str, bytes] | None:
        state = player.match.state
        mine = state is not None and state.window == player.seat
        return ("called", NOTHING) if kind == "quiet" and mine else None

    faces = TwoFaces(other, {0}, lists=True)
    caught(faces.seat(choose=silent, seed="owner"), "equivocation")


def test_an_opponent_that_calls():
    caught(CheatTable(instead("silent", kind="called"), choose=silent), "rules")


def test_an_owner_that_catches():
    def lie(player: LyingPlayer, body: bytes) -> Lie | None:
        return Lie(kind="caught") if player.match.playing().window == player.seat else None

    caught(CheatTable(when("quiet", lie), choose=silent, seed="owner"), "rules")


def test_an_owner_that_says_silent():
    caught(CheatTable(instead("quiet", kind="silent"), choose=silent, seed="owner"), "rules")


@pytest.mark.parametrize("body", [b"\x90", encode([b"", b""]), encode([bytes(300), bytes(64)])])
def test_a_heard_without_a_header(body):
    caught(CheatTable(instead("silent", kind="heard", body=body), choose=silent), "body")


def test_a_catch_and_a_call_that_cross_are_no_fork():
    """Both are honest: the frames between two peers are slow, and every answer stands as it was written."""
    table = CheatTable(choose=lambda d, r: (eager if d.kind is engine.Kind.WINDOW else silent)(d, r))
    table.meddle = lambda sender, receiver, data: [(0.02 if {sender, receiver} == {0, 3} else HOP, data)]
    table.form()
    table.run(600)
    windows = [
        entry.header.kind
        for feed in table.liar.match.feeds
        for entry in feed.entries
        if entry.header.kind in ("called", "caught", "heard")
    ]
    assert "caught" in windows
    assert {seated.ended.outcome.value for seated in table.seats if seated.ended} == {0}
    assert len({seated.ended.digest for seated in table.seats if seated.ended}) == 1
