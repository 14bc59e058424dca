"""The only writer of commitments: it takes the gate's verdict on exactly the atoms that are frozen."""

from __future__ import annotations

from pactkeeper.catalog.journal import FileEdit, WriteEntry
from pactkeeper.catalog.render import commitment_text
from pactkeeper.catalog.schema import commitment_path
from pactkeeper.catalog.transaction import Basis, Checkpoint, PactPlace, WriteNote, add_commitment, no_checkpoint
from pactkeeper.errors import RefusedError
from pactkeeper.intent.atoms import Commitment
from pactkeeper.intent.commitments import contradictions
from pactkeeper.intent.gate import Gate


def write_commitment(
    place: PactPlace, commitment: Commitment, gate: Gate, *, basis: Basis, checkpoint: Checkpoint = no_checkpoint
) -> WriteEntry:
    """Write a commitment that the gate allows; `basis` is what the gate judged.

    Raises `RefusedError` if the gate does not allow it or judged something else, and what `add_commitment` raises.
    """
    request = gate.request
    if not gate.allowed:
        raise RefusedError("the gate does not let this through; nothing was committed")
    judged = (sorted(request.atoms), request.by, request.assurance, dict(request.overrides), request.abandons)
    frozen, overrides = sorted(commitment.frozen), dict(commitment.overrides or {})
    if judged != (frozen, commitment.by, commitment.assurance, overrides, commitment.abandons):
        raise RefusedError("the gate judged another commitment than the one to be written; nothing was committed")
    said = list(contradictions(commitment))
    if said:
        raise RefusedError(f"the commitment contradicts itself: {'; '.join(said)}; nothing was committed")
    edit = FileEdit(place.folder.path(commitment_path(commitment.id)), None, commitment_text(commitment).encode())
    verb = "commit" if commitment.abandons is None else "abandon"
    note = WriteNote(commitment.at, {"verb": verb, "commitment": commitment.id, "atoms": frozen})
    return add_commitment(place, edit, note, basis=basis, checkpoint=checkpoint)
