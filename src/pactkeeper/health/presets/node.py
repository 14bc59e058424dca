"""Node.js: the scripts of package.json, and the TypeScript compiler if the project is set up for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.errors import InputError
from pactkeeper.health.planned import Planned, Project
from pactkeeper.intent.health import HealthCheck
from pactkeeper.ledger.json_outline import read_json_text

MANIFEST: Final = "package.json"
# The placeholder that `npm init` writes.
_UNWRITTEN: Final = "no test specified"


@dataclass(frozen=True, slots=True)
class _Tool:
    """A package manager: how it installs from the lock file, runs a script, and runs an installed program."""

    install: tuple[str, ...]
    script: tuple[str, ...]
    program: tuple[str, ...]
    options: tuple[str, ...] = ()


_NPM: Final = _Tool(("npm", "ci"), ("npm", "run"), ("npx", "--no-install"), ("--",))
_PNPM: Final = _Tool(("pnpm", "install", "--frozen-lockfile"), ("pnpm", "run"), ("pnpm", "exec"))
_BUN: Final = _Tool(("bun", "install", "--frozen-lockfile"), ("bun", "run"), ("bunx", "--no-install"))
_YARN: Final = _Tool(("yarn", "install", "--frozen-lockfile"), ("yarn", "run"), ("yarn", "run"))
_BERRY: Final = _Tool(("yarn", "install", "--immutable"), ("yarn", "run"), ("yarn", "run"))
_LOCKS: Final = (
    ("package-lock.json", _NPM),
    ("npm-shrinkwrap.json", _NPM),
    ("pnpm-lock.yaml", _PNPM),
    ("bun.lock", _BUN),
    ("bun.lockb", _BUN),
    ("yarn.lock", _YARN),
)
_UNLOCKED: Final = ("npm", "install", "--no-package-lock")
# A script that consists of a runner alone takes options that make it write a report; a longer command line does not.
_RUNNERS: Final[Mapping[str, tuple[str, ...]]] = {
    "vitest": ("--reporter=default", "--reporter=json", "--outputFile.json={report}"),
    "jest": ("--json", "--outputFile={report}"),
    "mocha": ("--reporter=json", "--reporter-option=output={report}"),
}
_PLAIN_RUNNER: Final = re.compile(r"(?:npx )?(vitest(?: run)?|jest|mocha)(?: [^&|;<>`$]*)?")


def checks(project: Project) -> tuple[Planned, ...]:
    """Return compile, build and test checks from package.json; none without one."""
    if not project.has(MANIFEST):
        return ()
    manifest = _manifest(project)
    tool, prepare = _manager(project, manifest)
    steps = (_build(project, manifest, tool), _compile(project, manifest, tool), _test(project, manifest, tool))
    return tuple(replace(one, check=replace(one.check, directory=project.folder, prepare=prepare)) for one in steps)


def scripts(project: Project) -> Mapping[str, str]:
    """Return the scripts of package.json by name; empty without one."""
    return _table(_manifest(project), "scripts") if project.has(MANIFEST) else {}


def _manifest(project: Project) -> Mapping[str, object]:
    """Return the content of package.json; a broken one yields scripts that make the package manager report it."""
    try:
        found = read_json_text(project.text(MANIFEST), MANIFEST)
    except InputError:
        return {"scripts": {"build": "", "test": ""}}
    return found if isinstance(found, dict) else {}


def _table(manifest: Mapping[str, object], name: str) -> Mapping[str, str]:
    found = manifest.get(name)
    return {key: str(value) for key, value in found.items()} if isinstance(found, dict) else {}


def _manager(project: Project, manifest: Mapping[str, object]) -> tuple[_Tool, tuple[str, ...]]:
    needs = any(_table(manifest, name) for name in ("dependencies", "devDependencies")) or "workspaces" in manifest
    for lock, tool in _LOCKS:
        if project.has(lock):
            found = _BERRY if tool is _YARN and project.has(".yarnrc.yml") else tool
            return found, found.install if needs else ()
    return _NPM, _UNLOCKED if needs else ()


def _build(project: Project, manifest: Mapping[str, object], tool: _Tool) -> Planned:
    script = _table(manifest, "scripts").get("build")
    argv = (*tool.script, "build", *(("--if-present",) if tool is _NPM else ()))
    check = HealthCheck(project.name(f"{tool.script[0]} run build"), argv, "build")
    return Planned(check, "the script 'build' of package.json", "" if script is not None else "there is no such script")


def _compile(project: Project, manifest: Mapping[str, object], tool: _Tool) -> Planned:
    installed = any("typescript" in _table(manifest, name) for name in ("dependencies", "devDependencies"))
    unfit = "" if installed else "typescript is no dependency of package.json"
    if not project.has("tsconfig.json"):
        unfit = "there is no tsconfig.json"
    argv = (*tool.program, "tsc", "--noEmit", "--pretty", "false")
    check = HealthCheck(project.name("tsc"), argv, "compile", "tsc")
    return Planned(check, "tsconfig.json, and typescript among the dependencies", unfit)


def _test(project: Project, manifest: Mapping[str, object], tool: _Tool) -> Planned:
    script = _table(manifest, "scripts").get("test")
    whole = _PLAIN_RUNNER.fullmatch(script.strip()) if script else None
    reporting = (*tool.options, *_RUNNERS[whole[1].partition(" ")[0]]) if whole else ()
    check = HealthCheck(project.name(f"{tool.script[0]} test"), (*tool.script, "test", *reporting), "test")
    unfit = "there is no such script" if script is None or _UNWRITTEN in script else ""
    return Planned(check, "the script 'test' of package.json", unfit)
