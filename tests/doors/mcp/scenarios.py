"""What an agent does with each tool: one row a tool, in a repository that keeps a pact and has a history."""

from datetime import UTC, datetime, timedelta

from anyio import to_thread

from pactkeeper.operators.commit import Ask, Consent, commit_atoms, prepare_commit
from pactkeeper.operators.thread_ground import Desk
from pactkeeper.operators.threads import Saying, start_thread
from pactkeeper.personal import open_personal
from pactkeeper.store.actions import save_reconciliation
from pactkeeper.workspace import open_workspace
from tests.doors.committing import atom
from tests.transcripts.actions import create_task, proposal, unsure

EMPTY = "tests/test_basket.py::TestBasket::test_new_basket_is_empty"
RULE = '[{id}]\nevery = "atom"\nneeds = {{ min_tests = 1 }}\nenabled = {enabled}\n'


def commit(project, name):
    """What a person does at a terminal, without one."""
    with open_workspace(project.root, notice=print) as opened:
        ceremony = prepare_commit(opened, Ask((name,)))
        commit_atoms(opened, ceremony, Consent(ceremony.commitment.id))


async def atom_of(agent):
    return (await agent.call("list_atoms", limit=1))["atoms"][0]["id"]


async def draft(agent):
    return (await agent.call("create_atom", intent="A basket with a box in it has a weight."))["atom"]


async def ask(agent):
    asked = await agent.call("ask", question="basket")
    assert asked["kind"] == "clarification"
    found = await agent.call("ask", question=asked["choices"][-1]["word"], thread=asked["thread"])
    assert found["kind"] != "clarification"


async def read_file(agent):
    agent.write("notes.txt", "one\ntwo\nthree\n")
    part = await agent.call("read_file", path="notes.txt", start=2, end=2)
    assert (part["text"], part["lines"]) == ("two", 3)


async def list_directory(agent):
    agent.write("notes/one.txt", "one")
    (one,) = (await agent.call("list_directory", path="notes"))["entries"]
    assert (one["path"], one["kind"]) == ("notes/one.txt", "file")


async def grep(agent):
    agent.write("notes.txt", "one\ntwo\nthree\n")
    found = await agent.call("grep", pattern="^t.+e$", paths=["*.txt"])
    assert [(one["path"], one["line"]) for one in found["hits"]] == [("notes.txt", 3)]


async def read_json(agent):
    agent.write("package.json", '{"scripts": {"test": "vitest"}}')
    assert (await agent.call("read_json", path="package.json", pointer="/scripts"))["value"] == {"test": "vitest"}


async def full_atom(agent):
    words = atom(1)
    said = {"intent": words.intent, "outcomes": list(words.outcomes), "falsified_by": list(words.falsified_by)}
    return (await agent.call("create_atom", **said))["atom"]


async def accept_test(agent):
    said = {"test": "tests/test_unclear.py::test_it", "intent": "A run of the shop reports no error."}
    seen = await agent.call("accept_test", **said, dry_run=True)
    assert '.intent = "A run of the shop reports no error."' in seen["diff"]
    assert (await agent.call("accept_test", **said))["status"] == "applied"
    assert (await agent.call("discover_orphans_fullscan"))["orphans"] == []


async def check_repo(agent):
    assert (await agent.call("check_repo"))["total"] == 1


async def reconcile_repo(agent):
    assert (await agent.call("reconcile_repo", paths=["web"]))["ops"] == 0


async def get_patch(agent):
    shown = await agent.call("get_patch")
    assert shown["patch"].startswith("pa-")
    assert shown["ended"] is True


async def decide_ops(agent):
    assert (await new_patch(agent))["proposed"] == 2


async def new_patch(agent):
    agent.write("tests/test_box.py", "def test_box_has_a_weight():\n    assert box().weight == 3\n")
    made = await agent.call("reconcile_repo", paths=["tests/test_box.py"])
    return await agent.accept_all(made["patch"])


async def apply_patch(agent):
    proposed = await new_patch(agent)
    seen = await agent.call("apply_patch", patch=proposed["patch"], dry_run=True)
    assert seen["status"] == "dry run"
    assert '.intent = "Box has a weight."' in seen["diff"]
    assert (await agent.call("apply_patch", patch=proposed["patch"]))["files"]


async def undo(agent):
    await draft(agent)
    assert (await agent.call("undo"))["status"] == "undone"


async def list_runs(agent):
    assert (await agent.call("list_runs"))["runs"][0]["ops"] == {"applied": 8}


