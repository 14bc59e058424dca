"""Puts the links of a draft into test files as comments, or takes them out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pactkeeper.reconcile.edits import Annotate, Comment
from pactkeeper.repo.annotating import annotate
from pactkeeper.repo.annotations.writing import Wish


def comment_writer(prefix: str) -> Annotate:
    """Make the writer for a pact whose atom ids have this prefix."""

    def write(path: str, source: bytes, comments: Sequence[Comment]) -> tuple[bytes, Mapping[str, str]]:
        wishes = {Wish(one.test.line, one.add, one.remove): one.test.id for one in comments}
        data, refused = annotate(path, source, list(wishes), prefix=prefix)
        return data, {wishes[wish]: reason for wish, reason in refused.items()}

    return write
