"""The parts of a rule, the result of judging it, and the facts that a context provides.

Rules are judged by everything known in one context, and nothing else. Rules about words share the criteria of quality
by which an atom can fall short.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal, Self

from pactkeeper.advice import EDIT, SUPERSEDE
from pactkeeper.intent.atoms import Atom, Commitment
from pactkeeper.intent.commitments import in_order
from pactkeeper.intent.links import LIVE_LINKS, LinkedTest
from pactkeeper.intent.pact import Invariant, Pact
from pactkeeper.ledger.canonical import by_key
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
    """A request to commit atoms, or to give committed ones up: then `abandons` says why.

    `overrides` says, by invariant id, why a broken rule should not block it. `assurance` is None if it is unknown who
    asks.
    """

    atoms: tuple[str, ...]
    by: str
    actor: Actor
    assurance: Assurance | None
    overrides: Mapping[str, str] = field(default_factory=dict)
    abandons: str | None = None


@dataclass(frozen=True, slots=True)
class Seal:
    """The hash of a piece of evidence when it was recorded, and its current hash, None if the evidence is gone."""

    noted: str
    found: str | None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a gate refused an atom; `invariant` is empty if it named no rule."""

    atom: str
    reason: str
    invariant: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything known in one context; None means "not known here", an empty value means "there is none".

    `linked` are all tests, `unseen` the files that may contain unlisted tests. `commit` is the request being judged:
    the rules then judge its atoms as if they were committed. `evidence` is by test id, `verified` holds signature
    checks by commitment id. `at` is the day or time of the judgement in ISO 8601. `fresh` are the ids of commitments
    that an earlier state does not have; without an earlier state, all are fresh. `reread` says whether the words of
    older commitments are judged again, which is slow. `doubts` are unanswered questions about committed atoms, by atom
    id. `sealed` is evidence by name, `refusals` what a gate refused. `ops`, `questions` and `changed` (test ids) belong
    to a run, `unfinished` are the times of interrupted writes, `findings` those of the same context, `state` what a
    flow keeps between its steps.
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
    """One violation of a rule, at `path` and `line` (0 means the whole file).

    A rejection of the finding depends on `basis`. `code` is set if another check reports the same under its own code.
    """

    subject: str
    message: str
    path: str = ""
    line: int = 0
    fix: str = ""
    basis: str = ""
    about: str = ""
    code: str = ""

    @classmethod
    def of(cls, one: Atom | Commitment | Invariant, message: str, **more: str) -> Self:
        """Return the violation by an entry of the pact, at its place."""
        return cls(one.id, message, one.path, one.line, **more)


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a rule holds, in one sentence, and its violations."""

    status: Status
    reason: str
    violations: tuple[Violation, ...] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of judging a rule; `blocking` means that it currently prevents a commit."""

    invariant: str
    status: Status
    reason: str
    findings: tuple[Finding, ...] = ()
    blocking: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A built-in rule.

    `checked` maps each context, a command without its `pk`, to what is checked there. `overridable` is False if an
    override would do what the rule forbids.
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
    """Facts prepared for rules; `pact` includes the pending commitment, `atoms` are those in scope.

    In scope are the atoms to be committed, or, without a request, all that are committed and not replaced.
    """

    facts: Facts
    pact: Pact
    atoms: tuple[Atom, ...]
    assess: Assess
    _tests: Mapping[str, Sequence[LinkedTest]] | None = field(init=False, repr=False, compare=False, default=None)
    _acts: Mapping[str, Sequence[Commitment]] | None = field(init=False, repr=False, compare=False, default=None)

    @staticmethod
    def of(facts: Facts, assess: Assess) -> Case:
        """Prepare facts; atoms to be committed that are not in the pact are left out."""
        if facts.commit is None:
            pact = facts.pact
            names = sorted(pact.promised_ids)
        else:
            pact = _with(facts.pact, facts.commit, facts.at)
            names = list(dict.fromkeys(facts.commit.atoms))
        return Case(facts, pact, tuple(pact.atoms[name] for name in names if name in pact.atoms), assess)

    @property
    def scope(self) -> str:
        """A description of what is judged, for reasons: `3 committed atoms`."""
        return self.scope_of(len(self.atoms))

    def scope_of(self, number: int) -> str:
        """Describe a number of the atoms that are judged."""
        noun = "atom" if number == 1 else "atoms"
        request = self.facts.commit
        if request is None:
            return f"{number:,} committed {noun}"
        return f"{number:,} {noun} to be {'committed' if request.abandons is None else 'given up'}"

    def is_fresh(self, atom: str) -> bool:
        """Whether a fresh commitment froze the atom; atoms about to be committed are always fresh."""
        fresh = self.facts.fresh
        return self.facts.commit is not None or fresh is None or any(one.id in fresh for one in self.acts_of(atom))

    def excused(self, rule: str, atom: str) -> bool:
        """Whether a commitment of the atom overrode the rule with a reason."""
        return any(rule in (one.overrides or {}) for one in self.acts_of(atom))

    def tests_of(self, atom: str) -> tuple[LinkedTest, ...]:
        """Return the tests that live links tie to the atom; none if no tests are known."""
        if self._tests is None:
            linked = self.facts.linked or ()
            realised = ((atom, entry) for entry in linked for atom in entry.atoms(LIVE_LINKS))
            object.__setattr__(self, "_tests", by_key(realised))
        return tuple((self._tests or {}).get(atom, ()))

    def acts_of(self, atom: str) -> tuple[Commitment, ...]:
        """Return the commitments that froze the atom, earliest first."""
        if self._acts is None:
            acts = in_order(self.pact.commitments.values())
            object.__setattr__(self, "_acts", by_key((name, one) for one in acts for name in one.frozen))
        return tuple((self._acts or {}).get(atom, ()))


