"""What a reader noted about records or lines, each kind once with its first place and how often it came up."""

from __future__ import annotations

from simspec.tools.lengths.conventions import length_convention, rate_convention
from simspec.tools.lengths.records import Counts

__all__ = ["Remarks"]


class Remarks:
    """Collects remarks by their kind.

    >>> remarks = Remarks("records")
    >>> remarks.add("a rate is in percent", "record 1 says 50")
    >>> remarks.add("a rate is in percent", "record 2 says 40")
    >>> remarks.notes()
    ['a rate is in percent (record 1 says 50; 2 records)']
    """

    def __init__(self, unit: str) -> None:
        self.unit = unit
        self.first: dict[str, str] = {}
        self.numbers: dict[str, int] = {}

    def add(self, kind: str, example: str) -> None:
        """A remark, with the place where it came up."""
        self.first.setdefault(kind, example)
        self.numbers[kind] = self.numbers.get(kind, 0) + 1

    def add_rate(self, place: str, name: str, value: float, counts: Counts, tolerance: float) -> None:
        """Compare a printed acceptance rate with its counts; another convention than accepted over drafted is a remark.

        Raises ValueError where the rate is no quotient of the counts.
        """
        steps, accepted, drafted, _ = counts
        if not drafted:
            return
        plain = accepted / drafted
        convention = rate_convention(value, counts, tolerance)
        if convention is None:
            shifted = (accepted + steps) / (drafted + steps)
            raise ValueError(
                f"{place}: {name} is {value:g}; expected {plain:.6g}, as its counts say (or {shifted:.6g}, where each step "
                "counts its own token among accepted and drafted ones)"
            )
        if convention != "accepted/drafted":
            self.add(
                f"{name} is {convention}, not accepted/drafted, which is used here",
                f"{place} says {value:g} = ({accepted} + {steps})/({drafted} + {steps}), and {accepted}/{drafted} is "
                f"{plain:.3f}",
            )

    def add_length(
        self, place: str, name: str, value: float, counts: Counts, tolerance: float, emitted: int | None = None
    ) -> None:
        """Compare a printed acceptance length with its counts; a length without the bonus token is a remark.

        Raises ValueError where the length is no quotient of the counts.
        """
        steps, accepted = counts[:2]
        if not steps:
            return
        convention = length_convention(value, counts, tolerance, emitted)
        if convention is None:
            raise ValueError(
                f"{place}: {name} is {value:g}; expected {1 + accepted / steps:.6g}, as its counts say (or "
                f"{accepted / steps:.6g} without the bonus token)"
            )
        if "without" in convention:
            self.add(
                f"{name} is {convention}, which is added here",
                f"{place} says {value:g}, and with it {1 + accepted / steps:.6g}",
            )

    def notes(self) -> list[str]:
        """All of it, in the order in which it came up."""
        return [
            f"{kind} ({example}{f'; {self.numbers[kind]:,} {self.unit}' if self.numbers[kind] > 1 else ''})"
            for kind, example in self.first.items()
        ]
