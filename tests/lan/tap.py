"""Run in a host's namespace by `air.py`: make its eth0 there, and hand the descriptor back over a socket."""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import sys

# linux/if_tun.h
TUNSETIFF = 0x400454CA
IFF_TAP, IFF_NO_PI = 0x0002, 0x1000

if __name__ == "__main__":
    tap = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", b"eth0", IFF_TAP | IFF_NO_PI))
    with socket.socket(fileno=int(sys.argv[1])) as far:
        socket.send_fds(far, [b"x"], [tap])
