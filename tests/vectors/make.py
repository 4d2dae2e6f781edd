"""Writes the protocol's test vectors: JSON files beside this one, from public seeds, the same bytes every time.

Run `python tests/vectors/make.py` after a deliberate change of the protocol; a test fails while a file differs.
All bytes are hex, scalars 32 bytes little endian as on the wire. "Secret" values here come from labels that anybody can
read, so nothing made with them protects anything. Each rejected vector names the accepted one it was made from.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nodealer.crypto import box, hand, lock, shuffle
from nodealer.crypto.cards import card_point, cards_hash, deck_points, generator
from nodealer.crypto.context import Context, EpochId
from nodealer.crypto.deck import EpochSecrets
from nodealer.crypto.group import ORDER, Point, encode_scalar, hash_to_point, mul_base, random_scalar
from nodealer.crypto.hand import Hand
from nodealer.crypto.hashing import digest, digest64, expand, u64
from nodealer.crypto.identity import Identity, fingerprint
from nodealer.crypto.transcript import Transcript

FOLDER = Path(__file__).resolve().parent
EDITION = "four-colors"
TABLE = digest("vector table")
N = 4
# The order of RFC 9496's group, for readers who check a scalar by hand.
ORDER_HEX = ORDER.to_bytes(32, "little").hex()


class Source:
    """Public "randomness" from a label: block i is H64("vector randomness", label, u64(i))."""

    def __init__(self, label: str) -> None:
        self._label = label.encode()
        self._block = 0

    def __call__(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            data += digest64("vector randomness", self._label, u64(self._block))
            self._block += 1
        return data[:size]


@contextmanager
def recorded() -> Iterator[dict[str, Any]]:
    """Every challenge drawn inside, by label; a list where several come at once."""
    seen: dict[str, Any] = {}
    honest = Transcript.challenges

    def challenges(self: Transcript, label: str, count: int) -> list[int]:
        values = honest(self, label, count)
        seen[label] = scalars(values) if count > 1 else scalar(values[0])
        return values

    Transcript.challenges = challenges  # type: ignore[method-assign]
    try:
        yield seen
    finally:
        Transcript.challenges = honest  # type: ignore[method-assign]


def scalar(value: int) -> str:
    return encode_scalar(value).hex()


def scalars(values: list[int] | tuple[int, ...]) -> list[str]:
    return [scalar(value) for value in values]


def points(values: tuple[Point, ...] | list[Point]) -> list[str]:
    return [point.data.hex() for point in values]


def context() -> Context:
    return Context(TABLE, 1, 0, 2, 3, 17, N, cards_hash(EDITION, range(N)))


def context_fields(ctx: Context) -> dict[str, Any]:
    return {
        "table": ctx.table.hex(),
        "round": ctx.round,
        "epoch": ctx.epoch,
        "attempt": ctx.attempt,
        "seat": ctx.seat,
        "slot": ctx.slot,
        "n": ctx.n,
        "cards": ctx.cards.hex(),
    }


def hashes() -> dict[str, Any]:
    cases: list[tuple[str, list[bytes]]] = [
        ("test", []),
        ("test", [b""]),
        ("test", [b"a", b"b"]),
        ("test", [b"ab"]),
        ("tes", [b"tab"]),
    ]
    return {
        "digest64": [
            {"label": label, "parts": [part.hex() for part in parts], "digest64": digest64(label, *parts).hex()}
            for label, parts in cases
        ],
        "expand": [
            {"seed": seed.hex(), "label": label, "info": info.hex(), "output": expand(seed, label, length, info).hex()}
            for seed, label, length, info in [(b"seed", "test", 32, b""), (b"seed", "test", 100, b"info")]
        ],
    }


def group() -> dict[str, Any]:
    accepted = hash_to_point("test", b"a")
    return {
        "order": ORDER_HEX,
        "hash_to_point": [
            {
                "label": "test",
                "parts": [part.hex() for part in parts],
                "point": hash_to_point("test", *parts).data.hex(),
            }
            for parts in ([], [b""], [b"a"], [b"a", b"b"])
        ],
        "generators": points([generator(index) for index in range(1, 9)]),
        "rejected_points": [
            {"from": accepted.data.hex(), "change": change, "point": data.hex()}
            for change, data in [
                ("the identity instead", bytes(32)),
                ("the lowest bit set: a negative field element", bytes([accepted.data[0] | 1]) + accepted.data[1:]),
                ("the highest bit set: not reduced", accepted.data[:31] + bytes([accepted.data[31] | 0x80])),
                ("one byte short", accepted.data[:31]),
                ("one byte more", accepted.data + b"\0"),
            ]
        ],
        "rejected_scalars": [
            {"change": "zero", "scalar": bytes(32).hex()},
            {"change": "the order itself", "scalar": ORDER_HEX},
            {"change": "all ones", "scalar": (b"\xff" * 32).hex()},
            {"change": "one byte short", "scalar": (b"\x01" * 31).hex()},
        ],
    }


def cards() -> dict[str, Any]:
    return {
        "points": [
            {"edition": edition, "card": card, "point": card_point(edition, card).data.hex()}
            for edition, card in [("four-colors", 0), ("four-colors", 111), ("despicable-me-4", 0), ("lilo-stitch", 7)]
        ],
        "lists": [
            {"edition": EDITION, "cards": ids, "hash": cards_hash(EDITION, ids).hex()}
            for ids in ([0, 1, 2, 3], [5], list(range(112)))
        ],
    }


def transcripts() -> dict[str, Any]:
    def case(*steps: tuple[str, bytes]) -> dict[str, Any]:
        transcript = Transcript()
        for label, data in steps:
            transcript.append(label, data)
        return {
            "append": [[label, data.hex()] for label, data in steps],
            "state": transcript.state().hex(),
            "challenge e": scalar(transcript.challenge("e")),
            "then challenges u": scalars(transcript.challenges("u", 3)),
            "state after": transcript.state().hex(),
        }

    ctx = context()
    return {
        "transcripts": [
            case(),
            case(("a", b"bc")),
            case(("ab", b"c")),
            case(("a", b"b"), ("c", b"")),
        ],
        "contexts": [
            {**context_fields(ctx), "statement": statement, "state": ctx.transcript(statement).state().hex()}
            for statement in ("shuffle", "lock")
        ],
    }


def shuffles() -> dict[str, Any]:
    ctx, source = context(), Source("shuffle")
    deck, order, k = deck_points(EDITION, range(N)), (2, 0, 3, 1), random_scalar(source)
    with recorded() as challenges:
        step = shuffle.prove(ctx, deck, k, order, None, source)
        shuffle.verify(ctx, deck, step)
    proof = step.proof
    if not isinstance(proof, shuffle.ShuffleProof):
        raise TypeError("four cards are proven by a shuffle proof")
    data = step.encode()
    one = shuffle.prove(ctx.about(1, cards_hash(EDITION, [0])), deck[:1], k, [0], None, source)

    def swapped(at: int, other: int) -> bytes:
        blocks = [data[start : start + 32] for start in range(0, len(data), 32)]
        blocks[at], blocks[other] = blocks[other], blocks[at]
        return b"".join(blocks)

    return {
        "context": context_fields(ctx),
        "input": points(deck),
        "secret": {"k": scalar(k), "permutation": list(order)},
        "challenges": challenges,
        "commitments": {
            "C_pi": proof.c_pi.data.hex(),
            "C_u": proof.c_u.data.hex(),
            "C_d": proof.c_d.data.hex(),
            "C_delta": proof.c_delta.data.hex(),
            "C_a": proof.c_a.data.hex(),
            "T": proof.t.data.hex(),
            "T_K": proof.t_k.data.hex(),
        },
        "responses": {
            "f": scalars(proof.f),
            "g": scalars(proof.g),
            "z": scalar(proof.z),
            "z'": scalar(proof.z_prime),
            "z_k": scalar(proof.z_k),
        },
        "accepted": data.hex(),
        "accepted one card": one.encode().hex(),
        "rejected": [
            {"from": "accepted", "change": change, "data": bad.hex(), "error": error}
            for change, bad, error in [
                ("two cards exchanged", swapped(0, 1), "VerificationError"),
                ("C_d and C_delta exchanged", swapped(N + 3, N + 4), "VerificationError"),
                ("f_1 and f_2 exchanged", swapped(N + 8, N + 9), "VerificationError"),
                ("a card twice", data[:32] + data[:32] + data[64:], "DecodeError"),
                ("the first card the identity", bytes(32) + data[32:], "DecodeError"),
                ("the last response zero", data[:-32] + bytes(32), "DecodeError"),
                ("the last response not reduced", data[:-32] + b"\xff" * 32, "DecodeError"),
                ("one byte short", data[:-1], "DecodeError"),
            ]
        ],
    }


def locks() -> dict[str, Any]:
    ctx, source = context(), Source("lock")
    deck, k = deck_points(EDITION, range(N)), random_scalar(source)
    keys = [random_scalar(source) for _ in range(N)]
    masked, key = shuffle.mask(deck, k, range(N))
    with recorded() as challenges:
        step = lock.prove(ctx, masked, key, k, keys, source)
        lock.verify(ctx, masked, key, step)
    data = step.encode()
    return {
        "context": context_fields(ctx),
        "input": points(masked),
        "K": key.data.hex(),
        "secret": {"k": scalar(k), "keys": scalars(keys)},
        "deck": points(step.deck),
        "tags": points(step.tags),
        "challenges": challenges,
        "responses": {"e": scalar(step.proof.e), "z_k": scalar(step.proof.z_k), "z": scalars(step.proof.z)},
        "accepted": data.hex(),
        "rejected": [
            {"from": "accepted", "change": change, "data": bad.hex(), "error": error}
            for change, bad, error in [
                ("two tags exchanged", data[:128] + data[160:192] + data[128:160] + data[192:], "VerificationError"),
                ("two cards exchanged", data[32:64] + data[:32] + data[64:], "VerificationError"),
                ("a card twice", data[:32] + data[:32] + data[64:], "DecodeError"),
                ("the challenge zero", data[:256] + bytes(32) + data[288:], "DecodeError"),
                ("one byte more", data + b"\0", "DecodeError"),
            ]
        ],
    }


def epochs() -> dict[str, Any]:
    seed, where = digest("vector seed"), EpochId(TABLE, 1, 0, 2)
    plain, shared = EpochSecrets(seed, where, 3, N), EpochSecrets(seed, where, 3, N, (0, 1))
    return {
        "seed": seed.hex(),
        "table": TABLE.hex(),
        "round": 1,
        "epoch": 0,
        "attempt": 2,
        "seat": 3,
        "n": N,
        "mask": scalar(plain._k),
        "permutation": list(plain._permutation),
        "keys": scalars([plain.key(position) for position in range(N)]),
        "escrow": {
            "holders": [0, 1],
            "sigma": [shared.sigma(holder).hex() for holder in (0, 1)],
            "tags": [points(shared.piece_tags(holder)) for holder in (0, 1)],
            "keys": scalars([shared.key(position) for position in range(N)]),
        },
    }


def hands() -> dict[str, Any]:
    ctx, source = context(), Source("hand")
    allowed, held = [1, 2, 3, 5], [3, 1]
    keys = [random_scalar(source) for _ in held]
    mine = Hand(
        ((0, 4), (1, 7)),
        tuple(key * card_point(EDITION, card) for key, card in zip(keys, held, strict=True)),
        tuple(mul_base(key) for key in keys),
    )
    every = hand.prove_all(ctx, EDITION, allowed, mine, held, keys, source)
    hand.verify_all(ctx, EDITION, allowed, mine, every)
    one = hand.prove_one(ctx, EDITION, allowed, mine, held, keys, source)
    hand.verify_one(ctx, EDITION, allowed, mine, one)
    return {
        "context": context_fields(ctx),
        "allowed": allowed,
        "handles": [list(handle) for handle in mine.handles],
        "commitments": points(mine.commitments),
        "tags": points(mine.tags),
        "secret": {"cards": held, "keys": scalars(keys)},
        "openings": hand.encode_openings(held, keys).hex(),
        "accepted all": every.encode().hex(),
        "accepted one": one.encode().hex(),
    }


def box_vectors() -> dict[str, Any]:
    ctx, source, recipient = context(), Source("box"), 1
    z = random_scalar(source)
    key = box.make_key(ctx, z, source)
    sealed = box.seal(ctx, recipient, key.point, b"plaintext", source)
    complaint = box.complain(Context(ctx.table, 1, 0, 2, recipient, 18, N, ctx.cards), ctx, z, sealed, source)
    return {
        "context": context_fields(ctx),
        "recipient": recipient,
        "secret": {"z": scalar(z)},
        "key": key.encode().hex(),
        "plaintext": b"plaintext".hex(),
        "accepted": sealed.encode().hex(),
        "complaint slot": 18,
        "complaint": complaint.encode().hex(),
    }


def identities() -> dict[str, Any]:
    seed = digest("vector identity")
    identity = Identity.from_seed(seed)
    return {
        "seed": seed.hex(),
        "public": identity.public.hex(),
        "fingerprint": fingerprint(identity.public),
        "signatures": [
            {"label": label, "message": message.hex(), "signature": identity.sign(label, message).hex()}
            for label, message in [("entry", b""), ("entry", b"message"), ("offer", b"message")]
        ],
    }


FILES: dict[str, Callable[[], dict[str, Any]]] = {
    "hash.json": hashes,
    "group.json": group,
    "cards.json": cards,
    "transcript.json": transcripts,
    "shuffle.json": shuffles,
    "lock.json": locks,
    "epoch.json": epochs,
    "hand.json": hands,
    "box.json": box_vectors,
    "identity.json": identities,
}


def build(name: str) -> bytes:
    """The exact content of one file."""
    return (json.dumps(FILES[name](), indent=1, ensure_ascii=True) + "\n").encode()


if __name__ == "__main__":
    for name in FILES:
        (FOLDER / name).write_bytes(build(name))
