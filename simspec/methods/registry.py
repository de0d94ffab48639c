"""Rules by name, as the command line and tables write them: ``ears:0.1``, ``lenience:1/2``, ``mine.py:power:0.9``.

`REGISTRY` holds what every name stands for, and every other list of rules is computed from it: help, completion, what is
measured, what is audited.  A `RuleKind` is a name with all that is known of it, a `Rule` one that was written with its
numbers.  Rules of one's own are named by their place, installed under the entry-point group ``simspec.rules``, or added with
`register`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from simspec.laws import Array, unchecked
from simspec.loading import faults, installed, load, place_of
from simspec.methods import known as of_pair
from simspec.methods.block.hierarchical import hierarchical_capped, hierarchical_naive, hierarchical_package
from simspec.methods.block.survival import Along, block_survival, naive_survival, ratios, token_survival
from simspec.methods.block.verification import block_verifier
from simspec.methods.calls import Call, Map
from simspec.methods.contexts import drafted_from_text, labelled_pad
from simspec.methods.coupling.fresh_coins import one_key_verifier, two_keys_verifier
from simspec.methods.coupling.lists import list_match
from simspec.methods.coupling.quantile import quantile, quantile_verifier
from simspec.methods.coupling.race import gumbel, minhash
from simspec.methods.coupling.verifiers import gumbel_verifier
from simspec.methods.csqs.conformal import csqs
from simspec.methods.ears.acceptance import ears, fresh, normalised_entropy, variance
from simspec.methods.ears.relaxed import lenience, levelled, mixture, typical
from simspec.methods.known import Known, On, check_known
from simspec.methods.method import Method, as_method, read_names_with
from simspec.methods.multi.acceptance import match_acceptance, rrs_acceptance, rrsw_acceptance
from simspec.methods.multi.drafting import greedy_drafts, hub, iid, swor
from simspec.methods.multi.greedy import greedy_acceptance, greedy_verification, spechub, spechub_acceptance
from simspec.methods.multi.kseq import kept_once, kseq_acceptance, kseq_rho
from simspec.methods.multi.recursive import recursive_rejection
from simspec.methods.multi.siblings import (
    Accepts,
    Siblings,
    acceptance_of,
    first_is_overlap,
    hub_alone,
    most_of,
    top_alone,
    top_mass,
)
from simspec.methods.multi.thresholds import optimal_acceptance
from simspec.methods.relaxed.cactus import cactus, cactus_verifier
from simspec.methods.relaxed.cascades import cascade, ensemble, opt_law, tok3_law
from simspec.methods.relaxed.criteria import additive, multiplicative, strict, top, typical_argmax
from simspec.methods.relaxed.fuzzy import fuzzy, jensen_shannon, kullback_leibler
from simspec.methods.relaxed.reading import match, match_fresh, slem_verifier, slrs_verifier
from simspec.methods.relaxed.thresholds import thresholds
from simspec.methods.sd import SD
from simspec.methods.sqs.quantised import dense_sqs, sqs
from simspec.methods.sqs.wire import csqs_wire, dense_wire, sqs_wire, token_bits
from simspec.methods.stop.drafting import kept_law, one_hot, whole
from simspec.methods.stop.rules import dropped, entropy_stop, top_stop
from simspec.methods.tli import uniform
from simspec.methods.tree.traversal import traversal
from simspec.methods.tree.walking import certain, sample, target_only
from simspec.methods.verifier.match import exact_match, exact_match_fresh
from simspec.methods.verifier.programs import (
    NARROW,
    Program,
    dropped_program,
    kseq_node,
    list_program,
    path_program,
    reread_program,
    sibling_program,
    siblings,
    top_drafts,
)
from simspec.methods.verifier.verifier import from_method, one_path

__all__ = [
    "FORMS",
    "REGISTRY",
    "Rule",
    "RuleKind",
    "as_rule",
    "faults_of",
    "first_alone",
    "kind_of",
    "kinds",
    "register",
    "rule",
    "usages",
]

NEAR = 0.7
"""How alike two names are, in the measure of `difflib`, for one to be suggested in place of the other."""
FORMS = {
    "token": "a method of one draft",
    "context": "a method of one draft, another in each context",
    "siblings": "several drafts of a step",
    "path": "a path of drafts that is judged as a whole",
    "tree": "a tree of drafts of a size to choose",
    "program": "known by its own program alone",
}
"""What a rule is."""


@dataclass(frozen=True)
class RuleKind:
    """What the name of a rule stands for.

    Attributes
    ----------
    name : the name, without numbers
    form : one of `FORMS`
    summary : what it does, in a line
    make : numbers -> Method, or Method and bits, of a rule of one draft; for one with `needs` Known -> Method, or On where it
        differs from context to context
    numbers : names of its numbers
    needs : fields of `Known` that it is made from
    lossless : whether what is emitted has the target's law, whatever the two laws are
    free : whether it drafts without a draft model
    siblings : how it treats several drafts of a step
    along : how it is measured along a text, where it judges a whole path
    program : how an audit runs it, where that is not its method token by token
    """

    name: str
    form: str
    summary: str
    make: Callable[..., Any] | None = None
    numbers: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    lossless: bool = False
    free: bool = False
    siblings: Siblings | None = None
    along: Along | None = None
    program: Program | None = None

    def parts(self, *numbers: Any) -> tuple[Method, Callable[[Array], Array] | None]:
        """The method of one draft with these numbers, and q -> bits of a draft's law where the law is sent.

        >>> REGISTRY["ears"].parts(0.5)
        (ears(0.5), None)
        """
        if self.make is None:
            raise ValueError(f"rule: {self.name!r} {_refusal(self)}")
        value = self.make(*numbers)
        return value if isinstance(value, tuple) else (value, None)

    @property
    def usage(self) -> str:
        """How the rule is written.

        >>> REGISTRY["sqs"].usage
        'sqs:K,RESOLUTION'
        """
        return self.name + (":" + ",".join(self.numbers) if self.numbers else "")


@dataclass(frozen=True, repr=False)
class Rule:
    """A rule as it was written, its method, and q -> bits that one draft's law takes (None: the law is not sent).

    A rule that differs from context to context has `on` as well, and `at` says what it is on some rows.  A lossless rule of
    several drafts has `accepts`, laws p and q -> acceptance, and its method means nothing; `most` is the largest acceptance
    of any lossless rule with the same drafts, where it is known.
    """

    name: str
    method: Method = SD
    bits: Callable[[Array], Array] | None = None
    on: On | None = None
    accepts: Accepts | None = None
    most: Accepts | None = None

    def __repr__(self) -> str:
        return f"Rule({self.name!r})"

    @property
    def kind(self) -> RuleKind | None:
        """What its name stands for; None for a rule that has no name here."""
        return kind_of(self.name)

    @property
    def form(self) -> str | None:
        """One of `FORMS`; None for a rule that has no name here."""
        kind = self.kind
        return None if kind is None else kind.form

    @property
    def along(self) -> Along | None:
        """How it is measured along a text, where it judges a whole path."""
        kind = self.kind
        return None if kind is None else kind.along

    @property
    def single(self) -> Method:
        """The method, or an error where there is none for one draft of known laws."""
        if self.accepts is not None:
            raise ValueError(
                f"rule: {self.name!r} drafts several tokens for a position, so it is no method; measure it with `simspec.rates`"
            )
        if self.on is not None:
            raise ValueError(
                f"rule: {self.name!r} depends on the context; take the method of a context with `.at(rows, q)[0]`"
            )
        return self.method

    @property
    def propose(self) -> Callable[[Array], Array]:
        """That of the method, so that a `Rule` stands wherever a `Method` does."""
        return self.single.propose

    @property
    def accept(self) -> Callable[[Array, Array], Array]:
        """That of the method."""
        return self.single.accept

    @property
    def residual(self) -> Callable[[Array, Array], Array]:
        """That of the method."""
        return self.single.residual

    def at(self, rows: slice, q: Array) -> tuple[Method, Array]:
        """The method on some rows, and the laws that it is given for the draft's there."""
        return (self.method, q) if self.on is None else self.on(rows, q)


