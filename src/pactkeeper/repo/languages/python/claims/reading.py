"""What has been read of a test so far, and how to recognize a statement that only fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from pactkeeper.intent.claims import AmbiguityReason, Attribute, Call, Claim, Expression, Name, descendants, names_in
from pactkeeper.repo.languages.python.claims.expressions import Scope, text_of

MAX_CLAIMS = 200


MAX_HELD = 400


_FAILURES = frozenset({"pytest.fail", "self.fail", "fail", "unittest.fail"})


_PREFIXES = ("check", "verify", "expect", "ensure", "validate", "should", "compare")


@dataclass(slots=True)
class Reading:
    """What has been read of one test so far; `follow` opens the project's own helpers and knows which ones assert."""

    scope: Scope
    follow: Callable[[Call, Reading], list[Claim] | None] | None
    claims: list[Claim] = field(default_factory=list)
    actions: list[Call] = field(default_factory=list)
    reasons: list[AmbiguityReason] = field(default_factory=list)
    bindings: dict[str, Expression | None] = field(default_factory=dict)
    assignments: dict[str, int] = field(default_factory=dict)
    line: int = 0

    def add(self, claims: list[Claim], node: Node) -> None:
        """Record claims found at a node, with the values that their names hold at this point."""
        line, quote = node.start_point.row + 1, _statement(node)
        for claim in claims:
            if len(self.claims) < MAX_CLAIMS:
                self.claims.append(
                    replace(
                        claim,
                        line=claim.line or line,
                        quote=claim.quote or quote,
                        holds=self._held(claim),
                        turns=self._turns(claim),
                    )
                )

    def _held(self, claim: Claim) -> tuple[tuple[str, Expression], ...]:
        names = sorted(_names(claim) & set(self.bindings))
        held = [(name, value) for name in names if (value := self.bindings[name]) is not None]
        return tuple(held) if not claim.via else claim.holds

    def _turns(self, claim: Claim) -> tuple[tuple[str, int], ...]:
        """Return, for each reassigned name, which of its values it has; a helper's assignments come with its claim."""
        counted = {name: times for name in _names(claim) if (times := self.assignments.get(name, 1)) > 1}
        return tuple(sorted({**counted, **dict(claim.turns)}.items()))

    def bind(self, name: str, value: Expression | None) -> None:
        """Record what a name is assigned; None if the value isn't plain."""
        self.assignments[name] = self.assignments.get(name, 0) + 1
        self.scope.forget(name)
        self.bindings[name] = None if value is None or Name(name) in descendants(value) else value


def _statement(node: Node) -> str:
    """Return the source of a statement; for one with a block, only its header."""
    body = node.child_by_field_name("body")
    if body is None:
        return text_of(node).strip()
    head = text_of(node)[: body.start_byte - node.start_byte]
    return head.split("\n", 1)[0].strip()


def _names(claim: Claim) -> frozenset[str]:
    return names_in([claim.subject, claim.object, claim.condition, *(one.value for one in claim.qualifiers)])


def last_call(reading: Reading, since: int) -> Call | None:
    """Return the last action read after the first `since` ones."""
    return reading.actions[-1] if len(reading.actions) > since else None


def promises_checks(name: str) -> bool:
    """Whether a helper's name says that it exists to check something."""
    return name.lstrip("_").lower().startswith(("assert", *_PREFIXES))


def looks_asserting(call: Call) -> bool:
    """Whether the called name says that it asserts something."""
    function = call.function
    name = function.name if isinstance(function, Name | Attribute) else ""
    plain = name.lstrip("_").lower()
    own = isinstance(function, Attribute) and function.value == Name("self")
    return plain.startswith(("assert", "expect_")) or (own and plain.startswith(_PREFIXES))


def fails(block: Node | None) -> bool:
    """Whether the block does nothing but fail the test, with values that it computes for its message."""
    statements = statements_of(block)
    return ends_failing(block) and all(map(_binds, statements[:-1]))


def _binds(statement: Node) -> bool:
    return [child.type for child in statement.named_children] == ["assignment"]


def ends_failing(block: Node | None) -> bool:
    """Whether a block fails the test if its end is reached."""
    return any(map(failing, statements_of(block)[-1:]))


def statements_of(block: Node | None) -> list[Node]:
    """Return the statements of a block, without its comments."""
    return [child for child in block.named_children if child.type != "comment"] if block is not None else []


def failing(statement: Node) -> bool:
    """Whether a statement does nothing but fail the test."""
    text = text_of(statement).split("(", 1)[0].strip()
    return text in _FAILURES or text in {"raise AssertionError", "assert 0"} or text.startswith("assert False")


def is_failure(call: Call) -> bool:
    """Whether a call does nothing but fail the test."""
    function = call.function
    if isinstance(function, Attribute) and isinstance(function.value, Name):
        return f"{function.value.name}.{function.name}" in _FAILURES
    return isinstance(function, Name) and function.name == "fail"
