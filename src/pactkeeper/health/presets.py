"""What a sweep would run, and why: checks as declared, or as detected from the project's files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from pactkeeper.errors import InputError
from pactkeeper.intent.health import CheckCategory, HealthCheck
from pactkeeper.ledger.documents import read_json_text


@dataclass(frozen=True, slots=True)
class Planned:
    """A check and its origin; `unfit` says why it does not apply to this project, empty if it does.

    `scripts` are the package.json scripts that its commands run, by name.
    """

    check: HealthCheck
    why: str
    unfit: str = ""
    scripts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Project:
    """A folder that presets inspect: `folder` relative to `root`, as a POSIX path, `.` for the root itself.

    `home` is the user's checkout, whose virtual environment is shared.
    """

    root: Path
    folder: str
    home: Path

    @property
    def path(self) -> Path:
        """The folder itself."""
        return self.root / self.folder

    def has(self, *names: str) -> str:
        """Return the first of these files that exists, or an empty string."""
        return next((name for name in names if (self.path / name).is_file()), "")

    def text(self, name: str) -> str:
        """Return the content of a file; empty if it is missing, unreadable, or a pipe, which would block."""
        try:
            return (self.path / name).read_text(encoding="utf-8", errors="replace") if self.has(name) else ""
        except OSError:
            return ""

    def name(self, text: str) -> str:
        """Return the name of a check here, with its folder unless that is the root."""
        return text if self.folder == "." else f"{text} ({self.folder})"


_MANIFESTS: Final = ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini")
_REQUIREMENTS: Final = ("requirements.txt", "requirements-dev.txt", "dev-requirements.txt")
_ENVIRONMENTS: Final = (".venv", "venv")
_INTERPRETER: Final = "bin/python"
# Installs exactly what a lock file says into `.venv`.
_PYTHON_LOCKS: Final = (
    ("uv.lock", ("uv", "sync", "--frozen", "--all-extras", "--all-groups")),
    ("poetry.lock", ("poetry", "install", "--no-interaction")),
    ("pdm.lock", ("pdm", "sync", "--dev")),
)
_IN_PROJECT: Final[Mapping[str, str]] = {"POETRY_VIRTUALENVS_IN_PROJECT": "true"}


def python_checks(project: Project) -> tuple[Planned, ...]:
    """Return type checks and tests as the settings files say; without any, pytest if the root has tests for it."""
    if not project.has(*_MANIFESTS, *_REQUIREMENTS) and not _is_bare(project):
        return ()
    settings = "\n".join(project.text(name) for name in (*_MANIFESTS, *_REQUIREMENTS))
    interpreter, prepare = _interpreter(project)
    environment = {"PYTHONPATH": _path(project), **(_IN_PROJECT if prepare else {})}
    here: dict[str, Any] = {"directory": project.folder, "environment": environment, "prepare": prepare}
    found = [_tests(project, settings, interpreter), *_types(project, settings, interpreter)]
    return tuple(replace(one, check=replace(one.check, name=project.name(one.check.name), **here)) for one in found)


def _is_bare(project: Project) -> bool:
    """Whether the root has pytest tests but no settings file, neither here nor one level below."""
    if project.folder != ".":
        return False
    below = (one.name for one in project.path.iterdir() if one.is_dir() and not one.name.startswith("."))
    told = any(Project(project.root, name, project.home).has(*_MANIFESTS, *_REQUIREMENTS) for name in below)
    return not told and has_pytest_files(project.path)


def _path(project: Project) -> str:
    """Return the import path: this tree first, since an editable install would import from the user's checkout."""
    base = "{root}" if project.folder == "." else f"{{root}}/{project.folder}"
    return f"{base}/src:{base}" if (project.path / "src").is_dir() else base


def _interpreter(project: Project) -> tuple[str, tuple[str, ...]]:
    """Return the checkout's own virtual environment, else the one the lock file creates, else `python3`."""
    for folder in (project.home / project.folder, project.home):
        for name in _ENVIRONMENTS:
            if (folder / name / _INTERPRETER).exists():
                return str(Path(folder / name / _INTERPRETER)), ()
    for lock, install in _PYTHON_LOCKS:
        if project.has(lock):
            return f".venv/{_INTERPRETER}", install
    return "python3", ()


def _tests(project: Project, settings: str, interpreter: str) -> Planned:
    if re.search(r"\bpytest\b", settings) or (project.path / "conftest.py").is_file():
        return _pytest(interpreter, "pytest in the settings")
    if has_pytest_files(project.path):
        return _pytest(interpreter, "test files for pytest")
    argv = (interpreter, "-m", "unittest", "discover", "--verbose")
    unfit = "" if _has_tests(project) else "neither pytest in the settings nor a file test*.py"
    return Planned(HealthCheck("unittest", argv, "test", "unittest"), "files named test*.py", unfit)


