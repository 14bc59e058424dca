"""A project's rule as a sentence, for rules without their own wording."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pactkeeper.intent.pact import Invariant

Phrase = Callable[[Any], str]


def in_words(rule: Invariant) -> str:
    """Return the rule's wording: the project's own, or a sentence built from its keys."""
    if rule.rule:
        return rule.rule
    if rule.every is None:
        return ""
    which = " ".join((f"Every {rule.every}", *(WHERE[name](wanted) for name, wanted in rule.where.items())))
    return f"{which} {' and '.join(NEEDS[name](wanted) for name, wanted in rule.needs.items())}."


def _or(names: Any) -> str:  # noqa: ANN401 - texts from the file
    return " or ".join(names)


def _not(flag: object) -> str:
    return "" if flag else "not "


def _count(bound: str, noun: str) -> Phrase:
    return lambda wanted: f"has {bound} {wanted} {noun if wanted == 1 else noun + 's'}"


WHERE: Final[Mapping[str, Phrase]] = {
    "category": lambda wanted: f"in category {_or(wanted)}",
    "tag": lambda wanted: f"tagged {_or(wanted)}",
    "status": lambda wanted: f"that is {_or(wanted)}",
    "source": lambda wanted: f"from {_or(wanted)}",
    "path": lambda wanted: f"at {_or(wanted)}",
    "language": lambda wanted: f"in {_or(wanted)}",
    "framework": lambda wanted: f"run by {_or(wanted)}",
    "by": lambda wanted: f"committed by {_or(wanted)}",
    "since": lambda wanted: f"committed since {wanted}",
}
NEEDS: Final[Mapping[str, Phrase]] = {
    "min_tests": _count("at least", "linked test"),
    "max_tests": _count("at most", "linked test"),
    "min_atoms": _count("at least", "atom"),
    "max_atoms": _count("at most", "atom"),
    "min_outcomes": _count("at least", "outcome"),
    "min_falsifiers": _count("at least", "falsifier"),
    "min_quality": lambda wanted: f"has a quality of {wanted} or more",
    "category": lambda wanted: f"is in category {_or(wanted)}",
    "tags": lambda wanted: f"is tagged {' and '.join(wanted)}",
    "committed": lambda wanted: f"is {_not(wanted)}committed",
    "signed": lambda wanted: f"is {_not(wanted)}committed with a signature",
    "by": lambda wanted: f"is committed by {_or(wanted)}",
    "proven": lambda wanted: f"is {_not(wanted)}proven",
    "reviewed": lambda wanted: f"is {_not(wanted)}reviewed as it is",
    "carrier": lambda wanted: f"is linked by {_or(wanted)}",
    "path": lambda wanted: f"lies at {_or(wanted)}",
}
