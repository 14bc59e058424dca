"""Whose record is whose among tests of one name: `#2` counts positions, so an insertion above shifts every id below.

A record says which body was reviewed. Where that body stands under another number of the same name now, the record
belongs there, and the test that took over its number has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pactkeeper.intent.pact import LinkRecord, Pact
from pactkeeper.intent.tests import Test

_NUMBER = re.compile(r"#([2-9]|[1-9]\d+)\Z")


def shifted_records(tests: Iterable[Test], pact: Pact) -> Mapping[str, LinkRecord | None]:
    """By test id, the record of each test whose record is not the one under its own id; None where it has none."""
    if not any("#" in name for name in pact.links) and not any("#" in test.id for test in tests):
        return {}
    families: dict[str, list[Test]] = {}
    for test in tests:
        families.setdefault(_NUMBER.sub("", test.id), []).append(test)
    records: dict[str, list[LinkRecord]] = {}
    for name, record in pact.links.items():
        records.setdefault(_NUMBER.sub("", name), []).append(record)
    found: dict[str, LinkRecord | None] = {}
    for name, members in families.items():
        if len({test.id for test in members} | {record.test for record in records.get(name, ())}) > 1:
            found.update(_shifts(members, records.get(name, ())))
    return found


def _shifts(members: Sequence[Test], records: Sequence[LinkRecord]) -> Mapping[str, LinkRecord | None]:
    """Give every record that left its number to the one sibling with its body that has no better record."""
    bodies = {test.id: test.body_hash for test in members}
    settled = {record.test for record in records if bodies.get(record.test) == record.body}
    found: dict[str, LinkRecord] = {}
    for record in records:
        if record.test in settled or record.body is None:
            continue
        takers = [
            test.id for test in members if test.body_hash == record.body and test.id not in settled | found.keys()
        ]
        if len(takers) == 1:
            found[takers[0]] = record
    left = {record.test: None for record in found.values() if record.test in bodies}
    return {**left, **found}
