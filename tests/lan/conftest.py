"""A LAN of network namespaces for tests: ``lan`` has four hosts, ``make_lan(n)`` as many as you say.

    def test_something(lan):
        host = lan.run(1, [sys.executable, "-m", …])
        host.expect("listening", within=5)
        lan.do("unplug", 1)

Skipped, with the reason, where namespaces cannot be made.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.lan.air import Air
from tests.lan.hosts import Hosts

SCRIPT = Path(__file__).with_name("lan.sh")


class Lan(Hosts):
    """Hosts 1 to n on one switch."""

    def __init__(self, hosts: int) -> None:
        super().__init__()
        self.do("up", hosts)

    def do(self, action: str, *arguments: object) -> None:
        """Runs one action of lan.sh, such as ``do("cut", "1 2", "3")``."""
        subprocess.run(
            [SCRIPT, action, *map(str, arguments)], check=True, env={**os.environ, "LAN": self.name}, timeout=30
        )

    def close(self) -> None:
        """Ends the programs and takes the LAN away."""
        super().close()
        self.do("down")


def _why_not() -> str | None:
    """Why this machine cannot have such a LAN; None if it can."""
    if not sys.platform.startswith("linux"):
        return "network namespaces are Linux's"
    if shutil.which("ip") is None:
        return "`ip` (iproute2) is not installed"
    if os.geteuid() != 0:
        return "only root can make network namespaces"
    name = f"nd{os.getpid()}-try"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True)
    if made.returncode != 0:
        return f"network namespaces cannot be made here: {made.stderr.strip()}"
    cable = subprocess.run(
        ["ip", "-n", name, "link", "add", "try1", "type", "veth", "peer", "name", "try2"],
        capture_output=True,
        text=True,
    )
    subprocess.run(["ip", "netns", "delete", name], check=True)
    return None if cable.returncode == 0 else f"veth pairs cannot be made here: {cable.stderr.strip()}"


@pytest.fixture(scope="session")
def _lan_possible() -> None:
    reason = _why_not()
    if reason is not None:
        pytest.skip(reason)


@pytest.fixture
def make_lan(_lan_possible: None) -> Iterator[Callable[[int], Lan]]:
    """Makes LANs of any size; all are taken away after the test."""
    made: list[Lan] = []

    def make(hosts: int) -> Lan:
        lan = Lan(hosts)
        made.append(lan)
        return lan

    yield make
    for lan in made:
        lan.close()


@pytest.fixture
def lan(make_lan: Callable[[int], Lan]) -> Lan:
    """A LAN of four hosts."""
    return make_lan(4)


@pytest.fixture
def air(_lan_possible: None) -> Iterator[Air]:
    """A LAN of four hosts that can lose and delay frames."""
    if not Path("/dev/net/tun").exists():
        pytest.skip("there is no /dev/net/tun here")
    made = Air(4)
    yield made
    made.close()


@pytest.fixture(scope="session")
def needs_nft() -> None:
    """For tests that cut or block: skips where nftables is not installed."""
    if shutil.which("nft") is None:
        pytest.skip("`nft` (nftables) is not installed")
