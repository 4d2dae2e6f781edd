"""The sockets that this program listens on: one port for IPv4 and IPv6, the usual one or the next that is free."""

from __future__ import annotations

import errno
import socket
from collections.abc import Sequence
from typing import Any

DEFAULT_PORT = 7425
_PORTS_TRIED = 100


class ListenError(Exception):
    """This program cannot listen where it was told to; the text is a sentence for a person."""


def listening_sockets(bind: str | None, port: int | None) -> list[socket.socket]:
    """Bound sockets, one a family, all on the same port, for ``bind`` and ``port`` as in ``Runner``.

    Raises ListenError.
    """
    tried: Sequence[int]
    if port is None:
        tried = range(DEFAULT_PORT, DEFAULT_PORT + _PORTS_TRIED)
    elif port == 0:
        # The number that IPv4 gets may be taken for IPv6; another throw finds one that is free for both.
        tried = (0,) * 5
    else:
        tried = (port,)
    for number in tried:
        try:
            return _bind_all(bind, number)
        except OSError as fault:
            if fault.errno != errno.EADDRINUSE and not (fault.errno == errno.EACCES and port is None):
                raise ListenError(
                    f"This program cannot listen at {bind or 'any address'}: {fault.strerror}."
                ) from fault
    if port is None:
        raise ListenError(f"Ports {tried[0]} to {tried[-1]} are all in use here; name a free one with --port.")
    raise ListenError(f"Port {port} is in use here; name another with --port, or none to take the next free one.")


def _bind_all(bind: str | None, port: int) -> list[socket.socket]:
    if bind is not None:
        found = socket.getaddrinfo(bind, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        return [_bind_one(found[0][0], found[0][4])]
    sockets = [_bind_one(socket.AF_INET, ("0.0.0.0", port))]
    if socket.has_ipv6:
        try:
            sockets.append(_bind_one(socket.AF_INET6, ("::", sockets[0].getsockname()[1])))
        except OSError as fault:
            if fault.errno == errno.EADDRINUSE:
                sockets[0].close()
                raise
            # A machine whose IPv6 is switched off plays over IPv4.
    return sockets


def _bind_one(family: int, address: Any) -> socket.socket:
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            # On Windows a second program could otherwise take the same port.
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except OSError:
        listening.close()
        raise
    return listening
