"""Stepping through a transcript on the full screen: the spectator's picture, moved by keys instead of by the network.

Steps come from the verifier (`history.py`), which runs ahead in a thread of its own: what can be looked at has been
checked, and where a check fails the steps end with the fault. Going back builds the picture anew from the first step.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from nodealer import engine
from nodealer.p2p.verify import Report, Status

from ..history import History, Step
from ..verify import told
from ..words import count
from .commands import Command
from .model import Glance, Model
from .spectator import Below, Onlooker, verified

# Events a second while it plays by itself.
SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0)

HELP = (
    "Every step you see was verified a moment ago by this program, from the file alone. Hidden cards stay hidden until "
    "the player shows them; o also shows those that become known later in this transcript.",
)
HELP_KEYS = (
    ("← →", "the event before, the next event"),
    ("↑ ↓", "the turn before, the next turn"),
    ("PgUp Dn", "the round before, the next round"),
    ("c C", "the next challenge of a wild draw four, the one before"),
    ("Space", "play by itself, pause"),
    ("+ -", "faster, slower"),
    ("Home End", "the beginning, the end (or the fault)"),
    ("Tab", "look at the hand of the next seat, as far as it was shown"),
    ("o", "show cards of hands that become known later, or hide them again"),
    ("v g l m", "trust: what was proven; scores; the whole log; all chat"),
    ("q", "back"),
)
COMMANDS = (
    Command("arrows", "event"),
    Command("updown", "turn"),
    Command("pages", "round"),
    Command("space", "play"),
    Command("tab", "hand"),
    Command("c", "challenge"),
    Command("end", "end"),
)


class Replay(Onlooker):
    """The machine of a replay. ``title`` is the file's name; ``later`` begins with the cards known later shown."""

    help, help_keys = HELP, HELP_KEYS

    def __init__(self, title: str, *, later: bool = False) -> None:
        super().__init__()
        self.title = title
        self.history = History()
        self.report: Report | None = None
        self.at = 0
        self.eyes: int | None = None
        self.later = later
        self.playing = False
        self.speed = 1
        self._next_at = 0.0
        self._to_end = False

    # What the verifier brings

    def add(self, step: Step, now: float) -> None:
        """One more verified step."""
        self.history.take(step)
        if self._to_end or (self.at == 0 and self.history.stops):
            self._go(len(self.history.steps) if self._to_end else self.history.stops[0] + 1, now)

    def finish(self, report: Report) -> None:
        """The whole file has been read."""
        self.report = report
        self._to_end = False

    # Moving about

    def _go(self, to: int, now: float) -> None:
        """Stand after so many steps."""
        to = max(0, min(to, len(self.history.steps)))
        if to < self.at:
            self.model = Model()
            self.at = 0
        for step in self.history.steps[self.at : to]:
            for event in step.events:
                self.model.take(event, now)
        self.at = to
        self._look(now)

    def _look(self, now: float) -> None:
        """Show the state, and the hand that is looked at, after the last step."""
        if self.at == 0:
            return
        step = self.history.steps[self.at - 1]
        state = step.state
        if state is None:
            return
        if self.eyes is not None and self.eyes >= len(state.hands):
            self.eyes = None
        seat = None if self.eyes is None else engine.Seat(self.eyes)
        known = {} if seat is None else dict(self.history.known(self.at - 1, seat, later=self.later))
        self.model.take(Glance(engine.view(state, seat, known), (), step.slot, step.digest, step.entries), now)

    def _forward(self, marks: Sequence[int], now: float, *, or_end: bool = False) -> bool:
        """To the next of these steps; whether there was one."""
        place = bisect_left(marks, self.at)
        if place >= len(marks):
            if or_end:
                self._go(len(self.history.steps), now)
            return False
        self._go(marks[place] + 1, now)
        return True

    def _back(self, marks: Sequence[int], now: float) -> None:
        place = bisect_left(marks, self.at - 1) - 1
        first = self.history.stops[0] + 1 if self.history.stops else 0
        self._go(marks[place] + 1 if place >= 0 else first, now)

    def own_key(self, key: str, now: float) -> bool:
        history = self.history
        self._to_end = False
        if key not in (" ", "+", "-", "tab", "s-tab", "o"):
            self.playing = False
        match key:
            case "right" | "arrows" | "enter":
                self._forward(history.stops, now)
            case "left" | "backspace":
                self._back(history.stops, now)
            case "down" | "updown":
                self._forward(history.turns, now, or_end=True)
            case "up":
                self._back(history.turns, now)
            case "pagedown" | "pages":
                self._forward(history.rounds, now, or_end=True)
            case "pageup":
                self._back(history.rounds, now)
            case "c":
                if not self._forward(history.challenges, now):
                    self._say("No further challenge of a wild draw four.")
            case "C":
                if self._before(history.challenges):
                    self._back(history.challenges, now)
                else:
                    self._say("No earlier challenge of a wild draw four.")
            case "home":
                self._go(history.stops[0] + 1 if history.stops else 0, now)
            case "end":
                self._go(len(history.steps), now)
                self._to_end = self.report is None
            case " ":
                self.playing = not self.playing
                self._next_at = now
            case "+" | "=":
                self.speed = min(self.speed + 1, len(SPEEDS) - 1)
            case "-":
                self.speed = max(self.speed - 1, 0)
            case "tab" | "s-tab":
                self._other_eyes(1 if key == "tab" else -1, now)
            case "o":
                self.later = not self.later
                self._look(now)
            case _:
                return False
        return True

    def press(self, key: str, now: float) -> None:
        self._front = replace(self._front, hint="")
        super().press(key, now)

    def _before(self, marks: Sequence[int]) -> bool:
        return bisect_left(marks, self.at - 1) > 0

    def _say(self, sentence: str) -> None:
        self._front = replace(self._front, hint=sentence)

    def _other_eyes(self, step: int, now: float) -> None:
        made = self.model.made
        if made is None:
            return
        places: list[int | None] = [None, *range(len(made.players))]
        self.eyes = places[(places.index(self.eyes) + step) % len(places)]
        self._look(now)

    # Time

    def hurries(self) -> bool:
        return self.playing

    def tick(self, now: float) -> None:
        """Play on, when it is time."""
        if not self.playing or now < self._next_at:
            return
        self._next_at = now + 1 / SPEEDS[self.speed]
        if not self._forward(self.history.stops, now) and self.report is not None:
            self.playing = False

    # The picture

    def below(self, now: float) -> Below:
        steps = len(self.history.stops)
        place = bisect_left(self.history.stops, self.at)
        more = "" if self.report is not None else "+"
        speed = f"{SPEEDS[self.speed]:g}x "
        right = f"{speed if self.playing else ''}{place}/{steps}{more}"
        slot = "" if self.at == 0 else f"slot {self.history.steps[self.at - 1].slot}"
        commands: tuple[Command, ...] = COMMANDS
        if self.playing:
            commands = tuple(replace(one, words="pause") if one.key == "space" else one for one in commands)
        return Below(
            heading=f"Replay of {self.title}",
            right=slot,
            notes=(verified(self.model)[0], self._file()),
            status=self._ended() if self.at == len(self.history.steps) else None,
            status_right=right,
            commands=commands,
        )

    def _file(self) -> str:
        """What is known of the whole file by now."""
        if self.report is None:
            return f"Reading and verifying ahead: {count(len(self.history.steps), 'slot')} so far."
        return f"The whole file: {' '.join(told(self.report)[: 2 if self.report.check else 1])}"

    def _ended(self) -> tuple[str, str] | None:
        """At the end: what the verifier says of the transcript."""
        report = self.report
        if report is None:
            return "Verifying …", "note"
        style = {Status.COMPLETE: "good", Status.UNFINISHED: "warn"}.get(report.status, "bad")
        return report.sentence, style
