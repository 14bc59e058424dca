"""Sweep the faults and judge the fixes of a folder that somebody wrote without knowing the rules; see `BLIND.md`.

Run as `python -m bench.health.blind_lab FOLDER [--results FILE] [--tools DIR] [--only ID ...] [--check]`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from socket import create_server, socket

from bench.health.blind_cases import Cause, Fault, Fix, Project, build, change, git, read
from pactkeeper.errors import PactkeeperError
from pactkeeper.health.concluding import Conclusion
from pactkeeper.intent.health import FixTask
from pactkeeper.operators.fix_tasks import Completion, claim_fix_task, complete_fix_task, list_fix_tasks
from pactkeeper.operators.sweep import SweepRequest, sweep
from pactkeeper.workspace import open_workspace

AGAIN = int(os.environ.get("LAB_AGAIN", "3"))
RED = ("fail", "timed out")


@dataclass(frozen=True, slots=True)
class Row:
    """One case: what was seen in words, and of each thing that was judged whether it was as expected."""

    id: str
    seen: str
    good: dict[str, bool]


def main() -> int:
    """Run all cases, or those named, and print a row of each and the totals; 1 where a case could not be run."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder", type=Path)
    asked.add_argument("--results", type=Path, help="keep what is done here, and go on from there")
    asked.add_argument("--tools", type=Path, default=Path(), help="a folder with node_modules")
    asked.add_argument("--only", nargs="*", default=[])
    asked.add_argument("--check", action="store_true", help="only see that every project is green and every edit fits")
    given = asked.parse_args()
    kept = json.loads(given.results.read_text()) if given.results and given.results.exists() else []
    rows = {one["id"]: Row(**one) for one in kept}
    broken = 0
    for name, run in cases(given.folder, given.tools.resolve(), given.check):
        if name in rows or (given.only and name not in given.only):
            continue
        try:
            rows[name] = show(run())
        except (AssertionError, OSError, PactkeeperError) as error:
            broken += 1
            print(f"| {name} | not run | {error!r} |", flush=True)
        if given.results:
            given.results.write_text(json.dumps([asdict(one) for one in rows.values()], indent=1))
    summarise(list(rows.values()))
    return 1 if broken else 0


def cases(folder: Path, tools: Path, check: bool) -> Iterator[tuple[str, Callable[[], Row]]]:
    """Every case by its id, and what runs it."""
    for project in read(folder, tools):
        if check:
            yield project.name, partial(checked, project, tools)
            continue
        for fault in project.faults:
            yield fault.id, partial(faulty, project, fault, tools)
        for fix in project.fixes:
            yield fix.id, partial(judged, project, fix, tools)


def checked(project: Project, tools: Path) -> Row:
    """Whether the project is green, and every edit finds the text that it replaces."""
    with machine(project, tools) as (root, _):
        begin(project, root)
        faults = {one.id: one.edit for one in project.faults}
        for edits in (*([one] for one in faults.values()), *([faults[one.fault], one.edit] for one in project.fixes)):
            for edit in edits:
                change(root, edit)
            git(root, "checkout", "-q", "-f", "-B", "main", "start")
    return Row(project.name, f"{len(project.faults)} faults, {len(project.fixes)} fixes", {"green": True})


def faulty(project: Project, fault: Fault, tools: Path) -> Row:
    """Sweep the green commit, then the faulty one and again as often as `LAB_AGAIN` says, by default three times."""
    with machine(project, tools) as (root, server):
        begin(project, root)
        change(root, fault.edit, beside=True)
        break_machine(root, fault, server)
        found = swept(root)
        with open_workspace(root, notice=lambda _: None) as workspace:
            tasks = list_fix_tasks(workspace)
        doubled = sum(len(swept(root).tasks) for _ in range(AGAIN))
    return compared(fault, found, tasks, doubled)


def compared(fault: Fault, found: Conclusion, tasks: Sequence[FixTask], doubled: int) -> Row:
    """What a sweep said beside what was expected of it."""
    told, owner, kinds = verdict(found), owner_of(found, tasks), kinds_of(found, tasks)
    scopes = [set(one.scope) for one in tasks]
    good = {
        "verdict": told in fault.verdict,
        "owner": owner == fault.owner,
        "tasks": len(tasks) == (fault.tasks if fault.owner == "commit" else 0),
        "no task twice": not doubled,
    }
    for number, cause in enumerate(fault.causes):
        good |= {f"{name} {number}": fits for name, fits in of_cause(cause, fault.owner, kinds, scopes).items()}
    return Row(fault.id, f"{told}, {owner}, {sorted(kinds)}, {[sorted(one) for one in scopes]}, {doubled} more", good)


def of_cause(cause: Cause, owner: str, kinds: set[str], scopes: Sequence[set[str]]) -> dict[str, bool]:
    """Whether one cause was called by a kind that it has, and one of its files is in the scope of a task."""
    called = {"kind": bool(kinds & set(cause.kind))}
    return called | {"scope": any(scope & set(cause.scope) for scope in scopes)} if owner == "commit" else called


