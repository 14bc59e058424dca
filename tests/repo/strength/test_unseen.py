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
