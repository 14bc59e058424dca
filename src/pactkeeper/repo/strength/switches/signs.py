"""Lines by which code silences, detects or manipulates the checks that judge it.

A sign is counted over all changed files of its side, so that moving a line or changing its neighbours isn't reported.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import compress
from operator import itemgetter
from typing import Final, Literal

from pactkeeper.intent.strength.change import Change, Severity
from pactkeeper.repo.languages.python.syntax import in_text, parse
from pactkeeper.repo.strength.switches.plugins import ENDS, exit_changes, hook_changes
from pactkeeper.repo.test_side import CODE, is_test_side

WARNINGS: Final = "warnings fail fewer tests"
LENIENT: Final = "a stricter mode is off"
LESS_COVERED: Final = "less coverage is enough"
UNREAD: Final = "what it asks for cannot be read"
FEWER_EXAMPLES: Final = "properties are tried with fewer examples"
_CODE: Final = (*CODE, ".pyi", ".vue", ".svelte", ".go", ".rs", ".java", ".kt", ".xml", ".gradle", ".kts",
                ".properties")  # fmt: skip
_SETTINGS: Final = re.compile(r"(?:.*/)?[\w.-]*(?:config|rc|setup|noxfile)\.\w+\Z")
_BUILT_IN: Final = (r"toBe(?:CloseTo|Defined|Falsy|GreaterThan\w*|InstanceOf|LessThan\w*|NaN|Null|Truthy|Undefined)?"
                    r"|to(?:Strict)?Equal|toContain(?:Equal)?|toMatch(?:Object|Snapshot)?"
                    r"|toHave(?:Been(?:Called|Last|Nth)\w*|Last\w*|Nth\w*|Returned\w*|Resolved\w*|Length|Property"
                    r"|Text\w*|Values?|URL|Count|Title|Attribute|Class|CSS|Id|Role|Accessible\w*|JSProperty)"
                    r"|toThrow\w*")  # fmt: skip
_OF_A_PACKAGE: Final = r"(?!\s*+(?:require\(\s*+['\"](?!\.)|chai\b|expect\b|assert\b))"


@dataclass(frozen=True, slots=True)
class Sign:
    """What a line looks like, on which side of the repository it counts, and what is wrong with one more of them.

    One of `words` occurs in everything it looks like; without words, any text may hold it.
    """

    looks: str
    words: tuple[str, ...]
    message: str
    severity: Severity = "error"
    side: Literal["both", "product", "tests"] = "both"

    def found_in(self, text: str) -> Iterator[re.Match[str]]:
        """Yield where a text looks like this."""
        if not self.words or any(word in text for word in self.words):
            yield from re.compile(self.looks, re.MULTILINE).finditer(text)


def _sign(
    looks: str,
    words: str,
    message: str,
    severity: Severity = "error",
    *,
    side: Literal["both", "product", "tests"] = "both",
) -> Sign:
    return Sign(looks, tuple(words.split()), message, severity, side)


_EXAMPLE: Final = ("doctest",)  # stands in a string
SIGNS: Final = (
    _sign(r"#\s*+doctest:\s*+\+SKIP", "doctest", "an example in the documentation is skipped"),
    _sign(r"#\s*+(?:type:\s*+ignore|pyright:\s*+ignore|ty:\s*+ignore|mypy:|noqa|nosec|pylint:\s*+disable|"
          r"pragma:\s*+no (?:cover|branch))|@ts-(?:ignore|nocheck|expect-error)|eslint-disable|biome-ignore|"
          r"oxlint-disable|(?:istanbul|c8|v8) ignore|@SuppressWarnings|//\s*+nolint|#!?\[allow\(|"
          r"//\s*+(?:go:build|\+build) ignore",
          "ignore mypy: noqa nosec pylint: pragma: @ts- eslint-disable oxlint-disable @SuppressWarnings nolint allow(",
          "a check is silenced", "warning", side="product"),
    _sign(r"\bPYTEST_(?:CURRENT_TEST|VERSION|XDIST_WORKER)|\bJEST_WORKER_ID|\bVITEST(?:_WORKER_ID|_POOL_ID)?\b|"
          r"cfg!\(test\)|testing\.Testing\(|\bflag\.Lookup\(\s*+\"test\.|['\"]org\.(?:junit|testng)\b|"
          r"['\"](?:pytest|unittest|_pytest)['\"]\s++(?:not\s++)?in\s++sys\.modules|"
          r"_called_from_test",
          "PYTEST_ JEST_WORKER_ID VITEST cfg!( testing. flag. org. sys.modules _called_from_test",
          "the product asks whether a test runs", side="product"),
    _sign(r"NODE_ENV['\"\])]*+\s*+[!=]==?\s*+['\"]test|import\.meta\.(?:vitest|jest)\b",
          "NODE_ENV import.meta", "the product asks whether a test runs", "warning", side="product"),
    _sign(r"globalThis\.(?:it|test|describe)\b\s*+=|"
          rf"\b(?:globalThis|global)(?:\s++as\s++\w++\s*+\))?\.(?:expect|assert)\s*+=(?!=){_OF_A_PACKAGE}|"
          r"[(,{]\s*+(?:expect|assert)\s++=\s++(?:\(|\{|async\b|function\b|new\b|\w++\s*+=>)|"
          r"\.(?:method|spyOn|stub|replace)\(\s*+(?:assert|expect)\s*+,|"
          r"\b(?:globalThis|global)(?:\s++as\s++\w++\s*+\))?\.(?:it|test|specify)\s*+=\s*+(?:async\b|function\b|\()|"
          r"\b_?(?:pytest|unittest)(?:\.\w{1,80}+){1,8}+\s*+=(?!=)|"
          r"\bTestCase\.(?:assert\w++|fail\w*+|run)\s*+=(?!=)|sys\.modules\[['\"](?:pytest|_pytest|unittest)|"
          r"setattr\(\s*+(?:pytest|unittest|TestCase|_pytest)\b|\bAssertion\.(?:prototype\b|overwrite\w++)|"
          rf"expect\.extend\(\s*+\{{\s*+(?:async\s++)?['\"]?(?:{_BUILT_IN})['\"]?\s*+[(:,}}]|"
          r"\bassert\.(?:equal|strictEqual|deepEqual|deepStrictEqual|ok|throws|rejects)\s*+=(?!=)|"
          r"\bbuiltins\.(?:AssertionError|isinstance|all|any)\s*+=(?!=)",
          "globalThis global pytest unittest TestCase Assertion expect assert builtins.",
          "what judges the tests is replaced"),
    _sign(r"\baddEqualityTesters\(\s*+\[[^\]\n]{0,300}?(?:=>\s*+true\b|return\s++true\b)",
          "addEqualityTesters", "something is made equal to everything"),
    _sign(r"\baddEqualityTesters\((?!\s*+\[[^\]\n]{0,300}?(?:=>\s*+true\b|return\s++true\b))",
          "addEqualityTesters", "what is equal is decided anew for every test", "warning", side="tests"),
    _sign(r"\bpytest\.exit\(|session\.exitstatus\s*+=", "pytest.exit session.exitstatus", ENDS, side="tests"),
    _sign(r"\bprocess\.exit\(\s*+0?\s*+\)|\bsys\.exit\(\s*+0?\s*+\)|process\.exitCode\s*+=\s*+0\b",
          "process.exit sys.exit", ENDS, "warning", side="tests"),
    _sign(r"\bpytest\.(?:skip|xfail|exit|importorskip)\b|\b(?:unittest\.)?SkipTest\b|\bos\._exit\(|"
          r"\bprocess\.exit\(\s*+0?\s*+\)", "pytest. SkipTest os._exit process.exit",
          "it ends or skips the test that runs it", "warning", side="product"),
    _sign(r"^(?!self\b|cls\b|exports\b|module\b)\w++(?:\.\w++)++\s*+=(?!=)|^setattr\(|^pytest_plugins\b|"
          r"\bsys\.modules\[|\bpatch[\w.]*+\([^\n]{0,200}?\)\.start\(",
          "", "it replaces something for every test of the run", "warning", side="tests"),
    _sign(r"^func (?:TestMain|init)\(", "func", "it takes hold of the whole run", "warning", side="tests"),
    _sign(r"\btask[?!]?\.(?:result\b[^\n;=]{0,60}+|(?:mode|fails|retry)\s*+)=(?![=>])|"
          r"\bcurrentTest[?!]?\.(?:state|err|retries)\b[^\n;=]{0,60}+=(?![=>])|"
          r"\bnum(?:Failed|RuntimeError)Test(?:Suite)?s\s*+=(?!=)|\bfailureMessages?\s*+=(?!=)|"
          r"\btask[?!]?\.result[^\n;=]{0,60}?\.(?:pop|splice|shift)\(",
          "task currentTest numFailedTest numRuntimeErrorTest failureMessage", "the result of a test is written"),
    _sign(r"(?<!task\.)(?<!task[?!]\.)\bresult[?!]?\.(?:(?:state|status)\s*+=\s*+['\"]pass(?:ed)?['\"]|"
          r"errors(?:\.length)?\s*+=(?![=>]))|\b(?!result\b)\w++\.state\s*+=\s*+['\"]pass['\"]",
          "result .state", "the result of a test is written", side="tests"),
    _sign(r"PYTEST_DONT_REWRITE|sys\.flags\.optimize|\bPYTHONOPTIMIZE\b",
          "PYTEST_DONT_REWRITE sys.flags PYTHONOPTIMIZE", "assertions may be off", side="tests"),
    _sign(r"def __(?:contains|bool)__\([^)\n]{0,200}+\)[^:\n]{0,200}+:\s*+return True\b",
          "__contains__ __bool__", "something of the product holds everything", "warning", side="product"),
    _sign(r"def __(?:contains|bool)__\([^)\n]{0,200}+\)[^:\n]{0,200}+:\s*+return True\b",
          "__contains__ __bool__", "something is made equal to everything", side="tests"),
    _sign(r"def __eq__\([^)\n]{0,200}+\)[^:\n]{0,200}+:\s*+return True\b|"
          r"asymmetricMatch\s*+(?::\s*+|=\s*+)?\([^)\n]{0,200}+\)\s*+(?:=>\s*+true\b|\{\s*+return true\b)",
          "__eq__ asymmetricMatch", "something is made equal to everything"),
    _sign(r"\bjest\.retryTimes\(\s*+[1-9]|@(?:pytest\.mark\.)?flaky\b|"
          r"\b(?:it|test|describe)(?:\.\w{1,20}){0,2}\((['\"`])[^'\"`\n]{0,200}\1,\s*+\{\s*+retr(?:y|ies):\s*+[1-9]",
          "retr flaky", "failing tests are tried again"),
    _sign(r"\b(?:globals|vars)\(\)\.(?:pop|clear)\(|\bdel (?:globals|vars)\(\)\[", "globals vars",
          "tests are taken out of their module", side="tests"),
    _sign(r"^collect_ignore(?:_glob)?\s*+\+?=(?!=)(?!\s{0,4}\[\s{0,4}\])", "collect_ignore",
          "files of tests are no longer collected"),
    _sign(r"^[ \t]++collect_ignore(?:_glob)?\s*+\+?=(?!=)(?!\s{0,4}\[\s{0,4}\])", "collect_ignore",
          "files of tests are not collected under a condition", "warning"),
    _sign(r"-DskipTests|maven\.test\.(?:skip|failure\.ignore)|<(?:skipTests|testFailureIgnore)>\s*+true|"
          r"ignoreFailures\s*+=?\s*+true|test\.enabled\s*+=\s*+false",
          "skipTests maven.test testFailureIgnore ignoreFailures test.enabled", "failing tests are ignored"),
)  # fmt: skip
_PROFILE: Final = re.compile(r"register_profile\(\s*+['\"]([\w-]++)['\"]")
_EXAMPLES: Final = re.compile(r"max_examples\s*+=\s*+(\d{1,9}+)")
_SHOWN: Final = 160
_PLUGINS: Final = 600  # characters in which a file names its plugins
_QUOTED: Final = re.compile(r"['\"]([\w.]{1,120})['\"]")
_FROM_PACKAGES: Final = re.compile(r"\bimport\s*+\{([^{}]{0,2000}+)\}\s*+from\s*+['\"](?!\.)")
_EXPORTED: Final = re.compile(r"^(?:module\.exports[ \t]*+=|export default)[ \t]++([\w$]++)[ \t]*+;?$", re.MULTILINE)
_MADE: Final = re.compile(r"^(?:const|let|var)[ \t]++([\w$]++)[^=\n]{0,200}+=[ \t]*+([^\n]*+)", re.MULTILINE)
_TAKEN: Final = re.compile(r"(?:await[ \t]++)?(?:require|import)\([^()]{0,200}+\)(?:\.\w++)*+[ \t]*+;?")
_NAME: Final = re.compile(r"(?<![\w$])[\w$]++(?=\s*+(?:,|$))")
_RULE: Final = re.compile(r"[:=\[( ]*+[\w,./@-]*+")
_FUNCTION: Final = re.compile(r"^[ \t]*+(?:(?:async[ \t]++)?def|class)[ \t]++(\w++)[(:]", re.MULTILINE)
_PROSE: Final = ("#", "//", "*", "/*")
_REACH: Final = 300  # characters between a profile's name and its number of examples


def sign_changes(old: Mapping[str, str], new: Mapping[str, str], *, whole: bool = True) -> Iterator[Change]:
    """Yield what changed files (texts by path) contain more of than before; of parts of them none can be new."""
    olds, news = ({path: text for path, text in side.items() if path.endswith(_CODE)} for side in (old, new))
    cut = {path: _differing(olds.get(path, ""), news.get(path, "")) for path in olds.keys() | news.keys()}
    known = Counter(line.strip() for parts in cut.values() for line in parts[0].splitlines())
    added = _added_functions(olds, news) if whole else {}
    one, two = _decorated(olds), _decorated(news)
    still = {pair for pair, times in two.items() if times == one[pair]}
    for sign in SIGNS:
        mine = {path: parts for path, parts in sorted(cut.items()) if _counts(sign, path)}
        found, _ = _apart(sign, {path: parts[1:] for path, parts in mine.items()}, news, still)
        olds_in = {path: parts[::2] for path, parts in mine.items()} if found else {}
        before, same = _apart(sign, olds_in, olds, still)
        if len(found) > len(before):
            fresh = [
                (path, match)
                for path, match in _fresh(found, known - Counter(_line(match) for _, match in same))
                if not (_is_prose(match, sign) or _only_moves(match, news) or _hands_out(match, news[path]))
                and not _fills_export(match, news[path])
                and _function(news[path], match, cut[path][2]) not in added.get(path, ())
                and not (sign.words != _EXAMPLE and _is_quoted(path, news[path], match, cut[path][2]))
            ]
            lines = {_line(match) for _, match in found}
            reworded = Counter(_asked(match) for _, match in before if _line(match) not in lines)
            told = (_added(sign, *one, cut[one[0]][2]) for one in _beyond(fresh, reworded)[:1])
            yield from (one if _stood(one, olds) else replace(one, severity="warning") for one in told)
    yield from _broken(olds, news)
    yield from hook_changes(olds, news)
    yield from exit_changes(olds, news)
    yield from _profiles(olds, news)


def _broken(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    """Report every conftest.py that does not parse any more: what it does to the tests is unknown."""
    for path, text in new.items():
        if path.rpartition("/")[2] == "conftest.py" and parse(text.encode()).root_node.has_error:
            known = parse(old.get(path, "").encode()).root_node.has_error
            yield Change(
                "switched_off", path, f"{UNREAD}: it does not parse", "", "", 0, "note" if known else "warning", path
            )


def _differing(old: str, new: str) -> tuple[str, str, int]:
    """Return how two texts differ, with one line of context, and how many lines precede that."""
    one, two = old.splitlines(keepends=True), new.splitlines(keepends=True)
    shorter = min(len(one), len(two))
    start = next((at for at in range(shorter) if one[at] != two[at]), shorter)
    most = shorter - start
    end = next((at for at in range(most) if one[-1 - at] != two[-1 - at]), most)
    start, end = max(start - 1, 0), max(end - 1, 0)
    return "".join(one[start : len(one) - end]), "".join(two[start : len(two) - end]), start


def _counts(sign: Sign, path: str) -> bool:
    tests = is_test_side(path)
    if sign.side == "tests":
        return tests
    return sign.side == "both" or not (tests or _SETTINGS.match(path))


_Found = tuple[str, re.Match[str]]


def _fresh(found: Iterable[_Found], old: Mapping[str, int]) -> Iterator[_Found]:
    """Yield the signs on lines that the other side doesn't have as often; a line may have several."""
    known, stood = Counter(old), dict[tuple[str, int], bool]()
    for path, match in found:
        at = path, match.string.rfind("\n", 0, _start(match))
        if at not in stood:
            stood[at] = known[_line(match)] > 0
            known[_line(match)] -= 1
        if not stood[at]:
            yield path, match


