"""A real terminal multiplexer around the real program, and a player that only reads the screen and presses keys."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


class Tmux:
    """One window of a tmux server of its own, with a program in it."""

    def __init__(
        self, arguments: Sequence[str], columns: int, rows: int, *, job: bool = False, **environment: str
    ) -> None:
        """``job``: start it from an interactive shell, which can have it stopped and go on."""
        self._socket = f"nodealer-{uuid.uuid4().hex[:8]}"
        settings = {"TERM": "tmux-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8", **environment}
        words = ["env", "-u", "NO_COLOR", *(f"{key}={value}" for key, value in settings.items())]
        program = shlex.join([*words, sys.executable, "-m", "nodealer.cli", *arguments])
        # The shell stays for a moment, so that its last words can be read.
        command = f"{program}; echo EXIT $?; sleep 60" if not job else "env PS1='prompt> ' bash --norc -i"
        self._run("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), command)
        if job:
            self.press(program, "Enter")

    def _run(self, *words: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", self._socket, *words], capture_output=True, text=True, cwd=ROOT, timeout=20, check=False
        )
        return done.stdout

    def screen(self) -> str:
        return self._run("capture-pane", "-p")

    def press(self, *keys: str) -> None:
        for key in keys:
            self._run("send-keys", key)

    def resize(self, columns: int, rows: int) -> None:
        self._run("resize-window", "-x", str(columns), "-y", str(rows))

    def wait(self, until: Callable[[str], bool] | str, seconds: float = 30) -> str:
        """The screen as soon as it shows what is waited for."""
        test = (lambda text: until in text) if isinstance(until, str) else until
        end = time.monotonic() + seconds
        while True:
            shown = self.screen()
            if test(shown):
                return shown
            if time.monotonic() > end:
                raise AssertionError(f"not seen in {seconds} s: {until}\n{shown}")
            time.sleep(0.05)

    def close(self) -> None:
        self._run("kill-server")

    def __enter__(self) -> Tmux:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def dealt(shown: str) -> bool:
    """There is a hand; of any size, for a draw two turned up makes it nine, and a bot may have played by now."""
    return re.search(r"Your hand: \d+ card", shown) is not None


class ScreenPlayer:
    """Plays by what stands on the screen alone: the box that is open, and the keys in the two lowest lines."""

    def __init__(self, window: Tmux, *, challenges: bool = False) -> None:
        self.window = window
        self.challenges = challenges
        self.pressed: list[str] = []
        self.pictures: list[str] = []

    def step(self) -> bool:
        """Press what the screen asks for now; True when the match is over."""
        shown = self.window.screen()
        if not self.pictures or self.pictures[-1] != shown:
            self.pictures.append(shown)
        if "The match is over" in shown or "EXIT " in shown:
            return True
        key = self.key(shown)
        if key is not None:
            self.pressed.append(key)
            self.window.press(*key.split())
            end = time.monotonic() + 1.0
            while self.window.screen() == shown and time.monotonic() < end:
                time.sleep(0.03)
        return False

    def key(self, shown: str) -> str | None:
        lines = [line for line in shown.splitlines() if line.strip()]
        if len(lines) < 3:
            return None
        lowest = "\n".join(lines[-3:])
        if "Which colour?" in shown:
            return lines[-1].split()[0] if "choose the colour" in lines[-1] else lines[-2].split()[0]
        if "Ohana: keep four" in shown:
            return "Enter" if "Enter discard" in lowest else "s"
        if "u say UNO now" in lowest:
            return "u"
        if "x catch" in lowest:
            return "x"
        if "e how it ended" in lowest:  # the box was closed by a key meant for another
            return "e"
        if "Esc close" in lowest:
            return "Escape"
        if "a accept" in lowest:
            return "c" if self.challenges else "a"
        if "u play it and say UNO" in lowest:
            return "u"
        for words, key in (("Enter play", "Enter"), ("d draw", "d"), ("k keep", "k"), ("t take", "t"), ("p pass", "p")):
            if words in lowest:
                return key
        return None

    def play(self, seconds: float) -> str:
        """To the end of the match; the last screen."""
        play(seconds, self)
        return how_it_ended(self.window)


def how_it_ended(window: Tmux) -> str:
    """The box that tells it; opened anew where an Escape that was meant for another box has closed it."""
    window.wait(lambda shown: "The match is over" in shown or "e how it ended" in shown, 20)
    time.sleep(0.7)  # an Escape waits half a second for what may follow it
    if "e how it ended" in window.screen():
        window.press("e")
    return window.wait("The match is over", 10)


def play(seconds: float, *players: ScreenPlayer) -> None:
    """All players in turn until the match is over for each."""
    end = time.monotonic() + seconds
    going = list(players)
    while going:
        going = [player for player in going if not player.step()]
        if time.monotonic() > end:
            raise AssertionError("the match has not ended in time\n" + "\n".join(p.window.screen() for p in going))
        time.sleep(0.05)
