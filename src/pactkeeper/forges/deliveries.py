"""Webhooks of a forge: whether a delivery is authentic, and which job it asks for.

An event only says that something happened, and where. What to do about it is read from the forge when the job runs, so
duplicate, late or reordered deliveries do no harm.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pactkeeper.errors import InputError
from pactkeeper.forges.github import CHECK

SIGNING: Final = "whsec_"  # prefix of GitLab's signing tokens; the rest is base64
_OLDEST: Final = 300.0  # seconds between signing and arrival
_GITHUB_MOVES: Final = frozenset({"opened", "reopened", "synchronize"})
_GITLAB_MOVES: Final = frozenset({"open", "reopen"})
_NOWHERE: Final = "0" * 40
Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Heard:
    """The job that an event asks for: its kind, and its arguments, such as the number of a pull request.

    `urls` are URLs that git may know the repository by; `occasion` tells this event from others of the same kind.
    """

    kind: str
    urls: tuple[str, ...]
    occasion: str
    takes: tuple[str, ...] = ()


def distrusted(forge: str, headers: Mapping[str, str], body: bytes, *, secret: str, now: float) -> str:
    """Why a delivery is not accepted as authentic; empty if it is. `now` is seconds since 1970.

    Header names are in lower case. GitHub signs the body. GitLab signs the body and the time if the secret is a signing
    token; otherwise it sends the secret itself.
    """
    if forge == "github":
        wanted = "sha256=" + hmac.digest(secret.encode(), body, "sha256").hex()
        return "" if _equal(headers.get("x-hub-signature-256", ""), wanted) else "X-Hub-Signature-256 does not match"
    if not secret.startswith(SIGNING):
        return "" if _equal(headers.get("x-gitlab-token", ""), secret) else "X-Gitlab-Token is not the secret"
    at = headers.get("webhook-timestamp", "")
    if not at.isascii() or not at.isdigit() or abs(now - int(at[:12])) > _OLDEST:
        return f"webhook-timestamp {at[:20]!r} is not within {_OLDEST:.0f} seconds of now"
    signed = b".".join((headers.get("webhook-id", "").encode(), at.encode(), body))
    wanted = "v1," + base64.b64encode(hmac.digest(_key(secret), signed, "sha256")).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return "" if any(_equal(one, wanted) for one in given) else "webhook-signature does not match"


def heard_from(forge: str, name: str, event: object) -> Heard | None:
    """The job that an event asks for, or None; `name` is GitHub's name for the event.

    Raises InputError for an event that lacks a field its kind always has.
    """
    if not isinstance(event, Mapping):
        raise InputError(f"the event is {type(event).__name__} and no object")
    kind = name if forge == "github" else str(event.get("object_kind", ""))
    find = _EVENTS.get((forge, kind))
    try:
        return None if find is None else find(event)
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"the event {kind!r} has an unknown format ({error!r})") from error


def _github_request(event: Event) -> Heard | None:
    moved = event["action"] in _GITHUB_MOVES or (event["action"] == "edited" and "base" in event.get("changes", {}))
    if not moved:
        return None
    request = event["pull_request"]
    return _report(_github_urls(event), event["number"], f"{request['head']['sha']} on {request['base']['sha']}")


def _github_comment(event: Event) -> Heard | None:
    if event["action"] != "created" or "pull_request" not in event["issue"]:
        return None
    return _answer(_github_urls(event), event, event["comment"]["body"])


def _github_push(event: Event) -> Heard | None:
    return _pushed(_github_urls(event), event, event["repository"]["default_branch"])


def _github_check(event: Event) -> Heard | None:
    """A check run that somebody asks to run again."""
    run = event["check_run"]
    if event["action"] != "rerequested" or run["name"] != CHECK or not run["pull_requests"]:
        return None
    return _report(_github_urls(event), run["pull_requests"][0]["number"], f"instead of check {run['id']}")


def _gitlab_request(event: Event) -> Heard | None:
    said = event["object_attributes"]
    action = said.get("action")
    moved = action == "update" and ("oldrev" in said or "target_branch" in event.get("changes", {}))
    if action not in _GITLAB_MOVES and not moved:
        return None
    return _report(_gitlab_urls(event), said["iid"], f"{said['last_commit']['id']} on {said['target_branch']}")


def _gitlab_note(event: Event) -> Heard | None:
    said = event["object_attributes"]
    if said["noteable_type"] != "MergeRequest" or said.get("system") or said.get("action", "create") != "create":
        return None
    return _answer(_gitlab_urls(event), event, said["note"])


def _gitlab_push(event: Event) -> Heard | None:
    return _pushed(_gitlab_urls(event), event, event["project"]["default_branch"])


def _report(urls: tuple[str, ...], number: object, occasion: str) -> Heard:
    if not isinstance(number, int):
        raise InputError(f"{number!r} is not a pull request number")
    return Heard("pull-request", urls, occasion, (str(number),))


def _answer(urls: tuple[str, ...], event: Event, text: object) -> Heard | None:
    if not asks(str(text)):
        return None
    number, comment = numbers_of(event)
    return Heard("answer", urls, f"comment {comment}", (str(number), comment))


def _pushed(urls: tuple[str, ...], event: Event, default: str) -> Heard | None:
    moved = event["ref"] == f"refs/heads/{default}" and event["after"] != _NOWHERE
    return Heard("propose", urls, str(event["after"])) if moved else None


def _github_urls(event: Event) -> tuple[str, ...]:
    return _named(event["repository"], "clone_url", "ssh_url")


def _gitlab_urls(event: Event) -> tuple[str, ...]:
    return _named(event["project"], "git_http_url", "git_ssh_url")


def _named(repository: Event, *names: str) -> tuple[str, ...]:
    return tuple(str(repository[name]) for name in names if repository.get(name))


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix(SIGNING), validate=True)
    except binascii.Error:
        raise InputError(f"a signing token is {SIGNING}… with base64; copy it from GitLab again") from None


def _equal(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


_EVENTS: Final[Mapping[tuple[str, str], Callable[[Event], Heard | None]]] = {
    ("github", "pull_request"): _github_request,
    ("github", "issue_comment"): _github_comment,
    ("github", "push"): _github_push,
    ("github", "check_run"): _github_check,
    ("gitlab", "merge_request"): _gitlab_request,
    ("gitlab", "note"): _gitlab_note,
    ("gitlab", "push"): _gitlab_push,
}


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
        raise InputError("the event is not about a pull request comment; run this only for such comments")
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
        raise InputError(f"{line!r} makes no known request; {_FORM}")
    said: dict[str, str] = {}
    tests: list[str] = []
    rest = iter(words[2:])
    for word in rest:
        if word.startswith("--"):
            if word not in {"--at", "--intent", "--atom"} or word in said:
                raise InputError(f"{line!r}: {word!r} is unknown or given twice; {_FORM}")
            said[word] = next(rest, "")
        else:
            tests.append(word)
    at = said.get("--at", "").lower()
    if len(at) < _SHORTEST or not set(at) <= set("0123456789abcdef") or not tests or not all(said.values()):
        raise InputError(f"{line!r} lacks the reviewed commit, a test or a value; {_FORM}")
    return Asked(at, tuple(tests), said.get("--intent"), said.get("--atom"))
