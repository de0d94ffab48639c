"""The report: verdicts as one self-contained HTML page that needs no network."""

from simspec.report.page import render, write
from simspec.report.proofs import render_proofs, write_proofs

__all__ = ["render", "render_proofs", "write", "write_proofs"]
