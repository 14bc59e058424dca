"""Reads sentences that people wrote: words, clauses, what is joined and what would be the opposite."""
