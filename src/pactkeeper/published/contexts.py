"""What a test is about, and sections of documents, as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from pactkeeper.intent.context import Passage, TestContext, related_docs
from pactkeeper.operators.documents import DocumentSearch
from pactkeeper.published.plain import members

SCHEMA = "pactkeeper.docs/1"


def context_document(context: TestContext) -> Mapping[str, object]:
    """The published form of one context."""
    return {
        "test": context.test,
        "assertions": [asdict(one) for one in context.assertions],
        "concepts": {"domain": list(context.concepts.domain), "technical": list(context.concepts.technical)},
        "code": [asdict(one) for one in context.code],
        "documents": [passage_document(one) for one in context.documents],
        "related_files": [asdict(one) for one in context.related],
        "related_docs": list(related_docs(context)),
        "left_out": dict(context.cut),
        "budget": context.budget,
        "size": context.size,
    }


def search_document(report: DocumentSearch) -> Mapping[str, object]:
    """The published form."""
    found = report.found
    return {
        "schema": SCHEMA,
        "snapshot": report.snapshot,
        "chunks": [passage_document(one) for one in found.passages],
        "total": found.total,
        "files": report.files,
        "terms": list(found.terms),
        "dropped": list(found.dropped),
        "gaps": [{"file": gap.file, "reason": gap.reason} for gap in report.gaps],
    }


def passage_document(one: Passage) -> Mapping[str, object]:
    """The published form of one section."""
    return {**members(one, "path line last trail"), "snippet": one.excerpt, "code": one.code}
