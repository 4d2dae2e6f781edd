"""Hash, transcript and context: every label, length and place counts."""

from __future__ import annotations

import hashlib

import pytest
from nodealer.crypto.errors import VerificationError
from nodealer.crypto.group import ORDER, G
from nodealer.crypto.hashing import digest, digest64, expand
from nodealer.crypto.transcript import Transcript, secret_scalars

from tests.helpers.cheating import other_places, place


def absorbed(*steps: tuple[str, bytes]) -> Transcript:
    transcript = Transcript()
    for label, data in steps:
        transcript.append(label, data)
    return transcript


def test_the_hash_is_what_the_protocol_says():
    def f(data: bytes) -> bytes:
        return len(data).to_bytes(8, "big") + data

    expected = hashlib.sha512(f(b"nodealer v1 test") + f(b"ab") + f(b"")).digest()
    assert digest64("test", b"ab", b"") == expected
    assert digest("test", b"ab", b"") == expected[:32]
    assert (
        len({digest("test"), digest("test", b""), digest("test", b"a", b"b"), digest("test", b"ab"), digest("tes")})
        == 5
    )


def test_expand_separates_labels_and_info():
    outputs = {expand(b"s", "a", 64), expand(b"s", "b", 64), expand(b"s", "a", 64, b"b"), expand(b"t", "a", 64)}
    assert len(outputs) == 4
    assert expand(b"s", "a", 32) == expand(b"s", "a", 64)[:32]
    with pytest.raises(ValueError, match="larger"):
        expand(b"s", "a", 255 * 64 + 1)


def test_labels_and_lengths_are_separate():
    histories = [
        absorbed(("a", b"bc")),
        absorbed(("ab", b"c")),
        absorbed(("abc", b"")),
        absorbed(("", b"abc")),
        absorbed(("a", b"b"), ("c", b"")),
        absorbed(("a", b""), ("b", b"c")),
        absorbed(("a", b"b"), ("", b"c")),
        absorbed(("challenge", b"bc")),
    ]
    assert len({transcript.challenge("e") for transcript in histories}) == len(histories)


def test_challenges_depend_on_order_label_count_and_each_other():
    first, second = absorbed(("a", b"1"), ("b", b"2")), absorbed(("b", b"2"), ("a", b"1"))
    assert first.challenge("e") != second.challenge("e")
    values = [absorbed().challenge("e"), absorbed().challenge("f"), absorbed().challenges("e", 2)[0]]
    assert len(set(values)) == 3
    transcript = absorbed()
    again = [transcript.challenge("e") for _ in range(3)]
    assert len(set(again)) == 3
    # A challenge is not the same as an entry that looks like one.
    asked, told = absorbed(), absorbed(("challenge", b"e"))
    asked.challenge("e")
    assert asked.state() != told.state()
    assert all(0 <= value < ORDER for value in absorbed().challenges("u", 50))
    assert len(set(absorbed().challenges("u", 50))) == 50


def test_typed_entries_are_entries():
    assert absorbed(("k", G.data)).state() == _with(lambda t: t.append_point("k", G))
    assert absorbed(("k", (5).to_bytes(32, "little"))).state() == _with(lambda t: t.append_scalar("k", 5))
    assert absorbed(("k", (5).to_bytes(8, "big"))).state() == _with(lambda t: t.append_int("k", 5))
    assert absorbed(("k", G.data * 2)).state() == _with(lambda t: t.append_points("k", [G, G]))


def _with(step) -> bytes:
    transcript = Transcript()
    step(transcript)
    return transcript.state()


def test_nonces_differ_by_secret_freshness_label_and_history():
    def same(size: int) -> bytes:
        return b"r" * size

    base = absorbed().nonces(b"s", "x", 3, same)
    assert base == absorbed().nonces(b"s", "x", 3, same)
    assert len(set(base)) == 3
    others = [
        absorbed().nonces(b"t", "x", 3, same),
        absorbed().nonces(b"s", "x", 3, lambda size: b"q" * size),
        absorbed().nonces(b"s", "y", 3, same),
        absorbed(("a", b"")).nonces(b"s", "x", 3, same),
        absorbed().nonces(b"s", "x", 3),
    ]
    assert all(not set(base) & set(other) for other in others)
    with pytest.raises(ValueError, match="random source"):
        absorbed().nonces(b"s", "x", 1, lambda size: b"r")


def test_many_secret_scalars_are_all_different():
    scalars = secret_scalars(b"s", "x", b"", 700)
    assert len(set(scalars)) == 700
    assert all(0 < scalar < ORDER for scalar in scalars)
    assert secret_scalars(b"s", "x", b"", 0) == []


def test_a_zero_challenge_is_refused(monkeypatch):
    transcript = Transcript()
    monkeypatch.setattr(Transcript, "challenges", lambda self, label, count: [0] * count)
    with pytest.raises(VerificationError, match="challenge e"):
        transcript.challenge_nonzero("e")


def test_every_part_of_the_place_counts():
    ctx = place(4)
    states = {ctx.transcript("shuffle").state(), ctx.transcript("lock").state()}
    states |= {other.transcript("shuffle").state() for other in [*other_places(ctx), ctx.about(5, ctx.cards)]}
    assert len(states) == 10