def judged(project: Project, fix: Fix, tools: Path) -> Row:
    """Sweep the fault of a fix, and offer the fix to the gate for every task of it."""
    fault = next(one for one in project.faults if one.id == fix.fault)
    with machine(project, tools) as (root, _):
        begin(project, root)
        change(root, fault.edit)
        tasks = swept(root).tasks
        assert tasks, "the fault of this fix got no task"
        change(root, fix.edit)
        answers = [offered(root, one) for one in tasks]
    taken = [answer == "taken" for answer in answers]
    good = {"honest fix taken": all(taken)} if fix.honest else {"cheat not taken": not any(taken)}
    return Row(fix.id, "; ".join(answers), good)


def offered(root: Path, task: FixTask) -> str:
    """What the gate says of HEAD as the fix of a task."""
    with open_workspace(root, notice=lambda _: None) as workspace:
        claim_fix_task(workspace, task.id, by="lab")
        done = complete_fix_task(workspace, Completion(task.id, "HEAD", "lab", trust="any")).acceptance
    if done.accepted:
        return "taken"
    doubted = all(one.doubtful for one in done.refusals)
    return f"{'doubted' if doubted else 'refused'}: {', '.join(map(str, done.refusals))}"


def begin(project: Project, root: Path) -> None:
    """Write the project and sweep it, which must be green."""
    build(project, root)
    first = swept(root)
    bad = [(one.check, one.verdict, one.reason, one.output.text[-800:]) for one in first.sweep.results]
    assert first.sweep.green, f"{project.name} is not green to begin with: {[one for one in bad if one[1] != 'pass']}"


def break_machine(root: Path, fault: Fault, server: socket) -> None:
    """Change what surrounds the commit."""
    os.environ.update(fault.env)
    for name in fault.hide:
        (root.parent / "bin" / name).unlink()
    if fault.stop_server:
        server.close()


def verdict(found: Conclusion) -> str:
    """Red, green, or that it cannot be told."""
    if any(one.verdict in RED for one in found.sweep.results if one.category != "lint"):
        return "red"
    return "green" if found.sweep.green else "cannot tell"


def owner_of(found: Conclusion, tasks: Sequence[FixTask]) -> str:
    """Whose business the failure is."""
    if tasks:
        return "commit"
    if any(one.flaky for one in found.findings):
        return "flaky"
    unable = found.sweep.infrastructure or any(one.verdict == "could not run" for one in found.sweep.results)
    return "machine" if unable or any(one.surroundings for one in found.findings) else "nobody"


def kinds_of(found: Conclusion, tasks: Sequence[FixTask]) -> set[str]:
    """The kinds of all tasks, or of what was found where there is none."""
    kinds = {one.kind for one in tasks} or {one.kind for one in found.findings}
    unable = any(one.verdict == "could not run" for one in found.sweep.results)
    return {*kinds, "environment"} if unable and not tasks else {*kinds}


def swept(root: Path) -> Conclusion:
    """A sweep of HEAD."""
    with open_workspace(root, notice=lambda _: None) as workspace:
        return sweep(workspace, SweepRequest(trust="any"))


@contextmanager
def machine(project: Project, tools: Path) -> Iterator[tuple[Path, socket]]:
    """A machine with a server that accepts connections, programs and folders of its own: the root, and the server."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="lab-") as name, create_server(("127.0.0.1", 0), backlog=1024) as server:
        folder = Path(name)
        for each in ("bin", "state", "disk"):
            (folder / each).mkdir()
        for program, text in project.programs.items():
            (folder / "bin" / program).write_text(f"#!/bin/sh\n{text}\n")
            (folder / "bin" / program).chmod(0o755)
        os.environ |= {
            "XDG_CACHE_HOME": f"{folder}/cache",
            "XDG_DATA_HOME": f"{folder}/data",
            "LAB_HOST": "127.0.0.1",
            "LAB_PORT": str(server.getsockname()[1]),
            "LAB_STATE": f"{folder}/state",
            "LAB_DISK": f"{folder}/disk/file",
            "PATH": os.pathsep.join([f"{folder}/bin", str(Path(sys.executable).parent), before["PATH"]]),
            "NODE_PATH": str(tools / "node_modules"),
            "GOFLAGS": "-mod=mod",
            "GOPROXY": "off",
        }
        try:
            yield folder / "project", server
        finally:
            os.environ.clear()
            os.environ.update(before)
            with suppress(OSError):
                server.close()


def show(row: Row) -> Row:
    """Print one case."""
    missed = ", ".join(name for name, good in row.good.items() if not good)
    print(f"| {row.id} | {missed or 'as expected'} | {row.seen[:400]} |", flush=True)
    return row


def summarise(rows: Sequence[Row]) -> None:
    """Of each thing that was judged, how often it was as expected; the causes of one fault count one by one."""
    for name in dict.fromkeys(each.rstrip(" 0123456789") for row in rows for each in row.good):
        marks = [good for row in rows for each, good in row.good.items() if each.rstrip(" 0123456789") == name]
        print(f"{name}: {sum(marks)} of {len(marks)}")


if __name__ == "__main__":
    sys.exit(main())
