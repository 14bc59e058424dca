"""The scan of a later state, derived from an earlier one, equals a scan that reads everything."""

from collections.abc import Mapping, Sequence

import pytest

from pactkeeper.repo.cache import FileCache
from pactkeeper.repo.delta import delta
from pactkeeper.repo.discovery import Discovery
from pactkeeper.repo.git import Repository
from pactkeeper.repo.snapshot import commit, worktree
from tests.repo.repositories import create, write

ONE = "def test_one():\n    assert 1\n"
FILES = {
    "pytest.ini": "[pytest]\ntestpaths = tests\n",
    "shop/cart.py": "import unittest\nclass Base(unittest.TestCase):\n    def test_base(self): ...\nROWS = [1, 2, 3]\n",
    "shop/till.py": "from shop.cart import ROWS\ndef open(): ...\n",
    "shop/sums.py": "SUMS = [1, 2]\n",
    "tests/test_sums.py": "import pytest\nfrom shop.sums import SUMS\n@pytest.mark.parametrize('a', SUMS)\ndef test_s(a): ...\n",
    "tests/conftest.py": "import pytest\n@pytest.fixture\ndef cart(): ...\n",
    "tests/__init__.py": "",
    "tests/test_alone.py": f"{ONE}def helper():\n    assert 2\n",
    "tests/test_other.py": "def test_other():\n    assert 1\n# @atom IA-1\n",
    "tests/test_rows.py": "import pytest\nfrom shop.till import ROWS\n@pytest.mark.parametrize('a', ROWS)\ndef test_a(a): ...\n",
    "tests/test_derived.py": "from shop.cart import Base\nclass TestIt(Base):\n    def test_it(self): ...\n",
    "tests/test_mixin.py": "class Mixin:\n    def test_mixed(self): ...\nclass TestMixed(Mixin): ...\n",
    "tests/test_mixed.py": "from tests.test_mixin import Mixin\nclass TestAgain(Mixin): ...\n",
    "tests/test_bare.py": "def check(a):\n    assert a\n",
    "tests/test_uses.py": "from tests.test_bare import check\ndef test_uses():\n    check(1)\n",
    "tests/test_star.py": "from tests.kit import *\n",
    "tests/kit.py": "def test_from_kit(): ...\ndef value(): ...\n",
    "tests/test_passed.py": "class Passed:\n    def test_passed(self): ...\ndef test_p(): ...\n",
    "tests/test_broken.py": "def test_b(): ...\ndef (:\n",
    "web/a.test.ts": "import { it } from 'vitest'\nit('a', () => {})\n",
    "package.json": '{"devDependencies": {"vitest": "^3"}}',
}
EDITS: Mapping[str, Mapping[str, str]] = {
    "a body": {"tests/test_alone.py": ONE.replace("1", "2")},
    "another test": {"tests/test_alone.py": f"{ONE}def test_two(): ...\n"},
    "two tests of a name": {"tests/test_alone.py": ONE + ONE},
    "no test": {"tests/test_alone.py": "def helper():\n    assert 1\n"},
    "an empty file": {"tests/test_alone.py": ""},
    "a loose annotation": {"tests/test_alone.py": f"{ONE}\n# @atom IA-2\n\nx = 1\n"},
    "a file that does not parse": {"tests/test_alone.py": f"{ONE}def (:\n"},
    "a file that parses again": {"tests/test_broken.py": "def test_b(): ...\n"},
    "rows of a product module": {"shop/cart.py": FILES["shop/cart.py"].replace("1, 2, 3", "1")},
    "numbers of a product module": {"shop/sums.py": "SUMS = [1]\n"},
    "a base of a product module": {"shop/cart.py": FILES["shop/cart.py"].replace("test_base", "base")},
    "a module that passes rows on": {"shop/till.py": "ROWS = [1]\n"},
    "a product module without users": {"shop/till.py": f"{FILES['shop/till.py']}def close(): ...\n"},
    "tests in a product module": {"shop/till.py": f"{FILES['shop/till.py']}def test_till(): ...\n"},
    "a hook in a product module": {"shop/till.py": f"{FILES['shop/till.py']}def pytest_pycollect_makeitem(): ...\n"},
    "a conftest": {"tests/conftest.py": "collect_ignore = ['test_alone.py']\n"},
    "a setting": {"pytest.ini": "[pytest]\ntestpaths = tests\npython_functions = check\n"},
    "a mixin": {"tests/test_mixin.py": FILES["tests/test_mixin.py"].replace("test_mixed", "test_anew")},
    "a user of a mixin": {"tests/test_mixed.py": "from tests.test_mixin import Mixin\ndef test_no_more(): ...\n"},
    "the only import of a bare file": {"tests/test_uses.py": "def test_uses():\n    assert 1\n"},
    "one more import of a bare file": {"tests/test_other.py": "import tests.test_bare\ndef test_other(): ...\n"},
    "a bare file": {"tests/test_bare.py": "def test_now(): ...\n"},
    "an imported test": {"tests/kit.py": "def test_kit(): ...\n"},
    "a star": {"tests/test_star.py": "from tests.kit import value\ndef test_star(): ...\n"},
    "a new star": {"tests/test_alone.py": f"from tests.kit import *\n{ONE}"},
    "a subclass of a passed class": {
        "tests/test_other.py": "from tests.test_passed import Passed\nclass TestIt(Passed): ...\n"
    },
    "a new file": {"tests/test_new.py": ONE},
    "a script": {"web/a.test.ts": "import { it } from 'vitest'\nit('b', () => {})\n"},
    "several files": {
        "tests/test_alone.py": ONE.replace("1", "2"),
        "tests/test_rows.py": FILES["tests/test_rows.py"].replace("(a)", "(a, b)"),
        "web/a.test.ts": "",
    },
}


