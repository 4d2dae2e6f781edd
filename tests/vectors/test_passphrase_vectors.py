"""The passphrase's vectors, computed from PROTOCOL.md's own words with nothing of the library that the program uses."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

import pytest
from nodealer.crypto.hashing import digest
from nodealer.p2p.errors import WireError

from tests.vectors.common import FOLDER
from tests.vectors.passphrase_vectors import PASSPHRASES, pair

Q = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, Q) % Q
Point = tuple[int, int]


def load() -> dict[str, Any]:
    return json.loads((FOLDER / "passphrase.json").read_bytes())


def add(one: Point, two: Point) -> Point:
    (x1, y1), (x2, y2) = one, two
    k = D * x1 * x2 * y1 * y2
    return (x1 * y2 + x2 * y1) * pow(1 + k, -1, Q) % Q, (y1 * y2 + x1 * x2) * pow(1 - k, -1, Q) % Q


def times(number: int, point: Point) -> Point:
    result = (0, 1)
    while number:
        if number & 1:
            result = add(result, point)
        point, number = add(point, point), number >> 1
    return result


def root(y: int) -> int | None:
    """The even x of the point with this y."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, Q) % Q
    x = pow(square, (Q + 3) // 8, Q)
    if x * x % Q != square:
        x = x * pow(2, (Q - 1) // 4, Q) % Q
    if x * x % Q != square:
        return None
    return x if x % 2 == 0 else Q - x


def written(point: Point) -> bytes:
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def read(data: bytes) -> Point:
    number = int.from_bytes(data, "little")
    y, odd = number & ((1 << 255) - 1), number >> 255
    x = root(y)
    assert x is not None
    return (Q - x if odd else x), y


def hkdf(secret: bytes, info: bytes, length: int) -> bytes:
    key = hmac.digest(bytes(32), secret, "sha256")
    block, data = b"", b""
    for number in range(1, 1 + -(-length // 32)):
        block = hmac.digest(key, block + info + bytes([number]), "sha256")
        data += block
    return data[:length]


def arbitrary(seed: bytes) -> Point:
    y = int.from_bytes(hkdf(seed, b"SPAKE2 arbitrary element", 48), "big") % Q
    while (x := root(y)) is None:
        y = (y + 1) % Q
    return times(8, (x, y))


BASE = read(bytes.fromhex("58" + "66" * 31))
M, N = arbitrary(b"M"), arbitrary(b"N")


def test_the_two_points() -> None:
    page = (FOLDER.parent.parent / "PROTOCOL.md").read_text(encoding="utf-8")
    assert f"M = {written(M).hex()}\nN = {written(N).hex()}" in page


@pytest.mark.parametrize("number", range(len(PASSPHRASES)))
def test_by_the_words_of_the_page(number: int) -> None:
    vector = load()["accepted"][number]
    value = {name: bytes.fromhex(text) for name, text in vector.items() if isinstance(text, str) and name != "typed"}
    x, y = (int.from_bytes(bytes.fromhex(text), "big") % ORDER for text in vector["secret"].values())
    w = int.from_bytes(hkdf(value["pw"], b"SPAKE2 pw", 48), "big") % ORDER
    assert written(add(times(x, BASE), times(w, M))) == value["X"]
    assert written(add(times(y, BASE), times(w, N))) == value["Y"]
    of_joiner = times(x, add(read(value["Y"]), times(ORDER - w, N)))
    assert of_joiner == times(y, add(read(value["X"]), times(ORDER - w, M)))
    ids = [digest(f"passphrase {side}", value["handshake hash"], value[side]) for side in ("joiner", "host")]
    parts = [hashlib.sha256(part).digest() for part in (value["pw"], *ids)]
    key = hashlib.sha256(b"".join([*parts, value["X"], value["Y"], written(of_joiner)])).digest()
    assert digest("passphrase joiner confirms", key) == value["joiner's tag"]
    assert digest("passphrase host confirms", key) == value["host's tag"]


def test_the_program_says_the_same() -> None:
    for number, vector in enumerate(load()["accepted"]):
        joiner, host = pair(vector["typed"], number)
        assert (joiner.share.hex(), host.share.hex()) == (vector["X"], vector["Y"])
        assert host.finish(joiner.share) == tuple(bytes.fromhex(vector[f"{side}'s tag"]) for side in ("host", "joiner"))


def test_rejected_shares() -> None:
    for vector in load()["rejected shares"]:
        with pytest.raises(WireError):
            pair(PASSPHRASES[0], 0)[0].finish(bytes.fromhex(vector["share"]))
