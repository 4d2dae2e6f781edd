"""What one player answers in an UNO window, by what reached it first and by its own clock."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from nodealer.p2p.bodies import NOTHING, parse_heard
from nodealer.p2p.entry import Entry
from nodealer.p2p.slots import SlotKind
from nodealer.p2p.window import WindowWatch
from nodealer.p2p.wire import encode

from examples.liar import CheatTable, LyingPlayer, forge, sitting_of
from tests.p2p.cheats.test_window import silent

WINDOW = 0.3


@dataclass
class AtWindow:
    """A table whose first window has just opened: its owner, one opponent, and that opponent's watch."""

    owner: LyingPlayer
    other: LyingPlayer
    third: LyingPlayer
    watch: WindowWatch
    now: float

    def entry(self, player: LyingPlayer, kind: str) -> Entry:
        return forge(player, kind, NOTHING)

    def saw(self, player: LyingPlayer, kind: str) -> Entry:
        entry = self.entry(player, kind)
        self.other.match.offer(entry)
        self.watch.saw(self.other.match, player.seat, entry)
        return entry


def at_window(of_owner: bool = False) -> AtWindow:
    table = CheatTable(players=3, choose=silent, seed="window")
    table.form()

    def open_everywhere() -> bool:
        matches = [seated.peer.match for seated in table.seats]
        return all(match is not None and match.slot.kind is SlotKind.WINDOW for match in matches)

    table.run(600, until=open_everywhere)
    assert open_everywhere()
    players = [sitting_of(seated).player for seated in table.seats]
    window = table.liar.match.playing().window
    (owner,) = [player for player in players if player.seat == window]
    other, third = (player for player in players if player.seat != window)
    mine = owner if of_owner else other
    watch = WindowWatch.begin(mine.match, table.now)
    return AtWindow(owner, mine, third, watch, table.now)  # type: ignore[arg-type]


def kind(answer: tuple[str, bytes] | None) -> str | None:
    return None if answer is None else answer[0]


def test_silent_when_the_time_is_over_and_not_before():
    at = at_window()
    assert at.watch.until == pytest.approx(at.now + WINDOW)
    assert at.watch.answer(at.other, at.now + WINDOW - 0.01) is None
    assert kind(at.watch.answer(at.other, at.now + WINDOW)) == "silent"


def test_quiet_is_the_owners_silence():
    at = at_window(of_owner=True)
    assert at.watch.answer(at.other, at.now + WINDOW - 0.01) is None
    assert kind(at.watch.answer(at.other, at.now + WINDOW)) == "quiet"
    assert kind(at.watch.pressed(at.other)) == "called"


def test_a_catch_ends_the_owners_time():
    at = at_window(of_owner=True)
    at.saw(at.third, "caught")
    assert kind(at.watch.answer(at.other, at.now)) == "quiet"


def test_the_call_first_is_heard_with_its_header():
    at = at_window()
    call = at.saw(at.owner, "called")
    at.saw(at.third, "caught")
    answer = at.watch.answer(at.other, at.now)
    assert answer is not None
    assert answer[0] == "heard"
    assert parse_heard(answer[1]) == call.signed
    # The key comes too late.
    assert kind(at.watch.pressed(at.other)) == "heard"


def test_the_catch_first_is_a_catch():
    at = at_window()
    at.saw(at.third, "caught")
    at.saw(at.owner, "called")
    assert kind(at.watch.answer(at.other, at.now)) == "caught"


def test_the_key_catches():
    at = at_window()
    assert kind(at.watch.pressed(at.other)) == "caught"


@pytest.mark.parametrize(
    ("who", "what"), [("owner", "caught"), ("third", "called"), ("third", "silent"), ("owner", "quiet")]
)
def test_what_says_nothing(who, what):
    at = at_window()
    at.saw(getattr(at, who), what)
    assert at.watch.first == "nothing"


def test_an_answer_to_another_window_says_nothing():
    at = at_window()
    for change in ({"slot": 3}, {"digest": b"d" * 32}):
        at.watch.saw(at.other.match, at.owner.seat, forge(at.owner, "called", NOTHING, **change))
    assert at.watch.first == "nothing"


def test_of_two_early_ones_the_call_comes_first():
    at = at_window()
    at.other.match.offer(at.entry(at.third, "caught"))
    at.other.match.offer(at.entry(at.owner, "called"))
    watch = WindowWatch.begin(at.other.match, at.now)
    assert kind(watch.answer(at.other, at.now)) == "heard"


def test_a_call_that_the_slot_will_not_take_is_not_carried_on():
    """Whoever answered *heard* with it would be judged, and blamed, before its owner."""
    at = at_window()
    match = at.other.match
    for kind_of, body in (("quiet", NOTHING), ("called", NOTHING)):
        number, previous = match.feed_of(at.owner.seat).head
        entry = forge(at.owner, kind_of, body, number=number, previous=previous)
        match.offer(entry)
        at.watch.saw(match, at.owner.seat, entry)
    assert at.watch.first == "nothing"


def test_a_malformed_call_is_not_carried_on():
    at = at_window()
    entry = forge(at.owner, "called", encode([1]))
    at.other.match.offer(entry)
    at.watch.saw(at.other.match, at.owner.seat, entry)
    assert at.watch.first == "nothing"
