"""Line mode without a table: what is asked, what an answer means, what is told. Events in, lines and wishes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from nodealer import engine
from nodealer.cli.narrator import WAIT_TOLD_S, Narrator, with_key
from nodealer.cli.plain import Plain
from nodealer.cli.player import Act, Leave, Say, StartNow
from nodealer.engine import Kind, Options, Seat
from nodealer.p2p import events as p2p
from nodealer.p2p.options import TableOptions

from tests.helpers.open_table import OpenTable

PLAYERS = tuple(p2p.PlayerInfo(name, f"words-{name.lower()}", name.encode() * 8) for name in ("Ada", "Zoe", "Bea"))
ME = Seat(1)


class Screen:
    """A person's seat, with everything that was written, and a state to ask about."""

    def __init__(self, edition: str = "four-colors", *, host: bool = False, made: bool = True) -> None:
        self.lines: list[str] = []
        self.narrator = Narrator(self.lines.append, self._strangers)
        self.plain = Plain(self.narrator, self.lines.append, host=host)
        self.edition = engine.EDITIONS[edition]
        self.options = TableOptions.defaults(edition, 3, 0)
        table = OpenTable(Options(edition, 3), 5, checked=False)
        while not isinstance(table.state.pending, engine.NeedActions) or table.state.pending.kind is not Kind.MOVE:
            table.step(lambda t, s: engine.legal_actions(t.state, s, t.known(s))[0])
        self.base = table.state
        if made:
            self.give(p2p.TableMade(b"t", self.options, PLAYERS, ME))

    def _strangers(self, players: Sequence[p2p.PlayerInfo], seat: int | None) -> frozenset[bytes]:
        return frozenset(player.key for player in players if player.name == "Bea2")

    def give(self, *events: p2p.PeerEvent, now: float = 0.0) -> list[str]:
        """Tell events; returns the lines that they made."""
        before = len(self.lines)
        for event in events:
            self.narrator.on_event(event, now)
            self.plain.on_event(event, now)
        return self.lines[before:]

    def card(self, words: str, nth: int = 0) -> int:
        return [card.id for card in self.edition.cards if card.label(self.edition) == words][nth]

    def ask(self, kind: Kind, hand: list[str], *, top: str = "red 5", colour: int = 0, **fields: object) -> list[str]:
        """Ask for a decision with this hand in words; returns the lines that this made."""
        handles = tuple(engine.Handle(0, index) for index in range(len(hand)))
        ids = [self.card(words, hand[:place].count(words)) for place, words in enumerate(hand)]
        hands = list(self.base.hands)
        hands[ME] = handles
        state = replace(
            self.base,
            hands=tuple(hands),
            discard=(self.card(top, 1 if top in hand else 0),),
            colour=colour,
            turn=ME,
            pending=engine.NeedActions(kind, (ME,) if kind is not Kind.WINDOW else (Seat(0), ME, Seat(2))),
            **fields,
        )
        known = dict(zip(handles, ids, strict=True))
        self.give(p2p.HandChanged(tuple(known.items())))
        legal = engine.legal_actions(state, ME, known)
        return self.give(p2p.DecisionNeeded(kind, engine.view(state, ME, known), legal, None))

    def type(self, line: str | None) -> list[object]:
        self.plain.on_line(line, 0.0)
        return self.plain.tick(0.0)

    @property
    def prompt(self) -> str:
        return next(line for line in reversed(self.lines) if line.startswith("? "))


def test_a_question_is_one_line_with_numbered_actions() -> None:
    screen = Screen()
    lines = screen.ask(Kind.MOVE, ["red 7", "blue 5", "blue 9", "wild"])
    assert lines[-1] == (
        "? Your turn on red 5 (red): "
        "1 red 7 · 2 blue 5 · 3 wild red · 4 wild yellow · 5 wild green · 6 wild blue · 7 draw"
    )
    assert all(line.startswith(("* ", "? ")) and "\n" not in line for line in screen.lines)
    assert "* Your hand: red 7, blue 5, blue 9, wild." in lines


@pytest.mark.parametrize(
    ("typed", "card", "colour"),
    [
        ("1", "red 7", None),
        ("2", "blue 5", None),
        ("red 7", "red 7", None),
        ("play Red 7", "red 7", None),
        (" red   7 ", "red 7", None),
        ("wild, green", "wild", 2),
        ("wild b", "wild", 3),
        ("4", "wild", 1),
    ],
)
def test_numbers_and_words_answer(typed: str, card: str, colour: int | None) -> None:
    screen = Screen()
    screen.ask(Kind.MOVE, ["red 7", "blue 5", "blue 9", "wild"])
    [wish] = screen.type(typed)
    assert isinstance(wish, Act)
    assert isinstance(wish.action, engine.PlayCard)
    assert screen.edition.cards[wish.action.card].label(screen.edition) == card
    assert wish.action.colour == colour
    assert not screen.plain.wants_line()


