"""A failure that nobody sees fails no test: what is asserted there counts for nothing."""

import pytest

from tests.repo.strength.edits import body, judged

HEAD = "import contextlib\nimport threading\nimport pytest\nfrom shop import total\n\n\n"
SEEN = HEAD + body("assert total([1, 2]) == 3")
WATCHED = body("with watch():\n    assert total([1, 2]) == 3")
LEAVING = "class watch:\n    def __enter__(self):\n        return self\n\n    def __exit__(self, kind, *rest):\n        {}\n\n\n"
GENERATOR = "@contextlib.contextmanager\ndef watch():\n    {}\n\n\n"


def kinds(edit: str, **files: str) -> list[tuple[str, str]]:
    return [(one.severity, one.kind) for one in judged(SEEN, HEAD + edit, **files)]


@pytest.mark.parametrize(
    ("form", "line", "hidden"),
    [
        (LEAVING, "return True", True),
        (LEAVING, "return kind is not None and issubclass(kind, Exception)", True),
        (LEAVING, "return kind is KeyError", False),
        (LEAVING, "self.clock.stop()", False),
        (GENERATOR, "try:\n        yield\n    except Exception:\n        print('failed')", True),
        (GENERATOR, "try:\n        yield\n    finally:\n        return", True),
        (GENERATOR, "try:\n        yield\n    finally:\n        close()", False),
    ],
)
def test_a_context_manager_of_the_tests_that_swallows_failures_empties_what_runs_under_it(form, line, hidden):
    wanted = [("error", "hollow")] if hidden else []
    assert kinds(form.format(line) + WATCHED) == wanted
    assert kinds(form.format(line) + body("seen = watch()\nwith seen:\n    assert total([1, 2]) == 3")) == wanted
    assert kinds("from help import watch\n\n\n" + WATCHED, help="import contextlib\n\n\n" + form.format(line)) == wanted


@pytest.mark.parametrize("last", ["return", "print(1)\n    return None"])
def test_nothing_fails_before_a_return_in_finally(last):
    tried = "try:\n    assert total([1, 2]) == 3\nfinally:\n    {}"
    assert kinds(body(tried.format(last))) == [("error", "hollow")]
    assert kinds(body(tried.format("close()"))) == []


MARKED = """
@pytest.fixture(autouse=True)
def basket(request):
    {}
    return [1, 2]


def test_it(basket, request):
    {}
    assert total(basket) == 3
"""


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("request.applymarker(pytest.mark.xfail(reason='flaky'))", ["error"]),
        ("request.node.add_marker('xfail')", ["error"]),
        ("flaky = pytest.mark.xfail\n    request.node.add_marker(flaky)", ["error"]),
        ("request.applymarker(pytest.mark.skipif(sys.platform == 'win32', reason='no'))", ["warning"]),
        ("if sys.platform == 'win32':\n        request.applymarker(pytest.mark.xfail)", ["warning"]),
        ("request.node.add_marker('slow')", []),
    ],
)
def test_a_mark_that_a_running_test_or_its_fixture_sets_counts_like_a_decorator(line, told):
    before = HEAD + MARKED.format("pass", "pass")
    for edit in (MARKED.format(line, "pass"), MARKED.format("pass", line)):
        assert [one.severity for one in judged(before, HEAD + edit)] == told


ROWS = "ROWS = {}\n\n\n@pytest.mark.parametrize('given, wanted', {})\ndef test_it(given, wanted):\n    assert total(given) == wanted\n"
LOOP = "ROWS = {}\n\n\ndef test_it():\n    for given, wanted in {}:\n        assert total(given) == wanted\n"


@pytest.mark.parametrize("form", [ROWS, LOOP])
def test_of_two_entries_with_one_key_only_the_last_is_a_row(form):
    listed = HEAD + form.format("[([1], 1), ([2], 2)]", "ROWS")
    named = "{{'one': ([1], 1), '{}': ([2], 2)}}"
    assert judged(listed, HEAD + form.format(named.format("two"), "ROWS.values()")) == []
    assert [one.kind for one in judged(listed, HEAD + form.format(named.format("one"), "ROWS.values()"))] != []


@pytest.mark.parametrize(
    ("start", "seen"),
    [
        ("worker = threading.Thread(target=check)\nworker.start()\nworker.join()", False),
        ("threading.Timer(0, check).start()", False),
        ("multiprocessing.Process(target=check).start()", False),
        ("weakref.finalize(check, check)", False),
        ("worker = Process(target=check)\nworker.start()\nworker.join()\nassert worker.exitcode == 0", True),
        ("with ThreadPool() as pool:\n    pool.map(check)", True),
    ],
)
def test_what_another_thread_or_process_asserts_fails_no_test(start, seen):
    edit = body("def check():\n    assert total([1, 2]) == 3\n" + start)
    assert kinds(edit) == ([] if seen else [("error", "hollow")])


CAUGHT = "label = lab\nassert label(1) == '1K'"
ON_STACK = "with contextlib.ExitStack() as stack:\n    {}\n    assert lab(1) == '1K'"


@pytest.mark.parametrize(
    "caught",
    [
        "with pytest.raises(Exception):\n    assert lab(1) == '1K'\n    raise Exception",
        "with pytest.raises((ValueError, BaseException)):\n    assert lab(1) == '1K'\n    raise ValueError",
        ON_STACK.format("stack.enter_context(contextlib.suppress(AssertionError))"),
        ON_STACK.format("made = stack.enter_context(contextlib.suppress(Exception))"),
        ON_STACK.format("stack.push(lambda *exc: True)"),
    ],
)
def test_an_assertion_whose_failure_is_expected_or_dropped_by_a_stack_counts_no_more(caught):
    assert [(one.kind, one.severity) for one in judged(body(CAUGHT), body(caught))] == [("hollow", "error")]


@pytest.mark.parametrize(
    "heard",
    [
        ON_STACK.format("stack.enter_context(open('x'))"),
        ON_STACK.format("stack.enter_context(contextlib.suppress(KeyError))"),
        ON_STACK.format("stack.push(lambda *exc: False)"),
        "with pytest.raises(Exception, match='closed'):\n    assert lab(1) == '1K'\n    close()",
    ],
)
def test_an_assertion_under_a_stack_or_an_error_of_certain_words_still_counts(heard):
    assert judged(body(CAUGHT), body(heard)) == []


def test_an_error_may_be_expected_of_what_runs_under_a_stack():
    expected, entered = "with pytest.raises(ValueError):\n    ceil(1)", "stack.enter_context(pytest.raises(ValueError))"
    assert judged(body(expected), body(f"with ExitStack() as stack:\n    {entered}\n    ceil(1)")) == []


@pytest.mark.parametrize(
    "raised",
    ["got = ceil(1)\n    raise ShopError(got)", "ceil(1)\n    raise ShopError", "ceil(2)\n    raise ShopError"],
)
def test_an_expected_error_that_the_test_raises_itself_after_the_call_can_not_fail(raised):
    expected = "with pytest.raises(ShopError):\n    {}\nassert floor(1) == 1"
    found = judged(body(expected.format("ceil(1)")), body(expected.format(raised)))
    told = "the test itself raises the error that it expects"
    assert [(one.message, one.severity) for one in found] == [(told, "error")]


def test_an_error_that_a_manager_may_swallow_is_shown_with_all_that_may_raise_it():
    expected = "with pytest.raises(ShopError):\n    {}"
    (found,) = judged(body(expected.format("ceil(1)")), body(expected.format("with ceil(1):\n        raise ShopError")))
    assert found.new == "raises ShopError by ceil(1) or raise ShopError"
