"""Random sequences of entries for a table in the middle of a match: one writer misbehaves, with its own key.

A `Scene` is the public machine at an open slot of a recorded match, with everything before it taken and nothing of it
offered yet. `play` gives it what the honest have signed for this slot, statements of theirs that drop the cheat, and
what the cheat makes up, in an order of its own, doubled, early and late. Whatever comes of it: no error that is not
ours, nobody blamed but the cheat, and the same end for every order of the same feeds.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from nodealer.crypto.group import Point
from nodealer.crypto.identity import Identity
from nodealer.engine import EDITIONS
from nodealer.p2p.ballots import Said
from nodealer.p2p.entry import Entry, Header, body_hash
from nodealer.p2p.errors import WireError
from nodealer.p2p.feed import CONTROL_KINDS, Contradiction
from nodealer.p2p.match import Match
from nodealer.p2p.options import TableOptions
from nodealer.p2p.proposal import Base, Cut, Mode, Proposal, Reason, Refusal, admissible, encode_name
from nodealer.p2p.slots import RULES
from nodealer.p2p.wire import decode, encode

from examples.liar import _memories, share_memory
from examples.table import Table

from .fuzz import changed, garbage

KINDS = sorted(
    {kind for rule in RULES.values() for kind in rule.takes} | CONTROL_KINDS | {"leave", "shares", "nothing"}
)
MOST = 6


@dataclass
class Tape:
    """What one writer has to say in this sequence, in the order of its feed; its next number and previous hash."""

    identity: Identity
    writer: int
    number: int
    previous: bytes
    entries: list[Entry] = field(default_factory=list)

    def sign(self, match: Match, kind: str, body: bytes, **changes: Any) -> Entry:
        """The next entry, with header fields changed; its chain goes on from it."""
        slot = match.slot
        header = Header(
            match.table, self.writer, self.number, self.previous, slot.number, slot.digest, kind, body_hash(body)
        )
        entry = Entry.make(self.identity, replace(header, **changes), body)
        self.add(entry)
        return entry

    def add(self, entry: Entry) -> None:
        self.entries.append(entry)
        self.number, self.previous = entry.header.number + 1, entry.hash


def _itself(value: Any, memo: dict[int, Any]) -> Any:
    return value


# Frozen, and many: a copy of a machine shares them.
Point.__deepcopy__ = Entry.__deepcopy__ = _itself  # type: ignore[attr-defined]


@dataclass
class Scene:
    """``match`` at an open slot; ``coming``: by writer, what each has signed for it in the recorded match."""

    match: Match
    identities: list[Identity]
    coming: dict[int, list[Entry]]
    bodies: dict[str, list[bytes]]

    def again(self) -> Scene:
        """The same once more, for a sequence of its own. What is never changed is shared."""
        shared = self.match._remembered, self.match.roster, self.match.state
        return replace(self, match=copy.deepcopy(self.match, {id(one): one for one in shared}))

    def tapes(self) -> dict[int, Tape]:
        return {feed.writer: Tape(self.identities[feed.writer], feed.writer, *feed.head) for feed in self.match.feeds}


def scenes(seed: object) -> Iterator[Scene]:
    """A match of random players, edition and options, played whole by honest peers; its slots one after the other."""
    rng = random.Random(repr(seed))
    edition, players = rng.choice(list(EDITIONS)), rng.randint(2, 4)
    options = replace(
        TableOptions.defaults(edition, players, 0).fast(),
        escrow=players > 2 and rng.random() < 0.5,
        stacking=EDITIONS[edition].stacking and rng.random() < 0.5,
    )
    table = Table(players, options, seed=seed)
    # What was verified once is not verified again at every sequence: it is the made up that counts.
    share_memory([seated.peer for seated in table.seats])
    table.play()
    played = table.seats[0].peer.match
    if played is None or not played.complete:
        raise RuntimeError("an honest match did not come to its end")
    by_key = {seated.peer.key: seated.peer.own.identity for seated in table.seats}
    entries = [list(feed.entries) for feed in played.feeds]
    bodies: dict[str, list[bytes]] = {}
    for entry in (entry for feed in entries for entry in feed):
        bodies.setdefault(entry.header.kind, []).append(entry.body)
    memory = _memories[table.seats[0].peer]
    match = Match(played.roster, remembered=set(memory), judge_digests=rng.random() < 0.5)
    while not match.over:
        slot = match.slot.number
        coming = {writer: [e for e in feed if e.header.slot == slot] for writer, feed in enumerate(entries)}
        yield Scene(match, [by_key[key] for key in played.roster.keys], coming, bodies)
        for feed in coming.values():
            for entry in feed:
                match.offer(entry)
        match.advance()


@dataclass(frozen=True)
class Made:
    """A sequence. ``any_order``: it comes to the same in every order of its feeds; not so where the cheat contradicts
    itself, or where the others drop it, which holds only if what is beyond the cut was kept aside."""

    cheat: int
    tapes: dict[int, Tape]
    any_order: bool


def make(scene: Scene, rng: random.Random) -> Made:
    """What everybody says."""
    match, tapes = scene.match, scene.tapes()
    cheat = rng.randrange(len(match.feeds))
    forked = False
    tape = tapes[cheat]
    if rng.random() < 0.3:
        for entry in scene.coming[cheat][: rng.randrange(2) + 1]:
            tape.add(entry)
    for _ in range(rng.randrange(1, MOST + 1)):
        forked |= lie(scene, tape, rng)
    honest = [writer for writer in tapes if writer != cheat]
    for writer in honest:
        for entry in scene.coming[writer]:
            tapes[writer].add(entry)
    dropped = match.state is not None and rng.random() < 0.4
    if dropped:
        drop(scene, tapes, cheat, honest, rng)
    return Made(cheat, tapes, not forked and not dropped)


def lie(scene: Scene, tape: Tape, rng: random.Random) -> bool:
    """The cheat's next entry; whether it contradicts one before it."""
    match = scene.match
    kind = rng.choice(KINDS)
    known = scene.bodies.get(kind)
    owed = [entry for entry in scene.coming[tape.writer] if entry.header.kind not in CONTROL_KINDS]
    if owed and rng.random() < 0.4:
        kind, known = owed[0].header.kind, [owed[0].body]
    elif rng.random() < 0.2:
        kind = rng.choice(("vote", "ready", "refuse", "withdraw"))
        known = [statement(match, kind, rng)]
    body = rng.choice(known) if known and rng.random() < 0.9 else encode(garbage(rng))
    if rng.random() < 0.5:
        try:
            body = encode(changed(rng, decode(body, max_bytes=1 << 18)))
        except (WireError, ValueError, OverflowError):
            body = body[: len(body) // 2]
    changes: dict[str, Any] = {}
    forks = False
    match rng.randrange(12):
        case 0:
            changes["slot"] = max(0, match.slot.number + rng.choice((-2, -1, 1, 2, 1 << 20)))
        case 1:
            changes["digest"] = rng.randbytes(32)
        case 2:
            changes["previous"] = rng.randbytes(32)
            forks = True
        case 3 if tape.number:
            changes["number"] = rng.randrange(tape.number)
            forks = True
        case 4:
            changes["number"] = tape.number + rng.choice((1, 2, 1 << 31))
            # Another entry of this number may come, and this one again.
            forks = True
        case _:
            pass
    before = tape.number, tape.previous
    tape.sign(match, kind, body, **changes)
    if changes.keys() & {"number"}:
        # What comes next follows on what stands.
        tape.number, tape.previous = before
    return forks


def statement(match: Match, kind: str, rng: random.Random) -> bytes:
    """A statement that may fit: about real proposals of this table, by whoever it may concern."""
    view = match.ballots.view if rng.random() < 0.8 else tuple(sorted(rng.sample(range(10), 3)))
    some = rng.sample(view, rng.randint(1, max(1, len(view) - 1)))
    cuts = tuple(cut_of(match, writer) if writer < len(match.feeds) else Cut(writer, 0, bytes(32)) for writer in some)
    proposal = Proposal(view, rng.choice((0, 0, 1, 63)), Mode.DROP, tuple(sorted(cuts)))
    if rng.random() < 0.3:
        base = Base(rng.randrange(match.slot.number + 1), rng.choice((match.slot.digest, rng.randbytes(32))))
        proposal = replace(proposal, mode=Mode.VOID, cuts=tuple(Cut(w, 0, bytes(32)) for w in sorted(some)), base=base)
    name = rng.choice([proposal.name(match.table), *match.ballots.proposals, rng.randbytes(32)])
    if kind == "vote":
        return proposal.encode()
    if kind == "refuse":
        return Refusal(name, rng.choice((Reason.STANDING, Reason.IN_FORCE)), other=rng.randbytes(32)).encode()
    return encode_name(name)


def cut_of(match: Match, writer: int) -> Cut:
    """How far this writer's feed is here."""
    last = next((e for e in reversed(match.feeds[writer].entries) if e.header.kind not in CONTROL_KINDS), None)
    return Cut.at(writer, None if last is None else last.signed)


def drop(scene: Scene, tapes: dict[int, Tape], cheat: int, honest: list[int], rng: random.Random) -> None:
    """The others drop the cheat, or have begun to: votes and readies, in this order on each tape."""
    match = scene.match
    if cheat not in match.ballots.view or any(e.header.kind == "heard" for e in tapes_of(tapes, honest)):
        # Who has heard a call beyond the cut holds more than the cut, and does not vote for it.
        return
    electors = [writer for writer in honest if writer in match.ballots.view and not match.feeds[writer].closed]
    electors = [writer for writer in electors if writer not in match.parted()]
    view = match.ballots.view
    if len(electors) != len(view) - 1 or not admissible(len(view), len(electors)):
        return
    proposal = Proposal(view, 0, Mode.DROP, (cut_of(match, cheat),))
    ready = rng.random() < 0.6
    for writer in electors:
        tapes[writer].sign(match, "vote", proposal.encode())
    for writer in electors:
        if ready or rng.random() < 0.3:
            tapes[writer].sign(match, "ready", encode_name(proposal.name(match.table)))


def tapes_of(tapes: dict[int, Tape], writers: list[int]) -> Iterator[Entry]:
    """All that these say in this sequence."""
    return (entry for writer in writers for entry in tapes[writer].entries)


@dataclass(frozen=True)
class Outcome:
    """How the machine stands after it: what must not depend on the order."""

    slot: int
    digest: bytes
    out: tuple[tuple[int, str, str | None], ...]
    blame: tuple[int, str] | None
    faults: frozenset[int]
    view: tuple[int, ...]


def play(scene: Scene, made: Made, rng: random.Random) -> Outcome:
    """Offer it all, each feed in its order, doubled and too early now and then; what comes of it."""
    match, cheat = scene.match, made.cheat
    left = {writer: list(tape.entries) for writer, tape in made.tapes.items()}
    while any(left.values()):
        writer = rng.choice([writer for writer, entries in left.items() if entries])
        if rng.random() < 0.1:
            offer(match, cheat, rng.choice(made.tapes[writer].entries))
        offer(match, cheat, left[writer].pop(0))
        if rng.random() < 0.5:
            advance(match, cheat, only=rng.choice((1, None)))
    # What came too early comes again.
    for tape in made.tapes.values():
        for entry in tape.entries:
            offer(match, cheat, entry)
    advance(match, cheat, only=None)
    check(match, cheat)
    return Outcome(
        match.slot.number,
        match.slot.digest,
        tuple(sorted((gone.writer, gone.reason, gone.check) for gone in match.leaving.out.values())),
        None if match.blame is None else (match.blame.writer, match.blame.check),
        # Once it is over nothing more is taken.
        frozenset(() if match.over else match.ballots.faults),
        match.ballots.view,
    )


def offer(match: Match, cheat: int, entry: Entry) -> None:
    if match.over:
        return
    try:
        match.offer(entry)
    except WireError:
        assert entry.header.writer == cheat
    except Contradiction as found:
        assert entry.header.writer == cheat, "an honest feed contradicts itself"
        match.charge(cheat, found)


def advance(match: Match, cheat: int, only: int | None) -> None:
    match.advance(only=only)
    for _ in range(4):
        disputed = match.disputed()
        if not disputed:
            break
        # Of the honest only who has heard a call may speak of another history: that of who called.
        heard = {w for w in disputed if (e := match.feeds[w].waiting()) is not None and e.header.kind == "heard"}
        assert set(disputed) - heard <= {cheat}, "an honest player speaks of another history"
        # What a peer does when the writer's own list shows that it holds what we hold.
        for writer in disputed:
            match.confirm(writer)
        match.advance(only=only)


def check(match: Match, cheat: int) -> None:
    """Nobody but the cheat is to blame for anything, and the machine fits together."""
    assert match.blame is None or match.blame.writer == cheat, match.blame
    for gone in match.leaving.out.values():
        assert gone.writer == cheat, gone
    assert set(match.ballots.faults) <= {cheat}
    assert set(match.ballots.dropped) <= {cheat}
    assert set(match.waiting_for()) <= set(match.slot.owed) <= set(match.view) | set(match.leaving.out)
    for feed in match.feeds:
        assert 0 <= feed.position <= len(feed.entries) == feed.head[0]
    for name, proposal in match.ballots.proposals.items():
        for elector in proposal.electors:
            said = match.ballots.about(elector, name)
            assert not (Said.READY in said and Said.VOTE not in said)
