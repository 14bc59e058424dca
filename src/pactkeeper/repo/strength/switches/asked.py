"""Settings that became less strict, checks that no longer run, and variables that tests ask for and no job sets now.

Each is compared with where it may have moved to.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from pactkeeper.intent.strength.change import Change, Kind, Severity
from pactkeeper.repo.languages.javascript.settings.unknown import Unknown
from pactkeeper.repo.languages.javascript.settings.values import SettingsFiles
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.switches.commands import VARIABLES, Check, split
from pactkeeper.repo.strength.switches.hooks import AGENTS, HOOKS, HOOKS_OFF, are_off
from pactkeeper.repo.strength.switches.matrices import of_all_jobs
from pactkeeper.repo.strength.switches.options import running_changes, words_changes
from pactkeeper.repo.strength.switches.pipelines import Pipeline, family_of, is_declaring, read_pipeline, with_presets
from pactkeeper.repo.strength.switches.projects import DIVIDED, divided_anew, still_run
from pactkeeper.repo.strength.switches.reading import Unreadable, Value
from pactkeeper.repo.strength.switches.rules import rule_of
from pactkeeper.repo.strength.switches.scripts import may_be_script
from pactkeeper.repo.strength.switches.signs import UNREAD
from pactkeeper.repo.strength.switches.spelling import given_anew
from pactkeeper.repo.strength.switches.tools import TSCONFIG, Setting, Settings, carried, group_of, members
from pactkeeper.repo.strength.switches.tox import run_by
from pactkeeper.repo.strength.switches.verdicts import RuleContext, items
from pactkeeper.repo.strength.switches.workflows import started_by_callers, targets_of
from pactkeeper.repo.test_side import CODE, is_test_side

_OPTIONS: Final = "pytest.addopts"
_LEFT_OUT: Final = re.compile(r"-m ['\"]?not ([a-z_]\w*+)['\"]?$")
_OF_ALL: Final = frozenset({"ci", HOOKS, AGENTS})
_SHOWN: Final = 120
_LONG: Final = 60  # characters of a list that is shown as a whole
_WORD: Final = re.compile(rb"[\w-]+")
_LEAVING_OUT: Final = ("mypy.", "ruff.", "flake8.", "pylint.")  # whose options may ask for less
_OPTIONAL: Final = (*_LEAVING_OUT, "pytest.", "coverage.", "nyc.")
_CI: Final = "ci"
_NO_RECURSION: Final = "pytest.norecursedirs"
_CALLED: Final = {"npm": ("package.json",), "make": ("Makefile", "makefile", "GNUmakefile"), "nox": ("noxfile.py",),
                  "tox": ("tox.toml", "tox.ini", "pyproject.toml")}  # fmt: skip


def asked_changes(before: Snapshot, after: Snapshot, paths: Sequence[str]) -> Iterator[Change]:
    """Yield what happened to every setting and command of the files at these paths."""
    yield from _settings(before, after, paths)
    yield from dict.fromkeys(_pipelines(before, after, paths))  # several files may call one script
    yield from variable_changes(before, after, paths)


def _settings(before: Snapshot, after: Snapshot, changed: Sequence[str]) -> Iterator[Change]:
    groups = {group for path in changed if (group := group_of(path)) is not None}
    if not groups:
        return
    old, new = (Settings(side, SettingsFiles(side), {}) for side in (before, after))
    olds, news = members(before.paths, groups), members(after.paths, groups)
    for group in sorted(groups):
        if group[1] and not olds[group]:
            continue  # settings next to those in use, until a command names them
        stay = set(map(_tool, news[group]))
        gone = [path for path in olds[group] if path not in after and _tool(path) not in stay]
        one, two = (
            old.facts(olds[group]),
            new.facts([*news[group], *(_successors(gone, changed, after) if gone else ())]),
        )
        one = carried(one, two)
        if group == ("", ""):
            options = _with_options(two, one, after, before, of=_LEAVING_OUT)
            one, two = options, _with_options(one, two, before, after, of=_OPTIONAL)
        broken = [path for path in changed if path in news[group] and path in new.broken]
        for path in broken:
            yield _unreadable(path, new.broken[path], known=path in old.broken)
        if not broken and one != two and all(_is_there(group[0], side) for side in (before, after)):
            both = [path for path in after.paths if path.startswith(group[0]) and path in before]
            for change in _compared(one, two, both, group[0]):
                unproven = _chooses_none(change, before) or _is_of_gone_checker(change, after)
                yield replace(change, severity="warning") if unproven and change.severity == "error" else change


def _with_options(
    old: Mapping[str, Setting], new: Mapping[str, Setting], before: Snapshot, after: Snapshot, *, of: tuple[str, ...]
) -> dict[str, Setting]:
    """Return the settings of one state with those of the other that options of commands ask for there alone."""
    lost = {key for key in old.keys() - new.keys() if key.startswith(of)}
    given = given_anew(before, after) if lost else {}
    return {**new, **{key: given[key] for key in sorted(lost & given.keys())}}


def _successors(gone: Sequence[str], changed: Iterable[str], after: Snapshot) -> list[str]:
    """Return settings of the same tool that a change writes while it deletes others: they have moved."""
    tools = {_tool(path) for path in gone}
    return [path for path in changed if path in after and group_of(path) is not None and _tool(path) in tools]


def _tool(path: str) -> str:
    """Return the base name of a settings file, without its variant and language."""
    name = posixpath.basename(path).lstrip(".")
    return TSCONFIG if re.match(r"[tj]sconfig", name) else name.partition(".")[0]


def _chooses_none(change: Change, before: Snapshot) -> bool:
    """Whether a setting only deselects tests with a mark that no test had: it was added together with its tests."""
    marks = _LEFT_OUT.findall(change.new) if change.test.endswith(_OPTIONS) and not change.old else []
    sources = (before.read(path) or b"" for path in before.paths if is_test_side(path) and path.endswith(".py"))
    return bool(marks) and not any(f".{mark}".encode() in source for source in sources for mark in marks)


def _is_of_gone_checker(change: Change, after: Snapshot) -> bool:
    """Whether a setting went with its checker of code, which nothing runs any more: that is compared as a command."""
    tool = change.test.partition(" ")[2].partition(".")[0]
    if change.new or f"{tool}." not in _LEAVING_OUT:
        return False
    paths = (path for path in after.paths if group_of(path) is not None or family_of(path))
    return not any(tool.encode() in _WORD.findall(after.read(path) or b"") for path in paths)


def _is_there(folder: str, snapshot: Snapshot) -> bool:
    return not folder or any(path.startswith(folder + "/") for path in snapshot.paths)


def _compared(
    old: Mapping[str, Setting], new: Mapping[str, Setting], paths: Sequence[str], folder: str
) -> Iterator[Change]:
    """Compare settings, reporting those under one rule together: four thresholds are one change."""
    within = [path[len(folder) + 1 :] if folder else path for path in paths]
    named = new.get("pytest.testpaths")
    places = tuple(f"{place.strip('/')}/" for place in (items(named.value) if named is not None else ()))
    # `norecursedirs` does not apply to the folders that pytest is told to search.
    searched = [path[len(place) :] for place in places for path in within if path.startswith(place)] or within
    told: defaultdict[tuple[str, str, Severity], list[tuple[str, Setting | None, Setting | None]]] = defaultdict(list)
    part = divided_anew(old, new, within)
    if part:
        yield _told("tests are divided into projects, which may leave some out", "warning", [(part, None, new[part])])
    for key in sorted(old.keys() | new.keys()):
        one, two = old.get(key), new.get(key)
        if one is not None and two is not None and one.value == two.value:
            continue
        for verdict, message, severity in _verdicts(key, one, two, searched if key == _NO_RECURSION else within):
            group = key if verdict == "stronger" else key.partition(".")[0]
            unproven = severity == "error" and still_run(key, old, new, within)
            said: tuple[str, Severity] = (DIVIDED, "warning") if unproven else (message, severity)
            told[group, *said].append((key, one, two))
    for (_, message, severity), rows in told.items():
        yield _told(message, severity, rows)


def _verdicts(
    key: str, old: Setting | None, new: Setting | None, paths: Sequence[str]
) -> Iterator[tuple[str, str, Severity]]:
    one, two = (setting.value if setting is not None else None for setting in (old, new))
    if key == _OPTIONS:
        for severity, message in words_changes("pytest", _words(one), _words(two)):
            yield "weaker", message, severity
        return
    rule = rule_of(key)
    if rule is None:
        return
    if ".projects." in key and (old is None or new is None):
        return  # tests divided differently; whatever is no longer collected shows test by test
    verdict = rule.judge(one, two, RuleContext(paths, rule.default, rule.lines, key))
    if verdict == "stronger":
        yield verdict, "a setting asks more", "note"
    elif verdict != "same":
        yield verdict, rule.message, "warning" if verdict == "unclear" else rule.severity


def _words(value: Value) -> tuple[str, ...]:
    return tuple(split(value) if isinstance(value, str) else items(value))


def _told(message: str, severity: Severity, rows: Sequence[tuple[str, Setting | None, Setting | None]]) -> Change:
    _, one, two = rows[0]
    path = two.path if two is not None else one.path if one is not None else ""
    key = one.key if one is not None else two.key if two is not None else ""
    old, new = _shown((row[1], row[2]) for row in rows), _shown((row[2], row[1]) for row in rows)
    kind: Kind = "stronger" if severity == "note" else "switched_off"
    return Change(kind, f"{path} {key}", message, old, new, 0, severity, path)


def _shown(settings: Iterable[tuple[Setting | None, Setting | None]]) -> str:
    pairs = ((one, None if other is None else other.value) for one, other in settings if one is not None)
    return ", ".join(dict.fromkeys(f"{one.key} = {_value(one.value, other)}" for one, other in pairs))[:_SHOWN]


def _value(value: Value, other: Value) -> str:
    """Return a value to be shown; of a long list, only what isn't in the `other` one."""
    if isinstance(value, str) and "\n" in value:
        value, other = items(value, lines=True), items(other, lines=True)
    if isinstance(value, tuple) and sum(map(len, value)) > _LONG:
        kept = [one for one in value if one not in items(other)]
        return ", ".join([*(["…"] if len(kept) < len(value) else []), *kept])
    if isinstance(value, Unknown):
        return value.source
    if isinstance(value, float):
        return f"{value:g}"
    return ", ".join(value) if isinstance(value, tuple) else " ".join(str(value).split())


