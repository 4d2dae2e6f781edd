"""How a round begins and ends, and how the match does (§2, §9)."""

from __future__ import annotations

from .actions import Action, OpenHand
from .draft import Draft
from .editions import DRAWS, HAND_SIZE, CardKind
from .events import CardTurned, DrawReason, HandOpened, MatchWon, RoundDrawn, RoundStarted, RoundWon
from .ids import Handle, Seat
from .options import Options
from .plays import raise_stack, reverse
from .state import Kind, MatchOver, NeedEpoch, NeedFace, NeedKeys, State, Step, Task


def new_match(options: Options) -> State:
    """The state before the first deal; seat 0 deals (S1: the coin has numbered the seats)."""
    n = options.seats
    blank = State(
        options=options,
        round=0,
        dealer=Seat(0),
        seats_in=tuple(Seat(i) for i in range(n)),
        hands=((),) * n,
        draw=(),
        discard=(),
        origin=(),
        colour=None,
        direction=1,
        turn=Seat(0),
        epoch=0,
        reshuffles=0,
        stack=0,
        drawn=None,
        uno=(False,) * n,
        passes=0,
        window=None,
        challenge=None,
        opened=((),) * n,
        round_winner=None,
        scores=(0,) * n,
        winner=None,
        by_default=False,
        pending=MatchOver(),
        answers=(),
        agenda=(),
    )
    draft = Draft(blank)
    start_round(draft, 0, Seat(0))
    return draft.freeze(_all_cards(draft))


def start_round(d: Draft, number: int, dealer: Seat) -> None:
    """All cards are shuffled anew and nothing of the last round stays but the scores (S6)."""
    n = d.options.seats
    d.round = number
    d.dealer = d.turn = dealer
    d.hands = [()] * n
    d.draw = d.discard = ()
    d.origin = (0,) * len(d.rules.cards)
    d.colour = d.drawn = d.window = d.challenge = d.round_winner = None
    d.direction = 1
    d.epoch = d.reshuffles = d.stack = d.passes = 0
    d.uno = [False] * n
    d.opened = [()] * n
    d.agenda = [Task(Step.FIRST_DEAL)]
    d.pending = _all_cards(d)
    d.emit(RoundStarted(number, dealer))


def _all_cards(d: Draft) -> NeedEpoch:
    return NeedEpoch(tuple(card.id for card in d.rules.cards))


def first_deal(d: Draft) -> None:
    """Seven each, one at a time, left of the dealer first: position r·N+k goes to the k-th seat (S2)."""
    order = [d.step(d.dealer, 1)]
    while len(order) < len(d.seats_in):
        order.append(d.step(order[-1], 1))
    n = len(order)
    deals: list[tuple[Seat, tuple[Handle, ...]]] = []
    for k, seat in enumerate(order):
        d.hands[seat] = d.draw[k : n * HAND_SIZE : n]
        deals.append((seat, d.hands[seat]))
    d.draw = d.draw[n * HAND_SIZE :]
    d.agenda = [Task(Step.TURN_UP)]
    d.pending = NeedKeys(tuple(deals))


def turn_up(d: Draft) -> None:
    d.pending = NeedFace(d.draw[0])


def turned_up(d: Draft, card_id: int) -> None:
    """The first card lies open: take another, or begin (S3, S4)."""
    card = d.rules.cards[card_id]
    d.draw = d.draw[1:]
    d.discard = (*d.discard, card_id)
    ignored = card.kind is CardKind.WILD_DRAW_FOUR if d.rules.start_effects else card.kind is not CardKind.NUMBER
    d.emit(CardTurned(card_id, ignored))
    if ignored:
        d.agenda = [Task(Step.TURN_UP)]
        return
    d.colour = card.colour
    first = d.step(d.dealer, 1)
    turn = Task(Step.NEXT)
    d.agenda = [turn]
    match card.kind:
        case CardKind.SKIP:
            d.agenda = [Task(Step.SKIP, first), turn]
        case CardKind.REVERSE:
            # From the first player to the right comes the dealer.
            d.turn = first
            reverse(d)
        case CardKind.DRAW_TWO if d.options.stacking:
            raise_stack(d, d.dealer, DRAWS[card.kind])
            d.agenda = [Task(Step.ANSWER)]
        case CardKind.DRAW_TWO:
            d.agenda = [Task(Step.FORCED, deals=((first, DRAWS[card.kind]),)), Task(Step.SKIP, first), turn]
        case CardKind.WILD:
            d.ask(Kind.COLOUR, first)


def draw_round(d: Draft, reason: DrawReason) -> None:
    """The round ends without a winner, nobody scores, the deal moves on (T6, P7)."""
    d.emit(RoundDrawn(reason))
    d.agenda = []
    d.answers = {}
    d.stack = 0
    d.drawn = d.window = d.challenge = None
    d.ask(Kind.ROUND_END, *d.seats_in)


def ask_open(d: Draft) -> None:
    holders = [seat for seat in d.seats_in if d.hands[seat]]
    if holders:
        d.ask(Kind.OPEN, *holders)


def take_open(d: Draft, answers: dict[Seat, Action]) -> None:
    for seat, action in sorted(answers.items()):
        if isinstance(action, OpenHand):
            d.opened[seat] = tuple(card for _, card in action.cards)
            d.emit(HandOpened(seat, action.cards))


def score(d: Draft) -> None:
    """The winner of the round scores all that is left in the other hands; the match may be won (§9)."""
    winner = d.round_winner
    if winner is None:
        return
    points = sum(d.rules.cards[card].points for hand in d.opened for card in hand)
    d.scores[winner] += points
    d.emit(RoundWon(winner, points, tuple(d.opened)))
    if d.scores[winner] >= d.options.target:
        win_match(d, winner, by_default=False)
    elif len(d.seats_in) < 2:
        win_by_default(d)
    else:
        d.ask(Kind.ROUND_END, *d.seats_in)


def win_match(d: Draft, winner: Seat, *, by_default: bool) -> None:
    d.winner = winner
    d.by_default = by_default
    d.agenda = []
    d.emit(MatchWon(winner, by_default))
    if d.seats_in:
        d.ask(Kind.END, *d.seats_in)
    else:
        end_match(d)


def win_by_default(d: Draft) -> None:
    """All but one have left: that one wins, or nobody if all are gone (N3)."""
    for last in d.seats_in:
        win_match(d, last, by_default=True)
        return
    end_match(d)


def next_round(d: Draft) -> None:
    start_round(d, d.round + 1, d.step(d.dealer, 1))


def end_match(d: Draft) -> None:
    d.agenda = []
    d.pending = MatchOver()
