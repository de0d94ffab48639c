"""Trying a claim honestly: random and adversarial exact instances, synthetic and real laws, confirmation, tightness.

An exact violation is a counterexample; a floating-point violation beyond the rounding allowance counts only once
`simspec.claims.deciding.shrink` has turned it into an exact one.  What follows from the trials is in
`simspec.claims.deciding.decide`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from simspec.claims.balls import Inexact
from simspec.claims.claim import Claim, Instance, at_least, at_most, margin
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.explore import EFFORTS, Effort, at_printed, explore
from simspec.claims.deciding.shrink import confirm, refutes, shrink, size, undecided, violated
from simspec.claims.draw import Draw, FloatDraw, RealDraw, SearchDraw
from simspec.logits.bank import MissingPart

__all__ = [
    "EFFORTS",
    "Case",
    "Check",
    "Effort",
    "Reach",
    "Trials",
    "allowance",
    "check_draw",
    "check_exact",
    "explore",
    "still_refuting",
    "try_claim",
]


class Case(NamedTuple):
    """A counterexample, and the choices that an exact draw makes it from; None for an instance that the claim lists."""

    instance: Instance
    choices: Sequence[int] | None


class Check(NamedTuple):
    """One kind of trial: how many different instances, how many violated the claim, the smallest slack, on what data.

    Exact trials say up to which vocabulary and denominator they went, where the verdict rests on them (`Reach`).
    `undecided` counts instances whose slack is a ball that contains zero, as every ball of an identity that holds does.
    """

    instances: int
    violations: int
    min_slack: float | None
    data: str | None = None
    undecided: int = 0


@dataclass
class Reach:
    """The largest vocabulary and denominator of the instances that were tried; else their largest sizes and lengths, by name.

    >>> from fractions import Fraction
    >>> reach = Reach()
    >>> reach.see({"p": np.array([Fraction(1, 6), Fraction(5, 6)], dtype=object), "beta": Fraction(1, 16)})
    >>> str(reach)
    'up to 2 tokens, denominators up to 16'
    >>> sizes = Reach()
    >>> sizes.see({"vocab": 3, "corpus": "abab"})
    >>> sizes.see({"vocab": 12, "corpus": "a"})
    >>> str(sizes)
    'vocab up to 12, corpus up to 4 long'
    """

    tokens: int = 0
    denominator: int = 1
    sizes: dict[str, int] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)

    def see(self, instance: Instance) -> None:
        """Count one instance in: the last axis of its arrays, and its fractions; its whole numbers, texts and lists by name."""
        for name, value in instance.items():
            self._see(value)
            if isinstance(value, int) and not isinstance(value, bool):
                self.sizes[name] = max(self.sizes.get(name, value), value)
            elif isinstance(value, (str, list, tuple)):
                self.lengths[name] = max(self.lengths.get(name, 0), len(value))

    def _see(self, value: Any) -> None:
        if isinstance(value, np.ndarray) and value.ndim:
            self.tokens = max(self.tokens, value.shape[-1])
            if value.dtype == object:
                for entry in value.flat:
                    self._see(entry)
        elif isinstance(value, (list, tuple)):
            for entry in value:
                self._see(entry)
        elif isinstance(denominator := getattr(value, "denominator", 1), int):
            self.denominator = max(self.denominator, denominator)

    def __str__(self) -> str:
        tokens = [f"up to {self.tokens} token{'s' if self.tokens != 1 else ''}"] if self.tokens else []
        fractions = [f"denominators up to {self.denominator:,}"] if self.denominator > 1 else []
        # a claim about texts or sizes has neither: what its instances are made of is said by name
        sizes = [f"{name} up to {size:,}" for name, size in self.sizes.items()]
        lengths = [f"{name} up to {length:,} long" for name, length in self.lengths.items()]
        return ", ".join([*tokens, *fractions] or [*sizes, *lengths])


@dataclass(frozen=True)
class Trials:
    """All that was tried on one claim."""

    exact: Check | None = None
    synthetic: Check | None = None
    real: Check | None = None
    counterexample: Instance | None = None
    choices: Sequence[int] | None = None
    tightness: dict[str, Any] | None = None
    unconfirmed: str | None = None
    not_needed: tuple[str, ...] = ()
    slacks: tuple[float, ...] = ()


def allowance(claim: Claim, instance: Instance, lhs: Any, rhs: Any) -> Any:
    r"""Largest slack that rounding alone can take away: :math:`s\,(V + 16)\,\epsilon\,\max(1, |lhs|, |rhs|)`.

    A sum of V terms whose absolute values add to at most m errs by at most :math:`(V-1)\,\epsilon\,m` in any order
    (Higham 2002, 4.2), an elementwise operation by :math:`\epsilon\,m`; a claim nests `sums` = s of them.
    """
    arrays = [np.asarray(v) for v in instance.values() if getattr(v, "ndim", 0) > 0]
    floats = [a for a in arrays if a.dtype.kind == "f"]
    vocab = max((a.shape[-1] for a in arrays), default=1)
    eps = max((float(np.finfo(a.dtype).eps) for a in floats), default=float(np.finfo(np.float64).eps))
    scale = np.maximum(1, np.maximum(_worst(lhs), _worst(rhs)))
    return claim.sums * (vocab + 16) * eps * scale


def _worst(x: Any) -> float:
    return float(np.max(np.abs(np.asarray(x, dtype=np.float64)), initial=0.0))


def check_exact(claim: Claim, effort: Effort, seed: int, case: Case | None = None) -> Trials:
    """Exact trials: the listed instances, random ones, and a climb towards smaller slack from the best starts.

    Where a slack on exact numbers holds a float, nothing was tried exactly: `unconfirmed` says so, and the cure.

    Parameters
    ----------
    claim : Claim
    effort : Effort
    seed : int
    case : Case, optional
        a counterexample that was checked again (`still_refuting`): what is found beside it is counted and not made small.
    """
    try:
        return _exact_trials(claim, effort, seed, case)
    except Inexact as error:
        return Trials(unconfirmed=str(error))


def _exact_trials(claim: Claim, effort: Effort, seed: int, case: Case | None) -> Trials:
    """Try the listed, random and adversarial exact instances of a claim; return counts and the smallest counterexample."""
    rng = np.random.default_rng([seed, *claim.name.encode()])
    best = _Tightest(claim)
    refuting_choices = []
    slacks = []
    open_ = 0
    reach = Reach() if effort.wide else None
    # instances that the claim's author lists come first: they need no search
    listed_instances = [*claim.tight, *claim.against, *([case.instance] if case and case.choices is not None else [])]
    against = [Case(instance, None) for instance in listed_instances if _violates(claim, instance, best)]
    if case and case.choices is not None:
        against[-1] = case
    trials = len(listed_instances)
    listed = len(against)
    if claim.instances is not None and "exact" in claim.sources:
        for choices, instance, sides, slack in explore(claim, effort, rng):
            trials += 1
            slacks.append(margin(slack))
            best.see(instance, sides)
            if reach is not None:
                reach.see(instance)
            if violated(slack):
                refuting_choices.append(choices)
            else:
                open_ += undecided(slack)
        # the shortest description is the best start for shrinking; beside a listed counterexample one short attempt will do
        starts, steps = (1, effort.shrink // 8) if against else (effort.starts, effort.shrink)
        shortest = sorted(refuting_choices, key=lambda c: (len(c), sum(c)))[: 0 if case else starts]
        against += [Case(*shrink(claim, choices, steps)) for choices in shortest]
    if not against:  # beside the random ones, which stay as they are
        printed = list(at_printed(claim, seed))
        trials += len(printed)
        against = [Case(instance, None) for instance in printed if violated(claim.slack(instance))]
        listed = len(against)
    smallest = min(against, key=lambda c: size(c.instance), default=None)
    return Trials(
        exact=Check(
            trials,
            listed + len(refuting_choices),
            _finite(min(slacks, default=best.smallest)),
            (str(reach) or None) if reach is not None else None,
            open_,
        )
        if trials
        else None,
        counterexample=smallest.instance if smallest else None,
        choices=smallest.choices if smallest else None,
        tightness=best.record(),
        slacks=tuple(slacks),
        not_needed=_not_needed(claim),
    )


def _violates(claim: Claim, instance: Instance, best: _Tightest) -> bool:
    """Whether a given instance refutes the claim; it must be within the assumptions."""
    if broken := claim.broken_assumptions(instance):
        raise ValueError(f"{claim.name}: a listed instance breaks the assumption {broken[0]!r}")
    sides = claim.sides(instance)
    best.see(instance, sides)
    return violated(claim.relation(*sides))


def still_refuting(claim: Claim, record: Mapping[str, Sequence[int] | None]) -> Case | None:
    """The counterexample on record, drawn and checked again; None where there is none, or where it refutes no more.

    Parameters
    ----------
    claim : Claim
    record : {claim id: choices}
        what a `SearchDraw` is given; None for a counterexample that is one of the claim's own listed instances.
    """
    if claim.name not in record:
        return None
    recorded = record[claim.name]
    try:
        candidates = claim.against if recorded is None else [claim.draw(SearchDraw(recorded))]
        return next(
            (Case(instance, recorded and [*recorded]) for instance in candidates if refutes(claim, instance)), None
        )
    except (ValueError, IndexError):  # the choices describe nothing that the claim speaks of today
        return None


def _not_needed(claim: Claim) -> tuple[str, ...]:
    """Assumptions whose listed instance does not show that they are needed."""
    failing = []
    for name, instance in claim.outside.items():
        if claim.broken_assumptions(instance) != [name] or not violated(claim.slack(instance)):
            failing.append(name)
    return tuple(failing)


class _Tightest:
    """Keeps the instance that comes closest to equality: the largest ratio for bounds, the smallest slack otherwise."""

    def __init__(self, claim: Claim) -> None:
        self.claim, self.smallest = claim, float("inf")
        self._ratio = -1.0
        self._instance: Instance | None = None

    def see(self, instance: Instance, sides: tuple[Any, Any]) -> None:
        if self.claim.relation not in (at_most, at_least):
            return
        lhs, rhs = (np.asarray(side, dtype=object) for side in sides)
        for a, b in ((float(a), float(b)) for a, b in np.broadcast(lhs, rhs)):
            small, large = (a, b) if self.claim.relation is at_most else (b, a)
            self.smallest = min(self.smallest, large - small)
            if large > 0 and small / large > self._ratio:
                self._ratio, self._instance = small / large, instance

    def record(self) -> dict[str, Any] | None:
        if self._instance is None:
            return None
        return {"ratio": self._ratio, "instance": self._instance}


def check_draw(claim: Claim, draw: Draw, data: str) -> tuple[Check, Instance | None, list[float]]:
    """One batch from a floating-point source; returns the check and, on a violation, the worst instance."""
    instance = claim.draw(draw)
    if broken := claim.broken_assumptions(instance):
        raise ValueError(f"{claim.name}: an instance drawn from {data} breaks the assumption {broken[0]!r}")
    lhs, rhs = claim.sides(instance)
    slack = np.asarray(claim.relation(lhs, rhs), dtype=np.float64)
    bad = ~(slack >= -allowance(claim, instance, lhs, rhs))
    rows = _batch(instance)
    check = Check(rows, _rows_of(bad, rows), _finite(float(slack.min(initial=np.inf))), data)
    worst = None
    if bad.any():
        row = np.unravel_index(int(np.nanargmin(slack)), slack.shape) if slack.ndim else ()
        batch = slack.shape[0] if slack.ndim else 0
        worst = {k: v[row[0]] if batch and np.ndim(v) > 1 and v.shape[0] == batch else v for k, v in instance.items()}
    return check, worst, slack.ravel()[:200].tolist()


def _batch(instance: Instance) -> int:
    """How many instances a batch holds: the rows of its arrays, matrices apart."""
    shapes = [v.shape for v in instance.values() if isinstance(v, np.ndarray) and v.ndim == 2]
    return max((rows for rows, columns in shapes if rows != columns), default=1)


def _rows_of(bad: np.ndarray, rows: int) -> int:
    """In how many rows of a batch some element is bad."""
    if rows in bad.shape:
        axis = bad.shape.index(rows)
        return int(np.moveaxis(bad, axis, 0).reshape(rows, -1).any(axis=1).sum())
    return int(bad.any())


def _finite(x: float) -> float | None:
    return x if np.isfinite(x) else None


def _merge(checks: list[Check]) -> Check | None:
    if not checks:
        return None
    slacks = [c.min_slack for c in checks if c.min_slack is not None]
    data = "; ".join(dict.fromkeys(c.data for c in checks if c.data))
    return Check(
        sum(c.instances for c in checks), sum(c.violations for c in checks), min(slacks, default=None), data or None
    )


def try_claim(
    claim: Claim,
    effort_name: str,
    seed: int,
    data: Data,
    proved: bool = False,
    record: Mapping[str, Sequence[int] | None] | None = None,
) -> Trials:
    """Try a claim on every source it names; exact counterexamples are shrunk, floating-point ones confirmed first.

    Parameters
    ----------
    claim : Claim
        not empirical.
    effort_name : "quick", "default" or "deep"
    seed : int
    data : Data
        the open banks.
    proved : bool
        whether a proof of the whole statement ships: then fewer instances are tried, unless the effort is deep.
    record : {claim id: choices}, optional
        counterexamples on record; one that still refutes is not looked for anew, and fewer instances are tried.
    """
    case = still_refuting(claim, record or {})
    effort = EFFORTS[effort_name].when_settled() if proved or case else EFFORTS[effort_name]
    trials = check_exact(claim, effort, seed, case)
    suspects: list[Instance] = []
    slacks = list(trials.slacks)
    floats: list[Check] = []
    reals: list[Check] = []
    if claim.instances is not None:
        sources: list[tuple[list[Check], Draw, str]] = []
        if "float" in claim.sources:
            for vocab in effort.vocabularies:
                label = f"synthetic Gaussian and Student-t logits, V = {vocab:,}"
                sources.append((floats, FloatDraw(seed, vocab, effort.rows, effort.matrix), label))
        if "real" in claim.sources:
            for bank in data.pairs():
                real = RealDraw(bank, seed, effort.real_rows)
                sources.append((reals, real, data.describe(bank, real.rows)))
        for book, draw, label in sources:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # underflow in far tails is part of the arithmetic
                try:
                    check, worst, some = check_draw(claim, draw, label)
                except MissingPart:  # this bank cannot be asked; the other trials stand
                    continue
            if isinstance(draw, RealDraw) and check.instances < len(draw.rows):
                check = check._replace(data=f"{check.instances} of {label}")  # thinned by the claim
            book.append(check)
            slacks += some
            if worst is not None:
                suspects.append(worst)
    counterexample = trials.counterexample
    unconfirmed = trials.unconfirmed
    if counterexample is None and unconfirmed is None and suspects:
        counterexample, unconfirmed = _confirmed(claim, suspects[0], effort)
    return Trials(
        exact=trials.exact,
        synthetic=_merge(floats),
        real=_merge(reals),
        counterexample=counterexample,
        choices=trials.choices,
        tightness=trials.tightness,
        unconfirmed=unconfirmed,
        not_needed=trials.not_needed,
        slacks=tuple(slacks),
    )


def _confirmed(claim: Claim, suspect: Instance, effort: Effort) -> tuple[Instance | None, str | None]:
    """An exact counterexample from a floating-point one, or why there is none."""
    try:
        exact_instance = confirm(claim, suspect, effort.shrink)
    except Inexact as error:
        return None, str(error)
    return (None, _rounded(claim)) if exact_instance is None else (exact_instance, None)


def _rounded(claim: Claim) -> str:
    """What is said of a violation in floats that no exact instance near it confirms, and what to do about it."""
    words = "a floating-point violation beyond the rounding allowance was not confirmed exactly"
    if "exact" not in claim.sources:
        return words
    return (
        f'{words}: if the sides of {claim.name} cancel in floats, write `sources=("exact",)` in it, and it is decided on exact '
        "numbers alone"
    )
