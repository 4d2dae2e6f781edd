"""Peers that cheat with their shuffle: a card dropped, doubled, replaced, each forgery of the proof, a copied proof."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nodealer.crypto import shuffle
from nodealer.crypto.context import Context
from nodealer.crypto.group import ORDER, POINT_BYTES, encode_scalar, random_scalar
from nodealer.p2p.wire import decode

from examples.cheats.shuffle import Shuffler, doubled_under_another_mask, replaced, shuffles, sum_kept, with_points
from examples.liar import CheatTable, caught
from examples.table import FAST
from tests.helpers.cheating import forge_on_related, weak_transcript


@pytest.mark.parametrize("change", [replaced, doubled_under_another_mask, sum_kept])
def test_other_cards_under_a_proof_for_the_right_ones(change):
    caught(CheatTable(shuffles(with_points(change))), "shuffle V4")


def test_a_doubled_card():
    def make(s: Shuffler) -> bytes:
        honest = s.prove(s.honest)
        return honest[:POINT_BYTES] * 2 + honest[2 * POINT_BYTES :]

    caught(CheatTable(shuffles(make)), "encoding")


def test_a_dropped_card():
    def make(s: Shuffler) -> bytes:
        n = s.deck.n - 1
        ctx = replace(s.ctx, n=n)
        return shuffle.prove(ctx, s.deck.current[:-1], s.k, range(n)).encode()

    caught(CheatTable(shuffles(make)), "encoding")


def test_a_witness_that_is_no_permutation(monkeypatch):
    monkeypatch.setattr(shuffle, "check_permutation", lambda permutation, n: None)
    caught(CheatTable(shuffles(lambda s: s.prove(s.honest, (s.order[1], *s.order[1:])))), "shuffle V1")


def test_a_commitment_to_another_permutation():
    def make(s: Shuffler) -> bytes:
        prepared = shuffle.prepare(s.ctx, s.order[::-1], b"secret")
        prepared._permutation = s.order
        return shuffle.prove(s.ctx, s.deck.current, s.k, s.order, prepared).encode()

    caught(CheatTable(shuffles(make)), "shuffle V2+V3")


@pytest.mark.parametrize("weakness", ["no K", "no C_pi", "late K", "late C_pi"])
def test_a_challenge_that_leaves_out_k_or_c_pi(weakness):
    def make(s: Shuffler) -> bytes:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Context, "transcript", weak_transcript(weakness))
            return s.prove(s.honest)

    # The first challenges are others, and with them the product that V1 compares.
    caught(CheatTable(shuffles(make)), "shuffle V1")


@pytest.mark.parametrize("weakness", ["none", "no K", "no C_pi"])
def test_a_proof_on_related_inputs(weakness):
    def make(s: Shuffler) -> bytes:
        scalars = [[random_scalar() for _ in range(s.deck.n)] for _ in range(2)]
        return forge_on_related(s.ctx, *scalars, weakness)[1].encode()

    caught(CheatTable(shuffles(make)), "shuffle V1")


@pytest.mark.parametrize("field", ["table", "round", "seat"])
def test_a_proof_made_for_another_place(field):
    def make(s: Shuffler) -> bytes:
        value = b"another table".ljust(32) if field == "table" else getattr(s.ctx, field) + 1
        return s.prove(s.honest, ctx=replace(s.ctx, **{field: value}))

    caught(CheatTable(shuffles(make)), "shuffle V1")


def test_the_shuffle_of_another_seat():
    def make(s: Shuffler) -> bytes | None:
        if s.player.seat == 0:
            return None
        earlier = s.player.match.feed_of(0).entries
        (entry,) = [entry for entry in earlier if entry.header.kind == "shuffle"]
        return decode(entry.body, max_bytes=1 << 17)[0]

    table = CheatTable(shuffles(make), seed="not the first seat")
    caught(table, "shuffle V1")


def test_the_own_shuffle_of_the_round_before():
    def make(s: Shuffler) -> bytes | None:
        own = [entry for entry in s.player.match.feeds[s.player.writer].entries if entry.header.kind == "shuffle"]
        return decode(own[0].body, max_bytes=1 << 17)[0] if own and s.deck.where.round else None

    options = replace(FAST, target=250, seats=2)
    caught(CheatTable(shuffles(make), players=2, options=options), "shuffle V1")


@pytest.mark.parametrize(
    "what",
    [
        bytes(32),  # the identity
        (2**255 - 19 + 2).to_bytes(32, "little"),  # not reduced
        b"\x01" + bytes(31),  # negative
        b"\xff" * 32,
    ],
)
def test_a_point_that_is_none(what):
    caught(CheatTable(shuffles(lambda s: what + s.prove(s.honest)[POINT_BYTES:]), players=2), "encoding")


def test_a_key_that_is_the_identity():
    def make(s: Shuffler) -> bytes:
        honest = s.prove(s.honest)
        at = s.deck.n * POINT_BYTES
        return honest[:at] + bytes(32) + honest[at + 32 :]

    caught(CheatTable(shuffles(make), players=2), "encoding")


def test_a_scalar_that_is_not_reduced():
    def make(s: Shuffler) -> bytes:
        honest = s.prove(s.honest)
        last = int.from_bytes(honest[-32:], "little") + ORDER
        return honest[:-32] + last.to_bytes(32, "little")

    caught(CheatTable(shuffles(make), players=2), "encoding")


def test_a_mask_of_zero():
    """Every point would be the identity, so a proof of nothing would hold for it."""
    caught(
        CheatTable(shuffles(lambda s: bytes(32) * (s.deck.n + 1) + s.prove(s.honest)[32 * (s.deck.n + 1) :])),
        "encoding",
    )
    assert encode_scalar(0) == bytes(32)
