"""Files about forks, most of them made from the match in which one is found and the round is dealt anew.

What no void follows is invalid by the proof itself; the others hold a void that is none, a deal that does not follow
from it, or what only seems to be a fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from nodealer.crypto.deck import EpochDeck, EpochId
from nodealer.crypto.epoch_secrets import EpochSecrets
from nodealer.p2p.bodies import NOTHING
from nodealer.p2p.entry import NO_HASH, Entry
from nodealer.p2p.feed import ForkProof
from nodealer.p2p.forks import void_digest
from nodealer.p2p.proposal import Base, Cut, Mode, Proposal, encode_name
from nodealer.p2p.slots import SlotKind
from nodealer.p2p.transcript import parse_record
from nodealer.p2p.wire import encode

from .common import Source
from .forgeries import BY_NAME, Forged, entries_of, machine_at
from .plays import play
from .vote_forgeries import Harmless, Scribe

NAME = "fork"
EVIDENCE, EQUIVOCATION = "evidence", "equivocation"


@cache
def _proof() -> tuple[int, ForkProof]:
    """The record with the proof, and the proof."""
    for index, record in enumerate(play(BY_NAME[NAME]).records):
        parsed = parse_record(record)
        if isinstance(parsed, ForkProof):
            return index, parsed
    raise LookupError("nobody has forked")


@cache
def _said(kind: str) -> tuple[tuple[int, Entry], ...]:
    """The votes or readies, with their records."""
    return tuple(one for one in entries_of(NAME) if one[1].header.kind == kind)


def _scribe(record: int) -> Scribe:
    return Scribe(record, NAME)


def _after(record: int) -> list[Entry]:
    return [entry for index, entry in entries_of(NAME) if index > record]


def _void(view: tuple[int, ...], leaver: int, base: Base) -> Proposal:
    return Proposal(view, 0, Mode.VOID, (Cut(leaver, 0, NO_HASH),), base)


def _agreed(scribe: Scribe, proposal: Proposal) -> None:
    """All its electors vote for it and are ready."""
    for writer in proposal.electors:
        scribe.write(writer, "vote", proposal.encode())
    for writer in proposal.electors:
        scribe.write(writer, "ready", encode_name(proposal.name(scribe.match.table)))


def _pair(one: Entry, other: Entry) -> ForkProof:
    return ForkProof(one.signed, other.signed)


def _twins(scribe: Scribe, writer: int) -> ForkProof:
    """The last entry of this writer's feed, and another one with its number."""
    last = scribe.match.feeds[writer].entries[-1]
    return _pair(last, scribe.again(last, encode(["or not"]), kind="chat"))


def _ends(scribe: Scribe, *writers: int) -> None:
    for writer in writers:
        scribe.write(writer, "end", [scribe.match.state_digest])


def forks() -> Iterator[Forged]:
    yield from _proofs()
    yield from _voids()
    yield from _deals()
    yield from _ended()


def _proofs() -> Iterator[Forged]:
    index, proof = _proof()
    forker, number = proof.writer, proof.second.header.number
    scribe = _scribe(index)
    (one, other) = entries_of(NAME)[0][1], entries_of(NAME)[1][1]
    last = scribe.match.feeds[forker].entries[-1]
    scribe.hold_proof(_pair(*(scribe.again(last, body, table=bytes(32)) for body in (NOTHING, b"\xc0"))))
    yield scribe.forged("a proof of another table", EVIDENCE, None, None)
    scribe = _scribe(index)
    scribe.hold_proof(_pair(one, other))
    yield scribe.forged("a proof of two entries of different writers", EVIDENCE, None, None)
    # Nobody is there yet to deal anew.
    start = next(i for i, entry in entries_of(NAME) if entry.header.kind == "coin")
    scribe = _scribe(start)
    scribe.prove(_twins(scribe, forker))
    for entry in [entry for at, entry in entries_of(NAME) if at >= start][:6]:
        scribe.hold(entry)
    yield scribe.forged("a fork in the first slot, before the coin has fallen", EQUIVOCATION, forker, 0)
    # Nobody may say that the round is void without a proof of it.
    ready = _said("ready")[-1][0]
    scribe = _scribe(index)
    for later in _after(index):
        scribe.hold(later)
    # All who stay seem to write out of turn, in one slot; the last of them is told.
    *_, dealt = (entry for entry in _after(ready) if entry.header.kind == "shuffle")
    yield scribe.forged("the proof left out", "slot", dealt.header.writer, dealt.header.number)
    # It is explained by no void: what comes after it was never agreed on.
    last, entry = _said("ready")[-1]
    scribe = _scribe(last)
    for later in _after(last):
        if later.header.writer != entry.header.writer:
            scribe.hold(later)
    yield scribe.forged("the last word of a void kept back", EQUIVOCATION, forker, number)
    scribe = _scribe(last)
    for later in _after(last)[:1]:
        scribe.hold(later)
    behind = next(e for e in _after(last) if e.header.writer == entry.header.writer)
    yield replace(scribe.forged("the last word of a void left out", "order", None, behind.header.number), writer=None)


