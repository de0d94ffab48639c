"""Certificates of every optimum that a claim, a page or an example quotes: stored as numbers, checked without a solver.

``python -m simspec.methods.optima`` checks them all; with ``--write`` it finds them again and stores them.
"""

from simspec.methods.optima.stored import Stored, check, stored

__all__ = ["Stored", "check", "stored"]
