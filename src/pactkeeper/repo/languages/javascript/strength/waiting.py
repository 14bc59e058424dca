"""Whether anything awaits the promise that an expression yields.

Also whether anything hears that an assertion about a request fails: supertest hands its failures to a callback.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.claims import Claim, Expression
from pactkeeper.intent.strength.errors import THE_ERROR
from pactkeeper.intent.strength.frames import ends_test
from pactkeeper.intent.strength.program import Act, Check, Leave, Loop, Statement, Within
from pactkeeper.repo.languages.javascript.claims.branches import always_fails
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.module import names_in
from pactkeeper.repo.languages.javascript.claims.project import returned_function
from pactkeeper.repo.languages.javascript.claims.raising import called
from pactkeeper.repo.languages.javascript.claims.relations import holds
from pactkeeper.repo.languages.javascript.claims.syntax import (
    Link,
    arguments_of,
    bare,
    body_of,
    chain,
    children,
    descend,
    is_function,
    parameters_of,
    text,
)
from pactkeeper.repo.languages.javascript.strength.asserting import (
    Asserted,
    affirms,
    expected_failure,
    given_to,
)
from pactkeeper.repo.languages.javascript.strength.values import (
    Place,
    bindings_of,
    called_arguments,
    line_of,
    quote_of,
    receiver_of,
    taken,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from pactkeeper.repo.languages.javascript.strength.lowering import Lowering


_THROUGH = frozenset(
    {
        "parenthesized_expression", "member_expression", "as_expression", "satisfies_expression",
        "non_null_expression", "unary_expression", "array", "ternary_expression", "binary_expression",
        "sequence_expression", "spread_element",
    }
)  # fmt: skip
_JOINING = frozenset({"all", "resolve"})
_IGNORING = frozenset({"allSettled", "race", "any"})  # of several failures, or of any, nothing is seen
_HANDING_BACK = frozenset({"map", "flatMap", "then", "catch", "finally"})
_DROPPING = frozenset({"forEach"})
ITERATING = frozenset({"forEach", "map", "flatMap", "every", "some", "filter", "each"})
_PROMISING = frozenset(
    {"resolves", "rejects", "eventually", "poll", "element", "toPass", "rejectedWith", "fulfilled", "rejected"}
)
_ASSERTS = frozenset({"rejects", "doesNotReject", "throwsAsync", "notThrowsAsync", "assertRejects"})
_VALIDATING = frozenset({"throws", "rejects", "throwsAsync"})
_OF_A_PAGE = frozenset(
    {
        "toBeVisible", "toBeHidden", "toBeAttached", "toBeChecked", "toBeDisabled", "toBeEditable", "toBeEmpty",
        "toBeEnabled", "toBeFocused", "toBeInViewport", "toContainText", "toContainClass",
        "toHaveAccessibleDescription", "toHaveAccessibleName", "toHaveAttribute", "toHaveClass", "toHaveCount",
        "toHaveCSS", "toHaveId", "toHaveJSProperty", "toHaveRole", "toHaveScreenshot", "toHaveText",
        "toHaveValue", "toHaveValues",
        "toHaveTitle", "toHaveURL", "toBeOK", "toMatchAriaSnapshot",
    }
)  # fmt: skip


def needs_waiting(links: tuple[Link, ...], *, page: bool) -> bool:
    """Whether an assertion yields a promise; `page` means that the file's `expect` is Playwright's."""
    names = {link.name for link in links}
    if names & _PROMISING or (links[-1].name in _ASSERTS and links[0].name != "expect"):
        return True
    return page and links[-1].name in _OF_A_PAGE


def floats(node: Node) -> bool:
    """Whether the value of an expression is discarded where it is."""
    while node.parent is not None:
        parent = node.parent
        if parent.type == "expression_statement":
            return True
        if parent.type in _THROUGH or (
            parent.type == "call_expression" and parent.child_by_field_name("function") == node
        ):
            node = parent
        elif (
            parent.type == "arguments" and parent.parent is not None and _called(parent.parent) in _JOINING | _IGNORING
        ):
            if _called(parent.parent) in _IGNORING:
                return True
            node = parent.parent
        elif parent.type == "arrow_function" and parent.parent is not None and parent.parent.parent is not None:
            call = parent.parent.parent
            name = _called(call)
            if name not in _HANDING_BACK:
                return name in _DROPPING
            node = call
        else:
            return False
    return False


def _is_kept_unheard(node: Node) -> bool:
    """Whether an expression is kept in a variable that nothing awaits, returns or hands on."""
    parent = node.parent
    while parent is not None and parent.type in _THROUGH - {"array"}:
        parent = parent.parent
    name = parent.child_by_field_name("name") if parent is not None and parent.type == "variable_declarator" else None
    around = parent
    while around is not None and not is_function(around) and around.parent is not None:
        around = around.parent
    if name is None or around is None or name.type != "identifier":
        return False
    uses = (each for each in descend(around) if each.type in _NAMING and each != name and text(each) == text(name))
    return all(map(floats, uses))


_NAMING = frozenset({"identifier", "shorthand_property_identifier"})


def _called(call: Node) -> str:
    target = call.child_by_field_name("function")
    if target is None:
        return ""
    return text(target.child_by_field_name("property") if target.type == "member_expression" else target)


def drops_callback(call: Node, function: Node) -> bool:
    """Whether a callback's later effects aren't awaited: it is asynchronous and its promise is dropped."""
    name = _called(call)
    if name in _DELAYED:
        return True
    asynchronous = any(child.type == "async" for child in function.children)
    if asynchronous and name in _DROPPING:
        return True
    return (asynchronous or name in _WAITING or name in _HANDING_BACK - {"map", "flatMap"}) and floats(call)


_DELAYED = frozenset({"setTimeout", "setInterval", "setImmediate", "queueMicrotask", "nextTick"})
_WAITING = frozenset({"waitFor", "waitUntil", "waitForElementToBeRemoved", "step"})


def is_done(node: Node, names: frozenset[str]) -> bool:
    """Whether a statement signals that the test is done."""
    return _calls(node, names) and not arguments_of(bare(node))


def hands_on(node: Node, names: frozenset[str]) -> bool:
    """Whether a statement reports an error to the test: `done(error)`."""
    return _calls(node, names) and bool(arguments_of(bare(node)))


def _calls(node: Node, names: frozenset[str]) -> bool:
    call = bare(node)
    target = call.child_by_field_name("function") if names and call.type == "call_expression" else None
    return target is not None and text(target) in names


def checked(lower: Lowering, found: Asserted, node: Node, place: Place) -> list[Statement]:
    """Lower an assertion and its parts, recording whether the test awaits it."""
    links = chain(node)
    waiting = not needs_waiting(links, page=lower.page) or not (floats(node) or _is_kept_unheard(node))
    runs = place.waited or (waiting and not place.floating)
    awaited = runs and (not is_request(links, lower) or is_heard(links, lower, dropped=floats(node)))
    said = _of_every(lower, found, links, node, awaited=awaited) or _satisfied(lower, links, node, awaited=awaited)
    statements = said or _within(lower, found, node, awaited=awaited)
    inner: list[Statement] = []
    if (validator := _validator(lower, found, links)) is not None:
        statements[-1:], inner = _validated(lower, statements[-1:], validator, node)
    for each in found.visit:
        if each is not found.raiser:
            inner += [one for one in lower.expression(each, place) if not isinstance(one, Act)]
    for handed in found.handed:
        inner += _handed(lower, handed.function, handed.value, node, awaited=runs)
    return [*inner, *statements]


def _validator(lower: Lowering, found: Asserted, links: tuple[Link, ...]) -> Node | None:
    """Return the function that `assert.throws` or `assert.rejects` passes the error to."""
    given = links[-1].arguments or ()
    raising = any(claim.relation == "raises" and not claim.negated for claim in found.claims)
    return lower.function_at(given[1]) if raising and len(given) > 1 and links[-1].name in _VALIDATING else None


def _validated(
    lower: Lowering, raising: list[Statement], function: Node, node: Node
) -> tuple[list[Statement], list[Statement]]:
    """Merge a validator's assertions about the error into the raising claim; return that and the other assertions."""
    opening = bindings_of(parameters_of(function)[0], THE_ERROR) if parameters_of(function) else []
    body = body_of(function)
    last = children(body)[-1] if body is not None and body.type == "statement_block" and children(body) else body
    given = bare(children(last)[0]) if last is not None and last.type == "return_statement" and children(last) else last
    plain = given is None or given.type.endswith(("statement", "block")) or text(given) == "true"
    held = [] if plain or given is None else [Check(holds(lower.scope.read(given)), line_of(node), quote_of(node))]
    block = (*opening, *lower.callback(node, function, Place(callback=True)), *held)
    within, *rest = expected_failure((), block, line_of(node), quote_of(node))
    said = within.claims if isinstance(within, Within) else ()
    made = [
        replace(one, claims=(replace(said[0], object=one.claims[0].object), *one.claims[1:], *said[1:]))
        for one in raising
        if isinstance(one, Check | Within)
    ]
    return list(made), [one for one in rest if not isinstance(one, Leave)]


