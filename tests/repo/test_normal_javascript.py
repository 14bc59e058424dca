import pytest
import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

from pactkeeper.repo.languages.javascript.normal import declared_name, number, prepare

LANGUAGES = {
    "js": Language(tree_sitter_javascript.language()),
    "ts": Language(tree_sitter_typescript.language_typescript()),
    "tsx": Language(tree_sitter_typescript.language_tsx()),
}


def declaring_call(node: Node) -> Node:
    """Find the first call of a file."""
    while node.type != "call_expression":
        node = next(child for child in node.named_children if child.type not in {"comment", "hash_bang_line"})
    return node


def hash_first(source: str | bytes, grammar: str = "tsx") -> str:
    data = source if isinstance(source, bytes) else source.encode()
    tree = Parser(LANGUAGES[grammar]).parse(data)
    node = declaring_call(tree.root_node)
    return prepare(tree, data).body_hash(node.start_byte, node.end_byte, name=declared_name(node))


def body(code: str) -> str:
    return f'test("n", async () => {{\n{code}\n}});\n'


SAME = {
    "quotes": ("x('a')", 'x("a")'),
    "quotes that need no escape any more": (r"x('it\'s')", """x("it's")"""),
    "semicolons": ("a();\nb();", "a()\nb()"),
    "a guarding semicolon": ("a();\n[b].c();", "a()\n;[b].c()"),
    "empty statements": ("a();;\n;b()", "a()\nb()"),
    "an assignment's semicolon": ("a = 1;", "a = 1"),
    "class semicolons": ("class A { x = 1; y() {}; }", "class A {\n  x = 1\n  y() {}\n}"),
    "arrow parameters": ("a(x => y)", "a((x) => y)"),
    "an arrow's body": ("a(x => (y))", "a(x => y)"),
    "a wrapped arrow body": ("a(x => (y, z))", "a((x) => (\n  y, z\n))"),
    "clarified operators": ("x = a && b || c", "x = (a && b) || c"),
    "clarified remainder": ("x = a % b * c", "x = (a % b) * c"),
    "rebalanced logic": ("x = a && (b && c)", "x = a && b && c"),
    "trailing commas": ("f(1, [2, 3,], {a,},)", "f(1, [2, 3], { a })"),
    "trailing commas of parameters": ("function f(a, b,) {}", "function f(a, b) {}"),
    "line wrapping": ("a.b().c()", "a\n  .b()\n  .c()"),
    "object key quotes": ("x = { 'a': 1, \"b\": 2, 3: 4 }", "x = { a: 1, b: 2, 3: 4 }"),
    "method key quotes": ("x = { 'a'() {} }", "x = { a() {} }"),
    "number style": ("f(.5, 5., 1.50, 0XAB, 1E+5, 1.0, 10n)", "f(0.5, 5, 1.5, 0xab, 1e5, 1, 10n)"),
    "regex flags": ("x = /a/gi", "x = /a/ig"),
    "a constructor without arguments": ("x = new A", "x = new A()"),
    "an awaited group": ("await (a)", "await a"),
    "a returned group": ("return (\n  a\n)", "return a"),
    "a function called at once": ("(function () {})()", "(function () {}())"),
    "comments": ("/* a */ x() // b\n// c", "x()"),
    "space in a template's hole": ("x = `${ a + b }`", "x = `${a+b}`"),
    "operator space": ("x=a+ +b", "x = a + +b"),
    "JSX parentheses": ("x = <a/>", "x = (\n  <a />\n)"),
    "JSX wrapping": ("x = <a>b c d</a>", "x = (\n  <a>\n    b c\n    d\n  </a>\n)"),
    "a JSX space": ("x = <a>b <c/></a>", "x = (\n  <a>\n    b{' '}\n    <c />\n  </a>\n)"),
    "JSX attribute quotes": ("x = <a b='c' d={'e'}/>", 'x = <a b="c" d="e" />'),
    "JSX attribute entities": ("x = <a b='&quot;'/>", "x = <a b='\"' />"),
    "a leading bar": ("type A = | 'a' | 'b'", "type A = 'a' | 'b'"),
    "a lone leading bar": ("type A = | 'a'", "type A = 'a'"),
    "type separators": ("interface A { a: B, c(): D }", "interface A {\n  a: B\n  c(): D;\n}"),
    "inline type separators": ("type A = { a: B, c: D }", "type A = { a: B; c: D }"),
    "type parentheses": ("let a: (A)[]", "let a: A[]"),
    "type key quotes": ("type A = { 'a': B }", "type A = { a: B }"),
    "an if's test in two pairs": ("if ((a)) {}", "if (a) {}"),
    "a for's header": ("for (let i=0;i<3;i++) {}", "for (let i = 0; i < 3; i++) {}"),
}

