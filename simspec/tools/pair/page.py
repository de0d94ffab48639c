"""One page of a pair: figures, tables, the advice, the verdicts, and answers with the acceptance of each token.

A pure function of what the parts have written.  Names, texts and tokens are of anyone's making: all are escaped, and
characters that are not seen, or turn the direction of writing, are shown by their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simspec.claims.printed import counted
from simspec.html import Html, number
from simspec.html.escaping import visible
from simspec.report.plots import chart
from simspec.tools.pair.acceptance import ALL, SETTINGS

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["MOST_ANSWERS", "between", "figures", "render"]

MOST_ANSWERS = 12
"""Answers that are shown token by token."""


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    folders = [Path(__file__).parent, Path(__file__).parents[2] / "report"]
    environment = Environment(
        loader=FileSystemLoader(folders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("pair.html.j2")


def figures(parts: Mapping[str, Any]) -> list[Html]:
    """Acceptance by temperature and kind, and tokens of a step by number of draft tokens beside their limits."""
    rows = [row for row in parts["acceptance"]["rows"] if row["top_p"] == 1]
    series = []
    for kind in dict.fromkeys(row["kind"] for row in rows):
        kind_rows = [row for row in rows if row["kind"] == kind]
        bounds = [row["acceptance"] for row in kind_rows]
        series.append(_series(visible(kind), [row["temperature"] for row in kind_rows], bounds))
    plots = [
        {"title": "Acceptance by temperature", "x_label": "temperature", "y_label": "acceptance", "series": series}
    ]
    last = max(temperature for temperature, mass in SETTINGS if mass == 1)
    along = [
        row for row in parts["lengths"]["rows"] if (row["temperature"], row["top_p"], row["kind"]) == (last, 1, ALL)
    ]
    gammas = [row["gamma"] for row in along]
    lines = [
        _series("along the text", gammas, [row["tokens"] for row in along]),
        {"name": "independent steps", "x": gammas, "y": [row["independent"] for row in along]},
        {"name": "lasting laws", "x": gammas, "y": [row["lasting"] for row in along]},
    ]
    title = f"Tokens a target step at temperature {last:g}"
    plots.append({"title": title, "x_label": "draft tokens", "y_label": "tokens a step", "series": lines})
    settings = parts["speed"]["settings"]
    if settings:
        temperatures = [f"{row['temperature']:g}" for row in settings]
        speeds = [
            _series("predicted here", temperatures, [row["machine"]["speedup"] for row in settings]),
            _series("predicted on an engine, counted", temperatures, [row["engine"]["speedup"] for row in settings]),
        ]
        if all(row["run"] for row in settings):
            bounds = [row["run"]["speedup"]["measured"] for row in settings]
            speeds.append(_series("measured here", temperatures, bounds))
        plots.append(
            {"title": "Speed against the target alone", "x_label": "temperature", "y_label": "speed", "series": speeds}
        )
    return [Html(chart({"x_log": False, **plot})) for plot in plots]


def _series(name: str, x: Sequence[Any], bounds: Sequence[Sequence[float | None]]) -> dict[str, Any]:
    """A line with its intervals, where there are any."""
    line = {"name": name, "x": list(x), "y": [bound[0] for bound in bounds]}
    if all(None not in bound for bound in bounds):
        line |= {"low": [bound[1] for bound in bounds], "high": [bound[2] for bound in bounds]}
    return line


def between(bounds: Sequence[float | None] | None, digits: int = 3) -> str:
    """An estimate with its interval.

    >>> between([0.5, 0.25, 0.75]), between([0.5, None, None])
    ('0.5 (0.25 to 0.75)', '0.5')
    """
    if bounds is None or bounds[0] is None:
        return "–"
    if bounds[1] is None or bounds[2] is None:
        return number(bounds[0], digits)
    return f"{number(bounds[0], digits)} ({number(bounds[1], digits)} to {number(bounds[2], digits)})"


def render(parts: Mapping[str, Any], facts: Mapping[str, Any], answers: Sequence[Mapping[str, Any]]) -> str:
    """The page as HTML.

    Parameters
    ----------
    parts : what the parts `acceptance`, `lengths`, `speed`, `rules` and `verdicts` have written
    facts : words about the pair, by name: models, prompts, bank
    answers : ``kind``, ``prompt`` and ``tokens``, pairs of a token's text and the acceptance of a draft in its place
    """
    marked_answers = [
        {
            "kind": visible(answer["kind"]),
            "prompt": visible(answer["prompt"]),
            "tokens": [
                (visible(text), round(10 * float(mass)), number(float(mass), 2)) for text, mass in answer["tokens"]
            ],
        }
        for answer in answers[:MOST_ANSWERS]
    ]
    costs = parts["speed"]["costs"]
    speed = {
        **parts["speed"],
        "sentence": visible(parts["speed"]["sentence"]),
        "costs": {**costs, "words": visible(costs["words"])},
    }
    return _template().render(
        facts={visible(str(name)): visible(str(value)) for name, value in facts.items()},
        figures=figures(parts),
        acceptance=[{**row, "kind": visible(row["kind"])} for row in parts["acceptance"]["rows"]],
        speed=speed,
        rules=_compared_rules(parts["rules"]),
        claims=[
            {
                "id": visible(claim["id"]),
                "verdict": claim["verdict"],
                "kind": claim["kind"],
                "evidence": [_evidence(entry) for entry in claim.get("evidence") or []],
                "message": visible(claim.get("message") or ""),
            }
            for claim in parts["verdicts"]["claims"]
        ],
        counted=counted(parts["verdicts"]["claims"]),
        counts=Counter(claim["verdict"] for claim in parts["verdicts"]["claims"]),
        answers=marked_answers,
        between=between,
        number=number,
    )


def _compared_rules(part: Mapping[str, Any]) -> dict[str, Any]:
    """Rows by rule: acceptance at each temperature, and the last row with its run; nothing for one tokenizer."""
    by_rule: dict[str, list[Mapping[str, Any]]] = {}
    for row in part["rows"]:
        by_rule.setdefault(row["rule"], []).append(row)
    rows = [
        {
            "name": visible(name),
            "acceptance": [None if row["missing"] else row["acceptance"] for row in own],
            "missing": visible(own[-1]["missing"] or ""),
            "last": own[-1],
        }
        for name, own in by_rule.items()
    ]
    temperatures = list(dict.fromkeys(row["temperature"] for row in part["rows"]))
    return {"rows": rows, "temperatures": temperatures, "tokens": part["tokens"]}


def _evidence(entry: Mapping[str, Any]) -> str:
    """Data, estimate and interval of an entry in words."""
    span = entry.get("interval") or [None, None]
    words = between([entry.get("estimate"), *span]) if entry.get("estimate") is not None else "–"
    return visible(f"{entry.get('data') or '?'}: {words}")
