"""What JavaScript test runners have in common: a message, then perhaps a code frame, then a stack."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pactkeeper.health.parsers.cleaning import count
from pactkeeper.health.parsers.frames import script_frames
from pactkeeper.health.parsers.names import named
from pactkeeper.health.parsers.seen import Frame, Raw
from pactkeeper.health.parsers.tsc import read_lines

_CODE: Final = re.compile(r"\s*(?:> ?)?\d+ *\|(?: |$)")
_STACK: Final = re.compile(r"\s*(?:at |❯ ).*:\d+(?::\d+)?\)?(?: \{)?$|\s*(?:at |❯ )\S+ \(")
_RULE: Final = re.compile(r"(?:Uncaught )?([A-Z][\w$]*(?:Error|Exception|Failure))\b(?: \[\w+\])?(?:: |$)")
_SYNTAX: Final = re.compile(r"SyntaxError: (\S.{0,200}?): (.{1,200}) \((\d++):(\d++)\)")
_MOST_FILLER: Final = 40  # lines of advice that Jest prints before the details


def script_failure(lines: Sequence[str], file: str) -> Raw:
    """One failure in a runner's own words; `file` is the test's, and is the place where no frame is the project's."""
    compiled = next((one for one in read_lines(lines) if one.severity == "error"), None)
    if compiled is not None:  # a TypeScript file that a runner compiles
        compiled.related = (*compiled.related, file)
        return compiled
    syntax = next((hit for line in lines[:_MOST_FILLER] if (hit := _SYNTAX.search(line))), None)
    if syntax is not None:
        place = Frame(syntax[1], count(syntax[3]), count(syntax[4]) + 1)
        return Raw(f"SyntaxError: {syntax[2]}", rule="SyntaxError", file=file, frames=[place])
    message = _message(lines)
    raw = Raw(message.removeprefix("Error: "), rule=rule_of(message), file=file, frames=script_frames(lines))
    raw.symbol, raw.modules = named(message, "script run")
    return raw


def rule_of(message: str) -> str:
    """The class of what was thrown; a failed expectation is an AssertionError, anything else without one an Error."""
    plain = message.removeprefix("Error: ")
    if plain.startswith("expect("):
        return "AssertionError"
    hit = _RULE.match(plain)
    if hit is not None:
        return hit[1]
    return "Error"


def _message(lines: Sequence[str]) -> str:
    kept: list[str] = []
    for line in lines:
        if _CODE.match(line) or _STACK.match(line):
            break
        kept.append(line.rstrip())
    return "\n".join(kept).strip()
