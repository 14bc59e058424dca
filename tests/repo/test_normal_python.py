import ast
import textwrap

import pytest
import tree_sitter_python
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tree_sitter import Language, Parser

from pactkeeper.repo.languages.python.normal import declared_name, prepare

LANGUAGE = Language(tree_sitter_python.language())


def hash_first(source: str | bytes) -> str:
    """Hash the first definition of a module."""
    data = source if isinstance(source, bytes) else textwrap.dedent(source).encode()
    tree = Parser(LANGUAGE).parse(data)
    node = next(child for child in tree.root_node.named_children if child.type != "comment")
    return prepare(tree, data).body_hash(node.start_byte, node.end_byte, name=declared_name(node))


def body(code: str) -> str:
    return "def test_it():\n" + textwrap.indent(textwrap.dedent(code), "    ") + "\n"


SAME = {
    "quotes": ("x = 'a'", 'x = "a"'),
    "quotes that need no escape any more": (r"x = 'it\'s'", '''x = "it's"'''),
    "an escape that nobody needs": (r"""x = 'a\"b' """, """x = 'a"b'"""),
    "triple quotes": ("x = '''a\nb'''", 'x = """a\nb"""'),
    "prefix case": ("x = F'a' + B'b' + U'c'", "x = f'a' + b'b' + 'c'"),
    "escape case": (r"x = '\xAB\N{dash}'", r"x = '\xab\N{DASH}'"),
    "implicit concatenation split": ("x = 'abc'", "x = ('a'\n     'b' 'c')"),
    "an f-string among joined strings": ("x = f'a{b}' 'c{'", "x = f'a{b}c{{'"),
    "a joined bytes literal": ("x = b'ab'", "x = (b'a'\n  b'b')"),
    "number case": ("x = 0XFF + 1E5 + 1J", "x = 0xff + 1e5 + 1j"),
    "line wrapping": ("x = f(1, 2)", "x = f(\n    1,\n    2,\n)"),
    "a backslash": ("x = 1 + \\\n    2", "x = 1 + 2"),
    "magic trailing commas": ("x = [1, 2,]; y = {3: 4,}; f(5,)", "x = [1, 2]\ny = {3: 4}\nf(5)"),
    "trailing comma of a subscript of two": ("x[1, 2,]", "x[1, 2]"),
    "semicolons": ("a(); b()", "a()\nb()"),
    "return parentheses": ("return (a)", "return a"),
    "a wrapped return": ("return a, b", "return (\n    a,\n    b,\n)"),
    "assert parentheses": ("assert (a == b), (c)", "assert a == b, c"),
    "assignment parentheses": ("x = (a or b)", "x = a or b"),
    "a tuple without parentheses": ("x = 1,", "x = (1,)"),
    "for parentheses": ("for (x, y) in (z): pass", "for x, y in z:\n    pass"),
    "a single for target": ("for (x) in z: pass", "for x in z:\n    pass"),
    "with parentheses": ("with (open(a) as b, c): pass", "with open(a) as b, c:\n    pass"),
    "a wrapped with": ("with a as b: pass", "with (\n    a as b,\n): pass"),
    "with parentheses around one": ("with (a): pass", "with a: pass"),
    "with one in a wrapped list": ("with (a,): pass", "with a: pass"),
    "del parentheses": ("del (a), (b)", "del a, b"),
    "del of a tuple": ("del (a, b)", "del a, b"),
    "except parentheses": ("try: a\nexcept (B, C): d", "try:\n    a\nexcept B, C:\n    d"),
    "import parentheses": ("from a import (b, c,)", "from a import b, c"),
    "class parentheses": ("class A(): pass", "class A:\n    pass"),
    "a power below a minus": ("x = -2 ** 8", "x = -(2**8)"),
    "clarified operators": ("x = a and b or c", "x = (a and b) or c"),
    "an in-clause": ("if not (a in b): pass", "if not a in b: pass"),
    "a walrus": ("if (a := b): pass", "if a := b: pass"),
    "a conditional": ("f(a if b else c)", "f((a if b else c))"),
    "an awaited group": ("await (a(b))", "await a(b)"),
    "a yielded group": ("x = (yield a)", "x = yield a"),
    "comments": ("# a\nx = 1  # b\n# c", "x = 1"),
    "blank lines": ("x = 1\n\n\ny = 2", "x = 1\ny = 2"),
    "a one-line block": ("if a: b; c", "if a:\n    b\n    c"),
    "a docstring": ("'''Doc.'''\nx = 1", "x = 1"),
    "a nested docstring": ("def g():\n    '''Doc.\n    x\n    '''\n    return 1", "def g():\n    return 1"),
    "an annotated union": ("def g(a: A | None): pass", "def g(a: (A | None)): pass"),
    "a return type": ("def g() -> (A): pass", "def g() -> A: pass"),
    "space in an f-string's hole": ("x = f'{ a + b }'", "x = f'{a+b}'"),
    "quotes in an f-string's hole": ("x = f'{a[\"b\"]}'", "x = f\"{a['b']}\""),
    "operator space": ("x=a[1 : 2]**-b", "x = a[1:2] ** -b"),
    "words of an operator": ("assert a is  not b and c not   in d", "assert a is not b and c not in d"),
    "tabs": ("if a:\n\tb", "if a:\n    b"),
    "matched parentheses": ("match (a):\n  case (1): pass", "match a:\n  case 1: pass"),
}

