"""Merge branches on which both sides reconciled, accepted and rejected: the table in `merging.md`.

    python bench/merging.py REPO [--pairs N] [--scope delta|all] [--tests GLOB …] [--pk PROGRAM]

Replays real merge commits of REPO whose two sides both touch test files and whose code merges cleanly. In a scratch
clone a pact is started at the merge base. On each side's tree, tests are reconciled, some are accepted and others
rejected through an exported review, and what was accepted is applied and committed; then plain `git merge` joins the
two. The reviewers follow a rule based on the hash of a test's id:

- `delta`: tests changed since the base; both reviewers accept every other one and reject the rest;
- `all`: every test; one reviewer accepts and rejects a quarter each, the other one the two remaining quarters;
- `same`: every test; both accept the same quarter and reject the same other quarter.

The reviewers are two people with separate clones: neither has the other's runs and reviews.

After the merge `pk check` must be able to read the pact, every test that a side accepted has its atom, every one that a
side rejected is rejected (or suspect, or open again, if the merge changed its body), and there is no finding that
neither side had. Downloads nothing.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

WHO = ("ada", "grace")
TEST_FILES = ("*test*.py", "*.test.ts", "*.spec.ts", "*.test.js", "*.spec.js", "test/*.js")
WORDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "delta": (("accept", "reject"), ("accept", "reject")),
    "all": (("accept", "reject", "", ""), ("", "", "accept", "reject")),
    "same": (("accept", "reject", "", ""), ("accept", "reject", "", "")),
}


class Refused(Exception):
    """A program failed."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two commits that were merged, and their merge base."""

    merge: str
    base: str
    sides: tuple[str, str]


@dataclass
class Side:
    """A branch with its reviewer's decisions: test id to (atoms, body hash)."""

    commit: str
    accepted: dict[str, tuple[frozenset[str], str]]
    rejected: dict[str, str]
    found: set[tuple[str, str]]


