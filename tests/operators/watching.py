"""A repository that is watched on a simulated clock."""

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pactkeeper.operators.watch import Clock, WatchRequest, watch_repo
from pactkeeper.workspace import open_workspace
from tests.health.projects import CHECK
from tests.health.sweeps import MARK
from tests.repo.repositories import commit, create, git, write

HEAD = MARK + "[health]\ninterval = 300\nfastest = 60\n"


@dataclass
class Line:
    """A main branch whose check reports what `errors.txt` holds, watched; `at` are things that happen at a time."""

    root: Path
    now: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    told: list[str] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    at: dict = field(default_factory=dict)

    @contextmanager
    def open(self):
        with open_workspace(self.root, notice=lambda _: None) as opened:
            yield replace(opened, now=lambda: self.now)

    def errors(self, text):
        write(self.root, {"errors.txt": text})
        return commit(self.root, "change")

    def wait(self, seconds):
        self.waits.append(seconds)
        self.now += timedelta(seconds=seconds)
        for moment in [one for one in self.at if one <= self.elapsed]:
            self.at.pop(moment)()

    @property
    def elapsed(self):
        return (self.now - datetime(2026, 1, 1, tzinfo=UTC)).total_seconds()

    def watch(self, seconds=None, *, once=False, opener=None, planners=(), at=None):
        request = WatchRequest(at, once, seconds)
        clock = Clock(lambda: self.now, self.wait)
        return watch_repo(opener or self.open, request, clock, self.told.append, on_sweep_complete=planners)

    def starts(self, seconds, **options):
        """After how many seconds each sweep began, while watching so long."""
        found = []
        begun = self.elapsed
        self.watch(seconds, planners=[lambda _: found.append(self.elapsed - begun)], **options)
        return found


def line(root, settings=""):
    create(root, {"pact/pact.toml": f"{HEAD}{settings}{CHECK}", "shop.py": "", "errors.txt": ""})
    git(root, "config", "user.name", "Ada")
    return Line(root)
