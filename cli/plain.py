"""Line mode: the whole game for a person, as numbered lines (design, "The command line").

The rules of this interface: a question is one line that begins with "? " and numbers what is legal now; a number, the
action's own word, ``auto`` (what the turn clock would do) or ``say …`` answers it, and the end of input leaves. What
happens is told in lines that begin with "* ". ``hand``, ``table``, ``scores``, ``help`` and ``leave`` work at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from nodealer.engine import Action, Called, Caught, Discard, Handle, Kind, PlayCard, View
from nodealer.p2p import events as p2p

from . import bluff, policy
from .narrator import Narrator
from .player import Act, Leave, Say, StartNow, Wish
from .words import Words, count

HELP = (
    "Answer a question with its number or its words; `auto` lets your program answer this one, as it does when the "
    "time is up; `say TEXT` talks to the table, `hand` and `table` show what you can see, `scores` the points, `leave` "
    "leaves for good. With two cards in hand, say UNO by choosing a play that ends with uno. Whoever forgot is asked "
    "about: then `uno` or `catch`, quickly."
)
FIRST = "Answer a question (?) with its number or its words; `help` tells the rest, `leave` leaves."
WAIT = "wait"


@dataclass(frozen=True, slots=True)
class Choice:
    """One numbered answer. ``wish`` None closes the question without a word to the table."""

    words: str
    wish: Wish | None


@dataclass(frozen=True, slots=True)
class Question:
    """An open question; ``auto`` is what answers it for a person who does not want to think."""

    text: str
    choices: tuple[Choice, ...]
    auto: Wish | None
    view: View | None = None

    def line(self) -> str:
        return f"? {self.text}: " + " · ".join(f"{n} {choice.words}" for n, choice in enumerate(self.choices, 1))


class Plain:
    """A person's seat in line mode: tells through ``narrator``, asks through ``write``. ``host`` may start early."""

    def __init__(self, narrator: Narrator, write: Callable[[str], None], *, host: bool = False) -> None:
        self._narrator = narrator
        self._write = write
        self._host = host
        self._question: Question | None = None
        self._wishes: list[Wish] = []
        self._view: View | None = None
        self._made = False
        self._over = False
        self._answered: Question | None = None

    # What happens

    def on_event(self, event: p2p.PeerEvent, now: float) -> None:
        match event:
            case p2p.LobbyChanged(players=players, options=options):
                self._lobby(len(players), options.seats)
            case p2p.TableMade(options=options):
                self._made = True
                self._question = None
                if options.turn_clock:
                    seconds = count(options.turn_clock, "second")
                    self._tell(f"A turn has {seconds}; after that your program answers for you.")
                self._tell(FIRST)
            case p2p.DecisionNeeded():
                self._ask(event)
            case p2p.DecisionOver():
                self._question = None
            case p2p.Ended():
                self._over = True
                self._question = None

    def on_line(self, line: str | None, now: float) -> None:
        """One line of the person; None at the end of input."""
        if line is None:
            self._wishes.append(Leave())
            return
        text = line.strip()
        word, _, rest = text.partition(" ")
        match word.casefold():
            case "":
                self._repeat()
            case "say":
                self._say(rest.strip())
            case "leave" | "quit":
                self._wishes.append(Leave())
            case "help" | "?":
                self._tell(HELP)
            case "hand" if not rest:
                self._show_hand()
            case "table" if not rest:
                self._show_table()
            case "scores" if not rest:
                self._tell(self._narrator.points())
            case _:
                self._answer(text)

    def on_refusal(self, sentence: str, now: float) -> None:
        """The own peer refused the last wish: say why, and ask again."""
        self._tell(sentence)
        if self._question is None and self._answered is not None and not self._over:
            self._question = self._answered
            self._repeat()

    def wants_line(self) -> bool:
        return self._question is not None and not self._wishes and not self._over

    def next_deadline(self) -> float | None:
        return None

    def tick(self, now: float) -> list[Wish]:
        wishes, self._wishes = self._wishes, []
        return wishes

    # Questions

    def _lobby(self, taken: int, seats: int) -> None:
        self._question = None
        if self._host and not self._made and 2 <= taken < seats:
            choices = (Choice(WAIT, None), Choice("start", StartNow()))
            self._put(Question("Wait for more, or start with who is there (s)", choices, auto=None))

    def _ask(self, asked: p2p.DecisionNeeded) -> None:
        words = self._narrator.words
        if words is None:
            return
        self._view = view = asked.view
        choices = tuple(options(asked, words))
        if not choices:
            return
        if asked.kind not in (Kind.WINDOW, Kind.DRAWN):  # there the seconds count, or nothing has changed
            self._show_table()
            self._show_hand()
        if view.challenge is not None and asked.kind is Kind.ACCEPT:
            self._tell(" ".join([bluff.told(view.challenge, words), bluff.odds(view, words.edition)]).rstrip())
            self._tell("Accept: you draw 4 and miss the turn. Challenge: a bluff costs the other 4, else you draw 6.")
        auto: Wish | None = None if asked.kind is Kind.WINDOW else Act(policy.clock(view, asked.legal))
        self._put(Question(question(asked, words), choices, auto, view))

    def _put(self, asked: Question) -> None:
        self._question = asked
        self._write(asked.line())

    def _repeat(self) -> None:
        if self._question is not None:
            self._write(self._question.line())

    def _answer(self, text: str) -> None:
        asked = self._question
        if asked is None:
            self._tell("There is nothing to answer now. " + HELP if text == "?" else "There is nothing to answer now.")
            return
        if text.casefold() == "auto":
            self._close(asked, asked.auto)
            return
        choice = match(text, asked.choices)
        if choice is None and asked.view is not None:
            choice = discard(text, asked, self._narrator.words)
        if choice is None:
            self._tell(f"“{text[:40]}” is none of the answers.")
            self._repeat()
            return
        self._close(asked, choice.wish)

    def _close(self, asked: Question, wish: Wish | None) -> None:
        self._question, self._answered = None, asked
        if wish is not None:
            self._wishes.append(wish)

    def _say(self, text: str) -> None:
        if text:
            self._wishes.append(Say(text))
        else:
            self._tell("Say what? Write: say TEXT")

    # What can be seen

    def _tell(self, line: str) -> None:
        self._write(f"* {line}")

    def _show_hand(self) -> None:
        words = self._narrator.words
        hand = self._narrator.hand
        if words is None or not hand:
            self._tell("You hold no card that can be read now.")
        else:
            self._tell(f"Your hand: {words.cards(hand)}.")

    def _show_table(self) -> None:
        words, view = self._narrator.words, self._view
        if words is None or view is None:
            self._tell("The table is not made yet.")
            return
        self._tell(table(view, words))