class Asked(FileCache):
    """Remembers which files' facts were asked for."""

    def get_many(self, space: str, keys: Sequence[str]) -> Mapping[str, bytes]:
        self.asked: list[str] = getattr(self, "asked", [])
        self.asked += [key.partition(" ")[2] for key in keys if space.startswith("facts/")]
        return super().get_many(space, keys)


@pytest.fixture
def repository(tmp_path) -> Repository:
    return create(tmp_path / "r", FILES)


@pytest.mark.parametrize("edit", EDITS)
def test_a_derived_scan_equals_a_full_one(repository, tmp_path, edit):
    write(repository.root, EDITS[edit])
    before, after = (lambda: commit(repository, "HEAD")), (lambda: worktree(repository))
    full = Discovery().scan(before()), Discovery().scan(after())
    assert Discovery().scan_both(before(), after()) == full
    assert Discovery().scan_both(after(), before()) == (full[1], full[0])
    with FileCache(tmp_path / "cache", notice=pytest.fail) as cache:
        Discovery(cache).scan(before())
        assert Discovery(cache).scan_both(before(), after()) == full


def test_only_what_a_change_affects_is_read_again(repository, tmp_path):
    with Asked(tmp_path / "cache", notice=pytest.fail) as cache:
        Discovery(cache).scan(commit(repository, "HEAD"))
        write(repository.root, {**EDITS["numbers of a product module"], **EDITS["a body"]})
        cache.asked.clear()
        Discovery(cache).scan_both(commit(repository, "HEAD"), worktree(repository))
    assert set(cache.asked) == {"tests/test_alone.py", "tests/test_sums.py", "shop/sums.py"}


def test_only_tests_of_files_that_differ_are_decoded(repository, tmp_path):
    write(repository.root, EDITS["another test"])
    with FileCache(tmp_path / "cache", notice=pytest.fail) as cache:
        scans = Discovery(cache).scan_both(commit(repository, "HEAD"), worktree(repository))
    assert delta(*scans).added == ("tests/test_alone.py::test_two",)
    decoded = {path for scan in scans for path, tests in scan.by_file.items() if "_tests" in vars(tests)}
    assert decoded == {"tests/test_alone.py"}
