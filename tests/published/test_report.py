"""The page, the summary and the badge: complete, the same each time, and safe whatever a repository calls its tests."""

from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from defusedxml import ElementTree

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.evidence_state import Backing
from pactkeeper.operators.atoms import AtomRow
from pactkeeper.operators.check import CheckReport, Row
from pactkeeper.operators.observe import SweptLine
from pactkeeper.operators.proof import Ran
from pactkeeper.operators.report import RUNGS, Area, Point, Report
from pactkeeper.published.report import code_span, curve, report_badge, report_markdown, report_page

HOSTILE = '</table><script>alert(1)</script>"onload="x` | @everyone ![](http://e/x.png)\x1b[2J\u202e\ud800'


def row(message="It drifted.", severity="error", **fields):
    given = {"path": "tests/a.py", "line": 3, "subject": "tests/a.py::one", "about": "", "fix": "", "fingerprint": "fp"}
    return Row("PK101", severity, message=message, **{**given, **fields})


def make(*, findings=(), tests=(3, 2, 1, 4), **fields):
    check = CheckReport(
        "the working tree",
        declared=True,
        findings=tuple(findings),
        waived=(),
        tests={"linked": 10},
        atoms={"proposed": 3},
        gaps=0,
    )
    rungs = dict(zip(RUNGS, tests, strict=True))
    given = {
        "areas": (Area("tests", rungs),),
        "spread": (("no test", 0), ("1 test", 3)),
        "alone": (),
        "crowded": (),
        "points": (Point("a" * 40, "2026-01-01", 1, 0, 9), Point("b" * 40, "2026-02-01", 3, 2, 7)),
        **fields,
    }
    return Report("shop", check.snapshot, "c" * 40, check, rungs, {"proposed": 3}, {"none": 3}, **given)


def behaviour(intent, proof=None):
    return AtomRow(Atom("IA-1", intent), "committed", (), None, None, None, proof)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found: list[tuple[str, dict]] = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def tags(page):
    parser = Tags()
    parser.feed(page)
    return parser.found


def hostile():
    sweep = SimpleNamespace(started_at=HOSTILE, commit=HOSTILE)
    return replace(
        make(findings=[row(HOSTILE, path=HOSTILE, subject=HOSTILE)], areas=(Area(HOSTILE, make().tests),)),
        name=HOSTILE,
        alone=(HOSTILE,),
        crowded=((HOSTILE, 2),),
        sweeps=(SimpleNamespace(colour="red", sweep=sweep),),
    )


def test_the_page_needs_nothing_beside_itself():
    page = report_page(make(findings=[row()]))
    assert {tag for tag, _ in tags(page)}.isdisjoint({"script", "link", "img", "iframe"})
    named = {name for _, attributes in tags(page) for name in attributes}
    assert named.isdisjoint({"src", "href"})
    assert "default-src 'none'" in page


def test_text_of_a_repository_stays_text():
    page = report_page(hostile())
    assert {tag for tag, _ in tags(page)}.isdisjoint({"script", "img"})
    assert not any(name.startswith("on") for _, attributes in tags(page) for name in attributes)
    assert not {"\x1b", "\u202e", "\ud800"} & set(page)
    page.encode()


def test_the_same_report_gives_the_same_bytes():
    assert report_page(make()) == report_page(make())


def test_a_page_with_nothing_to_tell_is_a_page():
    page = report_page(make(tests=(0, 0, 0, 0), areas=(), spread=(), points=()))
    assert "Over time" not in page
    assert "None." in page


def test_the_page_names_only_so_many_findings_and_counts_the_rest():
    page = report_page(make(findings=[row()] * 450))
    assert page.count("It drifted.") == 200
    assert "and 250 more" in page


def test_what_is_grave_comes_first():
    lines = report_markdown(make(findings=[row("Hm.", "warning"), row("Bad.", "error")])).splitlines()
    found = [line for line in lines if line.startswith("- ")]
    assert ("Bad." in found[0], "Hm." in found[1]) == (True, True)


def test_the_summary_has_every_rung_with_its_share():
    assert "| 10 | 3 (30 %) | 2 (20 %) | 1 (10 %) | 4 (40 %) |" in report_markdown(make())


