"""Trees of drafts: shapes, how they are drawn, rules that verify them, and the best of them for a number of nodes."""

from simspec.methods.tree.best import BestTree, accepted_drafts, best_of_all, best_tree, level_order, sequoia_tree
from simspec.methods.tree.drafting import drawn, most_likely, ranked, tree_of, wide_then_best
from simspec.methods.tree.levels import kept_levels, mean_levels
from simspec.methods.tree.rates import rates_of_drawn, rates_of_top
from simspec.methods.tree.shapes import Drafted, Shape, chain, every_shape, full, height, nodes
from simspec.methods.tree.traversal import traversal
from simspec.methods.tree.walking import certain, sample, target_only, top_down

__all__ = [
    "BestTree",
    "Drafted",
    "Shape",
    "accepted_drafts",
    "best_of_all",
    "best_tree",
    "certain",
    "chain",
    "drawn",
    "every_shape",
    "full",
    "height",
    "kept_levels",
    "level_order",
    "mean_levels",
    "most_likely",
    "nodes",
    "ranked",
    "rates_of_drawn",
    "rates_of_top",
    "sample",
    "sequoia_tree",
    "target_only",
    "top_down",
    "traversal",
    "tree_of",
    "wide_then_best",
]
