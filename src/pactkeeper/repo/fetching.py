"""Fetching into a bare mirror: the only place where git talks to other machines.

Nothing in a clone is executed: no hooks, no submodules, an allowlist of protocols, and argument lists instead of shell
strings. A fetch that grows too large or takes too long is killed, and the next one clears away what it left.

A repository's source is either a local folder or a URL that git may fetch from.
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
_LONGEST: Final = 2000  # characters of git's error output that are kept
_REFS: Final = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")


@dataclass(frozen=True, slots=True)
class CloneLimits:
    """What a clone may use: bytes on disk, seconds per fetch, files and bytes per checkout."""

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
        """Return options for git; raise UsageError if others may read the credentials file."""
        if self.credentials is None:
            return ()
        if stat.S_IMODE(self.credentials.stat().st_mode) & 0o077:
            raise UsageError(f"others can read {str(self.credentials)!r}; restrict it: chmod 600 {self.credentials}")
        quoted = "'" + str(self.credentials).replace("'", "'\\''") + "'"  # git runs the helper through a shell
        return ("-c", "credential.helper=", "-c", f"credential.helper=store --file={quoted}")


def make_mirror(git: Path, source: Source) -> None:
    """Create an empty bare repository that knows its remote; raise GitFailed."""
    if not (git / "HEAD").is_file():
        run_git(git.parent, ("init", "--quiet", "--bare", "--template=", "--", str(git)))
    settings = {"remote.origin.url": source.url, "gc.auto": "0", "core.hooksPath": os.devnull}
    if source.partial:
        settings |= {"remote.origin.promisor": "true", "remote.origin.partialclonefilter": "blob:none"}
    for name, value in settings.items():
        run_git(git, ("config", name, value))


def fetch(git: Path, source: Source, network: Network) -> str:
    """Update a mirror and return the branch that the remote's HEAD names. Raise GitFailed or RefusedError.

    No other fetch into the mirror may run at the same time.
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
    """Push one commit to the remote as a new branch; raise GitFailed."""
    run_git(git, ("push", "--quiet", "--no-verify", "--", "origin", refspec), talking(source), network.settings())


def default_branch(git: Path, source: Source, network: Network) -> str:
    """Return the branch that the remote's HEAD names; raise GitFailed."""
    said = run_git(git, ("ls-remote", "--symref", "--", "origin", "HEAD"), talking(source), network.settings())
    named = next((line.split("\t")[0] for line in said.splitlines() if line.startswith("ref: refs/heads/")), "")
    branch = named.removeprefix("ref: refs/heads/")
    if not branch:
        raise GitFailed(f"{source.url!r} names no default branch; push a first commit there")
    return branch


def talking(source: Source) -> Mapping[str, str]:
    """Return an environment in which git may reach the mirror's remote and never prompts for a password."""
    return clean_environment() | {
        "GIT_ALLOW_PROTOCOL": source.protocol,
        "GIT_NO_LAZY_FETCH": "0",
        "GIT_ASKPASS": "true",
        "SSH_ASKPASS": "true",
        "GIT_SSH_COMMAND": "ssh -oBatchMode=yes -oConnectTimeout=20",
    }


def _watched(git: Path, arguments: Sequence[str], source: Source, network: Network) -> None:
    """Run git, and kill it if it exceeds the limits."""
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
                raise RefusedError(f"the fetch of {source.url!r} was stopped: {why}")
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
    """Return the total size in bytes below a folder; files that vanish meanwhile are skipped."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118 - many files
            except FileNotFoundError:
                continue
    return total


def _clear(git: Path) -> None:
    """Remove what a killed fetch left behind; no other process writes here."""
    for pattern in ("*.lock", "refs/**/*.lock", "objects/pack/tmp_*", "objects/tmp_*"):
        for one in git.glob(pattern):
            one.unlink(missing_ok=True)
    for one in (git / "objects").glob("tmp_objdir-*"):
        shutil.rmtree(one, ignore_errors=True)


def run_git(
    folder: Path, arguments: Sequence[str], environment: Mapping[str, str] | None = None, options: Sequence[str] = ()
) -> str:
    """Return a git command's output; raise GitFailed with its error output."""
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
    """Return git's whole complaint, since the cause precedes its last line."""
    return " · ".join(complaint[-_LONGEST:].split("\n")).strip(" ·") or "git said nothing"


PROTOCOLS: Final = ("https", "ssh")
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_SHORT_SSH: Final = re.compile(r"[\w.-]{1,64}@[\w.-]{1,255}:[^:\s][^\s]{0,500}", re.ASCII)
_HOST: Final = re.compile(r"[A-Za-z0-9_.-]{1,255}|\[[0-9A-Fa-f:]{2,45}\]")
_LONGEST_SOURCE: Final = 1000


@dataclass(frozen=True, slots=True)
class Source:
    """What to fetch: `depth` commits of each branch (0: all); with `partial`, blobs are only fetched when needed."""

    url: str
    depth: int = 0
    partial: bool = False

    @property
    def protocol(self) -> str:
        """The protocol git uses to reach it."""
        return urlsplit(self.url).scheme if "://" in self.url else "ssh"


def place_of(url: str) -> str:
    """Return where a URL leads as HOST/PATH, whatever the protocol; paths that differ only in case are the same."""
    host, path = (urlsplit(url).netloc, urlsplit(url).path) if "://" in url else url.partition(":")[::2]
    return f"{host.rpartition('@')[2]}/{path.strip('/').removesuffix('.git')}".casefold()


def checked_name(text: str) -> str:
    """Return a name that is safe in a path and in a URL; raise UsageError."""
    if _NAME.fullmatch(text) is None or text.endswith((".git", ".lock", ".")) or ".." in text:
        raise UsageError(
            f"{text!r} is not a valid name for a repository; use lower-case letters, digits, '.', '_' and '-'"
        )
    return text


def is_url(text: str) -> bool:
    """Whether this is something to fetch rather than a local folder."""
    return "://" in text or "::" in text or (_SHORT_SSH.fullmatch(text) is not None and not Path(text).exists())


def checked_url(text: str) -> str:
    """Return a URL that git may fetch from; raise UsageError for other protocols and for URLs with a password."""
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
    """Whether the host is loopback, the only one trusted without TLS."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
