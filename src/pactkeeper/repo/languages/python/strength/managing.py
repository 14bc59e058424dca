"""Lower the managers of a `with`: what they expect or swallow, and what is entered on an exit stack."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from tree_sitter import Node

from pactkeeper.intent.claims import Call, Claim, Expression, Name, Operation
from pactkeeper.intent.strength.decorating import keeps_quiet
from pactkeeper.intent.strength.folding import truth_of
from pactkeeper.intent.strength.frames import left_early
from pactkeeper.intent.strength.program import (
    YIELDED,
    Act,
    Attempt,
    Bind,
    Block,
    Catch,
    Leave,
    Parameter,
    Statement,
    Within,
    yields,
)
from pactkeeper.repo.languages.python.claims.contexts import watched, watcher_of
from pactkeeper.repo.languages.python.claims.expressions import children_of, expression, text_of
from pactkeeper.repo.languages.python.claims.reading import looks_asserting
from pactkeeper.repo.languages.python.strength.statements import Reader, is_double, name_of, place, unwrapped

_STACKS: Final = frozenset({"ExitStack", "AsyncExitStack"})
_ENTERING: Final = frozenset({"enter_context", "enter_async_context"})
_PUSHING: Final = frozenset({"push", "push_async_exit"})


def managed(
    given: Sequence[tuple[Node, str]], at: tuple[int, str], reader: Reader, body: Callable[[], Block]
) -> Iterator[Statement]:
    """Lower what runs under these managers, each with the name for what it gives."""
    claims: list[Claim] = []
    suppressed: list[Expression] = []
    before: list[Statement] = []
    inside: list[Statement] = []  # what comes after a watching manager runs under it
    line, quote = at
    for written, alias in given:
        manager = _made_before(written, reader) or written
        call = expression(unwrapped(manager)[0], reader.scope)
        if watcher_of(call) and isinstance(call, Call) and not is_double(manager, reader):
            claims += _watching(call, alias, reader)
        elif isinstance(call, Call) and looks_asserting(call) and reader.lookup(call.function) is None:
            claims.append(Claim("satisfies", call))
        elif isinstance(call, Call) and name_of(call) == "suppress":
            suppressed += [argument.value for argument in call.arguments]
        elif not (isinstance(call, Call) and name_of(call) == "subTest"):
            entered = inside if claims else before
            entered += _entering(call, alias, reader, (line, quote))
    inner = _entered(inside, body())
    if claims or suppressed:
        inner = (Within(tuple(claims), inner, line, quote, tuple(suppressed)),)
    yield from _entered(before, inner)


def _watching(call: Call, alias: str, reader: Reader) -> list[Claim]:
    """What a manager that watches its block claims; the error it caught goes by the alias from here on."""
    claim = watched(call, Name("body·"))
    if claim is None:
        return []
    if alias and claim.relation in {"raises", "warns"}:
        reader.scope.hold(alias, claim.subject)
    return [claim]


def _entering(manager: Expression, alias: str, reader: Reader, at: tuple[int, str]) -> list[Statement]:
    """Run what enters a manager, and bind what that gives."""
    run = reader.lookup(manager.function) if isinstance(manager, Call) else None
    own = run is not None and yields(run.body)
    enter = Act(manager, *at, body=(Leave("leave"),) if own else ())
    given: list[Statement] = [Bind(Name(alias), YIELDED if own else Operation("entered", (manager,)))] if alias else []
    return [*given, enter] if isinstance(manager, Name) else [enter, *given]


def _made_before(manager: Node, reader: Reader) -> Node | None:
    """Return the call that made a context manager, if it was assigned to a name and what it does is known."""
    made = reader.made.get(text_of(unwrapped(manager)[0]))
    call = expression(made, reader.scope) if made is not None else None
    return made if _is_known(call, reader) else None


def _is_known(manager: Expression | None, reader: Reader) -> bool:
    """Whether it is known what a context manager does to the errors under it."""
    run = reader.lookup(manager.function) if isinstance(manager, Call) else None
    named = watcher_of(manager) is not None or name_of(manager) == "suppress" if manager is not None else False
    return isinstance(manager, Call) and (named or (run is not None and yields(run.body)))


def _entered(before: Sequence[Statement], body: Block) -> Block:
    """Return the body of a `with` inside of what is entered before it: what a helper yields to is its own body.

    A name may hold what expects an error of the body, which only a row of the test tells.
    """
    for one in reversed(before):
        whole = not (yields(body) or any(map(left_early, body)))
        around = isinstance(one, Act) and (one.body or (whole and isinstance(one.call, Name)))
        body = (replace(one, body=body),) if isinstance(one, Act) and around else (one, *body)
    return body


def is_stack(written: Node, reader: Reader) -> bool:
    """Whether a manager is an exit stack, made there or held by a name."""
    made = reader.made.get(text_of(written), written)
    return name_of(expression(made, reader.scope)) in _STACKS


def _assigned(node: Node) -> tuple[Node | None, str]:
    """Return the call of a statement, and the name that it is assigned to."""
    inner = node.named_children[0] if node.type == "expression_statement" and node.named_children else None
    if inner is not None and inner.type == "assignment":
        right = inner.child_by_field_name("right")
        return (unwrapped(right)[0] if right is not None else None), text_of(inner.child_by_field_name("left"))
    return (unwrapped(inner)[0] if inner is not None else None), ""


def _lets_pass(pushed: Node, reader: Reader) -> bool:
    """Whether a function that a stack calls as it is left is known to swallow what was raised."""
    if pushed.type == "lambda":
        return truth_of(expression(pushed.child_by_field_name("body"), reader.scope)) is True
    run = reader.lookup(expression(pushed, reader.scope))
    return run is not None and keeps_quiet(replace(run, parameters=(Parameter("self"), *run.parameters)))


def on_stack(node: Node, stacks: set[str], reader: Reader, body: Callable[[], Block]) -> Iterable[Statement] | None:
    """Lower a statement that puts something on one of these stacks, around the body behind it; None for any other."""
    call, alias = _assigned(node)
    stack, _, verb = text_of(call.child_by_field_name("function")).partition(".") if call is not None else ("", "", "")
    given = children_of(call, "arguments") if call is not None and stack in stacks else []
    if verb in _ENTERING and given and _is_known(expression(given[0], reader.scope), reader):
        return managed([(given[0], alias)], place(node), reader, body)
    if verb in _PUSHING and given and _lets_pass(given[0], reader):
        return (Attempt(body(), (Catch((), ()),)),)
    return None
