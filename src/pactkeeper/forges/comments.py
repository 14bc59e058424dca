"""Lists of comments as both forges page them, and the one among them that is ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pactkeeper.boards.calls import Calls
from pactkeeper.errors import BoardUnavailable, InputError
from pactkeeper.forges.comment import is_ours
from pactkeeper.forges.port import Comment

_PAGE: Final = 100


def pages(calls: Calls, path: str, **query: str | int) -> Iterator[Mapping[str, Any]]:
    """Everything of a list, page after page; raises BoardUnavailable above the limit of items."""
    for page in range(1, calls.limits.items // _PAGE + 1):
        found = calls.get(path, **{**query, "per_page": _PAGE, "page": page}).data
        yield from found
        if len(found) < _PAGE:
            return
    raise BoardUnavailable(f"{path} has more than {calls.limits.items:,} entries")


def first_own(comments: Iterable[Comment], account: str) -> Comment | None:
    """The first comment that this account wrote with our mark."""
    return next((one for one in comments if one.author == account and is_ours(one.text)), None)


def checked_number(comment: str) -> str:
    """A comment's number as it may stand in a path; raises InputError."""
    if not comment.isascii() or not comment.isdigit():
        raise InputError(f"{comment!r} is no comment; comments are numbers")
    return comment
