"""The boards a person has set up in `boards.toml`; tokens come only from the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pactkeeper.errors import SettingsError
from pactkeeper.settings.file import Check, SettingsFile, matching, secure_url, text, text_of, texts, whole

FILE: Final = "boards.toml"
DEFAULT: Final = "local"
FOLDER: Final = "board"


@dataclass(frozen=True, slots=True)
class BoardSetup:
    """The settings of one board; `options` are the keys of its kind, `token_env` names the variable with its token.

    `call`, `total`, `rate` and `items` are limits: seconds per call, seconds in total, calls per second, items per
    snapshot.
    """

    name: str
    kind: str
    options: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    token_env: str = ""
    base_url: str = ""
    call: int = 20
    total: int = 120
    rate: int = 3
    items: int = 5000


@dataclass(frozen=True, slots=True)
class BoardSetups:
    """All boards, the name of the default one, and the settings file they come from; empty if there is none."""

    boards: tuple[BoardSetup, ...]
    default: str
    source: str = ""

    def named(self, name: str = "") -> BoardSetup:
        """The board with that name, or the default board; raises SettingsError if there is none."""
        wanted = name or self.default
        for one in self.boards:
            if one.name == wanted:
                return one
        names = ", ".join(one.name for one in self.boards) or "none"
        if name:
            raise SettingsError(f"there is no board {name!r}; configured: {names} ({self.source or FILE})")
        raise SettingsError(f"no board is the default; name one ({names}) or write `default` in {self.source or FILE}")


def _folder(value: object) -> str:
    fits = isinstance(value, str) and (value.startswith("~/") or Path(value).is_absolute())
    return "" if fits else "is not an absolute path; write it like '/home/ada/board' or '~/board'"


def _deployment(value: object) -> str:
    return "" if value in {"cloud", "server"} else "is neither 'cloud' nor 'server' (Data Center is 'server')"


def _states(value: object) -> str:
    return texts(value) if value else "is not a list of strings"


_repository: Final = matching(
    r"[A-Za-z0-9-]+/(?!\.\.?$)[A-Za-z0-9._-]+", "is not a repository; write it like 'acme/shop'"
)
_database: Final = matching(r"-*(?:[0-9a-fA-F]-*){32}", "is not a Notion database id: the 32 digits in its address")
_project: Final = matching(
    r"[A-Z][A-Z0-9_]{1,99}", "is not a project key; write the part before the number of an issue, such as 'SHOP'"
)
_email: Final = matching(r"[^\s:@]+@[^\s:@]+", "is not an account's address, such as 'ada@example.com'")
_variable: Final = matching(r"[A-Z_][A-Z0-9_]{0,63}", "names no environment variable; never put the token itself here")
_LIMITS: Final[Mapping[str, Check]] = {"items": whole(1, 1_000_000)}
_REMOTE: Final[Mapping[str, Check]] = {
    "token_env": _variable,
    "base_url": secure_url("https://api.example.com"),
    "call": whole(1, 600),
    "total": whole(1, 3600),
    "rate": whole(1, 100),
    **_LIMITS,
}


@dataclass(frozen=True, slots=True)
class _Kind:
    """The settings of one kind of board: its keys beside `kind`, the required ones, and the variable for its token.

    `lacks` returns the complaint about a table in which one key calls for another; empty if there is none.
    """

    keys: Mapping[str, Check]
    needed: tuple[str, ...] = ()
    variable: str = ""
    lacks: Callable[[Mapping[str, Any]], str] = lambda _: ""


def _without_database(table: Mapping[str, Any]) -> str:
    return "" if {"tasks", "documents"} & table.keys() else "it names no database; write 'tasks', 'documents' or both"


def _without_account(table: Mapping[str, Any]) -> str:
    lacks = table.get("deployment", "cloud") == "cloud" and "email" not in table
    return "'email' is missing: Jira Cloud takes the account's with its token" if lacks else ""


# Each kind is also the name of its module in `boards/`.
KINDS: Final = {
    "local": _Kind({"folder": _folder, **_LIMITS}, ("folder",)),
    "github": _Kind({"repository": _repository, "doing": _states, **_REMOTE}, ("repository",), "GITHUB_TOKEN"),
    "notion": _Kind(
        {
            "tasks": _database,
            "documents": _database,
            "marker": text,
            "status": text,
            "doing": _states,
            "done": _states,
            "section": text,
            **_REMOTE,
        },
        variable="NOTION_TOKEN",
        lacks=_without_database,
    ),
    "jira": _Kind(
        {
            "project": _project,
            "deployment": _deployment,
            "email": _email,
            "issue_type": text,
            "doing": _states,
            **_REMOTE,
        },
        ("base_url", "project"),
        "JIRA_TOKEN",
        _without_account,
    ),
}
_SECRET_KEYS: Final = frozenset({"token_env", "base_url"})


def board_setups(folder: Path | None, personal: Path | None) -> BoardSetups:
    """The boards of this folder's `boards.toml`; without one, a local board in the person's data folder.

    Raises SettingsError listing every problem of the file with its line.
    """
    path = None if folder is None else folder / FILE
    said = text_of(path)
    if said is None or path is None:
        own = () if personal is None else (BoardSetup(DEFAULT, "local", {"folder": str(personal / FOLDER)}),)
        return BoardSetups(own, DEFAULT if own else "")
    file = SettingsFile(str(path), said)
    data = file.read()
    boards = _boards(file, data)
    default = _default(file, data, boards)
    file.refuse("the settings of boards")
    return BoardSetups(tuple(boards), default, source=str(path))


def board_token(setup: BoardSetup, variables: Mapping[str, str] | None = None) -> str:
    """The token in the environment for a board; empty if there is none."""
    said = os.environ if variables is None else variables
    return said.get(setup.token_env, "").strip() if setup.token_env else ""


def _boards(file: SettingsFile, data: Mapping[str, Any]) -> list[BoardSetup]:
    for key in data:
        if key not in {"default", "boards"}:
            file.complain("", key, f"unknown key {key!r}; known are default and [boards.NAME]")
    tables = data.get("boards", {})
    if not isinstance(tables, dict):
        file.complain("", "boards", "'boards' is not a table: write [boards.NAME]")
        return []
    if not tables and not file.problems:
        file.complain("", "", "no board is configured; write [boards.NAME] with its kind, or remove the file")
    found = [_board(file, name, table) for name, table in tables.items()]
    return [one for one in found if one is not None]


def _board(file: SettingsFile, name: str, table: object) -> BoardSetup | None:
    place = f"boards.{name}"
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,39}", name):
        file.complain(place, "", f"{name!r} is not a valid board name; write small letters, digits and dashes")
        return None
    if not isinstance(table, dict):
        file.complain("boards", name, f"{name!r} is not a table: write [{place}]")
        return None
    kind = table.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        said = f"kind: {kind!r} is none of" if "kind" in table else "'kind' is missing; write one of"
        file.complain(place, "kind", f"{said} {', '.join(KINDS)}")
        _complain_of_unknown(file, place, table)
        return None
    return _of_kind(file, name, {key: value for key, value in table.items() if key != "kind"}, kind=kind)


def _complain_of_unknown(file: SettingsFile, place: str, table: Mapping[str, Any]) -> None:
    """Report keys that no kind of board has."""
    known = {"kind"}.union(*(one.keys for one in KINDS.values()))
    for key in table:
        if key not in known:
            file.complain(place, key, f"unknown key {key!r}; no kind of board has it (docs/boards.md lists the keys)")


def _of_kind(file: SettingsFile, name: str, table: Mapping[str, Any], *, kind: str) -> BoardSetup | None:
    known = KINDS[kind]
    place, before = f"boards.{name}", len(file.problems)
    for key, value in table.items():
        if key not in known.keys:
            keys = ", ".join(known.keys)
            file.complain(place, key, f"unknown key {key!r}; a board of kind {kind!r} has kind, {keys}")
        elif wrong := known.keys[key](value):
            file.complain(place, key, f"{key}: {'its value' if key in _SECRET_KEYS else repr(value)} {wrong}")
    for key in known.needed:
        if key not in table:
            file.complain(place, "", f"{key!r} is missing in [{place}]")
    if lacks := known.lacks(table):
        file.complain(place, "", f"[{place}]: {lacks}")
    if len(file.problems) > before:
        return None
    shared: dict[str, Any] = {key: value for key, value in table.items() if key in _REMOTE}
    own = {
        key: tuple(value) if isinstance(value, list) else value for key, value in table.items() if key not in _REMOTE
    }
    if "folder" in own:
        own["folder"] = str(Path(str(own["folder"])).expanduser())
    return BoardSetup(name, kind, own, **{"token_env": known.variable, **shared})


def _default(file: SettingsFile, data: Mapping[str, Any], boards: list[BoardSetup]) -> str:
    names = [one.name for one in boards]
    wanted = data.get("default", names[0] if len(names) == 1 else "")
    if "default" in data and wanted not in names and not file.problems:
        file.complain("", "default", f"default: {wanted!r} is not a board; known are {', '.join(names)}")
    return str(wanted)
