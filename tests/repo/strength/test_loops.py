import pytest

from tests.repo.strength.edits import body, judged

LOOP = "for lang in langs:\n    said = greet(lang)\n    assert said == 'hi ' + lang"


@pytest.mark.parametrize(
    "fewer",
    ["langs[:3]", "list(langs)[1:]", "islice(langs, 3)", "[x for x in langs if x.ok]", "filter(ok, langs)"],
)
def test_a_loop_over_some_of_its_rows_says_less(fewer):
    assert [one.kind for one in judged(body(LOOP), body(LOOP.replace("in langs", f"in {fewer}")))] == ["loosened"]
    assert judged(body(LOOP.replace("in langs", f"in {fewer}")), body(LOOP)) == []


@pytest.mark.parametrize("same", ["list(langs)", "sorted(langs)", "reversed(list(langs))", "[*langs]"])
def test_what_lists_or_orders_the_rows_of_a_loop_changes_nothing(same):
    assert judged(body(LOOP), body(LOOP.replace("in langs", f"in {same}"))) == []


def test_an_assertion_that_fell_out_of_its_loop_is_made_of_the_last_row_only():
    fallen = "for lang in langs:\n    said = greet(lang)\nassert said == 'hi ' + lang"
    assert [one.severity for one in judged(body(LOOP), body(fallen))] == ["error"]
    assert judged(body(fallen), body(LOOP)) == []
    assert judged(body(fallen), body(fallen)) == []


def test_a_break_ends_a_loop_before_its_other_rows():
    assert [one.kind for one in judged(body(LOOP), body(LOOP + "\n    break"))] == ["conditional"]


def test_a_loop_that_only_searches_may_be_left():
    searched = "for lang in langs:\n    if lang.name == 'x':\n        break\nassert greet(lang) == 'hi'"
    assert judged(body(searched), body(searched.replace("lang", "each"))) == []


def test_some_rows_of_a_computed_table_say_less():
    table = "@pytest.mark.parametrize('zone', {0})\ndef test_it(zone):\n    assert parse(zone) == zone\n"
    fewer = judged(table.format("zones()"), table.format("sorted(zones())[:20]"))
    assert [(one.kind, one.severity) for one in fewer] == [("loosened", "error")]
    assert judged(table.format("zones()"), table.format("sorted(zones())")) == []


TRIED = "try:\n    f(1)\nexcept ValueError:\n    {0}\nassert g(2) == 3"


@pytest.mark.parametrize("before", ["f(1)\nassert g(2) == 3", TRIED.format("pytest.fail('no')")])
def test_a_step_whose_error_is_caught_now_is_a_loss(before):
    caught = TRIED.format("print('no')")
    assert [(one.kind, one.severity) for one in judged(body(before), body(caught))] == [("loosened", "error")]
    assert judged(body(caught), body(before)) == []
    assert judged(body(before), body("f(1)\nassert g(2) == 3")) == []


@pytest.mark.parametrize(
    "other",
    [
        "assert date.isoformat(timespec='s') == '2013'",
        "assert date.replace(microsecond=0).format() == '2013'",
        "assert getattr(date, 'format', lambda: '2013')() == '2013'",
    ],
)
def test_another_way_to_the_same_value_is_another_value(other):
    assert [one.severity for one in judged(body("assert date.format() == '2013'"), body(other))] == ["warning"]


def test_what_was_asked_of_each_is_asked_of_all_in_any_order():
    each = "assert one.quarter == 1\nassert two.quarter == 2"
    assert [one.severity for one in judged(body(each), body("assert {x.quarter for x in (one, two)} == {1, 2}"))] != []
    span = "low, high = date.span()\nassert low == 3"
    assert [one.severity for one in judged(body(span), body(span.replace("date.span()", "sorted(date.span())")))] != []


