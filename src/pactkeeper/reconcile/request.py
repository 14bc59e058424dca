"""What a run is asked to do, in the form that is stored with it, so that another process can go on with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import cast

from pactkeeper.errors import InputError
from pactkeeper.ledger.canonical import JsonValue, Mode

MAX_ITERATIONS = 20  # seed 000 §6: the hard stop of a run


@dataclass(frozen=True, slots=True)
class Request:
    """What to reconcile: `paths` or `everything` make a full scan of them, otherwise the delta since `since`.

    `since` names a commit or a run. `docs` lets documents of the repository be searched for what a test is about,
    `molecules` adds ops that store groups of new atoms, `auto_apply` applies what the policy allows without a person.
    `ask` puts what rules leave open to the model that is set up (None: as the person's settings say), `max_calls` and
    `max_cost` (millionths of a US dollar) cap that.
    """

    paths: tuple[str, ...] = ()
    everything: bool = False
    mode: Mode | None = None
    since: str | None = None
    max_tests: int | None = None
    docs: bool = True
    molecules: bool = False
    auto_apply: bool = False
    ask: bool | None = None
    max_calls: int | None = None
    max_cost: int | None = None
    max_iterations: int = MAX_ITERATIONS

    @property
    def full(self) -> bool:
        """Whether all tests of the paths are looked at, changed or not."""
        if self.mode is not None:
            return self.mode == "full-scan"
        return self.everything or (bool(self.paths) and self.since is None)

    @property
    def options(self) -> dict[str, JsonValue]:
        """The form that the history keeps."""
        return {
            "paths": list(self.paths),
            "everything": self.everything,
            "mode": self.mode,
            "since": self.since,
            "max_tests": self.max_tests,
            "docs": self.docs,
            "molecules": self.molecules,
            "auto_apply": self.auto_apply,
            "ask": self.ask,
            "max_calls": self.max_calls,
            "max_cost": self.max_cost,
            "max_iterations": self.max_iterations,
        }

    @staticmethod
    def of(options: Mapping[str, JsonValue]) -> Request:
        """Read the stored form; raises InputError where a version of Pactkeeper wrote it that knew other options."""
        unknown = sorted(options.keys() - {one.name for one in fields(Request)})
        if unknown:
            raise InputError(f"the run has options that this version does not know: {', '.join(unknown)}")
        paths = tuple(str(one) for one in cast("list[JsonValue]", options.get("paths", [])))
        return Request(**cast("dict[str, str]", {**options, "paths": paths}))  # type: ignore[arg-type]  # as written by `options`