def _voids() -> Iterator[Forged]:
    forker, number = _proof()[1].writer, _proof()[1].second.header.number
    first = _said("vote")[0][0]
    start = machine_at(NAME, first)
    base = start.forks.boundaries[0].base
    electors = tuple(writer for writer in range(3) if writer != forker)
    for change, false in (
        ("a void from a slot that is no boundary", Base(start.slot.number, start.slot.digest)),
        ("a void from the coin, with another digest", replace(base, digest=bytes(32))),
        ("a void from a slot that never was", Base(1 << 20, bytes(32))),
    ):
        scribe, proposal = _scribe(first), _void((0, 1, 2), forker, false)
        _agreed(scribe, proposal)
        # What would be dealt from there.
        shuffle = _after(_said("ready")[-1][0])[0]
        name = proposal.name(scribe.match.table)
        digest = void_digest(false, name, machine_at(NAME, _said("ready")[-1][0] + 1).state_digest)
        if false.slot < 1 << 20:
            feed = scribe.match.feeds[shuffle.header.writer]
            number_, previous = feed.head
            scribe.hold(scribe.again(shuffle, number=number_, previous=previous, slot=false.slot + 1, digest=digest))
        yield scribe.forged(change, EQUIVOCATION, forker, number)
    # The forker and another put the third out.
    scribe, (victim, helper) = _scribe(first), electors
    _agreed(scribe, _void((0, 1, 2), victim, base))
    scribe.write(helper, "chat", ["done"])
    yield scribe.forged("a void against another than who has forked", EQUIVOCATION, forker, number)


def _deals() -> Iterator[Forged]:
    """After the void: what the first slot takes."""
    last = _said("ready")[-1][0]
    index = last + 1
    dealt = machine_at(NAME, index)
    (seat,) = dealt.slot.owed
    writer = dealt.order[seat]
    shuffle = next(entry for entry in _after(last) if entry.header.writer == writer)
    ((_, vote), *_rest) = _said("vote")
    base = Proposal.decode(vote.body).base
    if base is None:
        raise TypeError("a void has a base")
    state = dealt.state_digest
    before = next(entry for _, entry in entries_of(NAME) if entry.header.slot == base.slot + 1)

    def first(change: str, check: str, kind: str = "shuffle", body: bytes = shuffle.body, **header: Any) -> Forged:
        scribe = _scribe(index)
        false = scribe.again(shuffle, body, kind=kind, **header)
        scribe.put(false)
        return scribe.forged(change, check, writer, false.header.number)

    unnamed = void_digest(base, b"", state)
    yield first("d of a void without a vote", "digest", digest=unnamed)
    yield first("d of this slot in the round that is void", "digest", digest=before.header.digest)
    voided = _proof()[0]
    there = machine_at(NAME, voided).slot
    old = {"slot": there.number, "digest": there.digest}
    yield first("what was open in the round that is void", "slot", **old)
    yield first("a leave in the round that is void", "slot", "leave", encode([b""]), **old)
    # The same seed would serve twice.
    again = EpochDeck(replace(_where(dealt.making), attempt=0), "four-colors", _cards(dealt.making), dealt.view)
    secrets = EpochSecrets(Source("another attempt")(32), again.where, seat, again.n)
    body = encode([secrets.make_shuffle(again, dealt.slot.number, Source("another shuffle"))])
    yield first("the attempt of the round that is void", "shuffle V1", body=body)
    yield from _old(shuffle, writer)


def _where(deck: EpochDeck | None) -> EpochId:
    if deck is None:
        raise TypeError("no deck is being made")
    return deck.where


def _cards(deck: EpochDeck | None) -> tuple[int, ...]:
    if deck is None:
        raise TypeError("no deck is being made")
    return tuple(deck.cards)


def _old(shuffle: Entry, writer: int) -> Iterator[Forged]:
    """Whoever is ready for a void and goes on in the void round."""
    last, final = _said("ready")[-1]
    if final.header.writer != writer:
        raise LookupError("another seat shuffles first")
    scribe = _scribe(last + 1)
    open_ = machine_at(NAME, _proof()[0]).slot
    false = scribe.again(shuffle, NOTHING, kind="draw", slot=open_.number, digest=open_.digest)
    scribe.put(false)
    yield scribe.forged("a move in the void round after ready", "slot", writer, false.header.number)
    # It is passed over up to there, whatever a slot has taken meanwhile of what comes after.
    keys = [(index, entry) for index, entry in entries_of(NAME) if entry.header.kind == "keys"]
    at, own = next(one for one in reversed(keys) if one[0] < _proof()[0] and one[1].header.writer == writer)
    other = next(entry for index, entry in keys if index > at)
    scribe = _scribe(at)
    base = scribe.match.forks.boundaries[0].base
    proposal = _void((0, 1, 2), _proof()[1].writer, base)
    name = encode_name(proposal.name(scribe.match.table))
    scribe.write(writer, "vote", proposal.encode())
    scribe.write(writer, "ready", name)
    early = scribe.write(writer, "keys", own.body)
    scribe.put(other)
    scribe.prove(_proof()[1])
    (second,) = set(proposal.electors) - {writer}
    scribe.write(second, "vote", proposal.encode())
    scribe.write(second, "ready", name)
    yield scribe.forged(
        "keys in the void round after ready, taken before the proof came", "slot", writer, early.header.number
    )


