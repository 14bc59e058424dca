"""INV-005: a committed atom leads to its origin or to what proves it, and every link leads to an atom."""

from __future__ import annotations

from collections.abc import Iterator

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.invariants.rule import Case, Judgement, Rule, Violation, judged


def judge(case: Case) -> Judgement:
    """Report atoms in scope without any trace, and links to unknown atoms."""
    untraced = [atom for atom in case.atoms if not _leads_somewhere(case, atom)]
    if untraced and case.facts.linked is None:
        return Judgement("not checked", f"tests are not known here, and nothing else leads on from {untraced[0].id}")
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
        f"came from {atom.source} and leads to no test, no origin and no recommendation",
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


RULE = Rule(
    id="INV-005",
    name="traceable",
    code="PK305",
    text="A committed atom leads to a test, an origin or the person who wrote it; a link names an atom that exists.",
    why="Intent without a source cannot be questioned, and a link into nothing proves nothing.",
    fix="Link a test to the atom, or correct the link.",
    checked={
        "pk check": "committed atoms, and every link (findings PK102)",
        "pk commit": "the atoms to be committed",
    },
    judge=judge,
)
