"""How much a change can cost, from harmless to what only a person may do."""

from __future__ import annotations

from typing import Final, Literal

# Own records; files that are reviewed in the repository; something outside that can be taken back; something that
# cannot; an act that is a person's by definition.
Risk = Literal["record", "annotate", "reversible-external", "irreversible", "human-act"]
RISKS: Final[tuple[Risk, ...]] = ("record", "annotate", "reversible-external", "irreversible", "human-act")
