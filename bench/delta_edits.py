"""Scripted edits with a known result: each is made in a real repository, and its delta must match exactly.

    python -m bench.delta_edits [--only WORD]

Every edit is judged in the working tree before anything is staged, in the index and as a commit. Prints one line for
each wrong edit and a summary; the exit code is 1 if any edit is wrong.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

from bench.edits import javascript, python
from bench.edits.making import FILES, Edit, git
from pactkeeper.repo import snapshot
from pactkeeper.repo.cache import FileCache
from pactkeeper.repo.delta import Delta, delta_between
from pactkeeper.repo.discovery import Discovery
from pactkeeper.repo.git import Repository

STATES: dict[str, Callable[[Repository], snapshot.Snapshot]] = {
    "worktree": snapshot.worktree,
    "index": snapshot.index,
    "commit": lambda repository: snapshot.commit(repository, "HEAD"),
}
LISTS = ("added", "modified", "moved", "renamed", "deleted", "unseen")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", default="", help="judge only edits whose name holds this")
    wanted = options.parse_args().only
    edits = [
        (language, edit)
        for language, table in (("python", python.EDITS), ("typescript", javascript.EDITS))
        for edit in table
        if wanted in edit.name
    ]
    judged = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (language, edit) in enumerate(edits):
            for state, differences in judge(edit, Path(folder) / str(number)):
                judged += 1
                wrong += bool(differences)
                for difference in differences:
                    print(f"{language}: {edit.name} ({state}): {difference}")
    print(f"{len(edits)} edits, {judged} judgements, {wrong} wrong")
    return 1 if wrong else 0


def judge(edit: Edit, root: Path) -> Iterator[tuple[str, list[str]]]:
    """Make the edit in a new repository and compare its delta with the truth in every state."""
    repository = prepare(edit, root)
    with FileCache(root / ".git" / "pact", notice=sys.exit) as cache:
        discovery = Discovery(cache=cache, processes=1)
        base = snapshot.commit(repository, "HEAD")
        before = discovery.scan(base)
        edit.make(root)
        for state, take in STATES.items():
            if edit.only in {"", state}:
                target = take(repository)
                yield state, compare(edit, delta_between(base, before, target, discovery.scan(target)))
            if state == "worktree" and not edit.only:
                git(root, "add", "--all")
            if state == "index" and not edit.only:
                git(root, "commit", "--quiet", "--allow-empty", "--message", edit.name)


def prepare(edit: Edit, root: Path) -> Repository:
    for name, text in {**FILES, **edit.base}.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "base")
    return Repository.open(root)


def compare(edit: Edit, found: Delta) -> list[str]:
    """One line for each list that differs, ignoring order."""
    told = {name: sorted(getattr(found, name)) for name in LISTS}
    truth = {name: sorted(value) for name, value in asdict(edit.truth).items()}
    return [f"{name} is {told[name]}, should be {truth[name]}" for name in LISTS if told[name] != truth[name]]


if __name__ == "__main__":
    sys.exit(main())
