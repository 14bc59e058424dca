"""Nasty annotations as data: a source, and who must own which atoms.

Owners are tests and suites by name, `file`, and `nothing` for what must be reported as attached to nothing. A word with
`!` in front is one that must be reported as malformed.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    source: str
    owners: dict[str, list[str]] = field(default_factory=dict)


PYTHON = {
    "above a test": Case("# @atom IA-1\ndef test_a(): pass\n", {"test_a": ["IA-1"]}),
    "several ids": Case("# @atom IA-1, IA-2,IA-3\ndef test_a(): pass\n", {"test_a": ["IA-1", "IA-2", "IA-3"]}),
    "several lines": Case("# @atom IA-1\n# why\n# @atom IA-2\ndef test_a(): pass\n", {"test_a": ["IA-1", "IA-2"]}),
    "ids that are no numbers": Case(
        "# @atom IA-7F3KQ9T, IA-CORE-12\ndef test_a(): pass\n", {"test_a": ["IA-7F3KQ9T", "IA-CORE-12"]}
    ),
    "above the decorators": Case("# @atom IA-1\n@skip\ndef test_a(): pass\n", {"test_a": ["IA-1"]}),
    "between decorators and name": Case(
        "@skip\n# @atom IA-1\n@slow  # @atom IA-2\ndef test_a(): pass\n", {"test_a": ["IA-1", "IA-2"]}
    ),
    "among a decorator's arguments": Case(
        "@table([\n    1,  # @atom IA-1\n])\ndef test_a(): pass\n", {"test_a": ["IA-1"]}
    ),
    "behind the header": Case("def test_a():  # @atom IA-1\n    pass\n", {"test_a": ["IA-1"]}),
    "behind a header of several lines": Case(
        "def test_a(\n    x,  # @atom IA-1\n):  # @atom IA-2\n    pass\n", {"test_a": ["IA-1", "IA-2"]}
    ),
    "behind a test of one line": Case("def test_a(): pass  # @atom IA-1\ndef test_b(): pass\n", {"test_a": ["IA-1"]}),
    "before the first statement": Case(
        "def test_a():\n    # @atom IA-1\n\n    # @atom IA-2\n    pass\n", {"test_a": ["IA-1", "IA-2"]}
    ),
    "in a docstring": Case(
        'def test_a():\n    """Doc.\n\n    @atom IA-1, IA-2\n    """\n', {"test_a": ["IA-1", "IA-2"]}
    ),
    "a docstring of one line": Case("def test_a():\n    '@atom IA-1'\n", {"test_a": ["IA-1"]}),
    "after the docstring": Case('def test_a():\n    """Doc."""\n    # @atom IA-1\n    pass\n', {"test_a": ["IA-1"]}),
    "an async test": Case("# @atom IA-1\nasync def test_a(): pass\n", {"test_a": ["IA-1"]}),
    "a suite": Case(
        "# @atom IA-1\nclass TestA:  # @atom IA-2\n    'Doc.\\n@atom IA-3'\n    def test_a(self): pass\n",
        {"TestA": ["IA-1", "IA-2"]},
    ),
    "a suite's docstring": Case(
        'class TestA:\n    """\n    @atom IA-1\n    """\n    def test_a(self): pass\n', {"TestA": ["IA-1"]}
    ),
    "a test first in its suite": Case(
        "class TestA:\n    # @atom IA-1\n    def test_a(self): pass\n", {"test_a": ["IA-1"]}
    ),
    "a suite's first lines": Case(
        "class TestA:\n    # @atom IA-1\n\n    def test_a(self): pass\n", {"TestA": ["IA-1"]}
    ),
    "a suite's attribute": Case(
        "class TestA:\n    # @atom IA-1\n    x = 1\n    def test_a(self): pass\n", {"TestA": ["IA-1"]}
    ),
    "a suite's own helper": Case("class TestA:\n    # @atom IA-1\n    def helper(self): pass\n", {"nothing": ["IA-1"]}),
    "a module's docstring": Case('"""Doc.\n\n@atom IA-1\n"""\ndef test_a(): pass\n', {"file": ["IA-1"]}),
    "the head of a file": Case("#!/usr/bin/python\n# @atom IA-1\n\ndef test_a(): pass\n", {"file": ["IA-1"]}),
    "the head of a file before imports": Case("# @atom IA-1\nimport a\ndef test_a(): pass\n", {"file": ["IA-1"]}),
    "after the module's docstring": Case('"""Doc."""\n# @atom IA-1\n\ndef test_a(): pass\n', {"file": ["IA-1"]}),
    "after the imports": Case("import a\n# @atom IA-1\n\ndef test_a(): pass\n", {"nothing": ["IA-1"]}),
    "a file of comments": Case("# @atom IA-1\n", {"file": ["IA-1"]}),
    "above a helper": Case("import a\n# @atom IA-1\ndef helper(): pass\ndef test_a(): pass\n", {"nothing": ["IA-1"]}),
    "a head above a helper": Case("# @atom IA-1\ndef helper(): pass\n", {"nothing": ["IA-1"]}),
    "a helper's docstring": Case("def helper():\n    '@atom IA-1'\ndef test_a(): pass\n", {"nothing": ["IA-1"]}),
    "a blank line in between": Case("import a\n# @atom IA-1\n\ndef test_a(): pass\n", {"nothing": ["IA-1"]}),
    "a blank line within the block": Case(
        "import a\n# @atom IA-1\n\n# @atom IA-2\ndef test_a(): pass\n", {"test_a": ["IA-2"], "nothing": ["IA-1"]}
    ),
    "the end of the body before": Case(
        "def test_a():\n    pass\n    # @atom IA-1\ndef test_b(): pass\n", {"nothing": ["IA-1"]}
    ),
    "the last line of the body before": Case(
        "def test_a():\n    pass  # @atom IA-1\ndef test_b(): pass\n", {"nothing": ["IA-1"]}
    ),
    "the middle of a body": Case(
        "def test_a():\n    a()\n    # @atom IA-1\n    b()\ndef test_b(): pass\n", {"nothing": ["IA-1"]}
    ),
    "a nested helper": Case(
        "def test_a():\n    a()\n    # @atom IA-1\n    def helper(): pass\n", {"nothing": ["IA-1"]}
    ),
    "three lines above": Case("import a\n# @atom IA-1\nx = 1\ny = 2\ndef test_a(): pass\n", {"nothing": ["IA-1"]}),
    "a string literal": Case(
        'x = "@atom IA-1"\ndef test_a():\n    y = """\n    # @atom IA-2\n    """\ndef test_b(): pass\n'
    ),
    "a string above a test": Case('import a\n"""\n@atom IA-1\n"""\ndef test_a(): pass\n'),
    "a string that looks like a test": Case('x = """\n# @atom IA-1\ndef test_x(): pass\n"""\ndef test_a(): pass\n'),
    "a mention in a sentence": Case("# see @atom IA-1\ndef test_a():\n    'Uses @atom IA-2.'\n"),
    "a mention after a dash": Case("# - @atom IA-1\ndef test_a(): pass\n"),
    "other words": Case(
        "# @atomic IA-1\n# @atoms IA-2\n# @atom-id IA-3\n# me@atom.org IA-4\n# @atom.io IA-5\ndef test_a(): pass\n"
    ),
    "no id": Case("# @atom\ndef test_a(): pass\n", {"test_a": ["!"]}),
    "a lower-case id": Case("# @atom ia-1, IA-2\ndef test_a(): pass\n", {"test_a": ["IA-2", "!ia-1"]}),
    "a half lower-case id": Case("# @atom IA-7f3\ndef test_a(): pass\n", {"test_a": ["!IA-7f3"]}),
    "another prefix": Case("# @atom XA-1\ndef test_a(): pass\n", {"test_a": ["!XA-1"]}),
    "an id that goes on": Case("# @atom IA-1-\n# @atom IA-\ndef test_a(): pass\n", {"test_a": ["!IA-", "!IA-1-"]}),
    "no comma": Case("# @atom IA-1 IA-2\ndef test_a(): pass\n", {"test_a": ["IA-1", "!IA-2"]}),
    "a comma too many": Case(
        "# @atom IA-1,\n# @atom IA-2,,IA-3\ndef test_a(): pass\n", {"test_a": ["IA-1", "IA-2", "IA-3", "!", "!"]}
    ),
    "no space": Case("# @atom:IA-1\n# @atom(IA-2)\ndef test_a(): pass\n", {"test_a": ["!(IA-2)", "!:IA-1"]}),
    "remarks": Case(
        "# @atom IA-1 - why\n# @atom IA-2: why\n# @atom IA-3 (why)\n# @atom IA-4. Why\n# @atom IA-5 — why\ndef test_a(): pass\n",
        {"test_a": ["IA-1", "IA-2", "IA-3", "IA-4", "IA-5"]},
    ),
    "words behind an id": Case("# @atom IA-1 why\ndef test_a(): pass\n", {"test_a": ["IA-1"]}),
    "an id without a comma": Case("# @atom IA-1 IA-2\ndef test_a(): pass\n", {"test_a": ["IA-1", "!IA-2"]}),
    "twice on a line": Case("# @atom IA-1 @atom IA-2\ndef test_a(): pass\n", {"test_a": ["IA-1", "!@atom"]}),
    "leaders": Case(
        "#@atom IA-1\n#: @atom IA-2\n##  @atom IA-3\n#\t@atom\tIA-4\ndef test_a(): pass\n",
        {"test_a": ["IA-1", "IA-2", "IA-3", "IA-4"]},
    ),
    "neighbours": Case(
        "# @atom IA-1\ndef test_a(): pass\n# @atom IA-2\ndef test_b(): pass\n", {"test_a": ["IA-1"], "test_b": ["IA-2"]}
    ),
    "line endings of Windows": Case(
        "# @atom IA-1\r\ndef test_a():\r\n    '''Doc.\r\n    @atom IA-2\r\n    '''\r\n", {"test_a": ["IA-1", "IA-2"]}
    ),
    "a byte order mark": Case("\ufeff# @atom IA-1\ndef test_a(): pass\n", {"test_a": ["IA-1"]}),
    "tabs": Case(
        "class TestA:\n\tdef test_a(self): pass\n\t# @atom IA-1\n\tdef test_b(self): pass\n", {"test_b": ["IA-1"]}
    ),
    "letters of other scripts": Case(
        "# é @atom IA-1\n# @atom IA-2 – für später\ndef test_ä(): pass\n", {"test_ä": ["IA-2"]}
    ),
    "less deep than the test": Case(
        "class TestA:\n    def test_a(self): pass\n# @atom IA-1\n    def test_b(self): pass\n", {"test_b": ["IA-1"]}
    ),
    "inside a condition": Case("if a:\n    # @atom IA-1\n    def test_a(): pass\n", {"test_a": ["IA-1"]}),
    "broken syntax elsewhere": Case("# @atom IA-1\ndef test_a(): pass\n\ndef test_b(:\n", {"test_a": ["IA-1"]}),
}

