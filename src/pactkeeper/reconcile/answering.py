"""Answers to questions about tests: whose wording replaces that of the rules, and while the question still applies.

Also assembles a run's proposals and findings into its patch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final, cast

from pactkeeper.advice import REVIEW
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.finding import Evidence, Finding
from pactkeeper.ledger.health import COMPLETE, Health
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch, in_order
from pactkeeper.ledger.question import Answer, Question
from pactkeeper.reconcile.check import check
from pactkeeper.reconcile.invariants import run_findings
from pactkeeper.reconcile.propose import Proposals
from pactkeeper.reconcile.select import WITHOUT_INTENT, Selection
from pactkeeper.reconcile.world import World
from pactkeeper.reconcile.worth import Inferred, is_poor, sureness

KIND: Final = "word_test"
# Kinds whose subject is a test: answering one means the test should be examined again.
ABOUT_TESTS: Final = frozenset({KIND, "realises", "split_intent"})

Answered = Sequence[tuple[Question, Answer]]


def answered_tests(answered: Answered) -> frozenset[str]:
    """Return the tests that somebody answered a question about."""
    return subjects_of(question for question, _ in answered)


def subjects_of(questions: Iterable[Question]) -> frozenset[str]:
    """Return the tests that these questions are about."""
    return frozenset(one.subject for one in questions if one.kind in ABOUT_TESTS)


def by_question(answered: Answered) -> dict[str, Answer]:
    """Return the answers by question id."""
    return {question.id: answer for question, answer in answered}


def worded(found: Mapping[str, Inferred], answered: Answered, *, linked: Collection[str] = ()) -> dict[str, Inferred]:
    """Replace the rules' wording with answers wherever a test is unchanged since the question; the latest wins.

    For `linked` tests only a person's answer is taken: their atoms already have wording.
    """
    words = {question.subject: (question, answer) for question, answer in answered if question.kind == KIND}
    return {
        name: _answered(one, *words[name]) if name in words and _may(words[name][1], name in linked) else one
        for name, one in found.items()
    }


def _may(answer: Answer, linked: bool) -> bool:
    return not linked or answer.answerer == "person"


def _answered(one: Inferred, question: Question, answer: Answer) -> Inferred:
    if _asked_about(question) != _asked_about(question_about(one)):
        return one
    said = cast("Mapping[str, Any]", answer.value)
    outcomes = tuple(said["outcomes"])
    inference = replace(
        one.inference,
        intent=said["intent"],
        category=said["category"],
        outcomes=outcomes,
        falsified_by=tuple(said.get("falsified_by", ())),
        confidence=sureness(answer),
        reasons=tuple(said.get("ambiguity", ())),
        reasoning=f"worded by {answer.by}",
    )
    quotes = one.quotes if answer.answerer == "person" else _located(one, said["quotes"])
    return replace(one, inference=inference, quotes=quotes, worded=True, by=answer.answerer)


def _located(one: Inferred, quotes: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """Locate an answer's quotes at lines the rules know, else at the line of the test's name."""
    lines = {" ".join(quote.split()): line for line, quote in one.quotes}
    return tuple((lines.get(" ".join(quote.split()), one.entry.test.name_line), quote) for quote in quotes)


def _asked_about(question: Question) -> dict[str, JsonValue]:
    """Return what was shown with the question, wherever it was located."""
    return {key: value for key, value in question.context.items() if key not in {"line", "objections"}}


# Findings that an op in the same patch resolves; the others are included in the patch.
SETTLED_BY_OPS = frozenset({"PK101", "PK106", "PK107", "PK108", "PK111", "PK114", "PK203"})
QUOTED_LINES = 20


def assemble(  # noqa: PLR0913 - the parts of one patch, all named
    world: World,
    proposals: Proposals,
    *,
    selection: Selection,
    extra: Sequence[Op],
    base: str,
    today: date,
    state: Mapping[str, JsonValue],
) -> Patch:
    """Build the patch of a run against the commit `base`; `extra` ops follow the proposed ones.

    `state` is the state of the run's flow.
    """
    ops = (*proposals.ops, *extra)
    poor = [one for one in ops if is_poor(one, world.pact.settings.quality_threshold)]
    questions = (*(question_about(one) for one in proposals.needs_words), *proposals.doubts)
    ruled = run_findings(world, ops, questions, changed=frozenset(selection.beyond), state=state)
    findings = {one.fingerprint: one for one in (*_findings(world, proposals, today), *ruled)}
    summary = {
        "tests": len(world.linked),
        "ops": len(ops),
        "looked_at": len(selection.infer) + len(selection.confirm),
        "orphans": sum(entry.state in WITHOUT_INTENT for entry in world.linked),
        "below_quality": len(poor),
        **Counter(op.verb for op in ops),
        "needs_words": len(proposals.needs_words),
        **({"doubtful": len(proposals.doubts)} if proposals.doubts else {}),
        **dict(selection.left_out),
    }
    return Patch(base, in_order(ops), tuple(findings.values()), questions, {"tests": health_of_scan(world)}, summary)


def health_of_scan(world: World) -> Health:
    """Return how completely the tests were seen."""
    gaps = len(world.scan.gaps)
    if not gaps:
        return COMPLETE
    return Health("partial", f"{gaps} {'place' if gaps == 1 else 'places'} could not be read completely")


def _findings(world: World, proposals: Proposals, today: date) -> Iterator[Finding]:
    verdict = check(world.linked, world.pact, world.scan.gaps, today=today)
    moved = {(op.group, op.payload.get("replacesAtomId")) for op in proposals.ops}
    for one in (entry.finding for entry in verdict.findings):
        if one.code not in SETTLED_BY_OPS and (one.subject, one.about) not in moved:
            yield one
    yield from (_successor_finding(atom, test, world) for atom, test in proposals.successors)


def _successor_finding(atom: str, test: str, world: World) -> Finding:
    entry = world.by_id[test]
    return Finding(
        "PK106",
        test,
        "warning",
        f"its assertions no longer say what the committed atom {atom} says; a successor is proposed",
        evidence=(Evidence("mechanical", entry.test.file, entry.test.name_line, note=entry.test.body_hash),),
        fix=REVIEW(),
        about=atom,
    )


def question_about(one: Inferred, objections: Sequence[str] = ()) -> Question:
    """Ask for wording that the rules could not find; what they found, and objections to it, form the context."""
    context: dict[str, JsonValue] = {
        "file": one.entry.test.file,
        "line": one.entry.test.name_line,
        "name": one.entry.test.name,
        "draft": one.inference.intent,
        "confidence": one.confidence,
        "reasons": list(one.inference.reasons),
        "source": [quote for _, quote in one.quotes][:QUOTED_LINES],
        **({"objections": list(objections)} if objections else {}),
    }
    return Question("word_test", one.entry.test.id, context)
