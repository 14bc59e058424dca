import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from pactkeeper.ledger.decision import Decision, Verdict
from pactkeeper.operators.apply import apply_patch
from pactkeeper.operators.reconcile import reconcile_repo
from pactkeeper.reconcile.check import check
from pactkeeper.reconcile.request import Request
from pactkeeper.workspace import open_workspace

SOURCE = """\
def test_adds_two_numbers():
    assert add(1, 2) == 3


def test_expired_token_is_refused():
    assert login("old").status_code == 401
"""
FILE = "tests/test_shop.py"
ADDS, REFUSED = f"{FILE}::test_adds_two_numbers", f"{FILE}::test_expired_token_is_refused"


@dataclass(frozen=True)
class Shop:
    """A real repository with two tests, worked on in this process."""

    root: Path

    def copy(self, root):
        """The same repository with its history and state, at another place."""
        shutil.copytree(self.root, root, symlinks=True, dirs_exist_ok=True)
        return Shop(root)

    def git(self, *arguments):
        subprocess.run(["git", *arguments], cwd=self.root, check=True, capture_output=True)

    def save(self, message="Saved"):
        """Commit everything."""
        self.git("add", "--all")
        self.git("commit", "--quiet", f"--message={message}")

    def write(self, path, text):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def read(self, path):
        return (self.root / path).read_text()

    def replace(self, path, old, new):
        assert old in self.read(path)
        self.write(path, self.read(path).replace(old, new))

    def open(self):
        return open_workspace(self.root, notice=print)

    def reconcile(self, *paths):
        with self.open() as workspace:
            return reconcile_repo(workspace, Request(paths=paths, everything=not paths))

    def decide(self, patch, verdicts, **options):
        """Apply a patch with verdicts by group (a string means all), or by verb where a group has several."""
        decisions = []
        for op in patch.ops:
            verdict = verdicts if isinstance(verdicts, str) else verdicts.get(op.id, verdicts.get(op.group))
            if verdict:
                at = "2026-01-01T00:00:00+00:00"
                decisions.append(Decision(op.id, op.shown_hash, cast("Verdict", verdict), "Ada", at))
        with self.open() as workspace:
            return apply_patch(workspace, patch, decisions, **options)

    def world(self):
        with self.open() as workspace:
            return workspace.world(workspace.snapshot())

    def states(self):
        return {entry.test.id: entry.state for entry in self.world().linked}

    def codes(self):
        with self.open() as workspace:
            world = workspace.world(workspace.snapshot())
            verdict = check(world.linked, world.pact, world.scan.gaps, today=workspace.now().date())
        return [entry.finding.code for entry in verdict.findings]


@pytest.fixture(scope="session")
def first_shop(tmp_path_factory):
    """What every `shop` is a copy of."""
    made = Shop(tmp_path_factory.mktemp("shop"))
    made.git("init", "--quiet", "--initial-branch=main")
    made.git("config", "user.name", "Ada")
    made.git("config", "user.email", "ada@example.org")
    made.write(FILE, SOURCE)
    made.save("Start")
    with made.open() as workspace:
        workspace.history()
    return made


@pytest.fixture(scope="session")
def first_linked(first_shop, tmp_path_factory):
    """What every `linked` is a copy of."""
    made = first_shop.copy(tmp_path_factory.mktemp("linked"))
    made.decide(made.reconcile().patch, "accept")
    return made


@pytest.fixture
def shop(first_shop, tmp_path):
    """A repository whose history has no rows yet."""
    return first_shop.copy(tmp_path)


@pytest.fixture
def untouched(shop):
    """The shop before anything of ours was run in it."""
    shutil.rmtree(shop.root / ".git/pact")
    return shop


@pytest.fixture
def linked(first_linked, tmp_path):
    """The shop with both tests accepted."""
    return first_linked.copy(tmp_path)
