"""Test contexts and document sections as JSON."""

from __future__ import annotations

from typing import Final

from pactkeeper.intent.context import Concepts, Passage, TestContext, related_docs
from pactkeeper.intent.tests import Gap
from pactkeeper.operators.documents import DocumentSearch
from pactkeeper.published.plain import Codec

PASSAGE: Final = Codec(Passage, "path line last trail snippet=excerpt code")


def _left_out(context: TestContext) -> dict[str, int]:
    return dict(context.cut)


CONTEXT: Final = Codec(
    TestContext,
    "test assertions concepts code documents related_files=related related_docs= left_out= budget size",
    concepts=Codec(Concepts, "domain technical"),
    documents=PASSAGE,
    related_docs=related_docs,
    left_out=_left_out,
)
SEARCH: Final = Codec(
    DocumentSearch,
    "snapshot chunks=found.passages total=found.total files terms=found.terms dropped=found.dropped gaps",
    chunks=PASSAGE,
    gaps=Codec(Gap, "file reason"),
)
