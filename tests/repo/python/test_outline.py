"""What is read from a Python module beside its tests: definitions, documentation, imports, references."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pactkeeper.repo.languages.outline import Import
from pactkeeper.repo.languages.python.outline import outline_of, uses_of


def signatures(source):
    return [one.signature for one in outline_of(source.encode()).definitions]


def one(source, name):
    (found,) = [each for each in outline_of(source.encode()).definitions if each.name == name]
    return found


def chains(source):
    return [chain for _, chain in uses_of(source.encode()).chains]


def test_functions_classes_and_methods_are_listed_with_signatures():
    source = (
        "class Basket(Bag):\n"
        "    def __init__(self, owner, *, limit=10):\n        pass\n"
        "    async def add(self, name: str) -> None:\n        pass\n"
        "def total(*baskets: Basket) -> int:\n    return 1\n"
    )
    assert signatures(source) == [
        "class Basket(Bag): __init__(self, owner, *, limit=10)",
        "def Basket.__init__(self, owner, *, limit=10)",
        "async def Basket.add(self, name: str) -> None",
        "def total(*baskets: Basket) -> int",
    ]


def test_a_class_of_fields_is_made_from_them():
    source = "@dataclass\nclass Row:\n    name: str\n    size: int = 3  # bytes\n"
    assert signatures(source)[0] == "class Row: name: str, size: int = 3"


def test_comments_among_parameters_are_left_out():
    assert signatures("def f(  # noqa: X\n    a,  # first\n    b=(1,  # one\n       2),\n): ...\n") == [
        "def f(a, b=(1, 2))"
    ]


def test_what_does_not_fit_is_marked():
    (found,) = signatures(f"def f({', '.join(f'parameter{n}: int' for n in range(40))}): ...\n")
    assert found.endswith("…")
    assert len(found) == 240


def test_docstrings_are_read_without_quotes_and_indentation():
    source = 'def f():\n    """First line.\n\n    Second.\n        Deeper.\n    """\n'
    found = one(source, "f")
    assert (found.doc, found.doc_line) == ("First line.\n\nSecond.\n    Deeper.", 2)


@pytest.mark.parametrize("body", ['f"no docstring"', 'b"none"', '1\n    "late"', "# only a comment\n    pass"])
def test_other_strings_are_no_docstrings(body):
    assert one(f"def f():\n    {body}\n", "f").doc == ""


def test_the_documentation_of_a_module_may_follow_a_comment():
    found = outline_of(b'#!/usr/bin/python\n# licence\n"""All of it."""\nimport a\n')
    assert (found.doc, found.doc_line) == ("All of it.", 3)


def test_definitions_under_conditions_count_and_overloads_do_not():
    source = "if x:\n    def a(): ...\nelse:\n    def b(): ...\ntry:\n    class C: ...\nexcept E:\n    C = None\n"
    assert [each.name for each in outline_of(source.encode()).definitions] == ["a", "b", "C", "C"]
    assert signatures("@overload\ndef f(a: int): ...\ndef f(a): ...\n") == ["def f(a)"]


def test_imports_are_found_wherever_they_stand():
    source = "import a.b, c as d\nfrom .e import f as g, h\nfrom i import *\ndef x():\n    import j\n"
    found = outline_of(source.encode())
    assert found.imports == (
        Import("a", "a", "*"),
        Import("d", "c", "*"),
        Import("g", ".e", "f"),
        Import("h", ".e", "h"),
        Import("*", "i", "*"),
        Import("j", "j", "*"),
    )
    assert Import("j", "j", "*") not in found.exports


@pytest.mark.parametrize(
    ("annotation", "chain"),
    [
        ("Basket", "Basket()"),
        ("'Basket'", "Basket()"),
        ("Optional[shop.Basket]", "shop.Basket()"),
        ("Iterator[Basket]", "Basket()"),
        ("Basket | None", "Basket()"),
        ("Self", "Self()"),
        ("str", ""),
        ("list[Basket]", ""),
        ("None", ""),
    ],
)
def test_what_a_function_gives_is_read_from_its_type(annotation, chain):
    assert one(f"def f() -> {annotation}: ...\n", "f").gives == chain


def test_local_names_stand_for_what_they_were_assigned():
    source = "from shop import Basket\ndef test_a():\n    basket = Basket(1)\n    basket.add('x').done\n"
    assert "Basket().add().done" in chains(source)


def test_what_is_entered_awaited_and_annotated_is_followed():
    source = (
        "from shop import Shop, Till\n"
        "async def test_a(till: Till):\n"
        "    async with Shop() as shop:\n        await shop.open()\n    till.pay()\n"
    )
    assert {"Shop().open()", "Till().pay()"} <= set(chains(source))


def test_a_parameter_of_a_test_is_what_a_fixture_of_its_name_gives():
    assert chains("def test_a(client):\n    client.get()\n") == ["client()", "client().get()"]


def test_parameters_of_functions_inside_a_test_are_nobodys_fixtures():
    assert chains("def test_a():\n    def view(request):\n        request.args\n") == []


def test_what_methods_assign_to_self_is_known_in_all_of_them():
    source = (
        "from shop import Basket\nclass TestA:\n"
        "    def test_a(self):\n        self.basket.add()\n"
        "    def setup_method(self):\n        self.basket = Basket()\n"
    )
    assert "Basket().add()" in chains(source)


def test_a_name_that_something_else_was_assigned_to_is_no_reference():
    source = "from shop import item\ndef test_a():\n    for item in []:\n        item.price\n"
    assert chains(source) == []


def test_names_of_other_modules_strings_and_keywords_are_no_references():
    assert chains("from shop import a\ndef test_a():\n    f(a=1, b='a')\n    x.a\n") == []


def test_what_a_fixture_returns_is_known_without_a_type():
    uses = uses_of(
        b"from shop import Shop\ndef app():\n    app = Shop()\n    yield app\ndef typed() -> int:\n    return app\n"
    )
    assert uses.gives["app"] == "Shop()"


def test_code_nested_deeper_than_anybody_writes_is_left_out_and_no_error():
    deep = "from shop import a\nx = " + "(" * 3000 + "a" + ")" * 3000 + "\n" + "y = " + "a." * 3000 + "b\nz = a.c\n"
    assert (4, "a.c") in uses_of(deep.encode()).chains
    assert outline_of(deep.encode()).imports


@given(st.text(alphabet="abc def()\n:.,=@\"'[]{}#\\class import from as with", max_size=200))
@settings(max_examples=settings().max_examples * 2)
def test_broken_source_never_stops_the_reading(source):
    outline_of(source.encode())
    uses_of(source.encode())
