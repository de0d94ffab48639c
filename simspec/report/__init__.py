"""The report: verdicts as one self-contained HTML page that needs no network."""

from simspec.report.page import render, write
from simspec.report.proofs import render_proofs, write_proofs
from simspec.report.showing import show_proof

__all__ = ["render", "render_proofs", "show_proof", "write", "write_proofs"]
