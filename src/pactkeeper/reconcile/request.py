"""What a run is asked to do, in its stored form, so that another process can resume it.

Also chooses the commit that a delta starts from: the named one, the last run's, or where HEAD left the main branch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, cast

from pactkeeper.errors import InputError, MissingBaseline
from pactkeeper.repo.git import Repository, uncommitted

if TYPE_CHECKING:
    from pactkeeper.intent.folder import Folder
    from pactkeeper.ledger.canonical import JsonValue, Mode, Run


MAX_ITERATIONS = 20  # seed 000 §6: the hard limit of a run


@dataclass(frozen=True, slots=True)
class Request:
    """What to reconcile: `paths` or `everything` request a full scan, otherwise the delta since `since`.

    `since` names a commit or a run. `docs` allows searching the repository's documents for what a test is about,
    `molecules` adds ops that store groups of new atoms, `auto_apply` applies what the policy allows without a person.
    `ask` puts what rules leave open to the configured model (None: as in the user's settings), limited by `max_calls`
    and `max_cost` (millionths of a US dollar).
    """

    paths: tuple[str, ...] = ()
    everything: bool = False
    mode: Mode | None = None
    since: str | None = None
    max_tests: int | None = None
    docs: bool = True
    molecules: bool = False
    auto_apply: bool = False
    ask: bool | None = None
    max_calls: int | None = None
    max_cost: int | None = None
    max_iterations: int = MAX_ITERATIONS

    @property
    def full(self) -> bool:
        """Whether all tests in the paths are examined, changed or not."""
        if self.mode is not None:
            return self.mode == "full-scan"
        return self.everything or (bool(self.paths) and self.since is None)

    @property
    def options(self) -> dict[str, JsonValue]:
        """The form stored in the history."""
        return {**asdict(self), "paths": list(self.paths)}

    @staticmethod
    def of(options: Mapping[str, JsonValue]) -> Request:
        """Read the stored form; raises InputError if another version of Pactkeeper wrote options unknown here."""
        unknown = sorted(options.keys() - {one.name for one in fields(Request)})
        if unknown:
            raise InputError(f"the run has options that this version does not know: {', '.join(unknown)}")
        paths = tuple(str(one) for one in cast("list[JsonValue]", options.get("paths", [])))
        return Request(**cast("dict[str, str]", {**options, "paths": paths}))  # type: ignore[arg-type]  # as written by `options`


@dataclass(frozen=True, slots=True)
class Baseline:
    """The state that a delta starts from: a commit, and the run that examined it, if there was one."""

    commit: str
    run: str | None = None


def baseline(repository: Repository, since: str | None, last: Baseline | None, folder: Folder) -> Baseline:
    """Return the commit to compare with; never falls back to examining everything.

    That is `since`, else the `last` run's commit, else where HEAD left the main branch; on that branch, HEAD if
    something besides the pact is uncommitted. Raises MissingBaseline.
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
            f"HEAD is on {trunk}, with no earlier run and nothing uncommitted, so there is nothing to compare "
            "with; name a base with --since REF, or give a path or --all"
        )
    return Baseline(base)


def last_look(past: Sequence[Run]) -> Run | None:
    """Return the newest of these runs, newest first, before which no change is left unexamined.

    That is one that examined everything that had changed. If all runs were partial, limited to paths or a number of
    tests, it is the first of them: whatever one of them left out has changed since then or not at all.
    """
    looks = [run for run in past if "origin" not in run.options]
    whole = (run for run in looks if not run.options.get("paths") and not run.summary.get("beyond_max_tests"))
    return next(whole, looks[-1] if looks else None)
