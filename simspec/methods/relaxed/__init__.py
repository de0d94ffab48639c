"""Relaxed rules beside EARS, PAD, lenience and mixtures: Cactus, ensembles, cascades, FSD, thresholds, other vocabularies."""

from simspec.methods.relaxed.cactus import cactus, cactus_verifier, raised
from simspec.methods.relaxed.cascades import cascade, ensemble, opt_law, tok3_law
from simspec.methods.relaxed.criteria import additive, covered, greedy, multiplicative, strict, top, typical_argmax
from simspec.methods.relaxed.fuzzy import fuzzy, jensen_shannon
from simspec.methods.relaxed.thresholds import thresholds, thresholds_verifier
from simspec.methods.relaxed.vocabularies import Drafts, Vocabulary, first_tokens, slem_law, slrs

__all__ = [
    "Drafts",
    "Vocabulary",
    "additive",
    "cactus",
    "cactus_verifier",
    "cascade",
    "covered",
    "ensemble",
    "first_tokens",
    "fuzzy",
    "greedy",
    "jensen_shannon",
    "multiplicative",
    "opt_law",
    "raised",
    "slem_law",
    "slrs",
    "strict",
    "thresholds",
    "thresholds_verifier",
    "tok3_law",
    "top",
    "typical_argmax",
]
