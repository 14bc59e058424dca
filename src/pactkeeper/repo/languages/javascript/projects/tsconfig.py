"""`tsconfig.json` and similar: their aliases, output folders, and the settings they extend."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pactkeeper.repo.languages.javascript.projects.scopes import Scope, starred
from pactkeeper.repo.languages.javascript.settings.runner import NEVER, place
from pactkeeper.repo.languages.javascript.settings.values import SettingsFiles

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