@dataclass
class Scratch:
    """A clone to replay pairs in."""

    folder: Path
    pk: str
    scope: str
    tally: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)

    def git(self, *arguments: str) -> str:
        """Run git and return its output."""
        done = self.try_git(*arguments)
        if done.returncode:
            raise Refused(f"git {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def try_git(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run git and return the result, whatever its exit code."""
        command: list[str] = ["git", "-c", "core.quotePath=false", "-C", str(self.folder), *arguments]
        return subprocess.run(command, capture_output=True, text=True, errors="surrogateescape", check=False)

    def tell(self, *arguments: str) -> str:
        """Run pk and return its output; it may have findings, but must not fail."""
        command = [self.pk, "-C", str(self.folder), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in {0, 1}:
            raise Refused(f"pk {' '.join(arguments)}: {done.stderr[-600:]}")
        return done.stdout

    def ask(self, *arguments: str) -> Any:  # noqa: ANN401 - its shape depends on the command
        """Run pk and return the JSON document it prints."""
        return json.loads(self.tell(*arguments, "--json"))


def main() -> int:
    options = arguments().parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Scratch(Path(folder) / "clone", options.pk, options.scope)
        source = Path(options.repo).resolve()
        subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", source, scratch.folder], check=True)
        for key, value in (("core.hooksPath", "/dev/null"), ("commit.gpgSign", "false")):
            scratch.git("config", key, value)
        for pair in list(pairs(scratch, options.pairs, options.tests or TEST_FILES, options.skip)):
            try:
                replay(scratch, pair)
            except Refused as refusal:
                scratch.tally["failed"] += 1
                scratch.remarks.append(f"{pair.merge[:10]} {refusal}")
    for remark in scratch.remarks[: options.show]:
        print(remark)
    tally = scratch.tally
    keys: tuple[str, ...] = ("pairs", "accepted", "rejected", "conflicts in pact/", "conflicts of comments")
    keys += ("settled alone", "settled by a word", "merged", "failed")
    more = ("as the reviewers said", "body changed by the merge", "gone by the merge", "otherwise", "new findings")
    cells = [options.name or source.name, options.scope, *(tally[key] for key in (*keys, *more))]
    if options.header:
        print("| " + " | ".join(["project", "scope", *keys, *more]) + " |")
        print("|---|---|" + "---:|" * len((*keys, *more)))
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    return 1 if tally["otherwise"] or tally["failed"] or tally["new findings"] else 0


def arguments() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("repo")
    options.add_argument("--pairs", type=int, default=12)
    options.add_argument("--skip", type=int, default=0, help="leave out the newest N pairs")
    options.add_argument("--scope", choices=sorted(WORDS), default="delta")
    options.add_argument("--tests", action="append", help="pathspec of test files; repeatable")
    options.add_argument("--pk", default=str(Path(sys.executable).with_name("pk")))
    options.add_argument("--name", help="what the row is called")
    options.add_argument("--header", action="store_true", help="print the head of the table as well")
    options.add_argument("--show", type=int, default=40, help="how many remarks to print")
    return options


def pairs(scratch: Scratch, wanted: int, tests: Sequence[str], skip: int) -> Iterator[Pair]:
    """The newest merges of two branches that both touch tests and whose code merges cleanly."""
    found = 0
    for line in scratch.git("log", "--merges", "--format=%H %P").splitlines():
        merge, *parents = line.split()
        if len(parents) != 2:
            continue
        one, two = parents
        bases = scratch.try_git("merge-base", "--all", one, two).stdout.split()
        if len(bases) != 1 or bases[0] in parents:
            continue
        base = bases[0]
        if any(not scratch.git("diff", "--name-only", base, side, "--", *tests).strip() for side in parents):
            continue
        if scratch.try_git("merge-tree", "--write-tree", one, two).returncode:
            continue
        found += 1
        if found > skip:
            yield Pair(merge, base, (one, two))
        if found == wanted + skip:
            return


def replay(scratch: Scratch, pair: Pair) -> None:
    """Start a pact at the base, let both sides reconcile, and merge them."""
    scratch.tally["pairs"] += 1
    scratch.git("checkout", "-q", "--force", "--detach", pair.base)
    scratch.git("clean", "-qffdx")
    scratch.tell("init")
    another_person(scratch, WHO[0])
    scratch.git("add", "--force", "pact")
    scratch.git("commit", "-q", "--no-verify", "-m", "Start a pact")
    base = scratch.git("rev-parse", "HEAD").strip()
    words = WORDS[scratch.scope]
    sides = [review(scratch, base, pair.sides[number], words=words[number], who=WHO[number]) for number in (0, 1)]
    scratch.git("checkout", "-q", "--force", "--detach", sides[0].commit)
    if scratch.try_git("merge", "-q", "--no-verify", "-m", "Merge", sides[1].commit).returncode:
        conflict(scratch, pair)
        if not resolved(scratch):
            return
    scratch.tally["merged"] += 1
    judge(scratch, pair, sides)


def review(scratch: Scratch, base: str, commit: str, *, words: Sequence[str], who: str) -> Side:
    """Put one side's tree on top of the base's pact, reconcile, decide, apply and commit."""
    another_person(scratch, who)
    scratch.git("checkout", "-q", "--force", "--detach", base)
    scratch.git("read-tree", "--reset", "-u", commit)
    scratch.git("checkout", "-q", base, "--", "pact")
    scratch.git("commit", "-q", "--no-verify", "--allow-empty", "-m", "The side's code")
    patch = scratch.ask("reconcile", *(["--all"] if scratch.scope != "delta" else ["--since", base]))
    said = decide(scratch, deciding_tests(patch["ops"]), words, who=who)
    if said:
        scratch.tell("apply")
    scratch.git("add", "--all")
    scratch.git("commit", "-q", "--no-verify", "--allow-empty", "-m", "What the reviewer said")
    tests = {test["id"]: test for test in scratch.ask("scan")["tests"]}
    atoms: dict[str, set[str]] = {}
    for op in patch["ops"]:
        if op["verb"] == "attachTestToAtom" and said.get(op["id"]) == "accept":
            atoms.setdefault(op["payload"]["testId"], set()).add(op["payload"]["atomId"])
    groups = {op["group"] or op["id"] for op in patch["ops"] if said.get(op["id"]) == "reject"}
    side = Side(
        scratch.git("rev-parse", "HEAD").strip(),
        {test: (frozenset(ids), tests[test]["body_hash"]) for test, ids in atoms.items()},
        {test: tests[test]["body_hash"] for test in groups if test in tests},
        findings(scratch),
    )
    scratch.tally["accepted"] += len(side.accepted)
    scratch.tally["rejected"] += len(side.rejected)
    agrees(scratch, side, tests)
    return side


def deciding_tests(ops: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The test whose hash decides about each op: tests linked to the same new atom get the same decision."""
    group = {op["id"]: op["group"] or op["id"] for op in ops}
    return {op["id"]: next((group[name] for name in op["depends_on"]), group[op["id"]]) for op in ops}


def another_person(scratch: Scratch, who: str) -> None:
    """Delete the previous person's local state; only caches remain."""
    scratch.git("config", "user.name", who)
    scratch.git("config", "user.email", f"{who}@merging.invalid")
    for place in (scratch.folder / ".git" / "pact").iterdir():
        if place.is_dir():
            shutil.rmtree(place)
        elif not place.name.startswith("cache."):
            place.unlink()


def decide(scratch: Scratch, groups: Mapping[str, str], words: Sequence[str], *, who: str) -> dict[str, str]:
    """Fill in an exported review, with one verdict per test; return the verdict on each op."""
    if not groups:
        return {}
    file = scratch.folder.parent / "review.json"
    scratch.tell("review", "--export", str(file))
    document = json.loads(file.read_text())
    said = {}
    for one in document["decisions"]:
        word = words[sha256(groups[one["op"]].encode()).digest()[0] % len(words)]
        if word:
            said[one["op"]] = one["verdict"] = word
            one["reason"] = f"{who} sees no promise in it" if word == "reject" else ""
    file.write_text(json.dumps(document))
    scratch.tell("review", "--import", str(file))
    return said


def agrees(scratch: Scratch, side: Side, tests: Mapping[str, Mapping[str, Any]]) -> None:
    """Check that the side's own states match its reviewer's decisions before anything is merged."""
    for test, (atoms, _) in side.accepted.items():
        if tests[test]["state"] != "unratified" or not atoms <= linked(tests[test]):
            otherwise(scratch, f"{side.commit[:10]} accepted {test} is {tests[test]['state']} on its own side")
    for test in side.rejected:
        if tests[test]["state"] != "rejected":
            otherwise(scratch, f"{side.commit[:10]} rejected {test} is {tests[test]['state']} on its own side")


def otherwise(scratch: Scratch, remark: str) -> None:
    scratch.tally["otherwise"] += 1
    scratch.remarks.append(remark)


def linked(test: Mapping[str, Any]) -> set[str]:
    return {link["atom"] for link in test["links"]}


def findings(scratch: Scratch) -> set[tuple[str, str]]:
    """The findings of `pk check`, as code and subject."""
    return {(one["code"], one["subject"]) for one in scratch.ask("check")["findings"]}


def conflict(scratch: Scratch, pair: Pair) -> None:
    """Record which files couldn't be merged."""
    names = scratch.git("diff", "--name-only", "--diff-filter=U").splitlines()
    ours = [name for name in names if name.startswith("pact/")]
    scratch.tally["conflicts in pact/" if ours else "conflicts of comments"] += 1
    scratch.remarks.append(f"{pair.merge[:10]} conflicts in {', '.join(names)}")


def resolved(scratch: Scratch) -> bool:
    """Whether `pk check` reads the conflicted pact and `pk resolve` settles it; counts those that need no person."""
    scratch.tell("check")
    left = scratch.ask("resolve")["left"]
    scratch.tally["settled alone" if not left else "settled by a word"] += 1
    if left:
        scratch.remarks.append(f"contested: {', '.join(one['name'] for one in left)}")
        scratch.tell("resolve", "--ours")
    if scratch.try_git("commit", "-q", "--no-verify", "--no-edit").returncode:
        scratch.try_git("merge", "--abort")
        return False
    return True


def judge(scratch: Scratch, pair: Pair, sides: Sequence[Side]) -> None:
    """Compare the merge with what both reviewers decided."""
    tests = {test["id"]: test for test in scratch.ask("scan")["tests"]}
    expected = Expected()
    for side in sides:
        said = {test: (atoms, body, "unratified") for test, (atoms, body) in side.accepted.items()}
        said |= {test: (frozenset(), body, "rejected") for test, body in side.rejected.items()}
        for name, (atoms, body, state) in said.items():
            test = tests.get(name)
            if test is None or test["body_hash"] != body:
                expected.add(name, atoms, body)
                scratch.tally["gone by the merge" if test is None else "body changed by the merge"] += 1
            elif test["state"] == state and atoms <= linked(test):
                scratch.tally["as the reviewers said"] += 1
            else:
                otherwise(scratch, f"{pair.merge[:10]} {state} {name} is {test['state']} {sorted(linked(test))}")
    for code, subject in sorted(findings(scratch) - sides[0].found - sides[1].found):
        if subject not in expected.subjects and tests.get(subject, {}).get("body_hash") not in expected.bodies:
            scratch.tally["new findings"] += 1
            scratch.remarks.append(f"{pair.merge[:10]} {code} {subject} is found on neither side")


@dataclass
class Expected:
    """Findings to expect because one side changed, renamed or deleted a test that the other side decided about."""

    subjects: set[str] = field(default_factory=set)
    bodies: set[str] = field(default_factory=set)

    def add(self, test: str, atoms: frozenset[str], body: str) -> None:
        """Add the test itself, the atoms it leaves behind, and the test that now has its body."""
        self.subjects |= {test, *atoms}
        self.bodies.add(body)


if __name__ == "__main__":
    sys.exit(main())
