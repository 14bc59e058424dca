"""The mutation laboratory: seed faults in projects, sweep them, and check whether the root cause is named.

Run as `python -m bench.health.lab --tools DIR [--outside DIR] [--project NAME] [--fault NAME]`; npm packages are
installed into the first where they are missing, real projects are read from the second (see `outside.py`), and go and
cargo have to be on the PATH. The last tables are kept in `lab.md`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from bench.health.fault import Fault, Project
from bench.health.go_project import PROJECT as GO
from bench.health.outside import outside
from bench.health.python_project import PROJECT as PYTHON
from bench.health.rust_project import PROJECT as RUST
from bench.health.typescript_project import PROJECT as TYPESCRIPT
from pactkeeper.health.concluding import Conclusion
from pactkeeper.intent.health import CHECK_CATEGORIES, CheckResult
from pactkeeper.operators.sweep import SweepRequest, sweep
from pactkeeper.repo.test_side import is_test_side
from pactkeeper.workspace import open_workspace

PROJECTS: Final = (PYTHON, TYPESCRIPT, GO, RUST)
_PACKAGES: Final = ("typescript@5", "vitest@2")
_BAD: Final = ("fail", "timed out", "could not run")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a sweep said of one fault; `named` are the files of its errors, `scopes` those of its tasks.

    `again` counts the tasks that a second sweep, of a commit that changes nothing of it, made besides; None where there
    was none, because another fault of the same kind in the project had one.
    """

    project: str
    fault: Fault
    category: str
    named: frozenset[str]
    placed: bool
    infrastructure: bool
    flaky: bool
    scopes: tuple[frozenset[str], ...]
    again: int | None

    @property
    def triage(self) -> str:
        """What the sweep took the fault for."""
        if self.infrastructure:
            return "infrastructure"
        return "flaky" if self.flaky else "fix"

    @property
    def names_cause(self) -> bool:
        """Whether the root cause is among the files that the errors name or relate to."""
        return self.fault.triage != "fix" or self.fault.cause <= self.named

    @property
    def scopes_cause(self) -> bool:
        """Whether each file of the root cause is in the scope of some task."""
        return self.fault.triage != "fix" or self.fault.cause <= frozenset().union(*self.scopes)


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--tools", type=Path, required=True)
    asked.add_argument("--outside", type=Path)
    asked.add_argument("--project", nargs="*", default=())
    asked.add_argument("--fault")
    options = asked.parse_args()
    install(options.tools)
    outcomes = []
    for project in (*PROJECTS, *(outside(options.outside) if options.outside else ())):
        if not options.project or project.name in options.project:
            outcomes += [show(one) for one in experiment(project, options.tools, options.fault)]
    summarise(outcomes)


def install(tools: Path) -> None:
    """Install what TypeScript needs, once."""
    tools.mkdir(parents=True, exist_ok=True)
    if not (tools / "node_modules" / "vitest").exists():
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", *_PACKAGES], cwd=tools, check=True)


def experiment(project: Project, tools: Path, only: str | None = None) -> Iterator[Outcome]:
    """Build the project, see that it is green, and try one fault after the other on a branch of its own.

    What is known when a fault is swept is the green sweep of main and nothing of other faults.
    """
    with tempfile.TemporaryDirectory() as folder:
        root, state = Path(folder, "project"), Path(folder, "state")
        state.mkdir()
        os.environ["LAB_STATE"] = str(state)
        build(project, root, tools)
        healthy = swept(root)
        bad = [
            (one.check, one.verdict, one.reason, one.output.text)
            for one in healthy.sweep.results
            if one.verdict != "pass"
        ]
        assert not bad, bad
        assert len(healthy.sweep.results) > 1, "no check of the project was run"
        known = Path(shutil.copytree(root / ".git" / "pact", Path(folder, "known")))
        first = {fault.kind: fault.name for fault in reversed(project.faults)}
        for fault in project.faults:
            if only in {None, fault.name}:
                (state / "warm").unlink(missing_ok=True)
                forget(root, known)
                breaks(fault, root)
                found = swept(root)
                yield judge(project, fault, found, swept_again(root) if first[fault.kind] == fault.name else None)


def build(project: Project, root: Path, tools: Path) -> None:
    """Write the project with its checks, and commit it on main."""
    checks = project.checks.replace("{tools}", str(tools.resolve())).replace("{python}", sys.executable)
    for path, text in {**project.files, "pact/pact.toml": "[pact]\nformat = 1\n" + checks}.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    git(root, "init", "-q", "-b", "main")
    commit(root, "Begin")


def breaks(fault: Fault, root: Path) -> None:
    """Put the fault on a branch that begins at main, in one commit with changes of other files that break nothing."""
    git(root, "checkout", "-q", "-f", "-B", fault.name, "main")
    for path, old, new in fault.edits:
        place = root / path
        text = place.read_text("utf-8") if place.exists() else ""
        assert old in text, f"{fault.name}: {path} has no {old!r}"
        place.write_text(text.replace(old, new, 1) if old else text + new, "utf-8")
    for place in bystanders(fault, root):
        place.write_text(f"{place.read_text('utf-8')}{remark(place)}\n", "utf-8")
    commit(root, fault.name)


