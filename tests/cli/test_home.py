"""What is kept on this machine: private files, one identity a folder, names that were met; and lines of input."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest
from nodealer.cli.acquaintance import strangers
from nodealer.cli.exits import Complaint
from nodealer.cli.home import Home
from nodealer.cli.keeper import transcript_path
from nodealer.cli.lines import Lines
from nodealer.cli.names import bot_names, checked_name
from nodealer.crypto.identity import fingerprint
from nodealer.p2p.events import PlayerInfo


def test_one_identity_a_folder_private_and_lasting(tmp_path: Path) -> None:
    home = Home.open(str(tmp_path / "new" / "folder"))
    seed = home.seed()
    path = tmp_path / "new" / "folder" / "identity"
    assert len(seed) == 32
    assert home.seed() == seed
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 or os.name == "nt"
    assert seed.hex() not in repr(home)
    home.close()
    again = Home.open(str(tmp_path / "new" / "folder"))
    assert again.seed() == seed
    again.close()


def test_a_second_program_gets_a_throwaway_identity(tmp_path: Path) -> None:
    first, second = Home.open(str(tmp_path)), Home.open(str(tmp_path))
    assert (first.throwaway, second.throwaway) == (False, True)
    assert second.seed() != first.seed()
    second.remember("name", "Mallory")
    assert first.setting("name") is None
    first.close()
    second.close()
    third = Home.open(str(tmp_path))
    assert not third.throwaway
    third.close()


@pytest.mark.parametrize("text", ["", "abc", "zz" * 32, "ab" * 31, "ab" * 33])
def test_a_damaged_identity_is_refused_not_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / "identity").write_text(text)
    (tmp_path / "identity").chmod(0o600)
    home = Home.open(str(tmp_path))
    with pytest.raises(Complaint, match="damaged"):
        home.seed()
    assert (tmp_path / "identity").read_text() == text
    home.close()


def test_a_folder_that_cannot_be_used_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Complaint, match="--data-dir"):
        Home.open(str(tmp_path / "file"))


def test_names_that_were_met(tmp_path: Path) -> None:
    home = Home.open(str(tmp_path))
    assert not home.meet("Zoe", b"1" * 32)
    assert not home.meet("Zoe", b"1" * 32)
    assert home.meet("Zoe", b"2" * 32)
    assert home.meet("Zoe", b"2" * 32)  # the first key stays the known one
    for broken in ("{broken", "[" * 3000):
        (tmp_path / "names.json").write_text(broken)
        assert not home.meet("Zoe", b"2" * 32)
    home.close()


def person(name: str, key: bytes, *, twin: bool = False) -> PlayerInfo:
    """A player as a table tells it: where two came by one name, with the words of the key."""
    words = fingerprint(key)
    return PlayerInfo(f"{name} ({words})" if twin else name, words, key)


ZOE, OTHER, MOE, ME = b"1" * 32, b"2" * 32, b"3" * 32, b"9" * 32


def test_a_known_name_with_another_key_is_flagged_beside_its_namesake_too(tmp_path: Path) -> None:
    """An impostor does not slip through because the table adds the words of the key to both names."""
    home = Home.open(str(tmp_path))
    assert not strangers([person("Zoe", ZOE), person("Moe", MOE)], ME, home, note=True)
    assert strangers([person("Zoe", OTHER)], ME, home, note=True) == {OTHER}
    both = [person("Zoe", ZOE, twin=True), person("Zoe", OTHER, twin=True)]
    assert strangers(both, ME, home, note=False) == {OTHER}
    assert strangers(both, ME, home, note=True) == {OTHER}
    assert strangers([person("ZOE", OTHER)], ME, home, note=True) == {OTHER}
    assert not strangers([person("Zoe", ZOE)], ME, home, note=True)
    home.close()


def test_two_unknown_namesakes_are_not_taken_for_acquaintances(tmp_path: Path) -> None:
    home = Home.open(str(tmp_path))
    both = [person("Zoe", ZOE, twin=True), person("zoe", OTHER, twin=True)]
    assert not strangers(both, ME, home, note=True)
    assert not strangers([person("Zoe", OTHER)], ME, home, note=True)
    assert strangers(both, ME, home, note=True) == {ZOE}
    home.close()


def test_ones_own_name_and_the_bots_names_belong_to_nobody(tmp_path: Path) -> None:
    home = Home.open(str(tmp_path))
    for key in (ZOE, OTHER):
        assert not strangers([person("Ada", key), person("Ada", MOE, twin=True)], ME, home, note=True)
    # My own namesake is somebody whom I may know by that name.
    assert not strangers([person("Moe", ME, twin=True), person("Moe", MOE, twin=True)], ME, home, note=True)
    assert strangers([person("Moe", ME, twin=True), person("Moe", OTHER, twin=True)], ME, home, note=True) == {OTHER}
    home.close()


def test_a_transcript_is_never_written_over(tmp_path: Path) -> None:
    home = Home.memory()
    (tmp_path / "old").write_bytes(b"something")
    with pytest.raises(Complaint, match="exists already"):
        transcript_path(str(tmp_path / "old"), home, "")
    with pytest.raises(Complaint, match="no folder"):
        transcript_path(str(tmp_path / "no" / "new"), home, "")
    assert transcript_path(str(tmp_path / "new"), home, "") == tmp_path / "new"
    assert transcript_path(None, home, "") is None


def test_names() -> None:
    assert checked_name(" Zoë \u202e") == "Zoë"
    assert bot_names(3, ["ada"]) == ("Bea", "Cyd", "Dov")
    assert len(set(bot_names(30))) == 30


class Reader:
    """Lines from a pipe, with what was taken."""

    def __init__(self, eager: bool) -> None:
        read, self.write = os.pipe()
        self.taken: list[str | None] = []
        self._came = threading.Semaphore(0)
        self.lines = Lines(read, self._take, eager)
        self.lines.start()

    def _take(self, line: str | None) -> None:
        self.taken.append(line)
        self._came.release()

    def came(self, within: float = 5.0) -> bool:
        return self._came.acquire(timeout=within)


def test_a_script_is_used_up_one_line_a_question() -> None:
    reader = Reader(eager=False)
    os.write(reader.write, b"one\ntwo\r\nthree")
    os.close(reader.write)
    assert not reader.came(0.2)
    reader.lines.want()
    reader.lines.want()
    assert reader.came()
    assert not reader.came(0.2)
    for _ in range(3):
        reader.lines.delivered()
        reader.lines.want()
        assert reader.came()
    assert reader.taken == ["one", "two", "three", None]


def test_no_input_at_all_is_told_at_once() -> None:
    reader = Reader(eager=False)
    os.close(reader.write)
    assert reader.came()
    assert reader.taken == [None]


def test_a_terminal_is_read_as_it_is_typed_and_a_flood_is_bounded() -> None:
    reader = Reader(eager=True)
    os.write(reader.write, b"a\nb\n" + b"x" * 50_000 + b"\n")
    os.close(reader.write)
    while None not in reader.taken:
        assert reader.came()
    assert reader.taken[:2] == ["a", "b"]
    assert all(len(line or "") <= 8192 for line in reader.taken)
