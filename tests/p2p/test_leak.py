"""What everybody sees of a proof about a hand tells its verdict and nothing else of the hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from nodealer import engine
from nodealer.crypto.hand import AllProof
from nodealer.engine import Kind
from nodealer.p2p import claims
from nodealer.p2p.bodies import parse_show
from nodealer.p2p.entry import Entry

from examples.rigged import DM, LS, Deal, Rigged, asks

# What everybody sees: entries (slot, seat, kind, bytes of the body, bytes in all), and frames (from, to, bytes).
Seen = tuple[list[tuple[int, int, str, int, int]], list[tuple[int | None, int | None, int]]]


def public(edition: str, hands: list[str], plays: str, begins: str) -> Seen:
    """Seat 1 plays this, on a 5 of the first colour: the entries from the slot ``begins`` on, and all frames."""
    deal = Deal(edition, hands, top=f"{engine.EDITIONS[edition].colours[0]} 5")
    table = Rigged(deal, {0: ["wait"], 1: [plays], 2: ["challenge", "wait"] if edition == LS else ["wait"]})
    table.form()
    match = table.matches()[0]
    table.run(60, until=lambda: match.slot.kind.value == begins)
    slot = match.slot.number
    table.reach(asks(Kind.MOVE))
    entries = sorted(
        (entry.header.slot, match.seat_of(entry.header.writer), entry.header.kind, len(entry.body), len(entry.encode()))
        for feed in match.feeds
        for entry in feed.entries
        if entry.header.slot >= slot
    )
    seats = [seated.peer.seat for seated in table.seats]
    return entries, [(seats[sender], seats[to], len(frame)) for sender, to, frame in table.traffic]


def challenged(hand: str) -> Seen:
    return public(LS, ["", f"wild draw four, {hand}", ""], "wild draw four -> yellow", "verdict")


GUILTY = [
    "red 9, yellow 1 2 5, green 1 2",
    "yellow 1 2 5, green 1 2, wild",
    "red 1 2 3 4 6 7",
    "wild, wild, red 1 2 3 4",
]
INNOCENT = ["yellow 1 2 5, green 1 2 3", "blue 9 9 8 8 7 7", "yellow skip, green draw two, blue 1, yellow 5, green 5 6"]


@pytest.mark.parametrize("hands", [GUILTY, INNOCENT], ids=["guilty", "innocent"])
def test_a_verdict_is_the_same_for_every_hand(hands: list[str]) -> None:
    """Six cards and one set of candidates each time: same writers, kinds, lengths and frames, in the same order."""
    first, *others = [challenged(hand) for hand in hands]
    assert [kind for _, _, kind, *_ in first[0]][:2] == ["verdict", "seen"]
    for other in others:
        assert other == first


NO_ICON = ["orange 1 2 3 4 6 7 8", "purple 9 9 8 8, wild, wild, wild draw four"]
TWO_ICONS = ["orange skip, orange 1 2 3, blue reverse, wild, wild", "purple draw two, purple 1 2 3 4 5, yellow skip"]


@pytest.mark.parametrize("hands", [NO_ICON, TWO_ICONS], ids=["no icon card", "two icon cards"])
def test_a_show_is_the_same_for_every_hand_with_as_many_icon_cards(hands: list[str]) -> None:
    special = "wild mega minions power"
    one, other = (public(DM, ["", special, hand], f"{special} -> orange", "show") for hand in hands)
    assert [kind for _, _, kind, *_ in one[0]][:2] == ["show", "show"]
    assert one == other


def shows_of(table: Rigged, seat: int) -> list[Entry]:
    match = table.matches()[0]
    return [entry for entry in match.feed_of(seat).entries if entry.header.kind == "show"]


@pytest.mark.parametrize("randbytes", [None, bytes], ids=["random", "a generator that is broken"])
def test_mask_and_permutation_are_fresh_each_time(randbytes: Callable[[int], bytes] | None) -> None:
    """One hand proven free of icons twice: equal places would mean equal cards, an equal mask equal points.

    It holds even if the operating system's randomness fails: the place of the statement goes into both.
    """
    deal = Deal(DM, ["blue 1 2 3 4 6 7 8", "wild mega minions power", "wild mega minions power"], top="yellow 5")
    play = "wild mega minions power -> blue"
    table = Rigged(deal, {0: ["wait"], 1: ["wait"], 2: [play]})
    table.reach(asks(Kind.MOVE, 1))
    if randbytes is not None:
        table.player(0)._randbytes = randbytes
    table.act(1, play)
    table.reach(asks(Kind.MOVE, 0))
    allowed = claims.cards_without_icon(engine.EDITIONS[DM])
    one, two = (AllProof.decode(len(allowed), 7, parse_show(entry.body).proof) for entry in shows_of(table, 0))
    assert one.candidates.key != two.candidates.key
    assert not set(one.candidates.deck) & set(two.candidates.deck)
    assert one.indices != two.indices
    assert sum(a == b for a, b in zip(one.indices, two.indices, strict=True)) <= 2
    # Nor do the nonces repeat: their commitments and responses differ everywhere.
    assert one.candidates.proof.t_k != two.candidates.proof.t_k
    assert not set(one.candidates.proof.f) & set(two.candidates.proof.f)
    assert not set(one.keys.z) & set(two.keys.z)
