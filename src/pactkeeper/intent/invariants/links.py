"""Rules about links and about atoms' words.

Every test is settled, every atom leads to its evidence, and molecules hold together. Words are testable, have one
meaning, and every doubt about them is clarified before anybody commits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from pactkeeper.advice import CLARIFY
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.invariants.rule import (
    Case,
    Judgement,
    Rule,
    Violation,
    WordFaults,
    broken_words,
    concluded,
    is_as_committed,
    judged,
    not_checked,
    weak_words,
)
from pactkeeper.intent.links import LinkedTest, TestState

if TYPE_CHECKING:  # most commands have no ops and judge no words
    from pactkeeper.intent.quality.values import Criterion
    from pactkeeper.ledger.op import Op

CLOSED: frozenset[TestState] = frozenset({"linked", "unratified", "rejected", "debt"})


def judge_closure(case: Case) -> Judgement:
    """Report changed tests that are not linked and that no op or question covers."""
    facts = case.facts
    if facts.changed is None or facts.linked is None or facts.ops is None:
        return not_checked("only a run knows what changed")
    covered = {*_subjects(facts.ops), *(one.subject for one in facts.questions)}
    left = [one for one in facts.linked if one.test.id in facts.changed and one.state not in CLOSED]
    return judged(
        [_open(one) for one in left if one.test.id not in covered],
        holds=f"each of {len(facts.changed):,} changed tests has intent, an op or a question",
        fails="the run leaves changed tests behind",
    )


def _subjects(ops: Iterable[Op]) -> Iterable[str]:
    for op in ops:
        source = op.payload.get("sourceTest")
        yield op.group
        yield str(op.payload.get("testId", ""))
        yield str(source.get("testId", "")) if isinstance(source, dict) else ""


def _open(entry: LinkedTest) -> Violation:
    test = entry.test
    return Violation(
        test.id,
        f"changed, is {entry.state.replace('_', ' ')}, and the run neither proposes nor asks anything about it",
        path=test.file,
        line=test.name_line,
        fix="pk reconcile " + test.file,
        basis=test.body_hash,
    )


CLOSURE = Rule(
    id="R002",
    name="delta closure",
    code="PK312",
    text="After a run every test that changed has intent, or an op or a question about it is open.",
    why="What a run overlooks once stays overlooked until somebody trips over it.",
    fix="Run again for the file, without `--max-tests`.",
    checked={"reconcile": "every test that differs from the run's baseline"},
    judge=judge_closure,
    severity="warning",
    overridable=False,
)


def judge_traceable(case: Case) -> Judgement:
    """Report atoms in scope without any trace, and links to unknown atoms."""
    untraced = [atom for atom in case.atoms if not _leads_somewhere(case, atom)]
    if untraced and case.facts.linked is None:
        return Judgement("not checked", f"tests are unknown here, and nothing else can be traced from {untraced[0].id}")
    return judged(
        (*(_untraced(atom) for atom in untraced if not case.excused("INV-005", atom.id)), *_dangling(case)),
        holds=f"every link, and {case.scope}, can be traced",
        fails="something cannot be traced",
    )


def _leads_somewhere(case: Case, atom: Atom) -> bool:
    """Whether the atom can be traced; what a person wrote leads to the person who committed it."""
    if atom.source == "person" or atom.origin or atom.recommendation or atom.supersedes:
        return True
    return bool(case.tests_of(atom.id) or case.facts.pact.tests_of(atom.id))


def _untraced(atom: Atom) -> Violation:
    message = f"came from {atom.source} and can be traced to no test, origin or recommendation"
    return Violation.of(atom, message, fix=f"paste above a test: @atom {atom.id}", basis="no trace")


def _dangling(case: Case) -> Iterator[Violation]:
    if case.facts.commit is not None:
        return
    for entry in case.facts.linked or ():
        for link in entry.links:
            if link.state == "unknown":
                yield Violation(
                    entry.test.id,
                    f"{link.atom} is not in the pact",
                    path=entry.test.file,
                    line=link.line,
                    fix="correct the id, or restore the atom",
                    basis="unknown",
                    about=link.atom,
                    code="PK102",
                )


TRACEABLE = Rule(
    id="INV-005",
    name="traceable",
    code="PK305",
    text="A committed atom can be traced to a test, an origin or the person who wrote it; a link names an "
    "existing atom.",
    why="Intent without a source cannot be questioned, and a broken link proves nothing.",
    fix="Link a test to the atom, or correct the link.",
    checked={"check": "committed atoms, and every link (findings PK102)", "commit": "the atoms to be committed"},
    judge=judge_traceable,
)


def judge_molecules(case: Case) -> Judgement:
    """Report blocking rules over molecules, and errors about molecules if findings are known."""
    return judged(
        (*_rules(case), *_findings(case)),
        holds="nothing about a molecule is an error",
        fails="something about a molecule would block",
    )


def _rules(case: Case) -> Iterator[Violation]:
    for one in case.pact.invariants.values():
        if one.every == "molecule" and one.enabled and (one.severity == "error" or one.blocking):
            yield Violation.of(one, "is about molecules and would block", fix='severity = "warning"', basis="blocking")


def _findings(case: Case) -> Iterator[Violation]:
    for found in case.facts.findings or ():
        if found.severity == "error" and found.subject in case.pact.molecules:
            place = next((one for one in found.evidence if one.path), None)
            yield Violation(
                found.code,
                f"is an error about the molecule {found.subject}",
                path=place.path if place else "",
                line=place.line if place else 0,
                fix="report this as a bug in Pactkeeper",
                basis=found.fingerprint,
            )


MOLECULES = Rule(
    id="R004",
    name="molecules never block",
    code="PK314",
    text="No finding and no rule about a molecule is an error or blocks a commit.",
    why="Groups are for reading; people forced to group before committing will group carelessly.",
    fix="Make it a warning.",
    checked={"check": "findings about molecules, and the severity of rules over them"},
    judge=judge_molecules,
    overridable=False,
)


TESTABLE_CRITERIA: Final[tuple[Criterion, ...]] = ("observable", "falsifiable")


def judge_testable(case: Case) -> Judgement:
    """Check that there are outcomes and, in fresh commitments, that the words are observable and falsifiable."""
    unread: list[str] = []
    found: list[Violation] = []
    for atom in case.atoms:
        if case.excused("INV-002", atom.id):
            continue
        missing = list(_missing(atom))
        words = weak_words(case, atom, TESTABLE_CRITERIA) if case.is_fresh(atom.id) else WordFaults()
        if (missing or words.deductions) and is_as_committed(case, atom):
            found.append(broken_words(case, atom, words.deductions, missing=missing))
        elif words.unread:
            unread.append(f"{atom.id} ({words.unread})")
    return concluded(case.scope, found, unread)


def _missing(atom: Atom) -> Iterator[str]:
    if not atom.outcomes:
        yield "no outcome says what can be observed when it holds"


TESTABLE = Rule(
    id="INV-002",
    name="behaviourally testable",
    code="PK302",
    text="A committed atom says what can be observed when it holds, and so what would show that it does not.",
    why="What no test could refute cannot drift, so committing it promises nothing.",
    fix="Add the missing outcome, or name the measure.",
    checked={
        "check": "outcomes of committed atoms; in new commitments also how well they can be seen",
        "commit": "outcomes of the atoms to be committed, and how well they can be seen",
    },
    judge=judge_testable,
)


AMBIGUITY_CRITERIA: Final[tuple[Criterion, ...]] = ("unambiguous", "implementation-agnostic")


def judge_unambiguous(case: Case) -> Judgement:
    """Report ambiguous words and implementation directives in fresh commitments."""
    fresh = [atom for atom in case.atoms if case.is_fresh(atom.id)]
    if not fresh and case.atoms:
        return not_checked("there are no new commitments here; INV-009 covers the words of older ones")
    unread: list[str] = []
    found: list[Violation] = []
    for atom in fresh:
        words = weak_words(case, atom, AMBIGUITY_CRITERIA)
        if words.deductions and is_as_committed(case, atom) and not case.excused("INV-003", atom.id):
            found.append(broken_words(case, atom, words.deductions))
        elif words.unread:
            unread.append(f"{atom.id} ({words.unread})")
    return concluded(case.scope_of(len(fresh)), found, unread)


UNAMBIGUOUS = Rule(
    id="INV-003",
    name="no ambiguity, no implementation details",
    code="PK303",
    text="A committed atom can be understood in only one way, and says what is wanted, not how to build it.",
    why="Two readers of an ambiguous promise keep two different promises; an implementation detail freezes what "
    "should stay free.",
    fix="Replace the words that the message cites.",
    checked={
        "check": "the words of commitments that the base commit does not have, unless they overrode this rule",
        "commit": "the words of the atoms to be committed",
    },
    judge=judge_unambiguous,
)


def judge_clarified(case: Case) -> Judgement:
    """Judge the words of older commitments again, and report unanswered questions about committed atoms."""
    facts = case.facts
    if facts.commit is not None:
        return not_checked("it is about existing commitments")
    if facts.doubts is None and not facts.reread:
        return not_checked("words committed earlier are judged again by pk invariant test")
    found = {one.subject: one for one in (*(_reread(case) if facts.reread else ()), *_doubted(case))}
    unknown = "" if facts.doubts is not None else "; questions about them are not checked: there is no history here"
    return judged(
        found.values(),
        holds=f"no doubt about {case.scope} is open{unknown}",
        fails="a committed atom is ambiguous and no recorded answer says what it means",
    )


def _unresolved(case: Case) -> Iterator[Atom]:
    """Yield committed atoms without a clarification, a waiting successor, or an override that admitted the words."""
    clarified = {one.atom for one in case.pact.clarifications.values()}
    for atom in case.atoms:
        resolved = atom.id in clarified or case.pact.waiting_for(atom.id) or case.excused("INV-003", atom.id)
        if not resolved:
            yield atom


def _reread(case: Case) -> Iterator[Violation]:
    for atom in _unresolved(case):
        if case.facts.fresh is None or case.is_fresh(atom.id):
            continue
        words = weak_words(case, atom, AMBIGUITY_CRITERIA)
        if words.deductions and is_as_committed(case, atom):
            yield broken_words(case, atom, words.deductions)


def _doubted(case: Case) -> Iterator[Violation]:
    for atom in _unresolved(case):
        doubt = (case.facts.doubts or {}).get(atom.id)
        if doubt is not None:
            message = f"has an unanswered question raised after it was committed: {doubt!r}"
            fix = CLARIFY(atom.id, "'The question?' --answer 'The answer.'")
            yield Violation.of(atom, message, fix=fix, basis=doubt)


CLARIFIED = Rule(
    id="INV-009",
    name="later ambiguity is resolved on record",
    code="PK309",
    text="Ambiguity found after the commitment is resolved by a successor or a recorded clarification.",
    why="An answer given in passing is known to two people for a week.",
    fix="Answer the question, or replace the atom.",
    checked={
        "check": "not checked: reading all words again would take a while",
        "invariant test": "the words of all committed atoms, as rules read them today, and open questions",
    },
    judge=judge_clarified,
    severity="warning",
)
