"""Empirical claims about real logits, probabilities, covariances and token counts (RDK §3, §6.1, C.1 to C.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from simspec.claims.claim import Claim, Evidence, Finding, Verdict
from simspec.claims.data import Data
from simspec.claims.empirical import BESIDE, all_of, line, measured, rows_for
from simspec.studies.affinity import KINDS, TEMPERATURES, rank_one, sparsity
from simspec.studies.intervals import bonferroni, student
from simspec.studies.study import Result, Study, remembered
from simspec.studies.token_counts import SHARES, token_counts

if TYPE_CHECKING:
    from simspec.logits.bank import Bank

__all__ = ["CLAIMS"]

LEVEL = 0.95


def _banks(data: Data) -> dict[str, Bank]:
    """The bank that decides, and the second shipped one that stands beside it."""
    return {"main": data.main} | ({"stories": data.stories} if data.shipped else {})


def _described(data: Data) -> dict[str, str]:
    return {name: data.describe_statistics(bank) for name, bank in _banks(data).items()}


def _model(data: str) -> str:
    return data.split(":")[0]


# --- covariance -------------------------------------------------------------------------------------------------------


def _sparse(results: Sequence[Result]) -> list[Evidence]:
    level = bonferroni(LEVEL, len(results) * len(TEMPERATURES))
    evidence = []
    for result in results:
        for share in TEMPERATURES:
            values = result.values[f"{share:g}"]
            label = f"{result.cell['data']}: covariance of {result.cell['kind']}, temperature {share:g} of its largest entry"
            control = {"uniform rows": 0.0, "identity": 1 - 1 / result.cell["vocab"]}
            interval = student(values, level, 0, 1)
            evidence.append(measured(label, _model(result.cell["data"]), len(values), interval, control, exceed=0.9))
    return evidence


def _sparse_plot(results: Sequence[Result]) -> dict[str, Any]:
    return {
        "title": "Entries of the affinity below 1/(10 V)",
        "x_label": "temperature, share of the largest entry of the covariance",
        "y_label": "share of entries",
        "x_log": True,
        "series": [
            {
                "name": r.cell["kind"],
                "x": list(TEMPERATURES),
                "y": [float(r.values[f"{t:g}"].mean()) for t in TEMPERATURES],
            }
            for r in results
        ],
    }


SPARSITY = Claim(
    name="rdk.affinity-sparsity",
    kind="empirical",
    statement=r"the vast majority of the entries of $M$ are near zero: the share below $1/(10V)$ exceeds 0.9, for "
    r"each $\tau$ and each of the three $\Omega$",
    reference="RDK, Appendix C.3 and Figure 11",
    note="Sparsity is a property of the temperature: rows go from uniform (no entry near zero) to one-hot as it "
    "falls. Most tokens vary far less than the one that varies most, so their rows stay nearly uniform at "
    "temperatures that sharpen its row.",
    sources=(),
    finding=Finding(
        study=lambda data: sparsity(data.main, data.describe_statistics(data.main), rows_for(data, 64, 256, 4096)),
        estimate=_sparse,
        decide=all_of,
        criterion="M from Eq. 2 on the bank's covariance factors; rows of M drawn at random. Supported when the mean "
        "share of entries below 1/(10 V) exceeds 0.9 for the covariance of probabilities, logits and tokens at "
        "temperatures of 1, 0.1, ..., 0.00001 of its largest entry, by t-intervals over rows that hold together at 95 "
        "%; unsupported when one interval lies at or below 0.9.",
        plot=_sparse_plot,
    ),
)


def _aligned(results: Sequence[Result]) -> list[Evidence]:
    level = bonferroni(LEVEL, 2 * len(KINDS) * sum(r.cell.get("bank") in (None, "main") for r in results))
    evidence = []
    for result in results:
        bank = result.cell.get("bank")
        kinds = KINDS if bank is None else (*KINDS, "centred_logits")
        for kind in kinds:
            for what, value in (("share", 0.5), ("cosine", 0.9)):
                found = result.values[f"{kind} {what}"]
                decides = bank in (None, "main") and kind in KINDS
                control = (
                    {"an arbitrary direction": result.cell["vocab"] ** -0.5}
                    if what == "cosine" and bank is None
                    else {}
                )
                if bank is not None:
                    control = {"all folds together": float(result.values[f"{kind} {what} all"][0])}
                name = "share of the first eigenvalue" if what == "share" else "its |cosine| with the mean law"
                label = f"{_source(result)}: {kind.replace('_', ' ')}, {name}"
                interval = student(found, level, 0, 1)
                model = _model(result.cell["data"]) if bank is not None else _source(result)
                exceed = value if decides else None
                evidence.append(measured(label, model, len(found), interval, control, exceed=exceed))
    return evidence


def _source(result: Result) -> str:
    cell = result.cell
    if "bank" in cell:
        return str(cell["data"])
    family = f"Student-t (df {cell['df']})" if cell["df"] else "Gaussian"
    return f"synthetic {family} logits, Zipf means, V = {cell['vocab']}"


RANK_ONE = Claim(
    name="rdk.rank-one",
    kind="empirical",
    statement=r"$\Omega$ is dominated by one component aligned with the target: $\lambda_1/\sum\lambda \ge \frac12$ "
    r"and $|\cos(v_1, \bar p)| \ge 0.9$, for each of the three $\Omega$, on synthetic and on real logits",
    reference="RDK, §4, before Eq. 3",
    note="The mean law says which tokens are likely, the first component which vary together: two different "
    "questions. Raw logits carry an arbitrary constant for each context, which moves all tokens alike; centred "
    "logits, which do not, stand beside. Folds have fewer contexts than the whole, which raises their shares.",
    sources=(),
    finding=Finding(
        study=lambda data: rank_one(_banks(data), _described(data), rows_for(data, 10, 10, 40)),
        estimate=_aligned,
        decide=all_of,
        criterion="Share of the first eigenvalue and |cosine| of its eigenvector with the mean law, for the "
        "covariance of probabilities, logits and one-hot tokens, in each document fold of the bank's statistics and "
        "in synthetic replications (Gaussian and Student-t, Zipf means). Supported when every mean share exceeds 0.5 "
        "and every mean cosine exceeds 0.9, by t-intervals over folds or replications that hold together at 95 %; "
        "unsupported when one interval lies at or below its value.",
    ),
)


# --- token counts -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _counts(data: Data) -> Study:
    study = token_counts(_banks(data), _described(data))
    return replace(study, simulate=remembered(study.simulate))


def _tail(held_out: str, limit: float, uniform: float) -> Callable[[Sequence[Result]], list[Evidence]]:
    """Evidence that a length of the tail stays below `limit`; two readings that enclose the corpus's own figure."""

    def estimate(results: Sequence[Result]) -> list[Evidence]:
        evidence = []
        for result in results:
            v, beside = result.values, "" if result.cell["bank"] == "main" else BESIDE
            control = {
                "ranked by its own counts": float(v[f"pooled {held_out}"][0]),
                "mean target law": float(v[f"law {held_out}"][0]),
                "uniform law": uniform,
                "share of the vocabulary that occurs": float(v["seen"][0]),
                "occurrences": float(v["occurrences"][0]),
            }
            label = f"{beside}{result.cell['data']}: token counts, each fold ranked by the others"
            below = None if beside else limit
            interval = student(v[held_out], LEVEL, 0, 1)
            model = f"corpus of {_model(result.cell['data'])}"
            evidence.append(measured(label, model, int(v["occurrences"][0]), interval, control, below=below))
        return evidence

    return estimate


