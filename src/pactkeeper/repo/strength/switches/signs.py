"""Lines by which code silences checks, sees through them or takes hold of what judges it, and hooks of test runners.

A sign is counted over all changed files of its side, so that moving a line or changing what stands beside it is silent.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.intent.strength.compare import Change, Severity
from pactkeeper.repo.test_side import is_test_side

_CODE: Final = (".py", ".pyi", ".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte", ".go",
                ".rs", ".java", ".kt")  # fmt: skip
_SETTINGS: Final = re.compile(r"(?:.*/)?[\w.-]*(?:config|rc|setup|noxfile)\.\w+\Z")
_BUILT_IN: Final = (r"toBe(?:CloseTo|Defined|Falsy|GreaterThan\w*|InstanceOf|LessThan\w*|NaN|Null|Truthy|Undefined)?"
                    r"|to(?:Strict)?Equal|toContain(?:Equal)?|toHave\w+|toMatch(?:Object|Snapshot)?"
                    r"|toThrow\w*")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sign:
    """How a line looks, on which side of the repository it counts, and what is wrong with one more of it."""

    looks: re.Pattern[str]
    message: str
    severity: Severity = "error"
    side: Literal["both", "product", "tests"] = "both"


def _sign(
    looks: str, message: str, severity: Severity = "error", *, side: Literal["both", "product", "tests"] = "both"
) -> Sign:
    return Sign(re.compile(looks, re.MULTILINE), message, severity, side)


SIGNS: Final = (
    _sign(r"#\s*+doctest:\s*+\+SKIP", "an example in the documentation is skipped"),
    _sign(r"#\s*+(?:type:\s*+ignore|pyright:\s*+ignore|ty:\s*+ignore|mypy:|noqa|nosec|pylint:\s*+disable|"
          r"pragma:\s*+no (?:cover|branch))|@ts-(?:ignore|nocheck|expect-error)|eslint-disable|biome-ignore|"
          r"oxlint-disable|(?:istanbul|c8|v8) ignore|@SuppressWarnings|//\s*+nolint|#!?\[allow\(|"
          r"//\s*+(?:go:build|\+build) ignore", "a check is silenced", "warning", side="product"),
    _sign(r"\bPYTEST_(?:CURRENT_TEST|VERSION|XDIST_WORKER)|\bJEST_WORKER_ID|\bVITEST(?:_WORKER_ID|_POOL_ID)?\b|"
          r"cfg!\(test\)|testing\.Testing\(|['\"](?:pytest|unittest|_pytest)['\"]\s++(?:not\s++)?in\s++sys\.modules|"
          r"_called_from_test", "the product asks whether a test runs", side="product"),
    _sign(r"NODE_ENV['\"\])]*+\s*+[!=]==?\s*+['\"]test|import\.meta\.(?:vitest|jest)\b",
          "the product asks whether a test runs", "warning", side="product"),
    _sign(r"globalThis\.(?:expect|it|test|describe)\b\s*+=|\b(?:pytest|unittest)(?:\.\w++)++\s*+=(?!=)|"
          r"\bTestCase\.(?:assert\w++|fail\w*+|run)\s*+=(?!=)|sys\.modules\[['\"](?:pytest|_pytest|unittest)|"
          r"setattr\(\s*+(?:pytest|unittest|TestCase|_pytest)\b|\bAssertion\.(?:prototype\b|overwrite\w++)|"
          rf"expect\.extend\(\s*+\{{\s*+(?:async\s++)?['\"]?(?:{_BUILT_IN})['\"]?\s*+[(:,}}]|"
          r"\bassert\.(?:equal|strictEqual|deepEqual|deepStrictEqual|ok|throws|rejects)\s*+=(?!=)|"
          r"\bbuiltins\.(?:AssertionError|isinstance|all|any)\s*+=(?!=)|\b_pytest\.\w++",
          "what judges the tests is replaced"),
    _sign(r"\bos\._exit\(|\bprocess\.exit\(\s*+0?\s*+\)|\bpytest\.exit\(|\bsys\.exit\(\s*+0?\s*+\)|"
          r"process\.exitCode\s*+=\s*+0\b|session\.exitstatus\s*+=",
          "it ends the run of the tests, whatever they said", side="tests"),
    _sign(r"PYTEST_DONT_REWRITE|sys\.flags\.optimize|\bPYTHONOPTIMIZE\b", "assertions may be off", side="tests"),
    _sign(r"def __(?:eq|contains|bool)__\([^)\n]*+\)[^:\n]*+:\s*+return True\b|\bcollect_ignore(?:_glob)?\s*+\+?=(?!=)|"
          r"asymmetricMatch\s*+(?::\s*+|=\s*+)?\([^)\n]*+\)\s*+(?:=>\s*+true\b|\{\s*+return true\b)",
          "something is made equal to everything, or is left out"),
    _sign(r"-DskipTests|maven\.test\.(?:skip|failure\.ignore)|<(?:skipTests|testFailureIgnore)>\s*+true|"
          r"ignoreFailures\s*+=?\s*+true|test\.enabled\s*+=\s*+false", "failing tests are ignored"),
)  # fmt: skip
_HOOK: Final = re.compile(
    r"^(?:async\s++)?def (pytest_(?:collection_modifyitems|ignore_collect|collect_file|pycollect_makeitem|"
    r"runtest_makereport|runtest_protocol|runtest_setup|runtest_call|pyfunc_call|sessionfinish|collection_finish|"
    r"assertrepr_compare|generate_tests)|load_tests)\b",
    re.MULTILINE,
)
_ACTS: Final = re.compile(
    r"items\[:\]|items\.(?:remove|clear|pop)|del items|pytest_deselected|\bskip\b|\bxfail\b|\boutcome\s*+=|exitstatus|"
    r"\.excinfo\s*+=|force_result|return (?:True|None|\[\])|\bexcept\b|wasxfail|testsfailed"
)
_HARMLESS: Final = frozenset({"pytest_runtest_setup", "pytest_generate_tests", "pytest_assertrepr_compare",
                              "pytest_collect_file", "pytest_pycollect_makeitem", "pytest_runtest_call"})  # fmt: skip
_PROFILE: Final = re.compile(r"register_profile\(\s*+['\"]([\w-]++)['\"]")
_EXAMPLES: Final = re.compile(r"max_examples\s*+=\s*+(\d++)")
_REACH: Final = 300  # characters between the name of a profile and its number of examples


def sign_changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    """What changed files, as texts by path, have more of than before."""
    code = {
        path: text for path, text in new.items() if path.endswith((*_CODE, ".xml", ".gradle", ".kts", ".properties"))
    }
    for sign in SIGNS:
        before = sum(len(sign.looks.findall(text)) for path, text in old.items() if _counts(sign, path))
        found = [
            (path, match) for path, text in code.items() if _counts(sign, path) for match in sign.looks.finditer(text)
        ]
        if len(found) > before:
            yield from _first_new(sign, found, old, code)
    yield from _hooks(old, code)
    yield from _profiles(old, code)


def _counts(sign: Sign, path: str) -> bool:
    tests = is_test_side(path)
    if sign.side == "tests":
        return tests
    return sign.side == "both" or not (tests or _SETTINGS.match(path))


def _first_new(
    sign: Sign, found: Iterable[tuple[str, re.Match[str]]], old: Mapping[str, str], new: Mapping[str, str]
) -> Iterator[Change]:
    known = Counter(line.strip() for text in old.values() for line in text.splitlines())
    for path, match in found:
        number, line = _line_at(new[path], match)
        if known[line]:
            known[line] -= 1
            continue
        yield Change("switched_off", path, sign.message, "", line[:160], number, sign.severity, path)
        return


def _line_at(text: str, match: re.Match[str]) -> tuple[int, str]:
    start = match.start() + len(match[0]) - len(match[0].lstrip())
    return text.count("\n", 0, start) + 1, text[text.rfind("\n", 0, start) + 1 :].partition("\n")[0].strip()


def _hooks(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    """Hooks of the runner that are new or read differently, wherever they stood before."""
    before = [hook for path, text in old.items() if path.endswith(".py") for hook in _hooks_of(text)]
    known = {(name, body) for name, body, _ in before}
    names = {name for name, _, _ in before}
    for path, text in new.items():
        for name, body, line in _hooks_of(text) if path.endswith(".py") else ():
            if (name, body) in known or (name in _HARMLESS and not re.search(r"\bskip\b|\bxfail\b", body)):
                continue
            acts = name in {"load_tests", "pytest_ignore_collect"} or _ACTS.search(body) is not None
            severity: Severity = "error" if acts and name not in names else "warning"
            message = "a hook of the test runner changed" if name in names else "a new hook of the test runner"
            yield Change(
                "switched_off", f"{path} {name}", message, "", body.splitlines()[0][:160], line, severity, path
            )


def _hooks_of(text: str) -> Iterator[tuple[str, str, int]]:
    """Every hook at the top of a module: its name, its code without comments, its line."""
    for match in _HOOK.finditer(text):
        lines = text[match.start() :].splitlines()
        end = next((at for at, line in enumerate(lines[1:], 1) if line[:1].strip() and line[0] not in "#)"), len(lines))
        body = [" ".join(line.split("  #")[0].split()) for line in lines[:end]]
        yield (
            match[1],
            "\n".join(line for line in body if line and not line.startswith("#")),
            text.count("\n", 0, match.start()) + 1,
        )


def _profiles(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    """Profiles of hypothesis that try fewer examples."""
    before = {name: count for text in old.values() for name, count, _ in _profiles_of(text)}
    for path, text in new.items():
        for name, count, line in _profiles_of(text):
            if count < before.get(name, 0):
                yield Change("switched_off", f"{path} {name}", "properties are tried with fewer examples",
                             f"{before[name]} examples", f"{count} examples", line, "error", path)  # fmt: skip


def _profiles_of(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _PROFILE.finditer(text):
        given = _EXAMPLES.search(text, match.end(), match.end() + _REACH)
        if given is not None:
            yield match[1], int(given[1]), text.count("\n", 0, match.start()) + 1
