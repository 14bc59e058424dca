"""Checks entries of `invariants.toml` for problems that involve more than a single key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pactkeeper.intent.ids import BUILT_IN_RULES

SWITCHES: Final = ("rule", "severity", "blocking", "enabled")
# Needs that would count the subject itself.
UNFIT: Final[Mapping[str, tuple[str, ...]]] = {"atom": ("min_atoms", "max_atoms"), "test": ("min_tests", "max_tests")}

Entry = Mapping[str, object]
Problem = tuple[tuple[str, ...], str]


def rule_problems(name: str, entry: Entry) -> Iterator[Problem]:
    """Yield each problem of an entry as written, with its key."""
    if name in BUILT_IN_RULES:
        yield from (
            ((key,), f"{name} is built in; only {', '.join(SWITCHES)} can be written for it")
            for key in entry
            if key not in SWITCHES
        )
    else:
        yield from _incomplete(name, entry)
        yield from _unfit(entry)
        yield from _crossed(entry)
        yield from _blocking_molecules(entry)


def _incomplete(name: str, entry: Entry) -> Iterator[Problem]:
    if "every" in entry and "needs" not in entry:
        yield ("every",), f"[{name}] has no 'needs': what each of them must have"
    conditions = [key for key in ("where", "needs") if key in entry]
    if "every" not in entry:
        yield from (((key,), f"[{name}] has no 'every': what the rule ranges over") for key in conditions)
    if not conditions and not {"every", "rule"} & entry.keys():
        yield (), f"[{name}] is empty; write 'rule' in words, or 'every' and 'needs'"


def _unfit(entry: Entry) -> Iterator[Problem]:
    every, needs = entry.get("every"), entry.get("needs")
    for key in UNFIT.get(str(every), ()):
        if isinstance(needs, Mapping) and key in needs:
            yield ("needs",), f"{key} counts what a rule over every {every} is about, so it has no meaning there"


def _crossed(entry: Entry) -> Iterator[Problem]:
    needs = entry.get("needs")
    for noun in ("tests", "atoms"):
        least, most = (needs.get(f"{end}_{noun}") if isinstance(needs, Mapping) else None for end in ("min", "max"))
        if isinstance(least, int) and isinstance(most, int) and least > most:
            yield ("needs",), f"min_{noun} is {least} and max_{noun} is {most}, so nothing can satisfy it"


def _blocking_molecules(entry: Entry) -> Iterator[Problem]:
    if entry.get("every") != "molecule":
        return
    if entry.get("severity") == "error":
        yield ("severity",), "molecules never block (R004); write warning or info"
    if entry.get("blocking") is True:
        yield ("blocking",), "molecules never block (R004); leave it out"
