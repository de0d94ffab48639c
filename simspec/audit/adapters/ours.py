"""Rules of this package as samplers to audit, by the names of `simspec rates` and some more: ``rrs:2``, ``block``, ``ears:0.1``.

A rule runs as its own program, with coins: as a black box, or in exact mode, where drafts and coins are arguments.  Rules for
several drafts have K siblings at each level, the first of which has those of the next; audited with at most `MOST` drafts a call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.audit.adapters.form import Adapted
from simspec.audit.drafting import Drafts, fractions_of
from simspec.audit.levels import Laws, model_of
from simspec.laws import Array
from simspec.methods.block import Model, Outcome, Prefix
from simspec.methods.block.hierarchical import hierarchical_capped, hierarchical_naive, hierarchical_package
from simspec.methods.block.verification import block_verifier
from simspec.methods.contexts import ROWWISE
from simspec.methods.coupling.verifiers import gumbel_list, gumbel_verifier
from simspec.methods.known import KNOWING
from simspec.methods.multi.drafting import DraftLaw, greedy_drafts, hub, iid, swor
from simspec.methods.multi.greedy import greedy_verification, spechub
from simspec.methods.multi.kseq import kseq, kseq_rho
from simspec.methods.multi.recursive import Node, recursive_rejection
from simspec.methods.registry import RULES, SEVERAL, rule
from simspec.methods.relaxed.cactus import cactus_verifier
from simspec.methods.relaxed.reading import Reading, merging, slem_verifier, slrs_verifier
from simspec.methods.sd import SD
from simspec.methods.stop.drafting import dropping_last, kept_law, one_hot, told_verifier, whole
from simspec.methods.tree.drafting import ranked
from simspec.methods.tree.shapes import Drafted
from simspec.methods.tree.traversal import traversal
from simspec.methods.tree.walking import certain, sample, target_only, top_down
from simspec.methods.verifier.chance import Chance, many
from simspec.methods.verifier.match import exact_match, exact_match_fresh
from simspec.methods.verifier.verifier import Drafting, Verifier, by_nodes, from_method, one_path, program_of

__all__ = ["JOINT", "MOST", "Own", "adapted_rule", "as_array", "as_nested", "siblings", "usages"]

MOST = 4
"""Most drafts of a call, where there are several of a level."""
NARROW = 2.0**-9
"""Resolution of rules whose coins are cut at places that exact mode may overlook."""


class Own(NamedTuple):
    """A rule with its drafts.

    Attributes
    ----------
    summary : what it does
    make : numbers -> (how drafts are drawn, verifier, drafts of a level or 0 of one path)
    numbers : names of its numbers
    resolution : TV that cells of coins cost where they are narrow and begin at no place that the laws suggest
    """

    summary: str
    make: Callable[..., tuple[Drafting, Verifier, int]]
    numbers: tuple[str, ...] = ()
    resolution: float = 0.0


def siblings(law: DraftLaw, k: int) -> Drafting:
    """Drafts of a law of several at each level; the first has those of the next level.

    >>> list(siblings(swor, 2)(lambda prefix: [0.5, 0.5], 1))
    [(0.5, ((0, ()), (1, ()))), (0.5, ((1, ()), (0, ())))]
    """

    def drafting(draft: Model, gamma: int) -> Iterator[tuple[Any, Drafted]]:
        def grown(at: Prefix, levels: int) -> Iterator[tuple[Any, Drafted]]:
            if not levels:
                yield 1, ()
                return
            for weight, (first, *others) in law(draft(at), k):
                for more, below in grown((*at, first), levels - 1):
                    yield weight * more, ((first, below), *((token, ()) for token in others))

        return grown((), gamma)

    return drafting


def _top(q: Any, k: int) -> Iterator[tuple[Any, Prefix]]:
    yield 1, ranked(q)[:k]


def _kseq(p: Any, q: Any, drafts: Any, chance: Chance) -> tuple[int, int | None]:
    """K-SEQ at the smallest lossless threshold of the node."""
    return kseq(_rho(tuple(p), tuple(q), len(drafts)))(p, q, drafts, chance)


@lru_cache(maxsize=256)
def _rho(p: tuple[Any, ...], q: tuple[Any, ...], k: int) -> Any:
    return kseq_rho(np.array(p), np.array(q), k)[1]


def _path(verifier: Verifier) -> Callable[[], tuple[Drafting, Verifier, int]]:
    return lambda: (one_path, verifier, 0)


def _several(node: Node, law: DraftLaw) -> Callable[[int], tuple[Drafting, Verifier, int]]:
    return lambda k: (siblings(law, k), top_down(node), k)


def _dropped(told: Callable[[Any], Any]) -> Callable[[float], tuple[Drafting, Verifier, int]]:
    def make(threshold: float) -> tuple[Drafting, Verifier, int]:
        def ends(q: Any, path: Prefix) -> bool:
            return bool(q[path[-1]] < threshold)

        return dropping_last(ends), told_verifier(told(ends)), 0

    return make


def _list(k: int) -> tuple[Drafting, Verifier, int]:
    """One step with K candidates, those of a tree of one level; where one is accepted a token of the target follows."""

    def verifier(target: Model, draft: Model, tree: Drafted) -> Iterator[Outcome]:
        found = gumbel_list(target, draft, tuple(token for token, _ in tree)) if tree else [Outcome(1, (), 1)]
        for one in found:
            if not one.accepted:
                yield one
                continue
            for token, mass in enumerate(target(one.tokens)):
                if mass > 0:
                    yield Outcome(one.probability * mass, (*one.tokens, token), len(one.tokens))

    return siblings(iid, k), verifier, MOST


def _reread(verifier: Callable[[Reading], Verifier]) -> Callable[[], tuple[Drafting, Verifier, int]]:
    """Drafts of a vocabulary of its own, whose text the target reads as `merging` does."""

    def judged(target: Model, draft: Model, drafts: Prefix, chance: Chance) -> tuple[Prefix, int]:
        return program_of(verifier(merging(len(target(())))))(target, draft, drafts, chance)

    return _path(by_nodes(judged))


_K = ("K",)
JOINT: dict[str, Own] = {
    "block": Own("block verification; lossless", _path(block_verifier())),
    "block-early": Own(
        "block verification that stops at the first test that fails; biased", _path(block_verifier(True))
    ),
    "block-token-residual": Own(
        "block verification with the residual of a token; biased", _path(block_verifier(token_residual=True))
    ),
    "token": Own("token verification, the rule sd; lossless", lambda: (*from_method(SD), 0)),
    "hsd-naive": Own("hierarchical verification, Definitions 4 and 5; lossless", _path(hierarchical_naive)),
    "hsd-capped": Own("hierarchical verification, capped; lossless", _path(hierarchical_capped)),
    "hsd-package": Own("the capped rule as a package indexes it; biased", _path(hierarchical_package)),
    "match": Own("emit a sample of the target, go on where it is the draft; lossless", _path(exact_match)),
    "match-fresh": Own("the same with another sample after a miss; biased", _path(exact_match_fresh)),
    "gumbel": Own("Gumbel coupling; lossless", _path(gumbel_verifier)),
    "gumbel-list": Own("Gumbel coupling with K candidates; lossless", _list, _K, NARROW),
    "rrs": Own(
        "recursive rejection of K independent drafts a level; lossless", _several(recursive_rejection(), iid), _K
    ),
    "rrs-skip": Own(
        "the same, a draft that comes again is passed over; biased",
        _several(recursive_rejection(skip_duplicates=True), iid),
        _K,
    ),
    "rrsw": Own("recursive rejection without replacement; lossless", _several(recursive_rejection(False), swor), _K),
    "kseq": Own("K-SEQ at its smallest lossless threshold; lossless", _several(_kseq, iid), _K, NARROW),
    "spechub": Own("SpecHub, two drafts a level; lossless", lambda: _several(spechub, hub)(2)),
    "greedy-drafts": Own(
        "the K - 1 most likely drafts and another; lossless", _several(greedy_verification, greedy_drafts), _K
    ),
    "target-only": Own("target-only verification of the K most likely; lossless", _several(target_only(), _top), _K),
    "target-only-iid": Own("the same of K independent drafts; biased", _several(target_only(), iid), _K),
    "certain": Own("EAGLE's test of the K most likely; lossless", _several(certain, _top), _K),
    "sample": Own("a sample of the target, looked for among K independent drafts; lossless", _several(sample, iid), _K),
    "traversal": Own(
        "traversal verification, K independent drafts a level; lossless",
        lambda k: (siblings(iid, k), traversal(), k),
        _K,
        NARROW,
    ),
    "traversal-swor": Own(
        "the same without replacement; lossless", lambda k: (siblings(swor, k), traversal(False), k), _K, NARROW
    ),
    "slem": Own(
        "samples of the target beside the drafted text read again (0 then 1 is 2); lossless", _reread(slem_verifier)
    ),
    "slrs": Own("the first token of that text by speculative decoding of its law; lossless", _reread(slrs_verifier)),
    "p-min": Own("drops a draft with q(x) < T, told q; biased", _dropped(lambda ends: whole), ("T",)),
    "p-min-kept": Own("the same, told the law of what is kept; lossless", _dropped(kept_law), ("T",)),
    "p-min-one-hot": Own("the same, told the token alone; lossless", _dropped(lambda ends: one_hot), ("T",)),
    "cactus": Own(
        "Cactus as it is told, the residual of the refused token; biased",
        lambda delta: (one_path, cactus_verifier(delta), 0),
        ("DELTA",),
    ),
}
"""Rules that verify jointly; those of one token by name are audited too."""


def usages() -> dict[str, str]:
    """How each rule here is written, and what it does.

    >>> usages()["rrs:K"]
    'recursive rejection of K independent drafts a level; lossless'
    """
    return {name + (":" + ",".join(own.numbers) if own.numbers else ""): own.summary for name, own in JOINT.items()}


def adapted_rule(text: str) -> Adapted | None:
    """A rule of this package by its name, in the forms that an audit takes; None for a name that is not here.

    Raises ValueError for numbers that do not fit, and for what `simspec rates` knows and no audit can run.

    >>> adapted_rule("rrs:2").most, adapted_rule("mine.py:sampler")
    (2, None)
    """
    name, _, rest = text.partition(":")
    if name in JOINT:
        own, parts = JOINT[name], [part for part in rest.split(",") if part]
        if len(parts) != len(own.numbers):
            raise ValueError(f"rule: {text!r}; expected {name}{':' if own.numbers else ''}{','.join(own.numbers)}")
        drafting, verifier, width = own.make(*(_number(text, part, own.numbers == _K) for part in parts))
        return _adapted(drafting, verifier, width)._replace(resolution=own.resolution)
    if name in RULES:
        return _adapted(*from_method(rule(text).method), 0)
    if name in SEVERAL or name in KNOWING or name in ROWWISE:
        why = "is a bound, and no rule" if name in SEVERAL else "needs more than the laws of a test"
        raise ValueError(f"rule: {text!r} {why}: `simspec rates` takes it")
    return None


def _number(text: str, part: str, whole: bool) -> Any:
    try:
        number = int(part) if whole else float(part)
    except ValueError:
        raise ValueError(f"rule: {text!r}: {part!r}; expected {'an integer' if whole else 'a number'}") from None
    if whole and not 1 <= number <= MOST:
        raise ValueError(f"rule: {text!r}; expected 1 to {MOST} drafts a level in an audit")
    return number


def _adapted(drafting: Drafting, verifier: Verifier, width: int) -> Adapted:
    program, most = program_of(verifier), MOST // width if width > 1 else 64

    def sampler(p: Laws, q: Laws, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        target, draft = model_of(p), model_of(q)
        drawn = list(drafting(draft, len(q)))
        weights = [float(weight) for weight, _ in drawn]

        def call(chance: Chance) -> tuple[Prefix, int]:
            return program(target, draft, drawn[chance.draw(weights)][1], chance)

        return _filled(np.full((n, len(p)), -1), np.arange(n), call, rng)

    def coined(p: Laws, q: Laws, drafts: NDArray[np.int64], uniforms: Array) -> NDArray[np.int64]:
        target, draft, tokens = model_of(p), model_of(q), np.full((len(drafts), len(p)), -1)
        each, number = np.unique(drafts, axis=0, return_inverse=True)
        for place, x in enumerate(each):
            at = np.flatnonzero(number.reshape(-1) == place)
            call = partial(program, target, draft, _read(x))
            tokens = _filled(tokens, at, call, uniforms[at])
        return tokens

    def drawn(q: Any) -> Drafts:
        made = list(drafting(model_of(fractions_of(q)), len(q)))
        arrays = [_written(x, len(q), width) for _, x in made]
        found: dict[bytes, tuple[NDArray[np.int64], Any]] = {}
        for array, (weight, _) in zip(arrays, made, strict=True):
            found[array.tobytes()] = (array, found.get(array.tobytes(), (array, 0))[1] + weight)
        return Drafts(np.stack([a for a, _ in found.values()]), [w for _, w in found.values()])

    return Adapted(sampler, coined, lambda gamma: gamma * (max(width, 1) + 1) + 2, 0, most=most, drawn=drawn)


def _filled(
    tokens: NDArray[np.int64], at: NDArray[np.int64], call: Callable[[Chance], Any], uniforms: Any
) -> NDArray[np.int64]:
    for calls, (emitted, _) in many(call, len(at), uniforms):
        tokens[at[calls], : len(emitted)] = emitted
    return tokens


# --- drafts as arrays -----------------------------------------------------------------------------------------------


def _written(x: Any, gamma: int, width: int) -> NDArray[np.int64]:
    """A path as (gamma,), filled up with -1; a tree as the paths of `as_array`."""
    if width:
        return as_array(x, gamma, width)
    return np.array([token for token, _ in zip_longest(x, range(gamma), fillvalue=-1)], dtype=np.int64)


def _read(x: NDArray[np.int64]) -> Any:
    return tuple(token for token in x.tolist() if token >= 0) if x.ndim == 1 else as_nested(x)


def as_array(tree: Drafted, gamma: int, width: int) -> NDArray[np.int64]:
    """The width^gamma paths of a drafted tree, filled up with -1: equal siblings have blocks of rows of their own.

    >>> as_array(((1, ((0, ()),)), (1, ())), 2, 2).tolist()
    [[1, 0], [1, -1], [1, -1], [1, -1]]
    """
    paths = np.full((width**gamma, gamma), -1)
    step = width ** (gamma - 1) if gamma else 0
    for place, (token, below) in enumerate(tree):
        block = paths[place * step : (place + 1) * step]
        block[:, 0] = token
        block[:, 1:] = as_array(below, gamma - 1, width)
    return paths


def as_nested(paths: NDArray[np.int64]) -> Drafted:
    """The drafted tree of its paths.

    >>> as_nested(np.array([[1, 0], [1, -1], [1, -1], [1, -1]]))
    ((1, ((0, ()),)), (1, ()))
    """
    number, gamma = paths.shape
    if not gamma:
        return ()
    width = round(number ** (1 / gamma))
    blocks = paths.reshape(width, -1, gamma)
    return tuple((int(block[0, 0]), as_nested(block[:, 1:])) for block in blocks if block[0, 0] >= 0)
