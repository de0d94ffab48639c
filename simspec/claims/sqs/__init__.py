"""SQS (`simspec cite sqs` prints the paper): its statements, in its own order.

Those about the adaptive threshold, C-SQS, are in the folder `csqs`.

What statements share stands in `link.py`, `parts.py`, `sparse.py` and `texts.py`.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS = (
    ("1, 2, Eqs. 2 and 5", "sqs.bandwidth", "bandwidth"),
    ("1, contributions, and 4", "sqs.against-dense", "against_dense"),
    ("1, contributions", "sqs.resolution-at-equal-bits", "resolution_at_equal_bits"),
    ("abstract and 1, contributions", "sqs.deviation-from-dense", "deviation_from_dense"),
    ("own statement, in place of 1, 2", "sqs.bandwidth-support", "bandwidth_support"),
    ("2", "sqs.lossless", "lossless"),
    ("Eq. 2", "sqs.bits", "bits"),
    ("2, before Theorem 1", "sqs.one-resample", "one_resample"),
    ("Theorem 1", "sqs.rejection-bound", "rejection_bound"),
    ("3", "sqs.k-no-significance", "k_no_significance"),
    ("own statement, beside Theorem 1", "sqs.dense-closest", "dense_closest"),
    ("Eq. 5 and 3", "sqs.subset-bits", "subset_bits"),
    ("A.1", "sqs.positive-counts", "positive_counts"),
    ("Algorithm 2", "sqs.lattice-optimal", "lattice_optimal"),
    ("Algorithm 2", "sqs.algorithm-printed", "algorithm_printed"),
    ("Eqs. 10–16", "sqs.rejection-count", "rejection_count"),
    ("Eq. 14", "sqs.rejection", "rejection"),
    ("2 and A.3", "sqs.horizon", "horizon"),
    ("Eq. 20", "sqs.lattice", "lattice"),
    ("own statement, beside Eq. 20", "sqs.fewest-bits", "fewest_bits"),
    ("own statement, beside Eqs. 2 and 5", "sqs.best-size", "best_size"),
    ("A.2, last line", "sqs.total-distortion", "total_distortion"),
    ("Lemma 1 and Eq. 19", "sqs.dropped-mass", "dropped_mass"),
    ("4, results", "sqs.target-in-top", "target_in_top"),
    ("abstract and concluding remarks", "sqs.both-reduce", "both_reduce"),
    ("Fig. 2 and A.4.1", "sqs.k-variability", "k_variability"),
    ("Figs 4 and 6", "sqs.k-latency", "k_latency"),
)
"""The paper's number, the statement, and the module that states it, in the paper's own order."""
