"""A year of a real project as successive delta runs, compared with one full scan at its end: the tables in `replay.md`.

    python -m bench.replay REPOSITORY FOLDER [--since DATE] [--until DATE] [--limit N] [--show N]

REPOSITORY is a clone or bare mirror with the history, FOLDER is for the two worktrees and a log; if the log exists,
only the comparison is made. On a separate branch the first commit is scanned in full; then for every commit that
changes test files, its files are committed, a delta run compares with the previous run, everything it proposes is
accepted and applied, and the pact is committed. A second worktree has the last commit and one full scan with
everything accepted.

For every test of the last commit the state and the texts of its atoms (sentence and outcomes) are compared, and a
difference is explained by what the runs did to the test. Links are kept in `pact/links`, since the project's commits
don't contain the comments that an apply writes into test files.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pactkeeper.intent.pact import Pact
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch
from pactkeeper.operators.apply import apply_patch
from pactkeeper.operators.reconcile import Reconciled, reconcile_repo
from pactkeeper.reconcile.request import Request
from pactkeeper.reconcile.world import World
from pactkeeper.workspace import open_workspace

SETTINGS = '[pact]\nformat = 1\nid_style = "hash"\natom_prefix = "IA"\n\n[links]\nwrite = "sidecar"\n'
AT = "2030-01-01T00:00:00+00:00"
CONFIRMED = "the body changed since the link was reviewed; rules cannot tell"


@dataclass(frozen=True, slots=True)
class Deed:
    """What one op of a step did to a test; `old` is the test whose record it took over."""

    commit: str
    test: str
    verb: str
    note: str
    atom: str
    old: str


@dataclass(frozen=True, slots=True)
class Told:
    """What a pact says about one test: its state, and the texts of its atoms with their ids."""

    state: str
    words: tuple[tuple[str, tuple[str, ...]], ...]
    atoms: tuple[str, ...]


def main() -> None:
    """Replay, compare and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--since", default="2025-01-01")
    parser.add_argument("--until", default="2026-01-01")
    parser.add_argument("--limit", type=int, help="so many commits at most")
    parser.add_argument("--show", type=int, default=5, help="examples of each kind of difference")
    chosen = parser.parse_args()
    replayed, whole, log = (chosen.folder / name for name in ("replayed", "whole", "steps.jsonl"))
    if not log.exists():
        chosen.folder.mkdir(parents=True)
        commits = touching(chosen.repository, chosen.since, chosen.until)[: chosen.limit]
        replay(chosen.repository, commits, replayed, log)
        clone(chosen.repository, whole, commits[-1])
        accept_all(whole, full=True)
    steps = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    print(steps_table(steps))
    deeds = [Deed(**deed) for one in steps for deed in one["deeds"]]
    print("\n".join(report(world_of(replayed), world_of(whole), Deeds.of(deeds), show=chosen.show)))


def touching(repository: Path, since: str, until: str) -> list[str]:
    """The first-parent commits that change test files, oldest first."""
    log = ("log", "--first-parent", "--reverse", "--format=%H", f"--since={since}", f"--until={until}")
    return git(repository, *log, "--", "tests/*.py").split()


def clone(repository: Path, place: Path, commit: str) -> None:
    """Create a worktree at a commit, on a new branch, with pact settings."""
    subprocess.run(["git", "clone", "--quiet", "--no-checkout", str(repository), str(place)], check=True)
    git(place, "checkout", "--quiet", "-b", "pact-of-the-year", commit)
    for key, value in (("user.name", "Bench"), ("user.email", "bench@example.org"), ("gc.auto", "0")):
        git(place, "config", key, value)
    (place / "pact").mkdir()
    (place / "pact/pact.toml").write_text(SETTINGS, encoding="utf-8")


def git(root: Path, *arguments: str) -> str:
    """Run git in a repository and return what it prints."""
    return subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True, text=True).stdout


