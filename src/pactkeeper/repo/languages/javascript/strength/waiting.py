"""Whether anything waits for the promise that an expression yields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pactkeeper.repo.languages.javascript.claims.syntax import Link, arguments_of, bare, text

if TYPE_CHECKING:
    from tree_sitter import Node

_THROUGH = frozenset(
    {
        "parenthesized_expression", "member_expression", "as_expression", "satisfies_expression",
        "non_null_expression", "unary_expression", "array", "ternary_expression", "binary_expression",
        "sequence_expression", "spread_element",
    }
)  # fmt: skip
_JOINING = frozenset({"all", "allSettled", "race", "any", "resolve"})
_HANDING_BACK = frozenset({"map", "flatMap", "then", "catch", "finally"})
_DROPPING = frozenset({"forEach"})
ITERATING = frozenset({"forEach", "map", "flatMap", "every", "some", "filter", "each"})
_PROMISING = frozenset(
    {"resolves", "rejects", "eventually", "poll", "element", "toPass", "rejectedWith", "fulfilled", "rejected"}
)
_ASSERTS = frozenset({"rejects", "doesNotReject", "throwsAsync", "notThrowsAsync", "assertRejects"})
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
    """Whether an assertion yields a promise; `page` says that the file's `expect` is Playwright's."""
    names = {link.name for link in links}
    if names & _PROMISING or (links[-1].name in _ASSERTS and links[0].name != "expect"):
        return True
    return page and links[-1].name in _OF_A_PAGE


def floats(node: Node) -> bool:
    """Whether what an expression yields is dropped where it stands."""
    while node.parent is not None:
        parent = node.parent
        if parent.type == "expression_statement":
            return True
        if parent.type in _THROUGH or (
            parent.type == "call_expression" and parent.child_by_field_name("function") == node
        ):
            node = parent
        elif parent.type == "arguments" and parent.parent is not None and _called(parent.parent) in _JOINING:
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


def _called(call: Node) -> str:
    target = call.child_by_field_name("function")
    if target is None:
        return ""
    return text(target.child_by_field_name("property") if target.type == "member_expression" else target)


def drops_callback(call: Node, function: Node) -> bool:
    """Whether what a callback does later is not waited for: it is asynchronous and nothing takes its promise."""
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
    """Whether a statement says that the test is done."""
    call = bare(node)
    if not names or call.type != "call_expression":
        return False
    target = call.child_by_field_name("function")
    return target is not None and text(target) in names and not arguments_of(call)
