"""Replaying a transcript in lines: what is told, where one can go, what is known of hands, and the exit codes."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from nodealer import engine
from nodealer.cli import main as command
from nodealer.cli.history import History, Recorder
from nodealer.p2p import events as p2p
from nodealer.p2p.transcript import MAGIC
from nodealer.p2p.verify import Report, verify

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
MATCHES = sorted(path.name for path in VECTORS.glob("*.nodealer"))


def read(name: str) -> tuple[History, Report]:
    history = History()
    recorder = Recorder(history.take)
    report = verify(io.BytesIO((VECTORS / name).read_bytes()), recorder.on_event, recorder.on_step)
    recorder.finish(report)
    return history, report


def replay(*arguments: str) -> int:
    return command.main(["replay", "--plain", *arguments])


def damaged(tmp_path: Path, cut: float) -> Path:
    """The match of two with one byte changed at this part of the file."""
    data = bytearray((VECTORS / "match-two.nodealer").read_bytes())
    data[int(len(data) * cut)] ^= 1
    path = tmp_path / "damaged.nodealer"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", MATCHES)
def test_the_whole_match_as_sentences(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(VECTORS / name)
    code = replay(path)
    told = capsys.readouterr().out.splitlines()
    assert command.main(["verify", path]) == code
    verdict = capsys.readouterr().out.splitlines()
    assert told[-len(verdict) :] == verdict
    story = told[: -len(verdict)]
    assert story
    assert all(line.startswith("* ") for line in story)
    history, report = read(name)
    plays = sum(
        isinstance(event, p2p.GameEvent) and isinstance(event.event, engine.CardPlayed)
        for step in history.steps
        for event in step.events
    )
    assert sum(" plays " in line for line in story) == plays == report.counts.get("plays", 0)


def test_a_hidden_card_is_told_only_with_open(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(VECTORS / "match-two.nodealer")
    replay(path)
    assert " holds " not in capsys.readouterr().out
    replay("--open", path)
    told = capsys.readouterr().out.splitlines()
    turns = sum(" holds " in line for line in told)
    history, _ = read("match-two.nodealer")
    assert turns == 2 * len(history.turns)


@pytest.mark.parametrize("name", MATCHES)
def test_hands_are_known_from_the_showing_on(name: str) -> None:
    """Before a card is shown it is unknown, unless one looks at what is known later; then it is the card shown."""
    history, _ = read(name)
    shown = 0
    for at, step in enumerate(history.steps):
        for event in step.events:
            if isinstance(event, p2p.CardsOpened) and event.seat is not None:
                for handle, card in event.cards:
                    assert handle not in history.known(at - 1, event.seat)
                    assert history.known(at - 1, event.seat, later=True)[handle] == card
                    # What is opened at the end of a round stays in the hand, and is known from then on.
                    assert history.known(at, event.seat).get(handle, card) == card
                    shown += 1
    # In a round of passes nobody shows a card.
    assert (shown == 0) if name == "match-pass.nodealer" else (shown > 5)


def test_places_to_go_to() -> None:
    history, _ = read("match-minions.nodealer")
    assert history.rounds[0] < history.turns[0]
    assert all(history.steps[at].begins(engine.TurnStarted) for at in history.turns)
    assert len(read("match-rounds.nodealer")[0].rounds) == 2
    challenges = [at for name in MATCHES for at in read(name)[0].challenges]
    assert challenges, "one of the vectors has a challenge"


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.95])
def test_a_fault_is_told_where_it_stands(tmp_path: Path, cut: float, capsys: pytest.CaptureFixture[str]) -> None:
    path = damaged(tmp_path, cut)
    assert replay(str(path)) == 1
    told = capsys.readouterr().out.splitlines()
    assert command.main(["verify", str(path)]) == 1
    verdict = capsys.readouterr().out.splitlines()
    assert told[-len(verdict) :] == verdict
    whole = read("match-two.nodealer")[0]
    lines = [line for step in whole.steps for line in step.lines]
    kept = [line for line in told if line in lines]
    assert kept == lines[: len(kept)], "what was before the fault is told as ever"
    assert len(kept) < len(lines)


def test_unfinished_and_unreadable(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = (VECTORS / "match-two.nodealer").read_bytes()
    torn, empty, none = tmp_path / "torn", tmp_path / "empty", tmp_path / "none"
    torn.write_bytes(data[: len(data) * 2 // 3])
    empty.write_bytes(MAGIC)
    none.write_bytes(b"not a transcript")
    assert replay(str(torn)) == 3
    assert replay(str(empty)) == 3
    assert replay(str(none)) == 2
    assert replay(str(tmp_path / "absent")) == 2
    said = capsys.readouterr()
    assert "no transcript of nodealer" in said.err
    assert "cannot be read" in said.err


class _Typed(io.StringIO):
    """A terminal at which somebody types these lines."""

    def isatty(self) -> bool:
        return True


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", _Typed(text))


def test_stepping_with_enter(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(VECTORS / "match-two.nodealer")
    replay(path)
    whole = capsys.readouterr().out.splitlines()
    history, _ = read("match-two.nodealer")
    typed(monkeypatch, "\n" * (len(history.stops) + 1))
    assert replay(path) == 0
    told = capsys.readouterr().out.splitlines()
    assert [line for line in told if not line.startswith("? ")] == whole
    assert sum(line.startswith("? ") for line in told) == len(history.stops) - 1


@pytest.mark.parametrize(
    ("words", "last"),
    [("t\nq\n", "Turned up"), ("r\nq\n", "Round 2"), ("what\nq\n", "Round 1"), ("", "Round 1")],
)
def test_going_to_places(
    words: str, last: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, words)
    assert replay(str(VECTORS / "match-rounds.nodealer")) == 3
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("* ")]
    assert last in told[-1]
