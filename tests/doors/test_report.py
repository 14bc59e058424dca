def test_a_page_a_badge_and_a_summary_are_made_at_once_and_the_same_each_time(adopted):
    first = adopted.pk("report", "--html", "p.html", "--badge", "b.svg", "--markdown")
    assert first.out.startswith("### Pact: in agreement")
    page, badge = adopted.read("p.html"), adopted.read("b.svg")
    (adopted.root / "p.html").unlink()
    (adopted.root / "b.svg").unlink()
    assert adopted.pk("report", "--html", "p.html", "--badge", "b.svg").out == ""
    assert (adopted.read("p.html"), adopted.read("b.svg")) == (page, badge)
    assert "intent: 100 %" in badge


def test_without_an_option_the_summary_is_printed(adopted):
    assert adopted.pk("report").out == adopted.pk("report", "--markdown").out


def test_a_place_that_cannot_be_written_is_told_before_the_work(adopted):
    assert "--html" in adopted.pk("report", "--html", "nowhere/p.html", code=2).err
