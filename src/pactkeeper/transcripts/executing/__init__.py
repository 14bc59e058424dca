"""Carrying out actions: what may happen by itself, what is asked, what never happens, and how each is written once."""
