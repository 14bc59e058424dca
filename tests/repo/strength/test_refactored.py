"""A test in another form says what it said; the same form with less in it says less."""

import pytest

from pactkeeper.intent.strength.matching import Spelling
from pactkeeper.intent.strength.review import changes
from pactkeeper.repo.languages.python.claims.helpers import module_candidates
from tests.repo.strength.edits import body, judged, paired, strengths

BOX = "def test_it():\n    box = Box()\n    box.put('a', 1)\n    assert box.get('a') == 1\n"
BOXES = {
    "fixture": "class TestBox:\n    @pytest.fixture(autouse=True)\n    def _box(self):\n        self.box = Box()\n"
    "        self.box.put('a', 1)\n\n    def test_it(self):\n        assert self.box.get('a') == {}\n",
    "set-up-class": "class TestBox(TestCase):\n    @classmethod\n    def setUpClass(cls):\n        cls.box = Box()\n"
    "        cls.box.put('a', 1)\n\n    def test_it(self):\n        self.assertEqual(self.box.get('a'), {})\n",
    "method": "class TestBox(TestCase):\n    def setUp(self):\n        self.box = Box()\n        self.box.put('a', 1)\n\n"
    "    def check(self, name, expected):\n        self.assertEqual(self.box.get(name), expected)\n\n"
    "    def test_it(self):\n        self.check('a', {})\n",
    "keywords": "def box_of(**items):\n    box = Box()\n    for name, value in items.items():\n        box.put(name, value)\n"
    "    return box\n\ndef test_it():\n    assert box_of(a=1).get('a') == {}\n",
    "method-by-name": "@pytest.mark.parametrize(('asked', 'name', 'value'), [('get', 'a', {})])\n"
    "def test_it(asked, name, value):\n    box = Box()\n    box.put('a', 1)\n    assert getattr(box, asked)(name) == value\n",
    "lambda": "@pytest.fixture\ndef asked():\n    box = Box()\n    box.put('a', 1)\n    return lambda name: box.get(name)\n\n"
    "def test_it(asked):\n    assert asked('a') == {}\n",
    "assigned-lambda": "@pytest.fixture\ndef asked():\n    box = Box()\n    box.put('a', 1)\n    get = lambda name='a': box.get(name)\n"
    "    yield get\n\ndef test_it(asked):\n    assert asked() == {}\n",
    "record": "@dataclass\nclass Case:\n    name: str\n    value: int = {}\n\n@pytest.mark.parametrize('case', [Case('a')])\n"
    "def test_it(case):\n    box = Box()\n    box.put('a', 1)\n    assert box.get(case.name) == case.value\n",
}  # fmt: skip


@pytest.mark.parametrize("form", BOXES)
def test_what_a_test_makes_may_be_made_elsewhere(form):
    assert judged(BOX, BOXES[form].format(1)) == []


@pytest.mark.parametrize("form", BOXES)
def test_another_value_is_seen_wherever_it_stands(form):
    assert [one.kind for one in judged(BOX, BOXES[form].format(2))] == ["expectation"]


STRONGER = [
    ("spy.send.assert_called_once_with('a')", "assert spy.mock_calls == [call.send('a')]"),
    ("with pytest.raises(E, match='is full'):\n    f()", "with pytest.raises(E) as e:\n    f()\nassert str(e.value) == 'it is full'"),
    ("with pytest.raises(E, match='is full'):\n    f()", "with pytest.raises(E, match=r'^it is full \\(1\\)$'):\n    f()"),
    ("assert f(Mock()) == 1", "assert f(Mock(spec=['a'])) == 1"),
    ("with pytest.raises(E, match=r'line \\d+: .*full'):\n    f()",
     "with pytest.raises(E, match=r'^line 3: it is full$'):\n    f()"),
    ("assert re.search('[0-9a-f]+', f())", "assert re.search('^[0-9a-f]{12}$', f())"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), STRONGER)
def test_an_edit_that_says_more_is_silent_and_its_way_back_is_not(before, after):
    assert judged(body(before), body(after)) == []
    assert judged(body(after), body(before)) != []