def options(asked: p2p.DecisionNeeded, words: Words) -> list[Choice]:
    """The numbered answers to a decision: equal faces once, the call of UNO spelled out, and in a window only what a
    person can do in it."""
    view = asked.view
    if asked.kind is Kind.WINDOW:
        mine = view.window == view.seat
        action: Action = Called() if mine else Caught()
        return [Choice(words.action(action), Act(action)), Choice("nothing", None)]
    choices: list[Choice] = []
    faces: set[tuple[str, object]] = set()
    for action in ordered(asked.legal, words):
        if not isinstance(action, PlayCard):
            choices.append(Choice(words.action(action), Act(action)))
            continue
        face = (words.card(action.card), action.colour)
        if face in faces:
            continue
        faces.add(face)
        if len(view.hand) == 2:
            called = replace(action, uno=True)
            choices.append(Choice(words.action(called), Act(called)))
        choices.append(Choice(words.action(action), Act(action)))
    return choices


def ordered(legal: Sequence[Action], words: Words) -> list[Action]:
    """Plays by card and colour, then the rest as the engine lists it."""
    plays = [action for action in legal if isinstance(action, PlayCard)]
    plays.sort(key=lambda play: (play.card, play.colour if play.colour is not None else -1))
    return [*plays, *(action for action in legal if not isinstance(action, PlayCard))]


