"""The bench of the screen paints what a game paints; how fast is told, not asserted."""

from __future__ import annotations

from nodealer.cli.screen import measure
from nodealer.cli.screen.look import Look
from nodealer.cli.screen.text import plain


def test_the_table_that_is_measured() -> None:
    shown = plain(measure.table().render(120, 40, Look(), 0.0))
    assert shown.count("Player ") >= 9
    assert "Your turn on" in shown


def test_every_frame_and_key_is_measured() -> None:
    assert len(measure.frames()) == measure.FRAMES
    assert set(measure.measure()) == {"frame_ms", "frame_ms_99", "key_ms_99"}
