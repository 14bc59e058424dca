"""Which files contain which tool's settings; those of one folder are read together, whichever file they are in.

Moving a setting from one file of a tool to another is therefore no change.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.repo.languages.javascript.settings.unknown import Unknown
from pactkeeper.repo.languages.javascript.settings.values import SettingsFiles
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.switches.commands import split
from pactkeeper.repo.strength.switches.reading import Unreadable, Value, flat, read_data
from pactkeeper.repo.strength.switches.verdicts import items

_REFERENCE: Final = re.compile(r"typescript\.files\.references\.\d+\.path")
_EXTENDS: Final = 8  # the maximum number of chained `extends`
_PYTHON: Final = (
    ("tool.pytest.ini_options.", "pytest."),
    ("tool:pytest.", "pytest."),
    ("tool.pytest.", "pytest."),
    ("pytest.", "pytest."),
    ("tool.coverage.", "coverage."),
    ("coverage:", "coverage."),
    ("tool.mypy.", "mypy."),
    ("mypy-", "mypy.overrides."),
    ("mypy.", "mypy."),
    ("tool.ruff.lint.", "ruff."),
    ("tool.ruff.", "ruff."),
    ("tool.flake8.", "flake8."),
    ("flake8.", "flake8."),
    ("tool.pyright.", "pyright."),
    ("tool.basedpyright.", "pyright."),
    ("tool.pylint.", "pylint."),
    ("tool.interrogate.", "interrogate."),
    *((f"{key}.", "deps.python.") for key in ("project", "dependency-groups", "tool.poetry", "tool.hatch")),
    ("tool.tox.env_list", "tox.envlist"),
    ("tool.tox.", "tox."),
    ("tox.env_list", "tox.envlist"),
    ("tox.", "tox."),
    ("testenv", "tox.testenv"),
)
_PACKAGE: Final = (*((f"{name}.", f"{name}.") for name in ("jest", "mocha", "nyc", "vitest")), ("c8.", "nyc."),
                   ("eslintConfig.", "eslint."), ("dependencies.", "deps.used."), ("devDependencies.", "deps.own."),
                   ("resolutions.", "deps.forced."), ("overrides.", "deps.forced."),
                   ("pnpm.overrides.", "deps.forced."), ("pnpm.patchedDependencies.", "deps.patched."))  # fmt: skip
# File names, and the prefixes their keys get as facts.
_SOURCES: Final[tuple[tuple[re.Pattern[str], tuple[tuple[str, str], ...]], ...]] = tuple(
    (re.compile(pattern), rewrites)
    for pattern, rewrites in (
        (r"pyproject\.toml|setup\.cfg|tox\.ini|\.?pytest\.(?:ini|toml)|\.?mypy\.ini|\.flake8", _PYTHON),
        (r"tox\.toml", (("env_list", "tox.envlist"), ("", "tox."))),
        (r"\.coveragerc(?:\.toml)?", (("tool.coverage.", "coverage."), ("", "coverage."))),
        (r"\.?ruff\.toml", (("lint.", "ruff."), ("", "ruff."))),
        (r"\.?pylintrc", (("", "pylint."),)),
        (r"pyrightconfig\.json", (("", "pyright."),)),
        (r"package\.json", _PACKAGE),
        (r"jest(?:[.-]\w{1,60}+){0,8}?\.config(?:[.-]\w{1,60}+){0,4}?\.(?:[cm]?[jt]s|json)", (("", "jest."),)),
        (
            r"vite(?:st)?(?:[.-]\w{1,60}+){0,8}?\.(?:config|workspace|projects)(?:[.-]\w{1,60}+){0,4}?\.[cm]?[jt]s",
            (
                ("test.", "vitest."),
                ("resolve.alias", "vitest.alias"),
                ("plugins.", "vitest.plugins."),
                ("define.", "vitest.define."),
            ),
        ),
        (r"playwright(?:[.-]\w{1,60}+){0,8}?\.config(?:[.-]\w{1,60}+){0,4}?\.[cm]?[jt]s", (("", "playwright."),)),
        (r"\.mocharc(?:\.(?:[cm]?js|jsonc?|ya?ml))?", (("", "mocha."),)),
        (r"[tj]sconfig(?:[.-]\w{1,60}+){0,8}?\.json", (("compilerOptions.", "typescript."), ("", "typescript.files."))),
        (r"eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.(?:[cm]?js|json|ya?ml))?", (("", "eslint."),)),
        (r"\.nycrc(?:\.(?:json|ya?ml))?|\.c8rc(?:\.json)?", (("", "nyc."),)),
        (r"tstyche(?:\.config)?\.json", (("", "tstyche."),)),
        (r"\.npmrc", (("", "npm."),)),
        (r"\.?codecov\.ya?ml", (("", "codecov."),)),
        (r"pnpm-workspace\.ya?ml", (("overrides.", "deps.forced."), ("patchedDependencies.", "deps.patched."))),
        (r"bunfig\.toml", (("test.", "bun."),)),
    )
)
# One setting's names in several runners, so that it can be followed from one to another.
_SYNONYMS: Final = (
    *((f"jest.coverageThreshold.global.{part}", f"vitest.coverage.thresholds.{part}", f"nyc.{part}")
      for part in ("lines", "branches", "functions", "statements")),
    ("jest.coverageThreshold.global.statements", "nyc.lines"),
    ("jest.testMatch", "vitest.include", "mocha.spec"),
    ("jest.testPathIgnorePatterns", "vitest.exclude", "mocha.exclude"),
    ("coverage.run.source", "coverage.run.source_pkgs", "coverage.run.include"),
    ("jest.collectCoverage", "vitest.coverage.enabled"),
    ("jest.collectCoverageFrom", "vitest.coverage.include", "nyc.include"),
    ("jest.coveragePathIgnorePatterns", "vitest.coverage.exclude", "nyc.exclude"),
    ("vitest.retry", "mocha.retries"),
)  # fmt: skip
_BLOCK: Final = re.compile(r"eslint\.(?:overrides)?\.(\d{1,6})\.(.+)")
_OVERRIDE: Final = re.compile(r"(eslint\.overrides\.\[.*?\])(?=\.)")
_VITE: Final = tuple(
    f"{tool}.config.{end}" for tool in ("vitest", "vite") for end in ("ts", "mts", "cts", "js", "mjs", "cjs")
)  # of which only the first one counts
_ORDER: Final = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg",
                 *_VITE)  # fmt: skip
_PLAIN: Final = re.compile(
    r"(?:jest|vite|vitest|playwright|config|workspace|projects|tsconfig|jsconfig|[cm]?[jt]s|json)\b[.-]?"
)
_STRICT: Final = ("noImplicitAny", "strictNullChecks", "strictFunctionTypes", "strictBindCallApply", "noImplicitThis",
                  "strictPropertyInitialization", "alwaysStrict", "useUnknownInCatchVariables")  # fmt: skip
_MYPY: Final = ("disallow_untyped_defs", "disallow_incomplete_defs", "disallow_untyped_calls", "disallow_any_generics",
                "check_untyped_defs", "disallow_subclassing_any", "disallow_untyped_decorators", "warn_return_any",
                "warn_unused_ignores", "warn_redundant_casts", "no_implicit_reexport", "strict_equality")  # fmt: skip
_PYTEST: Final = ("xfail_strict", "strict_xfail", "strict_config", "strict_markers", "strict_parametrization_ids")
_FLAGS: Final = {"--strict-markers": "pytest.strict_markers", "--strict-config": "pytest.strict_config"}
_PLUGIN: Final = re.compile(
    r"\bpytest-(?:asyncio|trio|twisted|tornasync|aio\w*|timeout|subtests|bdd|doctestplus|describe)\b"
)
_IMPLIED: Final = {"typescript.strict": _STRICT, "mypy.strict": _MYPY, "pytest.strict": _PYTEST}


@dataclass(frozen=True, slots=True)
class Setting:
    """A value with the file and the key that set it."""

    value: Value
    path: str
    key: str


TSCONFIG: Final = "tsconfig "  # the prefix for variants of compiler settings
Group = tuple[str, str]  # folder and variant, since `tsconfig.build.json` and `tsconfig.json` differ


def group_of(path: str) -> Group | None:
    """Return the settings group that a file belongs to; None for a file without settings."""
    folder, name = posixpath.split(path)
    if _rewrites(name) is None:
        return None
    variant = _PLAIN.sub("", name) if name.split(".")[-1] in {"js", "ts", "mjs", "cjs", "mts", "cts", "json"} else ""
    named = re.match(r"[tj]sconfig|jest|vite|playwright", name) is not None
    return folder, (TSCONFIG if "sconfig" in name else "") + variant.strip(".") if named else ""


def _rewrites(name: str) -> tuple[tuple[str, str], ...] | None:
    return next((rewrites for pattern, rewrites in _SOURCES if pattern.fullmatch(name)), None)


def members(paths: Iterable[str], groups: Iterable[Group]) -> Mapping[Group, list[str]]:
    """Return the files of every group among these paths, in order of precedence."""
    found: dict[Group, list[str]] = {group: [] for group in groups}
    folders = {folder for folder, _ in found}
    for path in paths:
        if posixpath.dirname(path) in folders and (group := group_of(path)) in found and group is not None:
            found[group].append(path)
    return {group: sorted(files, key=_rank) for group, files in found.items()}


def _counting(paths: Iterable[str]) -> Iterator[str]:
    """Yield the files that count, in order of precedence: of several for Vite, only the first."""
    taken = False
    for path in paths:
        mine = posixpath.basename(path) in _VITE
        if not (mine and taken):
            yield path
        taken |= mine


def _rank(path: str) -> tuple[int, str]:
    name = posixpath.basename(path)
    return (_ORDER.index(name) if name in _ORDER else len(_ORDER), path)


@dataclass(slots=True)
class Settings:
    """Reads the settings of one state; `broken` says which files could not be read, and why."""

    snapshot: Snapshot
    scripts: SettingsFiles
    broken: dict[str, str]

    def facts(self, paths: Iterable[str]) -> dict[str, Setting]:
        """Return the settings of one group by dotted key, without those a tool ignores because another file wins."""
        found: dict[str, Setting] = {}
        ruled = False
        for path in _counting(paths):
            mine = self._of(path)
            runs = any(key.startswith("pytest.") for key in mine) or "pytest." in posixpath.basename(path)
            for key, value in mine.items():
                if not (ruled and key.startswith("pytest.")):
                    found.setdefault(key, Setting(value, path, key))
            ruled = ruled or runs
        return expanded(found)

    def _of(self, path: str, depth: int = 0) -> dict[str, Value]:
        source = self.snapshot.read(path)
        try:
            data = read_data(path, source, self.scripts) if source is not None else {}
            rewrites = _rewrites(posixpath.basename(path)) or (("", "typescript.files."),)
            facts = _like_overrides(dict(_renamed(flat(data), rewrites)))
        except Unreadable as error:
            self.broken[path] = str(error)
            return {}
        base = facts.pop("typescript.files.extends", None)
        others = [value for key, value in facts.items() if _REFERENCE.fullmatch(key) and isinstance(value, str)]
        if others and facts.get("typescript.files.files") == () and depth < _EXTENDS:
            return _shared([self._inherited(path, other, depth) for other in others])
        return {**self._inherited(path, base, depth), **facts} if isinstance(base, str) and depth < _EXTENDS else facts

    def _inherited(self, path: str, base: str, depth: int) -> dict[str, Value]:
        """Return the settings that a file extends; those of a package may say anything."""
        other = posixpath.normpath(posixpath.join(posixpath.dirname(path), base))
        named = (other, other + ".json", other + "/tsconfig.json") if base.startswith(".") else ()
        places = [place for place in named if place in self.snapshot]
        unknown: dict[str, Value] = {"typescript.strict": Unknown(base, 0)}
        return self._of(places[0], depth + 1) if places else unknown


def _shared(several: Sequence[Mapping[str, Value]]) -> dict[str, Value]:
    """Return what all projects say to which a file of settings refers that compiles nothing itself."""
    first, *rest = several
    return {key: value for key, value in first.items() if all(one.get(key) == value for one in rest)}


def _renamed(facts: Iterable[tuple[str, Value]], rewrites: tuple[tuple[str, str], ...]) -> Iterable[tuple[str, Value]]:
    for key, value in facts:
        for start, tool in rewrites:
            if key.startswith(start):
                yield tool + key.removeprefix(start), value
                break


def _like_overrides(facts: dict[str, Value]) -> dict[str, Value]:
    """Name the blocks of ESLint's settings alike in both of its forms: those for some files only by these files."""
    parts = {key: one for key in facts if (one := _BLOCK.fullmatch(key)) is not None}
    files = {one[1]: " ".join(items(facts[key])) for key, one in parts.items() if one[2] == "files"}
    found: dict[str, Value] = {}
    for key, value in facts.items():
        block, rest = parts[key].groups() if key in parts else ("", "")
        own = f"eslint.overrides.[{files[block]}].{rest}" if block in files else f"eslint.{rest}"
        found[key if not rest or (block not in files and ".overrides." in key) else own] = value
    return found


