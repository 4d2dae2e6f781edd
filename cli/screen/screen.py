"""A person's seat at the table, full screen: events and keys in, wishes and a picture out. No terminal in here.

A key goes to the line being typed, else to the open box, else to the table. What a person decides becomes a wish; the
peer answers with events like everybody else's, so one's own move and the others' come the same way.
"""

from __future__ import annotations

from dataclasses import replace

from nodealer import engine
from nodealer.engine import Action, Handle, Kind, PlayCard
from nodealer.p2p import events as p2p

from .. import policy
from ..player import Act, Leave, Say, StartNow, Wish
from . import panels
from .boxes import Close, ColourBox, Decide, DiscardBox, Do, Ending, Opened, Reading, Reply, Sure
from .commands import ANYWHERE, KEYS, SAY_UNO, by_key, decisions
from .editor import Editor
from .look import Look
from .model import Happening, Model
from .table import Front, render
from .text import Line

# A refusal or an explanation stays so long, or until the next key.
HINT_S = 8.0


class Screen:
    """The machine behind the table's screen. ``host``: may start before all seats are taken.

    ``wanted`` collects what the program around it is to do: "quit", "verify", "replay", "again".
    """

    def __init__(self, *, host: bool = False) -> None:
        self.model = Model(host=host)
        self.bells = 0
        self.notes: list[str] = []
        self.wanted: list[str] = []
        self.transcript: str | None = None
        self._front = Front()
        self._wishes: list[Wish] = []
        self._hint_until = 0.0
        self._sure = False
        self._answered: p2p.DecisionNeeded | None = None

    # What happens

    def take(self, event: Happening, now: float) -> None:
        """One event of the peer or of the program."""
        self.model.take(event, now)
        match event:
            case p2p.DecisionNeeded():
                self._asked(event)
            case p2p.DecisionOver(by_clock=by_clock):
                self._decided(by_clock)
            case p2p.HandSeen(seat=seat, cards=cards):
                self._hand_seen(seat, cards)
            case p2p.HandChanged():
                self._keep_cursor()
            case p2p.GameEvent(event=engine.RoundWon() | engine.RoundDrawn()):
                self._open(Reading("Scores", panels.scores(self.model), own_key="g"), only_if_free=True)
            case p2p.Ended():
                self._front = replace(self._front, typing=None, box=None)
                self._ending()

    def refused(self, sentence: str, now: float) -> None:
        """The own peer refused the last wish; the question stands as before."""
        self._hint(sentence, now)
        if self.model.ask is None and self._answered is not None and self.model.ended is None:
            self.model.take(self._answered, now)

    def tick(self, now: float) -> None:
        """Let a hint fade."""
        if self._front.hint and now >= self._hint_until:
            self._front = replace(self._front, hint="")

    @property
    def chosen(self) -> Handle | None:
        """The card that the brackets are around."""
        return self._front.cursor

    def hurries(self) -> bool:
        """Whether a short time runs down: an UNO window."""
        return self.model.ask is not None and self.model.ask.kind is Kind.WINDOW

    def scrolls(self) -> bool:
        """Whether the mouse wheel has something to scroll."""
        return isinstance(self._front.box, Reading)

    def wishes(self) -> list[Wish]:
        """Take what the person wants of the peer."""
        wishes, self._wishes = self._wishes, []
        return wishes

    def render(self, columns: int, rows: int, look: Look, now: float) -> list[Line]:
        """The picture now."""
        return render(self.model, self._front, columns, rows, look, now)

    def _ending(self) -> None:
        write = panels.ending(self.model, lambda: self.transcript, self.notes)
        self._open(Ending("The match is over", write, kept=lambda: self.transcript is not None))

    def _asked(self, event: p2p.DecisionNeeded) -> None:
        if event.kind not in (Kind.DRAWN, Kind.WINDOW):  # once when it is one's turn, and not for what follows from it
            self.bells += 1
        self._sure = False
        self._front = replace(self._front, hint="", window_hidden=False)
        words = self.model.words
        if words is None:
            return
        match event.kind:
            case Kind.COLOUR:
                choices = [action for action in event.legal if isinstance(action, engine.NameColour)]
                what = "The first card is a wild: name the colour to begin with."
                self._open(ColourBox(words.edition, choices, what, may_cancel=False))
            case Kind.CHOOSE:
                self._choose(event)
            case Kind.MOVE | Kind.ANSWER:
                self._keep_cursor(to_playable=True)
            case Kind.DRAWN:
                drawn = event.view.drawn
                self._front = replace(self._front, cursor=drawn)

    def _choose(self, event: p2p.DecisionNeeded) -> None:
        words = self.model.words
        sample = next((action for action in event.legal if isinstance(action, engine.Discard)), None)
        if words is not None and sample is not None:
            self._open(DiscardBox(words.edition, self.model.cards, len(sample.cards), sample))

    def _decided(self, by_clock: bool) -> None:
        box = self._front.box
        if box is not None and box.answers:
            self._front = replace(self._front, box=None)
        self._sure = False

    def _hand_seen(self, seat: int, cards: tuple[int, ...]) -> None:
        words, view = self.model.words, self.model.view
        if words is None:
            return
        case = None if view is None else view.challenge
        colour = None if case is None else case.colour
        guilty = None
        if colour is not None:
            faces = [words.edition.cards[card] for card in cards]
            guilty = any(face.wild or face.colour == colour for face in faces)
        self._open(Opened(words.edition, words.Who(seat), cards, colour, guilty))

    def _open(self, box: Reading | Sure | ColourBox | DiscardBox | Opened, *, only_if_free: bool = False) -> None:
        """Lay a box over the table. One that answers a decision is never covered by one that does not."""
        current = self._front.box
        if current is not None and (only_if_free or (current.answers and not box.answers)):
            return
        self._front = replace(self._front, box=box)

    def _keep_cursor(self, *, to_playable: bool = False) -> None:
        """The chosen card stays chosen while it is held; else the first playable one is."""
        cards = [handle for handle, _ in self.model.cards]
        plays = self.model.plays()
        cursor = self._front.cursor
        if cursor not in cards or (to_playable and cursor not in plays):
            cursor = next((handle for handle in cards if handle in plays), cards[0] if cards else None)
        self._front = replace(self._front, cursor=cursor)

    # What the person does

    def press(self, key: str, now: float) -> None:
        """One key: a character, or a name such as "enter", "escape", "left", "f1", "c-c"."""
        front = self._front
        if key == ANYWHERE and self._window_key(now):
            return
        self._front = front = replace(front, hint="")
        if key == "c-c":
            self._leave()
        elif key == "signal":  # the terminal or the system wants the program to end
            self._wishes.append(Leave())
            self.wanted.append("quit")
        elif front.typing is not None:
            self._type(front.typing, key)
        elif front.box is not None:
            self._press_box(key, now)
        else:
            self._press_table(key, now)

    def paste(self, text: str) -> None:
        """Text from the clipboard goes into the line being typed and nowhere else."""
        if self._front.typing is not None:
            self._front.typing.insert(text)

    def click(self, target: str, now: float) -> None:
        """A mouse click on something that names a target."""
        word, _, rest = target.partition(" ")
        box = self._front.box
        if word == "key":
            self.press(rest, now)
        elif box is not None:
            self._reply(box.click(target), now)
        elif word == "card":
            epoch, index = (int(part) for part in rest.split())
            handle = Handle(epoch, index)
            if self._front.cursor == handle and handle in self.model.plays():
                self._press_table("enter", now)
            elif handle in self.model.hand:
                self._front = replace(self._front, cursor=handle)

    def _window_key(self, now: float) -> bool:
        ask = self.model.ask
        if ask is None or ask.kind is not Kind.WINDOW:
            return False
        self._decide(engine.Called() if ask.mine else engine.Caught())
        return True

    def _type(self, typing: Editor, key: str) -> None:
        if key == "escape":
            self._front = replace(self._front, typing=None)
        elif key == "enter":
            if typing.text.strip():
                self._wishes.append(Say(typing.text.strip()))
            self._front = replace(self._front, typing=None)
        else:
            typing.press(key)

    def _press_box(self, key: str, now: float) -> None:
        box, ask = self._front.box, self.model.ask
        if box is None:
            return
        if ask is not None and ask.kind is Kind.WINDOW and key in (KEYS[engine.Called], KEYS[engine.Caught]):
            command = by_key(decisions(self.model, None), key)
            if command is not None and command.action is not None:
                self._decide(command.action)
            return
        self._reply(box.press(key), now)

    def _reply(self, reply: Reply, now: float) -> None:
        match reply:
            case Close():
                self._front = replace(self._front, box=None)
            case Decide(action=action):
                self._front = replace(self._front, box=None)
                self._decide(action)
            case Do(what="leave"):
                self._front = replace(self._front, box=None)
                self._wishes.append(Leave())
            case Do(what=what):
                self.wanted.append(what)

    def _press_table(self, key: str, now: float) -> None:
        sure, self._sure = self._sure, False
        command = by_key(decisions(self.model, self._front.cursor), key)
        if command is not None and self.model.ask is not None:
            self._command(key, command.action)
            return
        match key:
            case "left" | "right" | "home" | "end" | "tab" | "s-tab" | "up" | "down":
                self._move(key)
            case "/" if self.model.made is not None:
                self._front = replace(self._front, typing=Editor())
            case "?" | "f1":
                self._open(Reading("Help", panels.help_lines, own_key="?"))
            case "v" | "f2":
                self._open(Reading("Trust", panels.trust(self.model), own_key="v"))
            case "g":
                self._open(Reading("Scores", panels.scores(self.model), own_key="g"))
            case "l":
                self._open(Reading("Log", panels.log(self.model), own_key="l", at=10_000))
            case "m":
                self._open(Reading("Chat", panels.chat(self.model), own_key="m", at=10_000))
            case "q":
                self._leave()
            case "e" if self.model.ended is not None:
                self._ending()
            case "s" if self.model.may_start:
                self._wishes.append(StartNow())
            case "n" if self.model.ask is not None and self.model.ask.kind is Kind.WINDOW:
                self._front = replace(self._front, window_hidden=True)
            case "o" if self.model.ask is not None and self.model.ask.kind is not Kind.WINDOW:
                if sure:
                    self._decide(policy.clock(self.model.ask.view, self.model.ask.legal))
                else:
                    self._sure = True
                    self._hint("Press o once more and the program answers as the turn clock would.", now)
            case "enter" if self.model.ask is not None and self.model.ask.kind in (Kind.MOVE, Kind.ANSWER, Kind.DRAWN):
                self._explain(now)
            case _ if key in KEYS.values() or key == SAY_UNO:
                self._hint("That is not asked now; the lowest lines say what is.", now)

    def _command(self, key: str, action: Action | None) -> None:
        ask, words = self.model.ask, self.model.words
        if ask is None or words is None:
            return
        if isinstance(action, PlayCard):
            plays = self.model.plays()[action.handle]
            if key == SAY_UNO:
                plays = [replace(play, uno=True) for play in plays]
            if len(plays) == 1:
                self._decide(plays[0])
                return
            says = ", with UNO" if key == SAY_UNO else ""
            self._open(ColourBox(words.edition, plays, f"You play {words.card(action.card)}{says}."))
        elif action is not None:
            self._decide(action)
        elif ask.kind is Kind.COLOUR:
            self._asked(ask.needed)
        elif ask.kind is Kind.CHOOSE:
            self._choose(ask.needed)

    def _decide(self, action: Action) -> None:
        ask = self.model.ask
        if ask is None:
            return
        self._answered = ask.needed
        self._wishes.append(Act(action))
        # The peer says that the decision is over; until then a second key decides nothing.
        self.model.ask = None

    def _explain(self, now: float) -> None:
        """Enter on a card that cannot be played now says why not."""
        cursor, words, ask = self._front.cursor, self.model.words, self.model.ask
        card = None if cursor is None else self.model.hand.get(cursor)
        if words is None or ask is None or card is None:
            return
        face = words.card(card)
        if ask.kind is Kind.DRAWN:
            self._hint(f"After drawing only the card just drawn may be played, not the {face}.", now)
        elif ask.kind is Kind.ANSWER:
            self._hint(f"The {face} does not answer this stack.", now)
        else:
            top = "" if ask.view.top is None else f" on {words.card(ask.view.top)}"
            self._hint(f"The {face} does not go{top}.", now)

    def _move(self, key: str) -> None:
        cards = [handle for handle, _ in self.model.cards]
        if not cards:
            return
        cursor = self._front.cursor
        at = cards.index(cursor) if cursor in cards else 0
        plays = self.model.plays()
        match key:
            case "left" | "s-tab":
                at -= 1
            case "right":
                at += 1
            case "home":
                at = 0
            case "end":
                at = len(cards) - 1
            case "tab" if plays:
                later = [place for place, handle in enumerate(cards) if handle in plays and place > at]
                at = later[0] if later else next(place for place, handle in enumerate(cards) if handle in plays)
            case "tab":
                at += 1
            case "up" | "down":
                at = self._other_row(cards, at, -1 if key == "up" else 1)
        self._front = replace(self._front, cursor=cards[at % len(cards)])

    def _other_row(self, cards: list[Handle], at: int, step: int) -> int:
        """The first card of the next group of the hand, above or below."""
        words = self.model.words
        if words is None:
            return at
        colours = [words.edition.cards[self.model.hand[handle]].colour for handle in cards]
        order = list(dict.fromkeys(colours))
        wanted = order[(order.index(colours[at]) + step) % len(order)]
        return colours.index(wanted)

    def _leave(self) -> None:
        if self.model.ended is not None:
            self.wanted.append("quit")
            return
        text = "Leave the table for good? The others go on without you, or the match ends."
        self._front = replace(self._front, typing=None)
        self._open(Sure("Leave", text, "y", "leave for good", "leave"))

    def _hint(self, sentence: str, now: float) -> None:
        self._front = replace(self._front, hint=sentence)
        self._hint_until = now + HINT_S
