"""The verbs that begin a pact and keep its debt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.catalog.journal import WriteEntry, FileEdit
from pactkeeper.catalog.schema import ATTRIBUTES_FILE, DEBT_FILE, SETTINGS_FILE
from pactkeeper.catalog.transaction import WriteNote, apply
from pactkeeper.catalog.write import ATTRIBUTES, new_settings, put_debt, remove_debt
from pactkeeper.errors import UsageError
from pactkeeper.intent.folder import OWN, POINTER, USUAL, Folder, is_settings
from pactkeeper.intent.links import LinkedTest
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.operators.adopting import foreign
from pactkeeper.operators.asserted import asserted
from pactkeeper.operators.named import named_tests
from pactkeeper.reconcile.check import check
from pactkeeper.reconcile.world import World, unmarked
from pactkeeper.repo.pact_folder import below, folder_named, pointer_to
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.reading import debt_lines
from pactkeeper.workspace import Workspace

# what a new pact owes words to: tests without links, and those whose annotations name nothing that it has
_WITHOUT_ATOM: Final = frozenset({"orphan", "unknown", "malformed"})


@dataclass(frozen=True, slots=True)
class Started:
    """A new pact: how many tests there are, how many became debt, where most of them stand, and what cannot be seen.

    `foreign` counts the ids that annotations name and no pact had.
    """

    tests: int
    files: int
    debt: int
    gaps: int
    folders: tuple[tuple[str, int], ...]
    entry: WriteEntry | None
    foreign: int
    folder: Folder


def start_pact(workspace: Workspace, wanted: str | None = None) -> Started:
    """Write `pact.toml` and list every test without intent as debt; no test is touched.

    A pact that an apply began has no debt yet; it gets its debt here. One that has debt is left alone. `wanted` is the
    folder that it goes to; without one it is `pact/`, or `.pactkeeper/` where another program has that.
    """
    workspace.settle()
    snapshot = workspace.snapshot()
    folder = snapshot.folder if wanted is None else _chosen(snapshot, folder_named(wanted))
    if folder == snapshot.folder:
        workspace.pact(snapshot)  # settings that are lost or empty are named as what they are
    if folder.path(DEBT_FILE) in snapshot:
        raise UsageError("this repository has a pact already; see where it stands with: pk status")
    world = workspace.world(snapshot, judged=False)
    orphans = [entry.test for entry in world.linked if entry.state in _WITHOUT_ATOM]
    new = {folder.path(SETTINGS_FILE): new_settings(), folder.path(ATTRIBUTES_FILE): ATTRIBUTES.encode()}
    if folder.root not in {USUAL, OWN}:
        new[POINTER] = pointer_to(folder)
    edits = [FileEdit(path, None, data) for path, data in new.items() if path not in snapshot]
    debt = put_debt(None, debt_lines(snapshot, orphans).items())
    edits.append(FileEdit(folder.path(DEBT_FILE), None, debt))
    entry = apply(workspace.place, edits, _note(workspace, "init", []))
    folders = Counter(test.file.rpartition("/")[0] or "." for test in orphans)
    ranked = sorted(folders.items(), key=lambda item: (-item[1], item[0]))
    files = len({entry.test.file for entry in world.linked})
    return Started(
        len(world.linked),
        files,
        len(orphans),
        len(world.scan.gaps),
        tuple(ranked[:5]),
        entry,
        len(dict(foreign(world))),
        folder,
    )


def _chosen(snapshot: Snapshot, folder: Folder) -> Folder:
    """The folder that a person names, where nothing else is in it and no other folder holds the pact."""
    if folder == snapshot.folder:
        return folder
    held = snapshot.folder.path(SETTINGS_FILE)
    if is_settings(snapshot.read(held) or b""):
        raise UsageError(f"this repository has a pact already, in {snapshot.folder.root!r}")
    if any(True for _ in below(snapshot.paths, folder.root)):
        raise UsageError(f"there are files in {folder.root!r} already; name a folder that is empty or new")
    return folder


@dataclass(frozen=True, slots=True)
class DebtChange:
    """The test ids whose lines were added or removed, and how many lines there are now."""

    changed: tuple[str, ...]
    lines: int
    entry: WriteEntry | None


def change_debt(
    workspace: Workspace, action: Literal["add", "prune"], names: Sequence[str] = (), *, reason: str = ""
) -> DebtChange:
    """Add orphans to the debt, with a reason, or remove lines that cover nothing any more."""
    workspace.settle()
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot, required=True)
    before = _bytes(workspace, snapshot)
    if action == "add":
        added = [entry for entry in named_tests(world, names, folder=workspace.folder) if _may_be_debt(entry)]
        changed = tuple(entry.test.id for entry in added)
        lines = debt_lines(snapshot, [entry.test for entry in added], known=world.pact.debt.grounds)
        after = put_debt(before, lines.items())
    else:
        changed = _prunable(workspace, world)
        after = _renewed(snapshot, world, remove_debt(before or b"", changed))
    edit = FileEdit(snapshot.folder.path(DEBT_FILE), before, after)
    entry = apply(workspace.place, (edit,), _note(workspace, f"debt {action}", list(changed), reason=reason))
    return DebtChange(changed, sum("::" in line for line in after.decode().splitlines()), entry)


def _renewed(snapshot: Snapshot, world: World, kept: bytes) -> bytes:
    """The debt as strong as its tests are now; where one of them got weaker, only lines that say nothing yet change.

    The files that tests rest on are written anew with it, so that what is weaker would pass for recorded.
    """
    debt = [entry for entry in world.linked if entry.state in {"debt", "changed_debt"}]
    if any(entry.weaker for entry in debt):
        return put_debt(kept, debt_lines(snapshot, unmarked(world), known=world.pact.debt.grounds).items())
    own = [entry.test for entry in debt if entry.state == "debt" and entry.test.id in world.pact.debt.by_test]
    return put_debt(remove_debt(kept, world.pact.debt.grounds), debt_lines(snapshot, own).items())


def _may_be_debt(entry: LinkedTest) -> bool:
    if entry.links:
        raise UsageError(f"{entry.test.id!r} is linked, so it is no debt")
    return entry.state in {"orphan", "changed_debt"} or bool(entry.weaker)


def _prunable(workspace: Workspace, world: World) -> tuple[str, ...]:
    """Lines of tests that are gone from a fully seen file, and of tests that are linked by now."""
    verdict = check(world.linked, world.pact, world.scan.gaps, today=workspace.now().date())
    gone = {one.finding.subject for one in verdict.findings if one.finding.code == "PK203"}
    linked = {entry.test.id for entry in world.linked if entry.links and entry.state not in _WITHOUT_ATOM}
    return tuple(sorted((gone | linked) & set(world.pact.debt.by_test)))


def _bytes(workspace: Workspace, snapshot: Snapshot) -> bytes | None:
    return workspace.pact_files(snapshot).get(snapshot.folder.path(DEBT_FILE))


def _note(workspace: Workspace, verb: str, tests: list[str], *, reason: str = "") -> WriteNote:
    metadata: dict[str, JsonValue] = {
        "verb": verb,
        "tests": list[JsonValue](tests),
        "reason": reason,
        **asserted(workspace),
    }
    return WriteNote(workspace.now().isoformat(timespec="seconds"), metadata)
