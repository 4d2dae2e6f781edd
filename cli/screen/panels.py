"""What can be read at any time: trust, scores, the log, help, the end. Each is lines made for a width."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nodealer.p2p import events as p2p

from ..words import count
from .faces import several
from .look import Glyphs
from .model import Model, RoundResult
from .text import Line, Span, cut_text, line, paragraphs, width, wrapped

Write = Callable[[Glyphs, int], list[Line]]

HELP = (
    "Match the pile by colour, by number or by symbol, or play a wild. If you cannot or will not, draw one card; that "
    "very card may be played at once.",
    "When a play leaves you one card you must say UNO: press u instead of Enter to play it and say UNO in one. Forgot? "
    "Then u still says it while the window is open, if nobody catches you first. x catches another player.",
)
HELP_KEYS = (
    ("arrows", "choose a card; Tab goes to the next one that can be played"),
    ("Enter", "play the chosen card; for a wild you are asked its colour"),
    ("u", "play it and say UNO; in a window of your own: say UNO late"),
    ("x", "catch a player who did not say UNO"),
    ("F5", "say UNO or catch, also while you type"),
    ("d p", "draw; pass, where nothing is left to draw"),
    ("k t", "keep the card you drew; take the stack"),
    ("a c", "accept or challenge a wild draw four"),
    ("o o", "twice: let the program answer as the turn clock would"),
    ("/", "say something to the table"),
    ("v g l m", "trust: what was proven; scores; the whole log; all chat"),
    ("q", "leave (asked again)"),
    ("Ctrl-L", "draw the screen anew; Ctrl-Z suspends"),
)


def help_text(told: Sequence[str], named: Sequence[tuple[str, str]]) -> Write:
    """Sentences, and what each key means."""

    def write(glyphs: Glyphs, cells: int) -> list[Line]:
        shown = paragraphs(told, cells)
        shown.append(())
        for keys, words in named:
            rows = wrapped(words, cells - 9)
            shown.append(line(Span("key", keys.ljust(8)), " ", rows[0]))
            shown += [line(" " * 9, row) for row in rows[1:]]
        return shown

    return write


def help_lines(glyphs: Glyphs, cells: int) -> list[Line]:
    """What everything means at the table."""
    marks = f"{glyphs.playable} marks what can be played now, * what you have just drawn, [ ] what is chosen."
    return [*help_text(HELP, HELP_KEYS)(glyphs, cells), (), *paragraphs((marks,), cells)]


def trust(model: Model) -> Write:
    """What has been proven in this match, by whom; the fingerprints; the digest."""

    def write(glyphs: Glyphs, cells: int) -> list[Line]:
        words, made = model.words, model.made
        if words is None or made is None:
            return [line("Nothing yet: the table is not made.")]
        shown = paragraphs(
            (
                "Nobody deals here. Everybody shuffled and locked the whole deck; every step was checked by this "
                "program, and one honest shuffle is enough. What is counted below was verified here.",
            ),
            cells,
        )
        shown.append(())
        wide = cells >= 52
        first, widths = (16, (8, 6, 6, 11)) if wide else (13, (4, 5, 5, 6))
        heads = ("shuffles", "locks", "keys", "cards shown") if wide else ("shuf", "lock", "keys", "cards")
        named = " ".join(f"{head:>{size}}" for head, size in zip(heads, widths, strict=True))
        shown.append(line(Span("head", " " * first + named)))
        for seat, name in enumerate(words.names):
            who = "you" if seat == words.seat else name
            numbers = [model.proofs[what, seat] for what in ("shuffle", "lock", "keys", "card")]
            counted = " ".join(f"{number:{size}d}" for number, size in zip(numbers, widths, strict=True))
            style = "you" if seat == words.seat else ""
            shown.append(line(Span(style, _padded(cut_text(who, first - 1), first)), counted))
        for told in model.verdicts[-4:]:
            shown += [line(Span("good", row)) for row in wrapped(told, cells)]
        shown.append(())
        shown += paragraphs(("Compare these words with the others, aloud or by another way:",), cells)
        for seat, player in enumerate(made.players):
            warned = seat in model.suspects
            who = "you" if seat == words.seat else words.names[seat]
            shown.append(line(" ", Span("", _padded(cut_text(who, 14), 15)), Span("you", player.fingerprint)))
            if warned:
                shown.append(line(Span("warn", "   You know this name with another key!")))
        glance = model.glance
        shown.append(())
        if glance is not None:
            hexed = glance.digest.hex()
            spaced = " ".join(hexed[at : at + 8] for at in range(0, 64, 8))
            told = f"After {count(glance.entries, 'signed message')} the digest of the whole match is"
            shown += paragraphs((told,), cells)
            shown += [line(Span("note", row)) for row in wrapped(spaced, cells)]
            shown += paragraphs(("It is the same at every honest player.",), cells)
        ended = model.ended
        if ended is not None and ended.outcome is p2p.Outcome.CHEAT:
            shown.append(())
            shown += [line(Span("bad", row)) for row in wrapped(ended.sentence, cells)]
        return shown

    return write


def _padded(text: str, cells: int) -> str:
    return text + " " * max(cells - width(text), 1)


def log(model: Model) -> Write:
    """Everything that was told."""
    return lambda glyphs, cells: [row for text in model.log for row in paragraphs((text,), cells, indent="  ")]


def chat(model: Model) -> Write:
    """Everything that was said."""

    def write(glyphs: Glyphs, cells: int) -> list[Line]:
        said = [row for name, text in model.chat for row in paragraphs((f"{name}: {text}",), cells, indent="  ")]
        seated = model.words is not None and model.words.seat is not None
        return said or [line("Nothing was said yet; / says something." if seated else "Nothing was said yet.")]

    return write


def scores(model: Model) -> Write:
    """Points so far, and how the rounds ended, with the hands as they were opened."""

    def write(glyphs: Glyphs, cells: int) -> list[Line]:
        words, options = model.words, model.options
        if words is None or options is None:
            return [line("No score yet.")]
        shown: list[Line] = []
        order = sorted(range(len(words.names)), key=lambda seat: -model.score(seat))
        for seat in order:
            who = "you" if seat == words.seat else words.names[seat]
            style = "you" if seat == words.seat else ""
            shown.append(line(" ", Span(style, _padded(cut_text(who, 19, glyphs.more), 20)), f"{model.score(seat):5d}"))
        goal = f"The match goes to {options.target} points." if options.target else "One hand decides."
        shown += [(), *paragraphs((goal,), cells)]
        for result in reversed(model.rounds):
            shown += [(), *_round(model, result, glyphs, cells)]
        return shown

    return write


def _round(model: Model, result: RoundResult, glyphs: Glyphs, cells: int) -> list[Line]:
    words = model.words
    if words is None:
        return []
    if result.seat is None:
        return paragraphs((f"Round {result.number + 1} ended without a winner ({result.reason}).",), cells, "head")
    told = f"Round {result.number + 1}: {words.does(result.seat, 'win', 'wins')} {count(result.points, 'point')} from"
    shown = paragraphs((told,), cells, "head")
    for seat, cards in enumerate(result.hands):
        if not cards:
            continue
        points = sum(words.edition.cards[card].points for card in cards)
        who = "you" if seat == words.seat else words.names[seat]
        row: Line = line(" ", Span("", _padded(cut_text(who, 11, glyphs.more), 12)), Span("note", f"{points:4d}  "))
        room = " " * width(row)
        for card in sorted(cards):
            face = several(words.edition, glyphs, [card])
            if width(row) + width(face) > cells:
                shown.append(row)
                row = line(room)
            row = (*row, *face, Span("", " "))
        shown.append(row)
    return shown


def end(model: Model) -> str:
    """How the match ended, in a sentence or two; a victory of one's own is told to oneself."""
    ended, words = model.ended, model.words
    if ended is None:
        return ""
    if words is None or words.seat is None or ended.winner != words.seat:
        return ended.sentence
    name = words.names[words.seat]
    if ended.sentence == f"{name} wins the match.":
        return "You win the match!"
    why, won, rest = ended.sentence.rpartition(f"{name} wins")
    return f"{why}{'you' if why.endswith(': ') else 'You'} win{rest}" if won else ended.sentence


def ending(model: Model, transcript: Callable[[], str | None], notes: list[str]) -> Write:
    """How the match ended, where its transcript lies, and what can be done now."""

    def write(glyphs: Glyphs, cells: int) -> list[Line]:
        ended, words = model.ended, model.words
        if ended is None:
            return []
        shown: list[Line] = []
        style = "asked" if ended.outcome is p2p.Outcome.COMPLETE else "bad"
        told = end(model)
        shown += [line(Span(style, row)) for row in wrapped(told, cells)]
        if ended.outcome is p2p.Outcome.CHEAT:
            shown += paragraphs(
                ("The evidence is in the transcript: anybody can check it, with no secret of yours.",), cells
            )
        where = transcript()
        if where is not None:
            shown += [line(Span("note", row)) for row in wrapped(f"Transcript: {where}", cells)]
        for note in notes:
            shown += paragraphs((note,), cells, "good")
        if words is not None:
            shown += [(), *scores(model)(glyphs, cells)]
        return shown

    return write
