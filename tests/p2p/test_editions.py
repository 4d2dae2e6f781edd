"""Matches of Despicable Me 4 and Lilo & Stitch by two to ten peers, with the options that a host gets by default."""

from __future__ import annotations

import pytest
from nodealer.p2p.events import Outcome
from nodealer.p2p.options import TableOptions
from nodealer.p2p.verify import Status

from tests.helpers.cheat import report_of
from tests.helpers.rigged import DM, LS
from tests.helpers.table import Table


def match(edition: str, seats: int, target: int) -> None:
    table = Table(seats, TableOptions.defaults(edition, seats, target).fast(), seed=(edition, seats))
    ended = [end for end in table.play() if end is not None]
    assert [end.outcome for end in ended] == [Outcome.COMPLETE] * seats
    assert len({end.digest for end in ended}) == 1
    assert len({end.winner for end in ended}) == 1
    report = report_of(table.seats[-1])
    assert (report.status, report.digest, report.winner) == (Status.COMPLETE, ended[0].digest, ended[0].winner)
    if target:
        assert max(report.scores) >= target


@pytest.mark.parametrize("edition", [DM, LS])
@pytest.mark.parametrize("seats", [2, 3, 5])
def test_one_hand(edition: str, seats: int) -> None:
    match(edition, seats, 0)


def test_one_hand_by_ten() -> None:
    match(LS, 10, 0)


@pytest.mark.soak
def test_the_other_hand_by_ten() -> None:
    match(DM, 10, 0)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("edition", "seats"), [(DM, 2), (LS, 2), (DM, 3), (LS, 3), (DM, 5), (LS, 5), (DM, 10), (LS, 10)]
)
def test_to_five_hundred_points(edition: str, seats: int) -> None:
    match(edition, seats, 500)
