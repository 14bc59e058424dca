"""Which functions each test of a Python project really runs, recorded while they run.

    python -m bench.eval.calls --source src/click OUT.csv [PYTEST ARGUMENTS]

Runs pytest in the current folder and writes `test,function,how` lines. Tests have the ids that Pactkeeper writes,
parameters left out; functions are `path::Dotted.name`; `how` is `direct` where a file outside of the source called it
and `deep` where only the source did. A test that started other processes called nothing there.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

import pytest

SOURCE, OUT = "CALLS_SOURCE", "CALLS_OUT"
ROOT: Final = Path.cwd()
_below = str(ROOT / os.environ.get(SOURCE, "src")) + os.sep
_seen: dict[str, dict[tuple[str, str], str]] = {}


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Record what runs in the body of one test."""
    found = _seen.setdefault(item.nodeid.partition("[")[0], {})
    inside: dict[CodeType, bool] = {}

    def is_source(code: CodeType) -> bool:
        if code not in inside:
            inside[code] = code.co_filename.startswith(_below) and not code.co_name.startswith("<")
        return inside[code]

    def record(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and is_source(code):
            caller = frame.f_back
            direct = caller is None or not caller.f_code.co_filename.startswith(_below)
            key = (Path(code.co_filename).relative_to(ROOT).as_posix(), code.co_qualname.replace(".<locals>", ""))
            if direct or key not in found:
                found[key] = "direct" if direct else "deep"

    sys.setprofile(record)
    yield
    sys.setprofile(None)


def pytest_sessionfinish() -> None:
    """Write what was recorded."""
    if OUT not in os.environ:
        return
    with Path(os.environ[OUT]).open("w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out)
        rows.writerow(("test", "function", "how"))
        for test, found in sorted(_seen.items()):
            rows.writerows((test, f"{path}::{name}", how) for (path, name), how in sorted(found.items()))


def main() -> None:
    """Run pytest with this module as a plugin."""
    parser = argparse.ArgumentParser(prog="python -m bench.eval.calls", description=__doc__)
    parser.add_argument("--source", default="src", help="the folder with the functions, below the current one")
    parser.add_argument("out", type=Path)
    chosen, rest = parser.parse_known_args()
    house = str(Path(__file__).parent.parent.parent)
    path = os.pathsep.join(filter(None, (str(ROOT / "src"), house, os.environ.get("PYTHONPATH"))))
    surroundings = {**os.environ, "PYTHONPATH": path, SOURCE: chosen.source, OUT: str(chosen.out.absolute())}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "bench.eval.calls", "-p", "no:cacheprovider", *rest]
    raise SystemExit(subprocess.run(command, env=surroundings, check=False).returncode)


if __name__ == "__main__":
    main()
