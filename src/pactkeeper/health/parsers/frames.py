"""Stacks as languages print them: from the deepest frame outwards, whichever end the language prints first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from pactkeeper.health.parsers.cleaning import count
from pactkeeper.health.parsers.seen import Frame

PYTHON: Final = re.compile(r'\s*File "([^"]+)", line (\d+)')
# at name (file:1:2) · at file:1:2 · ❯ name file:1:2 · at async file:1:2
_SCRIPT: Final = re.compile(r"\s*(?:at|❯) (?:[^()]*\()?(?:async )?(.+?):(\d+):(\d+)\)?$")
_SCRIPT_NAMED: Final = re.compile(r"\s*❯ (?:\S+(?: \[as \S+\])? )?(\S+?):(\d+):(\d+)$")
_JAVA: Final = re.compile(r"\s*at (?:[\w.-]+/+)*([\w$.]+)\.[\w$<>]+\(([\w$]+\.(?:java|kt|groovy|scala)):(\d+)\)")
_GO: Final = re.compile(r"\t(/?\S.*?\.go):(\d+)(?: \+0x|$)")
_RUST: Final = re.compile(r"\s+at (\S.*?\.rs):(\d+):(\d+)$")


def python_frames(lines: Iterable[str]) -> list[Frame]:
    """`File "…", line N`, which Python prints with the deepest last."""
    found = [Frame(hit[1], count(hit[2])) for hit in map(PYTHON.match, lines) if hit]
    return found[::-1]


def script_frames(lines: Iterable[str]) -> list[Frame]:
    """`at name (file:line:column)` of V8, and `❯ name file:line:column` of Vitest."""
    found: list[Frame] = []
    for line in lines:
        start = line.lstrip()
        if not start.startswith(("at ", "❯ ")):
            continue
        hit = _SCRIPT_NAMED.match(line) if start[0] == "❯" else _SCRIPT.match(line)
        if hit:
            found.append(Frame(hit[1], count(hit[2]), count(hit[3])))
    return found


def java_frames(lines: Iterable[str]) -> list[Frame]:
    """`at package.Class.method(File.java:12)`, with the folder that the package says."""
    found: list[Frame] = []
    for line in lines:
        hit = _JAVA.match(line) if "(" in line else None
        if hit:
            folder = "/".join(hit[1].split(".")[:-1])
            found.append(Frame(f"{folder}/{hit[2]}" if folder else hit[2], count(hit[3])))
    return found


def go_frames(lines: Iterable[str]) -> list[Frame]:
    """The indented places of a goroutine's stack, without those of Go itself."""
    hits = (_GO.match(line) for line in lines if line.startswith("\t"))
    return [Frame(hit[1], count(hit[2])) for hit in hits if hit and "/src/runtime/" not in hit[1]]


def rust_frames(lines: Iterable[str]) -> list[Frame]:
    """The places of a backtrace."""
    hits = (_RUST.match(line) for line in lines if " at " in line)
    return [Frame(hit[1], count(hit[2]), count(hit[3])) for hit in hits if hit]
