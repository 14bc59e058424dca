"""What a change did to the files that a JavaScript runner loads around every test: `setupFiles` and the like."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from pactkeeper.intent.strength.change import Change, Paired, Severity
from pactkeeper.intent.strength.facts import Strength
from pactkeeper.intent.strength.review import changes
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.product import MODULE
from pactkeeper.repo.strength.reading import setup_strength
from pactkeeper.repo.strength.support import TestState
from pactkeeper.repo.test_side import SCRIPTS, is_test_side

_ENDINGS: Final = ("", *SCRIPTS, *(f"/index{end}" for end in SCRIPTS))
_NAMES: Final = re.compile(
    r"(?:jest|vitest)\.(?:.+\.)?(?:setupFiles(?:AfterEnv|AfterEach)?|globalSetup|setupTestFrameworkScriptFile)|"
    r"mocha\.(?:require|file|import)|playwright\.globalSetup|bun\.preload"
)
_SETTINGS: Final = re.compile(
    r"(?:\.(?:config|workspace|projects)\b|\.eslintrc|\beslint\.)[^/]{0,60}\.[cm]?[jt]sx?\Z|\.(?:json|toml)\Z|\.mocharc"
)
_SPEAKS: Final = re.compile(rb"\bsetup(?:Files|TestFramework)|\bglobalSetup\b|\bpreload\b|\bmocha\b")
_QUOTED: Final = re.compile(r"['\"`]([^'\"`\n]{1,200})['\"`]")
_MOCKED: Final = re.compile(
    r"(?:vi|jest)\.(?:mock|doMock|unstable_mockModule)\(\s*+(?:import\(\s*+)?['\"]([^'\"\n]{1,300})['\"]"
)
_THROWS: Final = re.compile(r"^(?![ \t]*+(?://|\*|/\*)).*?\bthrow\b", re.MULTILINE)
_MOST_FILES: Final = 20  # test files read to see whether they are about a module that a setup file replaces
_KINDS: Final = ("skipped", "removed", "loosened", "grown", "changed", "unread")


def setup_changes(
    before: Snapshot, after: Snapshot, changed: Collection[str], tested: Collection[str]
) -> Iterator[Change]:
    """Yield what happened to what setup files do around every test: their hooks, and the modules they replace.

    `tested` are the files with tests.
    """
    if not any(path.endswith((*SCRIPTS, ".json")) for path in changed):
        return
    olds, news = (frozenset(_setups(side)).difference(tested) for side in (before, after))
    moved = _moved(olds - news, news - olds)
    places = [(moved.get(path, path if path in olds else ""), path) for path in sorted(news)]
    places = [(old, new) for old, new in places if not old or old in changed or new in changed]
    gone = sorted(olds - news - set(moved.values()))
    yield from _of_hooks(
        [
            *(Paired(old or new, new, setup_strength(before, old), setup_strength(after, new)) for old, new in places),
            *(Paired(path, path, setup_strength(before, path), Strength()) for path in gone),
        ]
    )
    texts = [(_text(before, old), new, _text(after, new)) for old, new in places]
    known = {name for old, _, _ in texts for name in _MOCKED.findall(old)}
    for _, path, text in texts:
        for name in sorted({*_MOCKED.findall(text)} - known):
            yield from _replaced(path, name, after, tested)
    yield from _of_throws(texts)


def _moved(gone: Collection[str], come: Collection[str]) -> Mapping[str, str]:
    """Map a setup file's new place to its old one, if it is the only one that went."""
    return dict(zip(come, gone, strict=True)) if len(gone) == len(come) == 1 else {}


def _of_throws(texts: Sequence[tuple[str, str, str]]) -> Iterator[Change]:
    """Report that setup files, each as its old text, path and new text, throw in fewer places than before."""
    old, new = ([line[0].strip() for row in texts for line in _THROWS.finditer(row[at])] for at in (0, 2))
    if len(new) < len(old):
        lost = next((line for line in old if line not in new), old[-1])
        path = next(path for text, path, _ in texts if lost in text)
        yield Change("removed", path, "a setup file throws in fewer places", lost, "", 0, "warning", path)


def _of_hooks(pairs: Sequence[Paired]) -> Iterator[Change]:
    asserting = {pair.after for pair in pairs if pair.old is not None and pair.old.facts}
    for one in changes(pairs):
        if one.kind == "hollow" and one.test in asserting:
            yield replace(one, kind="removed", message="what it asserts for every test is gone")
        elif one.kind == "hollow":
            yield replace(one, kind="removed", message="what it does for every test is gone", severity="warning")
        elif one.kind in _KINDS:
            yield one


