"""What the property tests of the spine draw from: small alphabets, so that ids and targets meet often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.finding import EVIDENCE_ORDER, SEVERITIES, Evidence, Finding
from pactkeeper.ledger.health import Health
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch
from pactkeeper.ledger.question import Question
from pactkeeper.ledger.selection import State, node_hash

TARGETS = tuple(f"test:{name}" for name in "abcdefgh")
NASTY = 'ab :."\\\n\x00\x1b\x7fé\u2028€\N{GRINNING FACE}'
TEXT = st.text(alphabet=NASTY, max_size=8)
WORDS = st.text(alphabet=NASTY, min_size=1, max_size=8)

json_values: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
json_objects = st.dictionaries(TEXT, json_values, max_size=3)
evidence = st.builds(
    Evidence,
    kind=st.sampled_from(EVIDENCE_ORDER),
    path=st.sampled_from(["", "tests/test_a.py", "tests/test_b.py"]),
    line=st.integers(0, 400),
    quote=TEXT,
    note=TEXT,
    absent=st.booleans(),
)
evidences = st.lists(evidence, max_size=3).map(tuple)
findings = st.builds(
    Finding,
    code=st.sampled_from(["PK101", "ACME102", "INV-101"]),
    subject=st.sampled_from(["tests/test_a.py::test_x", "IA-1"]),
    severity=st.sampled_from(SEVERITIES),
    message=WORDS,
    evidence=evidences,
    fix=TEXT,
    about=st.sampled_from(["", "IA-2"]),
    invariant=st.sampled_from(["", "INV-101", "R001"]),
)
unseen = st.builds(Health, st.sampled_from(["partial", "unavailable"]), WORDS)
healths = st.just(Health("complete")) | unseen
states: st.SearchStrategy[State] = st.dictionaries(
    st.sampled_from(TARGETS), json_values.filter(lambda value: value is not None), max_size=5
)
hashes = st.sampled_from(["v1:" + "0" * 64, "v1:" + "1" * 64])


def create(target: str, description: str) -> Op:
    source: dict[str, JsonValue] = {"filePath": "tests/test_a.py", "testName": "test_x", "testLineNumber": 3}
    payload: dict[str, JsonValue] = {
        "description": description,
        "category": "functional",
        "sourceTest": {**source, "testId": "tests/test_a.py::" + target},
        "observableOutcomes": ["The response status is 401."],
        "confidence": "0.85",
    }
    return Op("createAtom", target, None, payload, confidence="0.85")


def attach(target: str, precondition: str | None, atom: str) -> Op:
    payload: dict[str, JsonValue] = {
        "testFilePath": "tests/test_a.py",
        "testName": "test_x",
        "testLineNumber": 3,
        "atomId": atom,
    }
    return Op("attachTestToAtom", target, precondition, payload)


def detach(target: str, precondition: str | None) -> Op:
    return Op("detachTest", target, precondition, {"testId": target})


def op_on(target: str, precondition: str | None) -> st.SearchStrategy[Op]:
    """Any op on a target: creating where nothing is, attaching or detaching where something is."""
    if precondition is None:
        return st.builds(create, st.just(target), WORDS)
    atoms = st.builds(attach, st.just(target), st.just(precondition), WORDS)
    return atoms | st.just(detach(target, precondition))


def effect(op: Op, before: JsonValue) -> JsonValue:
    """Stands for what the catalog does: a new value that shows op and past, or no node any more."""
    return None if op.verb == "detachTest" else {"op": op.id, "before": before}


@st.composite
def fresh_ops(draw: st.DrawFn, state: State) -> list[Op]:
    """Ops that hold for this very state, at most one to a target."""
    targets = draw(st.lists(st.sampled_from(TARGETS), unique=True, max_size=5))
    return [draw(op_on(target, node_hash(state.get(target)))) for target in targets]


@st.composite
def states_and_ops(draw: st.DrawFn) -> tuple[State, list[Op]]:
    state = draw(states)
    return state, draw(fresh_ops(state))


def chained(draw: st.DrawFn, ops: Sequence[Op]) -> list[Op]:
    """The same ops, some of which depend on earlier ones."""
    linked: list[Op] = []
    for op in ops:
        needs = draw(st.lists(st.sampled_from(linked), max_size=2, unique_by=id)) if linked else []
        linked.append(replace(op, evidence=draw(evidences), depends_on=tuple(one.id for one in needs)))
    return linked


@st.composite
def patches(draw: st.DrawFn) -> Patch:
    _, ops = draw(states_and_ops())
    questions = draw(
        st.lists(
            st.builds(
                Question,
                kind=st.just("choose"),
                subject=st.sampled_from(["tests/q.py::test_1", "tests/q.py::test_2"]),
                context=json_objects,
                options=st.lists(WORDS, min_size=1, max_size=3).map(tuple),
            ),
            max_size=2,
            unique_by=lambda question: question.id,
        )
    )
    return Patch(
        draw(WORDS),
        tuple(chained(draw, ops)),
        tuple(draw(st.lists(findings, max_size=3, unique_by=lambda finding: finding.fingerprint))),
        tuple(questions),
        draw(st.dictionaries(WORDS, healths, max_size=2)),
        draw(st.dictionaries(WORDS, st.integers(0, 10**6), max_size=2)),
    )
