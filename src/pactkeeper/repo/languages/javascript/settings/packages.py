"""Walk the packages of a repository: package.json, the settings files next to it, scripts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from pactkeeper.intent.tests import Gap
from pactkeeper.repo.languages.adapter import Files
from pactkeeper.repo.languages.javascript.settings.commands import Command, commands, recipes
from pactkeeper.repo.languages.javascript.settings.literals import command_lines
from pactkeeper.repo.languages.javascript.settings.runner import NEVER, Runner, linear, place
from pactkeeper.repo.languages.javascript.settings.tools import READERS, mapped
from pactkeeper.repo.languages.javascript.settings.unknown import SPREAD, Pattern, Sometimes, Unknown
from pactkeeper.repo.languages.javascript.settings.values import SettingsFiles

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
    ("@hapi/lab", "lab"),
)
_STARTED: Final = re.compile(r"(?:^|[\s;&|])node\s+([\w./-]{1,200}\.[cm]?js)(?=\s|\Z)")
_LARGEST: Final = 1 << 20  # bytes of a script that starts runners
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

_NAMED: Final = {"node": "node:test"}  # names that aren't valid as a regex group


@dataclass(slots=True)
class Package:
    """One package.json with the settings files in its folder."""

    folder: str
    manifest: dict[str, Any]
    commands: list[Command]
    found: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Reader:
    """Collects runners; `packages` maps folders to package names, `settled` are folders whose runners are known.

    `unsure` maps packages to why it cannot be known which files their runners collect.
    """

    values: SettingsFiles
    runners: list[Runner] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    packages: dict[str, str] = field(default_factory=dict)
    frameworks: dict[str, str] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)
    unsure: dict[str, str] = field(default_factory=dict)

    @property
    def files(self) -> Files:
        """The files of the snapshot."""
        return self.values.files

    def read(self) -> None:
        """Read settings files folder by folder, with the package.json in each."""
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
        self.runners = mapped(self)

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
        made = [*recipes(self._makefile(folder)), *self._handed(folder, lines.values())] if manifest else []
        package = Package(folder, manifest, list(commands(lines, made)))
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

    def _handed(self, folder: str, scripts: Iterable[str]) -> Iterator[str]:
        """Yield shell commands in the repository's own JavaScript files that the package's scripts run."""
        started = {place(folder, name) for line in scripts for name in _STARTED.findall(line)}
        for path in sorted(started & self.values.paths):
            source = self.files.read(path)
            if source is not None and len(source) <= _LARGEST:
                yield from command_lines(path, source)

    def _name_settings(self, package: Package, found: dict[str, list[str]]) -> None:
        """Add settings files that scripts name explicitly and whose names alone don't identify them."""
        for command in package.commands:
            for option in ("--config", "-c"):
                for value in command.options.get(option, ()):
                    path = place(package.folder, value)
                    if path in self.values.paths and path not in found.get(command.framework, ()):
                        found.setdefault(command.framework, []).append(path)

    def package_of(self, folder: str) -> str:
        """Return the folder of the nearest package.json."""
        while folder and folder not in self.packages:
            folder = posixpath.dirname(folder)
        return folder

    def evaluated(self, path: str) -> dict[str, Any] | None:
        """Return a settings file's object; anything else becomes a gap."""
        value = self.values.of(path)
        if isinstance(value, dict):
            return value
        line = value.line if isinstance(value, Unknown) else 0
        self.gaps.append(Gap(path, "the settings cannot be read without running them", line))
        self._unsure(path)
        return None

    def listed(self, settings: dict[str, Any], key: str, origin: str) -> list[str] | None:
        """Return a setting that is a list of strings; unreadable items become gaps and the rest is returned."""
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

    def expressions(self, settings: dict[str, Any], key: str, origin: str) -> list[str | Pattern]:
        """Return a setting that is one or more strings or regular expressions; anything else in it becomes a gap."""
        value = settings.get(key)
        values = value if isinstance(value, list) else [] if value is None else [value]
        for item in values:
            if not isinstance(item, str | Pattern):
                self.unknown(origin, key, item)
        return [item for item in values if isinstance(item, str | Pattern)]

    def certain(self, settings: dict[str, Any], key: str, origin: str) -> list[str] | None:
        """Return a setting that excludes files; conditional items exclude nothing and become a gap."""
        found = self.listed(settings, key, origin)
        if found is None:
            return None
        if any(isinstance(item, Sometimes) for item in found):
            self.gaps.append(Gap(origin, f"a part of {key!r} depends on a condition; what it leaves out is counted"))
        return [item for item in found if not isinstance(item, Sometimes)]

    def spread(self, origin: str, options: dict[str, Any], keys: Iterable[str]) -> None:
        """Report an unknown value spread into settings, unless one of the keys follows it."""
        order = list(options)
        if SPREAD in options and not any(key in options and order.index(key) > order.index(SPREAD) for key in keys):
            self.unknown(origin, " or ".join(keys), options[SPREAD])

    def unknown(self, origin: str, key: str, value: object) -> None:
        """Report a setting that depends on running the settings file."""
        line = value.line if isinstance(value, Unknown) else 0
        said = f": {value.start}" if isinstance(value, Unknown) else ""
        self.gaps.append(Gap(origin, f"the setting {key!r} cannot be read without running it{said}", line))
        self._unsure(origin)

    def _unsure(self, origin: str) -> None:
        package = self.package_of(posixpath.dirname(origin))
        self.unsure.setdefault(package, f"{origin} cannot be read without running it")

    def usable(self, origin: str, key: str, expressions: list[str]) -> list[str]:
        """Return the expressions of a setting that can be matched; the others become gaps."""
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
