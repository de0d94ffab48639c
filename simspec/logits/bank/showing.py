"""How a notebook shows a bank: a table of its models, counts and the error of storage."""

from __future__ import annotations

from simspec.html import Html, tag
from simspec.logits.bank import Bank

__all__ = ["bank_html"]

LEFT = "text-align:left"


def bank_html(bank: Bank) -> Html:
    """A line for each fact."""
    caption = tag("caption", "Bank ", tag("b", bank.name))
    rows = [tag("tr", tag("th", key, style=LEFT), tag("td", value, style=LEFT)) for key, value in bank.facts().items()]
    return tag("table", caption, *rows)
