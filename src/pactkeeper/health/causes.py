"""The root causes of a diagnostic, as keys: two diagnostics that share a key have the same cause.

Also recognises modules the repository doesn't contain: those failures are not caused by a file of the commit.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final, Literal, cast, get_args

from pactkeeper.intent.health import UNREAD, Diagnostic, normalised
from pactkeeper.repo.test_side import is_test_side

CauseKind = Literal["conflict", "module", "symbol", "interface", "frame", "origin", "file", "check"]
# From most to least certain that a shared key means a shared cause; the first kind a group has names it.
CAUSE_KINDS: Final[tuple[CauseKind, ...]] = get_args(CauseKind)
# For these kinds, a new failure with the same key is the same failure; sharing only a file proves nothing.
SURE: Final[frozenset[CauseKind]] = frozenset({"conflict", "module", "symbol", "interface", "frame"})


@dataclass(frozen=True, slots=True, order=True)
class Cause:
    """A root cause: its kind, and a human-readable description of its subject."""

    kind: CauseKind
    about: str


_MISSING: Final = frozenset(
    {
        *("TS2304", "TS2305", "TS2307", "TS2339", "TS2459", "TS2503", "TS2551", "TS2552", "TS2614", "TS2613"),
        *("TS2693", "TS2694", "TS2724", "TS7016"),
        *("E0405", "E0407", "E0412", "E0422", "E0423", "E0425", "E0426", "E0432", "E0433", "E0437", "E0438"),
        *("E0531", "E0599", "E0609", "E0603"),
        *("reportAttributeAccessIssue", "reportUndefinedVariable", "reportMissingImports"),
        *("NameError", "ImportError", "AttributeError", "ModuleNotFoundError", "ReferenceError"),
        *("UnboundLocalError", "name-defined", "attr-defined", "import-not-found", "import", "undefined"),
        *("undeclaredname", "UndeclaredName", "undefined-symbol", "cannot-find-symbol"),
        *("compiler.err.cant.resolve",),
    }
)
_MISFIT: Final = frozenset(
    {
        *("TS2322", "TS2345", "TS2353", "TS2365", "TS2367", "TS2416", "TS2420", "TS2554", "TS2555", "TS2559"),
        *("TS2739", "TS2740", "TS2741", "TS2769"),
        *("E0308", "E0061", "E0050", "E0053", "E0046", "E0560", "E0063", "E0277"),
        *("reportArgumentType", "reportCallIssue", "reportAssignmentType", "reportReturnType"),
        *("arg-type", "call-arg", "assignment", "return-value", "override", "typeddict-item", "TypeError"),
    }
)
_UNDEFINED: Final = re.compile(
    r"\bundefined: |\bcannot find symbol|\bis not defined\b|\bhas no exported member\b|\bcannot find (?:name|module)\b|"
    r"\bno required module provides package\b|\bhas no (?:field|attribute|member)\b|\bcannot import name\b|"
    r"\bunresolved import\b|\bNo module named\b",
    re.IGNORECASE,
)
_UNFIT: Final = re.compile(
    r"\b(?:not enough|too many) arguments in call\b|\bcannot use .{1,120} as .{1,120} (?:value|type)\b|"
    r"\bdoes not implement\b|\bmissing \d+ required (?:positional|keyword)|"
    r"\bunexpected keyword argument\b|\bis not assignable to\b|"
    r"\bincompatible types\b|\bcannot be applied to given types\b|\bExpected \d+ arguments?, but got\b"
)
_FIXTURE: Final = re.compile(r"fixture '(\w+)' not found|recursive dependency involving fixture '(\w+)'")
_OWNER: Final = re.compile(r"on type '([^']+)'|(?:type object |module )?'([\w.]+)'(?: object)? has no attribute")
CALLEE: Final = re.compile(
    r"\b([A-Za-z_][\w.]*)\(\) (?:missing|got|takes)|in call to ([\w.]+)|\"([\w.]+)\" of \"(\w+)\""
)
_TYPE: Final = re.compile(r"['\"`]([A-Z]\w+)['\"`<\[]")
_PLAIN: Final = frozenset({"String", "Number", "Boolean", "Object", "Array", "Promise", "None", "Any", "List", "Dict"})


def causes(one: Diagnostic) -> tuple[Cause, ...]:
    """Return every cause the diagnostic may share with others, most certain first; never empty."""
    if one.category == "conflict":
        return (Cause("conflict", "conflict markers"),)
    fixture = missing_fixture(one)
    if fixture:
        return (Cause("symbol", f"fixture {fixture}"),)
    found = [*_missing(one), *_misfit(one)]
    if not found and one.test and one.line and one.file and (not is_test_side(one.file) or _is_shared(one)):
        found.append(Cause("frame", f"{one.rule or 'a failure'} at {one.file}:{one.line}"))
    if found:
        return tuple(dict.fromkeys(found))
    return (Cause("file", one.file) if one.file else Cause("check", one.test or one.check),)


def _is_shared(one: Diagnostic) -> bool:
    """Whether a test failed inside another test file, such as in a fixture that can't connect."""
    own = re.split(r"::| [>›] ", one.test)[0]
    return "." in own and own not in (one.test, one.file)