SAME = [
    ("spy.send.assert_called_once_with('a')", "assert spy.send.call_args_list == [call('a')]"),
    ("for one in [1, 2]:\n    assert f(one) == 3", "assert {f(one) for one in [1, 2]} == {3}"),
    (
        "with pytest.raises(E) as e:\n    f()\nassert e.value.args[0] == 'full'",
        "with pytest.raises(E, match='full'):\n    f()",
    ),
    ("assert [f(one) for one in [1, 2]] == [None, None]", "assert f(1) is None\nassert f(2) is None"),
    ("assert f([g(one) for one in (1, 2)]) == 3", "assert f([g(1), g(2)]) == 3"),
    ("with pytest.raises(Full) as e:\n    f()\nassert isinstance(e.value, Full)", "with pytest.raises(Full):\n    f()"),
    ("assert f() == 1190 + 13 * 95", "assert f() == 2425"),
    ("for one in [1, 2] + [3]:\n    assert f(one)", "assert f(1)\nassert f(2)\nassert f(3)"),
    ("for one in [1, (2, 3)]:\n    assert f() in (one if isinstance(one, tuple) else (one,))",
     "assert f() == 1\nassert f() in (2, 3)"),
    ("with pytest.raises(E) as e:\n    f()\nassert e.value.args == ('full',)",
     "with pytest.raises(E) as e:\n    f()\nassert e.value.args[0] == 'full'"),
    ("assert str(total(1)).find('sum') != -1", "assert 'sum' in str(total(1))"),
    ("assert 0 <= text(1).find('sum')", "assert text(1).find('sum') > -1"),
    ("assert text(1).find('sum') == -1", "assert 'sum' not in text(1)"),
    ("assert text(1).find('sum') < 0", "assert not text(1).find('sum') != -1"),
    ("assert re.search('a', text(1))", "assert re.compile('a').search(text(1))"),
    ("with pytest.raises(E, match='full'):\n    f()", "with pytest.raises(E, match=re.compile('full')):\n    f()"),
    ("with pytest.raises(E, match='full'):\n    f()", "full = re.compile('full')\nwith pytest.raises(E, match=full):\n    f()"),
    ("with pytest.raises(E) as e:\n    f()\nassert e.value.code == 3",
     "full = pytest.raises(E)\nwith full as e:\n    f()\nassert e.value.code == 3"),
    ("with pytest.raises(E, match='full'):\n    f()", "full = pytest.raises(E, match='full')\nwith (full):\n    f()"),
    ("assert f({'a': [0, 1, 2]}) == 3", "assert f(dict(a=list(range(3)))) == 3"),
    ("assert f({'a': 1, 'b': 2}) == 3", "assert f(dict({'a': 1}, b=2)) == 3"),
    ("assert f({'a': 1, 'b': 2}) == 3", "given = dict([('a', 1), ('b', 2)])\nassert f(given) == 3"),
    ("assert f([0, 1, 5]) == 3", "assert f([*range(2), 5]) == 3"),
]  # fmt: skip
MADE = "def make(**changes):\n    base = dict(size=20)\n    base.update(changes)\n    return Parcel(**base)\n\n\n"


def test_a_list_of_what_a_helper_makes_may_not_lose_its_order():
    before = MADE + body("names = [name for name, _ in rates(make(size=1))]\nassert names == ['b', 'a']")
    after = MADE + body("names = sorted(name for name, _ in rates(make(size=1)))\nassert names == ['a', 'b']")
    assert judged(before, after) != []


LISTED = """
A, B = [{"a": 1}, {"b": 2}], [{"c": 3}]
PAIRS = [({"a": 1}, E), ({"b": 2}, E)]

@pytest.mark.parametrize("given, error", ROWS)
def test_it(given, error):
    with pytest.raises(error):
        f(**given)
"""


@pytest.mark.parametrize(
    "rows",
    [
        "[*((one, E) for one in A), *((given, F) for given in B)]",
        "[(one, E) for one in A] + [(one, F) for one in B]",
        "[*PAIRS, ({'c': 3}, F)]",
    ],
)
def test_rows_that_are_made_of_lists_are_the_rows_written_out(rows):
    written = LISTED.replace("ROWS", "[({'a': 1}, E), ({'b': 2}, E), ({'c': 3}, F)]")
    made = LISTED.replace("ROWS", rows)
    assert judged(written, made) == judged(made, written) == []
    assert judged(written, made.replace(', {"b": 2}]', "]").replace(', ({"b": 2}, E)]', "]")) != []


