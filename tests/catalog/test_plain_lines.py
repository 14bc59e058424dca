import tomllib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pactkeeper.catalog.render import key, render
from pactkeeper.catalog.toml_text import TomlText, read_plain

noise = st.sampled_from(["", "", "", " ", "\t", "\r", "#", ".", "\x7f", "\x85", "\u2028", "é", "\\"])
names = st.sampled_from(["a", "b-1", '"a"', '"\\u0061"', "'a'", '"a.b"', "é", '"\\ud800"', "a.b"])
values = st.sampled_from(
    [
        "true",
        "1",
        "{}",
        "[]",
        '""',
        '"x"',
        "'x'",
        '"\\n"',
        '"\\e"',
        '"\\U00000041"',
        '"\\ud800"',
        '["x", "y"]',
        '["x",]',
        '["x", 1]',
    ]
)
parts = st.tuples(names, noise, st.sampled_from([".x", ".y", ""]), noise, st.just(" = "), noise, values, noise)
texts = st.lists(parts.map("".join), max_size=4).map("\n".join)
fields = st.dictionaries(
    st.text(),
    st.dictionaries(st.sampled_from("xyz"), st.text() | st.booleans() | st.lists(st.text()), min_size=1),
    max_size=4,
)


@given(texts)
@example('a.x = "1"\na.x = "1"')
@example('a.x = "1"\n"a".y = "1"')
@example('a.x = "1"\n"\\u0061".x = "1"')
def test_what_is_read_quickly_is_what_toml_says(text):
    plain = read_plain(text)
    if plain is not None:
        assert plain[0] == tomllib.loads(text)


@given(fields, st.integers(0, 2))
def test_everything_written_is_read_quickly_with_its_line(entries, gap):
    lines = [
        f"{key(name)}.{field} = {render(value)}" for name, inner in entries.items() for field, value in inner.items()
    ]
    text = ("\n" * (gap + 1)).join(lines) + "\n"
    plain = read_plain(text)
    assert plain is not None
    assert plain[0] == entries == tomllib.loads(text)
    whole = TomlText("x", text, dict(entries))
    assert plain[1] == {name: whole.line_of((name, next(iter(entries[name])))) for name in entries}


@pytest.mark.parametrize(
    "text",
    ["a.x = 1", "[a]", "a.x.y = true", "a = {}", 'a.x = "\t"', 'a.x = "y" # c', 'a.x = "y"\r\n', 'a.x = "\\ud800"'],
)
def test_other_forms_are_left_to_the_full_reader(text):
    assert read_plain(text) is None
