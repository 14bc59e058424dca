"""Workflows of CI and what they call, reduced to the checks that they run and what starts them.

Also the matrices of GitHub's workflows: the jobs that they make, and the scripts that those run.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from pactkeeper.repo.strength.switches.commands import CALLED, VARIABLES, Check, aspect_of_name
from pactkeeper.repo.strength.switches.flow import place
from pactkeeper.repo.strength.switches.guarding import deciding, guarded, touched
from pactkeeper.repo.strength.switches.matrices import Job, empty_axis, jobs_of, undivided, written_out
from pactkeeper.repo.strength.switches.scripts import Scripts, checks, exported

_COMMANDS: Final = ("run", "script", "before_script", "bash", "pwsh", "command", "commands", "test_script")
_LENIENT: Final = ("continue-on-error", "continueOnError", "allow_failure", "soft_fail", "ignore_failures")
_CONDITIONS: Final = ("if", "condition", "when", "enabled", "only_if")
_ALWAYS: Final = re.compile(
    r"\s*+(?:\$\{\{\s*+)?(?:always\(\)|success\(\)|!\s*+cancelled\(\)|succeeded\(\)|on_success|always|true|True)"
    r"\s*+(?:\}\}\s*+)?\Z"
)
_NEVER: Final = re.compile(r"\s*+(?:\$\{\{\s*+)?(?:false|False|0|never|manual)\s*+(?:\}\}\s*+)?\Z")
# A step's shell: what comes after the script, or an option, that makes its failure go unnoticed.
_DEAF_SHELL: Final = re.compile(r"[|;&]|\s\+e\b|\s-c\s++['\"]|\A(?!.*\{0\}).*\s")
_GITHUB: Final = ".github/"
_EVENTS: Final = ("push", "pull_request", "pull_request_target", "merge_group", "schedule")
_ANY_EVENTS: Final = frozenset({"workflow_call", "workflow_run", "repository_dispatch"})
_SHELL: Final = re.compile(r"sh(?:ell)?(?:\.exe)?\Z|\A(?:cmd|msys2)\Z")
_CHECKOUT: Final = re.compile(r"actions/checkout\b")
_NAME: Final = re.compile(r"[\w-]++")
_MOST_BEFORE: Final = 300  # lines before the guard that are compared; no job has more
GATE: Final = "no required job waits for"
OTHER_STATE: Final = "checkout of"
_THIS: Final = re.compile(r"\$\{\{.{0,200}(?:head|sha|ref\b|number)")  # the state that started the workflow
# What a step does to the state, the programs or the tests that later steps use. Of git, only what reads is harmless.
_TAMPERS: Final = re.compile(
    r"\bgit (?!-C|config|submodule|diff|describe|status|log|rev-parse|ls-files|lfs|clone|show|add"
    r"|commit|tag|push|init|fetch(?!.{0,200}[\w*]:(?!refs/(?:remotes|tags)/|//))|version|remote|rev-list|merge-base)[a-z]"
    r"|\A(?!.{0,40}(?:HOME|~)/).{0,300}?>>\s{0,9}['\"]?\$\{?(?:env:)?GITHUB_PATH"
    r"|\b(?:rm|mv|sed -i)\b.{0,200}\b(?:tests?|spec|conftest)(?![-\w])"
)
_WRITTEN: Final = re.compile(r"\b(\w{1,60}+)=([^\"'\n>]{0,300}+).{0,3}>>\s{0,9}['\"]?\$\{?(?:env:)?GITHUB_ENV")
_USES: Final = {"pre-commit/action": "pre-commit run", "cypress-io/github-action": "cypress run",
                "golangci/golangci-lint-action": "golangci-lint", "astral-sh/ruff-action": "ruff check",
                "chartboost/ruff-action": "ruff check", "jakebailey/pyright-action": "pyright"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Around:
    """What the enclosing parts of a workflow say about a command."""

    entry: str = ""
    ignored: str = ""
    condition: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    shell: str = ""
    folder: str = ""
    before: tuple[str, ...] = ()
    jobs: tuple[Job, ...] = ()
    guarded: tuple[str, ...] = ()
    scripts: Scripts = field(default_factory=Scripts)


def walk(path: str, data: object, around: Around, name: str = "") -> Iterator[Check]:
    """Yield every check below a part of a workflow."""
    if isinstance(data, list):
        for item in data:
            yield from walk(path, item, around, name)
            around = _after(item, around)
    if not isinstance(data, dict):
        return
    around = _within(data, around, name)
    allowed, awaited = _gate(data) if name == "jobs" else ({}, None)
    for key, value in data.items():
        if key in _COMMANDS and not isinstance(value, dict):
            script = "\n".join(str(line) for line in value) if isinstance(value, list) else str(value)
        elif key == "uses" and isinstance(value, str) and (call := call_of(value, data.get("with"), name)) is not None:
            ignored, before = around.ignored, (*around.before, *call.around)
            call = replace(call, path=path, entry=around.entry, ignored=ignored, condition=around.condition)
            yield replace(call, around=before)
            continue
        elif key == "uses" and isinstance(value, str):
            script = _used(value.partition("@")[0], data.get("with"))
            around = replace(around, guarded=(*around.guarded, f"uses {value}"))
        else:
            kept = (f"{GATE} it",) if awaited is not None and key not in awaited else ()
            ignored = around.ignored or allowed.get(key, "")
            yield from walk(path, value, replace(around, ignored=ignored, before=(*around.before, *kept)), key)
            continue
        deaf, goes_on = _heard_by(around.shell) if path.startswith(_GITHUB) else ("", False)
        outside = (*around.before, *((f"in {around.folder}",) if around.folder else ()))
        scripts = replace(around.scripts, folder=around.folder)
        read = partial(checks, path=path, entry=around.entry, goes_on=goes_on, scripts=scripts)
        first = touched({"script": data.get("before_script")}, ("script",)) if key == "script" else ()
        earlier = (*around.guarded, *first)
        for check in _of_jobs(exported(script, around.variables), around.jobs, read):
            condition = " and ".join(filter(None, (around.condition, check.condition)))
            ignored = check.ignored or around.ignored or deaf
            around_it = (*outside, *check.around)
            found = replace(check, ignored=ignored, condition=condition, around=around_it)
            yield guarded(found, script, earlier)


def _of_jobs(script: str, jobs: Sequence[Job], read: Callable[[str], Iterator[Check]]) -> Iterator[Check]:
    """Yield the checks of a script, once for all jobs of a matrix unless they run different programs."""
    plain, found = list(read(script)), [list(read(one)) for one in written_out(script, jobs)]
    known: set[tuple[str, str]] = set()
    if {(one.aspect, one.program) for one in plain} == {(one.aspect, one.program) for some in found for one in some}:
        found = [[undivided(one, [some[at] for some in found if at < len(some)]) for at, one in enumerate(plain)]]
    for some in found:
        yield from (one for one in some if (one.aspect, one.program) not in known)
        known |= {(one.aspect, one.program) for one in some}


def _heard_by(shell: str) -> tuple[str, bool]:
    """Return why a step's shell lets no failure through, and whether it goes on after one."""
    words = shell.split() or ["bash"]
    if _DEAF_SHELL.search(shell) or not _SHELL.search(words[0]):
        return f"shell: {shell}", False
    return "", len(words) > 1 and words[0] in {"bash", "sh"} and re.search(r"\s-\w*e|errexit", shell) is None


