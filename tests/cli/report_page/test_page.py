"""The page: whole, well formed, nothing from anywhere else, and nothing of a transcript that is more than text."""

from __future__ import annotations

import html
import io
import re
import tracemalloc
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from nodealer import engine
from nodealer.cli.report_page import chronicle as chronicle_module
from nodealer.cli.report_page.charts import end_labels, nice_steps
from nodealer.cli.report_page.chronicle import Chronicle
from nodealer.cli.report_page.markup import Html, mark, prose, tag, text
from nodealer.cli.report_page.page import Checked, pieces
from nodealer.cli.report_page.series import MAX_SAMPLES, Series
from nodealer.cli.tally import Tally
from nodealer.p2p.events import ChatSaid, DeckMade, GameEvent, PeerEvent, PlayerInfo, StepVerified, TableMade
from nodealer.p2p.options import TableOptions
from nodealer.p2p.transcript import MAGIC, TranscriptReader, frame
from nodealer.p2p.verify import Report

from tests.helpers.pages import Element, page_of, read, vector

SECTIONS = ["players", "scores", "hands", "challenges", "match", "checks", "fairness"]
NASTY = (
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "&lt;b&gt; &#x3c; ]]> --> <!--",
    "\u202eevil\u2066\u200b\x1b[31m\x00\x9b",
    "</title></style></bdi>{}%s",
)


def sections(root: Element) -> list[str]:
    return [one.attributes["id"] or "" for one in root.all("section")]


@pytest.mark.parametrize("name", ["two", "rounds", "stacking", "minions", "ohana", "reshuffle"])
def test_every_page_is_whole_and_asks_for_nothing(name: str) -> None:
    page = page_of(vector(name))
    root = read(page)
    assert sections(root) == SECTIONS
    assert [link.attributes["href"] for link in root.find("players").all("a")] == []
    assert [link.attributes["href"] for link in root.all("nav")[0].all("a")] == [f"#{one}" for one in SECTIONS]
    refuse_the_outside(page, root)


def refuse_the_outside(page: str, root: Element) -> None:
    """No address of anything, nothing that runs, and a policy that forbids both."""
    assert not re.search(r"https?:|//[a-z]|url\(|@import|javascript:|data:", page, re.I)
    tags = {one.tag for one in root.all()}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "base", "form", "use", "image", "audio"}
    for one in root.all():
        for name, value in one.attributes.items():
            assert name not in ("src", "srcset", "action", "background", "poster", "xlink:href", "ping")
            assert not name.startswith("on")
            assert name != "href" or (value or "").startswith("#")
    policies = [one.attributes.get("content") for one in root.all("meta") if "http-equiv" in one.attributes]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]


def test_an_id_is_there_once_and_every_link_has_one() -> None:
    root = read(page_of(vector("minions"), vector("two")))
    ids = [one.attributes["id"] for one in root.all() if "id" in one.attributes]
    assert len(ids) == len(set(ids))
    assert {(one.attributes["href"] or "")[1:] for one in root.all("a")} <= set(ids)


def hostile(event: PeerEvent) -> PeerEvent | Sequence[PeerEvent]:
    """Names and chat of the worst kind in place of the real ones."""
    if isinstance(event, TableMade):
        players = tuple(replace(player, name=name) for player, name in zip(event.players, NASTY, strict=False))
        return [replace(event, players=players), *(ChatSaid(0, NASTY[0], words) for words in NASTY)]
    return event


@pytest.mark.parametrize("name", ["minions", "ohana"])
def test_hostile_names_and_chat_are_text(name: str) -> None:
    page = page_of(vector(name), change=hostile)
    root = read(page)
    refuse_the_outside(page, root)
    assert sections(root) == SECTIONS
    assert not [one for one in root.all("b") if "alert" in one.text]
    names = {one.text for one in root.all("bdi")}
    assert NASTY[0] in names
    assert NASTY[1] in names
    said = [one.words for one in root.find("match").all("li") if " says: " in one.text and not one.all("ul")]
    assert len(said) == len(NASTY)
    for char in page:
        assert unicodedata.category(char) not in ("Cf", "Cs", "Co", "Cn"), repr(char)
        assert unicodedata.category(char) != "Cc" or char == "\n"


def test_a_hostile_file_name_is_text(tmp_path: Path) -> None:
    path = tmp_path / "<b onclick=x>&.nodealer"
    path.write_bytes(vector("two").read_bytes())
    page = page_of(path, vector("minions"))
    refuse_the_outside(page, read(page))
    assert html.escape(path.name) in page
    assert str(tmp_path) not in page


