"""`make soak-engine`: 100,000 rounds an edition, every state checked. NODEALER_SOAK_ROUNDS plays another number."""

from __future__ import annotations

import os

import pytest

from tests.soak_engine import soak

ROUNDS = int(os.environ.get("NODEALER_SOAK_ROUNDS", "100000"))


@pytest.mark.soak
@pytest.mark.parametrize("edition", ["four-colors", "despicable-me-4", "lilo-stitch"])
def test_soak(edition: str, capsys: pytest.CaptureFixture[str]) -> None:
    line, failures = soak(edition, ROUNDS)
    with capsys.disabled():
        print(f"\n{line}")
    assert not failures
