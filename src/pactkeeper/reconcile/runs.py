"""Runs and their patches and reviews as files in the state folder; the newest run is the baseline of the next."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from pactkeeper.catalog.journal import entries
from pactkeeper.errors import InputError, PatchError
from pactkeeper.ledger.decision import Decision, Review, decode_review, encode_review
from pactkeeper.ledger.patch import Patch
from pactkeeper.ledger.patch_text import decode_patch, encode_patch

Mode = Literal["full-scan", "delta"]
RUNS, PATCHES, REVIEWS = "runs", "patches", "reviews"


@dataclass(frozen=True, slots=True)
class Run:
    """One reconciliation: `commit` is HEAD when it ran, `at` an ISO 8601 time with offset that also orders runs."""

    id: str
    at: str
    mode: Mode
    commit: str | None
    base: str | None
    patch: str
    summary: Mapping[str, int]


def save_run(state: Path, run: Run, patch: Patch) -> None:
    """Write the patch, then the run that names it, so that a run never names a patch that is not there."""
    _write(state / PATCHES / f"{patch.id}.json", encode_patch(patch))
    name = run.at.replace(":", "").replace("+", "_")
    _write(state / RUNS / f"{name}-{run.id}.json", json.dumps(asdict(run), indent=1) + "\n")


def latest_run(state: Path) -> Run | None:
    """The newest run of this repository; None before the first."""
    return next(_runs(state), None)


def latest_proposal(state: Path) -> Run | None:
    """The newest run that proposed anything: a later one that had nothing to say hides no open answers."""
    return next((run for run in _runs(state) if run.summary.get("ops", 0)), None)


def _runs(state: Path) -> Iterator[Run]:
    """All runs, newest first."""
    names = sorted((state / RUNS).glob("*.json"), reverse=True) if (state / RUNS).is_dir() else []
    for place in names:
        try:
            fields: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
            run = Run(**fields)
        except (ValueError, TypeError, OSError) as error:
            raise InputError(
                f"the run record {str(place)!r} cannot be read ({error}); delete it and run again"
            ) from error
        yield run


def applied_ops(state: Path) -> frozenset[str]:
    """The ids of all ops that were applied and not undone since."""
    names: set[str] = set()
    for entry in entries(state):
        if entry.undone_by is None and entry.undoes is None:
            listed = entry.metadata.get("ops")
            names.update(str(one) for one in (listed if isinstance(listed, list) else ()))
    return frozenset(names)


def load_patch(state: Path, name: str | None) -> Patch:
    """Read a patch by its id or file name; None takes the newest that proposes anything."""
    if name is None:
        run = latest_proposal(state) or latest_run(state)
        if run is None:
            raise PatchError("there is no patch yet; make one with: pk reconcile")
        return decode_patch(_read(state / PATCHES / f"{run.patch}.json"))
    stored = state / PATCHES / f"{name}.json"
    is_id = name.startswith("pa-") and name[3:].isalnum()
    return decode_patch(_read(stored if is_id and stored.is_file() else Path(name)))


def load_review(state: Path, patch: Patch) -> Review:
    """The decisions taken so far on a patch; none where nobody has decided yet."""
    place = state / REVIEWS / f"{patch.id}.json"
    if not place.is_file():
        return Review(patch.hash)
    review = decode_review(_read(place))
    if review.patch != patch.hash:
        raise PatchError(f"the review {str(place)!r} is of another patch; delete it and decide again")
    return review


def save_review(state: Path, patch: Patch, decisions: tuple[Decision, ...]) -> Review:
    """Add decisions to the review of a patch; a later decision on an op replaces the earlier."""
    merged = {one.op: one for one in (*load_review(state, patch).decisions, *decisions)}
    review = Review(patch.hash, tuple(merged[op.id] for op in patch.ops if op.id in merged))
    _write(state / REVIEWS / f"{patch.id}.json", encode_review(review))
    return review


def carry_over(state: Path, before: Run | None, patch: Patch) -> None:
    """Keep decisions of the run before on ops that the new patch shows unchanged: nothing is asked twice."""
    if before is None or before.patch == patch.id or (state / REVIEWS / f"{patch.id}.json").is_file():
        return
    old = state / PATCHES / f"{before.patch}.json"
    if not old.is_file():
        return
    shown = {(op.id, op.shown_hash) for op in patch.ops}
    taken = load_review(state, decode_patch(_read(old))).decisions
    kept = tuple(one for one in taken if (one.op, one.shown_hash) in shown)
    if kept:
        save_review(state, patch, kept)


def _read(place: Path) -> str:
    try:
        return place.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PatchError(f"{str(place)!r} cannot be read: {error}") from error


def _write(place: Path, text: str) -> None:
    """Replace a file in one step, so that a reader meets the old text or the new."""
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = place.with_name(f".{place.name}.{os.getpid()}")
    with draft.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(place)