# --- rules of one draft, made from their numbers ----------------------------------------------------------------------


def _whole(name: str, number: Any) -> int:
    if number != int(number):
        raise ValueError(f"{name}: {number}; expected an integer")
    return int(number)


def _sqs(k: Any, resolution: Any) -> tuple[Method, Any]:
    numbers = _whole("K", k), _whole("RESOLUTION", resolution)
    return sqs(*numbers), sqs_wire(*numbers)


def _csqs(threshold: Any, resolution: Any) -> tuple[Method, Any]:
    resolution = _whole("RESOLUTION", resolution)
    return csqs(threshold, resolution), csqs_wire(threshold, resolution)


def _dense(resolution: Any) -> tuple[Method, Any]:
    resolution = _whole("RESOLUTION", resolution)
    return dense_sqs(resolution), dense_wire(resolution)


def _likeliest(q: Array) -> Array:
    """The law of the draft's most likely token, the first of equals."""
    return (np.arange(q.shape[-1]) == q.argmax(axis=-1)[..., None]).astype(q.dtype)


def _greedy() -> tuple[Method, Any]:
    return replace(SD, propose=_likeliest), token_bits


def _hub_program() -> Any:
    return sibling_program(spechub, hub)(2)


def _traversal_program(k: int) -> Any:
    return siblings(iid, k), traversal(), k


def _traversal_swor_program(k: int) -> Any:
    return siblings(swor, k), traversal(False), k


