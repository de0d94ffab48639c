"""The explorable page: one step of verification in a browser, in exact fractions; a pure function of the package."""

from simspec.report.explore.page import render

__all__ = ["render"]