def question(asked: p2p.DecisionNeeded, words: Words) -> str:
    """What is asked, in a few words."""
    view = asked.view
    match asked.kind:
        case Kind.COLOUR:
            return "A wild lies on top: name its colour"
        case Kind.MOVE:
            return f"Your turn{on(view, words)}"
        case Kind.DRAWN:
            if not any(isinstance(action, PlayCard) for action in asked.legal):
                return "The card you drew cannot be played; keep it"
            return "Play the card you drew, or keep it"
        case Kind.ANSWER:
            return f"Answer the stack of {view.stack}, or take it"
        case Kind.ACCEPT:
            return "Accept the wild draw four, or challenge it as a bluff"
        case Kind.WINDOW if view.window == view.seat:
            return "You did not say UNO"
        case Kind.WINDOW if view.window is not None:
            return f"{words.Who(view.window)} did not say UNO"
        case Kind.CHOOSE:
            return "Keep four cards: discard the rest (number 1, or discard and the cards, with commas)"
    return "Your answer"


def on(view: View, words: Words) -> str:
    """ " on green 9 (green)"."""
    if view.top is None:
        return ""
    colour = f" ({words.colour(view.colour)})" if view.colour is not None else ""
    return f" on {words.card(view.top)}{colour}"


def table(view: View, words: Words) -> str:
    """The public state in one line."""
    seats = [f"{words.who(seat)} {view.counts[seat]}" for seat in view.seats_in]
    parts = [f"Top card{on(view, words).removeprefix(' on') or ' none'}", "cards: " + ", ".join(seats)]
    parts.append(f"draw pile {view.draw_count}")
    if view.stack:
        parts.append(f"stack {view.stack}")
    parts.append(f"play goes to the {'left' if view.direction == 1 else 'right'}")
    if any(view.scores):
        parts.append("scores: " + ", ".join(f"{words.who(seat)} {view.scores[seat]}" for seat in view.seats_in))
    return "; ".join(parts) + "."


def match(text: str, choices: Sequence[Choice]) -> Choice | None:
    """The choice that ``text`` means: its number, its words, or the only one that begins with the words."""
    typed = " ".join(text.casefold().replace(",", " ").removeprefix("play ").split())
    if typed.isascii() and typed.isdigit():
        place = int(typed[:6])
        return choices[place - 1] if 1 <= place <= len(choices) else None
    if typed == "uno" and not any(choice.words == "uno" for choice in choices):
        return None
    if typed == "s":
        typed = "start"
    exact = [choice for choice in choices if choice.words.casefold() == typed]
    if exact:
        return exact[0]
    begins = [choice for choice in choices if choice.words.casefold().startswith(typed)]
    return begins[0] if len(begins) == 1 else None


def discard(text: str, asked: Question, words: Words | None) -> Choice | None:
    """Ohana: "discard red 7, wild" with as many cards as the rules ask for."""
    view, verb = asked.view, "discard "
    if words is None or view is None or not text.casefold().startswith(verb):
        return None
    sample = next((c.wish.action for c in asked.choices if isinstance(c.wish, Act)), None)
    if not isinstance(sample, Discard):
        return None
    left: list[tuple[Handle, int]] = [(handle, card) for handle, card in view.hand if card is not None]
    chosen: list[tuple[Handle, int]] = []
    for name in text[len(verb) :].casefold().split(","):
        found = next((item for item in left if words.card(item[1]) == " ".join(name.split())), None)
        if found is None:
            return None
        left.remove(found)
        chosen.append(found)
    if len(chosen) != len(sample.cards):
        return None
    return Choice(text, Act(Discard(tuple(sorted(chosen)))))