@pytest.mark.parametrize("typed", ["0", "8", "99999999999999999999", "blue 9", "wild", "nonsense", "uno", "²", "-1"])
def test_what_is_no_answer_is_said_and_asked_again(typed: str) -> None:
    screen = Screen()
    screen.ask(Kind.MOVE, ["red 7", "blue 5", "blue 9", "wild"])
    before = screen.prompt
    assert screen.type(typed) == []
    assert screen.lines[-1] == before
    assert "none of the answers" in screen.lines[-2]
    assert screen.plain.wants_line()


def test_equal_faces_are_one_answer() -> None:
    screen = Screen()
    screen.ask(Kind.MOVE, ["red 7", "red 7", "blue 9"])
    assert screen.prompt.endswith(": 1 red 7 · 2 draw")


def test_uno_with_the_play_of_the_last_card_but_one() -> None:
    screen = Screen()
    screen.ask(Kind.MOVE, ["red 7", "blue 9"])
    assert screen.prompt.endswith(": 1 red 7 uno · 2 red 7 · 3 draw")
    [called] = screen.type("red 7 uno")
    assert called.action.uno is True
    screen.ask(Kind.MOVE, ["red 7", "blue 9"])
    [forgotten] = screen.type("red 7")
    assert forgotten.action.uno is False


def test_a_last_card_has_neither_colour_nor_call() -> None:
    screen = Screen()
    screen.ask(Kind.MOVE, ["wild"])
    assert screen.prompt.endswith(": 1 wild · 2 draw")
    [wish] = screen.type("wild")
    assert (wish.action.colour, wish.action.uno) == (None, None)


def test_calling_late_and_catching() -> None:
    screen = Screen()
    screen.ask(Kind.WINDOW, ["red 7"], window=ME)
    assert screen.prompt == "? You did not say UNO: 1 uno · 2 nothing"
    assert screen.type("uno") == [Act(engine.Called())]
    screen.ask(Kind.WINDOW, ["red 7", "red 8"], window=Seat(2))
    assert screen.prompt == "? Bea did not say UNO: 1 catch · 2 nothing"
    assert screen.type("catch") == [Act(engine.Caught())]
    screen.ask(Kind.WINDOW, ["red 7", "red 8"], window=Seat(2))
    assert screen.type("auto") == []
    assert not screen.plain.wants_line()


def test_drawn_card_and_colour_and_stack() -> None:
    screen = Screen()
    screen.ask(Kind.DRAWN, ["blue 1", "red 7"], drawn=engine.Handle(0, 1))
    assert screen.prompt.endswith(": 1 red 7 uno · 2 red 7 · 3 keep")
    assert screen.type("keep") == [Act(engine.Keep())]
    screen.ask(Kind.COLOUR, ["blue 1", "red 7"], top="wild")
    assert screen.type("green") == [Act(engine.NameColour(2))]
    screen.ask(Kind.ANSWER, ["blue draw two", "red 7", "red 8"], top="red draw two", stack=4)
    assert screen.prompt == "? Answer the stack of 4, or take it: 1 blue draw two · 2 take"
    assert screen.type("take") == [Act(engine.Take())]


def test_the_other_editions_questions() -> None:
    screen = Screen("lilo-stitch")
    screen.ask(Kind.ACCEPT, ["red 1"])
    assert screen.prompt.endswith(": 1 accept · 2 challenge")
    assert screen.type("challenge") == [Act(engine.Challenge())]
    screen.ask(Kind.CHOOSE, ["red 1", "red 2", "red 3", "blue 9", "wild", "green 2"])
    [wish] = screen.type("discard red 1, blue 9")
    assert {card for _, card in wish.action.cards} == {screen.card("red 1"), screen.card("blue 9")}
    screen.ask(Kind.CHOOSE, ["red 1", "red 2", "red 3", "blue 9", "wild", "green 2"])
    assert screen.type("discard red 1") == []
    assert screen.type("discard red 1, red 1") == []
    [wish] = screen.type("1")
    assert isinstance(wish.action, engine.Discard)


