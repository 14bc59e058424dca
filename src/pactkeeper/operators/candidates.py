"""Which atoms a person means to commit, and which of them cannot be frozen or are frozen already."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from pactkeeper.errors import UsageError
from pactkeeper.intent.atoms import Atom, atoms_within
from pactkeeper.intent.links import LIVE_LINKS, LinkedTest
from pactkeeper.intent.pact import Pact

CLOSE_ENOUGH = 0.6


def chosen_atoms(
    pact: Pact,
    names: Sequence[str],
    molecule: str | None,
    *,
    counting: Collection[str],
    weaker: Mapping[str, str],
) -> tuple[tuple[Atom, ...], tuple[tuple[str, str], ...]]:
    """The atoms to freeze of those named and all within a molecule, and those left out, each with the reason.

    `counting` are the ids of commitments after which nothing is left to commit; `weaker` says of atoms what their
    tests no longer prove. Raises `UsageError` naming every
    unknown atom with what is close, and where nothing is left.
    """
    unknown = [name for name in names if name not in pact.atoms]
    if unknown:
        raise UsageError(
            "the pact has no such atom\n" + "\n".join(f"  {name!r}{_hint(pact, name)}" for name in unknown)
        )
    meant = list(dict.fromkeys((*names, *_members(pact, molecule))))
    if not meant:
        raise UsageError("name the atoms to commit: pk commit IA-…, or pk commit --molecule M-…")
    reasons = {name: reason for name in meant if (reason := _obstacle(pact, name, counting) or weaker.get(name, ""))}
    chosen = tuple(pact.atoms[name] for name in meant if name not in reasons)
    if not chosen:
        listed = "\n".join(f"  {name}: {reason}" for name, reason in reasons.items())
        raise UsageError(f"there is nothing to commit\n{listed}")
    return chosen, tuple(reasons.items())


def weaker_now(linked: Iterable[LinkedTest]) -> Mapping[str, str]:
    """The atoms that a test proves less of than was reviewed, with what is gone."""
    return {
        link.atom: f"{entry.test.id} proves less of it than was reviewed: {entry.weaker[0].message}"
        for entry in linked
        if entry.proves_less
        for link in entry.links
        if link.state in LIVE_LINKS
    }


def _members(pact: Pact, name: str | None) -> Iterator[str]:
    if name is None:
        return
    hits = [one for one in pact.molecules.values() if name in {one.id, one.name}]
    if len(hits) != 1:
        problem = "there is no molecule" if not hits else "more than one molecule is named"
        raise UsageError(f"{problem} {name!r}; see: pk molecule list")
    yield from atoms_within(hits[0].id, pact.molecules)


def _obstacle(pact: Pact, name: str, counting: Collection[str]) -> str:
    """Why an atom is left out; empty where it can be frozen."""
    status = pact.status_of(name)
    if status == "superseded":
        return f"it is superseded by {pact.successor_of(name)}"
    if status == "abandoned":
        return "it is abandoned"
    frozen = pact.atoms[name].frozen_hash()
    for commitment in pact.commitments.values():
        if commitment.frozen.get(name) == frozen and commitment.id in counting:
            return f"{commitment.id} committed it already"
    return ""


def _hint(pact: Pact, name: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only on the way to an error

    close = get_close_matches(name, list(pact.atoms), 3, CLOSE_ENOUGH)
    return f"; did you mean {' or '.join(close)}?" if close else "; look for it with: pk atom search WORDS"
