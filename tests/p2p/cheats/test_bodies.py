"""Bodies that are properly signed and yet malformed: their writer is convicted when a slot takes them."""

from __future__ import annotations

import msgpack
import pytest
from nodealer.p2p.wire import encode

from examples.liar import CheatTable, caught, instead


def nested(levels: int) -> bytes:
    return b"\x91" * levels + b"\x90"


BODIES = {
    "empty": b"",
    "no msgpack": b"\xc1",
    "noise": bytes(range(200)),
    "too deep": nested(7),
    "far too deep": nested(3000),
    "a map": b"\x91\x80",
    "a float": msgpack.packb([1.5]),
    "an extension": msgpack.packb([msgpack.ExtType(5, b"abc")]),
    "text for bytes": encode(["x" * 32]),
    "a number for bytes": encode([7]),
    "nil": encode(None),
    "one too many": encode([b"", b""]),
    "trailing": encode([bytes(32)]) + b"\x00",
    "not shortest": b"\xdc\x00\x01\xc4\x00",
    "claims four gigabytes": b"\x91\xc6\xff\xff\xff\xff",
    "sixty thousand bytes": encode([bytes(60_000)]),
    "two hundred thousand bytes": encode([bytes(200_000)]),
}


@pytest.mark.parametrize("name", BODIES)
def test_keys_that_are_malformed(name):
    caught(CheatTable(instead("keys", body=BODIES[name]), players=2), "body")


@pytest.mark.parametrize("kind", ["coin", "epoch ok", "play", "turn up", "draw", "end", "open"])
@pytest.mark.parametrize("name", ["too deep", "two hundred thousand bytes"])
def test_any_entry_that_is_malformed(kind, name):
    caught(CheatTable(instead(kind, body=BODIES[name]), players=2, seed="all kinds 2"), "body")


@pytest.mark.parametrize("kind", ["shuffle", "lock"])
@pytest.mark.parametrize(
    ("body", "check"),
    [
        (BODIES["a map"], "body"),
        (BODIES["two hundred thousand bytes"], "body"),
        (b"", "encoding"),
        (bytes(10_000), "encoding"),
        (bytes(60_000), "encoding"),
    ],
    ids=["map", "long", "nothing", "zeros", "many zeros"],
)
def test_a_step_of_the_deck_that_is_malformed(kind, body, check):
    if check == "encoding":
        body = encode([body, []] if kind == "lock" else [body])
    caught(CheatTable(instead(kind, body=body), players=2), check)


@pytest.mark.parametrize("field", ["epoch", "index", "card"])
@pytest.mark.parametrize("value", [-1, 112, 1 << 40, True, None, "0"], ids=str)
def test_a_play_with_numbers_that_are_none(field, value):
    body = [0, 0, 0, b"\x01" + bytes(31), None, False]
    body[["epoch", "index", "card"].index(field)] = value
    caught(CheatTable(instead("play", body=encode(body)), players=2), "body")
