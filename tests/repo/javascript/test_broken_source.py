from __future__ import annotations

import pytest

from pactkeeper.repo.languages.javascript.adapter import JAVASCRIPT
from tests.repo.javascript.project import JEST, VITEST, collected, discover, titles


def one(source, path="a.test.ts"):
    return discover({**VITEST, path: source})


def test_what_parsed_around_broken_syntax_is_collected_with_a_gap():
    tests, gaps = one("it('a', () => {});\n\nit('b', () => { const = ; });\nit('c', () => {});\n")
    assert {t.name for t in tests} == {"a", "c"}
    assert [(g.file, g.line) for g in gaps] == [("a.test.ts", 3)]
    assert "syntax error" in gaps[0].reason


SHOP = """describe('shop', () => {
  it('sells', () => {
    expect(sell(1)).toBe(1);
  });
  it('returns', () => {
    expect(back([1])).toEqual([]);
  });
});
"""


@pytest.mark.parametrize("at", [at for at, letter in enumerate(SHOP) if letter in "(){}[]'"])
def test_a_bracket_or_quote_that_is_missing_gives_no_test_another_name(at):
    tests, gaps = one(SHOP[:at] + SHOP[at + 1 :])
    assert {t.id for t in tests} <= {"a.test.ts::shop::sells", "a.test.ts::shop::returns"}
    assert len(gaps) == 1


@pytest.mark.parametrize("row", range(9))
@pytest.mark.parametrize("odd", ["});", "}", "{", "'", "\0", "<<<<<<< HEAD"])
def test_a_line_too_many_gives_no_test_another_name(odd, row):
    lines = SHOP.splitlines()
    tests, gaps = one("\n".join([*lines[:row], odd, *lines[row:]]))
    assert {t.id for t in tests} <= {"a.test.ts::shop::sells", "a.test.ts::shop::returns"}
    assert gaps


def test_broken_words_in_one_test_cost_no_other():
    tests, _ = one(SHOP.replace("back([1])", "back = = [1]"))
    assert [t.id for t in tests] == ["a.test.ts::shop::sells"]


def test_a_suite_whose_name_is_broken_names_no_test():
    tests, (gap,) = one("describe(a b, () => {\n  it('a', () => {});\n});\n")
    assert (tests, "no test of the file is listed" in gap.reason) == ([], True)


def test_valid_typescript_that_the_grammar_does_not_know_is_no_gap():
    source = """
    export type * from './types';
    interface Box<in out T> { value: T }
    type Read<out T> = () => T;
    it('a', () => {});
    """
    assert titles(source) == ["a"]


@pytest.mark.parametrize("escape", [r"\u", r"\u000", r"\u{", r"\u{g}", r"\x", r"\u{0000"])
def test_any_escape_is_valid_in_a_tagged_template_and_an_error_in_a_plain_one(escape):
    source = f"it('a', () => {{\n  run(tag`x {escape}`);\n}});\nit('b', () => {{}});\n"
    tests, gaps = one(source)
    assert ([t.name for t in tests], gaps) == (["a", "b"], [])
    assert len(one(source.replace("tag`", "`"))[1]) == 1


def test_flow_types_in_javascript_are_read():
    assert titles(
        "// @flow\nconst f = (x: number): string => `${x}`;\nit('a', () => {});", base=JEST, path="a.test.js"
    ) == ["a"]


def test_line_ends_and_byte_order_mark():
    (test,) = collected({**VITEST, "a.test.ts": b"\xef\xbb\xbf// x\r\n\r\nit('a',\r\n  () => {});\r\n"})
    assert (test.line, test.end_line) == (3, 4)


def test_line_ends_do_not_change_the_hash():
    source = "it('a', () => {\n  run(`x\n  y`);\n});\n"
    (unix,) = collected({**VITEST, "a.test.ts": source})
    (windows,) = collected({**VITEST, "a.test.ts": source.replace("\n", "\r\n").encode()})
    assert unix.body_hash == windows.body_hash


def test_latin_1_is_read_with_a_gap():
    tests, gaps = one(b"it('a', () => {});\nit('caf\xe9', () => {});\n")
    assert [t.name for t in tests] == ["a", "caf\ufffd"]
    assert [(g.line, "UTF-8" in g.reason) for g in gaps] == [(2, True)]


def test_utf_16_is_read():
    tests, _ = one("\ufeffit('über', () => {});\n".encode("utf-16-le"))
    assert [t.name for t in tests] == ["über"]


def test_nul_bytes_are_a_gap():
    tests, gaps = one(b"it('a', () => {});\n\0\nit('b', () => {});\n")
    assert tests == []
    assert any("NUL" in g.reason for g in gaps)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16"])
def test_words_in_another_encoding_are_no_reason_to_pass_a_file_over(encoding):
    assert JAVASCRIPT.worth_parsing("it('a', () => {});\n".encode(encoding))
    assert not JAVASCRIPT.worth_parsing(b"export const a = 1;\n")


def test_empty_and_binary_files_are_read_without_failing():
    for source in (b"", b"\xff" * 1000, bytes(range(256)) * 10, b"`", b"it(", b"it('", b"/*", b"import", b"it.each`"):
        JAVASCRIPT.parse("a.test.ts", source, "")


def test_deep_nesting_costs_no_stack():
    depth = 400
    source = "describe('s', () => {" * depth + "it('a', () => {});" + "});" * depth
    tests, _ = one(source)
    assert [len(t.suite) for t in tests] == [depth]


def test_nesting_that_nobody_writes_is_a_gap():
    for opening, closing in (("(", ")"), ("[", "]"), ("describe('s', () => {", "});")):
        tests, gaps = one(f"it('a', () => {{ {opening * 5_000}{closing * 5_000} }});")
        assert tests == []
        assert [g.reason for g in gaps] == ["the file nests too deeply to be read"]


def test_a_text_that_the_parser_comes_to_no_end_with_is_a_gap():
    tests, gaps = one("it('a', () => { expect(1).toBe(1); });\n[1,(){}); /9}`c(,]]", "a.test.tsx")
    assert tests == []
    assert ["the parser takes more than" in g.reason for g in gaps] == [True]


def test_long_sums_cost_no_stack():
    tests, _ = one(
        f"it('a', () => {{}});\nit({'+'.join(['x'] * 1000)}, () => {{}});\nit({'+'.join(['`x`'] * 1000)}, () => {{}});"
    )
    assert [t.name[:4] for t in tests] == ["a", "x+x+", "xxxx"]


def test_every_test_of_a_very_large_file_is_read():
    source = b"".join(b"it('case %d', () => { expect(add(%d, 1)).toBe(2); });\n" % (i, i) for i in range(20_000))
    tests, gaps = one(source.decode())
    assert (len(tests), gaps) == (20_000, [])


def test_oversized_file_is_a_gap():
    tests, gaps = one(b"it('a', () => {});" + b" " * (33 << 20))
    assert tests == []
    assert "not read" in gaps[0].reason


@pytest.mark.parametrize("deep", ["*/" * 50_000, "x = " + "1 + " * 30_000 + "1"])
def test_a_file_nested_deeper_than_the_parser_can_be_asked_about_is_a_gap(deep):
    tests, gaps = one(f"it('a', () => {{}});\n{deep}")
    assert (tests, [gap.file for gap in gaps]) == ([], ["a.test.ts"])
    assert "syntax tree is over 4,000 levels deep" in gaps[0].reason
