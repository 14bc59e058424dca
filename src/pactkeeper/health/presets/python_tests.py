"""Tests of Python that no settings tell of: found by the names of pytest's convention, told by what they hold."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

_NAMED: Final = re.compile(r"(?:test_\w*|\w+_test)\.py\Z")
_IMPORTED: Final = re.compile(r"^[^\S\n]*+(?:import pytest\b|from pytest\b)", re.MULTILINE)
_UNITTEST: Final = re.compile(r"^[^\S\n]*+(?:import unittest\b|from unittest\b(?!\.mock| import mock))", re.MULTILINE)
_CASE: Final = re.compile(r"^(?:async )?def test\w*\(|^class Test\w*\s*[:(]", re.MULTILINE)
_PASSED_OVER: Final = frozenset({"node_modules", "vendor", "third_party", "build", "dist", "site-packages"})
_DEEPEST: Final = 5  # folders below the project
_MOST_FILES: Final = 200


def has_pytest_files(folder: Path) -> bool:
    """Whether a test file below a folder is written for pytest: it imports it, or has tests that unittest passes over.

    Hidden folders, virtual environments and what others wrote are not looked at, nor more than 200 test files.
    """
    return any(_is_for_pytest(place) for place in islice(_test_files(folder, _DEEPEST), _MOST_FILES))


def _test_files(folder: Path, deeper: int) -> Iterator[Path]:
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda one: one.name)
    yield from (Path(one.path) for one in entries if _NAMED.match(one.name) and one.is_file(follow_symlinks=False))
    if deeper:
        for one in entries:
            if one.is_dir(follow_symlinks=False) and _is_ours(one):
                yield from _test_files(Path(one.path), deeper - 1)


def _is_ours(folder: os.DirEntry[str]) -> bool:
    hidden = folder.name.startswith(".") or folder.name in _PASSED_OVER
    return not hidden and not Path(folder.path, "pyvenv.cfg").exists()


def _is_for_pytest(place: Path) -> bool:
    try:
        text = place.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return bool(_IMPORTED.search(text)) or bool(_CASE.search(text) and not _UNITTEST.search(text))