def _pytest(interpreter: str, why: str) -> Planned:
    argv = (interpreter, "-m", "pytest", "--color=no", "--junitxml={report}")
    return Planned(HealthCheck("pytest", argv, "test", "pytest"), why)


def _has_tests(project: Project) -> bool:
    folders = [project.path, *(project.path / name for name in ("tests", "test"))]
    return any(place.is_dir() and any(place.glob("test*.py")) for place in folders)


def _types(project: Project, settings: str, interpreter: str) -> list[Planned]:
    found = []
    if project.has("mypy.ini", ".mypy.ini") or re.search(r"^\[(tool\.)?mypy\]", settings, re.MULTILINE):
        text = settings + project.text("mypy.ini") + project.text(".mypy.ini")
        what = () if re.search(r"^(files|packages|modules)\s*=", text, re.MULTILINE) else (".",)
        argv = (interpreter, "-m", "mypy", "--no-color-output", "--cache-dir={cache}/mypy", *what)
        found.append(Planned(HealthCheck("mypy", argv, "compile", "mypy"), "settings of mypy"))
    if project.has("pyrightconfig.json") or "[tool.pyright]" in settings:
        argv = ("pyright", "--outputjson")
        found.append(Planned(HealthCheck("pyright", argv, "compile", "pyright"), "settings of pyright"))
    return found


_NAMED: Final = re.compile(r"(?:test_\w*|\w+_test)\.py\Z")
_IMPORTED: Final = re.compile(r"^[^\S\n]*+(?:import pytest\b|from pytest\b)", re.MULTILINE)
_UNITTEST: Final = re.compile(r"^[^\S\n]*+(?:import unittest\b|from unittest\b(?!\.mock| import mock))", re.MULTILINE)
_CASE: Final = re.compile(r"^(?:async )?def test\w*\(|^class Test\w*\s*[:(]", re.MULTILINE)
_PASSED_OVER: Final = frozenset({"node_modules", "vendor", "third_party", "build", "dist", "site-packages"})
_DEEPEST: Final = 5  # levels of folders below the project
_MOST_FILES: Final = 200


def has_pytest_files(folder: Path) -> bool:
    """Whether a test file below a folder is written for pytest: it imports it, or has tests that unittest skips.

    Hidden folders, virtual environments and third-party code are skipped; at most 200 test files are read.
    """
    return any(_is_for_pytest(place) for place in islice(_test_files(folder, _DEEPEST), _MOST_FILES))


def _test_files(folder: Path, deeper: int) -> Iterator[Path]:
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda one: one.name)
    yield from (Path(one.path) for one in entries if _NAMED.match(one.name) and one.is_file(follow_symlinks=False))
    if deeper:
        for one in entries:
            if one.is_dir(follow_symlinks=False) and _is_ours(one):
                yield from _test_files(Path(one.path), deeper - 1)


def _is_ours(folder: os.DirEntry[str]) -> bool:
    hidden = folder.name.startswith(".") or folder.name in _PASSED_OVER
    return not hidden and not Path(folder.path, "pyvenv.cfg").exists()


def _is_for_pytest(place: Path) -> bool:
    try:
        text = place.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return bool(_IMPORTED.search(text)) or bool(_CASE.search(text) and not _UNITTEST.search(text))


MANIFEST: Final = "package.json"
# The placeholder that `npm init` writes.
_UNWRITTEN: Final = "no test specified"


@dataclass(frozen=True, slots=True)
class _Manager:
    """A package manager: how it installs from the lock file, runs a script, and runs an installed program."""

    install: tuple[str, ...]
    script: tuple[str, ...]
    program: tuple[str, ...]
    options: tuple[str, ...] = ()


_NPM: Final = _Manager(("npm", "ci"), ("npm", "run"), ("npx", "--no-install"), ("--",))
_PNPM: Final = _Manager(("pnpm", "install", "--frozen-lockfile"), ("pnpm", "run"), ("pnpm", "exec"))
_BUN: Final = _Manager(("bun", "install", "--frozen-lockfile"), ("bun", "run"), ("bunx", "--no-install"))
_YARN: Final = _Manager(("yarn", "install", "--frozen-lockfile"), ("yarn", "run"), ("yarn", "run"))
_BERRY: Final = _Manager(("yarn", "install", "--immutable"), ("yarn", "run"), ("yarn", "run"))
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


def node_checks(project: Project) -> tuple[Planned, ...]:
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


def _manager(project: Project, manifest: Mapping[str, object]) -> tuple[_Manager, tuple[str, ...]]:
    needs = any(_table(manifest, name) for name in ("dependencies", "devDependencies")) or "workspaces" in manifest
    for lock, tool in _LOCKS:
        if project.has(lock):
            found = _BERRY if tool is _YARN and project.has(".yarnrc.yml") else tool
            return found, found.install if needs else ()
    return _NPM, _UNLOCKED if needs else ()


