"""The size and complexity of the code, at one commit or several: the first tables of `house.md`.

    python -m bench.house [--tests N] [--runs N] COMMIT ...

Each COMMIT is unpacked into a temporary folder. Its sources are read, not imported; its commands run with this
environment's packages in a generated repository. A command that fails, or that a commit doesn't have, gets a dash.
"""

from __future__ import annotations

import argparse
import ast
import io
import os
import resource
import statistics
import subprocess
import sys
import tarfile
import tempfile
import tokenize
from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from bench.generated import generate, git

LONG = 400
BRANCHES = (ast.If, ast.IfExp, ast.For, ast.While, ast.ExceptHandler, ast.match_case, ast.comprehension)
LAYOUT = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENDMARKER}
WAYS = {  # a command: the module of its command, and the module where the decision is made
    "reconcile": ("doors.cli.reconcile", "reconcile.steps"),
    "thread say": ("doors.cli.thread", "tickets.ground"),
    "sweep": ("doors.cli.sweep", "health.concluding"),
    "transcripts ingest": ("doors.cli.transcripts", "transcripts.ingest"),
}
COMMANDS = (
    "--help",
    "check",
    "scan",
    "delta --since HEAD",
    "status",
    "gaps",
    "next",
    "structure",
    "runs list",
    "atom list",
    "debt",
    "docs search number",
)
Rows = dict[str, str]


def main() -> None:
    """Print one column per commit."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("commits", nargs="+", metavar="COMMIT")
    options.add_argument("--tests", type=int, default=300)
    options.add_argument("--runs", type=int, default=5)
    given = options.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the start\n")
    columns = []
    for commit in given.commits:
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder) / "tree"
            unpack(commit, tree)
            columns.append(sizes(tree) | ways(tree / "src") | start_up(tree / "src", given.tests, given.runs))
    print(f"| | {' | '.join(given.commits)} |\n|---|{'---:|' * len(columns)}")
    for name in columns[0]:
        print(f"| {name} | {' | '.join(column[name] for column in columns)} |")


def unpack(commit: str, folder: Path) -> None:
    """Write the files of a commit in this script's repository."""
    packed = subprocess.run(["git", "archive", commit], cwd=Path(__file__).parents[1], capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")


def sizes(tree: Path) -> Rows:
    """Counts for `src` and the documentation."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((tree / "src").rglob("*.py"))}
    lengths = [text.count("\n") for text in texts.values()]
    nodes = [node for text in texts.values() for node in ast.walk(ast.parse(text))]
    classes = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    tokens, lines = (sum(counts) for counts in zip(*map(tokens_and_lines, texts.values()), strict=True))
    pages = [tree / "README.md", *sorted((tree / "docs").rglob("*.md"))]
    generated = [page for page in pages if "reference" in page.relative_to(tree).parts]
    return {
        "files under `src`": f"{len(texts):,}",
        "lines": f"{sum(lengths):,}",
        f"files above {LONG} lines": str(sum(length > LONG for length in lengths)),
        "class names used twice or more": str(sum(count > 1 for count in classes.values())),
        "most often": ", ".join(f"{name} × {count}" for name, count in classes.most_common(3)),
        "tokens in a line of code": f"{tokens / lines:.2f}",
        "branches in 100 lines of code": f"{100 * sum(map(branches, nodes)) / lines:.1f}",
        "words of README and docs": f"{words(set(pages) - set(generated)):,}",
        "words of the generated reference": f"{words(generated):,}",
    }


def tokens_and_lines(text: str) -> tuple[int, int]:
    """The number of tokens and of lines with tokens, without comments and blank lines."""
    found = [token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type not in LAYOUT]
    return len(found), len({token.start[0] for token in found})


def branches(node: ast.AST) -> int:
    """The branches that a node adds; each further operand of `and` and `or` counts as one."""
    return len(node.values) - 1 if isinstance(node, ast.BoolOp) else isinstance(node, BRANCHES)


def words(pages: Collection[Path]) -> int:
    return sum(len(page.read_text(encoding="utf-8").split()) for page in pages)


def ways(source: Path) -> Rows:
    """For each command, the distance in imports to the deciding module, and the size of its import closure."""
    names = {module_name(path, source): path for path in source.rglob("*.py")}
    imports = {name: set(imported(path, name, names)) for name, path in names.items()}
    rows = {}
    for command, (first, last) in WAYS.items():
        far = distances(f"pactkeeper.{first}", imports)
        rows[f"`{command}`: hops / import closure"] = f"{far.get(f'pactkeeper.{last}', '–')} / {len(far)}"
    return rows


def module_name(path: Path, source: Path) -> str:
    return ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__")


def imported(path: Path, name: str, names: Mapping[str, Path]) -> Iterator[str]:
    """Our own modules that a file imports anywhere, except under TYPE_CHECKING."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing = [node for node in tree.body if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)]
    left_out = {id(inner) for node in typing for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or node.module is None or id(node) in left_out:
            continue
        for alias in node.names:
            whole = f"{node.module}.{alias.name}"
            target = whole if whole in names else node.module
            if target in names and target != name:
                yield target


def distances(first: str, imports: Mapping[str, set[str]]) -> dict[str, int]:
    """The number of imports from one module to each module it reaches, itself included."""
    far, waiting = {first: 0}, deque([first])
    while waiting:
        module = waiting.popleft()
        for other in sorted(imports[module] - far.keys()):
            far[other] = far[module] + 1
            waiting.append(other)
    return far


def start_up(source: Path, tests: int, runs: int) -> Rows:
    """Median processor seconds of each command on an unchanged repository with a pact, after two warm-up runs."""
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        generate(root, tests=tests)
        for arguments in (["init"], ["reconcile", "--all"]):
            run(source, root, arguments)
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--message", "Adopt")
        for command in COMMANDS:
            times, worked = [], True
            for _ in range(runs + 2):
                before = spent()
                worked = run(source, root, command.split()) and worked
                times.append(spent() - before)
            rows[f"`pk {command}`, seconds"] = f"{statistics.median(times[2:]):.3f}" if worked else "–"
    return rows


def run(source: Path, root: Path, arguments: Sequence[str]) -> bool:
    """Whether a command of those sources ended with neither a usage error nor a bug."""
    program = (
        f"import sys, runpy; sys.path.insert(0, {str(source)!r}); runpy.run_module('pactkeeper', run_name='__main__')"
    )
    surroundings = os.environ | {"HOME": str(root.parent)}
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=root, capture_output=True, check=False, env=surroundings
    )
    return done.returncode in {0, 1}


def spent() -> float:
    """User and system time of all children up to now."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
