"""Ask labelled questions as `pk ask --json` does, and count what comes back right."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pactkeeper.chat.asking import ask
from pactkeeper.chat.here import Here
from pactkeeper.chat.words import terms_of
from pactkeeper.errors import PactkeeperError
from pactkeeper.workspace import open_workspace

NEAR: Final = 3  # lines between a labelled place and a cited range that still is the same place
# What a labeller may call a verb by what it does.
SAME: Final = {
    "committed": "search_atoms",
    "proves": "show_evidence",
    "broke": "what_broke",
    "uncatalogued": "discover_orphans_fullscan",
    "touches": "change_impact",
    "coverage": "read_coverage_report",
    "about": "about_file",
    "reconcile": "reconcile_repo",
    "apply": "apply_patch",
    "explain": "explain_atom",
    "next": "next_task",
    "search": "explore",
}


@dataclass(slots=True)
class Score:
    """How many of how many, and which were not."""

    right: int = 0
    all: int = 0
    wrong: list[str] = field(default_factory=list)

    def count(self, right: bool, what: str) -> None:
        """Count one question."""
        self.all += 1
        self.right += right
        if not right:
            self.wrong.append(what)

    def __str__(self) -> str:
        return f"{self.right}/{self.all}" + (f" = {self.right / self.all:.3f}" if self.all else "")


def answered(folder: Path, question: str) -> dict[str, Any]:
    """What `pk ask --json` prints, without the start of a process for each question."""
    try:
        with open_workspace(folder, notice=lambda _: None) as opened:
            return ask(Here(opened), question)
    except PactkeeperError as error:
        return {"kind": "error", "verb": "", "says": [{"text": str(error), "basis": "error"}]}


def invented(folder: Path, answer: dict[str, Any]) -> Iterator[str]:
    """Quotes that do not stand at their place, and sentences that nothing bears."""
    for one in answer.get("citations", []):
        lines = (folder / one["path"]).read_bytes().decode("utf-8", "replace").splitlines()
        if "\n".join(lines[one["line"] - 1 : one["end"]]) != one["quote"]:
            yield f"{one['path']}:{one['line']} is not what is quoted"
    for said in answer.get("says", []):
        if not said.get("cites") and said.get("basis") not in {"computed", "verified", "missing"}:
            yield f"nothing bears {said['text']!r}"


def bears(answer: dict[str, Any], labelled: list[str]) -> bool:
    places = [one.rpartition(":") for one in labelled]
    return any(
        path == one["path"] and one["line"] - NEAR <= int(line.split("-")[0]) <= one["end"] + NEAR
        for path, _, line in places
        for one in answer.get("citations", [])
    )


def rank_of(folder: Path, row: dict[str, Any]) -> int:
    """At which place the search alone has a labelled line; 0 if it has none among the first forty."""
    with open_workspace(folder, notice=lambda _: None) as opened:
        here = Here(opened)
        question = here.read(row["question"])
        found = here.search(here.paths, terms_of(question), most=40, question=question).passages
    cited = ({"citations": [{"path": one.path, "line": one.line, "end": one.end}]} for one in found)
    return next((at for at, one in enumerate(cited, 1) if bears(one, row["cites"])), 0)


def shows(row: dict[str, Any], answer: dict[str, Any]) -> bool:
    """Whether a reader is shown a labelled line and every labelled text, nearest places included."""
    return (not row.get("cites") or bears(answer, row["cites"])) and not lacks(row, answer)


def lacks(row: dict[str, Any], answer: dict[str, Any]) -> list[str]:
    """The labelled texts that do not occur."""
    said = text_of(answer)
    return [one for one in row.get("must_contain") or [] if not any(text in said for text in one.casefold().split("|"))]


def each(rows: list[dict[str, Any]], repos: Path) -> None:
    """Print for each question whether it is shown, the kind of its answer, the rank of its line, and why."""
    for row in rows:
        answer = answered(repos / row["repo"], row["question"])
        right = answer["kind"] == "cannot_tell" if row.get("cannot_tell") else shows(row, answer)
        rank = rank_of(repos / row["repo"], row) if row.get("cites") else 0
        why = answer["says"][0]["text"] if answer["says"] else ""
        mark = "ok  " if right else "MISS"
        print(f"{mark} {answer['kind']:13} {answer['verb']:14} rank {rank:2} {row['repo']}: {row['question']}")
        if not right:
            print(f"       wanted {row.get('cites') or row.get('must_contain') or 'cannot tell'}; said: {why[:120]}")


def text_of(answer: dict[str, Any]) -> str:
    """All that a reader is shown."""
    said = [one["text"] for one in answer.get("says", [])]
    quotes = [f"{one['path']}:{one['line']} {one['quote']}" for one in answer.get("citations", [])]
    choices = [f"{one['word']} {one['does']}" for one in answer.get("choices", [])]
    return "\n".join([*said, *quotes, *choices, *answer.get("next", [])]).casefold()


def measure(rows: list[dict[str, Any]], repos: Path) -> dict[str, Score]:
    names = (
        *("right lines and texts shown", "the same in an answer", "cannot tell or closest where right"),
        *("not cannot tell where it is wrong", "cannot tell where it is right"),
        *("verb or clarification", "citations bear", "contains", "cannot tell", "nothing invented"),
    )
    scores = {name: Score() for name in names}
    for row in rows:
        answer = answered(repos / row["repo"], row["question"])
        kind, verb = answer["kind"], answer["verb"]
        what = f"{row['repo']}: {row['question']}  → {kind} {verb}"
        wanted = [row["verb"]] if isinstance(row.get("verb"), str) else row.get("verb") or []
        named = {SAME.get(one, one) for one in wanted}
        asks_back = kind == "clarification"
        right = asks_back if row.get("clarify") else (verb in named and not asks_back)
        scores["verb or clarification"].count(right, what)
        scores["cannot tell"].count((kind == "cannot_tell") == bool(row.get("cannot_tell")), what)
        if row.get("cannot_tell"):
            scores["cannot tell where it is right"].count(kind == "cannot_tell", what)
            scores["cannot tell or closest where right"].count(kind in {"cannot_tell", "closest"}, what)
        else:
            scores["not cannot tell where it is wrong"].count(kind != "cannot_tell", what)
        if row.get("cites") or row.get("must_contain"):
            shown = shows(row, answer)
            scores["right lines and texts shown"].count(shown, what)
            scores["the same in an answer"].count(shown and kind not in {"cannot_tell", "closest"}, what)
        found = list(invented(repos / row["repo"], answer))
        scores["nothing invented"].count(not found, f"{what}: {found}")
        if row.get("cites"):
            scores["citations bear"].count(bears(answer, row["cites"]), f"{what} wanted {row['cites']}")
        if row.get("must_contain"):
            missing = lacks(row, answer)
            scores["contains"].count(not missing, f"{what} lacks {missing}")
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("repos", type=Path)
    parser.add_argument("--wrong", action="store_true", help="print what was not right")
    parser.add_argument("--each", action="store_true", help="print each question with its rank, kind and reason")
    said = parser.parse_args()
    rows = [json.loads(line) for line in said.questions.read_text("utf-8").splitlines() if line.strip()]
    if said.each:
        each(rows, said.repos)
    for name, score in measure(rows, said.repos).items():
        print(f"{name:36} {score}", flush=True)
        for one in score.wrong if said.wrong else ():
            print(f"    {one}")


if __name__ == "__main__":
    main()
