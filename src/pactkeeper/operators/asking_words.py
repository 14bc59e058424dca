"""Lets the fix of a new test ask for a sentence where the test has none of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pactkeeper.advice import ACCEPT

if TYPE_CHECKING:
    from pactkeeper.reconcile.codes import Located
    from pactkeeper.reconcile.world import World
    from pactkeeper.repo.snapshot import Snapshot

MOST_READ: Final = 40  # tests without intent; of more none is read


def asking_for_words(findings: tuple[Located, ...], snapshot: Snapshot, world: World) -> tuple[Located, ...]:
    """Add `--intent` to the fix of tests from which rules cannot take a sentence."""
    new = [one.finding for one in findings if one.finding.code == "PK101"]
    orphans = [world.by_id[one.subject] for one in new if one.subject in world.by_id]
    if not 0 < len(orphans) <= MOST_READ:
        return findings
    from pactkeeper.reconcile.codes import quoted  # noqa: PLC0415 - only where a test is new
    from pactkeeper.reconcile.looking import infer_tests  # noqa: PLC0415 - likewise

    least = round(world.pact.settings.inference_threshold * 100)
    read = infer_tests(snapshot, orphans)
    wordless = {ACCEPT(quoted(one.entry.test.id)) for one in read if one.inference.confidence < least}
    return tuple(
        replace(one, finding=replace(one.finding, fix=ACCEPT(quoted(one.finding.subject), "--intent 'One sentence.'")))
        if one.finding.fix in wordless
        else one
        for one in findings
    )
