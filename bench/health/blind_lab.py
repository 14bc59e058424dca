"""A laboratory written by somebody else, swept and judged: `python -m bench.health.blind_lab OUT RESULTS`.

OUT holds built cases (`OUT/<id>/case.json` and `repo`); RESULTS becomes what its own `score.py` reads. Each case is
copied, and the checks that it names are declared in a pact that is added to every commit.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import join
from typing import Any

from pactkeeper.intent.health import FixTask, HealthFinding
from pactkeeper.operators.fix_tasks import Completion, claim_fix_task, complete_fix_task, list_fix_tasks
from pactkeeper.operators.sweep import SweepRequest, Swept, sweep
from pactkeeper.workspace import open_workspace

CATEGORIES = {
    "build": "build/compile",
    "types": "type error",
    "test": "test failure",
    "dependency": "dependency-undeclared",
    **dict.fromkeys(("syntax", "settings"), "config/syntax error"),
}
AGAIN = 1  # sweeps more of a commit that fails: none may make another task
VERDICTS = {"pass": "green", "fail": "red", "timed out": "red"}


def main() -> int:
    """Run all cases of a half, or those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--half", default="")
    parser.add_argument("--kind", default="")
    parser.add_argument("--only", nargs="*", default=[])
    given = parser.parse_args()
    found = json.loads(given.results.read_text()) if given.results.exists() else []
    done = {one["id"] for one in found}
    for place in sorted(given.out.glob("*/case.json")):
        case = json.loads(place.read_text())
        wanted = given.half in {"", case["half"]} and given.kind in {"", case["kind"]}
        if case["id"] in done or not wanted or (given.only and case["id"] not in given.only):
            continue
        try:
            found.append({"id": case["id"], **run(place.parent, case)})
        except Exception as error:  # noqa: BLE001 - the next case is another one
            print(case["id"], repr(error), file=sys.stderr)
            found.append({"id": case["id"], "verdict": "cannot-tell", "causes": [], "error": repr(error)})
        given.results.write_text(json.dumps(found, indent=1))
        print(json.dumps(found[-1])[:400], flush=True)
    return 0


def run(place: Path, case: Mapping[str, Any]) -> dict[str, Any]:
    """Build the repository of one case, and sweep or judge it."""
    scratch = Path(os.environ.get("TMPDIR", "/tmp")) / "blind-lab" / case["id"]  # noqa: S108 - its own folder
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    root = scratch / "repo"
    subprocess.run(["git", "clone", "-q", "--no-local", str(place / "repo"), str(root)], check=True)
    renamed = rewritten(root, case)
    variables = {"XDG_CACHE_HOME": f"{scratch}/cache", "XDG_DATA_HOME": f"{scratch}/data", **case.get("env", {})}
    prepended = os.pathsep.join(str(place / one) for one in _listed(case.get("path_prepend")))
    variables["PATH"] = os.pathsep.join(part for part in (prepended, os.environ["PATH"]) if part)
    with _variables(variables):
        return faulty(root, case, renamed) if case["kind"] == "fault" else judged(root, case, renamed)


