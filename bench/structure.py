"""Whether `pk structure` finds the same edges as other tools, and how long it takes: the tables in `structure.md`.

    python -m bench.structure [--typescript FOLDER] [--files N] [--runs N] [CHECKOUT ...]

Each CHECKOUT is a clone whose folder name is a key of PROJECTS. It is copied to a temporary folder, and its workspace
packages are symlinked as a package manager would. The oracles are Python's own parser and path finder, grimp, and the
TypeScript compiler in FOLDER (`npm install typescript`). Every difference is printed. `--files` generates a repository
of N files and measures it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.edits.making import git
from pactkeeper.repo import snapshot
from pactkeeper.repo.cache import NoCache
from pactkeeper.repo.discovery import Discovery
from pactkeeper.repo.git import Repository
from pactkeeper.repo.languages import LANGUAGES, load
from pactkeeper.repo.structure import structure_of

ORACLES = Path(__file__).parent / "oracles"
PYTHON, SCRIPT = LANGUAGES
Edges = dict[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class Project:
    """What an oracle must be told about a project, because only the project's own tools know it.

    `paths` maps path prefixes to the folders on Python's path; `package` is the folder and name of the package that
    grimp reads; `links` maps the names of packages that a package manager symlinks into `node_modules`.
    """

    language: str
    paths: Mapping[str, Sequence[str]] = field(default_factory=dict)
    package: tuple[str, str] | None = None
    links: Mapping[str, str] = field(default_factory=dict)


PROJECTS = {
    "requests": Project(PYTHON, {"": ["src", "."], "docs/": ["docs", "src"]}, ("src", "requests")),
    "flask": Project(
        PYTHON,
        {
            "": ["src", "tests", "tests/test_apps"],
            "tests/test_apps/helloworld/": ["tests/test_apps/helloworld", "src"],
            "docs/": ["docs", "src"],
            "examples/celery/": ["examples/celery/src", "examples/celery", "src"],
            "examples/javascript/": ["examples/javascript", "examples/javascript/tests", "src"],
            "examples/tutorial/": ["examples/tutorial", "examples/tutorial/tests", "src"],
        },
        ("src", "flask"),
    ),
    "scrapy": Project(PYTHON, {"": [".", "docs"], "docs/_ext/": ["docs/_ext", "."]}, (".", "scrapy")),
    "pytest": Project(
        PYTHON,
        {
            "": ["src", "testing", "."],
            "doc/en/": ["doc/en", "src"],
            "doc/en/example/": ["doc/en/example", "src"],
            "scripts/": ["scripts", "src"],
            "testing/example_scripts/": ["testing/example_scripts", "src"],
            "testing/plugins_integration/": ["testing/plugins_integration", "src"],
        },
        ("src", "_pytest"),
    ),
    "redux": Project(SCRIPT),
    "express": Project(SCRIPT),
    "zod": Project(SCRIPT, links={"zod": "packages/zod"}),
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Our edges and an oracle's."""

    project: str
    oracle: str
    ours: Edges
    theirs: Edges

    def row(self) -> str:
        """One table row."""
        both = len(self.ours.keys() & self.theirs.keys())
        precision, recall = both / max(len(self.ours), 1), both / max(len(self.theirs), 1)
        counts = f"{len(self.ours):,} | {len(self.theirs):,} | {both:,}"
        return f"| {self.project} | {self.oracle} | {counts} | {precision:.4f} | {recall:.4f} |"

    def differences(self) -> Iterator[str]:
        """Every edge found by only one of the two, with the line of its import."""
        for name, edges, others in (("only ours", self.ours, self.theirs), ("only theirs", self.theirs, self.ours)):
            for ends in sorted(edges.keys() - others.keys()):
                yield f"- {self.project}, {name}: `{ends[0]}:{edges[ends]}` → `{ends[1]}`"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("checkouts", nargs="*", type=Path, metavar="CHECKOUT")
    options.add_argument("--typescript", type=Path, help="the folder of the compiler's package")
    options.add_argument("--files", type=int, default=0)
    options.add_argument("--runs", type=int, default=5)
    given = options.parse_args()
    one, five, _ = os.getloadavg()
    print(f"{os.cpu_count()} cores, load {one:.1f} (last minute) and {five:.1f} (last five) before the start")
    with tempfile.TemporaryDirectory() as folder:
        found = [entry for path in given.checkouts for entry in compare(path, Path(folder), given.typescript)]
        if found:
            print("\n| project | against | our edges | theirs | both | precision | recall |")
            print("|---|---|---:|---:|---:|---:|---:|")
            print("\n".join(entry.row() for entry in found), end="\n\n")
            print("\n".join(line for entry in found for line in entry.differences()))
        print("\n| seconds of wall (processor) | cold | unchanged | unchanged, --json | one file changed |")
        print("|---|---:|---:|---:|---:|")
        if given.files:
            root = generate(Path(folder) / "generated", given.files)
            measure(f"{given.files:,} generated files", root, given.runs)
        for path in given.checkouts:
            measure(path.name, Path(folder) / path.name, given.runs)
    return 0


