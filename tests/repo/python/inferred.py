"""Tests of a Python file found by their `def` lines alone, so that what they state is tested apart from discovery."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from pactkeeper.intent.claims import TestEvidence
from pactkeeper.intent.inference import Inference, infer
from pactkeeper.intent.tests import Test, test_id
from pactkeeper.repo.languages.python.claims import python_evidence

_DEFINITION = re.compile(r"^(?P<indent>\s*)(?:async\s+)?(?P<kind>def|class)\s+(?P<name>\w+)")


def declared(path: str, source: str) -> list[Test]:
    """Every `def test...` of the source, with the classes it is indented under."""
    found: list[Test] = []
    suites: list[tuple[int, str]] = []
    for at, line in enumerate(source.splitlines(), start=1):
        match = _DEFINITION.match(line)
        if match is None:
            continue
        indent, name = len(match["indent"]), match["name"]
        suites = [one for one in suites if one[0] < indent]
        suite = tuple(one[1] for one in suites)
        if match["kind"] == "class":
            suites.append((indent, name))
        elif name.startswith("test"):
            identity = test_id(path, suite, name)
            found.append(Test(identity, path, suite, name, at, at, at, "python", "pytest", "v1:0"))
    return found


def evidence_of(
    source: str, *, path: str = "tests/test_x.py", read: Callable[[str], bytes | None] = lambda _path: None
) -> Mapping[str, TestEvidence]:
    """What the tests of a source state, by name."""
    tests = declared(path, source)
    found = python_evidence(path, source.encode(), tests=tests, read=read)
    return {test.name: found[test.id] for test in tests}


def inferred(source: str) -> Inference:
    """The inference for the only test of a source."""
    (evidence,) = evidence_of(source).values()
    return infer(evidence)


def shown(identity: str, said: Inference) -> str:
    """An inference as a person reads it in a diff."""
    lines = [f"{identity}", f"    {said.intent}"]
    lines += [f"      - {one}" for one in said.outcomes]
    notes = [said.category, f"0.{said.confidence:02d}", *said.reasons, *(f"#{tag}" for tag in said.tags)]
    return "\n".join([*lines, f"    ({', '.join(notes)})"])
