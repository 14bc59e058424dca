"""Proposals as JSON text: the patch as it is published, and beside it what the patch has no place for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pactkeeper.errors import PatchError
from pactkeeper.intent.actions import Action, Confidence, Conflict, Judged, ActionProposal, ConflictSide, Suppressed
from pactkeeper.ledger.canonical import JsonValue, canonical_json
from pactkeeper.ledger.patch_text import decode_patch, encode_patch

SCHEMA = "pactkeeper.actions/1"


def proposal_document(proposal: ActionProposal) -> dict[str, JsonValue]:
    """The published form of a proposal."""
    patch: JsonValue = json.loads(encode_patch(proposal.patch))
    return {
        "schema": SCHEMA,
        "id": proposal.id,
        "at": proposal.at,
        "patch": patch,
        "actions": [action_document(one) for one in proposal.actions],
        "judged": [asdict(one) for one in proposal.judged],
        "conflicts": [{**asdict(one), "fingerprint": one.fingerprint} for one in proposal.conflicts],
        "suppressed": [asdict(one) for one in proposal.suppressed],
    }


def action_document(action: Action) -> dict[str, JsonValue]:
    """What a proposal says of an op besides the op."""
    sure = action.confidence
    return {
        "op": action.id,
        "fingerprint": action.fingerprint,
        "artifact": action.artifact,
        "tier": action.tier,
        "why": action.why,
        "machine": action.machine,
        "confidence": {"level": sure.level, "points": sure.points, **asdict(sure)},
    }


def encode_proposal(proposal: ActionProposal) -> str:
    """Write a proposal; reading the text back gives an equal one."""
    return canonical_json(proposal_document(proposal)).decode()


def decode_proposal(text: str) -> ActionProposal:
    """Read what `encode_proposal` wrote; raises PatchError where the patch inside was tampered with."""
    found: Mapping[str, Any] = json.loads(text)
    if found.get("schema") != SCHEMA:
        raise PatchError(f"{found.get('schema')!r} is no proposal of actions; reconcile again for another")
    patch = decode_patch(json.dumps(found["patch"]))
    ops = {op.id: op for op in patch.ops}
    return ActionProposal(
        found["at"],
        patch,
        tuple(
            Action(ops[one["op"]], one["artifact"], _sure(one["confidence"]), one["tier"], one["why"], one["machine"])
            for one in found["actions"]
        ),
        tuple(Judged(**one) for one in found["judged"]),
        tuple(_conflict(one) for one in found["conflicts"]),
        tuple(Suppressed(**one) for one in found["suppressed"]),
    )


def _sure(found: Mapping[str, Any]) -> Confidence:
    return Confidence(found["strength"], found["explicitness"], found["recency"], found["corroboration"])


def _conflict(found: Mapping[str, Any]) -> Conflict:
    said, stands = ConflictSide(**found["said"]), ConflictSide(**found["stands"])
    return Conflict(found["artifact"], found["subject"], said, stands, found["why"])
