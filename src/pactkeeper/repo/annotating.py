"""Writes annotations into a file of any language that discovery knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pactkeeper.repo.annotations.writing import Wish, splice, write
from pactkeeper.repo.languages import owner


def annotate(
    path: str, source: bytes, wishes: Sequence[Wish], *, prefix: str = "IA"
) -> tuple[bytes, Mapping[Wish, str]]:
    """Fulfil wishes in a file's bytes; what cannot be done safely is left undone and returned with the reason."""
    language = owner(path)
    if language is None:
        return source, dict.fromkeys(wishes, "no language adapter reads this file")
    written = write(language.tree(path, source), source, wishes, prefix=prefix)
    return splice(source, written.splices), dict(written.refused)
