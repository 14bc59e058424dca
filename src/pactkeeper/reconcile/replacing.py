"""What to do where a committed atom is no longer proven as it was: restore its proof, or replace or abandon it."""

from __future__ import annotations

from pactkeeper.advice import ABANDON, ACCEPT, COMMIT, EDIT, SUPERSEDE, WEAKER, Advice
from pactkeeper.intent.gate import refused_words
from pactkeeper.intent.invariants import assessor
from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.pact import Pact
from pactkeeper.reconcile.codes import quoted


def restoring(atom: str, pact: Pact, entry: LinkedTest) -> Advice:
    """Say what to do about a test that proves less of a committed atom, or proves something else in its place."""
    waiting = pact.waiting_for(atom)
    if entry.expects_otherwise:
        what = "link it to the waiting successor" if waiting else "say what holds now"
        return f"restore it, or {what}: " + _instead(atom, waiting, entry.test.id)
    return "restore it, or " + declaring(atom, pact)


def declaring(atom: str, pact: Pact) -> Advice:
    """Say how to declare a behaviour that replaces a committed atom; a successor that waits has to be committed."""
    waiting = pact.waiting_for(atom)
    if waiting:
        return "commit the waiting successor: " + freezing(waiting, pact)
    return "declare the new behaviour: " + SUPERSEDE(atom, "--intent 'One sentence.'")


def in_place_of(entry: LinkedTest, pact: Pact) -> Advice:
    """Return the command that gives a test the place of the one that it is unlike."""
    named = pact.links[entry.unlike].named
    atom = next((atom for atom in named if pact.status_of(atom) == "committed"), "")
    if not atom:
        return WEAKER(quoted(entry.test.id), "--atom", named[0], "--weaker")
    return _instead(atom, pact.waiting_for(atom), entry.test.id)


def _instead(atom: str, waiting: str | None, test: str) -> Advice:
    """Return the command that links a test to what replaces an atom, worded in the same step if nothing waits."""
    named = (waiting,) if waiting else (atom, "--intent 'One sentence.'")
    return ACCEPT(quoted(test), "--atom", *named)


def giving_up(atom: str, pact: Pact) -> Advice:
    """Say how to end an atom that no test proves: by committing what replaces it, by replacing or by abandoning it."""
    waiting, abandon = pact.waiting_for(atom), ABANDON(atom, "--reason 'Why.'")
    if not pact.is_committed(atom):
        return abandon
    return freezing(waiting, pact) if waiting else SUPERSEDE(atom, "--intent 'One sentence.'") + ", or " + abandon


def freezing(atom: str, pact: Pact) -> Advice:
    """Say how to commit an atom; words that the gate would refuse have to be changed first."""
    refused = refused_words(pact, (atom,), assessor(pact)).get(atom)
    if not refused:
        return COMMIT(atom)
    if not pact.atoms[atom].outcomes:
        return EDIT(atom, "--outcome 'What can be observed.'")
    return EDIT(atom) + f", because {next(iter(refused.values()))}"