def test_a_few_of_many_are_neither_none_nor_all():
    text = report_markdown(make(tests=(1, 0, 0, 9999)))
    assert "1 (1 %)" in text
    assert "9,999 (99 %)" in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "`plain`"),
        ("a `b` c", "`` a `b` c ``"),
        ("``", "``` `` ```"),
        ("two\nlines", "`two lines`"),
        ("@ada <b>", "`@ada <b>`"),
    ],
)
def test_text_in_markdown_is_code(text, expected):
    assert code_span(text) == expected


@pytest.mark.parametrize(
    ("report", "said"),
    [
        (make(), "60 %"),
        (make(findings=[row()]), "drifted"),
        (make(tests=(0, 0, 0, 3)), "0 %"),
        (make(tests=(1, 0, 0, 0)), "100 %"),
    ],
)
def test_a_badge_says_how_much_is_known_or_that_there_is_drift(report, said):
    root = ElementTree.fromstring(report_badge(report))
    assert root.attrib["aria-label"] == f"intent: {said}"


RED = SweptLine("red", "a" * 40, 1)


@pytest.mark.parametrize(
    ("report", "said", "colour"),
    [
        (make(main=RED), "main red", "#b42318"),
        (replace(make(), evidence={"failing": 2}), "2 atoms failing", "#b42318"),
        (replace(make(main=RED), evidence={"failing": 1}), "main red, 1 atom failing", "#b42318"),
        (make(main=SweptLine("not known", "a" * 40, 0, 1)), "60 %", "#8a6100"),
        (make(ran=(Ran("a" * 40, 2, 1),)), "60 %", "#8a6100"),
        (make(main=SweptLine("green", "a" * 40, 0)), "60 %", "#1f7a4d"),
    ],
)
def test_a_badge_is_green_only_if_main_is_not_red_and_nothing_fails_or_is_unseen(report, said, colour):
    root = ElementTree.fromstring(report_badge(report))
    assert (root.attrib["aria-label"], colour in report_badge(report)) == (f"intent: {said}", True)


def test_a_red_main_line_is_told_before_the_check():
    found = make(main=RED)
    assert report_markdown(found).startswith("### Pact: main red; the check: in agreement")
    assert '<p class="verdict drifted">main red; the check: in agreement</p>' in report_page(found)


def test_a_curve_of_one_point_or_of_zeros_is_drawn():
    assert curve([5], ["2026-01-01"]).path == "M0.0 0.0"
    assert curve([0, 0], ["a", "b"]).path == "M0.0 120.0 L320.0 120.0"
    assert curve([], []).area == ""


def test_page_lists_behaviours_in_words_and_keeps_their_text_as_text():
    page = report_page(make(behaviours=(behaviour("A basket is <empty> at first."),)))
    assert 'A basket is &lt;empty&gt; at first. <span class="soft">committed</span></li>' in page


def test_page_marks_sentences_that_no_test_proves():
    proof = Backing((), "tests/<a>.py::test_a is gone")
    page = report_page(make(behaviours=(behaviour("A basket is empty.", proof),), unbacked=3))
    assert '<span class="warning">no test backs it: tests/&lt;a&gt;.py::test_a is gone</span></li>' in page
    assert "No test backs 3 of the committed ones" in page


def test_report_says_failing_and_marks_every_sentence():
    marked = (
        behaviour("A refund takes a day.", Backing((), "test_a failed in its last known run", "failing")),
        behaviour("A basket is empty.", Backing(("test_b",), "", "proven")),
        behaviour("A coupon works once.", Backing(("test_c",))),
    )
    made = replace(make(behaviours=marked), evidence={"failing": 1, "proven": 1, "none": 1})
    text, page = report_markdown(made), report_page(made)
    assert text.startswith("### Pact: 1 atom failing; the check: in agreement\n")
    assert "- **failed** `A refund takes a day.` IA-1 committed" in text
    assert "- passed `A basket is empty.`" in text
    assert "- backed, never run `A coupon works once.`" in text
    assert 'A refund takes a day. <span class="soft">committed</span> <strong class="error">failed</strong>' in page
    assert '<span class="soft">passed</span>' in page
    assert '<span class="soft">backed, never run</span>' in page
