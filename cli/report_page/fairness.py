"""Where the cards of opened decks came to lie, against a uniform order.

Theory. Positions of a deck are dealt from the front, and in a finished round every dealt card has been shown. Whether
one more position is dealt depends on the cards before it and on the players, never on itself. So whatever makes a round
long or short, the next card dealt is uniform among the cards not yet seen of that deck: its class c has the chance
q_c = (left of c) / (left). Observed minus expected, summed over positions, is a martingale, and the summed
q_c (1 if c = d else 0) - q_c q_d is its covariance; no choice of the players can bend that. A round that was not
finished is left out whole: which of its cards were shown depends on the cards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nodealer import engine

BANDS = 12
# Where fewer are expected in any cell, the chi-square distribution is no good description.
MIN_EXPECTED = 5.0
# Both ends of a test at 5 %, noticed in four of five cases: 1.96 + 0.84 standard deviations.
NOTICED = 2.8

Matrix = list[list[float]]
DeckId = tuple[bytes, int, int]


def class_names(edition: engine.Edition) -> tuple[str, ...]:
    """The kinds of card that are told apart: numbers and icons of each colour, and each wild."""
    kinds = list(dict.fromkeys(card.kind.value for card in edition.cards if card.wild))
    return (*(f"{colour} {what}" for colour in edition.colours for what in ("numbers", "icons")), *kinds)


def class_of(edition: engine.Edition, card: int) -> int:
    """The place of a card's kind in ``class_names``."""
    face = edition.cards[card]
    if face.colour is None:
        return class_names(edition).index(face.kind.value)
    return 2 * face.colour + (face.number is None)


@dataclass(slots=True)
class Cells:
    """Observed, expected and covariance for k classes of cards, over some positions."""

    observed: list[float]
    expected: list[float]
    covariance: Matrix

    @classmethod
    def empty(cls, k: int) -> Cells:
        return cls([0.0] * k, [0.0] * k, [[0.0] * k for _ in range(k)])

    def see(self, card: int, chances: Sequence[float]) -> None:
        """One more position: a card of this class, where the classes had these chances."""
        self.observed[card] += 1
        for c, q in enumerate(chances):
            self.expected[c] += q
            row = self.covariance[c]
            row[c] += q
            for d, other in enumerate(chances):
                row[d] -= q * other

    def __add__(self, other: Cells) -> Cells:
        return Cells(
            [a + b for a, b in zip(self.observed, other.observed, strict=True)],
            [a + b for a, b in zip(self.expected, other.expected, strict=True)],
            [
                [a + b for a, b in zip(x, y, strict=True)]
                for x, y in zip(self.covariance, other.covariance, strict=True)
            ],
        )

    def merged(self, groups: Sequence[Sequence[int]]) -> Cells:
        """The same with whole groups of classes as one class each."""
        return Cells(
            [sum(self.observed[c] for c in group) for group in groups],
            [sum(self.expected[c] for c in group) for group in groups],
            [[sum(self.covariance[c][d] for c in one for d in two) for two in groups] for one in groups],
        )

    def deviation(self, c: int) -> float:
        """Observed minus expected in standard deviations."""
        spread = math.sqrt(max(self.covariance[c][c], 0.0))
        return (self.observed[c] - self.expected[c]) / spread if spread > 0 else 0.0

    def statistic(self) -> float:
        """The chi-square statistic with (classes - 1) degrees of freedom."""
        size = len(self.observed) - 1
        gap = [self.observed[c] - self.expected[c] for c in range(size)]
        solved = solve([row[:size] for row in self.covariance[:size]], gap)
        return max(sum(a * b for a, b in zip(gap, solved, strict=True)), 0.0)


@dataclass(frozen=True, slots=True)
class ChiSquare:
    """A chi-square test: how often an honest sample deviates at least as much."""

    statistic: float
    freedom: int
    p: float


