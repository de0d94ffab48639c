"""A recorded proof as a notebook shows it: what is given, and each step with its formula and the rule it follows by."""

from __future__ import annotations

from simspec.claims import registry
from simspec.claims.deciding.in_coq import answered, sentence
from simspec.claims.deciding.proved import record
from simspec.html import Html, Shown, tag
from simspec.html.formulas import mathml
from simspec.report.proofs import readable, with_steps

__all__ = ["show_proof"]


def show_proof(name: str) -> Shown:
    """The proofs of a claim that are on record, step by step.

    Parameters
    ----------
    name : str; the id of a claim

    Raises ValueError for an unknown id, or a claim without a recorded proof.

    >>> print(str(show_proof("sd.inverse-proportional-corrected")).splitlines()[0])
    sd.inverse-proportional-corrected: every vocabulary size, all laws and parameters of the claim
    """
    if name not in registry():
        raise ValueError(f"name: {name!r} is no claim; see `simspec claims`")
    proofs = with_steps(record())["proofs"].get(name, [])
    if not proofs:
        raise ValueError(f"name: {name} has no recorded proof; expected one with steps (docs/proofs lists them)")
    ready = readable()["formulas"]
    text = []
    page = []
    for proof in proofs:
        text.append(f"{name}: {proof['scope']}")
        page.append(tag("div", tag("b", name), f": {proof['scope']}"))
        said = f"{sentence(answered(name, proof))}."
        text.append(said)
        page.append(tag("div", said))
        steps = []
        for count, (words, rule, latex) in enumerate(proof.get("steps", []), start=1):
            text.append(f"{count}. {words}: {latex} ({rule})")
            formula = Html(ready.get(latex) or mathml(latex)) if latex else Html("")
            steps.append(tag("li", f"{words}: ", formula, tag("span", f"  ({rule})", style="opacity:0.7")))
        page.append(tag("ol", *steps))
    return Shown("\n".join(text), tag("div", *page))
