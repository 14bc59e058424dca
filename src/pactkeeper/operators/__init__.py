"""The verbs that every door offers, one row each; a door looks a verb up here and calls it with a workspace.

No verb commits atoms: that is a person's act and has a door of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, cast

from pactkeeper.ledger.risk import Risk


@dataclass(frozen=True, slots=True)
class Operator:
    """One verb: its input is `module:request`, it lives at `module:function`; `risk` None means that it only reads."""

    name: str
    module: str
    risk: Risk | None
    summary: str

    def load(self) -> Callable[..., Any]:
        """Import the function."""
        return cast("Callable[..., Any]", getattr(import_module(f"pactkeeper.operators.{self.module}"), self.name))


_ROWS: Final = (
    Operator("scan_repo", "observe", None, "every test with its links"),
    Operator("check_repo", "check", None, "what has drifted between tests and pact"),
    Operator("discover_delta", "observe", None, "test-level difference from a commit"),
    Operator("get_statistics", "observe", None, "where repository and pact stand"),
    Operator("reconcile_repo", "reconcile", "record", "a patch that brings pact and tests into agreement"),
    Operator("load_pending", "decide", None, "a patch with the decisions taken so far"),
    Operator("save_decisions", "decide", "record", "add decisions to the review of a patch"),
    Operator("apply_patch", "apply", "annotate", "write the accepted ops"),
    Operator("explain_policy", "policy", None, "which rule decides about an op, and why"),
    Operator("undo_apply", "apply", "annotate", "take an apply back"),
    Operator("settle_write", "apply", "annotate", "finish or roll back an interrupted write"),
    Operator("accept_tests", "accept", "annotate", "propose, accept and apply for single tests"),
    Operator("start_pact", "adopt", "annotate", "begin a pact with today's orphans as debt"),
    Operator("change_debt", "adopt", "annotate", "add or prune debt lines"),
    Operator("convert_links", "annotate", "annotate", "move links between comments and pact/links"),
    Operator("list_molecules", "molecules", None, "stored molecules and computed views"),
    Operator("list_commitments", "commitments", None, "commitments by atom, status and date"),
    Operator("get_commitment", "commitments", None, "one commitment, or those of an atom"),
    Operator("change_molecule", "molecules", "annotate", "keep, rename or edit a molecule"),
)
OPERATORS: Final = {row.name: row for row in _ROWS}


def call(name: str, *arguments: object, **options: object) -> Any:  # noqa: ANN401 - each verb has its own result type
    """Call a verb by name."""
    return OPERATORS[name].load()(*arguments, **options)
