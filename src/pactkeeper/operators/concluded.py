"""Draw conclusions from a completed sweep: findings, fix tasks and the outcome of earlier ones.

Optionally asks a model how to group failures: it joins errors by number, and rules do the rest.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from pactkeeper.errors import CatalogError, MissingBaseline, MissingExtra, ModelUnavailable
from pactkeeper.health import conflicts
from pactkeeper.health.absence import reported
from pactkeeper.health.causes import own_names
from pactkeeper.health.changes import Changed, read_counts, read_diff, suspects, worth_reading
from pactkeeper.health.concluding import Conclusion, EarlierSweeps, Proofs, conclude, proofs
from pactkeeper.health.grouping import FailureGroup, located
from pactkeeper.health.tasking import FollowLimits, SweepFacts
from pactkeeper.health.triage import Scene, blamed, declared, fault, owned
from pactkeeper.intent.binding import Files
from pactkeeper.intent.health import CheckResult, FixTask, HealthSettings, Sweep
from pactkeeper.intent.links import link_tests
from pactkeeper.ledger.answering import Asker, Budget, Prompt, Reply
from pactkeeper.ledger.canonical import JsonValue, digest

if TYPE_CHECKING:
    from pactkeeper.health.sweeping import Swept as Ran
    from pactkeeper.store.history import History
    from pactkeeper.workspace import Workspace


# Settings at the root that may name a folder on the module search path.
_SETTINGS = ("pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini", "package.json", "tsconfig.json", "go.mod")
_RECENT = 20  # sweeps searched for the last one that counts


def conclude_sweep(workspace: Workspace, ran: Ran, *, consult: Consult | None = None) -> Conclusion:
    """Draw conclusions from a sweep and store them with it, all or none.

    Findings and tasks follow one line of commits: a sweep of uncommitted content, or of a commit beside that line, is
    reported but not stored. `consult` is asked once how to group failures, if rules leave anything to regroup.
    """
    aside = ran.aside or _beside(workspace, ran.sweep)
    if aside:
        return Conclusion(ran.sweep, aside=aside)
    from pactkeeper.store.health import save_sweep  # noqa: PLC0415 - SQL

    history = workspace.history()
    known = _known(history, ran.sweep)
    scene = _scene(workspace, ran)
    ran = replace(ran, sweep=replace(ran.sweep, results=owned(ran.sweep.results, scene)))
    blame = blamed(ran.sweep.results, scene, ran.flaky)
    sweep = replace(ran.sweep, infrastructure=fault(ran.sweep.results, blame))
    facts = replace(_facts(workspace, ran, known.tasks), blamed=blame, own=own_names(scene.paths))
    made = conclude(sweep, known, facts)
    if consult is not None and worth_asking(made.groups):
        told = consult(sweep, made.groups)
        # Asking takes a while: tasks may have changed meanwhile, and people's word on a failure comes first.
        made = conclude(sweep, _known(history, sweep), replace(facts, regrouped=regrouped(told, made.groups)))
        made = replace(made, grouping=told)
    save_sweep(history, made.sweep, findings=made.findings, tasks=made.tasks, changes=made.changes)
    if not made.sweep.stale and not sweep.infrastructure:
        feed_evidence(workspace, sweep.commit, sweep.results, apart={*blame, *ran.flaky})
    return made


def feed_evidence(
    workspace: Workspace, commit: str, results: Sequence[CheckResult], *, apart: Collection[str] = (), fix: bool = False
) -> None:
    """Store what checks of a commit say of its tests, as a sweep's or a `fix`'s."""
    from pactkeeper.operators.evidence import FIXED, SWEPT, store_checked  # noqa: PLC0415 - reads reports

    try:
        store_checked(workspace, commit, results, apart=apart, source=FIXED if fix else SWEPT)
    except CatalogError as error:  # a merge may have broken the pact; the sweep counts all the same
        workspace.notice(f"test results were not stored as evidence: {error}")


def _scene(workspace: Workspace, ran: Ran) -> Scene:
    """Collect what distinguishes failures of the environment from the commit's own; reads nothing if nothing failed."""
    sweep = ran.sweep
    if all(one.verdict == "pass" or (one.verdict == "not applicable" and one.code is None) for one in sweep.results):
        return Scene()
    snapshot, history = workspace.snapshot(sweep.commit), workspace.history()
    green = next((one for one in _recent(history) if one.green and one.commit == sweep.commit), None)
    well = _well(history)
    settings = b"\n".join(snapshot.read(path) or b"" for path in _SETTINGS if path in snapshot)
    submodules = _submodules(workspace, ran)
    return Scene(
        frozenset(snapshot.paths),
        declared(snapshot.paths, snapshot.read),
        submodules,
        _changes(workspace, well.commit if well else "", sweep.commit),
        green.ended_at if green else "",
        searched=next((path for path in submodules if os.fsencode(path) in settings), ""),
        passed=frozenset(one.check for one in well.results if one.verdict == "pass") if well else frozenset(),
    )


