"""tasc.spec-lossless: the proof of sd.lossless asks nothing of the drafter but that its law depends on earlier tokens only."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, eq, x
from proofs_check.sd._block_texts import along, n, s, text, texts, verification
from simspec.claims.tasc.spec_lossless import LOSSLESS, TOLD
from simspec.laws import Array
from simspec.methods.tasc.corpus_table import train
from simspec.methods.tasc.drafter import PromptNgrams
from simspec.methods.tasc.drafters import as_model, mixed


def prove(d: Derivation, sign: int = 1, share: sp.Expr | int = 1) -> None:
    """Every target and every drafter whose law is a function of the text so far (corpus, prompt table, mixture, all
    mass on one token), every vocabulary size, γ and length of text.
    """
    q, mass = d.law("q", text, n)
    draft_law = d.weights("drawn", text, n, x)
    honest_report = d.assume(TOLD, eq(draft_law[text, n, x], q[text, n, x]))
    stop = sp.IndexedBase("stop", real=True)[text, n, s]
    texts(
        d,
        verification(
            d,
            q=q,
            mass_q=mass,
            drafted_mass=draft_law[text, n, x],
            drop=stop,
            using=[honest_report],
            sign=sign,
            share=share,
        ),
    )


def _values(
    p: Array,
    greedy: bool,
    corpus: Sequence[int],
    prompt: Sequence[int],
    n_max: int,
    mix: Fraction,
    length: int,
    gamma: int,
) -> dict[str, Any]:
    """The drafter as the package builds it: corpus and prompt table, mixed; a block stops after γ drafts."""
    drafter = mixed(train([corpus], n_max, vocab=2), PromptNgrams(n_max, vocab=2), mix)
    values = along(
        list(np.ndindex(*[2] * length)),
        gamma,
        p=lambda before: p[before[-1] + 1 if before else 0],
        q=cache(as_model(drafter, prompt, greedy, exact=True)),
        stop=lambda at, position, state: int(state > gamma),
    )
    return values | {"drawn": values["q"]}


PROOF = Proof(LOSSLESS, prove, drop="q sums to one", change={"share": sp.S.Half}, bind=_values)
