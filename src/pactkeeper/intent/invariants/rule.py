"""What a rule is, what judging it gives, and what a context offers for judging."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from pactkeeper.intent.atoms import Atom, Commitment
from pactkeeper.intent.invariants.facts import CommitRequest, Facts
from pactkeeper.intent.links import LIVE_LINKS, LinkedTest
from pactkeeper.intent.pact import Pact
from pactkeeper.ledger.finding import Finding, Severity

if TYPE_CHECKING:  # most pacts hold no words that are to be judged
    from pactkeeper.intent.quality.values import Quality

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
    for one in sorted(commitments, key=lambda one: (one.at, one.id)):
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
