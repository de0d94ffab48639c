"""The explorable page: a pure function of the package.

What it shows of rules and counterexamples is read from the package; the layout, the script and its arithmetic stand
beside this file.
"""

from __future__ import annotations

import json
from typing import Any

from simspec.figures.marks import colour
from simspec.html.formulas import to_html
from simspec.report.explore.counterexamples import counterexamples
from simspec.report.explore.drafts import CRITERIA, DRAFT_DIALS
from simspec.report.explore.rules import DIALS, FAMILIES, SHOWN

__all__ = ["render"]

RELATIONS = {"equal": "=", "at_most": "≤", "at_least": "≥"}


def render() -> str:
    """HTML of the page, which refers to nothing outside itself.

    >>> page = render()
    >>> page[:15], len(page.encode()) < 200_000
    ('<!DOCTYPE html>', True)
    """
    from markupsafe import Markup

    from simspec.report.page import template

    claims = [
        {**c, "statement": Markup(to_html(c["statement"])), "note": Markup(to_html(c["note"])),
         "relation": RELATIONS[c["relation"]]}
        for c in counterexamples()
    ]  # fmt: skip
    data = {
        "rules": {
            name: {**rule_entry._asdict(), "colour": colour(rule_entry.series)[0]} for name, rule_entry in SHOWN.items()
        },
        "dials": {name: dial._asdict() for name, dial in (DIALS | DRAFT_DIALS).items()},
        "criteria": {name: criterion._asdict() for name, criterion in CRITERIA.items()},
        "looks": {c["id"]: c["look"] for c in claims},
    }
    page = template("explore/page.html.j2").render(claims=claims, families=FAMILIES, rules=SHOWN, data=_script(data))
    return page.rstrip("\n") + "\n"


def _script(data: Any) -> Any:
    """JSON that may stand in a script element."""
    from markupsafe import Markup

    return Markup(json.dumps(data, ensure_ascii=False, indent=0).replace("<", "\\u003c"))
