"""What a bench has measured, as lines for a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .processes import REFERENCE_US


def proofs(figures: dict[str, Any]) -> list[str]:
    group = ", ".join(f"{name} {micros:.1f} µs" for name, micros in figures["group_us"].items())
    two = figures["two_cores"].get("ms", {})
    lines = [f"{figures['n']} cards. Group: {group}.", f"{'':<21}{'one core':>12}{'two':>12}{'own':>7}   operations"]
    for name, millis in figures["ms"].items():
        ops = ", ".join(f"{count} {kind}" for kind, count in figures["ops"][name].items() if count)
        other = f"{two[name]:>9.1f} ms" if name in two else f"{'':>12}"
        lines.append(f"{name:<21}{millis:>9.1f} ms{other}{figures['ratio'][name]:>7.2f}   {ops}")
    painted = figures["screen"]
    return [
        *lines,
        "own: the time divided by that of these operations alone, on one core.",
        f"screen, ten players: a frame {painted['frame_ms']:.1f} ms, 99 of 100 in {painted['frame_ms_99']:.1f} ms",
        f"a key while proofs are checked: 99 of 100 are answered in {painted['key_ms_99']:.1f} ms",
    ]


def deal(figures: dict[str, Any]) -> list[str]:
    heads = ("own s", "one s", "cpu s", "mul", "add", "kB", "messages")
    lines = [
        f"The deal, simulated, from the first shuffle to every hand readable. One multiplication: "
        f"{figures['mul_us']:.1f} µs.",
        f"{'edition':<16}{'players':>8}" + "".join(f"{head:>9}" for head in heads),
    ]
    for row in figures["tables"]:
        ops = row["ops"]
        lines.append(
            f"{row['edition']:<16}{row['seats']:>8}{row['own']:>9.2f}{row['one']:>9.2f}{row['cpu']:>9.2f}"
            f"{ops['mul']:>9}{ops['add']:>9}{row['bytes'] / 1000:>9.0f}{row['messages']:>9}"
        )
    lines += [
        "own: a machine of two cores for each player; one: one such machine for all. cpu, kB, messages: of the player",
        "with the most; mul, add: of all.",
    ]
    for edition, grows in figures["grows"].items():
        told = ", ".join(f"{name} ^{power:.2f}" for name, power in grows.items())
        lines.append(f"{edition} grows with the players like {told}.")
    lines += ["", "The deal by real processes on this machine, best and median of some runs.", *_processes(figures)]
    return lines


def _processes(figures: dict[str, Any]) -> list[str]:
    at = f"at {REFERENCE_US:.0f} µs"
    lines = [
        f"{'edition':<16}{'players':>8}{'journal':>9}{'runs':>6}{'whole s':>13}{at:>13}{'deal s':>13}{at:>13}"
        f"{'cpu s':>8}{'MB':>6}"
    ]
    for row in figures["processes"]:
        pairs = "".join(
            f"{_pair(row[name]):>13}" for name in ("whole", "whole_at_reference", "deal", "deal_at_reference")
        )
        memory = f"{row['memory_mb']:>6.0f}" if row["memory_mb"] is not None else f"{'?':>6}"
        lines.append(
            f"{row['edition']:<16}{row['seats']:>8}{'disk' if row['journal'] else 'none':>9}{row['runs']:>6}{pairs}"
            f"{row['cpu']['median']:>8.2f}{memory}"
        )
    return [
        *lines,
        f"whole: from the last seat taken to the last hand readable; deal: from the first shuffle on; {at}: the same,",
        "if a multiplication took that. cpu: of all players; MB: what the largest had resident in the whole hand.",
    ]


def _pair(value: dict[str, float]) -> str:
    return f"{value['best']:.2f} {value['median']:.2f}"


def play(figures: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for hand in figures["hands"]:
        keys = hand["keys"]
        lines += [
            f"{hand['edition']}, {hand['seats']} players, a machine each. "
            f"One multiplication: {figures['mul_us']:.1f} µs.",
            f"{'key':<16}{'times':>7}{'taken by all':>16}{'work ms':>9}{'all at rest':>16}{'work ms':>9}{'most':>8}",
        ]
        for name, row in keys.items():
            lines.append(
                f"{name:<16}{row['times']:>7}{_delays(row['delays']):>16}{row['work_ms']:>9.2f}"
                f"{_delays(row['delays_rest']):>16}{row['work_ms_rest']:>9.2f}{row['work_ms_most']:>8.2f}"
            )
        back = hand["reconnect"]
        lines += [
            _promise("A play is applied everywhere", keys.get("play"), "delays", "work_ms"),
            _promise(
                "A drawn card is readable, and all wait for its player,",
                keys.get("draw"),
                "delays_rest",
                "work_ms_rest",
            ),
            f"A line that comes back, {back['slots_behind']} slots behind: level after {_delays(back['delays'])} and "
            f"{back['work_ms']:.1f} ms of work.",
            f"One core verifies the transcript in {hand['verify']['ms']:.0f} ms ({hand['verify']['entries']} entries), "
            f"and knows the match again from its journal in {hand['resume']['ms']:.0f} ms.",
            "",
        ]
    start = figures["start_up"]
    return [
        *lines,
        "taken by all: messages one after the other until every player has applied it; at rest: until the table waits",
        "for a person again. work: processor time of the busiest player for that, median and most.",
        f"nodealer --version takes {start['version']:.0f} ms, an empty Python {start['python']:.0f} ms: "
        f"{start['ratio']:.1f} times.",
    ]


def _promise(what: str, row: dict[str, Any] | None, delays: str, work: str) -> str:
    if row is None:
        return f"{what}: it did not happen in this hand."
    return f"{what} after {_delays(row[delays])} and {row[work]:.1f} ms of work of one player."


def _delays(count: int) -> str:
    return "1 message" if count == 1 else f"{count} messages"


def rounds(rows: Sequence[dict[str, Any]]) -> list[str]:
    lines = [
        "One core. A peer at the table: all its checks, and its own shuffles, locks and keys.",
        "players  rounds  entries  transcript  a peer, live      verified  verified, a round   resumed",
    ]
    for row in rows:
        lines.append(
            f"{row['players']:>7}{row['rounds']:>8}{row['entries']:>9}{row['bytes'] / 1000:>9.0f} kB"
            f"{row['live_ms']:>11.0f} ms{row['verify_ms']:>11.0f} ms{row['verify_ms_round']:>16.0f} ms"
            f"{row['resume_ms']:>7.0f} ms"
        )
    return lines


def growth(figures: dict[str, Any]) -> list[str]:
    sizes = list(next(iter(figures.values()))["ms"])
    lines = [f"{'ms for so many cards':<22}" + "".join(f"{n:>8}" for n in sizes) + "   line"]
    for step, row in figures.items():
        start, each = row["line"]
        lines.append(
            f"{step:<22}" + "".join(f"{row['ms'][n]:>8.1f}" for n in sizes) + f"   {start:+.2f} ms, {each:.4f} a card"
        )
    return lines