def _bracket(evidence: Sequence[Evidence]) -> Verdict:
    """Supported by the pessimistic figure, unsupported only when the optimistic one fails too."""
    deciding = [e for e in evidence if not e.data.startswith(BESIDE)]
    if all_of(deciding) == "unsupported":
        control = deciding[0].control or {}
        fails = control["ranked by its own counts"] >= control["must stay below"]
        return "unsupported" if fails else "inconclusive"
    return all_of(deciding)


def _tail_plot(results: Sequence[Result]) -> dict[str, Any]:
    series = []
    for result in results:
        intervals = [student(column, LEVEL, 0, 1) for column in result.values["curve"].T]
        series.append(line(_model(result.cell["data"]), (100 * share for share in SHARES), intervals))
    return {
        "title": "Occurrences carried by the most frequent tokens",
        "x_label": "share of the vocabulary, %",
        "y_label": "share of the occurrences",
        "x_log": True,
        "series": series,
    }


_BOTH_WAYS = (
    "Token counts of the bank's statistics text. Ranking tokens by the counts that are summed is optimistic, ranking "
    "each document fold by the other folds is pessimistic (no ranking beats the true one, and a noisy one falls "
    "short): the corpus's own figure lies between. "
)

LONG_TAIL = Claim(
    name="rdk.long-tail",
    kind="empirical",
    statement="at most a quarter of the vocabulary carries 95 % of the occurrences (12.6 % in the paper)",
    reference="RDK, §6.1 and Figure 1",
    note="The same statement as rdk.frequent-quarter, read along the other axis. V counts tokens that never occur, "
    "which helps it. Some ten thousand occurrences cannot rank the tail of a large vocabulary; the paper counts 100 "
    "million.",
    sources=(),
    finding=Finding(
        study=_counts,
        estimate=_tail("carrying", 0.25, 0.95),
        decide=_bracket,
        criterion=_BOTH_WAYS + "Supported when the share of the vocabulary that carries 95 % of a fold's occurrences, "
        "ranked by the other folds, is below 25 % (95 % t-interval over folds); unsupported when that interval lies "
        "above 25 % and the share ranked by its own counts does too; inconclusive otherwise.",
        plot=_tail_plot,
    ),
)

QUARTER = Claim(
    name="rdk.frequent-quarter",
    kind="empirical",
    statement="75 % of the vocabulary accounts for less than 5 % of the occurrences",
    reference="RDK, §3",
    note="The same statement as rdk.long-tail, read along the other axis.",
    sources=(),
    finding=Finding(
        study=_counts,
        estimate=_tail("tail", 0.05, 0.75),
        decide=_bracket,
        criterion=_BOTH_WAYS + "Supported when the share of a fold's occurrences on the 75 % of the vocabulary that "
        "the other folds rank last is below 5 % (95 % t-interval over folds); unsupported when that interval lies "
        "above 5 % and the share ranked by its own counts does too; inconclusive otherwise.",
        plot=_tail_plot,
    ),
)

CLAIMS = (SPARSITY, RANK_ONE, LONG_TAIL, QUARTER)
