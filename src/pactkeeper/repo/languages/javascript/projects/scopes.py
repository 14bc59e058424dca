"""Aliases for paths in the repository, by the folder whose files may use them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.intent.tests import Gap
from pactkeeper.repo.languages.javascript.projects.manifest import Manifest, patterns
from pactkeeper.repo.languages.javascript.settings.runner import NEVER, linear, place, python_form, sound, union
from pactkeeper.repo.languages.javascript.settings.unknown import Pattern
from pactkeeper.repo.languages.javascript.settings.values import SettingsFiles

_GROUP: Final = re.compile(r"\$(\d|&)")
_PLACES: Final = ("/", "./", "../", "<rootDir>")


@dataclass(frozen=True, slots=True)
class Alias:
    """Maps a module that matches `pattern` to one of `places`, where `$1` is the pattern's first group.

    `partly` replaces only the match and keeps the rest of the name. `vague` aliases match so much that a target that
    doesn't exist says nothing.
    """

    pattern: re.Pattern[str]
    places: tuple[str, ...]
    partly: bool = False
    vague: bool = False

    def stands_for(self, module: str) -> list[str] | None:
        """Return the paths that a module may refer to; None if the pattern doesn't match."""
        found = self.pattern.search(sound(module))
        if found is None:
            return None
        texts = [_GROUP.sub(lambda mark: _group(found, mark[1]), place) for place in self.places]
        if self.partly:
            texts = [module[: found.start()] + text + module[found.end() :] for text in texts]
        return [posixpath.normpath(text.lstrip("/")) for text in texts]


@dataclass(frozen=True, slots=True)
class Scope:
    """Aliases for the files at or below a folder; `bases` are folders in which bare names are looked up."""

    aliases: tuple[Alias, ...] = ()
    bases: tuple[str, ...] = ()

    def __add__(self, other: Scope) -> Scope:
        return Scope(self.aliases + other.aliases, self.bases + other.bases)


def _group(found: re.Match[str], number: str) -> str:
    if number == "&":
        return found[0]
    return found[int(number)] or "" if int(number) <= found.re.groups else ""


def starred(patterns: Mapping[str, object], base: str) -> tuple[Alias, ...]:
    """Read `paths` of a tsconfig: exact names first, then the longest prefix, as the compiler chooses."""
    aliases = []
    for pattern in sorted(patterns, key=lambda text: ("*" in text, -len(text.partition("*")[0]), text)):
        before, star, after = pattern.partition("*")
        listed = patterns[pattern]
        places = [text for text in listed if isinstance(text, str)] if isinstance(listed, list) else []
        places = [place(base, text).replace("*", "$1", 1) for text in places if "node_modules" not in text]
        middle = "(.*)" if star else ""
        if places:
            expression = re.compile(rf"\A{re.escape(before)}{middle}{re.escape(after)}\Z")
            aliases.append(Alias(expression, tuple(places), vague=not before))
    return tuple(aliases)


def renamed(table: object, folder: str) -> Iterator[Alias]:
    """Read `resolve.alias` of Vite and webpack: names match whole or before a slash; lists may contain patterns."""
    if isinstance(table, list):
        entries = [(entry.get("find"), entry.get("replacement")) for entry in table if isinstance(entry, dict)]
    else:
        entries = list(table.items()) if isinstance(table, dict) else []
    for name, target in entries:
        places = _inside(target, folder)
        if isinstance(name, Pattern):
            yield from _searched(name.source, places, partly=True)
        elif isinstance(name, str) and places:
            word = re.escape(name.rstrip("$").rstrip("/"))
            end = r"\Z" if name.endswith("$") else r"(?=/|\Z)"
            yield Alias(re.compile(rf"\A{word}{end}"), tuple(one.rstrip("/") for one in places), partly=True)


def mapped(table: object, folder: str) -> Iterator[Alias]:
    """Read `moduleNameMapper` of Jest, whose patterns match anywhere and replace the whole name."""
    for pattern, target in table.items() if isinstance(table, dict) else ():
        if isinstance(pattern, str):
            yield from _searched(pattern, _inside(target, folder), partly=False)


def refused(table: object) -> Iterator[str]:
    """Yield the ignored patterns of `moduleNameMapper` or `resolve.alias`: invalid ones, or any that may hang."""
    keys = list(table) if isinstance(table, dict) else []
    finds = [one.get("find") for one in table if isinstance(one, dict)] if isinstance(table, list) else []
    for source in (*keys, *(one.source for one in finds if isinstance(one, Pattern))):
        if isinstance(source, str) and linear(python_form(source)) is None:
            yield source


def _searched(source: str, places: list[str], *, partly: bool) -> Iterator[Alias]:
    expression = linear(python_form(source))
    if places and expression is not None:
        yield Alias(expression, tuple(places), partly, vague=not source.startswith("^"))


def _inside(target: object, folder: str) -> list[str]:
    """Return the targets that are paths in the repository; other modules keep their own names."""
    targets = target if isinstance(target, list) else [target]
    places = [one for one in targets if isinstance(one, str) and (one.startswith(_PLACES) or one in {".", ".."})]
    return [place(folder, one) + ("/" if one.endswith("/") else "") for one in places]


FILES: Final = ("pnpm-workspace.yaml", "lerna.json")


