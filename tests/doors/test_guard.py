"""What the guard reports of findings that have one cause, and that every door gives the same report."""

from tests.doors.mcp.conftest import Shop, persons_commands
from tests.doors.web.conftest import app_of, client_of

TABLE = """import pytest
from shop import square

@pytest.mark.parametrize(("one", "result"), [(1, 1), (2, 4), (3, 9), (4, 16)])
def test_squares(one, result):
    assert square(one) == result
"""


def test_many_cases_of_one_assertion_are_one_finding_with_a_count(project):
    project.write("tests/test_table.py", TABLE)
    project.commit("Add a table")
    project.write("tests/test_table.py", TABLE.replace("== result", "> 0"))
    told = project.pk("guard", "--since", "HEAD", code=1).out
    assert told.count("error PK605") == 1
    assert "and 3 more of this kind:\n      tests/test_table.py::test_squares" in told
    assert "weakened: 1 error," in told


def test_of_many_tests_a_screenful_is_printed_and_json_has_them_all(project):
    names = [f"test_{number:02}" for number in range(30)]
    texts = [f"def {name}():\n    assert add(1, 2) == 3\n" for name in names]
    project.write("tests/test_many.py", "\n\n".join(["from shop import add", *texts]))
    project.commit("Add many tests")
    project.write("tests/test_many.py", project.read("tests/test_many.py").replace("== 3", "> 0"))
    told = project.pk("guard", "--since", "HEAD", code=1).out
    assert "test_10" in told
    assert "test_29" not in told
    assert "12 more lines; --json prints them" in told
    (row,) = project.pk("guard", "--since", "HEAD", "--json", code=1).document["findings"]
    assert all(any(name in line for line in (row["subject"], *row["detail"])) for name in names)
    table = project.pk("guard", "--since", "HEAD", "--markdown", code=1).out
    assert "test_10" in table
    assert ", and 10 more |" in table


def test_what_cannot_be_seen_is_one_line(project):
    text = "def test_it():\n    assert 1 + 1 == 2\n"
    for name in ("a", "b", "c"):
        project.write(f"tests/test_{name}.py", text)
    project.commit("Add three tests")
    for name in ("a", "b", "c"):
        project.write(f"tests/test_{name}.py", f"exec(made)\n{text}")
    told = project.pk("guard", "--since", "HEAD").out
    assert told.count("not seen: ") == 1
    assert "2 places more, to list them: pk guard --json" in told


def test_notes_are_printed_in_one_line_each_and_the_others_counted(project):
    text = "import shop\n\n\ndef test_{0}():\n    assert shop.{0}(1) == {1}\n"
    for name in ("a", "b", "c", "d"):
        project.write(f"tests/test_{name}.py", text.format(name, f"shop.{name}(2)"))
    project.write("shop.py", "def a(number):\n    return 1\n")
    project.commit("Add four tests")
    for name in ("a", "b", "c", "d"):
        project.write(f"tests/test_{name}.py", text.format(name, "1"))
    told = project.pk("guard", "--since", "HEAD").out
    assert told.count(": note PK609: ") == 3
    assert "1 note more, to list them: pk guard --json" in told


def test_the_place_of_a_setting_is_its_file_and_its_key_is_in_the_message(project):
    manifest = '{\n  "scripts": {\n    "test": "vitest run"\n  }\n}\n'
    project.write("package.json", manifest)
    project.write("src/a.test.js", "")
    project.write("src/b.test.js", "")
    project.commit("Add a script")
    project.write("package.json", manifest.replace("vitest run", "vitest run src/a.test.js"))
    told = project.pk("guard", "--since", "HEAD", code=1).out
    assert "package.json:3: error PK612: it is given fewer files" in told
    assert "package.json test" in told
    told = project.pk("guard", "--since", "HEAD", "--github", code=1).out
    assert "::error file=package.json,line=3," in told


def test_the_command_agents_and_rest_give_the_same_report(project):
    project.write("tests/test_table.py", TABLE)
    project.commit("Add a table")
    project.write("tests/test_table.py", TABLE.replace("== result", "> 0"))
    printed = project.pk("guard", "--since", "HEAD", "--json", code=1).document
    assert printed.pop("schema") == "pactkeeper.guard/1"
    with client_of(app_of(project)) as client:
        assert client.get("/guard", params={"since": "HEAD"}).json() == printed
    assert Shop(project).talk(lambda agent: agent.call("guard_tests", since="HEAD")) == printed


def test_the_stop_hook_asks_an_agent_once_to_restore_a_test_and_names_no_persons_command(adopted):
    adopted.replace("tests/test_basket.py", "assert basket.total == 10", "assert basket.total")
    told = adopted.pk("guard", "--hook", feed="{}", code=2)
    assert told.out == ""
    assert "Restore what they asserted" in told.err
    assert "tests/test_basket.py::test_total_adds_prices: an assertion says less" in told.err
    assert persons_commands(told.err) == []
    assert adopted.pk("guard", "--hook", feed='{"stop_hook_active": true}').err == ""
