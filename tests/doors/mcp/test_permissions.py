"""What an agent cannot do, whatever it calls."""

import pytest

from pactkeeper.doors.mcp.resources import KINDS, TOOLS
from tests.doors.committing import atom
from tests.doors.mcp.conftest import GENERATIONS
from tests.doors.mcp.scenarios import commit

PATHS = ["../secret.xml", "/etc/passwd", "link/secret.xml", "tests/../../secret.xml"]


def test_no_tool_is_a_verb_that_only_a_person_may_use():
    assert {one.risk for one in TOOLS} <= {None, "record", "annotate"}


def test_reading_an_address_calls_nothing_that_writes():
    assert all(verb.reads for _, _, verb in KINDS.values())


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("tool", "name"),
    [("read_test_results", "files"), ("find_gaps", "coverage"), ("check_repo", "paths"), ("reconcile_repo", "paths")],
)
def test_a_path_that_leads_out_of_the_repository_is_refused(kept, path, tool, name):
    outside = kept.project.root.parent / "secret.xml"
    outside.write_text('<testsuite name="s"><testcase classname="a" name="b"/></testsuite>')
    (kept.project.root / "link").symlink_to(outside.parent)
    words = kept.talk(lambda agent: agent.refusal(tool, **{name: [path]}))
    assert "is outside the repository" in words


@pytest.mark.parametrize("name", ["../p.json", "/etc/passwd", "patch.json"])
def test_a_patch_is_named_by_its_id_and_never_by_a_file(kept, name):
    assert "$.patch:" in kept.talk(lambda agent: agent.refusal("get_patch", patch=name))


def test_what_was_committed_cannot_be_taken_back_or_changed(kept):
    words = atom(1)

    async def committed(agent):
        said = {"intent": words.intent, "outcomes": list(words.outcomes), "falsified_by": list(words.falsified_by)}
        name = (await agent.call("create_atom", **said))["atom"]
        commit(kept.project, name)
        refused = [
            await agent.refusal("undo"),
            await agent.refusal("update_atom", atom=name, intent="A basket costs nothing."),
            await agent.refusal("delete_atom", atom=name),
        ]
        return refused, (await agent.call("get_commitment", name=name))["commitments"][0]["status"]

    refused, status = kept.talk(committed, says="yes")
    assert len(refused) == 3
    assert status == "standing"


@pytest.mark.parametrize("mode", GENERATIONS)
@pytest.mark.parametrize("says", [None, "no"])
def test_no_write_happens_without_a_yes(kept, mode, says):
    async def try_all(agent):
        name = (await agent.call("list_atoms", limit=1))["atoms"][0]["id"]
        return [
            (await agent.call("create_atom", intent="A box has a lid."))["status"],
            (await agent.call("update_atom", atom=name, tags=["box"]))["status"],
            (await agent.call("undo"))["status"],
        ]

    assert set(kept.talk(try_all, mode=mode, says=says)) == {"pending" if says is None else "declined"}
    assert kept.project.status() == ""


def test_a_project_may_let_agents_link_without_asking(kept):
    kept.project.write(
        "pact/pact.toml",
        kept.project.read("pact/pact.toml")
        + '\n[[policy.rule]]\nname = "agents-draft"\npermission = "auto"\nactors = ["agent"]\nrisks = ["annotate"]\n'
        'why = "drafts are cheap"\n',
    )

    async def create(agent):
        return await agent.call("create_atom", intent="A box has a lid."), len(agent.asked)

    made, asked = kept.talk(create)
    assert (made["status"], asked) == ("pending", 0)
    kept.project.commit()
    made, asked = kept.talk(create)
    assert (made["status"], asked) == ("applied", 0)


def test_a_project_may_forbid_agents_to_write(kept):
    kept.project.write(
        "pact/pact.toml",
        kept.project.read("pact/pact.toml")
        + '\n[[policy.rule]]\nname = "no-agents"\npermission = "deny"\nactors = ["agent"]\nwhy = "people write here"\n',
    )
    words = kept.talk(lambda agent: agent.refusal("create_atom", intent="A box has a lid."), says="yes")
    assert "people write here" in words
    assert "leave them to a person" in words


def test_a_yes_to_a_question_that_was_never_asked_grants_nothing(kept):
    """A client of 2026-07-28 that answers without having been asked is asked all the same."""

    async def forge(agent):
        answers = {"consent": {"action": "accept", "content": {"confirm": True}}}
        with pytest.raises(Exception, match=r"requestState|rounds"):
            await agent.client.call_tool(
                "create_atom", {"intent": "A box has a lid."}, input_responses=answers, request_state="pr-000000000000"
            )

    kept.talk(forge, says="no")
    assert kept.project.status() == ""


def test_nobody_is_asked_to_say_yes_to_more_than_a_dialogue_shows(shop):
    tests = "\n".join(f"def test_basket_{n}_is_counted_once():\n    assert total({n}) == {n}\n" for n in range(26))
    shop.project.write("tests/test_many.py", tests)

    async def propose(agent):
        made = await agent.call("reconcile_repo", paths=["tests/test_many.py"])
        await agent.accept_all(made["patch"])
        return await agent.call("apply_patch"), agent.asked

    pending, asked = shop.talk(propose, says="yes")
    assert (pending["status"], asked) == ("pending", [])
    assert "52 ops wait, and a person is shown 50 at a time" in pending["why"]


@pytest.mark.parametrize("answer", [0.5, {"confidence": 0.9}, [[1.5]]])
def test_a_number_that_is_not_whole_is_refused_before_anything_happens(shop, answer):
    words = shop.talk(lambda agent: agent.refusal("answer_question", question="qu-000000000000", answer=answer))
    assert "write it as text or a whole number" in words


def test_an_edit_without_a_payload_is_refused_with_words(kept):
    async def half(agent):
        op = (await agent.call("get_patch"))["ops"][0]
        verdict = {"op": op["id"], "shown_hash": op["shown_hash"], "verdict": "edit"}
        patch = (await agent.call("get_patch"))["patch"]
        return await agent.refusal("decide_ops", patch=patch, decisions=[verdict])

    assert "an edit, and only an edit, needs the complete new payload" in kept.talk(half)


@pytest.mark.parametrize("mode", GENERATIONS)
@pytest.mark.parametrize(("says", "ran"), [("yes", True), ("no", False), (None, False)])
def test_what_a_repository_declares_runs_once_a_person_says_yes_to_exactly_that(kept, monkeypatch, mode, says, ran):
    monkeypatch.delenv("PACTKEEPER_TRUST_CHECKS")
    place = kept.project.root.parent / "ran"
    with (kept.project.root / "pact/pact.toml").open("a") as file:
        file.write(f'[[health.check]]\nname = "x"\ncategory = "build"\nargv = ["touch", "{place}"]\n')
    kept.project.commit("Declare a check")

    async def conversation(agent):
        return await agent.call("sweep"), agent.asked

    found, shown = kept.talk(conversation, mode=mode, says=says)
    assert place.exists() == ran
    assert found.get("green") == (True if ran else None)
    assert (f"x: touch {place}" in shown[0]) if says else (f"x: touch {place}" in found["runs"])
