"""Vectors of whole matches: the transcripts with all bytes, every slot's digest, states in full, and forged matches."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

from nodealer import engine
from nodealer.p2p.entry import Entry
from nodealer.p2p.feed import ForkProof
from nodealer.p2p.match import Match
from nodealer.p2p.offer import Roster
from nodealer.p2p.slots import SlotKind
from nodealer.p2p.transcript import parse_record

from . import forgeries, fork_forgeries, vote_forgeries
from .plays import PLANS, Plan, Played, play, seed


def replay(played: Played) -> Iterator[Match]:
    """The public machine each time when a slot has opened."""
    roster, *records = (parse_record(record) for record in played.records)
    if not isinstance(roster, Roster):
        raise TypeError("a transcript begins with its roster")
    match = Match(roster)
    yield match
    shown = match.slot.digest
    for record in records:
        if isinstance(record, Entry):
            match.offer(record)
        elif isinstance(record, ForkProof):
            match.convict(record)
        # A void opens a slot without that one has closed.
        while not match.over and (match.advance(only=1) or match.slot.digest != shown):
            if match.slot.digest != shown and not match.over:
                shown = match.slot.digest
                yield match


def _slot(match: Match) -> str:
    """One line, so that the file stays small: what is open, who owes it, the digest, the digest of the state."""
    owed = " ".join(map(str, match.slot.owed))
    return f"{match.slot.kind.value}|{owed}|{match.slot.digest.hex()}|{match.state_digest.hex()}"


@cache
def _walked(plan: Plan) -> tuple[list[str], Match]:
    slots = []
    for match in replay(play(plan)):
        slots.append(_slot(match))
    return slots, match


def _described(plan: Plan) -> dict[str, Any]:
    played = play(plan)
    slots, match = _walked(plan)
    state = match.playing()
    writers = {signed.offer.key: signed.offer.name for signed in match.roster.offers}
    return {
        "file": plan.file,
        "sha256": hashlib.sha256(played.data).hexdigest(),
        "status": "complete" if match.complete else "unfinished",
        "players": [
            {"writer": writer, "seat": match.seat_of(writer), "name": name, "key": key.hex()}
            for writer, (key, name) in enumerate(writers.items())
        ],
        "secret": {
            "seeds": {writers[own.public]: seed(plan, index).hex() for index, own in enumerate(played.identities)}
        },
        "records": len(played.records),
        "scores": list(state.scores),
        "winner": state.winner,
        "final digest": match.result_digest.hex(),
        "last slot": match.slot.number - match.complete,
        "slots": slots,
    }


def matches() -> dict[str, Any]:
    return {
        "a slot": "kind|seats that owe it|digest d of the slot|digest of the state, empty before the coin",
        "matches": [_described(plan) for plan in PLANS],
    }


def states() -> dict[str, Any]:
    """One state for each kind of slot in each edition; the digests of all states stand in matches.json."""
    picked = []
    seen_in: dict[str, set[SlotKind]] = {}
    for plan in PLANS:
        seen = seen_in.setdefault(plan.options.edition, set())
        for index, match in enumerate(replay(play(plan))):
            kind = match.slot.kind
            state = match.state
            if state is None or kind in seen or match.complete:
                continue
            seen.add(kind)
            picked.append(
                {
                    "file": plan.file,
                    "slot": index,
                    "kind": kind.value,
                    "state": engine.encode(state).hex(),
                    "digest": engine.digest(state).hex(),
                }
            )
    return {"states": picked}


def invalid() -> dict[str, Any]:
    forged = (*forgeries.all_forged(), *vote_forgeries.votes(), *fork_forgeries.forks())
    harmless = (*vote_forgeries.harmless(), *fork_forgeries.unharmed())
    return {
        "invalid": [one.described() for one in forged],
        "not invalid": [one.described() for one in harmless],
    }


FILES: dict[str, Callable[[], dict[str, Any]]] = {
    "matches.json": matches,
    "states.json": states,
    "invalid.json": invalid,
}
TRANSCRIPTS: dict[str, Callable[[], bytes]] = {plan.file: partial(lambda plan: play(plan).data, plan) for plan in PLANS}
