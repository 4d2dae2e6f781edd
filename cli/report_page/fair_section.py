"""The fairness section: the sample in numbers and pictures, and in honest sentences what it can and cannot show."""

from __future__ import annotations

from collections.abc import Sequence

from nodealer import engine
from nodealer.p2p.events import PlayerInfo

from ..words import count
from .charts import seat_label
from .decks import Deck, Decks
from .fairness import BANDS, Cells, ChiSquare, Sample, chi_square, class_names, kind_groups
from .markup import Html, join, number, section, table, tag

# Deviations are told from here on: one cell in twenty is as far off by chance.
NOTABLE = 2.0
EVENLY = "colours and wilds lie evenly from the front to the back"


def fair_section(samples: Sequence[Sample], decks: Decks, players: Sequence[PlayerInfo], edition: str) -> Html:
    """``samples`` of all transcripts, the edition of the page's own match first; ``decks`` of that match."""
    parts: list[Html] = [
        tag(
            "p",
            "If one player shuffled honestly, the order of a deck is uniform: the proofs above are the reason to trust "
            "it. This section looks at the outcome all the same. In a finished round every card that was dealt has "
            "been shown, so it is known where it lay; cards that nobody was dealt stay unknown to everybody, to this "
            "page too. Each card is compared with the chance that it had when it was its turn, given the cards dealt "
            "before it from the same deck, so that a long or a short round cannot bend the numbers.",
        )
    ]
    for sample in samples:
        parts += _of_edition(sample, named=len(samples) > 1)
    if any(sum(cells.observed) for cells in decks.seats):
        parts += _seats(decks.seats, players, edition)
    parts += _pictures(decks, edition)
    return section("fairness", "Fairness", *parts)


def _of_edition(sample: Sample, *, named: bool) -> list[Html]:
    parts = [tag("h3", sample.edition.title)] if named else []
    left_out = (
        f" {count(sample.left_out, 'deck')} of rounds without a winner or without an end "
        f"{'is' if sample.left_out == 1 else 'are'} left out, because which of their cards were shown depends on the "
        "cards."
        if sample.left_out
        else ""
    )
    doubles = f" {count(sample.doubles, 'deck')} given more than once counted once." if sample.doubles else ""
    matches = "1 match" if sample.matches == 1 else f"{sample.matches} matches"
    size = (
        f"The sample: {count(sample.decks, 'deck')} of {matches}; "
        f"{number(sample.shown)} of {number(sample.positions)} positions were shown.{left_out}{doubles}"
    )
    parts.append(tag("p", tag("strong", size)))
    if not sample.decks:
        parts.append(tag("p", "There is nothing to compare yet."))
        return parts
    parts.append(
        tag(
            "p",
            "By kind of card and place in the deck, front to back: how many were found there, and below it how many "
            "were to be expected. A cell is tinted only where it is further off than one cell in twenty is by chance.",
            class_="dim",
        )
    )
    parts.append(_heat(sample))
    parts.append(tag("p", verdict(sample.test(), EVENLY, " More transcripts would tell more.")))
    parts.append(tag("p", limits(sample), class_="dim"))
    return parts


def _heat(sample: Sample) -> Html:
    bands = [(at, band) for at, band in enumerate(sample.bands) if sum(band.observed)]
    heads = ["", *(f"{at * 100 // BANDS}\u2013{(at + 1) * 100 // BANDS} %" for at, _ in bands), "all"]
    whole = sample.whole
    rows = []
    for kind, name in enumerate(class_names(sample.edition)):
        cells = [_cell(band, kind) for _, band in bands]
        rows.append([tag("th", name, scope="row"), *cells, _cell(whole, kind)])
    return table(heads, rows, class_="heat")


def _cell(cells: Cells, kind: int) -> Html:
    off = cells.deviation(kind)
    style = None
    if abs(off) >= NOTABLE:
        strength = min(0.25 + 0.15 * (abs(off) - NOTABLE), 0.8)
        style = f"background:rgba(var(--{'more' if off > 0 else 'less'}),{strength:.2f})"
    told = f"{'more' if off > 0 else 'fewer'} than expected by {abs(off):.1f} standard deviations"
    return tag(
        "td", f"{cells.observed[kind]:.0f}", tag("small", f"{cells.expected[kind]:.1f}"), style=style, title=told
    )


