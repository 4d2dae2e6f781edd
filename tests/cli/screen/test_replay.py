"""Stepping through a transcript on the full screen: where the keys lead, what is seen of hands, playing, faults."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from nodealer import engine
from nodealer.cli.history import Recorder
from nodealer.cli.screen import replaying
from nodealer.cli.screen.look import Look
from nodealer.cli.screen.replay import HELP_KEYS, SPEEDS, Replay
from nodealer.cli.screen.replaying import Replaying
from nodealer.cli.screen.text import plain, width
from nodealer.p2p.verify import verify

from tests.cli.screen.emulator import emulated
from tests.cli.test_replay import MATCHES, VECTORS, damaged

NOW = 50.0


def screen_of(path: Path, **options: bool) -> Replay:
    """A replay of which everything has been read."""
    screen = Replay(path.name, **options)
    recorder = Recorder(lambda step: screen.add(step, NOW))
    with path.open("rb") as file:
        report = verify(file, recorder.on_event, recorder.on_step)
    recorder.finish(report)
    screen.finish(report)
    return screen


def shown(screen: Replay, columns: int = 80, rows: int = 24, *, ascii_only: bool = False) -> str:
    return plain(screen.render(columns, rows, Look(ascii=ascii_only), NOW))


def press(screen: Replay, *keys: str) -> str:
    for key in keys:
        screen.press(key, NOW)
    return shown(screen)


def test_every_event_forth_and_back_gives_the_same_pictures() -> None:
    """Going back shows exactly what was there before, whatever was looked at between."""
    screen = screen_of(VECTORS / "match-ohana.nodealer")
    pictures = [shown(screen)]
    for _ in range(len(screen.history.stops) - 1):
        pictures.append(press(screen, "right"))
    assert len(set(pictures)) == len(pictures)
    assert press(screen, "right") == pictures[-1]
    for picture in reversed(pictures[:-1]):
        assert press(screen, "left") == picture
    assert press(screen, "left") == pictures[0]
    assert press(screen, "end") == pictures[-1]
    assert press(screen, "home") == pictures[0]


@pytest.mark.parametrize("name", MATCHES)
def test_turns_rounds_and_challenges(name: str) -> None:
    screen = screen_of(VECTORS / name)
    history = screen.history
    for forth, back, marks in (("down", "up", history.turns), ("pagedown", "pageup", history.rounds)):
        press(screen, "home")
        ahead = [mark for mark in marks if mark >= screen.at]
        for mark in ahead:
            press(screen, forth)
            assert screen.at == mark + 1
        press(screen, forth)
        assert screen.at == len(history.steps)
        for mark in reversed(ahead):
            press(screen, back)
            assert screen.at == (mark + 1 if mark + 1 < len(history.steps) else screen.at)
    press(screen, "home")
    for mark in history.challenges:
        assert "challenges" in press(screen, "c")
        assert screen.at == mark + 1
    before = screen.at
    assert "No further challenge" in press(screen, "c")
    assert screen.at == before


def test_the_last_step_tells_what_was_found() -> None:
    screen = screen_of(VECTORS / "match-two.nodealer")
    assert "valid and complete." in press(screen, "end").splitlines()[-3]
    assert "valid and complete." not in press(screen, "left").splitlines()[-3]


def test_an_invalid_transcript_is_replayed_up_to_the_fault(tmp_path: Path) -> None:
    path = damaged(tmp_path, 0.6)
    screen, whole = screen_of(path), screen_of(VECTORS / "match-two.nodealer")
    assert screen.report is not None
    assert screen.report.check
    assert screen.report.sentence[:40] in press(screen, "end")
    # The last step is the fault's own; all before it are those of the undamaged file.
    before = len(screen.history.steps) - 1
    assert 0 < before < len(whole.history.steps)
    assert screen.history.steps[:before] == whole.history.steps[:before]
    assert f"check: {screen.report.check}" in " ".join(shown(screen, 120, 40).split()).replace("Failed ", "")


def test_hidden_cards_stay_hidden() -> None:
    """From a seat's eyes no card is seen before it is shown; with `o` those are that become known later."""
    screen = screen_of(VECTORS / "match-two.nodealer")
    press(screen, "down", "tab")
    state = screen.history.steps[screen.at - 1].state
    assert state is not None
    held = len(state.hands[0])
    picture = shown(screen)
    assert f"'s hand: {held} cards" in picture
    assert f"{held} face down" in picture
    view = screen.model.view
    assert view is not None
    assert [card for _, card in view.hand] == [None] * held
    press(screen, "o")
    view = screen.model.view
    assert view is not None
    assert any(card is not None for _, card in view.hand)
    press(screen, "o")
    view = screen.model.view
    assert view is not None
    assert [card for _, card in view.hand] == [None] * held
    assert shown(screen) == picture


def test_the_eyes_go_round() -> None:
    screen = screen_of(VECTORS / "match-minions.nodealer")
    press(screen, "down")
    seen = []
    for _ in range(4):
        press(screen, "tab")
        seen.append(screen.eyes)
    assert seen == [0, 1, 2, None]
    press(screen, "s-tab")
    assert screen.eyes == 2
    names = [player.name for player in screen.model.made.players] if screen.model.made else []
    assert f"{names[2]}'s hand" in shown(screen)


