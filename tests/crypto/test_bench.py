"""The bench says what it promises to say."""

from __future__ import annotations

import json

import pytest
from nodealer.crypto import cores, sodium
from nodealer.crypto.bench import _steps, measure
from nodealer.crypto.group import Operations, counting

STEPS = {"shuffle", "prove_ahead", "prove", "verify", "lock", "lock_verify", "verdict", "verdict_verify"}
STEPS |= {"lock_ahead", "verdict_guilty", "verdict_guilty_verify"}
OPERATIONS = {"mul", "mul_base", "add", "hash_to_group"}


def test_the_keys_and_counts():
    result = measure(n=112, repeat=2)
    assert json.loads(json.dumps(result)) == result
    assert set(result) == {"n", "group_us", "ms", "ops", "ratio", "bytes", "two_cores"}
    assert result["n"] == 112
    assert set(result["group_us"]) == OPERATIONS
    assert set(result["ms"]) == set(result["ops"]) == set(result["ratio"]) == STEPS
    counts = {name: (ops["mul"], ops["mul_base"], ops["add"]) for name, ops in result["ops"].items()}
    assert counts == {
        "shuffle": (112, 1, 0),
        "prove_ahead": (335, 3, 335),
        "prove": (335, 3, 334),
        "verify": (342, 2, 340),
        "lock_ahead": (0, 112, 0),
        "lock": (224, 2, 0),
        "lock_verify": (338, 2, 225),
        "verdict": (565, 9, 477),
        "verdict_verify": (269, 4, 259),
        "verdict_guilty": (518, 0, 259),
        "verdict_guilty_verify": (518, 0, 259),
    }
    # A proof that all are in a set: as many points and scalars as proofs.md counts. That one is: a pair of scalars for
    # each of 7 · 37 pairs. The box holds 7 ids and keys.
    assert result["bytes"] == {
        "shuffle": 11072,
        "lock": 10816,
        "verdict": 8302,
        "verdict_guilty": 2 * 32 * 7 * 37,
        "sealed_hand": 32 + 64 + 7 * (2 + 32) + 16,
    }
    assert all(ops["hash_to_group"] == 0 for ops in result["ops"].values())
    two = result["two_cores"]
    assert (set(two) == {"ms", "ratio"}) == (cores.available() > 1)
    assert all(set(figures) == STEPS for figures in two.values())
    # The promise is 1.12. How near a busy machine comes to it is no matter of a test.
    assert all(ratio > 0 for ratio in result["ratio"].values()), result["ratio"]


def test_small_decks_and_refusals():
    assert measure(n=2, repeat=1)["n"] == 2
    for n, repeat in ((1, 1), (5, 0)):
        with pytest.raises(ValueError, match="a bench needs"):
            measure(n, repeat)


def test_what_is_counted_is_what_libsodium_is_asked(monkeypatch):
    """Counts are added before the work is done; so every call of every step is looked at here."""
    asked = Operations()

    def watch(name: str, operation: str) -> None:
        honest = getattr(sodium, name)

        def call(*args):
            setattr(asked, operation, getattr(asked, operation) + 1)
            return honest(*args)

        monkeypatch.setattr(sodium, name, call)

    steps = _steps(9)
    for name, operation in (
        ("multiply", "mul"),
        ("multiply_base", "mul_base"),
        ("add", "add"),
        ("subtract", "add"),
        ("from_hash", "hash_to_group"),
    ):
        watch(name, operation)
    assert set(steps) == STEPS
    for name, step in steps.items():
        asked = Operations()
        with cores.using(1), counting() as counted:
            step()
        if name == "verdict_guilty":
            # The factor of Y at the true pair is 0 until the challenge is known, and 0 times a point is not asked.
            asked.mul += 1
        assert asked == counted, name
        assert counted.mul + counted.mul_base > 0, name
