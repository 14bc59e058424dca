"""Claims as one line of text each, so that a test reads like a list of what was understood."""

from pactkeeper.intent.claims import (
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Opaque,
    Operation,
    Raised,
    Subscript,
    TestEvidence,
    Value,
)
from pactkeeper.intent.tests import Test
from pactkeeper.repo.languages.javascript.claims import javascript_evidence


def evidence(
    body: str, before: str = "", *, path: str = "a.test.ts", others: dict[str, str] | None = None
) -> TestEvidence:
    """The evidence of a test with this body in a file that starts with `before`."""
    return declared(f"{before}\nit('works', async (done) => {{\n{body}\n}})", path=path, others=others)


def declared(
    source: str, name: str = "works", *, path: str = "a.test.ts", others: dict[str, str] | None = None
) -> TestEvidence:
    """The evidence of the last declaration of a file, which holds the test `name`."""
    lines = source.rstrip("\n").splitlines()
    first = next(number for number, line in enumerate(lines, 1) if name in line)
    starts = [number for number, line in enumerate(lines, 1) if line.lstrip().startswith(("it", "test", "'"))]
    line = max((number for number in starts if number <= first), default=first)
    end = (
        max(number for number, text in enumerate(lines, 1) if text.strip().startswith("}"))
        if "\n" in source.strip()
        else 1
    )
    test = Test("id", path, (), name, line, first, max(end, first), "typescript", "jest", "")
    files = {key: text.encode() for key, text in (others or {}).items()}
    return javascript_evidence(path, source.encode(), tests=[test], read=files.get)["id"]


def claims(body: str, before: str = "", *, path: str = "a.test.ts", others: dict[str, str] | None = None) -> list[str]:
    """The claims of a test with this body, one line each; `?` stands at the end where something was not understood."""
    found = evidence(body, before, path=path, others=others)
    return [said(each) for each in found.claims] + (["?"] if "unresolvable_value" in found.reasons else [])


def said(claim: Claim) -> str:
    """`not equals x | 1` and the circumstances in brackets."""
    parts = ["not " if claim.negated else "", claim.relation, " ", shown(claim.subject)]
    if claim.object is not None:
        parts.append(f" | {shown(claim.object)}")
    parts.extend(f" {each.name}={shown(each.value)}" for each in claim.qualifiers)
    if claim.repeated:
        over = claim.each
        parts.append(f" [every {shown(over.variable)} of {shown(over.over)}]" if over is not None else " [repeated]")
    if claim.condition is not None:
        parts.append(f" [if {shown(claim.condition)}]")
    parts.extend(f" [{name} = {shown(value)}]" for name, value in claim.holds)
    if claim.via is not None:
        parts.append(f" [via {claim.via}]")
    parts.extend(f" or {said(each)}" for each in claim.alternatives)
    return "".join(parts)


def shown(value: Expression) -> str:  # noqa: C901, PLR0911, PLR0912 - one case a form of expression
    """An expression in a notation close to its source; what is opaque stands in guillemets."""
    match value:
        case Name(name):
            return name
        case Attribute(inner, name):
            return f"{shown(inner)}.{name}"
        case Subscript(inner, key):
            return f"{shown(inner)}[{shown(key)}]"
        case Call(function, arguments):
            return f"{shown(function)}({', '.join(shown(each.value) for each in arguments)})"
        case Value("string", text):
            return repr(text)
        case Value("regex", text):
            return f"/{text}/"
        case Value(_, text):
            return text
        case Operation(operator, operands):
            return f"({' '.join([operator, *map(shown, operands)])})"
        case Collection("mapping", items):
            pairs = zip(items[::2], items[1::2], strict=True)
            return "{" + ", ".join(f"{shown(key)}: {shown(held)}" for key, held in pairs) + "}"
        case Collection(_, items):
            return f"[{', '.join(map(shown, items))}]"
        case Opaque(text):
            return f"«{text}»"
        case Raised(error):
            return f"raised({shown(error)})"
        case _:
            return repr(value)
