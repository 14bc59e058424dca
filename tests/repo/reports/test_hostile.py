"""Reports that are broken, cut off, of another kind, or made to do harm."""

import tracemalloc

import pytest

from pactkeeper.errors import InputError, ReportError
from pactkeeper.repo.reports import detect, read_coverage, read_results
from pactkeeper.repo.reports.reading import MOST_PROBLEMS, _pieces, load
from tests.repo.reports.reading import report, sample

BOMB = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]>\n<testsuites>&c;</testsuites>'
FOREIGN = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><testsuites><testsuite name="&b;"/></testsuites>'


def problems(read, given):
    with pytest.raises(ReportError) as caught:
        read(given)
    return [(one.line, one.message) for one in caught.value.problems]


@pytest.mark.parametrize("text", [BOMB, FOREIGN])
def test_entities_are_refused(text):
    ((line, message),) = problems(read_results, report(text))
    assert (line, message.startswith("declares the entity")) == (1, True)


def test_named_dtd_is_not_read(tmp_path):
    dtd = tmp_path / "evil.dtd"
    dtd.write_text('<!ENTITY b "bb">')
    assert not read_results(report(f'<!DOCTYPE a SYSTEM "{dtd.as_uri()}">\n<testsuites/>')).results


@pytest.mark.parametrize("name", ["pytest.xml", "pytest.json", "jest.json", "cobertura-py.xml", "coverage-py.json"])
def test_file_that_is_cut_off_is_refused_whole(name):
    given = report(sample(name).data[:-40])
    read = read_coverage if "co" in name[:3] else read_results
    ((line, message),) = problems(read, given)
    assert line > 0
    assert "is not a complete" in message


def test_tracefile_that_is_cut_off_is_refused():
    given = report(sample("lcov-py.info").data[:-20])
    ((line, message),) = problems(read_coverage, given)
    assert (line, "cut off" in message) == (3, True)


def test_every_problem_of_a_json_report_comes_with_its_line():
    given = report('{"testResults": [\n{"name": 1, "assertionResults": []},\n{"name": "a"},\n3]}')
    found = problems(read_results, given)
    assert [line for line, _ in found] == [2, 3, 4, 4, 4]


def test_every_problem_of_an_xml_report_comes_with_its_line():
    given = report("<testsuites>\n<testsuite>\n<testcase/>\n<testcase/></testsuite></testsuites>")
    assert [line for line, _ in problems(read_results, given)] == [3, 4]


def test_every_problem_of_a_tracefile_comes_with_its_line():
    given = report("TN:\nSF:a.c\nDA:x,1\nDA:3\nend_of_record\nDA:1,1\n")
    assert [line for line, _ in problems(read_coverage, given)] == [3, 4, 6]


def test_problems_beyond_the_first_are_counted():
    given = report(f"<testsuite>{'<testcase/>' * 80}</testsuite>")
    with pytest.raises(ReportError, match=f"80 problems(.|\n)*and {80 - MOST_PROBLEMS} more"):
        read_results(given)


def test_report_of_the_other_kind_is_named():
    ((_, message),) = problems(read_results, sample("lcov-py.info"))
    assert message.startswith("is LCOV, which contains no results")
    ((_, message),) = problems(read_coverage, sample("jest.json"))
    assert message.startswith("is Jest or Vitest JSON, which contains no lines")


@pytest.mark.parametrize(
    "text", ["", " \n", "hello", "[1]", '{"a": 1}', "<html/>", "<coverage/>", b"\xff\xfe", b"\x00\x01"]
)
def test_what_is_no_report_is_refused(text):
    with pytest.raises(ReportError):
        detect(report(text))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_json_is_read_in_every_encoding_of_unicode(encoding):
    given = report(sample("jest.json").data.decode().encode(encoding))
    assert len(read_results(given).results) == 13


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16"])
def test_xml_is_read_in_the_encoding_that_it_declares(encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?><testsuite name="s"><testcase name="für"/></testsuite>'
    (one,) = read_results(report(text.encode(encoding))).results
    assert one.case.names == ("für",)


@pytest.mark.parametrize(
    "data",
    [
        b'<testsuite name="s"><testcase name="\xe4"/></testsuite>',
        b'<?xml version="1.0" encoding="klingon"?><testsuite/>',
        b'{"testResults": [],\n"x": "\xe4"}',
        b"TN:\nSF:\xe4.c\nend_of_record\n",
    ],
)
def test_wrong_encoding_is_a_problem_with_a_line(data):
    with pytest.raises(ReportError) as caught:
        detect(report(data)).read(report(data))
    assert caught.value.problems[0].line > 0


@pytest.mark.parametrize("text", ['{"testResults": ' + "[" * 100_000, "<testsuite>" * 100_000])
def test_nesting_without_end_is_refused(text):
    with pytest.raises(ReportError):
        read_results(report(text))


def test_number_of_many_digits_is_refused():
    with pytest.raises(ReportError, match="digits"):
        read_results(report('{"numTotalTests": ' + "9" * 10_000 + "}"))


@pytest.mark.parametrize("inside", ["<![CDATA[{}]]>", "{}"])
def test_huge_message_is_cut_without_being_held(inside):
    data = report(
        f'<testsuite><testcase name="a"><failure>{inside.format("x" * 20_000_000)}</failure></testcase></testsuite>'
    )
    tracemalloc.start()
    try:
        (one,) = read_results(data).results
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (len(one.message), peak < 5_000_000) == (500, True)


def test_json_list_is_read_one_member_at_a_time():
    member = '{"name": "a.js", "assertionResults": [{"title": "%s", "status": "passed"}]}'
    data = report('{"testResults": [' + ",".join(member % ("x" * 1_000_000) for _ in range(30)) + "]}")
    tracemalloc.start()
    try:
        for _ in detect(data).read(data).results:  # type: ignore[union-attr]
            pass
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3 * len(data.data)


def test_report_that_is_too_large_or_missing_is_an_input_error(tmp_path):
    place = tmp_path / "big.xml"
    with pytest.raises(InputError, match="No such file"):
        load(place, "big.xml")
    with place.open("wb") as file:
        file.truncate((256 << 20) + 1)
    with pytest.raises(InputError, match="split the run"):
        load(place, "big.xml")
    with pytest.raises(InputError, match="regular file"):
        load(tmp_path, "folder")


def test_pieces_double_so_that_a_huge_token_is_begun_anew_few_times():
    data = bytes(5_000_000)
    pieces = list(_pieces(data))
    assert (b"".join(pieces) == data, len(pieces)) == (True, 7)