def _gate(jobs: Mapping[str, object]) -> tuple[dict[str, str], set[str] | None]:
    """Return the jobs whose failure the gate of a workflow allows, and those that it waits for; None without a gate.

    A gate is the one job that is required of a change: https://github.com/re-actors/alls-green
    """
    needs = {name: _NAME.findall(str(job.get("needs", ""))) for name, job in jobs.items() if isinstance(job, dict)}
    allowed: dict[str, str] = {}
    awaited: set[str] | None = None
    for name, job in jobs.items():
        steps = job.get("steps") if isinstance(job, dict) else None
        for step in steps if isinstance(steps, list) else ():
            if isinstance(step, dict) and str(step.get("uses")).startswith("re-actors/alls-green"):
                given = step.get("with")
                failures = str(given.get("allowed-failures", "")) if isinstance(given, dict) else ""
                allowed |= dict.fromkeys(_NAME.findall(failures), f"allowed-failures: {failures}")
                awaited = (awaited or set()) | {name, *needs[name]}
    while awaited and (more := {one for name in awaited for one in needs.get(name, ())} - awaited):
        awaited |= more
    return allowed, awaited


def _after(step: object, around: Around) -> Around:
    """Return what surrounds the steps after this one, which may have changed what they run on."""
    script = step.get("run") if isinstance(step, dict) else None
    given = step.get("with") if isinstance(step, dict) and _CHECKOUT.match(str(step.get("uses"))) else None
    ref = given.get("ref") if isinstance(given, dict) and "repository" not in given else None
    found = [f"{OTHER_STATE} {ref}"] if isinstance(ref, str) and ref and not _THIS.search(ref) else []
    variables = dict(around.variables)
    for line in script.splitlines() if isinstance(script, str) else ():
        found += [line.strip()] if _TAMPERS.search(line) else []
        if (written := _WRITTEN.search(line)) is not None and written[1] in VARIABLES:
            variables[written[1]] = written[2]
    touches = (*around.guarded, *touched(step, _COMMANDS))[:_MOST_BEFORE]
    return replace(around, before=(*around.before, *found), variables=variables, guarded=touches)


