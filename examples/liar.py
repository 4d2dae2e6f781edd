"""A peer that keeps to the protocol but for one entry, re-signed as its own program would sign it; and its trial.

A *trick* sees every entry that its player is about to write and answers with a `Lie` when the moment has come. `caught`
then plays the table to its end and checks that every honest peer, and every honest peer's transcript, names the cheat.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from unittest import mock
from weakref import WeakKeyDictionary

from nodealer.crypto.identity import Identity
from nodealer.p2p import sitting as sitting_module
from nodealer.p2p import verify as verify_module
from nodealer.p2p.entry import Entry, Header, body_hash
from nodealer.p2p.events import Outcome, PlayerOut, Shunned
from nodealer.p2p.feed import ForkFound
from nodealer.p2p.forming import Formed
from nodealer.p2p.leaving import sentence
from nodealer.p2p.match import Match
from nodealer.p2p.options import TableOptions
from nodealer.p2p.peer import Peer
from nodealer.p2p.player import Player
from nodealer.p2p.sitting import Sitting
from nodealer.p2p.transcript import MAGIC, frame
from nodealer.p2p.verify import Report, Status, verify

from .table import FAST, Chooser, Seated, Table, eager

CHEAT = 1


@dataclass(frozen=True)
class Lie:
    """What is written instead: another kind, another body, other header fields; None keeps the honest one."""

    kind: str | None = None
    body: bytes | None = None
    header: Mapping[str, Any] = field(default_factory=dict)


Trick = Callable[["LyingPlayer", str, bytes], Lie | None]


class LyingPlayer(Player):
    """A player that lies once. ``mute`` names the kinds of entries that it keeps back."""

    trick: Trick | None = None
    mute: frozenset[str] = frozenset()
    told: Entry | None = None

    def automatic(self) -> tuple[str, bytes] | None:
        if self.match.slot.kind.value in self.mute:
            # What is never sent need not be proven either.
            return None
        due = super().automatic()
        return None if due is None or due[0] in self.mute else due

    def write(self, kind: str, body: bytes) -> Entry:
        lie = None if self.told is not None or self.trick is None else self.trick(self, kind, body)
        if lie is None:
            return super().write(kind, body)
        entry = forge(self, lie.kind or kind, body if lie.body is None else lie.body, **lie.header)
        self.match.remember(entry)
        with suppress(ForkFound):
            self.match.offer(entry)
        self.told = entry
        return entry


def forge(player: Player, kind: str, body: bytes, **changes: Any) -> Entry:
    """The next entry of this player's feed, properly signed, with these header fields changed."""
    match = player.match
    number, previous = match.feeds[player.writer].head
    slot = match.slot
    header = Header(match.table, player.writer, number, previous, slot.number, slot.digest, kind, body_hash(body))
    return Entry.make(player.identity, replace(header, **changes), body)


class LyingPeer(Peer):
    """A peer whose player lies; for lies before the first slot set ``trick`` or ``mute`` before the table forms."""

    trick: Trick | None = None
    mute: frozenset[str] = frozenset()

    def _begin(self, formed: Formed, now: float) -> None:
        def player(*args: Any) -> LyingPlayer:
            made = LyingPlayer(*args)
            made.trick, made.mute = self.trick, self.mute
            return made

        with mock.patch.object(sitting_module, "Player", player):
            super()._begin(formed, now)


class CheatTable(Table):
    """A table at which one peer (``cheat``, by its index) may lie."""

    def __init__(
        self,
        trick: Trick | None = None,
        *,
        players: int = 4,
        options: TableOptions = FAST,
        seed: object = 0,
        choose: Chooser = eager,
        cheat: int = CHEAT,
        mute: frozenset[str] = frozenset(),
        escrow: bool = False,
    ) -> None:
        # Who is blamed for anything else does not depend on escrow, and a deck without it is made faster.
        options = replace(options, seats=players, escrow=escrow)
        self.cheat = cheat

        def make(index: int, identity: Identity, name: str, stream: Callable[[int], bytes]) -> Peer:
            kind = LyingPeer if index == cheat else Peer
            peer = kind.host(identity, name, options, stream) if index == 0 else kind.join(identity, name, stream)
            if isinstance(peer, LyingPeer):
                peer.trick, peer.mute = trick, mute
            return peer

        super().__init__(players, options, seed=seed, choose=choose, make=make)
        share_memory([seated.peer for seated in self.honest])

    @property
    def honest(self) -> list[Seated]:
        return [seated for index, seated in enumerate(self.seats) if index != self.cheat]

    @property
    def liar(self) -> LyingPlayer:
        player = sitting_of(self.seats[self.cheat]).player
        assert isinstance(player, LyingPlayer)
        return player

    def write_now(self, kind: str, body: bytes) -> None:
        """The cheat writes an entry that nobody has asked for."""
        sitting_of(self.seats[self.cheat])._write(kind, body, self.now)
        self._drain(self.cheat)

    def say_now(self, *message: object, to: int | None = None) -> None:
        """The cheat sends a message on its lines (or on the line to one peer)."""
        peer = self.seats[self.cheat].peer
        keys = None if to is None else self.seats[to].peer.key
        for link in list(peer._mesh.links.values()):
            if keys is None or link.key == keys:
                peer._mesh.send(link.line, *message)
        self._drain(self.cheat)

    def until(self, moment: Callable[[Match], bool], seconds: float = 600.0) -> None:
        """Play until the cheat's public machine is at this moment."""
        match = sitting_of(self.seats[self.cheat]).match
        self.run(seconds, until=lambda: moment(match))
        assert moment(match), "the moment has not come"


