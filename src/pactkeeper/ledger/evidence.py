"""Evidence: why somebody should believe a finding or an op, and how strong a reason that is; and what ops may cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.ledger.canonical import JsonValue, digest

EvidenceKind = Literal["mechanical", "quoted", "similar", "model"]

# From strongest to weakest: computed from the source; the source's own words; alike by a measure; said by a model.
EVIDENCE_ORDER: Final[tuple[EvidenceKind, ...]] = ("mechanical", "quoted", "similar", "model")

# How much a change can cost. Own records; files that are reviewed in the repository; something outside that can be
# taken back; something that cannot; an act that is a person's by definition.
Risk = Literal["record", "annotate", "reversible-external", "irreversible", "human-act"]
RISKS: Final[tuple[Risk, ...]] = ("record", "annotate", "reversible-external", "irreversible", "human-act")


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason, with the place where it can be checked.

    `line` counts from 1, 0 means the whole of `path`; it is for display and takes part in no identity. `quote` is text
    of the source, `note` says in words or as a hash what was seen. `absent` means that what the note names was looked
    for at `path` and not found there.
    """

    kind: EvidenceKind
    path: str = ""
    line: int = 0
    quote: str = ""
    note: str = ""
    absent: bool = False


def weakest(evidence: Iterable[Evidence]) -> EvidenceKind:
    """The kind that counts for policy: a chain holds as much as its weakest link, and no evidence counts as `model`."""
    return max((one.kind for one in evidence), key=EVIDENCE_ORDER.index, default="model")


def evidence_hash(evidence: Iterable[Evidence]) -> str:
    """Hash what the evidence says, whatever its order and wherever its lines have moved."""
    said: set[tuple[str, ...]] = {(e.kind, e.path, e.quote, e.note, str(e.absent)) for e in evidence}
    return digest([list(one) for one in sorted(said)])


def encode_evidence(evidence: Evidence) -> dict[str, JsonValue]:
    """The form that patches carry."""
    return {
        "kind": evidence.kind,
        "path": evidence.path,
        "line": evidence.line,
        "quote": evidence.quote,
        "note": evidence.note,
        "absent": evidence.absent,
    }
