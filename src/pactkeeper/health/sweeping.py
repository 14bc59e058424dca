"""One sweep: every check of a commit once, in the order of repair."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pactkeeper.catalog.schema import SETTINGS_FILE
from pactkeeper.errors import CatalogError
from pactkeeper.health import conflicts
from pactkeeper.health.checking import run_check
from pactkeeper.health.ground import CheckTree, standing
from pactkeeper.health.pinned import Pinned, has_moved, pin
from pactkeeper.health.plan import Plan, plan_of
from pactkeeper.health.planned import Planned
from pactkeeper.health.preparing import Step, prepare, reason, step_of
from pactkeeper.health.running import Ran
from pactkeeper.health.tree import Places
from pactkeeper.health.trust import NOTHING, Trust
from pactkeeper.intent.health import FAILED, CheckResult, HealthCheck, HealthSettings, Sweep
from pactkeeper.ledger.canonical import digest
from pactkeeper.repo.git import Repository
from pactkeeper.repo.pact_folder import OnDisk, folder_of


@dataclass(frozen=True, slots=True)
class SweepScope:
    """What to sweep: the commit that `at` names (None: HEAD), or the work tree as it is; `only` some checks, or all.

    Nothing runs but what `trust` covers.
    """

    at: str | None = None
    in_place: bool = False
    only: tuple[str, ...] = ()
    trust: Trust = NOTHING


@dataclass(frozen=True, slots=True)
class Watching:
    """What time it is, and who is told of each check: (check, its place, how many) before it, and what came of it.

    `prepares` is told the command line of each preparation.
    """

    now: Callable[[], datetime]
    begins: Callable[[HealthCheck, int, int], None] = lambda *_: None
    prepares: Callable[[str], None] = lambda _: None
    ended: Callable[[CheckResult], None] = lambda _: None


# Runs again what failed, while the tree still stands, and returns the fingerprints of what did not fail again.
Rerun = Callable[[CheckTree, Plan, Sequence[CheckResult]], frozenset[str]]


@dataclass(frozen=True, slots=True)
class Swept:
    """A sweep with the plan that it followed, for whoever concludes from it; `flaky` is what a rerun did not show.

    `aside` says why it was not about a commit that counts when it began; empty where it was.
    """

    sweep: Sweep
    plan: Plan
    flaky: frozenset[str] = frozenset()
    aside: str = ""


def sweep(
    repository: Repository, places: Places, wanted: SweepScope, watching: Watching, *, rerun: Rerun | None = None
) -> Swept:
    """Run every check once, and then what failed again by `rerun`, while the tree stands.

    Raises as `pin` and `standing` do, CatalogError where the settings cannot be read, and UntrustedError. The result is
    stale where the branch, or HEAD, names another commit at the end than at the beginning, and where the work tree
    holds what nobody has committed.
    """
    started = watching.now()
    pinned = pin(repository, wanted.at)
    with standing(repository, places, None if wanted.in_place else pinned.commit) as ground:
        aside = _aside(repository, pinned, in_place=wanted.in_place)
        plan, results = _results(ground, wanted, watching)
        flaky = rerun(ground, plan, results) if rerun is not None and _failed(results) else frozenset[str]()
    made = _sweep(pinned, results, started, watching.now())
    stale = bool(aside) or has_moved(repository, pinned)
    return Swept(replace(made, stale=stale, only=wanted.only), plan, flaky, aside)


def declared(repository: Repository, places: Places, at: str | None) -> tuple[str, Plan]:
    """The commit that `at` names, and what it declares to run; nothing of it runs."""
    commit = repository.resolve(at or "HEAD")
    with standing(repository, places, commit) as ground:
        return commit, plan_of(ground.root, ground.home.root)


def _aside(repository: Repository, pinned: Pinned, *, in_place: bool) -> str:
    """Why a sweep that begins is not about a commit that counts; empty where it is."""
    if in_place and repository.run("status", "--porcelain"):
        return "the work tree holds changes that are in no commit"
    return f"{pinned.commit[:12]} is not the commit that {pinned.named} names" if has_moved(repository, pinned) else ""


def _sweep(pinned: Pinned, results: Sequence[CheckResult], started: datetime, ended: datetime) -> Sweep:
    begun, done = (at.isoformat(timespec="milliseconds") for at in (started, ended))
    name = "sweep-" + digest([pinned.commit, begun, done])[3:15]
    return Sweep(name, pinned.commit, pinned.branch, begun, done, tuple(results))


def _results(ground: CheckTree, wanted: SweepScope, watching: Watching) -> tuple[Plan, list[CheckResult]]:
    marked = conflicts.conflicts(ground.opened, ground.commit)
    try:
        plan = plan_of(ground.root, ground.home.root)
    except CatalogError:
        if all(one.file != folder_of(OnDisk(ground.root)).path(SETTINGS_FILE) for one in marked.diagnostics):
            raise
        return Plan(HealthSettings(), (), torn=True), [
            marked
        ]  # what else to run stands in a file that is torn by a merge
    wanted.trust.ensure(plan, ground.opened.head() or "")
    ground.inherit, ground.sandbox = plan.settings.inherit, plan.settings.sandbox
    chosen = plan.only(wanted.only)
    first = [] if wanted.only and conflicts.CHECK not in wanted.only else [marked]
    for one in first:
        watching.ended(one)
    return plan, [*first, *_run_all(ground, chosen, plan, watching, failed=_failed(first))]


def _failed(results: Sequence[CheckResult]) -> str:
    return next((one.category for one in results if one.verdict in FAILED), "")


def _run_all(
    ground: CheckTree, chosen: Sequence[Planned], plan: Plan, watching: Watching, *, failed: str
) -> Iterator[CheckResult]:
    """Run the checks in order; after a failed category the later ones are left out where the settings say so."""
    unprepared: Mapping[Step, Ran] | None = None
    skipping = plan.settings.after_failure == "skip"
    for number, planned in enumerate(chosen, 1):
        check = planned.check
        if planned.unfit:
            result = CheckResult(check.name, check.category, "not applicable", planned.unfit)
        elif skipping and failed not in {"", check.category}:
            result = CheckResult(check.name, check.category, "not applicable", f"not run, because {failed} failed")
        else:
            if unprepared is None or ground.bare:
                unprepared = prepare(ground, [one.check for one in plan.checks if not one.unfit], watching.prepares)
            watching.begins(check, number, len(chosen))
            result = _run_prepared(check, ground, unprepared)
        watching.ended(result)
        failed = failed or _failed([result])
        yield result


def _run_prepared(check: HealthCheck, ground: CheckTree, unprepared: Mapping[Step, Ran]) -> CheckResult:
    ran = unprepared.get(step_of(check))
    if ran is None:
        return run_check(check, ground)
    return CheckResult(
        check.name,
        check.category,
        "could not run",
        reason(check, ran),
        milliseconds=ran.milliseconds,
        output=ran.output,
    )
