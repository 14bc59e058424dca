"""What a person turned down before: the same ops for the same body of the same test are not proposed again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pactkeeper.ledger.canonical import digest
from pactkeeper.ledger.op import Op
from pactkeeper.reconcile.propose import Proposals
from pactkeeper.reconcile.world import World


def rejected_print(ops: Sequence[Op], world: World) -> str:
    """The fingerprint under which a no to the ops about one test is remembered; a new body makes it another."""
    group = ops[0].group
    entry = world.by_id.get(group)
    body = entry.test.body_hash if entry else ""
    return "fp-" + digest([group, body, sorted(op.verb for op in ops)])[3:19]


def without_rejected(found: Proposals, world: World) -> tuple[Proposals, int]:
    """Leave out the groups that were turned down as they are, and say how many."""
    groups: dict[str, list[Op]] = {}
    for op in found.ops:
        groups.setdefault(op.group, []).append(op)
    turned_down = {group for group, ops in groups.items() if _is_rejected(group, ops, world)}
    dropped = {op.id for op in found.ops if op.group in turned_down}
    kept = [op for op in found.ops if op.id not in dropped]
    successors = tuple(pair for pair in found.successors if pair[1] not in turned_down)
    return replace(found, ops=tuple(_whole(kept, dropped)), successors=successors), len(turned_down)


def _is_rejected(group: str, ops: Sequence[Op], world: World) -> bool:
    record = world.record_of(group)
    return record is not None and record.rejected is not None and record.rejected == rejected_print(ops, world)


def _whole(ops: Iterable[Op], dropped: set[str]) -> Iterable[Op]:
    """Leave out as well what depends on something that is left out."""
    for op in ops:
        if dropped.intersection(op.depends_on):
            dropped.add(op.id)
        else:
            yield op
