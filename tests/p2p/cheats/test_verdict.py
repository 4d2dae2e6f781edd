"""Peers that lie about a Wild Draw Four: the accused in its verdict, the challenger in its complaint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from nodealer.p2p.wire import decode, encode

from examples.cheats.verdict import (
    ACCUSED,
    CHALLENGER,
    CLAIM,
    GUILTY,
    INNOCENT,
    Case,
    all_keys_but_one,
    by_another_seat,
    challenge_with,
    complains_with,
    counts_a_card_twice,
    for_another_slot,
    garbage,
    gives_an_index_twice,
    leaves_a_card_out,
    no_card_of_the_edition,
    of_another_seat,
    of_another_slot,
    other_cards,
    other_keys,
    proves_a_card_of_another_colour,
    proves_a_larger_set,
    proves_another_colour,
    proves_of_what_it_has_played,
    proves_that_one_is_innocent,
    proves_the_colour_it_named,
    reworked,
    says_it_is_guilty,
    says_it_is_innocent,
    says_nothing,
    swears_to_a_red_card,
    swears_to_other_cards,
    table,
    takes_another_card_of_its_own,
    to_another_key,
    too_long,
    too_short,
    verdict,
    with_seven,
    without_possession,
)
from examples.liar import Lie, LyingPlayer, Trick, caught, when
from examples.rigged import LS, Deal, Rigged


def trial(hand: str, trick: Trick, check: str, *, cheat: int = ACCUSED) -> None:
    """A lie, and who finds it; a third seat looks on, but not where an entry cannot even be read."""
    caught(table(hand, trick, cheat=cheat, seats=2 if check in ("encoding", "body") else 3), check)


# -- the guilty who claim innocence ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lie", "check"),
    [
        (says_it_is_innocent, "encoding"),
        (says_nothing, "encoding"),
        (swears_to_other_cards, "hand all, keys proof"),
        (leaves_a_card_out, "encoding"),
        (counts_a_card_twice, "hand all, keys proof"),
        (gives_an_index_twice, "encoding"),
        (takes_another_card_of_its_own, "hand all, keys proof"),
        (proves_another_colour, "hand all, candidates V1"),
        (proves_the_colour_it_named, "hand all, candidates V1"),
        (proves_a_larger_set, "encoding"),
    ],
)
def test_a_guilty_player_claims_innocence(lie: Callable[[Case], None], check: str) -> None:
    trial(GUILTY, verdict(lie), check)


# -- the innocent who pretend guilt ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lie", "check"),
    [
        (says_it_is_guilty, "encoding"),
        (swears_to_a_red_card, "hand one proof"),
        (proves_a_card_of_another_colour, "hand one proof"),
        (proves_that_one_is_innocent, "encoding"),
        (proves_of_what_it_has_played, "hand one proof"),
    ],
)
def test_an_innocent_player_pretends_guilt(lie: Callable[[Case], None], check: str) -> None:
    """It may want the challenger to play on instead of drawing six."""
    trial(INNOCENT, verdict(lie), check)


# -- true proofs at the wrong place ------------------------------------------------------------------------------------


@pytest.mark.parametrize("changes", [{"slot": 0}, {"round": 1}, {"seat": 0}, {"epoch": 1}, {"table": bytes(32)}])
def test_a_true_proof_of_another_place(changes: dict[str, Any]) -> None:
    def elsewhere(case: Case) -> None:
        case.ctx = replace(case.ctx, **changes)
        case.proof = case.all_in(case.for_colour())

    trial(INNOCENT, verdict(elsewhere), "hand all, candidates V1")


def test_an_earlier_verdict_about_the_same_hand_again() -> None:
    """Guilty twice in a round, with hands of one size; the second time it gives the proof that it gave before."""
    said: list[bytes] = []

    def again(player: LyingPlayer, body: bytes) -> Lie | None:
        said.append(decode(body, max_bytes=CLAIM)[2])
        if len(said) == 1:
            return None
        guilty, box, proof = decode(body, max_bytes=CLAIM)
        assert len(proof) == len(said[0])
        return Lie(body=encode([guilty, box, said[0]]))

    hand = "wild draw four, wild draw four, green 1 2 3 4 6"
    deal = Deal(LS, [hand, "yellow 1 2 3 4 6 7 8"], top="red 5")
    steps = {0: ["wild draw four -> yellow"], 1: ["draw", "keep", "challenge"]}
    table = Rigged(deal, steps, trick=when("verdict", again), cheat_seat=0, after=with_seven)
    caught(table, "hand one proof")
    assert len(said) == 2


# -- boxes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "lie"),
    [
        (INNOCENT, garbage),
        (GUILTY, garbage),
        (GUILTY, other_cards),
        (INNOCENT, other_keys),
        (GUILTY, all_keys_but_one),
        (INNOCENT, no_card_of_the_edition),
        (INNOCENT, to_another_key),
    ],
)
def test_garbage_sealed_to_the_challenger(hand: str, lie: Callable[[Case], None]) -> None:
    """The challenger complains, everybody opens the box, and the accused is named."""
    trial(hand, verdict(lie), "sealed hand")


@pytest.mark.parametrize(
    ("lie", "check"),
    [
        (for_another_slot, "box proof"),
        (by_another_seat, "box proof"),
        (reworked, "box proof"),
        (too_short, "encoding"),
        (too_long, "encoding"),
        (lambda case: setattr(case, "box", b""), "encoding"),
    ],
    ids=["another slot", "another seat", "reworked", "too short", "too long", "none"],
)
def test_a_box_that_anybody_sees_is_wrong(lie: Callable[[Case], None], check: str) -> None:
    trial(INNOCENT, verdict(lie), check)


# -- the challenger ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hand", [INNOCENT, GUILTY])
def test_a_false_complaint(hand: str) -> None:
    """The challenger shows its secret, everybody opens the box, and it is in order."""
    trial(hand, complains_with(0), "complaint", cheat=CHALLENGER)


def test_a_complaint_with_another_key() -> None:
    trial(INNOCENT, complains_with(1), "complaint", cheat=CHALLENGER)


@pytest.mark.parametrize("body", [encode([bytes(32)]), encode([b"\xff" * 32]), encode([b"\x01"]), encode([])])
def test_a_complaint_that_is_none(body: bytes) -> None:
    trial(INNOCENT, when("seen", lambda player, _: Lie(kind="complaint", body=body)), "body", cheat=CHALLENGER)


@pytest.mark.parametrize(
    ("make", "check"),
    [
        (without_possession, "box key"),
        (of_another_slot, "box key"),
        (of_another_seat, "box key"),
        (lambda player, key: key[:-1] + bytes([key[-1] ^ 1]), "box key"),
        (lambda player, key: bytes(32) + key[32:], "encoding"),
        (lambda player, key: b"\xff" * 32 + key[32:], "encoding"),
        (lambda player, key: key[:-1], "encoding"),
        (lambda player, key: key + b"\x00", "encoding"),
    ],
    ids=["not possessed", "slot", "seat", "proof", "identity", "not canonical", "short", "long"],
)
def test_a_challenge_key_that_is_not_its_own(make: Callable[[LyingPlayer, bytes], bytes], check: str) -> None:
    trial(INNOCENT, challenge_with(make), check, cheat=CHALLENGER)
