"""Where jobs run: in a folder of the worker's host, or in a temporary worktree of one of the server's repositories."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir

from pactkeeper.errors import InputError
from pactkeeper.jobs.job import HEAD, Job, kind_of
from pactkeeper.operators.team import FOLDER, SHELVES, Team, fetch_repository, mirror_of, open_team
from pactkeeper.repo.origin import TREE, Mirror
from pactkeeper.settings import environment
from pactkeeper.store.repositories import repository_named
from pactkeeper.workspace import Workspace


def repository_of(workspace: Workspace) -> str:
    """Return the name under which a server fetched this repository; empty for a local folder."""
    root, personal = workspace.repository.root, workspace.surroundings.personal
    shelves = None if personal is None else personal / FOLDER / SHELVES
    return root.parent.name if root.name == TREE and root.parent.parent == shelves else ""


def tree_of(name: str) -> Path:
    """Return this host's standing worktree of one of the server's repositories, fetching it if necessary."""
    with open_team() as team:
        mirror = mirror_of(team, repository_named(team.database, name))
        if not mirror.tree.is_dir():
            fetch_repository(team, name)
        return mirror.tree


@contextmanager
def folder_of(job: Job) -> Iterator[Path]:
    """Provide the folder that a job runs in: a temporary worktree, unless its kind only reads commits.

    Raises InputError if the repository is not on this host, and GitFailed.
    """
    if job.repository:
        with open_team() as team, _fetched(team, job) as folder:
            yield folder
        return
    place = Path(job.place)
    if not place.is_dir():
        raise InputError(f"{job.place!r} is no folder on this host; run workers where it is, or use pk repos add")
    if not kind_of(job.kind).tree:
        yield place
        return
    caches = environment().caches or Path(gettempdir())
    mirror = Mirror.of_folder(caches / "jobs" / job.subject, place)
    mirror.bury()
    with mirror.job(job.commit or HEAD) as folder:
        yield folder


@contextmanager
def _fetched(team: Team, job: Job) -> Iterator[Path]:
    """Provide a worktree of one of the server's repositories at a job's commit, fetching it if necessary."""
    mirror = mirror_of(team, repository_named(team.database, job.repository))
    if job.commit in {"", HEAD} or not mirror.has(job.commit):
        fetch_repository(team, job.repository)
    with mirror.job(job.commit or HEAD) as folder:
        yield folder
