"""Names of the relaxed rules here, as `simspec rates` and `simspec.methods.registry` write them."""

from __future__ import annotations

from collections.abc import Callable

from simspec.laws import unchecked
from simspec.methods.method import Method
from simspec.methods.relaxed.cactus import cactus
from simspec.methods.relaxed.cascades import cascade, ensemble, opt_law, tok3_law
from simspec.methods.relaxed.criteria import additive, multiplicative, strict, top, typical_argmax
from simspec.methods.relaxed.fuzzy import fuzzy, jensen_shannon, kullback_leibler
from simspec.methods.relaxed.reading import match, match_fresh
from simspec.methods.relaxed.thresholds import thresholds
from simspec.methods.sd import SD

__all__ = ["NAMED"]

NAMED: dict[str, tuple[tuple[str, ...], str, Callable[..., Method]]] = {
    "cactus": (("DELTA",), "Cactus: keep min(q, p + sqrt(2 DELTA p (1 - p)))", cactus),
    "ensemble": (("WEIGHT",), "static ensemble: speculative decoding towards w p + (1 - w) q", ensemble),
    "cascade-opt": (
        ("ALPHA",),
        "cascade: towards p where max q < max p - a TV, else towards q",
        lambda a: cascade(a, opt_law),
    ),
    "cascade-tok3": (
        ("ALPHA",),
        "cascade: towards q on tokens with p >= (1 - a) max p, p beyond",
        lambda a: cascade(a, tok3_law),
    ),
    "fsd-js": (
        ("THRESHOLD",),
        "FSD: keep where the Jensen-Shannon divergence is at most a threshold, else draw from p",
        lambda t: fuzzy(t, jensen_shannon),
    ),
    "fsd-js-residual": (
        ("THRESHOLD",),
        "FSD, with the residual of speculative decoding",
        lambda t: fuzzy(t, jensen_shannon, SD.residual),
    ),
    "fsd-kl": (("THRESHOLD",), "FSD by KL(p||q)", lambda t: fuzzy(t, kullback_leibler)),
    "fsd-tv": (("THRESHOLD",), "FSD by total variation", lambda t: fuzzy(t, unchecked.tv)),
    "typical-argmax": (
        ("EPSILON", "DELTA"),
        "typical acceptance, the target's most likely token after a refusal",
        typical_argmax,
    ),
    "strict": ((), "greedy drafts, kept where they are the target's most likely token", strict),
    "additive": (("MARGIN",), "greedy drafts, kept where p(x) >= max p - m", additive),
    "multiplicative": (("FACTOR",), "greedy drafts, kept where p(x) >= FACTOR max p", multiplicative),
    "top": (("COUNT",), "greedy drafts, kept among the target's COUNT most likely tokens", top),
    "thresholds": (
        ("T_ACC", "T_SINGLE"),
        "SGLang's thresholds, of one drawn candidate: keep with min(1, p/T_ACC), surely from T_SINGLE on",
        thresholds,
    ),
    "match": ((), "exact match: emits a sample of the target, accepted where it is the draft; lossless", match),
    "match-fresh": ((), "the same with another sample after a miss", match_fresh),
}
"""Names of the numbers, what the rule does, and what makes it."""
