"""Claims about the rows of a table, said of each row."""

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Item,
    Name,
    Opaque,
    Operation,
    TestEvidence,
    Value,
)
from pactkeeper.intent.inference import infer

ROW = Name("t")
INPUT, OUT = Attribute(ROW, "input"), Attribute(ROW, "out")


def text(value: str) -> Value:
    return Value("string", value)


def call(name: str, *arguments: Expression) -> Call:
    return Call(Name(name), tuple(Argument(one) for one in arguments))


def fields(**values: Expression) -> Collection:
    return Collection("mapping", tuple(side for name, one in values.items() for side in (text(name), one)))


def table(*claims: Claim, rows, parameters=("t",), title="t.input", **rest) -> TestEvidence:
    written = tuple(row if isinstance(row, tuple) else (row,) for row in rows)
    return TestEvidence(
        f"a.test.ts::encode::{title}",
        ("encode",),
        title,
        claims=claims,
        parameters=parameters,
        rows=written,
        free_text_name=True,
        **rest,
    )


PLAIN = Claim("equals", call("encode", INPUT), OUT, line=3)


def test_a_claim_about_fields_is_made_for_every_row():
    said = infer(
        table(PLAIN, rows=[fields(input=text("a b"), out=text("a+b")), fields(input=text("c"), out=text("c"))])
    )

    assert said.intent == "encode returns the listed result for 2 inputs."
    assert said.outcomes == ("encode returns 'a+b' for 'a b'.", "encode returns 'c' for 'c'.")
    assert said.confidence >= 70


def test_rows_of_one_result_name_it():
    rows = [fields(input=text(one), out=Value("boolean", "true")) for one in ("a", "b", "c")]

    assert infer(table(PLAIN, rows=rows)).intent == "encode returns true for 3 listed inputs."


def test_a_row_whose_values_have_no_words_is_not_stated():
    rows = [
        fields(input=text("a"), out=text("a")),
        fields(input=Opaque("x => y"), out=text("b")),
        fields(input=Opaque("y => x"), out=text("c")),
    ]
    said = infer(table(PLAIN, rows=rows))

    assert said.outcomes == ("encode returns 'a' for 'a'.",)
    assert "unresolvable_value" in said.reasons


def test_keys_of_a_mapping_stand_for_themselves_and_for_what_is_under_them():
    pages = fields(**{"//a": text("/a"), "//b": text("/b")})
    claim = Claim("equals", call("clean", Name("input")), Item(Name("pages"), Name("input")), line=2)
    rows = [text("//a"), text("//b")]

    said = infer(table(claim, rows=rows, parameters=("input",), title="input", definitions=(("pages", pages),)))
    assert said.outcomes == ("clean returns '/a' for '//a'.", "clean returns '/b' for '//b'.")


def test_a_name_taken_from_a_row_is_read_there():
    claim = Claim("equals", call("encode", INPUT), Name("first"), line=2)
    rows = [
        fields(input=text("a"), out=Collection("list", (text("1"),))),
        fields(input=text("b"), out=Collection("list", ())),
    ]

    said = infer(table(claim, rows=rows, definitions=(("first", Item(OUT, Value("number", "0"))),)))
    assert said.outcomes == ("encode returns '1' for 'a'.", "encode returns undefined for 'b'.")


def test_a_spread_list_is_given_one_by_one():
    claim = Claim("equals", call("join", Operation("spread", (INPUT,))), OUT, line=2)
    parts = Collection("list", (text("a"), text("b")))

    assert infer(table(claim, rows=[fields(input=parts, out=text("a/b"))])).outcomes == (
        "join returns 'a/b' for 'a' and 'b'.",
    )


def test_a_field_that_a_spread_may_give_is_not_known():
    row = Collection("mapping", (Operation("spread-mapping", (Name("base"),)), Name("base"), text("input"), text("a")))

    assert infer(table(PLAIN, rows=[row, row])).outcomes == ()
