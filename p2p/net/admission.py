"""Who may connect when places are short: so that nobody who fills them keeps a player out who comes back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from .connection import Connection, Limits


def admit(
    newcomer: Connection, others: Collection[Connection], strangers: Sequence[Connection], limits: Limits
) -> tuple[bool, list[Connection]]:
    """Whether an incoming connection is welcome, and who must make room for it.

    An address that has used up its own share is refused. Where all places are taken somebody else goes: the oldest
    handshake of the address that has most of them, the oldest of the ``strangers``. Lines of players never go.
    """
    host = host_of(newcomer)
    lines = Counter(map(host_of, others))
    shaking = [other for other in others if not other.outgoing and other.ready_at is None]
    handshakes = Counter(map(host_of, shaking))
    if lines[host] >= limits.lines_per_address or handshakes[host] >= limits.handshakes_per_address:
        return False, []
    going: list[Connection] = []
    if len(shaking) >= limits.handshakes:
        most = max(handshakes.values())
        if handshakes[host] >= most > 1:
            return False, []
        going.append(next(other for other in shaking if handshakes[host_of(other)] == most))
    if len(others) - len(going) >= limits.lines:
        if not strangers:
            return False, []
        going.append(strangers[0])
    return True, going


def host_of(connection: Connection) -> str:
    """The machine at the far end, as far as its address tells."""
    return connection.address[0] if connection.address else ""
