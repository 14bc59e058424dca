"""What assertions of Python tests state, in the neutral form."""

import pytest

from pactkeeper.intent.claims import Argument, Attribute, Call, Captured, Claim, Each, Name, Operation, Raised, Value
from pactkeeper.repo.languages.python.adapter import PYTHON
from pactkeeper.repo.languages.python.claims import python_evidence
from pactkeeper.repo.languages.python.syntax import is_whole
from tests.repo.python.inferred import declared, evidence_of, inferred
from tests.repo.strength.edits import body, strengths

ONE, TWO = Value("number", "1"), Value("number", "2")


def claims(body: str, *, head: str = "") -> list[Claim]:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return list(evidence_of(f"{head}\ndef test_x():\n{lines}\n")["test_x"].claims)


def claim(body: str, *, head: str = "") -> Claim:
    (only,) = claims(body, head=head)
    return only


def said(one: Claim) -> tuple:
    return one.relation, one.subject, one.object, one.negated


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("assert a == 1", ("equals", Name("a"), ONE, False)),
        ("assert 1 == a", ("equals", Name("a"), ONE, False)),
        ("assert a != 1", ("equals", Name("a"), ONE, True)),
        ("assert not a == 1", ("equals", Name("a"), ONE, True)),
        ("assert 1 < a", ("greater", Name("a"), ONE, False)),
        ("assert a <= 1", ("at_most", Name("a"), ONE, False)),
        ("assert a is None", ("none", Name("a"), None, False)),
        ("assert a is not None", ("none", Name("a"), None, True)),
        ("assert a is b", ("same", Name("a"), Name("b"), False)),
        ("assert a in b", ("contains", Name("b"), Name("a"), False)),
        ("assert a not in b", ("contains", Name("b"), Name("a"), True)),
        ("assert a", ("truthy", Name("a"), None, False)),
        ("assert not a", ("truthy", Name("a"), None, True)),
        ("assert isinstance(a, B)", ("instance_of", Name("a"), Name("B"), False)),
        ("assert hasattr(a, 'b')", ("has_attribute", Name("a"), Value("string", "b"), False)),
        ("assert_that(a).is_equal_to(1)", ("equals", Name("a"), ONE, False)),
        ("assert_that(a).is_true()", ("truthy", Name("a"), None, False)),
        ("assert_that(a).contains(b)", ("contains", Name("a"), Name("b"), False)),
        ("assert_that(a, 'the sum').is_equal_to(1)", ("equals", Name("a"), ONE, False)),
        ("assert_that(a, description='the sum').is_equal_to(1)", ("equals", Name("a"), ONE, False)),
        ("assert_that(a).is_close_to(1, 2)", ("approximately", Name("a"), ONE, False)),
        ("assertpy.assert_that(a).is_length(2)", ("length", Name("a"), TWO, False)),
        ("assert_that(a).described_as('x').is_false()", ("truthy", Name("a"), None, True)),
        ("xr.assert_identical(a, b)", ("equals", Name("a"), Name("b"), False)),
        ("torch.assert_close(actual=a, expected=b)", ("approximately", Name("a"), Name("b"), False)),
        ("assert callable(a)", ("state", Name("a"), Value("string", "callable"), False)),
        ("assert len(a) == 2", ("length", Name("a"), TWO, False)),
        ("assert len(a) == 0", ("empty", Name("a"), None, False)),
        ("assert len(a) > 0", ("empty", Name("a"), None, True)),
        ("assert type(a) is B", ("has_type", Name("a"), Name("B"), False)),
        ("assert a.startswith('x')", ("starts_with", Name("a"), Value("string", "x"), False)),
        ("assert re.search('x', a)", ("matches", Name("a"), Value("regex", "x"), False)),
        ("assert a == pytest.approx(1)", ("approximately", Name("a"), ONE, False)),
        ("assert a == snapshot", ("snapshot", Name("a"), None, False)),
        ("assert m.call_count == 2", ("called_times", Name("m"), TWO, False)),
        ("assert m.called", ("called", Name("m"), None, False)),
        ("assert not m.called", ("called", Name("m"), None, True)),
        ("m.assert_called_once()", ("called_times", Name("m"), ONE, False)),
        ("m.assert_not_called()", ("called", Name("m"), None, True)),
        ("m.assert_awaited_once_with(1)", ("called_with", Name("m"), Call(Name("m"), (Argument(ONE),)), False)),
        ("self.assertEqual(a, 1)", ("equals", Name("a"), ONE, False)),
        ("self.assertEqual(first=1, second=a)", ("equals", Name("a"), ONE, False)),
        ("self.assertTrue(a == 1)", ("equals", Name("a"), ONE, False)),
        ("self.assertFalse(a in b)", ("contains", Name("b"), Name("a"), True)),
        ("self.assertIsNone(a)", ("none", Name("a"), None, False)),
        ("self.assertNotIsInstance(a, B)", ("instance_of", Name("a"), Name("B"), True)),
        ("self.assertRegex(a, 'x')", ("matches", Name("a"), Value("regex", "x"), False)),
        ("self.assertRaises(E, f, 1)", ("raises", Name("E"), Call(Name("f"), (Argument(ONE),)), False)),
        ("pytest.raises(E, f)", ("raises", Name("E"), Call(Name("f")), False)),
        ("npt.assert_array_equal(a, b)", ("equals", Name("a"), Name("b"), False)),
        ("await client.assert_called_once()", ("called_times", Name("client"), ONE, False)),
    ],
)
def test_an_assertion_is_one_claim(source, expected):
    assert said(claim(source)) == expected


