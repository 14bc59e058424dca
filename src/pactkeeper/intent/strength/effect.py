"""Symbolic execution of a test: its setups, its fixtures and the rows of its tables."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pactkeeper.intent.claims import Expression, Name
from pactkeeper.intent.strength.calling import DEEPEST, Callee
from pactkeeper.intent.strength.conditions import left_by, settled_by_rows
from pactkeeper.intent.strength.facts import Dead, Strength
from pactkeeper.intent.strength.faking import fixed_by, replaced_by
from pactkeeper.intent.strength.frames import PARAM, SELF, Frame, Held, Place, own_places
from pactkeeper.intent.strength.program import (
    YIELDED,
    Check,
    Program,
    Routine,
    distinct_rows,
    param_of,
    without_modules,
)
from pactkeeper.intent.strength.record import Record
from pactkeeper.intent.strength.running import Run
from pactkeeper.intent.strength.substitution import filled_in, substitute
from pactkeeper.intent.strength.unfailing import names_of_language


def strength_of(program: Program) -> Strength:
    """The effective strength of one test."""
    record = Record(program.script, names_of_language(without_modules(program.sources), script=program.script))
    record.mocks.update(*map(replaced_by, (*program.marks, *program.replaced)))
    record.fixed.update(*map(fixed_by, program.replaced))
    rows = distinct_rows(program.tables)
    barring = settled_by_rows(program.skips, rows) if program.script else {}
    left = left_by(barring, rows)
    for skip in program.skips:
        if skip not in barring:
            record.skip(skip)
        elif not left and any(barring[skip]):
            record.skip(replace(skip, condition=None))
    test = _Test(program, record, Run(program, record, shared=dict(program.constants)))
    test.prepare()
    for held in left or rows:
        test.once(held)
    if rows:
        test.finish()
        record.compiled(program.typed)
    record.without_self_written()
    if not rows:
        record.dead.append(Dead("the table has no rows", program.line, ""))
    for other in program.others:
        record.inherit(strength_of(other), other.test_id)
    return record.strength(program, left or rows)


@dataclass(slots=True)
class _Test:
    """A test with the values of the fixtures that it has run for the present row."""

    program: Program
    record: Record
    run: Run
    fixtures: dict[str, Expression] = field(default_factory=dict)

    def prepare(self) -> None:
        """Run the setups that precede the test; they do not depend on its rows."""
        for setup in self.program.setups:
            frame = Frame(setup, self._filled(setup, self.run.shared, Place()))
            self.run.block(setup.body, frame, Place(fixture=setup.name))
            parameters = {Name(each.name) for each in setup.parameters}
            self.run.shared.update({key: value for key, value in frame.held.items() if key not in parameters})

    def finish(self) -> None:
        """Add what the methods assert that run after the test; what else they do is no part of it."""
        acts, setup = len(self.record.acts), len(self.record.setup)
        for teardown in self.program.teardowns:
            frame = Frame(teardown, self._filled(teardown, self.run.shared, Place()))
            self.run.block(teardown.body, frame, Place(fixture=teardown.name))
        del self.record.acts[acts:], self.record.setup[setup:]

    def once(self, row: Held) -> None:
        """Run the test for one row of its tables."""
        run, routine, functions = self.run, self.program.routine, self.program.functions
        top = Frame(routine, dict(run.shared))
        filled = {key: substitute(run.inlined(value, top, Place()), run.shared) for key, value in row.items()}
        run.closures.update({filled[key]: Callee(functions[one]) for key, one in row.items() if one in functions})
        shared = filled_in(run.shared, filled) if filled else run.shared
        self.fixtures = {key.name: value for key, value in filled.items() if isinstance(key, Name)}
        for name in self.program.autouse:
            self._fixture(name, Place())
        frame = Frame(routine, {**self._filled(routine, shared, Place()), **filled})
        place = Place().swallowing(self.program.muted)
        run.block(routine.body, frame, place)
        if isinstance(frame.given, Name) and frame.given.name in frame.inner:
            run.handed_on(frame.inner[frame.given.name], frame, place)
        for claim in self.program.throughout if self.record.acts or self.record.facts else ():
            self.record.fact(claim, Check((), self.program.line, ""), Place(), frame.held)

    def _filled(self, routine: Routine, shared: Held, place: Place) -> Held:
        given: Held = {
            Name(one.name): self._fixture(one.name, place) if one.default is None else one.default
            for one in routine.parameters
            if one.name not in {"self", "cls"}
        }
        return {**shared, Name("cls"): SELF, **given}

    def _fixture(self, name: str, place: Place) -> Expression:
        """Return a fixture's value; it runs once per test, and its assertions and skips count."""
        if name in self.fixtures:
            return self.fixtures[name]
        self.fixtures[name] = Name(name)
        routine = self.program.fixture(name)
        if routine is not None and place.depth < DEEPEST:
            inner = replace(place.inside(), fixture=name)
            held = self._filled(routine, own_places(self.run.shared), inner)
            frame = Frame(routine, self.run.top(routine, inner).held | held)
            if param_of(name) in self.fixtures:
                frame.held[PARAM] = self.fixtures[param_of(name)]
            self.run.block(routine.body, frame, inner)
            self.run.shared.update(own_places(frame.held))
            given = self.run.escaped(frame.held.get(YIELDED, frame.given), frame)
            known = self.record.identities
            self.fixtures[name] = Name(name) if given is None else known.of(Name(name), given, around=True)
        return self.fixtures[name]
