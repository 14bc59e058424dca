"""One repository, three who answer what its tests are for: nobody but rules, a model, and an agent."""

import pytest

from tests.doors.mcp.conftest import Shop
from tests.doors.projects import new_project
from tests.doors.test_models import ANSWERS, BARE, PRICES, answering
from tests.models.servers import scripted

BY_BODY = {"test_1": "basket.total() == 6", "test_case": "total() == 9"}


@pytest.fixture
def bare(tmp_path):
    project = new_project(tmp_path / "project")
    project.git("rm", "-rq", "tests", "web")
    project.write("tests/test_it.py", BARE)
    project.commit("Leave tests whose names say nothing")
    project.pk("init")
    return project


def compared(project):
    """The newest run, and the two newest runs compared, as a document and as a person reads it."""
    runs = [one["run"]["id"] for one in project.pk("runs", "list", "--json").document["runs"]]
    new, old = runs[0], runs[1]
    patch = project.pk("runs", "show", new, "--patch").document
    return patch, project.pk("runs", "diff", old, new, "--json").document, project.pk("runs", "diff", old, new).out


def by_model(project, home):
    with scripted("openai", answering) as server:
        place = home / "pactkeeper/models.toml"
        place.parent.mkdir(parents=True)
        place.write_text(server.config("openai") + PRICES, encoding="utf-8")
        project.pk("reconcile", "--all", "--ask-model", env={"XDG_CONFIG_HOME": str(home)})


def by_agent(project):
    async def answered(agent):
        for one in (await agent.call("pending_questions"))["questions"]:
            answer = ANSWERS[BY_BODY[one["subject"].rpartition("::")[2]]]
            await agent.call("answer_question", question=one["id"], answer=answer)
        await agent.call("reconcile_repo", everything=True)

    Shop(project).talk(answered)


# @atom IA-EYP7FYC
@pytest.mark.parametrize("who", ["model", "agent"])
def test_whoever_answers_the_same_ops_come_of_it_and_the_runs_tell_the_difference(bare, tmp_path, who):
    rules = bare.pk("reconcile", "--all", "--json").document
    by_agent(bare) if who == "agent" else by_model(bare, tmp_path / "home")
    patch, told, said = compared(bare)
    assert (rules["ops"], len(rules["questions"]), patch["questions"]) == ([], 2, [])
    assert patch["schema"] == rules["schema"]
    made = {op["payload"]["description"]: op for op in patch["ops"] if op["verb"] == "createAtom"}
    assert set(made) == {answer["intent"] for answer in ANSWERS.values()}
    assert {one["kind"] for op in made.values() for one in op["evidence"]} >= {"model"}
    assert (len(told["only_after"]), len(told["questions_only_before"])) == (len(patch["ops"]), 2)
    assert "A basket with two apples costs 6." in said
