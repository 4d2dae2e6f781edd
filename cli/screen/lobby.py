"""The lobby: tables found, joining by address, opening a table, playing bots. Keys in, command lines out.

What the person chooses becomes the same command line that could have been typed (``nodealer host --seats 3 …``), so the
lobby can do nothing that the command cannot.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nodealer.engine import EDITIONS
from nodealer.p2p.net.records import TableInfo
from nodealer.p2p.passphrase import MAX_PASSPHRASE, Passphrase

from ..doctor import Check
from ..exits import Complaint
from ..join import parse_address
from ..json_text import from_json
from ..names import checked_name
from ..passphrase import checked
from ..resuming import Waiting
from ..rulebook import rules
from ..words import count, listed
from .boxes import Box, Close, Do, Reading, framed, ruled
from .commands import Command
from .editor import Editor
from .look import Glyphs, Look
from .table import BOX, ROOMY, SMALLEST, key_spans, too_small
from .text import Line, Span, cut_text, fill, fit, line, over, paragraphs, spread, width, wrapped

CLOCKS = (0, 30, 60, 120, 300)
NAMES = tuple(EDITIONS)
LABELS = {"name": "your name: ", "address": "host:port: ", "passphrase": "passphrase: "}


@dataclass(slots=True)
class Choice:
    """What a table is to be like; kept for the next time."""

    edition: str = "four-colors"
    seats: int = 4
    bots: int = 0
    target: int = 250
    stacking: bool = False
    clock: int = 60
    locked: bool = False
    """Whether a passphrase is asked for; the passphrase itself is not kept."""

    @classmethod
    def load(cls, text: str | None) -> Choice:
        """What was kept; what makes no sense any more is as good as nothing."""
        try:
            value = from_json(text or "{}")
            if not isinstance(value, dict):
                raise ValueError("not a table")
            choice = cls(**value)
            choice.settle()
        except (ValueError, TypeError):
            return cls()
        return choice

    def dump(self) -> str:
        return json.dumps({name: getattr(self, name) for name in self.__slots__})

    def settle(self) -> None:
        """Keep it possible: an edition bounds seats and targets."""
        if self.edition not in EDITIONS or not all(type(v) is int for v in (self.seats, self.bots, self.target)):
            raise ValueError("not a table")
        edition = EDITIONS[self.edition]
        self.seats = max(edition.min_seats, min(self.seats, edition.max_seats))
        self.bots = max(0, min(self.bots, self.seats - 1))
        if self.target not in edition.targets:
            self.target = edition.default_target
        self.stacking = bool(self.stacking) and edition.stacking
        self.locked = bool(self.locked)
        if self.clock not in CLOCKS:
            self.clock = 60

    def options(self) -> list[str]:
        """The table as words of a command line."""
        words = [f"--edition={self.edition}", f"--target={self.target}", f"--turn-clock={self.clock}"]
        return [*words, "--stacking"] if self.stacking else words


@dataclass(slots=True)
class Form:
    """Fields with one value each; left and right change the chosen one, Enter is done."""

    choice: Choice
    alone: bool
    at: int = 0
    title: str = ""
    answers: bool = False

    def __post_init__(self) -> None:
        self.title = "Play against bots" if self.alone else "Open a table"

    def fields(self) -> list[tuple[str, str, str]]:
        """(name, label, value in words)"""
        choice, edition = self.choice, EDITIONS[self.choice.edition]
        target = f"{choice.target} points" if choice.target else "one hand"
        found = [("edition", "Game", edition.title)]
        if self.alone:
            found.append(("bots", "Bots", str(choice.bots)))
        else:
            found += [("seats", "Seats", str(choice.seats)), ("bots", "of them bots", str(choice.bots))]
        found.append(("target", "To", target))
        if edition.stacking:
            found.append(("stacking", "Stacking", "on" if choice.stacking else "off"))
        found.append(("clock", "Turn clock", f"{choice.clock} s" if choice.clock else "none"))
        if not self.alone:
            found.append(("locked", "Passphrase", "yes" if choice.locked else "none"))
        return found

    def lines(self, glyphs: Glyphs, cells: int, height: int) -> list[Line]:
        shown: list[Line] = []
        for place, (_, label, value) in enumerate(self.fields()):
            chosen = place == self.at
            value = f"{glyphs.left} {value} {glyphs.right}" if chosen else f"  {value}  "
            mark = f" {glyphs.turn} " if chosen else "   "
            style = "asked" if chosen else ""
            shown.append(
                line(Span(style, mark + label.ljust(14), f"pick {place}"), Span(style, value, f"pick {place}"))
            )
        return shown[-height:] if self.at >= height else shown[:height]

    def keys(self) -> list[Command]:
        return [
            Command("arrows", "change"),
            Command("enter", "deal" if self.alone else "open it"),
            Command("esc", "back"),
            Command("updown", "line"),
        ]

    def press(self, key: str) -> Do | Close | None:
        fields = self.fields()
        match key:
            case "escape":
                return Close()
            case "enter":
                return Do("play" if self.alone else "host")
            case "up" | "s-tab":
                self.at = (self.at - 1) % len(fields)
            case "down" | "tab" | "updown":
                self.at = (self.at + 1) % len(fields)
            case "left":
                self._change(fields[self.at][0], -1)
            case "right" | " " | "arrows":
                self._change(fields[self.at][0], 1)
        return None

    def click(self, target: str) -> None:
        word, _, place = target.partition(" ")
        if word == "pick":
            if self.at == int(place):
                self.press("right")
            self.at = int(place)

    def _change(self, name: str, step: int) -> None:
        choice, edition = self.choice, EDITIONS[self.choice.edition]
        match name:
            case "edition":
                choice.edition = NAMES[(NAMES.index(choice.edition) + step) % len(NAMES)]
                choice.target = EDITIONS[choice.edition].default_target
            case "seats":
                choice.seats += step
            case "bots" if self.alone:
                choice.bots = max(1, min(choice.bots + step, edition.max_seats - 1))
                choice.seats = choice.bots + 1
            case "bots":
                choice.bots += step
            case "target":
                targets = edition.targets
                choice.target = targets[(targets.index(choice.target) + step) % len(targets)]
            case "stacking":
                choice.stacking = not choice.stacking
            case "locked":
                choice.locked = not choice.locked
            case "clock":
                choice.clock = CLOCKS[(CLOCKS.index(choice.clock) + step) % len(CLOCKS)]
        choice.settle()


@dataclass(slots=True)
class Lobby:
    """What is known before a table. ``wanted`` collects command lines to be run, and "quit".

    ``passphrase`` belongs to the command line that is wanted: it is never one of its words.
    """

    name: str
    fingerprint: str = ""
    hosting: Choice = field(default_factory=Choice)
    alone: Choice = field(default_factory=lambda: Choice(bots=3))
    tables: Sequence[TableInfo] = ()
    unfinished: Waiting | None = None
    strangers: frozenset[bytes] = frozenset()
    trouble: str = ""
    checks: list[Check] = field(default_factory=list)
    checked: bool = False
    note: str = ""
    bells: int = 0
    wanted: list[list[str]] = field(default_factory=list)
    changed_name: str | None = None
    at: int = 0
    box: Box | None = None
    typing: Editor | None = None
    asking: str = ""
    last_address: str = ""
    passphrase: Passphrase | None = None
    _for: list[str] = field(default_factory=list)

    # What the person does

    def press(self, key: str, now: float) -> None:
        if key in ("signal", "c-c"):
            self.wanted.append(["quit"])
        elif self.typing is not None:
            self._type(self.typing, key)
        elif self.box is not None:
            self._reply(self.box.press(key))
        else:
            self.note = ""
            self._press(key)

    def _press(self, key: str) -> None:
        match key:
            case "up" | "s-tab":
                self.at -= 1
            case "down" | "tab" | "updown":
                self.at += 1
            case "enter" if self.tables:
                self._join(self.tables[self._place()])
            case "c" if self.unfinished is not None:
                self._open(self.unfinished.command)
            case "p":
                self.alone.bots = max(self.alone.bots, 1)
                self.box = Form(self.alone, alone=True)
            case "h":
                self.box = Form(self.hosting, alone=False)
            case "a":
                self._ask("address", self.last_address, 80)
            case "n":
                self._ask("name", self.name, 96)
            case "d":
                self.box = Reading("Doctor", self._doctor, own_key="d")
            case "r":
                self.box = Reading("Rules", self._rules, own_key="r")
            case "?" | "f1":
                self.box = Reading("Help", self._help, own_key="?")
            case "q":
                self.wanted.append(["quit"])
        if self.tables:
            self.at = self._place()

    def _place(self) -> int:
        return self.at % len(self.tables) if self.tables else 0

    def _ask(self, what: str, text: str, limit: int) -> None:
        self.asking, self.typing = what, Editor(text, limit=limit, hidden=what == "passphrase")

    def ask_passphrase(self, words: list[str]) -> None:
        """Have a passphrase typed for this command line, and want it then."""
        self._for = words
        self._ask("passphrase", "", MAX_PASSPHRASE)

    def _type(self, typing: Editor, key: str) -> None:
        if key == "escape":
            self.typing, self.note = None, ""
        elif key != "enter":
            typing.press(key)
        else:
            try:
                self._typed(typing.text.strip())
            except Complaint as complaint:
                self.note = complaint.sentence

    def _typed(self, text: str) -> None:
        if self.asking == "name":
            self.name = self.changed_name = checked_name(text)
        elif self.asking == "passphrase":
            self.passphrase = checked(text)
            self.wanted.append(self._for)
        else:
            if parse_address(text) is None:
                raise Complaint("An address is HOST:PORT, as the host's screen shows it.")
            self.last_address = text
            self.wanted.append(["join", text])
        self.typing, self.note = None, ""

    def _reply(self, reply: object) -> None:
        match reply:
            case Close():
                self.box = None
            case Do(what=command):
                self.box = None
                self._open(command)

    def _open(self, command: str) -> None:
        """A table as the forms describe it; an unfinished match of this command goes on instead."""
        if command == "join":
            self.wanted.append(["join"])
        elif command == "play":
            self.wanted.append(["play", f"--bots={self.alone.bots}", *self.alone.options()])
        else:
            seats = [f"--seats={self.hosting.seats}", f"--bots={self.hosting.bots}"]
            words = ["host", *seats, *self.hosting.options()]
            if self.hosting.locked:
                self.ask_passphrase(words)
            else:
                self.wanted.append(words)

    def _join(self, table: TableInfo) -> None:
        if not table.open:
            self.note = f"{table.host}'s table is full, or has begun."
        else:
            host, port = table.address
            words = ["join", f"[{host}]:{port}" if ":" in host else f"{host}:{port}"]
            if table.passphrase:
                self.ask_passphrase(words)
            else:
                self.wanted.append(words)

    def paste(self, text: str) -> None:
        if self.typing is not None:
            self.typing.insert(text)

    def click(self, target: str, now: float) -> None:
        word, _, rest = target.partition(" ")
        if word == "key":
            self.press(rest, now)
        elif self.box is not None:
            self._reply(self.box.click(target))
        elif word == "table":
            if self._place() == int(rest):
                self._press("enter")
            self.at = int(rest)

    def tick(self, now: float) -> None:
        """Nothing runs down here."""

    def hurries(self) -> bool:
        return False

    def scrolls(self) -> bool:
        return isinstance(self.box, Reading)

    # What it looks like

    def render(self, columns: int, rows: int, look: Look, now: float) -> list[Line]:
        """Exactly ``rows`` lines of ``columns`` cells."""
        if columns < SMALLEST[0] or rows < SMALLEST[1]:
            return too_small(columns, rows)
        glyphs = look.glyphs
        footer = self._footer(glyphs, columns)
        body = fill(self._list(glyphs, columns), rows - 2 - len(footer), columns)
        if self.box is not None:
            cells = min(BOX if columns < 100 else 76, columns)
            inside = self.box.lines(glyphs, cells - 4, len(body) - 2)[: len(body) - 2]
            made = framed(self.box.title, inside, glyphs, cells)
            body = over(body, made, max((len(body) - len(made)) // 2, 0), (columns - cells) // 2)
        who = f"you are {self.name} "
        if self.fingerprint and columns >= ROOMY[0]:
            who = f"you are {self.name} ({self.fingerprint}) "
        title = spread(line(Span("title", " nodealer")), line(Span("note", who)), columns)
        status = fit(line(" ", Span("warn", cut_text(self.note, columns - 2, glyphs.more))), columns)
        return [title, *body, status, *footer]

    def _list(self, glyphs: Glyphs, columns: int) -> list[Line]:
        shown: list[Line] = []
        if self.unfinished is not None:
            told = f"Your match with {listed(self.unfinished.others)} is not over: c goes on with it, in the same seat."
            shown = [ruled("Unfinished match", glyphs, columns)]
            shown += [line(" ", *row) for row in paragraphs((told,), columns - 2, "asked")]
        shown.append(ruled("Tables on this network", glyphs, columns, count(len(self.tables), "table")))
        for place, table in enumerate(self.tables):
            shown += self._row(place, table, glyphs, columns)
        if not self.tables:
            shown += [(), *(line(" ", *row) for row in self._nothing(glyphs, columns - 2))]
        return shown

    def _row(self, place: int, table: TableInfo, glyphs: Glyphs, columns: int) -> list[Line]:
        """A table in one line, or in two on a small screen."""
        chosen, aim = place == self._place(), f"table {place}"
        mark = f" {glyphs.turn} " if chosen else "   "
        style = "asked" if chosen else "" if table.open else "dim"
        edition = EDITIONS.get(table.edition)
        game = cut_text(edition.title if edition is not None else table.edition, 16, glyphs.more)
        taken = f"{table.taken}/{table.seats}" + ("" if table.open else " full")
        lock = Span("warn", "locked ", aim) if table.passphrase else Span("", "")
        stranger = Span("warn", "another key! ", aim) if table.key in self.strangers else Span("", "")
        name = cut_text(table.host, 14, glyphs.more)
        head = line(Span(style, mark + name + " " * (15 - width(name)), aim), Span(style, f"{game:17}{taken:11}", aim))
        tail = line(lock, stranger, Span("note", table.fingerprint, aim))
        if columns >= ROOMY[0]:
            return [fit((*head, *tail), columns)]
        return [fit(head, columns), fit((Span("", "     "), *tail), columns)]

    def _nothing(self, glyphs: Glyphs, columns: int) -> list[Line]:
        """No table: what can be done, and the checks of the doctor right here."""
        told = (
            "No table is open here yet. Play against bots at once with p, open a table for your friends with h, or "
            "join one by its address with a.",
        )
        shown = paragraphs(told, columns)
        if self.trouble:
            shown += [(), *paragraphs((self.trouble,), columns, "warn")]
        shown += [(), line(Span("head", "Would a table be found here?"))]
        return [*shown, *self._doctor(glyphs, columns)]

    def _doctor(self, glyphs: Glyphs, columns: int) -> list[Line]:
        shown: list[Line] = []
        for check in self.checks:
            style = {True: "good", False: "bad", None: "note"}[check.good]
            mark = {True: glyphs.tick, False: "!", None: glyphs.dot}[check.good]
            rows = wrapped(f"{check.what}: {check.found}", columns - 2)
            shown.append(line(Span(style, mark), " ", rows[0]))
            shown += [line("  ", row) for row in rows[1:]]
            if check.advice and check.good is not True:
                shown += [line("  ", Span("note", row)) for row in wrapped(check.advice, columns - 2)]
        if not self.checked:
            shown.append(line(Span("dim", f"checking {glyphs.more}")))
        return shown

    def _rules(self, glyphs: Glyphs, cells: int) -> list[Line]:
        edition = EDITIONS[self.tables[self._place()].edition if self.tables else self.hosting.edition]
        shown: list[Line] = []
        for paragraph in rules(edition):
            item = paragraph.startswith("- ")
            shown += paragraphs((paragraph,), cells, "" if item else "head", "  " if item else "")
        return shown

    def _help(self, glyphs: Glyphs, cells: int) -> list[Line]:
        return paragraphs(
            (
                "Everybody at a table runs this program on a machine of the same network; nobody is the server. One "
                "opens a table with h, the others see it here and press Enter, or join by the address that the host's "
                "screen shows.",
                "The four words beside a name are the fingerprint of its key: compare them aloud, and nobody can sit "
                "down under a friend's name. At a locked table nobody sits down without its passphrase.",
                "p plays against bots on this machine alone: nothing is announced, no network is needed.",
            ),
            cells,
        )

    def _footer(self, glyphs: Glyphs, columns: int) -> list[Line]:
        if self.typing is not None:
            label = LABELS[self.asking]
            typed = line(" ", Span("key", label), *self.typing.shown(columns - len(label) - 3))
            return [fit(typed, columns), _keys([Command("enter", "done"), Command("esc", "back")], glyphs, columns)]
        if self.box is not None:
            return [_keys(self.box.keys(), glyphs, columns), fit((), columns)]
        first = [Command("enter", "join"), Command("updown", "choose")] if self.tables else []
        first += [Command("p", "play bots"), Command("h", "host a table"), Command("a", "join by address")]
        second = [Command("?", "help"), Command("q", "quit"), Command("n", "name"), Command("d", "doctor")]
        second.append(Command("r", "rules"))
        if self.unfinished is not None:
            second.insert(0, Command("c", "go on with your match"))
        return [_keys(first, glyphs, columns), _keys(second, glyphs, columns, dim=True)]


def _keys(commands: Sequence[Command], glyphs: Glyphs, columns: int, *, dim: bool = False) -> Line:
    row: Line = line(" ")
    for command in commands:
        item = key_spans(command, glyphs, dim=dim)
        if width(row) + width(item) + 2 > columns:
            break
        row = (*row, *item, Span("", "  "))
    return fit(row, columns)


def table_defaults(settings: Mapping[str, str | None]) -> tuple[Choice, Choice]:
    """The kept choices for hosting and for playing bots."""
    alone = Choice.load(settings.get("alone")) if settings.get("alone") else Choice(bots=3)
    return Choice.load(settings.get("hosting")), alone
