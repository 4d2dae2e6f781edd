"""Patience: how long others may take, on one's own clock."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nodealer.p2p.limits import (
    AUTOMATIC_LIMIT,
    PERSON_MARGIN,
    ROUND_DELAY,
    SLEPT,
    START_LIMIT,
    WINDOW_MARGIN,
    Patience,
    slot_limit,
)
from nodealer.p2p.options import TableOptions
from nodealer.p2p.slots import RULES, Slot, SlotKind

OPTIONS = TableOptions(turn_clock=60, uno_window_ms=5000)


@pytest.mark.parametrize("kind", SlotKind)
def test_every_slot_has_a_limit(kind):
    limit = slot_limit(Slot(1, b"", kind, (0,)), OPTIONS)
    if kind is SlotKind.START:
        assert limit == START_LIMIT
    elif kind is SlotKind.WINDOW:
        assert limit == 5 + WINDOW_MARGIN
    elif RULES[kind].person:
        assert limit == 60 + PERSON_MARGIN
    else:
        assert limit == AUTOMATIC_LIMIT


def test_without_a_turn_clock_people_have_all_the_time():
    options = replace(OPTIONS, turn_clock=0)
    assert slot_limit(Slot(1, b"", SlotKind.MOVE, (0,)), options) is None
    assert slot_limit(Slot(1, b"", SlotKind.WINDOW, (0,)), options) is not None


GRACE = 10.0


def patience(until: float, reached: set[int], start: float = 0.0) -> Patience:
    waiting = Patience(slot_since=start, last_tick=start)
    now = start
    while now <= until:
        waiting.tick(now)
        waiting.note_reached(frozenset(reached), range(3), 0, now)
        now += 1
    return waiting


def test_somebody_whom_nobody_reaches_is_gone():
    waiting = patience(GRACE, {1})
    assert waiting.gone(GRACE, GRACE) == 2
    assert waiting.gone(GRACE - 0.1, GRACE) is None


def test_one_is_never_gone_oneself():
    assert patience(100, {1, 2}).gone(100, GRACE) is None
    assert 0 not in patience(100, set()).unreached_since


def test_coming_back_starts_anew():
    waiting = patience(9, {1})
    waiting.note_reached(frozenset({1, 2}), range(3), 0, 9.5)
    waiting.note_reached(frozenset({1}), range(3), 0, 10)
    assert waiting.back_at == {2: 9.5}
    assert waiting.gone(11, GRACE) is None
    assert waiting.gone(20, GRACE) == 2


def test_the_longest_gone_first():
    waiting = patience(3, {2})
    waiting.note_reached(frozenset(), range(3), 0, 4)
    assert waiting.gone(20, GRACE) == 1


def test_after_a_sleep_all_clocks_start_anew():
    waiting = patience(5, {1})
    woke = 5 + SLEPT + 1000
    waiting.tick(woke)
    assert waiting.slot_since == woke
    assert waiting.gone(woke + GRACE - 1, GRACE) is None
    assert waiting.gone(woke + GRACE, GRACE) == 2


def test_a_slot_that_opens_has_its_whole_time():
    waiting = patience(5, {1, 2})
    waiting.slot_opened(5.5)
    assert waiting.slot_since == 5.5


KEYS = Slot(1, b"", SlotKind.KEYS, (1, 2))
MOVE = Slot(1, b"", SlotKind.MOVE, (1,))
BOTH = frozenset({1, 2})


def late(waiting: Patience, now: float, slot: Slot = KEYS, options: TableOptions = OPTIONS) -> frozenset[int]:
    return waiting.overdue(slot, options, BOTH, now)


def test_a_program_that_is_there_has_ten_seconds_and_one_that_is_not_has_the_grace():
    waiting = patience(5, {1})
    assert late(waiting, AUTOMATIC_LIMIT - 0.1) == frozenset()
    assert late(waiting, AUTOMATIC_LIMIT) == {1}
    assert late(waiting, OPTIONS.grace - 0.1) == {1}
    assert late(waiting, OPTIONS.grace) == BOTH


def test_a_person_has_the_turn_clock_and_one_who_is_gone_the_grace_if_that_is_longer():
    waiting = patience(5, {1})
    assert late(waiting, 74.9, MOVE) == frozenset()
    assert late(waiting, 75, MOVE) == {1}
    assert late(waiting, OPTIONS.grace - 0.1, MOVE) == {1}
    assert late(waiting, OPTIONS.grace, MOVE) == BOTH
    assert late(waiting, 74.9, MOVE, replace(OPTIONS, grace=3)) == frozenset()
    assert late(waiting, 75, MOVE, replace(OPTIONS, grace=3)) == BOTH
    endless = replace(OPTIONS, turn_clock=0)
    assert late(waiting, OPTIONS.grace - 0.1, MOVE, endless) == frozenset()
    assert late(waiting, 100_000, MOVE, endless) == {2}


def test_nobody_is_late_whom_the_slot_does_not_wait_for():
    assert patience(5, set()).overdue(KEYS, OPTIONS, frozenset(), 1000) == frozenset()


def test_who_comes_back_has_its_ten_seconds_from_then():
    waiting = patience(30, {1})
    waiting.note_reached(BOTH, range(3), 0, 31)
    assert 2 not in late(waiting, 31 + AUTOMATIC_LIMIT - 0.1)
    assert 2 in late(waiting, 31 + AUTOMATIC_LIMIT)


def test_without_a_quorum_the_clocks_stand_still_but_people_are_told_the_truth():
    waiting = patience(5, {1})
    for now in range(6, 206):
        waiting.tick(now, quorum=False)
    assert late(waiting, 206) == frozenset()
    assert waiting.unreached_since == {2: 0.0}
    assert late(waiting, 200 + AUTOMATIC_LIMIT) == {1}
    assert late(waiting, 200 + OPTIONS.grace) == BOTH


def test_after_a_sleep_nobody_is_late():
    waiting = patience(5, {1})
    waiting.tick(5 + SLEPT + 1000)
    assert late(waiting, 5 + SLEPT + 1001) == frozenset()


def test_one_who_delays_every_slot_a_little_is_late_when_it_is_too_much_for_a_round():
    waiting = Patience(slot_since=0.0, last_tick=0.0)
    waiting.note_reached(BOTH, range(3), 0, 0.0)
    now = 0.0
    for _ in range(int(ROUND_DELAY) // 9):
        now += 9
        assert late(waiting, now) == frozenset()
        waiting.wrote(1, now)
        waiting.slot_opened(now)
    left = ROUND_DELAY - ROUND_DELAY // 9 * 9
    assert late(waiting, now + left - 0.1) == frozenset()
    assert late(waiting, now + left) == {1}
    assert late(waiting, now + left, MOVE) == frozenset()
    waiting.round_began()
    assert late(waiting, now + left) == frozenset()
