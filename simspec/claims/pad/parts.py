"""What claims about pivot-aware decoding share: small processes, rules with flags, sums along a rule's path."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, exact
from simspec.claims.claim import call
from simspec.claims.deciding.data import Data
from simspec.engine.study import Result
from simspec.laws import Scalar, normalise
from simspec.methods import SD, Method, Process, evaluate, pad, pivots, replacement_pivots, values
from simspec.methods.pad.process import Run, ahead
from simspec.studies.pad.problems import bank_pairs

__all__ = [
    "ROWS",
    "STATES",
    "TOKENS",
    "ahead_of",
    "along",
    "bits",
    "chain",
    "classifier_first",
    "classifier_last",
    "described",
    "described_results",
    "draw_process",
    "flagged",
    "flagged_step",
    "fork",
    "in_blocks",
    "kinds",
    "limited",
    "limited_step",
    "model_of",
    "on_process",
    "overrides",
    "process_of",
    "relative_pivots",
    "replacement_value",
    "run_pad",
    "softened",
    "some_flags",
    "sources",
    "true_pivots",
    "unflagged",
]

TOKENS = 24
"""Vocabulary of processes made of synthetic or real laws; their states are the contexts."""
ROWS = 64
"""Contexts of one step taken from a source of many: each is looked at coin by coin."""


def bits(draw: Draw, *shape: int) -> Array:
    """Boolean array drawn element by element; in floating point, three in ten are true."""
    if draw.exact:
        return np.array([bool(draw.integer(0, 1)) for _ in range(int(np.prod(shape)))]).reshape(shape)
    return np.random.default_rng(draw.integer(0, 2**31 - 1)).random(shape) < 0.3


def draw_process(
    draw: Draw, horizon: tuple[int, int] = (1, 2), states: tuple[int, int] = (2, 3), vocab: tuple[int, int] = (2, 3)
) -> dict[str, Any]:
    """A target and a draft over a few states, an automaton, and a binary utility of the state a text ends in.

    Exact: sizes in the given ranges; half of the states are never left.  Otherwise each context of the source is a state.
    """
    length = draw.integer(*horizon)
    if draw.exact:
        size = draw.integer(*states)
        tokens = draw.integer(*vocab)
        pairs = [draw.pair(tokens) for _ in range(size)]
        target, draft = (np.stack(laws) for laws in zip(*pairs, strict=True))
        step = np.array(
            [
                [draw.integer(0, size - 1) for _ in range(tokens)] if s == 0 or draw.integer(0, 1) else [s] * tokens
                for s in range(size)
            ]
        )
        utility = exact(bits(draw, size).astype(int))
    else:
        target, draft = draw.pair(TOKENS)
        step = np.random.default_rng(draw.integer(0, 2**31 - 1)).integers(len(target), size=target.shape)
        utility = bits(draw, len(target)).astype(np.float64)
    return {"target": target, "draft": draft, "step": step, "utility": utility, "horizon": length}


def process_of(target: Array, draft: Array, step: Array, utility: Array, horizon: int) -> Process:
    """The process of an instance; texts start in state 0."""
    return Process(target, draft, step, utility, 0, horizon)


def on_process(value: Callable[..., Any]) -> Callable[..., Any]:
    """A function of an instance, from one of its process and of those of its other values that it names."""

    def of_instance(**instance: Any) -> Any:
        process = process_of(*(instance[name] for name in ("target", "draft", "step", "utility", "horizon")))
        return call(value, {**instance, "process": process})

    return of_instance


def fork(p: Array, q: Array, chance: Scalar) -> dict[str, Any]:
    """Exact process of two tokens: after the first the text succeeds, fails, or tosses a coin that both models share."""
    sure = np.array([1, 0, 0], dtype=object)
    coin = np.array([chance, 1 - chance, 0], dtype=object)
    return {
        "target": np.stack([p, sure, sure, coin]),
        "draft": np.stack([q, sure, sure, coin]),
        "step": np.array([[1, 2, 3], [1] * 3, [2] * 3, [1, 2, 2]]),
        "utility": np.array([0, 1, 0, 0], dtype=object),
        "horizon": 2,
    }


def softened(case: Instance) -> dict[str, Any]:
    """An exact process whose laws give a twentieth of their mass to all tokens alike, so that each has mass."""
    size = case["target"].shape[-1]
    laws = {name: case[name] * F(19, 20) + F(1, 20 * size) for name in ("target", "draft")}
    return {**case, **laws}


def flagged(
    draw: Draw, recall: Callable[[Process], Array] | None = None, longest: int = 2, forks: int = 1
) -> dict[str, Any]:
    """A process and the classifier's flags (T, S, V): arbitrary ones, or with every token of `recall` among them.

    Half of the exact processes (all of them with `forks` = 0) are forks, on whose first token alone arbitrary flags lie.
    """
    if draw.exact and draw.integer(0, forks) == 0:
        process = fork(*draw.pair(3), draw.number(0, 1))
        flags = np.zeros((2, 4, 3), dtype=bool)
        flags[0, 0] = bits(draw, 3) if draw.integer(0, 1) else False
    else:
        process = draw_process(draw, (1, longest))
        flags = bits(draw, process["horizon"], *process["target"].shape)
    if recall is not None:
        flags = flags | recall(process_of(**process))
    return {**process, "flags": flags}


def true_pivots(process: Process, epsilon: Scalar = 0, ties: bool = False) -> Array:
    """Pivots of Definition 3 at every position and state, (T, S, V)."""
    here = values(process)
    return np.stack([pivots(here[t], ahead(process, here[t + 1]), epsilon, ties) for t in range(process.horizon)])


def relative_pivots(process: Process, epsilon: Scalar = 0) -> Array:
    """Tokens worth less than what would replace them, at every position and state, (T, S, V)."""
    p = process.target
    d = process.draft
    return np.stack([replacement_pivots(p, d, after, epsilon) for after in ahead_of(process, values(process))])


def run_pad(process: Process, flags: Array, method: Callable[[Array], Method] = pad, gamma: int | None = None) -> Run:
    """Evaluate a rule whose flags at position t are `flags[t]`, one draft a position or in blocks of `gamma`."""
    return evaluate(process, lambda t, here, after: method(flags[t]), gamma)


def in_blocks(instances: Callable[[Draw], Instance]) -> Callable[[Draw], Instance]:
    """The same instances, with one to three drafts a block."""
    return lambda draw: {**instances(draw), "gamma": draw.integer(1, 3)}


def ahead_of(process: Process, table: Array) -> list[Array]:
    """Value (S, V) after each token at each position, from a table of values (T + 1, S)."""
    return [ahead(process, table[t + 1]) for t in range(process.horizon)]


def replacement_value(p: Array, d: Array, after: Array) -> Array:
    """Mean of `after` under the law that replaces a rejected draft, axis kept."""
    return (SD.residual(p, d) * after).sum(axis=-1, keepdims=True)


def overrides(p: Array, d: Array, flags: Array) -> Array:
    """Mass with which each token is kept although speculative decoding rejects it: (d − p)₊ of tokens not flagged."""
    return np.where(flags, 0, np.maximum(d - p, 0))


def along(run: Run, each: list[Array]) -> Any:
    """Sum over positions of the mean of `each[t]` (S,) over the states at which the run verifies a draft.

    One draft a position: all states that it visits.
    """
    total: Any = 0
    for drafting, x in zip(run.drafting, each, strict=True):
        total = total + (drafting * x).sum()
    return total


def chain(target: Array, step: Array) -> Array:
    """Transition matrix of the states that the target's text goes through."""
    out = np.zeros((len(step), len(step)), dtype=target.dtype)
    rows = np.broadcast_to(np.arange(len(step))[:, None], step.shape)
    np.add.at(out, (rows, step), target)
    return out