def workspaces(values: SettingsFiles, manifests: Mapping[str, Manifest], declaring: Iterable[str]) -> Mapping[str, str]:
    """Map each workspace package's folder to the root of its workspace; `declaring` are files that declare members."""
    members = {folder: list(manifest.members) for folder, manifest in manifests.items() if manifest.members}
    for path in declaring:
        members.setdefault(posixpath.dirname(path), []).extend(patterns(values.of(path)))
    found: dict[str, str] = {}
    for root in sorted(members, key=len):
        found.update((folder, root) for folder in _members(root, members[root], manifests))
    return found


def _members(root: str, globs: Iterable[str], folders: Iterable[str]) -> list[str]:
    wanted = union(root, [glob.rstrip("/") for glob in globs if not glob.startswith("!")])
    unwanted = union(root, [glob[1:].rstrip("/") for glob in globs if glob.startswith("!")])
    return [
        folder
        for folder in folders
        if folder == root or (wanted.match(f"/{folder}") and not unwanted.match(f"/{folder}"))
    ]


@dataclass(frozen=True, slots=True)
class Projects:
    """`manifests` and `scopes` are by folder; `workspaces` maps a package's folder to the root of its workspace."""

    manifests: Mapping[str, Manifest] = field(default_factory=dict)
    scopes: Mapping[str, Scope] = field(default_factory=dict)
    workspaces: Mapping[str, str] = field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()


NAME: Final = re.compile(r"(?:ts|js)config(?:[.-][\w.-]{1,100})?\.json\Z")
_FIRST: Final = ("tsconfig.json", "jsconfig.json")
_DEEPEST: Final = 20  # chained `extends`


@dataclass(frozen=True, slots=True)
class _Options:
    """The effective options of a chain of settings; `paths` are relative to `start` if there is no `base`.

    `out` is the folder that compiled files are written to, `root` the folder of their sources.
    """

    base: str | None = None
    paths: Mapping[str, object] | None = None
    start: str = ""
    out: str | None = None
    root: str | None = None


def scopes(values: SettingsFiles, found: Iterable[str], packages: Mapping[str, str]) -> Iterator[tuple[str, Scope]]:
    """Yield folders with the aliases in their settings, `tsconfig.json` before others in the same folder.

    `packages` maps names of the repository's packages to their folders, for settings that extend those of a package.
    """
    for path in sorted(found, key=_rank):
        folder = posixpath.dirname(path)
        options = _options(values, path, packages)
        aliases = (
            starred(options.paths, options.start if options.base is None else options.base) if options.paths else ()
        )
        bases = () if options.base is None else (options.base,)
        if aliases or bases:
            yield folder, Scope(aliases, bases)


def compiled(values: SettingsFiles, folder: str) -> Iterator[tuple[str, list[str]]]:
    """Yield output folders of compilers configured below a folder, with the folders their sources may be in."""
    for path in values.paths:
        if path.startswith(folder) and NAME.match(posixpath.basename(path)) and not NEVER.search(path):
            options = _options(values, path, {})
            start = posixpath.dirname(path)
            if options.out:
                roots = [posixpath.join(start, "src"), start] if options.root is None else [options.root]
                yield options.out, roots


def _rank(path: str) -> tuple[str, int, str]:
    folder, name = posixpath.split(path)
    return folder, _FIRST.index(name) if name in _FIRST else len(_FIRST), name


def _options(values: SettingsFiles, path: str, packages: Mapping[str, str], depth: int = 0) -> _Options:
    value = values.of(path)
    if not isinstance(value, dict) or depth > _DEEPEST:
        return _Options()
    options = _Options()
    extended = value.get("extends")
    for name in extended if isinstance(extended, list) else [extended]:
        other = _extended(values, posixpath.dirname(path), name, packages) if isinstance(name, str) else None
        if other is not None:
            options = _over(options, _options(values, other, packages, depth + 1))
    return _over(options, _own(value, posixpath.dirname(path)))


def _own(value: Mapping[str, object], folder: str) -> _Options:
    compiler = value.get("compilerOptions")
    if not isinstance(compiler, dict):
        return _Options()
    paths = compiler.get("paths")
    base, out, root = (_placed(compiler.get(key), folder) for key in ("baseUrl", "outDir", "rootDir"))
    names = {name: _all_from(listed, folder) for name, listed in paths.items()} if isinstance(paths, dict) else None
    return _Options(base, names, folder, out, root)


def _placed(text: object, folder: str) -> str | None:
    return place(folder, _from(text, folder)) if isinstance(text, str) else None


def _all_from(listed: object, folder: str) -> list[str]:
    return [_from(text, folder) for text in listed if isinstance(text, str)] if isinstance(listed, list) else []


def _from(text: str, folder: str) -> str:
    return text.replace("${configDir}", f"/{folder}")


def _over(lower: _Options, upper: _Options) -> _Options:
    """Override one set of options with another; `paths` are replaced as a whole."""
    names = lower if upper.paths is None else upper
    base, out, root = (
        mine if mine is not None else given
        for mine, given in ((upper.base, lower.base), (upper.out, lower.out), (upper.root, lower.root))
    )
    return _Options(base, names.paths, names.start, out, root)


def _extended(values: SettingsFiles, folder: str, name: str, packages: Mapping[str, str]) -> str | None:
    """Return the file that `extends` names; None if it belongs to a third-party package."""
    if name.startswith(("./", "../", "/")) or name in {".", ".."}:
        start = place(folder, name)
    else:
        parts = name.split("/")
        count = 2 if name.startswith("@") else 1
        owner = packages.get("/".join(parts[:count]))
        if owner is None:
            return None
        start = posixpath.join(owner, *parts[count:])
    endings = ("", ".json", "/tsconfig.json")
    return next((start + ending for ending in endings if start + ending in values.paths), None)
