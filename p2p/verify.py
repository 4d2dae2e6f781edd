"""Checks a transcript with no secret: the same state machine as at the table, fed from a file.

Nothing is taken on trust: signatures, chains, the coin, every shuffle, lock, key and opening, every move by the rules,
the scores. What a peer at the table knows beyond it (who was silent, who sent garbage on a line) is in no transcript.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import BinaryIO

from nodealer import engine

from .chat import chat_said
from .entry import MAX_NUMBER, Entry
from .errors import WireError
from .events import CardsOpened, GameEvent, PeerEvent, PlayerInfo, PlayerOut, SlotOpened, StepVerified
from .feed import Added, Contradiction, ForkProof
from .forks import EQUIVOCATED, OTHER_HISTORY
from .leaving import Departure
from .leaving import sentence as out_sentence
from .match import Blame, Match, UnsoundDeck
from .offer import Roster
from .options import TableOptions
from .transcript import Damaged, NoTranscript, TranscriptReader, TwoRosters, parse_record

# Whoever was dropped can fill a file with what counts for nothing.
MAX_LISTED = 1000


class Status(Enum):
    """What a transcript is found to be; the value is the exit code of ``nodealer verify``."""

    COMPLETE = 0
    INVALID = 1
    UNREADABLE = 2
    UNFINISHED = 3


@dataclass(slots=True)
class Report:
    """The result: what was established, or which message failed which check and who wrote it."""

    status: Status = Status.UNFINISHED
    sentence: str = ""
    options: TableOptions | None = None
    players: tuple[PlayerInfo, ...] = ()
    scores: tuple[int, ...] = ()
    winner: int | None = None
    rounds: int = 0
    digest: bytes = b""
    slot: int = 0
    entries: int = 0
    # How many of each were verified: "shuffle", "lock", "verdict", "kept", "choice" (proofs), "keys",
    # "cards shown" (each opened to the deck), "plays", "reshuffles".
    counts: dict[str, int] = field(default_factory=dict)
    # Who went before the end, in that order.
    out: list[PlayerOut] = field(default_factory=list)
    # Entries beyond the cut of one who was dropped: how many records, and of the first MAX_LISTED of them the writer's
    # name and the number.
    beyond: int = 0
    ignored: list[tuple[str, int]] = field(default_factory=list)
    # The failure: its record in the file, its place in its writer's feed, the writer's name, the check.
    record: int | None = None
    number: int | None = None
    writer: str | None = None
    check: str | None = None


class _LeftBehind(Exception):
    """The file holds entries of somebody that those who dropped it did not have: it is not what they played."""


class _Invalid(Exception):
    def __init__(
        self,
        sentence: str,
        check: str,
        *,
        entry: Entry | None = None,
        blame: Blame | None = None,
        record: int | None = None,
    ) -> None:
        super().__init__(sentence)
        self.check = check
        self.entry = entry
        self.blame = blame
        # Where it stands, if that is not the record that is being read.
        self.record = record


def verify(
    file: BinaryIO | TranscriptReader,
    on_event: Callable[[PeerEvent], None] | None = None,
    on_step: Callable[[Match], None] | None = None,
) -> Report:
    """Check a transcript from a binary stream, or from a reader of one that has read nothing but its first line.

    ``on_event`` is told what the table was told, for progress; ``on_step`` sees the public machine after each slot that
    was closed, when the slot's events have been told.
    """
    return _Verifier(on_event, on_step).run(file)


def _fork_blame(proof: ForkProof) -> Blame:
    return Blame(proof.writer, proof.second.header.number, "equivocation", EQUIVOCATED, proof)


def _explains(match: Match, payload: bytes) -> bool:
    """Whether this record is a proof of equivocation or an elector's *ready*, by which somebody may go."""
    if not payload.startswith(b"\x92\xa4fork") and b"\xa5ready" not in payload:
        return False
    try:
        record = parse_record(payload)
        if isinstance(record, ForkProof) and record.writer < len(match.feeds):
            record.check(match.table, match.feeds[record.writer].key)
            return True
    except WireError:
        return False
    return isinstance(record, Entry) and record.header.kind == "ready"