NAMED = [  # what an assertion names in passing
    ("assert total([1, 2]) == 3", "assert (got := total([1, 2])) == 3, got"),
    ("got = total(2)\nassert got == 3\nassert got.sum", "assert (got := total(2)) == 3\nassert got.sum"),
    ("assert len(total(1)) == 3", "assert len(got := total(1)) == 3, got"),
]


@pytest.mark.parametrize(("before", "after"), [(body(one), body(other)) for one, other in NAMED])
def test_an_assertion_may_name_what_it_is_about(before, after):
    assert judged(before, after) == judged(after, before) == []


@pytest.mark.parametrize(("before", "after"), SAME)
def test_an_edit_that_says_the_same_is_silent_both_ways(before, after):
    assert judged(body(before), body(after)) == []
    assert judged(body(after), body(before)) == []


def test_combinations_of_literals_are_rows_of_their_own():
    rows = "@pytest.mark.parametrize('given', list(itertools.permutations((1, 2))))\n"
    table = f"import itertools\n{rows}def test_it(given):\n    assert f(*given) == 3\n"
    assert judged(body("assert f(1, 2) == 3\nassert f(2, 1) == 3"), table) == []
    assert judged(body("assert f(1, 2) == 3\nassert f(1, 1) == 3"), table) != []


def test_a_case_that_had_an_assertion_of_its_own_may_be_like_the_others():
    apart = body("if OLD:\n    assert f() == 'a'\nelse:\n    assert f() == 'b'")
    assert [one.severity for one in judged(apart, body("assert f() == 'b'"))] == ["warning"]


def test_a_patch_may_be_a_decorator_or_surround_what_it_is_for():
    called = "    f()\n    opened.assert_called_once_with({})\n"
    decorated = "@mock.patch('shop.store.open')\ndef test_it(opened):\n" + called
    block = "def test_it():\n  with mock.patch.object(store, 'open') as opened:\n" + called
    assert judged(decorated.format(1), block.format(1)) == []
    assert judged(decorated.format(1), block.format(2)) != []


def test_a_fake_of_the_test_side_may_give_way_to_another_one():
    before, after = body("assert Shop(FakeTill(3)).pay(1) == 2"), body("assert Shop(Mock(return_value=3)).pay(1) == 2")
    exchanged = changes(paired(before, after), spelling=Spelling(gone=frozenset({"FakeTill"})))
    assert {one.severity for one in exchanged} == {"note"}
    assert {one.severity for one in changes(paired(before, after))} == {"warning"}


def test_what_the_product_makes_of_a_fakes_answers_is_its_own_answer():
    before, after = (
        body(f"assert [one.id for one in Shop({till}).bills()] == [1]") for till in ("till", "Mock(pay=1)")
    )
    assert {one.severity for one in judged(before, after)} == {"warning"}


def test_an_expectation_that_was_computed_may_be_written_out():
    computed, written = body("assert total(1, 2) == total(2, 1)"), body("assert total(1, 2) == 3")
    assert judged(computed, written) == []
    assert [one.severity for one in judged(written, computed)] == ["error"]


MOVED = Spelling(bases=frozenset({("Full", "BoxError")}), gone=frozenset({"rank"}), fresh=frozenset({"level"}))
WORDS = frozenset({"exists", "taken", "name", "title"})
FOLLOWED = [
    ("assert f() == {'rank': 1}", "assert f() == {'level': 1}", True),
    ("assert f() == {'name': 1}", "assert f() == {'title': 1}", True),
    ("assert f() == {'name': 1}", "assert f() == {'title': 2}", False),
    ("assert f() == 'name'", "assert f() == 'title'", False),
    ("with pytest.raises(E, match='a exists'):\n    f()", "with pytest.raises(E, match='a taken'):\n    f()", True),
    ("with pytest.raises(E, match='a exists'):\n    f()", "with pytest.raises(E, match='a'):\n    f()", False),
    ("with pytest.raises(E, match='a exists'):\n    f()", "with pytest.raises(E, match='a fails'):\n    f()", False),
    ("with pytest.raises(BoxError):\n    f()", "with pytest.raises(Full):\n    f()", True),
    ("with pytest.raises(Full):\n    f()", "with pytest.raises(BoxError):\n    f()", False),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "same"), FOLLOWED)
def test_a_test_follows_the_words_and_classes_that_the_product_changed(before, after, same):
    found = changes(paired(body(before), body(after)), spelling=MOVED, touched=WORDS)
    assert all(one.severity == "note" for one in found) is same


