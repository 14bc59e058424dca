"""What one JavaScript or TypeScript file says about tests, independent of other files and settings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

import msgspec

from pactkeeper.intent.tests import Annotation

TitleKind = Literal["none", "text", "computed", "function"]


class Target(msgspec.Struct, frozen=True, array_like=True):
    """A name followed by members, `it.skip`; `binding` is -1 for a global name."""

    root: str
    binding: int
    members: tuple[str, ...]


class Binding(msgspec.Struct, frozen=True, array_like=True):
    """What a name refers to where it is used.

    `import`: `imported` of `module` (`default`, `*` for the namespace, `=` for the result of `require`).
    `alias`: one of `targets`. `returns`: a function that returns one of `targets`. `function`: `functions[function]`.
    `parameter`: number `position` of the callback of `calls[owner]`, or of some other function if `owner` is -1;
    `imported` is the property that destructuring takes from it, empty for the whole.
    `made`: the property `imported` of the result of calling `targets[0]`, or the whole result if that is empty.
    `object`: a literal whose keys, in `imported`, hold the `targets`.
    `local`: anything else in the file, which therefore shadows a runner's name.
    """

    name: str
    kind: Literal["import", "alias", "returns", "function", "parameter", "made", "object", "local"]
    module: str = ""
    imported: str = ""
    targets: tuple[Target, ...] = ()
    function: int = -1
    owner: int = -1
    position: int = -1


class Call(msgspec.Struct, frozen=True, array_like=True):
    """A call that may declare a test or a suite, or may register those of another file.

    `members` are between the root and the declaring arguments, `("skip", "each")`; a computed one is `*`.
    `name_line` is where the arguments with the name open, which is the location that runners report.
    `parent` is the innermost call in the list whose callback contains this one, `function` the innermost function
    between the two that isn't a callback. `cases` counts the table of `.each`, `rounds` the iterations of loops up to
    the parent: 1 without any, 0 if unknown. `parameter` is the position of the function parameter that the title uses;
    `verbatim` means that the title is nothing else. `callback` means that an argument may be run, `inline` that it is a
    function written in place; `callback_name` is a callback passed by name, `handed` what that name refers to if it
    comes from another file. `text` is the source of a call whose function is unknown here. `helpers` is the digest of
    the functions in this file that assert for the call, empty if there are none. `alone` means that a call whose
    function is unknown here is a statement of its own. `rows` are the first and last lines of the literals after the
    title and the function.
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
    rows: tuple[tuple[int, int], ...] = ()


class Function(msgspec.Struct, frozen=True, array_like=True):
    """A function that contains calls and isn't a callback of one; `name` is empty for an anonymous one.

    `outer` is the enclosing function; `used` is False for a function that isn't exported or mentioned anywhere else.
    """

    name: str
    parameters: tuple[str, ...]
    outer: int = -1
    used: bool = True


class Export(msgspec.Struct, frozen=True, array_like=True):
    """What an exported name refers to: a target, a function, or something in another module.

    `name` is `default` for a default export, `=` for `module.exports` and `*` for everything that `module` exports.
    """

    name: str
    target: Target | None = None
    function: int = -1
    module: str = ""
    imported: str = ""


class Facts(msgspec.Struct, frozen=True, array_like=True):
    """One file. `effects` are modules imported for their side effects; `problems` are (line, reason).

    `damaged` are the first and last lines of broken syntax; `unplaced` means that it obscures what encloses what.
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


def held(binding: Binding, members: tuple[str, ...]) -> tuple[tuple[Target, ...], tuple[str, ...]]:
    """Return what a name may refer to, and the members that remain: `kit.it.skip` is `it.skip`."""
    if binding.kind != "object":
        return binding.targets, members
    at = binding.imported.split(" ").index(members[0]) if members and members[0] in binding.imported.split(" ") else -1
    return (binding.targets[at : at + 1] if at >= 0 else ()), members[1:]


def unread_calls(count: int, names: str) -> str:
    """Return the reason of a gap for calls that look like declarations, although nothing says what is called."""
    shaped = (
        "1 call looks like a declaration and is" if count == 1 else f"{count:,} calls look like declarations and are"
    )
    return f"{shaped} not read: nothing says what {names} is"


def unread_rows(count: int, names: str) -> str:
    """Return the reason of a gap for calls that the pact says declare tests, by rows that they are given."""
    shaped = "1 call" if count == 1 else f"{count:,} calls"
    return f"{shaped} of {names} with rows that are not read"


def as_runners(names: Iterable[str]) -> str:
    """Return how to say of functions that they declare tests."""
    listed = ", ".join(f'"{name}"' for name in names)
    where = "under `[tests]` in pact/pact.toml (`pk init` makes it)"
    return f"; if tests are declared so, write `runners = [{listed}]` {where}"


_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(Facts)


def encode(facts: Facts) -> bytes:
    """Encode facts for the cache."""
    return _ENCODER.encode(facts)


def decode(data: bytes) -> Facts:
    """Decode the output of `encode`."""
    return _DECODER.decode(data)