def _submodules(workspace: Workspace, ran: Ran) -> tuple[str, ...]:
    """Return the swept commit's submodules that nobody checks out, including those git only names without a commit."""
    if any("submodule" in word for one in ran.plan.checks for word in one.check.prepare):
        return ()
    run, commit = workspace.repository.run, ran.sweep.commit
    listed = os.fsdecode(run("ls-tree", "-r", "-z", commit)).split("\0")
    linked = [one.partition("\t")[2] for one in listed if one.startswith("160000 ")]
    blob = f"--blob={commit}:.gitmodules"
    told = os.fsdecode(run("config", "-z", blob, "--get-regexp", r"^submodule\..*\.path$", accept=(0, 1, 128)))
    named = [one.partition("\n")[2] for one in told.split("\0") if one]
    files = [one.partition("\t")[2] for one in listed]
    return tuple(dict.fromkeys([*linked, *(one for one in named if not _holds(one, files))]))


def _holds(folder: str, files: Iterable[str]) -> bool:
    return any(path.startswith(f"{folder}/") for path in files)


def _known(history: History, sweep: Sweep) -> EarlierSweeps:
    """Return the state left by earlier sweeps, with this one as the last."""
    from pactkeeper.store.health import fix_tasks, health_findings, sweep_order  # noqa: PLC0415 - SQL

    order = dict(sweep_order(history))
    order.setdefault(sweep.id, max(order.values(), default=0) + 1)
    return EarlierSweeps(health_findings(history), fix_tasks(history), order)


def _beside(workspace: Workspace, sweep: Sweep) -> str:
    """Return why a commit is off the stored line: neither HEAD nor the trunk, or one the trunk has left behind."""
    repository = workspace.repository
    at_head = repository.head() == sweep.commit
    try:
        trunk = repository.trunk()
    except MissingBaseline:
        trunk = ""
    if not at_head and (not trunk or sweep.branch != trunk.rpartition("/")[2]):
        return f"{sweep.branch or sweep.commit[:12]} is neither HEAD nor the main branch"
    behind = trunk and repository.resolve(trunk) != sweep.commit and is_part_of(workspace, sweep.commit, trunk)
    return f"HEAD is detached at a commit that {trunk} has moved past" if behind and not sweep.branch else ""


def limits_of(settings: HealthSettings) -> FollowLimits:
    """Return the limits set in `[health]` of the project's settings."""
    return FollowLimits(tasks=settings.max_tasks, files=settings.max_files, attempts=settings.attempts)


def _facts(workspace: Workspace, ran: Ran, tasks: Sequence[FixTask]) -> SweepFacts:
    before = next((one.commit for one in _recent(workspace.history())), "")
    proven, suspected = _tests(workspace, ran.sweep, before)
    merged = _containing(workspace, tasks, ran.sweep.commit)
    earlier = _containing(workspace, tasks, before) if before else frozenset()
    return SweepFacts(
        workspace.now().isoformat(timespec="seconds"),
        flaky=ran.flaky,
        proves=proven.proves,
        broken=proven.broken,
        sentences=proven.sentences,
        tests=proven.tests,
        suspects=suspected,
        merged=merged,
        arrived=merged - earlier,
        limits=limits_of(ran.plan.settings),
        checks=_checks(ran),
    )