def _replaced(path: str, name: str, after: Snapshot, tested: Collection[str]) -> Iterator[Change]:
    """Report a module of the product that a setup file replaces: an error if a test imports it."""
    target = _file(posixpath.dirname(path), name, after)
    if target and not is_test_side(target):
        sure = _is_imported(target, after, tested)
        message = f"it replaces {target} for every test" + (", also for those that import it" if sure else "")
        yield Change("mocked", path, message, "", name, 0, "error" if sure else "warning", path)


def _is_imported(target: str, after: Snapshot, tested: Iterable[str]) -> bool:
    stem = posixpath.basename(target).partition(".")[0].encode()
    texts = ((file, after.read(file) or b"") for file in sorted(tested) if file.endswith(SCRIPTS) and file in after)
    for file, text in islice(((file, text) for file, text in texts if stem in text), _MOST_FILES):
        named = (one.decode("utf-8", "replace") for one in MODULE.findall(text))
        if any(one.startswith(".") and _file(posixpath.dirname(file), one, after) == target for one in named):
            return True
    return False


def _setups(snapshot: Snapshot) -> Iterator[str]:
    """Yield the files that settings of runners name as setup."""
    speaking = [path for path in snapshot.paths if _SETTINGS.search(path) is not None and _speaks(snapshot, path)]
    if not speaking:
        return
    from pactkeeper.repo.languages.javascript.settings.values import SettingsFiles  # noqa: PLC0415 - few projects have any
    from pactkeeper.repo.strength.switches.tools import Settings, group_of, members  # noqa: PLC0415 - likewise

    groups = {group for path in speaking if (group := group_of(path)) is not None}
    paths = [path for path in snapshot.paths if path.endswith((*SCRIPTS, ".json", ".toml")) or ".mocharc" in path]
    settings = Settings(snapshot, SettingsFiles(snapshot), {})
    for group, files in members(paths, groups).items():
        for key, setting in settings.facts(files).items():
            if _NAMES.fullmatch(key):
                named = (_file(group[0], name, snapshot) for name in _named(setting.value))
                yield from (path for path in named if path.endswith(SCRIPTS))


def _speaks(snapshot: Snapshot, path: str) -> bool:
    return ".mocharc" in path or _SPEAKS.search(snapshot.read(path) or b"") is not None


def _named(value: object) -> tuple[str, ...]:
    from pactkeeper.repo.languages.javascript.settings.unknown import Unknown  # noqa: PLC0415 - likewise
    from pactkeeper.repo.strength.switches.verdicts import items  # noqa: PLC0415 - likewise

    if isinstance(value, Unknown):
        return tuple(_QUOTED.findall(value.source))
    return (value,) if isinstance(value, str) else items(value) if isinstance(value, tuple) else ()


def _file(folder: str, name: str, snapshot: Snapshot) -> str:
    """Return the path of a file that a module or a setting names; "" if there is none in the repository."""
    if not name.startswith((".", "<rootDir>", "/")) and "/" not in name and "." not in name:
        return ""
    place = posixpath.normpath(posixpath.join(folder, name.replace("<rootDir>", ".").lstrip("/") or "."))
    stem = re.sub(r"\.[cm]?jsx?\Z", "", place)
    return next((one for base in (place, stem) for end in _ENDINGS if (one := base + end) in snapshot), "")


def _text(snapshot: Snapshot, path: str) -> str:
    return (snapshot.read(path) or b"").decode("utf-8", "replace")


def inherited_changes(
    before: TestState, after: TestState, changed: Collection[str], gone: frozenset[str]
) -> Iterator[Change]:
    """Yield each value of a class in a changed file that another one replaces, if tests of other classes run there.

    `gone` are names that the product no longer defines: a value of such a name has only been renamed.
    """
    heirs = {place for test in after.scan.tests for place in test.runs_in}
    for path in sorted({place.partition("::")[0] for place in heirs}.intersection(changed)):
        olds, news = (_values(side.snapshot, path) for side in (before, after))
        for (owner, name), (value, line) in news.items():
            old = olds.get((owner, name), (value, 0))[0]
            if old != value and f"{path}::{owner}" in heirs:
                severity: Severity = "note" if gone.intersection(old.split(".")) else "warning"
                message = "the tests that it inherits are about something else"
                shown = f"{name} = {old}", f"{name} = {value}"
                yield Change("subject", f"{path}::{owner}", message, *shown, line, severity, f"{path}::{owner}")


def _values(snapshot: Snapshot, path: str) -> Mapping[tuple[str, str], tuple[str, int]]:
    """Return what the classes of a file hold, as source with its line, by class and name."""
    try:
        tree = ast.parse(snapshot.read(path) or b"")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    owners = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return {
        (owner.name, target.id): (ast.unparse(line.value), line.lineno)
        for owner in owners
        for line in owner.body
        if isinstance(line, ast.Assign)
        for target in line.targets
        if isinstance(target, ast.Name)
    }
