"""The page itself: what was found on top, then scores, hands, challenges, the match, the checks, fairness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nodealer import engine
from nodealer.p2p.verify import Report, Status

from ..tally import Tally, where
from ..words import count
from .charts import hands_chart, scores_chart, seat_label
from .chronicle import ALL, Challenge, Chronicle
from .fair_section import fair_section
from .fairness import Sample
from .markup import Html, join, number, section, table, tag
from .style import sheet
from .timeline import timeline

# The first bytes of every page: what an existing file must begin with to be written over.
SIGN = "<!doctype html>\n<!-- nodealer verify --report -->\n"

VERDICTS = {
    Status.COMPLETE: ("good", "Valid and complete"),
    Status.UNFINISHED: ("open", "Valid so far, unfinished"),
    Status.INVALID: ("bad", "Not valid"),
    Status.UNREADABLE: ("bad", "Not a transcript"),
}

ANCHORS = (
    ("players", "Players"),
    ("scores", "Scores"),
    ("hands", "Hands"),
    ("challenges", "Challenges"),
    ("match", "Match"),
    ("checks", "Checks"),
    ("fairness", "Fairness"),
    ("files", "Transcripts"),
)

WHAT = (
    ("shuffle", "Shuffles", "The same cards as before, in a new order, under one more secret; none lost or doubled."),
    ("lock", "Locks", "Every card got a key of its own and stayed in its place."),
    ("keys", "Keys given", "Each is the key that was locked in for that very card, and the rules asked for it."),
    ("card", "Cards shown", "Each opens to the place in the deck that was dealt to the one who shows it."),
    ("verdict", "Verdicts", "What the accused says about its hidden hand is true; the hand stays hidden."),
    ("kept", "Hands without icons", "After Mega Minions no icon card is left in the hidden hand."),
    ("choice", "Choices of an Ohana", "The cards are those that were committed to before anybody saw the others."),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Checked:
    """One transcript that was checked: the file's name, what was found, and what was counted."""

    file: str
    report: Report
    tally: Tally


def build(checked: Sequence[Checked], chronicle: Chronicle, samples: dict[str, Sample]) -> str:
    """The whole file as one text; see `pieces`."""
    return "".join(pieces(checked, chronicle, samples))


def pieces(checked: Sequence[Checked], chronicle: Chronicle, samples: dict[str, Sample]) -> Iterator[str]:
    """The file, piece by piece: a long page is not in memory several times, once for each element around it.

    The first of ``checked`` is the match that the page tells; ``chronicle`` is of it.
    """
    main = checked[0]
    options = main.report.options
    edition = options.edition if options is not None else next(iter(engine.EDITIONS))
    rules = engine.EDITIONS[edition]
    goal = f"to {number(options.target)} points" if options is not None and options.target else "one hand"
    title = f"{rules.title}, {goal}" if options is not None else "A match that did not begin"
    top = tag(
        "header",
        tag("p", f"nodealer \u00b7 report on {base(main.file)}", class_="dim small"),
        tag("h1", title),
        _verdict(main),
    )
    sections = _sections(checked, chronicle, samples, edition)
    links = [
        tag("li", tag("a", word, href=f"#{anchor}"))
        for anchor, word in ANCHORS
        if any(one.startswith(f'<section id="{anchor}"') for one in sections)
    ]
    nav = tag("nav", tag("ul", *links), aria_label="Sections")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content="default-src 'none'; style-src 'unsafe-inline'"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{title} \u00b7 nodealer"),
        tag("style", Html(sheet(rules.colours))),
    )
    yield f'{SIGN}<html lang="en">{head}<body>{top}{nav}<main>'
    yield from sections
    yield f"</main>{_footer(main)}</body></html>\n"


def _sections(checked: Sequence[Checked], chronicle: Chronicle, samples: dict[str, Sample], edition: str) -> list[Html]:
    sections: list[Html] = []
    players = chronicle.players
    if players:
        sections.append(_players(checked[0], chronicle))
        target = chronicle.options.target if chronicle.options is not None else 0
        sections.append(section("scores", "Scores", scores_chart(chronicle.scores, players, target)))
        intro = "Cards in hand at every turn; an upright line is the beginning of a round."
        sections.append(
            section("hands", "Hands over time", tag("p", intro, class_="dim"), hands_chart(chronicle.hands, players))
        )
        sections.append(_challenges(chronicle, edition))
        sections.append(timeline(chronicle))
        sections.append(_checks(chronicle))
        others = [sample for name, sample in samples.items() if name != edition]
        own = [samples[edition]] if edition in samples else []
        sections.append(fair_section([*own, *others], chronicle.decks, players, edition))
    if len(checked) > 1:
        sections.append(_files(checked))
    return sections


