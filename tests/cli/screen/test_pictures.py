"""The main situations as golden text, at the sizes that matter.

`python tests/cli/screen/test_pictures.py` writes them anew; look at the difference before you commit it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import pytest
from nodealer import engine
from nodealer.cli.doctor import Check
from nodealer.cli.screen.lobby import Lobby
from nodealer.cli.screen.look import Depth, Look
from nodealer.cli.screen.model import Glance, Strangers, Told
from nodealer.cli.screen.screen import Screen
from nodealer.cli.screen.spectator import Onlooker
from nodealer.cli.screen.text import plain, width
from nodealer.engine import Handle, Kind, Seat
from nodealer.p2p import events as p2p
from nodealer.p2p.net.records import TableInfo
from nodealer.p2p.options import TableOptions

from tests.cli.screen.scenes import NAMES, NOW, Stage

FOLDER = Path(__file__).parent / "golden"
SIZES = ((80, 24), (120, 40), (40, 16))

HAND = "red 3, red 9, yellow 2, green 5, blue 5, blue skip, wild, wild draw four"


def move() -> Stage:
    stage = Stage().deal(HAND, "green 9", counts=(7, 8, 1, 12))
    stage.facts(
        engine.CardPlayed(Seat(0), Handle(0, 3), stage.card("green 9"), None, False),
        engine.CardsDrawn(Seat(3), (Handle(0, 80),)),
    )
    stage.give(p2p.ChatSaid(0, "Ada", "good luck, everybody"), p2p.ChatSaid(3, "Cyd", "you will need it"))
    return stage.ask(Kind.MOVE)


def colour() -> Stage:
    stage = move()
    stage.press("end", "enter")
    return stage


def waiting() -> Stage:
    stage = Stage("despicable-me-4", 6).deal("blue 3, orange 9, purple reverse", "purple 9", counts=(5, 3, 2, 9, 1, 8))
    stage.give(p2p.PeerMissing(3, "Cyd"))
    stage.state = replace(stage.state, direction=-1, uno=(False, False, False, False, True, False))
    stage.now -= 12
    stage.wait("move", 2, turn=2)
    stage.now += 12
    return stage


def ten_shuffle() -> Stage:
    stage = Stage("lilo-stitch", 10)
    stage.state = engine.new_match(stage.state.options)
    for seat in range(6):
        stage.give(p2p.SlotOpened(seat, "shuffle", (seat,), 0, 0), p2p.StepVerified("shuffle", seat, 112))
    stage.give(p2p.SlotOpened(6, "shuffle", (6,), 0, 0))
    return stage.look_at((6,))


def window() -> Stage:
    stage = Stage("despicable-me-4", 3, target=500).deal("blue 3, orange 9", "purple 9", counts=(7, 2, 1))
    return stage.ask(Kind.WINDOW, 2.1, window=Seat(2))


def own_window() -> Stage:
    stage = Stage().deal("blue 3", "green 9", counts=(7, 1, 4, 4))
    return stage.ask(Kind.WINDOW, 4.0, window=Seat(1))


def accept(left: int = 5) -> Stage:
    stage = Stage("despicable-me-4").deal("blue 3, orange 9, wild", "wild draw four", "blue", counts=(left, 3, 6, 7))
    case = engine.ChallengeCase(Seat(0), tuple(Handle(0, place) for place in range(left)), 2, stage.me)
    return stage.ask(Kind.ACCEPT, challenge=case)


def opened() -> Stage:
    stage = accept()
    stage.give(p2p.DecisionOver(Kind.ACCEPT, False))
    cards = [stage.card(label) for label in ("purple 3", "purple skip", "yellow 0", "wild")]
    return stage.give(p2p.HandSeen(0, tuple(cards)))


def drawn() -> Stage:
    stage = Stage().deal("red 3, yellow 2, green 5", "green 9", counts=(7, 3, 4, 4))
    handle = next(h for h, card in stage.known.items() if card == stage.card("green 5"))
    hand = (*(h for h in stage.known if h != handle), handle)
    hands = tuple(hand if seat == stage.me else held for seat, held in enumerate(stage.state.hands))
    return stage.ask(Kind.DRAWN, drawn=handle, hands=hands)


def stack() -> Stage:
    stage = Stage(stacking=True).deal("red draw two, yellow 2, green 5", "green draw two", counts=(7, 3, 4, 4))
    return stage.ask(Kind.ANSWER, stack=4)


def ohana() -> Stage:
    stage = Stage("lilo-stitch", 3).deal(HAND, "wild ohana", "green", counts=(7, 8, 4))
    stage.ask(Kind.CHOOSE)
    stage.press("right", " ", "end", " ")
    return stage


def first_colour() -> Stage:
    return Stage().deal("red 3, yellow 2", "wild", colour=None, counts=(7, 2, 7, 7)).ask(Kind.COLOUR, colour=None)


def trust() -> Stage:
    stage = Stage("despicable-me-4", 4)
    for seat in range(4):
        stage.give(p2p.StepVerified("shuffle", seat, 112), p2p.StepVerified("lock", seat, 112))
        stage.give(p2p.StepVerified("keys", seat, 112))
    stage.deal("blue 3, orange 9", "purple 9", counts=(7, 2, 7, 7))
    stage.facts(engine.ChallengeWon(Seat(0), Seat(2)))
    stage.wait("move", 0)
    stage.press("v")
    return stage


def warned() -> Stage:
    stage = Stage()
    stage.give(Strangers(frozenset({b"Bea" * 8})))
    stage.deal(HAND, "green 9").wait("move", 0)
    return stage


def scores() -> Stage:
    stage = Stage().deal(HAND, "green 9")
    cards = tuple(stage.card(label) for label in ("red 4", "blue skip", "wild"))
    stage.facts(engine.RoundWon(Seat(2), 143, (cards, cards[:2], (), cards[1:])))
    return stage


def over() -> Stage:
    stage = scores()
    stage.screen.transcript = "/home/zoe/.local/share/nodealer/transcripts/2026-07-01-a1b2c3.nodealer"
    sentence = "Bea wins the match."
    return stage.give(p2p.Ended(p2p.Outcome.COMPLETE, sentence, {0: 20, 1: 0, 2: 263, 3: 90}, 2, b"d" * 32))


def cheat() -> Stage:
    stage = move()
    sentence = "Bea cheated: it showed another card than the one it was dealt (check: shown face)."
    return stage.give(
        p2p.Ended(p2p.Outcome.CHEAT, sentence, {0: 0, 1: 0, 2: 0, 3: 0}, None, b"d" * 32, 2, "shown face")
    )


def chatting() -> Stage:
    stage = window()
    stage.press("/", *"hello there")
    return stage


def leave() -> Stage:
    stage = move()
    stage.press("q")
    return stage


def help_() -> Stage:
    stage = move()
    stage.press("?")
    return stage


def full_hand() -> Stage:
    labels = [f"{colour} {number}" for colour in ("red", "yellow", "green", "blue") for number in (1, 1, 3, 4, 5, 7, 8)]
    stage = Stage().deal(", ".join([*labels, "wild", "wild"]), "green 9")
    stage.ask(Kind.MOVE)
    stage.press("end")
    return stage


class Gallery(Stage):
    """A spectator's screen, which may look at the hand of seat 1."""

    machine = Onlooker

    def __init__(self, known: int | None = None) -> None:
        """``known``: how many of that hand's cards were shown; None looks at nobody's hand."""
        super().__init__("despicable-me-4", target=500)
        for seat in range(4):
            self.give(p2p.StepVerified("shuffle", seat, 112), p2p.StepVerified("lock", seat, 112))
            self.give(p2p.StepVerified("keys", seat, 21))
        self.deal("blue 3, orange 9, wild, purple reverse", "purple 9", counts=(7, 4, 1, 12))
        self.facts(engine.CardPlayed(Seat(0), Handle(0, 3), self.card("purple 9"), None, False))
        self.give(p2p.ChatSaid(3, "Cyd", "good luck"))
        self.wait("move", 3, turn=3)
        shown = dict(list(self.known.items())[: known or 0])
        view = engine.view(self.state, None if known is None else self.me, shown)
        self.give(Glance(view, (3,), 41, bytes(range(32)), 163))

    def give(self, *events: object) -> Stage:
        return super().give(*(event for event in events if not isinstance(event, p2p.HandChanged)))