def _of_every(
    lower: Lowering, found: Asserted, links: tuple[Link, ...], node: Node, *, awaited: bool
) -> list[Statement]:
    """Read `expect(xs.every((x) => x > 0)).toBe(true)` as asserting of each member what a loop would."""
    call = given_to(links)
    affirmed = len(found.claims) == 1 and affirms(found.claims[0])
    receiver = receiver_of(call) if call is not None and call.type == "call_expression" else None
    given = called_arguments(call) if call is not None and receiver is not None else []
    body = body_of(given[0]) if len(given) == 1 and is_function(given[0]) else None
    if not affirmed or call is None or receiver is None or body is None or body.type == "statement_block":
        return []
    if chain(call)[-1].name != "every":
        return []
    parameters = parameters_of(given[0])
    variable, opening = taken(parameters[0], f"member·{body.start_byte}") if parameters else (None, [])
    check = Check(holds(lower.scope.read(body)), line_of(node), quote_of(node), awaited)
    return [Loop(variable, lower.scope.read(receiver), (*opening, check))]


def _satisfied(lower: Lowering, links: tuple[Link, ...], node: Node, *, awaited: bool) -> list[Statement]:
    """Read `expect(x).toSatisfy((one) => one > 0)` as asserting what the function says of its parameter."""
    given, subject = links[-1].arguments or (), given_to(links)
    function = bare(given[0]) if len(given) == 1 and links[-1].name in _SATISFYING else None
    body = body_of(function) if function is not None and is_function(function) else None
    if function is None or body is None or subject is None or body.type == "statement_block":
        return []
    if any(link.name == "not" for link in links) or not parameters_of(function):
        return []
    opening = bindings_of(parameters_of(function)[0], lower.scope.read(subject))
    return [*opening, Check(holds(lower.scope.read(body)), line_of(node), quote_of(node), awaited)]


