"""Run the main job once: reconcile a repository of yours, or a generated sample that ends with planted drift.

Without `--repo` the sample is made anew under build/sample. With it, nothing in the repository's work tree is changed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SAMPLE = HERE / "sample"
TARGET = HERE.parent / "build" / "sample"
PK = Path(sys.executable).with_name("pk")
STEPS = (
    ("1-rates", "Price parcels by weight and zone", "2026-01-12T09:00:00+00:00"),
    ("2-tracking", "Track parcels from announcement to delivery", "2026-01-19T10:30:00+00:00"),
    ("3-web", "Add the basket of the web client", "2026-02-02T14:15:00+00:00"),
    ("4-labels", "Print labels", "2026-02-16T11:45:00+00:00"),
)
AUTHOR = {"GIT_AUTHOR_NAME": "Parcel Team", "GIT_AUTHOR_EMAIL": "team@parcels.example"}
COMMITTER = {"GIT_COMMITTER_NAME": "Parcel Team", "GIT_COMMITTER_EMAIL": "team@parcels.example"}


def git(*arguments: str, date: str = "2026-02-23T08:00:00+00:00") -> None:
    """Run git in the sample with a fixed identity and date, so that its commits are the same everywhere."""
    identity = {**AUTHOR, **COMMITTER, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    isolated = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", *arguments], cwd=TARGET, env={**os.environ, **identity, **isolated}, check=True)


def commit(message: str, date: str = "2026-02-23T08:00:00+00:00") -> None:
    """Commit everything in the sample."""
    git("add", "--all", date=date)
    git("commit", "--quiet", "--message", message, date=date)


def overlay(name: str) -> None:
    """Lay one step of the sample over what is there."""
    shutil.copytree(SAMPLE / name, TARGET, dirs_exist_ok=True)


def generate() -> None:
    """Make the sample repository anew, with its history."""
    if TARGET.exists():
        shutil.rmtree(TARGET)
    TARGET.mkdir(parents=True)
    git("init", "--quiet", "--initial-branch=main")
    for name, message, date in STEPS:
        overlay(name)
        commit(message, date)


def pk(*arguments: str, folder: Path = TARGET) -> int:
    """Show and run one `pk` command; its exit code is returned. In the sample it is its author who decides."""
    print(f"\n$ pk {' '.join(arguments)}", flush=True)
    identity = {**AUTHOR, **COMMITTER} if folder == TARGET else {}
    return subprocess.run([str(PK), *arguments], cwd=folder, env={**os.environ, **identity}, check=False).returncode


def expect(code: int, wanted: int, what: str) -> None:
    """Stop loudly where a step of the sample does not end as it must."""
    if code != wanted:
        sys.exit(f"first_run: {what}: expected exit code {wanted}, got {code}")


def run_sample() -> int:
    """Adopt the sample, apply a patch, then plant drift that `pk check` must catch."""
    generate()
    print(f"A sample repository with {len(STEPS)} commits stands in {TARGET.relative_to(HERE.parent)}.")
    expect(pk("init"), 0, "init")
    expect(pk("reconcile", "--all"), 0, "reconcile")
    expect(pk("apply", "--all"), 0, "apply")
    expect(pk("check"), 0, "check after apply")
    commit("Adopt the pact")
    overlay("drift")
    print(
        "\nTwo weeks later: a price changed with its test, one test came without intent, another names an unknown atom."
    )
    code = pk("check")
    expect(code, 1, "check must catch the planted drift")
    expect(pk("reconcile"), 0, "reconcile the drift")
    print("\nThat is the whole loop. Try it on your own repository: make reconcile REPO=/path/to/it")
    print(f"The program is {PK}")
    return 0


def run_repository(path: Path) -> int:
    """Reconcile somebody's repository in full; only the state under git's own directory is written."""
    return pk("reconcile", "--all", folder=path)


def main() -> int:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path)
    repo = parser.parse_args().repo
    if repo is None:
        return run_sample()
    if not repo.is_dir():
        parser.error(f"no such folder: {str(repo)!r}")
    return run_repository(repo.resolve())


if __name__ == "__main__":
    sys.exit(main())
