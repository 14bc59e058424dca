"""Hooks of git, pre-commit and coding agents, reduced to the checks they run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from pactkeeper.ledger.documents import whole_escapes
from pactkeeper.repo.strength.switches.commands import GUARDS, Check, checks

HOOKS: Final = "pre-commit"
AGENTS: Final = "agents"
_OF_GIT: Final = re.compile(r"(?:.*/)?(?:pre-commit|pre-push|pre-merge-commit|commit-msg|\.?lefthook\.ya?ml)")
_OF_PRE_COMMIT: Final = (".pre-commit-config.yaml", ".pre-commit-config.yml")
_OF_AGENTS: Final = re.compile(
    r"(?:.*/)?\.(?:(?:claude|gemini|qwen)/settings(?:\.local)?|(?:cursor|codex|windsurf)/hooks)\.json"
)
_OUR_HOOK: Final = re.compile(r"pk-(guard|check)")
_OFF: Final = "disableAllHooks"


def hooks_family(path: str) -> str:
    """Name the family of a file that declares hooks; "" for any other file."""
    if path.rpartition("/")[2] in _OF_PRE_COMMIT or _OF_GIT.fullmatch(path):
        return HOOKS
    return AGENTS if _OF_AGENTS.fullmatch(path) else ""


def git_hooks(found: Iterable[Check]) -> Iterator[Check]:
    """Yield what a hook of git runs; apart from guards it counts as a lint, since tests have their own place in CI."""
    yield from (check if check.aspect == GUARDS else replace(check, aspect="lint") for check in found)


def pre_commit_hooks(path: str, data: object) -> Iterator[Check]:
    """Yield every hook of pre-commit as a separate check."""
    repositories = data.get("repos") if isinstance(data, dict) else None
    for repository in repositories if isinstance(repositories, list) else ():
        hooks = repository.get("hooks") if isinstance(repository, dict) else None
        for hook in hooks if isinstance(hooks, list) else ():
            if isinstance(hook, dict):
                never = "stages: manual" if hook.get("stages") == ["manual"] else ""
                found = _guards(path, hook) or [Check("lint", f"hook {hook.get('id')}", (), "", path)]
                yield from (replace(check, ignored=never or check.ignored) for check in found)


def _guards(path: str, hook: dict[str, object]) -> list[Check]:
    """Return the guards that a hook runs, by its `entry` or else by its name."""
    ours = _OUR_HOOK.fullmatch(str(hook.get("id")))
    entry = hook.get("entry", f"pk {ours[1]} --staged" if ours else "")
    return [check for check in checks(str(entry), path=path, entry="") if check.aspect == GUARDS]


def agent_hooks(path: str, text: str) -> Iterator[Check]:
    """Yield the checks that a coding agent runs at its events."""
    data = json.loads(whole_escapes(text))
    hooks = data.get("hooks") if isinstance(data, dict) else None
    off = f"{_OFF}: true" if isinstance(data, dict) and data.get(_OFF) is True else ""
    for event, command in _commands(hooks, ""):
        yield from (replace(one, ignored=off or one.ignored)
                    for one in git_hooks(checks(command, path=path, entry=event)))  # fmt: skip


def _commands(data: object, event: str) -> Iterator[tuple[str, str]]:
    """Yield the commands below a part of the settings, each with the event that it belongs to."""
    for one in data if isinstance(data, list) else ():
        yield from _commands(one, event)
    for key, value in data.items() if isinstance(data, dict) else ():
        if key == "command" and isinstance(value, str):
            yield event, value
        else:
            yield from _commands(value, event or str(key))
