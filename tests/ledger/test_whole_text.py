"""Halves of surrogate pairs are mended where text comes in."""

import json

import pytest

from pactkeeper.ledger.documents import whole_escapes, whole_text


@pytest.mark.parametrize(
    ("escaped", "meant"),
    [
        (r"\ud83d", "\ufffd"),
        (r"\udc00x", "\ufffdx"),
        (r"\ud83d\ud83d\ude00", "\ufffd\U0001f600"),
        (r"\ud83d\ude00", "\U0001f600"),
        (r"\\ud83d", r"\ud83d"),
        (r"\\\ud83d", "\\\ufffd"),
    ],
)
def test_an_escaped_half_is_replaced_and_every_offset_stays(escaped, meant):
    text = f'"{escaped}"'
    assert json.loads(whole_escapes(text)) == meant
    assert len(whole_escapes(text)) == len(text)


def test_a_half_in_a_text_is_replaced():
    assert whole_text("a\ud83db") == "a\ufffdb"
    assert whole_text("a\U0001f600") == "a\U0001f600"
