"""Patience: how long others may take, on one's own clock."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nodealer.p2p.limits import (
    AUTOMATIC_LIMIT,
    PERSON_MARGIN,
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