def _text(name: str, summary: str, n_max: int, source: str, *needs: str) -> RuleKind:
    """A rule that drafts from texts and asks no draft model."""
    make = partial(drafted_from_text, n_max=n_max, source=source)
    return RuleKind(name, "context", summary, make, needs=("text", *needs), lossless=True, free=True)


def _program(name: str, summary: str, make: Callable[..., Any], numbers: tuple[str, ...] = ()) -> RuleKind:
    """A rule that is known by its own program alone."""
    return RuleKind(name, "program", summary, numbers=numbers, program=Program(make, summary))


_K = ("K",)
_TOP = Siblings("top", top_mass, first=lambda p, q, k: top_mass(p, q, 1))

_BY_NUMBERS = (
    RuleKind("sd", "token", "speculative decoding: keep min(p, q); lossless", lambda: SD, lossless=True),
    RuleKind("ears", "token", "EARS with the residual of speculative decoding", ears, ("BETA",)),
    RuleKind(
        "ears-fresh",
        "token",
        "EARS with a fresh draw from p after a rejection",
        lambda beta: replace(ears(beta), residual=fresh),
        ("BETA",),
    ),
    RuleKind(
        "ears-entropy",
        "token",
        "EARS with the normalised entropy",
        lambda beta: ears(beta, normalised_entropy),
        ("BETA",),
    ),
    RuleKind("ears-variance", "token", "EARS with 1 - sum p^2", lambda beta: ears(beta, variance), ("BETA",)),
    RuleKind("lenience", "token", "accept with min(1, p/(FACTOR q))", lenience, ("FACTOR",)),
    RuleKind(
        "lenience-levelled",
        "token",
        "lenience with the residual that makes KL smallest",
        lambda factor: levelled(lenience(factor)),
        ("FACTOR",),
    ),
    RuleKind("mixture", "token", "speculative decoding towards (1 - w) p + w q", mixture, ("WEIGHT",)),
    RuleKind(
        "typical",
        "token",
        "typical acceptance",
        lambda epsilon, delta: typical(float(epsilon), float(delta)),
        ("EPSILON", "DELTA"),
    ),
    RuleKind(
        "sqs",
        "token",
        "drafts from the quantised law of the K most likely tokens",
        _sqs,
        ("K", "RESOLUTION"),
        lossless=True,
    ),
    RuleKind(
        "csqs",
        "token",
        "drafts from the quantised law of tokens above a threshold",
        _csqs,
        ("THRESHOLD", "RESOLUTION"),
        lossless=True,
    ),
    RuleKind("dense", "token", "drafts from the quantised law of all tokens", _dense, ("RESOLUTION",), lossless=True),
    RuleKind(
        "greedy", "token", "drafts the draft's most likely token, keeps it with p; lossless", _greedy, lossless=True
    ),
    RuleKind("uniform", "token", "drafts uniformly: a control", uniform, lossless=True, free=True),
    RuleKind(
        "cactus",
        "token",
        "Cactus: keep min(q, p + sqrt(2 DELTA p (1 - p)))",
        cactus,
        ("DELTA",),
        program=Program(
            lambda delta: (one_path, cactus_verifier(delta), 0),
            "Cactus as it is told, the residual of the refused token; biased",
        ),
    ),
    RuleKind(
        "ensemble",
        "token",
        "static ensemble: speculative decoding towards w p + (1 - w) q",
        ensemble,
        ("WEIGHT",),
    ),
    RuleKind(
        "cascade-opt",
        "token",
        "cascade: towards p where max q < max p - a TV, else towards q",
        lambda alpha: cascade(alpha, opt_law),
        ("ALPHA",),
    ),
    RuleKind(
        "cascade-tok3",
        "token",
        "cascade: towards q on tokens with p >= (1 - a) max p, p beyond",
        lambda alpha: cascade(alpha, tok3_law),
        ("ALPHA",),
    ),
    RuleKind(
        "fsd-js",
        "token",
        "FSD: keep where the Jensen-Shannon divergence is at most a threshold, else draw from p",
        lambda threshold: fuzzy(threshold, jensen_shannon),
        ("THRESHOLD",),
    ),
    RuleKind(
        "fsd-js-residual",
        "token",
        "FSD, with the residual of speculative decoding",
        lambda threshold: fuzzy(threshold, jensen_shannon, SD.residual),
        ("THRESHOLD",),
    ),
    RuleKind(
        "fsd-kl",
        "token",
        "FSD by KL(p||q)",
        lambda threshold: fuzzy(threshold, kullback_leibler),
        ("THRESHOLD",),
    ),
    RuleKind(
        "fsd-tv",
        "token",
        "FSD by total variation",
        lambda threshold: fuzzy(threshold, unchecked.tv),
        ("THRESHOLD",),
    ),
    RuleKind(
        "typical-argmax",
        "token",
        "typical acceptance, the target's most likely token after a refusal",
        typical_argmax,
        ("EPSILON", "DELTA"),
    ),
    RuleKind("strict", "token", "greedy drafts, kept where they are the target's most likely token", strict),
    RuleKind("additive", "token", "greedy drafts, kept where p(x) >= max p - m", additive, ("MARGIN",)),
    RuleKind("multiplicative", "token", "greedy drafts, kept where p(x) >= FACTOR max p", multiplicative, ("FACTOR",)),
    RuleKind("top", "token", "greedy drafts, kept among the target's COUNT most likely tokens", top, ("COUNT",)),
    RuleKind(
        "thresholds",
        "token",
        "SGLang's thresholds, of one drawn candidate: keep with min(1, p/T_ACC), surely from T_SINGLE on",
        thresholds,
        ("T_ACC", "T_SINGLE"),
    ),
    RuleKind(
        "match",
        "token",
        "exact match: emits a sample of the target, accepted where it is the draft; lossless",
        match,
        lossless=True,
        program=Program(
            path_program(exact_match), "emit a sample of the target, go on where it is the draft; lossless"
        ),
    ),
    RuleKind(
        "match-fresh",
        "token",
        "the same with another sample after a miss",
        match_fresh,
        program=Program(path_program(exact_match_fresh), "the same with another sample after a miss; biased"),
    ),
    RuleKind(
        "gumbel",
        "token",
        "draft and target race with the same noise; no law is sent, lossless",
        gumbel,
        lossless=True,
        program=Program(path_program(gumbel_verifier), "Gumbel coupling; lossless"),
    ),
    RuleKind(
        "minhash",
        "token",
        "the minhash coupling, min(p, q) over the sum of max(p, q); lossless",
        minhash,
        lossless=True,
    ),
    RuleKind(
        "quantile",
        "token",
        "one key draws draft and target's token by inversion, in the order of tokens; lossless",
        quantile,
        lossless=True,
        program=Program(path_program(quantile_verifier), "quantile keys, one for each position; lossless"),
    ),
    RuleKind(
        "p-min",
        "token",
        "drops a draft with q(x) < THRESHOLD, given q",
        dropped,
        ("THRESHOLD",),
        program=Program(dropped_program(lambda ends: whole), "drops a draft with q(x) < THRESHOLD, given q; biased"),
    ),
    RuleKind(
        "p-min-kept",
        "token",
        "the same, given the law of what is kept; lossless",
        lambda threshold: dropped(threshold, "kept"),
        ("THRESHOLD",),
        lossless=True,
        program=Program(dropped_program(kept_law), "the same, given the law of what is kept; lossless"),
    ),
    RuleKind(
        "p-min-one-hot",
        "token",
        "the same, given the token alone; lossless",
        lambda threshold: dropped(threshold, "one-hot"),
        ("THRESHOLD",),
        lossless=True,
        program=Program(dropped_program(lambda ends: one_hot), "the same, given the token alone; lossless"),
    ),
    RuleKind(
        "p-min-rejected",
        "token",
        "the same, given q, what is dropped counts as rejected; lossless",
        lambda threshold: dropped(threshold, "rejected"),
        ("THRESHOLD",),
        lossless=True,
    ),
    RuleKind(
        "top-stop",
        "token",
        "drafts only where max q >= THRESHOLD; lossless",
        top_stop,
        ("THRESHOLD",),
        lossless=True,
    ),
    RuleKind(
        "entropy-stop",
        "token",
        "drafts only where 1 - sqrt(0.2 H(q)) >= THRESHOLD (AdaEDL); lossless",
        entropy_stop,
        ("THRESHOLD",),
        lossless=True,
    ),
)

