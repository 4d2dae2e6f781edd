"""Peers that lie when a special wild is played: what they show, what they keep, what they had chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from nodealer import engine
from nodealer.crypto.group import encode_scalar
from nodealer.p2p import claims
from nodealer.p2p.wire import encode

from examples.cheats.specials import (
    CHEAT,
    MIXED,
    SEVEN,
    Show,
    commit_to,
    keeps_all_and_swears,
    keeps_one_and_swears,
    leaves_it_out,
    other_cards,
    own,
    proves_an_easier_set,
    proves_nothing,
    puts_another_in_its_place,
    reveals,
    show,
    shows_a_number_instead,
    shows_a_number_too,
    shows_anothers,
    shows_anothers_with_its_key,
    shows_it_as_a_number,
    shows_one_twice,
    shows_out_of_order,
    table,
    with_another_face,
)
from examples.liar import Lie, LyingPlayer, Trick, caught, when
from examples.rigged import DM, LS, Deal, Rigged, asks


def trial(edition: str, hand: str, trick: Trick, check: str, *, players: int = 3) -> None:
    caught(table(edition, hand, trick, players=players), check)


# -- Mega Minions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lie", "check"),
    [
        (keeps_one_and_swears, "hand all, keys proof"),
        (keeps_all_and_swears, "hand all, keys proof"),
        (leaves_it_out, "encoding"),
        (puts_another_in_its_place, "hand all, keys proof"),
        (proves_an_easier_set, "encoding"),
        (shows_it_as_a_number, "shown face"),
        (shows_a_number_instead, "hand all, keys proof"),
        (proves_nothing, "encoding"),
    ],
)
def test_an_icon_card_kept(lie: Callable[[Show], None], check: str) -> None:
    trial(DM, MIXED, show(lie), check)


@pytest.mark.parametrize(
    ("lie", "check"),
    [
        (shows_anothers, "hand"),
        (shows_anothers_with_its_key, "hand"),
        (shows_a_number_too, "rules"),
        (shows_one_twice, "rules"),
        (shows_out_of_order, "rules"),
    ],
)
def test_cards_shown_that_are_not_to_be_shown(lie: Callable[[Show], None], check: str) -> None:
    trial(DM, MIXED, show(lie), check)


def test_all_icons_and_a_proof_about_no_card() -> None:
    icons = "orange skip, orange skip, orange reverse, orange reverse, orange draw two, orange draw two, purple skip"
    trial(DM, icons, show(lambda case: setattr(case, "proof", b"\x00")), "kept", players=2)


def test_no_icons_and_one_made_up() -> None:
    def lie(case: Show) -> None:
        case.shown = [case.item(case.hand[0], claims.cards_without_icon(case.rules)[0] + 24)]
        case.proof = case.prove(case.hand[1:])

    trial(DM, "orange 1 2 3 4 5 6 7", show(lie), "shown face", players=2)


# -- Ohana -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (other_cards, "choice"),
        (lambda player, salt, cards: (salt, cards[1:]), "choice"),
        (lambda player, salt, cards: (bytes(32), cards), "choice"),
        (lambda player, salt, cards: (salt, [[*cards[0][:2], cards[0][2] ^ 1, cards[0][3]], *cards[1:]]), "choice"),
        (lambda player, salt, cards: (salt, [[*item[:3], encode_scalar(7)] for item in cards]), "shown key"),
        (lambda player, salt, cards: (salt[1:], cards), "body"),
    ],
    ids=["other cards", "too few", "other salt", "another face", "another key", "no salt"],
)
def test_a_reveal_unlike_its_commitment(change: Any, check: str) -> None:
    trial(LS, SEVEN, reveals(change), check)


@pytest.mark.parametrize(
    ("choose", "check"),
    [
        (lambda player, hand: own(player, hand[:4]), "rules"),
        (lambda player, hand: own(player, hand), "rules"),
        (lambda player, hand: own(player, hand[:2]), "rules"),
        (lambda player, hand: [], "rules"),
        (lambda player, hand: own(player, [hand[0], hand[0], hand[1]]), "rules"),
        (lambda player, hand: own(player, hand[2::-1]), "rules"),
        (with_another_face, "shown face"),
    ],
    ids=["one too many", "all", "one too few", "none", "one twice", "out of order", "another face"],
)
def test_a_choice_that_is_not_allowed(choose: Any, check: str) -> None:
    """Committed to and revealed as committed: the commitment hides it for one slot, not longer."""

    def lie(player: LyingPlayer, body: bytes) -> Lie:
        return commit_to(player, choose(player, list(player.match.playing().hands[player.seat])))

    trial(LS, SEVEN, when("commit", lie), check)


def test_a_card_of_another_hand_thrown_away() -> None:
    def lie(player: LyingPlayer, body: bytes) -> Lie:
        foreign, *_ = player.match.playing().hands[0]
        hand = list(player.match.playing().hands[player.seat])
        return commit_to(player, [(foreign, 3), *own(player, hand[:2])])

    trial(LS, SEVEN, when("commit", lie), "hand")


@pytest.mark.parametrize("body", [encode([]), encode([b"x"]), encode([bytes(33)]), encode([bytes(32), 1])])
def test_a_commitment_that_is_none(body: bytes) -> None:
    trial(LS, SEVEN, when("commit", lambda player, _: Lie(body=body)), "body", players=2)


def test_a_commitment_copied_from_another_seat() -> None:
    """Equal choices are not equal commitments, and what it has copied it cannot open."""

    def copied(player: LyingPlayer, body: bytes) -> Lie:
        first = player.match.feed_of(1).waiting()
        assert first is not None
        return Lie(body=first.body)

    deal = Deal(LS, ["", "wild ohana", SEVEN], top="blue 5")
    steps = {1: ["wild ohana -> yellow"], CHEAT: ["wait"]}
    table = Rigged(deal, steps, trick=when("commit", copied), cheat_seat=CHEAT)
    table.reach(asks(engine.Kind.CHOOSE))
    match = table.player(CHEAT).match
    table.run(10, until=lambda: match.waiting_for() == (CHEAT,))
    table.act(CHEAT, "discard yellow 1 2 3")
    caught(table, "choice")
