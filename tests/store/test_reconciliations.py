from pactkeeper.intent.actions import (
    Action,
    ActionProposal,
    Confidence,
    Conflict,
    ConflictSide,
    JudgedArtifact,
    Suppressed,
)
from pactkeeper.ledger.finding import Evidence
from pactkeeper.ledger.health import COMPLETE
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch
from pactkeeper.ledger.question import Answer
from pactkeeper.store.actions import find_reconciliation, save_reconciliation, save_settlement, settlements
from tests.store.rows import AT, LATER

OP = Op(
    "createTask",
    "task:home:renew",
    None,
    {"board": "home", "title": "Renew it", "body": "[daemon]"},
    (Evidence("quoted", "/chats/a.jsonl", quote="1. Renew it"),),
)
ACTION = Action(OP, "fp-1", Confidence(85, 60, 100, 50), 2, "step 1 of a plan")
PROPOSAL = ActionProposal(
    AT,
    Patch("v1:base", (OP,), sources={"home": COMPLETE}),
    (ACTION,),
    (JudgedArtifact("fp-1", "Renew it", "gap", "nothing like it is on the board"),),
    (
        Conflict(
            "fp-2",
            "pricing",
            ConflictSide("/chats/a.jsonl", "Do pricing."),
            ConflictSide("Active Context", "No pricing."),
            "why",
        ),
    ),
    (Suppressed("fp-3", "Old", "done already"),),
)


def test_a_proposal_comes_back_as_it_was(history):
    save_reconciliation(history, PROPOSAL)
    assert find_reconciliation(history) == PROPOSAL


def test_the_newest_proposal_counts(history):
    save_reconciliation(history, PROPOSAL)
    save_reconciliation(history, ActionProposal(LATER, Patch("v1:later")))
    found = find_reconciliation(history)
    assert found
    assert found.at == LATER


def test_the_latest_answer_counts(history):
    for value, at in (("no", AT), ("yes", LATER)):
        save_settlement(history, Answer("qu-1", {"verdict": value, "quotes": []}, "person", "ada", at))
    assert settlements(history)["qu-1"].value == {"verdict": "yes", "quotes": []}
