"""Seats that go, by a `leave` or by an entry that fails a check, at every kind of slot: the others play on (N2, N3).

The leaver writes its `leave` in the place of the first entry of one kind; its own program does nothing else unusual.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from nodealer import engine
from nodealer.p2p import bodies
from nodealer.p2p.events import DecisionNeeded, GameEvent, Outcome, PlayerOut, StepVerified
from nodealer.p2p.verify import Report, Status
from nodealer.p2p.wire import encode

from examples.liar import CheatTable, Lie, LyingPlayer, Trick, caught, instead, report_of, sitting_of, when
from examples.rigged import DM, LS, Deal, Rigged
from examples.table import FAST, Chooser, Table, eager, hoard


def parts(kind: str, *, after: int = 0) -> Trick:
    """Leave in the place of the entry of this kind, the first after so many."""
    left = [after]

    def lie(player: LyingPlayer, body: bytes) -> Lie | None:
        left[0] -= 1
        return Lie(*player.parting()) if left[0] < 0 else None

    return when(kind, lie)


def hoards_for(decisions: int) -> Chooser:
    """Draws whenever it may, for so many decisions of the table; then plays when it can, so that the match ends."""
    left = [decisions]

    def choose(decision: DecisionNeeded, rng: random.Random) -> engine.Action | None:
        left[0] -= 1
        return (hoard if left[0] > 0 else eager)(decision, rng)

    return choose


def goes_on(table: CheatTable, reason: str = "left") -> Report:
    """The others play to the end; every one of their transcripts is valid and tells who went. One of the reports."""
    table.play() if table.seats[0].peer.match is None else table.run()
    leaver = table.seats[table.cheat].peer
    digests = set()
    for seated in table.honest:
        assert seated.ended is not None
        out = [event for event in seated.told if isinstance(event, PlayerOut)]
        assert [(event.name, event.reason) for event in out] == [(leaver.own.name, reason)]
        assert seated.ended.outcome is Outcome.COMPLETE or len(table.honest) == 1, seated.ended
        digests.add(seated.ended.digest)
        report = report_of(seated)
        assert report.status is Status.COMPLETE, report
        assert report.digest == seated.ended.digest
        assert [(gone.name, gone.reason) for gone in report.out] == [(leaver.own.name, reason)]
    assert len(digests) == 1
    return report


def told(table: CheatTable, kind: type) -> list[engine.Event]:
    events = [event.event for event in table.honest[0].told if isinstance(event, GameEvent)]
    return [event for event in events if isinstance(event, kind)]


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("kind", ["shuffle", "lock", "epoch ok", "keys", "turn up", "play", "draw"])
def test_a_leaver_while_the_deck_is_made_and_in_play(kind: str, players: int) -> None:
    table = CheatTable(parts(kind), players=players, escrow=True)
    goes_on(table)
    assert len(told(table, engine.SeatGone)) == 1
    assert not told(table, engine.RoundLost)


@pytest.mark.parametrize("kind", ["keep", "silent", "open"])
def test_a_leaver_at_a_decision_a_window_and_the_opening(kind: str) -> None:
    goes_on(CheatTable(parts(kind), players=3, escrow=True, choose=hoards_for(9)))


def test_a_leaver_that_has_drawn_and_waits_for_the_keys() -> None:
    """It leaves in the keys slot of another, with its own draws done: nothing owed, nothing lost."""
    goes_on(CheatTable(parts("keys", after=4), players=3, escrow=True, choose=hoards_for(9)))


def test_a_leaver_in_a_reshuffle() -> None:
    """The deck of the reshuffle is made anew, under the next attempt number, with the leaver's hand in it."""
    for kind in ("shuffle", "epoch ok"):
        table = CheatTable(parts(kind, after=1), players=3, escrow=True, choose=hoards_for(180), seed=2)
        goes_on(table)
        assert told(table, engine.Reshuffled)


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("kind", ["lock", "epoch ok", "keys", "turn up", "draw", "open"])
def test_keys_that_were_not_handed_over_come_back_from_escrow(kind: str, players: int) -> None:
    """An entry that fails its check puts its writer out; the pieces of the others open its hand (T5.1)."""
    table = CheatTable(instead(kind, body=b"\xc1"), players=players, escrow=True, seed=(kind, players, 1))
    goes_on(table, "cheat")
    assert not told(table, engine.RoundLost)
    shares = [event for event in table.honest[0].told if isinstance(event, StepVerified) and event.what == "shares"]
    # In the making of the first deck nobody holds a card yet.
    assert bool(shares) == (kind not in ("lock", "epoch ok"))


