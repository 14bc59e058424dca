"""`python -m bench.eval words`: how well answerers word tests; the tables in `words.md`."""

from __future__ import annotations

import argparse

from bench.eval.answering import answerers, ground
from bench.eval.cases import SETS, cases
from bench.eval.scoring import Row, bins, measures


def main(arguments: list[str]) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.eval words", description=__doc__)
    parser.add_argument("--real", action="store_true", help="ask the model that is set up as well; it costs money")
    parser.add_argument("--show", metavar="ANSWERER", help="print what this one says of every test, with its faults")
    chosen = parser.parse_args(arguments)
    for which in SETS:
        labelled = cases(which)
        with ground(labelled) as (opened, laid):
            found = {name: say(laid) for name, say in answerers(opened, real=chosen.real).items()}
        if chosen.show:
            _show(found[chosen.show])
            continue
        worded = sum(one.intent is not None for one in labelled)
        print(f"\n### {which}: {len(labelled)} tests, {len(labelled) - worded} of which cannot be worded\n")
        _table({name: measures(rows) for name, rows in found.items()})
        print()
        _bins(found)


def _table(columns: dict[str, dict[str, str]]) -> None:
    print(f"| | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}")
    for line in next(iter(columns.values())):
        print(f"| {line} | {' | '.join(column[line] for column in columns.values())} |")


def _bins(found: dict[str, list[Row]]) -> None:
    print(f"| adequate by confidence | {' | '.join(found)} |\n|---|{'---:|' * len(found)}")
    by_name = {name: bins(rows) for name, rows in found.items()}
    for at, (label, _, _) in enumerate(next(iter(by_name.values()))):
        cells = (
            f"{right}/{said}" if (said := rows[at][1]) and (right := rows[at][2]) >= 0 else "–"
            for rows in by_name.values()
        )
        print(f"| {label} | {' | '.join(cells)} |")


def _show(rows: list[Row]) -> None:
    for one in rows:
        said, case = one.said, one.case
        wanted = case.abstain if case.intent is None else case.intent.sentence
        print(
            f"{'taken' if said.taken else 'left'} {said.confidence} {'adequate' if one.adequate else '-'} {case.name}"
        )
        print(f"    {said.intent}  facets {one.facets}, label: {wanted}")
        for text in said.outcomes:
            known = any(label.said_in(text) for label in case.outcomes)
            print(f"      • {text}{'' if known else '  (no label)'}")
        if one.inventions or said.objections:
            print(f"      inventions {one.inventions} objections {said.objections}")
