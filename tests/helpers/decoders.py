"""Every decoder of bytes that somebody else may have written, in one list: for the test run and for the fuzzer.

A decoder takes bytes and gives a value or raises one of its own errors; anything else is a fault. Where one value has
one encoding it also says how it is encoded, and what is decoded must come out as the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from nodealer.p2p.errors import WireError
from nodealer.p2p.wire import decode, encode


@dataclass(frozen=True)
class Decoder:
    """``decode`` refuses with ``refuses``; ``seeds`` are inputs that it takes, or nearly.

    ``share``: how many inputs it gets, beside one of share 1. Those that compute on a group or set up a peer get fewer.
    """

    name: str
    decode: Callable[[bytes], Any]
    seeds: Callable[[], Sequence[bytes]]
    refuses: tuple[type[Exception], ...] = (WireError,)
    encode: Callable[[Any], bytes] | None = field(default=None)
    share: float = 1.0

    def takes(self, data: bytes) -> bool:
        """Whether it takes these bytes; anything but a value that encodes to them or its own error is raised."""
        try:
            value = self.decode(data)
        except self.refuses:
            return False
        if self.encode is not None:
            assert self.encode(value) == data, f"{self.name}: two encodings of one value"
        return True


def wired(parse: Callable[[Any], Any]) -> Callable[[bytes], Any]:
    """A decoder of bytes from one of a decoded value."""
    return lambda data: parse(decode(data, max_bytes=1 << 18))


def pieces(data: bytes) -> list[bytes]:
    """What a decoder that takes several things is given: an array of byte strings, or else one of them."""
    try:
        value = decode(data, max_bytes=1 << 18)
    except WireError:
        return [data]
    if isinstance(value, list) and all(type(item) is bytes for item in value):
        return value
    return [data]


def several(*items: bytes) -> bytes:
    """The other way round."""
    return encode(list(items))


def registry() -> dict[str, Decoder]:
    """All of them by name."""
    from . import decoders_crypto, decoders_lines, decoders_messages, decoders_peers

    modules = (decoders_messages, decoders_crypto, decoders_lines, decoders_peers)
    found = [decoder for module in modules for decoder in module.DECODERS]
    names = [decoder.name for decoder in found]
    assert len(names) == len(set(names)), "two decoders of one name"
    return dict(zip(names, found, strict=True))
