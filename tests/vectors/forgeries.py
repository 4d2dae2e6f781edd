"""Transcripts with one fault each, made from the valid ones; where it is a writer's fault, re-signed by that writer.

A forged file is so many bytes of a valid one, and then other bytes. What must be found is what the verifier of the
project finds; that it is the fault which was made is stated here by its name, and compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from nodealer import engine
from nodealer.crypto import box as boxes
from nodealer.crypto.group import ORDER, decode_scalar, encode_scalar, mul_base
from nodealer.crypto.hand import OPENING_BYTES
from nodealer.crypto.hashing import digest
from nodealer.crypto.identity import Identity
from nodealer.p2p import claims
from nodealer.p2p.entry import NO_HASH, Entry, Header, body_hash
from nodealer.p2p.feed import MAX_WAITING, MAX_WAITING_BYTES, ForkProof
from nodealer.p2p.match import Match
from nodealer.p2p.offer import Roster, roster_statement
from nodealer.p2p.slots import SlotKind
from nodealer.p2p.transcript import (
    MAGIC,
    frame,
    parse_record,
    record_entry,
    record_fork,
    record_roster,
    record_two_rosters,
)
from nodealer.p2p.wire import decode, encode

from .common import Source
from .pieces import cut
from .plays import PLANS, Played, play

BY_NAME = {plan.label.split()[0]: plan for plan in PLANS}
Body = list[Any]


@dataclass(frozen=True)
class Forged:
    """A file: `keep` bytes of the valid one, then `then`. `check` is what must be found; `writer` who is to blame."""

    made_from: str
    change: str
    keep: int
    then: bytes
    check: str
    writer: str | None = None
    number: int | None = None

    def described(self) -> dict[str, Any]:
        return {
            "from": self.made_from,
            "change": self.change,
            "keep": self.keep,
            "then": cut(self.then, BY_FILE[self.made_from].data),
            "check": self.check,
            "writer": self.writer,
            "number": self.number,
        }


@dataclass(frozen=True)
class Place:
    """An entry of a valid match, and the public machine as it was when its slot took it."""

    played: Played
    record: int
    entry: Entry
    match: Match

    @property
    def seat(self) -> int:
        return self.match.seat_of(self.entry.header.writer)

    @property
    def body(self) -> Body:
        value: Body = decode(self.entry.body, max_bytes=1 << 20)
        return value

    def offset(self, record: int | None = None) -> int:
        before = self.played.records[: self.record if record is None else record]
        return len(MAGIC) + sum(len(frame(one)) for one in before)

    def name(self, writer: int) -> str:
        return self.match.roster.offers[writer].offer.name

    def signed(self, entry: Entry, body: bytes | None = None, **header: Any) -> Entry:
        """This entry with another body or header, signed by its writer."""
        body = entry.body if body is None else body
        own = self.played.identity_of(self.match.feeds[entry.header.writer].key)
        return Entry.make(own, replace(entry.header, body_hash=body_hash(body), **header), body)

    def forged(
        self, change: str, check: str, *entries: Entry, writer: int | None = None, then: bytes | None = None
    ) -> Forged:
        """The match up to this record, then these entries in its place; the writer of the last is to blame."""
        blamed = self.entry.header.writer if writer is None else writer
        number = next((e.header.number for e in reversed(entries) if e.header.writer == blamed), None)
        data = b"".join(frame(record_entry(entry)) for entry in entries) if then is None else then
        return Forged(self.played.plan.file, change, self.offset(), data, check, self.name(blamed), number)

    def lie(self, change: str, check: str, body: Body | bytes | None = None, **header: Any) -> Forged:
        """The entry re-signed with another body or header."""
        data = body if isinstance(body, bytes) or body is None else encode(body)
        return self.forged(change, check, self.signed(self.entry, data, **header))


@cache
def _roster(name: str) -> Roster:
    roster = parse_record(play(BY_NAME[name]).records[0])
    if not isinstance(roster, Roster):
        raise TypeError("a transcript begins with its roster")
    return roster


_REMEMBERED: set[bytes] = set()


def machine_at(name: str, records: int) -> Match:
    """The public machine after so many records."""
    match = Match(_roster(name), remembered=_REMEMBERED)
    for record in play(BY_NAME[name]).records[1:records]:
        entry = parse_record(record)
        if isinstance(entry, Entry):
            match.offer(entry)
        elif isinstance(entry, ForkProof):
            # What stands before it was taken before it came.
            match.advance()
            match.convict(entry)
    match.advance()
    return match


@cache
def entries_of(name: str) -> tuple[tuple[int, Entry], ...]:
    """All entries of a match, with the numbers of their records."""
    records = enumerate(play(BY_NAME[name]).records)
    return tuple((index, entry) for index, record in records if isinstance(entry := parse_record(record), Entry))


def _kinds(name: str) -> list[tuple[int, str]]:
    return [(index, entry.header.kind) for index, entry in entries_of(name)]


def place(name: str, kind: str, fits: Callable[[Place], bool] = lambda _: True) -> Place:
    """The first entry of this kind that fits, with the machine as its slot stands before it.

    Others of its slot may be missing still: then the fault is found only when they come, so it must be the last one.
    """
    for index, this in _kinds(name):
        if this != kind:
            continue
        played = play(BY_NAME[name])
        entry = parse_record(played.records[index])
        match = machine_at(name, index)
        if not isinstance(entry, Entry) or match.slot.number != entry.header.slot:
            continue
        here = Place(played, index, entry, match)
        if match.waiting_for() == (here.seat,) and fits(here):
            return here
    raise LookupError(f"no {kind!r} in {name} that fits")


def _exchange(data: bytes, one: int, two: int, size: int = 32) -> bytes:
    """Two blocks of this size exchanged."""
    blocks = [data[at : at + size] for at in range(0, len(data), size)]
    blocks[one], blocks[two] = blocks[two], blocks[one]
    return b"".join(blocks)


def _add_one(data: bytes, block: int) -> bytes:
    """The scalar at this block one more."""
    at = 32 * block
    value = (decode_scalar(data[at : at + 32]) + 1) % ORDER
    return data[:at] + encode_scalar(value) + data[at + 32 :]


def _deck() -> Iterator[Forged]:
    at = place("two", "shuffle")
    (data,) = at.body
    n = at.match._making().n
    yield at.lie("two cards exchanged after the proof", "shuffle V1", [_exchange(data, 0, 1)])
    yield at.lie("a response one more", "shuffle V1", [_add_one(data, n + 8)])
    yield at.lie("z one more", "shuffle V2+V3", [_add_one(data, 3 * n + 7)])
    yield at.lie("z_k one more", "shuffle V4", [_add_one(data, 3 * n + 9)])
    yield at.lie("a scalar that is zero", "encoding", [data[:-32] + bytes(32)])
    second = place("two", "shuffle", lambda here: here.seat == 1)
    yield second.lie("the first seat's shuffle again", "shuffle V1", [data])
    at = place("two", "lock")
    data, pieces = at.body
    yield at.lie("two tags exchanged", "lock proof", [_exchange(data, n, n + 1), pieces])
    yield at.lie("pieces where there is no escrow", "body", [data, [[b"", b""]]])
    at = place("stacking", "lock")
    data, pieces = at.body
    yield at.lie("the pledge to another holder", "lock proof", [data, [[pieces[1][0], pieces[0][1]], *pieces[1:]]])
    more = _add_one(pieces[0][0], 2)
    yield at.lie("an answer one more", "escrow sum", [data, [[more, pieces[0][1]], *pieces[1:]]])
    yield at.lie("a pledge left out", "escrow length", [data, pieces[1:]])
    yield from _pieces()
    at = place("two", "keys")
    (keys,) = at.body
    yield at.lie("a key one more", "key share", [_add_one(keys, 0)])
    yield at.lie("two keys exchanged", "key share", [_exchange(keys, 0, 1)])
    yield at.lie("a key left out", "key count", [keys[32:]])
    yield at.lie("a key that is zero", "body", [bytes(32) + keys[32:]])


def _pieces() -> Iterator[Forged]:
    """A sealed seed that is not the one pledged, and the complaint of the one who finds it; a false complaint."""
    last = place("stacking", "lock", lambda here: here.seat == len(here.match.order) - 1)
    giver, escrow = last.seat, last.match.making_escrow
    data, pieces = last.body
    ctx = last.match._making().context(giver, last.match.slot.number)
    garbage = boxes.seal(ctx, 0, escrow._box_keys[0], bytes(32), Source("garbage")).encode()
    lock = last.signed(last.entry, encode([data, [[pieces[0][0], garbage], *pieces[1:]]]))
    machine = machine_at("stacking", last.record)
    machine.offer(lock)
    machine.advance()
    answers = _epoch_answers(last.played, machine, giver)
    blamed = last.entry.header.writer
    change = "a complaint about a seed that is not the one pledged"
    refuted = last.forged(change, "escrow piece", lock, *answers, writer=blamed)
    yield replace(refuted, number=lock.header.number)
    yield from _false_complaints(last, giver)
    after = replace(last, record=last.record + 1)
    answers = _epoch_answers(last.played, machine_at("stacking", after.record), giver)
    blamed = answers[0].header.writer
    yield after.forged("a complaint about a piece that is in order", "escrow complaint", *answers, writer=blamed)


def _false_complaints(last: Place, giver: int) -> Iterator[Forged]:
    """Complaints that are none: about oneself, about nobody, of a wrong length, of zeros, where there is no escrow."""
    after = replace(last, record=last.record + 1)
    machine = machine_at("stacking", after.record)
    first = machine.feed_of(0)
    own = last.played.identity_of(first.key)
    rest = _epoch_answers(last.played, machine, giver)[1:]
    number, previous = first.head
    for change, check, body in (
        ("a complaint about oneself", "escrow complaint", [0, bytes(96)]),
        ("a complaint about nobody", "escrow complaint", [9, bytes(96)]),
        ("a complaint about seat ten", "body", [10, bytes(96)]),
        ("a complaint of 95 bytes", "escrow complaint", [giver, bytes(95)]),
        ("a complaint without a proof", "escrow complaint", [giver, mul_base(7).data + encode_scalar(7) * 2]),
    ):
        data, slot = encode(body), machine.slot
        header = Header(
            machine.table, first.writer, number, previous, slot.number, slot.digest, "escrow complaint", body_hash(data)
        )
        yield after.forged(change, check, Entry.make(own, header, data), *rest, writer=first.writer)
    at = place("two", "epoch ok")
    yield at.lie(
        "a complaint where there is no escrow", "escrow complaint", [1 - at.seat, bytes(96)], kind="escrow complaint"
    )


def _epoch_answers(played: Played, machine: Match, giver: int) -> list[Entry]:
    """What all write after the last lock: seat 0 complains about this giver, the others say that it is in order."""
    entries = []
    for seat in machine.slot.owed:
        feed = machine.feed_of(seat)
        player = played.player_of(feed.key)
        kind, body = "epoch ok", encode([])
        if seat == 0:
            source, slot = Source("complaint"), machine.slot.number
            data = machine.making_escrow.complain(seat, slot, giver, player._box_secret, source)
            kind, body = "escrow complaint", encode([giver, data])
        number, previous = feed.head
        slot, digest = machine.slot.number, machine.slot.digest
        header = Header(machine.table, feed.writer, number, previous, slot, digest, kind, body_hash(body))
        entries.append(Entry.make(player.identity, header, body))
    return entries


def _table() -> Iterator[Forged]:
    at = place("two", "coin")
    yield at.lie("another coin than the one committed to", "coin", [bytes(32)])
    at = place("two", "start")
    yield at.lie("the host's signature of zeros", "start", [at.match.table, bytes(64)])
    yield at.lie("another table than the one signed for", "start", [bytes(32), at.body[1]])
    own = at.played.identity_of(at.match.feeds[at.match.roster.host].key)
    nonce = at.match.roster.offers[0].offer.host_nonce
    other = record_two_rosters(bytes(32), own.sign("roster", roster_statement(nonce, bytes(32))))
    forged = at.forged(
        "the host's signature for another table", "roster", then=frame(other), writer=at.match.roster.host
    )
    yield replace(forged, number=0)
    yield replace(
        at.forged(
            "evidence about this very table",
            "evidence",
            then=frame(record_two_rosters(at.match.table, at.match.roster.host_signature)),
        ),
        writer=None,
    )
    roster: Any = at.match.roster.to_wire()
    offers, signature = roster
    swapped = frame(encode(["table", [offers[::-1], signature]]))
    yield Forged(at.played.plan.file, "a roster that is not sorted", len(MAGIC), swapped, "record")


def _moves() -> Iterator[Forged]:
    at = place("two", "play", lambda here: here.body[4] is None and len(here.match.playing().hands[here.seat]) > 3)
    epoch, index, card, key, colour, uno = at.body
    state = at.match.playing()
    yield at.lie("another slot", "slot", slot=at.entry.header.slot + 1)
    yield at.lie("a false digest", "digest", digest=bytes(32))
    yield at.lie("a kind that the slot does not take", "kind", b"\x90", kind="keep")
    yield at.lie("a kind that does not exist", "kind", kind="playing")
    yield at.lie("one item less", "body", at.body[:-1])
    yield at.lie("an integer for a boolean", "body", [epoch, index, card, key, colour, 0])
    yield at.lie("another card", "shown face", [epoch, index, (card + 1) % 100, key, colour, uno])
    yield at.lie("another key", "shown key", [epoch, index, card, encode_scalar(7), colour, uno])
    foreign = state.hands[1 - at.seat][0]
    yield at.lie("a card of another hand", "hand", [foreign.epoch, foreign.index, card, key, colour, uno])
    yield at.lie("a colour for a card that has one", "rules", [epoch, index, card, key, 0, uno])
    yield at.lie("no word about UNO", "rules", [epoch, index, card, key, colour, None])
    player = at.played.player_of(at.match.feeds[at.entry.header.writer].key)
    for handle, held in hand_of(at.played, at.match, at.entry.header.writer).items():
        if not engine.matches(state.rules.cards[held], state.rules.cards[state.discard[-1]], state.colour):
            value = encode_scalar(player._secrets_of(handle).key(handle.index))
            yield at.lie("a card that does not match", "rules", [handle.epoch, handle.index, held, value, None, False])
            break
    at = place("two", "draw", lambda here: here.match.slot.kind is SlotKind.MOVE)
    yield at.lie("a pass while cards are left", "rules", kind="pass")
    at = place("two", "open")
    (cards,) = at.body
    if len(cards) > 1:
        yield at.lie("two cards of the opened hand exchanged", "shown key", [[cards[1], cards[0], *cards[2:]]])
    yield at.lie("a card of the opened hand left out", "hand", [cards[1:]])
    at = place("two", "end")
    yield at.lie("a false final digest", "final digest", [bytes(32)])


def hand_of(played: Played, match: Match, writer: int) -> dict[engine.Handle, int]:
    """What this writer holds at a moment, read with its own secrets."""
    player = played.player_of(match.feeds[writer].key)
    return {
        handle: player._secrets_of(handle).read(match.decks[handle.epoch], handle.index)
        for handle in match.playing().hands[match.seat_of(writer)]
    }


def _feeds() -> Iterator[Forged]:
    at = place("two", "play")
    data = at.played.data
    mine = frame(record_entry(at.entry))
    number = at.entry.header.number

    def damaged(change: str, check: str, then: bytes, of: int | None = None) -> Forged:
        """The file is at fault, no writer; the number is that of the entry which stands there."""
        return replace(at.forged(change, check, then=then), writer=None, number=of)

    yield damaged("one bit of the signature", "signature", _signature_bit(at), number)
    yield damaged("the record a second time", "order", mine + mine, number)
    yield damaged("the record left out", "order", *_up_to_next(at))
    yield damaged("an entry of another match", "signature", frame(play(BY_NAME["stacking"]).records[1]), 0)
    yield damaged("one bit of the payload", "record", mine[:40] + bytes([mine[40] ^ 1]) + mine[41:])
    yield damaged("a length of four billion", "record", b"\xff" * 4 + mine[4:])
    yield damaged("a second roster", "record", frame(record_roster(at.match.roster)))
    yield damaged("a record of no kind", "record", frame(encode(["entries", b""])))
    yield damaged("a map in a record", "record", frame(b"\x81\x01\x02"))
    yield Forged(at.played.plan.file, "a record after the end", len(data), mine, "record")
    twin = at.signed(at.entry, encode([]), kind="draw")
    yield at.forged("two entries with one number", "equivocation", at.entry, twin)
    broken = at.signed(at.entry, previous=bytes(32))
    yield at.forged("a chain that is broken", "equivocation", broken)
    proof = frame(record_fork(ForkProof(at.entry.signed, twin.signed)))
    forged = at.forged("a proof of equivocation", "equivocation", then=proof)
    yield replace(forged, number=at.entry.header.number)
    empty = frame(record_fork(ForkProof(at.entry.signed, at.entry.signed)))
    yield damaged("a proof that proves nothing", "evidence", empty)
    chat = []
    previous = at.entry.header.previous
    for turn in range(51):
        line = at.signed(at.entry, encode([f"line {turn}"]), kind="chat", previous=previous, number=number + turn)
        chat.append(line)
        previous = line.hash
    yield at.forged("fifty-one lines of chat in a row", "chat", *chat)
    long = at.signed(at.entry, encode(["x" * 700]), kind="chat")
    yield at.forged("a line of chat of 700 bytes", "chat", long)


def _proofs() -> Iterator[Forged]:
    """A proof after what ended the match says who is to blame, whatever else stands there; not one after damage."""
    at = place("two", "coin")
    other = next(entry for _, entry in entries_of("two") if entry.header.writer != at.entry.header.writer)
    proof = frame(record_fork(ForkProof(other.signed, at.signed(other, b"\x90", kind="keep").signed)))
    nobody = Identity.from_seed(digest("vector nobody"))
    twins = (Entry.make(nobody, replace(other.header, writer=9, kind=kind), other.body) for kind in ("play", "keep"))
    foreign = frame(record_fork(ForkProof(*(twin.signed for twin in twins))))
    nothing = frame(record_fork(ForkProof(other.signed, other.signed)))
    malformed = frame(encode(["fork", []]))
    rest = (foreign, malformed, frame(record_roster(at.match.roster)), nothing, frame(record_entry(at.entry)), proof)
    lie = at.lie("a false coin, and later a proof among records that are none", "coin", [bytes(32)])
    writer, number = at.name(other.header.writer), other.header.number
    yield replace(lie, then=lie.then + b"".join(rest), check="equivocation", writer=writer, number=number)
    damaged = foreign[:40] + bytes([foreign[40] ^ 1]) + foreign[41:]
    yield replace(lie, change="a false coin, and a proof after damage", then=lie.then + damaged + proof)
    lone = at.forged("a proof against nobody of this table", "evidence", then=foreign)
    yield replace(lone, writer=None, number=None)


def _untaken() -> Iterator[Forged]:
    """One writer runs ahead while a slot waits for the other: by entries, by bytes. The file is at fault, no writer."""
    at = place("two", "start")
    first = parse_record(at.played.records[1])
    if not isinstance(first, Entry):
        raise TypeError("the first entry follows the roster")
    for change, body, count in (
        ("entry 256 of a writer while none was taken", encode([]), MAX_WAITING),
        ("2 MiB of bodies of a writer while none was taken", bytes(250_000), -(-MAX_WAITING_BYTES // 250_000)),
    ):
        ahead, previous = [], NO_HASH
        for number in range(count + 1):
            ahead.append(at.signed(first, body, kind="draw", number=number, previous=previous))
            previous = ahead[-1].hash
        then = b"".join(frame(record_entry(entry)) for entry in ahead)
        yield Forged(at.played.plan.file, change, at.offset(1), then, "order", None, count)


def _up_to_next(at: Place) -> tuple[bytes, int]:
    """The records after this one up to the next by the same writer, and the number of that."""
    data = b""
    for record in at.played.records[at.record + 1 :]:
        data += frame(record)
        entry = parse_record(record)
        if isinstance(entry, Entry) and entry.header.writer == at.entry.header.writer:
            return data, entry.header.number
    raise LookupError("it is the writer's last entry")


def _signature_bit(at: Place) -> bytes:
    signature = bytearray(at.entry.signed.signature)
    signature[0] ^= 1
    return frame(encode(["entry", encode([at.entry.signed.raw, bytes(signature), at.entry.body])]))


def _windows() -> Iterator[Forged]:
    at = place("stacking", "heard")
    raw, _ = at.body
    yield at.lie("a call that its owner did not sign", "heard", [raw, bytes(64)])
    other = at.signed(at.entry, encode([]), kind="quiet")
    yield at.lie("no call but something else", "heard", [other.signed.raw, other.signed.signature])
    owner = at.match.window_owner_feed()
    call = owner.waiting()
    if call is not None:
        quiet = at.signed(call, kind="quiet")
        index = next(i for i, record in enumerate(at.played.records) if record == record_entry(call))
        before = replace(at, record=index)
        rest = [parse_record(record) for record in at.played.records[index + 1 : at.record + 1]]
        others = [entry for entry in rest if isinstance(entry, Entry)]
        yield before.forged("quiet beside a call that was heard", "equivocation", quiet, *others, writer=owner.writer)
    at = place("two", "caught")
    yield at.lie("an opponent who calls", "rules", kind="called")


def _claims() -> Iterator[Forged]:
    for name, size in (("minions", 37), ("ohana", 75)):
        at = place(name, "verdict")
        guilty, box, proof = at.body
        if guilty:
            swapped = _exchange(proof, 0, 1)
            yield at.lie("two challenges of the proof exchanged", "hand one proof", [guilty, box, swapped])
        else:
            start = 32 * (3 * size + 10)
            turned = proof[:start] + _exchange(proof[start : start + 4], 0, 1, 2) + proof[start + 4 :]
            yield at.lie("not guilty said the other way", "encoding", [True, box, proof])
            yield at.lie("two indices of the proof exchanged", "hand all, keys proof", [guilty, box, turned])
            yield at.lie("two candidates exchanged", "hand all, candidates V1", [guilty, box, _exchange(proof, 0, 1)])
            yield at.lie("one bit of the sealed hand", "box proof", [guilty, box[:-1] + bytes([box[-1] ^ 1]), proof])
        yield from _complaints(name, at)
    at = place("minions", "challenge")
    (data,) = at.body
    yield at.lie("the challenger's key of which it knows nothing", "box key", [mul_base(7).data + data[32:]])
    at = place("minions", "show", lambda here: len(here.body[0]) > 0)
    cards, proof = at.body
    yield at.lie("an icon card kept back", "encoding", [cards[1:], proof])
    at = place("ohana", "reveal", lambda here: len(here.body[1]) > 0)
    salt, cards = at.body
    yield at.lie("another salt", "choice", [bytes(32), cards])
    yield at.lie("a chosen card left out", "choice", [salt, cards[1:]])
    yield at.lie("another key of a chosen card", "shown key", [salt, [[*cards[0][:3], encode_scalar(7)], *cards[1:]]])


def _complaints(name: str, verdict: Place) -> Iterator[Forged]:
    """The accused seals garbage and the challenger complains; the challenger complains about a hand in order."""
    seen = place(name, "seen", lambda here: here.entry.header.slot > verdict.entry.header.slot)
    guilty, _, proof = verdict.body
    match = verdict.match
    file = match.challenge
    if file is None:
        raise LookupError("a verdict without a challenge")
    challenger = verdict.played.player_of(match.feeds[seen.entry.header.writer].key)
    z = encode_scalar(challenger._vault.challenge or 0)
    yield seen.lie("a complaint about a hand that is in order", "complaint", [z], kind="complaint")
    yield seen.lie("a complaint with another key", "complaint", [encode_scalar(7)], kind="complaint")
    ctx = claims.place(match.decks, verdict.seat, match.slot.number)
    hand = match.challenged_hand()
    garbage = b"\0" * (len(hand) * OPENING_BYTES)
    sealed = boxes.seal(ctx, match.open_case().challenger, file.key.point, garbage, Source("garbage")).encode()
    false = verdict.signed(verdict.entry, encode([guilty, sealed, proof]))
    machine = machine_at(name, verdict.record)
    machine.offer(false)
    machine.advance()
    complaint = verdict.signed(
        seen.entry, encode([z]), kind="complaint", slot=machine.slot.number, digest=machine.slot.digest
    )
    yield verdict.forged("a complaint about a hand that is garbage", "sealed hand", false, complaint)


def _false_leaves() -> Iterator[Forged]:
    """A `leave` is written whenever its writer likes, and judged by the slot that owes it something."""
    played = play(BY_NAME["leaving"])
    index = next(index for index, kind in _kinds("leaving") if kind == "leave")
    entry = parse_record(played.records[index])
    if not isinstance(entry, Entry):
        raise TypeError("a leave is an entry")
    at = Place(played, index, entry, machine_at("leaving", index))
    taken = index
    while at.seat not in (ends := machine_at("leaving", taken)).leaving.out:
        taken += 1
    between = [one for record in played.records[index + 1 : taken] if isinstance(one := parse_record(record), Entry)]

    def lie(change: str, check: str, body: Body | None = None, **header: Any) -> Forged:
        false = at.signed(entry, None if body is None else encode(body), **header)
        return at.forged(change, check, false, *between)

    (keys,) = at.body
    yield lie("a key of the leaver left out", "key count", [keys[32:]])
    yield lie("two keys of the leaver exchanged", "key share", [_exchange(keys, 0, 1)])
    yield lie("left with a false digest", "digest", digest=bytes(32))
    yield lie("left in a slot that is still to come", "slot", slot=ends.slot.number)
    yield lie("left in a slot before the last that took an entry of it", "slot", slot=2)


def _leaving() -> Iterator[Forged]:
    yield from _false_leaves()
    # Somebody was put out before, and all have played on since: this is another's own fault.
    yield place("leaving", "play", lambda here: bool(here.match.leaving.out)).lie(
        "a false digest long after somebody was put out", "digest", digest=bytes(32)
    )
    at = place("leaving", "shares")
    (pieces,) = at.body
    yield at.lie("a piece left out", "share count", [pieces[32:]])
    yield at.lie("a piece that is not the one pledged", "escrow piece", [bytes(32) + pieces[32:]])
    yield at.lie("half a piece", "body", [pieces[16:]])
    # The entry that put somebody out is another one than the table saw: whoever plays on names another digest.
    first = place("leaving", "play", lambda here: bool(here.match.leaving.out))
    fault = next(gone for gone in first.match.leaving.out.values() if gone.reason == "cheat")
    records = first.played.records
    index = next(
        i
        for i, record in enumerate(records)
        if isinstance(entry := parse_record(record), Entry)
        and (entry.header.writer, entry.header.number) == (fault.writer, fault.number)
    )
    entry = parse_record(records[index])
    if isinstance(entry, Entry):
        other = replace(first, record=index, entry=entry)
        rest = b"".join(frame(record) for record in records[index + 1 :])
        then = frame(record_entry(other.signed(entry, b"\xc2"))) + rest
        offset, name = other.offset(), other.name(fault.writer)
        change = "another entry in the place of the one that put its writer out"
        yield Forged(other.played.plan.file, change, offset, then, fault.check or "", name, fault.number)


class _Files(dict[str, Played]):
    """Matches by the name of their file."""

    def __missing__(self, file: str) -> Played:
        self[file] = play(next(plan for plan in PLANS if plan.file == file))
        return self[file]


BY_FILE = _Files()


@cache
def all_forged() -> tuple[Forged, ...]:
    return (*_table(), *_deck(), *_moves(), *_feeds(), *_proofs(), *_untaken(), *_windows(), *_claims(), *_leaving())
