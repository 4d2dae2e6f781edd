"""A table whose frames travel over real secure lines, so that a wire can be tampered with below them."""

from __future__ import annotations

from nodealer.p2p.line import SecureLine

from examples.table import Table


class SecuredTable(Table):
    """As `Table`; ``meddle`` sees the bytes of the lines. A line that breaks is dialled again."""

    def connect(self, dialler: int, answerer: int) -> None:
        a, b = self._next_line, self._next_line + 1
        ends = [
            SecureLine(initiator, self.seats[index].peer.own.identity, self.now)
            for initiator, index in ((True, dialler), (False, answerer))
        ]
        for _ in range(3):
            for one, two in (ends, ends[::-1]):
                two.receive(one.data_to_send(), self.now)
        self._ends()[a], self._ends()[b] = ends
        super().connect(dialler, answerer)

    def _ends(self) -> dict[int, SecureLine]:
        ends: dict[int, SecureLine] = self.__dict__.setdefault("_secure", {})
        return ends

    def binding(self, line: int) -> bytes:
        made = self._ends()[line].handshake_hash
        assert made is not None
        return made

    def wrap(self, line: int, frame: bytes) -> bytes:
        end = self._ends()[line]
        end.send(frame, self.now)
        return end.data_to_send()

    def unwrap(self, line: int, data: bytes) -> list[bytes]:
        return self._ends()[line].receive(data, self.now)
