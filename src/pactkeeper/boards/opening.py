"""The kinds of targets, one row each: how a board of that kind is opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pactkeeper.boards.port import Board, CallLimits
from pactkeeper.errors import UsageError

Options = Mapping[str, str | tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Opening:
    """What a board is opened with; `options` are the keys of its kind as docs/boards.md lists them.

    `token` is empty where there is none, `base_url` where the kind's own is meant; `variable` names the variable that
    holds the token.
    """

    name: str
    kind: str
    options: Options
    limits: CallLimits = field(default_factory=CallLimits)
    token: str = field(default="", repr=False)
    base_url: str = ""
    variable: str = ""


def open_board(opening: Opening) -> Board:
    """Open a board without asking it anything; raises UsageError for a kind that is not known."""
    if opening.kind not in _KINDS:
        raise UsageError(f"{opening.kind!r} is no kind of board; known are {', '.join(_KINDS)}")
    return _KINDS[opening.kind](opening)


def _local(opening: Opening) -> Board:
    from pactkeeper.boards.local import LocalBoard  # noqa: PLC0415 - only the kind that is opened

    return LocalBoard(opening.name, Path(_text(opening.options, "folder")), opening.limits)


def _github(opening: Opening) -> Board:
    from pactkeeper.boards import github  # noqa: PLC0415 - only the kind that is opened
    from pactkeeper.boards.calls import Calls  # noqa: PLC0415 - likewise

    calls = Calls(
        github.address(opening.token, opening.base_url or github.BASE_URL), opening.limits, variable=opening.variable
    )
    doing = tuple(one.casefold() for one in _texts(opening.options, "doing")) or ("in progress",)
    return github.GitHubBoard(opening.name, _text(opening.options, "repository"), calls, doing)


def _notion(opening: Opening) -> Board:
    from pactkeeper.boards import notion  # noqa: PLC0415 - only the kind that is opened
    from pactkeeper.boards.calls import Calls  # noqa: PLC0415 - likewise
    from pactkeeper.boards.notion_pages import Databases, Pages  # noqa: PLC0415 - likewise

    calls = Calls(
        notion.address(opening.token, opening.base_url or notion.BASE_URL), opening.limits, variable=opening.variable
    )
    usual, given = Databases(), opening.options
    databases = Databases(
        _text(given, "tasks"),
        _text(given, "documents"),
        marker=_text(given, "marker") or usual.marker,
        status=_text(given, "status") or usual.status,
        section=_text(given, "section") or usual.section,
        doing=_texts(given, "doing") or usual.doing,
        done=_texts(given, "done") or usual.done,
    )
    return notion.NotionBoard(opening.name, Pages(opening.name, databases, calls))


def _jira(opening: Opening) -> Board:
    from pactkeeper.boards import jira, jira_site  # noqa: PLC0415 - only the kind that is opened
    from pactkeeper.boards.calls import Calls  # noqa: PLC0415 - likewise

    given = opening.options
    deployment = jira_site.DEPLOYMENTS[_text(given, "deployment") or jira_site.CLOUD.name]
    email = _text(given, "email") if deployment is jira_site.CLOUD else ""
    calls = Calls(jira_site.address(opening.token, opening.base_url, email), opening.limits, variable=opening.variable)
    return jira.JiraBoard(
        opening.name,
        jira_site.Site(_text(given, "project"), deployment, calls),
        _text(given, "issue_type") or jira.ISSUE_TYPE,
        tuple(one.casefold() for one in _texts(given, "doing")),
    )


def _text(options: Options, name: str) -> str:
    found = options.get(name, "")
    return found if isinstance(found, str) else ", ".join(found)


def _texts(options: Options, name: str) -> tuple[str, ...]:
    found = options.get(name, ())
    return (found,) if isinstance(found, str) else found


_KINDS: Final[Mapping[str, Callable[[Opening], Board]]] = {
    "local": _local,
    "github": _github,
    "notion": _notion,
    "jira": _jira,
}