def replay(repository: Path, commits: Sequence[str], root: Path, log: Path) -> None:
    """Replay every commit in turn, logging one line per step."""
    clone(repository, root, commits[0])
    with log.open("w", encoding="utf-8") as stream:
        for commit in commits:
            said = step(root, commit, full=commit == commits[0])
            stream.write(json.dumps(said) + "\n")
            print(commit[:10], f"{said['seconds']:.1f} s", said["summary"], file=sys.stderr, flush=True)


def step(root: Path, commit: str, *, full: bool) -> dict[str, object]:
    """Commit the project's files at one commit, reconcile, accept everything, and commit the pact."""
    git(root, "restore", f"--source={commit}", "--staged", "--worktree", "--", ".", ":(exclude)pact")
    git(root, "commit", "--quiet", "--allow-empty", "--message", f"Project {commit}")
    start = time.perf_counter()
    found = accept_all(root, full=full)
    seconds = time.perf_counter() - start
    git(root, "add", "--all", "pact")
    git(root, "commit", "--quiet", "--allow-empty", "--message", f"Pact of {commit}")
    return {
        "commit": commit,
        "seconds": seconds,
        "load": os.getloadavg()[0],
        "summary": dict(found.patch.summary),
        "deeds": [asdict(deed(commit, op)) for op in found.patch.ops],
    }


def deed(commit: str, op: Op) -> Deed:
    """An applied op, reduced to what explanations need."""
    said = op.payload
    note = next((one.note for one in op.evidence if one.note), "")
    return Deed(commit[:10], op.group, op.verb, note, str(said.get("atomId", "")), str(said.get("replacesTestId", "")))


def accept_all(root: Path, *, full: bool) -> Reconciled:
    """Reconcile and apply all proposals, each in its own workspace, as two commands would."""
    with open_workspace(root, notice=heard) as workspace:
        found = reconcile_repo(workspace, Request(everything=full))
    if found.patch.ops:
        with open_workspace(root, notice=heard) as workspace:
            applied = apply_patch(workspace, found.patch, yeses(found.patch))
        assert len(applied.planned.ops) == len(found.patch.ops), applied.planned
    return found


def yeses(patch: Patch) -> list[Decision]:
    """A decision accepting each op."""
    return [Decision(op.id, op.shown_hash, "accept", "Bench <bench@example.org>", AT) for op in patch.ops]


def heard(line: str) -> None:
    print(f"  {line}", file=sys.stderr)


def world_of(root: Path) -> World:
    """The tests and pact of a worktree."""
    with open_workspace(root, notice=heard) as workspace:
        return workspace.world(workspace.snapshot())


def told(world: World) -> dict[str, Told]:
    """What the pact says about each live test."""
    return {
        entry.test.id: Told(
            entry.state,
            tuple(sorted(words_of(world.pact, link.atom) for link in entry.links)),
            tuple(link.atom for link in entry.links),
        )
        for entry in world.linked
    }


def words_of(pact: Pact, name: str) -> tuple[str, tuple[str, ...]]:
    """The sentence and outcomes of an atom."""
    return pact.atoms[name].intent, tuple(sorted(pact.atoms[name].outcomes))


@dataclass(frozen=True, slots=True)
class Deeds:
    """What the runs did, by test and by reworded atom."""

    of_test: defaultdict[str, list[Deed]]
    on_atom: defaultdict[str, list[Deed]]

    @staticmethod
    def of(deeds: Sequence[Deed]) -> Deeds:
        """Sort the deeds; those on a test that has since been renamed count for its new name."""
        found = Deeds(defaultdict(list), defaultdict(list))
        for one in deeds:
            if one.old:
                found.of_test[one.test] = [*found.of_test[one.old], *found.of_test[one.test]]
            found.of_test[one.test].append(one)
            if one.verb in {"createAtom", "updateAtom"}:
                found.on_atom[one.atom].append(one)
        return found


