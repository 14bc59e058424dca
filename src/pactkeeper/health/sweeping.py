"""One sweep: every check of a commit once, in the order of repair.

Pins the commit that a sweep is about and tells whether it is still current when the sweep ends. Prepares what checks
need in a fresh tree, once per content of the lock files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from pactkeeper.catalog.schema import SETTINGS_FILE
from pactkeeper.errors import CatalogError, MissingBaseline, SourceError
from pactkeeper.health import conflicts, tree
from pactkeeper.health.absence import UNPREPARED, telling
from pactkeeper.health.checking import CheckTree, run_check, run_command, standing
from pactkeeper.health.presets import Planned
from pactkeeper.health.running import Ran
from pactkeeper.health.tree import Prepared, SweepPlaces, key_of, record, recorded
from pactkeeper.health.triage import Scene, blamed, fault, flaky, suspicious
from pactkeeper.health.trust import NOTHING, Plan, Trust, plan_of
from pactkeeper.intent.health import FAILED, CheckResult, HealthCheck, HealthFinding, HealthSettings, Sweep
from pactkeeper.ledger.canonical import digest
from pactkeeper.repo.git import Repository
from pactkeeper.repo.pact_folder import OnDisk, folder_of


@dataclass(frozen=True, slots=True)
class SweepScope:
    """What to sweep: the commit `at` (None: HEAD), or the work tree as it is; `only` the named checks, or all.

    Only what `trust` covers runs.
    """

    at: str | None = None
    in_place: bool = False
    only: tuple[str, ...] = ()
    trust: Trust = NOTHING


@dataclass(frozen=True, slots=True)
class Watching:
    """The clock and the callbacks of a sweep: `begins` gets (check, its number, total), `ended` the result.

    `prepares` gets the command line of each preparation.
    """

    now: Callable[[], datetime]
    begins: Callable[[HealthCheck, int, int], None] = lambda *_: None
    prepares: Callable[[str], None] = lambda _: None
    ended: Callable[[CheckResult], None] = lambda _: None


# Reruns what failed while the tree is still checked out, and returns the fingerprints of what did not fail again.
Rerun = Callable[[CheckTree, Plan, Sequence[CheckResult]], frozenset[str]]


@dataclass(frozen=True, slots=True)
class Swept:
    """A sweep with the plan it followed; `flaky` are the failures that a rerun did not reproduce.

    `aside` says why the swept commit was not current when the sweep began; empty if it was.
    """

    sweep: Sweep
    plan: Plan
    flaky: frozenset[str] = frozenset()
    aside: str = ""


def sweep(
    repository: Repository, places: SweepPlaces, wanted: SweepScope, watching: Watching, *, rerun: Rerun | None = None
) -> Swept:
    """Run every check once, and then `rerun` failures, while the tree is checked out.

    Raises what `pin` and `standing` raise, CatalogError if the settings can't be read, and UntrustedError. The result
    is stale if the commit is not, or by the end no longer, the one that the branch or HEAD names, and if the work tree
    holds uncommitted changes.
    """
    started = watching.now()
    pinned = pin(repository, wanted.at)
    with standing(repository, places, None if wanted.in_place else pinned.commit) as ground:
        aside = _aside(repository, pinned, in_place=wanted.in_place)
        plan, results = _results(ground, wanted, watching)
        flaky = rerun(ground, plan, results) if rerun is not None and _failed(results) else frozenset[str]()
    made = _sweep(pinned, results, started, watching.now())
    moved = has_moved(repository, pinned)
    if moved and wanted.in_place and not aside:
        aside = f"{pinned.named} moved while the files in this folder were checked"
    return Swept(replace(made, stale=bool(aside) or moved, only=wanted.only), plan, flaky, aside)


def declared(repository: Repository, places: SweepPlaces, at: str | None) -> tuple[str, Plan]:
    """Return the commit that `at` names and its plan, without running anything."""
    commit = repository.resolve(at or "HEAD")
    with standing(repository, places, commit) as ground:
        return commit, plan_of(ground.root, ground.home.root)


UNCOMMITTED: Final = "the working tree has uncommitted changes"


def _aside(repository: Repository, pinned: Pinned, *, in_place: bool) -> str:
    """Return why a sweep does not start from a current commit; empty if it does."""
    if in_place and repository.run("status", "--porcelain"):
        return UNCOMMITTED
    try:
        trunk = repository.trunk()
        on_trunk = repository.merge_base(pinned.commit, trunk) == pinned.commit
    except MissingBaseline:
        trunk, on_trunk = "", False
    if has_moved(repository, pinned) and not on_trunk:
        return f"{pinned.commit[:12]} is not the commit that {pinned.named} points to"
    return _off_trunk(repository, pinned, trunk, on_trunk=on_trunk) if trunk else ""


def _off_trunk(repository: Repository, pinned: Pinned, trunk: str, *, on_trunk: bool) -> str:
    """Return that a commit is not on the main branch: its sweep says nothing about that branch."""
    main = _main(repository, trunk)
    if on_trunk or pinned.branch == main:
        return ""
    return f"{pinned.branch or pinned.commit[:12]} is not the main branch, {main}"


def _main(repository: Repository, trunk: str) -> str:
    named = _name_of_branch(repository, "symbolic-ref", "--quiet", trunk) or trunk
    return named.rpartition("origin/")[2]


def tips_of_main(repository: Repository) -> tuple[str, ...]:
    """Return the newest commits of the main branch that this repository knows, none of which precedes another.

    These are HEAD, unless another branch is checked out, the main branch here, and its remote-tracking branch.
    """
    try:
        trunk = repository.trunk()
    except MissingBaseline:
        return (repository.resolve("HEAD"),)
    main = _main(repository, trunk)
    branch = _name_of_branch(repository, "symbolic-ref", "--quiet", "HEAD").removeprefix(_BRANCHES)
    tracking = repository.run("for-each-ref", "--format=%(refname)%0a%(upstream)", f"{_BRANCHES}{main}").decode()
    names = [*(["HEAD"] if branch in {"", main} else []), trunk, *tracking.split()]
    tips = sorted(set(repository.commits_named(names).values()))
    return tuple(repository.run("merge-base", "--independent", *tips).decode().split())


def main_branch(repository: Repository) -> str:
    """Return the name of the main branch; empty if there is none."""
    try:
        return _main(repository, repository.trunk())
    except MissingBaseline:
        return ""


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
        return Plan(HealthSettings(), (), torn=True), [marked]  # a merge tore the file that declares the other checks
    wanted.trust.ensure(plan, ground.opened.head() or "")
    settings = plan.settings
    ground.inherit, ground.sandbox, ground.readable = settings.inherit, settings.sandbox, settings.readable
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
    """Run the checks in order; after a failed category, later ones are skipped if the settings say so."""
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
    found = CheckResult(check.name, check.category, "could not run", reason(check, ran), output=ran.output)
    return replace(found, code=None if ran.timed_out else ran.code, milliseconds=ran.milliseconds)


_BRANCHES: Final = "refs/heads/"
# The file or folder in the worktree's git folder that reveals an operation, its name, and how to end it.
_UNDER_WAY: Final = (
    ("rebase-merge", "a rebase", "git rebase --continue"),
    ("rebase-apply", "a rebase", "git rebase --continue"),
    ("BISECT_LOG", "a bisection", "git bisect reset"),
)


@dataclass(frozen=True, slots=True)
class Pinned:
    """A pinned commit, by full hash; `tip` must still name it at the end, `branch` is empty for a detached HEAD."""

    commit: str
    branch: str
    tip: str

    @property
    def named(self) -> str:
        """The name that must still point to it, for messages."""
        return self.tip.removeprefix(_BRANCHES)


def pin(repository: Repository, at: str | None) -> Pinned:
    """Pin the commit `at`, by default HEAD; raises UnknownRevision, and SourceError during a rebase or bisect."""
    if at is None:
        _ensure_settled(repository)
    commit = repository.resolve(at or "HEAD")
    named = _branch(repository, at) if at is not None else ""
    current = _name_of_branch(repository, "symbolic-ref", "--quiet", "HEAD")
    return Pinned(commit, (named or current).removeprefix(_BRANCHES), named or "HEAD")


def has_moved(repository: Repository, pinned: Pinned) -> bool:
    """Whether the branch, or HEAD, no longer names the pinned commit."""
    named = repository.run("rev-parse", "--verify", "--quiet", pinned.tip, accept=(0, 1, 128)).decode().strip()
    return named != pinned.commit


def _ensure_settled(repository: Repository) -> None:
    for name, what, end in _UNDER_WAY:
        if (repository.git_dir / name).exists():
            raise SourceError(
                f"{what} is in progress, so HEAD will move; finish it ({end}), or name a branch: pk health sweep "
                "--at main"
            )


def _branch(repository: Repository, name: str) -> str:
    found = _name_of_branch(repository, "rev-parse", "--symbolic-full-name", "--verify", "--quiet", name)
    return found if found.startswith(_BRANCHES) else ""


def _name_of_branch(repository: Repository, *arguments: str) -> str:
    name = repository.run(*arguments, accept=(0, 1, 128)).strip()
    try:
        return name.decode()
    except UnicodeDecodeError as error:
        raise SourceError(f"the name of the branch {name!r} is not UTF-8; rename it: `git branch -m NAME`") from error


_LONGEST: Final = 200
Step = tuple[tuple[str, ...], str]


def prepare(ground: CheckTree, checks: Iterable[HealthCheck], begins: Callable[[str], None]) -> Mapping[Step, Ran]:
    """Run every preparation these checks need and the tree lacks; returns those that failed, by step.

    `begins` gets the command line of each before it runs. The user's work tree is used as it is. Preparations of a
    separate tree are kept until a lock file changes.
    """
    ground.bare = False
    steps = {step_of(one): one for one in checks if one.prepare}
    if ground.commit is None or not steps:
        return {}
    key = key_of(ground.opened, steps.values())
    known = recorded(ground.places)
    if known is not None and known.key == key:
        return {}
    ground.places.prepared.unlink(missing_ok=True)
    ground.opened = tree.check_out(ground.home, ground.places, ground.commit)
    ground.keep = ()
    ground.note()
    failed = {step: ran for step, one in steps.items() if (ran := _run(one, ground, begins)).code != 0}
    ground.tend()
    ground.keep = tuple(tree.untracked(ground.opened))
    if not failed:
        record(ground.places, Prepared(key, ground.keep))
    return failed


def step_of(check: HealthCheck) -> Step:
    """Return the identity of a preparation: its command and folder."""
    return check.prepare, check.directory


def reason(check: HealthCheck, ran: Ran) -> str:
    """Explain why a check could not run, from the outcome of its preparation."""
    what = " ".join(check.prepare)
    if ran.unstarted:
        return f"{UNPREPARED}: {ran.unstarted}"
    if ran.timed_out:
        return f"{UNPREPARED}: `{what}` timed out after {check.timeout} s"
    told = next(iter(telling(ran.output.text, 1)), "").strip()
    return f"{UNPREPARED}: `{what}` exited with code {ran.code}{f': {told[:_LONGEST]}' if told else ''}"


def _run(check: HealthCheck, ground: CheckTree, begins: Callable[[str], None]) -> Ran:
    begins(" ".join(check.prepare))
    return run_command(check, check.prepare, ground, ground.new_report())


_GO_TEST: Final = re.compile(r"(?:\A|\.)((?:Test|Fuzz|Example)\w*)(?:/|\Z)")
Narrow = Callable[[HealthCheck, Sequence[str]], tuple[str, ...]]


def narrowed(check: HealthCheck, tests: Sequence[str]) -> tuple[str, ...]:
    """Return the command that runs these tests, named as the runner does, and as few others as possible."""
    narrow = NARROWING.get(check.parser)
    return check.argv if narrow is None or not tests else narrow(check, tests)


def _pytest(check: HealthCheck, tests: Sequence[str]) -> tuple[str, ...]:
    prefix = "" if check.directory == "." else f"{check.directory}/"
    return (*check.argv, *(test.removeprefix(prefix) for test in tests))


def _unittest(check: HealthCheck, tests: Sequence[str]) -> tuple[str, ...]:
    if "discover" not in check.argv:
        return check.argv
    start = check.argv.index("discover")
    return (*check.argv[:start], *dict.fromkeys(test.partition(" (")[0] for test in tests))


def _titled(option: str) -> Narrow:
    """Narrow runners that take one regular expression matching full titles."""

    def narrow(check: HealthCheck, tests: Sequence[str]) -> tuple[str, ...]:
        titles = [" ".join(re.split(r" [>›] ", test)[1:]) or test for test in tests]
        return (*_opened(check.argv), option, f"^({'|'.join(re.escape(title) for title in titles)})$")

    return narrow


def _opened(argv: Sequence[str]) -> tuple[str, ...]:
    """Return arguments that more can be appended to: npm passes on only what follows `--`."""
    return (*argv, "--") if argv[0].rpartition("/")[2] == "npm" and "--" not in argv else tuple(argv)


def _go(check: HealthCheck, tests: Sequence[str]) -> tuple[str, ...]:
    found = (_GO_TEST.search(test) for test in tests)
    names = dict.fromkeys(one[1] for one in found if one is not None)
    return check.argv if not names else (*check.argv, "-run", f"^({'|'.join(names)})$")


def _cargo(check: HealthCheck, tests: Sequence[str]) -> tuple[str, ...]:
    return check.argv if "--" in check.argv else (*check.argv, "--", "--exact", *tests)


NARROWING: Final[Mapping[str, Narrow]] = {
    "pytest": _pytest,
    "unittest": _unittest,
    "vitest": _titled("-t"),
    "jest": _titled("-t"),
    "mocha": _titled("--grep"),
    "go": _go,
    "cargo": _cargo,
}


def rerun_of(known: Mapping[str, HealthFinding]) -> Rerun:
    """Return a function that reruns undecided failures, at most `[health] rerun`; `known` are earlier findings."""

    def rerun(ground: CheckTree, plan: Plan, results: Sequence[CheckResult]) -> frozenset[str]:
        if fault(results, blamed(results, Scene(ground.files()))):
            return frozenset()
        asked = suspicious(results, known, most=plan.settings.rerun)
        checks = [one.check for one in plan.checks if one.check.name in asked]
        again = [run_check(replace(one, argv=narrowed(one, asked[one.name])), ground) for one in checks]
        return flaky(results, again, asked)

    return rerun
