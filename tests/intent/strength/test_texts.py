"""Text that is put together in different ways."""

from __future__ import annotations

import pytest

from pactkeeper.intent.claims import Argument, Attribute, Call, Collection, Expression, Name, Operation, Value
from pactkeeper.intent.strength.joining import joined_text

HOST = Name("host")
F_STRING = Operation("text", (Value("string", "http://"), HOST, Value("string", "/")))


def _format(text: str, *arguments: Argument) -> Expression:
    return Call(Attribute(Value("string", text), "format"), arguments)


@pytest.mark.parametrize(
    "written",
    [
        F_STRING,
        _format("http://{}/", Argument(HOST)),
        _format("http://{0}/", Argument(HOST)),
        _format("http://{host}/", Argument(HOST, "host")),
        Operation("%", (Value("string", "http://%s/"), HOST)),
        Operation("%", (Value("string", "http://%s/"), Collection("tuple", (HOST,)))),
        Operation("+", (Operation("+", (Value("string", "http://"), HOST)), Value("string", "/"))),
    ],
)
def test_text_has_one_spelling(written: Expression) -> None:
    inner = written.operands[0] if isinstance(written, Operation) and written.operator == "+" else None
    if inner is not None:
        written = Operation("+", (joined_text(inner) or inner, Value("string", "/")))

    assert joined_text(written) == F_STRING


@pytest.mark.parametrize(
    "written",
    [
        _format("{:>8}", Argument(HOST)),
        _format("{} {}", Argument(HOST)),
        Operation("%", (Value("string", "%d"), HOST)),
    ],
)
def test_formatting_that_is_not_plain_stays_as_it_is(written: Expression) -> None:
    assert joined_text(written) is None
