"""Atoms of the shop, as people write and commit them."""

from pactkeeper.catalog.render import commitment_text
from pactkeeper.catalog.schema import commitment_path
from pactkeeper.intent.commitments import new_commitment
from pactkeeper.operators.accept import AcceptedWords, accept_tests
from pactkeeper.operators.authored import create_atom, update_atom
from pactkeeper.operators.check import check_repo
from pactkeeper.operators.view import StateView
from pactkeeper.reconcile.authored import AtomChange, NewAtom
from tests.operators.conftest import ADDS

AT = "2030-01-01T00:00:00+00:00"
REVOKED = NewAtom("A revoked token is refused.", "security", ("The status is 401.",), ("It is 200.",), ("login",))


def run(shop, verb, *arguments, **options):
    """Call a verb on the shop."""
    with shop.open() as workspace:
        return verb(workspace, *arguments, **options)


def declare(shop, intent, **fields):
    """Declare an atom and give its id."""
    return run(shop, create_atom, NewAtom(intent, **fields)).atom


def change(shop, atom, **fields):
    return run(shop, update_atom, atom, AtomChange(**fields))


def accept(shop, *tests):
    return run(shop, accept_tests, tests, AcceptedWords())


def commit(shop, *names):
    """Put a commitment of these atoms beside them, as a merge brings one; gives the path of its file."""
    pact = shop.world().pact
    atoms = [pact.atoms[name] for name in names]
    made = new_commitment(atoms, by="Ada", at=AT, assurance="terminal", overrides={}, after={})
    shop.write(commitment_path(made.id), commitment_text(made))
    return commitment_path(made.id)


def table(shop, atom):
    """The atom as the pact holds it."""
    return shop.world().pact.atoms[atom]


def atom_of(shop, test=ADDS):
    """The atom that a test is linked to."""
    (link,) = shop.world().by_id[test].links
    return link.atom


def found(shop, test=ADDS):
    """Code and severity of each finding about a test."""
    return [(row.code, row.severity) for row in run(shop, check_repo, StateView()).findings if row.subject == test]
