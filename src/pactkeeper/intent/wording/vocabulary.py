"""The domain's own words: what a project calls things, put before the built-in tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words of one project: `terms` maps a lower-case identifier (`rv`, `acct`) to the prose to use for it."""

    terms: Mapping[str, str] = field(default_factory=dict)

    def term(self, name: str) -> str | None:
        """The project's word for an identifier, if it has one."""
        return self.terms.get(name.lower())
