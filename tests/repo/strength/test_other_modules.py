"""A name that a JavaScript test asserts of and takes from another module than before."""

import pytest

from pactkeeper.repo.git import Repository
from pactkeeper.repo.snapshot import commit as state_of
from pactkeeper.repo.snapshot import worktree
from pactkeeper.repo.strength.judging import judge
from tests.repo.repositories import create, write
from tests.repo.strength.test_support import loud, side

TEST = "src/parse.test.ts"
IMPORT = "import { parse } from './index';\n"
FILES = {
    "package.json": '{"devDependencies": {"vitest": "4"}, "scripts": {"test": "vitest"}}',
    "src/index.ts": "import { split } from './split';\nexport const parse = (s: string) => split(s).length;\n",
    "src/legacy.ts": "export const parse = (s: string) => s.length;\n",
    "src/split.ts": "export const split = (s: string) => s.split(' ');\n",
    TEST: f"{IMPORT}it('parses', () => {{ expect(parse('a b')).toBe(2); }});\n",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Repository:
    return create(tmp_path_factory.mktemp("project"), FILES)


def after(project: Repository, imported: str, **files: str) -> set[tuple[str, str]]:
    others = {f"src/{name}.ts": text for name, text in files.items()}
    write(project.root, {**FILES, TEST: FILES[TEST].replace(IMPORT, imported), **others})
    try:
        return loud(judge(side(state_of(project, "HEAD")), side(worktree(project))))
    finally:
        for name in others.keys() - FILES.keys():
            (project.root / name).unlink()
        write(project.root, FILES)


OWN = "export const parse = (_: string) => 2;\n"


@pytest.mark.parametrize(
    "imported",
    ["import { parse } from './better';\n", "const { parse } = jest.requireActual<any>('./better');\n",
     "const { parse } = await vi.importActual('./better');\n", "const { parse } = require('./better');\n"],
)  # fmt: skip
def test_a_module_that_the_change_adds_in_place_of_the_product_is_an_error(project, imported):
    assert after(project, imported, better=OWN) == {("error", "parses")}


def test_another_module_of_the_product_is_a_warning(project):
    assert after(project, "import { parse } from './legacy';\n") == {("warning", "parses")}


def test_a_module_that_passes_the_product_on_is_none(project):
    assert after(project, "import { parse } from './better';\n", better="export * from './index';\n") == set()
    moved = {"better": FILES["src/index.ts"], "index": "export { parse } from './better';\n"}
    assert after(project, "import { parse } from './better';\n", **moved) == set()


def test_a_name_that_the_earlier_module_no_longer_has_has_moved(project):
    moved = {"better": FILES["src/index.ts"], "index": "export {};\n"}
    assert after(project, "import { parse } from './better';\n", **moved) == set()


@pytest.mark.parametrize("imported", ["const { parse } = require('./index.js');\n", "import { parse } from '.';\n",
                                      "const { parse } = jest.requireActual('./index');\n"])  # fmt: skip
def test_the_same_module_by_another_name_is_none(project, imported):
    assert after(project, imported) == set()


STANDING = "src/test/parse.ts"


@pytest.mark.parametrize(("others", "severity"), [({"more.test": "import { parse } from './test/parse';\nit('x', () => { expect(parse('a')).toBe(1); });\n"}, "warning"), ({}, "error")])  # fmt: skip
def test_what_other_tests_take_from_the_test_side_too_is_no_new_fake(tmp_path, others, severity):
    files = {
        **FILES,
        STANDING: "export const parse = (globalThis as any).own.parse;\n",
        **{f"src/{name}.ts": text for name, text in others.items()},
    }
    project = create(tmp_path, files)
    write(project.root, {TEST: FILES[TEST].replace(IMPORT, "import { parse } from './test/parse';\n")})
    assert loud(judge(side(state_of(project, "HEAD")), side(worktree(project)))) == {(severity, "parses")}
