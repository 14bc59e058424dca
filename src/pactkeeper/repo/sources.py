"""Where a repository comes from: a folder of this machine, or a URL that git may fetch from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pactkeeper.errors import UsageError

PROTOCOLS: Final = ("https", "ssh")
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_SHORT_SSH: Final = re.compile(r"[\w.-]{1,64}@[\w.-]{1,255}:[^:\s][^\s]{0,500}", re.ASCII)
_HOST: Final = re.compile(r"[A-Za-z0-9_.-]{1,255}|\[[0-9A-Fa-f:]{2,45}\]")
_LONGEST: Final = 1000


@dataclass(frozen=True, slots=True)
class Source:
    """What to fetch: `depth` commits of each branch (0: all), and blobs only when they are needed where `partial`."""

    url: str
    depth: int = 0
    partial: bool = False

    @property
    def protocol(self) -> str:
        """What git speaks to reach it."""
        return urlsplit(self.url).scheme if "://" in self.url else "ssh"


def place_of(url: str) -> str:
    """Where a URL leads, as HOST/PATH, whichever way git gets there; what forges tell apart by case alone is one."""
    host, path = (urlsplit(url).netloc, urlsplit(url).path) if "://" in url else url.partition(":")[::2]
    return f"{host.rpartition('@')[2]}/{path.strip('/').removesuffix('.git')}".casefold()


def checked_name(text: str) -> str:
    """A name that is safe in a path and in a URL; raises UsageError."""
    if _NAME.fullmatch(text) is None or text.endswith((".git", ".lock", ".")) or ".." in text:
        raise UsageError(f"{text!r} is no name for a repository; use lower-case letters, digits, '.', '_' and '-'")
    return text


def is_url(text: str) -> bool:
    """Whether this is to be fetched, and no folder of this machine."""
    return "://" in text or "::" in text or (_SHORT_SSH.fullmatch(text) is not None and not Path(text).exists())


def checked_url(text: str) -> str:
    """A URL that git may fetch from; raises UsageError for other protocols, and for one that holds a password."""
    if len(text) > _LONGEST or any(not sign.isprintable() for sign in text) or text.startswith("-"):
        raise UsageError("the URL of a repository has at most 1,000 printable characters and starts with no '-'")
    if "://" not in text and _SHORT_SSH.fullmatch(text):
        return text
    try:
        parts = urlsplit(text)
        host, password, _ = parts.hostname or "", parts.password, parts.port
    except ValueError:
        raise UsageError(f"{text[:200]!r} is no URL; write https://HOST/PATH or ssh://git@HOST/PATH") from None
    if password is not None or (parts.scheme in {"http", "https"} and parts.username):
        raise UsageError("leave the password out of the URL: it would be stored and shown; docs/team-server.md has how")
    allowed = parts.scheme in PROTOCOLS or (parts.scheme == "http" and _near(host))
    if not allowed or not _HOST.fullmatch(host if ":" not in host else f"[{host}]") or host.startswith("-"):
        raise UsageError(f"{text[:200]!r} cannot be fetched; write https://HOST/PATH or ssh://git@HOST/PATH")
    return text


def _near(host: str) -> bool:
    """Without TLS only this machine is believed."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
