"""Find what looks like tests in files that no adapter collected, so that nothing is missed silently.

A byte search picks the few files worth a look, and only those are parsed. Results are cached by content.

Languages whose tests are counted but not read have one row each, keyed by file suffix.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper import __version__
from pactkeeper.intent.tests import Gap
from pactkeeper.repo.cache import Cache
from pactkeeper.repo.languages.adapter import WHOLE, Configuration, Glimpse, Language, upwards
from pactkeeper.repo.snapshot import Snapshot


def glimpses(adapter: Language, snapshot: Snapshot, paths: Sequence[str], *, cache: Cache) -> dict[str, Glimpse]:
    """Return what looks like tests in these files, by path; files without any are left out."""
    space = f"unseen/{__version__}/{adapter.name}/{adapter.version}"
    keys = {path: f"{blob} {path}" for path in paths if (blob := snapshot.blob(path)) is not None}
    known = cache.get_many(space, list(keys.values()))
    missing = [path for path, key in keys.items() if key not in known]
    fresh = {keys[path]: _encoded(seen) for path, seen in _looked(adapter, snapshot, missing)}
    if fresh:
        cache.put_many(space, list(fresh.items()))
    found = {path: known.get(key) or fresh.get(key) or b"" for path, key in keys.items()}
    return {path: _decoded(text) for path, text in found.items() if text}


def _looked(adapter: Language, snapshot: Snapshot, paths: Sequence[str]) -> Iterator[tuple[str, Glimpse | None]]:
    for path, source in snapshot.read_many(paths):
        if source is None:
            continue
        try:
            yield path, adapter.glimpse(path, source)
        except (RecursionError, MemoryError):
            yield path, Glimpse(1)


def _encoded(seen: Glimpse | None) -> bytes:
    return b"" if seen is None else b"%d %d %d" % (seen.count, seen.line, seen.hooks)


def _decoded(text: bytes) -> Glimpse:
    count, line, hooks = map(int, text.split())
    return Glimpse(count, line, bool(hooks))


def uncollected(
    adapter: Language, configuration: Configuration, seen: Mapping[str, Glimpse], collected: Collection[str]
) -> list[Gap]:
    """Report a gap for every file with something like tests; `collected` are files whose tests came in another way."""
    found = []
    for path, one in seen.items():
        unsure = next((configuration.unsure[up] for up in upwards(path) if up in configuration.unsure), "")
        why = f"are not collected: {adapter.left_out(configuration, path)}"
        why = f"may be collected: {unsure}" if unsure else why if one.count > 1 else why.replace("are", "is", 1)
        if one.count and path not in collected:
            spans = WHOLE if unsure else ()
            found.append(Gap(path, f"{_shaped(one.count)} and {why}; {_REMEDY}", one.line, spans=spans))
    return found


_REMEDY = "`[tests] include` in pact/pact.toml adds the file, `exclude` leaves it out"


def _shaped(count: int) -> str:
    return "1 declaration looks like a test" if count == 1 else f"{count:,} declarations look like tests"


_SPACE = f"unread/1/{__version__}"


def unread_tests(snapshot: Snapshot, paths: Sequence[str], cache: Cache) -> tuple[Gap, ...]:
    """Report one gap per language with tests, at the folder that contains all of them."""
    found: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for path, number in _counted(snapshot, paths, cache).items():
        if number:
            found[language_of(path)].append((path, number))
    return tuple(sorted(_gap(language, files) for language, files in found.items()))


def _counted(snapshot: Snapshot, paths: Sequence[str], cache: Cache) -> dict[str, int]:
    keys = {path: f"{blob} {path}" for path in paths if (blob := snapshot.blob(path)) is not None}
    known = cache.get_many(_SPACE, list(keys.values()))
    missing = [path for path, key in keys.items() if key not in known]
    fresh = {
        keys[path]: b"%d" % count_tests(path, source)
        for path, source in snapshot.read_many(missing)
        if source is not None
    }
    if fresh:
        cache.put_many(_SPACE, list(fresh.items()))
    return {path: int(known.get(key) or fresh.get(key) or b"0") for path, key in keys.items()}


def _gap(language: str, files: Sequence[tuple[str, int]]) -> Gap:
    number = sum(count for _, count in files)
    tests = f"{number:,} {language} test{'' if number == 1 else 's'}"
    place = posixpath.commonpath([posixpath.dirname(path) for path, _ in files]) or "."
    where = "1 file" if len(files) == 1 else f"{len(files):,} files"
    return Gap(place, f"{tests} in {where} {'is' if number == 1 else 'are'} not read: {language} is not supported")


@dataclass(frozen=True, slots=True)
class Unread:
    """A language and the pattern that starts a test in it; `named` means only files with test-like names count."""

    language: str
    declares: bytes
    named: bool = True


_TITLED: Final = rb"^[ \t]*+(?:it|test|describe|specify|scenario)[ (]++[\"'`]"
_JVM: Final = rb"^[ \t]*+@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b"
_CPP: Final = rb"^[ \t]*+(?:(?:TYPED_)?TEST(?:_[FP]|_CASE|_METHOD)?|SCENARIO|BOOST_\w*+TEST_CASE)[ \t]*+\("
_SHARP: Final = rb"^[ \t]*+\[(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\b"
_ROWS: Final[dict[str, Unread]] = {
    ".go": Unread("Go", rb"^func (?:\([^)\n]*+\) )?(?:Test|Fuzz|Benchmark|Example)\w*+\("),
    ".rs": Unread("Rust", rb"^[ \t]*+#\[(?:[\w:]++::)?(?:test|rstest|test_case|wasm_bindgen_test)\b", named=False),
    ".java": Unread("Java", _JVM, named=False),
    ".kt": Unread("Kotlin", _JVM, named=False),
    ".groovy": Unread("Groovy", rb"^[ \t]*+(?:@Test\b|def [\"'])"),
    ".scala": Unread(
        "Scala", rb"^[ \t]*+(?:test|it|describe|property)\(\"|^[ \t]*+\"[^\"\n]*+\" (?:should|in)\b|^[ \t]*+@Test\b"
    ),
    ".rb": Unread("Ruby", rb"^[ \t]*+(?:(?:it|specify|scenario|test|should)[ (]++[\"']|def test_|it \{)"),
    ".cs": Unread("C#", _SHARP, named=False),
    ".fs": Unread("F#", rb"^[ \t]*+\[<(?:Fact|Theory|Test|Property)\b", named=False),
    ".vb": Unread("Visual Basic", rb"^[ \t]*+<(?:Fact|Theory|Test|TestMethod)\b", named=False),
    ".php": Unread(
        "PHP", rb"^[ \t]*+(?:(?:final )?public function test\w*+ *\(|#\[Test\]|\* @test\b|(?:it|test)\([\"'])"
    ),
    ".swift": Unread("Swift", rb"^[ \t]*+(?:@\w++ )*(?:func test\w*+ *\(|@Test\b)"),
    ".m": Unread("Objective-C", rb"^- ?\(void\) ?test\w"),
    ".c": Unread("C", _CPP + rb"|^(?:static )?(?:void|int) test_\w++ *\("),
    ".cc": Unread("C++", _CPP),
    ".cpp": Unread("C++", _CPP),
    ".cxx": Unread("C++", _CPP),
    ".ex": Unread("Elixir", rb"^[ \t]*+(?:test|property) \""),
    ".exs": Unread("Elixir", rb"^[ \t]*+(?:test|property) \""),
    ".erl": Unread("Erlang", rb"^\w*+_test_?\(\)"),
    ".clj": Unread("Clojure", rb"^[ \t]*+\((?:\w++/)?(?:deftest|defspec)\b"),
    ".hs": Unread("Haskell", rb"^[ \t]*+(?:it|testCase|testProperty|prop) \"|^prop_\w++ ::"),
    ".ml": Unread("OCaml", rb"^[ \t]*+let%(?:test|expect_test)"),
    ".dart": Unread("Dart", rb"^[ \t]*+(?:test|testWidgets)\([\"']"),
    ".lua": Unread("Lua", rb"^[ \t]*+(?:it|test)\([\"']"),
    ".jl": Unread("Julia", rb"^[ \t]*+@test(?:_\w++)?\b"),
    ".R": Unread("R", rb"^[ \t]*+(?:test_that|it)\([\"']"),
    ".r": Unread("R", rb"^[ \t]*+(?:test_that|it)\([\"']"),
    ".t": Unread("Perl", rb"^[ \t]*+(?:is|ok|like|is_deeply|subtest)[ (]", named=False),
    ".pl": Unread("Perl", rb"^[ \t]*+subtest[ (]"),
    ".zig": Unread("Zig", rb"^[ \t]*+test \"", named=False),
    ".nim": Unread("Nim", rb"^[ \t]*+test \""),
    ".cr": Unread("Crystal", rb"^[ \t]*+it \""),
    ".bats": Unread("Bats", rb"^@test ", named=False),
    ".sol": Unread("Solidity", rb"^[ \t]*+function test\w*+\("),
    ".feature": Unread("Gherkin", rb"^[ \t]*+(?:Scenario|Scenario Outline|Example):", named=False),
    ".robot": Unread("Robot Framework", rb"^(?!\*)\S[^\n]*+$"),
    ".coffee": Unread("CoffeeScript", _TITLED),
    ".ps1": Unread("PowerShell", rb"^[ \t]*+It [\"']"),
}
_NAMED: Final = re.compile(r"test|spec", re.IGNORECASE)


def _row_of(path: str) -> Unread | None:
    _, dot, suffix = path.rpartition(".")
    return _ROWS.get(dot + suffix)


def is_named(path: str) -> bool:
    """Whether a path speaks of tests."""
    return _NAMED.search(path) is not None


def is_unread(path: str) -> bool:
    """Whether a file may hold tests of a language that isn't read."""
    row = _row_of(path)
    return row is not None and (not row.named or is_named(path))


def language_of(path: str) -> str:
    """Return the language of such a file; empty if there is none."""
    row = _row_of(path)
    return row.language if row is not None else ""


def count_tests(path: str, source: bytes) -> int:
    """Count the tests that a file declares."""
    row = _row_of(path)
    return sum(1 for _ in re.finditer(row.declares, source, re.MULTILINE)) if row is not None else 0