class Room(Stage):
    """A table that is being filled."""

    def __init__(self) -> None:
        self.screen = Screen(host=True)
        self.now = NOW
        self.edition = engine.EDITIONS["lilo-stitch"]
        players = tuple(p2p.PlayerInfo(name, f"lamp-{name.lower()}-stone", name.encode() * 8) for name in NAMES[:3])
        options = TableOptions.defaults("lilo-stitch", 5)
        self.give(Told("The table is open at 192.168.1.7:7425, for 5 players."), Strangers(frozenset({b"Bea" * 8})))
        self.give(p2p.LobbyChanged("Zoe", options, players))


class Hall:
    """The lobby, shown like a stage."""

    def __init__(self, tables: bool = True) -> None:
        self.lobby = Lobby("Zoe", "lamp-zoe-stone")
        self.lobby.checks = [
            Check("network", True, "192.168.1.7"),
            Check("finding tables (multicast)", False, "nothing came back", "The host tells its address then."),
        ]
        self.lobby.checked = True
        if tables:
            self.lobby.tables = [
                table("Ada", "four-colors", 4, 2),
                table("Bea", "despicable-me-4", 10, 10, open_=False),
                table("Cyd", "lilo-stitch", 6, 1, passphrase=True),
            ]
            self.lobby.strangers = frozenset({b"Cyd" * 8})

    def press(self, *keys: str) -> Hall:
        for key in keys:
            self.lobby.press(key, NOW)
        return self

    def show(self, columns: int = 80, rows: int = 24, look: Look | None = None) -> str:
        return plain(self.lobby.render(columns, rows, look or Look(), NOW))


