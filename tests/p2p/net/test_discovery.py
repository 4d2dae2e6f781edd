"""Tables found by real mDNS on loopback, and what a hostile neighbour may announce or answer."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from nodealer.crypto.identity import Identity, fingerprint
from nodealer.p2p.errors import WireError
from nodealer.p2p.limits import Standing
from nodealer.p2p.net import discovery, interfaces
from nodealer.p2p.net.discovery import Announcer, Browser, browse
from nodealer.p2p.net.query import QueryError, ask_table
from nodealer.p2p.net.records import (
    QUERY,
    SERVICE,
    Description,
    decode_answer,
    encode_answer,
    instance_name,
    nonce_of_instance,
    speaks_our_version,
    txt_of,
)
from nodealer.p2p.net.runner import Runner
from nodealer.p2p.wire import encode
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

LOOPBACK = ("127.0.0.1",)


def here() -> tuple[str, ...]:
    return LOOPBACK


def description(**changes: object) -> Description:
    table = Description(os.urandom(16), "Ada", "four-colors", 4, 1, False, True)
    return replace(table, **changes)  # type: ignore[arg-type]


class TablePeer:
    """A peer that answers the question, and nothing else."""

    port = 0

    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        self.asked = 0
        self.out: list[tuple[int, bytes]] = []

    def line_up(
        self,
        line: int,
        remote_key: bytes,
        outgoing: bool,
        address: tuple[str, int] | None,
        now: float,
        binding: bytes,
    ) -> None:
        pass

    def line_down(self, line: int, reason: str, now: float) -> None:
        pass

    def receive(self, line: int, message: bytes, now: float) -> None:
        if message == QUERY:
            self.asked += 1
            self.out.append((line, self.answer))

    def data_to_send(self) -> list[tuple[int, bytes]]:
        out, self.out = self.out, []
        return out

    def lines_to_close(self) -> list[int]:
        return []

    def standing(self, line: int) -> Standing:
        return Standing.STRANGER

    def wanted(self) -> list[tuple[bytes, str, int]]:
        return []

    def next_deadline(self) -> float | None:
        return None

    def tick(self, now: float) -> None:
        pass

    def events(self) -> list[object]:
        return []


@asynccontextmanager
async def table(answer: bytes, identity: Identity | None = None) -> AsyncIterator[tuple[TablePeer, int]]:
    """A program that listens on loopback and answers so."""
    peer = TablePeer(answer)
    runner = Runner(peer, identity or Identity.generate(), bind="127.0.0.1", port=0)
    await runner.start()
    task = asyncio.create_task(runner.run())
    try:
        yield peer, runner.port
    finally:
        runner.stop()
        await task


async def until(condition: Callable[[], object], within: float = 5.0) -> None:
    end = time.monotonic() + within
    while not condition():
        assert time.monotonic() < end, "it took too long"
        await asyncio.sleep(0.01)


async def test_a_table_says_what_it_is() -> None:
    owner, what = Identity.generate(), description(passphrase=True)
    async with table(encode_answer(what), owner) as (_, port):
        info = await ask_table("127.0.0.1", port)
    assert (info.host, info.edition, info.seats, info.taken, info.passphrase, info.open) == (
        "Ada",
        "four-colors",
        4,
        1,
        True,
        True,
    )
    assert info.table == what.nonce.hex()[:8]
    assert info.address == ("127.0.0.1", port)
    assert info.key == owner.public
    assert info.fingerprint == fingerprint(owner.public)


async def test_asking_nobody_and_somebody_else_is_said_in_a_sentence() -> None:
    with pytest.raises(QueryError, match="Nobody listens"):
        await ask_table("127.0.0.1", 1)
    for answer in (b"\xc1", encode(["no", "This is not the host of a table."])):
        async with table(answer) as (_, port):
            with pytest.raises(QueryError, match="version"):
                await ask_table("127.0.0.1", port)

    async def keep_silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(keep_silent, "127.0.0.1", 0) as server:
        with pytest.raises(QueryError, match="Nothing answers"):
            await ask_table("127.0.0.1", server.sockets[0].getsockname()[1], within=0.2)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH\r\n")
        writer.close()

    async with await asyncio.start_server(talk, "127.0.0.1", 0) as server:
        with pytest.raises(QueryError, match="version"):
            await ask_table("127.0.0.1", server.sockets[0].getsockname()[1])


async def test_an_announced_table_is_listed_at_once_and_kept_current() -> None:
    what = description()
    async with table(encode_answer(what)) as (peer, port), Browser(here) as browser:
        await asyncio.sleep(0.3)
        started = time.monotonic()
        async with Announcer(what, b"k" * 32, port, bind="127.0.0.1") as announcer:
            await until(browser.tables, 2.0)
            assert time.monotonic() - started < 1.0
            assert [info.taken for info in browser.tables()] == [1]
            more = replace(what, taken=2)
            peer.answer = encode_answer(more)
            await announcer.update(more)
            await until(lambda: [info.taken for info in browser.tables()] == [2], 2.0)
        await until(lambda: not browser.tables(), 2.0)


async def test_browse_lists_open_tables_only_unless_asked() -> None:
    first, second = description(), description(open=False, taken=4)
    async with (
        table(encode_answer(first)) as (_, port),
        table(encode_answer(second)) as (_, other_port),
        Announcer(first, b"k" * 32, port, bind="127.0.0.1"),
        Announcer(second, b"l" * 32, other_port, bind="127.0.0.1"),
    ):
        shown, everything = await asyncio.gather(browse(0.8, here), browse(0.8, here, open_only=False))
    assert [info.nonce for info in shown] == [first.nonce]
    assert {info.nonce for info in everything} == {first.nonce, second.nonce}


@pytest.mark.parametrize(
    ("bind", "announced"),
    [
        (None, ["192.0.2.7"]),
        ("0.0.0.0", ["192.0.2.7"]),
        ("::", ["192.0.2.7"]),
        ("127.0.0.1", ["127.0.0.1"]),
        ("fd77::1", ["fd77::1"]),
    ],
)
def test_what_is_announced_is_where_the_table_listens(bind: str | None, announced: list[str]) -> None:
    announcer = Announcer(description(), b"k" * 32, 7425, bind)
    assert announcer._info(("192.0.2.7",)).parsed_addresses() == announced


async def test_changes_are_told_as_they_come() -> None:
    what = description()
    seen: list[int] = []

    async def watch(browser: Browser) -> None:
        async for tables in browser.changes():
            seen.append(len(tables))

    async with table(encode_answer(what)) as (_, port), Browser(here) as browser:
        watching = asyncio.create_task(watch(browser))
        async with Announcer(what, b"k" * 32, port, bind="127.0.0.1"):
            await until(lambda: seen == [0, 1])
        await until(lambda: seen == [0, 1, 0])
        watching.cancel()


async def test_a_table_that_was_killed_is_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "ASK_EVERY", 0.4)
    what = description()
    async with Browser(here) as browser, Announcer(what, b"k" * 32, 9, bind="127.0.0.1"):
        # Announced, but nobody listens.
        await asyncio.sleep(0.5)
        assert browser.tables() == []
    async with Browser(here) as browser:
        async with table(encode_answer(what)) as (_, port):
            announcer = Announcer(what, b"k" * 32, port, bind="127.0.0.1")
            await announcer.__aenter__()
            await until(browser.tables)
        # The program has gone without a goodbye; its announcement still stands in every cache.
        await until(lambda: not browser.tables(), 2.0)
        await announcer.__aexit__()


async def test_an_announcement_that_leads_to_another_table_is_not_listed() -> None:
    async with (
        table(encode_answer(description())) as (peer, port),
        Browser(here) as browser,
        Announcer(description(), b"k" * 32, port, bind="127.0.0.1"),
    ):
        await until(lambda: peer.asked)
        await asyncio.sleep(0.2)
        assert browser.tables() == []


async def test_a_flood_of_announcements_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "MAX_TABLES", 5)
    async with Browser(here) as browser:
        responder = AsyncZeroconf(interfaces=list(LOOPBACK))
        for number in range(20):
            info = AsyncServiceInfo(
                SERVICE,
                instance_name(bytes((number,)) * 16),
                port=9,
                properties={"v": "1", "name": "x" * 200, "junk": b"\xff" * 200},
                server=f"flood-{number}.local.",
                parsed_addresses=list(LOOPBACK),
            )
            await responder.async_register_service(info, cooperating_responders=True)
        await until(lambda: len(browser._sightings) == 5)
        await asyncio.sleep(0.3)
        assert len(browser._sightings) == 5
        assert browser.tables() == []
        await responder.async_close()


async def test_announcements_that_nobody_answers_for_keep_no_table_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """More names than are followed, all false: a table that comes later is listed all the same."""
    monkeypatch.setattr(discovery, "MAX_TABLES", 4)
    monkeypatch.setattr(discovery, "_FORGET_AFTER", 1000)
    what = description()
    async with table(encode_answer(what)) as (_, port), Browser(here) as browser:
        responder = AsyncZeroconf(interfaces=list(LOOPBACK))
        try:
            for _ in range(4):
                name = instance_name(os.urandom(16))
                info = AsyncServiceInfo(SERVICE, name, port=1, properties={"v": "1"}, parsed_addresses=list(LOOPBACK))
                await responder.async_register_service(info, cooperating_responders=True)
            await until(lambda: len(browser._sightings) == 4 and any(s.failures for s in browser._sightings.values()))
            async with Announcer(what, bytes(32), port, "127.0.0.1"):
                await until(lambda: [info.nonce for info in browser.tables()] == [what.nonce], 15)
            assert len(browser._sightings) <= 4
        finally:
            await responder.async_close()


async def test_a_change_of_addresses_starts_afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interfaces, "POLL_EVERY", 0.1)
    current = ["127.0.0.2"]
    what = description()
    async with (
        table(encode_answer(what)) as (_, port),
        Announcer(what, b"k" * 32, port, bind="127.0.0.1"),
        Browser(lambda: tuple(current)) as browser,
    ):
        await asyncio.sleep(0.3)
        current[0] = "127.0.0.1"
        await until(browser.tables, 3.0)


async def test_a_machine_without_multicast_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interfaces, "POLL_EVERY", 0.05)

    def refuse(*args: object, **options: object) -> None:
        raise OSError(19, "No such device")

    monkeypatch.setattr(interfaces, "AsyncZeroconf", refuse)
    async with Browser(here) as browser:
        await until(lambda: "join by address" in browser.trouble)


def test_only_what_is_there_counts_as_an_address() -> None:
    addresses = interfaces.lan_addresses()
    assert addresses
    assert addresses == LOOPBACK or not any(address.startswith("127.") for address in addresses)


def test_an_answer_is_read_back() -> None:
    what = description(host="Zoë", seats=10, taken=10, open=False)
    assert decode_answer(encode_answer(what)) == what


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("Bob\x1b[2J", "Bob[2J"),
        ("\u202egnp.exe", "gnp.exe"),
        ("two\nlines", "two lines"),
        ("\u200b\u2066", "?"),
        ("", "?"),
        ("x" * 500, "x" * 24),
    ],
)
def test_a_hostile_name_comes_out_clean(sent: str, shown: str) -> None:
    assert decode_answer(encode_answer(description(host=sent))).host == shown


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\xc1",
        encode(["table"]),
        encode(["tisch", bytes(16), "Ada", "four-colors", 4, 1, False, True]),
        encode(["table", bytes(15), "Ada", "four-colors", 4, 1, False, True]),
        encode(["table", bytes(16), "Ada", "four colors\n", 4, 1, False, True]),
        encode(["table", bytes(16), "Ada", "../../etc", 4, 1, False, True]),
        encode(["table", bytes(16), "Ada", "four-colors", 11, 1, False, True]),
        encode(["table", bytes(16), "Ada", "four-colors", 4, 5, False, True]),
        encode(["table", bytes(16), "Ada", "four-colors", -1, 0, False, True]),
        encode(["table", bytes(16), "Ada", "four-colors", True, 0, False, True]),
        encode(["table", bytes(16), "Ada", "four-colors", 4, 1, 0, True]),
        encode(["table", bytes(16), "Ada" * 1000, "four-colors", 4, 1, False, True]),
        encode(["table", bytes(16), "Ada", "four-colors", 4, 1, False, True, 1]),
    ],
)
def test_a_malformed_answer_is_refused(answer: bytes) -> None:
    with pytest.raises(WireError):
        decode_answer(answer)


@pytest.mark.parametrize(
    "name", ["", SERVICE, "x." + SERVICE, "0" * 31 + "." + SERVICE, "G" * 32 + "." + SERVICE, "a.b"]
)
def test_a_foreign_instance_name_is_refused(name: str) -> None:
    assert nonce_of_instance(name) is None


def test_an_announcement_fits_its_record() -> None:
    txt = txt_of(description(host="é" * 24, edition="despicable-me-4"), b"k" * 32)
    assert list(txt) == ["v", "table", "name", "edition", "seats", "taken", "fp", "pass"]
    assert all(len(f"{key}={value}".encode()) <= 255 for key, value in txt.items())
    assert speaks_our_version({key.encode(): value.encode() for key, value in txt.items()})
    assert not speaks_our_version({b"v": b"2"})
    assert not speaks_our_version({})
    what = description()
    assert nonce_of_instance(instance_name(what.nonce)) == what.nonce
