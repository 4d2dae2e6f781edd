"""What the players of a table agree on before the first card (PROTOCOL.md, "Making a table")."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nodealer import engine

from .errors import LocalProtocolError, WireError

# A turn clock of an hour is as good as none; windows below a tenth of a second cannot be met over a LAN.
MAX_CLOCK_S = 3600
MIN_WINDOW_MS, MAX_WINDOW_MS = 100, 60_000
MAX_KEEP_DELAY_MS = 10_000
MAX_GRACE_S = 3600
# With two seats the one piece of a key would be the key.
MIN_ESCROW_SEATS = 3


@dataclass(frozen=True, slots=True)
class TableOptions:
    """Options of a table; times are whole seconds or milliseconds so that all peers encode the same bytes.

    ``target`` 0 is one hand. ``turn_clock`` 0 is none. ``escrow`` needs three seats or more.
    """

    edition: str = "four-colors"
    seats: int = 4
    target: int = 250
    stacking: bool = False
    turn_clock: int = 60
    uno_window_ms: int = 5000
    keep_delay_ms: int = 1500
    grace: int = 90
    escrow: bool = False

    @classmethod
    def defaults(cls, edition: str, seats: int | None = None, target: int | None = None) -> TableOptions:
        """The options that a host gets by naming an edition only."""
        four_colors = edition == "four-colors"
        seats = 4 if seats is None else seats
        return cls(
            edition=edition,
            seats=seats,
            escrow=seats >= MIN_ESCROW_SEATS,
            target=(250 if four_colors else 0) if target is None else target,
            uno_window_ms=5000 if four_colors else 3000,
        )

    def fast(self) -> TableOptions:
        """The same table for tests and bots: short clocks, no keep delay."""
        return replace(self, uno_window_ms=300, keep_delay_ms=0, turn_clock=5, grace=3)

    def game(self) -> engine.Options:
        """The part that the engine knows; raises ``engine.IllegalOptions`` with a sentence."""
        return engine.Options(edition=self.edition, seats=self.seats, target=self.target, stacking=self.stacking)

    def check(self) -> TableOptions:
        """Refuse what no table can have; raises ``LocalProtocolError`` with a sentence."""
        try:
            self.game()
        except engine.IllegalOptions as error:
            raise LocalProtocolError(str(error)) from None
        if not 0 <= self.turn_clock <= MAX_CLOCK_S:
            raise LocalProtocolError(f"The turn clock must be 0 to {MAX_CLOCK_S} seconds.")
        if not MIN_WINDOW_MS <= self.uno_window_ms <= MAX_WINDOW_MS:
            raise LocalProtocolError(f"The UNO window must be {MIN_WINDOW_MS} to {MAX_WINDOW_MS} milliseconds.")
        if not 0 <= self.keep_delay_ms <= MAX_KEEP_DELAY_MS:
            raise LocalProtocolError(f"The keep delay must be 0 to {MAX_KEEP_DELAY_MS} milliseconds.")
        if not 1 <= self.grace <= MAX_GRACE_S:
            raise LocalProtocolError(f"The grace must be 1 to {MAX_GRACE_S} seconds.")
        if self.escrow and self.seats < MIN_ESCROW_SEATS:
            raise LocalProtocolError("Escrow needs three seats or more: with two, one piece would be the key.")
        return self

    def to_wire(self) -> list[object]:
        """The array that stands in offers and table descriptions."""
        return [
            self.edition,
            self.seats,
            self.target,
            self.stacking,
            self.turn_clock,
            self.uno_window_ms,
            self.keep_delay_ms,
            self.grace,
            self.escrow,
        ]

    @classmethod
    def from_wire(cls, value: object) -> TableOptions:
        """Options from a decoded array; raises ``WireError`` on any other shape or value."""
        shape = (str, int, int, bool, int, int, int, int, bool)
        if not isinstance(value, list) or len(value) != len(shape):
            raise WireError("the options of the table are not an array of nine")
        if any(type(item) is not kind for item, kind in zip(value, shape, strict=True)):
            raise WireError("an option of the table has the wrong type")
        try:
            return cls(*value).check()
        except LocalProtocolError as error:
            raise WireError(f"the table's options are refused: {error}") from None
