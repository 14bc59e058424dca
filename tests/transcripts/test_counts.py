import pytest

from pactkeeper.transcripts.extraction.events import counts_in


@pytest.mark.parametrize(
    ("output", "counts"),
    [
        ("=== 2 failed, 5 passed, 1 skipped, 3 warnings in 1.20s ===", (5, 2, 1)),
        ("12 passed in 0.1s", (12, 0, 0)),
        ("1 error in 0.20s", (0, 1, 0)),
        ("Tests:       1 failed, 2 skipped, 14 passed, 17 total", (14, 1, 2)),
        ("      Tests  1 failed | 5 passed (6)", (5, 1, 0)),
        ("test result: FAILED. 4 passed; 1 failed; 0 ignored", (4, 1, 0)),
        ("ok  \tshop/tax\t0.1s\nok  \tshop/cart\t0.2s", (2, 0, 0)),
        ("Ran 7 tests in 0.01s\n\nFAILED (failures=1, errors=1)", (5, 2, 0)),
        ("Ran 7 tests in 0.01s\n\nOK (skipped=2)", (5, 0, 2)),
        ("  9 passing (12ms)\n  1 failing", (9, 1, 0)),
        ("5 examples, 1 failure", (4, 1, 0)),
        ("[ERROR] Tests run: 9, Failures: 1, Errors: 2, Skipped: 1", (5, 3, 1)),
        ("OK (3 tests, 4 assertions)", (3, 0, 0)),
        ("Failed!  - Failed:     1, Passed:     5, Skipped:     0, Total: 6", (5, 1, 0)),
        ("# tests 3\n# pass 2\n# fail 1", (2, 1, 0)),
    ],
)
def test_each_runners_summary_is_read(output, counts):
    found = counts_in(f"some line\n{output}\n")
    assert found
    assert (found.passed, found.failed, found.skipped) == counts


@pytest.mark.parametrize("output", ["", "all is well", "3 passed the exam", "FAIL", "9" * 5000])
def test_other_words_are_no_summary(output):
    assert counts_in(output) is None


def test_the_last_summary_counts():
    found = counts_in("3 failed, 1 passed in 1s\nagain\n4 passed in 1s\n")
    assert found
    assert (found.passed, found.failed) == (4, 0)


def test_the_summary_is_found_after_any_amount_of_output():
    text = "x\n" * 500_000 + "4 passed in 1s\n"
    found = counts_in(text)
    assert found
    assert text[found.first : found.last] == "4 passed in 1s"