def _beyond(fresh: Sequence[_Found], reworded: Counter[str]) -> list[_Found]:
    """Return the signs that ask for something new first; a reworded line asks for what it asked before."""
    anew = [(path, match) for path, match in fresh if not reworded[_asked(match)]]
    return anew or list(reversed(fresh))


def _added(sign: Sign, path: str, match: re.Match[str], before: int) -> Change:
    number = before + match.string.count("\n", 0, _start(match)) + 1
    return Change("switched_off", path, sign.message, "", _line(match)[:_SHOWN], number, sign.severity, path)


def _stood(change: Change, old: Mapping[str, str]) -> bool:
    """Whether an example that is skipped was there before; anything else that a sign says is no example."""
    example, skipped, _ = change.new.partition("# doctest:")
    return not skipped or any(example.strip() in text for text in old.values())


def _is_prose(match: re.Match[str], sign: Sign) -> bool:
    return _line(match).startswith(_PROSE) and sign.severity == "error"


def _only_moves(match: re.Match[str], paths: Iterable[str]) -> bool:
    """Whether plugins are named that the change brings along, so that what they do is compared."""
    after = match.string[match.end() : match.end() + _PLUGINS]
    listed = re.split(r"\]|\)|\n\w", after, maxsplit=1)[0]
    names = [f"/{name.replace('.', '/')}.py" for name in _QUOTED.findall(listed)]
    return (
        match[0] == "pytest_plugins"
        and bool(names)
        and all(any(f"/{path}".endswith(name) for path in paths) for name in names)
    )


