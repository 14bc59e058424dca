"""Where a parcel is."""

from dataclasses import dataclass, field

STEPS = ("announced", "collected", "in transit", "delivered")


class UnknownParcel(LookupError):
    """Nobody announced this parcel."""


@dataclass
class Tracker:
    """Remembers the last step of every parcel."""

    steps: dict[str, str] = field(default_factory=dict)

    def announce(self, number: str) -> None:
        self.steps.setdefault(number, STEPS[0])

    def advance(self, number: str) -> str:
        position = STEPS.index(self.status(number))
        self.steps[number] = STEPS[min(position + 1, len(STEPS) - 1)]
        return self.steps[number]

    def status(self, number: str) -> str:
        if number not in self.steps:
            raise UnknownParcel(f"no parcel {number}")
        return self.steps[number]
