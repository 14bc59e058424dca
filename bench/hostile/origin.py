"""The remote of a place's repository: a forge on loopback in front of git, which can be reset."""

# mypy: disable-error-code="no-untyped-call,no-any-return,misc"
# The forge is that of the tests, which have no types.

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

from tests.boards.fakes import TOKEN
from tests.forges.fakes import FakeGitHubPulls

# What people and we did there; where a branch is, git says.
_KEPT: Final = ("comments", "verdicts", "signs", "proposals", "statuses")
ASKED: Final = "/pk accept --at {} tests/test_a.py::test_name --intent 'The name is shown.'"


class Origin(FakeGitHubPulls):
    """GitHub with one pull request, from `topic` to `main`; both are where the repository at `folder` says."""

    secret = ""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)

    @property
    def base(self) -> str:
        """Where the pull request goes to."""
        return self.is_at("main")

    @base.setter
    def base(self, commit: str) -> None:
        """Git says where it is."""

    @property
    def head(self) -> str:
        """Where the pull request comes from."""
        return self.is_at("topic")

    @head.setter
    def head(self, commit: str) -> None:
        """Git says where it is."""

    @property
    def environment(self) -> Mapping[str, str]:
        """How commands find it."""
        return {
            "GITHUB_API_URL": self.url,
            "GITHUB_REPOSITORY": self.repository,
            "PACTKEEPER_FORGE_TOKEN": TOKEN,
            "GIT_TERMINAL_PROMPT": "0",
        }

    @property
    def place(self) -> str:
        """What git calls it."""
        return f"{self.url}/git/{self.origin.name}"

    def ask(self) -> None:
        """Somebody who may write accepts a test."""
        self.write("ada", ASKED.format(self.head[:12]))

    def saved(self) -> dict[str, Any]:
        """What it keeps beside git."""
        return deepcopy({name: getattr(self, name) for name in _KEPT})

    def put_back(self, saved: Mapping[str, Any]) -> None:
        """Keep what it kept then."""
        for name, value in deepcopy(dict(saved)).items():
            setattr(self, name, value)

    def remains(self) -> Iterator[str]:
        """What it shows: the last verdict of a commit stands for those before it, and a sign is given once."""
        for line in (*self.comments, *self.proposals.items(), *sorted({one[:2] for one in self.signs})):
            yield f"forge {line}"
        yield from (f"forge status {state}" for state in {one[0]: one[1:] for one in self.statuses}.values())
        yield from (f"forge verdict {holds}" for holds in dict(self.verdicts).values())
        for name in self._git("for-each-ref", "--format=%(refname)").split():
            yield f"origin {name}: {self._git('log', '-p', '--format=%an: %B', name)}"

    def _git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.origin), *arguments]
        return subprocess.run(command, capture_output=True, check=False).stdout.decode("utf-8", "replace")
