"""cargo build, check, clippy and test: the text of rustc and libtest, and `--message-format=json`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pactkeeper.health.parsers.seen import (
    GAP,
    Found,
    Frame,
    Hint,
    Raw,
    ReadableOutput,
    blocks,
    clean,
    count,
    json_value,
    rust_frames,
)
from pactkeeper.health.parsers.surroundings import surroundings
from pactkeeper.ledger.finding import Severity

_HEAD: Final = re.compile(r"(error|warning)(?:\[([\w:]+)\])?: (.*)$")
_ARROW: Final = re.compile(r" *--> (\S.*?):(\d+):(\d+)$")
_LABEL: Final = re.compile(r" *\|[ |]*\^+ (?!help: )(\S.*)$")
_LINT: Final = re.compile(r".*?`#\[(?:warn|deny|forbid)\(([\w:]+)\)\]`")
_RUNNING: Final = re.compile(r"^ +Running (?:unittests )?(\S+\.rs) \(")
_NOTE: Final = re.compile(r" *(?:= )?(?:note|help): ")
_COUNTING: Final = re.compile(
    r"could not compile |aborting due to|\d+ warnings? emitted|`[^`]{1,200}` \([^)]{1,300}\) generated \d++ warning|"
    r"test failed, to rerun|"
    r"\d+ targets? failed|build failed|.+ generated \d+ warning"
)
_PROXY: Final = re.compile(r"^error: (?:rustup |toolchain '[^'\n]{1,80}' is not )", re.MULTILINE)  # cargo did not start
_OFFLINE: Final = "offline mode (--offline)"
_SCRIPT: Final = "failed to run custom build command"
_SAID: Final = re.compile(r"^  --- stderr\n((?:(?:  .*)?\n)*)", re.MULTILINE)
_TITLE: Final = re.compile(r"---- (\S.*?)(?: - should panic)? stdout ----$")
_PANICKED: Final = re.compile(r"thread '.{0,300}?'(?: \(\d++\))? panicked at (\S.{0,500}?):(\d++):(\d++):$")
_PANICKED_OLD: Final = re.compile(r"thread '.{0,300}?' panicked at '(.{0,4000})', (\S{1,500}?):(\d++):(\d++)$")
_UNMET: Final = re.compile(r"note: test did not panic as expected(?: at (\S+?):(\d+):(\d+))?")
_RESULT: Final = re.compile(r"test result: \w+\. (\d+) passed; (\d+) failed;")
_END: Final = ("stack backtrace:", "note: run with `RUST_BACKTRACE", "note: Some details are omitted", "failures:")


def read(view: ReadableOutput) -> Found:
    """Return compiler errors with the label of the first span, and failing tests with their panic messages."""
    raws = [*_compiled(view.lines), *_messages(view.text), *_tests(view.lines)]
    for raw in raws:
        if raw.message.startswith(_SCRIPT):
            raw.message = f"{raw.message}\n{_script(view.text)}".rstrip()
    hits = [hit for line in view.lines if (hit := _RESULT.match(line))]
    tests = sum(count(hit[1]) + count(hit[2]) for hit in hits) if hits else None
    return Found(raws, tests, _unreached(raws, view.text))


def _unreached(raws: Sequence[Raw], text: str) -> Hint | None:
    """Explain why nothing was compiled: a crate is missing and cargo may not or can't fetch it."""
    if not raws or any(raw.file or raw.test for raw in raws):
        return None
    if _PROXY.search(text):
        return Hint("could not run", "rustup has no toolchain for cargo")
    return Hint("could not run", "a crate is declared but not available") if _OFFLINE in text else surroundings(text)


def _compiled(lines: Sequence[str]) -> Iterator[Raw]:
    """Yield blocks that begin with `error` or `warning` and end at a blank line; the place of a note is related."""
    raw: Raw | None = None
    noted = False
    for line in lines:
        head = _HEAD.match(line) if line.startswith(("error", "warning")) else None
        if head or not line.strip() or GAP in line:
            if raw is not None:
                yield raw
            raw, noted = None, False
            if head and not _COUNTING.match(head[3]):
                raw = Raw(head[3], "error" if head[1] == "error" else "warning", head[2] or "", compiled=True)
        elif raw is not None:
            noted = noted or bool(_NOTE.match(line))
            _take(line, raw, noted=noted)
    if raw is not None:
        yield raw


