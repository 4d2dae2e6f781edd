"""Each forgery that the shuffle proof must refuse, made by a prover that cheats in exactly that way."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest
from nodealer.crypto import shuffle
from nodealer.crypto.context import Context
from nodealer.crypto.errors import DeckError, DecodeError, VerificationError
from nodealer.crypto.group import ORDER, Point, hash_to_point, random_scalar
from nodealer.crypto.shuffle import ShuffleStep
from nodealer.crypto.transcript import Transcript

from tests.helpers.cheating import (
    Weakness,
    deck,
    flip,
    forge_on_related,
    other_places,
    place,
    some_permutation,
    weak_transcript,
)

N = 5


def refused(ctx: Context, a, step: ShuffleStep) -> str:
    """The name of the check that refuses the step, through the wire and without it."""
    with pytest.raises(VerificationError) as direct:
        shuffle.verify(ctx, a, step)
    return direct.value.check


def prove_on(ctx: Context, a, b, k: int, permutation) -> ShuffleStep:
    """The honest prover's program, told that b is the shuffle."""
    key = shuffle.mask(a, k, permutation)[1]
    return ShuffleStep(tuple(b), key, shuffle.prove_statement(ctx, shuffle.STATEMENT, a, b, key, k, permutation))


@pytest.mark.parametrize("weakness", ["late K", "no K", "late C_pi", "no C_pi"])
@pytest.mark.parametrize("n", [2, 5])
def test_related_inputs_pass_a_transcript_without_k_or_c_pi_and_fail_ours(monkeypatch, weakness, n):
    ctx = place(n)
    alpha = [random_scalar() for _ in range(n)]
    beta = [random_scalar() for _ in range(n)]  # no shuffle of alpha under any mask
    a, step = forge(ctx, alpha, beta, weakness)
    with monkeypatch.context() as patch:
        patch.setattr(Context, "transcript", weak_transcript(weakness))
        shuffle.verify(ctx, a, ShuffleStep.decode(n, step.encode()))  # a false statement is accepted
    refused(ctx, a, step)


def forge(ctx: Context, alpha: list[int], beta: list[int], weakness: Weakness) -> tuple[list[Point], ShuffleStep]:
    for _ in range(64):
        with contextlib.suppress(ArithmeticError):
            return forge_on_related(ctx, alpha, beta, weakness)
    raise AssertionError("no luck in 64 tries")


def test_the_same_attack_in_our_order_fails_v4():
    alpha = [random_scalar() for _ in range(N)]
    beta = [random_scalar() for _ in range(N)]
    a, step = forge_on_related(place(N), alpha, beta, "none")
    assert refused(place(N), a, step) == "shuffle V4"


def test_related_inputs_honestly_shuffled_are_accepted():
    base = hash_to_point("test base")
    a = [value * base for value in range(1, N + 1)]
    shuffle.verify(place(N), a, shuffle.prove(place(N), a, random_scalar(), some_permutation(N)))


def test_a_witness_that_is_no_permutation(monkeypatch):
    ctx, a, k = place(N), deck(N), random_scalar()
    b, _ = shuffle.mask(a, k, some_permutation(N))
    with pytest.raises(DeckError):
        prove_on(ctx, a, b, k, [0, 0, 2, 3, 4])
    monkeypatch.setattr(shuffle, "check_permutation", lambda permutation, n: None)
    assert refused(ctx, a, prove_on(ctx, a, b, k, [0, 0, 2, 3, 4])) == "shuffle V1"


def test_a_doubled_card_is_two_equal_points():
    ctx, a, k = place(N), deck(N), random_scalar()
    doubled = [k * a[i] for i in (0, 0, 2, 3, 4)]
    step = prove_on(ctx, a, doubled, k, range(N))
    assert refused(ctx, a, step) == "shuffle points"
    with pytest.raises(DecodeError):
        ShuffleStep.decode(N, step.encode())


def test_a_card_masked_with_another_scalar():
    ctx, a, k = place(N), deck(N), random_scalar()
    b = [k * point for point in a]
    b[0] = (k + 1) * a[0]
    assert refused(ctx, a, prove_on(ctx, a, b, k, range(N))) == "shuffle V4"


def test_a_replaced_card():
    ctx, a, k = place(N), deck(N), random_scalar()
    b = [k * point for point in a]
    b[2] = k * hash_to_point("a card of another deck")
    assert refused(ctx, a, prove_on(ctx, a, b, k, range(N))) == "shuffle V4"


def test_a_dropped_card():
    ctx, a, k = place(N), deck(N), random_scalar()
    shorter = shuffle.prove(place(N - 1), a[:-1], k, range(N - 1))
    assert refused(ctx, a, shorter) == "shuffle length"
    with pytest.raises(DecodeError):
        ShuffleStep.decode(N, shorter.encode())
    with pytest.raises(DeckError):
        shuffle.prove(ctx, a[:-1], k, range(N - 1))


