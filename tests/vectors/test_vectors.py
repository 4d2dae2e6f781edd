"""The vectors are what the code makes, and what they say is so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from nodealer.crypto import box, errors, hand, lock, shuffle
from nodealer.crypto.context import Context
from nodealer.crypto.group import Point, decode_scalar
from nodealer.crypto.identity import fingerprint, verify

from tests.vectors.common import EDITION, FOLDER, refusal
from tests.vectors.make import FILES, build


def load(name: str) -> dict[str, Any]:
    return json.loads((FOLDER / name).read_bytes())


def context(fields: dict[str, Any]) -> Context:
    return Context(**{**fields, "table": bytes.fromhex(fields["table"]), "cards": bytes.fromhex(fields["cards"])})


def points(values: list[str]) -> tuple[Point, ...]:
    return tuple(Point.decode(bytes.fromhex(value)) for value in values)


@pytest.mark.parametrize("name", FILES)
def test_the_files_are_what_the_code_makes(name):
    assert (FOLDER / name).read_bytes() == build(name)


def test_no_file_is_left_over():
    made = {path.name for pattern in ("*.json", "*.nodealer") for path in FOLDER.glob(pattern)}
    assert made == set(FILES)


def test_all_files_together_are_small():
    assert sum((FOLDER / name).stat().st_size for name in FILES) < 2_000_000


def test_group_rejections():
    vectors = load("group.json")
    for vector in vectors["rejected_points"]:
        Point.decode(bytes.fromhex(vector["from"]))
        with pytest.raises(errors.DecodeError):
            Point.decode(bytes.fromhex(vector["point"]))
    for vector in vectors["rejected_scalars"]:
        with pytest.raises(errors.DecodeError):
            decode_scalar(bytes.fromhex(vector["scalar"]))


def test_shuffle():
    vectors = load("shuffle.json")
    ctx, deck = context(vectors["context"]), points(vectors["input"])

    def check(data: str, where: Context = ctx) -> None:
        shuffle.verify(where, deck, shuffle.ShuffleStep.decode(ctx.n, bytes.fromhex(data)))

    check(vectors["accepted"])
    for vector in vectors["rejected"]:
        where = context(vector.get("context", vectors["context"]))
        assert refusal(lambda data=vector["data"], where=where: check(data, where)) == vector["check"], vector["change"]


def test_lock():
    vectors = load("lock.json")
    ctx, deck, (key,) = context(vectors["context"]), points(vectors["input"]), points([vectors["K"]])

    def check(data: str) -> None:
        lock.verify(ctx, deck, key, lock.LockStep.decode(ctx.n, bytes.fromhex(data)))

    check(vectors["accepted"])
    for vector in vectors["rejected"]:
        assert refusal(lambda data=vector["data"]: check(data)) == vector["check"], vector["change"]


def test_hand():
    vectors = load("hand.json")
    ctx = context(vectors["context"])
    mine = hand.Hand(
        tuple((epoch, index) for epoch, index in vectors["handles"]),
        points(vectors["commitments"]),
        points(vectors["tags"]),
    )
    turned = hand.Hand(mine.handles[::-1], mine.commitments[::-1], mine.tags[::-1])

    def check(which: str, data: str, vector: dict[str, Any]) -> None:
        allowed, about = vector.get("allowed", vectors["allowed"]), turned if "hand" in vector else mine
        if which == "accepted all":
            every = hand.AllProof.decode(len(allowed), len(about), bytes.fromhex(data))
            hand.verify_all(ctx, EDITION, allowed, about, every)
        else:
            one = hand.OneProof.decode(len(allowed), len(about), bytes.fromhex(data))
            hand.verify_one(ctx, EDITION, allowed, about, one)

    def check_openings(data: str) -> None:
        hand.check_openings(EDITION, mine, *hand.decode_openings(len(mine), bytes.fromhex(data)))

    for which in ("accepted all", "accepted one"):
        check(which, vectors[which], {})
    for vector in vectors["rejected"]:
        assert refusal(lambda v=vector: check(v["from"], v["data"], v)) == vector["check"], vector["change"]
    check_openings(vectors["openings"])
    for vector in vectors["rejected openings"]:
        assert refusal(lambda v=vector: check_openings(v["data"])) == vector["check"], vector["change"]


def test_box():
    vectors = load("box.json")
    ctx, recipient = context(vectors["context"]), vectors["recipient"]
    key = box.BoxKey.decode(bytes.fromhex(vectors["key"]))
    key.verify(context(vectors["key context"]))
    for vector in vectors["rejected keys"]:
        check = refusal(lambda v=vector: box.BoxKey.decode(bytes.fromhex(v["data"])).verify(context(v["context"])))
        assert check == vector["check"], vector["change"]
    plaintext = bytes.fromhex(vectors["plaintext"])
    sealed = box.Box.decode(len(plaintext), bytes.fromhex(vectors["accepted"]))
    sealed.verify(ctx, recipient, key.point)
    complaint = box.Complaint.decode(bytes.fromhex(vectors["complaint"]))
    here = context({**vectors["context"], "seat": recipient, "slot": vectors["complaint slot"]})
    complaint.verify(here, ctx, key.point, sealed)
    assert box.open_shared(ctx, recipient, key.point, sealed, complaint.shared) == plaintext
    for vector in vectors["rejected"]:
        bad = bytes.fromhex(vector["data"])
        check = refusal(
            lambda bad=bad, to=vector["recipient"]: box.Box.decode(len(plaintext), bad).verify(ctx, to, key.point)
        )
        assert check == vector["check"], vector["change"]
    for vector in vectors["rejected complaints"]:
        bad = bytes.fromhex(vector["data"])
        there = context({**vectors["context"], "seat": recipient, "slot": vector["slot"]})
        assert refusal(lambda bad=bad, there=there: box.Complaint.decode(bad).verify(there, ctx, key.point, sealed))


def test_identity():
    vectors = load("identity.json")
    public = bytes.fromhex(vectors["public"])
    assert fingerprint(public) == vectors["fingerprint"]
    for vector in vectors["signatures"]:
        verify(public, vector["label"], bytes.fromhex(vector["message"]), bytes.fromhex(vector["signature"]))
    for vector in vectors["rejected"]:
        key, message, signature = (bytes.fromhex(vector[name]) for name in ("public", "message", "signature"))
        check = refusal(lambda k=key, v=vector, m=message, s=signature: verify(k, v["label"], m, s))
        assert check == vector["check"], vector["change"]