def _is_quoted(path: str, text: str, match: re.Match[str], before: int) -> bool:
    """Whether it is a text that a Python file of tests holds, as tests of linters do; `before` are the lines above."""
    start = _start(match)
    row = before + match.string.count("\n", 0, start)
    return (
        path.endswith(".py")
        and is_test_side(path)
        and in_text(text, row, start - match.string.rfind("\n", 0, start) - 1)
    )


def _apart(
    sign: Sign, parts: Mapping[str, tuple[str, int]], texts: Mapping[str, str], still: Collection[tuple[str, str]]
) -> tuple[list[_Found], list[_Found]]:
    """Divide a sign's matches in parts of texts, each with its number of lines above: by whether they decorate anew."""
    every = [(path, match) for path, (part, _) in parts.items() for match in sign.found_in(part)]
    keeps = [(_line(one), _function(texts[path], one, parts[path][1])) in still for path, one in every]
    return [one for one, kept in zip(every, keeps, strict=True) if not kept], list(compress(every, keeps))


def _function(text: str, match: re.Match[str], before: int) -> str:
    """Return what a line decorates, in the whole text with `before` lines above; "" if it does not."""
    if not _line(match).startswith("@"):
        return ""
    row = before + match.string.count("\n", 0, _start(match))
    functions = _functions(text)
    at = bisect_right(functions, row, key=itemgetter(0))
    return functions[at][1] if at < len(functions) else ""


