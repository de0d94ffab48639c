"""`pad.sd-preserves`: PAD 3.1, after Definition 2."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import identity
from simspec.claims.claim import Printed
from simspec.claims.pad.parts import chain, draw_process, on_process
from simspec.methods import SD, evaluate

SD_PRESERVES = identity(
    name="pad.sd-preserves",
    statement=r"$U(\mathrm{SD}, s) = U(\mathrm{target}, s)$ at every context $s$, so SD is $\epsilon$-utility preserving for "
    r"every $\epsilon \ge 0$ and every mixture of contexts",
    reference="PAD 3.1, after Definition 2",
    instances=lambda draw: draw_process(draw),
    lhs=on_process(lambda process: evaluate(process, SD).values[0]),
    rhs=lambda target, step, utility, horizon: np.linalg.matrix_power(chain(target, step), horizon) @ utility,
    note="SD emits p at every context (sd.lossless), so its texts have the target's law.",
    printed=Printed(
        place="PAD 3.1, after Definition 2",
        text="It is trivial to verify that … is utility preserving for any …",
        read="Of speculative decoding, at every context and every tolerance.",
        restored="of what, and of which tolerance it is said",
    ),
)