DUMPED = """\
from tests.base import UserSchema
def test_it():
    with pytest.raises(ValidationError) as caught:
        UserSchema().dump({})
    assert caught.value.valid_data['name'] == 'foo'
"""
RETURNED = "from tests.base import UserSchema\ndef test_it():\n    data = UserSchema().dump({})\n    assert data['name'] == 'foo'\n"
SHOP_DUMPED = DUMPED.replace("tests.base", "shop")


@pytest.mark.parametrize(("before", "severity"), [(DUMPED, "warning"), (SHOP_DUMPED, "error")])
def test_a_class_of_the_tests_is_no_new_fake_where_the_test_used_it_before(before, severity):
    found = judged(before, RETURNED, base="class UserSchema(Schema):\n    pass\n")
    assert max((one.severity for one in found), key=("note", "warning", "error").index) == severity


def test_a_list_that_a_text_is_made_of_stays_the_same():
    before = body("rows = [1]\nassert f(rows) == 2")
    formatted = body("rows = [1]\ntold = 'rows {}'.format(rows)\nassert f(rows) == 2, told")
    filled = body("rows = [1]\ntold = fill(rows)\nassert f(rows) == 2, told")
    assert [len(changes(paired(before, one))) for one in (formatted, filled)] == [0, 1]


REFUSED = "@contextmanager\ndef refused(text):\n    with pytest.raises(BoxError) as caught:\n        yield\n    assert {} == text\n\n"
CLOSED = "class BoxTest(TestCase):\n    @contextmanager\n    def full(self):\n        box = Box(size=1)\n        {}\n        box.close()\n\n"
ENTERED = [
    ("def test_it():\n    with pytest.raises(BoxError) as caught:\n        put('b')\n    assert str(caught.value) == 'full'\n",
     "def test_it():\n    with refused('full'):\n        put('b')\n", REFUSED.format("str(caught.value)"), REFUSED.format("text")),
    ("class BoxTest(TestCase):\n    def test_it(self):\n        box = Box(size=1)\n        self.assertEqual(box.put('b'), 2)\n        box.close()\n",
     "    def test_it(self):\n        with self.full() as box:\n            self.assertEqual(box.put('b'), 2)\n",
     CLOSED.format("yield box"), CLOSED.format("try:\n            yield box\n        except Exception:\n            pass")),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "helper", "lenient"), ENTERED)
def test_what_runs_under_a_context_manager_of_the_tests_is_asserted_as_it_says(before, after, helper, lenient):
    assert judged(before, helper + after) == []
    assert {one.severity for one in judged(before, lenient + after)} == {"error"}


RESULT = "class Result(NamedTuple):\n    code: int\n    out: str\n\ndef run(*args):\n    return Result(main(args), *streams())\n\n"
READ = body("code = main(('-v',))\nout, err = streams()\nassert code == 0\nassert out == 'done'")


@pytest.mark.parametrize("out", ["run('-v').out", "run('-v')[1]"])
def test_a_record_may_be_filled_by_spreading_and_read_by_name_or_place(out):
    said = body(f"assert run('-v').code == 0\nassert {out} == 'done'")
    assert judged(READ, RESULT + said) == []
    assert {one.severity for one in judged(READ, RESULT + said.replace("== 'done'", "!= ''"))} == {"error"}


@pytest.mark.parametrize("text", ["^{day}: it is not valid on", "no {day}"])
def test_a_pattern_with_a_value_in_it_says_what_its_texts_say(text):
    loose = body("day = date(2024, 1, 1)\nwith pytest.raises(DayError, match='is not valid'):\n    check(day)")
    firm = loose.replace("'is not valid'", 'f"^{day} is not valid on"')
    assert judged(loose, firm) == []
    assert {one.severity for one in judged(firm, loose)} == {"error"}
    other = loose.replace("'is not valid'", f'f"{text}"')
    assert bool(judged(loose, other)) is ("valid" not in text)


COMPUTED = "def test_it():\n    if price(2) != 4:\n        {}\n        pytest.fail(why)\n"


