"""The whole way from bytes of a keyboard to cells of a terminal: dialogs, resizing, mouse, colours, faults."""

from __future__ import annotations

import asyncio

import pytest
from nodealer import engine
from nodealer.cli.player import Act, Leave, Say
from nodealer.cli.screen.app import target_at
from nodealer.cli.screen.look import Depth, Look
from nodealer.engine import Kind, Seat
from nodealer.p2p import events as p2p

from tests.cli.screen import test_pictures as pictures
from tests.cli.screen.emulator import emulated

DIALOGS = ["colour", "accept", "window", "own_window", "ohana", "first_colour", "drawn", "stack", "opened", "leave",
           "help_", "trust", "scores", "over", "cheat", "chatting"]  # fmt: skip


def stage_now(name: str):
    """A situation whose clock is the loop's, as in a game."""
    pictures.Stage.__init__.__globals__["NOW"] = asyncio.get_running_loop().time()
    return getattr(pictures, name)()


@pytest.mark.parametrize("name", DIALOGS)
async def test_what_is_painted_is_what_was_made_in_every_size(name: str) -> None:
    """Each dialog through sizes down to the smallest, too small, and back; nothing of an old picture stays."""
    stage = stage_now(name)
    machine = stage.screen
    async with emulated(machine) as it:
        for columns, rows in ((80, 24), (120, 40), (40, 16), (30, 10), (80, 24), (57, 19)):
            await it.resize(columns, rows)
            made = "\n".join(
                "".join(span.text for span in line).rstrip()
                for line in machine.render(columns, rows, it.terminal.look, it.terminal.now())
            )
            # The seconds may have moved on between the two.
            assert _still(it.text) == _still(made + "\n"), name


def _still(text: str) -> str:
    return "".join("#" if char.isdigit() or char in "█░" else char for char in text)


async def test_playing_by_keys() -> None:
    stage = stage_now("move")
    async with emulated(stage.screen) as it:
        await it.press("tab", "enter")
        [wish] = stage.screen.wishes()
        assert isinstance(wish, Act)
        assert stage.edition.cards[wish.action.card].label(stage.edition) == "green 5"


async def test_a_wild_with_its_colour() -> None:
    stage = stage_now("move")
    async with emulated(stage.screen) as it:
        await it.press("end", "enter")
        assert "Which colour?" in it.text
        await it.press("escape")
        assert "Which colour?" not in it.text
        await it.press("enter", "y")
        [wish] = stage.screen.wishes()
        assert isinstance(wish, Act)
        assert wish.action.colour == 1


async def test_chat_with_wide_letters_and_a_paste() -> None:
    stage = stage_now("move")
    async with emulated(stage.screen) as it:
        await it.press("/", "h", "é", "猫")
        await it.send("\x1b[200~ and more\nlines\x1b[201~")
        assert "say: hé猫" in it.text.replace("猫 ", "猫")
        await it.press("enter")
        assert stage.screen.wishes() == [Say("hé猫 and more lines")]


async def test_a_window_opens_while_typing() -> None:
    stage = stage_now("move")
    stage.give(p2p.DecisionOver(Kind.MOVE, False))
    async with emulated(stage.screen) as it:
        await it.press("/", "h", "i")
        stage.now = it.terminal.now()
        stage.ask(Kind.WINDOW, 3.0, window=Seat(2))
        await it.settle()
        assert "Bea has one card and did not say UNO." in it.text
        await it.press("f5")
        assert stage.screen.wishes() == [Act(engine.Caught())]
        await it.press("enter")
        assert stage.screen.wishes() == [Say("hi")]


async def test_a_window_runs_down_on_the_screen() -> None:
    stage = stage_now("window")
    async with emulated(stage.screen) as it:
        first = it.text.count("█")
        await asyncio.sleep(0.5)
        assert 0 < it.text.count("█") < first


