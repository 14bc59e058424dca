"""One scenario through each door: reconcile, look at what is recommended, accept one, apply, take it back."""

from urllib.parse import urlencode

import pytest

from tests.doors.mcp.conftest import Shop
from tests.doors.web.conftest import BASE, Api, app_of, client_of
from tests.doors.web.page.conftest import Reader, app_for, reader_of

pytestmark = pytest.mark.slow

EMPTY = "tests/test_basket.py::TestBasket::test_new_basket_is_empty"
ADA = "Ada Lovelace <ada@example.org>"


def by_command_line(project, look):
    project.pk("reconcile", "--all")
    (first,) = (
        one
        for one in project.pk("recommendations", "--status", "pending", "--json").document["atoms"]
        if one["source_test_id"] == EMPTY
    )
    project.pk("recommendations", "accept", first["id"])
    project.pk("apply")
    applied = look(project)
    project.pk("undo")
    return applied


def by_agent(project, look):
    async def scenario(agent):
        patch = (await agent.call("reconcile_repo", everything=True))["patch"]
        ops = (await agent.call("get_patch", patch=patch, limit=200))["ops"]
        accepted = [{**_said(one), "verdict": "accept"} for one in ops if one["group"] == EMPTY]
        await agent.call("decide_ops", patch=patch, decisions=accepted)
        assert (await agent.call("apply_patch", patch=patch))["status"] == "applied"
        applied = look(project)
        assert (await agent.call("undo"))["status"] == "undone"
        return applied

    return Shop(project).talk(scenario, says="yes")


def _said(op):
    return {"op": op["id"], "shown_hash": op["shown_hash"]}


def by_program(project, look):
    with client_of(app_of(project)) as client:
        api = Api(project, client)
        run = f"{BASE}/runs/{api.send('POST', f'{BASE}/start', everything=True)['run']}"
        pending = api.get(f"{run}/recommendations", status="pending")["recommendations"]
        (first,) = (one["id"] for one in pending if one.get("source_test_id") == EMPTY)
        seen = {"If-Match": client.get(f"{run}/patch").headers["etag"]}
        api.send("POST", f"{run}/recommendations/{first}/accept", headers=seen)
        assert api.send("POST", f"{run}/apply")["status"] == "applied"
        applied = look(project)
        assert api.consenting("POST", f"{BASE}/undo")["status"] == "undone"
    return applied


def by_page(project, look):
    with reader_of(app_for(project), project, "told once").client as client:
        reader = Reader(project, client)
        reader.open("/runs")
        reader.send("/runs", [*reader.forms("Start a run")[0], ("what", "everything"), ("paths", "")])
        run = reader.run
        reader.open(f"/review/{run}?{urlencode({'suite': EMPTY.rpartition('::')[0]})}")
        card = reader.text[reader.text.index("test_new_basket_is_empty</h2>") :]
        reader.send(f"/review/{run}/decide", Reader(project, client, card).forms('value="accept"')[0])
        reader.open(f"/review/{run}/diff")
        reader.send(f"/review/{run}/apply", reader.forms('name="seen"')[0])
        applied = look(project)
        reader.send(f"/written?from=review/{run}", reader.forms('name="seen"')[0])
        assert "Undone" in reader.text
    return applied


DOORS = {
    "the command line": by_command_line,
    "an agent": by_agent,
    "a program": by_program,
    "a person at the page": by_page,
}


def known(project):
    """All that is known of the pact and its history, but for times, the ids of runs, and the door of a decision."""
    place = project.root / "pact"
    files = {path.relative_to(place): path.read_bytes() for path in place.rglob("*") if path.is_file()}
    decided = project.pk("log", "--json").document["decisions"]
    shown = project.pk("runs", "show", "--json").document
    return {
        "files": files,
        "log": sorted((one["what"], one["subject"].partition(" of ")[0], one["atoms"]) for one in decided),
        "by": {one["by"].endswith(ADA) for one in decided},
        "run": [shown["state"], shown["ops"], shown["questions"], shown["run"]["patch"], shown["run"]["summary"]],
        "recommendations": [
            {**one, "run_id": "", "created_at": ""} for one in project.pk("recommendations", "--json").document["atoms"]
        ],
    }


@pytest.fixture(autouse=True)
def person(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def test_one_scenario_leaves_the_same_history_through_every_door(project, tmp_path):
    project.pk("init")
    project.commit("Adopt the pact")
    histories = {}
    for door, walked in DOORS.items():
        own = project.copy(tmp_path / door)
        applied = walked(own, known)
        histories[door] = (applied, known(own))
        assert own.status() == ""
    first = histories["the command line"]
    applied, after = first
    assert [one["status"] for one in applied["recommendations"]].count("applied") == 1
    assert ([what for what, *_ in after["log"]], after["by"]) == (["accepted", "init", "took back"], {True})
    assert histories == dict.fromkeys(DOORS, first)