def _checks(ran: Ran) -> frozenset[str] | None:
    """Return the names of all the commit's checks; None if some were not requested or the settings are broken."""
    names = frozenset({conflicts.CHECK, *(one.check.name for one in ran.plan.checks)})
    asked = {one.check for one in ran.sweep.results}
    return names if names <= asked and not ran.plan.torn else None


def _tests(workspace: Workspace, sweep: Sweep, before: str) -> tuple[Proofs, Mapping[str, tuple[str, ...]]]:
    """Return what failing tests prove by the swept commit's pact, and the files the failures may come from.

    Reads nothing if nothing failed; empty if the pact cannot be read.
    """
    found = [one for result in sweep.results if result.verdict != "pass" for one in reported(result)]
    if not found:
        return Proofs(), {}
    snapshot = workspace.snapshot(sweep.commit)
    try:
        pact = workspace.pact(snapshot)
    except CatalogError as error:  # a merge may have broken it; failures are found and fixed all the same
        workspace.notice(f"the atoms at this commit are unknown: {error}")
        return Proofs(), {}
    scan = workspace.scan(snapshot, pact)
    files = Files(snapshot.paths, str(workspace.repository.root), frozenset(gap.file for gap in scan.gaps))
    proven = proofs(found, link_tests(scan.tests, pact), files, committed=pact.promised_ids)
    well = _well(workspace.history())
    changes = _changes(workspace, well.commit if well else before, sweep.commit)
    names = {atom for atoms in proven.broken.values() for atom in atoms}
    proven = replace(proven, sentences={name: pact.atoms[name].intent for name in sorted(names & pact.atoms.keys())})
    return proven, suspects(found, workspace.structure(snapshot, pact), changes)


