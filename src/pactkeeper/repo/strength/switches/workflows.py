"""Workflows of CI, reduced to the checks that they run and what starts them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from pactkeeper.repo.strength.switches.commands import VARIABLES, Check, checks, exported
from pactkeeper.repo.strength.switches.reading import Value

_COMMANDS: Final = ("run", "script", "before_script", "bash", "pwsh", "command", "commands", "test_script")
_LENIENT: Final = ("continue-on-error", "continueOnError", "allow_failure", "soft_fail", "ignore_failures")
_CONDITIONS: Final = ("if", "condition", "when", "enabled", "only_if")
_ALWAYS: Final = re.compile(
    r"\s*+(?:\$\{\{\s*+)?(?:always\(\)|success\(\)|!\s*+cancelled\(\)|succeeded\(\)|on_success|always|true|True)"
    r"\s*+(?:\}\}\s*+)?\Z"
)
_NEVER: Final = re.compile(r"\s*+(?:\$\{\{\s*+)?(?:false|False|0|never|manual)\s*+(?:\}\}\s*+)?\Z")
# A step's shell: what comes after the script, or an option, that makes its failure go unnoticed.
_DEAF_SHELL: Final = re.compile(r"[|;&]|\s\+e\b|\s-c\s++['\"]|\A(?!.*\{0\}).*\s")
_GITHUB: Final = ".github/"
_EVENTS: Final = ("push", "pull_request", "pull_request_target")
_OTHER_EVENTS: Final = frozenset({"merge_group", "schedule", "workflow_call", "workflow_run", "repository_dispatch"})
_USES: Final = {"pre-commit/action": "pre-commit run", "cypress-io/github-action": "cypress run",
                "golangci/golangci-lint-action": "golangci-lint", "astral-sh/ruff-action": "ruff check",
                "chartboost/ruff-action": "ruff check", "jakebailey/pyright-action": "pyright"}  # fmt: skip
_NO_AXES: Final = frozenset({"include", "exclude"})


@dataclass(frozen=True, slots=True)
class Around:
    """What the enclosing parts of a workflow say about a command."""

    entry: str = ""
    ignored: str = ""
    condition: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    shell: str = ""


def walk(path: str, data: object, around: Around, name: str = "") -> Iterator[Check]:
    """Yield every check below a part of a workflow."""
    if isinstance(data, list):
        for item in data:
            yield from walk(path, item, around, name)
    if not isinstance(data, dict):
        return
    around = _within(data, around, name)
    for key, value in data.items():
        if key in _COMMANDS and not isinstance(value, dict):
            script = "\n".join(str(line) for line in value) if isinstance(value, list) else str(value)
        elif key == "uses" and isinstance(value, str):
            script = _used(value.partition("@")[0], data.get("with"))
        else:
            yield from walk(path, value, around, key)
            continue
        for check in checks(exported(script, around.variables), path=path, entry=around.entry):
            deaf = around.shell if path.startswith(_GITHUB) and _DEAF_SHELL.search(around.shell) else ""
            ignored = check.ignored or around.ignored or (f"shell: {deaf}" if deaf else "")
            yield replace(check, ignored=ignored, condition=around.condition)


def _used(action: str, given: object) -> str:
    """Return the command that an action runs."""
    script = _USES.get(action, "")
    if action.endswith("/pactkeeper"):
        base = given.get("base") if isinstance(given, dict) else None
        script = f"pk check --since {base}\npk guard --since {base}" if base else "pk check"
    if action == "pre-commit/action":
        script += " " + str(given.get("extra_args", "--all-files") if isinstance(given, dict) else "--all-files")
    return script


def _within(data: Mapping[str, object], around: Around, name: str) -> Around:
    lenient = next((key for key in _LENIENT if key in data and data[key] not in (False, "false")), "")
    condition = next((str(data[key]) for key in _CONDITIONS if isinstance(data.get(key), str | bool)), "")
    condition = "" if _ALWAYS.match(condition) else condition
    never = f"if: {condition}" if _NEVER.match(condition) else _empty_axis(data.get("strategy"))
    return Around(
        f"{around.entry}.{name}" if name and around.entry else name,
        never or around.ignored or (f"{lenient}: {str(data[lenient]).lower()}" if lenient else ""),
        condition if condition and not never else around.condition,
        {**around.variables, **heeded(_environment(data))},
        _shell(data) or around.shell,
    )


def _shell(data: Mapping[str, object]) -> str:
    defaults = data.get("defaults")
    run = defaults.get("run") if isinstance(defaults, dict) else None
    given = data.get("shell") or (run.get("shell") if isinstance(run, dict) else None)
    return given if isinstance(given, str) else ""


def _empty_axis(strategy: object) -> str:
    """Return the axis of a matrix that has no value, so that no job runs."""
    matrix = strategy.get("matrix") if isinstance(strategy, dict) else None
    axes = matrix.items() if isinstance(matrix, dict) else ()
    return next((f"matrix: {name}: []" for name, axis in axes if axis == [] and name not in _NO_AXES), "")


def _environment(data: Mapping[str, object]) -> Mapping[str, object]:
    given = (data.get(name) for name in ("variables", "environment", "env"))
    return {name: value for one in given if isinstance(one, dict) for name, value in one.items()}


def heeded(variables: Mapping[str, object]) -> dict[str, str]:
    """Return those of the variables that commands heed."""
    return {name: str(value) for name, value in variables.items() if name in VARIABLES}


def branches_of(on: object) -> Iterator[str]:
    """Yield patterns for the branches whose changes start a workflow of GitHub."""
    named = on if isinstance(on, dict) else dict.fromkeys(on if isinstance(on, list) else (str(on),))
    for event, given in named.items():
        filters = given if isinstance(given, dict) else {}
        listed = filters.get("branches")
        if event in _OTHER_EVENTS or (
            event in _EVENTS and not listed and ("tags" not in filters or "branches-ignore" in filters)
        ):
            yield "**"
        elif event in _EVENTS and listed:
            yield from map(str, listed) if isinstance(listed, list) else (str(listed),)


def triggers(on: object) -> Iterator[tuple[str, Value]]:
    """Yield a workflow's events and their filters as settings."""
    names = (on,) if isinstance(on, str) else tuple(str(name) for name in on) if isinstance(on, dict | list) else ()
    yield "ci.triggers", tuple(name for name in names if name in {"push", "pull_request", "merge_group", "schedule"})
    filters = []
    for name, given in on.items() if isinstance(on, dict) else ():
        for key in ("paths-ignore", "branches-ignore", "paths") if isinstance(given, dict) else ():
            listed = given.get(key)
            shown = [str(item) for item in listed] if isinstance(listed, list) else [str(listed)] if listed else []
            filters += [f"{name}.{key}"] if key == "paths" and shown else [f"{name}.{key}: {item}" for item in shown]
    yield "ci.filters", tuple(filters)


def matrices(data: object) -> Iterator[tuple[str, Value]]:
    """Yield every axis of a matrix with its values."""
    if isinstance(data, list):
        for item in data:
            yield from matrices(item)
    for key, value in data.items() if isinstance(data, dict) else ():
        if key == "matrix" and isinstance(value, dict):
            yield from (
                (name, tuple(map(str, axis)))
                for name, axis in value.items()
                if isinstance(axis, list) and name not in _NO_AXES
            )
        else:
            yield from matrices(value)