def _with(pact: Pact, request: CommitRequest, at: str) -> Pact:
    """The pact as it would be once the request is granted."""
    frozen = {name: pact.atoms[name].frozen_hash() for name in request.atoms if name in pact.atoms}
    assurance = "signed" if request.assurance in {"signed", "ci-verified"} else request.assurance or "terminal"
    signature = PENDING if assurance == "signed" else None
    pending = Commitment(PENDING, frozen, request.by, at, assurance, signature, abandons=request.abandons)  # type: ignore[arg-type]  # one of three words
    return replace(pact, commitments={**pact.commitments, PENDING: pending})


def judged(violations: Iterable[Violation], *, holds: str, fails: str) -> Judgement:
    """Return passed with the reason `holds`, or failed with `fails` if there are violations."""
    found = tuple(violations)
    return Judgement("failed", fails, found) if found else Judgement("passed", holds)


def where_checked(context: str) -> str:
    """Return a context of `checked` as people read it."""
    return context if context in {"every command", "nowhere"} else f"pk {context}"


def not_checked(reason: str) -> Judgement:
    """Return a judgement that nothing was judged, and why."""
    return Judgement("not checked", reason)


MOST_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class WordFaults:
    """The deductions for an atom's words where criteria are too low, or the language that could not be read."""

    deductions: tuple[Deduction, ...] = ()
    unread: str = ""


def weak_words(case: Case, atom: Atom, criteria: Collection[Criterion]) -> WordFaults:
    """Judge an atom by some criteria of quality."""
    quality = case.assess(atom).without_hints()
    if not quality.judged:
        return WordFaults(unread=quality.language)
    weak = [one for one in quality.dimensions if one.name in criteria and one.is_weak]
    return WordFaults(tuple(one for dimension in weak for one in dimension.deductions))


def is_as_committed(case: Case, atom: Atom) -> bool:
    """Whether the words are the committed ones; changed words must be restored first (INV-004)."""
    return case.facts.commit is not None or any(
        one.frozen[atom.id] == atom.frozen_hash() for one in case.acts_of(atom.id)
    )


def broken_words(case: Case, atom: Atom, deductions: Sequence[Deduction], *, missing: Sequence[str] = ()) -> Violation:
    """Build the violation for an atom's words: what is missing, then what the deductions cite."""
    reasons = list(dict.fromkeys([*missing, *(one.said for one in deductions)]))
    more = f", and {len(reasons) - MOST_NAMED} more" if len(reasons) > MOST_NAMED else ""
    message = "; ".join(reasons[:MOST_NAMED]) + more
    command = SUPERSEDE(atom.id, "--edit") if case.facts.pact.is_committed(atom.id) else EDIT(atom.id)
    fix = f"{deductions[0].suggestion}: " + command if deductions else command
    return Violation.of(atom, message, fix=fix, basis=atom.frozen_hash())


def concluded(scope: str, found: Sequence[Violation], unread: Sequence[str]) -> Judgement:
    """Return failed if anything is broken, not checked if words could not be read, passed otherwise."""
    if found:
        return Judgement("failed", f"not held by {len(found):,} of {scope}", tuple(found))
    if unread:
        return Judgement("not checked", f"the rules do not read the language of {', '.join(unread[:MOST_NAMED])}")
    return Judgement("passed", f"held by {scope}")
