"""Resolve imports to files of the repository, according to its packages and settings."""
