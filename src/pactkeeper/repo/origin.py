"""Where a clone comes from, and what goes there and back: refs of pull requests, and branches of our own."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from pactkeeper.errors import UsageError
from pactkeeper.repo.fetching import Network, Source, default_branch, run_git, talking
from pactkeeper.repo.git import Repository
from pactkeeper.repo.mirrors import MIRROR, alone


def origin_url(repository: Repository) -> str:
    """Where a clone comes from, empty where it comes from nowhere; it may hold a token of CI, so it is never shown."""
    return repository.run("config", "--get", "remote.origin.url", accept=(0, 1)).decode("utf-8", "replace").strip()


def fetch_here(repository: Repository, refs: Sequence[str], network: Network) -> None:
    """Bring refs of `origin` into a clone, or a server's mirror, as `git fetch` there would; raises GitFailed.

    They come under no name of a branch, and nothing of them is checked out. What they change comes whole, in partial
    clones too, since it is read afterwards by what fetches nothing.
    """
    options = ("--no-filter", "--no-tags", "--no-auto-gc", "--no-recurse-submodules", "--no-write-fetch-head")
    named = [f"+{ref}:refs/pactkeeper/{ref.removeprefix('refs/')}" for ref in refs]
    arguments = ("fetch", "--quiet", *options, "--", "origin", *named)
    with _alone(repository):
        run_git(repository.root, arguments, talking(_source(repository)), network.settings())


def push_here(repository: Repository, commit: str, branch: str, network: Network, *, over: str | None = None) -> None:
    """Send a commit to a branch of `origin`; an empty one takes the branch away.

    The branch must be one that the commit continues, or with `over` be at that commit exactly; empty: not there.
    Raises GitFailed where it is not.
    """
    lease = () if over is None else (f"--force-with-lease=refs/heads/{branch}:{over}",)
    arguments = ("push", "--quiet", "--no-verify", *lease, "--", "origin", f"{commit}:refs/heads/{branch}")
    run_git(repository.root, arguments, talking(_source(repository)), network.settings())


def is_there(repository: Repository, branch: str, network: Network) -> bool:
    """Whether `origin` has a branch; raises GitFailed."""
    arguments = ("ls-remote", "--heads", "--", "origin", f"refs/heads/{branch}")
    return bool(run_git(repository.root, arguments, talking(_source(repository)), network.settings()))


def default_branch_there(repository: Repository, network: Network) -> str:
    """The branch that `origin` gives out by default; raises GitFailed."""
    return default_branch(repository.root, _source(repository), network)


def _source(repository: Repository) -> Source:
    url = origin_url(repository)
    if not url:
        raise UsageError("this clone has no remote `origin` to fetch from; git remote add origin URL")
    return Source(url)


def _alone(repository: Repository) -> AbstractContextManager[None]:
    """A fetch clears away what a killed one left, so two into one mirror take turns."""
    common = repository.common_dir
    return alone(common.parent) if common.name == MIRROR else nullcontext()