_SEVERAL = (
    RuleKind(
        "gumbel-list",
        "siblings",
        "K drafts with noise of their own, the target with the least of it; lossless",
        numbers=_K,
        lossless=True,
        siblings=Siblings("iid", list_match),
        program=Program(list_program, "Gumbel coupling with K candidates; lossless", NARROW),
    ),
    RuleKind(
        "rrs",
        "siblings",
        "recursive rejection of K independent drafts; lossless",
        numbers=_K,
        lossless=True,
        siblings=Siblings("iid", rrs_acceptance, first=first_is_overlap),
        program=Program(
            sibling_program(recursive_rejection(), iid),
            "recursive rejection of K independent drafts a level; lossless",
        ),
    ),
    RuleKind(
        "rrsw",
        "siblings",
        "recursive rejection of K drafts without replacement; lossless",
        numbers=_K,
        lossless=True,
        siblings=Siblings("swor", rrsw_acceptance, first=first_is_overlap),
        program=Program(
            sibling_program(recursive_rejection(False), swor), "recursive rejection without replacement; lossless"
        ),
    ),
    RuleKind(
        "kseq",
        "siblings",
        "K-SEQ, at its smallest lossless threshold; lossless",
        numbers=_K,
        lossless=True,
        siblings=Siblings("iid", kseq_acceptance, first=lambda p, q, k: kept_once(p, q, kseq_rho(p, q, k)[1])),
        program=Program(sibling_program(kseq_node, iid), "K-SEQ at its smallest lossless threshold; lossless", NARROW),
    ),
    RuleKind(
        "spechub",
        "siblings",
        "SpecHub, two drafts; lossless",
        lossless=True,
        siblings=Siblings("hub", lambda p, q, k: spechub_acceptance(p, q), fixed=2, first=hub_alone),
        program=Program(_hub_program, "SpecHub, two drafts a level; lossless"),
    ),
    RuleKind(
        "greedy-drafts",
        "siblings",
        "the K - 1 most likely drafts and another; lossless",
        numbers=_K,
        lossless=True,
        siblings=Siblings("greedy", greedy_acceptance, first=top_alone),
        program=Program(
            sibling_program(greedy_verification, greedy_drafts), "the K - 1 most likely drafts and another; lossless"
        ),
    ),
    RuleKind(
        "target-only",
        "siblings",
        "target-only verification of the K most likely drafts; lossless",
        numbers=_K,
        lossless=True,
        siblings=_TOP,
        program=Program(
            sibling_program(target_only(), top_drafts), "target-only verification of the K most likely; lossless"
        ),
    ),
    RuleKind(
        "certain",
        "siblings",
        "EAGLE's test of the K most likely drafts; lossless",
        numbers=_K,
        lossless=True,
        siblings=_TOP,
        program=Program(sibling_program(certain, top_drafts), "EAGLE's test of the K most likely; lossless"),
    ),
    RuleKind(
        "sample",
        "siblings",
        "a sample of the target, looked for among K independent drafts; lossless",
        numbers=_K,
        lossless=True,
        siblings=Siblings("iid", match_acceptance, first=lambda p, q, k: match_acceptance(p, q, 1)),
        program=Program(
            sibling_program(sample, iid), "a sample of the target, looked for among K independent drafts; lossless"
        ),
    ),
    RuleKind(
        "traversal",
        "siblings",
        "traversal verification of K independent drafts; at one step recursive rejection; lossless",
        numbers=_K,
        lossless=True,
        siblings=Siblings("iid", rrs_acceptance, judges_tree=True),
        program=Program(_traversal_program, "traversal verification, K independent drafts a level; lossless", NARROW),
    ),
    RuleKind(
        "traversal-swor",
        "siblings",
        "the same without replacement; at one step recursive rejection; lossless",
        numbers=_K,
        lossless=True,
        siblings=Siblings("swor", rrsw_acceptance, judges_tree=True),
        program=Program(_traversal_swor_program, "the same without replacement; lossless", NARROW),
    ),
    RuleKind(
        "optimum",
        "siblings",
        "the best that any lossless rule does with K independent drafts",
        numbers=_K,
        lossless=True,
        siblings=Siblings("iid", optimal_acceptance, is_bound=True),
    ),
    RuleKind(
        "optimum-swor",
        "siblings",
        "the same without replacement",
        numbers=_K,
        lossless=True,
        siblings=Siblings("swor", lambda p, q, k: optimal_acceptance(p, q, k, "swor"), is_bound=True),
    ),
)

