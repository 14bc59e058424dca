"""Runs a check inside bubblewrap, which exposes system programs, its worktree and what `[health] readable` names.

Home folders, checkouts, other disks and sockets below /run are hidden. The check can write to its worktree, its caches
and a private /tmp; the rest is read-only, and every process ends with the check. The network stays reachable. `HOME` is
a folder in the cache, so that package managers have a place to write to.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from pactkeeper.health.ground import CheckTree
from pactkeeper.health.running import Ran

_PROGRAMS: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix", "/gnu")
# What programs need from /etc to start, resolve hosts and verify certificates: as root they could read the rest too.
_ETC: Final = (
    *("passwd", "group", "hosts", "host.conf", "nsswitch.conf", "resolv.conf", "gai.conf", "services", "protocols"),
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "timezone", "os-release", "static"),
    *("ssl/certs", "ssl/cert.pem", "ssl/openssl.cnf", "pki/ca-trust", "pki/tls/certs", "pki/tls/cert.pem", "pki/java"),
    *("ca-certificates", "ca-certificates.conf", "crypto-policies", "fonts", "mime.types", "terminfo", "java", "maven"),
)
_START: Final = (
    *("bwrap", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL"),
    *("--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--dir", "/var/tmp"),  # noqa: S108 - its own
)
_RESOLVER: Final = "/etc/resolv.conf"  # often a symlink to a file below /run
_ADVICE: Final = 'install bubblewrap, or take sandbox = "bubblewrap" out of [health]'
_PROBE: Final = 20  # seconds


def inside(argv: Sequence[str], folder: Path, ground: CheckTree) -> list[str]:
    """Return the argument list that runs another one inside bubblewrap."""
    named = (Path(one).expanduser() for one in ground.readable)
    read = _bound("--ro-bind-try", *_seen(), *named, ground.home.common_dir / "objects")
    written = _bound("--bind", ground.places.cache, ground.places.scratch, ground.root)
    return [*_START, *read, *written, "--chdir", os.fspath(folder), "--", *argv]


def _seen() -> tuple[str, ...]:
    etc = (*(f"/etc/{name}" for name in _ETC), *map(os.fspath, Path("/etc").glob("java-*")))
    return (*_PROGRAMS, *etc, "/sys", os.path.realpath(_RESOLVER))


def _bound(how: str, *places: str | Path) -> list[str]:
    return [part for one in places for part in (how, os.fspath(one), os.fspath(one))]


def variables(ground: CheckTree, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that point package managers to a writable home folder."""
    home = ground.places.cache / "home"
    home.mkdir(exist_ok=True)
    rustup = Path(environment.get("HOME", "/"), ".rustup")
    found = {"RUSTUP_HOME": os.fspath(rustup)} if rustup.is_dir() and "RUSTUP_HOME" not in environment else {}
    return {**found, "HOME": os.fspath(home), "XDG_CACHE_HOME": os.fspath(home / ".cache")}


def found_inside(ran: Ran, program: str) -> Ran:
    """Return the outcome of a command, marked as not started if bubblewrap did not find its program."""
    if ran.code == 0 or not ran.output.head.startswith(f"bwrap: execvp {program}: "):
        return ran
    why = f"the program {program!r} is not there inside bubblewrap; name its folder in [health] readable"
    return replace(ran, code=None, unstarted=why)


@cache
def unready() -> str:
    """Return why nothing can run inside bubblewrap on this machine; empty if it can."""
    argv = [*_START, *_bound("--ro-bind-try", *_seen()), "--", "true"]
    try:
        done = subprocess.run(argv, capture_output=True, timeout=_PROBE, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap cannot be started ({error}); {_ADVICE}"
    told = done.stderr.decode("utf-8", "replace").strip()
    return f"bubblewrap does not work here ({told}); {_ADVICE}" if done.returncode else ""
