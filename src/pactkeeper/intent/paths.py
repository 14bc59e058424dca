"""Where a path stands in relation to others."""

from __future__ import annotations

from collections.abc import Sequence


def under(path: str, roots: Sequence[str]) -> bool:
    """Whether a POSIX path is one of `roots` or lies below one; an empty root is the whole repository."""
    return any(root in {"", "."} or path == root or path.startswith(f"{root}/") for root in roots)
