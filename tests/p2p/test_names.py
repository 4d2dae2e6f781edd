"""Names and chat: nothing that steers a terminal, nothing twice the same."""

from __future__ import annotations

import sys
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nodealer.p2p.names import MAX_NAME, allowed, clean_chat, clean_name, clean_text, display_names, is_name

from tests.p2p.test_offer import ANNA, BEN, offer, own


@given(st.text(max_size=60))
def test_cleaning_is_final(text):
    for clean in (clean_text, clean_name, clean_chat):
        once = clean(text)
        assert clean(once) == once
        assert unicodedata.is_normalized("NFC", once)
        assert not [c for c in once if unicodedata.category(c)[0] == "C" or unicodedata.category(c) in ("Zl", "Zp")]
    assert clean_name(text) == "" or is_name(clean_name(text))


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


def test_what_a_name_may_hold_is_the_same_under_every_unicode_table():
    # The table of 2002 that every Python carries never changes; one character became a format since then.
    category = {code: unicodedata.ucd_3_2_0.category(chr(code)) for code in range(sys.maxunicode + 1)}
    for code, kind in (category | {0xAD: "Cf"}).items():
        if kind == "Cn":
            continue
        out = kind in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") or (kind == "Zs" and code != 0x20)
        assert allowed(chr(code)) is not out, hex(code)
    # Nor does it matter what later tables make of what is not assigned today, or which form is normal.
    for text in ("\u0378", "a\U00011b0a", "e\u0301", "\u212b", "\U000323b0"):
        assert is_name(text)


@pytest.mark.parametrize(
    "text", ["", " a", "a ", "a  b", "a\xa0b", "a\u3000b", "\ud800", "\U0001fffe", "x" * (MAX_NAME + 1)]
)
def test_no_name(text):
    assert not is_name(text)


def test_a_name_that_is_clean_for_nobody_here_is_shown_as_a_question_mark():
    (info,) = display_names([replace(ANNA.offer, name="\u0378")])
    assert info.name == ("?" if unicodedata.category("\u0378") == "Cn" else "\u0378")


def test_two_of_one_name_are_told_apart_by_their_keys():
    other = offer(own("anna"))
    infos = display_names([ANNA.offer, BEN.offer, other.offer])
    assert infos[1].name == "Ben"
    assert infos[0].fingerprint in infos[0].name
    assert infos[2].fingerprint in infos[2].name
    assert len({info.name for info in infos}) == 3
