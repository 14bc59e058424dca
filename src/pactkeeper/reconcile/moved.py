"""Tests that moved, as findings: one for each file or suite that moved, with the one command that follows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.tests import file_of
from pactkeeper.reconcile.located import Located, located
from pactkeeper.reconcile.shell import quoted


def moved_findings(moved: Mapping[str, str], tests: Mapping[str, LinkedTest]) -> Iterator[Located]:
    """One finding for all tests that moved from one place to another; `moved` holds the old id by the new one."""
    together: dict[tuple[str, str], list[str]] = {}
    for new, old in moved.items():
        together.setdefault(_places(old, new), []).append(new)
    for (before, after), names in together.items():
        first = tests[names[0]].test
        number = len(names)
        orphaned = any(not tests[name].links for name in names)
        yield located(
            "PK114",
            after,
            f"{number} {'test' if number == 1 else 'tests'} moved: {before} → {after}",
            path=first.file,
            line=first.name_line,
            fix=f"pk accept --moved {quoted(after)}",
            basis=" ".join(sorted(moved[name] for name in names)),
            severity=None if orphaned else "warning",
        )


def _places(old: str, new: str) -> tuple[str, str]:
    """The smallest places that tell a move: the files, else the suites, else the tests themselves."""
    files = (file_of(old), file_of(new))
    if files[0] != files[1]:
        return files
    suites = (old.rpartition("::")[0], new.rpartition("::")[0])
    return suites if suites[0] != suites[1] else (old, new)
