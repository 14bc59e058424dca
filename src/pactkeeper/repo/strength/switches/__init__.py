"""Checks that a change switched off: settings of runners, coverage, linters and type checkers, CI steps, hooks."""

from pactkeeper.repo.strength.switches.changes import switch_changes

__all__ = ["switch_changes"]