DIFFERENT = {
    "operator grouping": ("x = (a + b) * c", "x = a + b * c"),
    "right grouping": ("x = a - (b - c)", "x = a - b - c"),
    "comparison grouping": ("x = (a < b) < c", "x = a < b < c"),
    "an attribute of a group": ("x = (a + b).c", "x = a + b.c"),
    "a called lambda": ("x = (lambda: a)()", "x = lambda: a()"),
    "a negated comparison": ("x = (not a) == b", "x = not a == b"),
    "a power of a negative": ("x = (-2) ** 8", "x = -2**8"),
    "an awaited attribute": ("x = (await a).b", "x = await a.b"),
    "a tuple of one": ("x = (1,)", "x = (1)"),
    "a subscript tuple": ("x = a[1,]", "x = a[1]"),
    "a nested tuple": ("x = (a, b), c", "x = a, b, c"),
    "a tuple argument": ("f((a, b))", "f(a, b)"),
    "an asserted tuple": ("assert (a, b)", "assert a, b"),
    "a string": ("x = 'a'", "x = 'b'"),
    "a space in a string": ("x = 'a b'", "x = 'ab'"),
    "two strings": ("f('a', 'b')", "f('ab')"),
    "string or name": ("x = 'a'", "x = a"),
    "bytes or text": ("x = b'a'", "x = 'a'"),
    "raw or not": (r"x = r'\n'", r"x = '\n'"),
    "formatted or not": ("x = f'{a}'", "x = '{a}'"),
    "text in an f-string": ("x = f'a{b}'", "x = f'c{b}'"),
    "a format": ("x = f'{a:>3}'", "x = f'{a:<3}'"),
    "space in a format": ("x = f'{a:%Y %m}'", "x = f'{a:%Y%m}'"),
    "a conversion": ("x = f'{a!r}'", "x = f'{a!s}'"),
    "lines of a string": ("x = '''a\n b'''", "x = '''a\nb'''"),
    "a number": ("x = 1", "x = 2"),
    "float or integer": ("x = 1.0", "x = 10"),
    "two numbers": ("f(1, 0)", "f(10)"),
    "an operator": ("assert a == b", "assert a != b"),
    "a negation": ("assert a", "assert not a"),
    "an assert out of a loop": ("for a in b:\n    c\n    assert d", "for a in b:\n    c\nassert d"),
    "an else elsewhere": ("if a:\n  if b: c\n  else: d", "if a:\n  if b: c\nelse: d"),
    "statement order": ("a()\nb()", "b()\na()"),
    "a call or two statements": ("a\n(b)", "a(b)"),
    "a difference or two statements": ("a\n-b", "a - b"),
    "a name": ("assert a", "assert b"),
    "an await": ("await a()", "a()"),
    "a keyword argument": ("f(a=1)", "f(a, 1)"),
    "a starred argument": ("f(*a)", "f(**a)"),
    "slice or pair": ("x[1:2]", "x[1, 2]"),
    "set or dictionary": ("x = {1, 2}", "x = {1: 2}"),
    "list or set": ("x = [1]", "x = {1}"),
    "a string that is no docstring": ("x = 1\n'a'", "x = 1\n'b'"),
    "a type": ("x: int = 1", "x: str = 1"),
    "a nested name": ("def g(): pass", "def h(): pass"),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME.keys())
def test_what_formatters_change_leaves_the_hash_alone(one, other):
    assert hash_first(body(one)) == hash_first(body(other))


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT.keys())
def test_what_python_notices_changes_the_hash(one, other):
    assert hash_first(body(one)) != hash_first(body(other))


def test_hash_names_its_version_and_has_a_fixed_length():
    assert hash_first(body("pass")).startswith("b1:")
    assert len(hash_first(body("pass"))) == len("b1:") + 20


def test_hash_of_known_code_never_changes_by_accident():
    code = '''
    @pytest.mark.parametrize(("a", "b"), [(1, 0x2), (3.5, "four")])
    async def test_it(self, a, b: int | None = None):
        """Doc."""
        async with client(a) as c, other:
            for x in range(b):
                assert (await c.get(f"/{x:>3}/{b!r}")).ok, "not ok"  # why
        return -(a + 1) ** 2
    '''
    assert hash_first(code) == "b1:0d6855cefff1d39fda74"


def test_a_string_continued_on_the_next_line_is_the_string_it_makes():
    assert hash_first("def test_it():\n    x = 'a\\\nb'\n") == hash_first(body("x = 'ab'"))


def test_a_rename_keeps_the_hash():
    assert hash_first("def test_a(x):\n    assert x\n") == hash_first("def test_b(x):\n    assert x\n")


def test_decorators_are_part_of_the_hash():
    plain = "def test_a(x):\n    assert x\n"
    assert hash_first("@skip\n" + plain) != hash_first(plain)
    assert hash_first("@table([1, 2])\n" + plain) != hash_first("@table([1, 3])\n" + plain)