def _pipelines(before: Snapshot, after: Snapshot, changed: Sequence[str]) -> Iterator[Change]:
    families = {family for path in changed if (family := family_of(path))}
    families |= _calling(before, after, changed)
    if not families:
        return
    broken: dict[str, str] = {}
    olds, news = _read(before, families, {}, changed), _read(after, families, broken, changed)
    followed = {path for side in (olds, news) for one in side.values() for path in one.scripts}
    families -= {family_of(path) for path in followed}  # read where they are called
    sides = [side[_CI] for side in (olds, news) if _CI in side]
    called = set().union(*(targets_of(side.checks) for side in sides))
    for side in sides:
        side.checks = list(started_by_callers(side.checks, called))
    yield from (_unreadable(path, why) for path, why in broken.items() if path in changed)
    there = _staying(before, after)
    for family in sorted(families):
        folder = posixpath.dirname(family.strip("/"))
        if family not in _OF_ALL and not (_is_there(folder, before) and _is_there(folder, after)):
            continue  # a package that was added or removed as a whole
        one, two = olds.get(family, Pipeline()), news.get(family, Pipeline())
        if is_declaring(family):
            path = family.strip("/")
            one, two = (
                replace(mine, checks=with_presets(mine.checks, other.checks, path, there))
                for mine, other in ((one, two), (two, one))
            )
        others = [
            check
            for name, pipeline in news.items()
            if name != family and is_declaring(name) is is_declaring(family)  # a sweep is no CI
            for check in _added(pipeline, olds.get(name))
        ]
        if not any(path in broken and family_of(path) == family for path in changed):
            yield from running_changes(one.checks, two.checks, elsewhere=others, entries=two.entries, paths=there)
            path = next((path for path in changed if family_of(path) == family), "")
            gone = one.facts.keys() - two.facts.keys()
            was, now = ({**facts, **of_all_jobs(facts, gone)} for facts in (one.facts, two.facts))
            both = was.keys() & now.keys()
            old, new = ({key: Setting(facts[key], path, key) for key in both} for facts in (was, now))
            yield from _compared(old, new, (), "")


