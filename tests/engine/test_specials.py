"""rules.md §5: Wild Mega Minions Power and Wild Ohana."""

from __future__ import annotations

from dataclasses import replace

from nodealer.engine import (
    CardsDiscarded,
    Discard,
    Kind,
    NeedKeys,
    ShowCards,
    icons,
    legal_actions,
    surplus,
)

from tests.helpers.scene import Scene

DM = "despicable-me-4"
LS = "lilo-stitch"
MINIONS = "wild mega minions power"
OHANA = "wild ohana"


def minions(*others: str, direction: int = 1) -> Scene:
    scene = Scene(DM, [f"{MINIONS}, blue skip, blue 2", *others], "blue 1, blue 5", direction=direction)
    scene.play(0, MINIONS, "purple")
    return scene


def test_minions_all_others_show_their_icons_and_draw_as_many() -> None:
    scene = minions("blue draw two, wild, yellow 1, blue skip", "yellow 2, yellow 3", "orange reverse")
    assert scene.asked == (Kind.SHOW, (1, 2, 3))
    assert scene.colour() == "purple"
    scene.show(1, "blue draw two, blue skip")
    scene.show(2, "")
    assert scene.counts_of() == [2, 4, 2, 1]  # applied only when all have shown
    scene.show(3, "orange reverse")
    assert scene.asked == (Kind.DRAW, (1, 3))
    assert scene.pile() == ["orange reverse", "blue skip", "blue draw two", "blue 1", "blue 5", MINIONS]
    assert scene.settle() == ["draw 1", "draw 3", "keys 1:2", "keys 3:1"]
    assert scene.counts_of() == [2, 4, 2, 1]
    assert scene.hand(1)[:2] == ["wild", "yellow 1"]
    assert scene.asked == (Kind.MOVE, (1,))  # nobody is skipped


def test_minions_one_slot_of_keys_for_all() -> None:
    scene = minions("blue draw two, yellow 1", "blue skip, yellow 3")
    scene.show(1, "blue draw two")
    scene.show(2, "blue skip")
    assert scene.settle() == ["draw 1", "draw 2", "keys 1:1", "keys 2:1"]


def test_minions_order_is_from_the_next_player_in_the_direction_by_card_id() -> None:
    scene = minions("orange skip, blue skip, yellow 1", "yellow reverse, yellow 2", direction=-1)
    # Own order in the hand is orange, blue; by card id blue comes first.
    scene.show(1, "orange skip, blue skip")
    scene.show(2, "yellow reverse")
    assert scene.pile()[:3] == ["orange skip", "blue skip", "yellow reverse"]
    discarded = [event.seat for event in scene.happened(CardsDiscarded) if isinstance(event, CardsDiscarded)]
    assert discarded == [2, 1]
    assert isinstance(scene.state.pending, object)
    scene.settle(draws=True)
    assert scene.counts_of() == [2, 3, 2]


def test_minions_draws_follow_the_same_order() -> None:
    scene = minions("blue skip, yellow 1", "yellow reverse, yellow 2", direction=-1)
    scene.show(1, "blue skip")
    scene.show(2, "yellow reverse")
    first = scene.state.draw[0]
    scene.act(1, legal_actions(scene.state, 1, {})[0])
    scene.act(2, legal_actions(scene.state, 2, {})[0])
    assert isinstance(scene.state.pending, NeedKeys)
    assert [seat for seat, _ in scene.state.pending.deals] == [2, 1]
    assert scene.state.pending.deals[0][1] == (first,)


def test_minions_no_icons_anywhere() -> None:
    scene = minions("yellow 1, yellow 2", "wild, yellow 3")
    scene.show(1, "")
    scene.show(2, "")
    assert scene.asked == (Kind.MOVE, (1,))


def test_minions_refused_shows() -> None:
    scene = minions("blue skip, orange skip, wild, yellow 1", "yellow 2, yellow reverse")
    both = scene.shown(1, "blue skip, orange skip")
    scene.refuse(1, ShowCards(scene.shown(1, "blue skip, wild")))
    scene.refuse(1, ShowCards(scene.shown(1, "yellow 1")))
    scene.refuse(1, ShowCards(both[::-1]))
    scene.refuse(1, ShowCards((both[0], both[0])))
    scene.refuse(1, ShowCards(((both[0][0], both[0][1]), (both[1][0], both[0][1]))))
    scene.refuse(1, ShowCards(scene.shown(2, "yellow reverse")))
    scene.refuse(0, ShowCards(scene.shown(0, "blue skip")))
    scene.act(1, ShowCards(both))
    scene.refuse(1, ShowCards(both))
    # Another seat cannot show the card that has just been shown.
    handle = scene.find(2, "yellow reverse")
    scene.refuse(2, ShowCards(((handle, both[0][1]),)))


def test_minions_freshly_drawn_icons_stay_one_pass_only() -> None:
    scene = Scene(DM, [f"{MINIONS}, blue 2, blue 3", "blue skip, yellow 1"], "blue 5", draw="orange draw two")
    scene.play(0, MINIONS, "blue")
    scene.show(1, "blue skip")
    scene.settle()
    assert scene.hand(1) == ["yellow 1", "orange draw two"]
    assert scene.asked == (Kind.MOVE, (1,))


def test_minions_an_empty_hand_for_a_moment_does_not_win_and_a_call_stands() -> None:
    scene = Scene(DM, [f"{MINIONS}, blue 2, blue 3", "blue skip", "yellow 1, yellow 2"], "blue 5")
    scene.state = replace(scene.state, uno=(False, True, False))
    scene.play(0, MINIONS, "blue")
    scene.show(1, "blue skip")
    scene.show(2, "")
    assert scene.counts_of() == [2, 0, 2]
    assert scene.state.round_winner is None
    scene.settle()
    assert scene.counts_of() == [2, 1, 2]
    assert scene.state.uno == (False, True, False)
    assert scene.asked == (Kind.MOVE, (1,))