_OF_PAIR = (
    RuleKind(
        "tli",
        "token",
        "drafts from q on the shared tokens alone, normalised; lossless",
        of_pair.tli_of,
        needs=("shared",),
        lossless=True,
    ),
    RuleKind(
        "static-mixture",
        "token",
        "TLI and the best fixed masses outside the shared tokens; lossless",
        of_pair.static_of,
        needs=("shared", "tuning"),
        lossless=True,
    ),
    RuleKind(
        "rdk",
        "token",
        "linear-time RDK, normalised form, the mean target law for its prior; lossless",
        of_pair.rdk_of,
        needs=("shared", "tuning", "mean"),
        lossless=True,
    ),
    RuleKind(
        "unigram-mixture",
        "token",
        "TLI and the mean target law outside the shared tokens: a control",
        of_pair.mixture_of,
        needs=("shared", "tuning", "mean"),
        lossless=True,
    ),
    RuleKind(
        "unigram",
        "token",
        "drafts from the mean target law: a control",
        of_pair.unigram_of,
        needs=("mean",),
        lossless=True,
        free=True,
    ),
    RuleKind(
        "slem",
        "token",
        "another vocabulary's drafts, read again: exact match with the first token; lossless",
        of_pair.slem_of,
        needs=("first",),
        lossless=True,
        program=Program(
            reread_program(slem_verifier),
            "samples of the target beside the drafted text read again (0 then 1 is 2); lossless",
        ),
    ),
    RuleKind(
        "slrs",
        "token",
        "the same, speculative decoding of the law of the first token; lossless",
        of_pair.slrs_of,
        needs=("first",),
        lossless=True,
        program=Program(
            reread_program(slrs_verifier),
            "the first token of that text by speculative decoding of its law; lossless",
        ),
    ),
    _text("prompt-lookup", "drafts what followed the last two tokens in the text so far; lossless", 3, "prompt"),
    _text("prompt-ngram", "the same for the last three tokens; lossless", 4, "prompt"),
    _text("bigram", "drafts what follows the last token in other texts; lossless", 2, "corpus", "corpus"),
    _text("ngram", "drafts what follows the last three tokens in other texts; lossless", 4, "corpus", "corpus"),
    _text("tasc", "TASC-spec: other texts and the text so far, mixed 3 to 1; lossless", 4, "both", "corpus"),
    RuleKind(
        "pad",
        "context",
        "PAD: keeps every draft that is no pivot and has p >= 1e-4; SD residual",
        labelled_pad,
        needs=("pivots",),
    ),
)

