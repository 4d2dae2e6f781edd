"""Tables found, lost and found again on a real network: one of namespaces."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).with_name("lan_program.py")


def moment(line: str) -> float:
    """The time in front of a line, in seconds."""
    return float(line.split()[0])


def test_a_table_is_listed_on_another_host_within_two_seconds(lan: Any) -> None:
    watcher = lan.python(2, PROGRAM, "watch")
    watcher.expect("tables: .")
    table = lan.python(1, PROGRAM, "table", "Ada")
    announced = moment(table.expect("listening"))
    listed = moment(watcher.expect("tables: Ada@10.77.0.1."))
    assert listed - announced < 2.0
    late = lan.python(3, PROGRAM, "watch")
    began = moment(late.expect("tables: ."))
    assert moment(late.expect("tables: Ada@10.77.0.1.")) - began < 2.0


def test_several_tables_are_listed_and_one_that_is_killed_goes(lan: Any) -> None:
    first, second = lan.python(1, PROGRAM, "table", "Ada"), lan.python(2, PROGRAM, "table", "Bob")
    first.expect("listening")
    second.expect("listening")
    watcher = lan.python(3, PROGRAM, "watch")
    watcher.expect("tables: Ada@10.77.0.1 Bob@10.77.0.2.")
    first.kill()
    watcher.expect("tables: Bob@10.77.0.2.", within=6)


def test_two_tables_on_one_host_are_both_found(lan: Any) -> None:
    lan.python(1, PROGRAM, "table", "Ada").expect("listening 7425")
    lan.python(1, PROGRAM, "table", "Bob").expect("listening 7426")
    lan.python(2, PROGRAM, "watch").expect("tables: Ada@10.77.0.1 Bob@10.77.0.1.")
    lan.python(1, PROGRAM, "watch").expect("tables: Ada@10.77.0.1 Bob@10.77.0.1.")


def test_a_host_whose_interface_went_and_came_finds_tables_again(lan: Any) -> None:
    lan.python(1, PROGRAM, "table", "Ada").expect("listening")
    watcher = lan.python(2, PROGRAM, "watch")
    watcher.expect("tables: Ada@10.77.0.1.")
    lan.do("off", 2)
    watcher.expect("tables: .", within=8)
    lan.do("on", 2)
    watcher.expect("tables: Ada@10.77.0.1.", within=8)


def test_a_table_whose_interface_went_and_came_is_found_again(lan: Any) -> None:
    lan.python(1, PROGRAM, "table", "Ada").expect("listening")
    watcher = lan.python(2, PROGRAM, "watch")
    watcher.expect("tables: Ada@10.77.0.1.")
    lan.do("off", 1)
    watcher.expect("tables: .", within=8)
    lan.do("on", 1)
    watcher.expect("tables: Ada@10.77.0.1.", within=20)


def test_a_machine_with_nothing_but_loopback_finds_its_own_tables(lan: Any) -> None:
    lan.do("strip", 1)
    lan.python(1, PROGRAM, "table", "Ada").expect("listening")
    lan.python(1, PROGRAM, "watch").expect("tables: Ada@127.0.0.1.")


def test_a_pulled_cable_is_noticed_in_four_seconds_and_the_line_comes_back(lan: Any) -> None:
    port = lan.python(1, PROGRAM, "table", "Ada").expect("listening").split()[-1]
    player = lan.python(2, PROGRAM, "line", lan.address(1), port)
    came = moment(player.expect("up"))
    lan.do("unplug", 2)
    went = moment(player.expect("down Nothing was heard", within=8))
    assert 3.0 < went - came < 6.5
    lan.do("plug", 2)
    player.expect("up", within=8)


@pytest.mark.usefixtures("needs_nft")
def test_a_network_that_splits_heals(make_lan: Callable[[int], Any]) -> None:
    lan = make_lan(3)
    port = lan.python(1, PROGRAM, "table", "Ada").expect("listening").split()[-1]
    near, far = (lan.python(host, PROGRAM, "line", lan.address(1), port) for host in (2, 3))
    near.expect("up")
    far.expect("up")
    lan.do("cut", "1 2", "3")
    far.expect("down", within=8)
    lan.do("heal")
    far.expect("up", within=12)
    near.process.poll()
    assert not any("down" in line for line in near.output)


@pytest.mark.usefixtures("needs_nft")
def test_where_mdns_is_blocked_joining_by_address_works(lan: Any) -> None:
    lan.do("block", 2, "udp", 5353)
    port = lan.python(1, PROGRAM, "table", "Ada").expect("listening").split()[-1]
    lan.python(2, PROGRAM, "line", lan.address(1), port).expect("up")