_SATISFYING = frozenset({"toSatisfy", "satisfy", "satisfies"})
_SINGLE = frozenset({"expression_statement", "return_statement", "lexical_declaration", "variable_declaration"})


def _within(lower: Lowering, found: Asserted, node: Node, *, awaited: bool) -> list[Statement]:
    """Return a check; one of what a multi-statement function raises encloses that function's statements."""
    check = Check(found.claims, line_of(node), quote_of(node), awaited, found.understood)
    raiser = found.raiser
    if raiser is None or not found.claims:
        return [check] if found.claims else []
    body = body_of(raiser) if is_function(raiser) else None
    single = children(body)[0].type in _SINGLE if body is not None and len(children(body)) == 1 else False
    if body is not None and body.type == "statement_block" and not single:
        inner = lower.block(children(body), Place(callback=True))
        return [
            Within(
                found.claims,
                tuple(one for one in inner if not isinstance(one, Leave) or one.kind == "raise"),
                line_of(node),
                quote_of(node),
            )
        ]
    promised = any(link.name in _PROMISING for link in chain(node))
    made = (_of_call(claim, raiser, body, lower.scope, promised=promised) for claim in found.claims)
    return [replace(check, claims=tuple(made))]


def _handed(lower: Lowering, node: Node, value: Expression | None, call: Node, *, awaited: bool) -> list[Statement]:
    function = lower.function_at(node)
    if function is None:
        return []
    parameters = parameters_of(function)
    opening = bindings_of(parameters[0], value) if parameters and value is not None else []
    place = Place(callback=True, floating=not awaited)
    return [Loop(None, None, (*opening, *lower.callback(call, function, place)))]


