"""Fetching into a bare mirror: the one place where git talks to other machines.

Nothing that a clone contains runs: no hooks, no submodules, an allow list of protocols, argument lists. A fetch that
grows too large or takes too long is ended, and what it left is cleared away by the next one.

Where a repository comes from: a folder of this machine, or a URL that git may fetch from.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pactkeeper.errors import GitFailed, RefusedError, UsageError
from pactkeeper.repo.git import clean_environment, guarded

_PAUSE: Final = 0.2
_LONGEST: Final = 2000  # characters of git's complaint that are looked at
_REFS: Final = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")


@dataclass(frozen=True, slots=True)
class CloneLimits:
    """What a clone may take: bytes on disk, seconds of a fetch, files and bytes of one checkout."""

    stored: int = 4_000_000_000
    seconds: float = 900.0
    files: int = 300_000
    checked_out: int = 4_000_000_000


@dataclass(frozen=True, slots=True)
class Network:
    """How to reach other machines: limits, and a file of `https://USER:TOKEN@HOST` lines besides git's own helpers."""

    limits: CloneLimits = CloneLimits()
    credentials: Path | None = None

    def settings(self) -> tuple[str, ...]:
        """Options for git; raises UsageError where others may read the file of credentials."""
        if self.credentials is None:
            return ()
        if stat.S_IMODE(self.credentials.stat().st_mode) & 0o077:
            raise UsageError(f"others may read {str(self.credentials)!r}; close it: chmod 600 {self.credentials}")
        quoted = "'" + str(self.credentials).replace("'", "'\\''") + "'"  # git hands the helper to a shell
        return ("-c", "credential.helper=", "-c", f"credential.helper=store --file={quoted}")


def make_mirror(git: Path, source: Source) -> None:
    """Make an empty bare repository that knows where it comes from; raises GitFailed."""
    if not (git / "HEAD").is_file():
        run_git(git.parent, ("init", "--quiet", "--bare", "--template=", "--", str(git)))
    settings = {"remote.origin.url": source.url, "gc.auto": "0", "core.hooksPath": os.devnull}
    if source.partial:
        settings |= {"remote.origin.promisor": "true", "remote.origin.partialclonefilter": "blob:none"}
    for name, value in settings.items():
        run_git(git, ("config", name, value))


def fetch(git: Path, source: Source, network: Network) -> str:
    """Bring a mirror up to date; the branch that the other side's HEAD names. Raises GitFailed and RefusedError.

    Nobody else may fetch into it meanwhile.
    """
    _clear(git)
    options = ["--prune", "--no-auto-gc", "--no-recurse-submodules", "--no-write-fetch-head", "--force"]
    options += [f"--depth={source.depth}"] if source.depth else []
    options += ["--filter=blob:none"] if source.partial else []
    _watched(git, ("fetch", "--quiet", *options, "--", "origin", *_REFS), source, network)
    branch = default_branch(git, source, network)
    run_git(git, ("symbolic-ref", "HEAD", f"refs/heads/{branch}"))
    return branch


def push(git: Path, source: Source, network: Network, refspec: str) -> None:
    """Send one commit to the other side as a new branch; raises GitFailed."""
    run_git(git, ("push", "--quiet", "--no-verify", "--", "origin", refspec), talking(source), network.settings())


def default_branch(git: Path, source: Source, network: Network) -> str:
    """The branch that the other side's HEAD names; raises GitFailed."""
    said = run_git(git, ("ls-remote", "--symref", "--", "origin", "HEAD"), talking(source), network.settings())
    named = next((line.split("\t")[0] for line in said.splitlines() if line.startswith("ref: refs/heads/")), "")
    branch = named.removeprefix("ref: refs/heads/")
    if not branch:
        raise GitFailed(f"{source.url!r} names no default branch; push a first commit there")
    return branch


def talking(source: Source) -> Mapping[str, str]:
    """The environment of a git that may reach where a mirror comes from, and asks nobody for a password."""
    return clean_environment() | {
        "GIT_ALLOW_PROTOCOL": source.protocol,
        "GIT_NO_LAZY_FETCH": "0",
        "GIT_ASKPASS": "true",
        "SSH_ASKPASS": "true",
        "GIT_SSH_COMMAND": "ssh -oBatchMode=yes -oConnectTimeout=20",
    }


def _watched(git: Path, arguments: Sequence[str], source: Source, network: Network) -> None:
    """Run git, and end it where it takes too much."""
    command = guarded(git, (*network.settings(), *arguments))
    began = time.monotonic()
    with subprocess.Popen(
        command,
        env=dict(talking(source)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        while process.poll() is None:
            why = _too_much(git, time.monotonic() - began, network.limits)
            if why:
                os.killpg(process.pid, 9)
                raise RefusedError(f"the fetch of {source.url!r} was ended: {why}")
            time.sleep(_PAUSE)
        complaint = "" if process.stderr is None else process.stderr.read().decode("utf-8", "replace")
    if process.returncode:
        raise GitFailed(f"{source.url!r} was not fetched: {_said(complaint)}")
    if size_of(git) > network.limits.stored:
        raise RefusedError(
            f"{source.url!r} takes more than {network.limits.stored:,} bytes; raise the limit, or --depth"
        )


def _too_much(git: Path, seconds: float, limits: CloneLimits) -> str:
    if seconds > limits.seconds:
        return f"it took longer than {limits.seconds:,.0f} seconds"
    if size_of(git) > limits.stored:
        return f"it takes more than {limits.stored:,} bytes; raise the limit, or fetch less with --depth"
    return ""


def size_of(folder: Path) -> int:
    """The bytes below a folder; what vanishes meanwhile counts nothing."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118 - many files
            except FileNotFoundError:
                continue
    return total


def _clear(git: Path) -> None:
    """Take away what a killed fetch left; nobody else writes here."""
    for pattern in ("*.lock", "refs/**/*.lock", "objects/pack/tmp_*", "objects/tmp_*"):
        for one in git.glob(pattern):
            one.unlink(missing_ok=True)
    for one in (git / "objects").glob("tmp_objdir-*"):
        shutil.rmtree(one, ignore_errors=True)


def run_git(
    folder: Path, arguments: Sequence[str], environment: Mapping[str, str] | None = None, options: Sequence[str] = ()
) -> str:
    """What a git command printed; raises GitFailed with the last line of its complaint."""
    done = subprocess.run(
        guarded(folder, (*options, *arguments)),
        env=dict(environment or clean_environment()),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=CloneLimits().seconds,
        check=False,
    )
    if done.returncode:
        raise GitFailed(f"`git {arguments[0]}` failed: {_said(done.stderr.decode('utf-8', 'replace'))}")
    return done.stdout.decode("utf-8", "replace")


def _said(complaint: str) -> str:
    """All that git complained of: the cause stands before its last line."""
    return " · ".join(complaint[-_LONGEST:].split("\n")).strip(" ·") or "git said nothing"


PROTOCOLS: Final = ("https", "ssh")
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_SHORT_SSH: Final = re.compile(r"[\w.-]{1,64}@[\w.-]{1,255}:[^:\s][^\s]{0,500}", re.ASCII)
_HOST: Final = re.compile(r"[A-Za-z0-9_.-]{1,255}|\[[0-9A-Fa-f:]{2,45}\]")
_LONGEST_SOURCE: Final = 1000


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
    if len(text) > _LONGEST_SOURCE or any(not sign.isprintable() for sign in text) or text.startswith("-"):
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
