"""`pk health sweep --ask-model` with a scripted server behind the real client library."""

import pytest

from pactkeeper.doors.cli.sweep import grouped
from pactkeeper.ledger.answering import Prompt, Reply
from pactkeeper.ledger.question import GROUPED
from pactkeeper.store.runs import calls_of
from pactkeeper.workspace import open_workspace
from tests.health.projects import CHECK, ERROR, OTHER
from tests.models.servers import Asked, Say, scripted

TOGETHER = [[1, 2]]


def answering(_: Asked) -> Say:
    return Say({"answer": TOGETHER})


@pytest.fixture
def red(project):
    project.pk("init")
    project.write("pact/pact.toml", project.read("pact/pact.toml") + CHECK)
    project.write("errors.txt", ERROR + OTHER)
    project.commit("Break two things")
    return project


def test_a_model_groups_failures_and_its_call_is_noted_under_the_sweep(red, tmp_path):
    with scripted("openai", answering) as server:
        (tmp_path / "home/pactkeeper").mkdir(parents=True)
        (tmp_path / "home/pactkeeper/models.toml").write_text(server.config("openai"), encoding="utf-8")
        env = {"XDG_CONFIG_HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
        assert red.pk("health", "sweep", "--no-model", "--only", "conflict-markers", "--json", env=env).document
        assert server.asked == []
        made = red.pk("health", "sweep", "--ask-model", "--json", env=env, code=1).document
    assert made["grouping"]["reasons"] == []
    assert [one["scope"] for one in made["fixTasks"]] == [["mail.py", "shop.py"]]
    assert made["grouping"]["state"] == "answered"
    with open_workspace(red.root, notice=lambda _: None) as workspace:
        (call,) = calls_of(workspace.history(), made["sweep"]["id"])
    assert (call.kind, call.input_tokens) == ("group_failures", 100)


def test_it_is_said_why_the_groups_of_the_rules_stay():
    prompt = Prompt("Q-1", "group_failures", "group_failures/2", "", "", GROUPED)
    told = grouped(Reply(prompt, "failed", "anthropic:claude", reasons=("there is no key",)))
    assert told == "anthropic:claude did not group the failures, rules did: there is no key"