def test_without_escrow_the_round_is_void_and_dealt_anew() -> None:
    table = CheatTable(instead("draw", body=b"\xc1"), players=3, escrow=False)
    goes_on(table, "cheat")
    assert len(told(table, engine.RoundLost)) == 1
    started = [event.round for event in told(table, engine.RoundStarted) if isinstance(event, engine.RoundStarted)]
    assert started == [0, 1] or started == [1]


def test_a_leave_that_names_a_round_since_void_is_judged_by_the_decks_of_that_round() -> None:
    def lie(player: LyingPlayer, body: bytes) -> Lie:
        # The other leaves in this very slot, which does not wait for it; then the round is void.
        table.seats[leaver].peer.leave(table.now)
        table._drain(leaver)
        return Lie("draw", b"\xc1")

    table, leaver = CheatTable(when("play", lie), players=4, escrow=False), 3
    table.form()
    table.run()
    assert len(told(table, engine.RoundLost)) == 1
    for seated in table.honest[:-1]:
        assert seated.ended is not None
        assert seated.ended.outcome is Outcome.COMPLETE
        report = report_of(seated)
        assert report.status is Status.COMPLETE, report
        assert [(gone.name, gone.reason) for gone in report.out] == [
            (table.seats[table.cheat].peer.own.name, "cheat"),
            (table.seats[leaver].peer.own.name, "left"),
        ]


def test_whoever_hands_over_its_keys_needs_no_escrow() -> None:
    table = CheatTable(parts("draw"), players=3, escrow=False)
    goes_on(table)
    assert not told(table, engine.RoundLost)


def test_two_in_turn_with_escrow() -> None:
    """The pieces that the first held are public, so the second can be recovered too."""
    table = CheatTable(instead("draw", body=b"\xc1"), players=4, escrow=True)
    table.form()
    table.run(until=lambda: all(s.peer.match is not None and s.peer.match.leaving.out for s in table.honest))
    second = table.honest[-1]
    player = sitting_of(second).player
    automatic = player.automatic

    def broken() -> tuple[str, bytes] | None:
        due = automatic()
        return due if due is None or due[0] == "shares" else (due[0], b"\xc1")

    player.automatic = broken  # type: ignore[method-assign]
    table.run()
    first, last = table.honest[:-1]
    for seated in (first, last):
        assert seated.ended is not None
        assert seated.ended.outcome is Outcome.COMPLETE
        report = report_of(seated)
        assert report.status is Status.COMPLETE, report
        assert [gone.reason for gone in report.out] == ["cheat", "cheat"]
    assert not told(table, engine.RoundLost)


def test_a_false_piece_puts_its_holder_out_and_the_round_is_void() -> None:
    table = CheatTable(instead("draw", body=b"\xc1"), players=4, escrow=True)
    table.form()
    table.run(until=lambda: all(s.peer.match is not None for s in table.honest))
    liar = table.honest[-1]
    player = sitting_of(liar).player
    player._share = lambda piece: bytes(32)  # type: ignore[method-assign]
    table.run()
    for seated in table.honest[:-1]:
        assert seated.ended is not None
        assert seated.ended.outcome is Outcome.COMPLETE
        out = [(e.name, e.check) for e in seated.told if isinstance(e, PlayerOut)]
        assert out == [(table.seats[1].peer.own.name, "body"), (liar.peer.own.name, "escrow piece")]
        assert report_of(seated).status is Status.COMPLETE
    assert len(told(table, engine.RoundLost)) == 1


HANDS = ["", "wild draw four, yellow 1 2 5, green 1 2, red 9", ""]


@pytest.mark.parametrize(
    ("seat", "kind"), [(1, "play"), (2, "accept"), (2, "challenge"), (1, "verdict"), (2, "seen"), (1, "draw")]
)
def test_a_leaver_in_a_challenge(seat: int, kind: str) -> None:
    answer = "accept" if kind == "accept" else "challenge"
    steps = {1: ["wild draw four -> yellow"], 2: [] if kind == "play" else [answer]}
    deal = Deal(LS, HANDS, top="red 5")
    table = Rigged(deal, steps, trick=parts(kind), cheat_seat=seat, after=eager)
    goes_on(table)
    assert not told(table, engine.RoundLost)


