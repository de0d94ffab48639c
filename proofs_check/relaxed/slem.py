"""relaxed.slem: samples of the target are emitted; drafts decide where a round ends, and where a text is read again."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, index, laws, total, y
from simspec.claims.authoring import law
from simspec.claims.claim import Instance
from simspec.claims.relaxed.slem import SAME, TARGET, TEXT, TEXT_CORRECTED, TEXTS, TOKENS, model_of
from simspec.laws import Array
from simspec.methods.block import Prefix

APART = "drafts are made without the samples, and each token is a sample of the target after what its round stands on"
TOKEN = "what a round stands on are the tokens emitted"
K = sp.Symbol("K", integer=True, positive=True)
c = index("c")
k = index("k")


def _prove(d: Derivation, assumed: bool, sign: int, constant: sp.Expr | int) -> None:
    """Text y has masses s₁ s₂ s₃ by the target's own tokens, s₁ u₂ u₃ after what rounds with the drafts c and k stand on."""
    w = d.weights("w", c)
    first = d.weights("s_1", y)
    target_masses = [d.weights(f"s_{n}", y) for n in (2, 3)]
    round_masses = [d.weights("u_2", c, y), d.weights("u_3", c, k, y)]
    joint_mass = d.weights("both", c, k, y)
    some = d.domain("some draft is made", eq(total(w[c], c, upto=K), constant))
    apart = d.domain(
        APART, eq(joint_mass[c, k, y], w[c] * w[k] * first[y] * round_masses[0][c, y] * round_masses[1][c, k, y])
    )
    stand = eq(round_masses[0][c, y], target_masses[0][y]), eq(round_masses[1][c, k, y], target_masses[1][y])
    same = d.assume(SAME, *stand) if assumed else d.domain(TOKEN, *stand)
    text = first[y] * target_masses[0][y] * target_masses[1][y]
    per_pair = d.derive("whatever the drafts are", eq(joint_mass[c, k, y], w[c] * w[k] * text), apart, *same)
    sums = d.sum("over the second draft", per_pair, k, upto=K)
    sums = d.derive("some second draft is made", eq(total(joint_mass[c, k, y], k, upto=K), w[c] * text), sums, some)
    sums = d.sum("over the first draft", sums, c, upto=K)
    goal = eq(total(joint_mass[c, k, y], c, k, upto=K), sign * text)
    d.qed(d.derive("so the target's samples are emitted", goal, sums, some))


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every target, and drafts of two rounds that are made in any way without the samples; of each text of three tokens."""
    _prove(d, False, sign, constant)


def prove_text(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every target that says the same after its text read again, and drafts as in relaxed.slem.tokens."""
    _prove(d, True, sign, constant)


def _masses(laws: Array, text: Prefix, drafts: tuple[str, str], again: bool) -> list[Any]:
    """The target's mass of each token of a text after what its round stands on."""
    model = model_of(laws)
    masses = []
    rounds = [*drafts, ""]
    stands: Prefix = ()
    remaining = TARGET.read(rounds.pop(0))
    for n, token in enumerate(text):
        masses.append(model(stands)[token])
        if remaining and remaining[0] == token:
            stands = (*stands, token)
            remaining = remaining[1:]
        else:
            emitted = text[: n + 1]
            stands = TARGET.read(TARGET.text(emitted)) if again else emitted
            remaining = TARGET.read(rounds.pop(0)) if rounds else ()
    return masses


def _bind(again: bool) -> Any:
    """The function that binds the symbols of both proofs; `again` says whether the target reads a text again."""

    def bind(laws: Array, drafts: Array) -> dict[str, Any]:
        """The values of the target's masses, the drafts' weights and the emitted masses, for every text of three tokens."""
        texts = list(product(range(2), repeat=3))
        token_masses = [[model_of(laws)(x[:n])[x[n]] for x in texts] for n in range(3)]
        cases = [
            [[_masses(laws, x, (first_draft, two), again) for x in texts] for two in TEXTS] for first_draft in TEXTS
        ]
        joint_masses = [
            [[v * w * m[0] * m[1] * m[2] for m in row] for w, row in zip(drafts, rows, strict=True)]
            for v, rows in zip(drafts, cases, strict=True)
        ]
        size = range(1, len(TEXTS) + 1)
        return {
            **{
                "s_1": token_masses[0],
                "s_2": token_masses[1],
                "s_3": token_masses[2],
                "w": drafts,
                "both": joint_masses,
            },
            "u_2": [[m[1] for m in rows[0]] for rows in cases],
            "u_3": [[[m[2] for m in row] for row in rows] for rows in cases],
            **{"K": len(TEXTS), "V": len(texts), "ranges": {"c": size, "k": size}},
        }

    return bind


def by_draft() -> Iterator[Instance]:
    """A target that is certain but after two tokens a, where it says the other; each draft."""
    for drafts in laws(3, 1):
        table = np.stack([law(1, 0)] * 3 + [law(0, 1)] + [law(1, 0)] * 3)
        yield {"laws": table, "drafts": drafts}


PROOFS = (
    Proof(TOKENS, prove, drop=APART, bind=_bind(again=False)),
    Refutation(
        TEXT,
        by_draft,
        scope="a target of two tokens a and aa that is certain; the first draft",
        repaired={
            "the tokens are kept": TOKENS,
            "a target that says the same after its text": (TEXT_CORRECTED, by_draft),
        },
    ),
    Proof(TEXT_CORRECTED, prove_text, drop=APART, bind=_bind(again=True)),
)
