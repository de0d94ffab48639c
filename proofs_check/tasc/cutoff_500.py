"""tasc.cutoff-500: of what 1,000 tokens save, 500 save 431/460 in Table 5 and 3/5 in Table 8."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F

from proofs_check.language import Derivation, Proof, Refutation
from proofs_check.tasc._finite_tables import every_cell
from simspec.claims.claim import Instance
from simspec.claims.tasc.cutoff_500 import CUTOFF, CUTOFF_CORRECTED
from simspec.claims.tasc.tables import RUNTIMES, runtimes


def tables(last: int = 4) -> Iterator[Instance]:
    """Both tables of run times."""
    for name in RUNTIMES:
        yield {key: value[:last] if isinstance(value, tuple) else value for key, value in runtimes(name).items()}


def prove(d: Derivation, last: int = 4, sign: int = 1, margin: F = F(0)) -> None:
    """Both tables."""
    every_cell(
        d,
        "the share that 500 tokens save",
        CUTOFF_CORRECTED,
        tables(last),
        lambda share, stated: sign * share + margin == stated,
        r"(t_0 - t_{500})/(t_0 - t_{1000})",
    )


PROOFS = (
    Refutation(
        CUTOFF,
        tables,
        scope="both tables, Table 5 first",
        repaired={
            "Table 5 alone": lambda: [runtimes("Table 5")],
            "the corrected statement": CUTOFF_CORRECTED,
        },
    ),
    Proof(CUTOFF_CORRECTED, prove, drop={"last": 3}, flip={"sign": -1}, change={"margin": F(1, 100)}, bind=None),
)
