"""A generated repository of any size, with varied tests, for benchmarks."""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

NOUNS = ("basket", "invoice", "parcel", "ticket", "account", "session", "report", "voucher", "route", "label")
PYTHON = """

def test_{noun}_number_{number}_is_{state}():
    {noun} = make_{noun}({number})
    {noun}.add("line {number}", quantity={quantity})
    assert {noun}.state == "{state}"
    assert {noun}.total == {total}
"""
SCRIPT = """
  it('keeps {noun} {number} {state}', () => {{
    const {noun} = make({number}, {{ quantity: {quantity} }})
    expect({noun}.state).toBe('{state}')
    expect({noun}.total).toBe({total})
  }})
"""
STATES = ("open", "paid", "sent", "lost", "closed")


def generate(root: Path, *, tests: int, per_file: int = 20) -> None:
    """Write and commit `tests` tests; one file in four is TypeScript."""
    root.mkdir(parents=True)
    for index in range(0, tests, per_file):
        numbers = range(index, min(index + per_file, tests))
        folder = f"part{index // per_file // 40:03d}"
        if index // per_file % 4 == 3:
            body = "".join(SCRIPT.format(**values(number)) for number in numbers)
            text = f"import {{ expect, it, describe }} from 'vitest'\n\ndescribe('part {index}', () => {{{body}}})\n"
            place = root / "web" / folder / f"part{index}.test.ts"
        else:
            text = "from shop import *\n" + "".join(PYTHON.format(**values(number)) for number in numbers)
            place = root / "tests" / folder / f"test_part{index}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    (root / "package.json").write_text('{"devDependencies": {"vitest": "^3.0.0"}}\n', encoding="utf-8")
    git(root, "init", "--quiet")
    git(root, "config", "user.name", "Bench")
    git(root, "config", "user.email", "bench@example.org")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "Generate")


def values(number: int) -> dict[str, object]:
    """The values in which one test differs from the next."""
    return {
        "noun": NOUNS[number % len(NOUNS)],
        "number": number,
        "state": STATES[number % len(STATES)],
        "quantity": number % 7 + 1,
        "total": number * 3 % 1000,
    }


def git(root: Path, *arguments: str) -> None:
    """Run git in the repository."""
    subprocess.run(["git", "-C", str(root), *arguments], check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--tests", type=int, default=15_000)
    chosen = parser.parse_args()
    generate(chosen.root, tests=chosen.tests)
