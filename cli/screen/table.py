"""The picture of the table: a pure function of the model, the size and the time, to exactly as many lines as there are.

Two layouts: the roomy one from 72x22 up (players and chat at the left, pile and log at the right), and a small one down
to 40x16. Below that one line says so.
"""

from __future__ import annotations

from dataclasses import dataclass

from nodealer.engine import EDITIONS, Edition, Handle, Kind

from .. import bluff
from ..narrator import goal
from ..plain import question
from ..words import WAITS, count
from . import panels
from .boxes import Box, framed, ruled
from .commands import Command, always, decisions, steering
from .editor import Editor
from .faces import colour_name, picture, short
from .hand import HandLook, hand_rows
from .look import Glyphs, Look
from .model import Model
from .seats import direction, seat_flow, seat_rows, waiting_room, waiting_rows
from .text import EMPTY, Line, Span, cut_text, fill, fit, line, over, spread, width, wrapped

SMALLEST = (40, 16)
ROOMY = (72, 22)
BOX = 62
FOOTER = 2
CLOCK_SHOWN_BELOW_S = 3600


@dataclass(frozen=True, slots=True)
class Front:
    """What lies in front of the model: the chosen card, an open box, a line being typed, a sentence to be read."""

    cursor: Handle | None = None
    box: Box | None = None
    typing: Editor | None = None
    hint: str = ""
    window_hidden: bool = False


def render(model: Model, front: Front, columns: int, rows: int, look: Look, now: float) -> list[Line]:
    """Exactly ``rows`` lines of ``columns`` cells."""
    return Paint(model, front, columns, look, now).frame(rows)


def too_small(columns: int, rows: int) -> list[Line]:
    """The one line for a window that is too small."""
    told = f"Make the window {SMALLEST[0]}x{SMALLEST[1]} or larger."
    return fill([line(row) for row in wrapped(told, max(columns, 1))], max(rows, 1), max(columns, 1))


