"""Tests that are divided among projects of Vitest: which files all of them run together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from pactkeeper.repo.strength.switches.tools import Setting
from pactkeeper.repo.strength.switches.verdicts import RuleContext, chosen, chosen_files, items

DIVIDED: Final = "tests are divided into projects in another way"
_PROJECTS: Final = "vitest.projects"
_PROJECT: Final = re.compile(r"vitest\.projects\.\w{1,60}\.test\.")
_BY_DEFAULT: Final = ("**/*.{test,spec}.*",)


def divided_anew(old: Mapping[str, Setting], new: Mapping[str, Setting], paths: Sequence[str]) -> str:
    """Return the first setting of projects that are new and whose patterns don't select every file; "" for none."""
    parts = [key for key in new if key.startswith(_PROJECTS)]
    if not parts or any(key.startswith(_PROJECTS) for key in old):
        return ""
    including = [new[key].value for key in parts if key.endswith((".include", _PROJECTS))]
    patterns = tuple(item for value in including for item in items(value))
    return "" if patterns and chosen(None, patterns, RuleContext(paths)) == "same" else min(parts)


def still_run(key: str, old: Mapping[str, Setting], new: Mapping[str, Setting], paths: Sequence[str]) -> bool:
    """Whether a setting says which files a project runs, and all that the projects ran any of them still runs."""
    selects = _PROJECT.match(key) is not None and key.endswith((".test.include", ".test.exclude"))
    return selects and _run(old, paths) <= _run(new, paths)


def _run(settings: Mapping[str, Setting], paths: Sequence[str]) -> set[str]:
    """Return the files that any project runs as tests."""
    found: set[str] = set()
    for project in {at[0] for key in settings if (at := _PROJECT.match(key)) is not None}:
        runs, leaves_out = (settings.get(f"{project}{word}") for word in ("include", "exclude"))
        here = chosen_files(items(runs.value) if runs is not None else _BY_DEFAULT, paths)
        found |= here - chosen_files(items(leaves_out.value) if leaves_out is not None else (), paths)
    return found
