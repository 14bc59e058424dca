"""Hosts of a campaign: network namespaces with clones of their own, or plain processes where those are refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

NETWORK: Final = "10.77.0"
BRIDGE: Final = "pkbridge"
LAUNCH: Final = Path(__file__).with_name("launch.py")


def ip(*arguments: str) -> bool:
    """Run `ip`; False where it is refused."""
    return subprocess.run(["ip", *arguments], capture_output=True, check=False).returncode == 0


@dataclass
class Host:
    """A host: its number, the folder that it sees as `seen`, and whether it has a network of its own."""

    number: int
    folder: Path
    seen: Path
    apart: bool

    @property
    def name(self) -> str:
        """What its namespace is called."""
        return f"pkhost{self.number}"

    def command(self, skew: float) -> list[str]:
        """What a command on this host begins with; its clock is wrong by `skew` seconds."""
        bind = [str(self.folder), str(self.seen)] if self.apart else ["-", "-"]
        inner = [sys.executable, str(LAUNCH), str(skew), *bind]
        return ["ip", "netns", "exec", self.name, *inner] if self.apart else inner

    def cut(self, *, off: bool) -> None:
        """Take the host off the network, or back to it."""
        if self.apart:
            ip("link", "set", f"pkv{self.number}", "down" if off else "up")


@contextmanager
def hosts(count: int, folder: Path, *, apart: bool) -> Iterator[list[Host]]:
    """So many hosts; with `apart` they have networks and clones of their own."""
    seen = folder / "srv"
    seen.mkdir()
    made = [Host(number, folder / f"host{number}" if apart else seen, seen, apart) for number in range(count)]
    for one in made:
        one.folder.mkdir(exist_ok=True)
    if not apart:
        yield made
        return
    try:
        ip("link", "add", BRIDGE, "type", "bridge")
        ip("addr", "add", f"{NETWORK}.1/24", "dev", BRIDGE)
        ip("link", "set", BRIDGE, "up")
        for one in made:
            _connect(one)
        yield made
    finally:
        for one in made:
            ip("netns", "del", one.name)
        ip("link", "del", BRIDGE)


def _connect(host: Host) -> None:
    outer, inner = f"pkv{host.number}", f"pkw{host.number}"
    ip("netns", "add", host.name)
    ip("link", "add", outer, "type", "veth", "peer", "name", inner)
    ip("link", "set", outer, "master", BRIDGE)
    ip("link", "set", outer, "up")
    ip("link", "set", inner, "netns", host.name)
    ip("-n", host.name, "addr", "add", f"{NETWORK}.{host.number + 10}/24", "dev", inner)
    ip("-n", host.name, "link", "set", inner, "up")
    ip("-n", host.name, "link", "set", "lo", "up")


@dataclass
class Worker:
    """One `pk worker` of a host, started again whenever it has ended."""

    host: Host
    environment: Mapping[str, str]
    log: Path
    skew: float
    silence: float
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def start(self) -> None:
        """Start it."""
        options = ["worker", "--silence", str(self.silence), "--drain", "20"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*self.host.command(self.skew), *options],
                env=dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def ensure(self) -> None:
        """Start it again where it has ended."""
        if self.process is None or self.process.poll() is not None:
            self.start()

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        if self.process is not None and self.process.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.process.pid, number)

    def end(self) -> None:
        """Have it end, and kill it after a minute."""
        self.send(signal.SIGCONT)
        self.send(signal.SIGTERM)
        until = time.monotonic() + 60
        while self.process is not None and self.process.poll() is None and time.monotonic() < until:
            time.sleep(0.1)
        self.send(signal.SIGKILL)
