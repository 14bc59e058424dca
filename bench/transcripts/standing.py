"""Turn every conversation of the corpus into files on a board, and undo it.

    python -m bench.transcripts.standing [--misses] [NAME]…

For each conversation a board of its own is laid out as its labels say. The person stands up, says yes to everything,
and stands up again; then takes everything back, but for remarks on tasks and advice, which stay.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from bench.transcripts.labels import Labels, read_labels
from pactkeeper.errors import PactkeeperError
from pactkeeper.intent.actions import Action, Deed
from pactkeeper.operators.standup import StandupVerdict, decide_actions, stand_up, undo_action
from pactkeeper.operators.transcripts import ingest_transcripts
from pactkeeper.personal import Personal
from pactkeeper.settings import Environment
from tests.transcripts.scripts import read_script, write_script

NOW: Final = datetime(2026, 3, 2, 9, tzinfo=UTC)
CONTEXT: Final = "Active Context"


@dataclass(slots=True)
class Stood:
    """What became of one conversation's board.

    `unasked` happened by itself, `agreed` after a yes. `again` counts what a second stand-up changed, `lost` the
    documents of which a word is gone after what happened by itself, `leaked` the files with the secret in them, and
    `left` the files that differ after everything was taken back.
    """

    unasked: Counter[str] = field(default_factory=Counter)
    agreed: Counter[str] = field(default_factory=Counter)
    structural: int = 0
    settled: int = 0
    again: int = 0
    lost: int = 0
    leaked: int = 0
    left: int = 0
    refused: list[str] = field(default_factory=list)

    def add(self, other: Stood) -> None:
        """Count another one in."""
        self.unasked += other.unasked
        self.agreed += other.agreed
        for name in ("structural", "settled", "again", "lost", "leaked", "left"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.refused += other.refused


def stand(labels: Labels, script: Path, place: Path) -> Stood:
    """Take one conversation through everything."""
    chats = place / "chats"
    write_script(read_script(script.read_text(encoding="utf-8")), chats)
    board = place / "board"
    _lay_out(labels, board)
    settings = place / "config"
    settings.mkdir(parents=True)
    (settings / "boards.toml").write_text(f"[boards.home]\nkind = 'local'\nfolder = '{board}'\n", encoding="utf-8")
    surroundings = Environment(ci=False, plain=True, processes=1, personal=place / "data", preferences=settings)
    with ExitStack() as closing:
        personal = Personal(surroundings, lambda _line: None, lambda: NOW, closing)
        ingest_transcripts(personal, (str(chats),), wait=False)
        return _stood(personal, labels, board)


def _stood(personal: Personal, labels: Labels, board: Path) -> Stood:
    stood = Stood()
    before = _files(board)
    first = stand_up(personal)
    plain = _files(board)
    stood.unasked += Counter(one.action.verb for one in first.done)
    actions = [*(one.action for one in first.done), *(one.action for one in first.asked)]
    stood.structural += sum(one.tier == 3 for one in actions)
    disputed = {one.stands.place for one in first.conflicts}
    stood.settled += sum(one.action.op.target in disputed for one in first.done)
    stood.lost = sum(
        not set(text.splitlines()) <= set(plain.get(name, "").splitlines())
        for name, text in before.items()
        if name.startswith("documents/")
    )
    done = [*first.done, *_agree(personal, [one.action for one in first.asked], stood)]
    agreed = _files(board)
    stand_up(personal)
    stood.again = _differing(agreed, _files(board))
    secret = labels.raw.get("secret")
    stood.leaked = sum(secret in text for text in agreed.values()) if secret else 0
    _take_back(personal, done, stood)
    stood.left = _differing(
        before, {name: text for name, text in _files(board).items() if not name.startswith("archive/")}
    )
    return stood


def _agree(personal: Personal, asked: Sequence[Action], stood: Stood) -> Iterator[Deed]:
    """Say yes to everything, one by one; what became stale by an earlier yes is refused and said."""
    for one in asked:
        try:
            deeds = decide_actions(personal, [StandupVerdict(one.id, yes=True)])
        except PactkeeperError as error:
            stood.refused.append(f"{one.verb}: {error}")
            continue
        stood.agreed += Counter(deed.action.verb for deed in deeds)
        yield from deeds


def _take_back(personal: Personal, done: Sequence[Deed], stood: Stood) -> None:
    for one in reversed(done):
        try:
            undo_action(personal, one.action.id)
        except PactkeeperError as error:
            stood.refused.append(f"undo {one.action.verb}: {error}")


def _lay_out(labels: Labels, board: Path) -> None:
    for task in labels.tasks:
        due = f"due: {task.due}\n" if task.due else ""
        text = f"---\nid: {task.id}\ntitle: {task.title}\nstatus: {task.status}\n{due}---\n"
        _write(board / "tasks" / f"{task.id.lower()}.md", text)
    for document in labels.documents:
        text = f"---\nid: {document.id}\ntitle: {document.title}\n---\n\n{document.body}\n"
        _write(board / "documents" / document.section / f"{document.id.lower()}.md", text)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _files(board: Path) -> dict[str, str]:
    return {path.relative_to(board).as_posix(): path.read_text(encoding="utf-8") for path in board.rglob("*.md")}


def _differing(one: Mapping[str, str], other: Mapping[str, str]) -> int:
    return sum(one.get(name) != other.get(name) for name in {*one, *other})


def stand_all(names: Sequence[str], folder: Path) -> Iterator[tuple[Labels, Stood]]:
    """Every conversation of those names, or all."""
    for labels, script in read_labels():
        if not names or labels.name in names:
            yield labels, stand(labels, script, folder / labels.half / labels.name)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--misses", action="store_true")
    given = parser.parse_args()
    total, number = Stood(), 0
    with tempfile.TemporaryDirectory() as name:
        for labels, stood in stand_all(given.names, Path(name)):
            number += 1
            total.add(stood)
            if given.misses:
                print(labels.name, stood)
    print(f"{number} conversations; by itself {dict(total.unasked)}; after a yes {dict(total.agreed)}")
    print(f"tier 3 {total.structural}, conflicts settled {total.settled}, changed by a second stand-up {total.again}, ")
    print(f"documents with words lost {total.lost}, secrets {total.leaked}, files left by undoing {total.left}")
    for line, times in Counter(total.refused).items():
        print(f"refused {times}: {line}")


if __name__ == "__main__":
    main()
