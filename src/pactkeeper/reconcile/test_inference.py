"""What rules make of a test, kept as text: a run stores it as soon as it is known, and proposes from what it stored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from pactkeeper.intent.claims import TestEvidence
from pactkeeper.intent.context import related_docs
from pactkeeper.intent.inference import Inference, infer
from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.records import TestRecord
from pactkeeper.reconcile.propose import Inferred
from pactkeeper.reconcile.select import WORDING, seen_as
from pactkeeper.reconcile.world import World
from pactkeeper.repo.context import Sources, contexts
from pactkeeper.repo.evidence import gather
from pactkeeper.repo.snapshot import Snapshot


def infer_tests(
    snapshot: Snapshot, entries: Iterable[LinkedTest], *, sources: Sources | None = None
) -> tuple[Inferred, ...]:
    """Read what tests state and word it, in their order; with `sources`, name the documents that belong to each."""
    wanted = list(entries)
    tests = [entry.test for entry in wanted]
    found = gather(snapshot, tests)
    docs: Mapping[str, tuple[str, ...]] = {}
    if sources is not None:
        docs = {one.test: related_docs(one) for one in contexts(sources, tests, evidence=found)}
    return tuple(replace(inferred(one, found[one.test.id]), related_docs=docs.get(one.test.id, ())) for one in wanted)


def inferred(entry: LinkedTest, evidence: TestEvidence) -> Inferred:
    """What rules make of the evidence of one test."""
    quotes = tuple(dict.fromkeys((claim.line, claim.quote) for claim in evidence.claims if claim.quote))
    return Inferred(entry, infer(evidence), quotes)


def record_of(one: Inferred, world: World, *, run: str, at: str) -> TestRecord:
    """The row that holds an inference until the run proposes from it."""
    test = one.entry.test
    return TestRecord(
        run,
        test.id,
        test.file,
        test.name,
        test.name_line,
        test.body_hash,
        seen_as(one.entry, world),
        "inferred",
        encode(one),
        at,
    )


def encode(one: Inferred) -> str:
    """Write an inference with the lines it rests on."""
    said = one.inference
    return json.dumps(
        {
            "wording": WORDING,
            "intent": said.intent,
            "outcomes": said.outcomes,
            "falsified_by": said.falsified_by,
            "category": said.category,
            "confidence": said.confidence,
            "reasons": said.reasons,
            "tags": said.tags,
            "reasoning": said.reasoning,
            "origin": said.origin,
            "quotes": one.quotes,
            "related_docs": one.related_docs,
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


def decode(text: str, entry: LinkedTest) -> Inferred | None:
    """Read a stored inference; None where other rules worded it."""
    said: Mapping[str, Any] = json.loads(text)
    if said.get("wording") != WORDING:
        return None
    inference = Inference(
        said["intent"],
        tuple(said["outcomes"]),
        tuple(said["falsified_by"]),
        said["category"],
        said["confidence"],
        tuple(said["reasons"]),
        tuple(said["tags"]),
        said["reasoning"],
        said["origin"],
    )
    quotes = tuple((line, quote) for line, quote in said["quotes"])
    return Inferred(entry, inference, quotes, related_docs=tuple(said["related_docs"]))
