"""Small rows of every kind."""

from pactkeeper.intent.records import MoleculeRecommendation, TestRecord
from pactkeeper.ledger.canonical import Run
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.finding import Evidence, Finding
from pactkeeper.ledger.health import Health
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch
from pactkeeper.ledger.question import Question
from pactkeeper.store.decisions import save_patch
from pactkeeper.store.runs import add_run

AT = "2026-03-01T12:00:00+00:00"
LATER = "2026-03-02T12:00:00+00:00"


def make_run(history, name="REC-1", **fields):
    given = {"root": "/work/shop", "mode": "full-scan", "created_at": AT, "updated_at": AT, **fields}
    return Run(name, history.repository, **given)


def begin_run(history, name="REC-1", **fields):
    run = make_run(history, name, **fields)
    add_run(history, run)
    return run


def make_record(run="REC-1", test="tests/test_a.py::test_a", **fields):
    given = {
        "file_path": "tests/test_a.py",
        "test_name": "test_a",
        "line_number": 3,
        "body_hash": "v1:body",
        "node": "v1:node",
        "outcome": "proposed",
        "inference": '{"intent":"A works."}',
        "created_at": AT,
        "recommendation": "op-000000000000",
        **fields,
    }
    return TestRecord(run, test, **given)


def create_op(name="IA-1", test="tests/test_a.py::test_a", **payload):
    source = {
        "filePath": "tests/test_a.py",
        "testName": "test_a",
        "testLineNumber": 3,
        "testId": test,
        "bodyHash": "v1:body",
    }
    said = {
        "atomId": name,
        "description": f"The behaviour {name} is there.",
        "category": "security",
        "sourceTest": source,
        "observableOutcomes": ["The status is 401."],
        "confidence": "0.85",
        **payload,
    }
    quoted = Evidence("quoted", "tests/test_a.py", 4, quote="assert status == 401")
    return Op("createAtom", f"atom:{name}", None, said, (quoted,), "0.85", group=test)


def attach_op(create):
    source = create.payload["sourceTest"]
    payload = {
        "testFilePath": source["filePath"],
        "testName": source["testName"],
        "testLineNumber": source["testLineNumber"],
        "testId": source["testId"],
        "bodyHash": source["bodyHash"],
        "atomId": create.payload["atomId"],
    }
    return Op("attachTestToAtom", f"test:{source['testId']}", "v1:" + "0" * 64, payload, depends_on=(create.id,))


def make_finding(code="PK101", subject="tests/test_a.py::test_a", note="seen", **fields):
    evidence = (Evidence("mechanical", "tests/test_a.py", 3, note=note),)
    return Finding(code, subject, "warning", f"{subject} is an orphan", evidence, **fields)


def make_question(subject="test:tests/test_q.py::test_q", **fields):
    return Question("confirm", subject, {"text": "Is it so?"}, **fields)


def make_patch(names=("IA-1", "IA-2"), base="v1:base"):
    ops = []
    for name in names:
        create = create_op(name, f"tests/test_a.py::test_{name}")
        ops += [create, attach_op(create)]
    partial = Health("partial", "one file is not UTF-8")
    return Patch(base, tuple(ops), (make_finding(),), (make_question(),), {"tests": partial}, {"ops": len(ops)})


def kept_patch(history, run="REC-1", names=("IA-1", "IA-2")):
    """A patch that a new run made."""
    begin_run(history, run)
    patch = make_patch(names)
    save_patch(history, run, patch)
    return patch


def decide(op, verdict="accept", **fields):
    given = {"by": "Ada", "at": AT, **fields}
    return Decision(op.id, op.shown_hash, verdict, **given)


def make_molecule(run="REC-1", key="mo-1", **fields):
    given = {
        "name": "Login",
        "description": "All of login",
        "atom_recommendation_ids": ("op-1", "op-2"),
        "atom_ids": (),
        "confidence": "0.80",
        "status": "pending",
        "molecule_id": None,
        "created_at": AT,
        **fields,
    }
    return MoleculeRecommendation(key, run, **given)
