"""Players who cannot reach one another play by way of the host: what it passes on arrives in order, and at once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nodealer.p2p.slots import SlotKind

from examples.table import FAST, Table

LONG = 0.5
"""Seconds; a message takes a thousandth of one, and the next look at what is lacking comes after a whole one."""


@pytest.mark.parametrize("players", [3, 4])
def test_a_table_without_lines_between_its_guests_begins_without_a_wait(players):
    table = Table(players, replace(FAST, seats=players, escrow=True), seed="relayed")
    table.cut = {frozenset((one, two)) for one in range(1, players) for two in range(1, one)}
    table.form()
    formed = table.now

    def dealt() -> bool:
        matches = [seated.peer.match for seated in table.seats]
        making = (SlotKind.START, SlotKind.COIN, SlotKind.SHUFFLE, SlotKind.LOCK, SlotKind.EPOCH_OK, SlotKind.KEYS)
        return all(match is not None and match.slot.kind not in making for match in matches)

    table.run(60, until=dealt)
    assert dealt()
    assert table.now - formed < LONG
