"""Rules about runs and their writes: nothing frozen rewritten, nothing half done, no bulk, reasons for refusals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.ids import BUILT_IN_RULES
from pactkeeper.intent.invariants.rule import Case, Judgement, Rule, Violation, judged, not_checked
from pactkeeper.intent.pact import Pact
from pactkeeper.ledger.canonical import JsonValue

if TYPE_CHECKING:  # most commands have no ops
    from pactkeeper.ledger.op import Op


def judge_rewrites(case: Case) -> Judgement:
    """Check the ops of a patch."""
    ops = case.facts.ops
    if ops is None:
        return not_checked("there is no patch here")
    found = [(op, problem) for op in ops if (problem := _rewrites(op, case.facts.pact))]
    return judged(
        [Violation(op.target, problem, fix=f"reject {op.id}", basis=op.id, about=op.id) for op, problem in found],
        holds=f"none of {len(ops):,} {'op' if len(ops) == 1 else 'ops'} changes a committed atom",
        fails="the patch would rewrite what was declared",
    )


def _rewrites(op: Op, pact: Pact) -> str:
    name = str(op.payload.get("atomId", ""))
    if op.verb == "updateAtom" and pact.is_committed(name):
        return f"{op.id} changes the committed atom {name}"
    if op.verb == "createAtom" and name in pact.atoms:
        return f"{op.id} creates the atom {name}, which already exists"
    return ""


NO_REWRITE = Rule(
    id="R001",
    name="a run never rewrites an atom",
    code="PK311",
    text="No op of a run changes a committed atom or takes the id of one that exists.",
    why="What people committed is theirs; a run may only propose a successor.",
    fix="Reject the op; a successor is proposed in its place.",
    checked={"reconcile": "every op of the patch", "apply": "the same, before anything is written"},
    judge=judge_rewrites,
    overridable=False,
)


def judge_unfinished(case: Case) -> Judgement:
    """Report writes that began and never finished."""
    unfinished = case.facts.unfinished
    if unfinished is None:
        return not_checked("the journal of writes is not known here")
    return judged(
        [
            Violation("the journal", f"the write that began at {at} was interrupted", fix="pk recover", basis=at)
            for at in unfinished
        ],
        holds="no write waits to be finished or rolled back",
        fails="a write is half done",
    )


ALL_OR_NOTHING = Rule(
    id="R003",
    name="apply is all-or-nothing",
    code="PK313",
    text="An apply writes every file it is meant to write, or none.",
    why="Half a change is a state that nobody chose.",
    fix="`pk recover` finishes or rolls back.",
    checked={"every command": "the journal, before anything is read", "invariant test": "the same"},
    judge=judge_unfinished,
    overridable=False,
)


LONGEST: Final = 1000  # characters of one text: test ids are shorter, source and prose are longer
DEEPEST: Final = 3  # levels of lists and objects: state is a record of lists of ids


def judge_state(case: Case) -> Judgement:
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
        fails="the state of the flow holds bulk data",
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


FLOW_STATE = Rule(
    id="R005",
    name="no bulk data in flow state",
    code="PK315",
    text="The state that a flow keeps between its steps holds ids, counts and short words; the rest is stored.",
    why="State is copied at every step: five megabytes of state once became a 100 MB checkpoint file.",
    fix="Keep the id in the state and the value in the store.",
    checked={"reconcile": "what the run's flow carries when its patch is made"},
    judge=judge_state,
    overridable=False,
)


# Overriding these would do what they forbid.
ABSOLUTE = frozenset({"INV-001", "INV-004", "INV-006", "INV-007", "INV-008", "R001", "R002", "R003", "R004", "R005"})


def judge_refusals(case: Case) -> Judgement:
    """Check what a gate refused and what it is asked to override."""
    facts = case.facts
    if facts.refusals is None and facts.commit is None:
        return not_checked("no gate decided anything here")
    return judged(
        (*_refusals(case), *_overrides(case)),
        holds="every refusal and every override names a rule",
        fails="the gate decided by something other than a rule",
    )


def _refusals(case: Case) -> Iterator[Violation]:
    for refusal in case.facts.refusals or ():
        if not _known(case, refusal.invariant):
            named = f"names {refusal.invariant!r}, which is not a rule here" if refusal.invariant else "names no rule"
            yield Violation(
                refusal.atom,
                f"was refused because {refusal.reason}; that {named}",
                fix="pk invariant list",
                basis=named,
            )


def _overrides(case: Case) -> Iterator[Violation]:
    request = case.facts.commit
    for name, reason in sorted((request.overrides if request is not None else {}).items()):
        if not _known(case, name):
            problem = "is not a rule here, so it can't be overridden"
        elif name in ABSOLUTE:
            problem = "cannot be overridden: the override is exactly what it forbids"
        elif not reason.strip():
            problem = "is overridden without a reason"
        else:
            continue
        yield Violation(name, problem, fix="pk invariant list", basis=problem)


def _known(case: Case, name: str) -> bool:
    return name in BUILT_IN_RULES or name in case.pact.invariants


NAMED_REFUSALS = Rule(
    id="INV-008",
    name="the gate rejects only by invariant",
    code="PK308",
    text="Only a named rule keeps an atom from being committed; an override names that rule.",
    why="A refusal that nobody can look up can be neither resolved nor disputed.",
    fix="Name the rule.",
    checked={"commit": "every refusal names a rule, every override one rule and a reason"},
    judge=judge_refusals,
    overridable=False,
)