DIFFERENT = {
    "operator grouping": ("x = (a + b) * c", "x = a + b * c"),
    "right grouping": ("x = a - (b - c)", "x = a - b - c"),
    "mixed logic": ("x = a && (b || c)", "x = a && b || c"),
    "an optional chain that ends": ("(a?.b).c", "a?.b.c"),
    "a member of an awaited": ("(await a).b", "await a.b"),
    "a called constructor": ("new (a())()", "new a()()"),
    "sequence or arguments": ("f((a, b))", "f(a, b)"),
    "block or object": ("f(() => {})", "f(() => ({}))"),
    "increments": ("x = a++ + b", "x = a + ++b"),
    "a negated call": ("x = !a.b()", "x = (!a).b()"),
    "a string": ("f('a')", "f('b')"),
    "string or template": ("f('a')", "f(`a`)"),
    "string or name": ("f('a')", "f(a)"),
    "an escape": (r"f('\n')", r"f('n')"),
    "space in a string": ("f('a b')", "f('ab')"),
    "a template's text": ("f(`a${b}`)", "f(`c${b}`)"),
    "a template's space": ("f(`a ${b}`)", "f(`a${b}`)"),
    "a template's hole": ("f(`${a}`)", "f(`${b}`)"),
    "a number": ("f(1)", "f(2)"),
    "a float": ("f(1.05)", "f(1.5)"),
    "a big number": ("f(10)", "f(10n)"),
    "trailing zeros": ("f(100)", "f(1)"),
    "an operator": ("a === b", "a !== b"),
    "equality": ("a == b", "a === b"),
    "a missing await": ("await a()", "a()"),
    "an async function": ("f(async () => {})", "f(() => {})"),
    "statement order": ("a();\nb()", "b();\na()"),
    "a call or two statements": ("a\n;(b)", "a(b)"),
    "a return's value": ("return\na", "return a"),
    "an assertion out of a loop": ("for (const a of b) { c(); d() }", "for (const a of b) { c() }\nd()"),
    "a loop's header": ("for (a;; b) {}", "for (a; b;) {}"),
    "a regex": ("f(/a/)", "f(/b/)"),
    "regex flags": ("f(/a/g)", "f(/a/i)"),
    "an array's hole": ("f([a,,])", "f([a,])"),
    "an array's leading hole": ("f([,a])", "f([a])"),
    "spread": ("f(...a)", "f(a)"),
    "optional call": ("a?.()", "a()"),
    "of or in": ("for (const a of b) {}", "for (const a in b) {}"),
    "let or const": ("let a = 1", "const a = 1"),
    "a key's name": ("f({ a: 1 })", "f({ b: 1 })"),
    "a quoted key that is no name": ("f({ 'a-b': 1 })", "f({ 'a b': 1 })"),
    "computed keys": ("f({ a: 1 })", "f({ [a]: 1 })"),
    "JSX text": ("x = <a>b</a>", "x = <a>c</a>"),
    "JSX words": ("x = <a>b c</a>", "x = <a>bc</a>"),
    "JSX space before an element": ("x = <a>b <c/></a>", "x = <a>b<c/></a>"),
    "JSX attribute": ("x = <a b='c'/>", "x = <a b='d'/>"),
    "type grouping": ("let a: (A | B)[]", "let a: A | B[]"),
    "a cast's grouping": ("x = (a as B).c", "x = a as B.c"),
    "a type": ("let a: A", "let a: B"),
    "a non-null assertion": ("a!.b", "a.b"),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME.keys())
def test_what_prettier_changes_leaves_the_hash_alone(one, other):
    assert hash_first(body(one)) == hash_first(body(other))


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT.keys())
def test_what_a_runtime_notices_changes_the_hash(one, other):
    assert hash_first(body(one)) != hash_first(body(other))


@pytest.mark.parametrize("code", ["a?.b(`${c}`)", "if (a) { b() } else c()", "x = async y => await (y)", "new A(b)"])
def test_a_file_hashes_alike_under_every_grammar_that_reads_it(code):
    assert len({hash_first(body(code), grammar) for grammar in LANGUAGES}) == 1


def test_hash_of_known_code_never_changes_by_accident():
    code = """
    test.each([[1, 2], [0x3, 'four']])("adds %i", async (a, b) => {
      for (const x of a) { expect((await f(`/${x}`)).ok && b?.c).toBe(true) } // why
      return new Set
    }, 5_000)
    """
    assert hash_first(code) == "b1:3b74e4e3efc2ae2832f5"


