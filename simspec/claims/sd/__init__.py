"""Standard speculative decoding (Leviathan et al. 2023; RDK 2; PAD 2): its statements.

What statements share stands in `parts.py`.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS = (
    ("RDK, Definitions 2.1, 2.2 and Lemma 2.3", "sd.acceptance", "acceptance"),
    ("RDK 2; Leviathan et al. 2023, Appendix A.1", "sd.lossless", "lossless"),
    ("RDK 2, after Definition 2.2", "sd.kernel-redistribution", "kernel_redistribution"),
    ("RDK B.1, last line", "sd.inverse-proportional", "inverse_proportional"),
    ("Leviathan et al. 2023, Eq. 1", "sd.block-length", "block_length"),
    ("PAD 2, restored", "sd.speedup", "speedup"),
    ("RDK 2; PAD 2, last sentence", "sd.speedup-monotone", "speedup_monotone"),
)
"""The paper's number, the statement, and the module that states it, in the paper's own order."""
