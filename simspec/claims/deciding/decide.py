"""From trials and proofs to a verdict: pure functions, no input or output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simspec.claims.claim import Claim, Evidence, Verdict
from simspec.claims.deciding.evidence import NOT_COMPARABLE, about_paper, judge
from simspec.claims.deciding.in_coq import word
from simspec.claims.deciding.search import Trials
from simspec.claims.printed import origin

__all__ = ["decide", "why_open"]


def decide(claim: Claim, evidence: Trials | Sequence[Evidence], proof_record: Sequence[dict[str, Any]] = ()) -> Verdict:
    """Verdict of a claim.

    Parameters
    ----------
    claim : Claim
    evidence : Trials, or for an empirical claim the list of its evidence
    proof_record : the valid entries of the proof record, each with Coq's answer about it

    Returns
    -------
    str
        "refuted" when an exact counterexample is attached, else "proved" with a proof of the whole statement that Coq
        accepts, else "derived" with one that the package's own rules accept, else "holds"; "error" when a floating-point
        violation could not be confirmed, when a slack on exact numbers holds a float, when nothing was tried, or when an
        assumption listed as needed is not; for empirical claims what the finding decides, but "inconclusive" for a
        statement that others print where that rests on families made up here: these are evidence about themselves.
    """
    if not isinstance(evidence, Trials):
        if claim.finding is None:
            raise ValueError(f"{claim.name}: evidence was given, but the claim has no finding to decide it")
        decide_rows = claim.finding.decide
        return decide_rows(evidence) if origin(claim) == "own" else about_paper(decide_rows, evidence)
    if evidence.counterexample is not None:
        return "refuted"
    if evidence.unconfirmed or evidence.not_needed:
        return "error"
    if all(check is None for check in (evidence.exact, evidence.synthetic, evidence.real)):
        return "error"
    return word(proof_record)


def why_open(claim: Claim, evidence: Sequence[Evidence]) -> str | None:
    """Why a measured claim is inconclusive, where its intervals are not the reason; None where they are, or it is decided.

    Parameters
    ----------
    claim : Claim with a finding
    evidence : its evidence
    """
    if claim.finding is None or decide(claim, evidence) != "inconclusive":
        return None
    reasons = [row.data.removeprefix(NOT_COMPARABLE) for row in evidence if row.data.startswith(NOT_COMPARABLE)]
    if reasons and not any(judge(row) for row in evidence):
        return f"{NOT_COMPARABLE}{reasons[0].split(': ')[0]}"
    of_all_rows = claim.finding.decide(evidence)
    if of_all_rows != "inconclusive":
        return f"{of_all_rows} by families made up here, which are evidence about themselves and not about the paper"
    return None