async def show_run(agent):
    assert (await agent.call("show_run"))["questions"]


async def pending_questions(agent):
    (one,) = (await agent.call("pending_questions"))["questions"]
    assert "assert run() == 0" in one["material"]


async def answer_question(agent):
    (one,) = (await agent.call("pending_questions"))["questions"]
    answer = {
        "intent": "A run of the shop reports no error.",
        "category": "functional",
        "outcomes": ["A run returns 0."],
        "quotes": ["assert run() == 0"],
        "confidence": 90,
        "ambiguity": ["generic_name"],
    }
    assert (await agent.call("answer_question", question=one["id"], answer=answer))["question"] == one["id"]
    assert (await agent.call("reconcile_repo", paths=["tests/test_unclear.py"]))["ops"] == 2


async def answer_questions(agent):
    (one,) = (await agent.call("pending_questions"))["questions"]
    answer = {
        "intent": "A run of the shop reports no error.",
        "category": "functional",
        "outcomes": ["A run returns 0."],
        "quotes": ["assert run() == 0"],
        "confidence": 90,
        "ambiguity": [],
    }
    done = await agent.call("answer_questions", answers={one["id"]: answer, "qu-000000000000": answer})
    assert (done["taken"], list(done["refused"])) == ([one["id"]], ["qu-000000000000"])


async def find_gaps(agent):
    kinds = {one["kind"] for one in (await agent.call("find_gaps"))["tasks"]}
    assert kinds


async def next_task(agent):
    assert (await agent.call("next_task"))["task"]["subject"].endswith("test_it")


async def get_statistics(agent):
    assert (await agent.call("get_statistics"))["atoms"] == {"draft": 4}


async def list_atoms(agent):
    assert (await agent.call("list_atoms", paths=["web"]))["total"] == 1
    first = await agent.call("list_atoms", limit=3, sort_by="intent", sort_order="desc")
    last = await agent.call("list_atoms", limit=3, page=2, sort_by="intent", sort_order="desc")
    rest = await agent.call("list_atoms", limit=3, sort_by="intent", sort_order="desc", cursor=first["cursor"])
    assert (last["total"], last["page"], last["pages"], rest["atoms"]) == (4, 2, 2, last["atoms"])
    said = [one["intent"].casefold() for one in (*first["atoms"], *last["atoms"])]
    assert said == sorted(said, reverse=True)


async def get_atom(agent):
    name = await atom_of(agent)
    assert (await agent.call("get_atom", atom=name))["atom"]["id"] == name


async def search_atoms(agent):
    assert (await agent.call("search_atoms", query="basket empty"))["atoms"][0]["matched"] == ["basket", "empty"]


async def count_atoms(agent):
    assert (await agent.call("count_atoms", status=["draft"]))["total"] == 4


async def get_popular_tags(agent):
    await agent.call("create_atom", intent="A box has a lid.", tags=["box"])
    assert (await agent.call("get_popular_tags"))["tags"] == [{"tag": "box", "atoms": 1}]


async def explain_atom(agent):
    assert (await agent.call("explain_atom", atom=await atom_of(agent)))["tests"][0]["link"] == "unratified"


async def create_atom(agent):
    seen = await agent.call("create_atom", intent="A box has a lid.", dry_run=True)
    made = await agent.call("create_atom", intent="A box has a lid.")
    assert (seen["status"], made["status"], seen["atom"]) == ("dry run", "applied", made["atom"])


async def update_atom(agent):
    name = await draft(agent)
    await agent.call("update_atom", atom=name, outcomes=["The weight is 3."])
    assert (await agent.call("get_atom", atom=name))["atom"]["outcomes"] == ["The weight is 3."]


async def delete_atom(agent):
    name = await draft(agent)
    assert (await agent.call("delete_atom", atom=name))["status"] == "applied"
    await agent.refusal("get_atom", atom=name)


async def analyze_intent(agent):
    assert not (await agent.call("analyze_intent", intent="A box has a lid and a basket has a price."))["atomic"]


async def refine_atom(agent):
    name = await atom_of(agent)
    before = (await agent.call("refine_atom", atom=name))["intent"]
    other = await agent.call("refine_atom", atom=name, feedback="A box has a lid and a basket has a price.")
    assert (other["atomic"], other["before"], other["compared"]["verdict"]) == (False, before, "unrelated")


