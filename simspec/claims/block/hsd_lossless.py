"""Hierarchical verification is lossless, in three versions.

`block.hsd-lossless.naive`, `.capped` and `.package`, with a correction: Zhou et al. 2026 (2601.05724), abstract.
"""

from __future__ import annotations

from collections.abc import Callable

from simspec.claims.authoring import Array, Draw, Instance, broken, identity, matrix
from simspec.claims.block.parts import EARLY, contexts, emitted, ended, law_under, target_law, whether
from simspec.methods.block.hierarchical import hierarchical_capped, hierarchical_naive, hierarchical_package
from simspec.methods.verifier.verifier import Verifier


def _law(verifier: Verifier) -> Callable[..., Array]:
    return lambda p, q, gamma: emitted(ended(verifier, p, q, gamma), p, gamma + 1)


def _target(p: Array, gamma: int) -> Array:
    return target_law(p, gamma + 1)


def _without_context(draw: Draw) -> Instance:
    instance = contexts(draw)
    return {**instance, "p": instance["p"][[0] * len(instance["p"])], "q": instance["q"][[0] * len(instance["q"])]}


def _often_alike(draw: Draw) -> Instance:
    instance = _without_context(draw)
    return instance if draw.integer(0, 2) else {**instance, "q": instance["p"]}


def _is_lossless(p: Array, q: Array, gamma: int) -> bool:
    return bool((_law(hierarchical_package)(p, q, gamma) == _target(p, gamma)).all())


NAIVE = identity(
    name="block.hsd-lossless.naive",
    statement=r"Naive hierarchical verification, with its branch resampled up to $\gamma$ tokens, is lossless",
    reference="Zhou et al. 2026 (2601.05724), abstract",
    instances=contexts,
    lhs=_law(hierarchical_naive),
    rhs=_target,
    sources=("exact",),
    note="A prefix c is kept with mass min(P(c), Q(c)); what is resampled through c has mass P(c y) − Q(c y) where that is "
    "positive, whether it begins there or above.",
    broken=[broken("the law of the published package", lhs=law_under(hierarchical_package))],
)

CAPPED = identity(
    name="block.hsd-lossless.capped",
    statement=r"Capped hierarchical verification is lossless",
    reference="Zhou et al. 2026 (2601.05724), abstract",
    instances=contexts,
    lhs=_law(hierarchical_capped),
    rhs=_target,
    sources=("exact",),
    note=r"Its capped ratio, cut at one, is $r_i$: it is block verification, scanned from the end.",
    broken=[broken("a verifier that stops at the first refusal", lhs=law_under(EARLY))],
)

PACKAGE = identity(
    name="block.hsd-lossless.package",
    statement=r"Capped hierarchical verification as version 0.1.1 of the package indexes it is lossless",
    reference="Zhou et al. 2026 (2601.05724), abstract; package sequential-speculative-decoding 0.1.1",
    instances=_without_context,
    lhs=_law(hierarchical_package),
    rhs=_target,
    sources=("exact",),
    corrected_by=("block.hsd-lossless.package-corrected",),
    within=({"p": matrix("1/2 1/2", "1/2 1/2", "1/2 1/2"), "q": matrix("2/3 1/3", "2/3 1/3", "2/3 1/3"), "gamma": 3},),
    note="The tests and the residual of i tokens are those of the prefix of i − 1: the last accepted draft is never "
    "looked at.",
)

PACKAGE_CORRECTED = identity(
    name="block.hsd-lossless.package-corrected",
    statement=r"On laws that are the same after every text, capped hierarchical verification as version 0.1.1 of the package "
    r"indexes it is lossless if and only if $\gamma = 1$ or $q = p$",
    reference="correction of Zhou et al. 2026 (2601.05724) as packaged",
    instances=_often_alike,
    lhs=lambda p, q, gamma: whether(_is_lossless(p, q, gamma)),
    rhs=lambda p, q, gamma: whether(gamma == 1 or (p == q).all()),
    sources=("exact",),
    note="With one draft the places are right. With more the first draft is always kept unless $q = p$, so that the first token "
    "has the draft's law.",
    broken=[
        broken("lossless always", rhs=lambda: 1),
        broken("with one draft only", rhs=lambda gamma: whether(gamma == 1)),
        broken("where q = p only", rhs=lambda p, q: whether((p == q).all())),
    ],
)
