"""The structure of real repositories: what is a file, an edge and a gap, and what is read again."""

import pytest

from pactkeeper.intent.structure import Component, Edge
from pactkeeper.intent.tests import Gap
from pactkeeper.repo import snapshot
from pactkeeper.repo.discovery import Discovery, Selection
from pactkeeper.repo.structure import structure_of
from tests.repo.lines import LINES, TABLE
from tests.repo.repositories import commit, create, write

FILES = {
    "shop/__init__.py": "",
    "shop/basket.py": "from shop import prices\nimport json\n",
    "shop/prices.py": "x = 1\n",
    "tests/test_basket.py": "from shop.basket import x\ndef test_x():\n    assert x\n",
    "tests/helpers.py": "",
    "web/slug.ts": "import data from './data.json'\n",
    "web/data.json": "{}",
    "web/slug.test.ts": "import { it } from 'vitest'\nimport './slug'\nit('x', () => {})\n",
    "web/package.json": '{"devDependencies": {"vitest": "^3"}}',
    "README.md": "from shop import basket\n",
}


@pytest.fixture
def repository(tmp_path):
    return create(tmp_path / "r", FILES)


@pytest.fixture
def parsed():
    """The paths of the small language whose imports are parsed, in the order of parsing."""
    LINES.importing.parsed.clear()
    return LINES.importing.parsed


def draw(repository, *, at=None, processes=1, **selection):
    taken = snapshot.worktree(repository) if at is None else snapshot.commit(repository, at)
    discovery = Discovery(selection=Selection(**selection), processes=processes)
    return structure_of(taken, discovery)


def edges(structure):
    return [f"{edge.importer}:{edge.line} > {edge.imported}" for edge in structure.edges]


def test_files_are_those_that_import_and_those_that_are_imported(repository):
    found = draw(repository)
    assert [(file.path, file.language) for file in found.files] == [
        ("shop/__init__.py", "python"),
        ("shop/basket.py", "python"),
        ("shop/prices.py", "python"),
        ("tests/helpers.py", "python"),
        ("tests/test_basket.py", "python"),
        ("web/data.json", ""),
        ("web/slug.test.ts", "typescript"),
        ("web/slug.ts", "typescript"),
    ]
    assert edges(found) == [
        "shop/basket.py:1 > shop/prices.py",
        "tests/test_basket.py:1 > shop/basket.py",
        "web/slug.test.ts:2 > web/slug.ts",
        "web/slug.ts:1 > web/data.json",
    ]
    assert found.external == {"json": 1, "vitest": 1}


def test_test_files_are_those_in_which_discovery_finds_tests(repository):
    assert draw(repository).test_files == ("tests/test_basket.py", "web/slug.test.ts")
    assert draw(repository, exclude=("web",)).test_files == ("tests/test_basket.py",)


def test_commit_is_read_as_it_was(repository):
    write(repository.root, {"shop/prices.py": "import shop.basket\n"})
    assert draw(repository).components == (Component(("shop/basket.py", "shop/prices.py")),)
    assert draw(repository, at="HEAD").components == ()


def test_file_that_imports_itself_is_no_circle(tmp_path):
    files = {"a/__init__.py": "from a import b\nfrom . import *\n", "a/b.py": ""}
    assert edges(draw(create(tmp_path / "r", files))) == ["a/__init__.py:1 > a/b.py"]


def test_of_several_imports_of_one_file_the_first_line_and_any_that_runs_count(tmp_path):
    text = "if TYPE_CHECKING:\n    from b import X\ndef f():\n    from b import X\n"
    found = draw(create(tmp_path / "r", {"a.py": text, "b.py": ""}))
    assert found.edges == (Edge("a.py", "b.py", 2, only_types=False),)


def test_broken_and_unreadable_files_are_gaps_and_stay_in_the_structure(repository):
    write(
        repository.root,
        {"shop/broken.py": "import shop.prices\ndef f(:\n", "shop/deep.ts": f"import{'(' * 3000}{')' * 3000}"},
    )
    (repository.root / "shop/link.py").symlink_to("/etc/hosts")
    found = draw(repository)
    assert found.gaps == (
        Gap("shop/broken.py", "the syntax is broken here; imports nearby may be missing", 2),
        Gap("shop/deep.ts", "the file nests too deeply to be read"),
        Gap("shop/link.py", "a symbolic link that points outside the repository"),
    )
    assert "shop/broken.py:1 > shop/prices.py" in edges(found)
    assert {"shop/broken.py", "shop/deep.ts", "shop/link.py"} <= {file.path for file in found.files}