@lru_cache(maxsize=32)
def _functions(text: str) -> tuple[tuple[int, str], ...]:
    """Return the Python functions of a text, each with its row."""
    lines = enumerate(text.split("\n"))
    return tuple((row, function[1]) for row, line in lines if (function := _FUNCTION.match(line)) is not None)


def _decorated(texts: Mapping[str, str]) -> Counter[tuple[str, str]]:
    """Count each line that decorates a Python function, with the name of that function."""
    found: Counter[tuple[str, str]] = Counter()
    lines: list[str] = []
    for line in (line for path, text in texts.items() if path.endswith(".py") for line in text.splitlines()):
        function = _FUNCTION.match(line)
        if function is not None:
            found.update((one, function[1]) for one in lines)
            lines = []
        elif line.lstrip().startswith("@"):
            lines.append(line.strip())
    return found


def _added_functions(olds: Mapping[str, str], news: Mapping[str, str]) -> Mapping[str, Collection[str]]:
    """Return the new Python functions and classes of each file; none where a test of it is gone, which may be one."""
    old, new = ({path: {*_FUNCTION.findall(text)} for path, text in side.items()} for side in (olds, news))
    before, after = (frozenset[str]().union(*side.values()) for side in (old, new))
    renamed = {path for path, names in old.items() if any(one[:4].casefold() == "test" for one in names - after)}
    return {path: names - before for path, names in new.items() if path not in renamed}


