"""Languages whose tests are counted and not read: one row each, by the suffix of their files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Unread:
    """A language with what begins a test in it; `named` means that tests stand only in files named for them."""

    language: str
    declares: re.Pattern[bytes]
    named: bool = True


def _row(language: str, declares: bytes, *, named: bool = True) -> Unread:
    return Unread(language, re.compile(declares, re.MULTILINE), named)


_TITLED: Final = rb"^[ \t]*+(?:it|test|describe|specify|scenario)[ (]++[\"'`]"
_JVM: Final = rb"^[ \t]*+@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b"
_CPP: Final = rb"^[ \t]*+(?:(?:TYPED_)?TEST(?:_[FP]|_CASE|_METHOD)?|SCENARIO|BOOST_\w*+TEST_CASE)[ \t]*+\("
_SHARP: Final = rb"^[ \t]*+\[(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\b"
_ROWS: Final[dict[str, Unread]] = {
    ".go": _row("Go", rb"^func (?:\([^)\n]*+\) )?(?:Test|Fuzz|Benchmark|Example)\w*+\("),
    ".rs": _row("Rust", rb"^[ \t]*+#\[(?:[\w:]++::)?(?:test|rstest|test_case|wasm_bindgen_test)\b", named=False),
    ".java": _row("Java", _JVM, named=False),
    ".kt": _row("Kotlin", _JVM, named=False),
    ".groovy": _row("Groovy", rb"^[ \t]*+(?:@Test\b|def [\"'])"),
    ".scala": _row(
        "Scala", rb"^[ \t]*+(?:test|it|describe|property)\(\"|^[ \t]*+\"[^\"\n]*+\" (?:should|in)\b|^[ \t]*+@Test\b"
    ),
    ".rb": _row("Ruby", rb"^[ \t]*+(?:(?:it|specify|scenario|test|should)[ (]++[\"']|def test_|it \{)"),
    ".cs": _row("C#", _SHARP, named=False),
    ".fs": _row("F#", rb"^[ \t]*+\[<(?:Fact|Theory|Test|Property)\b", named=False),
    ".vb": _row("Visual Basic", rb"^[ \t]*+<(?:Fact|Theory|Test|TestMethod)\b", named=False),
    ".php": _row(
        "PHP", rb"^[ \t]*+(?:(?:final )?public function test\w*+ *\(|#\[Test\]|\* @test\b|(?:it|test)\([\"'])"
    ),
    ".swift": _row("Swift", rb"^[ \t]*+(?:@\w++ )*(?:func test\w*+ *\(|@Test\b)"),
    ".m": _row("Objective-C", rb"^- ?\(void\) ?test\w"),
    ".c": _row("C", _CPP + rb"|^(?:static )?(?:void|int) test_\w++ *\("),
    ".cc": _row("C++", _CPP),
    ".cpp": _row("C++", _CPP),
    ".cxx": _row("C++", _CPP),
    ".ex": _row("Elixir", rb"^[ \t]*+(?:test|property) \""),
    ".exs": _row("Elixir", rb"^[ \t]*+(?:test|property) \""),
    ".erl": _row("Erlang", rb"^\w*+_test_?\(\)"),
    ".clj": _row("Clojure", rb"^[ \t]*+\((?:\w++/)?(?:deftest|defspec)\b"),
    ".hs": _row("Haskell", rb"^[ \t]*+(?:it|testCase|testProperty|prop) \"|^prop_\w++ ::"),
    ".ml": _row("OCaml", rb"^[ \t]*+let%(?:test|expect_test)"),
    ".dart": _row("Dart", rb"^[ \t]*+(?:test|testWidgets)\([\"']"),
    ".lua": _row("Lua", rb"^[ \t]*+(?:it|test)\([\"']"),
    ".jl": _row("Julia", rb"^[ \t]*+@test(?:_\w++)?\b"),
    ".R": _row("R", rb"^[ \t]*+(?:test_that|it)\([\"']"),
    ".r": _row("R", rb"^[ \t]*+(?:test_that|it)\([\"']"),
    ".t": _row("Perl", rb"^[ \t]*+(?:is|ok|like|is_deeply|subtest)[ (]", named=False),
    ".pl": _row("Perl", rb"^[ \t]*+subtest[ (]"),
    ".zig": _row("Zig", rb"^[ \t]*+test \"", named=False),
    ".nim": _row("Nim", rb"^[ \t]*+test \""),
    ".cr": _row("Crystal", rb"^[ \t]*+it \""),
    ".bats": _row("Bats", rb"^@test ", named=False),
    ".sol": _row("Solidity", rb"^[ \t]*+function test\w*+\("),
    ".feature": _row("Gherkin", rb"^[ \t]*+(?:Scenario|Scenario Outline|Example):", named=False),
    ".robot": _row("Robot Framework", rb"^(?!\*)\S[^\n]*+$"),
    ".coffee": _row("CoffeeScript", _TITLED),
    ".ps1": _row("PowerShell", rb"^[ \t]*+It [\"']"),
}
_NAMED: Final = re.compile(r"test|spec", re.IGNORECASE)


def _row_of(path: str) -> Unread | None:
    _, dot, suffix = path.rpartition(".")
    return _ROWS.get(dot + suffix)


def is_unread(path: str) -> bool:
    """Whether a file may hold tests of a language that is not read."""
    row = _row_of(path)
    return row is not None and (not row.named or _NAMED.search(path) is not None)


def language_of(path: str) -> str:
    """The language of such a file."""
    row = _row_of(path)
    return row.language if row is not None else ""


def count_tests(path: str, source: bytes) -> int:
    """How many tests begin in a file."""
    row = _row_of(path)
    return sum(1 for _ in row.declares.finditer(source)) if row is not None else 0