def faulty(root: Path, case: Mapping[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    """Sweep the working commit, then the one to be checked twice with the surroundings as they are to be."""
    swept(root, renamed[case["base_commit"]])
    with _surroundings(case):
        first = swept(root, renamed[case["check_commit"]])
        with open_workspace(root, notice=lambda _: None) as workspace:
            tasks = list_fix_tasks(workspace)  # of a commit that was red before as well
        again = sum(len(swept(root, renamed[case["check_commit"]]).tasks) for _ in range(AGAIN))
    verdicts = {one.check: VERDICTS.get(one.verdict, "cannot-tell") for one in first.sweep.results[1:]}
    whole = "red" if "red" in verdicts.values() else "green" if set(verdicts.values()) == {"green"} else "cannot-tell"
    return {
        "verdict": whole,
        "checks": verdicts,
        "tasks": len(tasks),
        "again": again,
        "causes": list(causes(first, tasks)),
    }


def causes(found: Swept, tasks: Sequence[FixTask]) -> Iterator[dict[str, Any]]:
    """Tasks, and whatever got none because it is flaky or not the commit's, in the terms of the laboratory."""
    if found.sweep.infrastructure:
        told = [each for one in found.sweep.results if one.verdict == "fail" for each in one.diagnostics]
        yield {
            "category": _surrounded(found.sweep.infrastructure),
            "triage": "surroundings",
            "files_in_scope": sorted({one.file for one in told if one.file})[:3],
            "failing_tests": [one.test for one in told if one.test],
        }
        return
    known = {one.diagnostic.fingerprint: one for one in found.findings}
    for task in tasks:
        members = [known[name] for name in task.fingerprints if name in known]
        if members:
            yield _cause(members, task)
    rest = [one for one in found.findings if not one.task and one.diagnostic.severity == "error"]
    for key in dict.fromkeys((one.flaky, one.surroundings, one.diagnostic.check) for one in rest):
        members = [one for one in rest if (one.flaky, one.surroundings, one.diagnostic.check) == key]
        yield _cause(members, None)
    for one in found.sweep.results:
        if one.verdict == "could not run":
            yield {
                "check": one.check,
                "category": _surrounded(one.reason),
                "triage": "surroundings",
                "files_in_scope": [],
                "failing_tests": [],
            }


def _cause(members: list[HealthFinding], task: FixTask | None) -> dict[str, Any]:
    first = members[0].diagnostic
    reason = members[0].surroundings
    kind = task.kind if task else members[0].kind
    category = CATEGORIES.get(kind, kind)
    scope = list(task.scope) if task else sorted({one.diagnostic.file for one in members if one.diagnostic.file})[:3]
    return {
        "check": first.check,
        "category": "flaky" if members[0].flaky else _surrounded(reason) if reason else category,
        "triage": "surroundings" if reason else "commit",
        "files_in_scope": scope,
        "failing_tests": [one.diagnostic.test for one in members if one.diagnostic.test],
    }


def _surrounded(reason: str) -> str:
    if "submodule" in reason:
        return "missing submodule"
    return (
        "dependency-not-installed"
        if "not installed" in reason or ("not found" in reason and "command" in reason)
        else "environment"
    )


def judged(root: Path, case: Mapping[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    """Sweep the healthy and the broken commit, and offer the fix to the gate for every task."""
    swept(root, renamed[case["healthy_commit"]])
    made = swept(root, renamed[case["base_commit"]])
    wanted = {name.rpartition("::")[2].rpartition(" > ")[2] for name in case["task"].get("failing_tests", [])}
    known = {one.diagnostic.fingerprint: one.diagnostic.test for one in made.findings}
    tasks = [one for one in made.tasks if any(_names(known.get(name, ""), wanted) for name in one.fingerprints)]
    tasks = tasks or list(made.tasks)
    if not tasks:
        return {"gate": "refuse", "error": "no task"}
    subprocess.run(["git", "-C", str(root), "checkout", "-q", "-B", "main", renamed[case["fix_commit"]]], check=True)
    with open_workspace(root, notice=lambda _: None) as workspace:
        claim_fix_task(workspace, tasks[0].id, by="lab")
        done = complete_fix_task(workspace, Completion(tasks[0].id, "HEAD", "lab", trust="any"))
    refusals = [str(one) for one in done.acceptance.refusals]
    return {"gate": "accept" if done.acceptance.accepted else "refuse", "refusals": refusals}


def _names(test: str, wanted: Iterable[str]) -> bool:
    return any(name and name.split(" ")[-1] in test for name in wanted)


def swept(root: Path, commit: str) -> Swept:
    """A sweep of main at this commit."""
    subprocess.run(["git", "-C", str(root), "checkout", "-q", "-B", "main", commit], check=True)
    with open_workspace(root, notice=lambda _: None) as workspace:
        return sweep(workspace, SweepRequest(trust="any"))


def rewritten(root: Path, case: Mapping[str, Any]) -> dict[str, str]:
    """Every commit once more with the declared checks in it, by its old name; the branches follow."""
    blob = _git(root, "hash-object", "-w", "--stdin", feed=declaration(case))
    new: dict[str, str] = {}
    for line in _git(root, "rev-list", "--topo-order", "--reverse", "--parents", "--all").splitlines():
        old, *parents = line.split()
        _git(root, "read-tree", old)
        _git(root, "update-index", "--add", "--cacheinfo", f"100644,{blob},pact/pact.toml")
        tree = _git(root, "write-tree")
        when = _git(root, "show", "-s", "--format=%cI", old)
        told = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        options = [part for one in parents for part in ("-p", new[one])]
        new[old] = _git(
            root, "commit-tree", tree, *options, "-m", _git(root, "show", "-s", "--format=%s", old), env=told
        )
    return new


def declaration(case: Mapping[str, Any]) -> str:
    """A pact that declares the checks of a case."""
    lines = ["[pact]", "format = 1", "", "[health]", f"inherit = {json.dumps(sorted(case.get('env', {})))}"]
    prepare = " && ".join(join(one) for one in case.get("setup", []))
    for one in case["checks"]:
        category = _kind(one["command"])
        lines += ["", "[[health.check]]", f"name = {json.dumps(one['name'])}", f'category = "{category}"']
        lines += [f"argv = {json.dumps(['bash', '-c', one['command']])}", f"timeout = {one.get('timeout_s', 300)}"]
        lines += [f"prepare = {json.dumps(['bash', '-c', prepare])}"] if prepare else []
    return "\n".join(lines) + "\n"


def _kind(command: str) -> str:
    if any(word in command for word in ("ruff", "eslint", "flake8", "clippy")):
        return "lint"
    if any(word in command for word in ("test", "jest", "java -cp", "unittest")):
        return "test"
    return "compile" if any(word in command for word in ("mypy", "tsc", "vet")) else "build"


def _listed(value: object) -> list[str]:
    return value if isinstance(value, list) else [value] if isinstance(value, str) else []


@contextmanager
def _surroundings(case: Mapping[str, Any]) -> Iterator[None]:
    running = []
    try:
        for one in case.get("before", []):
            process = subprocess.Popen(one["argv"], start_new_session=True)
            running.append(process)
            if not one.get("background"):
                process.wait()
        yield
    finally:
        for process in running:
            if process.poll() is None:
                process.kill()
                process.wait()


@contextmanager
def _variables(wanted: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(wanted)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _git(root: Path, *arguments: str, feed: str | None = None, env: Mapping[str, str] | None = None) -> str:
    who = {f"GIT_{role}_{what}": "lab@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = subprocess.run(
        ["git", "-C", str(root), *arguments],
        input=feed,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **who, **(env or {})},
    )
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
