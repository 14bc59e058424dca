"""The parts of `package.json` that determine which file an import of the package names."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

_ENTRIES: Final = ("source", "module", "main", "browser", "types", "typings")
_DEPENDENCIES: Final = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
BUILT: Final = frozenset(
    {"dist", "build", "built", "lib", "out", "output", "es", "esm", "cjs", "umd", "types", "typings", "module",
     "source"}
)  # fmt: skip
_DECLARATIONS: Final = (".d.ts", ".d.mts", ".d.cts")


@dataclass(frozen=True, slots=True)
class Manifest:
    """One package.json; `folder` contains it, `entries` are the files named by its older keys, best first.

    `dependencies` are names with requested versions, `members` the patterns of its workspaces.
    """

    folder: str
    name: str = ""
    entries: tuple[str, ...] = ()
    exports: object = None
    imports: object = None
    dependencies: Mapping[str, str] = field(default_factory=dict)
    members: tuple[str, ...] = ()


def manifest_of(folder: str, value: Mapping[str, object]) -> Manifest:
    """Read a manifest's keys; those with a value of the wrong type count as absent."""
    name = value.get("name")
    entries = [entry for key in _ENTRIES if isinstance(entry := value.get(key), str)]
    dependencies = {
        str(package): str(version)
        for key in _DEPENDENCIES
        if isinstance(listed := value.get(key), dict)
        for package, version in listed.items()
    }
    return Manifest(
        folder,
        name if isinstance(name, str) else "",
        tuple(entries),
        value.get("exports"),
        value.get("imports"),
        dependencies,
        patterns(value.get("workspaces")),
    )


def patterns(value: object) -> tuple[str, ...]:
    """Return the patterns of `workspaces`: a list, or a list under `packages`."""
    listed = value.get("packages") if isinstance(value, dict) else value
    return tuple(item for item in listed if isinstance(item, str)) if isinstance(listed, list) else ()


def targets(table: object, key: str) -> list[str] | None:
    """Return the paths that `exports` or `imports` list for a key, under any condition; None if the key isn't there.

    Paths keep their order, except that declaration files come last: what they declare is in another file.
    """
    if not isinstance(table, dict) or not any(str(name).startswith((".", "#")) for name in table):
        table = {".": table}
    found = _matching(table, key)
    return None if found is None else sorted(dict.fromkeys(found), key=lambda leaf: leaf.endswith(_DECLARATIONS))


def _matching(table: Mapping[str, object], key: str) -> list[str] | None:
    if key in table:
        return list(_leaves(table[key]))
    for pattern in sorted(table, key=len, reverse=True):
        before, star, after = pattern.partition("*")
        fits = key.startswith(before) and key.endswith(after) and len(key) >= len(before) + len(after)
        if star and fits:
            rest = key[len(before) : len(key) - len(after)]
            return [leaf.replace("*", rest) for leaf in _leaves(table[pattern])]
        if pattern.endswith("/") and key.startswith(pattern):
            return [leaf + key[len(pattern) :] for leaf in _leaves(table[pattern])]
    return None


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _leaves(inner)


def unbuilt(leaf: str) -> list[str]:
    """Return where the source of a built file may be in its package, without suffixes, best first.

    `dist/esm/store.d.ts` comes from `src/store` or `store`.
    """
    parts = posixpath.normpath(leaf).split("/")
    while len(parts) > 1 and parts[0] in BUILT:
        del parts[0]
    *folders, name = parts
    stem, dots, _ = name.partition(".")
    stems = [name[: -len(end)] for end in (*_DECLARATIONS, ".mjs", ".cjs", ".js") if name.endswith(end)][:1]
    stems += [stem] if dots else []
    inner = ["/".join((*folders, one)) for one in dict.fromkeys(stems or [name])]
    return [place for one in inner for place in (f"src/{one.removeprefix('src/')}", one)]