def test_a_chain_and_an_and_are_several_claims():
    assert [said(one)[0] for one in claims("assert 1 < a < 5 and b")] == ["greater", "less", "truthy"]


def test_an_or_is_one_claim_with_an_alternative():
    one = claim("assert a == 1 or b")

    assert [other.relation for other in one.alternatives] == ["truthy"]


def test_a_negated_and_becomes_an_or_of_opposites():
    one = claim("assert not (a and b)")

    assert (one.negated, [other.negated for other in one.alternatives]) == (True, [True])


@pytest.mark.parametrize(
    ("source", "kind", "negated"),
    [("all", "every", False), ("not all", "some", True), ("any", "some", False), ("not any", "every", True)],
)
def test_any_and_all_are_said_of_their_members(source, kind, negated):
    one = claim(f"assert {source}(x.ok for x in xs)")

    assert (one.each, one.negated) == (Each(kind, Name("x"), Name("xs")), negated)


@pytest.mark.parametrize(
    "source",
    [
        "with pytest.warns(W):\n    g(f(1))",
        "with pytest.warns(W):\n    p = f(1)\n    p.g()",
        "with pytest.raises(E):\n    p = f(1)\n    p.g()",
        "with pytest.raises(E):\n    if a:\n        f()\n    else:\n        g()",
    ],
)
def test_no_call_is_named_where_another_one_may_have_raised_or_warned(source):
    assert claim(source).object is None


def test_the_only_call_of_a_block_is_what_warns():
    assert claim("with pytest.warns(W):\n    f(1)").object == Call(Name("f"), (Argument(ONE),))


def test_a_failure_that_its_own_handler_takes_proves_no_error():
    assert claim("try:\n    f()\n    self.fail()\nexcept Exception:\n    pass").condition is not None
    assert claim("try:\n    f()\n    self.fail()\nexcept E:\n    pass").condition is None


def test_raises_holds_its_pattern_and_the_call_under_it():
    one = claim("with pytest.raises(E, match='no') as caught:\n    f(1)")

    assert said(one) == ("raises", Name("E"), Call(Name("f"), (Argument(ONE),)), False)
    assert one.qualifiers == (Argument(Value("regex", "no"), "match"),)


@pytest.mark.parametrize(
    "source",
    [
        "with pytest.raises(E) as caught:\n    f()\ncaught.match('no')",
        "with pytest.raises(E) as caught:\n    f()\nassert caught.match('no')",
        "caught = pytest.raises(E, f)\ncaught.match('no')",
    ],
)
def test_the_match_of_a_caught_error_is_an_assertion_about_its_message(source):
    raised, matched = claims(source)

    assert raised.relation == "raises"
    assert said(matched) == ("matches", Attribute(Raised(Name("E")), "message"), Value("regex", "no"), False)


# @atom IA-37R4MWV
@pytest.mark.parametrize("again", ["m = re.compile('x')\nm.match('x')", "m = make()\nassert m.value == 1"])
def test_a_name_that_held_an_error_and_is_assigned_anew_holds_none(again):
    source = f"with pytest.raises(E) as m:\n    f()\n{again}"

    assert not any(
        isinstance(one.subject, Attribute) and isinstance(one.subject.value, Raised) for one in claims(source)
    )
    assert "raises" in {fact.claim.relation for fact in strengths(body(source))["test_it"].facts}


