"""How long `pk check` takes with many signed commitments: the table in `commitments.md`.

    python -m bench.commitments [--atoms N] [--commitments N] [--runs N]

Generates a repository of N tests with an atom each, commits the atoms in signed commitments of equal size, and measures
whole processes. Wall time is the median of the runs; processor time is that of all processes together and says more on
a busy machine. "Cold" is without any cache: every test is parsed, every file of the pact decoded, every signature
verified. The commitments are written without the gate, which would judge each in turn.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from bench.check import PK, adopt
from bench.generated import generate, git
from pactkeeper.catalog.render import commitment_text
from pactkeeper.catalog.schema import commitment_path
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.commitments import NAMESPACE, new_commitment, signed_bytes
from pactkeeper.repo.signing import sign
from pactkeeper.workspace import open_workspace

BY, AT = "Bench <bench@example.org>", "2030-01-01T00:00:00+00:00"


def commit_all(root: Path, key: Path, number: int) -> None:
    """Freeze all atoms in `number` signed commitments, and add the key to the allowed signers."""
    with open_workspace(root, notice=print) as workspace:
        atoms = sorted(workspace.pact(workspace.snapshot()).atoms.values(), key=lambda one: one.id)
    size = -(-len(atoms) // number)
    for start in range(0, len(atoms), size):
        write(root, key, atoms[start : start + size])
    listed = f"bench@example.org {key.with_suffix('.pub').read_text()}"
    (root / "pact/allowed_signers").write_text(listed, encoding="utf-8")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "Commit all atoms")


def write(root: Path, key: Path, atoms: list[Atom]) -> None:
    """Write one signed commitment."""
    plain = new_commitment(atoms, by=BY, at=AT, assurance="signed", overrides={}, after={})
    signed = replace(plain, signature=sign(signed_bytes(plain), key, NAMESPACE))
    place = root / commitment_path(signed.id)
    place.parent.mkdir(exist_ok=True)
    place.write_text(commitment_text(signed), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Taken:
    """The milliseconds of one run: wall time, and processor time of all processes."""

    wall: float
    processor: float


def rows(root: Path, runs: int) -> list[tuple[str, Taken]]:
    """Each measured situation with its median."""
    check = [str(PK), "check"]
    changed = next(path for path in sorted(root.rglob("test_*.py")))

    def cold() -> None:
        for place in (root / ".git/pact").glob("cache*"):
            place.unlink()

    def touch() -> None:
        with changed.open("a", encoding="utf-8") as stream:
            stream.write("\n# changed\n")

    return [
        ("cold, in the working tree", repeated(root, check, runs, before=cold)),
        ("cold, `--at HEAD`", repeated(root, [*check, "--at", "HEAD"], runs, before=cold)),
        ("nothing changed", repeated(root, [*check, "--at", "HEAD"], runs)),
        ("one test file changed", repeated(root, check, runs, before=touch)),
    ]


def repeated(root: Path, command: list[str], runs: int, *, before: Callable[[], None] = lambda: None) -> Taken:
    """The medians of single runs, each after `before`; an unmeasured first run warms the caches."""
    taken = []
    for _ in range(runs + 1):
        before()
        taken.append(once(root, command))
    return Taken(median(one.wall for one in taken[1:]), median(one.processor for one in taken[1:]))


def once(root: Path, command: list[str]) -> Taken:
    """Run a command that must succeed."""
    used, start = processor_time(), time.perf_counter()
    subprocess.run(command, cwd=root, capture_output=True, check=True)
    return Taken((time.perf_counter() - start) * 1000, (processor_time() - used) * 1000)


def processor_time() -> float:
    """Seconds used by finished child processes and their children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--atoms", type=int, default=5_000)
    parser.add_argument("--commitments", type=int, default=500)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="keep the repository here, and use it where it is there")
    chosen = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        root = chosen.keep or Path(folder) / "repository"
        if not root.exists():
            key = Path(folder) / "key"
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
            generate(root, tests=chosen.atoms)
            adopt(root, chosen.atoms)
            commit_all(root, key, chosen.commitments)
            shutil.rmtree(root / ".git/pact/journal", ignore_errors=True)
        print(f"{chosen.atoms:,} atoms, {chosen.commitments:,} signed commitments; load {load:.1f} before the start\n")
        print("| `pk check` | wall | processors |\n|---|---:|---:|")
        for name, taken in rows(root, chosen.runs):
            print(f"| {name} | {taken.wall:,.0f} ms | {taken.processor:,.0f} ms |")


if __name__ == "__main__":
    main()
