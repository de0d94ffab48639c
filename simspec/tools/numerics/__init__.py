"""Are differences of logits rounding or a fault: two stored arrays compared, or one model computed in several ways."""

from __future__ import annotations

from simspec.tools.numerics.arrays import Numerics, numerics, read_logits, spacing
from simspec.tools.numerics.computing import measured_numerics
from simspec.tools.numerics.show import summary

__all__ = ["Numerics", "measured_numerics", "numerics", "read_logits", "spacing", "summary"]