def compare(checkout: Path, folder: Path, typescript: Path | None) -> Iterator[Comparison]:
    """Compare with every oracle for the project's language."""
    project = PROJECTS[checkout.name]
    root = (folder / checkout.name).resolve()
    shutil.copytree(checkout, root, symlinks=True)
    files, ours = edges_of(root, project.language)
    if project.language == PYTHON:
        yield Comparison(checkout.name, "path finder", ours, found_by_python(root, project, files))
        if project.package is not None:
            yield against_grimp(checkout.name, root, project.package, ours)
    elif typescript is not None:
        for name, place in project.links.items():
            link = root / "node_modules" / name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(root / place)
        command = ["node", str(ORACLES / "typescript_imports.cjs"), str(typescript.resolve()), str(root)]
        yield Comparison(checkout.name, "TypeScript", ours, ask(command, {"files": files}))


def edges_of(root: Path, language: str) -> tuple[list[str], Edges]:
    """The existing files in one language, and the edges between all files."""
    taken = snapshot.worktree(Repository.open(root))
    found = structure_of(taken, Discovery(cache=NoCache(), languages=(language,)))
    files = [path for path in load(language).importing.sources(taken.paths) if (root / path).is_file()]
    return files, {(edge.importer, edge.imported): edge.line for edge in found.edges}


def found_by_python(root: Path, project: Project, files: Sequence[str]) -> Edges:
    command = [sys.executable, "-I", str(ORACLES / "python_imports.py"), str(root)]
    return ask(command, {"files": files, "paths": dict(project.paths)})


def against_grimp(name: str, root: Path, package: tuple[str, str], ours: Edges) -> Comparison:
    """Compare edges within one package, with modules mapped to files."""
    folder, top = package
    command = [sys.executable, str(ORACLES / "grimp_imports.py"), str(root / folder), top]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    pairs = [(file_of(root, folder, one), file_of(root, folder, other)) for one, other in json.loads(done.stdout)]
    inside = os.path.normpath(f"{folder}/{top}") + "/"
    kept = {ends: line for ends, line in ours.items() if all(end.startswith(inside) for end in ends)}
    return Comparison(name, f"grimp, inside `{top}`", kept, {ends: 0 for ends in pairs if ends[0] != ends[1]})


def file_of(root: Path, folder: str, module: str) -> str:
    place = os.path.normpath(f"{folder}/{module.replace('.', '/')}")
    return f"{place}/__init__.py" if (root / place / "__init__.py").is_file() else f"{place}.py"


def ask(command: Sequence[str], question: Mapping[str, object]) -> Edges:
    done = subprocess.run(command, input=json.dumps(question), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return {(one, other): line for one, other, line in json.loads(done.stdout)}


def generate(root: Path, files: int) -> Path:
    """Create a repository, half Python, half TypeScript; every file imports ten earlier ones, one in five is a test."""
    for number in range(files):
        python = number % 2 == 0
        place = root / ("src/shop" if python else "web/src") / f"area{number % 40}"
        place.mkdir(parents=True, exist_ok=True)
        others = list(range(number % 2, number, max(2, number // 20 * 2)))[-10:]
        if python:
            text = "import logging\nfrom typing import Any\n" + "".join(
                f"from shop.area{other % 40}.{module(other)} import Thing{other}\n" for other in others
            )
            text += (
                f"\n\nclass Thing{number}:\n    pass\n\n\ndef test_{number}():\n    assert logging\n"
                + "text = 1\n" * 60
            )
            (place / f"{module(number)}.py").write_text(text)
            (place / "__init__.py").touch()
        else:
            text = "import { expect, it } from 'vitest'\n" + "".join(
                f"import {{ Thing{other} }} from '../area{other % 40}/{script(other)}'\n" for other in others
            )
            text += f"export class Thing{number} {{}}\nit('is {number}', () => expect(1).toBe(1))\n" + "// text\n" * 60
            (place / f"{script(number)}.ts").write_text(text)
    (root / "src/shop/__init__.py").touch()
    (root / "package.json").write_text(json.dumps({"name": "shop", "devDependencies": {"vitest": "3.0.0"}}))
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "base")
    return root


def module(number: int) -> str:
    return f"test_thing{number}" if number % 5 == 0 else f"thing{number}"


def script(number: int) -> str:
    return f"thing{number}.test" if number % 5 == 0 else f"thing{number}"


def measure(title: str, root: Path, runs: int) -> None:
    """Print medians of whole processes, including Python's start-up and git's file listing."""
    cache = root / ".git" / "pact"
    cold, warm, printed, changed = [], [], [], []
    for number in range(runs):
        for entry in cache.glob("*"):
            entry.unlink()
        cold.append(timed(root))
        warm.append(timed(root))
        printed.append(timed(root, "--json"))
        some = min(place for place in root.rglob("*.*") if place.suffix in {".py", ".ts", ".js"})
        some.write_text(some.read_text() + f"\n{'#' if some.suffix == '.py' else '//'} {number}\n")
        changed.append(timed(root))
    cells = [title]
    for found in (cold, warm, printed, changed):
        wall, processor = (statistics.median(values) for values in zip(*found, strict=True))
        cells.append(f"{wall:.2f} ({processor:.2f})")
    print(f"| {' | '.join(cells)} |", flush=True)


def timed(root: Path, *options: str) -> tuple[float, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    command = [sys.executable, "-m", "pactkeeper", "structure", *options]
    subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, check=True)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    sys.exit(main())
