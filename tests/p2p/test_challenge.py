"""The Wild Draw Four at the table, scripted: who draws, whose turn it is, what is proven, and who could see what."""

from __future__ import annotations

import gc
import types
from collections.abc import Iterator

import pytest
from nodealer import engine
from nodealer.crypto.box import open_box
from nodealer.crypto.errors import CryptoError
from nodealer.crypto.group import ORDER, encode_scalar
from nodealer.engine import Handle, Kind, Seat
from nodealer.p2p.verify import Status

from examples.liar import report_of, sitting_of
from examples.rigged import DM, LS, Deal, Rigged, asks
from examples.table import Seated

BOTH = pytest.mark.parametrize("edition", [DM, LS])
ACCUSED, CHALLENGER, BYSTANDER = 1, 2, 0


def colours(edition: str) -> tuple[str, ...]:
    return engine.EDITIONS[edition].colours


def hand_of(edition: str, guilty: bool) -> str:
    """A Wild Draw Four and six more; the last of a guilty hand has the first colour, which is active."""
    one, two, three, _ = colours(edition)
    return f"wild draw four, {two} 1 2 5, {three} 1 2" + (f", {one} 9" if guilty else f", {three} 3")


def table_for(edition: str, guilty: bool) -> Rigged:
    """Three seats; seat 1 plays a Wild Draw Four on a 5 of the first colour and names the second; seat 2 is asked."""
    one, two, *_ = colours(edition)
    deal = Deal(edition, ["", hand_of(edition, guilty), ""], top=f"{one} 5")
    return Rigged(deal, {ACCUSED: [f"wild draw four -> {two}"], CHALLENGER: ["wait", "wait"], BYSTANDER: ["wait"]})


# The accused's cards of a deal of three: it sits left of the dealer, and its Wild Draw Four came first.
SNAPSHOT = tuple(Handle(0, 3 * turn) for turn in range(1, 7))


@BOTH
@pytest.mark.parametrize(
    ("guilty", "answer", "counts", "turn"),
    [
        (False, "accept", [7, 6, 11], BYSTANDER),
        (True, "accept", [7, 6, 11], BYSTANDER),
        (False, "challenge", [7, 6, 13], BYSTANDER),
        (True, "challenge", [7, 10, 7], CHALLENGER),
    ],
    ids=["innocent accepted", "guilty accepted", "innocent challenged", "guilty challenged"],
)
def test_f1_to_f9_the_four_outcomes(edition: str, guilty: bool, answer: str, counts: list[int], turn: int) -> None:
    one, *_ = colours(edition)
    table = table_for(edition, guilty)
    state = table.reach(asks(Kind.ACCEPT, CHALLENGER))
    # F1, F4: the snapshot is the hand at the moment of play, in order, less the card; the colour is the one before.
    assert state.challenge == engine.ChallengeCase(Seat(ACCUSED), SNAPSHOT, 0, Seat(CHALLENGER))
    assert state.hands[ACCUSED] == SNAPSHOT
    assert state.colour == 1
    held = [table.player(ACCUSED).known[handle] for handle in SNAPSHOT]
    keys = keys_of(table, SNAPSHOT)

    table.act(CHALLENGER, answer)
    state = table.reach(asks(Kind.MOVE, turn))
    assert [len(hand) for hand in state.hands] == counts
    assert (state.turn, state.colour, state.challenge) == (turn, 1, None)
    assert table.labels(state.discard) == [f"{one} 5", "wild draw four"]
    told = {
        name: len(table.happened(getattr(engine, name)))
        for name in ("Accepted", "Challenged", "ChallengeWon", "ChallengeLost", "TurnSkipped")
    }
    assert told == {
        "Accepted": answer == "accept",
        "Challenged": answer == "challenge",
        "ChallengeWon": answer == "challenge" and guilty,
        "ChallengeLost": answer == "challenge" and not guilty,
        "TurnSkipped": turn == BYSTANDER,
    }

    # F9: the challenger alone sees the hand, and nobody does who accepts.
    seen = table.hands_seen(CHALLENGER)
    assert [(event.seat, list(event.cards)) for event in seen] == ([(ACCUSED, held)] if answer == "challenge" else [])
    assert not table.hands_seen(ACCUSED)
    assert not table.hands_seen(BYSTANDER)
    for seated in table.others(ACCUSED):
        # No challenge, no opening; and the opening is not kept. Nobody else can have had it.
        assert not knows(seated, keys)
        assert not set(SNAPSHOT) & set(seated.peer.known)
    assert knows(table.at(ACCUSED), keys)
    for seated in table.seats:
        assert report_of(seated).status is Status.UNFINISHED