@pytest.mark.parametrize(
    "line", ["why = f'not {price(2)}'", "lines = diff(price(2), 4)\n        why = '\\n'.join(lines)"]
)
def test_a_failure_may_compute_what_it_says(line):
    assert judged(body("assert price(2) == 4"), COMPUTED.format(line)) == []
    assert judged(body("assert price(2) == 4"), COMPUTED.format(line).replace("!= 4", "is None")) != []


ERRORS = "with pytest.raises(BoxError, match='full'):\n    put(1, wait={0})\nwith pytest.raises(BoxError, match='shut'):\n    put(2, wait={0})"


@pytest.mark.parametrize("wait", ["5", "Wait(9)"])
def test_errors_in_the_same_words_are_the_same_errors_where_every_call_changed(wait):
    before, after = body(ERRORS.format(1)), body(ERRORS.format(wait))
    assert {one.kind for one in judged(before, after)} <= {"subject"}
    assert "expectation" in {one.kind for one in judged(before, after.replace("'shut'", "'wet'"))}


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        ("{'a': 1, 'c': 3, 'b': 2}", "grown"),
        ("{'a': 1, 'b': 3, 'c': 2}", "subject"),
        ("{'a': 1}", "subject"),
        ("{'b': 2, 'a': 1}", "subject"),
    ],
)
def test_a_table_that_only_has_more_entries_is_told_from_another_one(table, kind):
    before = body("assert price({'a': 1, 'b': 2}, [1]) == 3")
    assert {one.kind for one in judged(before, body(f"assert price({table}, [1]) == 3"))} == {kind}
    assert {one.kind for one in judged(before, body(f"assert price({table}, [2]) == 3"))} == {"subject"}


@pytest.mark.parametrize(("path", "place"), [("tests/unit/test_a.py", "tests"), ("spec/a/b/test_c.py", "spec/a")])
def test_a_helper_in_a_folder_above_is_found(path, place):
    assert f"{place}/makers.py" in module_candidates(path, "makers")
    assert f"{place}/makers.py" not in module_candidates(path, ".makers")


CHOICES = "BOXES = [Box('a', 1), Box('b', 2)]\n\n\ndef test_one():\n    assert choose(BOXES, {'a'}) == 'b'\n\n\n"
EVERY = "def test_two():\n    assert choose(BOXES, {'b'}) == 'a'\n"


@pytest.mark.parametrize("taken", ["set()", "['b', 'b']"])
def test_a_deleted_case_is_not_made_up_for_by_another_list_of_the_same_values(taken):
    rows = f"@pytest.mark.parametrize(('taken', 'name'), [({{'a'}}, 'b'), ({taken}, 'a')])\n"
    table = rows + "def test_choose(taken, name):\n    assert choose(BOXES, taken) == name\n"
    head = CHOICES.partition("def ")[0]
    assert judged(CHOICES + EVERY, head + table) != []


MIXED = """
class Spool:
    def setUp(self):
        super().setUp()
        self.spool = make_spool()
        {0}

    def tearDown(self):
        {1}
        super().tearDown()

class Clock:
    def setUp(self):
        super().setUp()
        self.now = 5

class TestSpool(Spool, Clock, TestCase):
    def test_it(self):
        self.assertEqual(self.spool.add(self.now), 1)
"""
LEFT = "self.assertEqual(self.spool.left(), [])"


def test_what_mixins_do_around_a_test_is_done_once_and_may_be_registered_instead():
    by_hand = MIXED.format("pass", LEFT)
    assert judged(by_hand, MIXED.format("self.addCleanup(self.assertEqual, self.spool.left(), [])", "pass")) == []
    assert [one.kind for one in judged(by_hand, MIXED.format("pass", "pass"))] == ["removed"]


INHERITED = """
class Base(TestCase):
    def check(self, cart):
        self.assertEqual(cart.total, {0})

class TestCart(Base):
    def check(self, cart):
        super().check(cart)

    def test_it(self):
        self.check(make_cart())
"""


def test_a_helper_that_passes_on_to_that_of_its_base_is_followed():
    assert [one.kind for one in judged(INHERITED.format(3), INHERITED.format(4))] == ["expectation"]


