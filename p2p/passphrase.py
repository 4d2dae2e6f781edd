"""Proving a table's passphrase inside a finished line (PROTOCOL.md, "The passphrase"): SPAKE2, then two confirmations.

    joiner                         host
    pake [share]            ->
                            <-     pake [share]
    confirm [tag]           ->                                     the joiner confirms first
                            <-     confirm [tag] | locked          and nothing else was said before

Whoever does not know the passphrase learns from a whole exchange only whether the one guess that it put into its share
was right. Both keys and the line's handshake go into what is confirmed, so an exchange cannot be passed on to another
line. The passphrase itself is never a key of the line: who answered there in the host's place could search for it.

The SPAKE2 library is pure Python and takes its time by the bits of its numbers. What it computes of the passphrase
alone is therefore computed once and kept; on each line only fresh random numbers are left to be timed.
"""

from __future__ import annotations

import hmac
import os
import unicodedata
from collections.abc import Callable
from typing import Any

from nodealer.crypto.errors import CryptoError
from nodealer.crypto.hashing import digest
from nodealer.crypto.identity import check_public
from spake2 import SPAKE2_A, SPAKE2_B, SPAKEError  # type: ignore[import-untyped]

from .errors import LocalProtocolError, WireError
from .guesses import Guesses, place_of
from .wire import exactly

MAX_PASSPHRASE = 256
"""Bytes of UTF-8: more than anybody types, little enough to be hashed for every line."""

SHARE = 32
TAG = 32
BINDING = 32
_JOINER, _HOST = b"A", b"B"


class Passphrase:
    """What the people of a table agreed on, in normal form C and without blanks at its ends. Never shown."""

    __slots__ = ("_blindings", "_text")

    def __init__(self, text: str) -> None:
        try:
            data = unicodedata.normalize("NFC", text).strip().encode()
        except UnicodeEncodeError:
            raise LocalProtocolError("A passphrase is text in UTF-8.") from None
        if not data:
            raise LocalProtocolError("A passphrase needs at least one character.")
        if len(data) > MAX_PASSPHRASE:
            raise LocalProtocolError(f"A passphrase has at most {MAX_PASSPHRASE} bytes.")
        self._text = data
        self._blindings: dict[tuple[str, int], Any] = {}

    def __repr__(self) -> str:
        return "Passphrase(…)"

    @property
    def line(self) -> str:
        """The text itself, to be handed on to one's own bots and to nobody else."""
        return self._text.decode()

    def machine(self, joining: bool, joiner_id: bytes, host_id: bytes, randbytes: Callable[[int], bytes]) -> Any:
        """A fresh SPAKE2 machine for one line."""
        made = (_Joiner if joining else _Host)(self._text, idA=joiner_id, idB=host_id, entropy_f=randbytes)
        made.blindings = self._blindings
        return made


class _Kept:
    """A fixed point whose multiples are kept: by the passphrase's number, and by its negative."""

    def __init__(self, name: str, point: Any, kept: dict[tuple[str, int], Any]) -> None:
        self._name, self._point, self._kept = name, point, kept

    def scalarmult(self, number: int) -> Any:
        place = (self._name, number)
        if place not in self._kept:
            self._kept[place] = self._point.scalarmult(number)
        return self._kept[place]


class _Joiner(SPAKE2_A):  # type: ignore[misc]
    blindings: dict[tuple[str, int], Any]

    def my_blinding(self) -> _Kept:
        return _Kept("M", self.params.M, self.blindings)

    def my_unblinding(self) -> _Kept:
        return _Kept("N", self.params.N, self.blindings)


class _Host(SPAKE2_B):  # type: ignore[misc]
    blindings: dict[tuple[str, int], Any]

    def my_blinding(self) -> _Kept:
        return _Kept("N", self.params.N, self.blindings)

    def my_unblinding(self) -> _Kept:
        return _Kept("M", self.params.M, self.blindings)


class Exchange:
    """One side of one proof on one line, used once. ``share`` is sent; ``finish`` takes the other side's.

    ``binding`` is the line's handshake hash; the keys are the Ed25519 keys of the two ends.
    """

    def __init__(
        self,
        passphrase: Passphrase,
        *,
        joining: bool,
        binding: bytes,
        joiner: bytes,
        host: bytes,
        randbytes: Callable[[int], bytes] = os.urandom,
    ) -> None:
        if len(binding) != BINDING:
            raise LocalProtocolError("A passphrase is proven on a secure line, and this is none.")
        self._joining = joining
        self._machine = passphrase.machine(
            joining,
            digest("passphrase joiner", binding, joiner),
            digest("passphrase host", binding, host),
            randbytes,
        )
        self.share: bytes = self._machine.start()[1:]

    def finish(self, share: bytes) -> tuple[bytes, bytes]:
        """The tag that one sends, and the tag that the other side must send; raises ``WireError``."""
        exactly(share, SHARE, "a share of the passphrase's proof")
        try:
            # The library takes points in several forms; one of prime order in its one form is all that is needed.
            check_public(share)
            key: bytes = self._machine.finish((_HOST if self._joining else _JOINER) + share)
        except (CryptoError, SPAKEError, ValueError):
            raise WireError("a share of the passphrase's proof that is none") from None
        tags = digest("passphrase joiner confirms", key), digest("passphrase host confirms", key)
        return tags if self._joining else (tags[1], tags[0])


