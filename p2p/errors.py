"""Two kinds of protocol error: mine (nothing was sent) and theirs (with who is to blame)."""

from __future__ import annotations


class ProtocolError(Exception):
    """What the table protocol refuses."""


class LocalProtocolError(ProtocolError):
    """This program asked for what is not possible now; nothing was sent. The text is a sentence for a person."""


class WireError(ProtocolError):
    """Bytes that are malformed, too long, too deep, not canonical or unknown; who sent or signed them is to blame."""


class RemoteProtocolError(ProtocolError):
    """A signed entry that no honest program makes.

    ``writer`` is the roster number of the one who signed it, ``number`` the entry's place in that writer's feed,
    ``check`` the name of the check that failed ("key share", "shuffle V4", "digest", "rules", …).
    """

    def __init__(self, writer: int, number: int, check: str, detail: str) -> None:
        super().__init__(detail)
        self.writer = writer
        self.number = number
        self.check = check
        self.detail = detail
