from pactkeeper.ledger.canonical import Run
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch
from pactkeeper.ledger.question import Question
from pactkeeper.operators.runs import compared

AT = "2026-01-02T03:04:05+00:00"
FIRST, SECOND = (Run(name, "shop", "/shop", "full-scan", AT, AT) for name in ("REC-1", "REC-2"))


def atom(number, sentence):
    name = f"test_{number}"
    source = {"testId": f"tests/test_a.py::{name}", "filePath": "tests/test_a.py", "testName": name}
    payload = {
        "atomId": f"IA-{number}",
        "description": sentence,
        "category": "functional",
        "observableOutcomes": [sentence],
        "confidence": "0.90",
        "sourceTest": {**source, "testLineNumber": 1},
    }
    return Op("createAtom", f"atom:IA-{number}", None, payload)


def patch(ops=(), questions=()):
    return Patch("c0ffee", tuple(ops), (), tuple(questions), {}, {})


def test_an_op_on_the_same_target_in_other_words_is_one_change():
    rules, model = atom(1, "A total adds prices."), atom(1, "The total of a basket is the sum of its prices.")
    found = compared(FIRST, patch([rules]), SECOND, patch([model]))
    assert found.changed == ((rules, model),)
    assert (found.only_before, found.only_after, found.both) == ((), (), 0)


def test_equal_ops_are_counted_and_the_others_stand_on_their_side():
    kept, gone, new = atom(1, "One."), atom(2, "Two."), atom(3, "Three.")
    found = compared(FIRST, patch([kept, gone]), SECOND, patch([kept, new]))
    assert (found.only_before, found.only_after, found.both) == ((gone,), (new,), 1)


def test_a_question_that_only_the_first_run_asks_is_settled():
    question = Question("word_test", "tests/test_a.py::test_1", {"file": "tests/test_a.py"})
    found = compared(FIRST, patch(questions=[question]), SECOND, patch([atom(1, "One.")]))
    assert (found.settled, found.asked) == ((question,), ())
