"""Patterns that are put together when they are used, as they come out of real inputs: `python -m tests.hostile.made`.

Every reader of the campaign reads its sound inputs while each call of `re` below the package is noted, in a process of
its own, since much of what is made is made once and kept.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tests.hostile.patterns import SOURCE, Found, Made

Noted = dict[tuple[str, int, str, str, int, bool], None]


@contextmanager
def noting() -> Iterator[Noted]:
    """What `re` compiles for modules of the package: where, for which method, the pattern and its flags."""
    noted: Noted = {}
    real: Callable[[Any, int], re.Pattern[Any]] = re._compile  # type: ignore[attr-defined]

    def note(pattern: Any, flags: int) -> re.Pattern[Any]:
        found = real(pattern, flags)
        method = sys._getframe(1)
        caller = method.f_back
        if caller is not None and isinstance(pattern, str | bytes):
            path = Path(caller.f_code.co_filename)
            if path.is_relative_to(SOURCE):
                text = pattern if isinstance(pattern, str) else pattern.decode("latin-1")
                place = ".".join(("pactkeeper", *path.relative_to(SOURCE).with_suffix("").parts))
                key = (place, caller.f_lineno, method.f_code.co_name, text, found.flags, isinstance(pattern, bytes))
                noted[key] = None
        return found

    re._compile = note  # type: ignore[attr-defined]
    try:
        yield noted
    finally:
        re._compile = real  # type: ignore[attr-defined]


def read_everything() -> None:
    """Give every reader all its sound inputs."""
    from bench.hostile.readers import READERS, tried  # noqa: PLC0415 - after the noting began

    for reader in READERS.values():
        for seed in reader.seeds():
            tried(reader, seed)


def make_the_rest() -> None:
    """Make what no reader of the campaign makes."""
    from pactkeeper.chat.commits import _alone  # noqa: PLC0415 - likewise
    from pactkeeper.chat.routing import _commons  # noqa: PLC0415 - likewise
    from pactkeeper.chat.spelling import _begun_by  # noqa: PLC0415 - likewise
    from pactkeeper.chat.words import forms_of  # noqa: PLC0415 - likewise
    from pactkeeper.health.parsers.seen import _below  # noqa: PLC0415 - likewise
    from pactkeeper.intent.routing import SECTIONS, _hits  # noqa: PLC0415 - likewise
    from pactkeeper.repo import unseen  # noqa: PLC0415 - likewise
    from pactkeeper.repo.languages.javascript.projects.scopes import renamed, starred  # noqa: PLC0415 - likewise
    from pactkeeper.repo.strength.switches import options, rules, signs, tools  # noqa: PLC0415 - likewise
    from pactkeeper.speech.replying import _leads, _letters  # noqa: PLC0415 - likewise
    from pactkeeper.transcripts.reconciling.proposing import phantoms  # noqa: PLC0415 - likewise

    assert tools.__name__  # it makes its own when it is imported
    for suffix in unseen._ROWS:
        unseen.count_tests(f"test{suffix}", b"")
    for sign in signs.SIGNS:
        list(sign.found_in(" ".join(sign.words)))
    _begun_by(("signatures", "Zahlen"))
    _alone("app.use")
    _commons()
    forms_of(["stopped", "authenticated", "max_age"])
    _below(["/srv/app", "/"])
    _hits(SECTIONS[0], "text")
    starred({"@/*": ["src/*"]}, "")
    list(renamed({"@": "/src", "x$": "/x"}, ""))
    _leads()
    _letters()
    phantoms('The text contains section "Costs" and more.')
    rules.rule_of("nothing that is known")
    for name in dict.fromkeys(word.strip("\\S*") for one in options._OPTIONS for word in one.names.split("|")):
        for old, new in (({name: ("a",)}, {name: ("b",)}), ({name: ("a",)}, {}), ({}, {name: ("a",)})):
            list(options.option_changes("pytest", old, new))


# Why a place needs no count: nothing of others is matched there, or not by Python's engine.
EXEMPT: Final = {
    "pactkeeper.catalog.decode": "a pattern of the settings is compiled to see whether it can be",
    "pactkeeper.health.parsers.declared": "likewise; it is matched by a process that has a limit of time",
    "pactkeeper.health.parsers.names": "at most 1,000 characters of a message are looked at",
    "pactkeeper.repo.annotations.writing": "the pattern of ids, in bytes",
    "pactkeeper.repo.languages.javascript.settings.runner": "at most three repeats, over one path",
    "pactkeeper.repo.strength.deletions": "a name between two looks around",
}
# Modules that keep what they compile, and only ever match it at the beginning of a text.
ANCHORED: Final = frozenset(
    {"pactkeeper.intent.ids", "pactkeeper.intent.patterns", "pactkeeper.repo.annotations.grammar"}
)


def made_patterns(places: tuple[Made, ...]) -> tuple[dict[str, list[Found]], set[str]]:
    """The patterns of each place, by its name, and the places at which nothing was made."""
    done = subprocess.run([sys.executable, "-m", "tests.hostile.made"], capture_output=True, text=True, check=True)
    spans = {one: one.place.rpartition(":") for one in places}
    found: dict[str, list[Found]] = {}
    for module, line, method, text, flags, is_bytes in json.loads(done.stdout):
        for one, (name, _, start) in spans.items():
            if name.removesuffix(".__init__") == module.removesuffix(".__init__") and int(start) <= line <= one.last:
                given = text.encode("latin-1") if is_bytes else text
                pattern = re.compile(given, flags & ~re.UNICODE if not is_bytes else flags)
                found.setdefault(one.place, []).append(Found(one.place, pattern, _how(method, module)))
    missing = {one.place for one in places} - found.keys()
    counted = {place: group for place, group in found.items() if place.rpartition(":")[0] not in EXEMPT}
    return counted, {one for one in missing if one.rpartition(":")[0] not in EXEMPT}


def _how(method: str, module: str) -> frozenset[str]:
    if method != "compile":
        return frozenset({method})
    return frozenset({"match" if module.removesuffix(".__init__") in ANCHORED else "?"})


if __name__ == "__main__":
    with noting() as seen:
        read_everything()
        make_the_rest()
    json.dump(list(seen), sys.stdout)
