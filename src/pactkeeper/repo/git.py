"""The only place that runs git; it never lets a repository's own configuration execute a program.

A repository that was unpacked rather than cloned brings its own `.git/config`. Hooks, file-system monitors, filters,
external diffs and lazy fetches configured there would run with the user's rights, so every command started here
disables all of them.
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pactkeeper.errors import GitFailed, MissingBaseline, NotARepository, UnknownRevision
from pactkeeper.repo.objects import Blobs, commit_named

_OVERRIDES: Final = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    ("core.quotePath", "false"),
    ("core.pager", "cat"),
    ("submodule.recurse", "false"),
    ("advice.detachedHead", "false"),
)
# What `git rev-parse --local-env-vars` lists: hooks set them, and they would bind a command to another repository.
_REPOSITORY_VARIABLES: Final = frozenset(
    {"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_COUNT",
     "GIT_CONFIG_PARAMETERS", "GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE",
     "GIT_INTERNAL_SUPER_PREFIX", "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_REPLACE_REF_BASE",
     "GIT_SHALLOW_FILE", "GIT_WORK_TREE"}
)  # fmt: skip
_COMMANDS_IN_CONFIGURATION: Final = r"^filter\..*\.(clean|smudge|process|required)$"
_TRUNKS: Final = ("refs/remotes/origin/HEAD", "origin/main", "origin/master", "main", "master")


@dataclass(frozen=True, slots=True)
class Repository:
    """A git worktree; `common_dir` is shared by all worktrees of a clone, `git_dir` belongs to this one.

    `object_format` is `sha1` or `sha256`. All paths are absolute.
    """

    root: Path
    git_dir: Path
    common_dir: Path
    object_format: str
    shallow: bool
    _environment: Mapping[str, str] = field(repr=False, compare=False)

    @staticmethod
    def open(path: str | os.PathLike[str]) -> Repository:
        """Open the worktree that contains `path`; raise NotARepository, or GitFailed if git refuses to read it."""
        return _open(Path(path))

    def run(self, *arguments: str, feed: bytes | None = None, accept: Sequence[int] = (0,)) -> bytes:
        """Run one git command and return its output; raise GitFailed if its exit code isn't in `accept`."""
        code, output, complaint = _execute(self._command(arguments), self._environment, feed)
        if code not in accept:
            raise GitFailed(_failure(arguments, code, complaint))
        return output

    def run_together(self, *commands: Sequence[str]) -> list[bytes]:
        """Run several read-only commands concurrently and return their outputs in the order given."""
        outcomes: list[bytes | GitFailed | None] = [None] * len(commands)

        def one(position: int) -> None:
            try:
                outcomes[position] = self.run(*commands[position])
            except GitFailed as failure:
                outcomes[position] = failure

        threads = [threading.Thread(target=one, args=(position,)) for position in range(1, len(commands))]
        for thread in threads:
            thread.start()
        one(0)
        for thread in threads:
            thread.join()
        return [_raised(outcome) for outcome in outcomes]

    def head(self) -> str | None:
        """Return the commit at HEAD; None before the first commit. Raise GitFailed if git can't read it."""
        commit = self._commit("HEAD")
        if commit is None:
            self._refuse_damaged_head()
        return commit

    def _refuse_damaged_head(self) -> None:
        """Raise GitFailed unless HEAD names a branch without a commit, as in a new repository."""
        code, output, complaint = _execute(
            self._command(("rev-parse", "--verify", "--quiet", "HEAD")), self._environment, None
        )
        branch = self.run("symbolic-ref", "--quiet", "HEAD", accept=(0, 1, 128)).strip()
        if code == 1 and branch.startswith(b"refs/heads/") and not complaint:
            return
        named = output.decode("ascii", "replace").strip()
        said = complaint.splitlines()[-1] if complaint else f"it names {named or 'nothing'}"
        raise GitFailed(f"git cannot read the commit of HEAD: {said}; `git fsck` shows what is missing or damaged")

    def resolve(self, revision: str) -> str:
        """Return the full hash of the commit that `revision` names; raise UnknownRevision."""
        if not revision or revision.startswith("-") or any(ord(character) < 32 for character in revision):  # noqa: PLR2004 - characters below the space are control characters
            raise UnknownRevision(f"{revision!r} is not the name of a commit; give a branch, tag or hash")
        commit = self.head() if revision == "HEAD" else self._commit(revision)
        if commit is not None:
            return commit
        if revision == "HEAD":
            raise UnknownRevision("this repository has no commit yet; commit something first")
        fetch = "`git fetch --unshallow`, or for a branch `git fetch origin NAME:NAME`"
        hint = f"this clone is shallow; fetch it: {fetch}" if self.shallow else "check the spelling, or fetch it"
        raise UnknownRevision(f"git knows no commit {revision!r}; {hint}")

    def merge_base(self, one: str, other: str = "HEAD") -> str:
        """Return the common ancestor of two revisions; raise UnknownRevision or MissingBaseline."""
        commits = (self.resolve(one), self.resolve(other))
        if commits[0] == commits[1]:
            return commits[0]
        found = self.run("merge-base", "--end-of-options", *commits, accept=(0, 1)).decode().split()
        if found:
            return found[0]
        if self.shallow:
            raise MissingBaseline(
                f"{one!r} and {other!r} share no commit in this shallow clone; fetch the history first: "
                "`git fetch --unshallow` (in GitHub Actions: `fetch-depth: 0`)"
            )
        raise MissingBaseline(f"{one!r} and {other!r} have no common history; name the commit to compare with")

    def trunk(self) -> str:
        """Return the main branch: the remote's default, else main or master; raise MissingBaseline."""
        if (found := next(iter(self.commits_named(_TRUNKS)), None)) is not None:
            return found
        raise MissingBaseline(
            "no main branch was found (tried origin/HEAD, main, master); name the commit to compare with"
        )

    def commits_named(self, names: Sequence[str]) -> Mapping[str, str]:
        """Map those of some names and hashes that name a commit of this repository to its full hash, in order."""
        asked = "".join(f"{name}^{{commit}}\n" for name in names).encode()
        answers = self.run("cat-file", "--batch-check=%(objecttype) %(objectname)", feed=asked).decode().splitlines()
        rows = zip(names, answers, strict=True)
        return {name: answer.split()[1] for name, answer in rows if answer.startswith("commit ")}

    @property
    def surroundings(self) -> Mapping[str, str]:
        """The environment git runs in here, with the repository's own filters disabled."""
        return self._environment

    def blobs(self) -> Blobs:
        """Open a reader of file contents in git's object store; close it after use."""
        return Blobs(self)

    def full_ids(self, digits: Sequence[str]) -> Mapping[str, str]:
        """Map abbreviated blob ids of at least four hex digits to full ones; ids that git doesn't have are left out."""
        asked = [one for one in digits if len(one) >= 4 and not one.strip("0123456789abcdef")]  # noqa: PLR2004 - git's minimum
        answers = self.run("cat-file", "--batch-check", feed="".join(f"{one}\n" for one in asked).encode())
        rows = zip(asked, answers.decode().splitlines(), strict=True)
        return {one: row.split()[0] for one, row in rows if row.split()[1] == "blob"}

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a git command whose input and output the caller handles; the caller also ends it."""
        return subprocess.Popen(
            self._command(arguments),
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def _commit(self, revision: str) -> str | None:
        places = {"git_dir": self.git_dir, "common_dir": self.common_dir}
        return commit_named(revision, **places, object_format=self.object_format) or self._commit_by_git(revision)

    def _commit_by_git(self, revision: str) -> str | None:
        arguments = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        answers = self.run(*arguments, accept=(0, 1, 128)).decode("ascii", "replace").split()
        return answers[0] if len(answers) == 1 and answers[0].isalnum() else None  # a range such as `a..b` yields two

    def _command(self, arguments: Sequence[str]) -> list[str]:
        return guarded(self.root, arguments)


def git_version() -> tuple[int, ...]:
    """Return the version of the git on PATH; empty if there is none."""
    try:
        _, output, _ = _execute(["git", "--version"], clean_environment(), None)
    except GitFailed:
        return ()
    numbers = output.decode("ascii", "replace").removeprefix("git version ").split()
    return tuple(int(part) for part in numbers[0].split(".")[:3] if part.isdigit()) if numbers else ()


def own_setting(key: str) -> str:
    """Return a setting from this account's global git configuration; empty if unset, or without git."""
    try:
        code, output, _ = _execute(["git", "config", "--global", "--get", key], clean_environment(), None)
    except GitFailed:
        return ""
    return "" if code else output.decode("utf-8", "replace").strip()


