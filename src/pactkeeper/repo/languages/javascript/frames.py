"""What stands around a declaring call: the callback it is in, functions of the project, loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pactkeeper.repo.languages.javascript.counts import LOOPS, iteration_rounds, loop_rounds
from pactkeeper.repo.languages.javascript.facts import Function
from pactkeeper.repo.languages.javascript.names import function_name
from pactkeeper.repo.languages.javascript.syntax import FUNCTIONS, parameters_of

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class Frame:
    """The surroundings of a node: innermost declaring call, innermost function before it, rounds of loops before it."""

    parent: int = -1
    function: int = -1
    rounds: int = 1
    looped: bool = False


_TOP = Frame()


@dataclass(slots=True)
class Frames:
    """Finds frames, each function's only once; `index` numbers the declaring calls by the id of their node."""

    index: Mapping[int, int]
    is_used: Callable[[Node], bool]
    functions: list[Function] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)
    _known: dict[int, Frame] = field(default_factory=dict)

    def around(self, node: Node) -> Frame:
        """Climb outwards; deep nesting costs time, never stack."""
        open_functions: list[tuple[Node, Frame]] = []
        inner = _TOP
        outer = _TOP
        above = node.parent
        while above is not None:
            kind = above.type
            if kind == "arguments" and above.parent is not None:
                number = self.index.get(above.parent.id)
                if number is not None:
                    outer = Frame(number)
                    break
                rounds = iteration_rounds(above.parent)
                if rounds is not None:
                    inner = _looped(inner, rounds)
            elif kind in LOOPS:
                inner = _looped(inner, loop_rounds(above))
            elif kind in FUNCTIONS:
                known = self._known.get(above.id)
                if known is not None:
                    outer = known
                    break
                open_functions.append((above, inner))
                inner = _TOP
            above = above.parent
        frame = _within(inner, outer)
        for function, inside in reversed(open_functions):
            frame = self._entered(function, frame)
            self._known[function.id] = frame
            frame = _within(inside, frame)
        return frame

    def _entered(self, function: Node, frame: Frame) -> Frame:
        """The frame of what stands directly inside a function, given the frame around the function."""
        holder = function.parent
        if holder is not None and holder.type in {"arguments", "parenthesized_expression"}:
            return frame  # a callback, or a function that is called on the spot
        if (
            function.type == "method_definition"
            and frame.parent >= 0
            and holder is not None
            and holder.type == "object"
        ):
            return frame
        number = self.numbers.get(function.id)
        if number is None:
            number = self.numbers[function.id] = len(self.functions)
            name, used = function_name(function), self.is_used(function)
            self.functions.append(Function(name, parameters_of(function), frame.function, used))
        return Frame(frame.parent, number, frame.rounds, frame.looped)


def _looped(frame: Frame, rounds: int) -> Frame:
    return Frame(frame.parent, frame.function, frame.rounds * rounds, looped=True)


def _within(inner: Frame, outer: Frame) -> Frame:
    if not inner.looped:
        return outer
    return Frame(outer.parent, outer.function, inner.rounds * outer.rounds, looped=True)
