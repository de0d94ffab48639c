"""At equal bits, K-SQS is no farther from the draft distribution than dense quantisation.

`sqs.resolution-at-equal-bits`, with its correction: SQS 1, contributions, on K-SQS.
"""

from __future__ import annotations

from math import comb

from simspec.claims.authoring import Array, Broken, Draw, F, Instance, bound, law
from simspec.claims.claim import Printed
from simspec.claims.sqs.parts import fine, sent_law, sizes, worst_rounding
from simspec.laws import tv
from simspec.methods.sqs.quantised import dropped_mass, quantise, top_mask

__all__ = ["finest", "saves"]


def _words(vocab: int, k: int, resolution: int) -> int:
    return comb(vocab, k) * comb(resolution + k - 1, k - 1)


def finest(vocab: int, k: int, resolution: int) -> int:
    """The finest lattice whose code for K tokens has no more words than the dense one at `resolution`; 0 where none fits.

    A single kept token takes no bits but its own: there any lattice fits, and `resolution` is returned.

    >>> finest(3, 2, 4), finest(3, 2, 2), finest(3, 1, 2)
    (4, 1, 2)
    """
    dense = comb(resolution + vocab - 1, vocab - 1)
    if k == 1:
        return resolution if vocab <= dense else 0
    finest_resolution = 0
    while _words(vocab, k, finest_resolution + 1) <= dense:
        finest_resolution += 1
    return finest_resolution


def saves(vocab: int, k: int, resolution: int) -> bool:
    """Whether the code of K tokens is no longer than the dense one at the same resolution."""
    return _words(vocab, k, resolution) <= comb(resolution + vocab - 1, vocab - 1)


def _some_law(draw: Draw) -> Instance:
    vocab = draw.integer(2, 4)
    q = draw.law(vocab)
    k = draw.integer(1, vocab - 1)
    resolution = fine(draw)
    return {"q": q, "k": k if finest(vocab, k, resolution) else 1, "resolution": resolution}


def _sent(q: Array, k: int, resolution: int) -> Array:
    return sent_law(q, top_mask(q, k), finest(len(q), k, resolution))


EQUAL_BITS = bound(
    name="sqs.resolution-at-equal-bits",
    statement=r"At equal bits $K$-SQS is no farther from $q$ than dense quantisation: $\mathrm{TV}(q, Q_{\ell'}(\tilde q)) \le "
    r"\mathrm{TV}(q, Q_\ell(q))$, with $\ell'$ the finest lattice over $K$ tokens whose code has no more words than the dense "
    r"one at $\ell$",
    reference="SQS 1, contributions, on K-SQS",
    instances=_some_law,
    lhs=lambda q, k, resolution: tv(q, _sent(q, k, resolution)),
    rhs=lambda q, resolution: tv(q, quantise(q, resolution) / resolution),
    sources=("exact",),
    against=({"q": law("1/2", "1/2"), "k": 1, "resolution": 2},),
    within=({"q": law("1/2", "1/2"), "k": 1, "resolution": 100},),
    corrected_by=("sqs.resolution-at-equal-bits-corrected", "sqs.dense-closest"),
    note="What is dropped is lost at any resolution: of two equally likely tokens one is half of the law. Even with nothing "
    "dropped a finer lattice can be farther from a law that the coarse one holds exactly.",
    printed=Printed(
        place="SQS 1, contributions",
        text="which allocates bits to high-probability tokens, improving quantization resolution and reducing "
        "uplink cost",
        read="At equal bits the distance to the draft law is no larger than that of dense quantisation.",
    ),
)

SAVES = "the code of K tokens is no longer than the dense one at ℓ"


def _saving(draw: Draw) -> Instance:
    vocab = draw.integer(2, 4)
    q = draw.law(vocab)
    k = draw.integer(1, vocab - 1)
    resolution = fine(draw)
    return {"q": q, "k": k, "resolution": resolution if saves(vocab, k, resolution) else (vocab - 1) ** 2}


def _worst(q: Array, k: int, resolution: int) -> F:
    """The dropped mass, and the worst that the coarser lattice over K tokens does to the rest."""
    support = top_mask(q, k)
    lost = dropped_mass(q, support)
    return lost + (1 - lost) * worst_rounding(sizes(support, q), resolution)


EQUAL_BITS_CORRECTED = bound(
    name="sqs.resolution-at-equal-bits-corrected",
    statement=r"Where the code of $K$ tokens saves bits at $\ell$: with the finest lattice that fits, $\ell' \ge \ell$, and with "
    r"$\delta = \sum_{x \notin X} q(x)$, $\mathrm{TV}(q, Q_{\ell'}(\tilde q)) \le \delta + (1 - \delta) \frac{m(K - m)}{K\ell}$, "
    r"$m = \min(\ell, \lfloor K/2 \rfloor)$",
    reference="correction of SQS 1, contributions, on K-SQS",
    instances=_saving,
    assumes={SAVES: lambda q, k, resolution: saves(len(q), k, resolution)},
    lhs=EQUAL_BITS.lhs,
    rhs=_worst,
    sources=("exact",),
    tight=({"q": law("1/3", "1/3", "1/3"), "k": 1, "resolution": 1},),
    outside={SAVES: {"q": law("1/2", "1/2", 0), "k": 2, "resolution": 2}},
    note="The lattice over the kept tokens is finer where, and only where, sparsifying saves bits (sqs.bandwidth-corrected); "
    "then rounding costs at most what the coarser lattice over K tokens may cost. The dropped mass stays.",
    broken=[
        Broken(
            "three quarters of the resolution",
            lambda claim: {"rhs": lambda q, k, resolution: claim.rhs(q, k, resolution) * F(3, 4)},
        )
    ],
)
