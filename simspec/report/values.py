"""Instances laid out for reading: scalars, vectors aligned by token, matrices as grids.

Takes the plain lists of ``verdicts.json`` (fractions as "a/b") and returns HTML.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from html import escape
from typing import Any

from simspec.html import number

__all__ = ["instance", "value"]

SHOWN = 16
"""Rows and columns shown of a vector or a matrix; what is left out is counted."""

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eps": "ε", "eta": "η", "lam": "λ", "mu": "μ",
    "omega": "Ω", "sigma": "σ", "tau": "τ", "zeta": "ζ",
}  # fmt: skip


def value(v: object) -> str:
    """One entry: a fraction set as a fraction, with its decimal value as a hint.

    >>> value("3/4")
    '<math title="0.75"><mfrac><mn>3</mn><mn>4</mn></mfrac></math>'
    >>> value(True), value(None), value(-2)
    ('true', 'none', '−2')
    """
    if v is None:
        return "none"
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, (int, float)):
        return number(v)
    text = str(v)
    if re.fullmatch(r"-?\d+/\d+", text):
        sign = "<mo>−</mo>" if text.startswith("-") else ""
        top, bottom = text.lstrip("-").split("/")
        fraction = f"<mfrac><mn>{top}</mn><mn>{bottom}</mn></mfrac>"
        decimal = number(float(Fraction(text)))
        return f'<math title="{decimal}">{f"<mrow>{sign}{fraction}</mrow>" if sign else fraction}</math>'
    return text.replace("-", "−") if re.fullmatch(r"-\d+", text) else escape(text)


def instance(arguments: Mapping[str, Any]) -> str:
    """HTML of a counterexample or of another instance.

    Parameters
    ----------
    arguments : mapping
        name of each argument to a scalar or to nested lists; vectors of equal length share a table, so that the
        masses of one token stand in one column.

    Examples
    --------
    >>> html = instance({"p": ["1/2", "1/2"], "q": ["1/4", "3/4"], "gamma": 2})
    >>> html.count("<table"), html.count("<mfrac>"), "γ" in html
    (1, 4, True)
    """
    vectors: dict[int, dict[str, Sequence[Any]]] = {}
    grids = []
    scalars = []
    nested = []
    for name, v in arguments.items():
        if isinstance(v, Mapping):
            nested.append(f'<p class="argument">{_name(name)}:</p>{instance(v)}')
        elif _depth(v) == 0:
            scalars.append(f"<span>{_name(name)} = {value(v)}</span>")
        elif _depth(v) == 1:
            vectors.setdefault(len(v), {})[name] = v
        else:
            grids.append(_grids(name, (), v))
    tables = [_vectors(length, rows) for length, rows in vectors.items()]
    line = [f'<p class="scalars">{"".join(scalars)}</p>'] if scalars else []
    return f'<div class="instance">{"".join([*tables, *grids, *line, *nested])}</div>'


def _depth(v: object) -> int:
    if not isinstance(v, list):
        return 0
    return 1 + max((_depth(x) for x in v), default=0)


def _name(name: str) -> str:
    """An argument's name as one reads it: Greek letters, primes and indices."""
    word, digits = re.fullmatch(r"(.*?)(\d*)", name, re.DOTALL).groups()  # type: ignore[union-attr]
    base, _, index = word.partition("_")
    if len(base) > 2 and base not in GREEK:
        return f"<i>{escape(name.replace('_', ' '))}</i>"
    index = escape(index + digits)
    return f"<i>{GREEK.get(base, escape(base))}</i>" + (f"<sub>{index}</sub>" if index else "")


def _more(remaining: int) -> str:
    return f"… {remaining:,} more" if remaining > 0 else ""


def _more_cell(remaining: int) -> str:
    return f'<td class="more">{_more(remaining)}</td>' if remaining > 0 else ""


def _vectors(length: int, rows: Mapping[str, Sequence[Any]]) -> str:
    visible = min(length, SHOWN)
    heading = "token" if {"p", "q", "d"} & set(rows) else "entry"
    overflow_cell = _more_cell(length - visible)
    head = "".join(f'<th scope="col">{n}</th>' for n in range(visible))
    body = "".join(
        f'<tr><th scope="row">{_name(name)}</th>{"".join(f"<td>{value(x)}</td>" for x in row[:visible])}{overflow_cell}</tr>'
        for name, row in rows.items()
    )
    return (
        f'<div class="scroll"><table class="vectors"><thead><tr><th scope="col" class="corner">{heading}</th>{head}</tr>'
        f"</thead><tbody>{body}</tbody></table></div>"
    )


def _grids(name: str, at: tuple[int, ...], v: list[Any]) -> str:
    """A matrix as a grid; what has more axes as one grid per leading index."""
    if _depth(v) > 2:
        return "".join(_grids(name, (*at, n), x) for n, x in enumerate(v[:SHOWN]))
    label = _name(name) + (f"<sub>{','.join(map(str, at))}</sub>" if at else "")
    rows = [x if isinstance(x, list) else [x] for x in v]
    body = "".join(
        f"<tr>{''.join(f'<td>{value(x)}</td>' for x in row[:SHOWN])}{_more_cell(len(row) - SHOWN)}</tr>"
        for row in rows[:SHOWN]
    )
    rest = f'<p class="more">{_more(len(rows) - SHOWN)} rows</p>' if len(rows) > SHOWN else ""
    return (
        f'<div class="matrix"><span>{label} =</span><div class="scroll"><table class="grid"><tbody>{body}</tbody>'
        f"</table></div>{rest}</div>"
    )
