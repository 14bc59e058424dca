"""What check finds about atoms that replace one another: two claims on one atom, and claims that wait."""

from __future__ import annotations

from collections.abc import Iterator

from pactkeeper.intent.pact import Pact
from pactkeeper.reconcile.located import Located, located


def succession_findings(pact: Pact) -> Iterator[Located]:
    """Name every atom with several successors, and every committed atom whose successor waits to be committed."""
    for name in pact.atoms:
        claimants = pact.claimants_of(name)
        if len(claimants) > 1:
            yield _contested(name, claimants, pact)
        waiting = pact.waiting_for(name)
        if waiting is not None and pact.status_of(name) == "committed":
            yield _waiting(name, waiting, pact)


def _contested(name: str, claimants: tuple[str, ...], pact: Pact) -> Located:
    counts, other = claimants[0], pact.atoms[claimants[1]]
    said = " and ".join(f"{one} ({pact.status_of(one)})" for one in claimants)
    return located(
        "PK130",
        name,
        f"{said} both say that they replace it; {counts} counts",
        path=other.path,
        line=other.line,
        fix=_settle(other.id, pact),
        basis=" ".join(sorted(claimants)),
        about=other.id,
    )


def _settle(other: str, pact: Pact) -> str:
    """`supersedes` is not frozen, so a person may take it out of a committed atom; a draft is edited or given up."""
    if pact.is_committed(other):
        return f"take supersedes out of one of the two tables, such as {other}; both stay committed"
    return f"pk atom edit {other} --no-supersedes, or pk atom abandon {other} --reason …"


def _waiting(name: str, waiting: str, pact: Pact) -> Located:
    atom = pact.atoms[waiting]
    return located(
        "PK131",
        waiting,
        f"it waits to replace {name}, which is committed and holds until then",
        path=atom.path,
        line=atom.line,
        fix=f"pk commit {waiting}",
        basis=name,
        about=name,
    )
