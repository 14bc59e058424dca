"""Whether a fix makes it easier to pass: a pure comparison of two commits that lets nothing doubtful through.

A fix may change the product, add tests, and add assertions or rows to what is there. It may not touch a protected test
(one that proves a committed atom) in any other way, nor what decides how it runs. What rules cannot call neutral is
refused, for a person to judge.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pactkeeper.health import python_source, script_source
from pactkeeper.health.python_source import Lines
from pactkeeper.health.settings_files import changed_settings
from pactkeeper.health.signs import signs_in
from pactkeeper.intent.claims import Claim, TestEvidence
from pactkeeper.intent.tests import Test
from pactkeeper.repo.test_side import is_test_side

_PERSON: Final = "a person must say whether that is meant"


@dataclass(frozen=True, slots=True)
class Side:
    """One commit as acceptance sees it.

    `tests` and `evidence` are by test id, `proves` are the committed atoms of every protected test, `texts` the
    changed files that exist on this side, with None for one that is no text. `programs` are scripts that checks run.
    """

    tests: Mapping[str, Test]
    proves: Mapping[str, frozenset[str]]
    texts: Mapping[str, str | None]
    evidence: Mapping[str, TestEvidence] = field(default_factory=dict)
    programs: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, order=True)
class Refusal:
    """One reason why a fix is not taken; `subject` is a test id, a path or a check."""

    subject: str
    reason: str

    def __str__(self) -> str:
        """Render as one line."""
        return f"{self.subject}: {self.reason}"


def weakenings(before: Side, after: Side) -> tuple[Refusal, ...]:
    """Every way in which `after` may ask less than `before`, sorted; what is protected is what `before` says."""
    found = set(_of_tests(before, after))
    protected = frozenset(before.tests[name].file for name in before.proves)
    for path in {*before.texts, *after.texts}:
        found.update(Refusal(path, reason) for reason in _of_file(path, before, after, protected=protected))
    return tuple(sorted(found))


def _of_tests(before: Side, after: Side) -> Iterator[Refusal]:
    for name, atoms in before.proves.items():
        now = after.tests.get(name)
        if now is None:
            yield Refusal(name, "the test is gone: removed, renamed, excluded, or no longer found")
            continue
        lost = sorted(atoms - after.proves.get(name, frozenset()))
        if lost:
            yield Refusal(name, f"it is no longer linked to {', '.join(lost)}")
        old = before.tests[name]
        if _namesakes(now, after) > _namesakes(old, before):
            yield Refusal(name, "another test of the same name may now run in its place")
        if now.body_hash != old.body_hash and not _asserts_more(old, now, before, after):
            yield Refusal(name, _what_changed(before.evidence.get(name), after.evidence.get(name)))


def _namesakes(test: Test, side: Side) -> int:
    return sum(_name(other) == _name(test) for other in side.tests.values() if other.file == test.file)


def _name(test: Test) -> tuple[str, ...]:
    return tuple(re.sub(r"#\d+\Z", "", part) for part in (*test.suite, test.name))


def _asserts_more(old: Test, now: Test, before: Side, after: Side) -> bool:
    texts = before.texts.get(old.file), after.texts.get(now.file)
    if texts[0] is None or texts[1] is None:
        return False
    judge = python_source.same_or_more if old.language == "python" else script_source.same_or_more
    return judge(texts[0], texts[1], old=_place(old), new=_place(now))


def _place(test: Test) -> Lines:
    return Lines(test.line, test.end_line)


def _what_changed(before: TestEvidence | None, after: TestEvidence | None) -> str:
    if before is None or after is None:
        return f"its body changed; {_PERSON}"
    marked = [name for name in after.markers if name not in before.markers]
    if marked:
        return f"it is marked {', '.join(marked)} now"
    kept = [_bare(claim) for claim in after.claims]
    lost = next((claim for claim in before.claims if _bare(claim) not in kept), None)
    if lost is not None:
        return f"the assertion on line {lost.line} is gone or says something else: {' '.join(lost.quote.split())}"
    if len(after.rows) < len(before.rows):
        return f"it runs {len(after.rows)} rows now, not {len(before.rows)}"
    return f"its body changed around its assertions; {_PERSON}"


def _bare(claim: Claim) -> Claim:
    return replace(claim, line=0, quote="")


_PACT: Final = "pact/"
_PACT_OPEN: Final = ("pact/atoms/", "pact/links/", "pact/molecules.toml")


def _of_file(path: str, before: Side, after: Side, *, protected: frozenset[str]) -> Iterator[str]:
    old, new = before.texts.get(path, ""), after.texts.get(path, "")
    there, here = path in before.texts, path in after.texts
    if path.startswith(_PACT):
        if not path.startswith(_PACT_OPEN):
            yield f"a fix does not change what was declared or how it is judged; {_PERSON}"
        return
    unreadable = old is None or new is None
    decides = changed_settings(path, old, new) or (path in before.programs and not _around_holds(path, before, after))
    if decides or (unreadable and protected and is_test_side(path)):
        yield f"it decides which tests run, or how strictly; {_PERSON}"
    elif not there and (_hides_library(path) or "__mocks__/" in path):
        yield "it would be loaded in place of what its name stands for"
    elif path in protected:
        yield from _of_protected_file(path, before, after)
    elif protected and there and is_test_side(path):
        yield from _of_support(path, before, here=here, protected=protected)
    yield from signs_in(path, old or "", new or "", protected=path in protected)


def _hides_library(path: str) -> bool:
    name = path.removesuffix(".py").removesuffix("/__init__").rpartition("/")
    return path.endswith(".py") and name[0] in {"", "src", "tests", "test"} and name[2] in _LIBRARIES


_LIBRARIES: Final = frozenset({*sys.stdlib_module_names, "pytest", "_pytest", "hypothesis", "mock", "nose"})


def _of_protected_file(path: str, before: Side, after: Side) -> Iterator[str]:
    if path not in after.texts:
        yield "a file with protected tests is gone"
        return
    yield from _hiding(path, before, after)
    if not _around_holds(path, before, after):
        yield f"what stands around its protected tests changed: imports, fixtures, markers, helpers; {_PERSON}"


def _around_holds(path: str, before: Side, after: Side) -> bool:
    """Whether a file declares tests, and nothing but tests changed in it; not for one that is gone or new."""
    places = [[_place(test) for test in side.tests.values() if test.file == path] for side in (before, after)]
    if not places[0] or path not in after.texts:
        return False
    python = path.endswith((".py", ".pyi"))
    hold = python_source.surroundings_hold if python else script_source.surroundings_hold
    return hold(before.texts[path] or "", after.texts[path] or "", old=places[0], new=places[1])


def _hiding(path: str, before: Side, after: Side) -> Iterator[str]:
    """New tests whose names the file used for something else."""
    words = set(re.findall(r"\w+", before.texts[path] or ""))
    for name, test in after.tests.items():
        if test.file == path and name not in before.tests and not test.suite and test.name in words:
            yield f"the new test {test.name!r} takes a name that the file used already"


def _of_support(path: str, before: Side, *, here: bool, protected: frozenset[str]) -> Iterator[str]:
    """A file among the tests without protected ones; one that declares tests may change, unless others build on it."""
    holds_tests = any(test.file == path for test in before.tests.values())
    if not holds_tests or (not here and any(file.rpartition("/")[0] == path.rpartition("/")[0] for file in protected)):
        yield f"protected tests may rest on it; {_PERSON}"


def changed_files(before: Mapping[str, str], after: Mapping[str, str]) -> Sequence[str]:
    """The paths whose content differs between two commits, or that only one of them has, sorted."""
    return sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
