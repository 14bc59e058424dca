"""The server as a process: its token, and a description that generated requests cannot prove wrong."""

import os
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from tests.doors.web.conftest import TOKEN
from tests.waiting import PATIENCE, running

pytestmark = pytest.mark.slow

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
    "ignored_auth",
)


@contextmanager
def serving(root, **environment):
    """A server of its own process, with the lines that it said when it began."""
    command = [sys.executable, "-m", "pactkeeper", "serve", "--listen", "0"]
    lines = 1 if "PACTKEEPER_SERVE_TOKEN" in environment else 2
    with running(command, cwd=root, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}) as server:
        assert server.stderr is not None
        yield "".join(server.stderr.readline() for _ in range(lines))


def test_a_person_gets_in_with_what_the_terminal_told(adopted):
    with serving(adopted.root) as told:
        (url,), (token,) = re.findall(r"on (http://\S+)", told), re.findall(r"/enter\?token=(\S+)", told)
        session = httpx2.post(f"{url}/session", headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE).json()[
            "token"
        ]
        found = httpx2.get(f"{url}/atoms", headers={"Authorization": f"Bearer {session}"}, timeout=PATIENCE).json()
    assert found["total"] == 4


def test_without_the_extra_the_command_names_it(project):
    code = "import sys; sys.modules['fastapi'] = None\nfrom pactkeeper.doors.cli.main import run\nrun()"
    done = subprocess.run(
        [sys.executable, "-c", code, "serve"], cwd=project.root, capture_output=True, text=True, check=False
    )
    said = "pip install 'pactkeeper[server]', or in a checkout of Pactkeeper: pip install -e '.[server]'\n"
    assert (done.returncode, done.stderr) == (2, f"pk: the server is not installed: {said}")


@pytest.mark.slow
def test_generated_requests_get_what_is_described(adopted):
    adopted.pk("reconcile", "--all")
    program = Path(sys.executable).with_name("schemathesis")
    with serving(adopted.root, PACTKEEPER_SERVE_TOKEN=TOKEN) as told:
        (url,) = re.findall(r"http://\S+", told)
        command = [
            str(program),
            *("run", f"{url}/openapi.json", "--header", f"Authorization: Bearer {TOKEN}", "--max-examples", "3"),
            *("--seed", "7", "--checks", ",".join(CHECKS)),
            *("--phases", "examples,fuzzing", "--continue-on-failure", "--request-timeout", "60"),
        ]
        done = subprocess.run(command, cwd=adopted.root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