def missing_fixture(one: Diagnostic) -> str:
    """Return the pytest fixture that is not found or depends on itself; empty if that is not the failure."""
    hit = _FIXTURE.search(one.message) if one.test else None
    return hit[hit.lastindex or 0] if hit else ""


def is_missing(one: Diagnostic) -> bool:
    """Whether the diagnostic reports a missing name or module."""
    return one.rule in _MISSING or _UNDEFINED.search(one.message) is not None


def _missing(one: Diagnostic) -> Iterator[Cause]:
    if not is_missing(one):
        return
    for path in one.related:
        if path != one.file and not (one.test and is_test_side(path)):
            yield Cause("module", path)
    if one.symbol:
        owner = next((part for part in (_OWNER.search(one.message) or _NONE).groups() if part), "")
        last = re.split(r"[.:]+", one.symbol)[-1]
        yield Cause("symbol", f"{owner}.{last}" if owner and owner != last else last)


def _misfit(one: Diagnostic) -> Iterator[Cause]:
    """Yield the name that doesn't fit, picking the most telling in the message, else the whole message."""
    if is_missing(one) or not (one.rule in _MISFIT or _UNFIT.search(one.message)):
        return
    callee = next((part for part in (CALLEE.search(one.message) or _NONE).groups() if part), "")
    names = [one.symbol, callee.rpartition(".")[2], *reversed(_TYPE.findall(one.message))]
    known = (name for name in names if name and name not in _PLAIN)
    first_line = next(iter(one.message.strip().splitlines()), "")
    yield Cause("interface", next(known, normalised(first_line)))


_NONE: Final = cast("re.Match[str]", re.match("", ""))


_NO_MODULE: Final = frozenset({"ModuleNotFoundError", "TS2307", "reportMissingImports", "import-not-found"})
_SCRIPT: Final = re.compile(
    r"(?:Cannot find (?:module|package) '|Failed to resolve import \"|Failed to load url )([^\s'\"]+)"
)


def missing_package(one: Diagnostic) -> str:
    """Return the top-level name of the missing module; empty for other failures and for paths in the repository."""
    hit = _SCRIPT.search(one.message)
    symbol = hit[1] if hit else one.symbol if one.rule in _NO_MODULE else ""
    if symbol.startswith((".", "/", "@/", "~", "#", "node:")):
        return ""
    if symbol.startswith("@"):
        return "/".join(symbol.split("/")[:2])
    return symbol.partition("/")[0] if hit or one.rule == "TS2307" else symbol.partition(".")[0].partition("/")[0]


def own_names(paths: Iterable[str]) -> frozenset[str]:
    """Return every name by which the repository's modules can be imported: its folders and its file stems."""
    return frozenset(part for path in paths for part in _names(path))


