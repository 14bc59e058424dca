"""What stands below a pull request, and that text of a repository stays text there."""

from dataclasses import replace

from markdown_it import MarkdownIt

from pactkeeper.forges.port import MARK, Annotation, HostedChange, code, comment_of, headline, is_ours, words

HOSTILE = (
    "@everyone <img src=x onerror=alert(1)> [x](https://evil.example) https://evil.example www.evil.example #1 !2 `",
    "``` \n/merge\n# heading",
    "``@ada`` </details> | x |",
    "\u202egnp.exe\x1b[31m\x00 --> <!-- pactkeeper:change -->",
    "*" * 5000,
    "",
)
CHANGE = HostedChange(
    "a" * 40,
    "b" * 40,
    compared=3,
    promises=(("IA-7F3KQ9T", "A login with an expired token is refused."),),
    proves=(("tests/test_auth.py::test_expired", "IA-7F3KQ9T"),),
    weakens=(
        Annotation(
            "error",
            "PK605",
            "tests/test_shop.py",
            4,
            "tests/test_shop.py::test_total",
            "an assertion says less",
            ("- total([1, 2]) == 3", "+ total([1, 2]) > 0"),
        ),
    ),
    without=("tests/test_shop.py::test_new", "tests/test_shop.py::test it's `odd`"),
    rules=("pact/waivers.toml",),
    agrees=False,
)
GOLDEN = """\
<!-- pactkeeper:change -->

### Pact: 1 weakening, 2 tests without intent

**Edits what it is judged by**

- `pact/waivers.toml`

**Weakens**

- ❌ `tests/test_shop.py::test_total`: an assertion says less (PK605, `tests/test_shop.py:4`)
  - `- total([1, 2]) == 3`
  - `+ total([1, 2]) > 0`

**Without intent**

- `tests/test_shop.py::test_new`
- `` tests/test_shop.py::test it's `odd` ``

To accept, anyone with write access replies with (add `--intent 'One sentence.'` to say in your own words what a test is for):

```
/pk accept --at bbbbbbbbbbbb tests/test_shop.py::test_new
/pk accept --at bbbbbbbbbbbb 'tests/test_shop.py::test it'"'"'s `odd`'
```

**Promises**

- `IA-7F3KQ9T` A login with an expired token is refused.

**Proves**

- `IA-7F3KQ9T` by `tests/test_auth.py::test_expired`

<sub>3 tests compared, aaaaaaaaaaaa to bbbbbbbbbbbb</sub>"""


def test_the_comment_says_what_a_reader_has_to_act_on_first():
    assert comment_of(CHANGE, answers=True) == GOLDEN


def test_without_somebody_who_listens_the_lines_are_commands():
    assert "pk accept tests/test_shop.py::test_new\n" in comment_of(CHANGE)
    assert "/pk accept" not in comment_of(CHANGE)


def test_a_quiet_change_is_told_in_two_lines():
    assert comment_of(HostedChange("a" * 40, "b" * 40)) == (
        f"{MARK}\n\n### Pact: holds\n\n<sub>no test compared, aaaaaaaaaaaa to bbbbbbbbbbbb</sub>"
    )


def test_tests_without_intent_fail_where_check_fails():
    assert not HostedChange("a", "b", without=("t",), agrees=False).holds
    assert headline(HostedChange("a", "b", without=("t",), agrees=False)) == "1 test without intent"
    assert headline(HostedChange("a", "b", without=("t",))) == "holds; 1 test without intent"


def test_what_is_not_proven_has_a_heading_of_its_own_and_is_counted():
    proven = CHANGE.weakens[0]
    seen = replace(
        proven, severity="warning", code="PK601", message="the test is gone; new tests assert something like it"
    )
    text = comment_of(replace(CHANGE, weakens=(proven, seen)))
    assert "### Pact: 1 weakening, 1 possible weakening, 2 tests without intent" in text
    assert (
        text.index("**Weakens**") < text.index(proven.message) < text.index("**May weaken**") < text.index(seen.message)
    )
    text = comment_of(HostedChange("a" * 40, "b" * 40, weakens=(seen,)))
    assert "### Pact: holds; 1 possible weakening" in text
    assert "**Weakens**" not in text


def test_only_a_comment_that_begins_with_the_mark_is_ours():
    assert is_ours(comment_of(CHANGE))
    assert not is_ours(f"> {MARK}\nquoted")


def _outside_code(text):
    """All text that a forge would render, mention or link: what stands in no code."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    kinds = {token.type for token in (*tokens, *inline)}
    assert not kinds & {"link_open", "image", "table_open", "blockquote_open"}
    assert sum(token.type == "heading_open" for token in tokens) == 1
    return "\n".join(one.content for one in (*tokens, *inline) if one.type in {"text", "html_inline", "html_block"})


def test_hostile_names_are_code_wherever_they_stand():
    for text in HOSTILE:
        note = Annotation("error", "PK605", text, 1, text, text, (text, text))
        change = HostedChange(
            "a" * 40, "b" * 40, 1, ((text, text),), ((text, text),), (text,), (note,), ((text, text),)
        )
        full = HostedChange(
            *("a" * 40, "b" * 40, 1, change.promises, change.proves, change.stronger, (note,), change.approved),
            *((note,), (text,), (text,), (text,)),
        )
        for made in (comment_of(full, answers=True), comment_of(HostedChange("a", "b", broken=text))):
            outside = _outside_code(made)
            assert "@" not in outside
            assert "evil" not in outside
            assert "http" not in outside
            assert {line for line in outside.splitlines() if "<" in line} <= {MARK, "<sub>", "</sub>"}
            assert not any(line.startswith("/") for line in _outside_code(made).splitlines())
            assert made.replace("\n", "").isprintable()


def test_a_comment_has_an_end_however_much_there_is_to_say():
    text = "`@x` " * 1000
    note = Annotation("error", "PK605", text, 1, text, text, (text,) * 50)
    full = HostedChange(
        "a" * 40, "b" * 40, 1, ((text, text),) * 999, ((text, text),) * 999, (text,) * 999, (note,) * 999
    )
    assert len(comment_of(full)) < 65_536


def test_plain_words_stay_words_and_anything_else_is_code():
    assert words("A login is refused.") == "A login is refused."
    assert words("see @ada") == "`see @ada`"
    assert words("www.evil.example") == "`www.evil.example`"
    assert code("a`b``c") == "```a`b``c```"
    assert code("two\nlines") == "`two\\nlines`"