def _open(path: Path) -> Repository:
    folder = path if path.is_dir() else path.parent
    if not folder.is_dir():
        raise NotARepository(f"there is no folder {os.fspath(path)!r}")
    environment = clean_environment()
    questions = ("--is-bare-repository", "--is-inside-work-tree", "--is-shallow-repository", "--show-object-format")
    places = ("--git-dir", "--git-common-dir", "--show-toplevel")
    command = guarded(folder, ("rev-parse", "--path-format=absolute", *questions, *places))
    code, output, complaint = _execute(command, environment, None)
    answers = os.fsdecode(output).split("\n")
    _refuse(folder, code, answers, complaint)
    if len(answers) != len(questions) + len(places) + 1:  # a folder's name has a newline: ask for each place separately
        answers[4:] = [_place(folder, place, environment) for place in places]
    _refuse_other_answers(answers)
    git_dir, common_dir, root = (Path(answer) for answer in answers[4:7])
    environment |= _index_of_running_commit(git_dir)
    if any(_may_set_filters(folder / name) for folder, name in ((common_dir, "config"), (git_dir, "config.worktree"))):
        environment |= _without_filters(root, environment)
    return Repository(
        root=root,
        git_dir=git_dir,
        common_dir=common_dir,
        object_format=answers[3],
        shallow=answers[2] == "true",
        _environment=environment,
    )


