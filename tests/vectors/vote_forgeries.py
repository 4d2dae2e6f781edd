"""Files about votes, made from the match in which one is dropped: what breaks a rule, and what only seems to.

A file of the second kind is not invalid: it ends differently, without blame, or holds entries that count for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from nodealer import engine
from nodealer.crypto.group import encode_scalar
from nodealer.p2p.bodies import NOTHING
from nodealer.p2p.entry import NO_HASH, Entry, Header, body_hash
from nodealer.p2p.feed import ForkProof
from nodealer.p2p.proposal import Base, Cut, Mode, Proposal, Reason, Refusal, encode_name
from nodealer.p2p.transcript import MAGIC, frame, parse_record, record_entry, record_fork
from nodealer.p2p.wire import encode

from .forgeries import BY_FILE, BY_NAME, Body, Forged, entries_of, hand_of, machine_at
from .pieces import cut
from .plays import Played, play

NAME = "drop"


@dataclass(frozen=True)
class Harmless:
    """A file in which nothing is invalid. ``ignored``: names and numbers of the entries that count for nothing."""

    made_from: str
    change: str
    keep: int
    then: bytes
    status: str
    ignored: tuple[tuple[str, int], ...] = ()

    def described(self) -> dict[str, Any]:
        return {
            "from": self.made_from,
            "change": self.change,
            "keep": self.keep,
            "then": cut(self.then, BY_FILE[self.made_from].data),
            "status": self.status,
            "ignored": [list(one) for one in self.ignored],
        }


class Scribe:
    """The match up to a record, and then what its writers sign as if it had gone on so."""

    def __init__(self, record: int, name: str = NAME) -> None:
        self.played: Played = play(BY_NAME[name])
        self.match = machine_at(name, record)
        self._keep = len(MAGIC) + sum(len(frame(one)) for one in self.played.records[:record])
        self._then = b""

    def write(self, writer: int, kind: str, body: Body | bytes = NOTHING) -> Entry:
        """The next entry of this writer's feed, about the slot that is open."""
        data = body if isinstance(body, bytes) else encode(body)
        feed, slot = self.match.feeds[writer], self.match.slot
        number, previous = feed.head
        header = Header(self.match.table, writer, number, previous, slot.number, slot.digest, kind, body_hash(data))
        entry = Entry.make(self.played.identity_of(feed.key), header, data)
        self.put(entry)
        return entry

    def again(self, entry: Entry, body: bytes | None = None, **header: Any) -> Entry:
        """This entry with another body or header, signed by its writer."""
        data = entry.body if body is None else body
        own = self.played.identity_of(self.match.feeds[entry.header.writer].key)
        return Entry.make(own, replace(entry.header, body_hash=body_hash(data), **header), data)

    def put(self, *entries: Entry) -> None:
        """Entries that were signed before, or elsewhere."""
        for entry in entries:
            self._then += frame(record_entry(entry))
            self.match.offer(entry)
            self.match.advance()

    def hold(self, entry: Entry) -> None:
        """An entry that the file holds and the machine is not asked about."""
        self._then += frame(record_entry(entry))

    def prove(self, proof: ForkProof) -> None:
        self.hold_proof(proof)
        self.match.convict(proof)
        self.match.advance()

    def hold_proof(self, proof: ForkProof) -> None:
        self._then += frame(record_fork(proof))

    def keys(self, writer: int) -> None:
        """The keys that it owes in the open slot."""
        match = self.match
        secrets = self.played.player_of(match.feeds[writer].key)._secrets_of
        due = match.due(match.seat_of(writer))
        self.write(writer, "keys", [b"".join(encode_scalar(secrets(handle).key(handle.index)) for handle in due)])

    def plays(self, writer: int) -> None:
        """Some card of its hand that may be played."""
        state, player = self.match.playing(), self.played.player_of(self.match.feeds[writer].key)
        cards = state.rules.cards
        for handle, card in hand_of(self.played, self.match, writer).items():
            if cards[card].colour is not None and engine.matches(cards[card], cards[state.discard[-1]], state.colour):
                key = encode_scalar(player._secrets_of(handle).key(handle.index))
                self.write(writer, "play", [handle.epoch, handle.index, card, key, None, False])
                return
        raise LookupError("no card of this hand can be played")

    def name(self, writer: int) -> str:
        return self.match.roster.offers[writer].offer.name

    def forged(self, change: str, check: str, writer: int | None, number: int | None) -> Forged:
        name = None if writer is None else self.name(writer)
        return Forged(self.played.plan.file, change, self._keep, self._then, check, name, number)

    def harmless(self, change: str, status: str, *ignored: Entry) -> Harmless:
        listed = tuple((self.name(entry.header.writer), entry.header.number) for entry in ignored)
        return Harmless(self.played.plan.file, change, self._keep, self._then, status, listed)


@cache
def _votes() -> tuple[int, ...]:
    """The records with votes and readies: two of each."""
    found = [index for index, entry in entries_of(NAME) if entry.header.kind in ("vote", "ready")]
    return tuple(found)


