"""What a table agrees on before the first deal, as far as the rules are concerned."""

from __future__ import annotations

from dataclasses import dataclass

from .editions import EDITIONS, Edition
from .errors import IllegalOptions


@dataclass(frozen=True, slots=True)
class Options:
    """Edition name, number of seats, target in points (0 = one hand), and the stacking switch.

    Raises IllegalOptions for what the edition does not offer.
    """

    edition: str
    seats: int
    target: int = 0
    stacking: bool = False

    def __post_init__(self) -> None:
        edition = EDITIONS.get(self.edition) if isinstance(self.edition, str) else None
        if edition is None:
            raise IllegalOptions(f"There is no edition {self.edition!r}; choose one of {', '.join(sorted(EDITIONS))}.")
        if type(self.seats) is not int or not edition.min_seats <= self.seats <= edition.max_seats:
            raise IllegalOptions(f"{edition.title} is for {edition.min_seats} to {edition.max_seats} players.")
        if type(self.target) is not int or self.target not in edition.targets:
            allowed = " or ".join(str(t) for t in edition.targets)
            raise IllegalOptions(f"The target in {edition.title} is {allowed} points (0 = one hand).")
        if type(self.stacking) is not bool:
            raise IllegalOptions("Stacking is either on or off.")
        if self.stacking and not edition.stacking:
            raise IllegalOptions(f"{edition.title} has no stacking.")

    @property
    def rules(self) -> Edition:
        """The edition's data."""
        return EDITIONS[self.edition]
