"""Everything about one atom as JSON."""

from __future__ import annotations

from pactkeeper.operators.explain import Explained
from pactkeeper.published.atoms import atom_document, clarification_documents, history_document
from pactkeeper.published.plain import members


def explained_document(found: Explained) -> dict[str, object]:
    """The published form."""
    return {
        "schema": "pactkeeper.explained/1",
        "atom": atom_document(found.row),
        "quality": members(found.quality, "score verdict judged"),
        "evidence": found.evidence,
        "tests": [
            {
                "id": one.test.test.id,
                "file": one.test.test.file,
                "line": one.test.test.name_line,
                "link": one.link.state,
                "carrier": one.link.carrier,
                "evidence": one.evidence,
            }
            for one in found.tests
        ],
        "molecules": [members(one, "id name lens") for one in found.molecules],
        "rules": [members(one, "id text status reason") for one in found.rules],
        "clarifications": clarification_documents(found.clarifications),
        "history": {key: value for key, value in history_document(found.history).items() if key != "schema"},
        "findings": [
            {
                **members(one, "code severity"),
                "file": one.path,
                **members(one, "line subject about message fix"),
            }
            for one in found.findings
        ],
    }
