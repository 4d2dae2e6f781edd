"""The lock: done rightly, done wrongly, and why its equations are never folded further than they are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nodealer.crypto import lock, shuffle
from nodealer.crypto.errors import DeckError, DecodeError, VerificationError
from nodealer.crypto.group import (
    ORDER,
    Point,
    counting,
    hash_to_point,
    inverse,
    mul_base,
    random_scalar,
)
from nodealer.crypto.lock import LockProof, LockStep

from tests.helpers.cheating import deck, flip, other_places, place, some_permutation


def scene(n: int):
    """(ctx, deck after the shuffles, K, k, keys)"""
    k = random_scalar()
    step = shuffle.prove(place(n), deck(n), k, some_permutation(n))
    return place(n), step.deck, step.key, k, [random_scalar() for _ in range(n)]


def refused(ctx, before, key, step) -> str:
    with pytest.raises(VerificationError) as caught:
        lock.verify(ctx, before, key, step)
    return caught.value.check


def prove_on(ctx, before, locked, tags, key, k, keys) -> LockStep:
    """The honest prover's program, told that this is the result."""
    proof = lock.prove_statement(ctx.transcript(lock.STATEMENT), before, locked, tags, key, k, keys)
    return LockStep(tuple(locked), tuple(tags), proof)


@pytest.mark.parametrize("n", [1, 2, 3, 15])
def test_a_lock_verifies_and_is_one(n):
    ctx, before, key, k, keys = scene(n)
    data = lock.prove(ctx, before, key, k, keys).encode()
    assert len(data) == LockStep.size(n)
    step = LockStep.decode(n, data)
    assert step.encode() == data
    lock.verify(ctx, before, key, step)
    for point, locked, tag, s in zip(before, step.deck, step.tags, keys, strict=True):
        assert k * locked == s * point
        assert tag == mul_base(s)


def test_what_112_cards_cost():
    ctx, before, key, k, keys = scene(112)
    with counting() as proving:
        data = lock.prove(ctx, before, key, k, keys).encode()
    assert (proving.mul, proving.mul_base, proving.add) == (224, 114, 0)
    tags = [mul_base(s) for s in keys]
    with counting() as proving:
        lock.prove(ctx, before, key, k, keys, tags=tags)
    assert (proving.mul, proving.mul_base, proving.add) == (224, 2, 0)
    with counting() as checking:
        lock.verify(ctx, before, key, LockStep.decode(112, data))
    assert (checking.mul, checking.mul_base, checking.add) == (338, 2, 225)


def test_a_wrong_card_tag_or_mask():
    ctx, before, key, k, keys = scene(3)
    good = lock.prove(ctx, before, key, k, keys)
    a = [s * inverse(k) for s in keys]
    wrong = (
        prove_on(ctx, before, [(a[0] + 1) * before[0], *good.deck[1:]], good.tags, key, k, keys),
        prove_on(ctx, before, [hash_to_point("planted"), *good.deck[1:]], good.tags, key, k, keys),
        prove_on(ctx, before, [good.deck[1], good.deck[0], good.deck[2]], good.tags, key, k, keys),
        prove_on(ctx, before, good.deck, [mul_base(keys[0] + 1), *good.tags[1:]], key, k, keys),
        prove_on(ctx, before, good.deck, [good.tags[1], good.tags[0], good.tags[2]], key, k, keys),
        lock.prove(ctx, before, key, k + 1, keys),
    )
    for step in wrong:
        assert refused(ctx, before, key, step) == "lock proof"


def test_changes_that_keep_the_sum():
    ctx, before, key, k, keys = scene(3)
    good = lock.prove(ctx, before, key, k, keys)
    extra = hash_to_point("extra")
    moved = [good.deck[0] + extra, good.deck[1] - extra, good.deck[2]]
    assert refused(ctx, before, key, prove_on(ctx, before, moved, good.tags, key, k, keys)) == "lock proof"
    tags = [good.tags[0] + extra, good.tags[1] - extra, good.tags[2]]
    assert refused(ctx, before, key, prove_on(ctx, before, good.deck, tags, key, k, keys)) == "lock proof"


def test_a_proof_copied_to_another_place():
    ctx, before, key, k, keys = scene(3)
    step = lock.prove(ctx, before, key, k, keys)
    for other in other_places(ctx):
        assert refused(other, before, key, step) == "lock proof"
    assert refused(ctx, before[::-1], key, step) == "lock proof"
    assert refused(ctx, before, hash_to_point("key"), step) == "lock proof"


