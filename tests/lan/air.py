"""A LAN that loses and delays: hosts are network namespaces, and the switch between them is a thread of the test.

The kernel's own queueing discipline for this (netem) is missing in many kernels; a TAP device in each namespace, whose
frames come out of a descriptor here, needs nothing but /dev/net/tun.

    with Air(4) as air:
        air.links[2].loss, air.links[3].delay, air.links[3].jitter = 0.2, 0.2, 0.1
        air.links[1].plugged = False
"""

from __future__ import annotations

import contextlib
import heapq
import os
import random
import selectors
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from tests.lan.hosts import Hosts

TAP = Path(__file__).with_name("tap.py")
MAX_FRAME = 65536
# What waits longer than the switch holds is lost, as in a real one.
MAX_HELD = 20_000


@dataclass
class Link:
    """What happens to the frames of one host, in both directions. Seconds, and a share of frames."""

    delay: float = 0.0
    jitter: float = 0.0
    loss: float = 0.0
    plugged: bool = True


class Air(Hosts):
    """Hosts 1 to n, whose frames pass through this process."""

    def __init__(self, hosts: int, seed: object = 0) -> None:
        super().__init__()
        self.links = {host: Link() for host in range(1, hosts + 1)}
        # Groups of hosts that hear only each other; None: all hear all.
        self.groups: list[set[int]] | None = None
        self._random = random.Random(repr(seed))
        self._taps: dict[int, int] = {}
        self._at: dict[bytes, int] = {}
        self._stopped = threading.Event()
        for host in self.links:
            self._add(host)
        self._thread = threading.Thread(target=self._forward, name="switch", daemon=True)
        self._thread.start()

    def _ip(self, *words: str) -> None:
        subprocess.run(["ip", *words], check=True, timeout=30)

    def _add(self, host: int) -> None:
        space = self.space(host)
        self._ip("netns", "add", space)
        near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with near, far:
            # A descriptor of a TAP device belongs to the namespace it was opened in, and can be handed on from there.
            command = ["ip", "netns", "exec", space, sys.executable, str(TAP), str(far.fileno())]
            subprocess.run(command, check=True, pass_fds=[far.fileno()], timeout=30)
            _, [tap], _, _ = socket.recv_fds(near, 1, 1)
        os.set_blocking(tap, False)
        self._taps[host] = tap
        self._ip("-n", space, "link", "set", "lo", "up")
        self._ip("-n", space, "link", "set", "eth0", "up")
        self.move(host, host)

    def move(self, host: int, number: int) -> None:
        """Give a host another address, as a new lease would: ``number`` is the last of the four."""
        space = self.space(host)
        self._ip("-n", space, "address", "flush", "dev", "eth0")
        self._ip("-n", space, "address", "add", f"10.77.0.{number}/24", "broadcast", "10.77.0.255", "dev", "eth0")

    def close(self) -> None:
        """End the programs, then the switch and the hosts."""
        super().close()
        self._stopped.set()
        self._thread.join()
        for host, tap in self._taps.items():
            os.close(tap)
            self._ip("netns", "delete", self.space(host))

    # -- the switch ----------------------------------------------------------------------------------------------------

    def _forward(self) -> None:
        waiting: list[tuple[float, int, int, bytes]] = []
        count = 0
        with selectors.DefaultSelector() as selector:
            for host, tap in self._taps.items():
                selector.register(tap, selectors.EVENT_READ, host)
            while not self._stopped.is_set():
                until = 0.05 if not waiting else min(max(waiting[0][0] - time.monotonic(), 0.0), 0.05)
                for key, _ in selector.select(until):
                    for frame in self._frames(key.fd):
                        for target in self._targets(key.data, frame):
                            count += 1
                            due = time.monotonic() + self._time(key.data, target)
                            if len(waiting) < MAX_HELD:
                                heapq.heappush(waiting, (due, count, target, frame))
                while waiting and waiting[0][0] <= time.monotonic():
                    _, _, target, frame = heapq.heappop(waiting)
                    self._put(target, frame)

    def _frames(self, tap: int) -> list[bytes]:
        found = []
        while len(found) < 64:
            try:
                found.append(os.read(tap, MAX_FRAME))
            except OSError:
                break
        return found

    def _put(self, host: int, frame: bytes) -> None:
        # A full queue loses frames, as in a real switch.
        with contextlib.suppress(OSError):
            os.write(self._taps[host], frame)

    def _targets(self, source: int, frame: bytes) -> list[int]:
        """Where a frame goes that is not lost: its receiver, or all others."""
        self._at[frame[6:12]] = source
        known = None if frame[0] & 1 else self._at.get(frame[:6])
        others = [host for host in self.links if host != source and known in (None, host)]
        return [host for host in others if self._passes(source, host)]

    def _passes(self, source: int, target: int) -> bool:
        ends = (self.links[source], self.links[target])
        if self.groups is not None and not any({source, target} <= group for group in self.groups):
            return False
        return all(link.plugged and self._random.random() >= link.loss for link in ends)

    def _time(self, source: int, target: int) -> float:
        ends = (self.links[source], self.links[target])
        return sum(link.delay + link.jitter * self._random.random() for link in ends)
