"""What claims about EARS share: steps, the tolerance and the paths, rules with any kept mass, texts, and the banks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.claims import balls
from simspec.claims.authoring import Array, Draw, F, Instance, law
from simspec.claims.deciding.data import Data
from simspec.engine.study import Result
from simspec.laws import Scalar, normalise, overlap
from simspec.methods import SD, Method, acceptance_rate, ears, fresh, lenience, one_minus_max, output_law

if TYPE_CHECKING:
    from simspec.logits.bank import Bank

__all__ = [
    "AS_OFTEN",
    "BETA",
    "HALF",
    "MARGIN",
    "PRINTED",
    "accepted_of",
    "any_rule",
    "as_often",
    "banks_of",
    "both_paths",
    "by_source",
    "closeness",
    "competitor",
    "described_banks",
    "few_rows",
    "fresh_ears",
    "markov_tables",
    "model_of",
    "often_proportional",
    "pardoned",
    "proportional",
    "rule_of",
    "shares_of",
    "some_step",
    "source_of",
    "tolerance",
    "truth",
]

HALF = law("1/2", "1/2")
PRINTED: dict[str, Any] = {"p": law("3/4", "1/4"), "q": law("1/4", "3/4"), "beta": F(1, 10)}
"""A step of full support at the paper's β."""
BETA: tuple[Any, Any] = (0, 2)
"""Range of β: the paper uses 0 to 0.2; beyond 1 every draft can be kept."""


