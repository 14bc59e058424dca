"""Requests in a pull request comment: lines that begin with `/pk accept`, outside quotes and code blocks."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pactkeeper.errors import InputError

LONGEST: Final = 20_000
_SHORTEST: Final = 7  # hex digits of a commit hash
_FORM: Final = "write: /pk accept --at COMMIT TEST… [--intent 'One sentence.'] [--atom ID]"


@dataclass(frozen=True, slots=True)
class Asked:
    """Tests to accept as they are at the commit whose hash begins with `at`."""

    at: str
    tests: tuple[str, ...]
    intent: str | None = None
    atom: str | None = None


def asked_in(text: str) -> tuple[Asked, ...]:
    """Every request in a comment, in order; raises InputError naming a line that is malformed."""
    if len(text) > LONGEST:
        raise InputError(f"the comment has {len(text):,} characters; at most {LONGEST:,} are read")
    return tuple(_asked(line) for line in _lines(text))


def asks(text: str) -> bool:
    """Whether a comment contains a request, well-formed or not."""
    return len(text) > LONGEST or any(_lines(text))


def numbers_of(event: object) -> tuple[int, str]:
    """The pull request and the comment that a webhook event is about; raises InputError for any other event.

    GitHub calls the event `issue_comment`, GitLab a note on a merge request. Nothing else in the event is trusted.
    """
    request = _part(event, "issue" if _part(event, "comment") else "merge_request")
    comment = _part(event, "comment") or (
        _part(event, "object_attributes") if _part(event).get("object_kind") == "note" else {}
    )
    number, name = request.get("number") or request.get("iid"), comment.get("id")
    if not isinstance(number, int) or not isinstance(name, int):
        raise InputError("the event is about no comment on a pull request; start this for such comments only")
    return number, str(name)


def _part(event: object, name: str = "") -> Mapping[str, object]:
    found = event.get(name) if name and isinstance(event, Mapping) else event
    return found if isinstance(found, Mapping) else {}


def _lines(text: str) -> Iterator[str]:
    fenced = False
    for line in text.splitlines():
        if line.lstrip(" ").startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and (line == "/pk" or line.startswith("/pk ")):
            yield line


def _asked(line: str) -> Asked:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise InputError(f"{line!r} has a quote without end ({error}); {_FORM}") from None
    if words[:2] != ["/pk", "accept"]:
        raise InputError(f"{line!r} asks for nothing that is known; {_FORM}")
    said: dict[str, str] = {}
    tests: list[str] = []
    rest = iter(words[2:])
    for word in rest:
        if word.startswith("--"):
            if word not in {"--at", "--intent", "--atom"} or word in said:
                raise InputError(f"{line!r}: {word!r} is not known or stands twice; {_FORM}")
            said[word] = next(rest, "")
        else:
            tests.append(word)
    at = said.get("--at", "").lower()
    if len(at) < _SHORTEST or not set(at) <= set("0123456789abcdef") or not tests or not all(said.values()):
        raise InputError(f"{line!r} lacks the commit that was looked at, a test or a value; {_FORM}")
    return Asked(at, tuple(tests), said.get("--intent"), said.get("--atom"))
