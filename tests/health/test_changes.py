import pytest

from pactkeeper.health.changes import MOST_FILES, Changed, read_counts, read_diff, worth_reading

DIFF = """\
diff --git a/shop/tax.py b/shop/tax.py
index 1..2 100644
--- a/shop/tax.py
+++ b/shop/tax.py
@@ -1,2 +1,2 @@ def rate():
-def tax(net):
-    return net
+def tax(net, rate):
diff --git a/old name.py b/old name.py
deleted file mode 100644
--- a/old name.py\t
+++ /dev/null
@@ -1 +0,0 @@
--- a/shop/cart.py
diff --git a/logo.png b/logo.png
Binary files a/logo.png and b/logo.png differ
"""


def test_words_are_told_by_file_as_they_went_and_came():
    tax = read_diff(DIFF)["shop/tax.py"]
    assert tax.gone == {"return"}
    assert tax.new == {"rate"}


def test_a_line_that_looks_like_a_heading_is_a_line():
    assert read_diff(DIFF)["old name.py"] == Changed(frozenset({"a", "shop", "cart", "py"}))


WORDED = """\
diff --git a/feed.py b/feed.py
--- a/feed.py
+++ b/feed.py
@@ -2 +2 @@
-    Listen on port 8000.
+    Listen on port 8080, by default.
@@ -4 +4 @@
-    # in words
+    # in other words: 9000
@@ -6 +6,2 @@
-    bind(port)  # now
+    bind(port)  # later
+    close(9001)
"""
FEED = b'def listen(port):\n    """Listen.\n    """\n    # in\n    x = 1\n    bind(port)  # later\n    close(9001)\n'


def test_comments_and_docstrings_are_no_change_of_the_code():
    (found,) = read_diff(WORDED, {"feed.py": FEED}.get).values()
    assert found.new == {"close", "9001"}
    assert found.lines == {7}


def test_a_docstring_of_a_file_that_does_not_parse_is_taken_for_code():
    (found,) = read_diff(WORDED, {"feed.py": FEED + b"def"}.get).values()
    assert found.lines == {2, 7}


def added(path, line, number=1):
    diff = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -{number} +{number} @@\n-\n+{line}\n"
    return lambda text="": read_diff(diff, {path: text.encode()}.get)[path]


SPAN_PYTHON = (
    "def f():\n    with open_server(\n        host,\n        8080,\n    ) as one:\n        one.go()\n    g()\n"
)
SPAN_SCRIPT = """\
describe('feed', () => {
  it('listens', () => {
    server.listen({
      port: 8080,
      host,
    }, () => {
      done()
    })
    other()
  })
})
"""
SPAN_GO = "func f() {\n\tserve(\n\t\tConfig{\n\t\t\tPort: 8080,\n\t\t},\n\t)\n\tg()\n}\n"


@pytest.mark.parametrize(
    ("path", "text", "changed", "lines"),
    [
        ("a.py", SPAN_PYTHON, 4, {2, 3, 4, 5}),
        ("a.py", SPAN_PYTHON, 6, {6}),
        ("a.ts", SPAN_SCRIPT, 4, {3, 4, 5, 6, 8}),
        ("a.ts", SPAN_SCRIPT, 7, {7}),
        ("a.ts", SPAN_SCRIPT, 9, {9}),
        ("a.go", SPAN_GO, 7, {7}),
    ],
)
def test_a_new_line_makes_its_whole_statement_new(path, text, changed, lines):
    assert added(path, text.splitlines()[changed - 1], changed)(text).lines == lines


@pytest.mark.parametrize(
    ("path", "line", "told"),
    [
        ("a.py", "db = connect(host, 5433)", {"5433"}),
        ("a.py", 'db = connect("db.staging")', {"db", "staging"}),
        ("a.ts", "const db = open(`${where}.staging`)", {"where", "staging"}),
        (".env", "DB_HOST=db.staging", {"DB_HOST", "db", "staging"}),
    ],
)
def test_a_place_to_reach_is_named_in_texts_and_settings(path, line, told):
    assert added(path, line)().told == told


@pytest.mark.parametrize(
    ("line", "ports", "passed"),
    [
        ("date(2026, 1, 1)", set(), set()),
        ("YEAR = 2026", set(), set()),
        ('at("12:30", "2026-05-01T12:2026", 2026, 5)', set(), set()),
        ("report_of(2026)", set(), {"2026"}),
        ("server.listen(8080, () => go())", set(), {"8080"}),
        ('bind(("", 8080))', set(), {"8080"}),
        ('DB_PORT = os.environ.get("PORT", 5433)', {"5433"}, {"5433"}),
        ("dbPort: 5433,", {"5433"}, set()),
        ("process.env.PORT || 3001", {"3001"}, set()),
        ("serve --port 8081", {"8081"}, set()),
        ('url = "postgres://me@db:5433/shop"', {"5433"}, set()),
        ('connect("http://[::1]:8080", "127.0.0.1:8081")', {"8080", "8081"}, set()),
        ('ListenAndServe(":8080", nil)', {"8080"}, set()),
        ("supported = 2026; import(2026); transports: 2026", set(), {"2026"}),
    ],
)
def test_a_port_is_told_from_a_number_by_where_it_stands(line, ports, passed):
    found = added("a.x", line)()
    assert (found.ports, found.passed) == (ports, passed)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("#include <port.h>", {"include", "port", "h"}),
        ("*left = right;", {"left", "right"}),
        (" * of a block", set()),
        ("// 8080", set()),
        ('"http://db:8080"', {"http", "db", "8080"}),
        ("#!/bin/sh", set()),
    ],
)
def test_a_comment_is_told_from_code_that_looks_like_one(line, words):
    (found,) = read_diff(f"diff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n@@ -0,0 +1 @@\n+{line}\n").values()
    assert found.after == words


def test_a_binary_file_has_no_words():
    assert "logo.png" not in read_diff(DIFF)


def test_no_difference_is_no_change():
    assert read_diff("") == {}


def test_lines_are_counted_by_path():
    assert read_counts("3\t1\ta b.py\0-\t-\tlogo.png\0") == {"a b.py": 4, "logo.png": 0}


def test_what_a_machine_wrote_is_not_read():
    assert worth_reading({"a.py": 9, "yarn.lock": 90_000, "logo.png": 0, "b.py": 2}) == ("b.py", "a.py")


def test_of_very_many_files_the_smallest_changes_are_read():
    found = worth_reading({f"{number:04}.py": number for number in range(1, 2_000)})
    assert len(found) == MOST_FILES
    assert found[0] == "0001.py"
