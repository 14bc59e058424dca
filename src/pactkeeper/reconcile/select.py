"""Which tests a run looks at: the mechanical step before any inference."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from pactkeeper.intent.links import LinkedTest, TestState, lost_annotations
from pactkeeper.intent.paths import under
from pactkeeper.intent.tests import file_of
from pactkeeper.reconcile.moves import WITHOUT_INTENT, moves
from pactkeeper.reconcile.world import World

# States in which a person's confirmation is all that is missing.
TO_CONFIRM: frozenset[TestState] = frozenset({"inherited", "suspect"})


@dataclass(frozen=True, slots=True)
class Selection:
    """The tests to infer from, those to confirm, records of tests that are gone, and what was left out and why."""

    infer: tuple[LinkedTest, ...]
    confirm: tuple[LinkedTest, ...]
    gone: tuple[str, ...]
    left_out: tuple[tuple[str, int], ...]

    def leaving_out(self, reason: str, number: int) -> Selection:
        """The selection with as many more left out for a reason."""
        counts = dict(self.left_out)
        counts[reason] = counts.get(reason, 0) + number
        return replace(self, left_out=tuple(row for row in counts.items() if row[1]))


def select(
    world: World, *, changed: Collection[str] | None, paths: Sequence[str] = (), most: int | None = None
) -> Selection:
    """Choose tests by state, then by `changed` (None means all, the full scan), paths and number.

    The record of a test that moved is looked at together with the test, wherever that is now.
    """
    inside = [entry for entry in world.linked if not paths or under(entry.test.file, paths)]
    wanted = [entry for entry in inside if changed is None or entry.test.id in changed]
    gone = tuple(name for name in world.gone if not paths or under(file_of(name), paths))
    chosen = {entry.test.id for entry in wanted if entry.state in WITHOUT_INTENT}
    chosen |= {test for test, old in moves(world).items() if old in gone}
    chosen |= {one.test.id for one in inside if one.state in WITHOUT_INTENT and lost_annotations(one, world.pact)}
    damaged = damaged_tests(world)
    infer = [entry for entry in world.linked if entry.test.id in chosen - damaged]
    confirm = [entry for entry in wanted if entry.state in TO_CONFIRM and entry.test.id not in damaged]
    kept = infer if most is None else infer[:most]
    left_out = [
        ("rejected_before", sum(entry.state == "rejected" for entry in wanted)),
        ("beyond_max_tests", len(infer) - len(kept)),
        ("damaged_by_a_syntax_error", sum(entry.test.id in damaged for entry in wanted)),
    ]
    return Selection(tuple(kept), tuple(confirm), gone, tuple(row for row in left_out if row[1]))


def damaged_tests(world: World) -> frozenset[str]:
    """Tests with a gap between their first and last line: what they state cannot be read for certain."""
    lines: dict[str, list[int]] = {}
    for gap in world.scan.gaps:
        lines.setdefault(gap.file, []).append(gap.line)
    return frozenset(
        entry.test.id
        for entry in world.linked
        if any(entry.test.line <= line <= entry.test.end_line for line in lines.get(entry.test.file, ()))
    )
