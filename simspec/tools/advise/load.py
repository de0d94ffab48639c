"""The laws of each setting of a plan, as they are tried: in the order of their text, pruned, with nucleus sampling."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from simspec.laws import Array, check_law, unchecked
from simspec.methods.rdk.pruning import most_frequent
from simspec.methods.registry import Rule
from simspec.tools.advise.plan import Plan, check, rules_of
from simspec.tools.reading import Pairs, load

__all__ = ["Case", "Progress", "cases", "prune", "truncated"]

Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True)
class Case:
    """One setting of a plan on a pair: the laws, and the rules that are tried on them.

    Attributes
    ----------
    pairs : laws of target and draft at this setting, in the order of the text
    rules : the rules, a row each
    temperature, top_p : of both models
    """

    pairs: Pairs
    rules: tuple[Rule, ...]
    temperature: float
    top_p: float

    @property
    def title(self) -> str:
        """The setting in words."""
        return f"temperature {self.temperature:g}, top-p {self.top_p:g}"


def cases(source: Any, plan: Plan, progress: Progress | None = None) -> Iterator[Case]:
    """Each setting of a plan, with the laws of a source; laws of one temperature are read once.

    Parameters
    ----------
    source : as `simspec.tools.advise.advise` takes it
    plan : Plan; settings after the first take the first two of the default rules
    progress : (what is done, how much of it, of how much) -> None, optional

    Raises ValueError for a plan that makes no sense, and for a source that cannot be read.

    >>> import numpy as np
    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> [(case.title, [rule.name for rule in case.rules]) for case in cases(half, Plan(rules=("sd", "block")))]
    [('temperature 1, top-p 1', ['sd', 'block'])]
    """
    check(plan)
    is_first = True
    for temperature in plan.temperatures:
        pruned = None
        for mass in plan.top_ps:
            if progress is not None:
                progress("reading laws", 0, None)
            if pruned is None:
                ordered = _read(source, temperature).in_order()
                pruned = prune(ordered, plan.pruned)
            pairs = truncated(pruned, mass)
            yield Case(pairs, rules_of(plan, pairs, is_first), temperature, mass)
            is_first = False


def _read(source: Any, temperature: float) -> Pairs:
    if not isinstance(source, Pairs):
        return source(temperature) if callable(source) else load(source, temperature)
    if temperature != 1:
        raise ValueError(f"temperatures: {temperature}; the source holds distributions, not logits; expected 1")
    return source._replace(p=check_law(source.p), q=check_law(source.q, "q"))


def prune(pairs: Pairs, share: float) -> Pairs:
    """The pair with a drafter that keeps only the tokens most likely on average, and drafts from its law on them.

    Raises ValueError where the mean law is not known.

    >>> import numpy as np
    >>> from simspec.methods.known import Known
    >>> law = np.array([[0.5, 0.25, 0.25]])
    >>> prune(Pairs(law, law, np.array([0]), "by hand", Known(mean=law[0])), 0.4).q.tolist()
    [[1.0, 0.0, 0.0]]
    """
    known = pairs.known
    vocab = pairs.p.shape[-1]
    if share == 1:
        return pairs
    if known.mean is None:
        raise ValueError(
            f"pruned: {share}; {pairs.source} has no mean distribution to rank tokens by: capture it with --statistics"
        )
    mask = most_frequent(known.mean, max(1, round(share * vocab)))
    if known.shared is not None:
        if not (mask & known.shared).any():
            raise ValueError(f"pruned: {share}; this keeps no token of the draft model; expected a larger share")
        mask &= known.shared

    def tuning() -> tuple[Array, Array]:
        assert known.tuning is not None
        p, q = known.tuning()
        return p, unchecked.restrict(q, mask)

    chosen = None if known.tuning is None else tuning
    return pairs._replace(q=unchecked.restrict(pairs.q, mask), known=known._replace(shared=mask, tuning=chosen))


def truncated(pairs: Pairs, mass: float) -> Pairs:
    """Both models with nucleus sampling, on tuning contexts too.

    >>> import numpy as np
    >>> law = np.array([[0.5, 0.25, 0.25]])
    >>> truncated(Pairs(law, law, np.array([0]), "by hand"), 0.5).q.tolist()
    [[1.0, 0.0, 0.0]]
    """
    if mass == 1:
        return pairs
    known = pairs.known

    def tuning() -> tuple[Array, Array]:
        assert known.tuning is not None
        p, q = known.tuning()
        return unchecked.top_p(p, mass), unchecked.top_p(q, mass)

    chosen = None if known.tuning is None else tuning
    p = unchecked.top_p(pairs.p, mass)
    q = unchecked.top_p(pairs.q, mass)
    return pairs._replace(p=p, q=q, known=known._replace(tuning=chosen))