_JOINT = (
    RuleKind(
        "block",
        "path",
        "block verification (Sun et al. 2024): drafts of a call judged together; lossless",
        lossless=True,
        along=Along(ratios, block_survival),
        program=Program(path_program(block_verifier()), "block verification; lossless"),
    ),
    RuleKind(
        "token",
        "path",
        "token verification along the text, beside block; lossless",
        lossless=True,
        along=Along(ratios, token_survival),
        program=Program(lambda: (*from_method(SD), 0), "token verification, the rule sd; lossless"),
    ),
    RuleKind(
        "hsd-capped",
        "path",
        "hierarchical verification, capped: keeps what block keeps; lossless",
        lossless=True,
        along=Along(ratios, block_survival, why="block.optimal, block.hsd-more.capped-corrected"),
        program=Program(path_program(hierarchical_capped), "hierarchical verification, capped; lossless"),
    ),
    RuleKind(
        "hsd-naive",
        "path",
        "hierarchical verification, naive: a target call for every token after the branch; lossless",
        lossless=True,
        along=Along(
            ratios,
            naive_survival,
            best="hsd-naive",
            why="block.lossy-price-corrected, block.hsd-lossless.naive",
            writes_on=True,
        ),
        program=Program(path_program(hierarchical_naive), "hierarchical verification, Definitions 4 and 5; lossless"),
    ),
    RuleKind(
        "tree-top",
        "tree",
        "the best tree of the draft's most likely tokens, target-only verification; lossless",
        lossless=True,
    ),
    RuleKind("tree-iid", "tree", "the best tree of independent draws, recursive rejection; lossless", lossless=True),
    RuleKind(
        "tree-swor",
        "tree",
        "the best tree of draws without replacement, recursive rejection (Sequoia); lossless",
        lossless=True,
    ),
    _program(
        "block-early",
        "block verification that stops at the first test that fails; biased",
        path_program(block_verifier(True)),
    ),
    _program(
        "block-token-residual",
        "block verification with the residual of a token; biased",
        path_program(block_verifier(token_residual=True)),
    ),
    _program(
        "two-keys",
        "a key for the draft, another for the residual token, a fresh coin in the test; lossless",
        path_program(two_keys_verifier),
    ),
    _program(
        "one-key",
        "one key for the draft and the residual token, a fresh coin in the test; biased",
        path_program(one_key_verifier),
    ),
    _program("hsd-package", "the capped rule as a package indexes it; biased", path_program(hierarchical_package)),
    _program(
        "rrs-skip",
        "recursive rejection, a draft that comes again is passed over; biased",
        sibling_program(recursive_rejection(skip_duplicates=True), iid),
        _K,
    ),
    _program(
        "target-only-iid",
        "target-only verification of K independent drafts; biased",
        sibling_program(target_only(), iid),
        _K,
    ),
)

REGISTRY: dict[str, RuleKind] = {kind.name: kind for kind in (*_BY_NUMBERS, *_SEVERAL, *_OF_PAIR, *_JOINT)}
"""Every rule that has a name."""


def register(kind: RuleKind) -> RuleKind:
    """Add a rule to `REGISTRY`: from then on its name is read wherever rules are named, in this process.

    Raises ValueError for a name that is there, a form that is none, and a rule of one draft without `make`.

    >>> halved = RuleKind("halved", "token", "keeps half", lambda: replace(SD, accept=lambda p, d: SD.accept(p, d) / 2))
    >>> register(halved).name, rule("halved"), REGISTRY.pop("halved") is halved
    ('halved', Rule('halved'), True)
    """
    if kind.name in REGISTRY:
        raise ValueError(
            f"name: {kind.name!r} is already the name of a rule ({REGISTRY[kind.name].summary}); expected another name"
        )
    if kind.form not in FORMS:
        raise ValueError(f"form: {kind.form!r}; expected one of {', '.join(FORMS)}")
    if kind.form in ("token", "context") and kind.make is None:
        raise ValueError(f"make: None; expected a function that returns the method of the rule {kind.name!r}")
    REGISTRY[kind.name] = kind
    return kind


