"""The covariance of token probabilities is dominated by one component that is aligned with the target.

`rdk.rank-one`: RDK, 4, before Eq. 3.
"""

from __future__ import annotations

from simspec.claims.claim import Printed
from simspec.claims.measured import Found, Result, Results, empirical, level_of, measured, rows_for, student
from simspec.claims.rdk.parts import OF_ANSWERS, banks, described_banks, model_of
from simspec.studies.rdk.affinity import KINDS, rank_one


def _aligned(results: Results) -> Found:
    """Yield the share of the first eigenvalue and its vector's cosine with the mean law, for each covariance."""
    level = level_of(2 * len(KINDS) * sum(r.cell.get("bank") in (None, "main") for r in results))
    for result in results:
        bank = result.cell.get("bank")
        kinds = KINDS if bank is None else (*KINDS, "centred_logits")
        for kind in kinds:
            for quantity, value in (("share", 0.5), ("cosine", 0.9)):
                values = result.values[f"{kind} {quantity}"]
                decides = bank in (None, "main") and kind in KINDS
                # a random direction has a |cosine| of about V^(-1/2) with any fixed one
                control = (
                    {"an arbitrary direction": result.cell["vocab"] ** -0.5}
                    if quantity == "cosine" and bank is None
                    else {}
                )
                if bank is not None:
                    control = {"all folds together": float(result.values[f"{kind} {quantity} all"][0])}
                name = "share of the first eigenvalue" if quantity == "share" else "its |cosine| with the mean law"
                label = f"{_source(result)}: {kind.replace('_', ' ')}, {name}"
                interval = student(values, level, 0, 1)
                model = model_of(result.cell["data"]) if bank is not None else _source(result)
                exceed = value if decides else None
                is_made_up = decides and bank is None
                yield measured(label, model, len(values), interval, control, exceed=exceed, made_up=is_made_up)


def _source(result: Result) -> str:
    cell = result.cell
    if "bank" in cell:
        return str(cell["data"])
    family = f"Student-t (df {cell['df']})" if cell["df"] else "Gaussian"
    return f"synthetic {family} logits, Zipf means, V = {cell['vocab']}"


RANK_ONE = empirical(
    name="rdk.rank-one",
    statement=r"$\Omega$ is dominated by one component aligned with the target: $\lambda_1/\sum\lambda \ge \frac12$ "
    r"and $|\cos(v_1, \bar p)| \ge 0.9$, for each of the three $\Omega$, on synthetic and on real logits",
    reference="RDK, 4, before Eq. 3",
    note="The mean law says which tokens are likely, the first component which vary together: two different "
    "questions. Raw logits carry an arbitrary constant for each context, which moves all tokens alike; centred "
    "logits, which do not, stand beside. Folds have fewer contexts than the whole, which raises their shares.",
    study=lambda data: rank_one(banks(data), described_banks(data), rows_for(data, 5, 10, 40)),
    estimate=_aligned,
    criterion="Share of the first eigenvalue and |cosine| of its eigenvector with the mean law, for the "
    "covariance of probabilities, logits and one-hot tokens, in each document fold of the bank's statistics and "
    "in synthetic replications (Gaussian and Student-t, Zipf means). Supported when every mean share exceeds 0.5 "
    "and every mean cosine exceeds 0.9, by t-intervals over folds or replications that hold together at 95 %; "
    "unsupported when one interval lies at or below its value. Synthetic laws are made up here: where they alone would decide, "
    "inconclusive. " + OF_ANSWERS,
    printed=Printed(
        place="RDK B.2, before Eq. 5",
        text="the covariance matrix is often dominated by a single principal component that aligns closely "
        "with the target distribution",
        read="Dominated: half of the trace; closely: a cosine of at least 0.9. For three readings of what the "
        "covariance is of.",
    ),
)
