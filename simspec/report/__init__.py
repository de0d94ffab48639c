"""The report: verdicts as one self-contained HTML page that needs no network."""

from simspec.report.page import render, write

__all__ = ["render", "write"]
