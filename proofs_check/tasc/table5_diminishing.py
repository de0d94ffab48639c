"""tasc.table5-diminishing: a token saves 21/125, 11/2500 and 29/5000 ms, interval by interval."""

from __future__ import annotations

from proofs_check.tasc._diminishing import diminishing
from simspec.claims.tasc.table5_diminishing import TABLE5, TABLE5_CORRECTED

PROOFS = diminishing("Table 5", TABLE5, TABLE5_CORRECTED, 25, "840/29")