@pytest.mark.parametrize(
    "marker",
    [
        '@pytest.mark.atom("IA-1")',
        "@mark.atom('IA-1', 'IA-2',)",
        '@pytest.mark.atom(\n    "IA-1"\n)  # why',
        "# @atom IA-1",
    ],
)
def test_links_are_no_part_of_the_hash(marker):
    plain = "@skip\ndef test_a(x):\n    assert x\n"
    assert hash_first(f"{marker}\n{plain}") == hash_first(plain)
    assert hash_first(plain.replace("def", f"{marker}\ndef")) == hash_first(plain)


def test_another_marker_that_starts_alike_is_part_of_the_hash():
    plain = "def test_a(x):\n    assert x\n"
    assert hash_first("@pytest.mark.atomic\n" + plain) != hash_first(plain)


def test_newline_style_and_byte_order_mark_leave_the_hash_alone():
    source = b'def test_a():\n    """Doc.\n    x"""\n    assert f("a\\\n b", """c\nd""")\n'
    assert hash_first(source.replace(b"\n", b"\r\n")) == hash_first(source)
    assert hash_first(b"\xef\xbb\xbf" + source) == hash_first(source)


def test_a_test_moved_into_a_class_keeps_its_hash():
    inside = b"class TestA:\n    def test_a(self):\n        assert 1\n"
    tree = Parser(LANGUAGE).parse(inside)
    suite = tree.root_node.named_children[0].child_by_field_name("body")
    assert suite is not None
    method = suite.named_children[0]
    hashed = prepare(tree, inside).body_hash(method.start_byte, method.end_byte, name=declared_name(method))
    assert hashed == hash_first("def test_a(self):\n    assert 1\n")


def test_hashing_a_file_at_once_agrees_with_hashing_each_test():
    source = b"import a\n\n@b\ndef test_a(self):\n    assert 'x', (c)\n\nclass A:\n    def test_b(self): return (1,)\n"
    prepared = prepare(Parser(LANGUAGE).parse(source), source)
    first, second = source.index(b"test_a"), source.index(b"test_b")
    declared = [
        (source.index(b"@b"), source.index(b"\n\nclass"), (first, first + 6)),
        (source.index(b"def test_b"), len(source) - 1, (second, second + 6)),
    ]
    assert prepared.body_hashes(declared) == [
        prepared.body_hash(start, end, name=name) for start, end, name in declared
    ]


def test_broken_syntax_still_has_a_hash():
    assert hash_first("def test_a(:\n    assert (\n") != hash_first("def test_b(:\n    assert [\n")


NAMES = st.sampled_from(["a", "b", "'s'", "1", "f()"])
BINARY = ["+", "*", "-", "**", "<", "==", "and", "or", "in", "is not", "|"]


def extend(inner):
    def pair(operator):
        return st.tuples(inner, inner).map(lambda sides: f"{sides[0]} {operator} {sides[1]}")

    return st.one_of(
        st.sampled_from(BINARY).flatmap(pair),
        inner.map("not {}".format),
        inner.map("-{}".format),
        inner.map("({})".format),
        inner.map("({},)".format),
        inner.map("({}).x".format),
        inner.map("g({})".format),
        st.tuples(inner, inner).map(lambda sides: "{} if {} else b".format(*sides)),
        inner.map("lambda: {}".format),
        st.tuples(inner, inner).map(lambda sides: "({}, {})".format(*sides)),
    )


EXPRESSIONS = st.recursive(NAMES, extend, max_leaves=5)


def dumped(text: str) -> str | None:
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:
        return None


@settings(max_examples=settings().max_examples * 4)
@given(EXPRESSIONS)
def test_unparsing_an_expression_keeps_its_hash(expression):
    tree = dumped(expression)
    assume(tree is not None)
    canonical = ast.unparse(ast.parse(expression))
    assert hash_first(body(f"return {expression}")) == hash_first(body(f"return {canonical}"))


@settings(max_examples=settings().max_examples * 4)
@given(EXPRESSIONS, st.data())
def test_moving_parentheses_changes_the_hash_when_it_changes_the_tree(expression, data):
    spots = [index for index, character in enumerate(expression) if character in "()"]
    assume(len(spots) > 1)
    opening = data.draw(st.sampled_from(spots))
    without = expression[:opening] + expression[opening + 1 :]
    closing = data.draw(st.sampled_from(range(len(without) + 1)))
    other = without[:closing] + expression[opening] + without[closing:]
    assume(dumped(expression) is not None and dumped(other) is not None)
    same = hash_first(body(f"return {expression}")) == hash_first(body(f"return {other}"))
    assert same == (paired(expression) == paired(other))


class Pairing(ast.NodeTransformer):
    """Python's tree tells `(a or b) or c` from `a or b or c`, which mean the same: nest both to the left."""

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        first, *rest = node.values
        for value in rest:
            first = ast.BoolOp(node.op, [first, value])
        return first


def paired(text: str) -> str:
    return ast.dump(Pairing().visit(ast.parse(text)))
