"""The parts of PROTOCOL.md that are made from the code: what no name holds, the phases, the editions."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from nodealer.engine import EDITIONS
from nodealer.p2p import names, slots

PAGE = Path(__file__).resolve().parents[2] / "PROTOCOL.md"


def phases() -> str:
    """The diagram of `p2p/slots.py` and its table of slots."""
    lines = (slots.__doc__ or "").splitlines()
    diagram = [line[4:] for line in lines if line.startswith("    ")]
    rows = ["| slot | takes, from each seat that it owes | answered by |", "|---|---|---|"]
    for kind, rule in slots.RULES.items():
        takes = ", ".join(f"`{name}`" for name in sorted(rule.takes))
        rows.append(f"| `{kind.value}` | {takes} | {'a person' if rule.person else 'the program'} |")
    return "\n".join(["```text", *diagram, "```", "", *rows])


def editions() -> str:
    """What differs between the editions, a column for each."""
    all_of = list(EDITIONS.values())

    def row(what: str, value: Callable[..., object]) -> str:
        return f"| {what} | " + " | ".join(str(value(edition)) for edition in all_of) + " |"

    def yes(value: bool) -> str:
        return "yes" if value else "no"

    return "\n".join(
        [
            row("name", lambda e: f"`{e.name}`"),
            "|---|" + "---|" * len(all_of),
            row("colours 0 to 3 (for display)", lambda e: ", ".join(e.colours)),
            row("cards", lambda e: len(e.cards)),
            row("special", lambda e: e.special.value if e.special else "none"),
            row("players", lambda e: f"{e.min_seats} to {e.max_seats}"),
            row("targets", lambda e: ", ".join(map(str, e.targets))),
            row("challenge", lambda e: yes(e.challenge)),
            row("stacking may be chosen", lambda e: yes(e.stacking)),
            row("start effects", lambda e: yes(e.start_effects)),
            row("last cards are drawn", lambda e: yes(e.last_card_draws)),
            row("quiet is caught", lambda e: yes(e.quiet_is_caught)),
        ]
    )


def never_in_names() -> str:
    """The list of `p2p/names.py`."""
    ranges = [f"{first:04X}" + (f"-{last:04X}" if last > first else "") for first, last in names.NEVER]
    rows = [", ".join(ranges[at : at + 8]) for at in range(0, len(ranges), 8)]
    return "\n".join(["```text", *(f"{row}," for row in rows[:-1]), rows[-1], "```"])


PARTS: dict[str, Callable[[], str]] = {"names": never_in_names, "phases": phases, "editions": editions}


def filled(page: str) -> str:
    """The page with its generated parts as they should be."""
    for name, make in PARTS.items():
        begin = f"<!-- generated: {name} -->\n"
        pattern = re.escape(begin) + r".*?<!-- end -->"
        content = make()
        page, count = re.subn(pattern, lambda _, b=begin, c=content: b + c + "\n<!-- end -->", page, flags=re.S)
        if count != 1:
            raise ValueError(f"PROTOCOL.md has {count} places for {name}")
    return page
