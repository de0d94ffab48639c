"""What stands beside a verdict: the likely cause, the price, and how many calls known faults would have needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from simspec.audit.diagnosis.cause import Diagnosis, diagnose, unbiased
from simspec.audit.diagnosis.known_laws import as_array, calls_needed, hardest, known_facts
from simspec.audit.diagnosis.observations import Observation
from simspec.audit.diagnosis.price import Pace, price
from simspec.audit.drafting import Drafts
from simspec.audit.handing import Sparse
from simspec.audit.levels import is_tree
from simspec.audit.pairs import Pair
from simspec.audit.report import Report, Verdict

__all__ = ["explained"]


def explained(
    report: Report,
    pair: Pair,
    pace: Pace,
    observations: Sequence[Observation],
    frozen: bool = False,
    at_ends: str = "",
    drafts: Drafts | None = None,
) -> Report:
    """A report with its diagnosis, price and power.

    Parameters
    ----------
    pair, pace : how fast the sampler is, and on which laws
    observations : what the sampler emitted on several pairs, where there is a bias to explain
    frozen : bool; the bias is that other random numbers give the same tokens
    at_ends : str; what is wrong where uniforms are at the ends of [0, 1) only
    drafts : all drafts of the sampler on `pair`, where they are known: the repair gets the same
    """
    cause = diagnose(observations)
    same_law = cause.nearest if cause is not None and cause.fits else ""
    if frozen:
        cause = _plain(
            "uniforms", "frozen_seed", "two batches of calls with different random numbers emit the same tokens"
        )
    elif is_tree(pair.p) and observations and unbiased(observations):
        cause = _plain("bookkeeping", "", "the bias appears only if distributions depend on the drafted prefix")
    elif isinstance(pair.handed, Sparse) and observations and unbiased(_small(observations)):
        ids = ", ".join(map(str, pair.handed.ids))
        cause = _plain("bookkeeping", "", f"the bias does not appear in small vocabularies: it is at the ids {ids}")
    elif at_ends:
        cause = _plain("numerics", "closed_coin", at_ends)
    biased = report.verdict in (Verdict.BIASED, Verdict.LOSSY)
    if cause is not None and cause.fits and (law := known_facts(cause.nearest, pair)) is not None and observations:
        cause = cause._replace(needed=calls_needed(as_array(law.law, pair), pair, report.error or 1e-6))
    if frozen or at_ends:
        same_law = ""  # such a cause is not one of laws compared
    table = price(pair, pace, report.settings.cost, same_law if biased else None, drafts) if pair.gamma else None
    power = None
    if not biased and report.error:
        power = hardest([finding.pair for finding in report.tried], report.error)
    return replace(report, diagnosis=cause, price=table, power=power)


def _small(observations: Sequence[Observation]) -> list[Observation]:
    """Those on rows of few tokens."""
    return [observation for observation in observations if observation.pair.handed is None]


def _plain(wrong_part: str, name: str, line: str) -> Diagnosis:
    """A cause that shows without a comparison of laws."""
    from simspec.audit.zoo import MEMBERS

    nearest = name if name in MEMBERS else ""
    return Diagnosis(wrong_part, nearest, bool(nearest), 0.0, (line,))
