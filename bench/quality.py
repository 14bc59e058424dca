"""How well the rules for quality and atomicity agree with labelled sentences: the table in `quality.md`.

    python -m bench.quality [--misses]

Reads `tests/golden/quality`. A criterion counts as objected to if it loses at least two fifths of its points.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pactkeeper.intent.quality import AtomWords, Quality, assess
from pactkeeper.intent.quality.values import MOST
from pactkeeper.intent.wording.tokens import joints

SETS = ("tuned", "held_out")
FOLDER = Path(__file__).parents[1] / "tests" / "golden" / "quality"
OBJECTION = 2 / 5


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence and a careful reader's labels; `behaviours` is 0 if the language can't be judged."""

    words: AtomWords
    domain: str
    flawed: frozenset[str]
    behaviours: int
    verdict: str


def labelled(name: str) -> tuple[Labelled, ...]:
    """The sentences in one set."""
    rows = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))["sentence"]
    return tuple(
        Labelled(
            AtomWords(row["intent"], tuple(row.get("outcomes", ())), tuple(row.get("falsified_by", ()))),
            row["domain"],
            frozenset(row.get("flawed", ())),
            row.get("behaviours", 0),
            row["verdict"],
        )
        for row in rows
    )


def objections(quality: Quality) -> frozenset[str]:
    """The criteria that a judgement objects to."""
    return frozenset(one.name for one in quality.dimensions if one.most - one.points >= OBJECTION * one.most)


def agreement(sentences: Sequence[Labelled]) -> Mapping[str, float]:
    """The share of sentences, 0 to 1, on which rules and labels agree, by criterion.

    Joined behaviours cost few points, so sentences with several are compared only as atomic or not.
    """
    read = [(one, assess(one.words)) for one in sentences if one.verdict != "not judged"]
    unread = [one for one in sentences if one.verdict == "not judged"]
    single = [(one, quality) for one, quality in read if one.behaviours <= 1]
    found: dict[str, float] = {name: _share(single, _objects_alike(name)) for name in MOST}
    found["verdict"] = _share(single, lambda one, quality: one.verdict == quality.verdict)
    found["approved or not"] = _share(
        single, lambda one, quality: (one.verdict == "approve") == (quality.verdict == "approve")
    )
    found["atomic or not"] = _share(read, lambda one, _: _joins(one) == (one.behaviours > 1))
    found["not judged"] = sum(not assess(one.words).judged for one in unread) / len(unread)
    return found


def _objects_alike(criterion: str) -> Callable[[Labelled, Quality], bool]:
    return lambda one, quality: (criterion in one.flawed) == (criterion in objections(quality))


def _joins(one: Labelled) -> bool:
    return bool(joints(one.words.intent))


def _share(read: Sequence[tuple[Labelled, Quality]], agrees: Callable[[Labelled, Quality], bool]) -> float:
    return sum(agrees(one, quality) for one, quality in read) / len(read)


def misses(sentences: Sequence[Labelled]) -> list[str]:
    """The sentences on which rules and labels disagree, with both verdicts."""
    found = []
    for one in sentences:
        quality = assess(one.words)
        said = objections(quality)
        if one.verdict != "not judged" and (said != one.flawed or quality.verdict != one.verdict):
            found.append(
                f"{one.words.intent}\n  labels: {one.verdict} {sorted(one.flawed)}\n"
                f"  rules:  {quality.verdict} {sorted(said)} ({quality.score})"
            )
    return found


def main() -> None:
    """Print the table, and with --misses what the rules still get wrong in the tuned set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true")
    wanted = parser.parse_args()
    sets = {name: labelled(name) for name in SETS}
    shares = {name: agreement(sentences) for name, sentences in sets.items()}
    print(f"| agreement on | {' | '.join(f'{name} ({len(sets[name])})' for name in SETS)} |\n|---|---:|---:|")
    for key in shares[SETS[0]]:
        print(f"| {key} | {' | '.join(f'{shares[name][key]:.0%}' for name in SETS)} |")
    if wanted.misses:
        print("\n" + "\n".join(misses(sets["tuned"])))


if __name__ == "__main__":
    main()
