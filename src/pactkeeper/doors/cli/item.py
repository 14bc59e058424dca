"""How one item of a patch looks: what would be declared, on what evidence, and where it would be written."""

from __future__ import annotations

from collections.abc import Iterator

from pactkeeper.doors.cli.output import bold, count, dim, say
from pactkeeper.operators.decide import ReviewItem, Pending
from pactkeeper.published.ops import op_lines

MOST_LINES = 6


def print_item(item: ReviewItem) -> None:
    """Print the ops about one test."""
    score = min((score for op in item.ops if isinstance(score := op.payload.get("qualityScore"), int)), default=None)
    quality = "" if score is None else f", quality {score}"
    say(f"{bold(item.group)}  {dim(f'confidence {item.confidence}{quality}')}")
    for op in (*item.needs, *item.ops):
        for said in op_lines(op):
            say(f"  {said.text}{dim(said.aside)}")
    for line in _evidence(item):
        say(f"  {line}")


def left_out(pending: Pending) -> str:
    """Say what `--all` does not accept, and how it is accepted."""
    return (
        f"{count(pending.left_out, 'test')} whose words score below {pending.threshold} of 100; improve or accept them "
        "one by one: pk review"
    )


def _evidence(item: ReviewItem) -> Iterator[str]:
    found = dict.fromkeys((one.path, one.line, one.quote or one.note) for op in item.ops for one in op.evidence)
    for path, line, text in list(found)[:MOST_LINES]:
        first, *rest = text.strip().splitlines() or [""]
        yield dim(f"{path}:{line}  {first}{' …' if rest else ''}")
    if len(found) > MOST_LINES:
        yield dim(f"… and {len(found) - MOST_LINES} more lines of evidence")
