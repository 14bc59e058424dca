"""The graph behind questions about reports: one fast path, configured with which files to find and how to read them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import PurePosixPath
from typing import Any, Final

from pactkeeper.chat.answers import Answer, Finding, answer_document, compact
from pactkeeper.chat.here import Here, Writing
from pactkeeper.chat.reports import (
    BEGAN,
    BIGGEST,
    BUILD,
    FAILED,
    KINDS,
    Age,
    age_of,
    line_with,
    paths_of,
    read_report,
)
from pactkeeper.chat.standing import Standing, say_main
from pactkeeper.chat.subjects import runs_known, say_failures, say_runs
from pactkeeper.errors import PactkeeperError
from pactkeeper.flows.driving import State
from pactkeeper.flows.graphs import Graph, PlanExecute, plan_execute
from pactkeeper.operators.observe import TestRow
from pactkeeper.published.plain import told

MOST: Final = 40  # reports read per question
BUILT: Final = frozenset({BUILD, "read_test_results"})  # what is asked about the newest commit


def graph(here: Here) -> Graph:
    """Plan (which files) → execute (read them) → validate (unreadable, outdated, contradictory) → report."""
    steps = _Reporting(here)
    nodes = PlanExecute(steps.plan, steps.execute, steps.report, validate=steps.validate)
    return plan_execute("report", nodes)


@dataclass
class _Reporting:
    here: Here
    found: list[Finding] = field(default_factory=list)

    async def plan(self, state: State) -> dict[str, Any]:
        """Find candidate files, in the folders where tools write them and where the pact says."""
        kind = KINDS[state["verb"]]
        paths, about = paths_of(self.here, kind), state["arguments"].get("file", "")
        return {"plan": {"files": paths[:MOST], "left": max(0, len(paths) - MOST), "about": about}}

    async def execute(self, state: State) -> dict[str, Any]:
        """Read each file; an unreadable one becomes a finding that says why, never a figure."""
        kind, root, left = KINDS[state["verb"]], self.here.workspace.repository.root, BIGGEST
        found: list[Finding] = []
        with self.here.tool(kind.verb):
            for path in state["plan"]["files"]:
                left -= (root / path).stat().st_size
                found.append(
                    read_report(kind, root, path, about=state["plan"]["about"]) if left > 0 else _too_much(path)
                )
        return {"findings": [asdict(compact(one)) for one in found]}

    async def validate(self, state: State) -> dict[str, Any]:
        """Determine the age of each report relative to the last commit, and whether reports disagree."""
        readable = [one for one in state["findings"] if one["computed"]]
        figures = [{name: value for name, value in one["computed"].items() if name != BEGAN} for one in readable]
        said = {json.dumps(one, sort_keys=True) for one in figures}
        kind = KINDS[state["verb"]]
        ages = {one["source"]: asdict(age_of(self.here, kind, one["source"], one["computed"])) for one in readable}
        return {"checked": {"disagree": len(said) > 1, "ages": ages}}

    async def report(self, state: State) -> dict[str, Any]:
        """Report every readable file with its figures, age and place, followed by the unreadable ones."""
        answer = _told(self.here, state)
        return {"answer": answer_document(answer, question=state["question"])}


def _told(here: Here, state: State) -> Answer:
    kind, plan, said = KINDS[state["verb"]], state["plan"], here.writing()
    standing: Standing = _say_known(here, said, past=kind.verb == BUILD) if kind.verb in BUILT else "untold"
    for one in state["findings"]:
        if one["computed"]:
            age = Age(**state["checked"]["ages"][one["source"]])
            _say_report(here, said, one, age=age.told, about=plan["about"])
        said.limits += [f"{one['source']}: {limit}" for limit in one["limits"]]
    if state["checked"]["disagree"]:
        said.limits.append("the reports disagree; each is shown as it is")
    if plan["left"]:
        said.limits.append(f"{plan['left']} more reports were not read")
    if not said.says:
        about = f" that names {plan['about']}" if plan["about"] else ""
        said.say(f"No {kind.noun}{about} can be read here, so nothing is known; one comes from: {kind.make}", "missing")
    searched = (f"files like {', '.join(kind.patterns.split())}",)
    command = {"read_coverage_report": "pk gaps --coverage {}", "read_test_results": "pk evidence import {}"}
    known = {name for one in here.states.values() if one.row is not None for name in one.row.source.split(", ")}
    wanted = [path for path in plan["files"] if kind.verb in command and path not in known]
    then = tuple(command[kind.verb].format(path) for path in wanted[:1])
    then = ("pk health timeline",) if kind.verb == BUILD and said.borne else then
    if standing in {"green", "red"} or not said.borne or kind.verb != BUILD:
        return said.answer(kind.verb, searched=searched, next=then)
    if plan["files"] and standing == "untold":
        said.say("No report says of main's newest commit whether it is green.", "missing")
    return said.answer(kind.verb, kind="closest", searched=searched, next=then)


def _say_report(here: Here, said: Writing, found: Mapping[str, Any], *, age: str, about: str) -> None:
    """Report the figures, then each failure, each with the line of the report that states it."""
    source, facts = found["source"], found["computed"]
    text = (here.workspace.repository.root / source).read_bytes().decode("utf-8", "replace")
    figures = ", ".join(f"{name}: {value}" for name, value in facts.items() if not name.startswith(FAILED))
    figures = figures.replace(f"{here.workspace.repository.root}/", "")
    base = about.rpartition("/")[2]
    whole = line_with(source, text, *([about, f'"{base}', f"/{base}"] if about else ["<testsuite", "<coverage"]))
    said.say(f"{source} ({age}): {figures}.", "computed", *whole)
    failed = [name.removeprefix(FAILED) for name in facts if name.startswith(FAILED)]
    for name in said.first(failed, f"pk evidence import {source}"):
        test, last = _test_of(here, name), name.rpartition("::")[2]
        case = line_with(source, text, f'"{last}"', last)
        said.say(f"{source}: {name} failed.", "computed", *case, *([] if test is None else [here.test(test)]))


def _test_of(here: Here, case: str) -> TestRow | None:
    """Return the test a reported case refers to: the only one with its name, or the one its class leads to."""
    group, _, name = case.rpartition("::")
    rows = [row for row in here.scan.tests if row.name == name]
    placed = [row for row in rows if ".".join((*PurePosixPath(row.file).with_suffix("").parts, *row.suite)) == group]
    return placed[0] if len(placed) == 1 else rows[0] if len(rows) == 1 else None


def _say_known(here: Here, said: Writing, *, past: bool) -> Standing:
    """Report what is known of main's newest commit and of the tests; return how main stands."""
    standing: Standing = "untold"
    try:
        standing = say_main(here, said, past=past)
    except PactkeeperError as reason:
        said.limits.append(told(reason.message))
    tests = here.scan.tests
    if runs_known(here, tests) and not say_failures(here, said, tests, mended=standing == "green"):
        say_runs(here, said, tests)
    return standing


def _too_much(path: str) -> Finding:
    return Finding(path, limits=(f"the reports together have more than {BIGGEST >> 20} MiB",))
