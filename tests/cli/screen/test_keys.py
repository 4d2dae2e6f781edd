"""What the keys of the table mean: every dialog, slips of a finger, events while a dialog is open, and parity with
line mode."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import get_args

import pytest
from nodealer import engine
from nodealer.cli import plain as line_mode
from nodealer.cli.narrator import Narrator
from nodealer.cli.player import Act, Leave, Say, StartNow
from nodealer.cli.resuming import Waiting
from nodealer.cli.screen.commands import KEYS
from nodealer.cli.words import WAITS
from nodealer.engine import Action, Handle, Kind, Seat
from nodealer.p2p import events as p2p
from nodealer.p2p.slots import SlotKind

from tests.cli.screen import test_pictures as pictures
from tests.cli.screen.scenes import Stage

# What no person decides: the program says it (design §5, "A"; table.md T2).
AUTOMATIC = {
    engine.Verdict,
    engine.Seen,
    engine.ShowCards,
    engine.OpenHand,
    engine.Agree,
    engine.Heard,
    engine.Quiet,
    engine.Silent,
}


def label(stage: Stage, action: Action) -> str:
    return stage.edition.cards[action.card].label(stage.edition)  # type: ignore[union-attr]


def one(wishes: list[object]) -> Action:
    [wish] = wishes
    assert isinstance(wish, Act)
    return wish.action


def reachable(make) -> dict[Action, tuple[str, ...]]:
    """Every action that some keys reach from this situation, breadth first through cursor moves and boxes."""
    moves = ("right", "tab", "down", "enter", "u", "d", "p", "k", "t", "a", "c", "x", "r", "y", "g", "b", "o", "s", " ")
    if make().screen.model.ask.kind is Kind.CHOOSE:
        moves = ("s", "enter")  # the marks alone have too many states to walk through
    found: dict[Action, tuple[str, ...]] = {}
    seen: set[str] = set()
    frontier: list[tuple[str, ...]] = [()]
    for _ in range(12):
        following: list[tuple[str, ...]] = []
        for path in frontier:
            for key in moves:
                stage = make()
                wishes = stage.press(*path, key)
                for wish in wishes:
                    if isinstance(wish, Act):
                        found.setdefault(wish.action, (*path, key))
                state = stage.show()
                if not wishes and state not in seen:
                    seen.add(state)
                    following.append((*path, key))
        frontier = following
    return found


SITUATIONS = {
    Kind.MOVE: lambda: Stage().deal("red 3, green 5, wild", "green 9").ask(Kind.MOVE),
    Kind.COLOUR: pictures.first_colour,
    Kind.DRAWN: pictures.drawn,
    Kind.ANSWER: pictures.stack,
    Kind.WINDOW: pictures.window,
    Kind.ACCEPT: pictures.accept,
    Kind.CHOOSE: pictures.ohana,
}
MORE = {
    "two cards": lambda: Stage().deal("green 5, wild", "green 9").ask(Kind.MOVE),
    "last card": lambda: Stage().deal("wild", "green 9").ask(Kind.MOVE),
    "own window": pictures.own_window,
    "nothing to draw": lambda: (
        Stage().deal("red 3", "green 9").ask(Kind.MOVE, draw=(), discard=(Stage().card("green 9"),))
    ),
}


@pytest.mark.parametrize("name", [*SITUATIONS, *MORE], ids=str)
def test_every_legal_action_has_its_keys(name) -> None:
    make = SITUATIONS.get(name) or MORE[name]
    stage = make()
    ask = stage.screen.model.ask
    assert ask is not None
    legal = set(ask.legal)
    if len(ask.view.hand) == 2:
        legal |= {replace(a, uno=True) for a in legal if isinstance(a, engine.PlayCard) and a.uno is not None}
    if ask.kind is Kind.CHOOSE:
        assert any(isinstance(action, engine.Discard) for action in reachable(make))
        return
    assert legal <= set(reachable(make))


def test_screen_and_lines_offer_the_same() -> None:
    """The actions of the engine, minus what the program says by itself, are those of the screen and those of lines."""
    decided = set(get_args(Action)) - AUTOMATIC
    assert set(KEYS) == decided
    in_lines: set[type] = set()
    on_screen: set[type] = set()
    for make in (*SITUATIONS.values(), *MORE.values()):
        stage = make()
        ask, words = stage.screen.model.ask, stage.screen.model.words
        assert ask is not None
        assert words is not None
        choices = [c.wish.action for c in line_mode.options(ask.needed, words) if isinstance(c.wish, Act)]
        in_lines |= {type(action) for action in choices}
        reached = reachable(make)
        on_screen |= {type(action) for action in reached}
        faces = {(type(a), getattr(a, "colour", None), getattr(a, "uno", None)) for a in reached}
        assert {(type(a), getattr(a, "colour", None), getattr(a, "uno", None)) for a in choices} <= faces
    assert in_lines == on_screen == decided


def test_questions_are_the_same_words() -> None:
    stage = pictures.move()
    told: list[str] = []
    narrator = Narrator(told.append)
    narrator.words = stage.screen.model.words
    ask = stage.screen.model.ask
    assert ask is not None
    assert line_mode.question(ask.needed, narrator.words) + "." in stage.show()


def test_play_and_draw() -> None:
    stage = pictures.move()
    assert label(stage, one(stage.press("enter"))) == "red 9"
    stage = pictures.move()
    assert one(stage.press("d")) == engine.Draw()
    stage = pictures.move()
    assert label(stage, one(stage.press("tab", "enter"))) == "green 5"


def test_a_wild_asks_its_colour_and_back() -> None:
    stage = pictures.move()
    assert stage.press("end", "left", "enter") == []
    assert "Which colour?" in stage.show()
    assert stage.press("escape") == []
    assert "Which colour?" not in stage.show()
    action = one(stage.press("enter", "down", "down", "enter"))
    assert isinstance(action, engine.PlayCard)
    assert (label(stage, action), action.colour) == ("wild", 1)
    assert one(pictures.colour().press("g")).colour == 2  # type: ignore[union-attr]


def test_uno_with_the_play_and_without() -> None:
    make = MORE["two cards"]
    assert one(make().press("u")).uno is True  # type: ignore[union-attr]
    assert one(make().press("enter")).uno is False  # type: ignore[union-attr]
    stage = make()
    action = one(stage.press("end", "u", "b"))
    assert (action.uno, action.colour) == (True, 3)  # type: ignore[union-attr]
    stage = pictures.move()
    assert stage.press("u") == []
    assert "not asked now" in stage.show()


def test_a_card_that_does_not_go_says_why() -> None:
    stage = pictures.move()
    assert stage.press("home", "enter") == []
    assert "The red 3 does not go on green 9." in stage.show()
    stage = pictures.drawn()
    assert stage.press("home", "enter") == []
    assert "only the card just drawn" in stage.show()


def test_keys_pressed_twice_decide_nothing_else() -> None:
    """After an answer nothing is asked until the peer says so; the key of one question is not that of another."""
    stage = pictures.move()
    assert len(stage.press("d", "d", "enter", "k", "t", "a", "c")) == 1
    stage.give(p2p.DecisionOver(Kind.MOVE, False))
    assert pictures.drawn().press("d", "d") == []
    assert pictures.accept().press("enter", "d", "k", " ") == []
    assert len({key for action, key in KEYS.items() if key != "enter"}) == len(
        [k for k in KEYS.values() if k != "enter"]
    )


def test_a_refusal_is_said_and_the_question_stands() -> None:
    stage = pictures.move()
    assert stage.press("d")
    stage.screen.refused("It is not your turn to decide anything.", stage.now)
    assert "It is not your turn" in stage.show()
    assert one(stage.press("d")) == engine.Draw()


def test_ohana_takes_exactly_as_many_as_must_go() -> None:
    stage = pictures.ohana()
    assert stage.press("enter") == []
    stage.press("left", " ", "left", " ")
    action = one(stage.press("enter"))
    assert isinstance(action, engine.Discard)
    assert len(action.cards) == 4
    assert list(action.cards) == sorted(action.cards)
    stage = pictures.ohana()
    assert one(stage.press("s", "enter")) == engine.legal_actions(stage.state, stage.me, stage.known)[0]


def test_answers_of_each_question() -> None:
    assert one(pictures.accept().press("a")) == engine.Accept()
    assert one(pictures.accept().press("c")) == engine.Challenge()
    assert one(pictures.drawn().press("k")) == engine.Keep()
    assert label(pictures.drawn(), one(pictures.drawn().press("enter"))) == "green 5"
    assert one(pictures.stack().press("t")) == engine.Take()
    assert label(pictures.stack(), one(pictures.stack().press("enter"))) == "red draw two"
    assert one(pictures.window().press("x")) == engine.Caught()
    assert one(pictures.own_window().press("u")) == engine.Called()
    assert one(pictures.first_colour().press("y")) == engine.NameColour(1)
    assert one(MORE["nothing to draw"]().press("p")) == engine.Pass()


def test_the_program_answers_only_when_asked_twice() -> None:
    stage = pictures.move()
    assert stage.press("o") == []
    assert "once more" in stage.show()
    assert stage.press("right", "o") == []
    assert one(stage.press("o")) == engine.Draw()


def test_leaving_is_asked_and_enter_does_not_leave() -> None:
    for key in ("q", "c-c"):
        stage = pictures.move()
        assert stage.press(key, "enter", " ", "q") == []
        assert stage.press("y") == [Leave()]
        assert pictures.move().press(key, "n") == []
        assert pictures.move().press(key, "escape") == []


def test_a_catch_pressed_twice_is_one_catch() -> None:
    assert pictures.window().press("x", "x", "f5") == [Act(engine.Caught())]


def test_chat() -> None:
    stage = pictures.move()
    assert stage.press("/", *"good luck x d q", "enter") == [Say("good luck x d q")]
    assert stage.press("/", *"never mind", "escape") == []
    assert one(stage.press("d")) == engine.Draw()


def test_paste_goes_into_the_line_alone() -> None:
    stage = pictures.move()
    stage.screen.paste("d\nq\ny")
    assert stage.press() == []
    stage.press("/")
    stage.screen.paste("one\x1b[31m\ntwo")
    assert stage.press("enter") == [Say("one[31m two")]


@pytest.mark.parametrize("box", ["colour", "help_", "trust", "leave", "scores", "opened"])
def test_a_catch_goes_through_every_box(box: str) -> None:
    """A window opens while something else is open: its key works at once, and what was open stays."""
    stage = getattr(pictures, box)()
    if stage.screen.model.ask is not None:
        stage.give(p2p.DecisionOver(stage.screen.model.ask.kind, True))
    stage.ask(Kind.WINDOW, 3.0, window=Seat(2))
    assert "catch" in stage.show()
    assert one(stage.press("x")) == engine.Caught()


def test_a_catch_while_typing() -> None:
    stage = pictures.chatting()
    assert stage.press("x", "u") == []
    assert one(stage.press("f5")) == engine.Caught()
    assert stage.press("enter") == [Say("hello therexu")]


@pytest.mark.parametrize("make", [pictures.colour, pictures.ohana, pictures.first_colour])
def test_the_clock_closes_a_dialog(make) -> None:
    stage = make()
    ask = stage.screen.model.ask
    stage.give(p2p.DecisionOver(ask.kind, True))
    stage.wait("move", 0, turn=0)
    shown = stage.show()
    assert "Which colour?" not in shown
    assert "Ohana: keep" not in shown
    assert "The clock ran out; your program answered." in shown
    assert stage.press("enter", "g", "r", "s", " ") in ([], [])


@pytest.mark.parametrize("make", [pictures.colour, pictures.ohana, pictures.accept, pictures.leave, pictures.help_])
def test_a_leaver_and_a_reconnect_leave_a_dialog_alone(make) -> None:
    stage = make()
    before = stage.screen._front.box
    stage.give(p2p.PeerMissing(2, "Bea"), p2p.PeerBack(2, "Bea"), p2p.ChatSaid(0, "Ada", "hi"))
    stage.give(p2p.PlayerOut(2, "Bea", "cheat", "shown face", "sent a false 'play'"))
    stage.facts(engine.SeatGone(Seat(2)))
    assert "Bea cheated: it sent a false 'play' (check: shown face)." in stage.screen.model.log
    assert stage.screen._front.box is before
    assert stage.screen.model.ask is not None


def test_the_end_replaces_whatever_is_open() -> None:
    for make in (pictures.colour, pictures.chatting, pictures.leave, pictures.ohana):
        stage = make()
        stage.give(p2p.Ended(p2p.Outcome.GONE, "Cyd has left the table.", {}, None, b"", 2))
        assert "Cyd has left the table." in stage.show()
        assert stage.press("q") == []
        assert stage.screen.wanted == ["quit"]


def test_after_the_end() -> None:
    stage = pictures.over()
    stage.press("v", "r", "n", "escape", "e")
    assert stage.screen.wanted == ["verify", "replay", "again"]
    assert "The match is over" in stage.show()


def test_a_victory_by_default_is_told_to_the_winner() -> None:
    for sentence, told in (
        ("Zoe wins the match.", "You win the match!"),
        ("Bea has left the table. Zoe wins by default.", "Bea has left the table. You win by default."),
        ("Bea is gone: Zoe wins by default, unconfirmed.", "Bea is gone: you win by default, unconfirmed."),
    ):
        stage = pictures.move().give(p2p.Ended(p2p.Outcome.COMPLETE, sentence, {}, 1, b""))
        assert told in stage.show()
        assert told in stage.press("escape") or told in stage.show().splitlines()[-3]


@pytest.mark.parametrize("size", [(80, 24), (40, 16), (120, 24)])
def test_a_long_text_is_scrolled_by_the_keys_that_are_named(size: tuple[int, int]) -> None:
    stage = pictures.move()
    stage.press("?")
    first = stage.show(*size)
    assert "↑ ↓ scroll" in first
    assert "more lines" in first
    stage.press("down")
    second = stage.show(*size)
    assert second != first
    stage.press("up")
    assert stage.show(*size) == first
    stage.press("end")
    last = stage.show(*size)
    assert "more lines" not in last
    assert "[ ]" in last
    stage.press("pageup")
    assert stage.show(*size) != last
    stage.press("escape", *["?"])
    assert stage.show(*size) == first


def test_the_log_opens_at_what_happened_last() -> None:
    stage = pictures.move().facts(*(engine.TurnSkipped(Seat(0)) for _ in range(60)))
    stage.facts(engine.UnoCalled(Seat(2)))
    stage.press("l")
    assert "more lines" not in stage.show()
    stage.press("home")
    assert "more lines" in stage.show()


def test_who_is_back_is_told_what_the_wait_is_for() -> None:
    stage = Stage().deal("red 3, green 5", "green 9").wait("move", 1)
    assert "Your program answers" in stage.show()
    stage.give(p2p.Resumed(12, True))
    assert stage.show().splitlines()[-3] == " You are back; the others are asked how far the match is."
    stage.give(p2p.Resumed(0, False)).ask(Kind.MOVE)
    assert stage.show().splitlines()[-3].startswith(" Your turn")
    assert "You are back at the table." in " ".join(stage.show(120, 40).split())


def test_every_wait_is_told_in_words() -> None:
    for kind in SlotKind:
        assert re.match("(to|for|in) ", WAITS[kind.value]), kind
    assert "Waiting for Ada and Bea to confirm the end." in Stage().wait("end", 0, 2).show()


def test_chat_in_one_line_tells_who_speaks() -> None:
    stage = pictures.move().give(p2p.ChatSaid(2, "Bea", "a long story that takes more than one line of a small screen"))
    [told] = [row for row in stage.show(40, 16).splitlines() if "story" in row]
    assert told.startswith(" Bea: a long story")
    assert told.endswith("…")


def test_tab_is_named_where_it_leads_to_a_card() -> None:
    stage = Stage().deal("red 3, green 5", "green 9").ask(Kind.MOVE)
    assert "Tab" not in stage.show()
    stage.press("left")
    assert "Tab next playable" in stage.show()
    stage.press("tab")
    assert "Tab" not in stage.show()


def test_the_words_of_a_key_are_whole_while_the_table_fills() -> None:
    longest = p2p.PlayerInfo("Bartholomew of the Hills", "blanket-lantern-lobster-dolphin", b"x" * 32)
    stage = pictures.Room()
    lobby = stage.screen.model.lobby
    assert lobby is not None
    stage.give(p2p.LobbyChanged("Zoe", lobby.options, (*lobby.players, longest)))
    for size in ((72, 22), (80, 24), (120, 40), (40, 16)):
        assert longest.fingerprint in stage.show(*size), size


def test_without_a_transcript_there_is_nothing_to_verify_or_replay() -> None:
    stage = pictures.cheat()
    assert not {"verify", "replay"} & set(stage.show().splitlines()[-2].split())
    stage.press("v", "r", "n")
    assert stage.screen.wanted == ["again"]


def test_bells_once_a_turn() -> None:
    stage = Stage().deal("red 3, green 5", "green 9")
    stage.ask(Kind.MOVE)
    assert stage.screen.bells == 1
    stage.give(p2p.DecisionOver(Kind.MOVE, False))
    stage.ask(Kind.DRAWN, drawn=Handle(0, 3))
    stage.ask(Kind.WINDOW, window=Seat(2))
    assert stage.screen.bells == 1


def test_clicks() -> None:
    stage = pictures.move()
    handle = next(h for h, card in stage.known.items() if card == stage.card("green 5"))
    target = f"card {handle.epoch} {handle.index}"
    stage.screen.click(target, stage.now)
    assert stage.press() == []
    stage.screen.click(target, stage.now)
    assert label(stage, one(stage.press())) == "green 5"
    stage = pictures.colour()
    stage.screen.click("pick 2", stage.now)
    assert one(stage.press()).colour == 2  # type: ignore[union-attr]
    stage = pictures.accept()
    stage.screen.click("key c", stage.now)
    assert one(stage.press()) == engine.Challenge()


def test_the_host_may_start_early() -> None:
    assert pictures.Room().press("s") == [StartNow()]


def test_an_own_peer_that_answers_late_changes_nothing() -> None:
    """A card chosen before the hand changed is chosen no more."""
    stage = pictures.move()
    stage.press("end")
    stage.give(p2p.HandChanged(tuple(list(stage.known.items())[:2])))
    assert stage.screen._front.cursor in dict(list(stage.known.items())[:2])


def test_the_end_can_be_looked_at_again() -> None:
    """A key that was meant for another box closes the last one: the way back stands in the footer."""
    stage = pictures.over()
    stage.press("escape")
    assert "The match is over" not in stage.show(80, 24)
    assert "e how it ended, play again" in stage.show(80, 24)
    stage.press("e", "n")
    assert stage.screen.wanted == ["again"]


class TestLobby:
    def test_an_unfinished_match_is_told_of_and_goes_on(self) -> None:
        assert "goes on" not in pictures.Hall().show()
        assert pictures.Hall().press("c").lobby.wanted == []
        for command in ("join", "play", "host"):
            for tables in (True, False):
                hall = pictures.Hall(tables)
                hall.lobby.unfinished = Waiting(("Moe", "Ann"), command)
                for size in ((80, 24), (40, 16)):
                    assert "Your match with Moe and Ann is not over" in " ".join(hall.show(*size).split())
                    assert "c go on with your match" in hall.show(*size)
                hall.press("c")
                assert hall.lobby.wanted[0][0] == command
        assert hall.lobby.wanted == pictures.Hall().press("h", "enter").lobby.wanted

    def test_joining_what_is_chosen(self) -> None:
        hall = pictures.Hall().press("enter")
        assert hall.lobby.wanted == [["join", "192.168.1.9:7425"]]

    def test_a_full_table_is_not_joined(self) -> None:
        hall = pictures.Hall().press("down", "enter")
        assert hall.lobby.wanted == []
        assert "full" in hall.lobby.note

    def test_an_address(self) -> None:
        hall = pictures.Hall().press("a", *"10.0.0.7", "enter")
        assert "HOST:PORT" in hall.lobby.note
        assert hall.press(*":7425", "enter").lobby.wanted == [["join", "10.0.0.7:7425"]]

    def test_a_locked_table_asks_for_its_passphrase_and_hides_it(self) -> None:
        hall = pictures.Hall().press("down", "down", "enter", *"swordfish")
        assert hall.lobby.wanted == []
        assert "swordfish" not in hall.show()
        assert "*********" in hall.show()
        hall.press("enter")
        assert hall.lobby.wanted == [["join", "192.168.1.9:7425"]]
        assert hall.lobby.passphrase is not None
        assert hall.lobby.passphrase.line == "swordfish"
        empty = pictures.Hall().press("down", "down", "enter", "enter")
        assert empty.lobby.wanted == []
        assert "at least one" in empty.lobby.note
        assert pictures.Hall().press("down", "down", "enter", "x", "escape").lobby.wanted == []

    def test_hosting_a_locked_table(self) -> None:
        hall = pictures.Hall().press("h", "up", "right", "enter", *"swordfish", "enter")
        [words] = hall.lobby.wanted
        assert words[0] == "host"
        assert "swordfish" not in " ".join(words) + hall.lobby.hosting.dump()
        assert hall.lobby.passphrase is not None
        assert hall.lobby.hosting.locked

    def test_the_name(self) -> None:
        hall = pictures.Hall().press("n", "c-u", *"Moe", "enter")
        assert (hall.lobby.name, hall.lobby.changed_name) == ("Moe", "Moe")
        assert "at most 24" in pictures.Hall().press("n", *"x" * 30, "enter").lobby.note

    def test_every_table_that_can_be_chosen_can_be_opened(self) -> None:
        """Whatever keys are pressed in the forms: the command line that comes out is one that the command takes."""
        import random

        from nodealer.cli.main import parser
        from nodealer.cli.options import table_options

        rng = random.Random(7)
        for _ in range(300):
            hall = pictures.Hall(tables=False)
            hall.press(rng.choice("hp"), *rng.choices(["up", "down", "left", "right", " ", "tab"], k=30), "enter")
            if hall.lobby.typing is not None:
                hall.press("x", "enter")
            [words] = hall.lobby.wanted
            args = parser().parse_args(words)
            seats = args.seats if words[0] == "host" else args.bots + 1
            options = table_options(args, seats)
            assert args.bots < options.seats
