"""Rules about links: every test is settled, every atom leads to its evidence, and molecules hold together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.invariants.rule import Case, Judgement, Rule, Violation, judged, not_checked
from pactkeeper.intent.links import LinkedTest, TestState

if TYPE_CHECKING:  # most commands have no ops
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
    return Violation(
        atom.id,
        f"came from {atom.source} and can be traced to no test, origin or recommendation",
        path=atom.path,
        line=atom.line,
        fix=f"paste above a test: @atom {atom.id}",
        basis="no trace",
    )


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
    checked={
        "check": "committed atoms, and every link (findings PK102)",
        "commit": "the atoms to be committed",
    },
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
            yield Violation(
                one.id,
                "is about molecules and would block",
                path=one.path,
                line=one.line,
                fix='severity = "warning"',
                basis="blocking",
            )


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