async def validate_atom_quality(agent):
    assert (await agent.call("validate_atom_quality"))["total"] == 4
    said = "An expired token is refused with status 401."
    (one,) = (await agent.call("validate_atom_quality", description=said, category="security"))["atoms"]
    assert (one["intent"], one["score"] > 0) == (said, True)
    assert "with a description" in await agent.refusal("validate_atom_quality", category="security")


async def list_molecules(agent):
    assert {one["name"] for one in (await agent.call("list_molecules"))["molecules"]} == {"Basket", "Web / slug"}


async def cluster_atoms_for_molecules(agent):
    (one,) = (await agent.call("cluster_atoms_for_molecules"))["clusters"]
    assert len(one["atoms"]) == 3


async def list_commitments(agent):
    commit(agent.project, await full_atom(agent))
    (one,) = (await agent.call("list_commitments"))["commitments"]
    day = datetime.fromisoformat(one["at"]).astimezone(UTC).date()
    assert (await agent.call("list_commitments", date=f"{day}"))["total"] == 1
    assert (await agent.call("list_commitments", date=f"2020-01-01..{day - timedelta(1)}"))["total"] == 0
    assert "is not a day" in await agent.refusal("list_commitments", date="2026-13-01")


async def get_commitment(agent):
    name = await full_atom(agent)
    assert "is not committed" in await agent.refusal("get_commitment", name=name)
    commit(agent.project, name)
    (one,) = (await agent.call("get_commitment", name=name))["commitments"]
    assert one["atoms"][0]["id"] == name


async def get_invariants(agent):
    assert (await agent.call("get_invariants", ids=["INV-001"]))["invariants"][0]["id"] == "INV-001"


async def supersede_invariant(agent):
    rules = [RULE.format(id=name, enabled=on) for name, on in (("INV-101", "true"), ("INV-102", "false"))]
    agent.write("pact/invariants.toml", "\n".join(rules))
    assert (await agent.call("supersede_invariant", old="INV-101", new="INV-102"))["status"] == "applied"


async def get_repo_structure(agent):
    assert (await agent.call("get_repo_structure", paths=["web"]))["summary"]["files"] == 1
    assert (await agent.call("get_repo_structure", paths=["web"], include_tests=False))["files"] == []
    found = (await agent.call("get_repo_structure", exclude=["web"]))["files"]
    assert {one["path"].partition("/")[0] for one in found} == {"tests"}


async def discover_orphans_fullscan(agent):
    (one,) = (await agent.call("discover_orphans_fullscan"))["orphans"]
    assert one["id"] == "tests/test_unclear.py::test_it"


async def discover_orphans_delta(agent):
    agent.write("tests/test_box.py", "def test_box():\n    assert 1\n")
    (one,) = (await agent.call("discover_orphans_delta"))["orphans"]
    assert one["id"] == "tests/test_box.py::test_box"


async def guard_tests(agent):
    agent.write("tests/test_box.py", "def test_box():\n    assert [1] * 2 == [1, 1]\n")
    agent.project.commit("Add a box")
    agent.write("tests/test_box.py", "def test_box():\n    assert [1] * 2\n")
    found = await agent.call("guard_tests", since="HEAD")
    assert (found["holds"], [one["code"] for one in found["findings"]]) == (False, ["PK605"])
    assert (await agent.call("guard_tests", since="HEAD", staged=True))["holds"]
    assert (await agent.call("guard_tests", since="HEAD", paths=["tests/test_basket.py"]))["findings"] == []


async def get_test_analysis(agent):
    (one,) = (await agent.call("get_test_analysis", tests=[EMPTY]))["contexts"]
    assert one["assertions"]


async def infer_atom_from_test(agent):
    (one,) = (await agent.call("infer_atom_from_test", tests=[EMPTY]))["atoms"]
    assert one["outcomes"] == ["`assert Basket().count == 0`"]


async def search_docs_by_concepts(agent):
    agent.write("docs/basket.md", "# Baskets\n\nA basket holds boxes.\n")
    assert (await agent.call("search_docs_by_concepts", concepts=["basket"]))["chunks"][0]["path"] == "docs/basket.md"


async def coupling_report(agent):
    assert (await agent.call("coupling_report", paths=["tests"]))["tests"] == {"orphan": 1, "unratified": 3}


async def read_test_results(agent):
    agent.write("junit.xml", '<testsuite name="s"><testcase classname="a" name="b"/></testsuite>')
    (one,) = (await agent.call("read_test_results", files=["junit.xml"]))["reports"]
    assert one["counts"]["passed"] == 1


