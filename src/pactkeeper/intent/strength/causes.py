"""The findings of a change grouped by cause, so that each cause is reported once.

A renamed class, a new argument to something many tests set up, or the rows of one assertion are one cause each.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable
from difflib import SequenceMatcher
from typing import Final

from pactkeeper.intent.strength.change import DIGEST, Change

_TOKEN: Final = re.compile(r"\w+|[^\w\s]")
_LONGEST: Final = 400  # tokens that are compared one by one; longer ones differ as a whole


def by_cause(found: Iterable[Change]) -> list[tuple[Change, ...]]:
    """Group findings by cause, in order; errors and warnings are never in the same group."""
    lines: defaultdict[Hashable, list[Change]] = defaultdict(list)
    for change in found:
        lines[_line(change)].append(change)
    causes: defaultdict[Hashable, list[Change]] = defaultdict(list)
    for group in lines.values():
        causes[_cause(group[0])] += group
    return [tuple(group) for group in causes.values()]


def _line(change: Change) -> Hashable:
    """Return a key shared by the cases of one assertion, and by the assertions a test lost for one reason."""
    place = change.line if change.new or not change.test else change.message
    return change.severity, change.kind, change.test, change.message, place


def _cause(change: Change) -> Hashable:
    """Return what was removed and added; for a removed test or assertion only the reason identifies the cause."""
    if change.old and change.new:
        return change.severity, *_difference(change.old, change.new)
    told = change.message if change.severity != "error" else change
    return change.severity, change.kind, told, change.test.partition("::")[0], change.new


def _difference(old: str, new: str) -> tuple[Hashable, ...]:
    one, two = (_TOKEN.findall(DIGEST.sub("…", text)) for text in (old, new))
    shared = next((at for at, (mine, yours) in enumerate(zip(one, two, strict=False)) if mine != yours), None)
    if shared is None and len(one) == len(two):
        return ("what cannot be shown",)
    one, two = one[shared:], two[shared:]
    if max(len(one), len(two)) > _LONGEST:
        return tuple(one), tuple(two)
    steps = SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
    return (frozenset((" ".join(one[a:b]), " ".join(two[c:d])) for tag, a, b, c, d in steps if tag != "equal"),)