def test_a_verdict_whose_seal_is_garbage_has_not_stood() -> None:
    """The accused is out, nobody draws, and the challenger takes a normal turn (N2)."""

    def garbage(player: LyingPlayer, body: bytes) -> Lie:
        verdict = bodies.parse_verdict(body)
        box = bytearray(verdict.box)
        box[-1] ^= 1
        return Lie(body=encode([verdict.guilty, bytes(box), verdict.proof]))

    steps = {1: ["wild draw four -> yellow"], 2: ["challenge"]}
    table = Rigged(Deal(LS, HANDS, top="red 5"), steps, trick=when("verdict", garbage), cheat_seat=1, after=eager)
    goes_on(table, "cheat")


@pytest.mark.parametrize(("edition", "card", "kind", "seat"), [
    (DM, "wild mega minions power", "show", 2),
    (DM, "wild mega minions power", "draw", 2),
    (LS, "wild ohana", "commit", 2),
    (LS, "wild ohana", "reveal", 2),
])  # fmt: skip
def test_a_leaver_in_a_special(edition: str, card: str, kind: str, seat: int) -> None:
    one = engine.EDITIONS[edition].colours[0]
    hands = [f"{card}, {one} 1", "", f"{one} skip, wild"]
    steps = {1: ["draw", "keep"], 2: ["draw", "keep"], 0: [f"{card} -> {one}"]}
    table = Rigged(
        Deal(edition, hands, top=f"{one} 5"),
        steps,
        trick=parts(kind, after=1 if kind == "draw" else 0),
        cheat_seat=seat,
        after=eager,
    )
    goes_on(table)


@pytest.mark.parametrize("cheats", [False, True])
def test_the_last_one_wins_by_default(cheats: bool) -> None:
    trick = instead("draw", body=b"\xc1") if cheats else parts("draw")
    table = CheatTable(trick, players=2)
    report = goes_on(table, "cheat" if cheats else "left")
    (last,) = table.honest
    assert last.ended is not None
    assert last.ended.outcome is (Outcome.CHEAT if cheats else Outcome.COMPLETE)
    assert "wins by default" in last.ended.sentence
    assert report.winner == last.peer.seat


def test_a_person_leaves() -> None:
    """`Peer.leave`: the program says so, hands over its keys, and waits until the others have it."""
    table = Table(4, FAST)
    table.form()
    table.run(until=lambda: table.seats[2].peer.match is not None and table.seats[2].peer.match.taken > 60)
    table.seats[2].peer.leave(table.now)
    table._drain(2)
    table.run()
    for index, seated in enumerate(table.seats):
        assert seated.ended is not None
        assert seated.ended.outcome is (Outcome.GONE if index == 2 else Outcome.COMPLETE)


def no_keys(player: LyingPlayer) -> Lie:
    return Lie("leave", bodies.keys_body([]))


def wrong_keys(player: LyingPlayer) -> Lie:
    one = (1).to_bytes(32, "little")
    return Lie("leave", bodies.keys_body([one] * len(player.match.leaving.positions(player.seat))))


def no_body(player: LyingPlayer) -> Lie:
    return Lie("leave", b"\xc1")


def false_digest(player: LyingPlayer) -> Lie:
    return Lie(*player.parting(), {"digest": bytes(32)})


def slot_to_come(player: LyingPlayer) -> Lie:
    return Lie(*player.parting(), {"slot": player.match.slot.number + 1})


def slot_long_past(player: LyingPlayer) -> Lie:
    return Lie(*player.parting(), {"slot": 3})


@pytest.mark.parametrize(
    ("lie", "check"),
    [
        (no_keys, "key count"),
        (wrong_keys, "key share"),
        (no_body, "body"),
        (false_digest, "digest"),
        (slot_to_come, "slot"),
        (slot_long_past, "slot"),
    ],
)
def test_a_false_leave(lie: Callable[[LyingPlayer], Lie], check: str) -> None:
    caught(CheatTable(when("draw", lambda player, body: lie(player)), players=3), check)
