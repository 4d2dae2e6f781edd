"""Peers that sign two entries with one number: named with proof by everybody, wherever the two faces went."""

from __future__ import annotations

import pytest
from nodealer.p2p.bodies import NOTHING
from nodealer.p2p.entry import Entry
from nodealer.p2p.events import PlayerOut
from nodealer.p2p.feed import ForkProof
from nodealer.p2p.transcript import parse_record
from nodealer.p2p.wire import encode

from examples.cheats.equivocation import COIN, EPOCH_OK, at, draw_or_play
from examples.liar import CheatTable, LyingPlayer, caught, forge, instead, play_out
from examples.table import HOP
from examples.two_faces import TwoFaces


@pytest.mark.parametrize("other", [COIN, EPOCH_OK, draw_or_play], ids=["coin", "epoch ok", "draw"])
@pytest.mark.parametrize("victims", [{0}, {0, 2}], ids=["one", "two"])
@pytest.mark.parametrize("lists", [False, True], ids=["honest lists", "false lists"])
def test_two_faces(other, victims, lists):
    caught(TwoFaces(other, victims, lists=lists).seat(), "equivocation")


def test_two_shuffles():
    def other(player: LyingPlayer, kind: str, body: bytes) -> tuple[str, bytes] | None:
        if kind != "shuffle":
            return None
        deck = player._deck_being_made()
        # The same shuffle with another proof: as good as the first, and yet another entry.
        return kind, encode([player._secret(deck).make_shuffle(deck, player.match.slot.number)])

    caught(TwoFaces(other, {0, 2}).seat(), "equivocation")


def test_two_lines_of_chat():
    table = TwoFaces(at("chat", ("chat", encode(["no"]))), {0}).seat()
    table.form()
    table.until(lambda match: match.slot.number > 16)
    table.write_now("chat", encode(["yes"]))
    caught(table, "equivocation")


def test_both_faces_to_everybody():
    table = CheatTable()
    table.form()
    table.until(lambda match: match.slot.number > 16)
    one, two = (forge(table.liar, "chat", encode([text])) for text in ("yes", "no"))
    table.say_now("entry", one.encode())
    table.say_now("entry", two.encode())
    caught(table, "equivocation")


def test_a_chain_that_does_not_hold():
    """The next entry names another one before it than the one that everybody holds."""
    caught(CheatTable(instead("draw", header={"previous": b"p" * 32})), "equivocation")


def test_two_faces_when_two_of_three_lines_are_cut():
    """The honest learn of it by way of each other only after the cut line is there again."""
    faces = TwoFaces(draw_or_play, {0})
    table = faces.seat()
    table.form()
    table.until(lambda match: match.slot.number > 16)
    table.disconnect(0, 2)
    table.run(2)
    table.heal(0, 2)
    caught(table, "equivocation")


def test_the_honest_witness_is_not_blamed_for_the_forkers_two_histories():
    """Whoever saw the other face speaks of another history; the transcript of the rest must not name that one.

    The proof of the fork stands in the transcript after the entry with the digest that seems false.
    """
    faces = TwoFaces(draw_or_play, {2})
    table = faces.seat()

    def late_proof(sender: int, receiver: int, data: bytes) -> list[tuple[float, bytes]]:
        frames = faces.meddle(sender, receiver, data)
        # What would settle it comes late; entries come at once.
        slow = b"fork" in data[:8] or b"ping" in data[:8]
        return [(3.0 if slow else HOP, frame) for _, frame in frames]

    table.meddle = late_proof
    caught(table, "equivocation")


def test_the_proof_stands_in_the_transcript():
    table = TwoFaces(draw_or_play, {0}).seat()
    caught(table, "equivocation")
    for seated in table.honest:
        proofs = [record for record in map(parse_record, seated.records) if isinstance(record, ForkProof)]
        assert len(proofs) == 1
        match = seated.peer.match
        assert match is not None
        proofs[0].check(match.table, match.feeds[proofs[0].writer].key)


@pytest.mark.parametrize("number", [0, 5])
def test_a_false_proof_convicts_nobody_but_its_line(number):
    table = CheatTable()
    table.form()
    table.until(lambda match: match.slot.number > 20)
    match = table.liar.match
    victim = match.roster.writer_of(table.seats[2].peer.key)
    true: Entry = match.feeds[victim].entries[number]
    false = forge(table.liar, "draw", NOTHING, writer=victim, number=number)
    table.say_now("fork", [true.signed.to_wire(), false.signed.to_wire()])
    play_out(table)
    for seated in table.honest:
        out = [(event.seat, event.reason) for event in seated.told if isinstance(event, PlayerOut)]
        assert out == [(table.liar.seat, "dropped")]
