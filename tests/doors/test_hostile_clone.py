"""A repository in which everything that could run leaves a file: no door runs any of it before a person trusted it."""

import json
import re
from dataclasses import replace

import anyio
import pytest

from pactkeeper.doors.mcp.serving import build
from pactkeeper.intent.health import FixTask, Sweep
from pactkeeper.store.health import save_sweep
from pactkeeper.workspace import open_workspace
from tests.doors.mcp.conftest import connected
from tests.doors.web.conftest import app_of, client_of

pytestmark = pytest.mark.slow

LINES = (
    *("status", "check", "guard", "scan", "delta", "structure", "docs basket", "report --format md", "next", "gaps"),
    *("health", "health checks", "health trust", "health timeline", "health sweep", "health sweep --in-place"),
    *("health sweep --only x", "health watch --once", "fixes", "doctor"),
    *("fixes show fix-0000001", "fixes claim fix-0000001", "fixes complete fix-0000001", "health sweep --at main"),
    *("ask basket", "context tests/test_basket.py", "reconcile tests", "findings", "tick", "annotate", "log"),
)

TEST = "tests/test_basket.py::TestBasket::test_new_basket_is_empty"
TASK = FixTask(
    id="fix-0000001",
    description="Mend it.",
    scope=("basket.py",),
    acceptance="x returns 0",
    branch="fix/fix-0000001",
    created_at="2026-03-01T12:00:00+00:00",
    commit="",
    category="test",
    checks=("x",),
    fingerprints=("fp-1",),
)
# What a tool or a request is given for an argument that it needs, by its name.
GIVEN = {
    **dict.fromkeys(("question", "pattern", "query"), "basket"),
    **dict.fromkeys(("patch", "run"), "REC-1"),
    "path": "tests/test_basket.py",
    "files": ["package.json"],
    "concepts": ["basket"],
    "cursor": "x",
    "If-Match": "*",
    "test": TEST,
    "tests": [TEST],
    "intent": "A basket with a box has a weight.",
    "decisions": [],
    "verdict": "accept",
    "answer": "x",
    "answers": {},
    "old": "INV-001",
    "new": "INV-002",
    "thread": "T-1",
    "molecule": "M-1",
    "job": "1",
    "task": TASK.id,
    "commit": "HEAD",
    "kind": "sweep",
}


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
    _leave_a_task(adopted)
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


def _leave_a_task(project):
    """A task at a commit with one on top of it, so that completing it would run the check."""
    with open_workspace(project.root, notice=print) as opened:
        base = opened.repository.head()
        assert base is not None
        sweep = Sweep("sweep-1", base, "main", TASK.created_at, TASK.created_at, ())
        save_sweep(opened.history(), sweep, tasks=[replace(TASK, commit=base)])
    project.write("notes.txt", "mended\n")
    project.commit("Mend it")


def given(project, names):
    (place, *_) = sorted((project.root / "pact/atoms").rglob("*.toml"))
    (atom, *_) = re.findall(r"IA-\w+", place.read_text())
    return {name: {**GIVEN, "atom": atom, "name": atom}[name] for name in names}


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
                await agent.client.call_tool(tool.name, given(project, tool.input_schema.get("required", ())))
            return [tool.name for tool in listed.tools], agent.asked

    names, asked = anyio.run(talk)
    assert {"sweep", "complete_fix_task"} <= set(names)
    assert sum("trap.sh" in one for one in asked) >= 2
    assert left(ran) == []


def asked_of(client, method, path, described, project):
    """A request with something for all that it needs."""
    needed: dict[str, list[str]] = {place: [] for place in ("path", "query", "header")}
    for one in described.get("parameters", ()):
        if one.get("required"):
            needed[one["in"]].append(one["name"])
    body = described.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    told = {} if body is None else {"json": given(project, body.get("required", ()))}
    headers, query = given(project, needed["header"]), given(project, needed["query"])
    return client.request(method, path.format(**given(project, needed["path"])), params=query, headers=headers, **told)


def test_no_request_runs_anything_of_a_hostile_repository(hostile):
    project, ran = hostile
    with client_of(app_of(project)) as client:
        for path, methods in client.get("/openapi.json").json()["paths"].items():
            for method, described in methods.items():
                asked_of(client, method.upper(), path, described, project)
        for page in ("/", "/health", "/review", "/atoms", "/page/sweeps"):
            client.get(page)
        client.post(f"/fix-tasks/{TASK.id}/claim", json={})
        done = client.post(f"/fix-tasks/{TASK.id}/complete", json={"commit": "HEAD"})
        for asked in (done, client.post("/health/sweeps", json={})):
            assert "trap.sh" in asked.json()["consent"]["message"], asked.text
    assert left(ran) == []
