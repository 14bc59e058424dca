"""Measure the shared comparison on pairs of statements that clash or don't.

Run with `python -m bench.clash [FILE] [--misses]`. A block of FILE (default: clash.txt) is
`name | half | against, agree or person` and two statements; `clash_blind.txt` has 80 pairs not used for tuning.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from pactkeeper.speech.clash import compare

HERE = Path(__file__).parent


def main() -> None:
    """Print how many clashes are found, left to people, and wrongly reported."""
    named = [one for one in sys.argv[1:] if not one.startswith("--")]
    counts: Counter[tuple[str, str]] = Counter()
    for block in Path(named[0] if named else HERE / "clash.txt").read_text(encoding="utf-8").strip().split("\n\n"):
        head, one, other = block.splitlines()
        label = head.split(" | ")[2]
        verdict: str = compare(one, other).verdict
        counts[label, verdict] += 1
        if "--misses" in sys.argv and (label == "against") != (verdict == "clash"):
            print(f"{label:<8} {verdict:<9} {one} | {other}")
    for (label, found), number in sorted(counts.items()):
        print(f"{label:<8} {found:<9} {number}")


if __name__ == "__main__":
    main()
