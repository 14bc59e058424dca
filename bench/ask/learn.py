"""Learn from example questions which verb one means: writes `weights.json` and `stems.json` in `src/pactkeeper/chat`.

A multinomial logistic regression over the features of `pactkeeper.chat.matching`, by stochastic gradient descent with
AdaGrad (Duchi, Hazan, Singer 2011), averaged over several orders of the examples, because another phrasing changes
their order, and one order alone changes what far phrasings mean. The same examples give the same weights.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import exp, sqrt
from pathlib import Path
from typing import Final

from pactkeeper.chat.matching import SCALE, features, verbs
from pactkeeper.chat.words import ATOM, FILE, SUBJECT, both_stems, read_question, small_words

EXAMPLES: Final = Path(__file__).parent / "phrasings.toml"
LIGHT: Final = Path(__file__).parent / "light.txt"
IDEAS: Final = Path(__file__).parents[2] / "src/pactkeeper/chat/ideas.toml"
STEMS: Final = Path(__file__).parents[2] / "src/pactkeeper/chat/stems.json"
WEIGHTS: Final = Path(__file__).parents[2] / "src/pactkeeper/chat/weights.json"
PATH, ID = "shop/login.py", "IA-7F3KQ9T"
ROUNDS: Final = 12
ORDERS: Final = 4
STEP: Final = 0.5
INIT: Final = 1.0  # squared slopes that every weight begins with, so that the first steps are no longer than STEP
SHRINK: Final = 5e-4  # by which weights are drawn to zero with each example
COPIES: Final = 240  # of all examples of a verb; all but the first have words of other examples in their subject
MOST: Final = 6  # copies of one example
OFTEN: Final = 2  # times that a feature occurs
LEAST: Final = 10  # hundredths: a weight below is not kept
TELLING: Final = 30  # hundredths: a feature is not kept if all its weights are below
FOLDS: Final = 8

Example = tuple[str, str]  # the words, the verb
Weights = dict[str, list[float]]


def examples() -> list[Example]:
    """Every phrasing with its verb."""
    table = tomllib.loads(EXAMPLES.read_text("utf-8"))
    return [(phrasing, verb) for verb, phrasings in table.items() for phrasing in phrasings]


def spelled(phrasing: str, subject: str) -> str:
    """A phrasing with names and a subject."""
    named = phrasing.replace(FILE, PATH).replace(ATOM, ID)
    return re.sub(rf"\b{SUBJECT}\b", subject, named)


def stems() -> str:
    """What each stem tells, and the stems that say little or nothing by themselves, as JSON."""
    found: dict[str, list[str]] = {}
    for idea, words in tomllib.loads(IDEAS.read_text("utf-8")).items():
        for stem in dict.fromkeys(map(both_stems, words.split())):
            found.setdefault(stem, []).append(idea)
    small = sorted({*small_words(), *map(both_stems, small_words())})
    light = sorted(set(map(both_stems, LIGHT.read_text("utf-8").split())))
    kept = {"ideas": found, "small": small, "light": light}
    return json.dumps(kept, ensure_ascii=False, sort_keys=True) + "\n"


def known_of(taught: Iterable[Example]) -> frozenset[str]:
    """The stems that examples have."""
    words = (word for phrasing, _ in taught for word in re.findall(r"[^\W\d_]+", phrasing))
    return frozenset(both_stems(word.casefold()) for word in words if word not in {SUBJECT, FILE, ATOM})


def learn(taught: Sequence[Example], *, rounds: int = ROUNDS, orders: int = ORDERS) -> tuple[Weights, frozenset[str]]:
    """The weights of every feature, one for each verb in the order of the table, and the known stems."""
    known = known_of(taught)
    found = [_learned(taught, known, rounds, random.Random(seed)) for seed in range(1, orders + 1)]  # noqa: S311
    features_of_all = dict.fromkeys(one for weights in found for one in weights)
    none = [0.0] * len(verbs())
    weights = {}
    for one in features_of_all:
        columns = zip(*(each.get(one, none) for each in found), strict=True)
        weights[one] = [sum(column) / orders for column in columns]
    return weights, known


def _learned(taught: Sequence[Example], known: frozenset[str], rounds: int, order: random.Random) -> Weights:
    names = list(verbs())
    sizes, rows = Counter(verb for _, verb in taught), []
    for phrasing, verb in taught:
        copies = min(MOST, max(2, COPIES // sizes[verb]))
        for copy in range(copies if re.search(rf"\b{SUBJECT}\b", phrasing) else 1):
            about = " ".join(["zebras", *_clause(order, taught, min(copy, 3))][:: 1 if copy % 2 else -1])
            rows.append((sorted(_features(spelled(phrasing, about), known)), names.index(verb)))
    often = Counter(one for row, _ in rows for one in row)
    rows = [([one for one in row if often[one] >= OFTEN], wanted) for row, wanted in rows]
    weights: Weights = {}
    squares: Weights = {}
    for _ in range(rounds):
        order.shuffle(rows)
        for row, wanted in rows:
            _descend(weights, squares, row, wanted)
    return weights


def _clause(order: random.Random, taught: Sequence[Example], length: int) -> list[str]:
    """Words of some other example: what a question is about may hold any words."""
    words = order.choice(taught)[0].replace(SUBJECT, "lions").split()
    first = order.randrange(len(words))
    return words[first : first + length]


def _features(text: str, known: frozenset[str]) -> frozenset[str]:
    return features(read_question(text, paths=(PATH,)), known)


def _descend(weights: Weights, squares: Weights, row: Sequence[str], wanted: int) -> None:
    """One step down the slope of the log loss of one example."""
    number = len(verbs())
    vectors = [weights.setdefault(one, [0.0] * number) for one in row]
    steps = [squares.setdefault(one, [INIT] * number) for one in row]
    slopes = likelihoods([sum(column) for column in zip(*vectors, strict=True)])
    slopes[wanted] -= 1
    for vector, squares_of in zip(vectors, steps, strict=True):
        for at, slope in enumerate(slopes):
            weight = vector[at]
            gradient = slope + SHRINK * weight
            squares_of[at] = square = squares_of[at] + gradient * gradient
            vector[at] = weight - STEP * gradient / sqrt(square)


def likelihoods(totals: Sequence[float]) -> list[float]:
    """Softmax."""
    highest = max(totals)
    odds = [exp(one - highest) for one in totals]
    whole = sum(odds)
    return [odd / whole for odd in odds]


def told(weights: Mapping[str, Sequence[float]], known: frozenset[str], text: str) -> str:
    """The verb that weights tell."""
    names = list(verbs())
    vectors = [weights[one] for one in _features(text, known) if one in weights]
    totals = [sum(column) for column in zip(*vectors, strict=True)] if vectors else [0.0]
    return names[totals.index(max(totals))]


def held_out(taught: Sequence[Example]) -> int:
    """How many examples are told right by what was learned from the others."""
    shuffled = list(taught)
    random.Random(3).shuffle(shuffled)  # noqa: S311 - as above
    right = 0
    for fold in range(FOLDS):
        weights, known = learn([one for at, one in enumerate(shuffled) if at % FOLDS != fold])
        right += sum(told(weights, known, spelled(one, "zebras")) == verb for one, verb in shuffled[fold::FOLDS])
    return right


def written(weights: Weights, known: frozenset[str]) -> str:
    """What was learned as JSON, without weights that change nothing."""
    kept = {}
    for one, vector in sorted(weights.items()):
        row = {str(at): rounded for at, weight in enumerate(vector) if abs(rounded := round(SCALE * weight)) >= LEAST}
        if max(map(abs, row.values()), default=0) >= TELLING:
            kept[one] = row
    rows = ",\n".join(f"{json.dumps(one)}: {json.dumps(row, separators=(',', ':'))}" for one, row in kept.items())
    head = f'"verbs": {json.dumps(list(verbs()))},\n"known": {json.dumps(sorted(known))}'
    return f'{{{head},\n"weights": {{\n{rows}\n}}}}\n'


def main() -> None:
    """Learn and write, or say how well what is held out is told."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", action="store_true", help="learn from seven eighths, ask the rest; write nothing")
    STEMS.write_text(stems(), "utf-8")
    taught = examples()
    if parser.parse_args().held_out:
        print(f"{held_out(taught)} of {len(taught)}")
    else:
        WEIGHTS.write_text(written(*learn(taught)), "utf-8")


if __name__ == "__main__":
    main()