def _used(action: str, given: object) -> str:
    """Return the command that an action runs."""
    script = _USES.get(action, "")
    if action.endswith("/pactkeeper"):
        base = given.get("base") if isinstance(given, dict) else None
        script = f"pk check --since {base}\npk guard --since {base}" if base else "pk check"
    if action == "pre-commit/action":
        script += " " + str(given.get("extra_args", "--all-files") if isinstance(given, dict) else "--all-files")
    return script


def _within(data: Mapping[str, object], around: Around, name: str) -> Around:
    lenient = next((key for key in _LENIENT if key in data and data[key] not in (False, "false")), "")
    condition = next((str(data[key]) for key in _CONDITIONS if isinstance(data.get(key), str | bool)), "")
    condition = "" if _ALWAYS.match(condition) else condition
    never = f"if: {condition}" if _NEVER.match(condition) else empty_axis(data.get("strategy"))
    return Around(
        f"{around.entry}.{name}" if name and around.entry else name,
        never or around.ignored or (f"{lenient}: {str(data[lenient]).lower()}" if lenient else ""),
        condition if condition and not never else around.condition,
        {**around.variables, **heeded(_environment(data))},
        _default(data, "shell") or around.shell,
        place(_default(data, "working-directory")) or around.folder,
        (*around.before, *(f"PATH: {value}" for key, value in _environment(data).items() if key == "PATH")),
        tuple(jobs_of(data.get("strategy"))) or around.jobs,
        (*around.guarded, *deciding(data, _environment(data))),
        around.scripts,
    )


def _default(data: Mapping[str, object], name: str) -> str:
    """Return a property of a step, or the default that a job or workflow sets for its steps."""
    defaults = data.get("defaults")
    run = defaults.get("run") if isinstance(defaults, dict) else None
    given = data.get(name) or (run.get(name) if isinstance(run, dict) else None)
    return given if isinstance(given, str) else ""


def _environment(data: Mapping[str, object]) -> Mapping[str, object]:
    given = (data.get(name) for name in ("variables", "environment", "env"))
    return {name: value for one in given if isinstance(one, dict) for name, value in one.items()}


def heeded(variables: Mapping[str, object]) -> dict[str, str]:
    """Return those of the variables that commands heed."""
    return {name: str(value) for name, value in variables.items() if name in VARIABLES}


def branches_of(on: object) -> Iterator[str]:
    """Yield what starts a workflow of GitHub: an event and a pattern for branches, or only `**` for one of any kind."""
    named = on if isinstance(on, dict) else dict.fromkeys(on if isinstance(on, list) else (str(on),))
    for event, given in named.items():
        filters = given if isinstance(given, dict) else {}
        listed, types = filters.get("branches"), filters.get("types")
        if event in _ANY_EVENTS:
            yield "**"
        elif event not in _EVENTS or (event == "pull_request" and types and "synchronize" not in types):
            continue
        elif listed:
            yield from (f"{event} {one}" for one in (listed if isinstance(listed, list) else (listed,)))
        elif "tags" not in filters or "branches-ignore" in filters:
            yield f"{event} **"


