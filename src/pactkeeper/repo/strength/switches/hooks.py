"""Hooks of git, pre-commit and coding agents, reduced to the checks they run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from pactkeeper.ledger.documents import whole_escapes
from pactkeeper.repo.strength.switches.commands import GUARDS, Check, check_of
from pactkeeper.repo.strength.switches.scripts import Scripts, checks

HOOKS: Final = "pre-commit"
AGENTS: Final = "agents"
_OF_GIT: Final = re.compile(r"(?:.*/)?(?:pre-commit|pre-push|pre-merge-commit|commit-msg|\.?lefthook\.ya?ml)")
_OF_PRE_COMMIT: Final = (".pre-commit-config.yaml", ".pre-commit-config.yml")
_OF_AGENTS: Final = re.compile(
    r"(?:.*/)?\.(?:(?:claude|gemini|qwen)/settings(?:\.local)?|(?:cursor|codex|windsurf)/hooks)\.json"
)
_OUR_HOOK: Final = re.compile(r"pk-(guard|check)")
_FILTERS: Final = ("files", "exclude", "types", "types_or", "exclude_types")
_STAGES: Final = ("pre-", "commit", "push", "merge")  # which hold something back
_OFF: Final = "disableAllHooks"
HOOKS_OFF: Final = f"{_OFF}: true"
_TOO_LATE: Final = re.compile(
    r"session|notification|compact", re.IGNORECASE
)  # events that hold an agent back from nothing
_SHORTEST: Final = 5  # seconds that a guard needs
_IN_MILLISECONDS: Final = ".gemini/"


def hooks_family(path: str) -> str:
    """Name the family of a file that declares hooks; "" for any other file."""
    if path.rpartition("/")[2] in _OF_PRE_COMMIT or _OF_GIT.fullmatch(path):
        return HOOKS
    return AGENTS if _OF_AGENTS.fullmatch(path) else ""


def git_hooks(found: Iterable[Check]) -> Iterator[Check]:
    """Yield what a hook of git runs; apart from guards it counts as a lint, since tests have their own place in CI."""
    yield from (check if check.aspect == GUARDS else replace(check, aspect="lint") for check in found)


def pre_commit_hooks(path: str, data: object, scripts: Scripts) -> Iterator[Check]:
    """Yield every hook of pre-commit as a separate check, with what it runs if that is a script of the repository."""
    whole = data if isinstance(data, dict) else {}
    repositories = whole.get("repos")
    for repository in repositories if isinstance(repositories, list) else ():
        hooks = repository.get("hooks") if isinstance(repository, dict) else None
        for hook in hooks if isinstance(hooks, list) else ():
            if isinstance(hook, dict):
                stages = hook.get("stages", whole.get("default_stages"))
                skipped = _is_skipped(whole.get("ci"), str(hook.get("id")))
                never = isinstance(stages, list) and not any(str(one).startswith(_STAGES) for one in stages)
                ran = _ran(path, hook, whole, source=repository, scripts=scripts)
                known = [Check("lint", f"hook {hook.get('id')}", (), "", path, runs=_named(hook, path))]
                found = [one for one in ran if one.aspect == GUARDS] or known + [one for one in ran if one.through]
                found = [replace(one, ignored=f"stages: {stages}") for one in found] if never else found
                elsewhere = "not on pre-commit.ci" if skipped else ""
                yield from (
                    replace(one, condition=", ".join(filter(None, (one.condition, elsewhere)))) for one in found
                )


def _named(hook: dict[str, object], path: str) -> tuple[Check, ...]:
    """Return the check that a hook is named for, with its arguments: that of mypy."""
    given = hook.get("args")
    found = check_of([str(hook.get("id")), *map(str, given if isinstance(given, list) else ())])
    return (replace(found, path=path),) if found is not None else ()


def _is_skipped(service: object, name: str) -> bool:
    """Whether pre-commit.ci is told to skip a hook (https://pre-commit.ci/#configuration-skip)."""
    listed = service.get("skip") if isinstance(service, dict) else None
    return isinstance(listed, list) and name in listed


def _ran(
    path: str, hook: dict[str, object], whole: dict[str, object], *, source: dict[str, object], scripts: Scripts
) -> list[Check]:
    """Return what a hook runs, by its `entry` or else by its name; our own hooks run for any files."""
    repository = str(source.get("repo"))
    ours, given = _OUR_HOOK.fullmatch(str(hook.get("id"))), hook.get("args")
    entry = str(hook.get("entry", f"pk {ours[1]} --staged" if ours else ""))
    line = " ".join((entry, *map(str, given if isinstance(given, list) else ())))
    found = git_hooks(checks(line, path=path, entry="", scripts=scripts if repository == "local" else None))
    always = hook.get("always_run", repository != "local") not in (False, "false")
    asked = [f"{key}: {part[key]}" for part in (whole, hook) for key in _FILTERS if key in part and not always]
    around = () if repository == "local" else (f"from {repository}@{source.get('rev', '')}",)
    return [replace(one, condition=", ".join(asked), around=around) for one in found]


def agent_hooks(path: str, text: str, scripts: Scripts) -> Iterator[Check]:
    """Yield the checks that a coding agent runs at its events."""
    data = json.loads(whole_escapes(text))
    hooks = data.get("hooks") if isinstance(data, dict) else None
    off = HOOKS_OFF if are_off(text) else ""
    for event, command, given in _commands(hooks, ""):
        ignored = off or _deaf(path, event, given)
        yield from (replace(one, ignored=ignored or one.ignored)
                    for one in git_hooks(checks(command, path=path, entry=event, scripts=scripts)))  # fmt: skip


def are_off(text: str) -> bool:
    """Whether an agent's settings switch off every hook, those of other files in the folder too."""
    data = json.loads(whole_escapes(text))
    return isinstance(data, dict) and data.get(_OFF) is True


def _deaf(path: str, event: str, given: Mapping[str, object]) -> str:
    """Return why what a hook says doesn't reach its agent."""
    limit = given.get("timeout")
    shortest = _SHORTEST * (1000 if _IN_MILLISECONDS in path else 1)
    if _TOO_LATE.search(event):
        return f"at {event}"
    if given.get("async") is True:
        return "async: true"
    return f"timeout: {limit}" if isinstance(limit, int | float) and limit < shortest else ""


def _commands(data: object, event: str) -> Iterator[tuple[str, str, Mapping[str, object]]]:
    """Yield the commands below a part of the settings, each with the event that it belongs to and what it is given."""
    for one in data if isinstance(data, list) else ():
        yield from _commands(one, event)
    given: Mapping[str, object] = data if isinstance(data, dict) else {}
    for key, value in given.items():
        if key == "command" and isinstance(value, str):
            yield event, value, given
        else:
            yield from _commands(value, event or str(key))