class Paint:
    """One frame, from the eyes of a player; a spectator's differs in the hand and in the lowest lines."""

    def __init__(self, model: Model, front: Front, columns: int, look: Look, now: float) -> None:
        self.model = model
        self.front = front
        self.columns = columns
        self.glyphs: Glyphs = look.glyphs
        self.now = now
        options = model.options
        self.edition: Edition = EDITIONS[options.edition if options is not None else look.edition]

    # Layouts

    def frame(self, rows: int) -> list[Line]:
        """The layout that fits."""
        if self.columns < SMALLEST[0] or rows < SMALLEST[1]:
            return too_small(self.columns, rows)
        return self.roomy(rows) if self.columns >= ROOMY[0] and rows >= ROOMY[1] else self.small(rows)

    def roomy(self, rows: int) -> list[Line]:
        columns, glyphs = self.columns, self.glyphs
        hand = self.hand(min(5 if rows < 30 else 8, rows - 17))
        hand = fill(hand, max(len(hand), 5 if rows >= 24 else 3), columns)
        above = rows - 1 - 1 - len(hand) - 1 - FOOTER
        left = columns // 2 if columns < 100 else 50
        if self.model.made is None:  # the words of the keys are read aloud here: they must be whole
            left = max(left, waiting_room(self.model))
        right = columns - left - 1
        seats = [self.seats_heading(left), *self.seats(left)]
        chat_room = above - len(seats) - 1
        west = fill(seats, above, left)
        if chat_room >= 1 and self.model.made is not None:
            west = fill([*seats, ruled("Chat", glyphs, left), *self.chat(left, chat_room)], above, left)
        pile = self.deck_or_pile(right) if self.model.made is not None else []
        log_room = above - len(pile) - (2 if pile else 1)
        east = [ruled("Pile" if self.model.making is None else "Deck", glyphs, right), *pile] if pile else []
        east += [ruled("Log", glyphs, right), *self.log(right, log_room)]
        gap = [line(Span("rule", glyphs.down))] * above
        body = [(*a, *b, *c) for a, b, c in zip(west, gap, fill(east, above, right), strict=True)]
        body = self.with_box(body, below=hand)
        if len(body) > above:  # the box needed the hand's place too
            hand = body[above + 1 :]
            body, held = body[:above], body[above]
        else:
            held = self.hand_heading()
        # The footer is made last: an open box knows its keys when it is drawn.
        return [self.title(), *body, held, *hand, self.status(), *self.footer(FOOTER)]

    def small(self, rows: int) -> list[Line]:
        columns, glyphs = self.columns, self.glyphs
        status = self.status_lines(2)
        hand = self.hand(min(5, rows - 11))
        above = rows - 1 - 1 - len(hand) - len(status) - FOOTER
        seats = seat_flow(self.model, glyphs, columns, 3, self.now)
        top = [self.pile_line(), *[fit(row, columns) for row in seats]]
        if self.model.made is None:
            top = [self.seats_heading(columns), *self.seats(columns)][: above - 2]
        if self.model.making is not None:
            top = [*self.making_lines(columns)[:2], *top[1:]]
        said = self.chat(columns, 1) if self.model.chat else []
        log = [*fill(self.log(columns, above - len(top) - len(said)), above - len(top) - len(said), columns), *said]
        body = self.with_box(fill([*top, *log], above, columns), below=fill(hand, len(hand), columns))
        held = self.hand_heading()
        if len(body) > above:
            hand = body[above + 1 :]
            body, held = body[:above], body[above]
        page = [self.title(), *body, held, *hand, *status, *self.footer(FOOTER)]
        return fill(page, rows, columns)

    def with_box(self, body: list[Line], below: list[Line]) -> list[Line]:
        """The body with the open box over it; where it is too high, it takes the hand's place as well."""
        box = self.front.box
        made = None if box is None else self.boxed(box, len(body))
        if made is None and box is not None:
            body = [*body, self.hand_heading(), *fill(below, len(below), self.columns)]
            made = self.boxed(box, len(body), force=True)
        if made is None:
            made = self.asking(len(body))
        if made is None:
            return body
        top = max((len(body) - len(made)) // 2, 0)
        return over(body, made, top, (self.columns - width(made[0])) // 2)

    def boxed(self, box: Box, room: int, *, force: bool = False) -> list[Line] | None:
        cells = min(BOX if self.columns < 100 else 76, self.columns)
        inside = box.lines(self.glyphs, cells - 4, 10_000 if not force else room - 2)
        if len(inside) + 2 > room:
            if not force:
                return None
            inside = box.lines(self.glyphs, cells - 4, room - 2)[: room - 2]
        return framed(box.title, inside, self.glyphs, cells)

    # Parts

    def title(self) -> Line:
        model = self.model
        options = model.options
        parts = [Span("title", f" {self.edition.title}" if options is not None else " nodealer")]
        facts = []
        if options is not None:
            facts.append(goal(options.target))
            if options.stacking:
                facts.append("stacking")
        if model.view is not None and options is not None and options.target:
            facts.append(f"round {model.view.round + 1}")
        room = f" {self.glyphs.dot} "
        parts.append(Span("note", room + room.join(facts) if facts else ""))
        right = line(Span("note", f"no dealer but all of us {self.glyphs.dot} nodealer "))
        if width(line(*parts)) + width(right) > self.columns:
            right = line(Span("note", "nodealer "))
        if width(line(*parts)) + width(right) >= self.columns:
            right = EMPTY
        return spread(line(*parts), right, self.columns)

    def seats_heading(self, cells: int) -> Line:
        lobby = self.model.lobby
        if self.model.made is None:
            taken = "" if lobby is None else f"{len(lobby.players)} of {lobby.options.seats} are here"
            return ruled("Seats", self.glyphs, cells, taken)
        return ruled("Players", self.glyphs, cells, direction(self.model, self.glyphs))

    def seats(self, cells: int) -> list[Line]:
        if self.model.made is None:
            return waiting_rows(self.model, self.glyphs, cells)
        return seat_rows(self.model, self.glyphs, cells, self.now)

    def chat(self, cells: int, room: int) -> list[Line]:
        shown: list[Line] = []
        said = self.model.chat[-max(room, 1) :]
        for name, text in said:
            rows = wrapped(f"{name}: {text}", cells - 2, "  ")
            if len(rows) > room and (name, text) == said[-1]:  # of what was said last: by whom, and how it begins
                rows = [*rows[: max(room, 1) - 1], f"{cut_text(rows[max(room, 1) - 1], cells - 4)} {self.glyphs.more}"]
            for place, row in enumerate(rows):
                if place == 0:
                    shown.append(line(" ", Span("head", row[: len(name) + 1]), row[len(name) + 1 :]))
                else:
                    shown.append(line(" ", row))
        if not shown:
            shown = [line(Span("dim", " / to say something"))]
        return shown[-room:] if room > 0 else []

    def log(self, cells: int, room: int) -> list[Line]:
        """The last lines that happened, the newest at the bottom."""
        if room <= 0:
            return []
        shown: list[Line] = []
        for text in reversed(self.model.log[-room:]):
            rows = wrapped(text, cells - 2, "  ")
            style = "" if not shown else "note"
            shown = [line(" ", Span(style, row)) for row in rows] + shown
            if len(shown) >= room:
                break
        return shown[-room:]

    def deck_or_pile(self, cells: int) -> list[Line]:
        if self.model.making is not None:
            return fill(self.making_lines(cells), 5, cells)
        return self.pile(cells)

    def pile(self, cells: int) -> list[Line]:
        view = self.model.view
        if view is None:
            return fill([], 5, cells)
        card = None if view.top is None else self.edition.cards[view.top]
        art = picture(self.edition, self.glyphs, card, view.colour)
        facts: list[Line] = []
        if view.colour is not None:
            facts.append(line(Span("note", "Colour  "), colour_name(self.edition, self.glyphs, view.colour)))
        elif card is not None:
            facts.append(line(Span("note", "Colour  "), Span("warn", "not named yet")))
        if card is not None:
            facts.append(line(Span("note", "Top     "), short(self.edition, self.glyphs, card)))
        facts.append(line(Span("note", "Draw pile "), Span("you", f"{view.draw_count:3d}")))
        facts.append(line(Span("note", "Discard   "), Span("you", f"{len(view.discard):3d}")))
        if view.stack:
            facts.append(line(Span("warn", f"Stack: {count(view.stack, 'card')}")))
        return [fit((*line("  "), *a, *line("  "), *b), cells) for a, b in zip(art, fill(facts, 5, cells), strict=True)]

    def pile_line(self) -> Line:
        view = self.model.view
        if view is None:
            return fit(EMPTY, self.columns)
        parts: list[Span | str] = [" "]
        if view.top is not None:
            card = self.edition.cards[view.top]
            parts += [Span("pile", "["), short(self.edition, self.glyphs, card), Span("pile", "]"), " "]
        if view.colour is not None:
            parts += [colour_name(self.edition, self.glyphs, view.colour)]
        if view.stack:
            parts += [Span("warn", f" stack {view.stack}")]
        way = self.glyphs.right if view.direction == 1 else self.glyphs.left
        right = line(Span("note", f"draw {view.draw_count} disc {len(view.discard)} {way} "))
        if width(line(*parts)) + width(right) >= self.columns:
            right = line(Span("note", f"draw {view.draw_count} {way} "))
        return spread(line(*parts), right, self.columns)

    def making_lines(self, cells: int) -> list[Line]:
        """Whose shuffle, whose lock, what was verified, how far it is."""
        making, words, waiting = self.model.making, self.model.words, self.model.waiting
        if making is None or words is None:
            return []
        done, total = len(making.steps), max(making.total, 1)
        tail = f" {done}/{total}"
        room = max(min(cells - 4 - len(tail), 40), 4)
        full = room * done // total
        trough = Span("dim", self.glyphs.trough * (room - full))
        bar = line("  ", Span("bar", self.glyphs.bar * full), trough, Span("you", tail))
        what = "Making the deck" if making.epoch == 0 else f"Reshuffle {making.epoch}"
        doing = ""
        if waiting is not None and waiting.kind == "epoch ok":
            doing = ": all confirm it"
        elif waiting is not None and waiting.seats:
            verb = waiting.kind
            doing = f": {words.does(waiting.seats[0], verb, verb + 's')}"
        rows = [line(f"  {cut_text(what + doing, cells - 2)}"), bar]
        if making.steps:
            step, seat = making.steps[-1]
            whose = "your own" if seat == words.seat else f"{words.names[seat]}'s"
            fact = "the same cards, newly ordered" if step == "shuffle" else "one key for each card"
            told = f"Verified: {whose} {step} of {count(making.cards, 'card')}, {fact}."
            rows += [line("  ", Span("good", row)) for row in wrapped(told, cells - 3)]
        return rows

    def hand_heading(self) -> Line:
        cards = len(self.model.hand)
        view = self.model.view
        unread = 0 if view is None else sum(card is None for _, card in view.hand)
        right = f"{count(unread, 'card')} face down" if unread and self.model.making is None else ""
        return ruled(f"Your hand: {count(cards, 'card')}" if cards else "Your hand", self.glyphs, self.columns, right)

    def hand(self, height: int) -> list[Line]:
        model, ask = self.model, self.model.ask
        asked = ask is not None and ask.kind in (Kind.MOVE, Kind.DRAWN, Kind.ANSWER)
        look = HandLook(
            playable=model.plays() if asked else (),
            fresh=model.fresh,
            chosen=self.front.cursor if model.ended is None else None,
            asked=asked,
        )
        return hand_rows(model.cards, look, self.edition, self.glyphs, self.columns, max(height, 1))

    # Questions that open by themselves

    def asking(self, room: int) -> list[Line] | None:
        """A box for what must not be overlooked: an UNO window, a Wild Draw Four against oneself."""
        ask, words = self.model.ask, self.model.words
        if ask is None or words is None:
            return None
        cells = min(BOX, self.columns)
        match ask.kind:
            case Kind.WINDOW if not self.front.window_hidden:
                inside = self._window(cells - 4)
                return framed("UNO", inside, self.glyphs, cells)
            case Kind.ACCEPT:
                return framed("Wild Draw Four", self._accept(cells - 4, room - 2), self.glyphs, cells)
        return None

    def _window(self, cells: int) -> list[Line]:
        ask, words = self.model.ask, self.model.words
        if ask is None or words is None or ask.view.window is None:
            return []
        owner = ask.view.window
        told = f"{words.does(owner, 'have', 'has')} one card and did not say UNO."
        shown = [line(Span("asked", row)) for row in wrapped(told, cells)]
        key, what = ("u", "say UNO now") if ask.mine else ("x", f"catch {words.who(owner)}")
        typing = "  (F5 while you type)" if self.front.typing is not None else ""
        shown.append(line("  ", Span("key", key, f"key {key}"), f" {what}", Span("note", typing)))
        if ask.deadline is not None:
            left = max(ask.deadline - self.now, 0.0)
            length = max(ask.deadline - ask.since, 0.1)
            full = round((cells - 8) * min(left / length, 1.0))
            bar = (Span("warn", self.glyphs.bar * full), Span("dim", self.glyphs.trough * (cells - 8 - full)))
            shown.append(line(*bar, f" {left:3.1f} s"))
        return shown

    def _accept(self, cells: int, height: int) -> list[Line]:
        """Accept or challenge, with what is known about the accused; the keys are always there."""
        ask, words = self.model.ask, self.model.words
        if ask is None or words is None:
            return []
        case = ask.view.challenge
        shown: list[Line] = []
        if case is not None:
            shown += [line(row) for row in wrapped(bluff.told(case, words), cells)]
            odds = [line(Span("note", row)) for row in wrapped(bluff.odds(ask.view, self.edition), cells)]
            shown += odds if len(shown) + len(odds) + 3 <= height else []
            shown = shown[: max(height - 3, 0)]
        shown.append(line("  ", Span("key", "a", "key a"), " accept: you draw 4 and miss the turn"))
        shown.append(line("  ", Span("key", "c", "key c"), " challenge: a bluff costs the other 4,"))
        shown.append(line("    an honest card costs you 6 and the turn"))
        return shown

    # The lowest lines

    def status(self) -> Line:
        return self.status_lines(1)[0]

    def status_lines(self, most: int) -> list[Line]:
        """What is asked, or whom the table waits for and since when; the turn clock at the right."""
        text, style, right = self.saying()
        clock = line(Span(right[1], right[0] + " ")) if right[0] else EMPTY
        room = self.columns - width(clock) - 2
        rows = wrapped(text, room) if most > 1 else [cut_text(text, room, self.glyphs.more)]
        first = spread(line(" ", Span(style, rows[0])), clock, self.columns)
        return [first, *(fit(line(" ", Span(style, row)), self.columns) for row in rows[1:most])]

    def saying(self) -> tuple[str, str, tuple[str, str]]:
        """What the status line says, its style, and what stands at its right with its own style."""
        model, words, now = self.model, self.model.words, self.now
        none = ("", "")
        if self.front.hint or model.refusal:
            return self.front.hint or model.refusal, "warn", self._clock()
        if model.ended is not None:
            return panels.end(model), "bad" if model.ended.blamed is not None else "asked", none
        if words is None:
            lobby = model.lobby
            if lobby is None:
                return "Looking for the table.", "note", none
            left = lobby.options.seats - len(lobby.players)
            return f"Waiting for {count(left, 'more player')}." if left else "The table is full.", "note", none
        if model.catching_up:
            return "You are back; the others are asked how far the match is.", "note", none
        ask = model.ask
        if ask is not None and ask.kind is not Kind.WINDOW:
            text = question(ask.needed, words)
            if ask.kind is Kind.CHOOSE:
                text = "Ohana: choose what to discard"
            return text + ".", "asked", self._clock()
        if ask is not None:
            return question(ask.needed, words) + ".", "asked", self._clock()
        waiting = model.waiting
        if waiting is None:
            return "", "note", none
        seats = waiting.seats
        if model.glance is not None and model.glance.waiting:
            seats = tuple(seat for seat in waiting.seats if seat in model.glance.waiting) or waiting.seats
        others = [seat for seat in seats if seat != words.seat]
        seconds = max(round(now - waiting.since), 0)
        prefix = "The clock ran out; your program answered. " if model.by_clock else ""
        if not others:
            return prefix + "Your program answers.", "note", none
        who = words.people(others) if len(others) <= 3 else f"{len(others)} players"
        return f"{prefix}Waiting for {who} {WAITS.get(waiting.kind, waiting.kind)}.", "note", (f"{seconds} s", "note")

    def _clock(self) -> tuple[str, str]:
        ask = self.model.ask
        if ask is None or ask.deadline is None:
            return "", ""
        left = max(ask.deadline - self.now, 0.0)
        if ask.kind is Kind.WINDOW:
            return f"{left:3.1f} s", "warn"
        return f"{int(left) // 60}:{int(left) % 60:02d}", "warn" if left < 10 else "note"

    def footer(self, height: int) -> list[Line]:
        """What is legal now, then what is always there."""
        model, front = self.model, self.front
        if front.typing is not None:
            now = [Command("enter", "say it"), Command("esc", "close")]
            if model.ask is not None and model.ask.kind is Kind.WINDOW:
                now.insert(0, Command("F5", "say UNO" if model.ask.mine else "catch"))
            typed = line(" ", Span("key", "say: "), *front.typing.shown(self.columns - 8))
            return [fit(typed, self.columns), *self.keys([now], height - 1)]
        if front.box is not None:
            now = front.box.keys()
            if model.ask is not None and model.ask.kind is Kind.WINDOW:
                now = [*decisions(model, None), *now]
            return self.keys([now, []], height)
        now = decisions(model, front.cursor)
        if model.ask is not None and model.ask.kind in (Kind.MOVE, Kind.DRAWN, Kind.ANSWER):
            now += steering(model, front.cursor)
        return self.keys([now, always(model)], height)

    def keys(self, groups: list[list[Command]], height: int) -> list[Line]:
        """The groups in a row each; on a small screen the first one flows on, and the other gives way."""
        roomy = self.columns >= ROOMY[0]
        rows: list[Line] = []
        for place, group in enumerate(groups):
            row: Line = line(" ")
            for command in group:
                item = key_spans(command, self.glyphs, dim=place > 0)
                if width(row) + width(item) + 2 > self.columns and len(row) > 1:
                    if roomy or place > 0:
                        break
                    rows.append(row)
                    row = line(" ")
                row = (*row, *item, Span("", "  "))
            if roomy or place == 0 or len(rows) < height:
                rows.append(row)
        rows = fill(rows[:height], height, self.columns)
        if not roomy and len(groups) > 1 and groups[1]:
            first = groups[1][0]
            if not any(span.target == f"key {first.key}" for row in rows for span in row):
                rows[-1] = spread(rows[-1], line(" ", *key_spans(first, self.glyphs, dim=True), " "), self.columns)
        return rows


def key_spans(command: Command, glyphs: Glyphs, *, dim: bool = False) -> Line:
    """ "d draw" """
    names = {"enter": "Enter", "esc": "Esc", "tab": "Tab", "space": "Space", "pages": "PgUp Dn", "end": "End"}
    names |= {"arrows": f"{glyphs.left} {glyphs.right}", "updown": f"{glyphs.up} {glyphs.low}"}
    name = names.get(command.key, command.key)
    press = {"esc": "escape", "space": " "}.get(command.key, command.key)
    aim = f"key {press}"
    return line(Span("key", name, aim), Span("dim" if dim else "", f" {command.words}", aim))