def test_what_a_test_reads_it_may_not_say_itself():
    answering = (
        "def home(request):\n    return Answer(f'Hello, {request.name}!')\nassert serve(home).text == 'Hello, Bo!'"
    )
    said = answering.replace("f'Hello, {request.name}!'", "'Hello, Bo!'")
    assert [(one.kind, one.severity) for one in judged(body(answering), body(said))] == [("subject", "warning")]
    assert judged(body(answering), body(answering.replace("home", "front"))) == []


def test_a_part_of_the_product_that_a_test_no_longer_names_is_missed():
    test = "from shop import Gzip, serve\ndef test_it():\n    assert 'zip' not in serve(home{0}).headers\n"
    less = judged(test.format(", using=[Gzip]"), test.format(""))
    assert [(one.kind, one.severity) for one in less] == [("subject", "warning")]


def test_a_flag_that_starts_as_it_is_expected_says_another_thing():
    flag = "done = False\ndef run():\n    nonlocal done\n    done = True\ngo(run)\nassert done"
    assert [one.severity for one in judged(body(flag), body(flag.replace("done = False", "done = True")))] == [
        "warning"
    ]


def test_a_part_of_the_product_may_be_named_otherwise():
    test = "from shop import {0}\ndef test_it():\n    assert {1} == '/'\n"
    assert judged(test.format("sep", "sep"), test.format("sep as separator", "separator")) == []


UNTIL = """\
import time
from shop import get

def wait_for(holds, most=5):
    end = time.monotonic() + most
    {waiting}

def test_it():
    put()
    {asked}
"""
WAITING = {
    "a loop that returns": "while time.monotonic() < end:\n        if holds():\n            return\n        time.sleep(.1)\n"
    "    raise AssertionError('no')",
    "a count": "for _ in range(100):\n        if holds():\n            return\n        time.sleep(.1)\n    pytest.fail('no')",
    "a loop under the condition": "while not holds():\n        if time.monotonic() > end:\n            raise TimeoutError\n"
    "        time.sleep(.1)",
    "an asserted limit": "while not holds():\n        assert time.monotonic() < end\n        time.sleep(.1)",
}


def waiting(how, asked):
    return UNTIL.format(waiting=WAITING[how], asked=asked)


@pytest.mark.parametrize("how", WAITING)
def test_what_a_helper_waits_for_is_asserted(how):
    slept = body("put()\ntime.sleep(1)\nassert get('a') == 'b'")
    assert judged(slept, waiting(how, "wait_for(lambda: get('a') == 'b')")) == []


@pytest.mark.parametrize("how", WAITING)
def test_less_to_wait_for_is_an_error(how):
    changes = judged(
        waiting(how, "wait_for(lambda: get('a') == 'b')"), waiting(how, "wait_for(lambda: get('a') != '')")
    )
    assert [(one.kind, one.severity) for one in changes] == [("loosened", "error")]


def test_whether_it_came_in_time_may_be_what_a_helper_returns():
    told = (
        WAITING["a loop that returns"]
        .replace("return", "return True")
        .replace("raise AssertionError('no')", "return False")
    )
    asked = UNTIL.format(waiting=told, asked="assert wait_for(lambda: get('a') == 'b')")
    assert judged(body("put()\nassert get('a') == 'b'"), asked) == []


SLEPT = "put()\ntime.sleep(1)\nassert get('a') == 'b'"
UNTIL_BROKEN_OFF = {
    "a for that fails else": "for _ in range(100):\n    {0}\n    time.sleep(.1)\nelse:\n    pytest.fail('no')",
    "a while that fails else": "end = time.monotonic() + 5\nwhile time.monotonic() < end:\n    {0}\n    time.sleep(.1)\n"
    "else:\n    raise AssertionError('no')",
}
LEFT = {
    "a branch": "if get('a') == 'b':\n        break",
    "the other branch": "if get('a') != 'b':\n        time.sleep(.2)\n        continue\n    break",
    "a name": "got = get('a')\n    if got == 'b':\n        break",
    "a try": "try:\n        assert get('a') == 'b'\n        break\n    except AssertionError:\n        pass",
    "a return": "if get('a') == 'b':\n        return",
}


