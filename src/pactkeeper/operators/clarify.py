"""The verb that records what is meant by an atom, beside its words."""

from __future__ import annotations

from dataclasses import dataclass

from pactkeeper.catalog.journal import FileEdit, WriteEntry
from pactkeeper.catalog.schema import ATTRIBUTES_FILE, CLARIFICATIONS_FILE
from pactkeeper.catalog.transaction import WriteNote, apply
from pactkeeper.catalog.write import put_attributes, put_clarification
from pactkeeper.errors import RefusedError, UsageError
from pactkeeper.intent.atoms import Clarification
from pactkeeper.intent.ids import CLARIFICATION_PREFIX, hashed_id, normalised_intent
from pactkeeper.operators.atoms import named_atom
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Clarified:
    """A recorded clarification, with the answer that it takes the place of; `entry` is None where nothing changed."""

    clarification: Clarification
    before: str | None
    entry: WriteEntry | None


def clarify_atom(workspace: Workspace, name: str, question: str, answer: str, *, replace: bool = False) -> Clarified:
    """Record a question about an atom with its answer; another answer to the same question only with `replace`.

    The atom's table is not touched, so it may be committed.
    """
    workspace.settle()
    snapshot = workspace.snapshot()
    pact = workspace.pact(snapshot, required=True)
    atom = named_atom(pact, name)
    for what, text in (("question", question), ("answer", answer)):
        if not text.strip():
            raise UsageError(f"the {what} is empty; say it in words")
    at = workspace.now().isoformat(timespec="seconds")
    key = hashed_id(CLARIFICATION_PREFIX, atom.id, normalised_intent(question))
    said = Clarification(key, atom.id, question, answer, workspace.person(), at)
    known = pact.clarifications.get(key)
    if known is not None and known.answer == answer:
        return Clarified(known, known.answer, None)
    if known is not None and not replace:
        raise RefusedError(
            f"{known.by} answered this on {known.at[:10]}: {known.answer!r} ({key}); to answer otherwise, say --replace"
        )
    files = workspace.pact_files(snapshot)
    place, attributes = pact.folder.path(CLARIFICATIONS_FILE), pact.folder.path(ATTRIBUTES_FILE)
    edits = [
        FileEdit(place, files.get(place), put_clarification(files.get(place), said)),
        FileEdit(attributes, files.get(attributes), put_attributes(files.get(attributes))),
    ]
    note = WriteNote(at, {"verb": "clarify", "clarification": key, "atom": atom.id, "decided_by": [said.by]})
    return Clarified(said, None if known is None else known.answer, apply(workspace.place, edits, note))