def misses_foreign(one: Diagnostic, own: Collection[str]) -> bool:
    """Whether the failure is a missing module that is not one of the repository's `own`."""
    package = missing_package(one)
    return bool(package) and package not in own


def _names(path: str) -> tuple[str, ...]:
    place = PurePosixPath(path)
    return (*place.parts[:-1], place.name.partition(".")[0])


_LONGEST_TITLE: Final = 90  # characters of an error in a title
_NAMED: Final = 2  # tests named in a title
_ADDRESS: Final = re.compile(r"(?: at)? 0x[0-9a-fA-F…]+")
_SEPARATORS: Final = re.compile(r"::| [>›] ")
_GO: Final = re.compile(r"\A.*[./](?=(?:Test|Fuzz|Example)\w*+(?:/|\Z))")  # the package before a test's name


def title(cause: Cause, diagnostics: Sequence[Diagnostic]) -> str:
    """Return a one-line imperative title, without addresses and other noise; the description has the exact text."""
    if diagnostics and cause.kind in _OF_TESTS and all(one.test for one in diagnostics):
        return f"Fix {_tests(diagnostics)}{_led(cause)}: {_said(diagnostics[0])}"
    about, count = cause.about, len(diagnostics)
    errors = "an error" if count == 1 else f"{count} errors"
    return {
        "conflict": f"Resolve the conflict markers in {about}",
        "module": f"Fix {errors} about what {about} offers: {_said(diagnostics[0])}",
        "symbol": f"Fix {errors} about {about!r}: {_said(diagnostics[0])}",
        "interface": f"Make {_named(about)} and its uses agree: {_said(diagnostics[0])}",
        "frame": f"Fix {about}: {_said(diagnostics[0])}",
        "origin": f"Fix {errors} that lead{'s' if count == 1 else ''} to {about}: {_said(diagnostics[0])}",
        "file": f"Fix {errors} in {about}: {_said(diagnostics[0])}",
        "check": f"Make {about} pass: {_said(diagnostics[0])}",
    }[cause.kind]


_OF_TESTS: Final[frozenset[CauseKind]] = frozenset({"frame", "origin", "file"})


def _led(cause: Cause) -> str:
    """Return the location the failing tests share, to append to a title; empty if that is just their file."""
    return "" if cause.kind == "file" else f", by way of {cause.about.rpartition(' at ')[2]}"


def _named(about: str) -> str:
    return about if " " in about else repr(about)


def _tests(diagnostics: Sequence[Diagnostic]) -> str:
    """Name the tests, as in `test_total in tests/test_basket.py`, or give their number and the first one."""
    names = list(dict.fromkeys(_name(one) for one in diagnostics))
    files = list(dict.fromkeys(_file(one) for one in diagnostics if _file(one)))
    told = " and ".join(names) if len(names) <= _NAMED else f"{len(names)} tests, first {names[0]}"
    return f"{told} in {files[0]}" if len(files) == 1 else told


def _name(one: Diagnostic) -> str:
    """Return the last component of the runner's name for a test."""
    return _SEPARATORS.split(_GO.sub("", one.test, count=1))[-1]


def _file(one: Diagnostic) -> str:
    """Return the test's file: the one in the runner's name for it, else the file of the failure."""
    first = _SEPARATORS.split(one.test)[0]
    return first if first != one.test and "." in first else one.file


def _said(one: Diagnostic) -> str:
    """Return the first line of the message, shortened, prefixed with the rule unless the message names it."""
    line = next((part.strip() for part in one.message.splitlines() if part.strip()), one.rule or "no message")
    text = " ".join(_ADDRESS.sub("", normalised(line)).split())
    told = text if one.rule in {"", UNREAD} or one.rule in text or one.test else f"{one.rule} {text}"
    return told if len(told) <= _LONGEST_TITLE else told[: _LONGEST_TITLE - 1].rstrip() + "…"
