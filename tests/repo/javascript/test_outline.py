"""What is read from a JavaScript or TypeScript file beside its tests."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pactkeeper.repo.languages.javascript.outline import outline_of, uses_of
from pactkeeper.repo.languages.outline import Import


def definitions(source, path="a.ts"):
    return {each.name: each for each in outline_of(path, source.encode()).definitions}


def chains(source, path="a.test.ts"):
    return [chain for _, chain in uses_of(path, source.encode()).chains]


def test_functions_classes_and_members_are_listed_with_signatures():
    source = """
export class Basket extends Bag {
  constructor(private owner: string) { super() }
  static async open(name?: string): Promise<Basket> {}
  get size(): number { return 1 }
  add = (thing: Thing) => 3
}
export const total = async (basket: Basket): Promise<number> => 1
export default function () {}
"""
    found = definitions(source)
    assert [each.signature for each in found.values()] == [
        "class Basket extends Bag: constructor(private owner: string)",
        "static async Basket.open(name?: string): Promise<Basket>",
        "get Basket.size(): number",
        "Basket.add(thing: Thing)",
        "async function total(basket: Basket): Promise<number>",
        "function default()",
    ]
    assert found["Basket"].bases == ("Bag",)
    assert found["Basket.open"].gives == "Basket()"


def test_interfaces_types_and_enums_are_listed():
    found = definitions(
        "interface A extends B<T>, C { run(x: number): this; now: D }\ntype E = F | null\nenum G { H }\n"
    )
    assert found["A"].bases == ("B", "C")
    assert found["A.run"].gives == "this()"
    assert found["A.now"].gives == "D()"
    assert found["E"].gives == "F()"
    assert found["G"].kind == "type"


def test_functions_of_older_javascript_are_listed():
    source = "exports.open = function (name) {}\nShop.prototype.close = function close() {}\nmodule.exports = Shop\n"
    found = outline_of("shop.js", source.encode())
    assert [each.name for each in found.definitions] == ["open", "Shop.close"]
    assert Import("=", "", "Shop") in found.exports


def test_documentation_comments_belong_to_what_follows_them():
    source = """
/** Sells things. */
export class Shop {
  /**
   * Opens it.
   *
   * @returns {Door}
   */
  open() {}
  /* no documentation */
  close() {}
}
"""
    found = definitions(source)
    assert (found["Shop"].doc, found["Shop"].doc_line) == ("Sells things.", 2)
    assert found["Shop.open"].doc == "Opens it.\n\n@returns {Door}"
    assert found["Shop.open"].gives == "Door()"
    assert found["Shop.close"].doc == ""


def test_a_comment_of_a_rule_checker_does_not_part_documentation_from_its_function():
    assert definitions("/** Says. */\n// eslint-disable-next-line\nexport function f() {}\n")["f"].doc == "Says."


@pytest.mark.parametrize(
    "start", ["/** All of it. */\nimport a from 'a'\n", "/** @file All of it. */\nexport const a = 1\n"]
)
def test_a_file_can_document_itself(start):
    assert "All of it." in outline_of("a.ts", start.encode()).doc


def test_imports_and_exports_are_read():
    found = outline_of(
        "a.ts", b"import b, { c as d } from './x'\nimport * as e from 'f'\nexport * from './g'\nexport { d }\n"
    )
    assert found.imports == (Import("b", "./x", "default"), Import("d", "./x", "c"), Import("e", "f", "*"))
    assert found.exports == (Import("*", "./g", "*"), Import("d", "", "d"))


def test_calls_on_what_was_assigned_are_followed():
    source = (
        "import { Shop } from './shop'\nconst shop = new Shop(1)\nit('x', async () => { await shop.open().close })\n"
    )
    assert "Shop().open().close" in chains(source)


def test_a_variable_that_is_filled_before_each_test_is_followed():
    source = (
        "import { Shop } from './shop'\nlet shop: any\nbeforeEach(() => { shop = new Shop() })\n"
        "it('x', () => { shop.open() })\n"
    )
    assert "Shop().open()" in chains(source)


def test_what_runs_before_each_test_is_known_with_its_range():
    source = (
        "describe('a', () => {\n  beforeEach(() => {\n    open()\n  })\n  it('b', () => {})\n})\nit('c', () => {})\n"
    )
    assert uses_of("a.test.ts", source.encode()).before == ((2, 4, 1, 6),)


def test_parameters_and_destructured_names_hide_what_was_imported():
    source = "import { a, b } from './x'\nit('x', (a) => { a.c })\nfor (const { b } of []) { b.c }\n"
    assert chains(source) == []


def test_components_are_references():
    assert chains("import { Shop } from './shop'\nit('x', () => render(<Shop open />))\n", "a.test.tsx") == ["Shop"]


def test_broken_and_deep_code_is_no_error():
    deep = "import { a } from './x'\nconst b = " + "(" * 2000 + "a" + ")" * 2000 + "\na" + ".c()" * 1000 + "\na.d()\n"
    assert (4, "a.d()") in uses_of("a.ts", deep.encode()).chains
    assert outline_of("a.ts", deep.encode()).imports


@given(st.text(alphabet="abc def()\n:.,=>/*{}[]'`class import export from new", max_size=200))
@settings(max_examples=settings().max_examples * 2)
def test_broken_source_never_stops_the_reading(source):
    for path in ("a.ts", "a.jsx"):
        outline_of(path, source.encode())
        uses_of(path, source.encode())
