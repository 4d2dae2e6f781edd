"""Asks a table over TCP what it is: one secure line, one question, one answer."""

from __future__ import annotations

import asyncio

from nodealer.crypto.identity import Identity

from ..errors import WireError
from ..line import LineError, SecureLine
from .connection import Address
from .records import QUERY, TableInfo, decode_answer, table_info

QUERY_WITHIN = 1.5
"""Seconds for the whole exchange; a table on the same LAN answers in a few milliseconds."""

_MAX_READ = 8 * 1024
"""Bytes that a question reads at most: a handshake and an answer are less than two thousand."""


class QueryError(Exception):
    """No table answers there; the text is a sentence for a person."""


async def ask_table(host: str, port: int, within: float = QUERY_WITHIN) -> TableInfo:
    """What the table at this address says of itself, and the key that said it. Raises QueryError.

    Asks under an identity that is made for this question and thrown away, so looking around leaves no trace of who
    looked.
    """
    try:
        async with asyncio.timeout(within):
            return await _ask((host, port))
    except TimeoutError:
        raise QueryError(f"Nothing answers at {host} port {port}.") from None
    except (OSError, OverflowError, UnicodeError) as fault:
        raise QueryError(f"Nobody listens at {host} port {port}.") from fault
    except (LineError, WireError) as fault:
        raise QueryError(f"What answers at {host} port {port} is no table that this version can join.") from fault


async def _ask(address: Address) -> TableInfo:
    clock = asyncio.get_running_loop().time
    reader, writer = await asyncio.open_connection(*address, limit=4096)
    try:
        line = SecureLine(True, Identity.generate(), clock())
        writer.write(line.data_to_send())
        asked = False
        left = _MAX_READ
        while left > 0:
            data = await reader.read(4096)
            if not data:
                raise QueryError(f"The program at {address[0]} port {address[1]} closed the line without an answer.")
            left -= len(data)
            messages = line.receive(data, clock())
            if line.established and not asked:
                line.send(QUERY, clock())
                asked = True
            writer.write(line.data_to_send())
            if messages and line.remote_key is not None:
                return table_info(decode_answer(messages[0]), line.remote_key, address)
        raise QueryError(f"The program at {address[0]} port {address[1]} answers too much.")
    finally:
        # Not waited for: who does not read must not hold up the list.
        writer.close()