def _judge(match: Match) -> None:
    """Nothing will explain any more why these speak of another history, but that they went on without somebody."""
    for writer in match.disputed():
        if not match.went_on_without(writer):
            match.confirm(writer)


class _Verifier:
    def __init__(
        self, on_event: Callable[[PeerEvent], None] | None, on_step: Callable[[Match], None] | None = None
    ) -> None:
        self._on_event = on_event
        self._on_step = on_step
        self._report = Report()
        self._match: Match | None = None
        self._reader: TranscriptReader | None = None
        self._record = 0
        # Up to which record there is something that may explain an entry that speaks of another history (None: not
        # looked for), and the records that brought each proof of a fork.
        self._explained_until: int | None = None
        self._proven_at: dict[int, int] = {}
        # Cheats so far; and the last of them, until somebody plays on, with the record that closed its slot.
        self._cheats = 0
        self._unseen: Departure | None = None
        self._unseen_at = 0

    def run(self, file: BinaryIO | TranscriptReader) -> Report:
        report = self._report
        payloads: Iterator[bytes] = iter(())
        try:
            reader = file if isinstance(file, TranscriptReader) else TranscriptReader(file)
            self._reader = reader
            payloads = reader.payloads()
            for payload in payloads:
                self._take(payload)
                self._record += 1
            self._come_to_the_end()
        except NoTranscript as error:
            report.status, report.sentence = Status.UNREADABLE, str(error)
        except Damaged as error:
            self._fail(_Invalid(f"{str(error).capitalize()}.", "record"))
        except _LeftBehind:
            proven = self._forked(payloads)
            if proven is None:
                self._conclude(torn=False)
            else:
                self._fail(proven)
        except _Invalid as error:
            proven = None if error.blame is None else self._forked(payloads)
            self._fail(proven or error)
        else:
            self._conclude(reader.torn)
        self._note_state()
        return report

    def _forked(self, rest: Iterator[bytes]) -> _Invalid | None:
        """A proof of equivocation in a later record: who named a false digest may have seen the other face of the fork.

        At the table such an entry waits for the exchange that shows the fork (T5.3). What is no proof is passed over,
        whatever it is: nothing that stands beside a proof may take it from the innocent.
        """
        match, record = self._match, self._record
        if match is None:
            return None
        with suppress(Damaged):
            for payload in rest:
                record += 1
                with suppress(WireError):
                    proof = parse_record(payload)
                    if isinstance(proof, ForkProof):
                        match.check_proof(proof)
                        self._record = record
                        return self._cheated(match, _fork_blame(proof))
        return None

    def _come_to_the_end(self) -> None:
        """Nothing more will explain what seemed to speak of another history."""
        match = self._match
        if match is None:
            return
        self._explained_until = 0
        if not match.over:
            self._go_on(match)
        forks = match.forks
        open_ = forks.forkers if match.state is not None else frozenset(forks.proofs)
        if forks.last is not None and not forks.last.voted:
            # A proof alone has put them out, and the one who is left has not ended the match.
            open_ |= forks.proofs.keys() & forks.last.out
        if not match.over and open_:
            # The round was not dealt anew, as far as this file goes.
            writer = next(w for w in forks.proofs if w in open_)
            self._record = self._proven_at[writer]
            raise self._cheated(match, _fork_blame(match.forks.proofs[writer]))
        if self._unseen is not None:
            raise self._put_out(match, self._unseen)

    def _cheated(self, match: Match, blame: Blame | None = None, record: int | None = None) -> _Invalid:
        blame = blame or match.blame
        if blame is None:
            raise RuntimeError("nobody is blamed")
        name = match.players()[match.seat_of(blame.writer)].name
        sentence = f"{name} cheated: it {blame.detail} (check: {blame.check})."
        return _Invalid(sentence, blame.check, blame=blame, record=record)

    def _take(self, payload: bytes) -> None:
        try:
            record = parse_record(payload)
        except WireError as error:
            raise _Invalid(f"Record {self._record} is malformed: {error}.", "record") from None
        match = self._match
        if isinstance(record, Roster):
            if match is not None:
                raise _Invalid(f"Record {self._record} begins a second match.", "record")
            self._match = Match(record, judge_digests=False, keep_entries=False)
        elif match is None:
            raise _Invalid("The transcript does not begin with the list of players.", "record")
        else:
            self._take_from_match(match, record)

    def _take_from_match(self, match: Match, record: Entry | ForkProof | TwoRosters) -> None:
        if match.over and not isinstance(record, ForkProof):
            raise _Invalid(f"Record {self._record} stands after the end of the match.", "record")
        match record:
            case Entry():
                self._take_entry(match, record)
            case ForkProof():
                self._take_proof(match, record)
            case TwoRosters(table, signature):
                self._take_two_rosters(match, table, signature)
        self._go_on(match)

    def _go_on(self, match: Match) -> None:
        try:
            self._advance(match)
        except UnsoundDeck as error:
            raise _Invalid(f"The deck is unsound although every proof held: {error}.", "deck") from None
        if match.blame is not None:
            raise self._cheated(match)
        if match.left_behind is not None:
            raise _LeftBehind

    def _advance(self, match: Match) -> None:
        """Close every slot that can be closed, one after the other."""
        slot = b""
        while match.slot.digest != slot:
            slot, taken = match.slot.digest, match.taken
            if not match.waiting_for() and not self._may_be_explained(match):
                _judge(match)
            for event in match.advance(only=1):
                self._count(event)
            for writer in match.forks.proofs:
                self._proven_at.setdefault(writer, self._record)
            if match.slot.digest != slot and self._on_step is not None:
                self._on_step(match)
            self._compare(match, match.taken != taken)

    def _may_be_explained(self, match: Match) -> bool:
        """Whether an entry that speaks of another history is not to be judged yet (T5.3).

        At the table it waited for the exchange that settles it. If a proof of a fork lies ahead in the file, or words
        of a vote do, then its writer may have seen another branch, or have fallen silent before it could show.
        """
        if not match.disputed():
            return False
        if match.forks.behind:
            return False
        if match.forks.active:
            return True
        if self._explained_until is None:
            ahead = 0 if self._reader is None else self._reader.look_ahead(partial(_explains, match))
            self._explained_until = MAX_NUMBER if ahead is None else self._record + ahead
        return self._record < self._explained_until

    def _compare(self, match: Match, took: bool) -> None:
        """Whether those who play on after an invalid entry have seen it too.

        They name a digest over that entry. If it does not fit, the file holds another entry than the table saw, and
        it is that invalid one that does not hold. ``took``: a slot has just taken entries.
        """
        # A fork is proven by itself.
        out = match.leaving.out.values()
        cheats = [gone for gone in out if gone.reason == "cheat" and gone.writer not in match.forks.proofs]
        new, self._cheats = cheats[self._cheats :], len(cheats)
        if self._unseen is not None and any(gone.check in OTHER_HISTORY for gone in new):
            raise self._put_out(match, self._unseen)
        if took:
            self._unseen, self._unseen_at = new[-1] if new else None, self._record

    def _put_out(self, match: Match, cheat: Departure) -> _Invalid:
        blame = Blame(cheat.writer, cheat.number or 0, cheat.check or "", cheat.detail or "")
        return self._cheated(match, blame, self._unseen_at)

    def _take_entry(self, match: Match, entry: Entry) -> None:
        number = entry.header.number
        try:
            added = match.offer(entry)
        except WireError as error:
            raise _Invalid(f"Record {self._record} is {error}.", "signature", entry=entry) from None
        except Contradiction as found:
            match.charge(entry.header.writer, found)
            return
        if added is Added.FULL and match.disputed():
            # The table went on: it was judged there.
            _judge(match)
            self._advance(match)
            added = match.offer(entry)
        if added is Added.BEYOND:
            name = match.players()[match.seat_of(entry.header.writer)].name
            self._report.beyond += 1
            if len(self._report.ignored) < MAX_LISTED:
                self._report.ignored.append((name, number))
            return
        if added is Added.FULL and match.disputed():
            # What would show whether the others went on without somebody lies further on.
            raise _LeftBehind
        if added is not Added.NEW:
            what = {Added.KNOWN: "stands there twice", Added.GAP: "comes before an earlier entry of its feed"}
            why = what.get(added, "is more than a feed may be ahead")
            raise _Invalid(f"Record {self._record} (entry {number}) {why}.", "order", entry=entry)
        self._report.entries += 1
        if entry.header.kind == "chat" and self._on_event is not None:
            said = chat_said(match, entry)
            if said is not None:
                self._on_event(said)

    def _take_proof(self, match: Match, proof: ForkProof) -> None:
        try:
            new = match.convict(proof)
        except WireError as error:
            raise _Invalid(f"Record {self._record} proves nothing: {error}.", "evidence") from None
        if new and match.complete:
            # It came to light when all was over, and changes nothing any more.
            self._count(match.tell_out(match.forks.departure(match.seat_of(proof.writer))))

    def _take_two_rosters(self, match: Match, table: bytes, signature: bytes) -> None:
        try:
            match.convict_host(table, signature)
        except WireError as error:
            raise _Invalid(f"Record {self._record} proves nothing: {error}.", "evidence") from None

    def _count(self, event: PeerEvent) -> None:
        counts = self._report.counts
        match event:
            case StepVerified(what, _, cards):
                counts[what] = counts.get(what, 0) + (cards if what == "keys" else 1)
            case CardsOpened(_, cards):
                counts["cards shown"] = counts.get("cards shown", 0) + len(cards)
            case PlayerOut():
                self._report.out.append(event)
            case SlotOpened(slot):
                self._report.slot = slot
            case GameEvent(engine.CardPlayed()):
                counts["plays"] = counts.get("plays", 0) + 1
            case GameEvent(engine.Reshuffled()):
                counts["reshuffles"] = counts.get("reshuffles", 0) + 1
            case GameEvent(engine.RoundWon() | engine.RoundDrawn()):
                self._report.rounds += 1
            case _:
                pass
        if self._on_event is not None:
            self._on_event(event)

    def _fail(self, error: _Invalid) -> None:
        report = self._report
        report.status, report.sentence = Status.INVALID, str(error)
        report.check, report.record = error.check, self._record if error.record is None else error.record
        match = self._match
        if match is None:
            return
        if error.blame is not None:
            report.number = error.blame.number
            report.writer = match.players()[match.seat_of(error.blame.writer)].name
        elif error.entry is not None and error.entry.header.writer < len(match.feeds):
            # Whose feed the record belongs to; that the file is damaged there is not that writer's fault.
            report.number = error.entry.header.number

    def _conclude(self, torn: bool) -> None:
        report, match = self._report, self._match
        if match is None:
            report.sentence = "The transcript holds no match yet."
        elif match.complete and not torn:
            report.status = Status.COMPLETE
            report.sentence = "The match is valid and complete."
        elif torn:
            report.sentence = "Valid so far; the file ends in the middle of a record."
        elif (cut := match.left_behind) is not None:
            name = match.players()[match.seat_of(cut.writer)].name
            report.sentence = (
                f"Valid so far, up to slot {match.slot.number}; there the others went on without {name}, before entry "
                f"{cut.count} of it, which stands in this file: what they played then is not in it."
            )
        else:
            report.sentence = f"Valid so far, up to slot {match.slot.number}; the match is unfinished."
        if report.beyond:
            report.sentence += f" Entries of who was dropped that count for nothing: {report.beyond}."
        for gone in report.out:
            report.sentence += f" {out_sentence(gone)}"

    def _note_state(self) -> None:
        report, match = self._report, self._match
        if match is None:
            return
        report.options = match.roster.options
        report.players = match.players()
        report.digest = match.result_digest
        if match.state is not None:
            report.scores = match.state.scores
            report.winner = match.state.winner
