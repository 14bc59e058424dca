"""Errors that a test throws itself where it expects the product to."""

import pytest

from tests.repo.javascript.project import NODE
from tests.repo.javascript.strength_cases import HEAD, became, body

RAISES = "expect(() => save(1)).toThrow(/plain/);"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (RAISES, "expect(() => { save(1); throw new Error('plain'); }).toThrow(/plain/);"),
        (RAISES, "expect(() => { save(1); throw new TypeError('plain'); }).toThrow(/plain/);"),
        (RAISES, "expect(() => { throw new Error('plain'); }).toThrow(/plain/);"),
        (RAISES, "expect(() => { fail(); }).toThrow(/plain/);\nfunction fail() { throw new Error('plain'); }"),
        (RAISES, "expect(() => { throw new price.Failure('plain'); }).toThrow(/plain/);"),
        (RAISES, "expect(() => JSON.parse('{')).toThrow(/plain/);"),
    ],
)
def test_a_thrown_error_comes_from_the_product(before, after):
    assert became(body(before), body(after)).startswith("error")


@pytest.mark.parametrize("after", ["save(2)", "savee(1)", "load(1)"])
def test_an_error_of_another_call_or_input_is_a_warning(after):
    assert became(body(RAISES), body(RAISES.replace("save(1)", after))) == "warning subject"


@pytest.mark.parametrize(
    "after",
    [
        "const one = 1;\nexpect(() => save(one)).toThrow(/plain/);",
        "const fails = () => save(1);\nexpect(fails).toThrow(/plain/);",
        "expect(() => { const saved = save(1); }).toThrow(/plain/);",
        "let caught;\ntry { save(1); } catch (error) { caught = error; }\nexpect(caught.message).toMatch(/plain/);",
    ],
)
def test_the_same_error_of_the_same_call_is_no_loss(after):
    assert not became(body(RAISES), body(after)).startswith("error")


THROWN_BY = """function thrownBy(action) {
  try {
    action();
  } catch (error) {
    return error;
  }
  %s
}
"""


@pytest.mark.parametrize(
    ("last", "said", "expected"),
    [
        ("throw new Error('nothing');", "{ code: 'full', message: 'plain' }", "silent"),
        ("throw new Error('nothing');", "{ code: 'full' }", "error loosened"),
        ("return {};", "{ code: 'full', message: 'plain' }", "warning changed"),
    ],
)
def test_a_helper_that_gives_the_error_or_throws_expects_it(last, said, expected):
    before = body(
        "try {\n  save(1);\n  expect.unreachable();\n} catch (error) {\n  expect(error).toBeInstanceOf(Full);\n"
        "  expect(error).toMatchObject({ code: 'full', message: 'plain' });\n}"
    )
    after = f"const error = thrownBy(() => save(1));\nexpect(error).toBeInstanceOf(Full);\nexpect(error).toMatchObject({said});"
    told = became(before, body(after, head=HEAD + THROWN_BY % last))
    assert told == expected or (expected == "warning changed" and told != "silent")


SNAPSHOT = "expect(() => save(1)).toThrowErrorMatchingInlineSnapshot(`{0}`);"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (SNAPSHOT.format('"no \\\\"one\\\\" there"'), SNAPSHOT.format('no "one" there'), "silent"),
        (SNAPSHOT.format('"no one there"'), SNAPSHOT.format("no two there"), "warning expectation"),
        (SNAPSHOT.format('"no one there"'), "expect(() => save(1)).toThrow();", "error loosened"),
        (
            'expect(load()).toMatchInlineSnapshot(`"the price"`);',
            "expect(load()).toMatchInlineSnapshot(`the price`);",
            "silent",
        ),
    ],
)
def test_a_snapshot_may_be_written_without_quotation_marks(before, after, expected):
    assert became(body(before), body(after)) == expected


def test_the_same_words_of_another_call_are_not_taken_for_fewer_words():
    before = body("load();\nexpect(() => load().save(1)).toThrow('plain');\nexpect(() => load().save(1)).toThrow();")
    assert became(before, before.replace("load().save", "save")) == "silent"


def test_the_code_of_an_error_is_expected_with_its_message():
    test = "{0}const {{ load }} = require('../src/shop');\ntest('works', (t) => {{\n{1}\n}});\n"
    caught = "try {{ load(''); {0}.fail(); }} catch (e) {{ {0}.equal(e.code, 'E1'); {0}.equal(e.message, 'no'); }}"
    before = test.format("const { test } = require('tap');\n", caught.format("t"))
    after = test.format("const { test } = require('node:test');\n", caught.format("t.assert"))
    assert became(before, after, runner=NODE) == "silent"
    assert became(before, after.replace("E1", "E2"), runner=NODE) == "warning expectation"


SNAPSHOT = "expect(() => save(1)).toThrowErrorMatchingInlineSnapshot(`\n  %s\n`);"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("first\n  second", "first\n  another"),
        ("first\n  second", "first"),
        ("[TypeError: first\n  second]", "[TypeError: first\n  another]"),
        ('{\n  "code": 3,\n}', '{\n  "code": 4,\n}'),
    ],
)
def test_another_message_of_several_lines_is_another_expectation(before, after):
    assert became(body(SNAPSHOT % before), body(SNAPSHOT % after)) == "warning expectation"


def test_a_raw_text_is_the_text_without_its_escapes():
    assert became(body("expect(save('a\\\\b')).toBe(1);"), body("expect(save(String.raw`a\\b`)).toBe(1);")) == "silent"


BUILT = "const http = (status, id) => ({ post: vi.fn().mockResolvedValue({ status, id }) });"
REJECTED = "await expect(save(http(500))).rejects.toThrow('failed: 500');"


@pytest.mark.parametrize(
    ("caught", "expected"),
    [
        ("toBe('failed: 500')", "silent"),
        ("toBe('failed')", "warning expectation"),
        ("toContain('f')", "error loosened"),
    ],
)
def test_a_fake_that_is_made_where_an_error_is_expected_does_not_raise_it(caught, expected):
    after = f"expect.assertions(1);\ntry {{ await save(http(500)); }} catch (e) {{ expect(e.message).{caught}; }}"
    assert became(body(REJECTED, before=BUILT), body(after, before=BUILT)) == expected


def test_a_parameter_that_a_call_leaves_out_is_undefined():
    built = "({ post: vi.fn().mockResolvedValue({ status: 500, id: undefined }) })"
    assert became(body(REJECTED, before=BUILT), body(REJECTED.replace("http(500)", built), before=BUILT)) == "silent"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("save.bind(null, 1)", "silent"),
        ("save.bind(null, 2)", "warning subject"),
        ("save.bind(null)", "warning subject"),
    ],
)
def test_running_a_bound_function_calls_it_with_what_it_is_bound_to(after, expected):
    assert became(body(RAISES), body(RAISES.replace("() => save(1)", after))) == expected


KEPT = "const error = await save(1).catch((e: unknown) => e);\nexpect(error).toBeInstanceOf(Error);\n"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (f"{KEPT}expect((error as Error).message).toContain('failed: 500');", "silent"),
        (f"{KEPT}expect((error as Error).message).toContain('f');", "error loosened"),
        (KEPT, "error loosened"),
        ("const error = await save(1).catch((e) => e);\nexpect(error).toBeDefined();", "error"),
    ],
)
def test_an_error_that_is_kept_and_asserted_of_must_be_raised(after, expected):
    assert became(body(REJECTED.replace("http(500)", "1")), body(after)).startswith(expected)
