"""INV-004: what was committed stays as it was frozen."""

from __future__ import annotations

from collections.abc import Iterator

from pactkeeper.intent.invariants.rule import PENDING, Case, Judgement, Rule, Violation, judged


def judge(case: Case) -> Judgement:
    """Compare every frozen hash with the current atom; for a commit, only those of its own, already committed atoms."""
    number = len(case.pact.committed_ids)
    frozen = f"{number:,} frozen {'atom is' if number == 1 else 'atoms are'} as frozen"
    return judged(
        _thawed(case),
        holds=frozen if case.facts.commit is None else "no earlier commitment says otherwise",
        fails="what was committed is not what stands in the pact",
    )


def _thawed(case: Case) -> Iterator[Violation]:
    wanted = None if case.facts.commit is None else set(case.facts.commit.atoms)
    for commitment in case.pact.commitments.values():
        for name, frozen in commitment.frozen.items():
            if commitment.id == PENDING or (wanted is not None and name not in wanted):
                continue
            atom = case.pact.atoms.get(name)
            if atom is None:
                message, fix = f"{commitment.id} froze this atom and its table is gone", f"restore the table [{name}]"
                yield Violation(
                    name, message, path=commitment.path, line=commitment.line, fix=fix, basis=frozen, code="PK202"
                )
            elif atom.frozen_hash() != frozen:
                fix = f"restore the table [{name}], and declare a successor: pk atom supersede {name} --edit"
                message = f"differs from what {commitment.id} froze"
                yield Violation(
                    name, message, path=atom.path, line=atom.line, fix=fix, basis=atom.frozen_hash(), code="PK201"
                )


RULE = Rule(
    id="INV-004",
    name="immutable",
    code="PK201",
    text="The intent, category, outcomes and falsifiers of a committed atom never change.",
    why="A promise that can be reworded afterwards binds nobody; a change of mind is a new atom.",
    fix="Restore what was frozen, and declare a successor.",
    checked={
        "pk check": "every frozen hash against the atom (findings PK201 and PK202, with the difference)",
        "pk commit": "that no atom to be committed differs from an earlier commitment of it",
    },
    judge=judge,
    overridable=False,
)
