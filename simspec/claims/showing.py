"""What a notebook shows of a claim, and of a row of evidence.

A claim that is recorded as refuted, or that is not recorded (one's own), is tried exactly when it is shown, as `simspec
verify --effort quick` tries it: so a counterexample is found afresh, never read from a record.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from simspec.claims import counterexample, registry
from simspec.claims.claim import Claim, Evidence, Instance, relation_word
from simspec.files import plain
from simspec.html import Html, entry, interval, number, table, tag
from simspec.html.formulas import to_html

__all__ = ["claim_html", "evidence_html", "evidence_row_html", "instance_html", "instance_text"]

GLYPHS = {
    "proved": "■",
    "derived": "□",
    "holds": "○",
    "refuted": "✕",
    "supported": "▲",
    "unsupported": "▽",
    "inconclusive": "◇",
}
TARGETS = ("must exceed", "must stay below")


def claim_html(claim: Claim) -> Html:
    """Statement, verdict, assumptions, the counterexample where there is one, and what is true in its place."""
    from simspec.claims.deciding.verify import expected

    recorded = expected()["verdicts"].get(claim.name)
    shows_instance = claim.finding is None and recorded in (None, "refuted")
    instance = counterexample(claim) if shows_instance else None
    verdict = recorded or ("refuted" if instance else "not recorded")
    lines = [
        tag("div", tag("b", claim.name), f"  {GLYPHS.get(verdict, '')} ", tag("b", verdict), f"  ({claim.kind})"),
        tag("div", _formulas(claim.statement)),
        tag("div", tag("i", claim.reference)),
    ]
    if claim.assumes:
        lines.append(tag("div", "wherever: ", "; ".join(claim.assumes)))
    if claim.finding is not None:
        lines.append(tag("div", "decided by: ", _formulas(claim.finding.criterion)))
    if instance is not None:
        lines += [tag("div", "Counterexample, exact:"), instance_html(instance), _sides(claim, instance)]
    elif recorded is None and shows_instance:
        lines.append(tag("div", "a quick search found no counterexample; simspec.verify searches longer"))
    if claim.note:
        lines.append(tag("div", _formulas(claim.note)))
    if claim.corrected_by:
        word = "sharpened by" if relation_word(recorded) == "sharpened by" else "true in its place"
        lines.append(tag("div", f"{word}: ", ", ".join(claim.corrected_by)))
    for name in claim.proof_steps:
        step = registry()[name]
        word = expected()["verdicts"].get(name)
        lines.append(tag("div", f"step of the printed proof, {word}: {name}: ", _formulas(step.statement)))
    return tag("div", *lines)


def _formulas(text: str) -> Html:
    """Text with its formulas as the report sets them; as it is written, where a formula of one's own cannot be set."""
    try:
        return Html(to_html(text))
    except ValueError:
        return tag("span", text)


def _sides(claim: Claim, instance: Instance) -> Html:
    """Both sides of the claim there, where each is one number."""
    sides = [plain(side) for side in claim.sides(instance)]
    if any(isinstance(side, list | dict) for side in sides):
        return Html("")
    lhs, right = map(_entry, sides)
    sign = {"equal": "=", "at_most": "≤", "at_least": "≥"}.get(getattr(claim.relation, "__name__", ""), "against")
    return tag("div", f"left side {lhs}; the statement requires {sign} {right}")


def instance_html(instance: Mapping[str, Any]) -> Html:
    """An instance: laws of one length share a table, so that the masses of a token stand in a column; the rest as text."""
    vectors: dict[int, list[list[str]]] = {}
    single = []
    nested = []
    for name, value in plain(dict(instance)).items():
        if not isinstance(value, list | dict):
            single.append(f"{name} = {_entry(value)}")
        elif value and not any(isinstance(x, list | dict) for x in value):
            vectors.setdefault(len(value), []).append([name, *map(_entry, value)])
        else:
            nested.append(tag("div", f"{name} = {json.dumps(value, ensure_ascii=False)}".replace('"', "")))
    tables = [table(["", *map(str, range(length))], rows) for length, rows in vectors.items()]
    return tag("div", *tables, *nested, *([tag("div", "; ".join(single))] if single else []))


def instance_text(instance: Mapping[str, Any]) -> str:
    """An instance in one line.

    >>> from simspec.claims.authoring import law
    >>> instance_text({"q": law("1/2", "1/2"), "k": 1})
    'q = [1/2, 1/2], k = 1'
    """
    values = plain(dict(instance)).items()
    return ", ".join(f"{name} = {json.dumps(value, ensure_ascii=False)}".replace('"', "") for name, value in values)


def _entry(value: object) -> str:
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else entry(value)


def evidence_row_html(row: Evidence) -> Html:
    """One row of evidence."""
    return evidence_html([row])


def evidence_html(rows: Sequence[Evidence]) -> Html:
    """Rows of evidence on one scale: estimate, interval, and the value that decides."""
    ends = [v for row in rows for v in (row.estimate, *(row.interval or ()), *_targets(row).values())]
    span = (min(ends), max(ends))
    lines = []
    for row in rows:
        low, high = row.interval or (row.estimate, row.estimate)
        target = next(iter(_targets(row).values()), None)
        interval_text = f"[{number(low)}, {number(high)}]" if row.interval else "–"
        level = f"{number(100 * row.level)} %" if row.level is not None else "–"
        beside = "; ".join(f"{name} {number(value)}" for name, value in (row.control or {}).items())
        drawing = interval(row.estimate, low, high, span, target)
        lines.append(
            [row.data, row.model or "–", f"{row.n:,}", number(row.estimate), interval_text, level, drawing, beside]
        )
    return table(["data", "model", "n", "estimate", "interval", "level", "", "beside it"], lines)


def _targets(row: Evidence) -> dict[str, float]:
    return {name: value for name, value in (row.control or {}).items() if name in TARGETS}