def test_minions_the_reshuffle_takes_what_was_just_discarded() -> None:
    scene = Scene(
        DM, [f"{MINIONS}, blue 2", "blue skip, orange skip, blue 3", "yellow 1, yellow 2"], "blue 5", rest="discard"
    )
    scene.play(0, MINIONS, "blue", uno=True)
    scene.show(1, "blue skip, orange skip")
    scene.show(2, "")
    below = len(scene.state.discard) - 1
    assert scene.settle() == ["draw 1", f"epoch {below}", "keys 1:2"]


def test_minions_as_last_card_has_no_effect() -> None:
    scene = Scene(DM, [MINIONS, "blue skip, orange skip"], "blue 5")
    scene.play(0, MINIONS)
    assert scene.asked == (Kind.OPEN, (1,))
    scene.open(1)
    assert scene.state.scores == (40, 0)


def test_minions_the_icons_helper() -> None:
    scene = minions("blue skip, orange skip, wild, yellow 1")
    assert icons(scene.state, 1, scene.known(1)) == scene.shown(1, "blue skip, orange skip")
    assert legal_actions(scene.state, 1, scene.known(1)) == (ShowCards(scene.shown(1, "blue skip, orange skip")),)


FIVE = "red 1, red 2, red 3, red 4, red 6"


def ohana(*others: str, own: str = FIVE, direction: int = 1) -> Scene:
    scene = Scene(LS, [f"{OHANA}, {own}", *others], "blue 1, blue 5", direction=direction)
    scene.play(0, OHANA, "green")
    return scene


def test_ohana_down_to_four_and_up_to_four() -> None:
    six = "blue 2, blue 3, blue 4, blue 6, blue 7, blue 8"
    scene = ohana("yellow 1", six, "yellow 2, yellow 3, yellow 4, yellow 6")
    assert scene.asked == (Kind.CHOOSE, (0, 2))
    assert [surplus(scene.state, seat) for seat in range(4)] == [1, 0, 2, 0]
    scene.discard(2, "blue 8, blue 2")
    assert scene.counts_of() == [5, 1, 6, 4]  # sealed: applied together
    scene.discard(0, "red 6")
    assert scene.pile() == ["blue 1", "blue 5", "blue 2", "blue 8", "red 6", OHANA]
    assert scene.settle() == ["draw 1", "keys 1:3"]
    assert scene.counts_of() == [4, 4, 4, 4]
    assert scene.colour() == "green"
    assert scene.asked == (Kind.MOVE, (1,))


def test_ohana_counts_once_the_card_has_left_the_hand() -> None:
    scene = ohana("yellow 1, yellow 2, yellow 3, yellow 4", own="red 1, red 2, red 3, red 4")
    assert scene.asked == (Kind.MOVE, (1,))


def test_ohana_draw_order_the_one_who_played_it_last() -> None:
    scene = ohana("yellow 1, yellow 2, yellow 3", "blue 2, blue 3", own="red 1, red 2", direction=-1)
    assert scene.asked == (Kind.DRAW, (0, 1, 2))
    assert scene.settle() == ["draw 0", "draw 1", "draw 2", "keys 2:2", "keys 1:1", "keys 0:2"]
    assert scene.counts_of() == [4, 4, 4]


def test_ohana_refused_choices() -> None:
    scene = ohana("yellow 1, yellow 2, yellow 3, yellow 4, yellow 6, yellow 7")
    two = scene.shown(1, "yellow 1, yellow 2")
    scene.refuse(1, Discard(scene.shown(1, "yellow 1")))
    scene.refuse(1, Discard(()))
    scene.refuse(1, Discard(scene.shown(1, "yellow 1, yellow 2, yellow 3")))
    scene.refuse(1, Discard(two[::-1]))
    scene.refuse(1, Discard((two[0], two[0])))
    scene.refuse(1, ShowCards(two))
    scene.act(1, Discard(two))
    scene.refuse(0, Discard(((scene.find(0, "red 1"), two[0][1]),)))


def test_ohana_clears_uno_and_owes_no_call_as_second_to_last() -> None:
    scene = Scene(LS, [f"{OHANA}, red 1", "yellow 1", "yellow 2, yellow 3"], "red 5")
    scene.state = replace(scene.state, uno=(False, True, False))
    scene.play(0, OHANA, "red")
    scene.settle()
    assert scene.counts_of() == [4, 4, 4]
    assert scene.state.uno == (False, False, False)
    assert scene.asked == (Kind.MOVE, (1,))


def test_ohana_as_last_card_has_won_at_once() -> None:
    scene = Scene(LS, [OHANA, "yellow 1", FIVE + ", red 7"], "red 5")
    scene.play(0, OHANA)
    assert scene.asked == (Kind.OPEN, (1, 2))
    assert scene.counts_of() == [0, 1, 6]


def test_specials_never_run_short_of_cards() -> None:
    """Mega Minions: what is drawn was just discarded below the top, so as much lies there. Ohana: after the discards
    nobody holds more than four, so at least 112 - 4·seats - 1 cards can be drawn, and at most 4 a seat are needed.
    Checked for every number of seats and of cards outside the piles.
    """
    n = 112
    for seats in range(2, 11):
        # Mega Minions: h cards in hands after the play, k of them icons of the others.
        for held in range(1, n):
            for shown in range(min(held, 24) + 1):
                piles = n - held + shown
                assert piles - 1 >= shown
        # Ohana: only the total t <= 4·seats that is left in hands matters; 4·seats - t are drawn.
        for total in range(4 * seats + 1):
            assert n - total - 1 >= 4 * seats - total
