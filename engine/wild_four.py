"""Wild Draw Four where it may be a bluff (F1-F10)."""

from __future__ import annotations

from .draft import Draft
from .editions import CHALLENGE_LOST, DRAWS, CardKind
from .events import Accepted, Challenged, ChallengeLost, ChallengeWon
from .ids import Seat
from .state import ChallengeCase, Kind, Step, Task

FOUR = DRAWS[CardKind.WILD_DRAW_FOUR]


def ask_accept(d: Draft, accused: Seat, challenger: Seat, colour: int) -> None:
    """The next player answers before anything else (F5). The hand is remembered as it is now (F1, F4)."""
    d.challenge = ChallengeCase(accused, d.hands[accused], colour, challenger)
    d.ask(Kind.ACCEPT, challenger)


def accept(d: Draft, case: ChallengeCase) -> None:
    """F6. The accept is a signed entry of the one who draws, so no DRAW is asked."""
    d.emit(Accepted(case.challenger))
    d.challenge = None
    _challenger_draws(d, case.challenger, FOUR)


def challenge(d: Draft, case: ChallengeCase) -> None:
    d.emit(Challenged(case.challenger, case.accused))
    d.ask(Kind.VERDICT, case.accused)


def verdict(d: Draft, case: ChallengeCase, guilty: bool) -> None:
    d.challenge = case._replace(guilty=guilty)
    d.ask(Kind.SEEN, case.challenger)


def seen(d: Draft, case: ChallengeCase) -> None:
    """F7, F8. The challenger's `seen` also says "I draw", the accused has to say it itself."""
    d.challenge = None
    if case.guilty:
        d.emit(ChallengeWon(case.challenger, case.accused))
        d.agenda.insert(0, Task(Step.FORCED, deals=((case.accused, FOUR),)))
    else:
        d.emit(ChallengeLost(case.challenger, case.accused))
        _challenger_draws(d, case.challenger, CHALLENGE_LOST)


def _challenger_draws(d: Draft, challenger: Seat, count: int) -> None:
    lose_turn(d, challenger)
    d.agenda.insert(0, Task(Step.DEAL, deals=((challenger, count),)))


def lose_turn(d: Draft, challenger: Seat) -> None:
    """The agenda is the window, if there still is one, then the next turn: the lost turn comes between them."""
    d.agenda.insert(len(d.agenda) - 1, Task(Step.SKIP, challenger))