def _of_call(claim: Claim, raiser: Node, body: Node | None, scope: Scope, *, promised: bool) -> Claim:
    """Make the call in a promise or one-statement function the object or subject of the claim."""
    if claim.relation not in {"raises", "completes"}:
        return claim
    statement = children(body)[0] if body is not None and body.type == "statement_block" else body
    read = scope.read(statement if statement is not None else raiser)
    if statement is None and not promised:
        read = called(read)
    return replace(claim, object=read) if claim.relation == "raises" else replace(claim, subject=read)


_METHODS: Final = frozenset({"get", "post", "put", "patch", "delete", "del", "head", "options"})
_SENDS: Final = frozenset({"expect", "end"})
_LOGS: Final = frozenset({"console", "logger", "log", "debug"})
_KEEPS: Final = frozenset({"arguments", "throw_statement", "assignment_expression", "variable_declarator"})
_MOST_GIVEN: Final = 2  # arguments of `.expect` without a callback


def is_request(links: tuple[Link, ...], lower: Lowering) -> bool:
    """Whether a chain asserts of a request that it makes, or that the name at its head holds."""
    if links[0].name == "expect" or all(link.name != "expect" for link in links[1:]):
        return False
    held = (one.value for one in lower.module.bindings.get(links[0].name, ())[:1] if one.value is not None)
    made = (*(link for value in held for link in chain(value)), *links)
    return any(link.name in _METHODS and link.arguments for link in made[1:])


def is_heard(links: tuple[Link, ...], lower: Lowering, *, dropped: bool) -> bool:
    """Whether a failure reaches the test: by a callback, or by the request, if its value is not dropped."""
    callback = _callback(links, lower)
    if callback is not None:
        return _hears(callback, lower)
    makes = any(link.name in _METHODS for link in links[1:])
    return not (dropped and makes and links[-1].name in _SENDS)


def _callback(links: tuple[Link, ...], lower: Lowering) -> Node | None:
    """Return what supertest tells how a request ended: the last argument of `.end(…)` or `.expect(200, …)`."""
    for link in reversed(links[1:]):
        given = [bare(each) for each in link.arguments or ()]
        if given and link.name == "end":
            return given[-1]
        if link.name == "expect" and len(given) > 1:
            header = given[0].type == "string" and not ends_test(text(given[-1]))  # `expect('Name', value)`
            handed = not header and any(one.kind == "given" for one in lower.module.bindings.get(text(given[-1]), ()))
            if handed or len(given) > _MOST_GIVEN or lower.function_at(given[-1]) is not None:
                return given[-1]
    return None


def _hears(callback: Node, lower: Lowering) -> bool:
    """Whether a callback hands on the error that it gets first; one that isn't in sight does."""
    function = lower.function_at(callback)
    if function is None and callback.type == "call_expression":
        maker = lower.follow(lower.module, callback)
        function = returned_function(maker) if maker is not None else None
    if function is None:
        return True
    parameters, body = parameters_of(function), body_of(function)
    names = {text(name) for one in parameters[:1] for name in names_in(one)}
    inside = list(descend(body)) if body is not None else []
    rest = any(one.type == "rest_pattern" for one in parameters[:1]) or "arguments" in map(text, inside)
    return rest or any(one.type == "identifier" and text(one) in names and _hands_on(one, function) for one in inside)


def _hands_on(name: Node, function: Node) -> bool:
    """Whether an error fails the test, is asserted about, kept or passed on where its name stands, but not logged."""
    node, above, used = name, name.parent, False
    while above is not None and above != function:
        if above.type == "arguments" and above.parent is not None and chain(above.parent)[0].name in _LOGS:
            return False
        if above.type == "if_statement" and above.child_by_field_name("condition") == node:
            return used or always_fails(above.child_by_field_name("consequence"))
        speaks = above.type == "member_expression" and text(above.child_by_field_name("property")) == "should"
        used = used or speaks or above.type in _KEEPS
        node, above = above, above.parent
    return used