def _entry(record: int) -> Entry:
    entry = parse_record(play(BY_NAME[NAME]).records[record])
    if not isinstance(entry, Entry):
        raise TypeError("this record holds no entry")
    return entry


def _proposal() -> Proposal:
    return Proposal.decode(_entry(_votes()[0]).body)


def _drop(*leavers: int, view: tuple[int, ...] = (0, 1, 2), ballot: int = 0) -> Proposal:
    """For the cut it is the same what it says: no tape is compared with any feed."""
    return Proposal(view, ballot, Mode.DROP, tuple(Cut(writer, 1, b"\x01" * 32) for writer in leavers))


def _tapes(table: bytes, leaver: int, other: int, third: int) -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """Statements of the leaver, the last of which breaks a rule of tapes."""
    plain = _drop(other)
    name, more = plain.name(table), Proposal((0, 1, 2), 0, Mode.VOID, (Cut(other, 0, NO_HASH),), Base(3, bytes(32)))
    vote, ready, withdraw = ("vote", plain.encode()), ("ready", encode_name(name)), ("withdraw", encode_name(name))
    refusal = ("refuse", Refusal(name, Reason.VIEW).encode())
    named = encode([name, 1, None])
    yield "a vote of the one who is to go", [("vote", _drop(leaver).encode())]
    yield "a vote by too few", [("vote", _drop(*sorted((other, third))).encode())]
    yield "a vote about one who is not at the table", [("vote", _drop(3, view=(0, 1, 2, 3)).encode())]
    yield "a vote about nobody", [("vote", encode([[0, 1, 2], 0, 0, [], None]))]
    yield "a vote whose view is not in order", [("vote", encode([[1, 0, 2], 0, 0, [[other, 1, b"\1" * 32]], None]))]
    yield "ballot 64", [("vote", encode([[0, 1, 2], 64, 0, [[other, 1, b"\1" * 32]], None]))]
    yield "a cut after nothing with a hash", [("vote", encode([[0, 1, 2], 0, 0, [[other, 0, b"\1" * 32]], None]))]
    yield "a drop with a base", [("vote", encode([[0, 1, 2], 0, 0, [[other, 1, b"\1" * 32]], [3, bytes(32)]]))]
    yield "a vote that voids and cuts", [("vote", encode([[0, 1, 2], 0, 1, [[other, 1, b"\1" * 32]], [3, bytes(32)]]))]
    yield "a void without a base", [("vote", encode([[0, 1, 2], 0, 1, [[other, 0, NO_HASH]], None]))]
    yield "ready without a vote", [ready]
    yield "ready twice", [vote, ready, ready]
    yield "ready for what was withdrawn", [vote, withdraw, ready]
    yield "ready for less than a larger vote of one's own", [vote, ("vote", more.encode()), ready]
    yield "withdrawn twice", [vote, ready, withdraw, withdraw]
    yield "refused and then voted for", [refusal, vote]
    yield "voted for and then refused", [vote, refusal]
    yield "a refusal whose evidence is not of its reason", [("refuse", named)]
    yield "a vote beside another that stands", [vote, ("vote", _drop(third).encode())]
    yield "the same vote twice", [vote, vote]


def votes() -> Iterator[Forged]:
    first = _votes()[0]
    (cut_of,) = _proposal().cuts
    leaver = cut_of.writer
    one, two = _entry(first).header.writer, _entry(_votes()[1]).header.writer
    for change, statements in _tapes(machine_at(NAME, first).table, leaver, *sorted((one, two))):
        scribe = Scribe(first)
        for kind, body in statements:
            broken = scribe.write(leaver, kind, body)
        scribe.write(leaver, "draw")
        yield scribe.forged(change, "vote", leaver, broken.header.number)
    # A leave is judged by what stands before it, too.
    scribe = Scribe(first)
    broken = scribe.write(leaver, "ready", encode_name(bytes(32)))
    scribe.write(leaver, "leave", [b""])
    yield scribe.forged("a leave after ready without a vote", "vote", leaver, broken.header.number)
    yield _before_the_coin_fell()
    yield _before_its_coin()
    yield from _other_content(leaver, one, two)
    yield _heard_of_the_dropped()


def _heard_of_the_dropped() -> Forged:
    """The two others drop the owner of a window without a word of it; then one says that it has heard its call."""
    heard = next(entry for _, entry in entries_of("stacking") if entry.header.kind == "heard")
    slot = [(index, entry) for index, entry in entries_of("stacking") if entry.header.slot == heard.header.slot]
    scribe = Scribe(slot[0][0], "stacking")
    owner = scribe.match.window_owner_feed().writer
    others = [writer for writer in range(3) if writer != owner]
    last = scribe.match.feeds[owner].entries[-1]
    proposal = Proposal((0, 1, 2), 0, Mode.DROP, (Cut.at(owner, last.signed),))
    for writer in others:
        scribe.write(writer, "vote", proposal.encode())
    for writer in others:
        scribe.write(writer, "ready", encode_name(proposal.name(scribe.match.table)))
    liar = heard.header.writer
    (honest,) = set(others) - {liar}
    scribe.write(honest, "silent")
    false = scribe.write(liar, "heard", heard.body)
    return scribe.forged("a call heard of one who was dropped without it", "heard", liar, false.header.number)


