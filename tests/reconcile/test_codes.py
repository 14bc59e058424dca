from pathlib import Path

from pactkeeper.reconcile.codes import CODES

DOCUMENT = Path(__file__).parents[2] / "docs" / "findings.md"


def test_findings_document_lists_every_code_as_the_table_says():
    rows = [line for line in DOCUMENT.read_text(encoding="utf-8").splitlines() if line.startswith("| PK")]
    expected = [f"| {c.code} | {c.name} | {c.severity} | {c.meaning} | {c.remedy} |" for c in CODES.values()]
    assert rows == expected