@pytest.mark.parametrize("name", ["colour", "ohana", "accept", "leave", "chatting", "help_"])
async def test_events_while_a_dialog_is_open(name: str) -> None:
    """The turn clock, a leaver, a reconnect, chat: all are painted, the dialog goes only when its question goes."""
    stage = stage_now(name)
    async with emulated(stage.screen) as it:
        stage.give(p2p.PeerMissing(0, "Ada"))
        await it.settle()
        stage.give(p2p.PeerBack(0, "Ada"), p2p.ChatSaid(0, "Ada", "sorry"))
        stage.facts(engine.SeatGone(Seat(0)))
        await it.settle()
        ask = stage.screen.model.ask
        assert ask is not None
        stage.give(p2p.DecisionOver(ask.kind, True))
        stage.wait("move", 2, turn=2)
        await it.settle()
        if name in ("leave", "help_"):
            await it.press("n" if name == "leave" else "escape")
        elif name == "chatting":
            await it.press("escape")
        assert "Waiting for Bea to play" in it.text
        assert "╭─ " not in it.text


async def test_the_mouse() -> None:
    stage = stage_now("move")
    async with emulated(stage.screen) as it:
        row = next(place for place, line in enumerate(it.glass.display) if "■ green" in line)
        cell = it.glass.display[row].index("•5")
        click = f"\x1b[<0;{cell + 1};{row + 1}M\x1b[<0;{cell + 1};{row + 1}m"
        await it.send(click)
        assert "[•5]" in it.text
        await it.send(click)
        assert len(stage.screen.wishes()) == 1


async def test_leaving_by_ctrl_c_is_asked() -> None:
    stage = stage_now("move")
    async with emulated(stage.screen) as it:
        await it.press("c-c")
        assert "Leave the table for good?" in it.text
        await it.press("y")
        assert stage.screen.wishes() == [Leave()]


@pytest.mark.parametrize("depth", Depth)
async def test_colours_of_the_terminal(depth: Depth) -> None:
    stage = stage_now("move")
    async with emulated(stage.screen, look=Look(depth)) as it:
        used = {(cell.fg, cell.bg) for row in it.glass.buffer.values() for cell in row.values()}
        colours = {colour for pair in used for colour in pair} - {"default"}
        if depth is Depth.NONE:
            assert colours == set()
            assert any(cell.reverse for row in it.glass.buffer.values() for cell in row.values())
        else:
            assert len(colours) >= 5
        if depth is Depth.SIXTEEN:
            assert all(colour.isalpha() for colour in colours)  # names, no numbers
        if depth is Depth.TRUE:
            assert "4ec95f" in colours


async def test_redrawn_on_request() -> None:
    stage = stage_now("move")
    async with emulated(stage.screen) as it:
        before = it.text
        it.glass.reset()
        await it.press("c-l")
        assert _still(it.text) == _still(before)


async def test_a_fault_ends_with_the_terminal_restored() -> None:
    stage = stage_now("move")

    def broken(*args: object) -> None:
        raise ZeroDivisionError("oops")

    raw: list[str] = []

    async def crash() -> None:
        async with emulated(stage.screen) as it:
            stage.screen.render = broken  # type: ignore[assignment]
            it.terminal.show()
            await asyncio.sleep(0.2)
            raw.append(it.out.raw)

    with pytest.raises(ZeroDivisionError):
        await crash()
    assert "\x1b[?1049h" in raw[0]
    assert "\x1b[?1049l" in raw[0]  # back from the alternate screen
    assert "\x1b[?25h" in raw[0][raw[0].rindex("\x1b[?1049l") :]  # with a cursor


def test_where_a_click_lands() -> None:
    from nodealer.cli.screen.text import Span, line

    lines = [line("ab", Span("", "cd", "card 0 1")), line(Span("", "猫", "x"), "y")]
    assert target_at(lines, 0, 1) == ""
    assert target_at(lines, 0, 2) == "card 0 1"
    assert target_at(lines, 1, 1) == "x"
    assert target_at(lines, 5, 0) == ""


async def test_the_lobby_on_a_terminal() -> None:
    hall = pictures.Hall()
    async with emulated(hall.lobby) as it:
        assert "Ada" in it.text
        await it.press("h")
        assert "Open a table" in it.text
        await it.resize(40, 16)
        assert "Open a table" in it.text
        await it.press("escape", "a", *"h:1", "enter")
        assert hall.lobby.wanted == [["join", "h:1"]]
