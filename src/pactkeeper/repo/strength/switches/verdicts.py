"""Whether another value of a setting is weaker: what the rows of `rules` judge by.

Also whether an alias of a module puts another file in place of one of the product.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.repo.languages.javascript.settings.runner import union
from pactkeeper.repo.languages.javascript.settings.unknown import Unknown
from pactkeeper.repo.strength.switches.reading import Value
from pactkeeper.repo.test_side import is_test_side

Verdict = Literal["weaker", "stronger", "unclear", "same"]
_NUMBER: Final = re.compile(r"(?<![\w.])-?\d[\d_]*+(?:\.\d++)?")
_ALIAS: Final = re.compile(r"npm:(@?[^@]++)")
_FROM_HERE: Final = re.compile(r"(?:file|link|portal):|[.~]?/|\.\./|<rootDir>")
TESTS: Final = re.compile(r"(?:\A|/)tests?_[^/]++\Z|[._-](?:tests?|spec)\.\w++\Z")  # not what lies beside tests
_TRUE: Final = frozenset({"true", "1", "yes", "on"})
_FALSE: Final = frozenset({"false", "0", "no", "off", "none", ""})
_LEVELS: Final = {"off": 0.0, "0": 0.0, "0.0": 0.0, "warn": 1.0, "1": 1.0, "1.0": 1.0,
                  "error": 2.0, "2": 2.0, "2.0": 2.0}  # fmt: skip
_ASSET: Final = re.compile(
    r"\b(?:css|s[ac]ss|less|styl\w*|svg|png|jpe?g|gif|webp|woff2?|ttf|eot|mp[34]|webm|md)\b", re.IGNORECASE
)
_PATH: Final = re.compile(
    r"(?:\A|['\"`]|<rootDir>/)(?:\./|/)?([\w@][\w@./-]{0,200}/[\w@./-]{1,100}|[\w-]{1,100}\.[cm]?[jt]sx?)"
)
_FAKE: Final = re.compile(r"(?:\A|[/_.-])(?:fakes?|mocks?|stubs?|doubles?|dummy|dummies)(?:[/_.-]|\Z)", re.IGNORECASE)
_LONGEST: Final = 200  # a longer pattern, or one with more stars, is assumed to match everything
_STARS: Final = 6
_FAR: Final = 5  # a limit this many times larger is effectively another limit


@dataclass(frozen=True, slots=True)
class RuleContext:
    """What a rule may use besides the two values: the files of the later state, the default, and the setting's key."""

    paths: Sequence[str]
    default: float | None = None
    lines: bool = False
    key: str = ""


def number(value: Value) -> float | None:
    """Return the number that a value is, or the largest one in an expression."""
    if isinstance(value, bool | tuple) or value is None:
        return float(value) if isinstance(value, bool) else None
    if isinstance(value, float):
        return value
    found = _NUMBER.findall(value.source if isinstance(value, Unknown) else value)
    return max((float(one.replace("_", "")) for one in found), default=None)


def truth(value: Value) -> bool | None:
    """Whether a switch is on; None if unknown or unset."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, Unknown):
        return True if "process.env.CI" in value.source else None
    if isinstance(value, tuple | float):
        return bool(value)
    return True if value.lower() in _TRUE else False if value.lower() in _FALSE else None


def items(value: Value, *, lines: bool = False) -> tuple[str, ...]:
    """Return the items of a list, however it is written."""
    if isinstance(value, tuple):
        return value
    if isinstance(value, str):
        parts = value.splitlines() if lines else re.split(r"[\s,]+", value)
        return tuple(part.strip() for part in parts if part.strip() and not part.strip().startswith("#"))
    return (value.source,) if isinstance(value, Unknown) else ()


def _numbers(old: Value, new: Value, seen: RuleContext) -> tuple[float, float] | None:
    one = seen.default if old is None else number(old)
    two = seen.default if new is None else number(new)
    return (one, two) if one is not None and two is not None else None


def lower(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Judge a smaller number as weaker."""
    pair = _numbers(old, new, seen)
    if pair is None:
        return "same" if old is None or seen.default is None else "unclear"
    return "weaker" if pair[1] < pair[0] else "stronger" if pair[1] > pair[0] else "same"


