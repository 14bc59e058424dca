"""Tells coding agents of a repository about its pact: a section, a skill, an entry of their servers."""
