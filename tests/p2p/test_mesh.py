"""The mesh: parts, lists of how far, and who is sent what, how often."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from nodealer.p2p.entry import MAX_ENTRY
from nodealer.p2p.errors import WireError
from nodealer.p2p.match import Match
from nodealer.p2p.mesh import (
    LACKING_FOR,
    MAX_BATCH_BYTES,
    MAX_FRAME,
    RESEND,
    Link,
    Mesh,
    have_list,
    parse_have,
)
from nodealer.p2p.wire import decode, encode

from examples.liar import CheatTable, forge, play_out
from tests.helpers.fuzz import noise, values


@cache
def played() -> CheatTable:
    table = CheatTable(players=2, seed="mesh")
    play_out(table)
    return table


def match() -> Match:
    found = played().seats[0].peer.match
    assert found is not None
    return found


def mesh(*writers: int | None) -> tuple[Mesh, list[Link]]:
    made = Mesh()
    links = [Link(line, bytes([line]) * 32, None, writer=writer) for line, writer in enumerate(writers)]
    made.links = {link.line: link for link in links}
    return made, links


def sent(made: Mesh) -> list[tuple[int, list[object]]]:
    frames, made.outbox = made.outbox, []
    return [(line, decode(frame, max_bytes=MAX_FRAME)) for line, frame in frames]


@pytest.mark.parametrize("size", [10, MAX_FRAME - 20, MAX_FRAME, MAX_FRAME + 1, 130_000, MAX_ENTRY])
def test_a_long_message_goes_in_parts(size):
    made, (link,) = mesh(1)
    made.send(0, "entry", bytes(size))
    frames = [frame for _, frame in made.outbox]
    assert all(len(frame) <= MAX_FRAME for frame in frames)
    whole = [made.unpack(link, frame) for frame in frames]
    assert whole[:-1] == [None] * (len(frames) - 1)
    assert whole[-1] == ["entry", bytes(size)]
    assert not link.parts


def test_parts_are_bounded():
    made, (link,) = mesh(1)
    part = encode(["part", False, bytes(MAX_FRAME - 64)])
    for _ in range(4):
        assert made.unpack(link, part) is None
    with pytest.raises(WireError, match="more parts"):
        made.unpack(link, part)


@given(noise)
def test_noise_is_no_message(data):
    made, (link,) = mesh(1)
    try:
        message = made.unpack(link, data)
    except WireError:
        return
    assert message is None or isinstance(message[0], str)


@given(values)
def test_no_value_is_a_list_of_feeds(value):
    with pytest.raises(WireError):
        parse_have(value, 2)


def test_lists_of_feeds():
    have = have_list(match())
    assert parse_have(decode(encode(have), max_bytes=4096), 2) == [tuple(item) for item in have]
    for wrong in (
        [[0, b"x"]] * 2,
        [[-1, bytes(32)]] * 2,
        [[1 << 32, bytes(32)]] * 2,
        [[True, bytes(32)]] * 2,
        have[:1],
    ):
        with pytest.raises(WireError):
            parse_have(wrong, 2)


def test_what_is_lacking_is_sent_after_a_second_and_not_again_for_five():
    """One's own entries at once; another's only to a line that has lacked it for a while."""
    made, (link,) = mesh(1)
    nothing = [[0, bytes(32)]] * 2
    made.take_have(link, nothing, match(), 0, 10.0)
    first = sent(made)
    own = [entry.encode() for entry in match().feeds[0].entries]
    assert [message[1] for _, message in first] == own
    made.take_have(link, nothing, match(), 0, 10.0 + LACKING_FOR)
    second = [message[1] for _, message in sent(made)]
    assert second == [entry.encode() for entry in match().feeds[1].entries]
    made.take_have(link, nothing, match(), 0, 10.0 + RESEND - 0.1)
    assert sent(made) == []
    made.take_have(link, nothing, match(), 0, 10.0 + RESEND)
    assert [message[1] for _, message in sent(made)] == own


def test_who_has_all_is_sent_nothing():
    made, (link,) = mesh(1)
    for now in (0.0, 5.0, 10.0):
        made.take_have(link, have_list(match()), match(), 0, now)
    assert made.outbox == []


def test_who_holds_another_entry_is_shown_ours():
    made, (link,) = mesh(1)
    have = have_list(match())
    have[1] = [3, b"x" * 32]
    made.take_have(link, have, match(), 0, 0.0)
    assert sent(made) == [(0, ["entry", match().feeds[1].entries[2].encode()])]


def test_who_has_more_is_asked_unless_its_writer_can_be_asked():
    have = have_list(match())
    number = have[1][0]
    assert isinstance(number, int)
    have[1] = [number + 2, b"x" * 32]
    made, (link,) = mesh(0)
    made.take_have(link, have, match(), 0, 0.0)
    assert sent(made) == [(0, ["ask", 1, number])]
    made, (link, _) = mesh(0, 1)
    made.take_have(link, have, match(), 0, 0.0)
    assert sent(made) == []


def test_an_answer_is_bounded():
    table = CheatTable(players=2, seed="mesh")
    table.form()
    table.until(lambda found: found.slot.number > 1)
    found = table.liar.match
    feed = found.feeds[table.liar.writer]
    for _ in range(20):
        feed.add(forge(table.liar, "chat", bytes(60_000)))
    made, (link,) = mesh(1)
    made.take_ask(link, table.liar.writer, 0, found, 0.0)
    size = sum(len(frame) for _, frame in made.outbox)
    assert size < MAX_BATCH_BYTES + 2 * 60_000


def test_new_entries_are_passed_on_only_to_who_cannot_get_them():
    """In order: behind a gap an entry is lost, and what was sent on a line is not sent there again for a while."""
    found = match()
    entries = found.feeds[1].entries
    made, (near, far, source) = mesh(2, 3, 4)
    for link, reaches in ((near, {1}), (far, {0})):
        link.have = [(0, bytes(32)), (1, entries[0].hash)]
        link.reaches = frozenset(reaches)
    # The far one lacks this entry and the one before it; the near one has a line to the writer.
    made.pass_on(entries[2], source, found, 0.0)
    assert sent(made) == [(far.line, ["entry", entry.encode()]) for entry in entries[1:3]]
    made.pass_on(entries[3], source, found, 0.1)
    assert sent(made) == [(far.line, ["entry", entries[3].encode()])]
    # To one that has it already nothing goes.
    far.have = [(0, bytes(32)), (5, entries[4].hash)]
    made.pass_on(entries[4], source, found, 10.0)
    assert sent(made) == []


def test_what_is_passed_on_is_bounded():
    table = CheatTable(players=2, seed="mesh")
    table.form()
    table.until(lambda found: found.slot.number > 1)
    found, writer = table.liar.match, table.liar.writer
    feed = found.feeds[writer]
    for _ in range(20):
        feed.add(forge(table.liar, "chat", bytes(60_000)))
    made, (far, source) = mesh(2, 3)
    far.have = [(0, bytes(32))] * 2
    made.pass_on(feed.entries[-1], source, found, 0.0)
    assert sum(len(frame) for _, frame in made.outbox) < MAX_BATCH_BYTES + 2 * 60_000


def test_one_line_for_each_player():
    made, _ = mesh(1, 1, None, 2)
    made.broadcast("ping")
    assert [line for line, _ in sent(made)] == [0, 3]
    assert made.reached() == {1, 2}
