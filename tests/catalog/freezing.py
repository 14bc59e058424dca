"""A work tree with two atoms, and what it takes to commit one of them; processes of their own can use it."""

from pathlib import Path

from pactkeeper.catalog.commitments import write_commitment
from pactkeeper.catalog.transaction import Basis, PactPlace
from pactkeeper.catalog.write import put_atom
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.commitments import new_commitment
from pactkeeper.intent.gate import gate
from pactkeeper.intent.invariants import CommitRequest, Facts
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.quality.values import Quality

ATOMS = "pact/atoms/login.toml"
ONE = Atom("IA-1", "A login works.", outcomes=("The status is 200.",), falsified_by=("The status is 401.",), path=ATOMS)
TWO = Atom(
    "IA-2", "A logout works.", outcomes=("The status is 200.",), falsified_by=("The status is 401.",), path=ATOMS
)
SOURCE = put_atom(put_atom(None, ONE), TWO)
BASIS = Basis({ATOMS: SOURCE})
BY, AT = "Ada <ada@example.org>", "2030-01-01T00:00:00+00:00"


def tree(folder: Path) -> PactPlace:
    place = PactPlace(folder / "work", folder / "state")
    (place.root / ATOMS).parent.mkdir(parents=True)
    (place.root / ATOMS).write_bytes(SOURCE)
    return place


def allowed(*names: str, **changes):
    values = {"atoms": names, "by": BY, "actor": "person", "assurance": "terminal"}
    facts = Facts(Pact(atoms={"IA-1": ONE, "IA-2": TWO}), linked=(), at=AT)
    return gate(CommitRequest(**{**values, **changes}), facts, assess=lambda _: Quality(100, "approve"))


def commitment_of(*atoms: Atom, **changes):
    values = {"by": BY, "at": AT, "assurance": "terminal", "overrides": {}, "after": {}}
    return new_commitment(atoms, **{**values, **changes})


def freeze(place: PactPlace, *atoms: Atom, at: str = AT, basis: Basis = BASIS, **options):
    """Commit atoms of the tree; returns the commitment."""
    made = commitment_of(*atoms, at=at)
    verdict = allowed(*(atom.id for atom in atoms))
    write_commitment(place, made, verdict, basis=basis, **options)
    return made
