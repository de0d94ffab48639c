"""The best draft tree for a budget of nodes, from laws, a bank, or measured shares of acceptance: `simspec trees`."""

from simspec.tools.trees.budget import Row, TreesTable, child_rates, read_rates, trees

__all__ = ["Row", "TreesTable", "child_rates", "read_rates", "trees"]
