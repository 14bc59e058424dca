"""The jobs that a matrix of GitHub Actions makes, and what each makes of a script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, product
from typing import Final

from pactkeeper.repo.strength.switches.commands import Check, aspect_of_environment
from pactkeeper.repo.strength.switches.reading import Value
from pactkeeper.repo.strength.switches.verdicts import items

_MARKS: Final = "-m"
_MOST: Final = 1024  # combinations; GitHub makes no more than 256 jobs of a matrix
MATRIX: Final = "ci.matrix."  # what a matrix's facts begin with: `ci.matrix.job.axis`
_AXIS: Final = 3  # parts of such a name before its axis
_WITHIN: Final = frozenset({"strategy", "parallel"})
_LISTED: Final = ("include", "exclude")
_USED: Final = re.compile(r"\$\{\{\s*+matrix\.([\w.-]{1,100}+)\s*+\}\}")
Job = Mapping[str, object]


def jobs_of(strategy: object) -> list[Job]:
    """Return the jobs of a matrix, each as what its axes hold; none if only running it would tell.

    https://docs.github.com/actions/how-tos/write-workflows/choose-what-workflows-do/run-job-variations
    """
    jobs, added = _made(_matrix(strategy))
    return [*jobs, *added]


def _made(matrix: Job) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Return the jobs that the axes of a matrix make, and those that its rows add."""
    axes = {name: axis for name, axis in matrix.items() if isinstance(axis, list) and name not in _LISTED}
    found = [dict(zip(axes, one, strict=True)) for one in islice(product(*axes.values()), _MOST)] if axes else []
    included, excluded = ([one for one in _items(matrix.get(name)) if isinstance(one, dict)] for name in _LISTED)
    jobs = [one for one in found if not any(_has(one, out) for out in excluded)]
    added: list[dict[str, object]] = []
    for one in included:
        fitting = [job for job in jobs if _has(job, {name: one[name] for name in axes.keys() & one.keys()})]
        for each in fitting:
            each.update(one)
        added += [] if fitting else [dict(one)]
    return jobs, added


def empty_axis(strategy: object) -> str:
    """Return why a matrix makes no job at all: an axis without a value, or nothing that isn't excluded."""
    matrix = _matrix(strategy)
    listed = {name: axis for name, axis in matrix.items() if isinstance(axis, list) and name not in _LISTED}
    empty = next((name for name, axis in listed.items() if not axis), None)
    if empty is not None:
        return f"matrix: {empty}: []"
    return "matrix: every job is excluded" if listed and not jobs_of(strategy) else ""


def matrices(data: object, job: str = "") -> Iterator[tuple[str, Value]]:
    """Yield every axis of a job's matrix, as `job.axis`, with those of its values that some run has.

    Also the runs that its rows add.
    """
    if isinstance(data, list):
        for item in data:
            yield from matrices(item, job)
    for key, value in data.items() if isinstance(data, dict) else ():
        if key == "matrix" and isinstance(value, dict):
            jobs = jobs_of({key: value})
            for name, axis in value.items():
                if isinstance(axis, list) and name not in _LISTED:
                    had = [one.get(name) for one in jobs]
                    yield f"{job}.{name}", tuple(str(item) for item in axis if item in had)
            if "include" in value:
                yield from ((f"{job}.{name}", listed) for name, listed in _added(_made(value)[1]))
        else:
            yield from matrices(value, job if key in _WITHIN else str(key).replace(".", "-"))


def of_all_jobs(facts: Mapping[str, Value], gone: Iterable[str]) -> dict[str, Value]:
    """Return what all jobs together have of each axis that a job which is `gone` had; it may have another name."""
    found: dict[str, Value] = {}
    for axis in {key.split(".", _AXIS)[_AXIS] for key in gone if key.startswith(MATRIX)}:
        values = [items(facts[key]) for key in facts if key.startswith(MATRIX) and key.split(".", _AXIS)[_AXIS] == axis]
        if values:
            found[f"{MATRIX}{axis}"] = tuple(dict.fromkeys(one for some in values for one in some))
    return found


def _added(rows: Sequence[Job]) -> Iterator[tuple[str, Value]]:
    """Yield the jobs that rows add, and those of them that may run tests: no name in them says lint or types."""
    values = [[str(value) for value in row.values() if not isinstance(value, dict | list)] for row in rows]
    testing = [some for some in values if all(aspect_of_environment(one) == "tests" for one in some)]
    for name, listed in (("include", values), ("include.tests", testing)):
        yield name, tuple(", ".join(some) for some in listed)


def written_out(script: str, jobs: Sequence[Job]) -> list[str]:
    """Return what each job makes of a script that uses its matrix; only the script itself if it doesn't."""
    if not jobs or _USED.search(script) is None:
        return [script]
    return list(dict.fromkeys(_USED.sub(partial(_value, job), script) for job in jobs))


def undivided(check: Check, of_jobs: Sequence[Check]) -> Check:
    """Return a check without the marks by which the jobs of a matrix divide the tests among them, leaving none out."""
    at = check.words.index(_MARKS) if _MARKS in check.words[:-1] else len(check.words)
    chosen = {
        one.words[at + 1].strip() for one in of_jobs if one.words[at : at + 1] == (_MARKS,) and one.words[at + 1 :]
    }
    whole = any(f"not {one}" in chosen or f"not ({one})" in chosen for one in chosen)
    if not whole or "$_" not in check.words[at + 1]:
        return check
    return replace(check, words=(*check.words[:at], *check.words[at + 2 :]))


def _value(job: Job, found: re.Match[str]) -> str:
    """Return what stands in place of an expression in the script of a job."""
    held: object = job
    for name in found[1].split("."):
        held = held.get(name) if isinstance(held, dict) else None
    return found[0] if held is None or isinstance(held, dict | list) else str(held)


def _matrix(strategy: object) -> Job:
    matrix = strategy.get("matrix") if isinstance(strategy, dict) else None
    return matrix if isinstance(matrix, dict) else {}


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _has(job: Job, part: Job) -> bool:
    return all(job.get(name) == value for name, value in part.items())