def kinds(*forms: str) -> list[RuleKind]:
    """The rules of some forms, in the order of the registry.

    >>> [kind.name for kind in kinds("tree")]
    ['tree-top', 'tree-iid', 'tree-swor']
    """
    return [kind for kind in REGISTRY.values() if kind.form in forms]


def kind_of(text: str) -> RuleKind | None:
    """What the name in a text such as ``ears:0.1`` stands for; None where the registry does not have it.

    >>> kind_of("ears:0.1").numbers, kind_of("mine.py:power")
    (('BETA',), None)
    """
    return REGISTRY.get(text.partition(":")[0])


def rule(text: str, known: Known = Known(), several: bool = False) -> Rule:  # noqa: B008 - a tuple
    """The rule that a text such as ``ears:0.1`` names.

    Parameters
    ----------
    text : str
        a name of `REGISTRY`, then its numbers after a colon, separated by commas; a number is a decimal or a fraction.

        Or ``FILE.py:NAME``, ``module:NAME`` or an installed name, with numbers where NAME is a
        function of them.
    known : Known; what is known of the pair of models, for the rules that are made from it
    several : bool; also the rules of several drafts

    Raises ValueError for an unknown name, a wrong number of numbers, text that is no number, a number the rule
    refuses, a rule that needs more than is known, or a method that is no rule for one token; and where the place has no
    `Method` or `Rule`, or its code fails.

    >>> made = rule("lenience:1/2")
    >>> made.method.accept(np.array([0.25, 0.75]), np.array([0.75, 0.25])).tolist()
    [0.5, 0.25]
    """
    return as_rule(text, known, ("siblings",) if several else ())


def as_rule(
    given: str | Rule | Method,
    known: Known = Known(),  # noqa: B008 - a tuple
    also: Sequence[str] = (),
) -> Rule:
    """The rule that an argument stands for: a name as `rule` reads it, a `Rule`, or a `Method`, which its call names.

    Parameters
    ----------
    given : str, Rule or Method
    known : Known; what is known of the pair of models
    also : forms of `FORMS` that are taken beside rules of one draft; a path or a tree has no method of its own

    Raises ValueError as `rule`.

    >>> as_rule(ears(0.5)), as_rule("block", also=("path",))
    (Rule('ears(0.5)'), Rule('block'))
    """
    if isinstance(given, Rule):
        return given
    if not isinstance(given, str):
        return Rule(repr(given), as_method(given, "rule"))
    kind = kind_of(given)
    if kind is None:
        return _from_place(given)
    if kind.form not in ("token", "context", *also):
        raise ValueError(f"rule: {given!r} {_refusal(kind)}")
    numbers = _numbers(given, kind)
    if kind.siblings is not None:
        return Rule(given, accepts=_accepts(kind.name, *numbers), most=_most(kind.name, *numbers))
    if kind.make is None:
        return Rule(given)
    if not kind.needs:
        return Rule(given, *kind.parts(*numbers))
    check_known(given, kind.needs, known)
    made = kind.make(known)
    return Rule(given, made) if isinstance(made, Method) else Rule(given, on=made)


def _accepts(name: str, *numbers: Any) -> Accepts:
    """Acceptance of a rule of several drafts, which travels to other processes by the rule's name."""
    return Map(acceptance_of(_siblings(name), *numbers), Call(_accepts, name, *numbers))


def _most(name: str, *numbers: Any) -> Accepts:
    """The most that any lossless rule with the same drafts accepts, likewise."""
    return Map(most_of(_siblings(name), *numbers), Call(_most, name, *numbers))


def _siblings(name: str) -> Siblings:
    siblings = REGISTRY[name].siblings
    if siblings is None:
        raise ValueError(f"rule: {name!r}; expected a rule of several drafts, such as rrs:2")
    return siblings


def _refusal(kind: RuleKind) -> str:
    """Why a name is no rule of one draft, and what takes it."""
    if kind.form == "siblings":
        return "drafts several tokens for a position; expected a rule with one draft (measure this one with `simspec rates`)"
    if kind.form == "path":
        takes = "takes it" if kind.along is not None and kind.along.writes_on else "and `simspec advise` take it"
        return f"verifies several drafts jointly; expected a rule for a single step (`simspec rates` {takes})"
    if kind.form == "tree":
        return "is a tree of drafts; expected a rule with one draft (`simspec advise` chooses the tree's size)"
    return "has a sampling program only, no formulas; expected a rule with formulas (`simspec audit` takes this one)"


