"""The vectors are what the code makes, and what they say is so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from nodealer.crypto import box, errors, hand, lock, shuffle
from nodealer.crypto.context import Context
from nodealer.crypto.group import Point, decode_scalar
from nodealer.crypto.identity import fingerprint, verify

from tests.vectors.make import EDITION, FILES, FOLDER, build


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
    assert {path.name for path in FOLDER.glob("*.json")} == set(FILES)


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

    def check(data: str) -> None:
        shuffle.verify(ctx, deck, shuffle.ShuffleStep.decode(ctx.n, bytes.fromhex(data)))

    check(vectors["accepted"])
    for vector in vectors["rejected"]:
        with pytest.raises(getattr(errors, vector["error"])):
            check(vector["data"])


def test_lock():
    vectors = load("lock.json")
    ctx, deck, (key,) = context(vectors["context"]), points(vectors["input"]), points([vectors["K"]])

    def check(data: str) -> None:
        lock.verify(ctx, deck, key, lock.LockStep.decode(ctx.n, bytes.fromhex(data)))

    check(vectors["accepted"])
    for vector in vectors["rejected"]:
        with pytest.raises(getattr(errors, vector["error"])):
            check(vector["data"])


def test_hand():
    vectors = load("hand.json")
    ctx, allowed = context(vectors["context"]), vectors["allowed"]
    mine = hand.Hand(
        tuple((epoch, index) for epoch, index in vectors["handles"]),
        points(vectors["commitments"]),
        points(vectors["tags"]),
    )
    every = hand.AllProof.decode(len(allowed), len(mine), bytes.fromhex(vectors["accepted all"]))
    hand.verify_all(ctx, EDITION, allowed, mine, every)
    one = hand.OneProof.decode(len(allowed), len(mine), bytes.fromhex(vectors["accepted one"]))
    hand.verify_one(ctx, EDITION, allowed, mine, one)
    hand.check_openings(EDITION, mine, *hand.decode_openings(len(mine), bytes.fromhex(vectors["openings"])))


def test_box():
    vectors = load("box.json")
    ctx, recipient = context(vectors["context"]), vectors["recipient"]
    key = box.BoxKey.decode(bytes.fromhex(vectors["key"]))
    key.verify(ctx)
    plaintext = bytes.fromhex(vectors["plaintext"])
    sealed = box.Box.decode(len(plaintext), bytes.fromhex(vectors["accepted"]))
    sealed.verify(ctx, recipient, key.point)
    complaint = box.Complaint.decode(bytes.fromhex(vectors["complaint"]))
    here = context({**vectors["context"], "seat": recipient, "slot": vectors["complaint slot"]})
    complaint.verify(here, ctx, key.point, sealed)
    assert box.open_shared(ctx, recipient, key.point, sealed, complaint.shared) == plaintext


def test_identity():
    vectors = load("identity.json")
    public = bytes.fromhex(vectors["public"])
    assert fingerprint(public) == vectors["fingerprint"]
    for vector in vectors["signatures"]:
        verify(public, vector["label"], bytes.fromhex(vector["message"]), bytes.fromhex(vector["signature"]))
