"""Real programs on a LAN that fails them: the match ends, alike for all, and every transcript is valid."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.lan.air import Air
from tests.lan.four import Four

GRACE = "--grace=60"


def test_killed_and_started_again(air: Air, tmp_path: Path) -> None:
    match = Four(air, tmp_path, GRACE)
    match.wait_for_play()
    match.programs[3].kill()
    time.sleep(1)
    match.start(3)
    match.complete()


def test_another_address_in_the_middle(air: Air, tmp_path: Path) -> None:
    """A new lease: the lines break without a word, and are made anew from and to the new address."""
    match = Four(air, tmp_path, GRACE)
    match.wait_for_play()
    air.move(2, 22)
    match.complete()


@pytest.mark.soak
def test_a_cable_out_for_twenty_seconds(air: Air, tmp_path: Path) -> None:
    match = Four(air, tmp_path, GRACE)
    match.wait_for_play()
    air.links[4].plugged = False
    time.sleep(20)
    air.links[4].plugged = True
    match.complete()


@pytest.mark.soak
def test_a_fifth_of_all_frames_lost(air: Air, tmp_path: Path) -> None:
    """Each frame passes two links: a tenth on each is a fifth on the way."""
    match = Four(air, tmp_path, GRACE)
    match.wait_for_start()
    for link in air.links.values():
        link.loss = 0.106
    match.complete(900)


@pytest.mark.soak
def test_two_hundred_milliseconds_and_jitter(air: Air, tmp_path: Path) -> None:
    match = Four(air, tmp_path, GRACE)
    match.wait_for_start()
    for link in air.links.values():
        link.delay, link.jitter = 0.1, 0.05
    match.complete(900)
