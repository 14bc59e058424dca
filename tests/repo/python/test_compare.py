"""The comparison of a scan with a collector's output, on which the figures in `bench/discovery` stand."""

import json

from bench.discovery.compare import compare, main, read_collected


def collected(folder, *rows):
    place = folder / "collected.jsonl"
    place.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return read_collected([place])


def scanned(line, **more):
    return {"id": f"a.py::{line}", "file": "a.py", "line": line, **more}


def test_cases_of_one_function_are_one_place(tmp_path):
    found = collected(tmp_path, *[{"file": "a.py", "line": 3, "nodeid": f"a.py::test[{n}]"} for n in range(5)])
    assert compare([scanned(3)], found).recall == 1
    assert len(compare([scanned(3)], found).confirmed) == 1


def test_declarations_that_share_a_line_are_the_same_place(tmp_path):
    found = collected(tmp_path, {"file": "a.py", "line": 3, "name_line": 6})
    assert compare([scanned(6)], found).precision == 1
    assert compare([scanned(2, name_line=3)], found).precision == 1
    assert compare([scanned(7)], found).precision == 0


def test_what_one_side_lacks_is_named(tmp_path):
    found = compare(
        [scanned(1), scanned(2)], collected(tmp_path, {"file": "a.py", "line": 2}, {"file": "a.py", "line": 9})
    )
    assert [*found.extra, *found.missed] == [("a.py", 1), ("a.py", 9)]
    assert (found.precision, found.recall) == (0.5, 0.5)


def test_file_that_the_collector_could_not_load_is_left_out(tmp_path):
    found = collected(tmp_path, {"file": "a.py", "unseen": "failed: no numpy"}, {"file": "b.py", "line": 1})
    assert compare([scanned(1)], found).extra == {}
    assert found.unseen == {"a.py": "failed: no numpy"}


def test_deselected_items_count_and_foreign_ones_do_not(tmp_path):
    found = collected(
        tmp_path,
        {"file": "a.py", "line": 1, "deselected": True},
        {"file": "/lib/b.py", "line": 2, "outside": True},
        {"file": "docs/a.rst", "kind": "other"},
    )
    assert (len(found.places), found.deselected, found.outside, found.others) == (1, 1, 1, 1)


def test_difference_beyond_what_is_allowed_fails(tmp_path, capsys):
    (tmp_path / "scan.json").write_text(json.dumps({"tests": [scanned(1)], "gaps": []}), "utf-8")
    collected(tmp_path, {"file": "a.py", "line": 2, "nodeid": "a.py::test_b"})
    assert main([str(tmp_path / "scan.json"), str(tmp_path / "collected.jsonl")]) == 1
    assert "only collected: a.py:2  a.py::test_b" in capsys.readouterr().out
