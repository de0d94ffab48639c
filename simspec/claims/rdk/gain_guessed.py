"""`rdk.gain-guessed`: own statement."""

from __future__ import annotations

from simspec.claims.authoring import at_least, bound, law, matrix
from simspec.claims.rdk.moves import ALL, CERTAIN, EVEN, gain_over_tli, moving, received, surplus_only
from simspec.laws import restrict, tv

SURPLUS_GUESSED = "M moves only what the draft has beyond the guess"

GAIN_GUESSED = bound(
    name="rdk.gain-guessed",
    statement=r"No drafter knows $p$. With a guess $\hat p$ in its place in the condition, $\alpha(p, M^\top q') - "
    r"\alpha(p, q') \ge \sum_j \min\{(\hat p_j - q'_j)_+, \sum_{i \ne j} q'_i M_{ij}\} - 2\,\mathrm{TV}(p, \hat p)$: "
    r"RDK beats TLI whenever it would gain more than $2\,\mathrm{TV}(p, \hat p)$ if the guess were true",
    reference="own statement",
    instances=lambda draw: moving(draw, guessed=True),
    assumes={SURPLUS_GUESSED: lambda guess, q, shared, M: surplus_only(guess, restrict(q, shared), M)},
    lhs=gain_over_tli,
    rhs=lambda p, guess, q, shared, M: received(guess, restrict(q, shared), M) - 2 * tv(p, guess),
    relation=at_least,
    tight=(
        {
            **ALL,
            "p": law("1/2", "1/2"),
            "guess": law("1/4", "3/4"),
            "q": law("1/2", "1/2"),
            "M": matrix("1/2 1/2", "0 1"),
        },
        {**CERTAIN, "M": matrix("1/2 1/2", "0 1")},
    ),
    outside={SURPLUS_GUESSED: {**EVEN, "q": law("1/2", "1/2"), "M": matrix("0 1", "0 1")}},
    note="An acceptance rate changes by at most TV(p, p̂) when p̂ takes the place of p; used twice. The constant 2 is attained "
    "by a draft that is the target and a wrong guess.",
)
