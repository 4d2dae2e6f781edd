"""The charts: cards in hand over time, scores by round, and the strip of a round. Inline SVG without a script."""

from __future__ import annotations

from collections.abc import Sequence

from nodealer.p2p.events import PlayerInfo

from .chronicle import Round
from .markup import Html, join, number, tag
from .series import Series

WIDTH, HEIGHT = 1000.0, 100.0
# Labels nearer to each other than this part of a chart in hundredths cannot be read apart.
LABEL = 6


def seat_label(seat: int, players: Sequence[PlayerInfo]) -> Html:
    """A seat's number on its colour, and the name."""
    return tag(
        "span", tag("b", str(seat + 1), class_="back"), tag("bdi", players[seat].name), class_=f"seat s{seat % 10}"
    )


def coordinate(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def hands_chart(series: Series, players: Sequence[PlayerInfo]) -> Html:
    """A row for each seat: how many cards it held at every turn. Lines mark where a round begins."""
    if not series.samples:
        return tag("p", "No turn was taken.", class_="dim")
    most = max(max(sample) for sample in series.samples) or 1
    last = max(series.given - 1, 1)
    step = WIDTH / max(len(series.samples) - 1, 1)
    begins = join(
        [
            tag(
                "line",
                x1=coordinate(at / last * WIDTH),
                x2=coordinate(at / last * WIDTH),
                y1=0,
                y2=HEIGHT,
                class_="grid",
            )
            for at in series.begins[:200]
        ]
    )
    rows = []
    for seat in range(len(players)):
        held = [sample[seat] for sample in series.samples]
        # A hand keeps its size until something happens: a staircase.
        path = f"M0 {coordinate(HEIGHT - held[0] / most * HEIGHT)}"
        for at, cards in enumerate(held[1:], 1):
            if cards != held[at - 1] or at == len(held) - 1:
                path += f"H{coordinate(at * step)}V{coordinate(HEIGHT - cards / most * HEIGHT)}"
        told = f"{players[seat].name}: {min(held)} to {max(held)} cards in hand, {series.given} samples"
        picture = tag(
            "svg",
            tag("title", told),
            begins,
            tag("line", x1=0, x2=WIDTH, y1=HEIGHT, y2=HEIGHT, class_="grid"),
            tag("path", d=f"{path}V{HEIGHT:.0f}H0Z", class_="fill area"),
            tag("path", d=path, class_="curve"),
            viewBox=f"0 0 {WIDTH:.0f} {HEIGHT:.0f}",
            preserveAspectRatio="none",
            role="img",
        )
        most_told = tag("span", f"up to {max(held)}", class_="dim small")
        rows.append(tag("div", seat_label(seat, players), picture, most_told, class_=f"hand s{seat % 10}"))
    return tag("div", *rows)


def scores_chart(scores: Sequence[tuple[int, ...]], players: Sequence[PlayerInfo], target: int) -> Html:
    """Points after each round, a line a seat; bars where there was one round or none."""
    final = scores[-1] if scores else ()
    order = sorted(range(len(final)), key=lambda seat: -final[seat])
    legend = [tag("li", seat_label(seat, players), f" {number(final[seat])}") for seat in order]
    if len(scores) < 3:
        most = max([*final, 1])
        bars = []
        for seat in order:
            bar = tag("i", class_="back", style=f"width:{final[seat] / most * 80:.1f}%")
            bars += [
                seat_label(seat, players),
                tag("div", bar, tag("span", number(final[seat])), class_=f"bar s{seat % 10}"),
            ]
        return tag("div", *bars, class_="bars")
    # Sparse points where there are very many rounds; the last one always.
    every = -(-len(scores) // 400)
    points = [*range(0, len(scores) - 1, every), len(scores) - 1]
    top = max(*final, target, 1) * 1.05

    def x(at: float) -> float:
        return at / (len(scores) - 1) * WIDTH

    def y(value: float) -> float:
        return HEIGHT - value / top * HEIGHT

    levels = nice_steps(top)
    parts = [tag("line", x1=0, x2=WIDTH, y1=coordinate(y(at)), y2=coordinate(y(at)), class_="grid") for at in levels]
    if target:
        at = coordinate(y(target))
        parts.append(tag("line", x1=0, x2=WIDTH, y1=at, y2=at, class_="target"))
    for seat in reversed(order):
        path = " ".join(f"{coordinate(x(at))},{coordinate(y(scores[at][seat]))}" for at in points)
        dash = ("none", "9 4", "3 3", "12 3 3 3")[seat % 4]
        line = tag("polyline", points=path, class_="curve", stroke_dasharray=dash)
        parts.append(tag("g", tag("title", players[seat].name), line, class_=f"s{seat % 10}"))
    picture = tag(
        "svg",
        tag("title", "Points after each round"),
        *parts,
        viewBox=f"0 0 {WIDTH:.0f} {HEIGHT:.0f}",
        preserveAspectRatio="none",
        role="img",
    )
    # Words stand outside of the picture, which is stretched to the width that there is.
    left = [tag("span", number(at), style=f"top:{y(at):.1f}%") for at in levels]
    ends = end_labels([(y(final[seat]), seat) for seat in order])
    right = [tag("span", " ".join(str(seat + 1) for seat in seats), style=f"top:{at:.1f}%") for at, seats in ends]
    below = [tag("span", str(at), style=f"left:{x(at) / WIDTH * 100:.1f}%") for at in nice_steps(len(scores) - 1)]
    chart = tag(
        "div",
        tag("div", *left, class_="left"),
        picture,
        tag("div", *right, class_="right"),
        tag("div", *below, class_="below"),
        class_="chart",
    )
    note = f"Points after each round; the broken level line is the target, {number(target)}." if target else ""
    return tag("div", chart, tag("ul", *legend, class_="legend"), tag("p", note, class_="dim small"))


def end_labels(ends: Sequence[tuple[float, int]]) -> list[tuple[float, list[int]]]:
    """Where lines end, with their seats: those too near to be read apart share a label."""
    labels: list[tuple[float, list[int]]] = []
    for at, seat in sorted(ends):
        if labels and at - labels[-1][0] < LABEL:
            labels[-1][1].append(seat)
        else:
            labels.append((at, [seat]))
    return labels


def nice_steps(top: float) -> list[int]:
    """Round numbers from nought to ``top``, at most about six."""
    step = 1
    while top / step > 6:
        step *= 5 if str(step)[0] == "2" else 2
        if str(step)[0] == "4":
            step = step // 4 * 5
    return list(range(0, int(top) + 1, step))


def round_strip(one: Round, longest: int) -> Html:
    """A round as a strip: a field a turn in its seat's colour, a bar for a deck, a diamond for a challenge."""
    unit = WIDTH / max(longest, 1)
    parts: list[Html] = []
    run = 0
    strip = one.strip
    while run < len(strip):
        end = run + 1
        while end < len(strip) and strip[end] == strip[run]:
            end += 1
        parts.append(
            tag(
                "rect",
                x=coordinate(run * unit),
                y=9,
                width=coordinate(max((end - run) * unit - min(unit * 0.15, 1.5), 0.4)),
                height=15,
                class_=f"fill s{strip[run] % 10}",
            )
        )
        run = end
    for at in one.shuffled:
        if at <= len(strip):
            parts.append(tag("rect", x=coordinate(max(at * unit - 1.5, 0)), y=4, width=3, height=25, class_="deckmark"))
    for at in one.challenged:
        if at <= len(strip):
            parts.append(tag("path", d=f"M{coordinate((at - 0.5) * unit)} 0l5 4l-5 4l-5 -4z", class_="casemark"))
    told = f"{one.taken} turns, {len(one.epochs)} decks, {len(one.challenged)} challenges"
    picture = tag("svg", tag("title", told), *parts, viewBox="0 0 1000 32", preserveAspectRatio="none", role="img")
    return tag("span", picture, class_="strip")