def test_refusals():
    ctx, before, key, k, keys = scene(3)
    step = lock.prove(ctx, before, key, k, keys)
    nothing = Point(bytes(32))
    assert refused(ctx, before, nothing, step) == "lock points"
    assert refused(ctx, before, key, replace(step, deck=(nothing, *step.deck[1:]))) == "lock points"
    assert refused(ctx, before, key, replace(step, tags=(nothing, *step.tags[1:]))) == "lock points"
    assert refused(ctx, before, key, replace(step, deck=(step.deck[1], *step.deck[1:]))) == "lock points"
    assert refused(ctx, before, key, replace(step, tags=step.tags[1:])) == "lock length"
    assert refused(ctx, before[1:], key, step) == "lock length"
    assert refused(ctx, before, key, replace(step, proof=replace(step.proof, e=0))) == "lock challenge"
    assert refused(ctx, before, key, replace(step, proof=replace(step.proof, z=step.proof.z[1:]))) == "lock length"
    for bad in ((0, keys), (ORDER, keys), (k, [0, *keys[1:]]), (k, keys[1:])):
        with pytest.raises(DeckError):
            lock.prove(ctx, before, key, *bad)


def test_bad_bytes_are_refused():
    ctx, before, key, k, keys = scene(2)
    step = lock.prove(ctx, before, key, k, keys)
    data = step.encode()
    for bad in (b"", data[:-1], data + b"\0"):
        with pytest.raises(DecodeError):
            LockStep.decode(2, bad)
    for start in range(0, len(data), 32):
        for value in (bytes(32), b"\xff" * 32):
            with pytest.raises(DecodeError):
                LockStep.decode(2, data[:start] + value + data[start + 32 :])
        with pytest.raises((DecodeError, VerificationError)):
            lock.verify(ctx, before, key, LockStep.decode(2, flip(data, start)))
    with pytest.raises(DecodeError, match="twice"):
        LockStep.decode(2, replace(step, deck=(step.deck[0], step.deck[0])).encode())


# The lock that must not be: L' = a·L and S = a·K shown as one equation L' + ρ·S = a·(L + ρ·K).


def folded_weight(ctx, before, step, key) -> int:
    transcript = ctx.transcript("folded lock")
    return lock._weights(transcript, before, step.deck, step.tags, key)[0]


def folded_challenge(ctx, commitments) -> int:
    transcript = ctx.transcript("folded lock")
    transcript.append_points("t", commitments)
    return transcript.challenge("e")


def folded_verify(ctx, before, key, step) -> None:
    rho = folded_weight(ctx, before, step, key)
    e = step.proof.e
    t = [
        z * (l_before + rho * key) - e * (l_after + rho * tag)
        for z, l_before, l_after, tag in zip(step.proof.z, before, step.deck, step.tags, strict=True)
    ]
    if folded_challenge(ctx, t) != e:
        raise VerificationError("folded lock")


def folded_prove(ctx, before, key, step, exponents) -> LockStep:
    """exponents(ρ): a_j with L'_j + ρ·S_j = a_j·(L_j + ρ·K)."""
    rho = folded_weight(ctx, before, step, key)
    w = [random_scalar() for _ in before]
    e = folded_challenge(ctx, [w_j * (point + rho * key) for w_j, point in zip(w, before, strict=True)])
    z = tuple((w_j + e * a) % ORDER for w_j, a in zip(w, exponents(rho), strict=True))
    return replace(step, proof=LockProof(e, 1, z))


def test_a_folded_lock_is_forged_by_whoever_knows_a_logarithm_and_ours_is_not():
    n, k = 3, random_scalar()
    ctx, key = place(n), mul_base(k)
    # Sanity: the folded proof of a true statement passes.
    before = list(deck(n))
    a = [random_scalar() for _ in range(n)]
    true = LockStep(
        tuple(a_j * point for a_j, point in zip(a, before, strict=True)),
        tuple(a_j * key for a_j in a),
        LockProof(1, 1, ()),
    )
    folded_verify(ctx, before, key, folded_prove(ctx, before, key, true, lambda rho: a))
    # Planted points L_j = c_j·K, and L'_j, S_j with nothing to do with each other.
    c, l, s = ([random_scalar() for _ in range(n)] for _ in range(3))  # noqa: E741
    before = [c_j * key for c_j in c]
    false = LockStep(tuple(l_j * key for l_j in l), tuple(s_j * key for s_j in s), LockProof(1, 1, ()))
    forged = folded_prove(
        ctx,
        before,
        key,
        false,
        lambda rho: [(l_j + rho * s_j) * inverse(c_j + rho) % ORDER for c_j, l_j, s_j in zip(c, l, s, strict=True)],
    )
    folded_verify(ctx, before, key, forged)  # a false statement is accepted
    assert refused(ctx, before, key, forged) == "lock proof"
    fits_tags = [s_j * k % ORDER for s_j in s]
    fits_deck = [k * l_j * inverse(c_j) % ORDER for c_j, l_j in zip(c, l, strict=True)]
    for keys in (fits_tags, fits_deck):
        assert refused(ctx, before, key, prove_on(ctx, before, false.deck, false.tags, key, k, keys)) == "lock proof"


# What its one sum rests on: weights that depend on every tag, and a t for every position.


