"""`python -m bench.eval links [PATH]`: how well hidden links are found again; the tables in `links.md`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bench.eval.recovery import CONDITIONS, Condition, Found, hidden, recover, sample
from bench.eval.scoring import share
from pactkeeper.repo.facts import gather
from pactkeeper.workspace import open_workspace

SURE = (70, 90)
GONE: Condition = "its atom is gone too"


def main(arguments: list[str]) -> None:
    """Print the table, a column for each condition."""
    parser = argparse.ArgumentParser(prog="python -m bench.eval links", description=__doc__)
    parser.add_argument("path", nargs="?", default=".", help="a repository with a pact (default: this one)")
    parser.add_argument("--at", metavar="REF", help="look at a commit instead of the working tree")
    parser.add_argument("--sample", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print what was not found, in every condition")
    chosen = parser.parse_args(arguments)
    with open_workspace(chosen.path, notice=print) as opened:
        snapshot = opened.snapshot(chosen.at)
        world = opened.world(snapshot, required=True)
    picked = sample(world.linked, chosen.sample, chosen.seed)
    stated = gather(snapshot, [entry.test for entry in picked])
    found = {one: recover(world, dict(hidden(picked, stated, one)), forget=one == GONE) for one in CONDITIONS}
    if chosen.show:
        for condition, rows in found.items():
            _show(condition, rows)
        return
    print(f"{len(world.pact.atoms):,} atoms, {len(picked)} of {len(world.linked):,} tests hidden, seed {chosen.seed}\n")
    print(f"| | {' | '.join(found)} |\n|---|{'---:|' * len(found)}")
    columns = [lines(rows) for rows in found.values()]
    for line in columns[0]:
        print(f"| {line} | {' | '.join(column[line] for column in columns)} |")


def lines(rows: Sequence[Found]) -> dict[str, str]:
    """The lines of one condition's column."""
    attached = [one for one in rows if one.way == "attached"]
    asked = [one for one in rows if one.way == "asked"]
    either = [*attached, *asked]
    every = len(rows)
    return {
        "tests": str(every),
        "attached by an op: recall": share(sum(one.right for one in attached), every),
        "attached by an op: precision": share(sum(one.right for one in attached), len(attached)),
        **{f"precision at a confidence of {least}": _at(attached, least) for least in SURE},
        "asked about one atom: precision": share(sum(one.right for one in asked), len(asked)),
        "attached or asked: recall": share(sum(one.right for one in either), every),
        "a new atom instead": share(sum(one.way == "new atom" for one in rows), every),
        "nothing, too unsure": share(sum(one.way == "nothing" for one in rows), every),
        "top 1 of proposal and nearest sentences": share(sum(one.among(1) for one in rows), every),
        "top 3 of proposal and nearest sentences": share(sum(one.among(3) for one in rows), every),
    }


def _at(attached: Sequence[Found], least: int) -> str:
    sure = [one for one in attached if one.confidence >= least]
    return share(sum(one.right for one in sure), len(sure))


def _show(condition: str, rows: Sequence[Found]) -> None:
    print(f"\n{condition}")
    for one in rows:
        if not one.right:
            print(f"  {one.way} {one.atom or '-'} {one.confidence} {one.hidden.test.id} had {sorted(one.hidden.atoms)}")
