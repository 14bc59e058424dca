"""Which imports one JavaScript or TypeScript file has."""

import pytest

from pactkeeper.repo.languages.javascript.adapter import JavaScriptImporting
from tests.repo.imported import read_one

IMPORTING = JavaScriptImporting()


def read(source, path="src/shop.ts"):
    return read_one(IMPORTING, source, path)


def modules(source, path="src/shop.ts"):
    return [(one.module, one.only_types) for one in read(source, path).found]


@pytest.mark.parametrize(
    "source",
    [
        "import a from './a'",
        "import { a, type B } from './a'",
        "import * as a from './a'",
        "import a, { b } from './a'",
        "import './a'",
        "import {} from './a'",
        "import a = require('./a')",
        "import a from './a' with { type: 'json' }",
        "export * from './a'",
        "export * as a from './a'",
        "export { a } from './a'",
        "const a = require('./a').b",
        "if (x) { y(require(`./a`)) }",
        "const load = () => import('./a')",
        "const { a } = await import(\n  /* later */ './' + 'a'\n)",
        "namespace N { import a = require('./a') }",
    ],
)
def test_statement_or_call_names_a_module_that_runs(source):
    assert modules(source) == [("./a", False)]


@pytest.mark.parametrize(
    "source",
    [
        "import type A from './a'",
        "import type { A } from './a'",
        "import { type A, type B } from './a'",
        "export type { A } from './a'",
        "export type * from './a'",
        "type A = import('./a').A",
        "let a: typeof import('./a')",
        "const a = b as import('./a').A<string>",
        "function f(a: import('./a').A): void {}",
        "declare module './a' { interface A {} }",
        '/// <reference path="a" />',
    ],
)
def test_import_that_only_types_need_is_marked(source):
    assert modules(source) == [("./a", True)]


@pytest.mark.parametrize(
    "source",
    ["// import './a'", "const a = \"require('./a')\"", "require()", "a.require('./a')", "declare module 'a' {}"],
)
def test_text_that_looks_like_an_import_is_none(source):
    assert read(source).found == ()


@pytest.mark.parametrize("source", ["require(name)", "import(`./pages/${name}`)", "require(a || './b')"])
def test_module_that_is_computed_is_counted_by_its_line(source):
    found = read(f"\n{source}\n")
    assert (found.found, found.computed) == ((), (2,))


def test_imports_come_in_the_order_of_their_lines():
    source = "const a = require('a')\nimport b from 'b'\nexport * from 'c'\nimport('d')\n"
    assert [(one.module, one.line) for one in read(source).found] == [("a", 1), ("b", 2), ("c", 3), ("d", 4)]


@pytest.mark.parametrize("path", ["a.js", "a.jsx", "a.mjs", "a.cjs", "a.tsx", "a.mts", "a.cts"])
def test_every_suffix_is_read(path):
    assert modules("import a from './a'\nconst b = require('./b')", path) == [("./a", False), ("./b", False)]


@pytest.mark.parametrize(
    "source", ["import { from './a'", "import a from './a'\nfunction (", "const a = (\nimport b from './b'\n"]
)
def test_broken_syntax_that_may_hide_an_import_is_told(source):
    assert any("imports around it may be missing" in reason for _, reason in read(source).problems)


def test_valid_syntax_that_the_grammar_does_not_know_is_no_damage_where_all_imports_were_read():
    source = (
        "import a from './a'\n// import is a word\nexport interface A<\n  out Shape,\n> {\n  b?: import('./b').B[]\n}\n"
    )
    assert read(source).problems == ()


def test_file_that_nests_too_deeply_is_told():
    assert read("(" * 3000 + ")" * 3000).problems == ((0, "the file nests too deeply to be read"),)


def test_byte_order_marks_are_read_over():
    assert modules(b"\xef\xbb\xbfimport './a'") == [("./a", False)]
    assert modules("import './a'".encode("utf-16")) == [("./a", False)]


@pytest.mark.parametrize(
    ("source", "worth"), [(b"let x = 1", False), (b"import 'a'", True), (b"/// <reference ", True)]
)
def test_file_without_any_such_word_is_not_parsed(source, worth):
    assert IMPORTING.worth_parsing(source) is worth
