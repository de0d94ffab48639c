r"""Claims about the utility of texts written by pivot-aware decoding.

One fact carries them: with overrides g = (d − p)₊ of the tokens not flagged, the law of a step is p + g − (Σg)·r, so that along
the rule's path the target's expected utility changes by Σ g(x)(U(x) − U_r) a step, U_r being the value of the replacement.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Instance, at_least, equal
from simspec.claims.draw import Draw
from simspec.claims.pad_change import CLAIMS as CHANGES
from simspec.claims.pad_parts import (
    ahead_of,
    flagged,
    fork,
    overrides,
    process_of,
    relative_pivots,
    replacement_value,
    run_pad,
    true_pivots,
)
from simspec.claims.pad_slack import CLAIMS as SLACKS
from simspec.claims.rdk_parts import matrix
from simspec.claims.sd import law
from simspec.laws import Array
from simspec.methods import Process, fresh, output_law, pad, strict, values

__all__ = ["CLAIMS"]

RECALL = "no pivot is called a non-pivot"
RELATIVE = "no token worth less than its replacement is called a non-pivot"


def _recalled(target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array) -> bool:
    return bool(flags[true_pivots(process_of(target, draft, step, utility, horizon))].all())


def _recalled_ties(target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array) -> bool:
    return bool(flags[true_pivots(process_of(target, draft, step, utility, horizon), ties=True)].all())


def _recalled_relative(target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array) -> bool:
    return bool(flags[relative_pivots(process_of(target, draft, step, utility, horizon))].all())


def _utility(
    target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array, method: Any = pad
) -> Any:
    return run_pad(process_of(target, draft, step, utility, horizon), flags, method).utility


def _target_utility(target: Array, draft: Array, step: Array, utility: Array, horizon: int) -> Any:
    return values(process_of(target, draft, step, utility, horizon))[0][0]


def _values(
    target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array, method: Any = pad
) -> Array:
    return run_pad(process_of(target, draft, step, utility, horizon), flags, method).values


def _target_values(target: Array, draft: Array, step: Array, utility: Array, horizon: int) -> Array:
    return values(process_of(target, draft, step, utility, horizon))


def _missing(draw: Draw) -> Instance:
    return flagged(draw, true_pivots, forks=0)


def _ties(process: Process) -> Array:
    return true_pivots(process, ties=True)


def _caught(process: dict[str, Any], recall: Callable[[Process], Array] = true_pivots) -> Instance:
    """An instance written by hand, with a classifier that makes no error."""
    return {**process, "flags": recall(process_of(**process))}


# one token, kept against SD although the target would have written the other one
_MISSED: dict[str, Any] = {
    "target": matrix("1 0", "1 0"),
    "draft": matrix("0 1", "1 0"),
    "step": np.array([[0, 1], [1, 1]]),
    "utility": law(1, 0),
    "horizon": 1,
    "flags": np.zeros((1, 2, 2), dtype=bool),
}


def _no_worse(name: str, statement: str, reference: str, note: str, **changes: Any) -> Claim:
    """Lemma 1 in one of its readings."""
    settings: dict[str, Any] = {
        "instances": _missing,
        "assumes": {RECALL: _recalled},
        "lhs": _utility,
        "outside": {RECALL: _MISSED},
        "corrected_by": ("pad.utility-preserved-corrected", "pad.utility-preserved-sharp", "pad.strict-rule"),
    }
    return Claim(
        name=name,
        kind="bound",
        statement=statement,
        reference=reference,
        note=note,
        rhs=_target_utility,
        relation=at_least,
        **{**settings, **changes},
    )


UTILITY_PRESERVED = _no_worse(
    "pad.utility-preserved",
    r"A classifier with 100 % recall on pivots ($U(s, x) < U(s)$) gives $U(\mathrm{PAD}) \ge U(\mathrm{target})$",
    "PAD, Lemma 1",
    "A non-pivot is worth at least the target's average, but what it displaces is the residual, which can be worth more than the "
    "average: the average counts tokens that SD accepts anyway, pivots among them.",
    against=(_caught(fork(law("1/2", "1/2", 0), law(0, "1/2", "1/2"), F(1, 2))),),
    corrected_by=(
        *("pad.utility-preserved-corrected", "pad.utility-preserved-sharp", "pad.strict-rule"),
        *("pad.utility-kept", "pad.utility-slack"),
    ),
)

UTILITY_TIES = _no_worse(
    "pad.utility-preserved.ties",
    r"The same when a token that leaves the utility as it is counts as a pivot too ($U(s, x) \le U(s)$)",
    "PAD, Lemma 1, the other reading of Definition 3",
    "A token can be worth more than the average and less than the residual.",
    instances=lambda draw: flagged(draw, _ties, forks=0),
    assumes={RECALL: _recalled_ties},
    against=(_caught(fork(law("1/2", "1/2", 0), law(0, "1/2", "1/2"), F(3, 4)), _ties),),
)

UTILITY_FRESH = _no_worse(
    "pad.utility-preserved.fresh",
    "The same when a rejected token is replaced by a draw from the target, as A.1 has it",
    "PAD, Lemma 1, with the replacement of A.1",
    "SD-accepted pivots keep their mass min(p, d) and the replacement adds p once more, so pivots become likelier than under the "
    "target.",
    lhs=lambda target, draft, step, utility, horizon, flags: _utility(
        target, draft, step, utility, horizon, flags, lambda f: pad(f)._replace(residual=fresh)
    ),
)

PRINTED_LIMIT = F(1, 10_000)


def _guarded_utility(target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array) -> Any:
    readings = [
        _utility(target, draft, step, utility, horizon, flags, lambda f, r=r: pad(f, PRINTED_LIMIT, r))
        for r in ("override", "every")
    ]
    return max(readings)


UTILITY_GUARDED = _no_worse(
    "pad.utility-preserved.guardrail",
    r"The same with the guardrail (limit $10^{-4}$), in at least one of its readings",
    "PAD, Lemma 1 with §3.3's guardrail",
    "The overridden token can be likely under the target; both readings lose on one instance.",
    lhs=_guarded_utility,
    against=(_caught(fork(law("1/4", "1/2", "1/4"), law(0, "1/2", "1/2"), F(1, 2))),),
    outside={RECALL: {**_MISSED, "target": matrix("1/2 1/2", "1 0")}},
)


def _recalled_tolerant(
    target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array, epsilon: Any
) -> bool:
    return bool(flags[true_pivots(process_of(target, draft, step, utility, horizon), epsilon)].all())


def _missing_tolerant(draw: Draw) -> Instance:
    epsilon = draw.number(0, F(1, 4))
    return {**flagged(draw, lambda process: true_pivots(process, epsilon), forks=0), "epsilon": epsilon}


UTILITY_TOLERANT = _no_worse(
    "pad.utility-preserved.tolerance",
    r"The same with a tolerance: 100 % recall on $\epsilon$-pivots ($U(s, x) < U(s) - \epsilon$) gives $U(\mathrm{PAD}) \ge "
    r"U(\mathrm{target}) - \epsilon$, Definition 2",
    "PAD, Lemma 1, extended to Definition 2 with ε > 0",
    "As without a tolerance; and what a single token may lose adds up over the text, also when judged against the "
    "replacement.",
    instances=_missing_tolerant,
    assumes={RECALL: _recalled_tolerant},
    against=({**_caught(fork(law("1/2", "1/2", 0), law(0, "1/2", "1/2"), F(1, 2))), "epsilon": F(1, 10)},),
    outside={RECALL: {**_MISSED, "epsilon": F(1, 10)}},
    lhs=lambda target, draft, step, utility, horizon, flags, epsilon: (
        _utility(target, draft, step, utility, horizon, flags) + epsilon
    ),
    corrected_by=("pad.utility-slack", "pad.utility-slack.printed"),
)

UTILITY_CORRECTED = Claim(
    name="pad.utility-preserved-corrected",
    kind="bound",
    statement=r"Judge against the replacement: if every $x$ with $U(s, x) < \sum_y r(y)\, U(s, y)$, $r = \mathrm{norm}((p - "
    r"d)_+)$, is called a pivot, then at every context $U(\mathrm{PAD}, s) \ge U(\mathrm{target}, s)$",
    reference="correction of PAD, Lemma 1",
    instances=lambda draw: flagged(draw, relative_pivots),
    assumes={RELATIVE: _recalled_relative},
    lhs=_values,
    rhs=_target_values,
    relation=at_least,
    tight=({**_MISSED, "flags": np.ones((1, 2, 2), dtype=bool)},),
    outside={RELATIVE: _MISSED},
    note="Backward induction: the rule's value is Σ o W' ≥ Σ o U' = U + Σ g(x)(U(x) − U_r) ≥ U, each override gaining. It "
    "accepts at least as often as SD at every context (pad.acceptance). In blocks the token after γ kept drafts is the target's "
    "own, with which the step loses nothing either.",
)


def _one_step(target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array) -> Array:
    process = process_of(target, draft, step, utility, horizon)
    table = values(process)
    laws = [output_law(pad(flag), target, draft) for flag in flags]
    after = ahead_of(process, table)
    return np.stack([(o * u).sum(axis=-1) - h for o, u, h in zip(laws, after, table[:-1], strict=True)])


def _gains(target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array) -> Array:
    process = process_of(target, draft, step, utility, horizon)
    after = ahead_of(process, values(process))
    return np.stack(
        [
            (overrides(target, draft, flag) * (u - replacement_value(target, draft, u))).sum(axis=-1)
            for u, flag in zip(after, flags, strict=True)
        ]
    )


UTILITY_SHARP = Claim(
    name="pad.utility-preserved-sharp",
    kind="identity",
    statement=r"One step of PAD before the target's text changes the utility by exactly $\sum_x g(x)\,(U(s, x) - U_r(s))$, $g$ "
    r"the overrides, $U_r$ the value of the replacement: it preserves utility at $s$ if and only if that sum is not negative",
    reference="own statement, the weakest condition of PAD, Lemma 1",
    instances=flagged,
    lhs=_one_step,
    rhs=_gains,
    relation=equal,
    sums=8,
    note="The law of the step is p + g − (Σg)·r. If the sum is not negative at every context, U(PAD) ≥ U(target) by induction, "
    "so single overrides may lose as long as those of one context gain on average.",
)

STRICT_RULE = Claim(
    name="pad.strict-rule",
    kind="bound",
    statement="With pivots as printed, utility is preserved at every context by the stricter rule: accept exactly what is not "
    "called a pivot, reject every pivot, draw the replacement from $p$",
    reference="own statement, the rule that PAD A.1 argues about",
    instances=_missing,
    assumes={RECALL: _recalled},
    lhs=lambda target, draft, step, utility, horizon, flags: _values(
        target, draft, step, utility, horizon, flags, strict
    ),
    rhs=_target_values,
    relation=at_least,
    tight=({**_MISSED, "flags": np.ones((1, 2, 2), dtype=bool)},),
    outside={RECALL: _MISSED},
    note="An accepted token is worth at least U(s) and a replacement is worth U(s) on average, so Σ o U' ≥ U; then induction. It "
    "accepts Σ d over tokens not flagged, which can be less than SD.",
)


# --- seed by seed ---------------------------------------------------------------------------------------------------


def _best_coupling(target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array) -> Any:
    """Largest probability, over all couplings, that PAD's binary utility is at least the target's."""
    pad_wins = _utility(target, draft, step, utility, horizon, flags)
    target_wins = _target_utility(target, draft, step, utility, horizon)
    # one uniform seed, success below the expected utility, fails where the target succeeds and PAD does not
    return 1 - (target_wins - min(pad_wins, target_wins))


PATHWISE = Claim(
    name="pad.pathwise",
    kind="bound",
    statement="At 100 % recall, for every random seed PAD's output has at least the utility of the target's completion with that "
    "seed: some coupling of the two has $P(u_{\\mathrm{PAD}} \\ge u_{\\mathrm{target}}) = 1$",
    reference="PAD A.1",
    instances=_missing,
    assumes={RECALL: _recalled},
    lhs=_best_coupling,
    rhs=lambda utility: utility[0] * 0 + 1,
    relation=at_least,
    outside={RECALL: _MISSED},
    corrected_by=("pad.pathwise-corrected",),
    note="Under any coupling P(u_PAD < u_target) ≥ U(target) − U(PAD), with equality for the best one, so the statement is "
    "Lemma 1 over again and fails with it. “Does not decrease” holds for expectations, not for every completion.",
)


def _completions(target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array) -> Array:
    process = process_of(target, draft, step, utility, horizon)
    after = ahead_of(process, values(process))
    return np.stack([(output_law(pad(f), target, draft) * u).sum(-1) for f, u in zip(flags, after, strict=True)])


PATHWISE_CORRECTED = Claim(
    name="pad.pathwise-corrected",
    kind="bound",
    statement=r"With every token worth less than its replacement flagged, the target's expected utility of what PAD has "
    r"written does not fall in expectation: $E[U(s_{t+1}) \mid s_t] \ge U(s_t)$ at every context",
    reference="correction of PAD A.1, inductive step",
    instances=lambda draw: flagged(draw, relative_pivots),
    assumes={RELATIVE: _recalled_relative},
    lhs=_completions,
    rhs=lambda target, draft, step, utility, horizon: _target_values(target, draft, step, utility, horizon)[:-1],
    relation=at_least,
    tight=({**_MISSED, "flags": np.ones((1, 2, 2), dtype=bool)},),
    outside={RELATIVE: _MISSED},
    note="A submartingale in place of a promise for every seed; its end points give U(PAD) ≥ U(target), and then utilities that "
    "are binary can be coupled so that PAD's is never the lower one.",
)

CLAIMS = (
    UTILITY_PRESERVED,
    UTILITY_TIES,
    UTILITY_FRESH,
    UTILITY_GUARDED,
    UTILITY_TOLERANT,
    UTILITY_CORRECTED,
    UTILITY_SHARP,
    STRICT_RULE,
    PATHWISE,
    PATHWISE_CORRECTED,
    *SLACKS,
    *CHANGES,
)
