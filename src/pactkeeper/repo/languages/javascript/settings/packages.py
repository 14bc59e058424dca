"""Walk the packages of a repository: package.json, settings files beside it, scripts."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from pactkeeper.intent.tests import Gap
from pactkeeper.ledger.patch_text import whole_escapes
from pactkeeper.repo.languages.adapter import Files
from pactkeeper.repo.languages.javascript.settings.commands import Command, commands, recipes
from pactkeeper.repo.languages.javascript.settings.literals import is_broken, read_settings
from pactkeeper.repo.languages.javascript.settings.runner import NEVER, Runner, linear, place
from pactkeeper.repo.languages.javascript.settings.tools import READERS
from pactkeeper.repo.languages.javascript.settings.unknown import SPREAD, Sometimes, Unknown

_ENDINGS = ("", ".js", ".ts", ".mjs", ".mts", ".cjs", ".cts", ".json", "/index.js", "/index.ts")


@dataclass(slots=True)
class SettingsFiles:
    """Reads settings files without running them; what only running them would tell is `Unknown`.

    `broken` are files of JSON read so far that do not parse, of which some keys may be known.
    """

    files: Files
    broken: set[str] = field(default_factory=set)
    paths: frozenset[str] = field(init=False)
    _known: dict[str, object] = field(default_factory=dict)
    _loading: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.paths = frozenset(self.files.paths)

    def of(self, path: str) -> object:
        """What a settings file exports."""
        if path not in self._known:
            self._known[path] = self._read(path)
        return self._known[path]

    def _read(self, path: str) -> object:
        source = self.files.read(path)
        if source is None:
            return Unknown("the file cannot be read", 0)
        if path.endswith((".yml", ".yaml")):
            return yaml(source.decode("utf-8", "replace"))
        if path.endswith(".json"):
            try:
                return json.loads(whole_escapes(source.decode(json.detect_encoding(source))))
            except (ValueError, RecursionError):  # comments and trailing commas, which most tools allow, or worse
                if is_broken(source):
                    self.broken.add(path)
        return read_settings(path, source, self.load)

    def load(self, importer: str, module: str, name: str) -> object:
        """What another settings file exports, for imports between them."""
        base = posixpath.normpath(posixpath.join(posixpath.dirname(importer), module))
        stem = re.sub(r"\.[cm]?js$", "", base)
        path = next((c for c in (base, *(stem + ending for ending in _ENDINGS)) if c in self.paths), None)
        if path is None or path in self._loading:
            return Unknown(f"{module!r}", 0)
        self._loading.add(path)
        try:
            source = self.files.read(path)
            return read_settings(path, source, self.load, name) if source is not None else Unknown(f"{module!r}", 0)
        finally:
            self._loading.discard(path)


_DEPENDENCIES: Final = (
    ("vitest", "vitest"),
    ("@playwright/test", "playwright"),
    ("jest", "jest"),
    ("react-scripts", "jest"),
    ("@jest/core", "jest"),
    ("jest-cli", "jest"),
    ("mocha", "mocha"),
    ("jasmine", "jasmine"),
    ("jasmine-core", "jasmine"),
    ("qunit", "qunit"),
    ("cypress", "cypress"),
    ("kcd-scripts", "jest"),
    ("ts-jest", "jest"),
)
_FILES: Final = re.compile(
    r"(?:(?P<vitest>vite(?:st)?(?:\.[\w-]+)*\.config(?:\.[\w-]+)*\.[cm]?[jt]s|vitest\.(?:workspace|projects)\.(?:[cm]?[jt]s|json))"
    r"|(?P<jest>jest(?:[.-][\w-]+)*\.config(?:\.[\w-]+)*\.(?:[cm]?[jt]s|json)|jest\.config\.[\w.-]+)"
    r"|(?P<mocha>\.mocharc(?:\.[\w-]+)?(?:\.(?:[cm]?js|json|jsonc|ya?ml))?)"
    r"|(?P<playwright>playwright(?:[.-][\w-]+)*\.config(?:\.[\w-]+)*\.[cm]?[jt]s)"
    r"|(?P<jasmine>jasmine(?:\.\w+)?\.(?:json|[cm]?js))"
    r"|(?P<cypress>cypress\.(?:config\.[cm]?[jt]s|json))"
    r"|(?P<node>\.borp\.ya?ml)"
    r"|(?P<bun>bunfig\.toml)"
    r"|(?P<deno>deno\.jsonc?))\Z"
)

_NAMED: Final = {"node": "node:test"}  # what cannot be a group's name


@dataclass(slots=True)
class Package:
    """One package.json with the settings files that stand in its folder."""

    folder: str
    manifest: dict[str, Any]
    commands: list[Command]
    found: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Reader:
    """Collects runners; `packages` maps folders to package names, `settled` are folders whose runners are known."""

    values: SettingsFiles
    runners: list[Runner] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    packages: dict[str, str] = field(default_factory=dict)
    frameworks: dict[str, str] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)

    @property
    def files(self) -> Files:
        """The files of the snapshot."""
        return self.values.files

    def read(self) -> None:
        """Read settings files by folder, then what packages say without one."""
        found: dict[str, dict[str, list[str]]] = {}
        manifests: dict[str, str] = {}
        for path in self.files.paths:
            name = posixpath.basename(path)
            if name == "package.json" and not NEVER.search(path):
                manifests[posixpath.dirname(path)] = path
            elif (match := _FILES.match(name)) is not None and match.lastgroup is not None and not NEVER.search(path):
                folder = posixpath.dirname(path)
                if match.lastgroup == "jasmine" and posixpath.basename(folder) == "support":
                    folder = posixpath.dirname(posixpath.dirname(folder))
                framework = _NAMED.get(match.lastgroup, match.lastgroup)
                found.setdefault(folder, {}).setdefault(framework, []).append(path)
        for folder in sorted({*found, *manifests}):
            manifest = self._manifest(manifests.get(folder))
            self._package(folder, manifest, found.get(folder, {}))

    def _manifest(self, path: str | None) -> dict[str, Any]:
        value = self.values.of(path) if path is not None else None
        if path is not None and isinstance(value, dict):
            name = value.get("name")
            self.packages[posixpath.dirname(path)] = name if isinstance(name, str) else ""
            return value
        return {}

    def _package(self, folder: str, manifest: dict[str, Any], found: dict[str, list[str]]) -> None:
        scripts = manifest.get("scripts")
        entries = scripts.items() if isinstance(scripts, dict) else ()
        lines = {str(name): line for name, line in entries if isinstance(line, str)}
        makefile = self._makefile(folder) if manifest else ""
        package = Package(folder, manifest, list(commands(lines, recipes(makefile))))
        self._name_settings(package, found)
        depended = _depended(manifest)
        before = len(self.runners)
        for framework, read in READERS.items():
            used = framework in depended or any(command.framework == framework for command in package.commands)
            if used or framework in found or framework in manifest:
                self.runners += read(self, package, sorted(found.get(framework, ())))
        if len(self.runners) > before:
            self.settled.add(folder)
        if depended or len(self.runners) > before:
            first = self.runners[before].framework if len(self.runners) > before else depended[0]
            self.frameworks[folder] = next((name for name in depended if name != "playwright"), first)

    def _makefile(self, folder: str) -> str:
        path = posixpath.join(folder, "Makefile")
        data = self.files.read(path) if path in self.values.paths else None
        return (data or b"").decode("utf-8", "replace")

    def _name_settings(self, package: Package, found: dict[str, list[str]]) -> None:
        """Add settings files that scripts name and whose own names do not tell."""
        for command in package.commands:
            for option in ("--config", "-c"):
                for value in command.options.get(option, ()):
                    path = place(package.folder, value)
                    if path in self.values.paths and path not in found.get(command.framework, ()):
                        found.setdefault(command.framework, []).append(path)

    def package_of(self, folder: str) -> str:
        """The folder of the nearest package.json."""
        while folder and folder not in self.packages:
            folder = posixpath.dirname(folder)
        return folder

    def evaluated(self, path: str) -> dict[str, Any] | None:
        """A settings file's object; anything else becomes a gap."""
        value = self.values.of(path)
        if isinstance(value, dict):
            return value
        line = value.line if isinstance(value, Unknown) else 0
        self.gaps.append(Gap(path, "the settings cannot be read without running them", line))
        return None

    def listed(self, settings: dict[str, Any], key: str, origin: str) -> list[str] | None:
        """A setting that is a list of strings; what cannot be read of it becomes a gap, and the rest is given."""
        value = settings.get(key)
        if value is None:
            return None
        if isinstance(value, str):
            return [value]
        if isinstance(value, list):
            unknown = [item for item in value if not isinstance(item, str)]
            for item in unknown:
                self.unknown(origin, key, item)
            return [item for item in value if isinstance(item, str)]
        self.unknown(origin, key, value)
        return None

    def certain(self, settings: dict[str, Any], key: str, origin: str) -> list[str] | None:
        """A setting that takes files away: what depends on a condition takes none, and becomes a gap."""
        found = self.listed(settings, key, origin)
        if found is None:
            return None
        if any(isinstance(item, Sometimes) for item in found):
            self.gaps.append(Gap(origin, f"a part of {key!r} depends on a condition; what it leaves out is counted"))
        return [item for item in found if not isinstance(item, Sometimes)]

    def spread(self, origin: str, options: dict[str, Any], keys: Iterable[str]) -> None:
        """Note that something unknown is spread over settings, unless one of the keys is written behind it."""
        order = list(options)
        if SPREAD in options and not any(key in options and order.index(key) > order.index(SPREAD) for key in keys):
            self.unknown(origin, " or ".join(keys), options[SPREAD])

    def unknown(self, origin: str, key: str, value: object) -> None:
        """Note a setting that only running the settings would tell."""
        line = value.line if isinstance(value, Unknown) else 0
        said = f": {value.source}" if isinstance(value, Unknown) else ""
        self.gaps.append(Gap(origin, f"the setting {key!r} cannot be read without running it{said}", line))

    def usable(self, origin: str, key: str, expressions: list[str]) -> list[str]:
        """The expressions of a setting that can be matched; the others are gaps."""
        for one in (one for one in expressions if linear(one) is None):
            why = "is broken, or combines look-around with repeats that may never end; write it without look-around"
            said = f"the setting {key!r} is not followed: an expression {why}: {one[:80]}"
            self.gaps.append(Gap(origin, said))
        return [one for one in expressions if linear(one) is not None]


