"""What a claim is: a slack that must not be negative wherever the assumptions hold.

Relations are functions that return the slack, so that every kind of claim reduces to its sign.  How claims are tried
is in `simspec.claims.deciding.search`, how a verdict follows in `simspec.claims.deciding.decide`; the claims
themselves are one file per statement.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from simspec.claims.balls import sides_together
from simspec.laws import Array, Scalar
from simspec.loading import line_of

if TYPE_CHECKING:
    from simspec.claims.deciding.data import Data
    from simspec.claims.draw import Draw
    from simspec.engine.study import Result, Study

__all__ = [
    "Broken",
    "Claim",
    "Evidence",
    "Finding",
    "Instance",
    "MissingValue",
    "Printed",
    "at_least",
    "at_most",
    "bound",
    "call",
    "equal",
    "identity",
    "margin",
    "probability",
    "procedure",
    "rate",
    "relation_word",
]

Instance = Mapping[str, Any]
Kind = Literal["identity", "bound", "probability", "rate", "procedure", "empirical"]
Verdict = Literal["proved", "derived", "holds", "refuted", "supported", "unsupported", "inconclusive", "error"]


def equal(lhs: Any, rhs: Any) -> Any:
    """Slack of an identity: minus the absolute difference, so that zero is the best.

    >>> equal(3, 5)
    -2
    """
    return -abs(lhs - rhs)


def at_most(lhs: Any, rhs: Any) -> Any:
    """Slack of lhs <= rhs.

    >>> at_most(3, 5)
    2
    """
    return rhs - lhs


def at_least(lhs: Any, rhs: Any) -> Any:
    """Slack of lhs >= rhs.

    >>> at_least(3, 5)
    -2
    """
    return lhs - rhs


class Evidence(NamedTuple):
    """One measured number with its interval, the data it was measured on, and the obvious controls beside it."""

    data: str
    model: str | None
    n: int
    estimate: float
    interval: tuple[float, float] | None = None
    level: float | None = None
    control: Mapping[str, float] | None = None


class Printed(NamedTuple):
    """The sentence of a paper that a claim decides; its readings share one record.

    Attributes
    ----------
    place : str
        paper and number.
    text : str
        as it is printed; an ellipsis stands for what is left out, or for a formula.
    read : str
        in which sense it is decided.
    restored : str
        what the text at hand had lost, "" where nothing.
    """

    place: str
    text: str
    read: str
    restored: str = ""

    def __str__(self) -> str:
        restored = f" Restored: {self.restored}." if self.restored else ""
        return f"“{self.text}” ({self.place}). {self.read}{restored}"


class Finding(NamedTuple):
    """How an empirical claim is decided; `decide` is fixed before the run and sees only the evidence.

    Attributes
    ----------
    study : Data -> Study
        which cells are simulated or measured.
    estimate : results -> evidence
    decide : evidence -> "supported", "unsupported" or "inconclusive"
    criterion : str
        the decision rule in words, shown in the report.
    plot : results -> plot description, optional
    """

    study: Callable[[Data], Study]
    estimate: Callable[[Sequence[Result]], list[Evidence]]
    decide: Callable[[Sequence[Evidence]], Verdict]
    criterion: str
    plot: Callable[[Sequence[Result]], dict[str, Any]] | None = None


class Broken(NamedTuple):
    """A slip that one could make in a claim's formulas; with it the trials must refute the claim.

    Attributes
    ----------
    wrong : str
        what is wrong, in a few words.
    changes : claim -> {part of the claim: what stands there in its place}
        called only when the slip is tried, so that it may use the claim itself, or others.
    """

    wrong: str
    changes: Callable[[Any], Mapping[str, Any]]


@dataclass(frozen=True)
class Claim:
    """A statement with the formulas that decide it.

    Attributes
    ----------
    name : str
        id as in the list of claims; corrections end in ``-corrected``, better constants in ``-sharp``.
    kind : str
    statement : str
        text with LaTeX between dollar signs.
    reference : str
        paper and number.
    lhs, rhs : functions of the instance's values, taken by name
    relation : (lhs, rhs) -> slack
        `equal`, `at_most` or `at_least`.
    instances : Draw -> instance
        draws one instance inside the assumptions, from whatever source it is handed.
    assumes : {name: predicate}
    tight : instances where the slack vanishes
    outside : {assumption: instance that breaks only it, and the claim}
    against : instances inside the assumptions that refute the claim as printed
    corrected_by : ids of the claims that correct this one, or sharpen it where it holds: `relation_word`
    proof_steps : ids of the claims about formulas in the printed proof, where a paper proves this one
    within : instances, or a sentence
        of a refuted claim: counterexamples inside the paper's own range (its printed parameters, two tokens or more, each
        with mass), or why none is given.
    note : str
        in a sentence or two: why it holds or fails, and what a reader should know.
    sums : int
        how many nested sums over the vocabulary lie between the input and the slack; it scales the rounding allowance.
    sources : which of "exact", "float", "real" the claim can be tried on
    evidence : Data -> list of evidence, optional
        numbers worth seeing beside the verdict (fitted exponents, measured slack), which do not decide.
    finding : for empirical claims, in place of lhs and rhs
    printed : the paper's own sentence, of a claim that reads one
    broken : slips in the formulas that must refute the claim, of a claim that holds
    """

    name: str
    kind: Kind
    statement: str
    reference: str
    lhs: Callable[..., Any] | None = None
    relation: Callable[[Any, Any], Any] = equal
    rhs: Callable[..., Any] | None = None
    instances: Callable[[Draw], Instance] | None = None
    assumes: Mapping[str, Callable[..., bool]] = field(default_factory=dict)
    tight: Sequence[Instance] = ()
    outside: Mapping[str, Instance] = field(default_factory=dict)
    against: Sequence[Instance] = ()
    corrected_by: tuple[str, ...] = ()
    proof_steps: tuple[str, ...] = ()
    note: str = ""
    sums: int = 4
    sources: tuple[str, ...] = ("exact", "float", "real")
    evidence: Callable[[Data], list[Evidence]] | None = None
    finding: Finding | None = None
    within: Sequence[Instance] | str = ()
    printed: Printed | None = None
    broken: Sequence[Broken] = ()

    def slack(self, instance: Instance) -> Any:
        """Slack of the claim on one instance (an array for a batch)."""
        return self.relation(*self.sides(instance))

    def draw(self, draw: Draw) -> Instance:
        """An instance from a source."""
        if self.instances is None:
            raise ValueError(
                f"claim {self.name}: has no instances to draw; it is decided on listed ones, or by its finding"
            )
        instance = self.instances(draw)
        if not isinstance(instance, Mapping):
            raise ValueError(
                f"claim {self.name}: instances returned a {type(instance).__name__}; expected values by name, such as "
                "{'p': p, 'q': q}"
            )
        return instance

    def sides(self, instance: Instance) -> tuple[Any, Any]:
        """Left and right side of the claim on one instance; where one side holds balls, the other is enclosed."""
        if self.lhs is None or self.rhs is None:
            raise ValueError(f"claim {self.name}: an empirical claim has no slack; it is decided by its finding")
        return sides_together(self._side("lhs", instance), self._side("rhs", instance))

    def _side(self, name: str, instance: Instance) -> Any:
        side = call(getattr(self, name), instance)
        if not (hasattr(side, "__sub__") or isinstance(side, (list, tuple))):
            raise ValueError(
                f"claim {self.name}: {name} returned a {type(side).__name__}; expected a number, or an array of numbers"
            )
        return side

    def broken_assumptions(self, instance: Instance) -> list[str]:
        """Names of the assumptions that the instance breaks."""
        return [name for name, holds in self.assumes.items() if not np.all(call(holds, instance))]

    def __repr__(self) -> str:
        return f"Claim({self.name!r}, {self.kind}, {self.reference})"


def relation_word(verdict: str | None) -> str:
    """What the claims of `corrected_by` do for a claim with a verdict: they correct what fails, and sharpen what holds.

    >>> relation_word("refuted"), relation_word("proved"), relation_word(None)
    ('corrected by', 'sharpened by', 'corrected or sharpened by')
    """
    if verdict is None:
        return "corrected or sharpened by"
    return "corrected by" if verdict in ("refuted", "unsupported") else "sharpened by"


identity = partial(Claim, kind="identity", relation=equal)
bound = partial(Claim, kind="bound", relation=at_most)
rate = partial(Claim, kind="rate", relation=at_most)
probability = partial(Claim, kind="probability", relation=at_least)
procedure = partial(Claim, kind="procedure", relation=equal)
"""A claim of each kind, with the relation that most claims of the kind have."""


class MissingValue(ValueError):
    """An instance lacks a value that a function of the claim or of its proof asks for."""


@lru_cache(maxsize=4096)
def _parameters(function: Callable[..., Any]) -> tuple[tuple[str, bool], ...] | None:
    kinds = inspect.signature(function).parameters.values()
    if any(k.kind is k.VAR_KEYWORD for k in kinds):
        return None
    return tuple((k.name, k.default is k.empty) for k in kinds)


def call(function: Callable[..., Any], instance: Instance) -> Any:
    """Call a function with those values of an instance that its parameters name; a parameter with a default may be absent.

    >>> call(lambda q, p: p - q, {"p": 3, "q": 1, "unused": 0})
    2
    """
    names = _parameters(function)
    if names is None:
        return function(**instance)
    missing = next((n for n, needed in names if needed and n not in instance), None)
    if missing is not None:
        place = line_of(function)
        raise MissingValue(
            f"{getattr(function, '__name__', 'function')}({', '.join(n for n, _ in names)}){f' of {place}' if place else ''}: "
            f"an instance has no {missing!r}; expected some of {', '.join(map(repr, instance))}"
        )
    return function(**{n: instance[n] for n, _ in names if n in instance})


def margin(slack: Scalar | Array) -> float:
    """The smallest slack of a batch as a float (the lower end of a ball), for display and for search.

    >>> margin(np.array([0.5, 0.25]))
    0.25
    """
    values = (
        np.ravel(np.asarray(slack, dtype=object)).tolist() if not hasattr(slack, "ravel") else slack.ravel().tolist()
    )
    return min((float(v) for v in values), default=float("inf"))