PATTERNS = [
    ("with pytest.raises(E) as e:\n    f()\nassert str(e.value) == f'{where(1)}: (full)'",
     "text = re.escape(f'{where(1)}: (full)')\nwith pytest.raises(E, match=f'^{text}$'):\n    f()"),
    ("with pytest.raises(E) as e:\n    f()\nassert f'{where(1)}:3: ' in str(e.value)",
     "with pytest.raises(E, match=f'^{re.escape(str(where(1)))}:3: .*full'):\n    f()"),
    ("with self.assertWarns(Old) as w:\n    f()\nself.assertTrue(str(w.warning).startswith('f is old'))",
     "with self.assertWarnsRegex(Old, 'f is old'):\n    f()"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), PATTERNS)
def test_what_is_said_of_an_error_may_become_the_pattern_it_is_expected_with(before, after):
    assert judged(body(before), body(after)) == []


def test_what_is_asserted_under_a_drawn_truth_value_is_still_tried():
    before = body("assert f(1) == 2")
    drawn = "@given(booleans())\ndef test_it(quick):\n    if {0}:\n        assert f(1) == 2\n    else:\n        f(2)\n"
    for condition, severity in (("quick", "warning"), ("not quick", "warning"), ("quick and slow()", "error")):
        assert {one.severity for one in judged(before, drawn.format(condition))} == {severity}


def test_an_entry_that_is_looked_up_is_there():
    assert judged(body("assert 'a' in f(1)"), body("assert 'x' in f(1)['a']")) == []
    assert judged(body("assert 'a' in f(1)"), body("assert 'x' in f(1)['b']")) != []
    assert judged(body("assert 'a' in f(1)"), body("assert 'x' in f(1).get('a')")) != []


SAID = "with pytest.raises(E) as e:\n    f()\nassert str(e.value) == f'{where(1)}: full'"


@pytest.mark.parametrize("pattern", ["f'^{where(1)}: full$'", "f'^{re.escape(where(2))}: full$'", "'full'"])
def test_a_pattern_that_a_text_is_filled_into_may_match_others(pattern):
    after = f"with pytest.raises(E, match={pattern}):\n    f()"
    assert [one.severity for one in judged(body(SAID), body(after))] == ["error"]


CAUGHT = """
def thrown_by(action):
    try:
        action()
    except {0} as error:
        return error
    {1}

def test_it():
    assert thrown_by(lambda: f(1)).code == 3
"""


def test_a_helper_that_gives_an_error_or_fails_expects_it():
    plain = body("with pytest.raises(E) as e:\n    f(1)\nassert e.value.code == 3")
    fails = "raise AssertionError('nothing was raised')"
    assert judged(plain, CAUGHT.format("E", fails)) == []
    assert [one.kind for one in judged(CAUGHT.format("E", fails), CAUGHT.format("E", "return None"))] != []


GOLDEN = """
@pytest.fixture
def golden(request):
    def check(text, name):
        path = FOLDER / name
        if {0}:
            path.write_text(text)
        assert text == path.read_text()
    return check

def test_it(golden):
    golden(report(1), "one.txt")
"""


@pytest.mark.parametrize(("condition", "kinds"), [
    ("request.config.getoption('--update')", []), ("not request.config.getoption('--update')", ["hollow"]),
    ("text != path.read_text()", ["hollow"]), ("os.environ.get('CI')", ["hollow"]),
])  # fmt: skip
def test_a_file_that_is_written_where_an_option_asks_for_it_is_still_compared(condition, kinds):
    before = GOLDEN.format("False")
    assert [one.kind for one in judged(before, GOLDEN.format(condition))] == kinds


FAKE = """
class Outbox:
    def __init__(self, *given):
        self.sent = list(given)

    def send(self, letter):
        self.sent.append(letter)

    def verify(self):
        for letter in self.sent:
            assert letter.{0}

@pytest.fixture
def outbox():
    return Outbox()

def test_it(outbox):
    ship(outbox)
    {1}
"""


def test_what_a_method_of_the_tests_own_class_asserts_counts():
    by_hand = FAKE.format("stamped", "for letter in outbox.sent:\n        assert letter.stamped")
    by_method = FAKE.format("stamped", "outbox.verify()")
    assert judged(by_hand, by_method) == judged(by_method, by_hand) == []
    assert [one.kind for one in judged(by_method, FAKE.format("stamped", "pass"))] == ["hollow"]
    assert judged(by_method, FAKE.format("sealed", "outbox.verify()")) != []


ROWS = "def test_it():\n    rows = {{'two': ([1, 1], 2), 'none': ([], {0})}}\n    for name, (prices, sum) in rows.items():\n"
LOOPED = ROWS + "        assert total(prices) == sum\n"