@pytest.mark.parametrize(
    ("left", "others", "share"),
    [
        (3, "one of Ada's 3 other cards", "3 at random hold one in 70% of cases"),
        (1, "Ada's only other card", "one at random is one in 33% of cases"),
    ],
)
def test_what_is_known_about_a_wild_draw_four(left: int, others: str, share: str) -> None:
    screen = Screen("despicable-me-4")
    case = engine.ChallengeCase(Seat(0), tuple(engine.Handle(0, 50 + place) for place in range(left)), 2, ME)
    lines = screen.ask(Kind.ACCEPT, ["blue 1"], top="wild draw four", challenge=case)
    assert lines[-3:-1] == [
        f"* Ada played it on purple. It was a bluff if {others} was purple or a wild. "
        f"Of 110 cards you cannot see 36 are such; {share}.",
        "* Accept: you draw 4 and miss the turn. Challenge: a bluff costs the other 4, else you draw 6.",
    ]


def test_auto_does_what_the_clock_would_do() -> None:
    screen = Screen()
    screen.ask(Kind.MOVE, ["red 7", "blue 5"])
    assert screen.type("auto") == [Act(engine.Draw())]
    screen.ask(Kind.COLOUR, ["green 1", "red 7", "green 2"], top="wild")
    assert screen.type("AUTO") == [Act(engine.NameColour(2))]


def test_the_clock_is_told_before_it_runs_and_the_scores_at_any_time() -> None:
    lines = Screen().lines
    assert "* A turn has 60 seconds; after that your program answers for you." in lines
    screen = Screen()
    assert screen.type("scores") == []
    assert screen.lines[-1] == "* Scores: Ada 0, you 0, Bea 0."


def test_talk_help_and_leaving_need_no_question() -> None:
    screen = Screen()
    assert screen.type("say Hello there ") == [Say("Hello there")]
    assert screen.type("say") == []
    assert screen.type("help") == []
    assert "say TEXT" in screen.lines[-1]
    assert screen.type("7") == []
    assert screen.lines[-1] == "* There is nothing to answer now."
    assert screen.type("leave") == [Leave()]
    assert screen.type(None) == [Leave()]


def test_talk_does_not_close_a_question() -> None:
    screen = Screen()
    screen.ask(Kind.MOVE, ["red 7", "blue 5"])
    screen.type("say one moment")
    screen.type("hand")
    screen.type("table")
    assert screen.plain.wants_line()


def test_a_refusal_is_told_and_asked_again() -> None:
    screen = Screen()
    screen.ask(Kind.MOVE, ["red 7", "blue 5"])
    screen.type("1")
    screen.plain.on_refusal("It is not your turn.", 0.0)
    assert screen.lines[-2:] == ["* It is not your turn.", screen.prompt]
    assert screen.plain.wants_line()


def test_a_decision_that_is_over_is_no_question_any_more() -> None:
    screen = Screen()
    screen.ask(Kind.MOVE, ["red 7", "blue 5"])
    lines = screen.give(p2p.DecisionOver(Kind.MOVE, by_clock=True))
    assert lines == ["* The clock ran out; your program answered for you."]
    assert screen.type("1") == []


def test_the_host_may_start_early_and_nothing_starts_by_itself() -> None:
    screen = Screen(host=True, made=False)
    screen.give(p2p.LobbyChanged("Zoe", screen.options, PLAYERS[:1]))
    assert not screen.plain.wants_line()
    screen.give(p2p.LobbyChanged("Zoe", screen.options, PLAYERS[:2]))
    assert screen.prompt == "? Wait for more, or start with who is there (s): 1 wait · 2 start"
    assert screen.type("1") == []
    screen.give(p2p.LobbyChanged("Zoe", screen.options, PLAYERS[:2]))
    assert screen.type("s") == [StartNow()]
    guest = Screen(made=False)
    guest.give(p2p.LobbyChanged("Zoe", screen.options, PLAYERS[:2]))
    assert not guest.plain.wants_line()


def test_the_shuffle_is_told_step_by_step() -> None:
    screen = Screen()
    told = []
    for kind in ("shuffle", "lock"):
        for seat in range(3):
            told += screen.give(p2p.SlotOpened(seat, kind, (seat,), 0, 0), p2p.StepVerified(kind, seat, 108))
    assert told.pop(0) == "* Round 1: everybody shuffles the deck in turn, then locks every card."
    assert told[0] == "* Ada's shuffle (1 of 3): proof checked; the same 108 cards, newly ordered."
    assert told[1] == "* Your shuffle (2 of 3): proof sent; the same 108 cards, newly ordered."
    assert told[5] == "* Bea's lock (3 of 3): proof checked; a key for each card."
    [told] = screen.give(p2p.SlotOpened(40, "shuffle", (0,), 0, 1))
    assert told.startswith("* The draw pile is empty")