def table(
    host: str, edition: str, seats: int, taken: int, *, open_: bool = True, passphrase: bool = False
) -> TableInfo:
    return TableInfo(
        "a1b2c3d4", host, ("192.168.1.9", 7425), edition, seats, taken, passphrase, f"lamp-{host.lower()}-stone", open_,
        b"n" * 16, host.encode() * 8,
    )  # fmt: skip


SITUATIONS: dict[str, Callable[[], Stage | Hall]] = {
    "move": move,
    "colour": colour,
    "waiting": waiting,
    "ten-shuffle": ten_shuffle,
    "window": window,
    "own-window": own_window,
    "accept": accept,
    "accept-one": lambda: accept(1),
    "opened": opened,
    "drawn": drawn,
    "stack": stack,
    "ohana": ohana,
    "first-colour": first_colour,
    "trust": trust,
    "warned": warned,
    "scores": scores,
    "over": over,
    "cheat": cheat,
    "chatting": chatting,
    "leave": leave,
    "help": help_,
    "full-hand": full_hand,
    "watched": Gallery,
    "watched-hand": lambda: Gallery(known=3),
    "room": Room,
    "lobby": Hall,
    "lobby-empty": lambda: Hall(tables=False),
    "lobby-host": lambda: Hall().press("h", "down", "right"),
    "lobby-passphrase": lambda: Hall().press("down", "down", "enter", *"swordfish"),
    "lobby-address": lambda: Hall(tables=False).press("a", *"10.0.0.7:7425"),
}


def picture(name: str) -> str:
    stage = SITUATIONS[name]()
    return "".join(f"== {columns}x{rows}\n{stage.show(columns, rows)}" for columns, rows in SIZES)


@pytest.mark.parametrize("name", SITUATIONS)
def test_golden_picture(name: str) -> None:
    assert picture(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SITUATIONS)
def test_every_size_is_filled_exactly(name: str) -> None:
    """Whatever the size: as many lines as there are, all as wide as the window; too small says so in words."""
    stage = SITUATIONS[name]()
    machine = stage.lobby if isinstance(stage, Hall) else stage.screen
    for columns in (1, 20, 39, 40, 41, 57, 71, 72, 79, 80, 81, 100, 119, 160, 250):
        for rows in (1, 2, 15, 16, 17, 21, 22, 23, 24, 30, 50, 80):
            for ascii_only in (False, True):
                lines = machine.render(columns, rows, Look(ascii=ascii_only), NOW)
                assert len(lines) == rows, (columns, rows)
                assert {width(line) for line in lines} == {columns}, (columns, rows)


@pytest.mark.parametrize("name", SITUATIONS)
def test_ascii_alone(name: str) -> None:
    stage = SITUATIONS[name]()
    assert stage.show(80, 24, Look(ascii=True)).isascii()


def test_too_small_is_one_sentence() -> None:
    assert move().show(39, 16).strip() == "Make the window 40x16 or larger."
    assert move().show(80, 15).strip() == "Make the window 40x16 or larger."


@pytest.mark.parametrize("depth", Depth)
@pytest.mark.parametrize("edition", engine.EDITIONS)
def test_every_style_word_is_known(depth: Depth, edition: str) -> None:
    """Nothing on any picture has a style that the look does not name; without colours only weight and reverse stay."""
    for safe in (False, True):
        rules = Look(depth, safe=safe, edition=edition).rules()
        for name in SITUATIONS:
            stage = SITUATIONS[name]()
            machine = stage.lobby if isinstance(stage, Hall) else stage.screen
            used = {
                word for line in machine.render(80, 24, Look(), NOW) for span in line for word in span.style.split()
            }
            if depth is not Depth.NONE:
                assert used <= rules.keys(), used - rules.keys()
        if depth is Depth.NONE:
            assert {part for rule in rules.values() for part in rule.split()} <= {"bold", "reverse"}


def test_all_glyphs_are_one_cell_wide() -> None:
    from dataclasses import astuple

    from nodealer.cli.screen.look import ASCII, UNICODE

    for glyphs in (ASCII, UNICODE):
        for value in astuple(glyphs):
            for char in value if isinstance(value, str) else "".join(value):
                assert width(char) == 1
                assert ord(char) < 0x2E80
                assert char != "\ufe0f"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in SITUATIONS:
        (FOLDER / f"{name}.txt").write_text(picture(name), encoding="utf-8")