def verdict(test: ChiSquare | None, claim: str, advice: str = "") -> str:
    """The outcome of a test in a sentence or two; ``advice`` follows where it says little."""
    if test is None:
        return (
            f"Whether {claim} cannot be asked of so few cards: a chi-square test wants at least five to be expected "
            f"in every group.{advice}"
        )
    degrees = f"{test.freedom} degrees of freedom"
    told = f"Test that {claim}: chi-square {test.statistic:.1f} with {degrees}, p {chance(test.p)}."
    if test.p >= 0.05:
        return (
            f"{told} Of 100 honest samples about {round(test.p * 100)} would look at least as uneven: nothing unusual."
        )
    if test.p >= 0.001:
        return (
            f"{told} Of 1000 honest samples about {round(test.p * 1000)} would look as uneven. That is no proof of "
            f"anything: whoever makes twenty such tests will see one below 0.05.{advice}"
        )
    return (
        f"{told} Honest shuffles hardly ever look like this. Either the transcripts were chosen for it, or something "
        "is wrong with the randomness of all who shuffled: look for the reason."
    )


def chance(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"= {p:.4f}" if p < 0.01 else f"= {p:.2f}"


def limits(sample: Sample) -> str:
    """What a sample of this size can and cannot show."""
    share = sample.noticed()
    if share > 1:
        can = (
            "A sample of this size shows next to nothing: even a deck in which no wild ever came up, or twice as many "
            "as is fair, would often pass."
        )
    else:
        can = (
            f"A sample of this size can show gross faults only: wilds would have to come up about {share * 100:.0f} % "
            "more or less often than is fair for it to be noticed four times in five."
        )
    return (
        f"{can} It can never show that a shuffle was fair, it cannot see a single card put in a single place, and it "
        "knows nothing of the cards that were not shown. What rules those out is the mathematics of the proofs."
    )


def _seats(seats: Sequence[Cells], players: Sequence[PlayerInfo], edition: str) -> list[Html]:
    groups = kind_groups(engine.EDITIONS[edition])
    merged = [cells.merged(groups) for cells in seats]
    rows: list[list[str]] = []
    for seat, cells in enumerate(merged):
        row: list[str] = [seat_label(seat, players), tag("td", number(round(sum(cells.observed))), class_="n")]
        rows.append([*row, *(_cell(cells, kind) for kind in range(len(groups)))])
    heads = ("Player", "Cards dealt", "Numbers", "Icons", "Wilds")
    test = chi_square(merged)
    return [
        tag("h3", "What each player of this match was dealt"),
        table(heads, rows, class_="heat"),
        tag("p", verdict(test, "everybody got its share of numbers, icons and wilds")),
    ]


def _pictures(decks: Decks, edition: str) -> list[Html]:
    if not decks.pictures:
        return []
    parts = [
        tag("h3", "The decks of this match, as far as they were shown"),
        tag(
            "p",
            "From the first card dealt to the last; the letter is the card\u2019s colour, w a wild. Point at a card "
            "for its name.",
            class_="dim",
        ),
    ]
    rules = engine.EDITIONS[edition]
    parts += [_picture(deck, rules) for deck in decks.pictures]
    if decks.not_pictured:
        parts.append(
            tag("p", f"{count(decks.not_pictured, 'more deck')} of this match without a picture.", class_="dim")
        )
    return parts


def _picture(deck: Deck, rules: engine.Edition) -> Html:
    name = f"Round {deck.round + 1}" + (f", reshuffle {deck.epoch}" if deck.epoch else "")
    cells: list[Html] = []
    for place in range(deck.dealt):
        card = deck.faces.get(place)
        if card is None:
            cells.append(tag("i", "\u00b7", title="dealt, not shown"))
            continue
        face = rules.cards[card]
        letter = "w" if face.colour is None else rules.colours[face.colour][0]
        style = "w" if face.colour is None else f"c{face.colour}"
        cells.append(tag("i", letter, class_=style, title=face.label(rules)))
    rest = len(deck.cards) - deck.dealt
    if rest:
        cells.append(tag("i", f"{rest} never dealt", class_="rest"))
    return tag("div", tag("span", name, class_="small dim"), tag("div", join(cells), class_="cards"), class_="deck")
