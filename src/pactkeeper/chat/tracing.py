"""The graph that traces: which of the tests that a question is about are linked to atoms, and which are not."""

from __future__ import annotations

from typing import Any, Final

from pactkeeper.chat.answers import answer_document
from pactkeeper.chat.here import Here, Writing
from pactkeeper.chat.saying import atom_line
from pactkeeper.chat.subjects import tests_about
from pactkeeper.flows.builders import PlanExecute, plan_execute
from pactkeeper.flows.edges import State
from pactkeeper.flows.graphs import Graph
from pactkeeper.operators.atoms import row_of
from pactkeeper.operators.coupling import coupling_report

MOST: Final = 8


def graph(here: Here) -> Graph:
    """Plan (which tests) → execute (their links, and the atoms that none of them names) → report."""
    steps = _Tracing(here)
    return plan_execute("trace", PlanExecute(steps.plan, steps.execute, steps.report))


class _Tracing:
    def __init__(self, here: Here) -> None:
        self.here = here

    async def plan(self, state: State) -> dict[str, Any]:
        """The tests that are meant: those of a file, those that speak of the words, or all."""
        given = state["arguments"]
        if given.get("atom"):
            tests = [row.id for row in self.here.scan.tests if given["atom"] in {atom for atom, _, _ in row.links}]
        elif given.get("words") or given.get("file"):
            tests = [row.id for row in tests_about(self.here, given)]
        else:
            tests = []
        return {"plan": {"tests": tests, "all": not given}}

    async def execute(self, state: State) -> dict[str, Any]:
        """Count links, and name what stands alone."""
        with self.here.tool("coupling_report"):
            found = coupling_report(self.here.workspace)
        chosen = set(state["plan"]["tests"])
        rows = [row for row in self.here.scan.tests if row.id in chosen]
        return {
            "linked": [row.id for row in rows if row.links],
            "bare": [row.id for row in rows if not row.links],
            "alone": list(found.alone),
            "counts": dict(found.tests),
        }

    async def report(self, state: State) -> dict[str, Any]:
        """Name them, each with its lines."""
        said, rows = Writing(), {row.id: row for row in self.here.scan.tests}
        for name in state["linked"][:MOST]:
            atoms = ", ".join(atom for atom, _, _ in rows[name].links)
            said.say(f"{name} is linked to {atoms}.", "verified", self.here.test(rows[name]))
        for name in state["bare"][:MOST]:
            said.say(f"{name} is linked to no atom.", "computed", self.here.test(rows[name]))
        if state["plan"]["all"]:
            counts = ", ".join(f"{number} {word}" for word, number in state["counts"].items())
            said.say(f"Tests by their links: {counts or 'none'}.", "computed")
        if self.here.declared:
            said.say(f"{len(state['alone'])} atoms in force have no test.", "verified")
        elif not state["plan"]["all"]:
            said.limits.append("there is no pact here, so no test can be linked")
        for atom in state["alone"][:MOST] if state["plan"]["all"] else ():
            said.say(
                atom_line(row_of(self.here.pact.atoms[atom], self.here.pact)),
                "verified",
                self.here.atom(self.here.pact.atoms[atom]),
            )
        then = tuple(f"pk accept '{name}'" for name in state["bare"][:1])
        return {"answer": answer_document(said.answer("trace", next=then or ("pk scan",)), question=state["question"])}
