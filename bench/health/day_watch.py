"""The watch of a simulated day, in a process of its own, so that it can be killed: `python -m bench.health.day_watch`.

It asks for the time on standard output (`wait SECONDS`) and gets it on standard input, in seconds since the morning;
`swept …` tells of a sweep. What the watch tells people goes to standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pactkeeper.health.concluding import Conclusion
from pactkeeper.health.watching import Feed
from pactkeeper.operators.sweep import to_board, to_feed
from pactkeeper.operators.watch import Clock, WatchRequest, watch_repo
from pactkeeper.workspace import Workspace, open_workspace

MORNING = datetime(2026, 3, 2, tzinfo=UTC)


@dataclass(slots=True)
class Asked:
    """A clock whose hands somebody else moves."""

    seconds: float

    def now(self) -> datetime:
        """The simulated time."""
        return MORNING + timedelta(seconds=self.seconds)

    def wait(self, seconds: float) -> None:
        """Say until when there is nothing to do, and get the time after that."""
        print(f"wait {self.seconds + seconds}", flush=True)
        self.seconds = float(sys.stdin.readline())


def main(root: Path, feed: str, seconds: float) -> None:
    """Watch a repository from a time on until the process is ended."""
    clock = Asked(seconds)

    @contextmanager
    def opener() -> Iterator[Workspace]:
        with open_workspace(root, notice=lambda _: None) as opened:
            yield replace(opened, now=clock.now)

    def told(found: Conclusion) -> None:
        print(f"swept {found.sweep.id} {'stale' if found.sweep.stale else 'fresh'} {len(found.tasks)}", flush=True)

    planners = [to_feed(Feed(feed)), to_board(opener, "local"), told]
    watch_repo(
        opener,
        WatchRequest(),
        Clock(clock.now, clock.wait),
        lambda line: print(line, file=sys.stderr, flush=True),
        on_sweep_complete=planners,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