def explain(test: str, before: Told, after: Told, deeds: Deeds) -> str:
    """Why the replay and the full scan disagree about a test."""
    own = deeds.of_test[test]
    untouched = "the body has not changed since it was read, what stands around it has"
    if before.state != after.state:
        last = untouched if not own or own[-1].verb == "createAtom" or not confirmed(own[-1]) else "confirmed unread"
        return f"{before.state} after the replay, {after.state} after one scan: {last}"
    if [outcomes for _, outcomes in before.words] == [outcomes for _, outcomes in after.words]:
        return "the same outcomes under a sentence that has an earlier name of the test or its class"
    if confirmed(own[-1]):
        makers = {one.test for atom in before.atoms for one in deeds.on_atom[atom]}
        whose = "its own atom" if makers <= {test, *(one.test for one in own)} else "an atom read from another test"
        return f"other outcomes: confirmed with {whose}"
    return f"other outcomes: {'moved with the same body; ' if own[-1].old else ''}{untouched}"


def confirmed(one: Deed) -> bool:
    """Whether a link was confirmed for a changed test that the rules couldn't judge."""
    return one.note.startswith(CONFIRMED)


def steps_table(steps: Sequence[dict[str, Any]]) -> str:
    """The totals of all steps."""
    seconds = [one["seconds"] for one in steps[1:]]
    verbs = Counter(deed["verb"] for one in steps[1:] for deed in one["deeds"])
    rows = [
        ("commits", f"{len(steps):,}, {steps[0]['commit'][:10]} to {steps[-1]['commit'][:10]}"),
        ("full scan of the first with everything applied", f"{steps[0]['seconds']:.1f} s"),
        ("a delta run with its apply, median / longest", f"{statistics.median(seconds):.1f} / {max(seconds):.1f} s"),
        ("load while it ran", f"{min(one['load'] for one in steps):.0f} to {max(one['load'] for one in steps):.0f}"),
        ("runs that proposed nothing", f"{sum(not one['deeds'] for one in steps[1:])}"),
        ("ops of the delta runs", ", ".join(f"{number:,} {verb}" for verb, number in verbs.most_common())),
    ]
    return "\n".join(("| | |\n|---|---|", *(f"| {name} | {value} |" for name, value in rows)))


def report(replayed: World, whole: World, deeds: Deeds, *, show: int) -> Iterator[str]:
    """The agreement, and every difference grouped by explanation, with examples."""
    before, after = told(replayed), told(whole)
    kinds: defaultdict[str, list[str]] = defaultdict(list)
    for test in sorted(before.keys() | after.keys()):
        if test not in before or test not in after:
            kinds["only one of the two sees the test"].append(test)
        elif (before[test].state, before[test].words) != (after[test].state, after[test].words):
            kinds[explain(test, before[test], after[test], deeds)].append(test)
    states = Counter((before[test].state, after[test].state) for test in before.keys() & after.keys())
    same = len(before) - sum(map(len, kinds.values()))
    yield f"\n{len(before):,} tests at the end: {same:,} with the same state and words.\n"
    yield "| state after the replay | after one scan | tests |\n|---|---|---:|"
    yield from (f"| {one} | {other} | {number:,} |" for (one, other), number in states.most_common())
    yield "\n| difference | tests |\n|---|---:|"
    yield from (f"| {kind} | {len(tests):,} |" for kind, tests in sorted(kinds.items()))
    for kind, tests in sorted(kinds.items()):
        yield f"\n{kind}:"
        for test in tests[:: max(1, len(tests) // show)][:show]:
            yield from example(test, before, after, deeds)
    yield f"\natoms that no test names: {unnamed(replayed)} after the replay, {unnamed(whole)} after one scan"


def example(test: str, before: Mapping[str, Told], after: Mapping[str, Told], deeds: Deeds) -> Iterator[str]:
    """The details of one difference."""
    yield f"- {test}"
    for name, side in (("replay", before), ("one scan", after)):
        for intent, outcomes in side[test].words if test in side else ():
            yield f"  - {name}: {intent} {' '.join(outcomes)}"
    yield from (f"  - {one.commit} {one.verb} {one.atom} {one.note} {one.old}" for one in deeds.of_test[test])


def unnamed(world: World) -> int:
    """The number of atoms no longer linked to any test."""
    named = {link.atom for entry in world.linked for link in entry.links}
    return len(world.pact.atoms.keys() - named)


if __name__ == "__main__":
    main()
