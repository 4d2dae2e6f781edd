"""Every run of a small table's votes: a search that drives real `Ballots` and `Elector` objects.

A world holds one `Ballots` and one `Elector` for each honest peer, and a short row of slots, each owed by some writers.
At any moment any peer may do anything that its elector's rules let it do: vote for what it holds (every limit may have
passed at any time), refuse, withdraw, say ready, take into effect what is in force, write the entry it owes, or leave,
or write an invalid entry; an entry may reach a peer at any time or never; a slot closes when all it waits for is there
or gone. What a peer has said, all others may have heard at once: each rule asks only whether others *have* said
something, never that they have not, so a peer that acts later stands for one whom the words reach later
(`test_hearing_more_never_forbids` holds the rules to that, and ``late=True`` has every delivery as a step of its own).

A liar is worse than anything that it can sign: of every proposal, everybody may have from it a vote, ready and a
withdrawal at once. A peer that crashes is one that does nothing any more, so it is in the search without being named.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Any

from nodealer.p2p.ballots import Ballots, Said
from nodealer.p2p.elector import Elector, Sight
from nodealer.p2p.entry import NO_HASH, Entry, Header, SignedHeader, entry_hash
from nodealer.p2p.proposal import Base, Cut, Mode, Proposal, admissible, encode_name

TABLE = bytes(range(32))
ALL_SAID = Said.VOTE | Said.READY | Said.WITHDRAW
BASE = Base(7, bytes([7]) * 32)


@cache
def unsigned(writer: int, number: int, kind: str, body: bytes = b"") -> Entry:
    """An entry whose signature nobody looks at here."""
    header = Header(TABLE, writer, number, NO_HASH, 0, NO_HASH, kind, entry_hash(body))
    raw = header.encode()
    return Entry(SignedHeader(header, raw, bytes(64)), body, entry_hash(raw))


@cache
def slot_entry(writer: int, number: int, kind: str) -> SignedHeader:
    return unsigned(writer, number, kind).signed


@dataclass(frozen=True)
class Setting:
    """A small table: who may be proposed, which slots there are, who lies, may leave, may write an invalid entry."""

    seats: int
    drops: tuple[frozenset[int], ...]
    slots: tuple[frozenset[int], ...]
    voids: tuple[frozenset[int], ...] = ()
    liar: int | None = None
    leaver: int | None = None
    invalid: int | None = None
    late: bool = False
    # Who may write its slot entries; the others stay silent in that.
    writers: frozenset[int] | None = None
    elector: type[Elector] = Elector
    ballots: type[Ballots] = Ballots

    @property
    def honest(self) -> tuple[int, ...]:
        return tuple(seat for seat in range(self.seats) if seat != self.liar)

    @property
    def views(self) -> tuple[tuple[int, ...], ...]:
        """The views in which there are votes: the first, and the ones without who may go by an entry of its own."""
        everybody = tuple(range(self.seats))
        goes = [writer for writer in (self.leaver, self.invalid) if writer is not None]
        return (everybody, *(tuple(w for w in everybody if w != gone) for gone in goes))

    def may_write(self, writer: int) -> bool:
        return self.writers is None or writer in self.writers


@dataclass
class Peer:
    """One honest peer: its tapes of slot entries (how many of each writer), where it is, what it has made of them."""

    elector: Elector
    held: tuple[int, ...]
    slot: int = 0
    # Of each closed slot, what was taken: writer -> kind.
    history: tuple[tuple[tuple[int, str], ...], ...] = ()
    gone: frozenset[int] = frozenset()
    heard: tuple[int, ...] = ()

    @property
    def ballots(self) -> Ballots:
        return self.elector.ballots

    def clone(self, setting: Setting) -> Peer:
        elector = setting.elector(self.elector.me, self.ballots.clone(), lambda _: 0.0)
        return Peer(elector, self.held, self.slot, self.history, self.gone, self.heard)


@dataclass
class World:
    """One state of the table. ``tapes``: each writer's slot entries by kind; ``words``: what each honest peer said."""

    setting: Setting
    peers: dict[int, Peer]
    tapes: tuple[tuple[str, ...], ...]
    words: dict[int, tuple[tuple[str, bytes], ...]] = field(default_factory=dict)

    @classmethod
    def begin(cls, setting: Setting) -> World:
        peers = {}
        for me in setting.honest:
            elector = setting.elector(me, setting.ballots(TABLE, range(setting.seats)), lambda _: 0.0)
            peers[me] = Peer(elector, (0,) * setting.seats, heard=(0,) * setting.seats)
        world = cls(setting, peers, ((),) * setting.seats, dict.fromkeys(setting.honest, ()))
        if setting.liar is not None:
            for proposal in world._possible():
                for peer in peers.values():
                    name = proposal.name(TABLE)
                    peer.ballots.proposals[name] = proposal
                    peer.ballots.said[setting.liar, name] = ALL_SAID
        return world

    def _possible(self) -> Iterator[Proposal]:
        """Every proposal of the first view, and of the view without the leaver, that the liar is an elector of."""
        setting = self.setting
        for view in setting.views:
            for leavers in setting.drops:
                counts = [
                    range(1 + sum(w in owed for owed in setting.slots) * setting.may_write(w)) for w in sorted(leavers)
                ]
                for chosen in product(*counts):
                    cuts = [_cut(w, count) for w, count in zip(sorted(leavers), chosen, strict=True)]
                    yield from self._if_fit(Proposal(view, 0, Mode.DROP, tuple(cuts)))
            for leavers in setting.voids:
                yield from self._if_fit(void(view, leavers))

    def _if_fit(self, proposal: Proposal) -> Iterator[Proposal]:
        fits = proposal.leavers <= set(proposal.view) and admissible(len(proposal.view), len(proposal.electors))
        if fits and self.setting.liar in proposal.electors:
            yield proposal

    # -- states --------------------------------------------------------------------------------------------------------

    def key(self) -> Any:
        """Equal for worlds from which the same can happen."""
        peers = tuple(
            (p.held, p.slot, p.history, p.gone, p.heard, tuple(q.name(TABLE) for q in p.ballots.settled))
            for p in self.peers.values()
        )
        if self.setting.late:
            return self.tapes, peers, tuple(self.words.values())
        return self.tapes, peers, tuple(frozenset(words) for words in self.words.values())

    def key_after(self, key: Any, step: tuple[Any, ...]) -> Any:
        """The key of the world after a step that is cheap to foretell; None where it is not."""
        match step:
            case "say", me, kind, body if not self.setting.late:
                place = list(self.words).index(me)
                return key[0], key[1], _set(key[2], place, key[2][place] | {(kind, body)})
            case _:
                return None

    def clone(self) -> World:
        return World(
            self.setting, {me: p.clone(self.setting) for me, p in self.peers.items()}, self.tapes, dict(self.words)
        )

    # -- steps ---------------------------------------------------------------------------------------------------------

    def steps(self) -> Iterator[tuple[Any, ...]]:
        """Everything that can happen next, as (what, who, …)."""
        setting = self.setting
        for me, peer in self.peers.items():
            if me in peer.gone:
                continue
            left = "leave" in self.tapes[me]
            if not left:
                yield from self._sayings(me, peer)
                yield from self._writings(me, peer)
                if peer.ballots.in_force(me) is not None:
                    yield "settle", me
            if self._can_close(peer):
                yield "close", me
            for writer in range(setting.seats):
                number = peer.held[writer]
                if number < len(self.tapes[writer]) and not peer.elector.keeps_aside(writer, number):
                    yield "hold", me, writer
                if setting.late and writer != me and peer.heard[writer] < len(self.words.get(writer, ())):
                    yield "hear", me, writer
        liar = setting.liar
        if (
            liar is not None
            and not self.tapes[liar]
            and setting.may_write(liar)
            and liar in frozenset().union(*setting.slots)
        ):
            yield "write", liar, "normal"

    def sight(self, me: int) -> Sight:
        peer = self.peers[me]
        last = {
            writer: slot_entry(writer, count - 1, self.tapes[writer][count - 1]) if count else None
            for writer, count in enumerate(peer.held)
        }
        everybody = frozenset(range(self.setting.seats)) - {me}
        forkers = frozenset().union(*self.setting.voids) if self.setting.voids else frozenset()
        return Sight(last, self._waits_for(peer), everybody, forkers, ((BASE, everybody | {me}),))

    def _waits_for(self, peer: Peer) -> frozenset[int]:
        if peer.slot >= len(self.setting.slots):
            return frozenset()
        return frozenset(
            writer
            for writer in self.setting.slots[peer.slot] - peer.gone
            if peer.held[writer] <= self._taken(peer, writer)
        )

    def _taken(self, peer: Peer, writer: int) -> int:
        return sum(1 for closed in peer.history for taken, _ in closed if taken == writer)

    def _can_close(self, peer: Peer) -> bool:
        if peer.slot >= len(self.setting.slots):
            return False
        dropped = peer.ballots.dropped
        return all(
            writer in dropped and self._taken(peer, writer) >= dropped[writer].count for writer in self._waits_for(peer)
        )

    def _sayings(self, me: int, peer: Peer) -> Iterator[tuple[Any, ...]]:
        ballots, elector, sight = peer.ballots, peer.elector, self.sight(me)
        asked: dict[Proposal, None] = {}
        for leavers in self.setting.drops:
            if ballots.view in self.setting.views and leavers <= set(ballots.view) - {me}:
                asked[drop(ballots.view, tuple(sight.cut(w) for w in sorted(leavers)))] = None
        for leavers in self.setting.voids:
            if ballots.view in self.setting.views and leavers <= set(ballots.view) - {me}:
                asked[void(ballots.view, leavers)] = None
        asked.update(dict.fromkeys(ballots.proposals.values()))
        for proposal in asked:
            if elector.may_vote(proposal, sight):
                yield "say", me, "vote", body_of(proposal)
        for name in ballots.proposals:
            if elector.may_withdraw(name):
                yield "say", me, "withdraw", encode_name(name)
            if elector.may_be_ready(name, sight):
                yield "say", me, "ready", encode_name(name)
            refusal = elector.refusal(name, sight)
            if refusal is not None:
                yield "say", me, "refuse", refusal.encode()

    def _writings(self, me: int, peer: Peer) -> Iterator[tuple[Any, ...]]:
        if self.setting.may_write(me) and me in self._waits_for(peer) and len(self.tapes[me]) == peer.held[me]:
            yield "write", me, "normal"
            if me == self.setting.invalid:
                yield "write", me, "invalid"
            if me == self.setting.leaver and not peer.elector.bound:
                yield "write", me, "leave"

    def after(self, step: tuple[Any, ...]) -> World:
        """The world in which this has happened."""
        world = self.clone()
        match step:
            case "say", me, kind, body:
                entry = unsigned(me, 100 + len(world.words[me]), kind, body)
                world.words[me] = (*world.words[me], (kind, body))
                for other, peer in world.peers.items():
                    if other == me or not self.setting.late:
                        peer.ballots.take(me, entry)
            case "hear", me, writer:
                peer = world.peers[me]
                count = peer.heard[writer]
                kind, body = world.words[writer][count]
                peer.ballots.take(writer, unsigned(writer, 100 + count, kind, body))
                peer.heard = _set(peer.heard, writer, count + 1)
            case "settle", me:
                world.peers[me].ballots.settle(me)
            case "write", me, kind:
                world.tapes = _set(world.tapes, me, (*world.tapes[me], kind))
                if me in world.peers:
                    world._hold(world.peers[me], me)
            case "hold", me, writer:
                world._hold(world.peers[me], writer)
            case "close", me:
                world._close(world.peers[me])
        for peer in world.peers.values():
            assert not peer.ballots.faults, "an honest tape has a fault"
        return world

    def _hold(self, peer: Peer, writer: int) -> None:
        if self.tapes[writer][peer.held[writer]] == "leave":
            peer.ballots.end(writer)
        peer.held = _set(peer.held, writer, peer.held[writer] + 1)

    def _close(self, peer: Peer) -> None:
        taken = []
        gone = set(peer.gone)
        for writer in sorted(self.setting.slots[peer.slot] - peer.gone):
            count = self._taken(peer, writer)
            if peer.held[writer] <= count:
                gone.add(writer)
                continue
            kind = self.tapes[writer][count]
            taken.append((writer, kind))
            if kind != "normal":
                gone.add(writer)
        peer.history = (*peer.history, tuple(taken))
        peer.slot += 1
        if gone != peer.gone:
            if peer.elector.bound:
                standing = peer.ballots.standing(peer.elector.me)
                assert not (gone - peer.gone) - set(peer.ballots.dropped), f"a view shrank under {standing}"
            peer.gone = frozenset(gone)
            peer.ballots.new_view(set(peer.ballots.view) - gone)

    # -- what must never be --------------------------------------------------------------------------------------------

    def broken(self) -> str | None:
        """What must never be, if it is so here."""
        for p, peer in self.peers.items():
            for forced in peer.ballots.settled:
                for r, other in self.peers.items():
                    if r in forced.electors and forced.mode is Mode.DROP:
                        for cut in forced.cuts:
                            if other.held[cut.writer] > cut.count:
                                return f"{p} dropped {cut.writer} at {cut.count}, {r} goes on with {cut.writer}"
                    why = _conflict(p, forced, r, other)
                    if why:
                        return why
                # (A mutant without the ready step is to be found out by what follows from it.)
                if self.setting.ballots is Ballots and not peer.ballots.all_have_said(forced.name(TABLE), Said.READY):
                    return f"{p} may publish pieces although not all are ready"
        return self._histories_differ()

    def _histories_differ(self) -> str | None:
        for p, peer in self.peers.items():
            for r, other in self.peers.items():
                both = r in peer.ballots.view and p in other.ballots.view
                if p < r and both:
                    for mine, theirs in zip(peer.history, other.history, strict=False):
                        if mine != theirs:
                            return f"{p} and {r} play on together with different histories: {mine} and {theirs}"
        return None

    def hanging(self) -> int | None:
        """An honest peer whose vote stands for ever, although nothing has dropped it."""
        for me, peer in self.peers.items():
            dropped = any(me in p.leavers for other in self.peers.values() for p in other.ballots.settled)
            if peer.elector.bound and not dropped:
                return me
        return None


