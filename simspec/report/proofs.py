"""The proofs as one self-contained HTML page beside the report: statement, steps, extremal instance, counterexample.

A pure function of the verdicts and the record of proofs; only proofs that count in these verdicts are shown.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from simspec.claims import PAPERS
from simspec.claims.deciding.in_coq import sentence, word
from simspec.claims.printed import counted
from simspec.files import write_text
from simspec.html import number
from simspec.html.formulas import mathml, to_html
from simspec.report.page import VERDICTS, checked_now, template
from simspec.report.values import instance

__all__ = ["READABLE", "given", "readable", "render_proofs", "with_steps", "write_proofs"]

READABLE = "proofs.json.xz"
"""Steps of the proofs on record, and MathML of their formulas: translating thousands takes longer than most claims."""
HOWS = {"proved": "proved", "derived": "derived", "part": "derived in part", "refuted": "refuted"}
"""How far a proof goes, in words."""


def given(entry: Mapping[str, Any]) -> list[str]:
    """What a proof is given beside laws, weights and numbers in their range: the names, each of a statement or a few.

    What is left out is what the declarations of these gave, as the check has marked it; a name leaves nothing out.

    >>> given({"for": {"p sums to one": [], "the texts are finite": []}, "declared": ["p sums to one"]})
    ['the texts are finite']
    """
    return [name for name in entry.get("for", {}) if name not in entry.get("declared", ())]


def render_proofs(verdicts: Mapping[str, Any], record: Mapping[str, Any], index: str = "index.html") -> str:
    """HTML of the proofs of a run.

    Parameters
    ----------
    verdicts : the content of ``verdicts.json``
    record : the content of ``proofs.json``, with the steps of each proof
    index : address of the report, for links back

    Examples
    --------
    >>> page = render_proofs({"claims": []}, {"versions": {}, "proofs": {}})
    >>> page[:15]
    '<!DOCTYPE html>'
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    counts = dict.fromkeys(HOWS, 0)
    claims = [claim for claim in verdicts["claims"] if claim.get("proof")]
    for claim in claims:
        groups.setdefault(claim["id"].split(".")[0], []).append(_claim(claim, record))
        counts[_how_far(claim)] += 1
    return template("proofs.html.j2").render(
        groups=[{"name": n, "title": PAPERS.get(n, n), "claims": c} for n, c in groups.items()],
        ids={c["id"] for members in groups.values() for c in members},
        count=counted(claims),
        counts=counts,
        hows=HOWS,
        versions=record["versions"],
        glyph={v: g for v, (g, _) in VERDICTS.items()},
        index=index,
        number=number,
    )


def write_proofs(verdicts: Mapping[str, Any], path: str | Path, index: str = "index.html") -> None:
    """Write the page of the proofs that are on record, under a temporary name first."""
    from simspec.claims.deciding.proved import record

    write_text(render_proofs(verdicts, with_steps(record()), index), Path(path))


@cache
def readable() -> dict[str, Any]:
    """What was written when the proofs were checked: {"proofs": {claim: [{"steps", "for"}]}, "formulas": {LaTeX: MathML}}."""
    file = resources.files("simspec.report").joinpath(READABLE)
    return json.loads(lzma.decompress(file.read_bytes())) if file.is_file() else {"proofs": {}, "formulas": {}}


def with_steps(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record of proofs with the steps of each, which are kept apart."""
    steps = readable()["proofs"]
    proofs = {
        name: [
            {**e, **step_fields} for e, step_fields in zip(entries, steps.get(name, [{}] * len(entries)), strict=False)
        ]
        for name, entries in record["proofs"].items()
    }
    return {**record, "proofs": proofs}


def _how_far(claim: Mapping[str, Any]) -> str:
    if claim["verdict"] == "refuted":
        return "refuted"
    shown = word(claim["proof"])
    return "part" if shown == "holds" else shown


def _claim(claim: Mapping[str, Any], record: Mapping[str, Any]) -> dict[str, Any]:
    from markupsafe import Markup

    tightness = claim.get("tightness") or {}
    tight = tightness.get("instance") if tightness.get("ratio") == 1 else None
    return {
        "id": claim["id"],
        "verdict": claim["verdict"],
        "how": _how_far(claim),
        "statement": Markup(to_html(claim["statement"])) if claim.get("statement") else None,
        "proofs": [p for e in claim["proof"] for p in _entries(claim["id"], e, record)],
        "tight": Markup(instance(tight)) if tight and claim["kind"] == "bound" else None,
        "corrected_by": claim.get("corrected_by") or [],
    }


def _entries(name: str, entry: Mapping[str, Any], record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What is shown of a proof that counts: its recorded steps, found by file and scope."""
    from markupsafe import Markup

    matching = [
        r for r in record["proofs"].get(name, []) if (r["file"], r["scope"]) == (entry.get("file"), entry.get("scope"))
    ]
    ready = readable()["formulas"]
    state = checked_now(entry) or "on record"

    def formula(latex: str) -> Markup:
        return Markup(ready.get(latex) or mathml(latex)) if latex else Markup("")

    return [
        {
            "scope": r["scope"],
            "whole": r["whole"],
            "kind": r["kind"],
            "seconds": entry.get("seconds"),
            "state": state,
            "coq": sentence(entry),
            "given": given(r),
            "cites": r.get("cites", []),
            "steps": [(text, how, formula(latex)) for text, how, latex in r.get("steps", [])],
            "sharp": r.get("sharp"),
            "instance": Markup(instance(r["instance"])) if "instance" in r else None,
            "repaired": r.get("repaired", []),
        }
        for r in matching
    ]