def _before_the_coin_fell() -> Forged:
    """What stands on a tape counts whenever it comes."""
    coin = next(index for index, entry in entries_of(NAME) if entry.header.kind == "coin")
    scribe, writer = Scribe(coin + 1), _entry(coin).header.writer
    broken = scribe.write(writer, "vote")
    scribe.put(*(_entry(record) for record in (coin + 1, coin + 2)))
    shuffle = next(entry for _, entry in entries_of(NAME) if entry.header.kind == "shuffle")
    if shuffle.header.writer != writer:
        raise LookupError("another seat shuffles first")
    scribe.write(writer, "shuffle", shuffle.body)
    return scribe.forged("a vote that is none, before the coin has fallen", "vote", writer, broken.header.number)


def _before_its_coin() -> Forged:
    at = next(index for index, entry in entries_of(NAME) if entry.header.kind == "coin")
    scribe, writer = Scribe(at), _entry(at).header.writer
    broken = scribe.write(writer, "vote")
    scribe.write(writer, "coin", _entry(at).body)
    scribe.put(*(_entry(record) for record in (at + 1, at + 2)))
    return scribe.forged("a vote that is none, before its writer's coin", "vote", writer, broken.header.number)


def _other_content(leaver: int, one: int, two: int) -> Iterator[Forged]:
    first, second = _votes()[:2]
    body = Proposal(_proposal().view, 1, Mode.DROP, _proposal().cuts).encode()
    # The second voter says something else, and is then ready for the first one's proposal.
    scribe = Scribe(second)
    scribe.write(two, "vote", body)
    broken = scribe.write(two, "ready", encode_name(_proposal().name(scribe.match.table)))
    scribe.write(leaver, "draw")
    for writer in sorted((one, two), key=scribe.match.seat_of):
        scribe.keys(writer)
    yield scribe.forged("a vote with another content, and ready for the first", "vote", two, broken.header.number)
    # Beside the true one it is a fork, and so is another last entry of the dropped one after its drop.
    scribe = Scribe(second)
    vote = scribe.write(two, "vote", body)
    scribe.hold(_entry(second))
    yield scribe.forged("two votes with one number", "equivocation", two, vote.header.number)
    scribe = Scribe(_votes()[-1] + 1)
    last = [entry for _, entry in entries_of(NAME) if entry.header.writer == leaver][-1]
    scribe.hold(scribe.again(last, NOTHING, kind="draw"))
    yield scribe.forged("another last entry of the dropped one", "equivocation", leaver, last.header.number)
    # After the drop one goes on as if the dropped one had written.
    other = Scribe(first)
    other.write(leaver, "draw")
    scribe = Scribe(_votes()[-1] + 1)
    shares = {e.header.writer: e for _, e in entries_of(NAME) if e.header.kind == "shares"}
    false = scribe.again(shares[one], digest=other.match.slot.digest)
    scribe.put(false, shares[two])
    yield scribe.forged("a digest over an entry of the dropped one", "digest", one, false.header.number)


def harmless() -> Iterator[Harmless]:
    first, last = _votes()[0], _votes()[-1]
    (cut_of,) = _proposal().cuts
    leaver = cut_of.writer
    rest = [entry for index, entry in entries_of(NAME) if index > last]
    # They need not fit each other, nor follow on one another.
    scribe = Scribe(last + 1)
    late = [scribe.write(leaver, "chat", ["late"]), scribe.write(leaver, "draw")]
    late.append(scribe.again(late[-1], number=late[-1].header.number + 5))
    scribe.put(late[-1], *rest)
    yield scribe.harmless("entries of the dropped one after its drop", "complete", *late)
    scribe = Scribe(first)
    scribe.write(leaver, "chat", ["still here"])
    scribe.put(*map(_entry, _votes()), *rest)
    yield scribe.harmless("a line of chat of the dropped one, beyond its cut", "complete")
    # What the dropped one wrote by itself, or made up afterwards: the others have not seen it.
    scribe = Scribe(first)
    scribe.write(leaver, "draw")
    for entry in (*map(_entry, _votes()), *rest):
        scribe.hold(entry)
    yield scribe.harmless("an entry of the dropped one beyond its cut, taken before the vote", "unfinished")
    scribe = Scribe(first)
    scribe.plays(leaver)
    owed = [scribe.match.order[seat] for seat in scribe.match.slot.owed]
    for entry in map(_entry, _votes()):
        if entry.header.kind == "vote" or entry.header.writer in owed:
            scribe.hold(entry)
    scribe.hold(next(entry for entry in rest if entry.header.writer in owed))
    yield scribe.harmless("the same, and the word of one who agreed to the drop kept back", "unfinished")
