"""Answers about a repository of 3,000 tests: none is longer than fits, and by going on a client gets all of it."""

import pytest

from pactkeeper.doors.mcp.resources import TOOLS
from pactkeeper.verbs.pages import MOST, size
from tests.doors.mcp.conftest import Shop
from tests.doors.projects import Project
from tests.matrix import some_stay

FILES, EACH, LINKED = 30, 100, 15
ROOM = 2_000  # characters for the cursors to what was cut
TEST = "# @atom {atom}\ndef test_box_{number}_of_{file}_is_counted_once():\n    assert total({number}) == {number}\n"
ATOM = """[{atom}]
intent = "Box {number} of shelf {file} is counted once."
category = "functional"
outcomes = ["The total of box {number} of shelf {file} is {number}."]
tags = ["box-{number}", "shelf-{file}"]
status = "draft"
"""
BY_NAME = {one.name: one for one in TOOLS}
ASKED = [one for one in TOOLS if one.reads and not one.shape.required]


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Half of the tests are linked to an atom each, the others to none."""
    project = Project(tmp_path_factory.mktemp("large"))
    project.git("init", "--quiet")
    project.write("pact/pact.toml", "[pact]\nformat = 1\n")
    for file in range(FILES):
        rows = [{"atom": f"IA-B{file:02}{number:04}", "number": number, "file": file} for number in range(EACH)]
        tests = [TEST.format(**row) for row in rows]
        if file < LINKED:
            atoms = [ATOM.format(**row) for row in rows]
            project.write(f"pact/atoms/tests/test_{file:02}.py.toml", "\n".join(atoms))
        else:
            tests = [text.split("\n", 1)[1] for text in tests]
        project.write(f"tests/test_{file:02}.py", "\n\n".join(tests))
    project.commit("Begin")
    made = Shop(project)
    made.talk(lambda agent: agent.call("reconcile_repo", paths=[f"tests/test_{file}.py" for file in range(25, FILES)]))
    return made


@pytest.mark.parametrize("tool", some_stay(ASKED, each=4), ids=lambda one: one.name)
def test_no_answer_is_longer_than_fits(large, tool):
    given = {"limit": 200} if "limit" in tool.shape.optional else {}
    assert size(large.talk(lambda agent: agent.call(tool.name, **given))) <= MOST + ROOM


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("search_atoms", {"query": "box counted once", "limit": 200}),
        ("grep", {"pattern": "def test_", "limit": 200}),
        ("read_file", {"path": "pact/atoms/tests/test_00.py.toml"}),
        ("get_test_analysis", {"tests": [f"tests/test_00.py::test_box_{n}_of_0_is_counted_once" for n in range(10)]}),
        (
            "infer_atom_from_test",
            {"tests": [f"tests/test_20.py::test_box_{n}_of_20_is_counted_once" for n in range(20)]},
        ),
        ("ask", {"question": "which tests have no atom?"}),
    ],
)
def test_no_answer_to_a_wide_question_is_longer_than_fits(large, tool, given):
    assert size(large.talk(lambda agent: agent.call(tool, **given))) <= MOST + ROOM


@pytest.mark.parametrize(
    ("tool", "key", "total"),
    some_stay(
        [
            ("list_atoms", "id", LINKED * EACH),
            ("discover_orphans_fullscan", "id", (FILES - LINKED) * EACH),
            ("get_patch", "id", 2 * 5 * EACH),
        ],
        each=3,
    ),
)
def test_pages_that_are_cut_where_they_fit_hold_every_row_once(large, tool, key, total):
    async def walk(agent):
        page = await agent.call(tool, limit=200)
        pages = [page]
        while "cursor" in page:
            page = await agent.call(tool, limit=200, cursor=page["cursor"])
            pages.append(page)
        return pages

    pages = large.talk(walk)
    assert all(size(page) <= MOST and "more" not in page for page in pages)
    found = [one[key] for page in pages for one in page[BY_NAME[tool].pages]]
    assert len(found) == len(set(found)) == pages[0]["total"] == total
    assert len(pages) <= total / 25
