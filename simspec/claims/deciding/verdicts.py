"""What `simspec.verify` returns: the content of ``verdicts.json``, which is also a table for people and for pandas."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from simspec.checks import needs
from simspec.html import Html, interval, number, table, tag
from simspec.html.results import Tabular

if TYPE_CHECKING:
    import pandas

    from simspec.engine.show.picture import Picture

__all__ = ["Verdicts"]

MOST = 60
"""Rows of a table that is shown."""
ZERO = 1e-9
"""Slacks smaller than this are rounding."""


class Verdicts(Tabular, dict[str, Any]):
    """A dictionary, as it is written to ``verdicts.json``, with a table, CSV and a picture of its claims.

    >>> from simspec import verify
    >>> found = verify("sd.block-length", "sd.block-length-corrected", effort="quick")
    >>> [claim["id"] for claim in found["claims"]], len(found.frame())
    (['sd.block-length', 'sd.block-length-corrected'], 2)
    """

    def __repr__(self) -> str:
        counts = Counter(claim["verdict"] for claim in self["claims"])
        counts_text = ", ".join(f"{n} {verdict}" for verdict, n in counts.items())
        return f"Verdicts({len(self['claims'])} claims: {counts_text}; effort {self['effort']}, seed {self['seed']})"

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

    def plot(self) -> Picture:
        """Estimates with their intervals, and the smallest slack that was met of the other claims; a notebook shows it.

        Raises ValueError where no claim has either.
        """
        from simspec.engine.show.picture import Picture

        return Picture(_figure(self["claims"]), "verdicts")

    def _repr_html_(self) -> str:
        claims = self["claims"]
        lines = [
            [claim["id"], claim["verdict"], claim["kind"], claim["source"], *_told(claim)] for claim in claims[:MOST]
        ]
        remaining_note = (
            [tag("div", f"{len(claims) - MOST:,} more claims: frame() has all")] if len(claims) > MOST else []
        )
        head = ["claim", "verdict", "kind", "source", "estimate or worst slack", "interval", ""]
        return tag("div", tag("div", repr(self)), table(head, lines), *remaining_note)


def _worst(claim: dict[str, Any]) -> float | None:
    return min(claim["slacks"]) if claim.get("slacks") else None


def _rows(claim: dict[str, Any]) -> list[dict[str, Any]]:
    about = {name: claim[name] for name in ("id", "kind", "source", "verdict", "seconds")}
    rest = {"worst_slack": _worst(claim), "counterexample": claim["counterexample"]}
    rest |= {"corrected_by": ", ".join(claim["corrected_by"] or ()) or None}
    rest |= {name: claim.get(name) for name in ("message", "statement")}
    rows = []
    evidence: list[dict[str, Any]] = claim["evidence"] or [{}]
    for evidence_row in evidence:
        low, high = evidence_row.get("interval") or (None, None)
        measured = {name: evidence_row.get(name) for name in ("data", "model", "n", "estimate")}
        rows.append({**about, **measured, "low": low, "high": high, "level": evidence_row.get("level"), **rest})
    return rows


def _told(claim: dict[str, Any]) -> list[Any]:
    """Estimate, interval and its drawing of a claim's first evidence; else the worst slack."""
    if not claim["evidence"]:
        return [number(_worst(claim)), "", Html("")]
    first_evidence = claim["evidence"][0]
    low, high = first_evidence["interval"] or (first_evidence["estimate"],) * 2
    span = min(low, 0.0), max(high, 0.0)
    interval_text = f"[{number(low)}, {number(high)}]" if first_evidence["interval"] else "–"
    return [number(first_evidence["estimate"]), interval_text, interval(first_evidence["estimate"], low, high, span)]


def _figure(claims: list[dict[str, Any]]) -> Any:
    """One line a row: intervals where something was measured, below them the smallest slacks, on a scale of their own."""
    (mpl,) = needs("drawing", "matplotlib.figure")
    from simspec.html import COLOURS

    measured: list[tuple[dict[str, Any], Any]] = [
        (c, e) for c in claims for e in (c["evidence"] or ()) if not e["data"].startswith("beside")
    ]
    slacks: list[tuple[dict[str, Any], Any]] = [
        (c, worst) for c in claims if not c["evidence"] and (worst := _worst(c)) is not None
    ]
    if not measured and not slacks:
        raise ValueError("claims: none was measured or tried in floats; expected one with evidence or slacks")
    parts = [panel for panel in (measured, slacks) if panel]
    high = 0.28 * (len(measured) + len(slacks)) + 1.2 * len(parts)
    drawn_figure = mpl.Figure(figsize=(8, high), layout="constrained", dpi=120)
    all_axes = drawn_figure.subplots(len(parts), 1, squeeze=False, height_ratios=[len(panel) + 1 for panel in parts])[
        :, 0
    ]
    for axes, panel in zip(all_axes, parts, strict=True):
        for at, (claim, value) in enumerate(panel):
            colour = COLOURS[("refuted", "unsupported", "error").count(claim["verdict"])]
            if panel is measured:
                low, top = value["interval"] or (value["estimate"],) * 2
                axes.plot([low, top], [at, at], color=colour, linewidth=2)
            axes.plot([value["estimate"] if panel is measured else value], [at], "o", color=colour, markersize=4)
        names = [f"{claim['id']}" + (f" ({value['data']})"[:32] if panel is measured else "") for claim, value in panel]
        axes.set_yticks(range(len(panel)), names, fontsize=7)
        axes.invert_yaxis()
        axes.axvline(0, color="0.6", linewidth=0.8)
        axes.spines[["top", "right"]].set_visible(False)
        if panel is slacks:
            axes.set_xscale("symlog", linthresh=ZERO)
            axes.set_xticks([sign * 10.0**power for sign in (-1, 1) for power in (-8, -4, 0)] + [0])
            axes.set_xlim(*(sign * max(10.0, *(10 * abs(worst) for _, worst in slacks)) for sign in (-1, 1)))
        axes.set_xlabel("estimate" if panel is measured else "smallest slack in floats (below zero: the claim fails)")
    return drawn_figure
