"""The contexts of tests in real repositories."""

from contextlib import ExitStack

import pytest

from pactkeeper.intent.context import lines_of, related_docs
from pactkeeper.repo import snapshot
from pactkeeper.repo.cache import FileCache, NoCache
from pactkeeper.repo.context import Sources, contexts
from pactkeeper.repo.discovery import Discovery
from pactkeeper.repo.docs import open_documents
from pactkeeper.repo.outlines import Outlines
from pactkeeper.repo.structure import structure_of
from tests.repo.repositories import create

SHOP = {
    "shop/__init__.py": "from .basket import Basket\nfrom . import tools\n",
    "shop/bag.py": "class Bag:\n    def empty(self) -> 'Bag':\n        '''Take all out.'''\n",
    "shop/basket.py": (
        "from .bag import Bag\n\n\nclass Basket(Bag):\n    '''Holds what a customer wants.\n\n    More.\n    '''\n\n"
        "    def __init__(self, owner, *, limit=10): ...\n    def add(self, name: str) -> 'Line': ...\n\n\n"
        "class Line:\n    def double(self): ...\n"
    ),
    "shop/tools.py": "def wipe(basket): ...\n",
    "tests/conftest.py": "import pytest\nfrom shop import Basket\n\n\n@pytest.fixture\ndef basket():\n    return Basket('ada')\n",
    "docs/basket.md": "# Baskets\n\n## Limits of a basket\n\nA basket that is full refuses more.\n",
    "docs/changelog.md": "# Changes\n\nThe basket limit is a limit of the basket.\n",
}


class World:
    """A repository with the contexts of its tests by name."""

    def __init__(self, folder, files, *, documents=True, structure=False, cache=None, **options):
        self.snapshot = snapshot.worktree(create(folder / "repository", files))
        self.tests = Discovery().scan(self.snapshot).tests
        outlines = Outlines(self.snapshot, cache or NoCache(), processes=1)
        self.outlines = outlines
        with ExitStack() as stack:
            opened = open_documents(outlines, folder / "state", notice=pytest.fail) if documents else None
            searched = stack.enter_context(opened) if opened is not None else None
            drawn = structure_of(self.snapshot, Discovery()) if structure else None
            sources = Sources(outlines, frozenset(test.file for test in self.tests), searched, drawn)
            self.found = {
                test.name: context
                for test, context in zip(self.tests, contexts(sources, self.tests, **options), strict=True)
            }

    def reached(self, name):
        return [one.name for one in self.found[name].code]


@pytest.fixture
def shop(tmp_path):
    def build(body, **options):
        return World(tmp_path, {**SHOP, "tests/test_basket.py": body}, **options)

    return build


def test_code_is_reached_through_packages_that_pass_it_on(shop):
    found = shop("import shop\n\ndef test_a():\n    shop.Basket('x')\n")
    (one,) = found.found["test_a"].code
    assert (one.name, one.path, one.line) == ("Basket", "shop/basket.py", 4)
    assert one.signature == "class Basket(Bag): __init__(self, owner, *, limit=10)"
    assert one.summary == "Holds what a customer wants."


def test_methods_are_reached_on_what_a_name_was_assigned(shop):
    body = "from shop import Basket\n\ndef test_a():\n    b = Basket('x')\n    assert b.add('y').double()\n"
    assert shop(body).reached("test_a") == ["Basket", "Basket.add", "Line.double"]


def test_inherited_methods_are_reached_where_they_are_defined(shop):
    found = shop("from shop import Basket\n\ndef test_a():\n    assert Basket('x').empty()\n").found["test_a"]
    assert ("Bag.empty", "shop/bag.py") in [(one.name, one.path) for one in found.code]


def test_modules_inside_a_package_are_reached(shop):
    assert shop("from shop import tools as t\n\ndef test_a():\n    t.wipe(1)\n").reached("test_a") == ["wipe"]


def test_what_a_fixture_makes_is_reached_and_the_fixture_shown_after_it(shop):
    found = shop("def test_a(basket):\n    assert basket.add('x')\n").found["test_a"]
    assert [(one.name, one.support, one.steps) for one in found.code] == [
        ("Basket.add", False, 0),
        ("Basket", False, 1),
        ("basket", True, 0),
    ]


def test_what_helpers_and_set_ups_reach_is_reached(shop):
    body = (
        "from shop import tools, Basket\n\ndef helper():\n    tools.wipe(1)\n\n"
        "class Base:\n    def setup_method(self):\n        Basket('x')\n\n"
        "class TestA(Base):\n    def test_a(self):\n        helper()\n"
    )
    assert set(shop(body).reached("test_a")) == {"wipe", "Basket", "helper"}


def test_what_other_tests_of_a_file_reach_is_not_reached(shop):
    body = "from shop import tools, Basket\n\ndef test_a():\n    Basket('x')\n\ndef test_b():\n    tools.wipe(1)\n"
    found = shop(body)
    assert found.reached("test_a") == ["Basket"]
    assert found.reached("test_b") == ["wipe"]


def test_what_the_test_is_named_for_comes_first(shop):
    body = (
        "from shop import tools, Basket\n\ndef test_wipe():\n    b = Basket('x')\n    b.add('y')\n    tools.wipe(b)\n"
    )
    assert shop(body).reached("test_wipe")[0] == "wipe"


