"""Variables and fields that a test, its hooks and the functions inside of it assign."""

from tests.repo.javascript.strength_cases import HEAD, became, body

COUNTED = "price(1, () => { calls++; });\nexpect(calls).toBe(2);"


def test_a_counter_that_a_hook_resets_counts_as_before():
    hook = "let calls: number;\nbeforeEach(() => { calls = 0; });\n"
    assert became(body(f"let calls = 0;\n{COUNTED}"), body(COUNTED, before=hook)) == "silent"
    assert (
        became(body(COUNTED, before=hook), body(COUNTED.replace("toBe(2)", "toBeTruthy()"), before=hook))
        == "error loosened"
    )


def test_a_counter_of_the_test_that_nothing_counts_is_still_a_constant():
    plain = "const calls = load();\nexpect(calls).toBe(0);"
    assert became(body(plain), body("let calls = 0;\nexpect(calls).toBe(0);")).startswith("error")


def test_methods_that_a_loop_replaces_are_those_that_lines_of_their_own_replace():
    loop = "for (const one of ['log', 'warn']) {\n  console[one] = vi.fn();\n}\n"
    lines = "console.log = vi.fn();\nconsole.warn = vi.fn();\n"
    said = "price(1);\nexpect(console.warn).toHaveBeenCalledTimes(2);"
    assert became(body(loop + said), body(lines + said)) == "silent"
    assert became(body(said), body(loop + said)) == "warning mocked"  # only a fake counts its calls


def test_a_method_that_a_function_inside_replaces_is_replaced_beside_variables_too():
    plain = "let first;\nload(1, (one) => { first = one; expect(price.of(1)).toBe(2); });"
    faked = plain.replace("first = one;", "first = one; price.of = () => 2;")
    assert became(HEAD + body(plain, head=""), HEAD + body(faked, head="")).startswith("error")


TRIED = "let got = {{ a: 1 }};\ntry {{\n  got = price(1);\n}} catch (error) {{{}}}\nexpect(got).toEqual({{ a: 1 }});"


def test_a_value_that_stays_if_the_call_fails_says_less():
    plain = body("expect(price(1)).toEqual({ a: 1 });")
    assert became(plain, body(TRIED.format(""))) == "warning loosened"
    assert became(plain, body(TRIED.format(" throw error; "))) == "silent"
    assert became(plain, body(TRIED.format("").replace("= { a: 1 };", "= null;"))) == "silent"