def few_rows(draw: Draw, instance: dict[str, Any], rows: int = 48) -> dict[str, Any]:
    """The same with floating-point batches thinned: identities and bounds need few rows at full vocabulary size."""
    if draw.exact:
        return instance
    return {name: x[:: max(1, len(x) // rows)] if np.ndim(x) > 1 else x for name, x in instance.items()}


def some_step(draw: Draw, low: int = 1, also: Sequence[str] = (), rows: int = 48) -> dict[str, Any]:
    """A target, a draft and a β; further laws by name."""
    n = draw.vocab(low)
    p, q = draw.pair(n)
    laws = {"p": p, "q": q, **{name: draw.law(n) for name in also}}
    return {**few_rows(draw, laws, rows), "beta": draw.number(*BETA)}


def fresh_ears(beta: Scalar) -> Method:
    """EARS in the other printed reading of its last step: after a rejection a fresh draw from p."""
    return replace(ears(beta), residual=fresh)


def tolerance(p: Array, beta: Scalar) -> Array:
    """β(1 − max p), with an axis for the tokens.

    >>> tolerance(law("3/4", "1/4"), F(1, 2)).tolist()
    [Fraction(1, 8)]
    """
    return beta * np.asarray(one_minus_max(p))[..., None]


def pardoned(p: Array, q: Array, beta: Scalar) -> Array:
    """Mass of each token that only the pardon path accepts, by the closed form min((q − p)₊, t q).

    >>> pardoned(law("3/4", "1/4"), law("1/4", "3/4"), F(1, 2)).tolist()
    [0, Fraction(3, 32)]
    """
    return np.minimum(np.maximum(q - p, 0), tolerance(p, beta) * q)


def often_proportional(draw: Draw) -> Instance:
    """Steps whose draft is, every other time, proportional to the target where the target has mass."""
    step = some_step(draw)
    p = step["p"]
    share = draw.number(0, 1)
    extra = draw.law(len(step["p"]))
    if draw.integer(0, 1):
        outside = normalise(np.where(p > 0, 0, extra), otherwise=p)
        step["q"] = (1 - share) * p + share * outside
    return {**step, "beta": step["beta"] * draw.integer(0, 1)}


def proportional(p: Array, q: Array) -> bool:
    """Whether q is a multiple of p (0 counts) on the support of p."""
    return bool((np.where(p > 0, q - np.where(p > 0, q, 0).sum() * p, 0) == 0).all())


def truth(flag: bool) -> Any:
    """A flag as an exact number."""
    return F(1) if flag else F(0)


def both_paths(p: Array, q: Array, beta: Scalar) -> tuple[Array, Array]:
    """Probability that a drafted token is accepted by the first and by the second printed test, on one coin.

    The coins fall into at most three intervals, within which no test changes its mind: each test is made at the middle.
    """
    ratio = p / np.where(q > 0, q, 1)
    t = tolerance(p, beta) + 0 * ratio
    zero = 0 * ratio
    unit = 0 * ratio + 1
    ends = np.stack([zero, np.minimum(ratio, unit), np.minimum(ratio + t, unit), unit])
    coin = (ends[1:] + ends[:-1]) / 2
    length = ends[1:] - ends[:-1]
    standard = ratio >= coin
    pardon = ~standard & (ratio >= coin - t)
    return (length * standard).sum(axis=0), (length * pardon).sum(axis=0)


def closeness(a: Array, p: Array) -> Array:
    """exp(−KL(a‖p)), 0 where a leaves the support of p: certified on fractions.

    >>> closeness(np.array([1.0, 0.0]), np.array([0.25, 0.75])).item(), closeness(law(0, 1), law(1, 0)).item()
    (0.25, 0)
    """
    inside = np.where(p > 0, a, 0)
    kl = (balls.plogp(inside) - balls.enclose(inside) * balls.log(np.where(p > 0, p, 1))).sum(axis=-1)
    return np.where(np.where(p > 0, 0, a).sum(axis=-1) > 0, 0, balls.exp(-kl))


def banks_of(data: Data) -> dict[str, Bank]:
    """The pairs that decide, and those that stand beside them; in a quick run the first alone."""
    return {"main": data.realistic} if data.effort == "quick" else data.all_pairs


def described_banks(data: Data) -> dict[str, str]:
    """Words for each bank."""
    return {name: data.describe(bank) for name, bank in banks_of(data).items()}


def source_of(result: Result) -> str:
    """Words for the data of a cell."""
    cell = result.cell
    if "bank" in cell:
        return str(cell["data"])
    family = f"{cell['family']} (df {cell['df']:g})" if "df" in cell else cell["family"]
    return (
        f"synthetic {family} logits of scale {cell['scale']:g}, correlation {cell['rho']:g} with the draft's, "
        f"V = {cell['vocab']}: {cell['rows']} contexts"
    )


def model_of(result: Result) -> str:
    """The model that the words for a cell's data begin with."""
    return source_of(result).split(": ")[0]


def by_source(results: Sequence[Result]) -> list[list[Result]]:
    """Results of one source each, in order."""
    names = list(dict.fromkeys(source_of(r) for r in results))
    return [[r for r in results if source_of(r) == name] for name in names]


def any_rule(draw: Draw) -> Instance:
    """Any kept mass k ≤ q: shares of min(p, q) and of (q − p)₊, token by token; any residual."""
    step = some_step(draw, also=("low", "high", "r"))
    p = step["p"]
    q = step["q"]
    low = shares_of(step["low"])
    high = shares_of(step["high"])
    if draw.integer(0, 1):
        low = 0 * low + 1
    return {"p": p, "q": q, "k": low * np.minimum(p, q) + high * np.maximum(q - p, 0), "r": step["r"]}


def shares_of(masses: Array) -> Array:
    """Numbers in [0, 1], one of them 1."""
    return masses / masses.max(axis=-1, keepdims=True)


def rule_of(k: Array, r: Array) -> Method:
    """The rule that keeps the mass k and replaces by the law r."""
    return Method(propose=lambda q: q, accept=lambda p, d: k, residual=lambda p, d: r)


def competitor(draw: Draw) -> Instance:
    """A lenience, and another law o whose largest acceptance Σ min(o, q) is at least that of lenience."""
    step = some_step(draw, also=("o",), rows=16)
    p = step["p"]
    q = step["q"]
    o = step["o"]
    factor = draw.number(F(1, 8) if draw.exact else 0.125, 1)
    kind = draw.integer(0, 2)
    if kind:  # a law made to be near: what EARS emits, or the target itself
        o = output_law(ears(step["beta"]), p, q) if kind == 1 else p
    rate, have = (np.asarray(x)[..., None] for x in (acceptance_rate(lenience(factor), p, q), overlap(o, q)))
    exact_one: Any = F(1) if draw.exact else 1  # a quotient of two integers would be a float
    short = np.maximum(rate - have, 0) / np.where(have < 1, exact_one - have, exact_one)
    return {"p": p, "q": q, "factor": factor, "o": (1 - short) * o + short * q}


def accepted_of(o: Array) -> Method:
    """The rule that emits o and accepts as much of it as can be: k = min(o, q)."""
    return Method(propose=lambda q: q, accept=lambda p, d: np.minimum(o, d), residual=lambda p, d: SD.residual(o, d))


AS_OFTEN = "it accepts at least as often as lenience"


def as_often(p: Array, q: Array, o: Array, factor: Scalar) -> bool:
    """Whether a draft is in o at least as often as lenience accepts it."""
    spare = np.asarray(overlap(o, q) - acceptance_rate(lenience(factor), p, q))
    return bool(np.all(spare >= (0 if spare.dtype == object else -1e-12)))


MARGIN = 0.01
"""One point, of accuracy or of expected utility."""


def markov_tables(draw: Draw, vocab: int) -> tuple[Array, Array]:
    """Tables of a target and a draft whose laws depend on the last token."""
    rows = [draw.pair(vocab) for _ in range(vocab + 1)]
    p, q = (np.stack(laws) for laws in zip(*rows, strict=True))
    return p, q