def same_tag(one: bytes, other: object) -> bool:
    """Whether a tag is the awaited one, in a time that does not tell how much of it is."""
    return isinstance(other, bytes) and hmac.compare_digest(one, other)


class Knock:
    """The joiner's side on one line: proves the passphrase, if there is one, and has the host prove it."""

    def __init__(self, passphrase: Passphrase | None, key: bytes, randbytes: Callable[[int], bytes]) -> None:
        self._passphrase = passphrase
        self._key = key
        self._randbytes = randbytes
        self._exchange: Exchange | None = None
        self._awaited_tag: bytes | None = None
        self.proven = passphrase is None

    def begin(self, host: bytes, binding: bytes) -> list[object] | None:
        """What comes before anything else: with a passphrase the proof of it."""
        if self._passphrase is None:
            return None
        self._exchange = Exchange(
            self._passphrase, joining=True, binding=binding, joiner=self._key, host=host, randbytes=self._randbytes
        )
        return ["pake", self._exchange.share]

    def answer(self, share: bytes) -> list[object]:
        """Confirm one's proof, with the host's share; raises ``WireError``."""
        exchange, self._exchange = self._exchange, None
        if exchange is None:
            raise WireError("a share of a passphrase's proof that was not asked for")
        mine, self._awaited_tag = exchange.finish(share)
        return ["confirm", mine]

    def confirmed(self, tag: bytes) -> bool:
        """Whether the host's confirmation proves that it knows the passphrase; raises ``WireError``."""
        awaited, self._awaited_tag = self._awaited_tag, None
        if awaited is None:
            raise WireError("a confirmation that was not asked for")
        self.proven = same_tag(awaited, tag)
        return self.proven

    def locked(self) -> str:
        """The sentence for a host that does not let one in; raises ``WireError``."""
        if self._passphrase is None:
            return "This table asks for a passphrase."
        if self._awaited_tag is None:
            raise WireError("a refusal of a passphrase that was not given")
        return "The passphrase is wrong, or this is not the table you mean."


class Door:
    """The host's side: which lines have proven the passphrase; one guess a line, and waits after wrong ones."""

    def __init__(self, passphrase: Passphrase, host: bytes, randbytes: Callable[[int], bytes] = os.urandom) -> None:
        self._passphrase = passphrase
        self._host = host
        self._randbytes = randbytes
        self._proven: set[int] = set()
        self._open: dict[int, Exchange] = {}
        self._shares: dict[int, bytes] = {}
        self._places: dict[int, str] = {}
        self.guesses = Guesses()

    def proven(self, line: int) -> bool:
        """Whether the far end of this line knows the passphrase."""
        return line in self._proven

    def wait(self, address: tuple[str, int] | None, now: float) -> float:
        """Seconds until somebody at this address may guess."""
        return self.guesses.wait(place_of(address), now)

    def pake(
        self, line: int, key: bytes, binding: bytes, address: tuple[str, int] | None, share: bytes, now: float
    ) -> bytes:
        """Begin with the joiner's share; one's own share to answer with. Raises ``WireError`` for a second one."""
        if line in self._places:
            raise WireError("a second guess at the passphrase on one line")
        exactly(share, SHARE, "a share of the passphrase's proof")
        place = self._places[line] = place_of(address)
        self.guesses.begin(place, now)
        exchange = Exchange(
            self._passphrase, joining=False, binding=binding, joiner=key, host=self._host, randbytes=self._randbytes
        )
        self._open[line], self._shares[line] = exchange, share
        return exchange.share

    def confirm(self, line: int, tag: bytes, now: float) -> bytes | None:
        """The tag to answer the joiner's with, or None where the guess was wrong. Raises ``WireError``."""
        exchange, share = self._open.pop(line, None), self._shares.pop(line, b"")
        if exchange is None:
            raise WireError("a confirmation of the passphrase that nothing went before")
        good = False
        try:
            mine, theirs = exchange.finish(share)
            good = same_tag(theirs, tag)
        finally:
            self.guesses.end(self._places[line], good, now)
        if not good:
            return None
        self._proven.add(line)
        return mine

    def line_down(self, line: int, now: float) -> bool:
        """Forget a line; True if it went in the middle of an exchange, which counts as a wrong guess."""
        self._proven.discard(line)
        self._shares.pop(line, None)
        place = self._places.pop(line, "")
        if self._open.pop(line, None) is None:
            return False
        self.guesses.end(place, False, now)
        return True
