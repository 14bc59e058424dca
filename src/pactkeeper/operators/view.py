"""Which state of the repository a verb looks at.

Also caches reports for as long as nothing they depend on has changed.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pactkeeper.advice import Advice
from pactkeeper.errors import UsageError
from pactkeeper.repo.cache import program_stamp
from pactkeeper.repo.pact_folder import refuse_no_files

if TYPE_CHECKING:
    from pactkeeper.repo.snapshot import Snapshot
    from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class StateView:
    """Which state to look at: the working tree, the index if `staged`, or the commit `at`; `paths` narrow the output.

    `since` names a commit whose commitments must all still be there.
    """

    at: str | None = None
    staged: bool = False
    paths: tuple[str, ...] = ()
    since: str | None = None


def viewed(workspace: Workspace, view: StateView) -> Snapshot:
    """Return the snapshot of a view; raises what `refuse_unknown` raises."""
    snapshot = workspace.snapshot(view.at, staged=view.staged)
    refuse_unknown(workspace, snapshot, view.paths)
    return snapshot


def refuse_unknown(workspace: Workspace, snapshot: Snapshot, paths: Sequence[str]) -> None:
    """Refuse a path that names nothing, so that a typo is not mistaken for agreement.

    Paths on disk, in the snapshot, in HEAD or in the pact's links are known: files come and go, and a record may be all
    that is left of one.
    """
    if not paths:
        return
    from pactkeeper.catalog.schema import LINKS_FOLDER  # noqa: PLC0415 - most commands name no path

    links = snapshot.folder.path(LINKS_FOLDER)
    unknown = [
        path
        for path in paths
        if not _holds(snapshot, path)
        and not _holds(snapshot, f"{links}{path}")
        and f"{links}{path}.toml" not in snapshot
        and not os.path.exists(workspace.repository.root / path)  # noqa: PTH110 - pathlib raises on overlong names
        and not _in_head(workspace, path)
    ]
    if unknown:
        raise UsageError(f"there is no such path in {snapshot.name}: {', '.join(repr(path) for path in unknown)}")


def _holds(snapshot: Snapshot, path: str) -> bool:
    """Whether the snapshot has this file, or a file below this folder."""
    if path in snapshot:
        return True
    below = f"{path}/"
    position = bisect_left(snapshot.paths, below)
    return position < len(snapshot.paths) and snapshot.paths[position].startswith(below)


def _in_head(workspace: Workspace, path: str) -> bool:
    head = workspace.repository.head()
    return head is not None and bool(workspace.repository.run("ls-tree", "-z", "--full-tree", head, "--", path))


Report = TypeVar("Report")


@dataclass(frozen=True, slots=True)
class Form(Generic[Report]):
    """How one kind of report is cached: its cache space, how many are kept, and how the stored fields are read.

    `parse` turns the stored JSON into what `read` takes.
    """

    space: str
    keep: int
    read: Callable[[Any], Report]
    parse: Callable[[str], Any] = json.loads


def kept(workspace: Workspace, form: Form[Report], key: str | None, look: Callable[[], tuple[Report, bool]]) -> Report:
    """Return the report cached under this key, else what `look` returns, which is cached if it lasts.

    Without a key there is no way to tell whether a cached report is still valid, so nothing is cached.
    """
    if key is None:
        return look()[0]
    found = _read(form, workspace.cache.get_many(form.space, [key]).get(key))
    if found is not None:
        return found
    report, lasting = look()
    if lasting:
        text = json.dumps(_members(report), ensure_ascii=False)
        workspace.cache.put_many(form.space, [(key, text.encode("utf-8", "surrogatepass"))], keep=form.keep)
    return report


def _members(report: object) -> object:
    import msgspec  # noqa: PLC0415 - not needed for a cached report

    return msgspec.to_builtins(report, str_keys=True, enc_hook=_both)


def _both(text: object) -> tuple[str, str]:
    """Store both texts of an advice; of other types there are none."""
    if not isinstance(text, Advice):
        raise TypeError(f"{type(text).__name__} is not cached")
    return str(text), text.agent


def state_key(workspace: Workspace, snapshot: Snapshot, *more: str | None) -> str:
    """Return everything that looking at a snapshot depends on: files, `more`, the day, the environment, this program.

    Raises InputError if the pact has a pipe, folder or device in place of a file, since listings leave those out.
    """
    if snapshot.kind == "worktree":
        refuse_no_files(workspace.repository.root, snapshot.folder, frozenset(snapshot.pact_paths()))
    said = workspace.surroundings
    where = f"{'ci' if said.ci else 'here'}{' shallow' if workspace.repository.shallow else ''} {said.threshold}"
    day = workspace.now().date().isoformat()
    parts = (snapshot.name, snapshot.listing_hash(), *(one or "-" for one in more), day, where, program_stamp())
    return " ".join(parts)


def history_key(workspace: Workspace, snapshot: Snapshot, *more: str | None) -> str | None:
    """Do the same including the history; None if there is no cheap way to tell whether that changed."""
    mark = workspace.history_mark()
    if mark is None:
        return None
    return state_key(workspace, snapshot, mark, workspace.identity if mark else "", *more)


def _read(form: Form[Report], text: bytes | None) -> Report | None:
    """Return the cached report; None if there is none or it was written in another form."""
    if text is None:
        return None
    try:
        return form.read(form.parse(text.decode("utf-8", "surrogatepass")))
    except (ValueError, TypeError, KeyError):
        return None
