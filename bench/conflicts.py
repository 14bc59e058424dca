"""How long finding conflicts takes, and how many it shows: the tables in `conflicts.md`.

    python -m bench.conflicts [--atoms N] [REPOSITORY]...

Generates N sentences from few words, so that many are similar, and uses the pacts of the given repositories unchanged.
Times are processor time.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from time import process_time

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.conflicts import KINDS, find_conflicts
from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.pact import Pact
from pactkeeper.workspace import open_workspace

THINGS = "user token session invoice order basket payment refund report file folder page button queue job index role"
KINDS_OF_THINGS = (
    "new old expired valid empty full active pending deleted archived shared public private unknown failed"
)
SAID = (
    "is refused",
    "is accepted",
    "is shown",
    "is hidden",
    "is kept",
    "is removed",
    "returns {}",
    "costs {} euros",
    "expires after {} minutes",
)
CONDITIONS = ("", " when the {} is {}", " after the {} is {}")


def sentences(number: int) -> Iterator[str]:
    """Generate the same sentences in every run."""
    rng = random.Random(1)  # noqa: S311 - not used for security
    things, kinds = THINGS.split(), KINDS_OF_THINGS.split()
    for _ in range(number):
        said = rng.choice(SAID).format(rng.randint(1, 99))
        condition = rng.choice(CONDITIONS).format(rng.choice(things), rng.choice(kinds))
        yield f"A {rng.choice(kinds)} {rng.choice(things)} in region {rng.choice(things)} {said}{condition}."


def row(name: str, pact: Pact, linked: tuple[LinkedTest, ...] | None) -> str:
    """One line of the table."""
    start = process_time()
    found = find_conflicts(pact, linked)
    seconds = process_time() - start
    counts = Counter(one.kind for one in found.found)
    shown = " | ".join(f"{counts[kind]:,}" for kind in KINDS)
    return f"| {name} | {len(pact.atoms):,} | {seconds:.2f} s | {shown} | {found.left_out} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--atoms", type=int, default=10_000)
    parser.add_argument("repositories", nargs="*")
    arguments = parser.parse_args()
    print(f"| pact | atoms | processor time | {' | '.join(KINDS)} | series left out |")
    print(f"|---|---|---|{'---|' * len(KINDS)}---|")
    made = [Atom(f"IA-{at:06d}", text) for at, text in enumerate(sentences(arguments.atoms))]
    print(row("generated", Pact(atoms={one.id: one for one in made}), None))
    for path in arguments.repositories:
        with open_workspace(path, notice=print) as workspace:
            world = workspace.world(workspace.snapshot(), required=True)
        print(row(workspace.repository.root.name, world.pact, world.linked))


if __name__ == "__main__":
    main()
