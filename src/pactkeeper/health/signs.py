"""Lines that a fix must not add, by their looks: what silences, skips, fakes or sees through the checks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.repo.test_side import is_test_side


@dataclass(frozen=True, slots=True)
class Sign:
    """A line that must not be added: how it looks, on which side of the repository, and what is wrong with it."""

    looks: re.Pattern[str]
    reason: str
    side: Literal["both", "product", "tests", "protected"] = "both"


SIGNS: Final = (
    Sign(
        re.compile(
            r"#\s*(?:type:\s*ignore|pyright:|mypy:|ty:\s*ignore)|@ts-(?:ignore|nocheck|expect-error)|eslint-disable|"
            r"@SuppressWarnings|//\s*nolint|#!?\[allow\(|//go:build ignore|//\s*\+build ignore",
            re.MULTILINE,
        ),
        "it silences a check instead of mending what the check says",
    ),
    Sign(
        re.compile(
            r"PYTEST_|JEST_WORKER_ID|VITEST\b|NODE_ENV['\"\])]*\s*[!=]==?\s*['\"]test|cfg!\(test\)|testing\.Testing\(|"
            r"['\"](?:pytest|unittest|_pytest)['\"]\s+in\s+sys\.modules|_called_from_test|import\.meta\.(?:vitest|jest)",
            re.MULTILINE,
        ),
        "the product asks whether a test runs",
    ),
    Sign(
        re.compile(r"\b(?:pytest\.(?:skip|xfail|exit|importorskip)|unittest\.SkipTest|SkipTest)\b|\bos\._exit\("),
        "it ends or skips the test that runs it",
    ),
    Sign(
        re.compile(
            r"^\s*(?:import|from)\s+(?:pytest|_pytest|unittest|mock|hypothesis)\b|"
            r"(?:\bfrom|\bimport|\brequire\()\s*['\"](?:vitest|@jest/globals|chai|mocha)['\"]|globalThis\.(?:expect|it|test|describe)\b|\bprocess\.exit\(0?\)",
            re.MULTILINE,
        ),
        "the product takes hold of what judges it",
        side="product",
    ),
    Sign(
        re.compile(
            r"def __(?:eq|contains|bool|approx)__\([^)]*\)[^:\n]*:\s*(?:return True|\.\.\.)|always_equal|\bmock\.ANY\b"
        ),
        "something is made equal to everything",
    ),
    Sign(
        re.compile(r"\b(?:it|test|describe|suite|context)\.only\b|\bf(?:it|describe)\("),
        "the tests beside it would not run any more",
        side="tests",
    ),
    Sign(
        re.compile(
            r"\bsys\.modules\[|(?<![\w.])setattr\(|\bexec\(|\bpytest_plugins\b|def pytest_\w+\(|"
            r"patch[\w.]*\(.*\)\.start\(|^(?!self\b|cls\b)\w+(?:\.\w+)+\s*=[^=]",
            re.MULTILINE,
        ),
        "it replaces things for every test of the run, not only for its own",
        side="tests",
    ),
    Sign(
        re.compile(r"\b(?:jest|vi)\.(?:mock|doMock|spyOn|setMock)\("),
        "it replaces a module for every test of the file",
        side="protected",
    ),
)


_PROSE: Final = (".md", ".rst", ".txt", ".json", ".lock")


def signs_in(path: str, old: str, new: str, *, protected: bool) -> Iterator[str]:
    """What is wrong with the lines that a change adds to a file, by the looks of them; one reason a sign."""
    if path.endswith(_PROSE):
        return
    known = {line.strip() for line in old.splitlines()}
    added = "\n".join(line for line in new.splitlines() if line.strip() not in known)
    sides = {"both", "tests" if is_test_side(path) else "product", "protected" if protected else ""}
    for sign in SIGNS:
        if sign.side not in sides:
            continue
        found = sign.looks.search(added)
        if found is not None:
            yield f"{sign.reason}: {_line_of(added, found.start())}"


def _line_of(text: str, place: int) -> str:
    found = place + len(text[place:]) - len(text[place:].lstrip())
    start, end = text.rfind("\n", 0, found) + 1, text.find("\n", found)
    return text[start : end if end >= 0 else None].strip()[:120]