@pytest.mark.parametrize("guilty", [False, True])
def test_f9_nobody_else_can_open_the_box(guilty: bool) -> None:
    table = table_for(LS, guilty)
    table.reach(asks(Kind.ACCEPT, CHALLENGER))
    # Hold back what the challenger would say next, so that the case is still open.
    player = table.player(CHALLENGER)
    honest, player.automatic = player.automatic, lambda: None  # type: ignore[method-assign]
    table.act(CHALLENGER, "challenge")
    table.reach(asks(Kind.SEEN, CHALLENGER))
    for seated in table.others(CHALLENGER):
        file = sitting_of(seated).match.challenge
        assert file is not None
        assert file.sealed is not None
        sealed = file.sealed
        scalars = {value for value in numbers_in(seated) if 0 < value < ORDER}
        assert len(scalars) > 112
        for scalar in scalars:
            with pytest.raises(CryptoError):
                open_box(sealed.ctx, CHALLENGER, scalar, sealed.box)
    secret = player._vault.challenge
    assert secret is not None
    assert sealed.read(LS, open_box(sealed.ctx, CHALLENGER, secret, sealed.box))
    player.automatic = honest  # type: ignore[method-assign]
    table.reach(asks(Kind.MOVE))
    assert len(table.hands_seen(CHALLENGER)) == 1


@BOTH
@pytest.mark.parametrize("guilty", [False, True])
def test_f4_a_wild_draw_four_just_drawn_counts_the_whole_hand(edition: str, guilty: bool) -> None:
    """The card passed on by drawing makes it wrong, although it could not be played any more (T3)."""
    one, two, three, _ = colours(edition)
    hand = f"{two} 1 2 5, {three} 1 2 3, " + (f"{one} 9" if guilty else f"{three} 4")
    deal = Deal(edition, ["", hand, ""], top=f"{one} 7", draw="wild draw four")
    steps = {ACCUSED: ["draw", f"wild draw four -> {two}"], CHALLENGER: ["wait", "wait"], BYSTANDER: ["wait"]}
    table = Rigged(deal, steps)
    state = table.reach(asks(Kind.ACCEPT, CHALLENGER))
    dealt = tuple(Handle(0, 3 * turn) for turn in range(7))
    assert state.challenge == engine.ChallengeCase(Seat(ACCUSED), dealt, 0, Seat(CHALLENGER))
    table.act(CHALLENGER, "challenge")
    state = table.reach(asks(Kind.MOVE, CHALLENGER if guilty else BYSTANDER))
    assert [len(held) for held in state.hands] == ([7, 11, 7] if guilty else [7, 7, 13])
    assert len(table.hands_seen(CHALLENGER)[0].cards) == 7


@pytest.mark.parametrize("follows", [False, True], ids=["the colour before the wild", "the colour chosen for it"])
def test_f3_on_a_wild_the_chosen_colour_counts(follows: bool) -> None:
    hand = "wild draw four, " + ("green 1 2 3 4 6 7" if follows else "red 1 2 3 4 6 7")
    deal = Deal(LS, [hand, "wild, blue 1"], top="red 5")
    table = Rigged(deal, {1: ["wild -> green", "challenge", "wait"], 0: ["wild draw four -> red", "wait"]})
    # Two seats: after a lost challenge the turn comes back to who played the card.
    state = table.reach(asks(Kind.MOVE, 1 if follows else 0))
    assert [len(held) for held in state.hands] == ([10, 6] if follows else [6, 12])
    assert len(table.happened(engine.ChallengeWon if follows else engine.ChallengeLost)) == 1