def test_what_the_page_tells_of_a_challenge_and_of_mega_minions() -> None:
    root = read(page_of(vector("minions")))
    challenges = root.find("challenges").words
    assert re.search(r"(None of|At least one of) \d hidden cards? is \w+ or wild\.", challenges)
    match = root.find("match").words
    assert match.count("Proven: none of the") == 4
    assert len(re.findall(r"Player \d ?proof holds, slot \d+ ?proof holds, slot \d+", match)) == 3
    checks = root.find("checks").words
    assert "Verdicts" in checks
    assert "Hands without icons" in checks
    assert "Choices of an Ohana" not in checks
    assert "Choices of an Ohana" in read(page_of(vector("ohana"))).find("checks").words


def test_the_fairness_section_counts_every_shown_card() -> None:
    root = read(page_of(vector("stacking")))
    fairness = root.find("fairness").words
    assert "The sample: 1 deck of 1 match; 44 of 108 positions were shown." in fairness
    heat = root.find("fairness").all("table")[0]
    cells = [row.all("td")[-1] for row in rows(heat)]
    assert sum(int(cell.text.removesuffix(cell.all("small")[0].text)) for cell in cells) == 44
    pictured = [one for one in root.find("fairness").all("i") if one.attributes.get("class") != "rest"]
    assert len(pictured) == 44
    assert "64 never dealt" in fairness
    # 43 of them were dealt to somebody, one was turned up.
    assert sum(int(row.all("td")[1].text) for row in rows(root.find("fairness").all("table")[1])) == 43


def rows(table: Element) -> list[Element]:
    return table.all("tbody")[0].all("tr")


def test_many_transcripts_are_one_sample_and_a_match_counts_once() -> None:
    both = read(page_of(vector("stacking"), vector("two"), vector("stacking")))
    assert "The sample: 2 decks of 2 matches; 95 of 216 positions were shown." in both.find("fairness").words
    files = both.find("files").words
    assert files.count("match-stacking.nodealer") == 2
    part = read(page_of(vector("rounds"), vector("rounds"))).find("fairness").words
    assert "The sample: 1 deck of 1 match;" in part
    assert "1 deck given more than once counted once." in part
    mixed = read(page_of(vector("stacking"), vector("minions")))
    assert [one.text for one in mixed.find("fairness").all("h3")][:2] == ["Four Colors", "Despicable Me 4"]


def test_a_round_that_another_transcript_finishes_is_not_left_out(tmp_path: Path) -> None:
    """Two players of one match, one of whom left early."""
    early = tmp_path / "early"
    records = list(TranscriptReader(io.BytesIO(vector("two").read_bytes())).payloads())
    early.write_bytes(MAGIC + b"".join(map(frame, records[:60])))
    left = "1 deck of rounds without a winner or without an end is left out"
    assert left in read(page_of(early, early)).find("fairness").words
    both = read(page_of(early, vector("two"))).find("fairness").words
    assert "The sample: 1 deck of 1 match; 51 of 108 positions were shown." in both
    assert left not in both


def test_an_unfinished_round_is_left_out_of_the_sample() -> None:
    root = read(page_of(vector("reshuffle")))
    assert "2 decks of rounds without a winner or without an end are left out" in root.find("fairness").words
    assert "Valid so far, unfinished" in root.all("header")[0].words