def _calling(before: Snapshot, after: Snapshot, changed: Sequence[str]) -> set[str]:
    """Return the families of files that may call a changed script: of the whole, of the root, and what names it."""
    names = [posixpath.basename(path).encode() for path in changed if may_be_script(path)]
    found: set[str] = set()
    for path in {*before.paths, *after.paths} if names else ():
        family = family_of(path)
        if not family or family in found:
            continue
        side = after if path in after else before
        if family in _OF_ALL or "/" not in path or any(name in (side.read(path) or b"") for name in names):
            found.add(family)
    return found


def _staying(before: Snapshot, after: Snapshot) -> list[str]:
    """Return the later state's files that a command may have run before: a new one can't be lost, a moved one can."""
    gone = {posixpath.basename(path) for path in before.paths if path not in after}
    return [path for path in after.paths if path in before or posixpath.basename(path) in gone]


def _added(pipeline: Pipeline, old: Pipeline | None) -> Iterator[Check]:
    known = {(check.program, check.words) for check in old.checks} if old is not None else set()
    yield from (check for check in pipeline.checks if (check.program, check.words) not in known)


def _read(
    snapshot: Snapshot, families: set[str], broken: dict[str, str], changed: Collection[str]
) -> dict[str, Pipeline]:
    """Return what the files of each family run; `broken` gets why one can't be read.

    A finding names the script that changed, or the file that calls it if that changed too.
    """
    found: dict[str, Pipeline] = {}
    off: set[str] = set()
    for path in snapshot.paths:
        family = family_of(path)
        if family not in families:
            continue
        try:
            pipeline = read_pipeline(path, snapshot.read)
        except Unreadable as error:
            broken[path] = str(error)
            continue
        whole = found.setdefault(family, Pipeline())
        whole.entries |= pipeline.entries
        whole.scripts |= pipeline.scripts
        whole.checks += pipeline.checks if path in changed else [_placed(one, changed) for one in pipeline.checks]
        if family == AGENTS and are_off((snapshot.read(path) or b"").decode()):
            off.add(posixpath.dirname(path))
        for key, value in pipeline.facts.items():
            whole.facts[key] = tuple(dict.fromkeys((*items(whole.facts.get(key)), *items(value))))
    if off:
        found[AGENTS].checks = [
            replace(check, ignored=HOOKS_OFF) if posixpath.dirname(check.path) in off else check
            for check in found[AGENTS].checks
        ]
    if _CI in found:
        found[_CI].checks = list(_called(found[_CI].checks, snapshot))
    return found


