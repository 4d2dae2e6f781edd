"""Vectors of the deck and its proofs: hash, group, cards, transcript, shuffle, lock, epoch, hand, box, identity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nodealer.crypto import box, hand, lock, shuffle
from nodealer.crypto.cards import card_point, cards_hash, deck_points, generator
from nodealer.crypto.context import Context, EpochId
from nodealer.crypto.deck import EpochSecrets
from nodealer.crypto.escrow import Pledge, Seed
from nodealer.crypto.group import ORDER, encode_scalar, hash_to_point, mul_base, random_scalar
from nodealer.crypto.hand import Hand
from nodealer.crypto.hashing import digest, digest64, expand, u64
from nodealer.crypto.identity import Identity, fingerprint
from nodealer.crypto.identity import verify as verify_signature
from nodealer.crypto.transcript import Transcript
from nodealer.crypto.words import WORDS

from .common import (
    EDITION,
    TABLE,
    N,
    Source,
    context,
    context_fields,
    points,
    recorded,
    refusal,
    scalar,
    scalars,
)

# The order of RFC 9496's group, for readers who check a scalar by hand.
ORDER_HEX = ORDER.to_bytes(32, "little").hex()


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

    # A prover that knows the mask of the deck and claims another K: nothing but V5 tells.
    claimed = mul_base(k + 1)
    lie = shuffle.prove_statement(ctx, shuffle.STATEMENT, deck, step.deck, claimed, k, order, None, Source("false K"))
    false_k = shuffle.ShuffleStep(step.deck, claimed, lie).encode()

    def verify(bad: bytes, where: Context = ctx) -> None:
        shuffle.verify(where, deck, shuffle.ShuffleStep.decode(where.n, bad))

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
            {"from": "accepted", "change": change, "data": bad.hex(), "check": refusal(lambda bad=bad: verify(bad))}
            for change, bad in [
                ("two cards exchanged", swapped(0, 1)),
                ("C_pi and C_u exchanged", swapped(N + 1, N + 2)),
                ("C_d and C_delta exchanged", swapped(N + 3, N + 4)),
                ("f_1 and f_2 exchanged", swapped(N + 8, N + 9)),
                ("z and z' exchanged", swapped(3 * N + 7, 3 * N + 8)),
                ("z_k one more", data[:-32] + encode_scalar(proof.z_k + 1)),
                ("another K", data[: 32 * N] + mul_base(k + 1).data + data[32 * N + 32 :]),
                ("another K, proven with the true mask", false_k),
                ("a card twice", data[:32] + data[:32] + data[64:]),
                ("the first card the identity", bytes(32) + data[32:]),
                ("the last response zero", data[:-32] + bytes(32)),
                ("the last response not reduced", data[:-32] + b"\xff" * 32),
                ("one byte short", data[:-1]),
            ]
        ]
        + [
            {
                "from": "accepted",
                "change": f"verified for another {field}",
                "context": context_fields(replace(ctx, **{field: getattr(ctx, field) + 1})),
                "data": data.hex(),
                "check": refusal(lambda field=field: verify(data, replace(ctx, **{field: getattr(ctx, field) + 1}))),
            }
            for field in ("round", "epoch", "attempt", "seat", "slot")
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
            {
                "from": "accepted",
                "change": change,
                "data": bad.hex(),
                "check": refusal(lambda bad=bad: lock.verify(ctx, masked, key, lock.LockStep.decode(N, bad))),
            }
            for change, bad in [
                ("two tags exchanged", data[:128] + data[160:192] + data[128:160] + data[192:]),
                ("two cards exchanged", data[32:64] + data[:32] + data[64:]),
                ("z_k one more", data[:288] + encode_scalar(step.proof.z_k + 1) + data[320:]),
                ("a card twice", data[:32] + data[:32] + data[64:]),
                ("the challenge zero", data[:256] + bytes(32) + data[288:]),
                ("one byte more", data + b"\0"),
            ]
        ],
    }


def epochs() -> dict[str, Any]:
    seed, where = digest("vector seed"), EpochId(TABLE, 1, 0, 2)
    plain, shared = EpochSecrets(seed, where, 3, N), EpochSecrets(seed, where, 3, N, (0, 1))
    seeds = [Seed.make(shared.sigma(holder), where, 3, holder, N) for holder in (0, 1)]
    source = Source("weights")
    rho, locked, slot = [random_scalar(source) for _ in range(N)], source(32), 17
    place = u64(slot) + locked
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
            "pieces": [scalars(given.pieces) for given in seeds],
            "slot": slot,
            "lock input": locked.hex(),
            "rho": scalars(rho),
            "pledges": [
                Pledge(given.commitment, mul_base(given.blind(place)), given.answer(rho, place)).encode().hex()
                for given in seeds
            ],
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
    all_data, one_data = every.encode(), one.encode()
    at = hand.ShuffleStep.size(len(allowed))

    def verify_all(bad: bytes, cards: list[int] = allowed, about: Hand = mine) -> None:
        hand.verify_all(ctx, EDITION, cards, about, hand.AllProof.decode(len(cards), len(about), bad))

    def verify_one(bad: bytes, cards: list[int] = allowed, about: Hand = mine) -> None:
        hand.verify_one(ctx, EDITION, cards, about, hand.OneProof.decode(len(cards), len(about), bad))

    turned = Hand(mine.handles[::-1], mine.commitments[::-1], mine.tags[::-1])
    swapped_e = one_data[32:64] + one_data[:32] + one_data[64:]
    openings = hand.encode_openings(held, keys)

    def check_openings(bad: bytes) -> None:
        hand.check_openings(EDITION, mine, *hand.decode_openings(len(mine), bad))

    return {
        "context": context_fields(ctx),
        "allowed": allowed,
        "handles": [list(handle) for handle in mine.handles],
        "commitments": points(mine.commitments),
        "tags": points(mine.tags),
        "secret": {"cards": held, "keys": scalars(keys)},
        "openings": openings.hex(),
        "accepted all": all_data.hex(),
        "accepted one": one_data.hex(),
        "rejected": [
            {
                "from": source_name,
                "change": change,
                "data": bad.hex(),
                **({} if cards is allowed else {"allowed": cards}),
                **({} if about is mine else {"hand": "turned round"}),
                "check": refusal(lambda check=check, bad=bad, cards=cards, about=about: check(bad, cards, about)),
            }
            for source_name, check, change, bad, cards, about in [
                (
                    "accepted all",
                    verify_all,
                    "the indices exchanged",
                    all_data[:at] + all_data[at + 2 : at + 4] + all_data[at : at + 2] + all_data[at + 4 :],
                    allowed,
                    mine,
                ),
                (
                    "accepted all",
                    verify_all,
                    "one index twice",
                    all_data[:at] + all_data[at : at + 2] * 2 + all_data[at + 4 :],
                    allowed,
                    mine,
                ),
                (
                    "accepted all",
                    verify_all,
                    "an index out of range",
                    all_data[:at] + b"\0\4" + all_data[at + 2 :],
                    allowed,
                    mine,
                ),
                ("accepted all", verify_all, "another set of as many cards", all_data, [1, 2, 3, 6], mine),
                ("accepted all", verify_all, "the hand turned round", all_data, allowed, turned),
                ("accepted one", verify_one, "two challenges exchanged", swapped_e, allowed, mine),
                ("accepted one", verify_one, "another set of as many cards", one_data, [1, 2, 3, 6], mine),
                ("accepted one", verify_one, "the hand turned round", one_data, allowed, turned),
                ("accepted one", verify_one, "one scalar short", one_data[:-32], allowed, mine),
            ]
        ],
        "rejected openings": [
            {"from": "openings", "change": change, "data": bad.hex(), "check": refusal(lambda b=bad: check_openings(b))}
            for change, bad in [
                ("another card", b"\0\5" + openings[2:]),
                ("another key", openings[:2] + openings[36:68] + openings[34:]),
                ("a key of zero", openings[:2] + bytes(32) + openings[34:]),
                ("one byte short", openings[:-1]),
            ]
        ],
    }


def box_vectors() -> dict[str, Any]:
    ctx, source, recipient = context(), Source("box"), 1
    z = random_scalar(source)
    # A one-time key is of the seat that will open the box, in the slot before it.
    key_ctx = Context(ctx.table, 1, 0, 2, recipient, 16, N, ctx.cards)
    key = box.make_key(key_ctx, z, source)
    sealed = box.seal(ctx, recipient, key.point, b"plaintext", source)
    data = sealed.encode()
    complaint = box.complain(Context(ctx.table, 1, 0, 2, recipient, 18, N, ctx.cards), ctx, z, sealed, source)
    return {
        "context": context_fields(ctx),
        "recipient": recipient,
        "secret": {"z": scalar(z)},
        "key context": context_fields(key_ctx),
        "key": key.encode().hex(),
        "rejected keys": [
            {
                "from": "key",
                "change": change,
                "context": context_fields(where),
                "data": bad.hex(),
                "check": refusal(lambda bad=bad, where=where: box.BoxKey.decode(bad).verify(where)),
            }
            for change, where, bad in [
                ("the context of another seat", ctx, key.encode()),
                ("a key of which its writer knows nothing", key_ctx, mul_base(7).data + key.encode()[32:]),
                ("one byte short", key_ctx, key.encode()[:-1]),
            ]
        ],
        "plaintext": b"plaintext".hex(),
        "accepted": sealed.encode().hex(),
        "rejected": [
            {
                "from": "accepted",
                "change": change,
                "data": bad.hex(),
                "recipient": to,
                "check": refusal(lambda bad=bad, to=to: box.Box.decode(9, bad).verify(ctx, to, key.point)),
            }
            for change, bad, to in [
                ("one bit of the ciphertext", data[:-1] + bytes([data[-1] ^ 1]), recipient),
                ("another recipient", data, recipient + 1),
                ("another ephemeral point", mul_base(z).data + data[32:], recipient),
                ("one byte short", data[:-1], recipient),
            ]
        ],
        "complaint slot": 18,
        "complaint": complaint.encode().hex(),
        "rejected complaints": [
            {
                "from": "complaint",
                "change": change,
                "slot": slot,
                "data": bad.hex(),
                "check": "escrow complaint",
            }
            for change, slot, bad in [
                ("another slot", 19, complaint.encode()),
                ("another shared point", 18, mul_base(7).data + complaint.encode()[32:]),
                ("one byte short", 18, complaint.encode()[:-1]),
            ]
        ],
    }


def identities() -> dict[str, Any]:
    seed = digest("vector identity")
    identity = Identity.from_seed(seed)
    signature = identity.sign("entry", b"message")
    s_plus_order = (int.from_bytes(signature[32:], "little") + ORDER).to_bytes(32, "little")
    return {
        "seed": seed.hex(),
        "public": identity.public.hex(),
        "fingerprint": fingerprint(identity.public),
        "words": " ".join(WORDS),
        "signatures": [
            {"label": label, "message": message.hex(), "signature": identity.sign(label, message).hex()}
            for label, message in [("entry", b""), ("entry", b"message"), ("offer", b"message")]
        ],
        "rejected": [
            {
                "from": "the second signature",
                "change": change,
                "public": key.hex(),
                "label": label,
                "message": message.hex(),
                "signature": bad.hex(),
                "check": refusal(
                    lambda key=key, label=label, message=message, bad=bad: verify_signature(key, label, message, bad)
                ),
            }
            for change, key, label, message, bad in [
                ("another label", identity.public, "offer", b"message", signature),
                ("another message", identity.public, "entry", b"Message", signature),
                ("S not reduced", identity.public, "entry", b"message", signature[:32] + s_plus_order),
                ("one byte short", identity.public, "entry", b"message", signature[:-1]),
                ("a key of order 1", b"\1" + bytes(31), "entry", b"message", signature),
                ("a key of order 2", b"\xec" + b"\xff" * 30 + b"\x7f", "entry", b"message", signature),
                ("a key that is not reduced", b"\xee" + b"\xff" * 30 + b"\x7f", "entry", b"message", signature),
            ]
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
