"""A repository in which everything that could run leaves a file: no door runs any of it before a person trusted it."""

import json

import anyio
import pytest

from pactkeeper.doors.mcp.serving import build
from tests.doors.mcp.conftest import connected
from tests.doors.web.conftest import app_of, client_of

LINES = (
    *("status", "check", "guard", "scan", "delta", "structure", "docs basket", "report --format md", "next", "gaps"),
    *("health", "health checks", "health trust", "health timeline", "health sweep", "health sweep --in-place"),
    *("health sweep --only x", "health sweep --trust-checks v1:another", "health watch --once", "fixes", "doctor"),
    *("ask basket", "context tests/test_basket.py", "reconcile tests", "findings", "tick", "annotate", "log"),
)


@pytest.fixture
def hostile(adopted, tmp_path, monkeypatch):
    """An unpacked archive with traps in its files, its git settings and its hooks; and the folder they write to."""
    monkeypatch.delenv("PACTKEEPER_TRUST_CHECKS", raising=False)
    for name in ("CACHE", "DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    ran = tmp_path / "ran"
    ran.mkdir()
    trap = tmp_path / "trap.sh"
    trap.write_text(f'#!/bin/sh\ntouch "{ran}/$(basename "$0")-$$"\ncat\n')
    trap.chmod(0o755)
    python = f"import pathlib\npathlib.Path({str(ran)!r}, __name__).touch()\n"
    for path in (
        "conftest.py",
        "tests/conftest.py",
        "sitecustomize.py",
        "setup.py",
        "pactkeeper.py",
        "tests/test_trap.py",
    ):
        adopted.write(path, python)
    adopted.write("web/vitest.config.js", f"require('fs').writeFileSync('{ran}/vitest', '')\n")
    scripts = dict.fromkeys(("preinstall", "pretest", "test", "build"), f"{trap}")
    adopted.write("package.json", json.dumps({"scripts": scripts, "dependencies": {"a": "file:./a"}}))
    adopted.write(".gitattributes", "* filter=evil diff=evil merge=evil\n")
    declared = f'\n[[health.check]]\nname = "x"\ncategory = "test"\nargv = ["{trap}"]\nprepare = ["{trap}"]\n'
    adopted.write("pact/pact.toml", adopted.read("pact/pact.toml") + declared)
    adopted.commit("Lay traps")
    for name in ("post-checkout", "pre-commit", "post-index-change", "reference-transaction", "fsmonitor-watchman"):
        hook = adopted.root / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(trap.read_text())
        hook.chmod(0o755)
    for name in (
        *("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "credential.helper"),
        *("filter.evil.clean", "filter.evil.smudge", "diff.evil.command", "diff.evil.textconv", "merge.evil.driver"),
        *("diff.external", "gpg.program", "gpg.ssh.program", "sequence.editor"),
    ):
        place = adopted.root / ".git/config"
        section, _, key = name.rpartition(".")
        first, _, rest = section.partition(".")
        place.write_text(place.read_text() + f"[{first}{f' {json.dumps(rest)}' if rest else ''}]\n\t{key} = {trap}\n")
    return adopted, ran


def left(ran):
    return sorted(one.name for one in ran.iterdir())


def test_the_traps_do_go_off_where_somebody_steps_on_them(hostile):
    project, ran = hostile
    project.git("status")
    assert left(ran)


def test_no_command_runs_anything_of_a_hostile_repository(hostile):
    project, ran = hostile
    for line in LINES:
        found = project.pk(*line.split(), code=None)
        assert found.code in {0, 1, 2}, found.err
        assert (line, left(ran)) == (line, [])


def test_no_tool_runs_anything_of_a_hostile_repository(hostile):
    project, ran = hostile

    async def talk():
        async with connected(build(project.root), says="no") as agent:
            listed = await agent.client.list_tools()
            for tool in listed.tools:
                if not tool.input_schema.get("required"):
                    await agent.client.call_tool(tool.name, {})
            return [tool.name for tool in listed.tools], agent.asked

    names, asked = anyio.run(talk)
    assert "sweep" in names
    assert any("trap.sh" in one for one in asked)
    assert left(ran) == []


def test_no_request_runs_anything_of_a_hostile_repository(hostile):
    project, ran = hostile
    with client_of(app_of(project)) as client:
        for path, methods in client.get("/openapi.json").json()["paths"].items():
            for method in methods if "{" not in path else ():
                client.request(method.upper(), path, json={} if method != "get" else None)
        for page in ("/", "/health", "/review", "/atoms", "/page/sweeps"):
            client.get(page)
        assert "trap.sh" in client.post("/health/sweeps", json={}).json()["consent"]["message"]
    assert left(ran) == []
