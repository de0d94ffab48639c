r"""How much faster drafting is than the target alone: tokens of a target step over its time.

One step drafts L levels, each a pass of the draft model, and the target verifies N drafted tokens in one pass:

.. math:: \text{speed-up} = \frac{\mathrm{E}[\text{tokens of a step}]}{1 + L c + N v}

Times are in passes of the target on one token: c for a pass of the draft model, v for what one more drafted token adds to
the target's pass.  A chain of γ drafts has L = N = γ; with v = 0 it is the formula of Leviathan et al. (2023, Theorem 3.8)
and PAD 2 (claims ``cost.speedup`` and ``sd.speedup``), which `simspec.methods.speedup` writes for independent steps.  A tree
drafts all nodes of a level in one pass, so N exceeds L; that is the cost model of Sequoia (Chen et al. 2024).

What is not here: how many tokens a step emits (`simspec.methods.block`, `simspec.methods.tree`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["step_time", "tree_speedup"]


def step_time(levels: Any, cost: Any, nodes: Any = 0, verify: Any = 0) -> Any:
    r"""Time of one target step with its drafts, :math:`1 + L c + N v`.

    Parameters
    ----------
    levels : numbers >= 0; passes of the draft model
    cost : numbers >= 0; time of such a pass / time of the target for one token
    nodes : numbers >= 0; drafted tokens that the target verifies
    verify : numbers >= 0; time that one of them adds to the target's pass / time of the target for one token

    Raises ValueError for a cost that is negative or no number.

    >>> step_time(4, 0.25), step_time(2, 0.25, nodes=6, verify=0.125)
    (2.0, 2.25)
    """
    for name, value in (("cost", cost), ("verify", verify)):
        if not np.all(np.asarray(value) >= 0):
            raise ValueError(f"{name}: {value}; expected a time / time of the target for one token, not negative")
    return 1 + levels * cost + nodes * verify


def tree_speedup(tokens: Any, levels: Any, nodes: Any, cost: Any, verify: Any = 0) -> Any:
    r"""Speed against the target alone of steps that draft a tree, :math:`\bar T / (1 + L c + N v)`.

    Parameters
    ----------
    tokens : numbers >= 1; mean number :math:`\bar T` of tokens that a step emits, the target's own included
    levels, nodes : of the tree; both γ for a chain of γ drafts
    cost, verify : as in `step_time`

    Two levels of three nodes each, at a quarter of a target step a level and an eighth a node, take 2.25 target steps; where
    they emit 2.8125 tokens, that is 1.25 times as fast.

    >>> tree_speedup(2.8125, levels=2, nodes=6, cost=0.25, verify=0.125)
    1.25
    """
    return tokens / step_time(levels, cost, nodes, verify)
