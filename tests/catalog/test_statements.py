import tomllib

from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.catalog.render import inline_table, key, render
from pactkeeper.catalog.statements import split

NASTY = '''# top
[IA-1]  # c
intent = """
[IA-2]
x = "not a key"
# no comment
"""
b = ["""]
[IA-3]""", # ] "
  'x]', "y\\"]"
]
"c.d" . 'e' = { a = [1, {b = "}"}] } # } "
[[p.r]]
s = ''\'
[IA-4]
''\'
last = 1'''


def test_every_character_belongs_to_exactly_one_statement():
    statements = split(NASTY)
    assert "".join(NASTY[one.start : one.end] for one in statements) == NASTY


def test_strings_that_look_like_headers_do_not_split():
    assert [one.path for one in split(NASTY) if one.kind == "header"] == [("IA-1",), ("p", "r")]
    assert [one.path for one in split(NASTY) if one.kind == "pair"] == [
        ("IA-1", "intent"),
        ("IA-1", "b"),
        ("IA-1", "c.d", "e"),
        ("p", "r", "s"),
        ("p", "r", "last"),
    ]


def test_a_value_ends_before_its_comment():
    text = 'a = "x"  # why\nb = [1]\t\nc = 2030-01-02 # x\nd = 1'
    assert [text[slice(*one.value)] for one in split(text)] == ['"x"', "[1]", "2030-01-02", "1"]


def test_crlf_belongs_to_the_statement_and_not_to_the_value():
    text = "a = 1\r\n\r\n# c\r\n[t]\r\nb = 'x'\r\n"
    statements = split(text)
    assert [one.kind for one in statements] == ["pair", "blank", "comment", "header", "pair"]
    assert text[slice(*statements[0].value)] == "1"
    assert text[slice(*statements[4].value)] == "'x'"


def test_lines_count_from_one_and_through_long_values():
    assert [one.line for one in split(NASTY)] == [1, 2, 3, 8, 12, 13, 14, 17]


def test_text_that_is_no_toml_still_splits():
    assert [one.kind for one in split("= 1\n[x\n]]\nok = 1\n<<<<<<< HEAD\n")] == [
        "broken",
        "broken",
        "broken",
        "pair",
        "broken",
    ]


values = st.recursive(
    st.text()
    | st.booleans()
    | st.integers(-(2**62), 2**62)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.dates(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(st.text())
def test_any_text_comes_back_from_one_line(text):
    written = render(text)
    assert "\n" not in written
    assert tomllib.loads(f"a = {written}") == {"a": text}


@given(st.dictionaries(st.text(), values, max_size=5))
def test_any_values_come_back_and_split_where_they_were_joined(fields):
    text = "".join(f"{key(name)} = {render(value)} # {number}\n" for number, (name, value) in enumerate(fields.items()))
    assert tomllib.loads(text) == fields
    statements = split(text)
    assert [one.path for one in statements] == [(name,) for name in fields]
    assert [text[slice(*one.value)] for one in statements] == [render(value) for value in fields.values()]


@given(st.dictionaries(st.text(), values, max_size=5))
def test_an_inline_table_is_one_line_that_reads_back(fields):
    written = inline_table(fields)
    assert len(written.splitlines()) == 1
    assert tomllib.loads(f"a = {written}") == {"a": fields}


@given(st.text(alphabet="[]{}=\"'#\\ab.-, \n\r\t", max_size=40))
def test_any_text_splits_without_loss_and_like_tomllib_where_that_reads_it(text):
    statements = split(text)
    assert "".join(text[one.start : one.end] for one in statements) == text
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    assert "broken" not in {one.kind for one in statements}
    assert {one.path[0] for one in statements if one.path} == data.keys()