def filters_of(on: object) -> tuple[str, ...]:
    """Return what keeps a workflow from being started by changes of some files or branches."""
    found: list[str] = []
    for name, given in on.items() if isinstance(on, dict) else ():
        for key in ("paths-ignore", "branches-ignore", "paths") if isinstance(given, dict) else ():
            listed = given.get(key)
            shown = [str(item) for item in listed] if isinstance(listed, list) else [str(listed)] if listed else []
            found += [f"{name}.{key}"] if key == "paths" and shown else [f"{name}.{key}: {item}" for item in shown]
    return tuple(found)


_LOCAL: Final = f"{CALLED}./"
_WORKFLOW: Final = re.compile(r"(?:\./\.github/(?:workflows|actions)/|[\w.-]{1,100}/[\w.-]{1,100}/\.github/workflows/)")
# What a workflow does that tests nothing, by its name.
_HARMLESS: Final = re.compile(
    r"release|publish|deploy|stale|lock|label|triage|changelog|\bdocs?\b|pages|backport|welcome|greet|assign|\bcla\b"
    r"|merge|sync|notify|codeql|scorecard|dependabot|renovate"
)
_VERSIONS: Final = re.compile(r"[\s\d.,x'\"\[\]<>=^~*|-]*+\Z")


def call_of(value: str, given: object, job: str) -> Check | None:
    """Return the call of a workflow, or of an action of this repository; None for one that tests nothing.

    What another repository's runs is not known; its own name, or that of the `job`, may say it. `given` is its input.
    """
    if _WORKFLOW.match(value) is None:
        return None
    target = value.partition("@")[0]
    if target.startswith("./"):
        return Check("tests", f"{CALLED}{target}", (), known=False)
    name = posixpath.basename(target).partition(".")[0]
    aspect = aspect_of_name(name) or aspect_of_name(job)
    if aspect is None and _HARMLESS.search(name):
        return None
    inputs = given.items() if isinstance(given, dict) else ()
    shown = tuple(f"{key}: {held}".lower() for key, held in inputs if not _VERSIONS.match(str(held)))
    return Check(aspect or "tests", f"{CALLED}{target}", (), known=aspect is not None, around=shown)


def targets_of(checks: Sequence[Check]) -> set[str]:
    """Return the paths of this repository's workflows, and the folders of its actions, that are called."""
    return {_target(one) for one in checks if one.program.startswith(_LOCAL)}


def started_by_callers(checks: Sequence[Check], called: Collection[str]) -> Iterator[Check]:
    """Yield the checks without the calls; a check of what is `called` is started by what starts the callers."""
    calls = [one for one in checks if one.program.startswith(_LOCAL)]
    yield from (_effective(one, calls, called, ()) for one in checks if not one.program.startswith(_LOCAL))


def _effective(check: Check, calls: Sequence[Check], called: Collection[str], seen: tuple[str, ...]) -> Check:
    place = next((one for one in (check.path, posixpath.dirname(check.path)) if one in called), "")
    if not place:
        return check
    callers = [one for one in calls if _target(one) == place and place not in seen]
    mine = [_effective(one, calls, called, (*seen, place)) for one in callers]
    own = [one for one in check.branches if one != "**"]
    branches = tuple(dict.fromkeys((*own, *(branch for one in mine for branch in one.branches))))
    check = replace(check, branches=branches)
    if own or not mine:
        return check
    ignored = mine[0].ignored if all(one.ignored for one in mine) else ""
    condition = mine[0].condition if all(one.condition for one in mine) else ""
    joined = " and ".join(filter(None, (condition, check.condition)))
    return replace(check, ignored=check.ignored or ignored, condition=joined)


def _target(call: Check) -> str:
    return posixpath.normpath(call.program.removeprefix(CALLED))
