"""Sentences about observable behaviour from claims and test names: explicit tables of English, no model."""