def base(file: str) -> str:
    """A file's name without its folder: pages are given away, and folders are nobody's business."""
    return Path(file).name


def _verdict(main: Checked) -> Html:
    report = main.report
    class_, word = VERDICTS[report.status]
    lines = [tag("strong", word), tag("p", report.sentence)]
    failed = where(report)
    if failed:
        lines.append(tag("p", failed))
    until = "Until then: " if report.status is Status.INVALID else ""
    lines.append(tag("p", f"{until}{main.tally.established(report.status)}"))
    return tag("div", *lines, class_=f"verdict {class_}", role="status")


def _players(main: Checked, chronicle: Chronicle) -> Html:
    report = main.report
    rows: list[list[str]] = []
    for seat, player in enumerate(chronicle.players):
        who: Html = seat_label(seat, chronicle.players)
        if report.winner == seat:
            who = join([who, " ", tag("strong", "won the match")])
        points = str(report.scores[seat]) if seat < len(report.scores) else ""
        rows.append([who, tag("span", player.fingerprint, class_="mono"), tag("td", points, class_="n")])
    intro = "In the order of the seats, which a coin of all players gave. The words are each key\u2019s fingerprint."
    return section("players", "Players", tag("p", intro, class_="dim"), table(("Player", "Key", "Points"), rows))


def _challenges(chronicle: Chronicle, edition: str) -> Html:
    if not chronicle.challenges:
        may = engine.EDITIONS[edition].challenge
        words = "Nobody challenged a Wild Draw Four." if may else "This edition has no challenge."
        return section("challenges", "Challenges", tag("p", words))
    rows = [_challenge(case, chronicle) for case in chronicle.challenges]
    heads = ("Round, turn", "Challenge", "Verdict, and what was proven", "Slot")
    intro = (
        "Who plays a Wild Draw Four must hold no card of the active colour and no other wild. The accused proves what "
        "it says about its hidden hand, and only the challenger gets to see the cards. The slot is the place of the "
        "verdict in the match."
    )
    return section("challenges", "Challenges", tag("p", intro, class_="dim"), table(heads, rows))


def _challenge(case: Challenge, chronicle: Chronicle) -> list[str]:
    place = f"{case.round + 1}, {case.turn}"
    who = tag(
        "td",
        join(
            [seat_label(case.challenger, chronicle.players), " against ", seat_label(case.accused, chronicle.players)]
        ),
        class_="people",
    )
    if case.guilty is None:
        return [place, who, "open: no answer in this transcript", ""]
    cards = count(case.hand, "hidden card")
    against = chronicle.against(case)
    word = "a bluff" if case.guilty else "played rightly"
    proven = f"At least one of {cards} is {against}." if case.guilty else f"None of {cards} is {against}."
    verdict = tag("td", tag("strong", word), tag("br"), proven, class_="claim")
    return [place, who, verdict, tag("td", str(case.slot), class_="n")]


def _checks(chronicle: Chronicle) -> Html:
    players = chronicle.players
    rows: list[list[str]] = []
    for what, title, meaning in WHAT:
        by_seat = [chronicle.proven.get((what, seat), 0) for seat in range(len(players))]
        if any(by_seat):
            numbers = [tag("td", number(each), class_="n") for each in by_seat]
            together = chronicle.proven.get((what, ALL), 0)
            if together:
                meaning += f" {number(together)} more turned up by all together."
            claim = tag("td", tag("strong", title), tag("br"), meaning, class_="claim")
            rows.append([claim, *numbers, tag("td", number(sum(by_seat) + together), class_="n")])
    heads = ["What was checked", *(player.name for player in players), "All"]
    intro = (
        "Every claim that a player had to prove, by the player who proved it. All of it was checked again by the "
        "program that made this page, from the transcript alone, and no secret was needed; so was every signature, the "
        "order of the messages, every move by the rules, and the scores."
    )
    cannot = (
        "No transcript can show who was silent, what was said outside the game, or whether two players told each other "
        "their cards."
    )
    return section(
        "checks", "What was checked", tag("p", intro, class_="dim"), table(heads, rows), tag("p", cannot, class_="dim")
    )


def _files(checked: Sequence[Checked]) -> Html:
    rows: list[list[str]] = []
    for one in checked:
        class_, word = VERDICTS[one.report.status]
        rows.append(
            [base(one.file), tag("strong", word, class_=class_), tag("td", one.report.sentence, class_="claim")]
        )
    return section("files", "All transcripts of this page", table(("File", "Found", "In words"), rows))


def _footer(main: Checked) -> Html:
    report = main.report
    parts = [
        f"Made from {count(report.entries, 'signed message')} by nodealer verify; nothing here comes from a network."
    ]
    if report.digest:
        parts.append(f" Digest of the match: {report.digest.hex()}")
    return tag("footer", tag("p", *parts, style="max-width:none"))