def test_waiting_says_for_whom_and_since_when() -> None:
    screen = Screen()
    screen.give(p2p.SlotOpened(9, "move", (0,), 0, 0), now=100.0)
    assert screen.narrator.next_deadline() == 100.0 + WAIT_TOLD_S
    screen.narrator.tick(101.0)
    assert "Waiting" not in screen.lines[-1]
    screen.narrator.tick(100.0 + WAIT_TOLD_S)
    assert screen.lines[-1] == "* Waiting for Ada to play: 5 s so far."
    screen.give(p2p.SlotOpened(10, "move", (int(ME),), 0, 0), now=200.0)
    screen.narrator.tick(300.0)
    assert "you" not in screen.lines[-1]


def test_events_read_as_sentences() -> None:
    screen = Screen()
    told = screen.give(
        p2p.GameEvent(engine.CardPlayed(Seat(0), engine.Handle(0, 1), screen.card("blue 5"), None, False)),
        p2p.GameEvent(engine.CardPlayed(ME, engine.Handle(0, 2), screen.card("wild"), 1, True)),
        p2p.GameEvent(engine.UnoCalled(ME)),
        p2p.GameEvent(engine.WindowOpened(Seat(2))),
        p2p.GameEvent(engine.UnoCalled(Seat(2))),
        p2p.GameEvent(engine.UnoCaught(ME, (Seat(0), Seat(2)))),
        p2p.GameEvent(engine.UnoCaught(Seat(0), ())),
        p2p.GameEvent(engine.RoundWon(Seat(0), 37, ((), (), ()))),
        p2p.GameEvent(engine.MatchWon(Seat(0), False)),
    )
    assert told == [
        "* Ada plays blue 5.",
        "* You play wild and choose yellow, and say UNO!",
        "* Bea has one card and did not say UNO.",
        "* Bea says UNO in time.",
        "* Ada and Bea caught you: a penalty of two cards.",
        "* Ada was quiet: a penalty of two cards.",
        "* Ada wins the round: 37 points.",
        "* Scores: Ada 37, you 0, Bea 0.",
        "* Ada wins the match!",
    ]


def test_strangers_cannot_paint_the_screen() -> None:
    screen = Screen(made=False)
    evil = p2p.PlayerInfo("Bad\x1b[2J\u202eeman\r\n* ", "a-b-c-d", b"k" * 32)
    you = p2p.PlayerInfo("YOU", "e-f-g-h", b"l" * 32)
    screen.give(
        p2p.LobbyChanged("x", screen.options, (evil,)),
        p2p.TableMade(b"t", screen.options, (evil, PLAYERS[1], you), ME),
        p2p.ChatSaid(0, "Bad\x1b[2J", "hi\x07\u2067 there\n* Ada wins"),
        p2p.Notice("odd\x1b]0;x\x07"),
    )
    for line in screen.lines:
        assert line.isprintable(), line
    assert any("YOU (e-f-g-h)" in line for line in screen.lines)


def test_a_known_name_with_another_key_is_flagged() -> None:
    screen = Screen(made=False)
    other = p2p.PlayerInfo("Bea2", "new-words", b"m" * 32)
    screen.give(p2p.TableMade(b"t", screen.options, (PLAYERS[0], PLAYERS[1], other), ME))
    assert "* Beware: you know another Bea2; the key new-words is new to you." in screen.lines
    assert "`help`" in screen.lines[-1]  # who has never played learns that there is more to type


def test_two_players_of_one_name_are_told_apart_once() -> None:
    screen = Screen(made=False)
    twin = p2p.PlayerInfo("Zoe (new-words-and-more-words)", "new-words-and-more-words", b"m" * 32)
    screen.give(p2p.LobbyChanged("Zoe", screen.options, (PLAYERS[0], twin)))
    assert "Zoe (new-words-and-more-words)" in screen.lines[-1]
    assert with_key(twin.name, twin) == twin.name
    assert with_key("Zoe", twin) == twin.name


def test_a_cheat_ends_with_its_sentence() -> None:
    screen = Screen()
    ended = p2p.Ended(p2p.Outcome.CHEAT, "Ada cheated: it lied.", {0: 5, 1: 0, 2: 0}, None, b"", 0, "lie")
    assert screen.give(ended) == ["* Ada cheated: it lied.", "* Final scores: Ada 5, you 0, Bea 0."]
    assert screen.type("1") == []