def test_changes_that_keep_the_sum():
    ctx, k, base = place(N), random_scalar(), hash_to_point("test base")
    a = [value * base for value in range(1, N + 1)]
    b = [k * point for point in a]
    b[0], b[1] = b[0] + base, b[1] - base
    assert refused(ctx, a, prove_on(ctx, a, b, k, range(N))) == "shuffle V4"
    # Also weighted by place, so that the sums over λ agree.
    b = [k * point for point in a]
    b[0], b[1], b[2] = b[0] + base, b[1] - 2 * base, b[2] + base
    assert refused(ctx, a, prove_on(ctx, a, b, k, range(N))) == "shuffle V4"


def test_a_proof_copied_to_another_place():
    ctx, a = place(N), deck(N)
    step = shuffle.prove(ctx, a, random_scalar(), some_permutation(N))
    shuffle.verify(ctx, a, step)
    for other in other_places(ctx):
        refused(other, a, step)


def test_a_proof_for_another_input_or_another_statement():
    ctx, a = place(N), deck(N)
    step = shuffle.prove(ctx, a, random_scalar(), some_permutation(N))
    refused(ctx, a[::-1], step)
    refused(ctx, step.deck, step)
    with pytest.raises(VerificationError):
        shuffle.verify_statement(ctx, "hand all, candidates", a, step.deck, step.key, step.proof)


def test_another_key():
    ctx, a = place(N), deck(N)
    step = shuffle.prove(ctx, a, random_scalar(), some_permutation(N))
    refused(ctx, a, ShuffleStep(step.deck, hash_to_point("key"), step.proof))
    with pytest.raises(VerificationError, match="identity"):
        shuffle.verify(ctx, a, ShuffleStep(step.deck, Point(bytes(32)), step.proof))


def test_c_pi_of_another_permutation():
    ctx, a, k = place(N), deck(N), random_scalar()
    order, other = some_permutation(N), tuple(reversed(some_permutation(N)))
    prepared = shuffle.prepare(ctx, other, b"secret")
    with pytest.raises(DeckError):
        shuffle.prove(ctx, a, k, order, prepared)
    prepared._permutation = order
    assert refused(ctx, a, shuffle.prove(ctx, a, k, order, prepared)) == "shuffle V2+V3"


def test_c_pi_of_another_permutation_opened_consistently():
    """m' = u_π + λ·σ opens C_u + λ·C_π, but it is no permutation of m."""
    k = random_scalar()
    alpha = [random_scalar() for _ in range(N)]
    order, other = some_permutation(N), tuple(reversed(some_permutation(N)))
    beta = [k * alpha[image] % ORDER for image in order]
    a, honest = forge_on_related(place(N), alpha, beta, "none", k, order, order)
    shuffle.verify(place(N), a, honest)
    a, step = forge_on_related(place(N), alpha, beta, "none", k, order, other)
    assert refused(place(N), a, step) == "shuffle V1"


def test_openings_moved_against_each_other_would_pass_under_a_weight_known_before(monkeypatch):
    """V2 and V3 are one sum: z and z' changed so that ρ evens it out. ρ depends on both, so it does not."""
    ctx, a = place(N), deck(N)
    step = shuffle.prove(ctx, a, random_scalar(), some_permutation(N))
    proof, more = step.proof, random_scalar()

    def moved(rho: int) -> ShuffleStep:
        wrong = replace(proof, z=(proof.z - rho * more) % ORDER, z_prime=(proof.z_prime + more) % ORDER)
        return replace(step, proof=wrong)

    def before_the_weight() -> Transcript:
        transcript = shuffle._begin(ctx, shuffle.STATEMENT, a, step.deck, step.key)
        shuffle._first_challenges(transcript, proof.c_pi, N)
        shuffle._second_challenges(transcript, proof.c_u)
        shuffle._third_challenge(transcript, proof.c_d, proof.c_delta, proof.c_a, proof.t, proof.t_k)
        return transcript

    assert refused(ctx, a, moved(shuffle._weight(before_the_weight(), proof))) == "shuffle V2+V3"
    monkeypatch.setattr(shuffle, "_weight", lambda transcript, proof: transcript.challenge("rho"))
    shuffle.verify(ctx, a, moved(before_the_weight().challenge("rho")))  # false openings are accepted


def test_every_field_counts():
    ctx, a = place(3), deck(3)
    data = shuffle.prove(ctx, a, random_scalar(), some_permutation(3)).encode()
    for start in range(0, len(data), 32):
        with pytest.raises((DecodeError, VerificationError)):
            shuffle.verify(ctx, a, ShuffleStep.decode(3, flip(data, start)))


def test_a_zero_challenge_is_refused(monkeypatch):
    ctx, a = place(3), deck(3)
    step = shuffle.prove(ctx, a, random_scalar(), some_permutation(3))
    honest = Transcript.challenge
    monkeypatch.setattr(Transcript, "challenge", lambda self, label: 0 if label == "e" else honest(self, label))
    assert refused(ctx, a, step) == "challenge e"


def test_one_card_masked_with_another_scalar():
    ctx, a, k = place(1), deck(1), random_scalar()
    step = prove_on(ctx, a, [(k + 1) * a[0]], k, [0])
    assert refused(ctx, a, step) == "shuffle one"
    good = shuffle.prove(ctx, a, k, [0])
    for other in other_places(ctx):
        refused(other, a, good)
    refused(place(2), deck(2), good)
