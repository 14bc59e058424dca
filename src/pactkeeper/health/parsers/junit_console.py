"""What JUnit prints where no build tool runs it: JUnitCore of version 4, and the console launcher of version 5."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pactkeeper.health.parsers.javac import read_lines
from pactkeeper.health.parsers.names import named
from pactkeeper.health.parsers.seen import Found, Raw, ReadableOutput, count, java_frames

_FOUR: Final = re.compile(r"\d+\) ([\w$]+(?:\[.*\])?)\(([\w$.]+)\)$")
_FIVE: Final = re.compile(r"\s+MethodSource \[className = '([\w$.]+)', methodName = '([\w$]+)'")
_THROWN: Final = re.compile(r"\s+=> (\S.*)$")
_FRAME: Final = re.compile(r"(?<!\s)\s{1,80}+(?:at )?(?=\S{1,300}\([\w$]{1,120}\.\w{1,20}:\d{1,9}\)$)")
_COUNTS: Final = re.compile(r"OK \((\d+) tests?\)$|Tests run: (\d+),  Failures: \d+$|\[ +(\d+) tests found +\]$")


def read(view: ReadableOutput) -> Found:
    """Every failing test as `package.Class.method`, and what did not compile before."""
    hits = [hit for line in view.lines if (hit := _COUNTS.match(line))]
    tests = sum(count(hit[1] or hit[2] or hit[3]) for hit in hits) if hits else None
    return Found([*read_lines(view.lines), *_failures(view)], tests)


def _failures(view: ReadableOutput) -> Iterator[Raw]:
    test, body = "", list[str]()
    for line in [*view.lines, ""]:
        four, five = _FOUR.match(line), _FIVE.match(line)
        if test and (four or five or not line.strip()):
            yield thrown(body, test)
            test = ""
        if four or five:
            test, body = f"{four[2]}.{four[1]}" if four else f"{five[1]}.{five[2]}" if five else "", []
        elif test:
            hit = _THROWN.match(line)
            body.append(hit[1] if hit else _FRAME.sub("\tat ", line, count=1))


def thrown(body: Sequence[str], test: str) -> Raw:
    """A failed test from what a virtual machine prints of a throwable: its class, its message, its stack."""
    end = next((at for at, line in enumerate(body) if line.lstrip().startswith("at ")), len(body))
    text = "\n".join(line.strip() for line in body[:end]).strip()
    kind, _, rest = text.partition(":")
    rule = kind.rpartition(".")[2] if re.fullmatch(r"[\w$.]+", kind) else ""
    raw = Raw(rest.strip() or text if rule else text, rule=rule, test=test, frames=java_frames(body))
    raw.symbol, _ = named(raw.message, "java")
    return raw
