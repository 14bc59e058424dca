"""Who acts, and how well that is known."""

from __future__ import annotations

from typing import Final, Literal

Actor = Literal["person", "agent", "ci", "timer"]
ACTORS: Final[tuple[Actor, ...]] = ("person", "agent", "ci", "timer")

# How well it is known who decided: typed at a terminal, signed in to a server, signed with a key, verified by CI.
Assurance = Literal["terminal", "session", "signed", "ci-verified"]
ASSURANCES: Final[tuple[Assurance, ...]] = ("terminal", "session", "signed", "ci-verified")


def at_least(have: Assurance, need: Assurance) -> bool:
    """Whether it is known as well as needed who decided."""
    return ASSURANCES.index(have) >= ASSURANCES.index(need)
