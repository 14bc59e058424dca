"""Which boards a person set up: `boards.toml` among their settings files; tokens come from the environment only."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, cast
from urllib.parse import urlsplit

from pactkeeper.errors import Problem, SettingsError
from pactkeeper.ledger.toml_document import read_toml
from pactkeeper.settings.transcripts import NO_TOML, syntax_problem, text_of

FILE: Final = "boards.toml"
DEFAULT: Final = "local"
FOLDER: Final = "board"
BoardKind = Literal["local", "github", "notion", "jira"]

_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
Check = Callable[[object], str]  # what is wrong with a value; empty where nothing is


@dataclass(frozen=True, slots=True)
class BoardSetup:
    """One board as it is set up; `options` are the keys of its kind, `token_env` names the variable of its token.

    `call`, `total`, `rate` and `items` are limits: seconds, seconds, calls a second, items a snapshot.
    """

    name: str
    kind: BoardKind
    options: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    token_env: str = ""
    base_url: str = ""
    call: int = 20
    total: int = 120
    rate: int = 3
    items: int = 5000


@dataclass(frozen=True, slots=True)
class BoardSetups:
    """All boards that are set up, the default one's name, and the file that says so; empty where there is none."""

    boards: tuple[BoardSetup, ...]
    default: str
    source: str = ""

    def named(self, name: str = "") -> BoardSetup:
        """The board of that name, by default the default one; raises SettingsError where there is none."""
        wanted = name or self.default
        for one in self.boards:
            if one.name == wanted:
                return one
        names = ", ".join(one.name for one in self.boards) or "none"
        if name:
            raise SettingsError(f"there is no board {name!r}; set up: {names} ({self.source or FILE})")
        raise SettingsError(f"no board is the default; name one ({names}) or write `default` in {self.source or FILE}")


def _text(value: object) -> str:
    return "" if isinstance(value, str) and value.strip() else "is no text"


def _texts(value: object) -> str:
    fits = isinstance(value, list) and value and all(not _text(one) for one in value)
    return "" if fits else "is no list of texts"


def _folder(value: object) -> str:
    fits = isinstance(value, str) and (value.startswith("~/") or Path(value).is_absolute())
    return "" if fits else "is no absolute folder; write it like '/home/ada/board' or '~/board'"


def _repository(value: object) -> str:
    fits = isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9-]+/(?!\.\.?$)[A-Za-z0-9._-]+", value)
    return "" if fits else "is no repository; write it like 'acme/shop'"


def _database(value: object) -> str:
    fits = isinstance(value, str) and re.fullmatch(r"[0-9a-fA-F]{32}", value.replace("-", ""))
    return "" if fits else "is no id of a Notion database: the 32 digits in its address"


def _project(value: object) -> str:
    fits = isinstance(value, str) and re.fullmatch(r"[A-Z][A-Z0-9_]{1,99}", value)
    return "" if fits else "is no key of a project; write what stands before the number of an issue, such as 'SHOP'"


def _deployment(value: object) -> str:
    return "" if value in {"cloud", "server"} else "is neither 'cloud' nor 'server' (Data Center is 'server')"


def _email(value: object) -> str:
    fits = isinstance(value, str) and re.fullmatch(r"[^\s:@]+@[^\s:@]+", value)
    return "" if fits else "is no address of an account, such as 'ada@example.com'"


def _variable(value: object) -> str:
    fits = isinstance(value, str) and re.fullmatch(r"[A-Z_][A-Z0-9_]{0,63}", value)
    return "" if fits else "names no environment variable; never put the token itself here"


def _url(value: object) -> str:
    parts = urlsplit(value) if isinstance(value, str) else None
    if parts is None or not parts.hostname or parts.username or parts.password or parts.query or parts.fragment:
        return "is no address such as 'https://api.example.com', without anything else in it"
    secure = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
    return "" if secure else "is not https; a token would be readable on its way"


def _whole(least: int, most: int) -> Check:
    def check(value: object) -> str:
        fits = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
        return "" if fits else f"is no whole number from {least:,} to {most:,}"

    return check


_LIMITS: Final[Mapping[str, Check]] = {"items": _whole(1, 1_000_000)}
_REMOTE: Final[Mapping[str, Check]] = {
    "token_env": _variable,
    "base_url": _url,
    "call": _whole(1, 600),
    "total": _whole(1, 3600),
    "rate": _whole(1, 100),
    **_LIMITS,
}
# By kind: the keys it takes besides `kind`, the ones it cannot do without, the variable of its token by default.
_KINDS: Final[Mapping[str, tuple[Mapping[str, Check], tuple[str, ...], str]]] = {
    "local": ({"folder": _folder, **_LIMITS}, ("folder",), ""),
    "github": ({"repository": _repository, "doing": _texts, **_REMOTE}, ("repository",), "GITHUB_TOKEN"),
    "notion": (
        {
            "tasks": _database,
            "documents": _database,
            "marker": _text,
            "status": _text,
            "doing": _texts,
            "done": _texts,
            "section": _text,
            **_REMOTE,
        },
        (),
        "NOTION_TOKEN",
    ),
    "jira": (
        {
            "project": _project,
            "deployment": _deployment,
            "email": _email,
            "issue_type": _text,
            "doing": _texts,
            **_REMOTE,
        },
        ("base_url", "project"),
        "JIRA_TOKEN",
    ),
}
_SECRET_KEYS: Final = frozenset({"token_env", "base_url"})


