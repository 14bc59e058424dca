"""A real git repository with real test files, and `pk` as a process in it."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.doors.forking import SERVER

PYTHON_TESTS = """\
import pytest

from shop import Basket


class TestBasket:
    def test_new_basket_is_empty(self):
        assert Basket().count == 0

    def test_negative_quantity_is_rejected(self):
        with pytest.raises(ValueError, match="quantity"):
            Basket().add("box", -1)


def test_total_adds_prices():
    basket = Basket()
    basket.add("box", 2, price=5)
    assert basket.total == 10
"""
SCRIPT_TESTS = """\
import { expect, it, describe } from 'vitest'
import { slug } from './slug'

describe('slug', () => {
  it('joins words with dashes', () => {
    expect(slug('Red Box')).toBe('red-box')
  })
})
"""


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def document(self):
        return json.loads(self.out)


@dataclass(frozen=True)
class Project:
    root: Path

    def pk(self, *arguments, code=0, feed="", env=None):
        """Run `pk`; the exit code must be the expected one, None accepts any."""
        surroundings = {**os.environ, "NO_COLOR": "1", **(env or {})}
        found, out, err = SERVER.run(arguments, cwd=self.root, feed=feed, env=surroundings)
        assert code is None or found == code, f"exit {found}\n{out}\n{err}"
        return Result(found, out, err)

    def git(self, *arguments):
        done = subprocess.run(["git", *arguments], cwd=self.root, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def commit(self, message="Change"):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)

    def copy(self, root):
        """The same project with its history and state, at another place."""
        shutil.copytree(self.root, root, symlinks=True)
        return Project(root)

    def write(self, path, text):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
        return place

    def read(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def replace(self, path, old, new):
        text = self.read(path)
        assert old in text
        self.write(path, text.replace(old, new))

    def status(self):
        return self.git("status", "--porcelain", "--untracked-files=all")

    def codes(self, *arguments):
        """The finding codes of `pk check`, sorted."""
        return sorted(one["code"] for one in self.pk("check", "--json", *arguments, code=None).document["findings"])


def new_project(root):
    """A repository with Python and TypeScript tests, committed, without a pact."""
    root.mkdir(parents=True, exist_ok=True)
    project = Project(root)
    project.git("init", "--quiet", "--initial-branch=main")
    project.git("config", "user.name", "Ada Lovelace")
    project.git("config", "user.email", "ada@example.org")
    project.git("config", "commit.gpgsign", "false")
    project.write("tests/test_basket.py", PYTHON_TESTS)
    project.write("web/slug.test.ts", SCRIPT_TESTS)
    project.write("web/package.json", '{"devDependencies": {"vitest": "^3.0.0"}}\n')
    project.commit("Start")
    return project
