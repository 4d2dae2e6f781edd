"""A hand of Despicable Me 4 and Lilo & Stitch by two to ten peers, with the options that a host gets by default.

Whole matches by real processes are `make soak-editions`.
"""

from __future__ import annotations

import pytest
from nodealer.p2p.events import Outcome
from nodealer.p2p.options import TableOptions
from nodealer.p2p.verify import Status

from examples.liar import report_of
from examples.rigged import DM, LS
from examples.table import Table


def play(edition: str, seats: int) -> None:
    table = Table(seats, TableOptions.defaults(edition, seats).fast(), seed=(edition, seats))
    ended = [end for end in table.play() if end is not None]
    assert [end.outcome for end in ended] == [Outcome.COMPLETE] * seats
    assert len({(end.digest, end.winner) for end in ended}) == 1
    report = report_of(table.seats[-1])
    assert (report.status, report.digest, report.winner) == (Status.COMPLETE, ended[0].digest, ended[0].winner)


@pytest.mark.parametrize("edition", [DM, LS])
@pytest.mark.parametrize("seats", [2, 3, 5])
def test_one_hand(edition: str, seats: int) -> None:
    play(edition, seats)


def test_one_hand_by_ten() -> None:
    play(LS, 10)
