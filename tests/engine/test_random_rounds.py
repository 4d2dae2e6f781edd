"""rules.md §11 over random rounds, and arbitrary actions."""

from __future__ import annotations

import random
from dataclasses import replace

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nodealer.engine import (
    Accept,
    Agree,
    Called,
    Caught,
    Challenge,
    Discard,
    Draw,
    EpochReady,
    Handle,
    Heard,
    IllegalAction,
    Keep,
    KeysReleased,
    NameColour,
    OpenHand,
    Options,
    Pass,
    PlayCard,
    Quiet,
    SeatAction,
    SeatLeft,
    Seen,
    ShowCards,
    Silent,
    State,
    Take,
    TurnUp,
    Verdict,
    apply,
    clock_action,
    digest,
    encode,
    legal_actions,
    new_match,
    view,
)

from tests.helpers.open_table import POLICIES, OpenTable, eager, hoard, random_choice, replay
from tests.soak_engine import PROCESSES, play

EDITIONS = ["four-colors", "despicable-me-4", "lilo-stitch"]
ROUNDS = 500
FOUR = Options("four-colors", 4, 250, True)


@pytest.mark.parametrize("edition", EDITIONS)
def test_random_rounds(edition: str) -> None:
    """Every state of some hundred rounds; `make soak-engine` plays 100,000."""
    counts, longest, failures = play((edition, 0, ROUNDS // len(EDITIONS) + 1))
    assert PROCESSES == 2
    assert not failures
    assert counts["RoundWon"] > 0
    assert counts["RoundDrawn"] > 0
    assert counts["Reshuffled"] > 0
    assert longest < 20_000


@pytest.mark.parametrize("edition", EDITIONS)
def test_whole_matches_end(edition: str) -> None:
    target = 500
    table = OpenTable(Options(edition, 3, target), seed=8)
    table.play_match(eager)
    winner = table.state.winner
    assert winner is not None
    assert table.state.scores[winner] >= target
    assert all(score < target for seat, score in enumerate(table.state.scores) if seat != winner)


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_same_actions_give_the_same_digest(edition: str) -> None:
    table = OpenTable(Options(edition, 3, 500), seed=3)
    for _ in range(2):
        table.play_round(random_choice)
        table.agree(random_choice)
    assert replay(table.state.options, table.inputs) == digest(table.state)


def test_hoarding_ends_by_passing() -> None:
    table = OpenTable(Options("despicable-me-4", 5), seed=2)
    table.play_round(hoard)
    assert table.counts["TurnPassed"] == 5
    assert table.counts["RoundDrawn"] == 1


@pytest.mark.parametrize("edition", EDITIONS)
def test_legal_actions_are_exactly_the_legal_ones(edition: str) -> None:
    """Every listed action is taken, and no other play of the deck is; the clock's action is among the legal."""
    table = OpenTable(Options(edition, 3), seed=11)
    rng = random.Random(5)
    for _ in range(400):
        if table.ended():
            break
        state = table.state
        for seat in state.owing:
            known = table.known(seat)
            if state.challenge is not None:
                known |= {handle: table.faces[handle] for handle in state.challenge.hand}
            listed = legal_actions(state, seat, known)
            assert listed
            assert clock_action(state, seat, known) in listed or isinstance(listed[0], NameColour)
            for action in listed:
                apply(state, SeatAction(seat, action))
            last = len(state.hands[seat]) == 1
            for handle in rng.sample(state.hands[seat], min(3, len(state.hands[seat]))):
                for colour in (None, 0, 3):
                    action = PlayCard(handle, known[handle], colour, None if last else False)
                    if action not in listed:
                        with pytest.raises(IllegalAction):
                            apply(state, SeatAction(seat, action))
        table.step(eager if rng.random() < 0.5 else random_choice)


def test_who_owes_nothing_has_no_action() -> None:
    state = new_match(FOUR)
    assert all(legal_actions(state, seat, {}) == () for seat in range(4))  # type: ignore[arg-type]
    assert state.owing == ()


def test_encoding_is_canonical_and_complete() -> None:
    """Unpacking and packing gives the same bytes, and every field of the state is in them."""
    table = OpenTable(FOUR, seed=5)
    for _ in range(300):
        if table.ended():
            table.agree(eager)
        table.step(eager)
        packed = encode(table.state)
        plain = msgpack.unpackb(packed, use_list=True, strict_map_key=True)
        assert msgpack.packb(plain) == packed
    base = table.state
    changes = {
        "round": 77,
        "colour": (base.colour or 0) + 1,
        "direction": -base.direction,
        "stack": base.stack + 2,
        "passes": base.passes + 1,
        "scores": (1, 2, 3, 4),
        "uno": tuple(not called for called in base.uno),
        "hands": base.hands[::-1],
        "draw": base.draw[1:],
        "discard": base.discard[::-1],
        "reshuffles": base.reshuffles + 1,
        "window": 3,
        "drawn": Handle(9, 9),
        "agenda": (),
        "options": replace(FOUR, stacking=False),
    }
    for name, value in changes.items():
        if getattr(base, name) != value:
            assert digest(replace(base, **{name: value})) != digest(base), name  # type: ignore[arg-type]


def test_digest_vector() -> None:
    """The bytes do not change by accident: they are part of the protocol."""
    table = OpenTable(FOUR, seed=1)
    table.play_round(eager)
    assert len(digest(table.state)) == 32
    assert digest(table.state).hex() == DIGEST


DIGEST = "16cbde7f41a1ff30222c9c3188df51e53345b1d440dcf065fff2d26d48e4208f"


def test_view_hides_other_hands() -> None:
    table = OpenTable(FOUR, seed=5)
    for _ in range(20):
        table.step(eager)
    everything = dict(table.faces)
    for seat in table.state.seats_in:
        seen = view(table.state, seat, everything)
        assert seen.hand == tuple((handle, table.faces[handle]) for handle in table.state.hands[seat])
        assert seen.counts == tuple(len(hand) for hand in table.state.hands)
        others = {table.faces[h] for i, hand in enumerate(table.state.hands) if i != seat for h in hand}
        assert not others & {card for _, card in seen.hand if card is not None}
    assert view(table.state, None, everything).hand == ()
    assert all(card is None for _, card in view(table.state, table.state.seats_in[0], {}).hand)


# Arbitrary actions.

whole = st.one_of(st.integers(-2, 12), st.integers(0, 112), st.integers(), st.none(), st.booleans())
handles = st.one_of(
    st.builds(Handle, st.integers(-1, 2), st.integers(-1, 112)),
    st.builds(Handle, whole, whole),
    st.tuples(whole),
    whole,
)
shown = st.one_of(
    st.lists(st.tuples(handles, whole), max_size=9).map(tuple), st.lists(handles, max_size=3).map(tuple), whole
)
WORDS = (Draw, Pass, Keep, Take, Accept, Challenge, Seen, Called, Quiet, Heard, Caught, Silent, Agree)
words = st.sampled_from([word() for word in WORDS])
actions = st.one_of(
    words,
    st.builds(PlayCard, handles, whole, whole, whole),
    st.builds(NameColour, whole),
    st.builds(Verdict, whole),
    st.builds(ShowCards, shown),
    st.builds(Discard, shown),
    st.builds(OpenHand, shown),
    whole,
)
inputs = st.one_of(
    st.builds(SeatAction, whole, actions),
    st.builds(SeatAction, st.integers(0, 9), words),
    st.sampled_from([EpochReady(), KeysReleased()]),
    st.builds(TurnUp, whole),
    st.builds(SeatLeft, whole, shown),
    whole,
)


@pytest.mark.parametrize("edition", EDITIONS)
@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    steps=st.integers(0, 250),
    policy=st.sampled_from(sorted(POLICIES)),
    tries=st.lists(inputs, min_size=1, max_size=30),
)
def test_no_action_raises_anything_but_illegal_action(
    edition: str, seed: int, steps: int, policy: str, tries: list[object]
) -> None:
    table = OpenTable(Options(edition, 2 + seed % 3), seed, checked=False)
    for _ in range(steps):
        if table.ended():
            break
        table.step(POLICIES[policy])
    state = table.state
    before = encode(state)
    for action in tries:
        try:
            after, _ = apply(state, action)  # type: ignore[arg-type]
        except IllegalAction:
            pass
        else:
            assert isinstance(after, State)
            encode(after)
        assert encode(state) == before


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10_000), steps=st.integers(0, 150), data=st.data())
def test_near_misses(seed: int, steps: int, data: st.DataObject) -> None:
    """Legal actions with one thing wrong: nothing but IllegalAction, and no cards multiply."""
    table = OpenTable(Options(EDITIONS[seed % 3], 2 + seed % 3), seed)
    for _ in range(steps):
        if table.ended():
            break
        table.step(eager)
    for seat in table.state.owing:
        known = dict(table.faces)
        for action in legal_actions(table.state, seat, known):
            bent = action
            if isinstance(action, PlayCard):
                field = data.draw(st.sampled_from(["handle", "card", "colour", "uno"]))
                bent = replace(action, **{field: data.draw(whole)})  # type: ignore[arg-type]
            elif isinstance(action, ShowCards | Discard | OpenHand):
                mixed = data.draw(st.permutations(action.cards))
                bent = replace(action, cards=tuple(mixed)[: data.draw(st.integers(0, 9))])
            try:
                after, _ = apply(table.state, SeatAction(seat, bent))
            except IllegalAction:
                continue
            total = sum(map(len, after.hands)) + len(after.draw) + len(after.discard)
            assert total == len(after.rules.cards)