def weights_before_tags(transcript, before, locked, tags, key) -> list[int]:
    """In place of `lock._weights`: S comes too late."""
    transcript.append_points("L", before)
    transcript.append_points("L'", locked)
    transcript.append_point("K", key)
    rho = transcript.challenges("rho", len(before))
    transcript.append_points("S", tags)
    return rho


def test_tags_chosen_after_the_weights_would_be_forged(monkeypatch):
    """S moved by Δ with Σ ρ_j·Δ_j = 0 passes if ρ is known before S, and is refused since it is not."""
    n = 3
    ctx, before, key, k, keys = scene(n)
    good = lock.prove(ctx, before, key, k, keys)
    rho = lock.weights(ctx, before, key, good)
    extra = hash_to_point("extra")
    moved = [good.tags[0] + rho[1] * extra, good.tags[1] - rho[0] * extra, good.tags[2]]
    known = sum((r * tag for r, tag in zip(rho, moved, strict=True)), Point(bytes(32)))
    honest = sum((r * tag for r, tag in zip(rho, good.tags, strict=True)), Point(bytes(32)))
    assert known == honest  # under the old weights nothing would be seen
    assert refused(ctx, before, key, replace(good, tags=tuple(moved))) == "lock proof"
    assert refused(ctx, before, key, prove_on(ctx, before, good.deck, moved, key, k, keys)) == "lock proof"
    monkeypatch.setattr(lock, "_weights", weights_before_tags)
    rho = lock.weights(ctx, before, key, good)
    moved = [good.tags[0] + rho[1] * extra, good.tags[1] - rho[0] * extra, good.tags[2]]
    lock.verify(ctx, before, key, prove_on(ctx, before, good.deck, moved, key, k, keys))  # false tags are accepted


def test_the_weights_depend_on_everything_that_is_stated():
    ctx, before, key, k, keys = scene(2)
    step = lock.prove(ctx, before, key, k, keys)
    other = hash_to_point("other")
    all_weights = [
        lock.weights(ctx, before, key, step),
        lock.weights(replace(ctx, slot=ctx.slot + 1), before, key, step),
        lock.weights(ctx, (other, before[1]), key, step),
        lock.weights(ctx, before, other, step),
        lock.weights(ctx, before, key, replace(step, deck=(other, step.deck[1]))),
        lock.weights(ctx, before, key, replace(step, tags=(other, step.tags[1]))),
        lock.weights(ctx, before, key, step, pledged=b"something"),
    ]
    assert len({tuple(weights) for weights in all_weights}) == len(all_weights)


def test_a_lock_belongs_to_what_was_pledged_with_it():
    ctx, before, key, k, keys = scene(2)
    step = lock.prove(ctx, before, key, k, keys, pledged=b"pledges")
    assert lock.verify(ctx, before, key, step, pledged=b"pledges")[0] == lock.weights(
        ctx, before, key, step, pledged=b"pledges"
    )
    for other in (b"", b"pledgeS"):
        with pytest.raises(VerificationError, match="lock proof"):
            lock.verify(ctx, before, key, step, pledged=other)


def test_positions_folded_into_one_sum_would_be_forged_and_are_not():
    """With one t for all positions, Σ ρ_j·(k·L'_j - s_j·L_j) = 0 has false solutions: two equations, n unknowns."""
    n, k = 3, random_scalar()
    ctx, key = place(n), mul_base(k)
    # Planted points of known logarithms c_j, and L' = l_j·G, S_j = s_j·G that have nothing to do with each other.
    c, l, s = ([random_scalar() for _ in range(n)] for _ in range(3))  # noqa: E741
    before = [mul_base(c_j) for c_j in c]
    false = LockStep(tuple(mul_base(l_j) for l_j in l), tuple(mul_base(s_j) for s_j in s), LockProof(1, 1, ()))
    rho = lock.weights(ctx, before, key, false)
    # Some x with Σ ρ_j·c_j·x_j = k·Σ ρ_j·l_j and Σ ρ_j·x_j = Σ ρ_j·s_j satisfies both sums.
    x2 = random_scalar()
    a = (k * sum(r * l_j for r, l_j in zip(rho, l, strict=True)) - rho[2] * c[2] * x2) % ORDER
    b = (sum(r * s_j for r, s_j in zip(rho, s, strict=True)) - rho[2] * x2) % ORDER
    det = inverse(rho[0] * c[0] * rho[1] - rho[1] * c[1] * rho[0])
    x = [(a * rho[1] - b * rho[1] * c[1]) * det % ORDER, (b * rho[0] * c[0] - a * rho[0]) * det % ORDER, x2]
    assert sum(r * c_j * x_j for r, c_j, x_j in zip(rho, c, x, strict=True)) % ORDER == (
        k * sum(r * l_j for r, l_j in zip(rho, l, strict=True)) % ORDER
    )
    # Ours compares position by position, so the same x is refused.
    assert refused(ctx, before, key, prove_on(ctx, before, false.deck, false.tags, key, k, x)) == "lock proof"
