"""What one JavaScript or TypeScript file says about tests, before any other file or setting is known."""

from __future__ import annotations

from functools import cache
from typing import Literal

import msgspec

from pactkeeper.intent.tests import Annotation

TitleKind = Literal["none", "text", "computed", "function"]


class Target(msgspec.Struct, frozen=True, array_like=True):
    """A value that is a name with members after it, `it.skip`; `binding` is -1 for a global name."""

    root: str
    binding: int
    members: tuple[str, ...]


class Binding(msgspec.Struct, frozen=True, array_like=True):
    """What a name stands for where it is used.

    `import`: `imported` of `module` (`default`, `*` for the namespace, `=` for what `require` gives).
    `alias`: one of `targets`. `returns`: a function that gives one of `targets`. `function`: `functions[function]`.
    `parameter`: number `position` of the callback of `calls[owner]`, or of some other function when `owner` is -1;
    `imported` is what destructuring takes of it, empty for the whole.
    `made`: the property `imported` of what a call of `targets[0]` gives, the whole of it where that is empty.
    `local`: something of the file that is none of these and so hides a runner's name.
    """

    name: str
    kind: Literal["import", "alias", "returns", "function", "parameter", "made", "local"]
    module: str = ""
    imported: str = ""
    targets: tuple[Target, ...] = ()
    function: int = -1
    owner: int = -1
    position: int = -1


class Call(msgspec.Struct, frozen=True, array_like=True):
    """A call that may declare a test or a suite, or may register those of another file.

    `members` stand between the root and the declaring arguments, `("skip", "each")`; a computed one is `*`.
    `name_line` is where the arguments with the name open, which is the place that runners report.
    `parent` is the innermost call of the list whose callback holds this one, `function` the innermost function between
    the two that is no callback. `cases` counts the table of `.each`, `rounds` the loops up to the parent: 1 for none,
    0 where the number cannot be read. `parameter` is the position of the function's parameter that the title uses,
    `verbatim` says that the title is nothing else. `callback` says that something is given that may run, `inline` that
    it is a function written there; `callback_name` is a callback given by name, `handed` what that
    name stands for where another file gives it. `text` is the source of a call whose function is not known here.
    `helpers` is the digest of the functions of its file that assert for it, empty where there are none. `alone` says
    that a call whose function is not known here is a statement of its own.
    """

    target: Target
    title: str
    title_kind: TitleKind
    line: int
    name_line: int
    end_line: int
    arguments: int
    callback: bool
    inline: bool = True
    parent: int = -1
    function: int = -1
    cases: int = 1
    rounds: int = 1
    looped: bool = False
    body_hash: str = ""
    annotations: tuple[Annotation, ...] = ()
    parameter: int = -1
    verbatim: bool = False
    callback_name: str = ""
    handed: Target | None = None
    text: str = ""
    helpers: str = ""
    alone: bool = False


class Function(msgspec.Struct, frozen=True, array_like=True):
    """A function that holds calls and is no callback of one; `name` is empty for an anonymous one.

    `outer` is the function around it; one that is not `used` is named nowhere else in a file that keeps it to itself.
    """

    name: str
    parameters: tuple[str, ...]
    outer: int = -1
    used: bool = True


class Export(msgspec.Struct, frozen=True, array_like=True):
    """What an exported name stands for: a target, a function, or something of another module.

    `name` is `default` for a default export, `=` for `module.exports` and `*` for all that `module` exports.
    """

    name: str
    target: Target | None = None
    function: int = -1
    module: str = ""
    imported: str = ""


class Facts(msgspec.Struct, frozen=True, array_like=True):
    """One file. `effects` are modules that it imports for what they do; `problems` are (line, reason).

    `damaged` are the first and last lines of broken syntax; `unplaced` means that it leaves open what encloses what.
    """

    calls: tuple[Call, ...] = ()
    bindings: tuple[Binding, ...] = ()
    functions: tuple[Function, ...] = ()
    exports: tuple[Export, ...] = ()
    effects: tuple[str, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    problems: tuple[tuple[int, str], ...] = ()
    damaged: tuple[tuple[int, int], ...] = ()
    unplaced: bool = False


def encode(facts: Facts) -> bytes:
    """Encode facts for the cache."""
    return _encoder().encode(facts)


def decode(data: bytes) -> Facts:
    """Decode what `encode` wrote."""
    return _decoder().decode(data)


@cache
def _encoder() -> msgspec.msgpack.Encoder:
    return msgspec.msgpack.Encoder()


@cache
def _decoder() -> msgspec.msgpack.Decoder[Facts]:
    return msgspec.msgpack.Decoder(Facts)