def test_a_match_behind_a_watching_call_is_its_pattern():
    one = claim("pytest.raises(E, f).match('no')")

    assert said(one) == ("raises", Name("E"), Call(Name("f"), ()), False)
    assert one.qualifiers == (Argument(Value("regex", "no"), "match"),)


def test_what_is_asserted_of_the_caught_error_is_said_of_it():
    found = claims(
        "with pytest.raises(E) as caught:\n    f()\nassert caught.value.code == 1\nassert 'x' in str(caught.value)"
    )

    assert [one.subject for one in found[1:]] == [
        Attribute(Raised(Name("E")), "code"),
        Attribute(Raised(Name("E")), "message"),
    ]


def test_what_pytest_captured_is_spoken_of_as_output_and_log():
    found = claims(
        "out, err = capsys.readouterr()\nassert out == '1'\nassert 'x' in caplog.text\nassert capsys.readouterr().err == ''"
    )

    assert [one.subject for one in found] == [Captured("output"), Captured("log"), Captured("error_output")]


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    f()\nexcept E:\n    pass\nelse:\n    pytest.fail('x')",
        "try:\n    f()\n    assert False\nexcept E:\n    pass",
        "try:\n    f()\n    self.fail()\nexcept E as e:\n    pass",
    ],
)
def test_a_failure_that_must_be_caught_is_a_raise(source):
    assert said(claim(source))[::3] == ("raises", False)


def test_a_failure_that_must_not_happen_is_no_raise():
    assert said(claim("try:\n    f()\nexcept E:\n    pytest.fail('x')"))[::3] == ("raises", True)


def test_a_branch_that_fails_states_its_condition():
    assert said(claim("if not a:\n    pytest.fail('x')")) == ("truthy", Name("a"), None, False)


def test_claims_in_branches_carry_their_condition():
    found = claims("if a:\n    assert b\nelse:\n    assert c")

    assert [one.condition for one in found] == [Name("a"), Operation("not", (Name("a"),))]


def test_a_loop_repeats_its_claims():
    one = claim("for x in xs:\n    assert x.ok")

    assert (one.repeated, one.each) == (True, Each("every", Name("x"), Name("xs")))


def test_a_name_assigned_twice_holds_what_it_held_at_the_claim():
    first, second = claims("r = f(1)\nassert r\nr = f(2)\nassert r")

    assert [dict(one.holds)["r"].arguments[0].value for one in (first, second)] == [ONE, TWO]  # type: ignore[union-attr]  # they are calls


def test_a_claim_says_which_value_of_a_name_it_is_about():
    first, second, third = claims("r = f(1)\nassert r\nr = f(2)\nassert r.a\nr += 1\nassert r")

    assert [one.turns for one in (first, second, third)] == [(), (("r", 2),), (("r", 3),)]


def test_a_name_assigned_in_a_branch_holds_nothing_plain_after_it():
    one = claims("r = f(1)\nif a:\n    r = f(2)\nassert r")[-1]

    assert "r" not in dict(one.holds)


def test_a_name_that_a_callback_assigns_holds_nothing_plain():
    one = claims("called = False\ndef callback():\n    nonlocal called\n    called = True\nassert called")[-1]

    assert "called" not in dict(one.holds)


def test_a_local_name_hides_the_module_of_that_name():
    one = claim("json = f()\nassert json.count == 2", head="import json")

    assert one.subject == Attribute(Name("json"), "count")


HELPERS = """
class Base:
    def assertOrder(self, order, state):
        self.assertEqual(order.state, state)

class TestX(Base):
    def test_x(self):
        self.assertOrder(make(), "open")
"""


def test_a_helper_of_a_base_class_is_followed_with_what_it_was_given():
    (one,) = evidence_of(HELPERS)["test_x"].claims

    assert said(one) == ("equals", Attribute(Call(Name("make")), "state"), Value("string", "open"), False)
    assert (one.via, one.line, one.quote) == ("assertOrder", 8, 'self.assertOrder(make(), "open")')


