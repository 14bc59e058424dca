"""Criteria of tickets as atoms of the pact: proposed when the ticket is there, then linked, then proven by tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pactkeeper.errors import InputError, PactkeeperError
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.reading.tokens import stopped
from pactkeeper.intent.similarity import same
from pactkeeper.intent.thread_run import Ticket
from pactkeeper.intent.ticket import Draft
from pactkeeper.operators.proof import judged
from pactkeeper.tickets.ground import Proposed
from pactkeeper.workspace import Workspace

TOPIC = "tickets"


@dataclass(frozen=True, slots=True)
class Criterion:
    """A criterion of a ticket with its atom and how far that is.

    `state` is proven, failing, stale, linked, else what the atom is (proposed, committed …), or "no atom".
    """

    words: str
    atom: str
    state: str
    tests: tuple[str, ...] = ()


def propose_criteria(workspace: Workspace, draft: Draft, ticket: Ticket, *, elsewhere: str = "") -> Proposed:
    """Declare a proposed atom for each criterion that no atom says already; doing it twice is doing it once.

    What cannot be declared is told in a note, and keeps nothing else from being declared. So are the files that were
    written, because an atom that no commit holds is in no other clone; `elsewhere` is the root of a repository in which
    the person does not stand.
    """
    try:
        workspace.pact(workspace.snapshot(), required=True)
    except InputError as reason:
        return Proposed(notes=(f"No atoms stand for the criteria: {reason}",))
    atoms: dict[str, str] = {}
    notes: list[str] = []
    files: dict[str, None] = {}
    for said in draft.acceptance_criteria:
        try:
            atoms[said.value], changed = _declared(workspace, said.value, ticket)
            files.update(dict.fromkeys(changed))
        except PactkeeperError as error:
            notes.append(f"No atom stands for {said.value!r}: {error}")
    if files:
        notes.append(_uncommitted(" ".join(files), elsewhere=elsewhere))
    return Proposed(atoms, tuple(notes))


def _uncommitted(named: str, *, elsewhere: str) -> str:
    """Which files no commit holds yet, and how to commit them from where the person stands."""
    where, at = elsewhere or "the repository", f" -C {elsewhere}" if elsewhere else ""
    return f"Written to {where}, and in no commit yet: {named} (git{at} add {named}, then git{at} commit)"


def _declared(workspace: Workspace, words: str, ticket: Ticket) -> tuple[str, tuple[str, ...]]:
    """The atom that stands for a criterion, and the files that had to change for it."""
    from pactkeeper.operators.authored import create_atom  # noqa: PLC0415 - half a second that only a ticket pays
    from pactkeeper.reconcile.authored import NewAtom  # noqa: PLC0415 - likewise

    intent = _sentence(words)
    known = same(intent, workspace.pact(workspace.snapshot()).atoms.values())
    if known:
        return known[0].id, ()
    origin = ticket.url or f"{ticket.board}:{ticket.target}"
    new = NewAtom(intent, status="proposed", source="ticket", origin=origin, topic=TOPIC)
    made = create_atom(workspace, new)
    return made.atom, () if made.applied is None else tuple(one.path for one in made.applied.edits)


def _sentence(words: str) -> str:
    """A criterion as an intent: one line that states a fact and ends."""
    text = stopped(" ".join(words.split()))
    return text if text.endswith((".", "!", "?")) else f"{text}."


def criteria_of(workspace: Workspace | None, ticket: Ticket) -> tuple[Criterion, ...]:
    """How far each criterion of a ticket is; without a repository only which atoms stand for them is known."""
    if workspace is None:
        return tuple(Criterion(words, atom, "not known here") for words, atom in ticket.criteria.items())
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot)
    tests: dict[str, list[str]] = {}
    for entry in world.linked:
        for link in entry.links:
            tests.setdefault(link.atom, []).append(entry.test.id)
    proven = {name: one.state for name, one in judged(workspace, snapshot, world)[1].items()}
    return tuple(
        Criterion(words, atom, _state(world.pact, atom, proven, tests), tuple(tests.get(atom, ())))
        for words, atom in ticket.criteria.items()
    )


def _state(pact: Pact, atom: str, proven: Mapping[str, str], tests: Mapping[str, list[str]]) -> str:
    return next(_states(pact, atom, proven, tests))


def _states(pact: Pact, atom: str, proven: Mapping[str, str], tests: Mapping[str, list[str]]) -> Iterator[str]:
    """What can be said of an atom, the most that is known first."""
    if atom not in pact.atoms:
        yield "no atom"
        return
    if proven.get(atom, "none") != "none":
        yield proven[atom]
    if atom in tests:
        yield "linked"
    yield str(pact.status_of(atom))