_FORM = (
    *("--no-renames", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative"),
    *("--src-prefix=a/", "--dst-prefix=b/"),
)


def _changes(workspace: Workspace, before: str, commit: str) -> Mapping[str, Changed]:
    """Return the difference between two commits; empty if the earlier one is gone or missing.

    Generated files are listed without their content.
    """
    if not before:
        return {}
    run = workspace.repository.run
    counts = read_counts(os.fsdecode(run("diff", "--numstat", "-z", *_FORM, before, commit, "--", accept=(0, 128))))
    paths = worth_reading(counts)
    printed = run("diff", "--unified=0", *_FORM, before, commit, "--", *paths) if paths else b""
    changed = read_diff(printed.decode("utf-8", "replace"), workspace.snapshot(commit).read)
    return {**dict.fromkeys(counts, Changed()), **changed}


def _well(history: History) -> Sweep | None:
    """Return the last recent sweep that was green, or None."""
    return next((one for one in _recent(history) if one.green), None)


def _recent(history: History) -> list[Sweep]:
    from pactkeeper.store.health import sweeps  # noqa: PLC0415 - SQL

    return [one for one in sweeps(history, limit=_RECENT) if not one.stale]


def _containing(workspace: Workspace, tasks: Iterable[FixTask], commit: str) -> frozenset[str]:
    """Return the tasks completed by a fix that is part of a commit."""
    fixes = {task.id: task.fix for task in tasks if task.status == "done" and task.fix}
    return frozenset(name for name, fix in fixes.items() if is_part_of(workspace, fix, commit))


def is_part_of(workspace: Workspace, earlier: str, later: str) -> bool:
    """Whether a commit equals or precedes another; one that no longer exists is part of none."""
    repository = workspace.repository
    found = repository.run("rev-list", "-1", earlier, f"^{later}", "--", accept=(0, 128)).strip()
    known = repository.run("cat-file", "-t", earlier, accept=(0, 128)).strip() == b"commit"
    return known and not found


MOST_ERRORS: Final = 40  # with more errors nothing is asked
_SHOWN: Final = 200  # characters of one error
_MOST_COMMITS: Final = 20
_COMMITS_SHOWN: Final = 3_500  # characters of all of them
_BUDGET: Final = MOST_ERRORS * _SHOWN + 2 * _COMMITS_SHOWN
Asking = Callable[[str], "tuple[Asker, Budget]"]  # returns the model for the sweep with this id, and its budget
Consult = Callable[[Sweep, Sequence[FailureGroup]], Reply]


def consult_of(workspace: Workspace, ask: bool | None) -> Consult | None:
    """Return how to ask a model about a sweep's groups; None if it is not to ask.

    Raises ModelUnavailable or MissingExtra if `ask` is set and no model can be asked. If only the settings ask for one,
    the sweep continues and reports that, because keeping main green comes first.
    """
    setup = None if ask is False else workspace.model()
    if ask:
        asker = workspace.asker()
        asker.ensure_ready(capped=asker.setup.run.money is not None or asker.setup.day.money is not None)
    wanted = ask or (setup is not None and setup.ask == "always")
    if not wanted:
        return None
    from pactkeeper.operators.models import asker_with_budget  # noqa: PLC0415 - only if a model is asked

    return consulting(workspace, partial(asker_with_budget, workspace))


def consulting(workspace: Workspace, asking: Asking) -> Consult:
    """Build the function that asks about a sweep's groups, once."""

    def told(sweep: Sweep, groups: Sequence[FailureGroup]) -> Reply:
        prompt, most = _prompt(workspace, sweep.commit, groups), len(errors_of(groups))
        check = partial(wrong_with, most=most)
        if most > MOST_ERRORS:
            return Reply(prompt, "failed", "a model", reasons=(f"{most} errors exceed the limit of {MOST_ERRORS}",))
        replies: list[Reply] = []
        try:
            asker, budget = asking(sweep.id)
            asyncio.run(asker.ask([prompt], check=check, keep=replies.append, budget=budget))
        except (MissingExtra, ModelUnavailable) as error:
            return Reply(prompt, "failed", "the model that is set up", reasons=(str(error),))
        return replies[-1]

    return told


def worth_asking(groups: Sequence[FailureGroup]) -> bool:
    """Whether there is anything to join or split; conflict markers are grouped by file."""
    return len(errors_of(groups)) > 1 and all(one.cause.kind != "conflict" for one in groups)


def errors_of(groups: Iterable[FailureGroup]) -> Mapping[str, str]:
    """Return each error once, by fingerprint, as tools wrote it; answers number them from 1."""
    return {each.fingerprint: located(each) for one in groups for each in one.diagnostics}


def wrong_with(_: Prompt, value: JsonValue, *, most: int) -> tuple[str, ...]:
    """Return what is wrong with an answer: every number from 1 to `most` must be in exactly one group."""
    counted = Counter(number for one in _numbers(value) for number in one)
    wrong = [one for one in sorted({*counted, *range(1, most + 1)}) if counted[one] != 1 or one > most]
    return tuple(
        f"error {one} is in {counted[one]} groups; each of 1 to {most} belongs in exactly one" for one in wrong
    )


def regrouped(reply: Reply, groups: Sequence[FailureGroup]) -> tuple[frozenset[str], ...]:
    """Return the fingerprints an answer groups together; empty without an answer."""
    names = [*errors_of(groups)]
    numbers = _numbers(reply.value) if reply.state == "answered" else []
    return tuple(frozenset(names[number - 1] for number in one) for one in numbers)


def _numbers(value: JsonValue) -> list[list[int]]:
    return cast("list[list[int]]", value)


def _prompt(workspace: Workspace, commit: str, groups: Sequence[FailureGroup]) -> Prompt:
    """Build the question: the errors, in the groups made by rules, and the last commits with the files they changed."""
    from pactkeeper.ledger.question import Question  # noqa: PLC0415 - only if a model is asked
    from pactkeeper.prompts import PromptSection, render  # noqa: PLC0415 - likewise

    told = errors_of(groups)
    shown = {name: f"{number}. {text[:_SHOWN]}" for number, (name, text) in enumerate(told.items(), 1)}
    errors = "\n\n".join("\n".join(map(shown.__getitem__, one.fingerprints)) for one in groups)
    form = ("--no-renames", "--no-color", "--no-relative", "--name-only", "--format=%n%h %s")
    log = os.fsdecode(workspace.repository.run("log", f"--max-count={_MOST_COMMITS}", *form, commit, "--"))
    sections = (
        PromptSection("Errors by number, in the groups that rules made", errors),
        PromptSection("The last commits, newest first", log, _COMMITS_SHOWN),
    )
    question = Question("group_failures", f"failures:{digest([*told])[3:15]}", {"commit": commit})
    return render(question, sections, budget=_BUDGET)