@pytest.mark.parametrize(
    ("statement", "path"),
    [
        ("from helpers import assert_ok", "tests/helpers.py"),
        ("from tests.helpers import assert_ok", "tests/helpers.py"),
        ("from .helpers import assert_ok", "tests/helpers.py"),
        ("from ..helpers import assert_ok", "helpers.py"),
        ("from helpers import check as assert_ok", "helpers/__init__.py"),
    ],
)
def test_a_helper_of_an_imported_file_is_followed(statement, path):
    files = {path: b"def assert_ok(one):\n    assert one.ok\ncheck = assert_ok\ndef check(one):\n    assert one.ok\n"}
    found = evidence_of(f"{statement}\ndef test_x():\n    assert_ok(a)\n", read=files.get)["test_x"]

    assert [said(one) for one in found.claims] == [("truthy", Attribute(Name("a"), "ok"), None, False)]


PREPARING = """
def use_pager(command):
    assert which(command) is not None
    set_pager(command)


def show(page):
    seen = open_page(page)
    assert seen.status == 200
    return seen


def check_page(page):
    assert page.title == "Home"
    close(page)
"""


def test_what_a_helper_asserts_before_it_goes_on_is_no_outcome():
    evidence = evidence_of(f"{PREPARING}\ndef test_x():\n    use_pager('cat')\n    assert out == 1\n")["test_x"]

    assert [one.subject for one in evidence.claims] == [Name("out")]
    assert [one.function for one in evidence.actions] == [Name("use_pager")]


@pytest.mark.parametrize("helper", ["show", "check_page"])
def test_what_a_helper_asserts_last_or_is_named_for_is_an_outcome(helper):
    evidence = evidence_of(f"{PREPARING}\ndef test_x():\n    {helper}('/')\n")["test_x"]

    assert [one.via for one in evidence.claims] == [helper]


@pytest.mark.parametrize(
    ("source", "negated"),
    [
        ("assert re.search('a+', text) is not None", False),
        ("assert re.search('a+', text) is None", True),
        ("assert None is re.fullmatch('a+', text)", True),
    ],
)
def test_a_search_that_finds_something_says_that_the_text_matches(source, negated):
    assert said(claim(source)) == ("matches", Name("text"), Value("regex", "a+"), negated)


def test_a_helper_that_calls_itself_is_followed_once():
    found = evidence_of(
        "def assert_deep(x):\n    assert x\n    assert_deep(x.next)\ndef test_x():\n    assert_deep(a)\n"
    )["test_x"]

    assert [one.subject for one in found.claims] == [Name("a")]


def test_a_helper_that_cannot_be_found_is_named_as_a_doubt():
    found = evidence_of("def test_x():\n    assert_shipped(order)\n")["test_x"]

    assert [(one.relation, one.quote) for one in found.claims] == [("completes", "assert_shipped(order)")]
    assert found.reasons == ("unresolvable_value",)


def test_raising_an_assertion_error_is_named_as_a_doubt():
    body = "    for one in seen:\n        if one == wanted:\n            break\n    else:\n        raise AssertionError(one)\n"
    found = evidence_of(f"def test_x():\n{body}")["test_x"]

    assert (found.claims, found.reasons) == ((), ("unresolvable_value",))


def test_a_condition_that_is_always_true_states_nothing():
    assert claims("assert (a, 'message')") == []


def test_docstring_markers_and_table_stand_beside_the_claims():
    source = '''
@pytest.mark.slow
class TestX:
    @pytest.mark.parametrize(("a", "b"), [(1, 2), pytest.param(3, 4, id="x")])
    def test_x(self, a, b):
        """It adds.

        More.
        """
        assert a
'''
    found = evidence_of(source)["test_x"]

    assert (found.docstring, found.markers, found.parameters) == ("It adds.\n\nMore.", ("slow",), ("a", "b"))
    assert found.rows == ((ONE, TWO), (Value("number", "3"), Value("number", "4")))


@pytest.mark.parametrize(
    "source",
    [
        "def test_x(:\n    assert a ==\n",
        "def test_x():\n    assert\n",
        "def test_x():\n    assert " + "(" * 300 + "a" + ")" * 300 + "\n",
        "def test_x():\n    assert " + "not " * 5000 + "a\n",
        "def test_x():\n    assert " + "a and " * 5000 + "a\n",
        "def test_x():\n    assert a" + ".b" * 500 + " == 1\n",
        "def test_x():\n    with pytest.raises(\n",
        "def test_x():\n    try:\n        f()\n    except* E:\n        pass\n",
        "def test_x():\n    assert f'{a!r:>{w}}' == b'\\xff'\n",
        "def test_x():\n    assert '\\N{nope}' == 1\n",
        "def test_x():\n    match a:\n        case 1:\n            assert b\n",
    ],
)
def test_odd_source_never_breaks_the_reading(source):
    assert inferred(source).confidence <= 100