def test_unreadable_settings_are_a_gap(repository):
    write(repository.root, {"tsconfig.json": "[", "pyproject.toml": "["})
    assert [gap.file for gap in draw(repository).gaps] == ["pyproject.toml", "tsconfig.json"]


LINE_FILES = {
    "a.lines": "test a\nuse b.lines\n",
    "b.lines": "use data.txt\n",
    "c.lines": "",
    "data.txt": "",
    "lib/b.lines": "",
}


@pytest.fixture
def lines(tmp_path):
    return create(tmp_path / "lines", LINE_FILES)


def draw_lines(repository, cache, *, at=None):
    taken = snapshot.worktree(repository) if at is None else snapshot.commit(repository, at)
    return structure_of(taken, Discovery(cache=cache, languages=TABLE, processes=1))


def test_unchanged_repository_is_not_parsed_again(lines, cache, parsed):
    first = draw_lines(lines, cache)
    assert edges(first) == ["a.lines:2 > b.lines", "b.lines:1 > data.txt"]
    assert sorted(parsed) == ["a.lines", "b.lines"]
    parsed.clear()
    assert draw_lines(lines, cache) == first
    assert parsed == []


def test_only_a_changed_file_is_parsed_again(lines, cache, parsed):
    draw_lines(lines, cache)
    parsed.clear()
    write(lines.root, {"b.lines": "use c.lines\n"})
    assert "b.lines:1 > c.lines" in edges(draw_lines(lines, cache))
    assert parsed == ["b.lines"]


def test_file_that_goes_or_appears_changes_what_others_import(lines, cache, parsed):
    draw_lines(lines, cache)
    parsed.clear()
    (lines.root / "data.txt").unlink()
    assert [lost.module for lost in draw_lines(lines, cache).unresolved] == ["data.txt"]
    write(lines.root, {"data.txt": "other"})
    assert "b.lines:1 > data.txt" in edges(draw_lines(lines, cache))
    assert parsed == []


def test_changed_settings_change_what_names_lead_to(lines, cache, parsed):
    draw_lines(lines, cache)
    parsed.clear()
    write(lines.root, {"lines.conf": "folder=lib/"})
    assert edges(draw_lines(lines, cache)) == ["a.lines:2 > lib/b.lines"]
    write(lines.root, {"lines.conf": "folder="})
    assert edges(draw_lines(lines, cache)) == ["a.lines:2 > b.lines", "b.lines:1 > data.txt"]
    assert parsed == []


def test_same_content_in_a_commit_has_the_same_structure(lines, cache, parsed):
    first = draw_lines(lines, cache)
    parsed.clear()
    commit(lines.root)
    assert draw_lines(lines, cache, at="HEAD") == first
    assert parsed == []


def test_file_that_cannot_be_parsed_is_a_gap_every_time(lines, cache):
    write(lines.root, {"c.lines": "use DEEP"})
    first = draw_lines(lines, cache)
    assert [gap.file for gap in first.gaps] == ["c.lines"]
    write(lines.root, {"b.lines": ""})
    assert draw_lines(lines, cache).gaps == first.gaps


@pytest.mark.slow
def test_several_processes_find_the_same(tmp_path):
    files = {f"a/m{number}.py": f"import a.m{number - 1}\n" + "x = 1\n" * 5500 for number in range(1, 40)}
    repository = create(tmp_path / "r", {**FILES, **files, "a/m0.py": ""})
    alone, together = draw(repository), draw(repository, processes=2)
    assert alone == together
    assert len(alone.edges) == 4 + 39


def test_progress_counts_the_files_that_are_parsed(repository):
    told = []
    discovery = Discovery(progress=lambda done, total: told.append((done, total)), processes=1)
    structure_of(snapshot.worktree(repository), discovery)
    assert told[-1] == (7, 7)
