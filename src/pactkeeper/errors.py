"""The tree of every error that Pactkeeper raises deliberately.

    PactkeeperError
    ├── UsageError               the command line or a setting asks for something impossible
    │   └── MissingExtra         an optional dependency is needed but not installed
    ├── InputError               something the user provided or keeps in the repository cannot be read
    │   ├── SettingsError        a user's own settings cannot be used
    │   ├── CatalogError         files of the pact: every problem of every file, with file:line
    │   ├── PatchError           a patch, review or decision file does not decode
    │   └── ReportError          a test or coverage report: every problem, with file:line
    ├── SourceError              a source could not be observed; nothing may be concluded from it
    │   ├── NotARepository
    │   ├── UnknownRevision
    │   ├── MissingBaseline
    │   ├── GitFailed
    │   ├── MissingProgram        a program other than git is not installed or too old
    │   ├── StoreUnavailable      the history database cannot be reached, or its connection was lost
    │   ├── ModelUnavailable      no model is configured, or the configured one cannot be reached
    │   └── BoardUnavailable      a board or document folder cannot be read or written completely
    ├── StaleError               what an operation was based on has changed since; nothing was applied
    ├── RefusedError             policy, containment or a missing human decision forbids the step
    │   ├── UntrustedError        nobody has trusted the commands that a commit declares
    │   ├── ForbiddenError        the caller has no role that allows it
    │   └── HandedOver            this process's job was handed to another worker or cancelled
    ├── UnfinishedError          an interrupted write must be recovered by a writing command first
    ├── SigningFailed            no signature was made: no such key, wrong passphrase, nobody to enter it
    ├── BusyError                another process is writing to the repository's pact
    └── WriteFailed              the operating system refused to write (disk full, no permission); nothing was applied

Finding drift is a result and never an error. Each class has the exit code that doors return for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from pactkeeper.advice import TRUST, joined


class PactkeeperError(Exception):
    """The step could not be done; the message says what happened, with the value, and what to do next."""

    exit_code: ClassVar[int] = 2

    @property
    def message(self) -> str:
        """The message as it was given, which may be advice."""
        return str(self) if len(self.args) != 1 or not isinstance(self.args[0], str) else self.args[0]


class UsageError(PactkeeperError):
    """The command line or a setting asks for something impossible."""


class MissingExtra(UsageError):
    """An optional dependency is needed but not installed; the message names the extra that provides it."""


def how_to_install(extra: str) -> str:
    """Return the end of a missing-extra message: how to install the extra, however Pactkeeper was installed."""
    return f"pip install 'pactkeeper[{extra}]', or in a checkout of Pactkeeper: pip install -e '.[{extra}]'"


def some_of(texts: Iterable[str], most: int = 3) -> str:
    """List the first `most` texts, and how many more there are: `a, b and 2 more`."""
    found = list(texts)
    more = f" and {len(found) - most:,} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more


class InputError(PactkeeperError):
    """Something the user provided cannot be parsed or is not what it should be."""


class SettingsError(InputError):
    """A user's own settings cannot be used; the input itself is not at fault."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One problem in one file; `line` counts from 1, and 0 means the whole file."""

    path: str
    line: int
    message: str

    @property
    def place(self) -> str:
        """The file, with the line if there is one."""
        return f"{self.path}:{self.line}" if self.line else self.path

    def __str__(self) -> str:
        """Render as `path:line: message`, the form editors and CI annotate."""
        return f"{self.place}: {self.message}"


class CatalogError(InputError):
    """Files of the pact cannot be read; every problem found is listed."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = tuple(sorted(problems))
        lines = joined("\n", (f"  {problem.place}: " + problem.message for problem in self.problems))
        noun = "problem" if len(self.problems) == 1 else "problems"
        super().__init__(f"the pact cannot be read: {len(self.problems)} {noun}\n" + lines)


class PatchError(InputError):
    """A patch, review or decision file does not decode, or does not match its hash."""


class ReportError(InputError):
    """A report cannot be read; `count` problems were found, and `problems` holds the first of them."""

    def __init__(self, problems: tuple[Problem, ...], count: int) -> None:
        self.problems = problems
        self.count = count
        lines = "\n".join(f"  {problem}" for problem in problems)
        rest = f"\n  and {count - len(problems)} more" if count > len(problems) else ""
        noun = "problem" if count == 1 else "problems"
        super().__init__(f"the report cannot be read: {count} {noun}\n{lines}{rest}")


class SourceError(PactkeeperError):
    """A source could not be observed, so nothing may be concluded from what it does not show."""


class NotARepository(SourceError):
    """The folder is not inside a git working tree."""


class UnknownRevision(SourceError):
    """Git knows no commit by that name."""


class MissingBaseline(SourceError):
    """There is no baseline to compare with; a full scan only happens on request."""


class GitFailed(SourceError):
    """Git itself failed or is not installed."""


class MissingProgram(SourceError):
    """A program that the step needs is not installed or is too old."""


class StoreUnavailable(SourceError):
    """The history database cannot be reached, or its connection was lost; the step can be retried."""


class ModelUnavailable(SourceError):
    """No model is configured, or the configured one cannot be reached; the question stays open."""


class BoardUnavailable(SourceError):
    """A board or document folder could not be read completely; nothing may be concluded about what is missing."""


class StaleError(PactkeeperError):
    """The state an operation was based on has changed since; nothing was applied."""


class RefusedError(PactkeeperError):
    """Policy, path containment or a missing human decision forbids the step."""


class UntrustedError(RefusedError):
    """Nobody has trusted the commands that a commit declares; `shown` lists what they are."""

    def __init__(self, commit: str, declaration: str, shown: tuple[str, ...]) -> None:
        self.commit = commit
        self.declaration = declaration
        self.shown = shown
        super().__init__(
            f"nothing was run: nobody here has trusted the checks of {commit[:12]} yet; "
            "look at them and trust them: " + TRUST("--at", commit[:12])
        )


class ForbiddenError(RefusedError):
    """The caller has no role that allows the step; the message names the role that does."""


class HandedOver(RefusedError):
    """The job this process was running no longer belongs to it, so it must not write any more."""


class UnfinishedError(PactkeeperError):
    """An interrupted write has to be completed or rolled back by the next command that writes."""


class SigningFailed(PactkeeperError):
    """A requested signature could not be made; nothing was written."""


class BusyError(PactkeeperError):
    """Another process is writing to this repository's pact."""


class WriteFailed(PactkeeperError):
    """The operating system refused to write; changes already begun were rolled back."""