def test_bytes_that_are_no_text_are_read_as_far_as_they_go():
    source = b"def test_x():\n    assert a == '\xff\xfe'\n"
    (found,) = python_evidence(
        "t.py", source, tests=declared("t.py", "def test_x():"), read=lambda _path: None
    ).values()
    assert found.name == "test_x"


def test_a_test_that_is_not_in_the_file_states_nothing():
    (found,) = python_evidence("t.py", b"", tests=declared("t.py", "def test_x():"), read=lambda _path: None).values()
    assert found.claims == ()


@pytest.mark.parametrize("error", ["AssertionError", "self.failureException"])
def test_what_is_asserted_under_an_expected_failure_is_inverted(error: str) -> None:
    raised, inner = claims(f"with pytest.raises({error}):\n    assert a == 1")
    assert (raised.relation, raised.inverted) == ("raises", False)
    assert (inner.relation, inner.inverted) == ("equals", True)


UNSURE = [
    "with pytest.raises(E):\n    p = f(1)\n    assert p.a == 1\n    p.g()",
    "with pytest.raises(E):\n    assert f() == 1",
    "with pytest.raises(E) as caught:\n    f()\n    assert 'x' in str(caught.value)",
    "try:\n    p = f(1)\n    assert p == 1\n    pytest.fail()\nexcept E:\n    pass",
]


@pytest.mark.parametrize("source", UNSURE)
def test_what_is_asserted_where_an_error_is_expected_may_not_be_reached(source: str) -> None:
    found = claims(source)
    assert [one.relation for one in found if not one.inverted] == ["raises"]
    assert len(found) > 1


def test_an_assertion_of_names_after_what_must_raise_is_no_part_of_it() -> None:
    source = "with pytest.raises(E):\n    p = f(1)\n    assert {} is None"
    raised, after = claims(source.format("p"))
    assert raised.object == Call(Name("f"), (Argument(ONE),))
    assert raised.quote.endswith("p = f(1)")
    assert after.inverted
    for other in (source.format("p.a"), source.format("p").replace("(E)", "(Exception)")):
        assert claims(other)[0].object is None
        assert claims(other)[0].quote.endswith("is None")


@pytest.mark.parametrize(
    ("decorator", "expected"),
    [
        ("@unittest.expectedFailure", "fail"),
        ("@pytest.mark.xfail(strict=True)", "fail"),
        ("@pytest.mark.xfail(reason='later')", "either"),
        ("@pytest.mark.xfail", "either"),
        ("@pytest.mark.xfail(os.name == 'nt', strict=True)", "either"),
        ("@pytest.mark.slow", "pass"),
    ],
)
def test_an_expected_failure_is_told_from_one_that_is_only_tolerated(decorator: str, expected: str) -> None:
    assert evidence_of(f"{decorator}\ndef test_x():\n    assert a\n")["test_x"].expects == expected


@pytest.mark.parametrize("setting", ["[pytest]\nxfail_strict = true\n", "[pytest]\nstrict = true\n"])
def test_settings_make_every_expected_failure_strict(setting: str) -> None:
    files = {"pytest.ini": setting.encode()}
    found = evidence_of("@pytest.mark.xfail\ndef test_x():\n    assert a\n", read=files.get)
    assert found["test_x"].expects == "fail"


def test_a_helper_is_followed_through_the_files_that_hand_it_on() -> None:
    files = {
        "lib/kit/testing/__init__.py": b"from .assertions import eq_\n",
        "lib/kit/testing/assertions.py": b"def eq_(a, b):\n    assert a == b\n",
    }
    found = evidence_of("from kit.testing import eq_\ndef test_x():\n    eq_(f(), 1)\n", read=files.get)
    (only,) = found["test_x"].claims
    assert (only.relation, only.via) == ("equals", "eq_")


def test_methods_of_pytester_assert() -> None:
    assert claim("result.stdout.fnmatch_lines(['*1 passed*'])").relation == "satisfies"


@pytest.mark.parametrize("half", ["\\ud83d", "\\udfff"])
def test_half_a_character_in_a_literal_is_quoted_as_source_and_is_no_docstring(half):
    source = f'def test_a():\n    """Half {half} a pair."""\n    assert show() == "{half}"\n'.encode()
    found = PYTHON.evidence("tests/test_a.py", source, tests=[], read=lambda _: None)
    str(found).encode()
    assert is_whole(half)
    assert not is_whole(half.encode().decode("unicode_escape"))