async def read_coverage_report(agent):
    agent.write("lcov.info", "SF:web/slug.ts\nDA:1,1\nDA:2,0\nend_of_record\n")
    (one,) = (await agent.call("read_coverage_report", files=["lcov.info"]))["reports"]
    assert (one["hit"], one["lines"]) == (1, 2)


async def read_quality_report(agent):
    agent.write("lint.sarif", '{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "lint"}}, "results": []}]}')
    (one,) = (await agent.call("read_quality_report", files=["lint.sarif"]))["reports"]
    assert one["tools"] == ["lint"]


CHECK = """
[[health.check]]
name = "lines"
category = "compile"
parser = "regex"
pattern = '(?P<file>[^:\\n]+):(?P<line>[0-9]+): (?P<rule>[A-Z0-9]+) (?P<message>.*)'
argv = ["sh", "-c", "cat errors.txt; test ! -s errors.txt"]
"""


async def red(agent):
    """A check that fails at HEAD, swept."""
    with (agent.project.root / "pact/pact.toml").open("a") as file:
        file.write(CHECK)
    agent.write("errors.txt", "shop.py:3: E1 the tax is wrong\n")
    agent.project.commit("Break the tax")
    return await agent.call("sweep")


async def sweep(agent):
    found = await red(agent)
    assert (found["colour"], [one["scope"] for one in found["fixTasks"]]) == ("red", [["shop.py"]])


async def list_fix_tasks(agent):
    (made,) = (await red(agent))["fixTasks"]
    assert [one["id"] for one in (await agent.call("list_fix_tasks"))["tasks"]] == [made["id"]]
    assert (await agent.call("list_fix_tasks", status=["done"]))["tasks"] == []


async def claim_fix_task(agent):
    (made,) = (await red(agent))["fixTasks"]
    claimed = (await agent.call("claim_fix_task", task=made["id"]))["task"]
    assert (claimed["status"], claimed["claimed_by"]) == ("assigned", "scripted 7 for Ada Lovelace <ada@example.org>")


async def complete_fix_task(agent):
    (made,) = (await red(agent))["fixTasks"]
    await agent.call("claim_fix_task", task=made["id"])
    agent.write("errors.txt", "")
    agent.project.commit("Mend the tax")
    found = await agent.call("complete_fix_task", task=made["id"], commit="HEAD")
    assert (found["accepted"], found["task"]["status"]) == (True, "done")


async def review_actions(agent):
    with open_personal(notice=print) as opened:
        save_reconciliation(opened.history(make=True)[0], proposal(unsure(create_task("Renew it", board="local"))))
    (one,) = (await agent.call("review_actions"))["your_call"]
    said = {"action": one["id"], "shown_hash": one["shown_hash"], "verdict": "accept", "reason": "it is in the plan"}
    (told,) = (await agent.call("review_actions", decisions=[said]))["your_call"]
    assert told["suggested"]["verdict"] == "accept"
    assert told["suggested"]["by"].startswith("scripted 7")
    with open_personal(notice=print) as opened:
        assert opened.board("local").snapshot(at="").tasks == ()


def opened_thread(said):
    with open_personal(notice=print) as opened:
        return start_thread(Desk(opened), Saying("mention", said, "Ada")).thread


async def suggest_places(agent):
    said = "Title: Export orders\nAC: An export of 1000 orders has 1000 rows.\nclerks copy orders by hand. pizza today?"
    thread = await to_thread.run_sync(opened_thread, said)
    seen = await agent.call("suggest_places", thread=thread)
    assert [one["words"] for one in seen["to_place"]] == ["clerks copy orders by hand.", "pizza today?"]
    given = ["problem=clerks copy orders by hand", "risks=nobody ever said this", "title=pizza today?"]
    told = await agent.call("suggest_places", thread=thread, placements=given)
    assert told["draft"]["problem"]["placed_by"].startswith("agent scripted")
    assert told["draft"]["title"]["value"] == "Export orders"
    assert [one["words"] for one in told["to_place"]] == ["pizza today?"]
    assert len(told["refused"]) == 2


async def read_more(agent):
    agent.write("long.txt", "x" * 100_000)
    part = await agent.call("read_file", path="long.txt")
    (rest,) = part["more"]
    text, found = part["text"], await agent.call("read_more", cursor=rest["cursor"])
    text += "".join(found["rows"])
    while "cursor" in found:
        found = await agent.call("read_more", cursor=found["cursor"])
        text += "".join(found["rows"])
    assert (rest["at"], text) == ("/text", "x" * 100_000)
