"""`python -m bench.eval COMMAND`: one command per measurement."""

from __future__ import annotations

import sys
from importlib import import_module

COMMANDS = {
    "words": "how well answerers word tests",
    "links": "how well hidden links are found again",
    "giving": "how a hundred open tests get words, and what is refused",
    "functions": "how well signals tell which functions a test runs",
}


def main() -> None:
    """Run the command that is named."""
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        lines = "\n".join(f"  {name:<10} {what}" for name, what in COMMANDS.items())
        raise SystemExit(f"usage: python -m bench.eval COMMAND …\n{lines}")
    import_module(f"bench.eval.{sys.argv[1]}").main(sys.argv[2:])


if __name__ == "__main__":
    main()