def _refuse_other_answers(answers: list[str]) -> None:
    """Raise GitFailed unless the answers look like git's; a wrapper may print lines of its own."""
    flags, form, places = answers[:3], answers[3:4], answers[4:7]
    folders = len(places) == 3 and all("\0" not in place and Path(place).is_dir() for place in places)  # noqa: PLR2004 - the places asked for
    if not ({"true", "false"}.issuperset(flags) and form and form[0].isalnum() and folders):
        said = "\n".join(answers)[:80]
        raise GitFailed(
            f"`git rev-parse` printed {said!r}, which git never does; check which program runs: `type -a git`"
        )


def _refuse(folder: Path, code: int, answers: list[str], complaint: str) -> None:
    name = os.path.realpath(folder)
    if "dubious ownership" in complaint:
        raise GitFailed(
            f"git refuses to read {name!r} because it belongs to another user; if you trust it: "
            f"`git config --global --add safe.directory {name}`"
        )
    if answers[0] == "true":
        raise NotARepository(f"{name!r} is a bare repository without files; use a clone or `git worktree add`")
    if answers[:2] == ["false", "false"] and (folder / ".git").exists():
        raise NotARepository(
            f"git's settings place the files of {name!r} elsewhere; "
            f"`git -C {name} config --unset core.worktree` undoes that"
        )
    if answers[:2] == ["false", "false"]:
        raise NotARepository(f"{name!r} lies inside git's own folder; use the folder that holds `.git`")
    if "not a git repository (or any" in complaint:
        raise NotARepository(f"{name!r} is not inside a git repository; use a clone, or run `git init` there")
    if "not a git repository" in complaint:  # a `.git` file that points nowhere
        why = complaint.strip().splitlines()[-1].removeprefix("fatal: ")
        raise NotARepository(
            f"{name!r} is cut off from its repository: {why}; use a clone, or in the main one `git worktree repair`"
        )
    if code:
        raise GitFailed(_failure(("rev-parse",), code, complaint))