def _placed(check: Check, changed: Collection[str]) -> Check:
    return replace(check, path=next((path for path in reversed(check.through) if path in changed), check.path))


def _called(checks: Sequence[Check], snapshot: Snapshot) -> Iterator[Check]:
    """Yield the checks, each that calls a script of the root by its name with what is known of that script."""
    scripts = {runner: _scripts(names, snapshot) for runner, names in _CALLED.items()}
    runs: defaultdict[str, set[tuple[str, tuple[str, ...], str]]] = defaultdict(set)
    for one in scripts["npm"]:
        runs[one.entry].add((one.program, one.words, one.ignored))
    for check in checks:
        runner, _, name = check.program.partition(" ")
        whole = runs.get(name, set()) if runner == "npm" else set()
        parts = {one.entry: one for one in scripts["npm"] if runs[one.entry] < whole}
        if whole and set().union(*(runs[name] for name in parts)) == whole:
            yield from (replace(check, aspect=one.aspect, program=f"npm {name}") for name, one in parts.items())
        else:
            run = [one for one in scripts.get(runner, ()) if name in {"", one.entry}]
            yield _heard(check, run_by(check.words, run) if runner == "tox" else run)


def _scripts(names: Iterable[str], snapshot: Snapshot) -> list[Check]:
    found: list[Check] = []
    for name in names:
        try:
            found += read_pipeline(name, snapshot.read).checks if name in snapshot else []
        except Unreadable:
            continue  # said of the file itself where it changed
    return found


