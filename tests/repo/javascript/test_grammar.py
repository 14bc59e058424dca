"""What the grammars misread is read as it is meant."""

import pytest

from pactkeeper.repo.languages.javascript.grammar import parse

CALLS = [
    b"const real = await vi.importActual<typeof import('./shop')>('./shop');",
    b'vi.mock("./shop", async (original) => ({ ...(await original<typeof import("./shop")>()), sell }));',
    b"let shop: typeof import('./shop');",
]


@pytest.mark.parametrize("name", ["a.test.ts", "a.test.tsx"])
@pytest.mark.parametrize("source", CALLS)
def test_the_type_of_a_module_is_a_type_wherever_it_stands(source, name):
    tree = parse(name, source)
    assert not tree.root_node.has_error
    assert "binary_expression" not in str(tree.root_node)
    assert tree.root_node.end_byte == len(source)


def test_a_module_that_is_loaded_stays_a_call():
    assert "import" in str(parse("a.test.ts", b"const shop = await import('./shop');").root_node)
