"""What the explorable page offers: the rules whose maps are exact on fractions, and their parameters.

The maps themselves stand in ``rules.js``, written again so that the page needs no Python; a test holds each of them to
the package's, which the page calls by the Python that is given here.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from simspec.methods.registry import REGISTRY

__all__ = ["DIALS", "FAMILIES", "SHOWN", "Dial", "Shown"]

FAMILIES = ("speculative decoding", "relaxed rules", "EARS", "PAD", "pruned drafters", "quantised drafts", "controls")
"""Groups of rules, in the order of the page."""


class Dial(NamedTuple):
    """A parameter: its label, a sentence, its kind, its default, and the range of a number with its step.

    Kinds are number (a fraction), whole, tokens (a flag for each token), matrix (rows of weights) and choice.
    """

    label: str
    hint: str
    kind: str
    default: str
    low: str = "0"
    high: str = "1"
    step: str = "1"
    options: tuple[tuple[str, str], ...] = ()


DIALS: dict[str, Dial] = {
    "factor": Dial("Lenience ℓ", "1 is speculative decoding; less accepts more", "number", "1/2", "1/20", "1", "1/20"),
    "weight": Dial("Weight w", "0 is speculative decoding; 1 accepts all drafts", "number", "1/4", "0", "1", "1/20"),
    "epsilon": Dial("Limit ε", "a draft above this probability is accepted", "number", "9/100", "0", "1", "1/100"),
    "delta": Dial("Factor δ", "the limit where p is uncertain is δ·exp(−entropy)", "number", "3/10", "0", "2", "1/20"),
    "beta": Dial("Tolerance β", "0 is speculative decoding; more forgives more", "number", "1/2", "0", "2", "1/20"),
    "flags": Dial("Pivots", "tokens that the classifier calls pivots, ⚑ in the chart", "tokens", "last"),
    "limit": Dial("Guardrail", "a token with p below this is guarded; 0: none", "number", "0", "0", "1", "1/60"),
    "guardrail": Dial("Guarded are", "what the guardrail applies to", "choice", "override",
                      options=(("override", "drafts accepted against SD"), ("every", "SD's own drafts too"))),
    "shared": Dial("Shared tokens", "tokens that the draft model has; × marks the pruned ones", "tokens", "rest"),
    "mix": Dial("Weight w", "share of the draft put on pruned tokens", "number", "1/4", "0", "1", "1/20"),
    "prior": Dial("Fixed law π", "what stands in for the target's law", "choice", "falling",
                  options=(("falling", "falling, like 1, 1/2, 1/3, …"), ("uniform", "uniform"),
                           ("target", "p itself, which no drafter has"))),
    "affinity": Dial("Affinity M", "row i: where the mass of token i goes, as weights", "matrix", "next"),
    "strength": Dial("Strength s/τ", "0 drafts uniformly; more follows π", "number", "1", "0", "16", "1/4"),
    "k": Dial("Kept tokens K", "only the K most likely tokens are sent", "whole", "2", "1", "8"),
    "threshold": Dial("Threshold β", "tokens of q below it are dropped", "number", "1/10", "0", "1", "1/60"),
    "resolution": Dial("Resolution ℓ", "probabilities are sent as multiples of 1/ℓ", "whole", "8", "1", "60"),
    "residual": Dial("After a rejection", "the law that the replacement is drawn from", "choice", "own",
                     options=(("own", "as the rule has it"), ("fresh", "fresh: from p itself"),
                              ("levelled", "levelled: closest to p"))),
    "gamma": Dial("Drafts γ", "draft tokens per target step", "whole", "4", "0", "16"),
}  # fmt: skip
"""Parameters by name; a name means the same for every rule."""


class Shown(NamedTuple):
    """A rule on the page.

    Attributes
    ----------
    title, hint : its name, and what it does
    family : one of `FAMILIES`
    series : whose colour of the gallery it has, see `simspec.figures.marks.colour`
    python : what makes the method, with its parameters in braces
    dials : names of these parameters
    """

    title: str
    hint: str
    family: str
    series: str
    python: str
    dials: tuple[str, ...] = ()


def _named(name: str, title: str, family: str, series: str, python: str) -> Shown:
    return _shown(title, REGISTRY[name].summary, family, series, python)


def _shown(title: str, hint: str, family: str, series: str, python: str) -> Shown:
    return Shown(title, hint, family, series, python, tuple(dict.fromkeys(re.findall(r"\{(\w+)\}", python))))


SHOWN: dict[str, Shown] = {
    "sd": _named("sd", "Speculative decoding", "speculative decoding", "SD", "SD"),
    "lenience": _named("lenience", "Lenience", "relaxed rules", "lenience", "lenience({factor})"),
    "mixture": _named("mixture", "Mixture", "relaxed rules", "mixture", "mixture({weight})"),
    "typical": _shown("Typical acceptance", "accept every token that p finds likely enough", "relaxed rules", "typical",
                      "typical({epsilon}, {delta})"),
    "ears": _shown("EARS", "accept near misses; the tolerance is β(1 − max p)", "EARS", "EARS",
                   "ears({beta})"),
    "ears-variance": _named("ears-variance", "EARS, variance", "EARS", "EARS", "ears({beta}, variance)"),
    "ears-constant": _shown("EARS, constant", "EARS with the tolerance β whatever p is", "EARS", "EARS",
                            "ears({beta}, lambda p: 1 + 0 * p.max(axis=-1))"),
    "pad": _shown("PAD", "accept every draft but pivots, which SD verifies", "PAD", "PAD",
                  "pad({flags}, {limit}, {guardrail})"),
    "strict": _shown("PAD, strict", "reject every pivot, accept the rest; replacements from p", "PAD", "PAD",
                     "strict({flags})"),
    "tli": _shown("TLI", "draft from q on the shared tokens, scaled up to 1", "pruned drafters", "TLI", "tli({shared})"),
    "restricted": _shown("Pruned, not scaled", "reject every draft outside the shared tokens", "pruned drafters",
                         "no transfer", "restricted({shared})"),
    "unigram": _shown("TLI and unigram", "TLI, with a fixed share w on pruned tokens", "pruned drafters", "unigram",
                      "unigram_mixture({shared}, {prior}, {mix})"),
    "static": _shown("Best static mixture", "TLI, best fixed probabilities for pruned tokens; knows p",
                     "pruned drafters", "static mixture", "static({shared}, static_mixture(p, q, {shared}).extra)"),
    "rdk": _shown("RDK", "TLI, then an affinity moves mass between tokens", "pruned drafters", "RDK",
                  "rdk({shared}, dense({affinity}))"),
    "rdk-affine": _shown("RDK, affine", "the linear-time form that mixes the uniform law and π", "pruned drafters",
                         "RDK, linear time", "rdk({shared}, affine({prior}, {strength}, 1))"),
    "rdk-normalised": _shown("RDK, normalised", "the linear-time form that is scaled to sum to 1", "pruned drafters",
                             "RDK, linear time", "rdk({shared}, normalised({prior}, {strength}, 1))"),
    "sqs": _named("sqs", "K-SQS", "quantised drafts", "K-SQS", "sqs({k}, {resolution})"),
    "csqs": _named("csqs", "C-SQS", "quantised drafts", "C-SQS", "csqs({threshold}, {resolution})"),
    "dense": _named("dense", "Quantised only", "quantised drafts", "dense", "dense_sqs({resolution})"),
    "uniform": _named("uniform", "Uniform drafts", "controls", "uniform", "uniform()"),
}  # fmt: skip
"""Every rule of the page.  Those of the package that are missing have a logarithm or a power in them (EARS with the
normalised entropy, the exponential form of RDK, the affinity of Eq. 2), of which fractions know nothing."""