def higher(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Judge a larger number as weaker."""
    return _turned(lower(old, new, seen))


def threshold(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Judge a smaller share as weaker; a negative threshold counts what may be missing.

    A drop of less than a point is unclear, since removing code can cause it, too.
    """
    pair = _numbers(old, new, seen)
    if pair is not None and (pair[0] > 0 > pair[1] or 1 < pair[1] < pair[0] < pair[1] + 1):
        return "unclear"
    return lower(old, new, seen)


def farther(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Judge a limit many times larger as weaker, since it hardly limits anything; 0 means no limit."""
    pair = _numbers(old, new, seen)
    if pair is None:
        return "same"
    one, two = (value or float("inf") for value in pair)
    return "weaker" if one != two and two >= one * _FAR else "same"


def is_true(old: Value, new: Value, _seen: RuleContext) -> Verdict:
    """Judge switching on as weaker."""
    if truth(new) is True and truth(old) is not True:
        return "weaker"
    if isinstance(new, Unknown) and old != new:
        return "unclear"
    return "stronger" if truth(old) is True and truth(new) is not True else "same"


def is_false(old: Value, new: Value, _seen: RuleContext) -> Verdict:
    """Judge switching off as weaker, even if only by falling back to the default."""
    one, two = truth(old), truth(new)
    if (two is False and (one is True or isinstance(old, Unknown))) or (one is True and new is None):
        return "weaker"
    if one is True and two is None:
        return "unclear"
    return "stronger" if two is True and one is not True else "same"


def off(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Like `is_false`, of what is on unless it is switched off."""
    return is_false(True if old is None else old, True if new is None else new, seen)


def unset(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Judge switching off as weaker; if unset, it is unclear, since another version's default may be as strict."""
    return "unclear" if new is None and truth(old) is True else is_false(old, new, seen)


def shrinks(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Judge fewer items as weaker, including the removal of the whole list."""
    one, two = set(items(old, lines=seen.lines)), set(items(new, lines=seen.lines))
    if one - two and not two & {"ALL", "all"}:
        return "weaker"
    return "stronger" if two - one and old is not None else "same"


def measured(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Like `shrinks`, except for items without remaining files: a renamed package is measured under its new name."""
    old, new = (value and tuple(item.removesuffix("/*") for item in items(value)) for value in (old, new))
    verdict, kept = shrinks(old, new, seen), set(items(new))
    lost = [item.removeprefix("./").replace(".", "/") for item in items(old) if item not in kept]
    places = tuple(f"{root}{item}/" for item in lost for root in ("", "src/", "lib/"))
    there = any("*" in item for item in lost) or any(path.startswith(places) for path in seen.paths)
    return "same" if verdict == "weaker" and new is not None and not there else verdict


def grows(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Judge more items as weaker."""
    return _turned(shrinks(old if old is not None else (), new if new is not None else (), seen))


def shorter(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Judge a smaller number of items as weaker, whichever they are."""
    return "weaker" if len(items(new, lines=seen.lines)) < len(items(old, lines=seen.lines)) else "same"


def chosen(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Judge file patterns that select tests: files that only the old ones select are lost."""
    if new is None:
        return "same"
    one, two = items(old, lines=seen.lines), items(new, lines=seen.lines)
    if set(one) <= set(two) and old is not None:
        return "same"
    default = {path for path in _tests(seen.paths) if TESTS.search(path)
               and path.endswith(".py") is seen.key.startswith("pytest.")}  # fmt: skip
    old_files = default if old is None else chosen_files(one, seen.paths)
    lost = old_files - chosen_files(two, seen.paths)
    return "same" if not lost else "unclear" if old is None else "weaker"


def narrowed(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Like `chosen`, but the same if the old value is unset: a new checker takes nothing away."""
    return "same" if old is None else chosen(old, new, seen)


def ignored(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Judge file patterns that exclude tests: files that only the new ones match are lost."""
    if _tests(seen.paths) & _left_out(old, new, seen, loose=True):
        return "weaker"
    return "stronger" if set(items(old, lines=seen.lines)) - set(items(new, lines=seen.lines)) else "same"


def unmeasured(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Judge file patterns that exclude code: files that only the new ones match are lost, except tests."""
    return "same" if all(map(is_test_side, _left_out(old, new, seen))) else "weaker"


def _left_out(old: Value, new: Value, seen: RuleContext, *, loose: bool = False) -> set[str]:
    one, two = items(old, lines=seen.lines), items(new, lines=seen.lines)
    gained = [item for item in two if item not in one]
    return chosen_files(gained, seen.paths, loose=loose) - chosen_files(one, seen.paths, loose=loose)


def aliased(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Judge an alias that replaces a file of the product as weaker."""
    was, text = (one.source if isinstance(one, Unknown) else one if isinstance(one, str) else "" for one in (old, new))
    found = replaces(seen.key, text, seen.paths, was) if old != new else "nothing"
    return "weaker" if found == "product" else "unclear" if found == "perhaps" else "same"


def elsewhere(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Judge a package that comes from the repository or is another one under its name as weaker."""
    one, two = (_source_of(value, seen.key) for value in (old, new))
    return two if one != two else "same"


def _source_of(value: Value, key: str) -> Verdict:
    text = value if isinstance(value, str) else ""
    alias = _ALIAS.match(text)
    if (alias is not None and not key.endswith(alias[1])) or _FROM_HERE.match(text):
        return "weaker"
    return "unclear" if "://" in text or text.startswith(("git", "github:")) else "same"


def unjudged(old: Value, new: Value, _seen: RuleContext) -> Verdict:
    """Judge anything new as unclear, since only running it would tell what it does."""
    return "unclear" if new is not None and old != new else "same"


def own(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Judge a file of the repository, or code in the settings, as unclear; a package is the same."""
    found = isinstance(new, Unknown) or new is True or any(_FROM_HERE.match(item) for item in items(new))
    return unjudged(old, new, seen) if found else "same"


def same(_old: Value, _new: Value, _seen: RuleContext) -> Verdict:
    """Judge no change."""
    return "same"


def level(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Judge a linter rule that reports less, or nothing, as weaker."""
    one, two = _level(old), _level(new)
    if one is None or (two is None and new is not None):
        return "weaker" if two == 0 else "same"
    return lower(one, two or 0.0, seen)


def set_level(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Like `level`, but unclear if the old value is unset: presets, perhaps new, decide whether it was on."""
    verdict = level(old, new, seen)
    return "unclear" if verdict == "weaker" and old is None else verdict


def limit(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Judge a rule with a limit, such as `["error", 80]`: reporting less or allowing more is weaker."""
    known = level(old, new, seen)
    one, two = (value[1] if isinstance(value, tuple) and len(value) > 1 else None for value in (old, new))
    return higher(one, two, seen) if known == "same" else known


def _level(value: Value) -> float | None:
    return _LEVELS.get(str(value[0] if isinstance(value, tuple) and value else value))


def changes(old: Value, new: Value, _seen: RuleContext) -> Verdict:
    """Judge any change as weaker."""
    return "weaker" if old != new else "same"


def _turned(verdict: Verdict) -> Verdict:
    return {"weaker": "stronger", "stronger": "weaker"}.get(verdict, verdict)  # type: ignore[return-value]


def _tests(paths: Iterable[str]) -> set[str]:
    return {path for path in paths if is_test_side(path) and "." in path.rpartition("/")[2]}


def chosen_files(patterns: Iterable[str], paths: Sequence[str], *, loose: bool = False) -> set[str]:
    """Return the files that any of the patterns selects."""
    found: set[str] = set()
    for pattern in patterns:
        fits = _fits(pattern, loose=loose)
        found.update(path for path in paths if fits(path))
    return found


def _fits(pattern: str, *, loose: bool) -> Callable[[str], bool]:
    """Return a test for paths selected by a folder, a file or a glob; if `loose`, also by a part of their name."""
    plain = pattern.replace("<rootDir>/", "").replace("\\", "").strip("^$").removeprefix("./").strip("/")
    if plain in {"", ".", "**", "**/*"}:
        return lambda _: True
    if not re.search(r"[*?\[{(|]", plain):
        return lambda path: f"/{plain}/" in f"/{path}/" or (loose and _pieced(pattern, plain, path))
    if len(plain) > _LONGEST or plain.count("*") > _STARS:
        return lambda _: True
    glob = union("", (plain,))
    if not glob.of:  # broken, or prone to catastrophic backtracking
        return lambda _: True
    if "/" not in plain:
        return lambda path: any(glob.match(f"/{part}") for part in path.split("/"))
    return lambda path: glob.match(f"/{path}") or glob.match(f"//{path}")


def _pieced(pattern: str, plain: str, path: str) -> bool:
    return f"/{plain}" in f"/{path}" if "/" in plain else "/" not in pattern and plain in path.rpartition("/")[2]


def filters(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Judge filters of warnings that make fewer of them errors as weaker."""
    one, two = items(old, lines=seen.lines), items(new, lines=seen.lines)
    if any(item.startswith("error") and item not in two for item in one) and "error" not in two:
        return "weaker"
    if "error" in two and "error" not in one:
        return "stronger"
    if [item for item in two if item.startswith(("ignore", "default")) and item not in one]:
        return "unclear"
    return "stronger" if set(two) - set(one) else "same"


def mode(old: Value, new: Value, seen: RuleContext) -> Verdict:
    """Judge a less strict mode of Pyright as weaker."""
    if old is None:
        return "same"  # the checker is new
    modes = ("off", "basic", "standard", "recommended", "strict", "all")
    one, two = (float(modes.index(str(v)) if str(v) in modes else 2) for v in (old, new))
    return lower(one, two, seen)


def severity_word(value: Value) -> Value:
    """Return what Pyright does about a finding as a linter's level."""
    return {"none": "off", "information": "off", "warning": "warn", "true": "error", "false": "off"}.get(
        str(value).lower(), value
    )


def replaces(key: str, value: str, paths: Sequence[str], old: str = "") -> Literal["product", "perhaps", "nothing"]:
    """Return what an alias replaces: a file of the product, or perhaps one, if it points to the test side.

    `old` is its earlier value. Style sheets and pictures count for nothing, since no test is about them, and nor does a
    new name for a folder of the tests.
    """
    found = _PATH.search(value)
    if found is None or _ASSET.search(key):
        return "nothing"
    target, name = found[1], _stem(key.rpartition("alias.")[2].rpartition("moduleNameMapper.")[2])
    named = (path for path in paths if "/" in name and f"/{_stem(path)}".endswith("/" + name))
    if any(_stem(path) != _stem(target) for path in named if not is_test_side(path)):
        return "product"
    if not _of_tests(value) or _of_tests(old):
        return "nothing"
    if _PATH.search(old):
        return "product"
    return "nothing" if any(path.startswith(f"{target}/") for path in paths) else "perhaps"


def _of_tests(value: str) -> bool:
    """Whether a value names a file of the tests, or a fake."""
    named = (match[1] for match in _PATH.finditer(value))
    return any(is_test_side(path) or _FAKE.search(path) is not None for path in named)


def _stem(path: str) -> str:
    """Return a path, or a pattern for one, without what leads there and without its ending."""
    plain = re.sub(r"[\\^$()?]", "", path)
    plain = re.sub(r"\A(?:\.\*|\.\.?/|/)*+", "", plain)
    return re.sub(r"\.[cm]?[jt]sx?\Z", "", plain)
