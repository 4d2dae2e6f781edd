"""The screen of somebody without a seat: its keys open what can be read, and never anything that a player decides."""

from __future__ import annotations

import pytest
from nodealer.cli.screen.model import Glance
from nodealer.cli.screen.spectator import ALWAYS, HELP_KEYS, Onlooker
from nodealer.p2p import events as p2p

from tests.cli.screen.test_pictures import Gallery, move


@pytest.mark.parametrize(
    ("key", "title"), [("v", "Trust"), ("g", "Scores"), ("l", "Log"), ("m", "Chat"), ("?", "Help"), ("f1", "Help")]
)
@pytest.mark.parametrize("close", ["escape", "q", "enter"])
def test_what_can_be_read(key: str, title: str, close: str) -> None:
    stage = Gallery()
    before = stage.show()
    stage.screen.press(key, stage.now)
    assert f" {title} " in stage.show()
    stage.screen.press(close, stage.now)
    assert stage.show() == before
    assert stage.screen.wanted == []


@pytest.mark.parametrize(("key", "wanted"), [("q", "quit"), ("c-c", "quit"), ("signal", "signal")])
def test_quitting(key: str, wanted: str) -> None:
    stage = Gallery()
    stage.screen.press(key, stage.now)
    assert stage.screen.wanted == [wanted]


def test_the_interrupt_works_over_an_open_box() -> None:
    stage = Gallery()
    stage.screen.press("l", stage.now)
    stage.screen.press("c-c", stage.now)
    assert stage.screen.wanted == ["quit"]


def test_keys_of_a_player_do_nothing() -> None:
    stage = Gallery()
    before = stage.show()
    for key in ("enter", "d", "u", "x", "a", "c", "k", "t", "/", "o", "left", "n", "s", "f5"):
        stage.screen.press(key, stage.now)
        assert stage.show() == before, key


def test_the_footer_and_the_help_name_the_same_keys() -> None:
    told = " ".join(keys for keys, _ in HELP_KEYS).split()
    assert {command.key for command in ALWAYS} - {"?"} <= set(told)


def test_a_click_on_a_key_presses_it() -> None:
    stage = Gallery()
    stage.screen.click("key v", stage.now)
    assert " Trust " in stage.show()


def test_a_glance_shows_no_card_of_a_player() -> None:
    """What a spectator is given of a position in which a player holds cards names none of them."""
    from nodealer import engine

    player = move()
    view = engine.view(player.state, None, player.known)
    looking = Onlooker()
    made = player.screen.model.made
    assert made is not None
    looking.take(p2p.TableMade(made.table, made.options, made.players, None), 0.0)
    looking.take(Glance(view, (1,), 41, bytes(32), 163), 0.0)
    player.screen = looking
    assert "Skip" in move().show(), "the player itself sees the card"
    assert "Skip" not in player.show()
    assert "+4" not in player.show()