def test_rows_inside_of_rows_are_taken_apart():
    assert judged(body("assert total([1, 1]) == 2\nassert total([]) == 0"), LOOPED.format(0)) == []
    assert [one.kind for one in judged(LOOPED.format(0), LOOPED.format(1))] == ["expectation"]


def test_a_skip_under_another_condition_than_before_is_only_a_warning():
    before = body("if policy().name == 'Proactor':\n    pytest.skip('broken')\npolicy()\nassert f() == 1")
    after = before.replace("name == 'Proactor'", "name.endswith('Proactor')")
    assert [(one.kind, one.severity) for one in judged(before, after)] == [("skipped", "warning")]
    fresh = before.replace("    if policy().name == 'Proactor':\n        pytest.skip('broken')\n", "")
    assert [(one.kind, one.severity) for one in judged(fresh, after)] == [("skipped", "error")]


WEB = "class FakeWeb:\n    def __call__(self, url):\n        return 200\n"
BASE = "from tests.fakes import FakeWeb\nclass Base(TestCase):\n    def setUp(self):\n        self.web = FakeWeb()\n"
ASKED = "class TestIt(Base):\n    def test_it(self):\n        check(self.web)\n        self.assertEqual(self.web.asked, ['x'])\n"


def test_a_fake_may_move_from_a_base_class_into_the_test_file():
    beside = {"fakes": WEB, "base": BASE}
    before = "from tests.base import Base\n" + ASKED
    made = "class TestIt(TestCase):\n    def setUp(self):\n        self.web = FakeWeb()\n\n"
    after = "from tests.fakes import FakeWeb\n" + ASKED.replace("class TestIt(Base):\n", made)
    assert judged(before, after, **beside) == []
    product = after.replace("from tests.fakes", "from shop")
    assert [one.severity for one in judged(product, after, **beside)].count("error") > 0


def test_a_letter_of_a_literal_text_is_no_assertion_about_the_product():
    asked = "url = '/a'\nassert url[{}] == '/'\nassert f(url) == 1"
    plain = body("assert f('/a') == 1")
    assert judged(body(asked.format(0)), plain) == []
    assert [one.kind for one in judged(body(asked.format(2)), plain)] == ["removed"]


ROWS_XFAILING = """
import pytest
@pytest.mark.parametrize("given, wanted", [(0, b"AA"), pytest.param(-1, "", marks=pytest.mark.xfail(raises=ValueError))])
def test_it(given, wanted):
    actual = encoded(given)
    assert actual == wanted
"""
ROWS_RAISING = """
import pytest
from contextlib import nullcontext
@pytest.mark.parametrize("given, wanted", [(0, nullcontext(b"AA")), (-1, pytest.raises(ValueError, match="below"))])
def test_it(given, wanted):
    with wanted as e:
        actual = encoded(given)
        assert actual == e
"""


def test_a_row_may_hold_the_context_that_says_what_is_expected():
    assert judged(ROWS_XFAILING, ROWS_RAISING) == []
    (raised,) = (one.claim for one in strengths(ROWS_RAISING)["test_it"].facts if one.claim.relation == "raises")
    (plain,) = strengths(body("with pytest.raises(ValueError, match='below'):\n    encoded(-1)"))["test_it"].facts
    assert raised == plain.claim
    (other,) = judged(ROWS_RAISING, ROWS_RAISING.replace("AA", "AB"))
    assert (other.kind, other.old, other.new) == ("expectation", "encoded(0) == b'AA'", "encoded(0) == b'AB'")
    (looser,) = judged(ROWS_RAISING, ROWS_RAISING.replace(', match="below"', ""))
    assert (looser.kind, looser.new) == ("loosened", "raises ValueError by encoded(-1)")


def test_a_context_that_yields_or_leaves_early_is_run_in_the_middle_of_what_follows():
    source = "with lock as held:\n    if other:\n        return\n    assert f() == held\nassert g() == 2"
    assert [len(one.conditions) for one in strengths(body(source))["test_it"].facts] == [1, 1]
    fixture = "@pytest.fixture\ndef shop(lock):\n    with lock:\n        yield Shop()\ndef test_it(shop):\n    assert shop.open {}\n"
    assert [one.kind for one in judged(fixture.format("== 1"), fixture.format("> 0"))] == ["loosened"]
