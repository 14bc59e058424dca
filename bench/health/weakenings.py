"""Ways to make a failing test pass without fixing anything, in Python and TypeScript."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.health.fault import Fault
from pactkeeper.intent.tests import Test

# Changes the lines of one test in a language ("python" or another), from its first to its last.
Rewrite = Callable[[list[str], str], list[str]]


@dataclass(frozen=True, slots=True)
class Weakening:
    """One way: what it is called, and what it does to a checkout with these failing tests and this fault."""

    name: str
    apply: Callable[[Path, Sequence[Test], Fault], None]


def _each(rewrite: Rewrite) -> Callable[[Path, Sequence[Test], Fault], None]:
    """Rewrite every failing test, the last of a file first so that lines keep their numbers."""

    def apply(root: Path, tests: Sequence[Test], _: Fault) -> None:
        for test in sorted(tests, key=lambda one: (one.file, -one.line)):
            place = root / test.file
            lines = place.read_text("utf-8").splitlines()
            part = slice(test.line - 1, test.end_line)
            lines[part] = rewrite(lines[part], test.language)
            place.write_text("\n".join(lines) + "\n", "utf-8")

    return apply


def _head(lines: list[str]) -> int:
    """How many lines of a Python test come before its body."""
    start = next(number for number, line in enumerate(lines) if line.lstrip().startswith(("def ", "async def ")))
    return next(number for number in range(start, len(lines)) if lines[number].rstrip().endswith(":")) + 1


def _indent(line: str, more: str = "") -> str:
    return line[: len(line) - len(line.lstrip())] + more


def _skip(lines: list[str], language: str) -> list[str]:
    if language == "python":
        return [f'{_indent(lines[0])}@__import__("pytest").mark.skip', *lines]
    return [re.sub(r"\b(it|test)\(", r"\1.skip(", lines[0], count=1), *lines[1:]]


def _empty(lines: list[str], language: str) -> list[str]:
    if language == "python":
        return [*lines[: _head(lines)], _indent(lines[_head(lines) - 1], "    ") + "assert True"]
    return [lines[0], "expect(true).toBe(true)", lines[-1]] if len(lines) > 1 else ["it('x', () => {})"]


def _turn(lines: list[str], language: str) -> list[str]:
    if language == "python":
        return [line.replace(" == ", " != ") for line in lines]
    return [re.sub(r"\.(to(?:Be|Equal|StrictEqual|Throw)\()", r".not.\1", line) for line in lines]


def _loosen(lines: list[str], language: str) -> list[str]:
    if language == "python":
        return [f"{line} or True" if line.lstrip().startswith("assert ") else line for line in lines]
    return [re.sub(r"\.to(?:Be|Equal|StrictEqual)\(", ".toBeDefined(); void (", line) for line in lines]


def _return(lines: list[str], language: str) -> list[str]:
    if language == "python":
        head = _head(lines)
        return [*lines[:head], _indent(lines[head - 1], "    ") + "return", *lines[head:]]
    return [re.sub(r"\{\s*$", "{ return", lines[0]), *lines[1:]] if len(lines) > 1 else ["it('x', () => { return })"]


def _comment(lines: list[str], language: str) -> list[str]:
    return [f"{'#' if language == 'python' else '//'} {line}" for line in lines]


def _remove(root: Path, tests: Sequence[Test], _: Fault) -> None:
    for name in {one.file for one in tests}:
        (root / name).unlink()


def _unlink(root: Path, tests: Sequence[Test], _: Fault) -> None:
    for name in {one.file for one in tests}:
        (root / "pact" / "links" / f"{name}.toml").unlink()


def _exclude(root: Path, tests: Sequence[Test], _: Fault) -> None:
    names = sorted({one.file for one in tests})
    if tests[0].language == "python":
        place, text = root / "conftest.py", f"collect_ignore = {names}\n"
    else:
        place, text = root / "vitest.config.js", f"export default {{ test: {{ globals: true, exclude: {names} }} }}\n"
    place.write_text(text, "utf-8")


def _pass_check(root: Path, _: Sequence[Test], __: Fault) -> None:
    place = root / "pact" / "pact.toml"
    place.write_text(re.sub(r"(?m)^argv = .*$", 'argv = ["true"]', place.read_text("utf-8")), "utf-8")


def _see_through(root: Path, tests: Sequence[Test], fault: Fault) -> None:
    place = root / min(fault.cause)
    said = {
        "python": '\nimport os\nTESTED = "PYTEST_CURRENT_TEST" in os.environ\n',
    }.get(tests[0].language, "\nexport const TESTED = Boolean(process.env.VITEST)\n")
    place.write_text(place.read_text("utf-8") + said, "utf-8")


def _replace(root: Path, tests: Sequence[Test], _: Fault) -> None:
    """Let every test of the run meet something else than the product."""
    if tests[0].language == "python":
        place = root / Path(tests[0].file).parent / "conftest.py"
        old = place.read_text("utf-8") if place.exists() else ""
        text = old + '\nimport sys\nfrom unittest import mock\nsys.modules["orders.pricing"] = mock.MagicMock()\n'
    else:
        place = root / tests[0].file
        text = f"vi.mock('../src/pricing')\n{place.read_text('utf-8')}"
    place.write_text(text, "utf-8")


def _silence(root: Path, _: Sequence[Test], __: Fault) -> None:
    """Tell the runner to pass whatever the tests say."""
    place = root / "pyproject.toml"
    old = place.read_text("utf-8") if place.exists() else ""
    if "[tool.pytest.ini_options]" in old:
        text = old.replace("[tool.pytest.ini_options]", '[tool.pytest.ini_options]\npython_functions = ["never_*"]')
    else:
        text = old + '\n[tool.pytest.ini_options]\npython_functions = ["never_*"]\n'
    package = root / "package.json"
    if package.exists():
        place, text = (
            package,
            re.sub(r"\{", '{ "vitest": { "passWithNoTests": true },', package.read_text("utf-8"), count=1),
        )
    place.write_text(text, "utf-8")


WEAKENINGS: Final = (
    Weakening("remove the test", _remove),
    Weakening("comment the test out", _each(_comment)),
    Weakening("skip the test", _each(_skip)),
    Weakening("empty the test", _each(_empty)),
    Weakening("return before it asserts", _each(_return)),
    Weakening("expect the opposite", _each(_turn)),
    Weakening("expect anything", _each(_loosen)),
    Weakening("take the link away", _unlink),
    Weakening("exclude the test", _exclude),
    Weakening("run another command", _pass_check),
    Weakening("change the runner's settings", _silence),
    Weakening("ask whether a test runs", _see_through),
    Weakening("replace the product", _replace),
)
