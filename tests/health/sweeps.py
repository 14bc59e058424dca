"""Real repositories with declared checks, swept."""

import json
import os
import time
from datetime import UTC, datetime

from pactkeeper.health.sweeping import SweepScope, Watching, sweep
from pactkeeper.health.tree import SweepPlaces
from pactkeeper.health.trust import ANY, Trust
from tests.repo.repositories import create
from tests.waiting import PATIENCE, until

MARK = "[pact]\nformat = 1\n"


def check(name, script, category="test", **keys):
    lines = [f"{key} = {toml(value)}" for key, value in keys.items()]
    head = ["[[health.check]]", f'name = "{name}"', f'category = "{category}"']
    return "\n".join([*head, f"argv = {json.dumps(['sh', '-c', script])}", *lines]) + "\n"


def toml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + "}"
    return json.dumps(value)


def project(root, *checks, settings="", **files):
    """A repository whose pact declares these checks, as made by `check`."""
    table = f"[health]\n{settings}\n" if settings else ""
    return create(root, {"pact/pact.toml": MARK + table + "".join(checks), "a.txt": "a\n", **files})


def waited(pid):
    """Look for a process for as long as it may take the system to bury it; raises ProcessLookupError once it is gone."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        os.kill(pid, 0)
        time.sleep(0.05)


def written(place):
    """Wait for the number that a check writes into a file, with the end of its line."""
    return int(until(lambda: place.exists() and place.read_text().endswith("\n") and place.read_text(), place))


def places(repository):
    """Beside the repository, so that every test has its own."""
    return SweepPlaces(repository.common_dir / "pact", repository.root.with_name(f"{repository.root.name}-sweep"))


def swept(repository, at=None, **wanted):
    return sweep(
        repository,
        places(repository),
        SweepScope(at, trust=Trust(frozenset({ANY})), **wanted),
        Watching(lambda: datetime.now(UTC)),
    ).sweep


def verdicts(found):
    return {one.check: one.verdict for one in found.results if one.check != "conflict-markers"}


def result(found, name="x"):
    return next(one for one in found.results if one.check == name)
