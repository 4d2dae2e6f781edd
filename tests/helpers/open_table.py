"""A table with open cards: real faces from a seeded permutation, every seat played by one policy.

It drives the engine as the peers do, and checks after every action what must always be true (rules §11).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

from nodealer.engine import (
    EDITIONS,
    Action,
    CardKind,
    Discard,
    Draw,
    EpochReady,
    Event,
    Handle,
    Keep,
    KeysReleased,
    Kind,
    MatchOver,
    NeedActions,
    NeedEpoch,
    NeedFace,
    NeedKeys,
    Options,
    Pass,
    PlayCard,
    Seat,
    SeatAction,
    SeatLeft,
    State,
    Take,
    TurnUp,
    apply,
    digest,
    legal_actions,
    new_match,
    surplus,
)

DECKS = {name: frozenset(card.id for card in edition.cards) for name, edition in EDITIONS.items()}

Policy = Callable[["OpenTable", Seat], Action]


class OpenTable:
    """One match with open cards. `faces` maps every handle of the round to its card."""

    def __init__(self, options: Options, seed: int, *, checked: bool = True, recounted: bool = True) -> None:
        """``recounted``: after every action it is looked where each single card lies, not only how many there are."""
        self.rng = random.Random(seed)
        self.state: State = new_match(options)
        self.faces: dict[Handle, int] = {}
        self.checked = checked
        self.recounted = recounted
        self.inputs: list[object] = []
        self.counts: Counter[str] = Counter()
        self.longest = 0

    def known(self, seat: Seat) -> dict[Handle, int]:
        """What this seat can read: its own hand, but for cards whose keys are still to come."""
        pending = self.state.pending
        deals = pending.deals if isinstance(pending, NeedKeys) else ()
        locked = {handle for owner, handles in deals if owner == seat for handle in handles}
        return {handle: self.faces[handle] for handle in self.state.hands[seat] if handle not in locked}

    def apply(self, action: object) -> tuple[Event, ...]:
        self.state, events = apply(self.state, action)  # type: ignore[arg-type]
        self.inputs.append(action)
        self.counts["actions"] += 1
        for event in events:
            self.counts[type(event).__name__] += 1
        if self.checked:
            check(self.state, self.faces if self.recounted else None)
        return events

    def leave(self, seat: Seat, missing: int = 0) -> tuple[Event, ...]:
        """This seat leaves; all but the last `missing` cards of its hand can be opened."""
        pending = self.state.pending
        scored = isinstance(pending, NeedActions) and pending.kind in (Kind.ROUND_END, Kind.END)
        hand = () if scored else self.state.hands[seat]
        return self.apply(SeatLeft(seat, tuple((h, self.faces[h]) for h in hand[: len(hand) - missing])))

    def step(self, policy: Policy) -> tuple[object, tuple[Event, ...]]:
        """Give the state one thing that it waits for."""
        action = self.next_input(policy)
        return action, self.apply(action)

    def next_input(self, policy: Policy) -> object:
        match self.state.pending:
            case NeedEpoch(cards):
                if self.state.epoch == 0:
                    self.faces = {}
                order = list(cards)
                self.rng.shuffle(order)
                self.faces.update({Handle(self.state.epoch, i): card for i, card in enumerate(order)})
                return EpochReady()
            case NeedKeys():
                return KeysReleased()
            case NeedFace(handle):
                return TurnUp(self.faces[handle])
            case NeedActions():
                seat = self.state.owing[0]
                return SeatAction(seat, policy(self, seat))
            case MatchOver():
                raise RuntimeError("the match is over")

    def play_round(self, policy: Policy, limit: int = 50_000) -> None:
        """To the end of the round: the state then waits for ROUND_END or END."""
        number = self.state.round
        for steps in range(limit):
            if self.ended() or self.state.round != number:
                self.longest = max(self.longest, steps)
                return
            self.step(policy)
        raise RuntimeError(f"the round has not ended after {limit} actions")

    def play_match(self, policy: Policy, rounds: int = 10_000) -> None:
        for _ in range(rounds):
            self.play_round(policy)
            if isinstance(self.state.pending, NeedActions) and self.state.pending.kind is Kind.END:
                while not isinstance(self.state.pending, MatchOver):
                    self.step(policy)
                return
            self.agree(policy)
        raise RuntimeError("the match has not ended")

    def agree(self, policy: Policy) -> None:
        """From the end of a round to the next deal, or to the end of the match."""
        while self.ended() and not isinstance(self.state.pending, MatchOver):
            self.step(policy)

    def ended(self) -> bool:
        pending = self.state.pending
        return isinstance(pending, MatchOver) or (
            isinstance(pending, NeedActions) and pending.kind in (Kind.ROUND_END, Kind.END)
        )


def random_choice(table: OpenTable, seat: Seat) -> Action:
    """Uniform over all that is legal, `uno` and Ohana choices included."""
    state, known, rng = table.state, table.known(seat), table.rng
    actions = legal_actions(state, seat, _with_case(table, known))
    action = actions[rng.randrange(len(actions))] if len(actions) > 1 else actions[0]
    if isinstance(action, Discard):
        chosen = rng.sample(state.hands[seat], surplus(state, seat))
        return Discard(tuple((handle, known[handle]) for handle in sorted(chosen)))
    return _maybe_call(action, rng)


def eager(table: OpenTable, seat: Seat) -> Action:
    """Plays when it can."""
    actions = legal_actions(table.state, seat, _with_case(table, table.known(seat)))
    plays = [action for action in actions if isinstance(action, PlayCard)]
    if plays:
        return _maybe_call(table.rng.choice(plays), table.rng)
    return random_choice(table, seat)


def hoard(table: OpenTable, seat: Seat) -> Action:
    """Draws and keeps whenever it may, so that the piles run out."""
    for action in legal_actions(table.state, seat, _with_case(table, table.known(seat))):
        if isinstance(action, Draw | Keep | Take | Pass):
            return action
    return random_choice(table, seat)


POLICIES: dict[str, Policy] = {"random": random_choice, "eager": eager, "hoard": hoard}


def _with_case(table: OpenTable, known: dict[Handle, int]) -> dict[Handle, int]:
    case = table.state.challenge
    if case is not None:
        known.update({handle: table.faces[handle] for handle in case.hand})
    return known


def _maybe_call(action: Action, rng: random.Random) -> Action:
    if isinstance(action, PlayCard) and action.uno is False and rng.random() < 0.5:
        return PlayCard(action.handle, action.card, action.colour, True)
    return action


def check(state: State, faces: dict[Handle, int] | None) -> None:
    """Rules §11. With the faces, where every card lies is recomputed from scratch; without, only their number."""
    pending = state.pending
    undealt = not (state.draw or state.discard or any(state.hands))
    if not undealt:
        deck = DECKS[state.options.edition]
        number = len(state.draw) + len(state.discard) + sum(map(len, state.hands))
        assert number == len(deck), "conservation"
        if faces is not None:
            everywhere = {faces[handle] for hand in (*state.hands, state.draw) for handle in hand}
            assert everywhere.union(state.discard) == deck, "conservation"
    else:
        assert state.by_default or not state.seats_in or (isinstance(pending, NeedEpoch) and state.epoch == 0)
    match pending:
        case NeedActions(kind, seats):
            assert seats, "somebody owes"
            assert list(seats) == sorted(set(seats))
            assert set(seats) <= set(state.seats_in)
            assert state.owing, "a slot that is complete is closed"
            assert [seat for seat, _ in state.answers] == sorted(set(seats) - set(state.owing))
            assert (kind is Kind.WINDOW) == (state.window is not None)
            assert (kind in (Kind.ACCEPT, Kind.VERDICT, Kind.SEEN)) == (state.challenge is not None)
            assert (kind is Kind.DRAWN) == (state.drawn is not None)
            if kind is Kind.MOVE:
                assert seats == (state.turn,)
                assert state.colour is not None
                assert not state.agenda
                assert not state.stack
        case NeedEpoch(ids):
            assert ids
            assert list(ids) == sorted(set(ids))
        case NeedKeys(deals):
            assert deals
            assert all(handles and set(handles) <= set(state.hands[seat]) for seat, handles in deals)
        case NeedFace(handle):
            assert handle == state.draw[0]
        case MatchOver():
            assert state.winner is not None or not state.seats_in
    for seat, called in enumerate(state.uno):
        # Mega Minions leaves a hand without its only card for a moment, and the call stands.
        assert not called or len(state.hands[seat]) <= 1
    for seat, hand in enumerate(state.hands):
        if not hand and seat in state.seats_in and state.round_winner != seat and state.draw and state.discard:
            assert _inside_special(state), "an empty hand has won"


def _inside_special(state: State) -> bool:
    return state.rules.cards[state.discard[-1]].kind is CardKind.MINIONS


def replay(options: Options, inputs: list[object]) -> bytes:
    """The digest after the same inputs."""
    state = new_match(options)
    for action in inputs:
        state, _ = apply(state, action)  # type: ignore[arg-type]
    return digest(state)