def classifier_first(flagged: Array, passes: Array) -> Array:
    """3.2: accept what is not called a pivot, otherwise follow speculative decoding."""
    return np.where(flagged, passes, True)


def classifier_last(flagged: Array, passes: Array) -> Array:
    """3.3: run speculative decoding; where it rejects, ask the classifier."""
    return np.where(passes, True, ~flagged)


def described(accepts: Callable[[Array, Array], Array], p: Array, q: Array, flags: Array) -> Array:
    """Masses of a verification written as an algorithm over drafts and coins, (4, ..., V).

    The coin u of a draft x lies in [0, a) or in [a, 1), a = min(1, p(x)/q(x)); `accepts` is asked in each of the two cells.
    Rows: mass accepted in the first cell, in the second cell, mass of the replacements, law of the emitted token.
    """
    a = np.minimum(1, p / np.where(q > 0, q, 1))
    cells = [(q * a, np.ones(q.shape, dtype=bool)), (q * (1 - a), np.zeros(q.shape, dtype=bool))]
    accepted_masses = [np.where(accepts(flags, passes), mass, 0) for mass, passes in cells]
    accepted = accepted_masses[0] + accepted_masses[1]
    rejected = 1 - accepted.sum(axis=-1, keepdims=True)
    replaced = rejected * normalise(np.maximum(p - q, 0), otherwise=p)
    return np.stack([*accepted_masses, replaced, accepted + replaced])


