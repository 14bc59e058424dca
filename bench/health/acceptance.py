"""Whether a fix task can be met by weakening its tests: every way in `weakenings.py` must be refused, mending taken.

Run as `python -m bench.health.acceptance --tools DIR [--outside DIR] [--project NAME ...]`. Only faults of behaviour
count, and only projects whose tests Pactkeeper discovers. All their tests prove committed atoms, one a test file.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.health.fault import Fault, Project
from bench.health.lab import breaks, build, commit, forget, git, install, swept
from bench.health.outside import outside
from bench.health.python_project import PROJECT as PYTHON
from bench.health.typescript_project import PROJECT as TYPESCRIPT
from bench.health.weakenings import WEAKENINGS, Weakening
from pactkeeper.errors import PactkeeperError
from pactkeeper.intent.health import FixTask
from pactkeeper.intent.tests import Test
from pactkeeper.operators.fix_tasks import Completion, claim_fix_task, complete_fix_task
from pactkeeper.workspace import open_workspace

_WHO = "lab"
_RAN = "after a run: "
_PATIENT = "\n[health]\nattempts = 99\n"


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of one task: how many ways to weaken were tried, the names of those that were taken, and mending.

    `compared` counts the ways that were refused for what they change, before anything was run.
    """

    project: str
    fault: str
    linked: bool
    tried: int
    compared: int
    taken: tuple[str, ...]
    mended: bool
    reason: str


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--tools", type=Path, required=True)
    asked.add_argument("--outside", type=Path)
    asked.add_argument("--project", nargs="*", default=())
    options = asked.parse_args()
    install(options.tools)
    real = [one for one in (outside(options.outside) if options.outside else ()) if one.name in {"click", "ufo"}]
    found = []
    for project in (PYTHON, TYPESCRIPT, *real):
        if not options.project or project.name in options.project:
            found += [show(one) for one in experiment(project, options.tools)]
    summarise(found)


def experiment(project: Project, tools: Path) -> Iterator[Judged]:
    """Link every test of a project, break it in one way after the other, and try to have each task done."""
    with tempfile.TemporaryDirectory() as folder:
        root, state = Path(folder, "project"), Path(folder, "state")
        state.mkdir()
        os.environ["LAB_STATE"] = str(state)
        build(replace(project, checks=project.checks + _PATIENT), root, tools)
        tests = {one.id: one for one in link(root)}
        assert swept(root).sweep.green, f"{project.name} is not green"
        known = Path(shutil.copytree(root / ".git" / "pact", Path(folder, "known")))
        for fault in project.faults:
            if fault.kind == "behaviour":
                forget(root, known)
                breaks(fault, root)
                for task in swept(root).tasks:
                    failing = tuple(tests[name] for name in task.protected if name in tests)
                    yield judge(project.name, Trial(fault, task, root, failing))


def link(root: Path) -> tuple[Test, ...]:
    """Declare and commit one atom a test file, and link every test of the file to it."""
    with open_workspace(root, notice=lambda _: None) as workspace:
        snapshot = workspace.snapshot("HEAD")
        tests = workspace.scan(snapshot, workspace.pact(snapshot)).tests
    files = list(dict.fromkeys(one.file for one in tests))
    atoms = {file: f"IA-{number:07}" for number, file in enumerate(files, start=1)}
    pact = root / "pact"
    write(pact / "atoms" / "lab.toml", "\n".join(_atom(name, file) for file, name in atoms.items()))
    frozen = "".join(f'{name} = "v1:{"0" * 64}"\n' for name in atoms.values())
    write(pact / "commitments" / "COM-0000001.toml", f"{_COMMITTED}{frozen}")
    for file, name in atoms.items():
        lines = [f"{_quoted(one.id)}.atoms = [{name!r}]\n" for one in tests if one.file == file]
        write(pact / "links" / f"{file}.toml", "".join(lines))
    commit(root, "Link every test")
    return tests


