"""Writes `@atom` comments into the bytes of a test file, by the one grammar of `repo.annotations`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pactkeeper.reconcile.edits import Comment


def write_comments(path: str, source: bytes, comments: Sequence[Comment]) -> tuple[bytes, Mapping[str, str]]:
    """Put a comment above each test; returns new bytes, and why for every test where none can be placed safely."""
    raise AssertionError(path, source, comments)
