"""Recognises failures caused by the environment rather than the commit, by the names systems and libraries give errors.

Numbers, names and classes of errors are the same in every program and language; sentences are not, so none is listed
here. The one exception is the system's own text for an error number, which is looked up at run time.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from pactkeeper.health.parsers.seen import Hint

_NETWORK: Final = "the network does not respond"
_HOST: Final = "a host name cannot be resolved"
_CREDENTIALS: Final = "credentials are missing or refused"
_CLOCK: Final = "the clock or a certificate is wrong"
_SYSTEM: Final[Mapping[str, str]] = {
    **dict.fromkeys(("ENOSPC", "EDQUOT"), "the disk is full"),
    **dict.fromkeys(("EMFILE", "ENFILE"), "too many files are open"),
    **dict.fromkeys(("ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "ETIMEDOUT", "ENETUNREACH", "ENETDOWN"), _NETWORK),
    **dict.fromkeys(("EHOSTUNREACH", "EPIPE"), _NETWORK),
    "ENOMEM": "there is not enough memory",
    "EADDRINUSE": "a port is in use",
    "EROFS": "the disk cannot be written",
}
_RESOLVING: Final[Mapping[int, str]] = dict.fromkeys((socket.EAI_AGAIN, socket.EAI_NONAME), _HOST)
# Equivalent classes and codes in libraries: Python, Node.js, Java, npm, AWS, Postgres and MySQL.
_LIBRARIES: Final[Mapping[str, str]] = {
    _HOST: "ENOTFOUND EAI_AGAIN EAI_NONAME gaierror NameResolutionError UnknownHostException",
    _NETWORK: (
        "ConnectionRefusedError ConnectionResetError ConnectionAbortedError NewConnectionError ConnectTimeoutError "
        "ConnectTimeout EndpointConnectionError ConnectException NoRouteToHostException SocketTimeoutException "
        "ServerSelectionTimeoutError MongoServerSelectionError UND_ERR_CONNECT_TIMEOUT CannotConnectNowError 57P03"
    ),
    "a port is in use": "BindException",
    _CREDENTIALS: (
        "NoCredentials NoCredentialsError PartialCredentialsError ExpiredToken ExpiredTokenException E401 ENEEDAUTH "
        "28P01 InvalidPasswordError ER_ACCESS_DENIED_ERROR"
    ),
    _CLOCK: (
        "CERT_HAS_EXPIRED CERT_NOT_YET_VALID SSLCertVerificationError CertificateExpiredException "
        "CertificateNotYetValidException RequestTimeTooSkewed ImmatureSignatureError"
    ),
}
_NAMES: Final = {**_SYSTEM, **{name: reason for reason, names in _LIBRARIES.items() for name in names.split()}}
_NAME: Final = re.compile(r"\b[A-Z0-9g]\w{3,60}+\b")
_NUMBER: Final = re.compile(r"\[Errno (-?\d{1,5})\]|\(os error (\d{1,5})\)|\berror=(\d{1,5})\b")
_CURL: Final[Mapping[str, str]] = {"6": _HOST, "7": _NETWORK, "28": _NETWORK, "35": _NETWORK, "60": _CLOCK}
_CURLED: Final = re.compile(r"\bcurl: \((\d{1,2})\)|Caused by:\s{1,20}\[(\d{1,2})\] ")
# The formats libraries use for failed connections, whatever the final words, and commands a tool asks people to run.
_FORMS: Final = (
    (re.compile(r"\bdial (?:tcp|udp)\d?: lookup "), _HOST),
    (re.compile(r"\bdial (?:tcp|udp|unix)\d? \S+: "), _NETWORK),
    (re.compile(r"\bx509: "), _CLOCK),
    (re.compile(r"\b(?:Get|Head|Post|Put|Patch|Delete) \"https?://[^\"\s]{1,500}\": "), "a server refuses or fails"),
    (re.compile(r"connection to server (?:at|on) .{1,200}? failed: FATAL: "), _CREDENTIALS),
    (
        re.compile(r"\b(?:aws (?:configure|sso login)|gcloud auth|(?:gh auth|az|docker|npm|vault) login)\b"),
        _CREDENTIALS,
    ),
    (re.compile(r"(?:\(| )1045(?:, ['\"]| \(28000\))"), _CREDENTIALS),
    (re.compile(r"^fatal: (?:unable to access '|could not read (?:Username|Password) for ')", re.MULTILINE), _NETWORK),
)
# How a tool names a program or module that it could not start.
_COMMAND: Final = "the command {name!r} is not found"
_LAUNCHED: Final = (
    (re.compile(r"\[Errno 2\][^:\n]{1,80}: '(?P<name>[a-z][\w-]*)'"), _COMMAND),
    (re.compile(r"\bspawn(?:Sync)? (?P<name>\S+) ENOENT"), _COMMAND),
    (re.compile(r"\bexec: \"(?P<name>[^\"\n]+)\": "), _COMMAND),
    (re.compile(r"Cannot run program \"(?P<name>[^\"\n]+)\".{0,200}\berror=2\b"), _COMMAND),
    (re.compile(r"^error: no such (?:sub)?command: `(?P<name>[^`\n]+)`", re.MULTILINE), _COMMAND),
    (
        re.compile(r"^(?P<folder>\S*)python[\w.]*(?:\.exe)?: No module named (?P<name>\S+)", re.MULTILINE),
        "the module {name!r} is missing",
    ),
)
_SHELL: Final = (126, 127, 9009)  # exit codes of a shell for a program that it can't start
_PASSED_ON: Final = re.compile(r"\b(?:Error|exit code|exit status|code) (?:126|127)\b")
_WORD: Final = re.compile(r"[‘'\"]?([\w./@-]+)[’'\"]?\Z")
_LOOK: Final = 64_000  # characters at the beginning and at the end


def surroundings(text: str) -> Hint | None:
    """Return why a tool could not examine the commit, judging by its output; None if nothing says so.

    Only the beginning and the end are searched. Tests may print any of these names, so call this only if no error of
    the project was found.
    """
    part = text if len(text) <= 2 * _LOOK else f"{text[:_LOOK]}\n{text[-_LOOK:]}"
    reason = _of_numbers(part) or _of_names(part) or _of_forms(part) or _of_launching(part) or _of_words(part)
    return Hint("could not run", reason) if reason else None


def not_started(code: int | None, text: str) -> str:
    """Return why a command that exited with a code, or passed one on, did not examine the commit; empty if it did.

    A shell names the program between the last two colons of a line, or after the last one, in any language.
    """
    if code not in _SHELL and _PASSED_ON.search(text[-_LOOK:]) is None:
        return ""
    for line in reversed(text[-_LOOK:].splitlines()):
        name = _complained_of(line.strip().split(": "))
        if name:
            return _COMMAND.format(name=name)
    return f"a program it calls cannot be started (exit code {code})"


def _complained_of(parts: Sequence[str]) -> str:
    """Return the program in a shell's complaint such as `sh: 1: tsc: not found`; empty for any other line."""
    shell, *rest = parts
    if not rest[1:] or " " in shell:
        return ""
    hits = (_WORD.match(one) for one in parts[-2:])
    return next((hit[1] for hit in hits if hit and not hit[1].isdigit()), "")


