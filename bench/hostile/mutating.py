"""Hostile inputs made from sound ones: the same numbers give the same inputs on every machine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, Final

MOST: Final = 20_000  # bytes of an input; what only a longer one breaks is told by the tests of limits

TOKENS: Final[tuple[bytes, ...]] = (
    *(b'"', b"'", b"`", b'"""', b"'''", b"(", b")", b"[", b"]", b"{", b"}", b"<", b">", b"${", b"\\", b"/*", b"*/"),
    *(b"#", b"//", b"@", b"@atom ", b"@atom IA-1", b"@atom IA-1, ", b"::", b":", b";", b",", b"=", b"=>", b"|", b"!"),
    *(b"\n", b"\r\n", b"\r", b"\t", b" ", b"  \n", b"\0", b"\x1b[31m", b"\x0b", b"\x0c", b"\x85", b"\xe2\x80\xa8"),
    *(
        b"\xff",
        b"\xc3",
        b"\xed\xa0\x80",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\xf0\x9f\x8e\x89",
        b"\xcc\x81",
        b"\xe2\x80\x8f",
    ),
    *(
        b"\\ud800",
        b"\\udfff",
        b"\\u{110000}",
        b"\\u{}",
        b"\\x",
        b"\\N{",
        b"\\777",
        b"%s",
        b"%(a)s",
        b"{0}",
        b"$1",
        b"\\1",
    ),
    *(
        b"-1",
        b"0",
        b"1e999",
        b"-0",
        b"0x",
        b"1_000",
        b"NaN",
        b"Infinity",
        b"9" * 30,
        b"9" * 4301,
        "²".encode(),
        "٣".encode(),
    ),
    *(b"null", b"true", b"[]", b"{}", b'{"":', b'"\\ud800"', b"[[", b"[[]]", b"a.b.c", b"''", b"1979-05-27T25:61:61Z"),
    *(b"<![CDATA[", b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;", b"<!--", b"-->", b"<testcase/>", b"</testsuite>"),
    *(
        b"def test_",
        b"class Test",
        b"async ",
        b"lambda ",
        b"import ",
        b"from . import *",
        b"it('",
        b"describe(",
        b"test.each`",
    ),
    *(b"IA-", b"IA-1", b"COM-", b"M-1", b"INV-001", b"../", b"/etc/passwd", b"**/*", b"{a,", b"[!", b"CON", b"~"),
    *(
        b"Given ",
        b"When ",
        b"Then ",
        b"must not ",
        b"at most 5 ",
        b"ok   ",
        b"- [ ] ",
        b"> ",
        b"```",
        b"# ",
        b"<@U1>",
        b"<http://",
    ),
)

Change = Callable[[bytes, Random], bytes]


def mutated(seeds: Sequence[bytes], random: Random) -> bytes:
    """One input: a seed with a few changes, or a piece of one behind a piece of another."""
    data = random.choice(seeds)[:MOST]
    if len(seeds) > 1 and random.random() < 0.15:
        other = random.choice(seeds)[:MOST]
        data = data[: _place(data, random)] + other[_place(other, random) :]
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        data = random.choice(CHANGES)(data, random)[:MOST]
    return data


def _place(data: bytes, random: Random) -> int:
    return random.randrange(len(data) + 1)


def _span(data: bytes, random: Random) -> tuple[int, int]:
    start = _place(data, random)
    return start, min(len(data), start + random.choice((1, 1, 2, 4, 10, 40, 200)))


def _cut(data: bytes, random: Random) -> bytes:
    """What a file looks like while it is typed or written."""
    return data[: _place(data, random)]


def _without(data: bytes, random: Random) -> bytes:
    start, end = _span(data, random)
    return data[:start] + data[end:]


def _with(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return data[:at] + random.choice(TOKENS) + data[at:]


def _with_many(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return data[:at] + random.choice(TOKENS) * random.choice((2, 3, 10, 50, 300)) + data[at:]


def _again(data: bytes, random: Random) -> bytes:
    start, end = _span(data, random)
    return data[:end] + data[start:end] * random.choice((1, 2, 10, 60)) + data[end:]


def _other_bytes(data: bytes, random: Random) -> bytes:
    start, end = _span(data, random)
    return data[:start] + random.randbytes(min(4, end - start)) + data[end:]


def _moved(data: bytes, random: Random) -> bytes:
    start, end = _span(data, random)
    rest = data[:start] + data[end:]
    at = _place(rest, random)
    return rest[:at] + data[start:end] + rest[at:]


def _without_a_line(data: bytes, random: Random) -> bytes:
    lines = data.split(b"\n")
    del lines[random.randrange(len(lines))]
    return b"\n".join(lines)


def _indented(data: bytes, random: Random) -> bytes:
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    lines[at] = random.choice((b"    ", b"\t", b" ", b"")) + lines[at].lstrip()
    return b"\n".join(lines)


VALUES: Final[tuple[object, ...]] = (
    None,
    True,
    -1,
    0,
    10**30,
    1.5,
    1e999,
    "",
    "x",
    "\ud800",
    [],
    [[]],
    [1],
    {},
    {"a": 1},
    {"a": [None]},
)


def _other_value(data: bytes, random: Random) -> bytes:
    """Another type somewhere in JSON, be it the whole text or one line of it; any other text stays as it is."""
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    whole = _with_other_value(data, random)
    lines[at] = _with_other_value(lines[at], random) or lines[at]
    return whole or b"\n".join(lines)


def _with_other_value(data: bytes, random: Random) -> bytes:
    try:
        document = json.loads(data)
        places = list(_places(document))
    except (ValueError, RecursionError):
        return b""
    if not places:
        return b""
    holder, key = random.choice(places)
    holder[key] = random.choice(VALUES)
    return json.dumps(document).encode()


def _places(value: object) -> Iterator[tuple[Any, Any]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in pairs:
        yield value, key
        yield from _places(one)


CHANGES: Final[tuple[Change, ...]] = (
    *(_other_value, _other_value, _other_value),
    *(_cut, _without, _without, _with, _with, _with_many, _again),
    *(_other_bytes, _moved, _without_a_line, _indented),
)
