"""Carry out actions: what runs automatically, what needs a yes, what never happens, and how each is written once."""