def _depended(manifest: dict[str, Any]) -> list[str]:
    names: set[str] = set()
    for key in ("dependencies", "devDependencies", "peerDependencies"):
        listed = manifest.get(key)
        names.update(listed if isinstance(listed, dict) else ())
    return list(dict.fromkeys(framework for name, framework in _DEPENDENCIES if name in names))


_YAML_LINE = re.compile(r"^(?P<key>[\w-]+)\s*:\s*(?P<value>.*)$")


def yaml(source: str) -> dict[str, Any]:
    """The flat YAML that `.mocharc.yml` is: scalars and lists of scalars."""
    settings: dict[str, Any] = {}
    key = ""
    for raw in source.splitlines():
        line = re.sub(r"(?:^|\s)#.*$", "", raw).rstrip()
        item = re.match(r"^\s*-\s+(.*)$", line)
        if item is not None and key:
            settings.setdefault(key, [])
            if isinstance(settings[key], list):
                settings[key].append(_scalar(item.group(1)))
            continue
        match = _YAML_LINE.match(line)
        if match is None:
            continue
        key = match["key"]
        value = match["value"].strip()
        if value.startswith("["):
            settings[key] = [_scalar(part) for part in value.strip("[]").split(",") if part.strip()]
        elif value:
            settings[key] = _scalar(value)
    return settings


def _scalar(text: str) -> object:
    text = text.strip()
    if text[:1] in {"'", '"'} and text[-1:] == text[:1]:
        return text[1:-1]
    return {"true": True, "false": False}.get(text, text)
