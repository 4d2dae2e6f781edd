"""The match as a timeline: rounds, the decks made in them with every proof, and turns."""

from __future__ import annotations

from collections.abc import Sequence

from nodealer.p2p.events import PlayerInfo

from ..words import count
from .charts import round_strip, seat_label
from .chronicle import Chronicle, Epoch, Round, Turn
from .markup import Html, join, mark, number, prose, section, table, tag

CHECKED = (
    "Shuffle: the same cards as before it, in a new order and under one more secret. "
    "Lock: every card under a key of its own, nothing moved. Slot: the place of the proof in the match."
)


def timeline(chronicle: Chronicle) -> Html:
    """The section with all rounds; the first is open."""
    players = chronicle.players
    names = [player.name for player in players]
    longest = max([len(one.strip) for one in chronicle.rounds] + [1])
    intro = tag(
        "p",
        "Each strip is a round, from left to right: a field is a turn in its player\u2019s colour, an upright bar a "
        "deck that was shuffled and locked by all, a diamond a challenge. Open a round for its proofs and its turns.",
        class_="dim",
    )
    checked = tag("p", CHECKED, class_="dim")
    legend = tag("ul", *(tag("li", seat_label(seat, players)) for seat in range(len(players))), class_="legend")
    rounds = [
        tag(
            "details",
            tag("summary", _summary(one, names), round_strip(one, longest)),
            _decks(one, players),
            _turns(one, players, names),
            open=index == 0 and len(chronicle.rounds) <= 3,
        )
        for index, one in enumerate(chronicle.rounds)
    ]
    left = (
        [tag("p", f"{number(chronicle.left_out)} more lines are not told here; they were checked like the others.")]
        if chronicle.left_out
        else []
    )
    return section("match", "The match", intro, checked, legend, *rounds, *left)


def _summary(one: Round, names: Sequence[str]) -> Html:
    title = tag("strong", f"Round {one.number + 1}")
    if one.winner is not None:
        how = f"{mark(one.winner)} wins {count(one.points, 'point')}"
    elif one.ended:
        how = f"without a winner ({one.drawn})"
    else:
        how = "not finished"
    parts = [how, count(one.taken, "turn"), count(len(one.epochs), "deck"), f"{number(one.shown)} cards shown"]
    if one.challenged:
        parts.append(count(len(one.challenged), "challenge"))
    return join([title, " \u00b7 ", prose(" \u00b7 ".join(parts), names)])


def _decks(one: Round, players: Sequence[PlayerInfo]) -> Html:
    if not one.epochs:
        return tag("p", "No deck was begun.", class_="dim")
    told = [epoch for epoch in one.epochs if epoch.told]
    left = len(one.epochs) - len(told)
    more = f"{count(left, 'more deck')} {'is' if left == 1 else 'are'} not told here, only checked like the others."
    return join([*(_deck(epoch, players) for epoch in told), *([tag("p", more, class_="dim")] if left else [])])


def _deck(epoch: Epoch, players: Sequence[PlayerInfo]) -> Html:
    name = "The deck of the deal" if epoch.number == 0 else f"Reshuffle {epoch.number}: the discard pile as a new deck"
    slots = {(step.what, step.seat): step.slot for step in epoch.steps}
    rows = [
        [seat_label(seat, players), *(_held(slots.get((what, seat))) for what in ("shuffle", "lock"))]
        for seat in dict.fromkeys(step.seat for step in epoch.steps)
    ]
    parts = [tag("h4", f"{name}, {count(epoch.cards, 'card')}")]
    parts.append(table(("Proven by", "Shuffle", "Lock"), rows))
    if not epoch.made:
        parts.append(tag("p", "This deck was not finished; no key of it was given.", class_="dim"))
    return join(parts)


def _held(slot: int | None) -> str:
    return "not given" if slot is None else f"proof holds, slot {slot}"


def _turns(one: Round, players: Sequence[PlayerInfo], names: Sequence[str]) -> Html:
    return tag(
        "ol",
        *(_turn(turn, players, names) for turn in one.turns if turn.lines or turn.seat is not None),
        class_="turns",
    )


def _turn(turn: Turn, players: Sequence[PlayerInfo], names: Sequence[str]) -> Html:
    who = seat_label(turn.seat, players) if turn.seat is not None else tag("span", turn.title, class_="dim")
    lines = [tag("li", prose(line, names), class_=_class(line)) for line in turn.lines]
    return tag("li", tag("div", who), tag("ul", *lines))


def _class(line: str) -> str | None:
    if line.startswith("Proven: "):
        return "proof"
    return "said" if line[1:].startswith(" says: ") else None