def test_an_invalid_and_an_empty_transcript_say_so_on_top(tmp_path: Path) -> None:
    data = bytearray(vector("minions").read_bytes())
    data[len(data) // 2] ^= 1
    bad = tmp_path / "bad"
    bad.write_bytes(bytes(data))
    root = read(page_of(bad))
    header = root.all("header")[0].words
    assert "Not valid" in header
    assert "Failed check: record (record " in header
    assert sections(root) == SECTIONS
    empty = tmp_path / "empty"
    empty.write_bytes(MAGIC)
    root = read(page_of(empty))
    assert "The transcript holds no match yet." in root.all("header")[0].words
    assert sections(root) == []


def test_only_markup_is_markup() -> None:
    assert text('<a href="x">&') == "&lt;a href=&quot;x&quot;&gt;&amp;"
    assert tag("p", "<b>", Html("<b>")) == "<p>&lt;b&gt;<b></p>"
    assert tag("p", title='"><script>') == '<p title="&quot;&gt;&lt;script&gt;"></p>'
    assert tag("p", class_=None, open=True, hidden=False) == "<p open></p>"
    assert tag("line", x1=1) == '<line x1="1"/>'
    assert prose(f"{mark(1)} <plays>.", ["A", "<B>"]) == "<bdi>&lt;B&gt;</bdi> &lt;plays&gt;."
    # A mark for nobody is dropped like any character that has no business here.
    assert prose(f"a{mark(7)}b", ["A"]) == "ab"


def test_a_call_that_came_with_the_play_is_told_once() -> None:
    told = Chronicle()
    players = tuple(PlayerInfo(f"P{seat}", "w", bytes(32)) for seat in range(2))
    told.on_event(TableMade(b"t" * 32, TableOptions.defaults("four-colors", seats=2, target=0), players, None))
    zero = engine.Seat(0)
    for fact in (engine.RoundStarted(1, zero), engine.TurnStarted(zero), engine.UnoCalled(zero)):
        told.on_event(GameEvent(fact))
    assert told.round.turns[-1].lines == []
    for fact in (engine.WindowOpened(zero), engine.UnoCalled(zero)):
        told.on_event(GameEvent(fact))
    assert [line.partition(" ")[2] for line in told.round.turns[-1].lines] == [
        "has one card and did not say UNO.",
        "says UNO in time.",
    ]


def test_a_match_of_any_length_takes_a_bounded_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chronicle_module, "MAX_LINES", 50)
    monkeypatch.setattr(chronicle_module, "MAX_ROUNDS", 5)
    monkeypatch.setattr(chronicle_module, "MAX_STRIP", 10)
    monkeypatch.setattr(chronicle_module, "MAX_CHALLENGES", 7)
    told = Chronicle()
    players = tuple(PlayerInfo(f"P{seat}", "w", bytes(32)) for seat in range(2))
    told.on_event(TableMade(b"t" * 32, TableOptions.defaults("despicable-me-4", seats=2, target=0), players, None))
    zero, one = engine.Seat(0), engine.Seat(1)
    for number in range(20):
        told.on_event(GameEvent(engine.RoundStarted(number + 1, zero)))
        for _ in range(200):
            told.on_event(GameEvent(engine.TurnStarted(zero)))
            told.on_event(GameEvent(engine.TurnPassed(zero)))
            told.on_event(GameEvent(engine.Challenged(one, zero)))
            told.on_event(StepVerified("verdict", 0, 3))
            told.on_event(GameEvent(engine.ChallengeLost(one, zero)))
        told.on_event(GameEvent(engine.RoundWon(one, 5, ((), ()))))
    assert len(told.rounds) == 5
    assert sum(len(turn.lines) for one_round in told.rounds for turn in one_round.turns) <= 50
    assert sum(len(one_round.turns) for one_round in told.rounds) <= 60
    assert max(len(one_round.strip) for one_round in told.rounds) == 10
    assert len(told.challenges) == 7
    assert len(told.hands.samples) <= MAX_SAMPLES
    assert told.lines + told.left_out == 20 * (200 * 3 + 1)
    assert told.scores[-1] == (0, 100)


def test_the_page_of_a_huge_match_fits_into_little_memory() -> None:
    """Ten players who talk all the time and have an empty draw pile every few turns; one name has a rare letter, which
    makes every letter of the page cost four bytes."""
    told = Chronicle()
    players = tuple(PlayerInfo(f"P{seat} \U0001f3b4", "one-two-three-four", bytes(32)) for seat in range(10))
    told.on_event(TableMade(b"t" * 32, TableOptions.defaults("despicable-me-4", seats=10, target=0), players, None))
    tracemalloc.start()
    try:
        for number in range(60):
            told.on_event(GameEvent(engine.RoundStarted(number + 1, engine.Seat(0))))
            for epoch in range(20):
                for seat in range(10):
                    told.on_event(StepVerified("shuffle", seat, 112))
                    told.on_event(StepVerified("lock", seat, 112))
                told.on_event(DeckMade(number + 1, epoch, ()))
                for _ in range(6):
                    told.on_event(GameEvent(engine.TurnStarted(engine.Seat(1))))
                    told.on_event(ChatSaid(1, "P1", "so " * 160))
        made = pieces([Checked("x", Report(options=told.options, players=players), Tally())], told, {})
        size = sum(len(piece) for piece in made)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert told.left_out > 5_000
    assert size < 5_000_000
    assert peak < 45 << 20, f"{peak >> 20} MB for a page of {size >> 20} million letters"


def test_a_series_is_thinned_evenly() -> None:
    series = Series()
    series.begin()
    for at in range(3 * MAX_SAMPLES):
        series.add((at,))
    assert len(series.samples) <= MAX_SAMPLES
    steps = {b[0] - a[0] for a, b in zip(series.samples, series.samples[1:], strict=False)}
    assert steps == {4}
    assert series.samples[0] == (0,)


def test_labels_of_lines_that_end_alike_are_one() -> None:
    assert end_labels([(10.0, 2), (12.0, 0), (50.0, 1)]) == [(10.0, [2, 0]), (50.0, [1])]
    assert nice_steps(5) == [0, 1, 2, 3, 4, 5]
    assert all(len(nice_steps(top)) <= 7 for top in (1, 7, 26, 60, 263, 534, 9999))
    assert nice_steps(263)[-1] <= 263
