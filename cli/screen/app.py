"""The terminal: prompt-toolkit brings keys, mouse, sizes and colours; what to show is made elsewhere (`View`).

The rules of this edge: one full-screen control that paints ready lines; every key goes to the view under a plain name;
a fault in here ends the program with the terminal as it was before.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import sys
from collections.abc import Callable
from typing import Any, Protocol

from prompt_toolkit.application import Application
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Layout, Window
from prompt_toolkit.layout.controls import UIContent, UIControl
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType
from prompt_toolkit.output import Output
from prompt_toolkit.styles import DynamicStyle, Style

from .look import Look
from .text import Line, width

# Between two looks at the clock while something runs down, and while nothing does.
QUICK_S, SLOW_S = 0.1, 0.5
# A lone Esc is told from the beginning of a longer sequence by the time after it.
ESCAPE_S = 0.05
# No more frames a second than this, however much happens.
FRAME_S = 1 / 100
SWITCH_S = 0.0005

NAMES = {"c-m": "enter", "c-j": "enter", "c-i": "tab", "c-h": "backspace"}


class View(Protocol):
    """What the terminal shows: keys in, a picture out."""

    bells: int

    def press(self, key: str, now: float) -> None: ...
    def paste(self, text: str) -> None: ...
    def click(self, target: str, now: float) -> None: ...
    def tick(self, now: float) -> None: ...
    def hurries(self) -> bool:
        """Whether something on the screen runs down."""

    def render(self, columns: int, rows: int, look: Look, now: float) -> list[Line]: ...


class Surface(UIControl):
    """The lines of the present view, as prompt-toolkit wants them."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._lines: list[Line] = []

    def create_content(self, width: int, height: int) -> UIContent:
        self._lines = self._terminal.picture(width, height)
        lines = [[(classes(span.style), span.text) for span in each] for each in self._lines]
        return UIContent(get_line=lambda at: lines[at], line_count=len(lines), show_cursor=False)  # type: ignore[arg-type,return-value]

    def is_focusable(self) -> bool:
        return True

    def mouse_handler(self, mouse_event: MouseEvent) -> None:
        if mouse_event.event_type is MouseEventType.MOUSE_UP:
            place = mouse_event.position
            self._terminal.clicked(target_at(self._lines, place.y, place.x))
        elif mouse_event.event_type in (MouseEventType.SCROLL_UP, MouseEventType.SCROLL_DOWN):
            self._terminal.pressed("up" if mouse_event.event_type is MouseEventType.SCROLL_UP else "down", wheel=True)


def classes(style: str) -> str:
    """Style words as prompt-toolkit's classes."""
    return " ".join(f"class:{word}" for word in style.split())


def target_at(lines: list[Line], row: int, cell: int) -> str:
    """What a click on this cell means."""
    if not 0 <= row < len(lines):
        return ""
    at = 0
    for span in lines[row]:
        at += width(span.text)
        if cell < at:
            return span.target
    return ""


class Terminal:
    """The full screen. ``view`` may be replaced at any time; ``after_input`` is called after every key and click."""

    def __init__(
        self,
        view: View,
        look: Look,
        after_input: Callable[[], None],
        *,
        mouse: bool = True,
        bell: bool = True,
        input: Input | None = None,
        output: Output | None = None,
    ) -> None:
        self.view = view
        self.look = look
        self._after_input = after_input
        self._bell = bell
        self._bells = view.bells
        self._fault: BaseException | None = None
        self._style = Style.from_dict(dict(look.rules()))
        self._styled = look
        self._app: Application[Any] = Application(
            layout=Layout(Window(Surface(self), always_hide_cursor=True)),
            key_bindings=self._bindings(),
            style=DynamicStyle(self._styles),
            full_screen=True,
            mouse_support=mouse,
            color_depth=look.depth.toolkit,
            min_redraw_interval=FRAME_S,
            input=input,
            output=output,
        )
        self._app.ttimeoutlen = ESCAPE_S
        self._app.timeoutlen = ESCAPE_S

    async def run(self) -> None:
        """Until ``close``; raises what went wrong in here, with the terminal restored."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._broken)
        beat = loop.create_task(self._beat())
        # A frame makes thousands of small objects: without this, one in fifteen frames waits for a look through
        # everything that was ever imported (25 ms).
        gc.freeze()
        # Checking a proof is many short steps of the match's thread: it shall hand over soon when a key comes.
        sys.setswitchinterval(SWITCH_S)
        with contextlib.ExitStack() as undo:
            for number in (signal.SIGTERM, getattr(signal, "SIGHUP", None)):
                if number is not None:
                    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                        loop.add_signal_handler(number, self.pressed, "signal")
                        undo.callback(loop.remove_signal_handler, number)
            try:
                await self._app.run_async(set_exception_handler=False)
            finally:
                beat.cancel()
        if self._fault is not None:
            raise self._fault

    def close(self) -> None:
        """End ``run``."""
        if self._app.is_running and not self._app.future.done():  # type: ignore[union-attr]
            self._app.exit()

    def show(self) -> None:
        """Something has changed: paint when there is time."""
        if self._bell and self.view.bells != self._bells:
            self._app.output.bell()
        self._bells = self.view.bells
        self._app.invalidate()

    def paint(self) -> None:
        """Paint now, for measuring."""
        self._app._redraw()

    @property
    def painted(self) -> int:
        """How many frames were painted."""
        return self._app.render_counter

    def picture(self, columns: int, rows: int) -> list[Line]:
        """The view's lines for this size."""
        return self.view.render(columns, rows, self.look, self.now())

    def pressed(self, key: str, *, wheel: bool = False) -> None:
        """A key for the view."""
        if not wheel or getattr(self.view, "scrolls", lambda: False)():
            self.view.press(key, self.now())
            self._after_input()
            self.show()

    def clicked(self, target: str) -> None:
        if target:
            self.view.click(target, self.now())
            self._after_input()
            self.show()

    @staticmethod
    def now() -> float:
        return asyncio.get_running_loop().time()

    def _styles(self) -> Style:
        if self._styled != self.look:
            self._styled, self._style = self.look, Style.from_dict(dict(self.look.rules()))
        return self._style

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()

        @bindings.add(Keys.Any)
        def _(event: KeyPressEvent) -> None:
            key = event.key_sequence[0].key
            name = key.value if isinstance(key, Keys) else key
            self.pressed(NAMES.get(name, name))

        @bindings.add(Keys.BracketedPaste)
        def _(event: KeyPressEvent) -> None:
            self.view.paste(event.data)
            self.show()

        @bindings.add("c-l")
        def _(event: KeyPressEvent) -> None:
            event.app.renderer.clear()

        @bindings.add("c-z")
        def _(event: KeyPressEvent) -> None:
            event.app.suspend_to_background()

        return bindings

    async def _beat(self) -> None:
        """Let the clocks on the screen run."""
        while True:
            await asyncio.sleep(QUICK_S if self.view.hurries() else SLOW_S)
            self.view.tick(self.now())
            self.show()

    def _broken(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        fault = context.get("exception")
        if self._fault is None:
            self._fault = fault if isinstance(fault, Exception) else RuntimeError(str(context.get("message")))
        self.close()
