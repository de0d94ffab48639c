"""Drafts of a block drafter or of heads (MTP, EAGLE, Medusa), from recorded laws: `simspec rates`, `trees` and `advise`.

`load` reads the laws, `compute` measures them, `table` holds the rows, `choice` finds the best number of drafts, `trees` the best
tree, and `show` prints them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from simspec.tools.heads.choice import BestGamma, best_gamma
from simspec.tools.heads.compute import HeadOptions, compute
from simspec.tools.heads.load import Heads, holds_heads, load_heads
from simspec.tools.heads.table import HeadsTable, Parallel, Position
from simspec.tools.heads.trees import HeadTree, best_head_tree, head_shares
from simspec.tools.rates.compute import Progress
from simspec.tools.reading import Placed

__all__ = [
    "BestGamma",
    "HeadOptions",
    "HeadTree",
    "Heads",
    "HeadsTable",
    "Parallel",
    "Position",
    "best_gamma",
    "best_head_tree",
    "head_rates",
    "head_shares",
    "holds_heads",
    "load_heads",
]


def head_rates(
    source: Heads | Placed | str | Path | Mapping[str, Any],
    options: HeadOptions | None = None,
    temperature: float = 1,
    progress: Progress | None = None,
) -> HeadsTable:
    r"""Acceptance of each position of a drafted block, and mean acceptance lengths.

    Parameters
    ----------
    source : Heads, or what `load_heads` takes
    options : numbers of drafts, costs and level
    temperature : number >= 0; needs logits
    progress : (what is done, how much of it, of how much) -> None, optional

    The laws after the text's own tokens give the acceptance of a position given that the text's own tokens came before.  How
    often a whole block is accepted needs the tokens of a text that the target drew (`simspec.methods.heads`); without them
    there are bounds, and the value for acceptance that does not depend on which tokens were accepted.

    Raises ValueError as `load_heads` does, and for more drafts than there are heads.

    >>> laws = {"p": [[[0.5, 0.5], [1.0, 0.0]]], "heads": [[[0.5, 0.5], [0.25, 0.75]]]}
    >>> [row.values["acceptance"].estimate for row in head_rates(laws)]
    [1.0, 0.25]
    """
    heads = source if isinstance(source, Heads) else load_heads(source, temperature)
    return compute(heads, options or HeadOptions(), progress)