def test_playing_by_itself() -> None:
    screen = screen_of(VECTORS / "match-two.nodealer")
    press(screen, "home")
    start = screen.at
    screen.tick(NOW + 100)
    assert screen.at == start
    assert "pause" in press(screen, " ")
    assert screen.hurries()
    screen.tick(NOW)
    assert screen.at > start
    after = screen.at
    screen.tick(NOW + 0.5 / SPEEDS[1])
    assert screen.at == after
    screen.tick(NOW + 1 / SPEEDS[1])
    assert screen.at > after
    for _ in SPEEDS:
        press(screen, "+")
    assert f"{SPEEDS[-1]:g}x" in shown(screen)
    for _ in SPEEDS:
        press(screen, "-")
    assert f"{SPEEDS[0]:g}x" in shown(screen)
    press(screen, "right")
    assert not screen.hurries()
    press(screen, " ")
    now = NOW
    while screen.hurries():
        now += 10
        screen.tick(now)
    assert screen.at == len(screen.history.steps)


def test_while_it_is_still_being_verified() -> None:
    """One can look at what is verified; `End` follows the verifier until the end or another key."""
    whole = screen_of(VECTORS / "match-two.nodealer")
    steps = whole.history.steps
    screen = Replay("match")
    assert len(shown(screen).splitlines()) == 24
    for step in steps[:40]:
        screen.add(step, NOW)
    assert "verifying ahead: 40 slots" in shown(screen)
    press(screen, "end")
    assert "Verifying" in shown(screen).splitlines()[-3]
    screen.add(steps[40], NOW)
    assert screen.at == 41
    press(screen, "left")
    at = screen.at
    screen.add(steps[41], NOW)
    assert screen.at == at


@pytest.mark.parametrize("name", MATCHES)
def test_every_picture_is_filled_exactly(name: str) -> None:
    screen = screen_of(VECTORS / name, later=True)
    press(screen, "tab")
    for columns, rows in ((40, 16), (80, 24), (120, 40), (39, 10)):
        press(screen, "home")
        for _ in range(12):
            lines = screen.render(columns, rows, Look(), NOW)
            assert len(lines) == rows
            assert {width(line) for line in lines} == {columns}
            for _ in range(8):
                screen.press("right", NOW)
    # What is not ASCII is of a name, which is its owner's own affair.
    with (VECTORS / name).open("rb") as file:
        names = "".join(player.name for player in verify(file).players)
    assert {letter for letter in shown(screen, ascii_only=True) if not letter.isascii()} <= set(names)


def test_the_footer_names_keys_that_work_and_the_help_names_all() -> None:
    screen = screen_of(VECTORS / "match-two.nodealer")
    press(screen, "home")
    for key in ("arrows", "updown", "pages", "end"):
        press(screen, "home")
        before = screen.at
        screen.click(f"key {key}", NOW)
        assert screen.at > before, key
    told = " ".join(keys for keys, _ in HELP_KEYS)
    assert all(re.search(rf"(^| ){re.escape(key)}( |$)", told) for key in ("→", "Space", "Tab", "o", "c", "+", "Home"))


async def test_in_a_terminal_read_from_the_file() -> None:
    """The whole way: the file, the thread, the keys of a keyboard, the cells of a terminal."""
    loop = asyncio.get_running_loop()
    reading = Replaying(
        str(VECTORS / "match-ohana.nodealer"),
        lambda call: loop.call_soon_threadsafe(call),
        lambda _: None,
        loop.time,
    )
    reading.start()
    while reading.screen.report is None:
        await asyncio.sleep(0.01)
    assert reading.edition == "lilo-stitch"
    async with emulated(reading.screen) as it:
        await it.press("home", "c")
        assert "challenges" in it.text
        await it.press("v")
        assert "Nobody deals here" in it.text
        await it.press("escape", "end")
        assert "valid and complete." in it.text
        await it.press("q")
        assert reading.screen.wanted == ["quit"]
    assert reading.code == 0


async def test_a_file_that_goes_away_is_told() -> None:
    loop = asyncio.get_running_loop()
    reading = Replaying("/nowhere/at/all", lambda call: loop.call_soon_threadsafe(call), lambda _: None, loop.time)
    reading.start()
    while not reading.screen.model.log:
        await asyncio.sleep(0.01)
    assert "cannot be read" in reading.screen.model.log[-1]
    assert reading.code == 2


@pytest.mark.parametrize(("key", "code"), [("q", 0), ("c-c", 0), ("signal", 143)])
async def test_who_ends_it_is_seen_in_the_exit_code(key: str, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Pressing:
        """A terminal at which somebody presses a key when all has been read."""

        def __init__(self, view: Replay, look: Look, after_input: Callable[[], None], **more: bool) -> None:
            self.view, self.look, self._after_input = view, look, after_input
            self._closed = asyncio.Event()

        async def run(self) -> None:
            while self.view.report is None:
                await asyncio.sleep(0.01)
            self.view.press(key, 0.0)
            self._after_input()
            await asyncio.wait_for(self._closed.wait(), 60)

        def show(self) -> None:
            return

        def close(self) -> None:
            self._closed.set()

    monkeypatch.setattr(replaying, "Terminal", Pressing)
    assert await replaying.run(str(VECTORS / "match-two.nodealer"), Look(), later=False, mouse=False) == code


def test_a_long_match_can_be_gone_back_in() -> None:
    """Going back builds the picture anew: the model never grows with the number of keys pressed."""
    screen = screen_of(VECTORS / "match-two.nodealer")
    press(screen, "end")
    log = list(screen.model.log)
    press(screen, *["left", "right"] * 30)
    assert screen.model.log == log
    assert isinstance(screen.history.steps[-1].state, engine.State)
