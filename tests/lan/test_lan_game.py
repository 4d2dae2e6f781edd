"""Whole matches between hosts of a LAN, through the command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

NODEALER = Path(sys.executable).with_name("nodealer")


def play(lan: Any, host: int, tmp_path: Path, *arguments: str) -> Any:
    """Starts the program on a host, with a data folder of its own."""
    return lan.run(host, [NODEALER, *arguments, "--data-dir", tmp_path / f"data{len(lan.programs)}"])


@pytest.fixture
def three(lan: Any, tmp_path: Path) -> list[Any]:
    """A hand between bots on hosts 1 to 3: one found the table by mDNS, one was given the address."""
    host = play(lan, 1, tmp_path, "host", "--seats=3", "--target=0", "--bot", "--fast", "--name=Ada", "--grace=60")
    host.expect("open at 10.77.0.1:7425", within=10)
    first = play(lan, 2, tmp_path, "join", "--bot", "--fast", "--name=Bob")
    second = play(lan, 3, tmp_path, "join", "10.77.0.1:7425", "--bot", "--fast", "--name=Cy")
    return [host, first, second]


def test_three_hosts_play_a_hand(three: list[Any]) -> None:
    for program in three:
        program.expect("Final scores", within=90)
    assert [program.wait() for program in three] == [0, 0, 0]


def test_a_pulled_cable_holds_the_hand_up_and_does_not_end_it(lan: Any, three: list[Any]) -> None:
    three[0].expect("plays", within=30)
    lan.do("unplug", 3)
    three[0].expect("No line to Cy", within=10)
    lan.do("plug", 3)
    three[0].expect("Cy is back", within=10)
    for program in three:
        program.expect("Final scores", within=90)
    assert [program.wait() for program in three] == [0, 0, 0]


def test_bots_on_the_hosts_machine_and_a_guest_from_elsewhere(lan: Any, tmp_path: Path) -> None:
    """The host reaches its bots by loopback, which means another machine to the guest."""
    host = play(lan, 1, tmp_path, "host", "--seats=4", "--bots=2", "--target=0", "--bot", "--fast", "--name=Ada")
    host.expect("open at 10.77.0.1:7425", within=10)
    guest = play(lan, 2, tmp_path, "join", "--bot", "--fast", "--name=Bob")
    for program in (host, guest):
        program.expect("Final scores", within=90)
    assert [program.wait() for program in (host, guest)] == [0, 0]
