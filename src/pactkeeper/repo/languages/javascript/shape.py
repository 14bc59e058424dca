"""What looks like tests in a file that no runner collects: calls of a runner's name with a title and a function."""

from __future__ import annotations

from pactkeeper.repo.languages.adapter import Glimpse
from pactkeeper.repo.languages.javascript.facts import Call, Facts
from pactkeeper.repo.languages.javascript.read import read, untraced
from pactkeeper.repo.languages.javascript.runners import TESTS, runner_of


def glimpse(path: str, source: bytes) -> Glimpse | None:
    """Count what looks like tests in a file; None if nothing does."""
    facts = read(path, source, "IA", hashed=False)
    lines = shaped(facts) or untraced(facts.bindings, source)
    return Glimpse(len(lines), lines[0]) if lines else None


def shaped(facts: Facts) -> list[int]:
    """Return the lines of calls that would declare a test if a runner ran the file."""
    titled = (call for call in facts.calls if call.title_kind in {"text", "computed"} and call.arguments > 1)
    return [call.name_line for call in titled if call.inline and _is_runner(facts, call)]


def _is_runner(facts: Facts, call: Call) -> bool:
    """Whether the callee is named as a test: a global, imported or local name, or a parameter."""
    target = call.target
    if target.binding < 0:
        return target.root in TESTS
    binding = facts.bindings[target.binding]
    if binding.kind == "import":
        return binding.imported in TESTS or (target.root in TESTS and runner_of(binding.module) is not None)
    return target.root in TESTS and binding.kind != "function"