_REMARKS: Final = {".py": "#", ".ts": "//", ".go": "//", ".rs": "//"}
_DEFINITION: Final = re.compile(
    r"^\s*(?:pub |export )*(?:def|class|function|interface|func|type|fn|struct) .*\w", re.MULTILINE
)
_BYSTANDERS: Final = 4


def bystanders(fault: Fault, root: Path) -> list[Path]:
    """A few files of the product that the fault leaves alone, at most half of them, from everywhere."""
    listed = subprocess.run(["git", "ls-files"], cwd=root, check=True, capture_output=True, text=True).stdout.split(
        "\n"
    )
    product = [one for one in listed if PurePosixPath(one).suffix in _REMARKS and not is_test_side(one)]
    others = [root / one for one in product if one not in fault.cause and "config" not in one]
    some = min(_BYSTANDERS, len(others) // 2)
    return others[:: max(1, len(others) // some)][:some] if some else []


def remark(place: Path) -> str:
    """A comment that repeats the first definition of a file, so that its names stand on a changed line."""
    found = _DEFINITION.search(place.read_text("utf-8"))
    return f"{_REMARKS[place.suffix]} {found[0].strip() if found else 'nothing'}"


def forget(root: Path, known: Path) -> None:
    """Bring back the history as it was: a task pending for one fault would stand for the next of the same cause."""
    shutil.rmtree(root / ".git" / "pact")
    shutil.copytree(known, root / ".git" / "pact")


def commit(root: Path, subject: str) -> None:
    git(root, "add", "--all")
    git(root, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "--no-verify", "-m", subject)


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True)


def swept(root: Path) -> Conclusion:
    """One sweep of HEAD, as `pk health sweep` does it."""
    with open_workspace(root, notice=lambda _: None) as workspace:
        return sweep(workspace, SweepRequest())


def swept_again(root: Path) -> Conclusion:
    """A sweep of the next commit, which has nothing to do with the fault."""
    (root / "unrelated.txt").write_text("nothing\n", "utf-8")
    commit(root, "Write down nothing")
    return swept(root)


def judge(project: Project, fault: Fault, found: Conclusion, later: Conclusion | None) -> Outcome:
    """Take from a sweep what is compared with the fault."""
    bad = [one for one in found.sweep.results if one.verdict in _BAD]
    category = min((one.category for one in bad), key=CHECK_CATEGORIES.index, default="")
    errors = [one for result in highest(bad) for one in result.diagnostics if one.severity == "error"]
    named = frozenset(path for one in errors for path in (one.file, *one.related) if path)
    return Outcome(
        project.name,
        fault,
        category,
        named,
        placed=all(one.file for one in errors),
        infrastructure=bool(found.sweep.infrastructure) or any(one.verdict == "could not run" for one in bad),
        flaky=any(one.flaky for one in found.findings),
        scopes=tuple(frozenset(task.scope) for task in found.tasks),
        again=None if later is None else len(later.tasks),
    )


def highest(results: Sequence[CheckResult]) -> list[CheckResult]:
    """The results of the first category, in the order of repair, that is not well."""
    first = min((CHECK_CATEGORIES.index(one.category) for one in results), default=-1)
    return [one for one in results if CHECK_CATEGORIES.index(one.category) == first]


def show(one: Outcome) -> Outcome:
    fault = one.fault
    marks = [
        f"category {one.category}" + ("" if one.category == fault.category else f" instead of {fault.category}"),
        f"triage {one.triage}" + ("" if one.triage == fault.triage else f" instead of {fault.triage}"),
        f"{len(one.scopes)} tasks" + ("" if len(one.scopes) == fault.groups else f" instead of {fault.groups}"),
        "cause named" if one.names_cause else f"cause {sorted(fault.cause)} not among {sorted(one.named)}",
        "" if one.scopes_cause else f"cause not in {sorted(map(sorted, one.scopes))}",
        "" if one.placed else "an error has no file",
        f"{one.again} tasks more from a second sweep" if one.again else "",
    ]
    print(f"{one.project:10} {fault.kind:18} {fault.name:18} {' · '.join(filter(None, marks))}", flush=True)
    return one


def summarise(outcomes: Sequence[Outcome]) -> None:
    """How many of all were judged as they should be, by project and by kind."""
    for title, names in (
        ("project", [one.project for one in outcomes]),
        ("kind", [one.fault.kind for one in outcomes]),
    ):
        print(f"\n| {title} | {' | '.join(_COLUMNS)} |\n|---{'|---' * len(_COLUMNS)}|")
        for each in dict.fromkeys(names):
            print(row(each, [one for one, name in zip(outcomes, names, strict=True) if name == each]))
        print(row("all", outcomes))


_COLUMNS: Final = (
    "faults",
    "category",
    "triage",
    "cause named",
    "tasks",
    "cause in scope",
    "swept again",
    "tasks again",
)


def row(title: str, some: Sequence[Outcome]) -> str:
    """One line of a table: how many faults, and of how many each thing was said as it should be."""
    counts = (
        len(some),
        sum(one.category == one.fault.category for one in some),
        sum(one.triage == one.fault.triage for one in some),
        sum(one.names_cause for one in some),
        sum(len(one.scopes) == one.fault.groups for one in some),
        sum(one.scopes_cause for one in some),
        sum(one.again is not None for one in some),
        sum(one.again or 0 for one in some),
    )
    return f"| {title} | {' | '.join(map(str, counts))} |"


if __name__ == "__main__":
    main()