def flagged_step(draw: Draw) -> dict[str, Any]:
    """One context and the classifier's flags."""
    p, q = (law[:ROWS] for law in draw.pair(draw.vocab())) if not draw.exact else draw.pair(draw.vocab())
    return {"p": p, "q": q, "flags": bits(draw, *p.shape)}


def limited_step(draw: Draw) -> Instance:
    """A target, a draft and a limit of the guardrail."""
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q, "limit": draw.number(0, 1) if draw.exact else draw.number(0, 0.02)}


STATES = {"answer": 20, "random": 16, "needle": 8, "recoverable": 8, "counting": 8}
"""Steps of an answer, states of a random automaton, contexts of the others."""


def sources(data: Data) -> dict[str, Any]:
    """Real laws, by the name that stands in the cell."""
    return {data.describe_most(data.realistic): partial(bank_pairs, data.realistic)}


def kinds(data: Data) -> tuple[str, ...]:
    """What a cell's laws may be: synthetic, or those of the bank."""
    return ("synthetic", *sources(data))


def model_of(result: Result) -> str:
    """The models of a cell's laws, for the evidence."""
    return "synthetic" if result.cell["laws"] == "synthetic" else str(result.cell["laws"]).split(":")[0]


def described_results(result: Result) -> str:
    """A cell in words, for the evidence."""
    cell = result.cell
    laws = "synthetic laws" if cell["laws"] == "synthetic" else f"laws of {cell['laws']}"
    target_utility = result.values.get("sd utility")
    right = "" if target_utility is None else f", target right in {target_utility.mean():.0%}"
    clear = ", states seen without noise" if cell.get("noise") == 0 else ""
    return f"{cell['family']}, {laws}{clear}, V = {cell['vocab']}, T = {cell['horizon']}{right}"


def unflagged(draw: Draw) -> Instance:
    """Speculative decoding on longer texts, and flags taken away at several positions."""
    process = draw_process(draw, (2, 3), (2, 3), (2, 2))
    flags = np.ones((process["horizon"], *process["target"].shape), dtype=bool)
    return {**process, "flags": flags, "removed": bits(draw, *flags.shape)}


def limited(draw: Draw) -> Instance:
    """A step with a guardrail's limit and every token flagged as a pivot."""
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q, "limit": draw.number(0, 1), "flags": np.ones(p.shape, dtype=bool)}


def some_flags(draw: Draw, name: str) -> Instance:
    """Flags that are all taken away (``removed``), or all put in the place of others (``flips``)."""
    instance = flagged(draw)
    flags = instance["flags"]
    return {**instance, "flags": flags if name == "removed" else ~flags, name: flags}
