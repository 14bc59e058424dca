"""What other guards report on the same cases: `python -m bench.guard_peers CASES --half blind --bin VENV/bin`.

Every case is two commits in one repository; each guard compares them. A guard *flags* a case if it reports anything,
and *blocks* it if its exit code is not 0. A guard that isn't in the folder is skipped.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from bench.guard import Case, load

Said = tuple[bool, bool]  # flagged, blocked


def main() -> None:
    """Run every guard on every case and print shares by label."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="+", type=Path)
    parser.add_argument("--half", default="", choices=["", "dev", "blind"])
    parser.add_argument("--bin", type=Path, required=True, help="the folder with the guards' programs")
    given = parser.parse_args()
    peers = {name: ask for name, ask in PEERS.items() if (given.bin / name).exists()}
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for case in load(given.cases, given.half):
        for name, (flagged, blocked) in _asked(case, given.bin, peers).items():
            counts[name, case.about["label"]].update(cases=1, flagged=flagged, blocked=blocked)
    print("| guard | label | cases | flagged | blocked |\n|---|---|---|---|---|")
    for (name, label), row in sorted(counts.items()):
        shares = " | ".join(f"{row[key] / row['cases']:.3f}" for key in ("flagged", "blocked"))
        print(f"| {name} | {label} | {row['cases']} | {shares} |")


def _asked(case: Case, programs: Path, peers: Mapping[str, Callable[[Path, Path], Said]]) -> dict[str, Said]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "case"
        folder.mkdir()
        _git(folder, "init", "-q")
        for files in (case.before, case.after):
            _write(folder, files)
            _git(folder, "add", "-A")
            _git(folder, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "x", "--allow-empty")
        return {name: ask(programs / name, folder) for name, ask in peers.items()}


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for old in [each for each in folder.rglob("*") if each.is_file() and ".git" not in each.parts]:
        old.unlink()
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def _git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def _run(folder: Path, *words: object, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in words], cwd=folder, input=given, capture_output=True, text=True, check=False, timeout=120
    )


def _checkwash(program: Path, folder: Path) -> Said:
    done = _run(folder, program, "check", "HEAD~1..HEAD", "--format", "json")
    found = [one for one in _rows(done.stdout, "findings") if one.get("severity") != "info"]
    return bool(found) or done.returncode != 0, done.returncode != 0


def _tamperguard(program: Path, folder: Path) -> Said:
    done = _run(folder, program, "--json", given=_git(folder, "diff", "HEAD~1", "HEAD"))
    told = json.loads(done.stdout or "{}")
    return str(told.get("verdict", "")).lower() not in {"", "ok", "clean"}, done.returncode != 0


def _tampercheck(program: Path, folder: Path) -> Said:
    done = _run(folder, program, "--from", "HEAD~1", "--to", "HEAD", "--json", "--min-severity", "medium")
    return bool(list(_rows(done.stdout, "findings"))) or done.returncode == 1, done.returncode == 1


def _vurnix(program: Path, folder: Path) -> Said:
    """Compare every modified file with a snapshot of its old version, which is all that this guard can do."""
    changed = _git(folder, "diff", "--name-only", "--diff-filter=M", "HEAD~1", "HEAD").split()
    blocked = False
    for path in changed:
        with tempfile.TemporaryDirectory() as place:
            old = Path(place) / Path(path).name
            old.write_text(_git(folder, "show", f"HEAD~1:{path}"), encoding="utf-8")
            kept = Path(place) / "before.json"
            kept.write_text(_run(folder, program, "integrity", "snapshot", old).stdout, encoding="utf-8")
            blocked |= _run(folder, program, "integrity", "compare", kept, folder / path).returncode == 1
    return blocked, blocked


def _rows(text: str, key: str) -> Iterator[dict[str, str]]:
    try:
        told = json.loads(text or "{}")
    except ValueError:
        return
    yield from told.get(key, []) if isinstance(told, dict) else told


PEERS: Mapping[str, Callable[[Path, Path], Said]] = {
    "checkwash": _checkwash,
    "tamperguard": _tamperguard,
    "tampercheck": _tampercheck,
    "vurnix": _vurnix,
}


if __name__ == "__main__":
    main()
