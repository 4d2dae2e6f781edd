"""Peers that move as the rules forbid, out of turn, on another state than the table's, or talk too much."""

from __future__ import annotations

from typing import Any

import pytest
from nodealer import engine
from nodealer.p2p.bodies import NOTHING, play_body
from nodealer.p2p.events import Outcome
from nodealer.p2p.match import Match
from nodealer.p2p.slots import SlotKind
from nodealer.p2p.wire import decode, encode

from examples.liar import CheatTable, Lie, LyingPlayer, caught, forge, instead, play_out, report_of, when


def test_a_card_that_the_rules_do_not_let_be_played():
    def lie(player: LyingPlayer, body: bytes) -> Lie | None:
        legal = {action.handle for action in player.legal() if isinstance(action, engine.PlayCard)}
        kinds = engine.EDITIONS["four-colors"].cards
        for handle, card in player.known.items():
            if handle not in legal and kinds[card].colour is not None:
                return Lie(kind="play", body=play_body(handle, card, player._key(handle), None, False))
        return None

    trick = when("play", lie)
    caught(CheatTable(trick), "rules")


@pytest.mark.parametrize(
    ("at", "value"), [(4, 0), (4, 3), (4, 99), (4, -1), (5, None)], ids=["colour", "other", "99", "-1", "no uno"]
)
def test_a_play_with_a_colour_or_a_call_that_does_not_belong(at, value):
    def lie(player: LyingPlayer, body: bytes) -> Lie | None:
        fields: list[Any] = decode(body, max_bytes=1 << 10)
        plain = engine.EDITIONS["four-colors"].cards[fields[2]].colour is not None
        fields[at] = value
        return Lie(body=encode(fields)) if plain and len(player.known) > 1 else None

    caught(CheatTable(when("play", lie)), "rules")


def test_a_pass_while_there_are_cards_to_draw():
    caught(CheatTable(instead("draw", kind="pass")), "rules")


@pytest.mark.parametrize("slot", ["move", "turn up", "epoch ok", "coin"])
def test_an_entry_of_another_kind(slot):
    written = {"move": "draw"}.get(slot, slot)
    caught(CheatTable(instead(written, kind="take", body=NOTHING)), "kind")


@pytest.mark.parametrize("kind", ["nonsense", "shares", "commit", "start"])
def test_a_kind_that_no_slot_here_takes(kind):
    caught(CheatTable(instead("draw", kind=kind), players=2), "kind")


def test_out_of_turn_is_judged_only_when_its_slot_takes_it():
    table = CheatTable()
    table.form()

    def not_mine(match: Match) -> bool:
        return match.slot.kind is SlotKind.MOVE and table.liar.seat not in match.slot.owed

    table.until(not_mine)
    table.write_now("draw", NOTHING)
    early = table.liar.match.feeds[table.liar.writer].entries[-1]
    taken_at = {}

    def judged() -> bool:
        for index, seated in enumerate(table.seats):
            match = seated.peer.match
            if match is not None and early in match.feeds[early.header.writer].entries and not match.over:
                taken_at[index] = match.slot.number
        return False

    table.run(60, until=judged)
    # All held it while other slots were taken, and nobody minded.
    assert all(taken_at[index] > early.header.slot for index in taken_at)
    assert len(taken_at) == 4
    caught(table, "slot")


def test_twice_in_one_slot():
    table = CheatTable()
    table.form()
    table.until(lambda match: match.slot.kind is SlotKind.EPOCH_OK and not table.liar.owes())
    table.write_now("epoch ok", NOTHING)
    caught(table, "slot")


def test_an_earlier_entry_signed_again():
    def lie(player: LyingPlayer, body: bytes) -> Lie | None:
        own = [e for e in player.match.feeds[player.writer].entries if e.header.kind in ("draw", "play")]
        if not own:
            return None
        old = own[0]
        return Lie(kind=old.header.kind, body=old.body, header={"slot": old.header.slot, "digest": old.header.digest})

    trick_draw, trick_play = when("draw", lie), when("play", lie)
    caught(CheatTable(lambda p, k, b: trick_draw(p, k, b) or trick_play(p, k, b)), "slot")


def test_the_very_entry_again_does_nothing():
    table = CheatTable()
    table.form()
    table.until(lambda match: match.slot.number > 20)
    match = table.liar.match
    for feed in match.feeds:
        for entry in feed.entries:
            table.say_now("entry", entry.encode())
    play_out(table)
    assert {seated.ended.outcome for seated in table.seats if seated.ended} == {Outcome.COMPLETE}
    assert len({seated.ended.digest for seated in table.seats if seated.ended}) == 1


@pytest.mark.parametrize("kind", ["shuffle", "keys", "draw"])
def test_a_false_digest(kind):
    caught(CheatTable(instead(kind, header={"digest": b"x" * 32})), "digest")


def test_the_digest_of_the_slot_before():
    def lie(player: LyingPlayer, body: bytes) -> Lie | None:
        own = [entry for entry in player.match.feeds[player.writer].entries if entry.header.kind == "epoch ok"]
        return Lie(header={"digest": own[0].header.digest}) if own else None

    caught(CheatTable(when("keys", lie)), "digest")


def test_a_false_digest_when_two_play():
    caught(CheatTable(instead("draw", header={"digest": bytes(32)}), players=2), "digest")


def test_a_false_final_digest():
    caught(CheatTable(instead("end", body=encode([b"x" * 32]))), "final digest")


def test_too_much_chat():
    table = CheatTable()
    table.form()
    table.until(lambda match: match.slot.kind is SlotKind.MOVE and table.liar.seat not in match.slot.owed)
    for number in range(51):
        table.write_now("chat", encode([f"line {number}"]))
    caught(table, "chat")


def test_fifty_lines_of_chat_are_allowed():
    table = CheatTable()
    table.form()
    table.until(lambda match: match.slot.kind is SlotKind.MOVE and table.liar.seat not in match.slot.owed)
    for number in range(50):
        table.write_now("chat", encode([f"line {number}"]))
    play_out(table)
    assert {seated.ended.outcome for seated in table.seats if seated.ended} == {Outcome.COMPLETE}
    assert report_of(table.seats[0]).status.value == 0


def test_a_flood_of_chat_that_fills_the_feed():
    """More than a feed may hold untaken: what its writer owes next would not fit any more."""
    table = CheatTable()
    table.form()
    table.until(lambda match: match.slot.kind is SlotKind.MOVE and table.liar.seat not in match.slot.owed)
    for number in range(300):
        table.write_now("chat", encode([f"line {number}"]))
    caught(table, "chat")


def test_a_line_of_chat_that_is_too_long():
    table = CheatTable()
    table.form()
    table.until(lambda match: match.slot.number > 16)
    table.write_now("chat", encode(["x" * 700]))
    caught(table, "chat")


def test_own_program_refuses_what_others_would_punish():
    table = CheatTable()
    table.form()
    table.until(lambda match: match.slot.kind is SlotKind.MOVE)
    assert forge(table.liar, "draw", NOTHING).header.slot == table.liar.match.slot.number
