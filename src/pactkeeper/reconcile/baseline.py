"""Which commit a delta starts from: the one that is named, the last run's, or where HEAD left the main branch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pactkeeper.errors import MissingBaseline
from pactkeeper.intent.folder import Folder
from pactkeeper.repo.git import Repository
from pactkeeper.repo.uncommitted import uncommitted

if TYPE_CHECKING:
    from pactkeeper.ledger.canonical import Run


@dataclass(frozen=True, slots=True)
class Baseline:
    """The state that a delta starts from: a commit, and the run that looked at it where it was one."""

    commit: str
    run: str | None = None


def baseline(repository: Repository, since: str | None, last: Baseline | None, folder: Folder) -> Baseline:
    """Name the commit to compare with; never falls back to looking at everything.

    That is `since`, else where the `last` run stood, else where HEAD left the main branch; on that branch it is HEAD
    where something besides the pact is not committed. Raises MissingBaseline.
    """
    if since is not None:
        return Baseline(repository.resolve(since))
    if last is not None:
        return Baseline(repository.resolve(last.commit), last.run)
    head = repository.head()
    if head is None:
        raise MissingBaseline("there is no commit to compare with yet; scan everything instead: pk reconcile --all")
    try:
        trunk = repository.trunk()
        base = repository.merge_base(trunk)
    except MissingBaseline as reason:
        raise MissingBaseline(f"{reason}; name a base with --since REF, or look at everything with --all") from reason
    if base == head and all(folder.holds(path) for path in uncommitted(repository)):
        raise MissingBaseline(
            f"HEAD is on {trunk}, no run came before and nothing is uncommitted, so there is nothing to compare with; "
            "name a base with --since REF, or give a path or --all to look at everything there"
        )
    return Baseline(base)


def last_look(past: Sequence[Run]) -> Run | None:
    """The newest of these runs, newest first, after which no change before it is left to be looked at.

    That is one that looked at everything that had changed. Where all looked at a part, at some paths or at a limited
    number of tests, it is the first of them: whatever one of them left out has changed since then or not at all.
    """
    looks = [run for run in past if "origin" not in run.options]
    whole = (run for run in looks if not run.options.get("paths") and not run.summary.get("beyond_max_tests"))
    return next(whole, looks[-1] if looks else None)
