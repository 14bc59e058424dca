"""Python: pytest or unittest, by settings or by test files, and mypy or pyright if they are configured."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from pactkeeper.health.planned import Planned, Project
from pactkeeper.intent.health import HealthCheck

_MANIFESTS: Final = ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini")
_REQUIREMENTS: Final = ("requirements.txt", "requirements-dev.txt", "dev-requirements.txt")
_ENVIRONMENTS: Final = (".venv", "venv")
_INTERPRETER: Final = "bin/python"
# Installs exactly what a lock file says into `.venv`.
_LOCKS: Final = (
    ("uv.lock", ("uv", "sync", "--frozen", "--all-extras", "--all-groups")),
    ("poetry.lock", ("poetry", "install", "--no-interaction")),
    ("pdm.lock", ("pdm", "sync", "--dev")),
)
_IN_PROJECT: Final[Mapping[str, str]] = {"POETRY_VIRTUALENVS_IN_PROJECT": "true"}


def checks(project: Project) -> tuple[Planned, ...]:
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
    for lock, install in _LOCKS:
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
