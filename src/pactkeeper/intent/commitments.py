"""The canonical form of everything a commitment says; its id, its signature and its successors are bound to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from pactkeeper.intent.atoms import Atom, Commitment, Pledge
from pactkeeper.intent.ids import COMMITMENT_PREFIX, hashed_id
from pactkeeper.ledger.canonical import canonical_json, digest, digest_bytes

SCHEMA: Final = "pactkeeper.commitment/1"
NAMESPACE: Final = "pactkeeper-commitment"  # of signatures, so that a signature made for another purpose does not count
_MAIL: Final = re.compile(r"<([^<>\s]+)>\s*\Z")


def new_commitment(  # noqa: PLR0913 - the parts of one act, all named
    atoms: Sequence[Atom],
    *,
    by: str,
    at: str,
    assurance: Pledge,
    overrides: Mapping[str, str],
    after: Mapping[str, str],
    abandons: str | None = None,
) -> Commitment:
    """Build the unsigned commitment of these atoms, or what gives them up; its id is derived from everything in it."""
    made = Commitment(
        id="",
        frozen={atom.id: atom.frozen_hash() for atom in atoms},
        by=by,
        at=at,
        assurance=assurance,
        overrides=dict(overrides) or None,
        words={atom.id: atom.frozen() for atom in atoms},
        replaces={atom.id: atom.supersedes for atom in atoms if atom.supersedes is not None and abandons is None},
        after=dict(after),
        abandons=abandons,
    )
    return replace(made, id=commitment_id(made))


def commitment_id(commitment: Commitment) -> str:
    """Derive the id from what the commitment says; the signature is not part of it."""
    return hashed_id(COMMITMENT_PREFIX, _said(commitment).decode())


def signed_bytes(commitment: Commitment) -> bytes:
    """Return the bytes a signature covers: the id on its own line, then everything the commitment says."""
    return b"%s\n%s" % (commitment.id.encode(), _said(commitment))


def commitment_hash(commitment: Commitment) -> str:
    """Hash the whole commitment, signature included, independently of its file's layout."""
    return digest([commitment.id, commitment.signature, digest_bytes(_said(commitment))])


@lru_cache(maxsize=5_000)  # a check asks for it three times of each commitment
def _said(commitment: Commitment) -> bytes:
    return canonical_json(
        {
            "schema": SCHEMA,
            "by": commitment.by,
            "at": commitment.at,
            "assurance": commitment.assurance,
            "frozen": dict(commitment.frozen),
            "words": {
                name: [words.intent, words.category, list(words.outcomes), list(words.falsified_by)]
                for name, words in commitment.words.items()
            },
            "replaces": dict(commitment.replaces),
            "overrides": dict(commitment.overrides or {}),
            "after": dict(commitment.after),
            **({} if commitment.abandons is None else {"abandons": commitment.abandons}),
        }
    )


def contradictions(commitment: Commitment) -> Iterator[str]:
    """Yield the ways the file contradicts itself; a file written by the gate and left unchanged never does."""
    expected = commitment_id(commitment)
    if commitment.id != expected:
        yield f"what it says has the id {expected}"
    if (commitment.assurance == "signed") != (commitment.signature is not None):
        has = "no signature" if commitment.signature is None else "a signature"
        yield f'it has {has} and says assurance = "{commitment.assurance}"'
    for name, frozen in commitment.frozen.items():
        words = commitment.words.get(name)
        if words is None:
            yield f"it does not hold the words of {name}"
        elif words.hash() != frozen:
            yield f"its words of {name} do not have the hash that it froze"
    strange = sorted({*commitment.words, *commitment.replaces} - {*commitment.frozen})
    if strange:
        yield f"it speaks of {', '.join(strange)} without freezing them"


def tips(commitments: Iterable[Commitment]) -> dict[str, str]:
    """The commitments that no other was made on top of, with their hashes, sorted by id."""
    known = list(commitments)
    covered = {name for one in known for name in one.after}
    return {one.id: commitment_hash(one) for one in sorted(known, key=lambda one: one.id) if one.id not in covered}


def in_order(commitments: Iterable[Commitment]) -> tuple[Commitment, ...]:
    """Sort by time, but put each after those it was made on top of, whatever the clocks said."""
    known = {one.id: one for one in sorted(commitments, key=lambda one: (_moment(one), one.id))}
    found: dict[str, Commitment] = {}
    for one in known.values():
        _take(one, known, found)
    return tuple(found.values())


def _moment(one: Commitment) -> datetime:
    """The time of a commitment; one that is only being judged has none yet and is the latest."""
    return datetime.fromisoformat(one.at) if one.at else datetime.max.replace(tzinfo=UTC)


def _take(one: Commitment, known: Mapping[str, Commitment], found: dict[str, Commitment]) -> None:
    """Take one after all that it was made on top of; `found` keeps the order, and cycles are walked only once."""
    begun, waiting = set[str](), [one]
    while waiting:
        last = waiting[-1]
        before = () if last.id in begun else [known[name] for name in last.after if name in known and name not in found]
        begun.add(last.id)
        if before:
            waiting += before
        else:
            found.setdefault(waiting.pop().id, last)


def identity_of(by: str) -> str:
    """Return a person's name in a list of allowed signers: the address in `Name <address>`, or the whole text."""
    found = _MAIL.search(by)
    return found[1] if found else by