def _of_numbers(text: str) -> str:
    for hit in _NUMBER.finditer(text):
        number = int(hit[1] or hit[2] or hit[3])
        reason = _RESOLVING.get(number) or _SYSTEM.get(errno.errorcode.get(number, ""))
        if reason:
            return reason
    hits = (_CURL.get(hit[1] or hit[2]) for hit in _CURLED.finditer(text))
    return next(filter(None, hits), "")


def _of_names(text: str) -> str:
    return next(filter(None, (_NAMES.get(hit[0]) for hit in _NAME.finditer(text))), "")


def _of_forms(text: str) -> str:
    return next((reason for form, reason in _FORMS if form.search(text)), "")


def _of_launching(text: str) -> str:
    hits = ((form.search(text), words) for form, words in _LAUNCHED)
    return next((f"{words.format(name=hit['name'])}{_whose(hit)}" for hit, words in hits if hit), "")


def _whose(hit: re.Match[str]) -> str:
    """Say if the Python that lacks a module is the one that runs Pactkeeper, which has none of the project's."""
    folder, own = hit.groupdict().get("folder"), Path(sys.executable).parent
    if not folder or Path(folder) != own or sys.prefix == sys.base_prefix:
        return ""
    return f" in {str(own)!r}, Pactkeeper's own environment; put only `pk` on the PATH, not that folder"


def _of_words(text: str) -> str:
    """Match the system's own text for an error, as printed by C, Rust and Go."""
    pattern, reasons = _texts()
    hit = pattern.search(text)
    return reasons[hit[0].casefold()] if hit else ""


@cache
def _texts() -> tuple[re.Pattern[str], Mapping[str, str]]:
    found = {os.strerror(getattr(errno, name)): reason for name, reason in _SYSTEM.items() if hasattr(errno, name)}
    with suppress(OSError, AttributeError):
        told = ctypes.CDLL(None).gai_strerror
        told.restype = ctypes.c_char_p
        found.update({told(number).decode(): reason for number, reason in _RESOLVING.items()})
    texts = "|".join(sorted(map(re.escape, found), key=len, reverse=True))
    return re.compile(rf"\b(?:{texts})\b", re.IGNORECASE), {text.casefold(): why for text, why in found.items()}
