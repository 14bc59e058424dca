"""A server of its own and a real browser that a test drives by keys."""

import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.waiting import PATIENCE, running

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = ["--no-sandbox", "--disable-gpu"]


@contextmanager
def served(root):
    """The address that `pk serve` tells a person to open, once."""
    command = [sys.executable, "-m", "pactkeeper", "serve", "--listen", "0"]
    with running(command, cwd=root, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        for line in server.stderr:
            found = re.search(r"open (http://\S+)", line)
            if found:
                yield found[1]
                break
        else:
            pytest.fail("pk serve told no address")


@contextmanager
def browser(**context):
    """A page of a headless Chromium; skipped where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the Python package playwright")
    if not CHROMIUM.exists():
        pytest.skip(f"needs a Chromium at {CHROMIUM}")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        page = opened.new_context(**context).new_page()
        page.set_default_timeout(PATIENCE * 1000)
        yield page
        opened.close()
