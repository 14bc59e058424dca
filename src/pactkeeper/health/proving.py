"""Which declared tests the failures of a runner are, and so which atoms they say are broken."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.intent.binding import Files, bind
from pactkeeper.intent.health import Diagnostic
from pactkeeper.intent.links import LIVE_LINKS, LinkedTest
from pactkeeper.intent.results import Case
from pactkeeper.repo.test_side import is_test_side

_SEPARATED: Final = re.compile(r" [>›] ")
_DOTTED: Final = re.compile(r"(?P<suite>[\w$.]+)\.(?P<name>[\w$]+)(?: \(.*\))?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Proofs:
    """By fingerprint: the tests that failed, all atoms that they prove, and the committed ones of these, sorted."""

    tests: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    proves: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    broken: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def case_of(one: Diagnostic) -> Case:
    """A failing test as a report would name it: pytest's ids, the chains of Jest and Vitest, dotted names, titles."""
    if "::" in one.test:
        file, *names = one.test.split("::")
        return Case(tuple(names), file=file, line=one.line if one.file == file else 0)
    parts = _SEPARATED.split(one.test)
    if len(parts) > 1 and is_test_side(parts[0]):
        return Case(tuple(parts[1:]), file=parts[0])
    file = next((path for path in (one.file, *one.related) if is_test_side(path)), "")
    dotted = _DOTTED.match(one.test)
    if dotted is not None:
        return Case((dotted["suite"], dotted["name"]), file=file, joined=True)
    return Case((one.test,), file=file, joined=True)


def proofs(
    diagnostics: Sequence[Diagnostic], linked: Sequence[LinkedTest], files: Files, *, committed: Container[str]
) -> Proofs:
    """Bind every failure that names a test; one that is no known test, or could be several, proves nothing."""
    failing = [one for one in diagnostics if one.test and one.severity == "error"]
    bound = bind([case_of(one) for one in failing], [entry.test for entry in linked], files)
    links = {entry.test.id: [link for link in entry.links if link.state in LIVE_LINKS] for entry in linked}
    tests: dict[str, tuple[str, ...]] = {}
    proves: dict[str, tuple[str, ...]] = {}
    broken: dict[str, tuple[str, ...]] = {}
    for one, match in zip(failing, bound, strict=True):
        found = [link for test in match.tests for link in links[test]]
        tests[one.fingerprint] = match.tests
        proves[one.fingerprint] = tuple(sorted({link.atom for link in found}))
        broken[one.fingerprint] = tuple(sorted({link.atom for link in found if link.atom in committed}))
    return Proofs(tests, *({name: atoms for name, atoms in table.items() if atoms} for table in (proves, broken)))
