"""R005: flow state holds ids and counts; bulk data goes to the store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pactkeeper.intent.invariants.rule import Case, Judgement, Rule, Violation, judged, not_checked
from pactkeeper.ledger.canonical import JsonValue

LONGEST: Final = 1000  # characters of one text: test ids are shorter, source and prose are longer
DEEPEST: Final = 3  # levels of lists and objects: state is a record of lists of ids


def judge(case: Case) -> Judgement:
    """Report long texts and deep structures in a flow's state."""
    state = case.facts.state
    if state is None:
        return not_checked("no flow is running here")
    return judged(
        [
            Violation(key, f"holds {problem}", fix="keep the id in the state and the value in the store", basis=problem)
            for key, value in sorted(state.items())
            if (problem := next(_bulk(value, 1), ""))
        ],
        holds=f"{len(state)} keys hold ids and counts",
        fails="the state of the flow carries bulk",
    )


def _bulk(value: JsonValue, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        if len(value) > LONGEST:
            yield f"a text of {len(value):,} characters, more than {LONGEST:,}"
    elif isinstance(value, Mapping | Sequence):
        if depth >= DEEPEST:
            yield f"values nested deeper than {DEEPEST} levels"
            return
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _bulk(item, depth + 1)


RULE = Rule(
    id="R005",
    name="bulk stays out of flow state",
    code="PK315",
    text="The state that a flow keeps between its steps holds ids, counts and short words; the rest is stored.",
    why="State is copied at every step: five megabytes of it have become a checkpoint file of a hundred.",
    fix="Keep the id in the state and the value in the store.",
    checked={"pk reconcile": "what the run's flow carries when its patch is made"},
    judge=judge,
    overridable=False,
)
