"""Every function on certificates, numerics, parallel drafts, cascades, keys and choices is shown on a tour."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from simspec import certificates, numerics
from simspec.methods import cascade, heads, parallel, selection, watermark
from simspec.methods.coupling import __all__ as couplings

TOURS = Path(__file__).parents[1] / "docs" / "tours"
MODULES = (cascade, certificates, heads, numerics, parallel, selection, watermark)


def shown_words() -> set[str]:
    """Words of the Python examples of all tours, which `tests/test_readme.py` executes."""
    texts = [path.read_text(encoding="utf-8") for path in TOURS.glob("*.md")]
    blocks = [block for text in texts for block in re.findall(r"^```pycon\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]
    return {word for block in blocks for word in re.findall(r"\w+", block)}


def missing(words: set[str]) -> list[str]:
    """Functions that no example names.  `policy` reads the names of the option ``--policy``, whose console shows them."""
    named = [(name, getattr(module, name)) for module in MODULES for name in module.__all__]
    names = [name for name, f in named if inspect.isfunction(f) and f is not selection.policy]
    keyed = [
        name for name in couplings if "quantile" in name or "coin" in name or "key" in name or name == "given_draft"
    ]
    return [name for name in (*names, *keyed) if name not in words]


def test_every_function_is_shown_on_a_tour() -> None:
    assert missing(shown_words()) == []


def test_a_function_that_is_not_shown_is_named() -> None:
    assert missing(shown_words() - {"head_survival"}) == ["head_survival"]
