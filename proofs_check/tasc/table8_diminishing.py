"""tasc.table8-diminishing: a token saves 2/5, 3/35 and 3/25 ms, interval by interval."""

from __future__ import annotations

from proofs_check.tasc._diminishing import diminishing
from simspec.claims.tasc.table8_diminishing import TABLE8, TABLE8_CORRECTED

PROOFS = diminishing("Table 8", TABLE8, TABLE8_CORRECTED, 3, "10/3")
