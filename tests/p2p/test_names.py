"""Names and chat: nothing that steers a terminal, nothing twice the same."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nodealer.p2p.names import MAX_NAME, clean_chat, clean_name, clean_text, display_names

from tests.p2p.test_offer import ANNA, BEN, offer, own


@given(st.text(max_size=60))
def test_cleaning_is_final(text):
    for clean in (clean_text, clean_name, clean_chat):
        once = clean(text)
        assert clean(once) == once
        assert unicodedata.is_normalized("NFC", once)
        assert not [c for c in once if unicodedata.category(c)[0] == "C" or unicodedata.category(c) in ("Zl", "Zp")]
    assert len(clean_name(text)) <= MAX_NAME


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        ("  Anna  ", "Anna"),
        ("An\x1b[31mna", "An[31mna"),
        ("a\u202eb\u2066c", "abc"),
        ("a\r\nb\tc", "a b c"),
        ("a\u2028b", "a b"),
        ("e\u0301", "é"),
        ("\u200b\u200d", ""),
        ("x" * 30, "x" * 24),
        ("\ue000\U000f0000", ""),
    ],
)
def test_names(dirty, clean):
    assert clean_name(dirty) == clean


def test_two_of_one_name_are_told_apart_by_their_keys():
    other = offer(own("anna"))
    infos = display_names([ANNA.offer, BEN.offer, other.offer])
    assert infos[1].name == "Ben"
    assert infos[0].fingerprint in infos[0].name
    assert infos[2].fingerprint in infos[2].name
    assert len({info.name for info in infos}) == 3