@dataclass(slots=True)
class Sample:
    """What was seen of the decks of one edition: of constant size, but for which decks they were.

    ``seen`` and ``skipped`` name decks by table, round and epoch: those counted, and those of rounds not over.
    """

    edition: engine.Edition
    decks: int = 0
    positions: int = 0
    shown: int = 0
    doubles: int = 0
    seen: set[DeckId] = field(default_factory=set)
    skipped: set[DeckId] = field(default_factory=set)
    bands: list[Cells] = field(init=False)

    def __post_init__(self) -> None:
        self.bands = [Cells.empty(len(class_names(self.edition))) for _ in range(BANDS)]

    def take(
        self, cards: Sequence[int], faces: Mapping[int, int], dealt: int, seats: Mapping[int, Cells] | None = None
    ) -> bool:
        """A deck of a finished round: its cards, the face at each position shown, and how many were dealt.

        ``seats`` counts by position for whom it was dealt. False, and nothing is counted, where a face is missing.
        """
        if not dealt or any(place not in faces for place in range(dealt)):
            return False
        left = [0] * len(class_names(self.edition))
        for card in cards:
            left[class_of(self.edition, card)] += 1
        for place in range(dealt):
            rest = len(cards) - place
            chances = [count / rest for count in left]
            kind = class_of(self.edition, faces[place])
            self.bands[place * BANDS // len(cards)].see(kind, chances)
            if seats is not None and place in seats:
                seats[place].see(kind, chances)
            left[kind] -= 1
        self.decks += 1
        self.positions += len(cards)
        self.shown += dealt
        return True

    @property
    def left_out(self) -> int:
        """Decks of which it is not known where all dealt cards lay, in no transcript."""
        return len(self.skipped - self.seen)

    @property
    def matches(self) -> int:
        return len({table for table, _, _ in self.seen})

    @property
    def whole(self) -> Cells:
        total = self.bands[0]
        for band in self.bands[1:]:
            total = total + band
        return total

    def test(self) -> ChiSquare | None:
        """Do colours and wilds lie evenly from front to back? None where the sample is too small to ask."""
        return chi_square(gathered([band.merged(colour_groups(self.edition)) for band in self.bands]))

    def noticed(self) -> float:
        """By which part of their fair share wilds would have to come up more or less often for this sample to show it
        in four cases of five."""
        wild = self.whole.merged(colour_groups(self.edition))
        expected, variance = wild.expected[-1], wild.covariance[-1][-1]
        return NOTICED * math.sqrt(variance) / expected if expected > 0 else math.inf


def colour_groups(edition: engine.Edition) -> list[list[int]]:
    """Classes by colour, and all wilds."""
    colours = len(edition.colours)
    return [*([2 * c, 2 * c + 1] for c in range(colours)), list(range(2 * colours, len(class_names(edition))))]


def kind_groups(edition: engine.Edition) -> list[list[int]]:
    """Numbers, icons and wilds."""
    colours = range(len(edition.colours))
    wilds = list(range(2 * len(colours), len(class_names(edition))))
    return [[2 * c for c in colours], [2 * c + 1 for c in colours], wilds]


def gathered(cells: Sequence[Cells]) -> list[Cells]:
    """Neighbours put together until enough is expected in every cell; what is left over goes to the last."""
    done: list[Cells] = []
    open_: Cells | None = None
    for cell in cells:
        open_ = cell if open_ is None else open_ + cell
        if min(open_.expected) >= MIN_EXPECTED:
            done.append(open_)
            open_ = None
    if open_ is not None and done:
        done[-1] = done[-1] + open_
    return done


def chi_square(cells: Sequence[Cells]) -> ChiSquare | None:
    """The test over cells that have enough expected each."""
    if not cells or min(min(cell.expected) for cell in cells) < MIN_EXPECTED:
        return None
    statistic = sum(cell.statistic() for cell in cells)
    freedom = sum(len(cell.expected) - 1 for cell in cells)
    return ChiSquare(statistic, freedom, chance_of_more(statistic, freedom))


def chance_of_more(statistic: float, freedom: int) -> float:
    """The chance that a chi-square variable with this many degrees of freedom is at least ``statistic``."""
    half = statistic / 2
    if half <= 0:
        return 1.0
    # The closed forms for whole degrees of freedom: a sum of gamma terms from the start on.
    at = 0.0 if freedom % 2 == 0 else 0.5
    total = 0.0 if freedom % 2 == 0 else math.erfc(math.sqrt(half))
    while at < freedom / 2:
        total += math.exp(at * math.log(half) - half - math.lgamma(at + 1))
        at += 1
    return min(total, 1.0)


def solve(matrix: Matrix, right: Sequence[float]) -> list[float]:
    """x of ``matrix`` x = ``right``, by elimination; a direction without any spread gives nothing."""
    n = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    solved = [0.0] * n
    pivots: list[int] = []
    for column in range(n):
        best = max(range(column, n), key=lambda r: abs(rows[r][column]))
        rows[column], rows[best] = rows[best], rows[column]
        pivots.append(column)
        if abs(rows[column][column]) < 1e-9:
            continue
        for r in range(column + 1, n):
            factor = rows[r][column] / rows[column][column]
            for c in range(column, n + 1):
                rows[r][c] -= factor * rows[column][c]
    for column in reversed(pivots):
        rest = rows[column][n] - sum(rows[column][c] * solved[c] for c in range(column + 1, n))
        solved[column] = rest / rows[column][column] if abs(rows[column][column]) >= 1e-9 else 0.0
    return solved