def sitting_of(seated: Seated) -> Sitting:
    sitting = seated.peer._sitting
    assert sitting is not None
    return sitting


def share_memory(peers: list[Peer]) -> None:
    """Let these peers, and the verifier of their transcripts, remember together what one of them has verified.

    It saves most of the time. What does not hold is never remembered, so each of them still refuses it by itself; that
    each verifies everything alone is tested by whole matches (`test_play.py`). A cheat's own memory stays apart.
    """
    memory: set[bytes] = set()
    for peer in peers:
        _memories[peer] = memory
        peer._begin = partial(_begin_remembering, peer, peer._begin, memory)  # type: ignore[method-assign]


_memories: WeakKeyDictionary[Peer, set[bytes]] = WeakKeyDictionary()


def _begin_remembering(
    peer: Peer, begin: Callable[[Formed, float], None], memory: set[bytes], formed: Formed, now: float
) -> None:
    with mock.patch.object(sitting_module, "Match", partial(Match, remembered=memory)):
        begin(formed, now)


def report_of(seated: Seated) -> Report:
    """What the verifier says of the transcript that this peer has written."""
    file = io.BytesIO(MAGIC + b"".join(frame(record) for record in seated.records))
    with mock.patch.object(verify_module, "Match", partial(Match, remembered=_memories.get(seated.peer))):
        return verify(file)


def play_out(table: CheatTable, seconds: float = 300.0) -> None:
    if not table.seats[0].peer.match:
        table.form()
    table.run(seconds)


def caught(table: CheatTable, check: str, *, transcript: str | None = "") -> None:
    """Play until it is found; every honest peer names the cheat and this check, and its transcript does (None: cannot).

    The match is over for all where nobody can go on; else the cheat is out, and the table goes on without it.
    """
    if not table.seats[0].peer.match:
        table.form()
    table.run(300.0, until=lambda: all(verdict_of(seated) is not None for seated in table.honest))
    cheat = table.seats[table.cheat].peer
    for seated in table.honest:
        found, match = verdict_of(seated), seated.peer.match
        assert found is not None, seated.ended
        assert match is not None
        writer = match.roster.writer_of(cheat.key)
        assert found.check == check, found
        assert found.seat == (None if match.state is None else match.seat_of(writer)), found
        assert cheat.own.name in found.sentence
        if transcript is not None:
            report = report_of(seated)
            named = [(gone.name, gone.check) for gone in report.out if gone.reason == "cheat"]
            if report.status is Status.INVALID:
                named = [(report.writer, report.check)]
            assert named == [(cheat.own.name, transcript or check)], report


@dataclass(frozen=True)
class Verdict:
    """What a peer has said of a cheat."""

    seat: int | None
    check: str | None
    sentence: str


def verdict_of(seated: Seated) -> Verdict | None:
    """The first cheat that this peer has named."""
    for event in seated.told:
        if isinstance(event, PlayerOut) and event.reason == "cheat":
            return Verdict(event.seat, event.check, sentence(event))
        if isinstance(event, Shunned):
            return Verdict(event.seat, "line", event.text)
    ended = seated.ended
    if ended is not None and ended.outcome is Outcome.CHEAT:
        return Verdict(ended.blamed, ended.check, ended.sentence)
    return None


def when(kind: str, lie: Callable[[LyingPlayer, bytes], Lie | None]) -> Trick:
    """A trick for the first entry of this kind for which ``lie`` gives one."""
    return lambda player, written, body: lie(player, body) if written == kind else None


def instead(of: str, /, **lie: Any) -> Trick:
    """A trick that always tells the same lie with the first entry of this kind."""
    return when(of, lambda player, body: Lie(**lie))
