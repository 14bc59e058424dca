"""Every small change of meaning changes the hash: each token of a sample is exchanged, each statement moved or dropped."""

import ast
import io
import tokenize
from collections.abc import Iterator

import pytest
from tree_sitter import Node, Parser

from tests.repo import test_normal_javascript as javascript
from tests.repo import test_normal_python as python

PYTHON = '''\
@pytest.mark.parametrize(("a", "b"), [(1, 0x2F), (-3.5, "four")], ids=["x", "y"])
async def test_it(self, a: int, *rest, b: str | None = None, **more):
    """Not this."""
    global seen
    data = {"k": [v for v in a if v not in b], **more}
    async with client(a, retries=3) as c, other:
        for x, y in zip(a, rest):
            if x <= 1 and not y or x is None:
                continue
            elif x % 2 == 0:
                assert (await c.get(f"/{x:>3}/{b!r}")).ok, "not ok"
                break
            else:
                data["k"][1:2] = x + y * 2 - (x - 1) ** 2
        while True:
            y += 1
            raise ValueError(f"bad {y}") from None
    with pytest.raises(KeyError, match=r"a\\d"):
        data.pop("missing")
    try:
        value = lambda q, z=1: q if z else -q
    except (KeyError, ValueError) as error:
        assert error.args[0] == b"bytes"
    finally:
        assert seen >= 1
    return value(data)(1,), [1][0]
'''

SWAPS = {
    "+": "-", "-": "+", "*": "/", "**": "*", "%": "//", "==": "!=", "<=": "<", ">=": ">", "+=": "-=", "|": "&",
    "and": "or", "or": "and", "True": "False", "None": "True", "break": "continue", "continue": "break",
}  # fmt: skip
KEPT = {"test_it"}


def mutants() -> Iterator[tuple[str, str]]:
    """Exchange one token at a time, where the outcome is still Python."""
    tokens = list(tokenize.generate_tokens(io.StringIO(PYTHON).readline))
    lines = PYTHON.splitlines(keepends=True)
    for token in tokens:
        changed = mutated(token)
        if changed is None or token.string in KEPT or token.string.startswith('"""'):
            continue
        (row, start), (_, end) = token.start, token.end
        line = lines[row - 1]
        source = "".join([*lines[: row - 1], line[:start] + changed + line[end:], *lines[row:]])
        if parses(source):
            yield f"{row}:{start} {token.string}", source


def mutated(token: tokenize.TokenInfo) -> str | None:
    if token.string in SWAPS:
        return SWAPS[token.string]
    if token.type == tokenize.NUMBER:
        return token.string + "1"
    if token.type == tokenize.STRING or tokenize.tok_name[token.type] == "FSTRING_MIDDLE":
        middle = len(token.string) // 2
        return token.string[:middle] + "m" + token.string[middle:]
    if token.type == tokenize.NAME:
        return token.string + "_m"
    return None


def parses(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


@pytest.mark.parametrize("source", [pytest.param(source, id=name) for name, source in mutants()])
def test_exchanging_a_token_changes_the_hash(source):
    assert python.hash_first(source) != python.hash_first(PYTHON)


def moved() -> Iterator[tuple[str, str]]:
    """Move the last statement of every block behind its block, and drop every statement of two."""
    count = len(list(blocks(ast.parse(PYTHON))))
    for index in range(count):
        tree = ast.parse(PYTHON)
        outer, place, inner = list(blocks(tree))[index]
        if len(inner) > 1:
            outer.insert(place + 1, inner.pop())
            yield f"moved {index}", ast.unparse(ast.fix_missing_locations(tree))
            outer.pop(place + 1)
            yield f"dropped {index}", ast.unparse(ast.fix_missing_locations(tree))


def blocks(tree: ast.AST) -> Iterator[tuple[list[ast.stmt], int, list[ast.stmt]]]:
    for node in ast.walk(tree):
        for _, body in ast.iter_fields(node):
            if isinstance(body, list):
                for place, child in enumerate(body):
                    if isinstance(child, ast.stmt):
                        inners = [value for _, value in ast.iter_fields(child) if isinstance(value, list)]
                        yield from (
                            (body, place, inner) for inner in inners if inner and isinstance(inner[0], ast.stmt)
                        )


@pytest.mark.parametrize("source", [pytest.param(source, id=name) for name, source in moved()])
def test_moving_or_dropping_a_statement_changes_the_hash(source):
    assert python.hash_first(source) != python.hash_first(ast.unparse(ast.parse(PYTHON)))


def test_the_sample_hashes_alike_when_printed_from_its_tree():
    written = PYTHON.replace("0x2F", "47")
    assert python.hash_first(written) == python.hash_first(ast.unparse(ast.parse(written)))


JAVASCRIPT = """\
test.each([[1, 0x2f], [-3.5, 'four']])('adds %i', async ({ page, a: b = 1 }, ...rest) => {
  const data = { k: [...rest, a?.b ?? c], 'x-y': `t${a + 1}u`, [b]: /a\\\\d/g };
  for (let i = 0; i < 3; i++) {
    if (i <= 1 && !b || a === null) continue;
    else if (i % 2 == 0) { expect((await page.get(`/${i}`)).ok).toBe(true); break }
    else data.k[0] = i + b * 2 - (i - 1) ** 2;
  }
  for (const x of rest) { await x.click(); x.y += 1 }
  switch (a) { case 1: b--; break; default: throw new TypeError('bad', { cause: a }) }
  try { f(data)(1) } catch (e) { expect(e.message).toMatch(/bad/i) } finally { done() }
  const g = x => x ? <p id="q" {...x}>words {x} more</p> : (typeof x, void 0);
  return new Map<string, number>([['a', g as any]]).get('a')!.c;
}, 5_000)
"""
JS_SWAPS = {
    "+": "-", "-": "+", "*": "/", "%": "/", "===": "!==", "==": "!=", "<=": "<", "<": "<=", "&&": "||", "||": "&&",
    "++": "--", "--": "++", "+=": "-=", "??": "||", "true": "false", "null": "true", "const": "let", "of": "in",
}  # fmt: skip


def leaves(node: Node) -> Iterator[Node]:
    if not node.child_count:
        yield node
    for child in node.children:
        yield from leaves(child)


def javascript_mutants() -> Iterator[tuple[str, bytes]]:
    source = JAVASCRIPT.encode()
    tree = Parser(javascript.LANGUAGES["tsx"]).parse(source)
    assert not tree.root_node.has_error
    words = {"identifier", "property_identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern",
             "string_fragment", "jsx_text", "regex_pattern", "type_identifier"}  # fmt: skip
    for leaf in leaves(tree.root_node):
        text = (leaf.text or b"").decode()
        start, end = leaf.byte_range
        if leaf.type in words and "adds" not in text:
            changed = text + "m"
        elif leaf.type == "number":
            changed = text[:-1] + ("7" if text[-1] != "7" else "8")
        elif text in JS_SWAPS:
            changed = JS_SWAPS[text]
        else:
            continue
        mutant = source[:start] + changed.encode() + source[end:]
        if not Parser(javascript.LANGUAGES["tsx"]).parse(mutant).root_node.has_error:
            yield f"{start} {text}", mutant


@pytest.mark.parametrize("source", [pytest.param(source, id=name) for name, source in javascript_mutants()])
def test_exchanging_a_leaf_of_javascript_changes_the_hash(source):
    assert javascript.hash_first(source) != javascript.hash_first(JAVASCRIPT)
