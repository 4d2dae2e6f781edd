"""The editions as data: which cards there are, and every rule in which the editions differ.

A card id is its place in one canonical order: per colour 0,1,1,…,9,9, Draw Two ×2, Reverse ×2, Skip ×2 (25 cards a
colour), then Wild ×4, Wild Draw Four ×4 and the edition's special ×4. Two equal faces are still two cards.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class CardKind(StrEnum):
    """The symbol of a card; for numbers the digit is told apart by `Card.number`. The values are the printed words."""

    NUMBER = "number"
    DRAW_TWO = "draw two"
    REVERSE = "reverse"
    SKIP = "skip"
    WILD = "wild"
    WILD_DRAW_FOUR = "wild draw four"
    MINIONS = "wild mega minions power"
    OHANA = "wild ohana"


ICONS = frozenset({CardKind.DRAW_TWO, CardKind.REVERSE, CardKind.SKIP})
"""What Mega Minions takes. Wilds carry no icon."""

WILDS = frozenset({CardKind.WILD, CardKind.WILD_DRAW_FOUR, CardKind.MINIONS, CardKind.OHANA})

ICON_POINTS = 20
WILD_POINTS = 50
HAND_SIZE = 7
OHANA_SIZE = 4
PENALTY = 2
"""Cards that a caught player draws (U6)."""
CHALLENGE_LOST = 6
"""Cards that a wrong challenger draws (F7)."""
MAX_RESHUFFLES = 20
"""After so many reshuffles a round ends without a winner as soon as the draw pile is empty again (P7)."""
DRAWS = {CardKind.DRAW_TWO: 2, CardKind.WILD_DRAW_FOUR: 4}
"""How many cards the next player draws."""


@dataclass(frozen=True, slots=True)
class Card:
    """One physical card. `colour` is None exactly for wilds, `number` is None for all but numbers."""

    id: int
    kind: CardKind
    colour: int | None
    number: int | None
    wild: bool = field(init=False)
    points: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "wild", self.kind in WILDS)
        points = self.number if self.number is not None else WILD_POINTS if self.wild else ICON_POINTS
        object.__setattr__(self, "points", points)

    def label(self, edition: Edition) -> str:
        """The face in words: "red 7", "blue draw two", "wild"."""
        symbol = self.kind.value if self.number is None else str(self.number)
        return symbol if self.colour is None else f"{edition.colours[self.colour]} {symbol}"


@dataclass(frozen=True, slots=True)
class Edition:
    """One edition. All that differs between editions is a field here; nothing else asks for an edition's name."""

    name: str
    title: str
    colours: tuple[str, ...]
    special: CardKind | None
    max_seats: int
    targets: tuple[int, ...]
    """Allowed match targets in points; 0 means that the first round with a winner decides."""
    default_target: int
    challenge: bool
    """Wild Draw Four may be a bluff and may be challenged (F1-F9)."""
    stacking: bool
    """The stacking switch exists."""
    start_effects: bool
    """The first card has its effect (S4); otherwise cards are turned until a number lies on top (S3)."""
    last_card_draws: bool
    """A last Draw Two or Wild Draw Four is still drawn, and counts (§9)."""
    quiet_is_caught: bool
    """Who does not call in the window is caught even when nobody says so (U5)."""
    uno_window_ms: int
    """What a table offers as the length of the UNO window; the engine knows no time."""
    min_seats: int = 2
    cards: tuple[Card, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cards", _cards(len(self.colours), self.special))

    def incriminating(self, colour: int) -> tuple[int, ...]:
        """The ids that make a Wild Draw Four on this colour wrong when one of them is in the hand (F1)."""
        return tuple(c.id for c in self.cards if c.wild or c.colour == colour)

    def icons(self) -> tuple[int, ...]:
        """The ids that Mega Minions takes."""
        return tuple(c.id for c in self.cards if c.kind in ICONS)


def _cards(colours: int, special: CardKind | None) -> tuple[Card, ...]:
    faces: list[tuple[CardKind, int | None, int | None]] = []
    for colour in range(colours):
        faces += [(CardKind.NUMBER, colour, number) for number in (0, *sorted([*range(1, 10)] * 2))]
        faces += [(kind, colour, None) for kind in (CardKind.DRAW_TWO, CardKind.REVERSE, CardKind.SKIP) for _ in "12"]
    for kind in (CardKind.WILD, CardKind.WILD_DRAW_FOUR, special):
        if kind is not None:
            faces += [(kind, None, None)] * 4
    return tuple(Card(i, *face) for i, face in enumerate(faces))


FOUR_COLORS = Edition(
    name="four-colors",
    title="Four Colors",
    colours=("red", "yellow", "green", "blue"),
    special=None,
    max_seats=4,
    targets=(0, 250, 500),
    default_target=250,
    challenge=False,
    stacking=True,
    start_effects=True,
    last_card_draws=False,
    quiet_is_caught=True,
    uno_window_ms=5000,
)

DESPICABLE_ME_4 = Edition(
    name="despicable-me-4",
    title="Despicable Me 4",
    colours=("blue", "orange", "purple", "yellow"),
    special=CardKind.MINIONS,
    max_seats=10,
    targets=(0, 500),
    default_target=0,
    challenge=True,
    stacking=False,
    start_effects=False,
    last_card_draws=True,
    quiet_is_caught=False,
    uno_window_ms=3000,
)

LILO_STITCH = Edition(
    name="lilo-stitch",
    title="Lilo & Stitch",
    colours=("red", "yellow", "green", "blue"),
    special=CardKind.OHANA,
    max_seats=10,
    targets=(0, 500),
    default_target=0,
    challenge=True,
    stacking=False,
    start_effects=False,
    last_card_draws=True,
    quiet_is_caught=False,
    uno_window_ms=3000,
)

EDITIONS: dict[str, Edition] = {e.name: e for e in (FOUR_COLORS, DESPICABLE_ME_4, LILO_STITCH)}
