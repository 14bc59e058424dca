"""Findings: disagreements between what is declared and what exists, and the history of each.

Also evidence (why a finding or an op is credible, and how strong that reason is) and the risk levels of ops.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, get_args

from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.health import Health, allows_absence

EvidenceKind = Literal["mechanical", "quoted", "similar", "model"]

# From strongest to weakest: computed from the source; quoted from the source; similar by a measure; said by a model.
EVIDENCE_ORDER: Final[tuple[EvidenceKind, ...]] = get_args(EvidenceKind)

# How much a change can cost: our own records; files reviewed in the repository; something external that can be undone;
# something that cannot; an act reserved for people.
Risk = Literal["record", "annotate", "reversible-external", "irreversible", "human-act"]
RISKS: Final[tuple[Risk, ...]] = get_args(Risk)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason, with the place where it can be checked.

    `line` counts from 1, 0 means the whole of `path`; it is for display and not part of any identity. `quote` is text
    from the source, `note` a description or a hash of what was seen. `absent` means that whatever the note names was
    looked for at `path` and not found.
    """

    kind: EvidenceKind
    path: str = ""
    line: int = 0
    quote: str = ""
    note: str = ""
    absent: bool = False


def weakest(evidence: Iterable[Evidence]) -> EvidenceKind:
    """Return the kind that counts for policy: the weakest one; no evidence at all counts as `model`."""
    return max((one.kind for one in evidence), key=EVIDENCE_ORDER.index, default="model")


def evidence_hash(evidence: Iterable[Evidence]) -> str:
    """Hash the evidence independently of its order and of line numbers."""
    said: set[tuple[str, ...]] = {(e.kind, e.path, e.quote, e.note, str(e.absent)) for e in evidence}
    return digest([list(one) for one in sorted(said)])


def encode_evidence(evidence: Evidence) -> dict[str, JsonValue]:
    """Return the form stored in patches."""
    return {name: getattr(evidence, name) for name in Evidence.__slots__}


Severity = Literal["error", "warning", "info"]
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)

FindingState = Literal["open", "snoozed", "rejected", "failed", "resolved"]
TRANSITIONS: Final[Mapping[FindingState, frozenset[FindingState]]] = {
    "open": frozenset({"snoozed", "rejected", "failed", "resolved"}),
    "snoozed": frozenset({"open", "rejected", "resolved"}),
    "rejected": frozenset({"open"}),
    "failed": frozenset({"open", "snoozed", "rejected", "failed", "resolved"}),
    "resolved": frozenset({"open"}),
}

# PK codes are Pactkeeper's own; a project's rule has its code or, without one, its id.
PROJECT_CODE_PATTERN: Final = r"(?!PK)[A-Z]{2,8}[0-9]{3,4}"
CODE_PATTERN: Final = rf"PK[0-9]{{3}}|{PROJECT_CODE_PATTERN}|INV(?:-[0-9A-Z]+)+"
INVARIANT_PATTERN: Final = r"INV(?:-[0-9A-Z]+)+|R[0-9]{3}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One disagreement.

    `subject` is the id of whatever disagrees, `about` the id of the other party, if any (such as the atom a link
    names). `fix` is the exact line to paste or command to run, advice where a person decides; `invariant` is the id of
    the broken rule, if any. Code, subject and places identify a finding without them.
    """

    code: str
    subject: str
    severity: Severity
    message: str
    evidence: tuple[Evidence, ...] = ()
    fix: str = ""
    about: str = ""
    invariant: str = ""

    def __post_init__(self) -> None:
        if not re.fullmatch(CODE_PATTERN, self.code):
            raise ValueError(
                f"finding code {self.code!r} is not PK and three digits, 2 to 8 capitals and 3 or 4 digits, or the id "
                "of an invariant"
            )
        if self.invariant and not re.fullmatch(INVARIANT_PATTERN, self.invariant):
            raise ValueError(f"{self.invariant!r} is not an invariant id, such as INV-101")

    @property
    def fingerprint(self) -> str:
        """The digest of who disagrees about what, and in which files; unaffected by line numbers and wording."""
        places = sorted({(one.kind, one.path) for one in self.evidence})
        return "fp-" + digest([self.code, self.subject, self.about, [list(place) for place in places]])[3:19]

    @property
    def evidence_hash(self) -> str:
        """The hash of the evidence; a rejection holds as long as it does not change."""
        return evidence_hash(self.evidence)


@dataclass(frozen=True, slots=True)
class FindingStanding:
    """The state of a fingerprint: `failures` counts attempts to fix it, a snooze ends at `until` (ISO 8601)."""

    state: FindingState = "open"
    failures: int = 0
    evidence_hash: str = ""
    until: str = ""
    by: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FindingStep:
    """A person's action on a finding; `until` (ISO 8601 with offset) is when a snooze ends, empty for other actions."""

    state: FindingState
    by: str
    reason: str = ""
    until: str = ""

    def __post_init__(self) -> None:
        if (self.state == "snoozed") != bool(self.until):
            raise ValueError(f"{self!r}: a snooze, and only a snooze, ends at a time")


def move(standing: FindingStanding, step: FindingStep, *, finding: Finding) -> FindingStanding:
    """Move a fingerprint to another state and record the evidence at this moment.

    Raises ValueError if `TRANSITIONS` does not allow the step.
    """
    if step.state not in TRANSITIONS[standing.state]:
        steps = ", ".join(sorted(TRANSITIONS[standing.state]))
        raise ValueError(f"a finding that is {standing.state} cannot become {step.state!r}, only: {steps}")
    failures = 0 if step.state == "resolved" else standing.failures + (step.state == "failed")
    return FindingStanding(step.state, failures, finding.evidence_hash, step.until, step.by, step.reason)


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A finding hidden from the open ones, and the standing that hides it."""

    finding: Finding
    standing: FindingStanding


@dataclass(frozen=True, slots=True)
class Sifted:
    """All findings of a run, split into shown and suppressed, each in the original order."""

    shown: tuple[Finding, ...]
    suppressed: tuple[Suppressed, ...]


def sift(findings: Iterable[Finding], standings: Mapping[str, FindingStanding], *, now: str) -> Sifted:
    """Separate findings to show from those hidden by a rejection or a running snooze.

    A rejection ends when the evidence changes; a snooze ends then or at its end time, compared with `now` (ISO 8601
    with offset).
    """
    shown: list[Finding] = []
    suppressed: list[Suppressed] = []
    for finding in findings:
        standing = standings.get(finding.fingerprint)
        if standing is not None and _keeps_away(standing, finding, now):
            suppressed.append(Suppressed(finding, standing))
        else:
            shown.append(finding)
    return Sifted(tuple(shown), tuple(suppressed))


def _keeps_away(standing: FindingStanding, finding: Finding, now: str) -> bool:
    if standing.evidence_hash != finding.evidence_hash:
        return False
    if standing.state == "rejected":
        return True
    return standing.state == "snoozed" and datetime.fromisoformat(now) < datetime.fromisoformat(standing.until)


def resolved_by_absence(
    standings: Mapping[str, FindingStanding], seen: Collection[str], health: Health
) -> frozenset[str]:
    """Return fingerprints that are unresolved and were not found again; empty unless the whole source was seen."""
    if not allows_absence(health):
        return frozenset()
    return frozenset(name for name, one in standings.items() if one.state != "resolved" and name not in seen)
