"""Findings about commitments: what they froze, whether they are consistent, who signed, and which are gone.

Also findings about succession between atoms: two claims to one atom, and claims that are pending.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from itertools import islice
from typing import Final

from pactkeeper.advice import ABANDON, COMMIT, EDIT, SUPERSEDE, Advice, joined
from pactkeeper.catalog.render import commitment_text
from pactkeeper.catalog.schema import SETTINGS_FILE, commitment_path
from pactkeeper.errors import some_of
from pactkeeper.intent.atoms import Atom, Commitment, Frozen
from pactkeeper.intent.commitments import commitment_hash, contradictions
from pactkeeper.intent.folder import Folder
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.signatures import Examined, Flaw, Unverified, Verified
from pactkeeper.reconcile.codes import Located, located, quoted
from pactkeeper.reconcile.links import freezing


@dataclass(frozen=True, slots=True)
class Base:
    """An earlier state to compare commitments with: its display name, and its commitments missing or changed since.

    `signers_changed` says that it lists other signers, `ids` are all of its commitments, `relinked` says that files of
    its links are missing or changed since.
    """

    name: str
    commitments: Mapping[str, Commitment]
    signers_changed: bool = False
    ids: frozenset[str] = frozenset()
    relinked: bool = False


@dataclass(frozen=True, slots=True)
class CommitmentFacts:
    """What is known about commitments besides their files: signature checks by id, and an earlier state.

    `lasting` is False if a signature could not be checked this time but may be the next.
    """

    signatures: Mapping[str, Examined] = field(default_factory=dict)
    base: Base | None = None
    lasting: bool = True


# Code and remedy; after a colon follows the command that does the same again.
_FLAWS: Final[Mapping[Flaw, tuple[str, str]]] = {
    "forged": ("PK402", "restore the commitment's file from git's history"),
    "expired": ("PK403", "have somebody with a valid key do it again: "),
    "unknown signer": ("PK404", "list the signer's key in {signers}, or have a listed person commit again"),
    "wrong namespace": ("PK405", "sign it again: "),
    "other signer": ("PK406", "have the signer do it under their own name: "),
}


def commitment_findings(pact: Pact, known: CommitmentFacts | None) -> Iterator[Located]:
    """Compare commitments with what they froze, with themselves and, if `known`, with signatures and earlier states."""
    yield from _frozen_findings(pact)
    yield from _claims(pact)
    for commitment in pact.commitments.values():
        said = tuple(contradictions(commitment))
        if said:
            yield _tampered(commitment, said)
    if known is not None:
        yield from _signature_findings(pact, known)
    base = None if known is None else known.base
    yield from _history_findings(pact, base)
    if base is not None:
        yield from given_up(pact, base.ids, base.name)
        if base.signers_changed:
            yield located(
                "PK411",
                pact.settings.allowed_signers,
                f"lists other signers than {base.name}; approving this decides who may commit",
                path=pact.settings.allowed_signers,
                line=0,
                fix=f"compare the two: git diff {base.name.removeprefix('commit ')} -- {pact.settings.allowed_signers}",
                basis=base.name,
            )


def _frozen_findings(pact: Pact) -> Iterator[Located]:
    """Yield frozen atoms that are missing or changed; the same content frozen by two commitments is reported once."""
    told: set[tuple[str, str]] = set()
    for commitment in pact.commitments.values():
        for name, frozen in commitment.frozen.items():
            if (name, frozen) in told:
                continue
            told.add((name, frozen))
            atom = pact.atoms.get(name)
            if atom is None:
                yield _at(
                    commitment,
                    "PK202",
                    name,
                    f"{commitment.id} froze this atom, which is gone",
                    fix=f"restore the table [{name}]",
                    basis=commitment.frozen[name],
                    detail=_difference(commitment.words.get(name), None),
                )
            elif atom.frozen_hash() != frozen:
                yield _changed(atom, commitment, pact)


def _changed(atom: Atom, commitment: Commitment, pact: Pact) -> Located:
    others = (one.id for one in pact.commitments.values() if one.frozen.get(atom.id) == atom.frozen_hash())
    other = next(others, None)
    by = "" if other is None else f"; the current text was frozen by {other}"
    return _at(
        atom,
        "PK201",
        atom.id,
        f"differs from what {commitment.id} froze{by}",
        fix=f"restore the table [{atom.id}] and declare the change as a new atom with supersedes = {atom.id!r}",
        basis=atom.frozen_hash(),
        detail=_difference(commitment.words.get(atom.id), atom.frozen()),
    )


def _difference(frozen: Frozen | None, now: Frozen | None) -> tuple[str, ...]:
    """Return the differing lines, `-` as frozen and `+` as now; empty if the commitment does not hold the wording."""
    return () if frozen is None else _diff(_lines(frozen), [] if now is None else _lines(now))


def _lines(words: Frozen) -> list[str]:
    lines = [f"intent: {words.intent}", f"category: {words.category}"]
    lines += [f"outcome: {one}" for one in words.outcomes]
    return lines + [f"falsified by: {one}" for one in words.falsified_by]


def _diff(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    changes = islice(unified_diff(before, after, n=0, lineterm=""), 2, None)
    return tuple(line for line in changes if not line.startswith("@@"))


def _claims(pact: Pact) -> Iterator[Located]:
    """Yield committed atoms that supersede a committed one without any commitment saying so."""
    agreed = {pair for one in pact.commitments.values() for pair in one.replaces.items()}
    for name in sorted(pact.committed_ids & pact.atoms.keys()):
        atom = pact.atoms[name]
        old = atom.supersedes
        if old is not None and pact.is_committed(old) and (name, old) not in agreed:
            message = f"claims to supersede {old}, but none of its commitments does"
            fix = f"remove supersedes from the table [{name}], and declare a successor: "
            fix += SUPERSEDE(old, "--intent 'One sentence.'")
            yield _at(atom, "PK412", name, message, fix=fix, basis=old, about=old)


def _tampered(commitment: Commitment, said: Sequence[str]) -> Located:
    message = f"the file is not as it was committed: {'; '.join(said)}"
    fix = "restore the file from git's history, or remove it and do it again: " + _again(commitment)
    return _at(commitment, "PK401", commitment.id, message, fix=fix, basis=commitment_hash(commitment))


def _at(  # noqa: PLR0913 - the parts of one finding, all named
    place: Atom | Commitment,
    code: str,
    subject: str,
    message: str,
    *,
    fix: str,
    basis: str = "",
    about: str = "",
    detail: Sequence[str] = (),
) -> Located:
    """Make a finding in the file of an atom or a commitment."""
    path = place.path or (commitment_path(place.id) if isinstance(place, Commitment) else "")
    return located(code, subject, message, path=path, line=place.line, fix=fix, basis=basis, about=about, detail=detail)


def _again(commitment: Commitment, *options: str) -> Advice:
    """Return the command by which a person does the same again."""
    atoms = sorted(commitment.frozen)
    if commitment.abandons is None:
        return COMMIT(*options, *atoms)
    return joined("; ", (ABANDON(*options, name, "--reason", quoted(commitment.abandons)) for name in atoms))


def _does(commitment: Commitment) -> frozenset[tuple[str, str, bool]]:
    """Return what a commitment does: each atom with its frozen hash, and whether it gives it up."""
    abandons = commitment.abandons is not None
    return frozenset((name, frozen, abandons) for name, frozen in commitment.frozen.items())


def _signature_findings(pact: Pact, known: CommitmentFacts) -> Iterator[Located]:
    """Yield what is wrong with signatures; signing the same content again makes up for all but a forgery."""
    signed = {
        entry
        for name, one in pact.commitments.items()
        if isinstance(known.signatures.get(name), Verified) and not any(contradictions(one))
        for entry in _does(one)
    }
    for name, commitment in pact.commitments.items():
        found = known.signatures.get(name)
        answered = signed >= _does(commitment)
        if isinstance(found, Unverified) and found.flaw != "not checked" and (not answered or found.flaw == "forged"):
            yield _flawed(commitment, found, pact.settings.allowed_signers)
        elif commitment.signature is None and pact.settings.require_signed and not answered:
            message, fix = "it is not signed, and this project requires it", _again(commitment, "--sign KEY")
            yield _at(commitment, "PK407", commitment.id, message, fix=fix)
    examined = (known.signatures.get(name) for name in pact.commitments)
    unchecked = [one for one in examined if isinstance(one, Unverified) and one.flaw == "not checked"]
    if unchecked:
        yield _unchecked(unchecked, pact)


def _flawed(commitment: Commitment, found: Unverified, signers: str) -> Located:
    code, fix = _FLAWS[found.flaw]
    again = _again(commitment, "--sign KEY") if fix.endswith(": ") else ""
    message = f"the signature does not show that {commitment.by} committed: {found.reason}"
    fix, basis = fix.format(signers=signers) + again, f"{found.flaw} {found.key}"
    return _at(commitment, code, commitment.id, message, fix=fix, basis=basis)


def _unchecked(found: Sequence[Unverified], pact: Pact) -> Located:
    reasons = sorted({one.reason for one in found})
    number = "1 signature was" if len(found) == 1 else f"{len(found)} signatures were"
    return located(
        "PK408",
        "signatures of commitments",
        f"{number} not checked: {'; '.join(reasons)}",
        path=pact.folder.path(SETTINGS_FILE),
        line=0,
        fix="the message says what is missing",
        basis=" ".join(reasons),
        severity="error" if pact.settings.require_signed else None,
    )


def _history_findings(pact: Pact, base: Base | None) -> Iterator[Located]:
    """Yield commitments, known from an earlier state or a later commitment, that are missing or changed."""
    told: set[str] = set()
    if base is not None:
        for before in base.commitments.values():
            now = pact.commitments.get(before.id)
            if now is None or commitment_hash(now) != commitment_hash(before):
                told.add(before.id)
                yield _unlike(before, now, base, pact.folder)
    for later in pact.commitments.values():
        for name, hashed in later.after.items():
            earlier = pact.commitments.get(name)
            if name not in told and (earlier is None or commitment_hash(earlier) != hashed):
                told.add(name)
                yield _unfounded(later, name, folder=pact.folder, known=earlier)


def _unlike(before: Commitment, now: Commitment | None, base: Base, folder: Folder) -> Located:
    """Report a commitment of a base that is missing or changed."""
    if now is None:
        code, message = "PK409", f"{base.name} has this commitment of {some_of(sorted(before.frozen))}, but it is gone"
        path, line, text = folder.path(commitment_path(before.id)), 0, ""
        back = SUPERSEDE(min(before.frozen, default="ATOM"), "--intent 'One sentence.'")
        more = f", with all of {folder.root}/; to take back what it promised, revert code and tests only, then: " + back
    else:
        code, message, more = "PK410", f"differs from its content in {base.name}", Advice("")
        path, line, text = now.path, now.line, commitment_text(now)
    return located(
        code,
        before.id,
        message,
        path=path,
        line=line,
        fix=f"restore the file {path}" + more,
        basis=commitment_hash(now or before),
        detail=_diff(commitment_text(before).splitlines(), text.splitlines()),
    )


def _unfounded(later: Commitment, name: str, *, folder: Folder, known: Commitment | None) -> Located:
    """Report a missing or changed commitment that a later one was based on."""
    path = folder.path(commitment_path(name))
    code, what = ("PK409", "it is gone") if known is None else ("PK410", "it was changed")
    return located(
        code,
        name,
        f"{later.id} was made on top of this commitment and {what}",
        path=path if known is not None else later.path,
        line=1,
        fix=f"restore the file {path} from git's history",
        basis=later.after[name],
        about=later.id,
    )


def given_up(pact: Pact, earlier: Collection[str], base: str) -> Iterator[Located]:
    """Yield each committed atom that was abandoned by an act that is not among the `earlier` commitments of a base."""
    for one in pact.commitments.values():
        for name in one.frozen if one.abandons is not None and one.id not in earlier else ():
            yield _at(
                one,
                "PK413",
                name,
                f"since {base}, {one.by} gave up this committed atom: {one.abandons}",
                fix="approve the change only if the promise may end",
                basis=one.id,
                about=one.id,
                detail=_difference(one.words.get(name), None),
            )


def succession_findings(pact: Pact) -> Iterator[Located]:
    """Report every atom with several successors, and every committed atom whose successor awaits commitment."""
    for name in pact.atoms:
        claimants = pact.claimants_of(name)
        if len(claimants) > 1:
            yield _contested(name, claimants, pact)
        waiting = pact.waiting_for(name)
        if waiting is not None and pact.status_of(name) == "committed":
            message = f"it will replace {name}, which is committed and stays in force until then"
            fix = freezing(waiting, pact)
            yield _at(pact.atoms[waiting], "PK131", waiting, message, fix=fix, basis=name, about=name)


def _contested(name: str, claimants: tuple[str, ...], pact: Pact) -> Located:
    """Report two claims; unfrozen `supersedes` can be removed from a committed atom, a draft is edited or abandoned."""
    other = claimants[1]
    said = " and ".join(f"{one} ({pact.status_of(one)})" for one in claimants)
    fix = EDIT(other, "--no-supersedes") + ", or " + ABANDON(other, "--reason …")
    if pact.is_committed(other):
        fix = Advice(f"remove supersedes from one of the two tables, such as {other}; both stay committed")
    message, basis = f"{said} both claim to replace it; {claimants[0]} counts", " ".join(sorted(claimants))
    return _at(pact.atoms[other], "PK130", name, message, fix=fix, basis=basis, about=other)