def test_a_rename_keeps_the_hash():
    assert hash_first('it("a", () => { b() })') == hash_first("it(`c ${d}`, () => { b() })")
    assert hash_first('it("a", () => { b() })') == hash_first("it('a' + c, () => { b() })")


def test_a_table_of_cases_is_part_of_the_hash():
    assert hash_first('it.each([1, 2])("a", f)') != hash_first('it.each([1, 3])("a", f)')
    assert hash_first('it.each`a|b\n${1}|${2}`("a", f)') != hash_first('it.each`a|b\n${1}|${3}`("a", f)')


def test_aligning_a_template_table_keeps_the_hash():
    plain = 'it.each`a|b c\n${1}|${x}\n`("a", f)'
    aligned = 'it.each`\n  a    | b c\n  ${1} | ${ x }\n`("a", f)'
    assert hash_first(plain) == hash_first(aligned)


@pytest.mark.parametrize(
    "linked",
    [
        'test("n", { tag: "@IA-1" }, f)',
        'test("n", { tag: ["@IA-1", "@IA-7F3-K"], }, f)',
        'test("n", { tags: ["IA-1"] }, f)',
        '/** @atom IA-1 */ test("n", /* @atom IA-2 */ f)',
    ],
)
def test_links_are_no_part_of_the_hash(linked):
    assert hash_first(linked) == hash_first('test("n", f)')


def test_another_tag_beside_a_link_is_part_of_the_hash():
    both = hash_first('test("n", { tag: ["@slow", "@IA-1"], timeout: 1 }, f)')
    assert both == hash_first('test("n", { tag: ["@slow"], timeout: 1 }, f)')
    assert both != hash_first('test("n", { timeout: 1 }, f)')


def test_newline_style_and_byte_order_mark_leave_the_hash_alone():
    source = b"test('a', () => {\n  // b\n  f(`c\nd`)\n\n  return g\n})\n"
    assert hash_first(source.replace(b"\n", b"\r\n")) == hash_first(source)
    assert hash_first(b"\xef\xbb\xbf" + source) == hash_first(source)


def test_a_test_moved_into_a_suite_keeps_its_hash():
    inside = b"describe('s', () => {\n  test('a', () => { b() })\n})\n"
    tree = Parser(LANGUAGES["ts"]).parse(inside)
    suite = declaring_call(tree.root_node)
    callback = suite.named_children[1].named_children[1].child_by_field_name("body")
    assert callback is not None
    node = declaring_call(callback)
    hashed = prepare(tree, inside).body_hash(node.start_byte, node.end_byte, name=declared_name(node))
    assert hashed == hash_first("test('a', () => { b(); });", "ts")


def test_hashing_a_file_at_once_agrees_with_hashing_each_test():
    source = b"import 'z'\ndescribe('s', () => { it('a', () => { b && (c && d) }); (it)('b', () => `e`) })\nit('c', () => {})"
    tree = Parser(LANGUAGES["ts"]).parse(source)
    names = [(source.index(name), source.index(name) + 3) for name in (b"'s'", b"'a'", b"'b'", b"'c'")]
    starts = [source.index(start) for start in (b"describe", b"it('a'", b"(it)", b"it('c'")]
    ends = [source.index(b" })\nit") + 3, source.index(b"; (it)"), source.index(b" })\nit"), len(source)]
    declared = list(zip(starts, ends, names, strict=True))
    prepared = prepare(tree, source)
    assert prepared.body_hashes(declared) == [
        prepared.body_hash(start, end, name=name) for start, end, name in declared
    ]


def test_an_operand_with_the_same_operator_needs_no_parentheses():
    for operator in ("&&", "||", "??"):
        flat = body(f"f(a {operator} b {operator} c)")
        assert hash_first(body(f"f(a {operator} (b {operator} c))")) == hash_first(flat)
        assert hash_first(body(f"f(a {operator} ((b {operator} c)))")) != hash_first(flat)
    assert hash_first(body("f(a && (b || c))")) != hash_first(body("f((a && b) || c)"))


@pytest.mark.parametrize("operator", ["+", "&&"])
def test_last_operand_of_a_very_long_sum_is_part_of_the_hash(operator):
    terms = ["a"] * 4000
    long, changed = (body(f"f({f' {operator} '.join([*terms, last])})") for last in ("b", "c"))
    assert hash_first(long) != hash_first(changed)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("1.0", "1"),
        (".5", "0.5"),
        ("1e+05", "1e5"),
        ("1e0", "1"),
        ("0B11", "0b11"),
        ("1_0.50", "1_0.5"),
        ("5.E-1", "5e-1"),
    ],
)
def test_numbers_are_written_as_prettier_does(written, canonical):
    assert number(written.encode()).decode() == canonical
