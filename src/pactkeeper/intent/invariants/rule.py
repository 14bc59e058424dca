"""What a rule is, what judging it gives, and what a context offers for judging.

What rules about words share: by which criteria of quality an atom falls short.

What rules are judged by: everything that is known in one context, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal

from pactkeeper.intent.atoms import Atom, Commitment
from pactkeeper.intent.commitments import in_order
from pactkeeper.intent.links import LIVE_LINKS, LinkedTest
from pactkeeper.intent.pact import Pact
from pactkeeper.ledger.finding import Finding, Severity
from pactkeeper.ledger.health import Actor, Assurance

if TYPE_CHECKING:
    from pactkeeper.intent.evidence_state import TestEvidenceState
    from pactkeeper.intent.quality.values import Criterion, Deduction, Quality
    from pactkeeper.intent.signatures import Examined
    from pactkeeper.ledger.canonical import JsonValue
    from pactkeeper.ledger.op import Op
    from pactkeeper.ledger.question import Question


@dataclass(frozen=True, slots=True)
class CommitRequest:
    """What somebody asks to commit; `overrides` says by invariant id why a broken rule shall not stop it.

    `assurance` is None where nothing is known about who asks.
    """

    atoms: tuple[str, ...]
    by: str
    actor: Actor
    assurance: Assurance | None
    overrides: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Seal:
    """The hash of a piece of evidence when it was recorded, and its hash now; None where it is gone."""

    noted: str
    found: str | None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a gate turned an atom away; `invariant` is empty where it named no rule."""

    atom: str
    reason: str
    invariant: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything known in one context; None means "not known here", an empty value means "there is none".

    `linked` are all tests, `unseen` the files in which tests may exist without being listed. `commit` is what is about
    to be committed: the rules then judge those atoms, as if they were committed. `evidence` is by test id, `verified`
    what became of signatures by commitment id. `at` is the day or moment of the judgement in ISO 8601.

    `fresh` are the ids of commitments that an earlier state does not have; without one to compare with, all are.
    `reread` says whether the words of the others are judged again, which takes a while. `doubts` are questions about
    committed atoms that nobody answered, by atom id. `sealed` is evidence by name, `refusals` what a gate said.

    `ops`, `questions` and `changed` (test ids) are a run's, `unfinished` the times of interrupted writes, `findings`
    those of the same context, `state` what a flow keeps between its steps.
    """

    pact: Pact
    linked: tuple[LinkedTest, ...] | None = None
    commit: CommitRequest | None = None
    evidence: Mapping[str, TestEvidenceState] | None = None
    at: str = ""
    unseen: frozenset[str] = frozenset()
    verified: Mapping[str, Examined] | None = None
    fresh: frozenset[str] | None = None
    reread: bool = True
    doubts: Mapping[str, str] | None = None
    sealed: Mapping[str, Seal] | None = None
    refusals: tuple[Refusal, ...] | None = None
    ops: tuple[Op, ...] | None = None
    questions: tuple[Question, ...] = ()
    changed: frozenset[str] | None = None
    unfinished: tuple[str, ...] | None = None
    findings: tuple[Finding, ...] | None = None
    state: Mapping[str, JsonValue] | None = None


Status = Literal["passed", "failed", "asserted", "not checked"]
Assess = Callable[[Atom], "Quality"]
PENDING = "this commitment"


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that breaks a rule, at `path` and `line` (0 means the whole file).

    `basis` is what a rejection of the finding depends on. `code` is given where another check reports the same under a
    code of its own.
    """

    subject: str
    message: str
    path: str = ""
    line: int = 0
    fix: str = ""
    basis: str = ""
    about: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a rule holds, in one sentence, and what breaks it."""

    status: Status
    reason: str
    violations: tuple[Violation, ...] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """A rule as it was judged; `blocking` says that it keeps atoms from being committed as it stands."""

    invariant: str
    status: Status
    reason: str
    findings: tuple[Finding, ...] = ()
    blocking: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A built-in rule.

    `checked` says in which context what is looked at. `overridable` is False where an override would be what the rule
    forbids.
    """

    id: str
    name: str
    code: str
    text: str
    why: str
    fix: str
    checked: Mapping[str, str]
    judge: Callable[[Case], Judgement]
    severity: Severity = "error"
    overridable: bool = True