@pytest.mark.parametrize("left", LEFT)
@pytest.mark.parametrize("how", UNTIL_BROKEN_OFF)
def test_what_a_loop_is_left_for_is_asserted_if_its_else_fails(how, left):
    until = UNTIL_BROKEN_OFF[how].format(LEFT[left])
    assert judged(body(SLEPT), body("put()\n" + until)) == []
    never = until.replace("pytest.fail('no')", "print('no')").replace("raise AssertionError('no')", "print('no')")
    assert "error" in [one.severity for one in judged(body("put()\n" + until), body("put()\n" + never))]


@pytest.mark.parametrize("how", UNTIL_BROKEN_OFF)
@pytest.mark.parametrize(
    "less",
    ["if get('a'):\n        break", "if get('a') == 'b':\n        break\n    if any_other():\n        break", "break"],
)
def test_a_loop_that_is_left_for_less_says_less(how, less):
    until, early = (body("put()\n" + UNTIL_BROKEN_OFF[how].format(one)) for one in (LEFT["a branch"], less))
    assert [one.kind for one in judged(until, early)][:1] in (["loosened"], ["hollow"])


@pytest.mark.parametrize("asked", ["assert done", "if not done:\n    pytest.fail('no')", "assert done is True"])
def test_a_flag_that_a_loop_turns_where_it_is_left_says_what_it_was_left_for(asked):
    turned = (
        f"put()\ndone = False\nfor _ in range(9):\n    if get('a') == 'b':\n        done = True\n        break\n{asked}"
    )
    assert judged(body(SLEPT.replace("time.sleep(1)\n", "")), body(turned)) == []
    less = turned.replace(" == 'b'", "")
    assert judged(body(turned), body(less)) != []


def test_a_loop_that_fails_unless_it_finds_a_member_asserts_that_there_is_one():
    found = "for row in rows():\n    if row.ok == 1:\n        break\nelse:\n    pytest.fail('no')"
    assert judged(body("assert any(row.ok == 1 for row in rows())"), body(found)) == []
    assert judged(body(found), body(found.replace("== 1", "!= 0"))) != []


def test_a_loop_that_looks_for_a_member_waits_for_nothing():
    found = (
        "def find(rows):\n    for row in rows:\n        if row.ok:\n            return\n    raise AssertionError\n\n"
    )
    one, other = (found + body(f"find(rows({number}))") for number in (1, 2))
    assert judged(one, one) == []
    assert judged(one, other) != []


ROWS = "[([1, 2], 3), ([2, 3], 5), ([], 0)]"
TABLE = (
    f"ROWS = {ROWS}\n\n@pytest.mark.parametrize('xs, sum', {{}})\ndef test_it(xs, sum):\n    assert total(xs) == sum\n"
)


@pytest.mark.parametrize("fewer", ["{}[1:]", "{}[:-1]", "{}[::2]", "[r for r in {} if r[0]]", "list(islice({}, 2))"])
@pytest.mark.parametrize("rows", [ROWS, "ROWS"])
def test_a_written_row_that_a_slice_or_filter_of_its_table_takes_away_is_an_error(fewer, rows):
    lost = judged(TABLE.format(ROWS), TABLE.format(fewer.format(rows)))
    assert [(one.message, one.severity) for one in lost] == [("an assertion is gone", "error")]


@pytest.mark.parametrize("some", ["ROWS[:most]", "[r for r in ROWS if wanted(r)]", "filter(wanted, ROWS)"])
def test_rows_of_a_written_table_that_something_unknown_takes_away_are_a_warning(some):
    assert {one.severity for one in judged(TABLE.format("ROWS"), TABLE.format(some))} == {"warning"}


@pytest.mark.parametrize("same", ["ROWS[:]", "sorted(ROWS)", "ROWS[::-1]", "[(a, b) for a, b in ROWS]", "tuple(ROWS)"])
def test_a_table_of_the_same_rows_written_in_another_way_changes_nothing(same):
    assert judged(TABLE.format("ROWS"), TABLE.format(same)) == []
