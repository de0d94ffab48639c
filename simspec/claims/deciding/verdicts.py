"""What `simspec.verify` returns: the content of ``verdicts.json``, which is also a table for people and for pandas."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from simspec.claims.printed import counted
from simspec.html.results import Tabular

if TYPE_CHECKING:
    import pandas

__all__ = ["Verdicts", "worst_slack"]


class Verdicts(Tabular, dict[str, Any]):
    """A dictionary, as it is written to ``verdicts.json``, with a table and CSV of its claims.

    >>> from simspec import verify
    >>> found = verify("sd.block-length", "sd.block-length-corrected", effort="quick")
    >>> [claim["id"] for claim in found["claims"]], len(found.frame())
    (['sd.block-length', 'sd.block-length-corrected'], 2)
    """

    def __repr__(self) -> str:
        counts = Counter(claim["verdict"] for claim in self["claims"])
        counts_text = ", ".join(f"{n} {verdict}" for verdict, n in counts.items())
        return f"Verdicts({counted(self['claims'])}: {counts_text}; effort {self['effort']}, seed {self['seed']})"

    def frame(self) -> pandas.DataFrame:
        """A row for each claim, and of a measured one a row for each of its estimates.

        Returns
        -------
        DataFrame
            id, kind, source, verdict, seconds; data, model, n, estimate, low, high, level of the evidence (missing
            where nothing was measured); worst slack, counterexample, corrected_by, message, statement.

        Raises
        ------
        ValueError
            where pandas is missing, with the command that brings it.
        """
        return super().frame()

    def records(self) -> list[dict[str, Any]]:
        """The rows of `frame()`."""
        return [row for claim in self["claims"] for row in _rows(claim)]


def worst_slack(claim: dict[str, Any]) -> float | None:
    """The smallest slack that a claim of ``verdicts.json`` had in floats; None where it was not tried in them."""
    return min(claim["slacks"]) if claim.get("slacks") else None


def _rows(claim: dict[str, Any]) -> list[dict[str, Any]]:
    about = {name: claim[name] for name in ("id", "kind", "source", "verdict", "seconds")}
    rest = {"worst_slack": worst_slack(claim), "counterexample": claim["counterexample"]}
    rest |= {"corrected_by": ", ".join(claim["corrected_by"] or ()) or None}
    rest |= {name: claim.get(name) for name in ("message", "statement")}
    rows = []
    evidence: list[dict[str, Any]] = claim["evidence"] or [{}]
    for evidence_row in evidence:
        low, high = evidence_row.get("interval") or (None, None)
        measured = {name: evidence_row.get(name) for name in ("data", "model", "n", "estimate")}
        rows.append({**about, **measured, "low": low, "high": high, "level": evidence_row.get("level"), **rest})
    return rows
