"""The players around the table: whose turn, how many cards, what they said, whether their line stands."""

from __future__ import annotations

from nodealer.p2p.names import clean_text

from .look import Glyphs
from .model import Model
from .text import Line, Span, cut_text, fit, line, width

NAME = 12
BACKS = 7
OUT = {"left": "left", "cheat": "cheated", "dropped": "dropped"}


def seat_count(model: Model) -> int:
    return 0 if model.made is None else len(model.made.players)


def marks(model: Model, seat: int, now: float) -> list[Span]:
    """What is special about a seat, the most urgent first."""
    view, found = model.view, []
    if view is not None and seat not in view.seats_in:
        return [Span("dim", OUT[model.out[seat].reason] if seat in model.out else "out")]
    if seat in model.missing:
        found.append(Span("bad", f"no line {round(now - model.missing[seat])} s"))
    if view is not None and view.counts[seat] == 1:
        called = view.uno[seat]
        found.append(Span("uno", "UNO") if called else Span("warn", "1 card"))
    if seat in model.suspects:
        found.append(Span("warn", "new key"))
    return found


def made_marks(model: Model, seat: int, glyphs: Glyphs) -> list[Span]:
    """While a deck is made: which of a seat's two steps stand."""
    making, found = model.making, []
    if making is None:
        return []
    for what in ("shuffle", "lock"):
        if making.done(what, seat):
            found.append(Span("good", f"{what} {glyphs.tick}"))
        elif model.waiting is not None and model.waiting.kind == what and seat in model.waiting.seats:
            found.append(Span("asked", f"{what} {glyphs.more}"))
        else:
            found.append(Span("dim", f"{what} {glyphs.dash}"))
    return found


def seat_rows(model: Model, glyphs: Glyphs, cells: int, now: float) -> list[Line]:
    """One line a seat; the direction of play is down the list, or up."""
    words, view = model.words, model.view
    if words is None:
        return []
    target = model.options.target if model.options is not None else 0
    rows: list[Line] = []
    for seat, name in enumerate(words.names):
        turn = view is not None and seat == view.turn and model.ended is None and model.making is None
        out = view is not None and seat not in view.seats_in
        style = "dim" if out else "you" if seat == words.seat else ""
        shown = "you" if seat == words.seat else cut_text(name, NAME, glyphs.more)
        head = line(
            Span("asked" if turn else "dim", f" {glyphs.turn} " if turn else "   "),
            Span(f"{style} asked" if turn else style, shown + " " * (NAME - width(shown))),
        )
        if model.making is not None:
            rest = made_marks(model, seat, glyphs)
        else:
            count = 0 if view is None else view.counts[seat]
            backs = glyphs.back * min(count, BACKS) + (glyphs.more if count > BACKS else " ")
            rest = [Span(style, f"{count:2d}"), Span("dim", f"{backs:<{BACKS + 1}}")]
            if target:
                rest.append(Span("note", f"{model.score(seat):4d}"))
            rest += marks(model, seat, now)
        row = head
        for span in rest:
            row = (*row, Span("", " "), span)
        rows.append(fit(row, cells))
    return rows


def direction(model: Model, glyphs: Glyphs) -> str:
    """Which way the list is played."""
    if model.view is None:
        return ""
    return f"play goes {f'down {glyphs.low}' if model.view.direction == 1 else f'up {glyphs.up}'}"


def seat_flow(model: Model, glyphs: Glyphs, cells: int, height: int, now: float) -> list[Line]:
    """All seats one after the other, for a small screen; names give way until all fit."""
    words, view = model.words, model.view
    if words is None:
        return []
    for longest in (12, 8, 6, 4, 3, 2):
        rows: list[Line] = []
        row: Line = ()
        for seat, name in enumerate(words.names):
            turn = view is not None and seat == view.turn and model.ended is None
            shown = "you" if seat == words.seat else cut_text(name, longest)
            item = line(
                Span("asked", glyphs.turn if turn else " "),
                Span("asked" if turn else "you" if seat == words.seat else "", shown),
            )
            if model.making is not None:
                item += tuple(
                    Span("good", glyphs.tick) if model.making.done(what, seat) else Span("dim", glyphs.dash)
                    for what in ("shuffle", "lock")
                )
            elif view is not None and seat not in view.seats_in:
                item += line(Span("dim", " out"))
            elif view is not None:
                count = view.counts[seat]
                late = "!" if seat in model.missing else ""
                item += line(Span("uno" if count == 1 else "", f" {count}"), Span("bad", late))
            if row and width(row) + width(item) + 1 > cells:
                rows.append(row)
                row = ()
            row = (*row, *item, Span("", " "))
        rows.append(row)
        if len(rows) <= height:
            break
    return rows[:height]


def _names_room(model: Model) -> int:
    """Cells for the names at a table that is being filled, and two blanks."""
    players = () if model.lobby is None else model.lobby.players
    return min(max((width(clean_text(player.name)) for player in players), default=0), NAME) + 2


def waiting_room(model: Model) -> int:
    """Cells that ``waiting_rows`` would like to have."""
    players = () if model.lobby is None else model.lobby.players
    return max((4 + _names_room(model) + width(player.fingerprint) for player in players), default=0)


def waiting_rows(model: Model, glyphs: Glyphs, cells: int) -> list[Line]:
    """Who sits at a table that is being filled, with the words of their keys; the free seats below."""
    lobby = model.lobby
    if lobby is None:
        return []
    rows: list[Line] = []
    names = _names_room(model)
    for player in lobby.players:
        known = Span("warn", "another key! ") if player.key in model.strangers else Span("", "")
        name = cut_text(clean_text(player.name), NAME, glyphs.more)
        style = "good" if player.key not in model.strangers else "warn"
        head = line(Span(style, f" {glyphs.tick} "), Span("you", name + " " * (names - width(name))))
        row = (*head, known, Span("note", player.fingerprint))
        if width(row) > cells:  # a word that is cut cannot be compared
            rows.append(fit((*head, known), cells))
            row = line("   ", Span("note", player.fingerprint))
        rows.append(fit(row, cells))
    free = lobby.options.seats - len(lobby.players)
    return rows + [fit(line(Span("dim", f" {glyphs.dot} free")), cells)] * free