def _under_later_files(old: Mapping[str, Setting], new: Mapping[str, Setting]) -> Mapping[str, Setting]:
    """Return the earlier settings with the later files of each block of ESLint's, if as many are for other files."""
    was, now = (dict.fromkeys(found[1] for key in side if (found := _OVERRIDE.match(key))) for side in (old, new))
    gone, came = [one for one in was if one not in now], [one for one in now if one not in was]
    if not gone or len(gone) != len(came):
        return old
    later = dict(zip(gone, came, strict=True))
    parts = ((key, _OVERRIDE.match(key), one) for key, one in old.items())
    return {later.get(found[1], found[1]) + key[found.end() :] if found else key: one for key, found, one in parts}


def carried(old: Mapping[str, Setting], new: Mapping[str, Setting]) -> dict[str, Setting]:
    """Return the earlier settings, renamed where only another runner's equivalent exists now."""
    names: dict[str, str] = {}
    for synonyms in _SYNONYMS:
        gone = [key for key in synonyms if key in old and key not in new]
        come = [key for key in synonyms if key in new and key not in old and key not in names.values()]
        if len(gone) == len(come) == 1:
            names[gone[0]] = come[0]
    return {names.get(key, key): setting for key, setting in _under_later_files(old, new).items()}


def _unfolded(found: dict[str, Setting]) -> None:
    """Turn pytest options that are also settings into settings."""
    options = found.get("pytest.addopts")
    words = () if options is None else split(options.value) if isinstance(options.value, str) else items(options.value)
    if options is not None and any(word in _FLAGS for word in words):
        for word in words:
            if word in _FLAGS:
                found.setdefault(_FLAGS[word], Setting(True, options.path, word))  # noqa: FBT003 - the setting's value
        found["pytest.addopts"] = replace(options, value=tuple(word for word in words if word not in _FLAGS))


def expanded(found: dict[str, Setting]) -> dict[str, Setting]:
    """Replace settings that imply several others by those, unless they are set individually."""
    _unfolded(found)
    needed = [(key, one) for key, one in found.items() if key.startswith("deps.python.")]
    plugins = {name: one for key, one in needed for name in _PLUGIN.findall(" ".join((key, *items(one.value))))}
    for one in list(plugins.values())[:1]:
        found["pytest.plugins"] = replace(one, value=tuple(sorted(plugins)), key="pytest.plugins")
    for key, parts in _IMPLIED.items():
        whole = found.get(key)
        if whole is not None and (whole.value in (True, "true", "True") or isinstance(whole.value, Unknown)):
            for part in parts:
                found.setdefault(f"{key.partition('.')[0]}.{part}", whole)
    for key in [key for key in found if ".extend-" in key]:
        plain = key.replace("extend-", "")
        more, there = found.pop(key), found.get(plain)
        found[plain] = Setting((*items(there.value if there else None), *items(more.value)), more.path, plain)
    return {key: value for key, value in found.items() if key not in _IMPLIED}