def first_alone(text: str) -> tuple[int, Accepts | None]:
    """The number of drafts of a rule for several, and how often one certain draft is the accepted one; None of a bound.

    >>> k, alone = first_alone("rrs:2")
    >>> k, float(alone(np.array([0.25, 0.75]), np.array([0.75, 0.25])))
    (2, 0.5)
    """
    kind = kind_of(text)
    if kind is None:
        raise ValueError(_unknown(text))
    siblings = _siblings(kind.name)
    k = siblings.number(*_numbers(text, kind))
    alone = siblings.first
    return k, None if alone is None else lambda p, q: alone(p, q, k)


def _numbers(text: str, kind: RuleKind) -> list[Any]:
    """The numbers of a rule, as many as it takes."""
    parts = _parts(text.partition(":")[2])
    if kind.needs and ":" in text:
        raise ValueError(f"rule: {text!r}; expected {kind.usage}, without numbers")
    if len(parts) != len(kind.numbers):
        raise ValueError(f"rule: {text!r}; expected {kind.usage}{'' if kind.numbers else ', without numbers'}")
    return [_number(part, text) for part in parts]


def _parts(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


def _number(part: str, text: str) -> Any:
    try:
        return int(part) if part.isdigit() else float(Fraction(part))
    except (ValueError, ZeroDivisionError):
        raise ValueError(
            f"rule: {text!r}: {part!r} is not a number; expected a decimal or a fraction, such as 0.5 or 1/2"
        ) from None


def _from_place(text: str) -> Rule:
    """A rule of the user's: the value at a place, or what a function there makes of the numbers."""
    where, _, numbers = text.rpartition(":")
    reference, parts = (where, _parts(numbers)) if _is_place(where) else (text, [])
    if not _is_place(reference):
        raise ValueError(_unknown(text))
    try:
        value = load(reference, "rule", (Method, Rule), arguments=[_number(part, text) for part in parts])
    except ValueError as error:
        name = text.partition(":")[0]
        if _nearest(name) and f"No module named {name!r}" in str(error):  # a name that was mistyped, and no module
            raise ValueError(_unknown(text)) from error
        raise
    return replace(value, name=text) if isinstance(value, Rule) else Rule(text, value)


def _is_place(reference: str) -> bool:
    return place_of(reference) is not None or reference in installed("rule")


def _nearest(name: str) -> list[str]:
    """How the rules are written whose names are nearly this one."""
    written = {kind.name: kind.usage for kind in REGISTRY.values()} | {point: point for point in installed("rule")}
    return [written[near] for near in get_close_matches(name, written, cutoff=NEAR)]


def _unknown(text: str) -> str:
    """What to say of a name that is none, with those that are written nearly so."""
    near = _nearest(text.partition(":")[0])
    nearest = f"did you mean {' or '.join(near)}? " if near else ""
    choices = ", ".join([*usages(), *installed("rule"), "FILE.py:NAME or module:NAME"])
    return (
        f"rule: {text!r} is not known; {nearest}expected one of {choices} (`simspec rates --list` says what each does)"
    )


@contextmanager
def faults_of(rule: Rule) -> Iterator[None]:
    """Within, an error in a rule of the user's bears the name of the rule, and the line where its code fails.

    >>> with faults_of(Rule("mine.py:greedy", rule("sd").method)):
    ...     raise ValueError("accept(p, d): row 0 accepts too much")
    Traceback (most recent call last):
    ...
    ValueError: rule: 'mine.py:greedy': accept(p, d): row 0 accepts too much
    """
    own = [f for f in rule.method.maps if not str(getattr(f, "__module__", "")).startswith("simspec.")]
    kind = rule.kind
    if kind is not None and not kind.needs and not own:
        yield
        return
    label = f"rule: {rule.name!r}"
    try:
        with faults(label, *own):
            yield
    except ValueError as error:
        if str(error).startswith(label):
            raise
        raise ValueError(f"{label}: {error}") from error


def usages(*forms: str) -> dict[str, str]:
    """How each rule is written, and what it does; by default the rules that `rule` reads.

    >>> usages()["sqs:K,RESOLUTION"], usages("path")["block"][:18]
    ('drafts from the quantised law of the K most likely tokens', 'block verification')
    """
    return {kind.usage: _summary(kind) for kind in kinds(*(forms or ("token", "siblings", "context")))}


def _summary(kind: RuleKind) -> str:
    """What a rule does, and what else it is made from."""
    if not kind.needs:
        return kind.summary
    if kind.form == "context":
        return f"{kind.summary} (needs {kind.needs[0]})"
    source = "an array `first`, or a bank with a draft of another tokenizer" if kind.needs == ("first",) else "a bank"
    return f"{kind.summary} (needs {source})"


read_names_with(rule)