def _script(text: str) -> str:
    """Return what a build script wrote before it failed, up to its backtrace; empty if nothing."""
    said = _SAID.search(text)
    return _until_end([line.strip() for line in said[1].split("\n")]) if said else ""


def _take(line: str, raw: Raw, *, noted: bool) -> None:
    arrow = _ARROW.match(line) if "--> " in line else None
    if arrow and not raw.file:
        raw.file, raw.line, raw.column = arrow[1], count(arrow[2]), count(arrow[3])
    elif arrow:
        raw.related = (*raw.related, arrow[1])
    elif not raw.rule and "#[" in line and (lint := _LINT.match(line)):
        raw.rule = lint[1]
    elif not noted and "^" in line and "\n" not in raw.message:
        label = _LABEL.match(line)
        if label:
            raw.message = f"{raw.message}\n{_short(label[1])}"


def _short(label: str) -> str:
    """Return a span's label without the suggested fix, which rustc adds in text output only."""
    return label.partition(": help: ")[0].rstrip()


def _messages(text: str) -> Iterator[Raw]:
    for line in text.split("\n"):
        if line.startswith('{"reason":"compiler-message"'):
            whole = json_value(line)
            message = whole.get("message") if isinstance(whole, dict) else None
            if isinstance(message, dict) and not _COUNTING.match(str(message.get("message", ""))):
                yield from _message(message)


def _message(message: dict[str, Any]) -> Iterator[Raw]:
    level = str(message.get("level", ""))
    severity: Severity = "error" if level.startswith("error") else "warning" if level == "warning" else "info"
    code = message.get("code")
    rule = str(code.get("code", "")) if isinstance(code, dict) else ""
    raw = Raw(clean(str(message.get("message", ""))), severity, rule, compiled=True)
    spans = [one for one in message.get("spans") or () if isinstance(one, dict)]
    first = next((one for one in spans if one.get("is_primary")), None)
    if first is None:
        if severity == "error":
            yield raw
        return
    raw.file = str(first.get("file_name", ""))
    raw.line, raw.column = count(str(first.get("line_start"))), count(str(first.get("column_start")))
    if first.get("label"):
        raw.message = f"{raw.message}\n{first['label']}"
    raw.related = tuple(dict.fromkeys(_others(message, spans)))
    yield raw


def _others(message: dict[str, Any], spans: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield from (str(one.get("file_name", "")) for one in spans)
    for child in message.get("children") or ():
        if isinstance(child, dict):
            yield from (str(one.get("file_name", "")) for one in child.get("spans") or () if isinstance(one, dict))


def _tests(lines: Sequence[str]) -> Iterator[Raw]:
    file = ""
    for head, body in blocks(
        lines,
        lambda line: _TITLE.match(line) or _RUNNING.match(line),
        lambda line: line.startswith(("failures:", "test result:")),
    ):
        if head.re is _RUNNING:
            file = head[1]
        else:
            yield _test(head[1], file, body)


def _test(test: str, file: str, body: Sequence[str]) -> Raw:
    """Return a failed test; `file` is the root of its crate."""
    raw = _panicked(test, body) or Raw(_until_end(body) or "it failed", test=test)
    raw.file = raw.file or file
    return raw


def _panicked(test: str, body: Sequence[str]) -> Raw | None:
    """Return the last panic of a test; None if it returned an error or printed no panic."""
    for at in range(len(body) - 1, -1, -1):
        line = body[at]
        hit = _PANICKED.match(line) if "panicked at" in line else None
        if hit:
            message = _until_end(body[at + 1 :])
            frames = [Frame(hit[1], count(hit[2]), count(hit[3])), *rust_frames(body[at:])]
            return Raw(message, rule="panic", test=test, frames=frames)
        old = _PANICKED_OLD.match(line) if "panicked at '" in line else None
        if old:
            frames = [Frame(old[2], count(old[3]), count(old[4])), *rust_frames(body[at:])]
            return Raw(old[1], rule="panic", test=test, frames=frames)
        unmet = _UNMET.match(line)
        if unmet:
            raw = Raw("test did not panic as expected", rule="panic", test=test, file=unmet[1] or "")
            raw.line, raw.column = count(unmet[2] or ""), count(unmet[3] or "")
            return raw
    return None


def _until_end(lines: Sequence[str]) -> str:
    kept: list[str] = []
    for line in lines:
        if line.startswith(_END):
            break
        kept.append(line.rstrip())
    return "\n".join(kept).strip()