@dataclass(frozen=True, slots=True)
class Case:
    """Facts prepared for rules: `pact` holds what is about to be committed as if it were, `atoms` are those in scope.

    In scope are the atoms to be committed, or else all that are committed and not replaced.
    """

    facts: Facts
    pact: Pact
    atoms: tuple[Atom, ...]
    assess: Assess
    _tests: Mapping[str, tuple[LinkedTest, ...]] | None = field(init=False, repr=False, compare=False, default=None)
    _acts: Mapping[str, tuple[Commitment, ...]] | None = field(init=False, repr=False, compare=False, default=None)

    @staticmethod
    def of(facts: Facts, assess: Assess) -> Case:
        """Prepare facts; atoms to be committed that the pact does not have are left out."""
        if facts.commit is None:
            pact = facts.pact
            names = sorted(name for name in pact.committed_ids if pact.status_of(name) == "committed")
        else:
            pact = _with(facts.pact, facts.commit, facts.at)
            names = list(dict.fromkeys(facts.commit.atoms))
        return Case(facts, pact, tuple(pact.atoms[name] for name in names if name in pact.atoms), assess)

    @property
    def scope(self) -> str:
        """What is judged, for reasons: `3 committed atoms`."""
        return self.scope_of(len(self.atoms))

    def scope_of(self, number: int) -> str:
        """So many atoms of those that are judged."""
        noun = "atom" if number == 1 else "atoms"
        return f"{number:,} {noun} to be committed" if self.facts.commit else f"{number:,} committed {noun}"

    def is_fresh(self, atom: str) -> bool:
        """Whether a commitment that is new here froze the atom; what is about to be committed always is."""
        fresh = self.facts.fresh
        return self.facts.commit is not None or fresh is None or any(one.id in fresh for one in self.acts_of(atom))

    def excused(self, rule: str, atom: str) -> bool:
        """Whether a commitment of the atom overrode the rule, with a reason."""
        return any(rule in (one.overrides or {}) for one in self.acts_of(atom))

    def tests_of(self, atom: str) -> tuple[LinkedTest, ...]:
        """The tests that a live link ties to the atom; none where no tests are known."""
        if self._tests is None:
            object.__setattr__(self, "_tests", _by_atom(self.facts.linked or ()))
        return (self._tests or {}).get(atom, ())

    def acts_of(self, atom: str) -> tuple[Commitment, ...]:
        """The commitments that froze the atom, the first one first."""
        if self._acts is None:
            object.__setattr__(self, "_acts", _acts(self.pact.commitments.values()))
        return (self._acts or {}).get(atom, ())


def _with(pact: Pact, request: CommitRequest, at: str) -> Pact:
    """The pact as it would be once the request is granted."""
    frozen = {name: pact.atoms[name].frozen_hash() for name in request.atoms if name in pact.atoms}
    assurance = "signed" if request.assurance in {"signed", "ci-verified"} else request.assurance or "terminal"
    signature = PENDING if assurance == "signed" else None
    pending = Commitment(PENDING, frozen, request.by, at, assurance, signature)  # type: ignore[arg-type]  # one of three words
    return replace(pact, commitments={**pact.commitments, PENDING: pending})


def _by_atom(linked: Iterable[LinkedTest]) -> Mapping[str, tuple[LinkedTest, ...]]:
    found: dict[str, list[LinkedTest]] = {}
    for entry in linked:
        for atom in dict.fromkeys(link.atom for link in entry.links if link.state in LIVE_LINKS):
            found.setdefault(atom, []).append(entry)
    return {atom: tuple(entries) for atom, entries in found.items()}


def _acts(commitments: Iterable[Commitment]) -> Mapping[str, tuple[Commitment, ...]]:
    found: dict[str, list[Commitment]] = {}
    for one in in_order(commitments):
        for atom in one.frozen:
            found.setdefault(atom, []).append(one)
    return {atom: tuple(acts) for atom, acts in found.items()}


def judged(violations: Iterable[Violation], *, holds: str, fails: str) -> Judgement:
    """Passed with the reason `holds`, or failed with `fails` where there is any violation."""
    found = tuple(violations)
    return Judgement("failed", fails, found) if found else Judgement("passed", holds)


def not_checked(reason: str) -> Judgement:
    """Nothing was judged, and why."""
    return Judgement("not checked", reason)


# Of a criterion's points at least two thirds: below, good marks elsewhere do not make up for it.
LEAST: Final = (2, 3)
MOST_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class WordFaults:
    """What criteria say of an atom's words: what is taken off where one is too low, or the language nobody reads."""

    deductions: tuple[Deduction, ...] = ()
    unread: str = ""


def weak_words(case: Case, atom: Atom, criteria: Collection[Criterion]) -> WordFaults:
    """Judge an atom by some criteria of quality."""
    quality = case.assess(atom)
    if not quality.judged:
        return WordFaults(unread=quality.language)
    part, whole = LEAST
    weak = [one for one in quality.dimensions if one.name in criteria and one.points * whole < one.most * part]
    return WordFaults(tuple(one for dimension in weak for one in dimension.deductions))


def is_as_committed(case: Case, atom: Atom) -> bool:
    """Whether the words are those that were committed; others are to be restored first (INV-004)."""
    return case.facts.commit is not None or any(
        one.frozen[atom.id] == atom.frozen_hash() for one in case.acts_of(atom.id)
    )


def broken_words(case: Case, atom: Atom, deductions: Sequence[Deduction], *, missing: Sequence[str] = ()) -> Violation:
    """What is wrong with an atom's words: what they lack, then what the deductions cite."""
    reasons = list(dict.fromkeys([*missing, *(_said(one) for one in deductions)]))
    more = f", and {len(reasons) - MOST_NAMED} more" if len(reasons) > MOST_NAMED else ""
    message = "; ".join(reasons[:MOST_NAMED]) + more
    command = (
        f"pk atom supersede {atom.id} --edit" if case.facts.pact.is_committed(atom.id) else f"pk atom edit {atom.id}"
    )
    fix = f"{deductions[0].suggestion}: {command}" if deductions else command
    return Violation(atom.id, message, path=atom.path, line=atom.line, fix=fix, basis=atom.frozen_hash())


def _said(deduction: Deduction) -> str:
    return f"{deduction.words!r}: {deduction.why}" if deduction.words else deduction.why


def concluded(scope: str, found: Sequence[Violation], unread: Sequence[str]) -> Judgement:
    """Failed where anything is broken, not checked where words could not be read, passed otherwise."""
    if found:
        return Judgement("failed", f"not held by {len(found):,} of {scope}", tuple(found))
    if unread:
        return Judgement("not checked", f"the rules do not read the language of {', '.join(unread[:MOST_NAMED])}")
    return Judgement("passed", f"held by {scope}")
