"""What a peer says and hears, and each step of each proof, as lines for whoever studies the protocol.

Nothing secret is in them. A key, a share or any other scalar stands there by its size alone, also where it is already
published; of a proof one sees labels, sizes and challenges, never a nonce; a card is named only where a message shows
it to everybody. The tests take all secrets of a peer and look for each of them in its trace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from nodealer import engine
from nodealer.crypto.group import encode_scalar
from nodealer.crypto.transcript import ProofStep, Transcript, watching

from . import bodies
from .entry import MAX_WRITERS, Entry, SignedHeader
from .errors import WireError
from .names import clean_chat, clean_text, person

if TYPE_CHECKING:
    from .match import Match
    from .mesh import Link
    from .peer import Peer

# What every proof absorbs first (PROTOCOL.md, "P0 Context"); told in one line.
_PLACE = ("round", "epoch", "attempt", "seat", "slot", "n")
_LAST_OF_PLACE = "cards"
_SHOWN_HASH = 8
# Entries whose bodies were told; one that is sent to several is told once.
_REMEMBERED = 4096


class Trace:
    """Writes lines of one peer; ``clock`` gives the seconds at their beginning, ``who`` names the peer."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float], who: str = "") -> None:
        self._write = write
        self._clock = clock
        self._who = f"{who} " if who else ""
        self._peer: Peer | None = None
        self._proof: Transcript | None = None
        self._place: list[str] = []
        self._placed = True
        self._told: set[bytes] = set()

    def follow(self, peer: Peer) -> None:
        """See the messages of this peer from now on."""
        self._peer = peer
        peer.tap(self._message)

    def watching(self) -> AbstractContextManager[None]:
        """While this is open, see the steps of proofs."""
        return watching(self._step)

    # Messages

    def _line(self, text: str) -> None:
        self._write(f"{self._clock():9.3f} {self._who}{text}")

    def _message(self, outgoing: bool, link: Link, message: Sequence[object]) -> None:
        way = ">" if outgoing else "<"
        self._line(f"{way} {self._name(link.writer, link.key)}: {self._told_message(message)}")

    def _match(self) -> Match | None:
        return None if self._peer is None else self._peer.match

    def _name(self, writer: int | None, key: bytes = b"") -> str:
        match = self._match()
        if match is not None and writer is not None and writer < len(match.feeds):
            return clean_text(match.players()[match.seat_of(writer)].name) or f"writer {writer}"
        return person("", key).fingerprint if key else f"writer {writer}"

    def _told_message(self, message: Sequence[object]) -> str:
        match list(message):
            case ["entry", bytes() as data, *rest]:
                have = f", with how far {len(rest[0])} feeds are had" if rest and isinstance(rest[0], list) else ""
                return f"entry of {len(data)} bytes{have}: {self._entry(data)}"
            case ["ping", list() as have, list() as reaches, bool() as finished]:
                numbers = " ".join(shape(item[0]) for item in have[:MAX_WRITERS] if isinstance(item, list) and item)
                return f"ping: has {numbers}, reaches {shape(reaches)}{', finished' if finished else ''}"
            case [str() as kind, *fields]:
                return f"{clean_text(kind)} {' '.join(shape(field) for field in fields)}".rstrip()
        return "no message of the protocol"

    def _entry(self, data: bytes) -> str:
        try:
            entry = Entry.decode(data)
        except WireError as error:
            return f"malformed ({error})"
        header = entry.header
        told = f"{header.kind!r}, number {header.number} of {self._name(header.writer)}, for slot {header.slot}"
        if entry.hash in self._told:
            return f"{told} (as before)"
        if len(self._told) >= _REMEMBERED:
            self._told.clear()
        self._told.add(entry.hash)
        digest, chain = header.digest.hex()[:_SHOWN_HASH], header.previous.hex()[:_SHOWN_HASH]
        return f"{told}, acts on digest {digest}, after entry {chain}: {self._body(entry)}"

    def _body(self, entry: Entry) -> str:
        kind = entry.header.kind
        try:
            if kind == "chat":
                return f"{clean_chat(bodies.parse_chat(entry.body))!r}"
            parsed = bodies.PARSERS[kind](entry.body) if kind in bodies.PARSERS else entry.body
        except WireError as error:
            return f"a malformed body ({error})"
        return self._parsed(parsed)

    def _parsed(self, body: object) -> str:
        match body:
            case None:
                return "no body"
            case bodies.Start(table, _):
                return f"table {table.hex()[:_SHOWN_HASH]}, the host's signature"
            case bodies.Lock(data, pieces):
                boxes = sum(len(tags) + len(box) for tags, box in pieces)
                escrow = f", and {len(pieces)} sets of sealed pieces of {boxes} bytes" if pieces else ""
                return f"a step of {len(data)} bytes{escrow}"
            case bodies.Keys(keys):
                return f"{count(len(keys), 'key')} (masked)"
            case bodies.Play(shown, colour, uno):
                named = "" if colour is None else f", colour {self._colour(colour)}"
                return f"shows {self._shown(shown)}{named}{', says UNO' if uno else ''}"
            case bodies.Open(cards):
                return "opens " + (", ".join(f"{self._card(card)} (key masked)" for card, _ in cards) or "no card")
            case bodies.Verdict(guilty, box, proof):
                word = "guilty" if guilty else "innocent"
                return f"{word}, a box of {len(box)} bytes for the challenger, a proof of {len(proof)} bytes"
            case bodies.Show(shown_cards, proof):
                return f"shows {self._several(shown_cards)}; a proof of {len(proof)} bytes about the rest"
            case bodies.Reveal(_, shown_cards):
                return f"reveals {self._several(shown_cards)}"
            case SignedHeader():
                return f"the header of {body.header.kind!r}, number {body.header.number}"
            case bodies.EscrowComplaint(giver, data):
                return f"about seat {giver}, {len(data)} bytes"
            case bytes():
                return f"{len(body)} bytes"
            case _:
                return "a number (masked)"

    def _several(self, cards: Sequence[bodies.Shown]) -> str:
        return ", ".join(map(self._shown, cards)) or "no card"

    def _shown(self, shown: bodies.Shown) -> str:
        return f"{self._card(shown.card)} at epoch {shown.handle.epoch} position {shown.handle.index} (key masked)"

    def _edition(self) -> engine.Edition | None:
        match = self._match()
        return None if match is None else engine.EDITIONS[match.roster.options.edition]

    def _card(self, card: int) -> str:
        edition = self._edition()
        if edition is None or card >= len(edition.cards):
            return f"card #{card}"
        return f"card #{card} {edition.cards[card].label(edition)}"

    def _colour(self, colour: int) -> str:
        edition = self._edition()
        return str(colour) if edition is None else edition.colours[colour]

    # Proofs

    def _step(self, step: ProofStep) -> None:
        if (step.kind, step.label) == ("append", "protocol"):
            self._proof, self._place, self._placed = step.transcript, [], False
        elif step.transcript is not self._proof:
            self._proof, self._placed = step.transcript, True
            self._line("  the proof before, further:")
        if not self._placed:
            self._begin_proof(step)
            return
        match step.kind:
            case "append":
                self._line(f"    append {step.label}: {step.size} bytes")
            case "challenge":
                many = f"{step.size} scalars, the first" if step.size != 1 else "scalar"
                self._line(f"    challenge {step.label}: {many} {encode_scalar(step.first).hex()[:16]}…")
            case _:
                self._line(f"    draw {count(step.size, 'secret nonce')} for {step.label}")

    def _begin_proof(self, step: ProofStep) -> None:
        """The context with which every proof begins; its last part tells all of it."""
        if step.label == "statement":
            self._place.append(repr(step.data.decode("ascii", "replace")))
        elif step.label in _PLACE:
            self._place.append(f"{step.label} {int.from_bytes(step.data, 'big')}")
        elif step.label == _LAST_OF_PLACE:
            self._placed = True
            self._line(f"  proof of {' '.join(self._place)}")


def count(number: int, noun: str) -> str:
    """ "1 key", "3 keys"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def shape(value: object) -> str:
    """A field of a message by its form: numbers and words as they are, bytes by their number alone."""
    match value:
        case bytes():
            return f"<{len(value)} bytes>"
        case str():
            return repr(clean_text(value)[:40])
        case list() | tuple():
            return f"[{' '.join(map(shape, value[:16]))}{' …' if len(value) > 16 else ''}]"
        case _:
            return str(value)
