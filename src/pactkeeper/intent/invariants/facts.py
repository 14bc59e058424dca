"""What rules are judged by: everything that is known in one context, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.pact import Pact
from pactkeeper.ledger.finding import Finding
from pactkeeper.ledger.health import Actor, Assurance

if TYPE_CHECKING:  # a check knows nothing of runs and outcomes, and need not wait for their modules
    from pactkeeper.intent.evidence_state import TestEvidenceState
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