def _build(project: Project, manifest: Mapping[str, object], tool: _Manager) -> Planned:
    script = _table(manifest, "scripts").get("build")
    argv = (*tool.script, "build", *(("--if-present",) if tool is _NPM else ()))
    check = HealthCheck(project.name(f"{tool.script[0]} run build"), argv, "build")
    return Planned(check, "the script 'build' of package.json", "" if script is not None else "there is no such script")


def _compile(project: Project, manifest: Mapping[str, object], tool: _Manager) -> Planned:
    installed = any("typescript" in _table(manifest, name) for name in ("dependencies", "devDependencies"))
    unfit = "" if installed else "typescript is not a dependency in package.json"
    if not project.has("tsconfig.json"):
        unfit = "there is no tsconfig.json"
    argv = (*tool.program, "tsc", "--noEmit", "--pretty", "false")
    check = HealthCheck(project.name("tsc"), argv, "compile", "tsc")
    return Planned(check, "tsconfig.json, and typescript among the dependencies", unfit)


def _test(project: Project, manifest: Mapping[str, object], tool: _Manager) -> Planned:
    script = _table(manifest, "scripts").get("test")
    whole = _PLAIN_RUNNER.fullmatch(script.strip()) if script else None
    reporting = (*tool.options, *_RUNNERS[whole[1].partition(" ")[0]]) if whole else ()
    check = HealthCheck(project.name(f"{tool.script[0]} test"), (*tool.script, "test", *reporting), "test")
    unfit = "there is no such script" if script is None or _UNWRITTEN in script else ""
    return Planned(check, "the script 'test' of package.json", unfit)


Preset = Callable[[Project], tuple[Planned, ...]]


@dataclass(frozen=True, slots=True)
class _Tool:
    """A tool that a manifest calls for: `steps` are (category, name suffix, arguments).

    The project's `wrapper` is preferred to the tool itself. `options` apply to every step.
    """

    program: str
    parser: str
    manifests: tuple[str, ...]
    steps: tuple[tuple[CheckCategory, str, tuple[str, ...]], ...]
    wrapper: str = ""
    options: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    def checks(self, project: Project) -> tuple[Planned, ...]:
        """Return every step if one of the manifests exists."""
        manifest = project.has(*self.manifests)
        return tuple(Planned(self._check(project, *step), manifest) for step in self.steps) if manifest else ()

    def _check(self, project: Project, category: CheckCategory, name: str, arguments: tuple[str, ...]) -> HealthCheck:
        program = f"./{self.wrapper}" if self.wrapper and project.has(self.wrapper) else self.program
        argv = (program, *self.options, *arguments)
        named = project.name(f"{self.program} {name}")
        return HealthCheck(named, argv, category, self.parser, project.folder, self.environment)


_GO: Final = _Tool(
    "go",
    "go",
    ("go.mod", "go.work"),
    (
        ("build", "build", ("build", "./...")),
        ("compile", "vet", ("vet", "./...")),
        ("test", "test", ("test", "-json", "./...")),
    ),
)
_RUST: Final = _Tool(
    "cargo",
    "cargo",
    ("Cargo.toml",),
    (
        ("build", "build", ("build", "--workspace")),
        ("compile", "test --no-run", ("test", "--workspace", "--no-run")),
        ("test", "test", ("test", "--workspace", "--no-fail-fast")),
    ),
    # Build output persists between sweeps; cargo knows which of it is stale.
    environment={"CARGO_TARGET_DIR": "{cache}/target", "CARGO_TERM_COLOR": "never"},
)
_MAVEN: Final = _Tool(
    "mvn",
    "maven",
    ("pom.xml",),
    (("build", "test-compile", ("test-compile",)), ("test", "test", ("test",))),
    "mvnw",
    ("--batch-mode",),
)
_GRADLE: Final = _Tool(
    "gradle",
    "gradle",
    ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"),
    (("build", "testClasses", ("testClasses",)), ("test", "test", ("test", "--continue"))),
    "gradlew",
    ("--console=plain", "--no-daemon"),
)
PRESETS: Final[Mapping[str, Preset]] = {
    "node": node_checks,
    "python": python_checks,
    "go": _GO.checks,
    "rust": _RUST.checks,
    "java": lambda project: _MAVEN.checks(project) or _GRADLE.checks(project),
}
_MOST_FOLDERS: Final = 20
_NOT_OURS: Final = frozenset({"node_modules", "vendor", "third_party", "examples", "example", "docs", "build", "dist"})


def detect(root: Path, home: Path) -> tuple[Planned, ...]:
    """Return every check that the files at `root` call for; each preset falls back to the folders directly below."""
    return tuple(one for preset in PRESETS.values() for one in _of(preset, root, home))


def _of(preset: Preset, root: Path, home: Path) -> tuple[Planned, ...]:
    found = preset(Project(root, ".", home))
    if found:
        return found
    folders = sorted(
        one.name for one in root.iterdir() if one.is_dir() and one.name[0] != "." and one.name not in _NOT_OURS
    )
    return tuple(check for name in folders[:_MOST_FOLDERS] for check in preset(Project(root, name, home)))
