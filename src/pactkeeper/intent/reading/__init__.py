"""Parsing of sentences that people wrote: words, clauses, joined statements and opposites."""