def board_setups(folder: Path | None, personal: Path | None) -> BoardSetups:
    """The boards of this folder's `boards.toml`; without one, a local board among the person's own data.

    Raises SettingsError with every problem of the file, with its line.
    """
    path = None if folder is None else folder / FILE
    text = text_of(path)
    if text is None or path is None:
        own = () if personal is None else (BoardSetup(DEFAULT, "local", {"folder": str(personal / FOLDER)}),)
        return BoardSetups(own, DEFAULT if own else "")
    problems: list[Problem] = []
    data = _parse(str(path), text, problems)
    boards = _boards(_File(str(path), text, problems), data)
    default = _default(_File(str(path), text, problems), data, boards)
    if problems:
        listed = "\n".join(f"  {one}" for one in sorted(problems))
        raise SettingsError(f"the settings of boards cannot be used:\n{listed}")
    return BoardSetups(tuple(boards), default, source=str(path))


def board_token(setup: BoardSetup, variables: Mapping[str, str] | None = None) -> str:
    """The token that the environment holds for a board; empty where there is none."""
    said = os.environ if variables is None else variables
    return said.get(setup.token_env, "").strip() if setup.token_env else ""


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    text: str
    problems: list[Problem]

    def complain(self, table: str, key: str, message: str) -> None:
        self.problems.append(Problem(self.path, _line(self.text, table, key), message))


def _parse(path: str, text: str, problems: list[Problem]) -> dict[str, Any]:
    try:
        return read_toml(text)
    except NO_TOML as error:
        problems.append(syntax_problem(path, error))
        return {}


def _boards(file: _File, data: Mapping[str, Any]) -> list[BoardSetup]:
    for key in data:
        if key not in {"default", "boards"}:
            file.complain("", key, f"unknown key {key!r}; known are default and [boards.NAME]")
    tables = data.get("boards", {})
    if not isinstance(tables, dict):
        file.complain("", "boards", "'boards' is no table: write [boards.NAME]")
        return []
    if not tables and not file.problems:
        file.complain("", "", "no board is set up; write [boards.NAME] with its kind, or remove the file")
    found = [_board(file, name, table) for name, table in tables.items()]
    return [one for one in found if one is not None]


def _board(file: _File, name: str, table: object) -> BoardSetup | None:
    place = f"boards.{name}"
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,39}", name):
        file.complain(place, "", f"{name!r} is no name of a board; write small letters, digits and dashes")
        return None
    if not isinstance(table, dict):
        file.complain("boards", name, f"{name!r} is no table: write [{place}]")
        return None
    kind = table.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        said = f"kind: {kind!r} is none of" if "kind" in table else "'kind' is missing; write one of"
        file.complain(place, "kind", f"{said} {', '.join(_KINDS)}")
        _complain_of_unknown(file, place, table)
        return None
    return _of_kind(
        file, name, {key: value for key, value in table.items() if key != "kind"}, kind=cast("BoardKind", kind)
    )


def _complain_of_unknown(file: _File, place: str, table: Mapping[str, Any]) -> None:
    """Complain of the keys that no kind of board has."""
    known = {"kind"}.union(*(checks for checks, *_ in _KINDS.values()))
    for key in table:
        if key not in known:
            file.complain(place, key, f"unknown key {key!r}; no kind of board has it (docs/boards.md lists the keys)")


def _of_kind(file: _File, name: str, table: Mapping[str, Any], *, kind: BoardKind) -> BoardSetup | None:
    checks, needed, variable = _KINDS[kind]
    place, before = f"boards.{name}", len(file.problems)
    for key, value in table.items():
        if key not in checks:
            file.complain(place, key, f"unknown key {key!r}; a board of kind {kind!r} has kind, {', '.join(checks)}")
        elif wrong := checks[key](value):
            file.complain(place, key, f"{key}: {'its value' if key in _SECRET_KEYS else repr(value)} {wrong}")
    for key in needed:
        if key not in table:
            file.complain(place, "", f"{key!r} is missing in [{place}]")
    if kind == "notion" and not {"tasks", "documents"} & table.keys():
        file.complain(place, "", f"[{place}] names no database; write 'tasks', 'documents' or both")
    if kind == "jira" and table.get("deployment", "cloud") == "cloud" and "email" not in table:
        file.complain(place, "", f"'email' is missing in [{place}]: Jira Cloud takes the account's with its token")
    if len(file.problems) > before:
        return None
    shared: dict[str, Any] = {key: value for key, value in table.items() if key in _REMOTE}
    own = {
        key: tuple(value) if isinstance(value, list) else value for key, value in table.items() if key not in _REMOTE
    }
    if "folder" in own:
        own["folder"] = str(Path(str(own["folder"])).expanduser())
    return BoardSetup(name, kind, own, **{"token_env": variable, **shared})


def _default(file: _File, data: Mapping[str, Any], boards: list[BoardSetup]) -> str:
    names = [one.name for one in boards]
    wanted = data.get("default", names[0] if len(names) == 1 else "")
    if "default" in data and wanted not in names and not file.problems:
        file.complain("", "default", f"default: {wanted!r} is no board; there are {', '.join(names)}")
    return str(wanted)


def _line(text: str, table: str, key: str) -> int:
    """The line of a key, else of its table, counted from 1; 0 where it is written in an unusual way."""
    current, of_table = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*+\[\s*+([^\[\]#]++)\]", line)
        if header:
            current = header[1].replace('"', "").replace(" ", "")
            of_table = number if current == table else of_table
        elif current == table and key and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]", line):
            return number
    return of_table
