"""pytest's settings as pytest itself reads them: which file of a folder contains them, and what its options are.

The order of files and the meaning of sections follow `_pytest/config/findpaths.py` of pytest 9.
"""

from __future__ import annotations

import configparser
import shlex
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.tests import Gap
from pactkeeper.ledger.documents import read_toml

Options = Mapping[str, tuple[str, ...]]
LISTS: Final = frozenset(
    {"addopts", "norecursedirs", "python_classes", "python_files", "python_functions", "pythonpath", "testpaths"}
)
SWITCHES: Final = frozenset({"collect_imported_tests", "strict", "strict_xfail", "xfail_strict"})


class _Unreadable(Exception):
    """A settings file that doesn't parse; the message says where."""


@dataclass(frozen=True, slots=True)
class Found:
    """The settings of one folder; `file` is None if it has none. Values are lists of words; a switch has one."""

    file: str | None
    options: Options
    gaps: tuple[Gap, ...] = ()


def settings_of(folder: str, read: Callable[[str], bytes | None], present: Callable[[str], bool]) -> Found:
    """Find and read the settings that pytest would use in a folder."""
    gaps: list[Gap] = []
    for name, load in _LOADERS.items():
        path = f"{folder}/{name}" if folder else name
        data = read(path) if present(path) else None
        if data is None:
            continue
        try:
            options = load(data.decode("utf-8-sig"))
        except (_Unreadable, UnicodeDecodeError) as problem:
            gaps.append(Gap(path, f"the file cannot be read, so pytest's settings in it are unknown: {problem}"))
            continue
        if options is not None:
            return Found(path, options, tuple(gaps))
    return Found(None, {}, tuple(gaps))


def _ini(text: str) -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True, comment_prefixes=("#", ";"))
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # option names are case-sensitive
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise _Unreadable(str(error).replace("\n", " ")) from error
    except AttributeError as error:  # raised by the parser itself
        raise _Unreadable("an indented line follows a key that has no value") from error
    return parser


def _toml(text: str) -> dict[str, object]:
    try:
        return read_toml(text)
    except tomllib.TOMLDecodeError as error:
        raise _Unreadable(str(error)) from error


def _section(text: str, section: str) -> Options | None:
    parser = _ini(text)
    if section not in parser:
        return None
    return {name: _words(_uncommented(value or "")) for name, value in parser[section].items() if _known(name)}


def _uncommented(value: str) -> str:
    return "\n".join(line for line in value.splitlines() if not line.lstrip().startswith(("#", ";")))


def _known(name: str) -> bool:
    return name in LISTS or name in SWITCHES


def _words(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(str(word) for word in value)
    if isinstance(value, bool):
        return (str(value).lower(),)
    try:
        return tuple(shlex.split(str(value)))
    except ValueError:
        return tuple(str(value).split())


def _table(table: object) -> Options:
    if not isinstance(table, dict):
        return {}
    return {name: _words(value) for name, value in table.items() if _known(name)}


def _pytest_toml(text: str) -> Options:
    return _table(_toml(text).get("pytest"))


def _pyproject(text: str) -> Options | None:
    if "pytest" not in text:
        return None
    tool = _toml(text).get("tool")
    pytest = tool.get("pytest") if isinstance(tool, dict) else None
    if not isinstance(pytest, dict):
        return None
    native = {name: value for name, value in pytest.items() if name != "ini_options"}
    if native:
        return _table(native)
    return _table(pytest["ini_options"]) if "ini_options" in pytest else None


def _pytest_ini(text: str) -> Options:
    return _section(text, "pytest") or {}


_LOADERS: Final[Mapping[str, Callable[[str], Options | None]]] = {
    "pytest.toml": _pytest_toml,
    ".pytest.toml": _pytest_toml,
    "pytest.ini": _pytest_ini,
    ".pytest.ini": _pytest_ini,
    "pyproject.toml": _pyproject,
    "tox.ini": lambda text: _section(text, "pytest"),
    "setup.cfg": lambda text: _section(text, "tool:pytest"),
}
NAMES: Final = frozenset(_LOADERS)
