"""The explorable page: one step of verification, greedy certificates and parallel drafts in a browser, in exact fractions.

It is a pure function of the package.
"""

from simspec.report.explore.page import render

__all__ = ["render"]
