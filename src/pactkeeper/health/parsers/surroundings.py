"""Reasons outside of a commit for which a check fails: a missing tool or script, no network, a full disk."""

from __future__ import annotations

import errno
import re
import socket
from collections.abc import Mapping
from typing import Final

from pactkeeper.health.parsers.seen import Hint, HintVerdict

_PHRASES: Final[tuple[tuple[str, HintVerdict, str], ...]] = (
    (r"Missing script: \"?(?P<name>[^\"\n]+)", "not applicable", "there is no script {name!r}"),
    (r"^error Command \"(?P<name>[^\"\n]+)\" not found", "not applicable", "there is no script {name!r}"),
    (r"^error: Script not found \"(?P<name>[^\"\n]+)", "not applicable", "there is no script {name!r}"),
    (r"[Nn]o space left on device|[Dd]isk quota exceeded", "could not run", "the disk is full"),
    (r"[Tt]oo many open files", "could not run", "too many files are open"),
    (r"[Cc]annot allocate memory|JavaScript heap out of memory", "could not run", "there is not enough memory"),
    (r"getaddrinfo (?P<name>E\w+)|Temporary failure in name resolution", "could not run", "a host name is not found"),
    (r"Could not resolve host|no such host|Name or service not known", "could not run", "a host name is not found"),
    (r"[Aa]ddress already in use", "could not run", "a port is in use"),
    ((r"No route to host|Connect call failed|"
     r"[Cc]ould not connect to (?:server|host)|"
     r"Failed to establish a new connection|Max retries exceeded with url|Can't connect to .{0,40}server"),
     "could not run", "the network does not answer"),
    (r"nodename nor servname|Name does not resolve|UnknownHostException", "could not run", "a host name is not found"),
    ((r"Permission denied \(publickey|could not read (?:Username|Password)|Authentication failed for 'http|"
     r"password authentication failed for user|Access denied for user|Unable to locate credentials|NoCredentialsError|"
     r"security token included in the request is|\b(?:E401|ENEEDAUTH|ExpiredToken(?:Exception)?)\b"),
     "could not run", "credentials are missing or refused"),
    ((r"certificate (?:has expired|is not yet valid)|CERT_(?:HAS_EXPIRED|NOT_YET_VALID)|[Cc]lock skew|"
     r"RequestTimeTooSkewed|(?:token|signature) (?:used before issued|not yet (?:valid|current))|"
     r"modification time .{0,40} in the future"), "could not run", "the clock or a certificate is wrong"),
    (r"[Rr]ead-only file system", "could not run", "the disk cannot be written"),
    (r"[Nn]etwork is unreachable|[Cc]onnection (?:timed out|refused|reset by peer)|dial tcp .{0,200} timeout",
     "could not run", "the network does not answer"),
    (r"offline mode .{0,200} has not been downloaded|Cannot access \S+ .{0,80}in offline mode", "could not run",
     "a dependency is missing while offline"),
    (r"^(?:\S+: )?(?:line )?(?:\d+: )*(?P<name>[\w./@-]+): (?:command )?not found$", "could not run",
     "the command {name!r} is not found"),
    (r"^(?:\S+: )?command not found: (?P<name>\S+)$", "could not run", "the command {name!r} is not found"),
    (r"^env: [‘'\"]?(?P<name>[^’'\"\n:]+)[’'\"]?: No such file", "could not run", "the command {name!r} is not found"),
    (r"'(?P<name>[^'\n]+)' is not recognized as an internal or external command", "could not run",
     "the command {name!r} is not found"),
    (r"No such file or directory: '(?P<name>[a-z][\w-]*)'", "could not run", "the command {name!r} is not found"),
    (r"spawn(?:Sync)? (?P<name>\S+) ENOENT", "could not run", "the command {name!r} is not found"),
    (r"^\S*python[\w.]*(?:\.exe)?: No module named (?P<name>\S+)", "could not run", "the module {name!r} is missing"),
    (r"This is not the tsc command you are looking for", "could not run", "TypeScript is not installed"),
    (r"^error: no such (?:sub)?command: `(?P<name>[^`\n]+)`", "could not run", "the command {name!r} is not found"),
)  # fmt: skip
_TABLE: Final = tuple((re.compile(phrase, re.MULTILINE), verdict, words) for phrase, verdict, words in _PHRASES)
# What the system calls its errors, by name or number; words differ by program and language, these do not.
_CODE: Final = re.compile(r"\b(E[A-Z]{3,}+(?:_[A-Z]++)?+)\b|\[Errno (-?\d{1,5})\]|\(os error (\d{1,5})\)")
_CODES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("ENOSPC", "EDQUOT"), "the disk is full"),
    **dict.fromkeys(("EMFILE", "ENFILE"), "too many files are open"),
    "ENOMEM": "there is not enough memory",
    **dict.fromkeys(
        ("ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "ETIMEDOUT", "ENETUNREACH", "ENETDOWN", "EHOSTUNREACH", "EPIPE"),
        "the network does not answer",
    ),
    "EADDRINUSE": "a port is in use",
    **dict.fromkeys(("ENOTFOUND", "EAI_AGAIN", "EAI_NONAME"), "a host name is not found"),
    "EROFS": "the disk cannot be written",
}
_RESOLVING: Final = {socket.EAI_AGAIN: "EAI_AGAIN", socket.EAI_NONAME: "EAI_NONAME"}
_LOOK: Final = 64_000  # characters of the beginning and of the end


def surroundings(text: str) -> Hint | None:
    """Why a tool could not look at the commit, by what it printed; None where nothing says so.

    Only the beginning and the end are looked at. A test may print any of these phrases, so this is asked where no error
    of the project was found.
    """
    part = text if len(text) <= 2 * _LOOK else f"{text[:_LOOK]}\n{text[-_LOOK:]}"
    for code in _CODE.finditer(part):
        reason = _CODES.get(_name(code))
        if reason is not None:
            return Hint("could not run", reason)
    for pattern, verdict, words in _TABLE:
        found = pattern.search(part)
        if found is not None:
            return Hint(verdict, words.format(name=found.groupdict().get("name") or ""))
    return None


def _name(code: re.Match[str]) -> str:
    """The name of an error of the system that stands there by name or number."""
    if code[1]:
        return code[1]
    number = int(code[2] or code[3])
    return errno.errorcode.get(number) or _RESOLVING.get(number, "")