def test_code_that_imports_itself_in_a_circle_ends(tmp_path):
    files = {
        "a.py": "from b import *\nfrom b import x\n",
        "b.py": "from a import *\nfrom a import x\n\nclass C(D): ...\nclass D(C): ...\n",
        "tests/test_a.py": "import a, b\n\ndef test_a():\n    a.x.y\n    a.missing()\n    b.C().run()\n",
    }
    assert World(tmp_path, files).reached("test_a") == ["C"]


def test_typescript_is_followed_through_types(tmp_path):
    files = {
        "src/index.ts": "export * as z from './schemas'\n",
        "src/schemas.ts": (
            "export interface Base { min(n: number): this }\nexport interface Text extends Base { trim(): Text }\n"
            "/** Makes a text. */\nexport function text(): Text {}\n"
        ),
        "src/text.test.ts": (
            "import { it, expect } from 'vitest'\nimport { z } from './index'\n"
            "it('trims', () => { const s = z.text().min(3).trim(); expect(s).toBe(1) })\n"
        ),
        "package.json": '{"devDependencies": {"vitest": "^3"}}',
    }
    found = World(tmp_path, files).found["trims"]
    assert {one.name for one in found.code} == {"text", "Base.min", "Text.trim"}
    assert found.assertions[0].quote == "expect(s).toBe(1)"


def test_assertions_are_shown_on_one_line_each_once(shop):
    found = shop("def test_a():\n    assert (1 ==\n      1)\n    assert 2\n").found["test_a"]
    assert [(one.line, one.relation) for one in found.assertions] == [(2, "equals"), (4, "truthy")]


def test_documents_are_found_by_the_words_of_a_test(shop):
    found = shop("def test_basket_limit(basket):\n    assert basket.full\n").found["test_basket_limit"]
    assert found.documents[0].path == "docs/basket.md"
    assert related_docs(found)[0] == "docs/basket.md#limits-of-a-basket"


def test_news_of_releases_and_test_files_are_no_documents_of_a_test(shop):
    body = "'''Basket limit basket limit.'''\n\ndef test_basket_limit():\n    '''The basket limit.'''\n    assert 1\n"
    paths = {one.path for one in shop(body).found["test_basket_limit"].documents}
    assert "docs/basket.md" in paths
    assert paths.isdisjoint({"docs/changelog.md", "tests/test_basket.py"})


def test_a_documentation_that_the_code_shows_already_is_no_document(shop):
    found = shop("from shop.bag import Bag\n\ndef test_empty():\n    Bag().empty()\n").found["test_empty"]
    assert found.code[0].summary == "Take all out."
    assert "shop/bag.py" not in [one.path for one in found.documents]


def test_without_documents_a_context_says_that_none_were_searched(shop):
    found = shop("def test_basket_limit():\n    assert 1\n", documents=False).found["test_basket_limit"]
    assert not found.searched
    assert found.documents == ()


@pytest.mark.parametrize("structure", [False, True])
def test_related_files_define_what_is_reached_or_are_imported_or_help(shop, structure):
    body = "from shop import Basket, tools\n\ndef test_a(basket):\n    Basket('x')\n"
    found = shop(body, structure=structure).found["test_a"]
    assert {one.path: one.why for one in found.related} == {
        "shop/basket.py": "defines what the test reaches",
        "shop/__init__.py": "is imported by the test file",
        "shop/tools.py": "is imported by the test file",
        "tests/conftest.py": "helps the tests",
    }


def test_a_file_of_the_test_files_name_is_related_though_nothing_leads_there(tmp_path):
    files = {
        "shop/cli/refund.py": "x = 1\n",
        "tests/cli/test_refund.py": "def test_a(run):\n    assert run('refund')\n",
    }
    (one,) = World(tmp_path, files).found["test_a"].related
    assert (one.path, one.why) == ("shop/cli/refund.py", "has the test file's name")


def test_a_context_stays_within_its_budget_and_counts_the_rest(shop):
    body = "from shop import Basket\n\ndef test_a(basket):\n" + "".join(
        f"    assert basket.add('{n}')\n" for n in range(60)
    )
    found = shop(body, budget=700).found["test_a"]
    assert found.size <= 700
    assert dict(found.cut)["assertions"] + len(found.assertions) == 60
    assert "left out to stay within 700 characters" in lines_of(found)[-1]


class Unread:
    """A snapshot of which nobody may read a file."""

    def __init__(self, inner):
        self.paths, self.blob, self.gaps = inner.paths, inner.blob, ()

    def read(self, path):
        raise AssertionError(path)


def test_outlines_of_unchanged_files_come_from_the_cache(tmp_path):
    state = snapshot.worktree(create(tmp_path / "repository", SHOP))
    with FileCache(tmp_path / "cache", notice=pytest.fail) as cache:
        first = Outlines(state, cache, processes=1)
        first.prepare(state.paths)
        again = Outlines(Unread(state), cache, processes=1)  # type: ignore[arg-type]
        again.prepare(state.paths)
        assert again.outline("shop/basket.py") == first.outline("shop/basket.py")
        assert again.outline("shop/basket.py").definitions