def _place(folder: Path, question: str, environment: Mapping[str, str]) -> str:
    command = guarded(folder, ("rev-parse", "--path-format=absolute", question))
    _, output, _ = _execute(command, environment, None)
    return os.fsdecode(output).removesuffix("\n")


def clean_environment() -> dict[str, str]:
    """Return this process's environment for git: no network, no prompts. It is passed on but never read."""
    kept = {name: value for name, value in os.environ.items() if name not in _REPOSITORY_VARIABLES}
    return kept | {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",  # older git ignores GIT_NO_LAZY_FETCH and would fetch missing objects
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",  # otherwise one ref in this clone could replace the content of any object
        "GIT_GRAFT_FILE": os.devnull,  # and one file the parents of any commit
        "LC_ALL": "C",
        "LANGUAGE": "C",
    }


def _index_of_running_commit(git_dir: Path) -> dict[str, str]:
    """Return the index that git names inside a commit hook, if it belongs to this repository."""
    named = os.environ.get("GIT_INDEX_FILE")
    if named is None:
        return {}
    index = Path(named).absolute()
    return {"GIT_INDEX_FILE": os.fspath(index)} if index.parent.resolve() == git_dir.resolve() else {}


def _may_set_filters(configuration: Path) -> bool:
    """Whether a file of settings may name a filter, itself or through a file that it includes."""
    try:
        text = configuration.read_bytes().lower()
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return b"filter" in text or b"include" in text


def _without_filters(root: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return configuration that disables every filter command set in the repository's own configuration."""
    arguments = ("config", "-z", "--show-scope", "--name-only", "--get-regexp", _COMMANDS_IN_CONFIGURATION)
    code, output, complaint = _execute(guarded(root, arguments), environment, None)
    if code not in {0, 1}:
        raise GitFailed(_failure(arguments, code, complaint))
    fields = os.fsdecode(output).split("\0")
    named = {name for scope, name in zip(fields[::2], fields[1::2], strict=False) if scope in {"local", "worktree"}}
    settings = {"GIT_CONFIG_COUNT": str(len(named))} if named else {}
    for position, name in enumerate(sorted(named)):
        settings[f"GIT_CONFIG_KEY_{position}"] = name
        settings[f"GIT_CONFIG_VALUE_{position}"] = "false" if name.endswith(".required") else ""
    return settings


def guarded(folder: Path, arguments: Sequence[str]) -> list[str]:
    """Build a git command that runs nothing the repository's own configuration names, except filters."""
    overrides = [part for name, value in _OVERRIDES for part in ("-c", f"{name}={value}")]
    return ["git", "--no-pager", "-C", os.fspath(folder), *overrides, *arguments]


def _execute(command: list[str], environment: Mapping[str, str], feed: bytes | None) -> tuple[int, bytes, str]:
    try:
        done = subprocess.run(
            command,
            env=environment,
            input=feed,
            stdin=subprocess.DEVNULL if feed is None else None,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as missing:
        raise GitFailed("the program `git` was not found on PATH; install git 2.31 or newer") from missing
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace").strip()


def _failure(arguments: Sequence[str], code: int, complaint: str) -> str:
    said = complaint.splitlines()[-1] if complaint else f"exit code {code}"
    return f"`git {arguments[0]}` failed: {said}"


def _raised(outcome: bytes | GitFailed | None) -> bytes:
    if isinstance(outcome, bytes):
        return outcome
    raise outcome or GitFailed("a git command was interrupted")


def untracked(repository: Repository) -> frozenset[str]:
    """Return the paths that git neither tracks nor ignores."""
    listed = repository.run("ls-files", "--others", "--exclude-standard", "-z")
    return frozenset(map(os.fsdecode, listed.split(b"\0"))) - {""}


def uncommitted(repository: Repository) -> tuple[str, ...]:
    """Return the paths that differ from HEAD in the index or worktree, or that are untracked, sorted.

    Ignored files are left out. Before the first commit every file counts.
    """
    output = repository.run("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all")
    return tuple(sorted(os.fsdecode(entry[3:]) for entry in output.split(b"\0") if entry))
