"""`rdk.long-tail` and `rdk.frequent-quarter`, decided on the token counts of corpora: RDK, 3, 6.1 and Figure 1."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from simspec.claims.claim import Verdict
from simspec.claims.deciding.evidence import BESIDE, all_of, line, measured
from simspec.claims.measured import LEVEL, Data, Evidence, Found, Results, Study, empirical, figure, shared, student
from simspec.claims.rdk.parts import banks, described_banks, model_of
from simspec.studies.rdk.token_counts import SHARES, token_counts


@shared
def _counts(data: Data) -> Study:
    return token_counts(banks(data), described_banks(data))


def _tail(results: Results, held_out: str, limit: float, uniform: float) -> Found:
    """Evidence that a length of the tail stays below `limit`; two readings that enclose the corpus's own figure."""
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
        model = f"corpus of {model_of(result.cell['data'])}"
        yield measured(label, model, int(v["occurrences"][0]), interval, control, below=below)


def _bracket(evidence: Sequence[Evidence]) -> Verdict:
    """Supported by the pessimistic figure, unsupported only when the optimistic one fails too."""
    deciding = [e for e in evidence if not e.data.startswith(BESIDE)]
    if all_of(deciding) == "unsupported":
        control = deciding[0].control or {}
        fails = control["ranked by its own counts"] >= control["must stay below"]
        return "unsupported" if fails else "inconclusive"
    return all_of(deciding)


def _tail_plot(results: Results) -> dict[str, Any]:
    series = []
    for result in results:
        intervals = [student(column, LEVEL, 0, 1) for column in result.values["curve"].T]
        series.append(line(model_of(result.cell["data"]), (100 * share for share in SHARES), intervals))
    return figure(
        "Occurrences carried by the most frequent tokens",
        "share of the vocabulary, %",
        "share of the occurrences",
        series,
        x_log=True,
    )


_BOTH_WAYS = (
    "Token counts of the bank's statistics text. Ranking tokens by the counts that are summed is optimistic, ranking "
    "each document fold by the other folds is pessimistic (no ranking beats the true one, and a noisy one falls "
    "short): the corpus's own figure lies between. "
)

LONG_TAIL = empirical(
    name="rdk.long-tail",
    statement="at most a quarter of the vocabulary carries 95 % of the occurrences (12.6 % in the paper)",
    reference="RDK, 6.1 and Figure 1",
    note="The same statement as rdk.frequent-quarter, read along the other axis. V counts tokens that never occur, "
    "which helps it. Some ten thousand occurrences cannot rank the tail of a large vocabulary; the paper counts 100 "
    "million.",
    study=_counts,
    estimate=partial(_tail, held_out="carrying", limit=0.25, uniform=0.95),
    decide=_bracket,
    criterion=_BOTH_WAYS + "Supported when the share of the vocabulary that carries 95 % of a fold's occurrences, "
    "ranked by the other folds, is below 25 % (95 % t-interval over folds); unsupported when that interval lies "
    "above 25 % and the share ranked by its own counts does too; inconclusive otherwise.",
    plot=_tail_plot,
)

QUARTER = empirical(
    name="rdk.frequent-quarter",
    statement="75 % of the vocabulary accounts for less than 5 % of the occurrences",
    reference="RDK, 3",
    note="The same statement as rdk.long-tail, read along the other axis.",
    study=_counts,
    estimate=partial(_tail, held_out="tail", limit=0.05, uniform=0.75),
    decide=_bracket,
    criterion=_BOTH_WAYS + "Supported when the share of a fold's occurrences on the 75 % of the vocabulary that "
    "the other folds rank last is below 5 % (95 % t-interval over folds); unsupported when that interval lies "
    "above 5 % and the share ranked by its own counts does too; inconclusive otherwise.",
    plot=_tail_plot,
)