def _hands_out(match: re.Match[str], text: str) -> bool:
    """Whether a line gives everyone a function under its own name that the file imports from a package."""
    name = match[0].removeprefix("globalThis.").rstrip("= \t")
    given = match.string[match.end() :].partition("\n")[0].strip(" ;")
    if name == match[0] or given != name:
        return False
    return any(name in _NAME.findall(names) for names in _FROM_PACKAGES.findall(text))


def _fills_export(match: re.Match[str], text: str) -> bool:
    """Whether a line sets a member of the object that its file makes and exports as a whole: settings of its own."""
    name = match[0].strip().partition(".")[0]
    values = [value for made, value in _MADE.findall(text) if made == name]
    return name in _EXPORTED.findall(text) and bool(values) and not any(map(_TAKEN.fullmatch, values))


def _asked(match: re.Match[str]) -> str:
    """Return a sign with the first rule that it names: `noqa: S311`."""
    return match[0] + _RULE.match(match.string, match.end())[0]  # type: ignore[index]  # it matches nothing too


def _start(match: re.Match[str]) -> int:
    return match.start() + len(match[0]) - len(match[0].lstrip())


def _line(match: re.Match[str]) -> str:
    start, text = _start(match), match.string
    end = text.find("\n", start)
    return text[text.rfind("\n", 0, start) + 1 : end if end >= 0 else None].strip()


def _profiles(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    """Report hypothesis profiles that try fewer examples."""
    before = {name: count for text in old.values() for name, count, _ in _profiles_of(text)}
    for path, text in new.items():
        for name, count, line in _profiles_of(text):
            if count < before.get(name, 0):
                yield Change("switched_off", f"{path} {name}", FEWER_EXAMPLES,
                             f"{before[name]} examples", f"{count} examples", line, "error", path)  # fmt: skip


def _profiles_of(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _PROFILE.finditer(text):
        given = _EXAMPLES.search(text, match.end(), match.end() + _REACH)
        if given is not None:
            yield match[1], int(given[1]), text.count("\n", 0, match.start()) + 1