_COMMITTED = (
    'id = "COM-0000001"\nby = "Ada <ada@example.org>"\nat = "2026-01-02T03:04:05+00:00"\nassurance = "terminal"\n\n'
    "[frozen]\n"
)


def _atom(name: str, file: str) -> str:
    said = f"What {file} expects holds."
    return (
        f'[{name}]\nintent = "{said}"\ncategory = "functional"\noutcomes = ["{said}"]\n'
        'falsified_by = ["It does not."]\nsource = "person"\n'
    )


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def write(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")


@dataclass(frozen=True, slots=True)
class Trial:
    """A fault in a checkout, the task that a sweep made of it, and the protected tests that fail."""

    fault: Fault
    task: FixTask
    root: Path
    failing: tuple[Test, ...]

    def begin(self) -> None:
        """Go back to the fault as it was seen."""
        git(self.root, "checkout", "-q", "-f", "-B", "attempt", self.fault.name)


def judge(project: str, trial: Trial) -> Judged:
    """Try every weakening of the failing tests as a fix, and at last to undo the fault."""
    answers = {one.name: attempt(one, trial) for one in WEAKENINGS} if trial.failing else {}
    trial.begin()
    git(trial.root, "revert", "--no-commit", "HEAD")
    commit(trial.root, "Undo the fault")
    reason = complete(trial.root, trial.task)
    tried = {name: answer for name, answer in answers.items() if answer is not None}
    taken = tuple(name for name, answer in tried.items() if not answer)
    compared = sum(bool(answer) and not (answer or "").startswith(_RAN) for answer in tried.values())
    return Judged(project, trial.fault.name, bool(trial.task.atoms), len(tried), compared, taken, not reason, reason)


def attempt(weakening: Weakening, trial: Trial) -> str | None:
    """Offer one weakening as the fix; why it is refused, empty where it is taken, None where it changes nothing."""
    trial.begin()
    weakening.apply(trial.root, trial.failing, trial.fault)
    try:
        commit(trial.root, weakening.name)
    except subprocess.CalledProcessError:
        return None
    return complete(trial.root, trial.task)


def complete(root: Path, task: FixTask) -> str:
    """Claim a task and have HEAD judged as its fix; the first reason against it, empty for none."""
    with open_workspace(root, notice=lambda _: None) as workspace:
        claim_fix_task(workspace, task.id, by=_WHO)
        try:
            done = complete_fix_task(workspace, Completion(task.id, "HEAD", _WHO))
        except PactkeeperError as error:
            return str(error)
    if done.acceptance.accepted:
        return ""
    return f"{_RAN if done.acceptance.results else ''}{(*done.acceptance.refusals, 'nothing was run')[0]}"


def show(one: Judged) -> Judged:
    told = [
        f"{one.project:10} {one.fault:18} {'linked' if one.linked else 'not linked':10}",
        f"{one.tried - len(one.taken)} of {one.tried} weakenings refused, {one.compared} unrun",
        f"taken: {', '.join(one.taken) or 'none'}",
        f"mending {'taken' if one.mended else f'refused: {one.reason}'}",
    ]
    print(" · ".join(told), flush=True)
    return one


def summarise(found: Sequence[Judged]) -> None:
    """One line a project: tasks, those that name a committed atom, weakenings refused, mendings taken."""
    print(f"\n| project | {' | '.join(_COLUMNS)} |\n|---{'|---' * len(_COLUMNS)}|")
    for name in (*dict.fromkeys(one.project for one in found), "all"):
        some = [one for one in found if name in {one.project, "all"}]
        counts = (
            len(some),
            sum(one.linked for one in some),
            sum(one.tried for one in some),
            sum(one.tried - len(one.taken) for one in some),
            sum(one.compared for one in some),
            sum(one.mended for one in some),
        )
        print(f"| {name} | {' | '.join(map(str, counts))} |")


_COLUMNS = ("tasks", "linked", "weakenings", "refused", "of these unrun", "mendings taken")


if __name__ == "__main__":
    main()
