"""Artificial evidence for empirical claims: what a finding decides must follow from the intervals alone."""

from simspec.claims.claim import Evidence
from simspec.claims.deciding.evidence import judge


def shifted(evidence: list[Evidence], by: float, step: float = 0.01) -> list[Evidence]:
    """The same evidence with every deciding interval well inside (by = 1), outside (-1) or across (0) its limit."""
    out = []
    for e in evidence:
        if judge(e) is not None:
            control = e.control or {}
            limit, sign = (control["must exceed"], 1) if "must exceed" in control else (control["must stay below"], -1)
            middle = limit + sign * by * step
            e = e._replace(estimate=middle, interval=(middle - 0.005, middle + 0.005))
        out.append(e)
    return out
