"""``nodealer replay``: step through the transcript of a match; everything is verified on the way."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterator

from nodealer import engine
from nodealer.p2p import events as p2p
from nodealer.p2p.names import clean_text
from nodealer.p2p.transcript import NoTranscript, TranscriptReader
from nodealer.p2p.verify import Report, verify

from .exits import Complaint, Exit
from .history import History, Recorder, Step
from .main import full_screen
from .output import write_line
from .tally import Tally
from .verify import told
from .words import Words, count

PROMPT = "? Enter next · t next turn · r next round · c next challenge · a all the rest · q quit"


def run(args: argparse.Namespace) -> int:
    try:
        file = open(args.file, "rb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise _unreadable(args.file, error) from None
    with file:
        # Opened once: a pipe cannot be read again.
        try:
            reader = TranscriptReader(file)
        except OSError as error:
            raise _unreadable(args.file, error) from None
        except NoTranscript as error:
            raise Complaint(f"{clean_text(args.file)}: {error}") from None
        if full_screen(args):
            return _on_screen(args, reader)
        return _stepped(args, reader) if sys.stdin.isatty() else _told(args, reader)


def _unreadable(path: str, error: OSError) -> Complaint:
    return Complaint(f"{clean_text(path)}: The transcript cannot be read ({error.strerror}).")


def _on_screen(args: argparse.Namespace, reader: TranscriptReader) -> int:
    from .config import Config
    from .screen import replaying
    from .screen.program import chosen_look, guarded

    config = Config.load(None)
    look, mouse = chosen_look(args, config), config.mouse and not args.no_mouse
    return guarded(
        args, lambda: asyncio.run(replaying.run(args.file, look, later=args.open, mouse=mouse, reader=reader))
    )


class _Teller:
    """Tells steps as lines; ``history`` holds them all where the cards known later are to be shown."""

    def __init__(self, history: History | None) -> None:
        self._history = history
        self._words: Words | None = None
        self._at = 0

    def tell(self, step: Step) -> None:
        for event in step.events:
            if isinstance(event, p2p.TableMade):
                self._words = Words(event.options.edition, [player.name for player in event.players], None)
        for line in step.lines:
            write_line(line)
        if self._history is not None and step.begins(engine.TurnStarted):
            self._hands(self._history, step)
        self._at += 1

    def _hands(self, history: History, step: Step) -> None:
        """All hands, as far as the transcript ever shows them."""
        words, state = self._words, step.state
        if words is None or state is None:
            return
        for seat in state.seats_in:
            known = history.known(self._at, seat, later=True)
            hidden = len(state.hands[seat]) - len(known)
            cards = [words.cards(known.values())] if known else []
            if hidden:
                cards.append(f"{count(hidden, 'card')} that {'is' if hidden == 1 else 'are'} never shown")
            write_line(f"* {words.names[seat]} holds {' and '.join(cards) or 'no card'}.")


def _told(args: argparse.Namespace, reader: TranscriptReader) -> int:
    """Everything from the beginning to the end, as it is verified."""
    if args.open:
        history, report, tally = _read(args.file, reader)
        teller = _Teller(history)
        for step in history.steps:
            teller.tell(step)
    else:
        report, tally = _verify(args.file, reader, Recorder(_Teller(None).tell))
    return _conclude(report, tally)


def _stepped(args: argparse.Namespace, reader: TranscriptReader) -> int:
    """Step by step, as the person at the terminal asks for it."""
    history, report, tally = _read(args.file, reader)
    teller = _Teller(history if args.open else None)
    marks = {"": history.stops, "t": history.turns, "r": history.rounds, "c": history.challenges}
    at = 0
    steps = iter(history.steps)
    for word in _answers():
        match word:
            case "q":
                return Exit(report.status.value)
            case "" | "t" | "r" | "c":
                to = next((mark + 1 for mark in marks[word] if mark >= at), len(history.steps))
            case "a":
                to = len(history.steps)
            case _:
                continue
        while at < to:
            teller.tell(next(steps))
            at += 1
        if at == len(history.steps):
            break
    return _conclude(report, tally)


def _answers() -> Iterator[str]:
    """Lines of the person, as words; the first step comes by itself, and the end of input ends it."""
    yield ""
    while True:
        write_line(PROMPT)
        line = sys.stdin.readline()
        if not line:
            yield "q"
            return
        yield line.strip().casefold()


def _read(path: str, reader: TranscriptReader) -> tuple[History, Report, Tally]:
    history = History()
    return history, *_verify(path, reader, Recorder(history.take))


def _verify(path: str, reader: TranscriptReader, recorder: Recorder) -> tuple[Report, Tally]:
    tally = Tally()

    def on_event(event: p2p.PeerEvent) -> None:
        tally.on_event(event)
        recorder.on_event(event)

    try:
        report = verify(reader, on_event, recorder.on_step)
    except BrokenPipeError:  # not the file: whoever read our lines is gone
        raise
    except OSError as error:
        raise _unreadable(path, error) from None
    recorder.finish(report)
    return report, tally


def _conclude(report: Report, tally: Tally) -> int:
    for line in told(report, tally):
        write_line(line)
    return Exit(report.status.value)
