"""Several drafts of one token, and the best that any verifier can do.

Files hold what belongs together.  `recursive.py` holds `multi.rrs-lossless`, `multi.rrsw-lossless`, `multi.order` and
`multi.skip-duplicates`, `rates.py` holds `multi.rrs-formula`, `multi.rrs-beats-naive`, `multi.rrsw-beats-rrs` and `multi.cover`,
`kseq.py` holds `multi.kseq-lossless`, `multi.kseq-rho`, `multi.kseq-ratio`, `multi.kseq-over-rrs` and `multi.kseq-under-rrsw`,
`transport.py` holds `multi.subset`, `multi.two-step`, `multi.equivalent`, `multi.accept-all` and `multi.diminishing`,
`lossy.py` holds `multi.lossy-optimum` and `multi.lossy-attained`, `thresholds.py` holds `multi.threshold` and
`multi.swor-optimum`, `greedy.py` holds `multi.greedy-attains` and `multi.greedy-over-swor`, and `spechub.py` holds
`multi.spechub-lossless`, `multi.spechub-optimal`, `multi.spechub-over-rrs` and `multi.spechub-over-rrsw`.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS: tuple[tuple[str, str, str], ...] = (
    ("SpecInfer, Theorem 4.2", "multi.rrs-lossless", "recursive"),
    ("2402.14160, Theorem 3.1", "multi.rrsw-lossless", "recursive"),
    ("own", "multi.rrs-formula", "rates"),
    ("SpecInfer, Theorem 4.3", "multi.rrs-beats-naive", "rates"),
    ("2402.14160; 2402.12374", "multi.rrsw-beats-rrs", "rates"),
    ("2402.12374", "multi.cover", "rates"),
    ("llama.cpp #5625; FlexFlow #1302", "multi.order", "recursive"),
    ("SpecHub (code)", "multi.skip-duplicates", "recursive"),
    ("SpecTr, Theorem 2", "multi.kseq-lossless", "kseq"),
    ("SpecTr", "multi.kseq-rho", "kseq"),
    ("SpecTr, Theorem 2", "multi.kseq-ratio", "kseq"),
    ("own", "multi.kseq-over-rrs", "kseq"),
    ("own", "multi.kseq-under-rrsw", "kseq"),
    ("2502.18779", "multi.subset", "transport"),
    ("2410.18234", "multi.two-step", "transport"),
    ("2511.15898", "multi.equivalent", "transport"),
    ("2410.18234", "multi.accept-all", "transport"),
    ("own", "multi.diminishing", "transport"),
    ("own", "multi.lossy-optimum", "lossy"),
    ("own", "multi.lossy-attained", "lossy"),
    ("2502.18779", "multi.threshold", "thresholds"),
    ("2502.18779", "multi.swor-optimum", "thresholds"),
    ("2502.18779", "multi.greedy-attains", "greedy"),
    ("2502.18779", "multi.greedy-over-swor", "greedy"),
    ("SpecHub", "multi.spechub-lossless", "spechub"),
    ("SpecHub", "multi.spechub-optimal", "spechub"),
    ("SpecHub", "multi.spechub-over-rrs", "spechub"),
    ("SpecHub", "multi.spechub-over-rrsw", "spechub"),
)
"""The source, the statement, and the module that states it."""
