"""Deterministic checks of a draft: against rules, against what other threads accepted, and against the pact."""
