"""`pk structure`."""

import subprocess
import sys

import pytest


@pytest.fixture
def shop(project):
    project.write("shop/__init__.py", "class Basket: ...\n")
    project.write("shop/basket.py", "from shop import prices\nimport decimal\n")
    project.write("shop/prices.py", "from shop import gone, basket\nfrom .lost import x\n")
    project.write("web/slug.ts", "export const slug = (text: string) => text\n")
    return project


def test_people_see_counts_circles_and_what_leads_nowhere(shop):
    lines = shop.pk("structure").out.splitlines()
    assert lines == [
        "cycles",
        "  2 files: shop/basket.py, shop/prices.py",
        "unresolved",
        "  shop/prices.py:2  .lost",
        "6 files of the working tree: 4 python, 2 typescript; 2 with tests",
        "5 edges, 1 cycle, 1 unresolved, 0 computed, 3 third-party packages; 0 blind spots",
    ]


def test_path_lists_its_files_with_what_they_import_fewest_dependencies_first(shop):
    lines = shop.pk("structure", "tests", "web").out.splitlines()
    assert lines[:5] == [
        "web/slug.ts  depends on 0 files",
        "tests/test_basket.py  test, depends on 1 file",
        "      3  shop/__init__.py",
        "web/slug.test.ts  test, depends on 1 file",
        "      2  web/slug.ts",
    ]


def test_document_says_everything(shop):
    found = shop.pk("structure", "--json").document
    assert found["schema"] == "pactkeeper.structure/1"
    assert found["test_files"] == ["tests/test_basket.py", "web/slug.test.ts"]
    assert {"importer": "web/slug.test.ts", "imported": "web/slug.ts", "line": 2, "only_types": False} in found["edges"]
    assert found["components"] == [{"files": ["shop/basket.py", "shop/prices.py"], "only_types": False}]
    assert found["order"][:2] == ["shop/__init__.py", "web/slug.ts"]
    assert found["unresolved"] == [{"file": "shop/prices.py", "line": 2, "module": ".lost"}]
    assert found["external"] == {"decimal": 1, "pytest": 1, "vitest": 1}
    assert found["gaps"] == []
    assert found["summary"]["edges"] == len(found["edges"]) == 5


def test_document_of_a_path_is_a_part_of_the_whole(shop):
    whole, part = shop.pk("structure", "--json").document, shop.pk("structure", "--json", "web").document
    assert [file["path"] for file in part["files"]] == ["web/slug.test.ts", "web/slug.ts"]
    assert all(file in whole["files"] for file in part["files"])


def test_commit_and_index_are_read_as_they_are(shop):
    assert shop.pk("structure", "--at", "HEAD", "--json").document["summary"]["files"] == 2
    shop.git("add", "shop")
    assert shop.pk("structure", "--staged", "--json").document["summary"]["files"] == 5


def test_broken_file_is_a_warning_and_no_failure(shop):
    shop.write("shop/broken.py", "def f(:\n    import shop\n")
    out = shop.pk("structure", "shop").out
    assert "warning shop/broken.py:1: the syntax is broken here; imports nearby may be missing" in out
    assert out.splitlines()[-1].endswith("1 blind spot")


def test_path_that_names_nothing_is_refused(shop):
    assert "no such path" in shop.pk("structure", "nowhere", code=2).err


def test_second_look_at_unchanged_files_loads_no_parser(shop):
    first = shop.pk("structure", "--json").document
    code = (
        "import sys\nfrom pactkeeper.doors.cli.main import cli\ncli.main(['structure'], standalone_mode=False)\n"
        "print([name for name in sys.modules if 'tree_sitter' in name], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=shop.root, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert shop.pk("structure", "--json").document == first
