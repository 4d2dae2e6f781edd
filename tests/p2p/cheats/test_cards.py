"""Peers that lie about the cards of their hand: one that is not there, another face, a false opening at the end."""

from __future__ import annotations

from typing import Any

import pytest

from examples.cheats.cards import (
    another_face,
    face_of_another_hand_card,
    of_another_hand,
    of_no_epoch,
    opens,
    played_before,
    plays,
    undealt,
)
from examples.liar import CheatTable, LyingPlayer, caught


@pytest.mark.parametrize("change", [of_another_hand, undealt, played_before, of_no_epoch])
def test_a_card_that_is_not_in_the_hand(change):
    caught(CheatTable(plays(change)), "hand")


@pytest.mark.parametrize("change", [another_face, face_of_another_hand_card])
def test_another_face_for_a_card_that_is_in_the_hand(change):
    caught(CheatTable(plays(change)), "shown face")


def test_a_card_that_is_not_in_the_deck():
    """A reshuffled deck lacks the cards in play; 111 is in no Four Colors deck at all."""
    caught(CheatTable(plays(lambda player, fields: fields.__setitem__(2, 111))), "shown face")


def test_a_card_shown_with_another_key():
    def change(player: LyingPlayer, fields: list[Any]) -> None:
        others = [handle for handle in player.known if handle != (fields[0], fields[1])]
        if others:
            fields[3] = player._key(others[0])

    caught(CheatTable(plays(change)), "shown key")


@pytest.mark.parametrize("key", [bytes(32), b"\xff" * 32, b"\x01" * 31], ids=["zero", "not reduced", "short"])
def test_a_card_shown_with_no_key(key):
    caught(CheatTable(plays(lambda player, fields: fields.__setitem__(3, key)), players=2), "body")


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (lambda cards: cards[1:], "hand"),
        (lambda cards: cards[:-1], "hand"),
        (lambda cards: [], "hand"),
        (lambda cards: [*cards, cards[0]], "hand"),
        (lambda cards: cards[::-1], "shown key"),
        (lambda cards: [[cards[1][0], cards[0][1]], *cards[1:]], "shown face"),
        (lambda cards: [[cards[0][0], cards[1][1]], *cards[1:]], "shown key"),
    ],
    ids=["first kept", "last kept", "nothing", "one twice", "other order", "another face", "another key"],
)
def test_a_hand_opened_falsely(change, check):
    caught(CheatTable(opens(change), seed="the cheat loses"), check)