def _heard(check: Check, run: Sequence[Check]) -> Check:
    """Return a check that calls a script with what that runs and ignores, or as unknown if it tests nothing."""
    mine = [one for one in run if one.aspect == check.aspect]
    heard = tuple(one for one in mine if not one.ignored)
    if check.aspect != "tests" or not run:
        return check
    if heard:
        return check if check.around else replace(check, runs=heard)  # in another folder, scripts differ
    if mine:
        return replace(check, ignored=check.ignored or f"{mine[0].path}: {mine[0].text}")
    return replace(check, known=False)


def _unreadable(path: str, why: str, *, known: bool = False) -> Change:
    message = f"{UNREAD}: {why[:_SHOWN]}"
    return Change("switched_off", path, message, severity="note" if known else "warning", before=path)


_SET: Final = re.compile(
    r"(?<![\w$-])['\"]?([A-Z][A-Z0-9_]{2,60})['\"]?[ \t]{0,20}[:=](?!=)[ \t]{0,20}"
    r"(\$\{\{[^}\n]{0,200}\}\}|\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[^\s#]{1,200})?"
)
_NAME: Final = re.compile(rb"\b[A-Z][A-Z0-9_]{2,60}\b")
_ASKS: Final = re.compile(rb"\benviron\b|\bgetenv\b|\bprocess\.env\b|\bimport\.meta\.env\b")
_TOX: Final = ("tox.ini", "tox.toml")


def variable_changes(before: Snapshot, after: Snapshot, changed: Iterable[str]) -> Iterator[Change]:
    """Yield variables that no changed file sets to their value any more: a warning if a test file asks for them.

    Of others, only those of tox are worth a note.
    """
    paths = [path for path in changed if family_of(path)]
    old = {one: path for path in paths for one in _set_in(before, path)}
    new = {one for path in paths for one in _set_in(after, path)}
    gone = [(name, value, path) for (name, value), path in old.items() if (name, value) not in new]
    asked = _named_by_tests(after, [name for name, _, _ in gone])
    for name, value, path in gone:
        later = next((other for known, other in sorted(new) if known == name), "")
        severity: Severity = "warning" if name in asked else "note"
        if name in asked or posixpath.basename(path) in _TOX:
            message = f"tests run with another value of {name}" if later else f"tests run without {name}"
            yield Change("switched_off", f"{path} {name}", message, f"{name} = {value}",
                         f"{name} = {later}" if later else "", _line_of(name, after, path), severity, path)  # fmt: skip


def _line_of(name: str, snapshot: Snapshot, path: str) -> int:
    """Return the line on which a file sets a variable; 0 if it doesn't."""
    lines = enumerate((snapshot.read(path) or b"").decode("utf-8", "replace").splitlines(), 1)
    return next((number for number, line in lines if any(name == one[1] for one in _SET.finditer(line))), 0)


def _set_in(snapshot: Snapshot, path: str) -> set[tuple[str, str]]:
    """Return what a file sets, as far as it isn't read as options of commands."""
    text = (snapshot.read(path) or b"").decode("utf-8", "replace")
    found = ((match[1], (match[2] or "").strip(" \t\r'\",}")) for match in _SET.finditer(text))
    return {(name, value) for name, value in found if name not in VARIABLES}


def _named_by_tests(snapshot: Snapshot, names: Sequence[str]) -> set[str]:
    """Return those of the names that a test file which reads its environment names."""
    paths = [path for path in snapshot.paths if is_test_side(path) and path.endswith(CODE)] if names else []
    sources = (snapshot.read(path) or b"" for path in paths)
    named = {word for source in sources if _ASKS.search(source) for word in _NAME.findall(source)}
    return {name for name in names if name.encode() in named}