def _ended() -> Iterator[Forged]:
    """In slot `end` the round stands; but not while another has voted for a void of it."""
    scribe, (one, other, forker) = _at_end()
    scribe.prove(twins := _twins(scribe, forker))
    scribe.write(one, "vote", _void((0, 1, 2), forker, scribe.match.forks.boundaries[0].base).encode())
    _ends(scribe, other)
    _ends(scribe, one)
    yield scribe.forged("the last slot with a vote for a void", EQUIVOCATION, forker, twins.second.header.number)
    # With one seat left the void is seen with its end only.
    scribe = _scribe(len(play(BY_NAME[NAME]).records) - 10)
    scribe.prove(twins := _twins(scribe, 0))
    yield scribe.forged("a second fork, and no end", EQUIVOCATION, 0, twins.second.header.number)


def _at_end() -> tuple[Scribe, tuple[int, int, int]]:
    """A match of three in its last slot, for which nobody has written yet."""
    first = next(index for index, entry in entries_of("stacking") if entry.header.kind == "end")
    return Scribe(first, "stacking"), (0, 1, 2)


def unharmed() -> Iterator[Harmless]:
    _, proof = _proof()
    last = _said("ready")[-1][0]
    rest = _after(last)
    scribe = _scribe(last + 1)
    late = [scribe.write(proof.writer, "chat", ["late"])]
    late.append(scribe.again(late[-1], NOTHING, kind="draw", number=late[-1].header.number + 5))
    late.append(scribe.again(late[-1], number=0))
    scribe.put(*late[1:], *rest)
    yield scribe.harmless("entries of the forker after it is out", "complete", *late)
    yield _waiting()
    yield from _ends_anyhow()
    yield from _alone()


def _waiting() -> Harmless:
    """A proof about later slots, that comes first: it waits for the coin."""
    _, proof = _proof()
    coins = [(index, entry) for index, entry in entries_of(NAME) if entry.header.kind == "coin"]
    scribe = _scribe(coins[0][0])
    scribe.prove(proof)
    scribe.put(*(entry for _, entry in coins))
    _agreed(scribe, _void((0, 1, 2), proof.writer, scribe.match.forks.boundaries[0].base))
    return scribe.harmless("a proof before the coin that is about what came later", "unfinished")


def _ends_anyhow() -> Iterator[Harmless]:
    scribe, (one, other, forker) = _at_end()
    scribe.prove(_twins(scribe, forker))
    _ends(scribe, one, other)
    yield scribe.harmless("the last slot without the one who has forked", "complete")
    scribe, _ = _at_end()
    _ends(scribe, one, forker)
    scribe.prove(_twins(scribe, forker))
    _ends(scribe, other)
    yield scribe.harmless("the last slot, the forker's word in it", "complete")
    scribe, _ = _at_end()
    _ends(scribe, one, other, forker)
    scribe.prove(_twins(scribe, forker))
    yield scribe.harmless("a fork that comes to light when all is over", "complete")


def _alone() -> Iterator[Harmless]:
    """There is no vote of one: it wins by the proof."""
    for name, kind, change in (
        ("two", SlotKind.MOVE, "one of two has forked"),
        ("rounds", SlotKind.ROUND_END, "one of two has forked, and the round has ended"),
    ):
        at = next(i for i, e in entries_of(name) if machine_at(name, i).slot.kind is kind)
        scribe = Scribe(at, name)
        honest = scribe.match.order[scribe.match.slot.owed[0]]
        if kind is SlotKind.ROUND_END:
            scribe.write(honest, "round end")
        scribe.prove(_twins(scribe, 1 - honest))
        _ends(scribe, honest)
        yield scribe.harmless(change, "complete")
    # The next to fork after a void: the boundary is the first slot of the new deal.
    scribe = _scribe(len(play(BY_NAME[NAME]).records) - 10)
    scribe.prove(_twins(scribe, 0))
    _ends(scribe, 1)
    yield scribe.harmless("a second fork after a void", "complete")


__all__ = ["forks", "unharmed"]