def _conflict(p: int, mine: Proposal, r: int, other: Peer) -> str | None:
    """Two proposals in force that no table may see both: neither peer is one whom the larger proposal drops."""
    for theirs in other.ballots.settled:
        if theirs == mine or theirs.view != mine.view:
            continue
        if not (mine.below(theirs) and p in theirs.leavers) and not (theirs.below(mine) and r in mine.leavers):
            return f"{sorted(mine.leavers)} dropped at {p}, {sorted(theirs.leavers)} at {r}"
    return None


@cache
def drop(view: tuple[int, ...], cuts: tuple[Cut, ...]) -> Proposal:
    return Proposal(view, 0, Mode.DROP, cuts)


@cache
def body_of(proposal: Proposal) -> bytes:
    return proposal.encode()


@cache
def void(view: tuple[int, ...], leavers: frozenset[int]) -> Proposal:
    return Proposal(view, 0, Mode.VOID, tuple(Cut.at(w, None) for w in sorted(leavers)), BASE)


def _cut(writer: int, count: int) -> Cut:
    return Cut.at(writer, slot_entry(writer, count - 1, "normal") if count else None)


def _set(row: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    return (*row[:index], value, *row[index + 1 :])


@dataclass
class Found:
    """What the search has seen: how many states, the first break, or run that hangs, with its steps, how many hang."""

    states: int
    why: str | None
    steps: list[tuple[Any, ...]]
    hanging: int
    forced: int


def search(setting: Setting, limit: int = 3_000_000, visit: Callable[[World], None] | None = None) -> Found:
    """Breadth first through every state; stops at the first break. ``visit`` is shown every world."""
    first = World.begin(setting)
    came_from: dict[Any, tuple[Any, Any]] = {first.key(): (None, None)}
    queue = deque([(first, first.key())])
    hanging = forced = 0
    example: list[tuple[Any, ...]] = []
    while queue:
        world, key = queue.popleft()
        if visit is not None:
            visit(world)
        ended = True
        for step in world.steps():
            ended = False
            if world.key_after(key, step) in came_from:
                continue
            following = world.after(step)
            new = following.key()
            if new in came_from:
                continue
            came_from[new] = (key, step)
            forced += step[0] == "settle"
            why = following.broken()
            if why:
                return Found(len(came_from), why, _path(came_from, new), hanging, forced)
            queue.append((following, new))
            if len(came_from) > limit:
                raise RuntimeError("more states than expected")
        if ended and world.hanging() is not None:
            hanging += 1
            example = example or _path(came_from, key)
    return Found(len(came_from), None, example, hanging, forced)


def _path(came_from: dict[Any, tuple[Any, Any]], key: Any) -> list[tuple[Any, ...]]:
    steps = []
    while came_from[key][0] is not None:
        key, step = came_from[key]
        steps.append(step)
    return steps[::-1]
