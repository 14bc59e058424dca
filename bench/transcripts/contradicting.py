"""How many contradictions are flagged, and how many falsely: short labelled cases, and unrelated statements paired.

python -m bench.transcripts.contradicting [--blind] [--strangers] [--misses]
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.transcripts.acting import HOME
from bench.transcripts.matching import Tally
from pactkeeper.intent.actions import Conflict
from pactkeeper.intent.board import CHANGES, Document, Snapshot, Task
from pactkeeper.intent.conversation import KeptItem, KnowledgeItem, Provenance
from pactkeeper.intent.routing import Routing
from pactkeeper.ledger.health import COMPLETE
from pactkeeper.store.conversations import list_artifacts
from pactkeeper.store.database import open_database, sqlite_url
from pactkeeper.store.history import History
from pactkeeper.transcripts.ingest import ingest
from pactkeeper.transcripts.reconciling import BoardView, SeenArtifact, TranscriptWorld
from pactkeeper.transcripts.reconciling.reconcile import reconcile
from tests.transcripts.scripts import read_script, write_script

CASES: Final = Path(__file__).parents[2] / "tests" / "transcripts" / "contradictions"
NOW: Final = "2026-03-07T08:00:00.000+00:00"
BEFORE: Final = "2026-02-01T08:00:00.000+00:00"


@dataclass(frozen=True, slots=True)
class Case:
    """One short conversation with what stands elsewhere."""

    raw: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What it is about."""
        return str(self.raw["name"])

    @property
    def world(self) -> TranscriptWorld:
        """Everything that the conversation is held against."""
        tasks = tuple(Task(**one, version="v1:1") for one in self.raw.get("tasks", ()))
        documents = tuple(
            Document(f"D-{number}", title, "Research", body, version="v1:1")
            for number, (title, body) in enumerate(self.raw.get("documents", {}).items(), start=1)
        )
        known = tuple(_known(one) for one in self.raw.get("known", ()))
        view = BoardView(HOME, Snapshot(tasks, documents, COMPLETE, NOW), frozenset(CHANGES))
        return TranscriptWorld(NOW, Routing(tasks=HOME, documents=HOME), {HOME: view}, known, health={HOME: COMPLETE})

    def is_wanted(self, found: Conflict) -> bool:
        """Whether a flagged conflict has the words of both sides of the label."""
        wanted = self.raw.get("conflict")
        stands = f"{found.stands.place} {found.stands.quote}"
        return wanted is not None and wanted["said"] in found.said.quote and wanted["stands"] in stands


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of one case."""

    case: Case
    right: tuple[Conflict, ...]
    wrong: tuple[Conflict, ...]

    @property
    def tally(self) -> Tally:
        """A conflict counts once, however many lines say the same; each false alarm counts."""
        wanted = "conflict" in self.case.raw
        return Tally(int(bool(self.right)), len(self.wrong), int(wanted and not self.right))


def read_cases(half: str) -> tuple[Case, ...]:
    """The cases of `tuning` or `blind`."""
    text = (CASES / f"{half}.toml").read_text(encoding="utf-8")
    return tuple(Case(one) for one in tomllib.loads(text)["case"])


def read_conversations(cases: Sequence[Case], folder: Path) -> tuple[tuple[SeenArtifact, ...], ...]:
    """What each conversation shows, each read into a history of its own."""
    empty = folder / "empty.db"
    open_database(sqlite_url(empty)).close()
    return tuple(_read(case, empty, folder / str(number)) for number, case in enumerate(cases))


def _read(case: Case, empty: Path, place: Path) -> tuple[SeenArtifact, ...]:
    paths = write_script(read_script("format claude-code\nfile a.jsonl\n" + case.raw["said"].strip()), place)
    database = open_database(sqlite_url(Path(shutil.copy(empty, place / "history.db"))))
    try:
        history = History(database, "person")
        for path in paths:
            ingest(history, path, now=lambda: NOW)
        found = list_artifacts(history)
    finally:
        database.close()
    return tuple(SeenArtifact(one.artifact, one.conversation, "/home/ada/shop", one.corroboration) for one in found)


def judge(case: Case, seen: Sequence[SeenArtifact]) -> Judged:
    """Hold a conversation against its world."""
    found = reconcile(seen, case.world).proposal.conflicts
    right = tuple(one for one in found if case.is_wanted(one))
    return Judged(case, right, tuple(one for one in found if one not in right))


def strangers(cases: Sequence[Case], seen: Sequence[tuple[SeenArtifact, ...]]) -> Iterator[tuple[Case, Case, Conflict]]:
    """Every conflict between a conversation and the world of another case; nearly all of them are false alarms."""
    for mine, conversation in zip(cases, seen, strict=True):
        for other in cases:
            if other is not mine:
                for one in reconcile(conversation, other.world).proposal.conflicts:
                    yield mine, other, one


def _known(row: Mapping[str, Any]) -> KeptItem:
    return KeptItem(KnowledgeItem(by="ada", provenance=Provenance(row["text"], BEFORE), **row), BEFORE)


def total(judged: Sequence[Judged]) -> Tally:
    """All cases as one."""
    tally = Tally()
    for one in judged:
        tally.add(one.tally)
    return tally


def _print_misses(judged: Sequence[Judged]) -> None:
    for one in judged:
        if one.tally.missed:
            print(f"missed {one.case.raw['kind']}: {one.case.name}")
        for wrong in one.wrong:
            print(f"wrong {one.case.raw['kind']}: {one.case.name}: {_shown(wrong)}")


def _shown(one: Conflict) -> str:
    return f"{one.said.quote!r} against {one.stands.place} {one.stands.quote!r} ({one.why})"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--blind", action="store_true", help="the half that no rule is changed for")
    parser.add_argument("--strangers", action="store_true", help="hold every conversation against all other worlds")
    parser.add_argument("--misses", action="store_true")
    given = parser.parse_args()
    half = "blind" if given.blind else "tuning"
    cases = read_cases(half)
    with tempfile.TemporaryDirectory() as name:
        seen = read_conversations(cases, Path(name))
    judged = [judge(case, one) for case, one in zip(cases, seen, strict=True)]
    alike = [one for one in judged if "conflict" not in one.case.raw]
    row = total(judged).row.rpartition(" | ")[0]
    print(f"| {half} | {row} | {sum(bool(one.wrong) for one in alike)} of {len(alike)} |")
    if given.misses:
        _print_misses(judged)
    if given.strangers:
        found = list(strangers(cases, seen))
        print(f"{len(found)} conflicts in {len(cases) * (len(cases) - 1)} pairs of strangers")
        for mine, other, one in found if given.misses else ():
            print(f"{mine.name} / {other.name}: {_shown(one)}")


if __name__ == "__main__":
    main()
