"""A check inside bubblewrap: it reads what its person reads, and writes its worktree, its caches and its own /tmp.

The repository and the home folder are read-only, sockets below /run are out of reach, and every process ends with the
check. The network stays. `HOME` is a folder in the cache, so that package managers have a place to write to.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from pactkeeper.health.ground import CheckTree

_SYSTEM: Final = (
    *("bwrap", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts"),
    *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run"),  # noqa: S108 - its own
    *("--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"),
)
_ADVICE: Final = 'install bubblewrap, or take sandbox = "bubblewrap" out of [health]'
_PROBE: Final = 20  # seconds


def inside(argv: Sequence[str], folder: Path, ground: CheckTree) -> list[str]:
    """The argument list that runs another one inside bubblewrap."""
    seen = {os.fspath(one) for one in (ground.home.root, ground.home.common_dir)}  # where /tmp hides them
    written = [os.fspath(one) for one in (ground.places.cache, ground.places.scratch, ground.root)]
    read = [part for one in sorted(seen) for part in ("--ro-bind", one, one)]
    return [*_SYSTEM, *read, *(part for one in written for part in ("--bind", one, one)),
            "--chdir", os.fspath(folder), "--", *argv]  # fmt: skip


def variables(ground: CheckTree, environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that lead package managers to a home folder that they may write."""
    home = ground.places.cache / "home"
    home.mkdir(exist_ok=True)
    rustup = Path(environment.get("HOME", "/"), ".rustup")
    found = {"RUSTUP_HOME": os.fspath(rustup)} if rustup.is_dir() and "RUSTUP_HOME" not in environment else {}
    return {**found, "HOME": os.fspath(home), "XDG_CACHE_HOME": os.fspath(home / ".cache")}


@cache
def unready() -> str:
    """Why nothing can run inside bubblewrap on this machine; empty where it can."""
    try:
        done = subprocess.run([*_SYSTEM, "--", "true"], capture_output=True, timeout=_PROBE, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap cannot be started ({error}); {_ADVICE}"
    told = done.stderr.decode("utf-8", "replace").strip()
    return f"bubblewrap does not work here ({told}); {_ADVICE}" if done.returncode else ""