def test_f2_a_number_match_and_f1_another_wild() -> None:
    """A 5 of another colour on a 5 leaves it right; another wild makes it wrong."""
    for other, kind in (("green 5", engine.ChallengeLost), ("wild ohana", engine.ChallengeWon)):
        deal = Deal(LS, ["", f"wild draw four, {other}, blue 1 2 3 4 6"], top="red 5")
        table = Rigged(deal, {1: ["wild draw four -> blue", "wait"], 0: ["challenge", "wait"]})
        table.reach(lambda state: state.challenge is None and asks(Kind.MOVE)(state) and len(state.discard) == 2)
        assert len(table.happened(kind)) == 1


@BOTH
def test_f10_as_last_card_it_is_not_challenged_and_the_four_count(edition: str) -> None:
    one, two, *_ = colours(edition)
    run = [f"{one} skip", f"{one} skip", f"{one} reverse", f"{one} reverse", f"{one} draw two", f"{one} draw two"]
    deal = Deal(edition, [f"{two} 1 1 2 2 3 3 4", ", ".join(["wild draw four", *run])], top=f"{one} 5", draw=f"{two} 4")
    table = Rigged(deal, {1: [*run[:-1], run[-1] + " uno", "wild draw four"]})
    table.play()
    assert not table.happened(engine.Challenged)
    assert not table.happened(engine.Accepted)
    (won,) = table.happened(engine.RoundWon)
    assert (won.seat, [len(hand) for hand in won.hands]) == (1, [7 + 2 + 2 + 4, 0])
    cards = engine.EDITIONS[edition].cards
    assert won.points == sum(cards[card].points for card in won.hands[0])
    assert {seated.ended.digest for seated in table.seats if seated.ended} == {table.matches()[0].result_digest}
    for seated in table.seats:
        assert report_of(seated).status is Status.COMPLETE


# -- what a peer holds -------------------------------------------------------------------------------------------------


def keys_of(table: Rigged, handles: tuple[Handle, ...]) -> list[int]:
    """The accused's own keys of these cards: what opens them, once all others' keys are known."""
    secrets = next(made for made in table.rig.made if made.seat == ACCUSED)
    return [secrets.key(handle.index) for handle in handles]


def knows(seated: Seated, keys: list[int]) -> bool:
    """Whether any of these keys, as a number or inside any bytes, can be reached from this peer's objects."""
    encoded = [encode_scalar(key) for key in keys]
    return any(
        item in keys if isinstance(item, int) else any(key in item for key in encoded) for item in plain_data(seated)
    )


def numbers_in(seated: Seated) -> list[int]:
    return [item for item in plain_data(seated) if isinstance(item, int) and item >> 200]


def plain_data(seated: Seated) -> Iterator[int | bytes]:
    """Every number and every bytes object that can be reached from a peer, what it has told, and its transcript."""
    skip = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.CodeType)
    todo: list[object] = [seated.peer, seated.told, seated.records]
    reached: set[int] = set()
    while todo:
        item = todo.pop()
        if id(item) in reached or isinstance(item, skip):
            continue
        reached.add(id(item))
        if isinstance(item, int | bytes | bytearray):
            yield bytes(item) if isinstance(item, bytearray) else item
        else:
            todo += gc.get_referents(item)


def test_the_search_finds_what_is_there() -> None:
    """The test above is worth something: a peer's own keys are found in it, and another's are not."""
    table = table_for(LS, False)
    state = table.reach(asks(Kind.ACCEPT, CHALLENGER))
    mine = next(made for made in table.rig.made if made.seat == CHALLENGER)
    own = [mine.key(handle.index) for handle in state.hands[CHALLENGER]]
    assert knows(table.at(CHALLENGER), own)
    assert not knows(table.at(BYSTANDER), own)
