"""Everything about one atom as JSON."""

from __future__ import annotations

from pactkeeper.operators.explain import Explained
from pactkeeper.published.atoms import atom_document, clarification_documents, history_document


def explained_document(found: Explained) -> dict[str, object]:
    """The published form."""
    quality = found.quality
    return {
        "schema": "pactkeeper.explained/1",
        "atom": atom_document(found.row),
        "quality": {"score": quality.score, "verdict": quality.verdict, "judged": quality.judged},
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
        "molecules": [{"id": one.id, "name": one.name, "lens": one.lens} for one in found.molecules],
        "rules": [
            {"id": rule.id, "text": rule.text, "status": rule.status, "reason": rule.reason} for rule in found.rules
        ],
        "clarifications": clarification_documents(found.clarifications),
        "history": {key: value for key, value in history_document(found.history).items() if key != "schema"},
        "findings": [
            {
                "code": one.code,
                "severity": one.severity,
                "file": one.path,
                "line": one.line,
                "subject": one.subject,
                "about": one.about,
                "message": one.message,
                "fix": one.fix,
            }
            for one in found.findings
        ],
    }