JAVASCRIPT = {
    "above a test": Case('// @atom IA-1\nit("a", () => {})\n', {"a": ["IA-1"]}),
    "several ids": Case('// @atom IA-1, IA-2,IA-3\nit("a", () => {})\n', {"a": ["IA-1", "IA-2", "IA-3"]}),
    "a block comment": Case('/* @atom IA-1 */\nit("a", () => {})\n', {"a": ["IA-1"]}),
    "a documentation block": Case(
        '/**\n * Why.\n * @atom IA-1\n * @atom IA-2\n */\nit("a", () => {})\n', {"a": ["IA-1", "IA-2"]}
    ),
    "a documentation block of one line": Case('/** @atom IA-1*/\nit("a", () => {})\n', {"a": ["IA-1"]}),
    "a block without stars": Case('/*\n  @atom IA-1\n*/\nit("a", () => {})\n', {"a": ["IA-1"]}),
    "before a test on its line": Case('/* @atom IA-1 */ it("a", () => {})\n', {"a": ["IA-1"]}),
    "both kinds of comment": Case(
        '/** @atom IA-1 */\n// eslint-disable-next-line\n// @atom IA-2\nit("a", () => {})\n', {"a": ["IA-1", "IA-2"]}
    ),
    "each, only, skip, concurrent": Case(
        '// @atom IA-1\nit.each([1])("a", () => {})\n// @atom IA-2\nit.only("b", () => {})\n// @atom IA-3\n'
        'it.skip.each`x\n${1}`("c", () => {})\n// @atom IA-4\ntest.concurrent("d", async () => {})\n',
        {"a": ["IA-1"], "b": ["IA-2"], "c": ["IA-3"], "d": ["IA-4"]},
    ),
    "a call of several lines": Case(
        '// @atom IA-1\nit(\n  // @atom IA-2\n  "a",\n  async () => { // @atom IA-3\n    x()\n  },\n)\n',
        {"a": ["IA-1", "IA-2", "IA-3"]},
    ),
    "a title with a quote": Case('// @atom IA-1\nit("it\'s", () => {})\n', {"it's": ["IA-1"]}),
    "a computed title": Case("// @atom IA-1\nit(`a ${b}`, () => {})\n", {"a ${b}": ["IA-1"]}),
    "an awaited test": Case('// @atom IA-1\nawait test("a", () => {})\n', {"a": ["IA-1"]}),
    "a test with a return": Case(
        'describe("s", () => {\n  // @atom IA-1\n  return it("a", () => {})\n})\n', {"a": ["IA-1"]}
    ),
    "behind the header": Case('it("a", () => { // @atom IA-1\n  x()\n})\n', {"a": ["IA-1"]}),
    "behind a test of one line": Case('it("a", () => {}); // @atom IA-1\nit("b", () => {})\n', {"a": ["IA-1"]}),
    "before the first statement": Case(
        'it("a", function () {\n  // @atom IA-1\n\n  /* @atom IA-2 */\n  x()\n})\n', {"a": ["IA-1", "IA-2"]}
    ),
    "in an empty body": Case('it("a", () => {\n  // @atom IA-1\n})\nit("b", () => {})\n', {"a": ["IA-1"]}),
    "before an arrow's expression": Case('it("a", () =>\n  // @atom IA-1\n  x())\n', {"a": ["IA-1"]}),
    "a suite": Case(
        '// @atom IA-1\ndescribe("s", () => { // @atom IA-2\n  it("a", () => {})\n})\n', {"s": ["IA-1", "IA-2"]}
    ),
    "a test first in its suite": Case(
        'describe("s", () => {\n  // @atom IA-1\n  it("a", () => {})\n})\n', {"a": ["IA-1"]}
    ),
    "a suite's first lines": Case(
        'describe("s", () => {\n  // @atom IA-1\n\n  it("a", () => {})\n})\n', {"s": ["IA-1"]}
    ),
    "a suite's declaration": Case(
        'describe("s", () => {\n  // @atom IA-1\n  let x\n  it("a", () => {})\n})\n', {"s": ["IA-1"]}
    ),
    "a hook": Case(
        'describe("s", () => {\n  // @atom IA-1\n  beforeEach(() => {})\n  it("a", () => {})\n})\n',
        {"nothing": ["IA-1"]},
    ),
    "a test under an unknown name": Case(
        'import a from "a"\n// @atom IA-1\nmaybe("a", () => {})\n', {"nothing": ["IA-1"]}
    ),
    "the end of a hook": Case(
        'describe("s", () => {\n  beforeEach(() => {\n    x()\n  }) // @atom IA-1\n  it("a", () => {})\n})\n',
        {"nothing": ["IA-1"]},
    ),
    "the closing line of the test before": Case(
        'it("a", () => {\n  x()\n}) // @atom IA-1\nit("b", () => {})\n', {"nothing": ["IA-1"]}
    ),
    "the end of the body before": Case(
        'it("a", () => {\n  x()\n  // @atom IA-1\n})\nit("b", () => {})\n', {"nothing": ["IA-1"]}
    ),
    "the last line of the body before": Case(
        'it("a", () => {\n  x() // @atom IA-1\n})\nit("b", () => {})\n', {"nothing": ["IA-1"]}
    ),
    "before a closing brace on a test's line": Case(
        'it("a", () => {\n  x()\n/* @atom IA-1 */ }); it("b", () => {})\n', {"nothing": ["IA-1"]}
    ),
    "behind two tests on a line": Case('it("a", () => {}); it("b", () => {}) // @atom IA-1\n', {"b": ["IA-1"]}),
    "a blank line in between": Case('import a from "a"\n// @atom IA-1\n\nit("a", () => {})\n', {"nothing": ["IA-1"]}),
    "the head of a file": Case('#!/usr/bin/env node\n// @atom IA-1\n\nit("a", () => {})\n', {"file": ["IA-1"]}),
    "the head of a file before imports": Case(
        '"use strict"\n// @atom IA-1\nimport a from "a"\nit("a", () => {})\n', {"file": ["IA-1"]}
    ),
    "a documentation block above a required module": Case(
        '/** @atom IA-1 */\nconst a = require("a")\nit("a", () => {})\n', {"file": ["IA-1"]}
    ),
    "a head above a function": Case('// @atom IA-1\nfunction helper() {}\nit("a", () => {})\n', {"nothing": ["IA-1"]}),
    "above a helper": Case(
        'import a from "a"\n// @atom IA-1\nexport function helper() {}\nit("a", () => {})\n', {"nothing": ["IA-1"]}
    ),
    "a string literal": Case('const x = "@atom IA-1"\nconst y = \'// @atom IA-2\'\nit("a", () => {})\n'),
    "a template literal": Case('const x = `\n// @atom IA-1\nit("x", () => {})\n// @atom IA-2\n`\nit("a", () => {})\n'),
    "a test in a block comment": Case('/*\n// it("x", () => {})\n see @atom IA-1\n*/\nit("a", () => {})\n'),
    "a mention in a sentence": Case('// see @atom IA-1\n/** uses @atom IA-2 */\nit("a", () => {})\n'),
    "other words": Case('// @atomic IA-1\n// @atoms IA-2\n// me@atom.org IA-3\nit("a", () => {})\n'),
    "no id": Case('/** @atom */\nit("a", () => {})\n', {"a": ["!"]}),
    "a lower-case id": Case('// @atom ia-1\nit("a", () => {})\n', {"a": ["!ia-1"]}),
    "a remark": Case('/** @atom IA-1 - why */\n// @atom IA-2: why\nit("a", () => {})\n', {"a": ["IA-1", "IA-2"]}),
    "a comment in JSX": Case('it("a", () => {\n  render(<b>{/* @atom IA-1 */}</b>)\n})\n', {"nothing": ["IA-1"]}),
    "text in JSX": Case('it("a", () => {\n  render(<b>// @atom IA-1</b>)\n})\nit("b", () => {})\n'),
    "line endings of Windows": Case(
        '/**\r\n * @atom IA-1\r\n */\r\nit("a", () => {\r\n  // @atom IA-2\r\n  x()\r\n})\r\n', {"a": ["IA-1", "IA-2"]}
    ),
    "a byte order mark": Case('\ufeff// @atom IA-1\nit("a", () => {})\n', {"a": ["IA-1"]}),
    "a test in an array": Case('const all = [\n  // @atom IA-1\n  test("a", () => {}),\n]\n', {"a": ["IA-1"]}),
    "an exported test": Case('// @atom IA-1\nexport const x = test("a", () => {})\n', {"a": ["IA-1"]}),
    "neighbours": Case(
        '// @atom IA-1\nit("a", () => {})\n// @atom IA-2\nit("b", () => {})\n', {"a": ["IA-1"], "b": ["IA-2"]}
    ),
    "nested suites": Case(
        '// @atom IA-1\ndescribe("s", () => {\n  // @atom IA-2\n  describe("t", () => {\n    /** @atom IA-3 */\n'
        '    it("a", () => {})\n  })\n  // @atom IA-4\n})\n',
        {"s": ["IA-1"], "t": ["IA-2"], "a": ["IA-3"], "nothing": ["IA-4"]},
    ),
    "a generic call": Case('// @atom IA-1\ntest<A>("a", () => {})\n', {"a": ["IA-1"]}),
    "a test without a body": Case(
        '// @atom IA-1\nit.todo("a")\nit("b", helper) // @atom IA-2\n', {"a": ["IA-1"], "b": ["IA-2"]}
    ),
    "broken syntax elsewhere": Case('// @atom IA-1\nit("a", () => {})\n\nit("b", () => {\n  x(\n', {"a": ["IA-1"]}),
}
