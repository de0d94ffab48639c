"""A member of the zoo: a rule as a program with chance, so that its exact law and its black box come from one body."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.audit.calling import Sampler, UniformSampler
from simspec.audit.drafting import Drafter, Drawn, as_tree, candidates, drafting_of, drafts_by
from simspec.audit.levels import Laws, model_of
from simspec.audit.pairs import Pair
from simspec.laws import Array
from simspec.methods.block import Model, Outcome, Prefix
from simspec.methods.verifier.chance import Chance, every, many
from simspec.methods.verifier.verifier import (
    Drafting,
    Facts,
    NodeProgram,
    PathProgram,
    Verifier,
    by_nodes,
    by_rows,
    facts,
)

__all__ = [
    "Member",
    "Rule",
    "black_box",
    "by_depth",
    "called_once",
    "decisions",
    "drawn_by",
    "exact_facts",
    "greedy",
    "on_nodes",
    "rates",
    "residual",
    "sampled",
    "shown_tv",
    "small",
    "verifier",
    "with_uniforms",
]


class Rule(NamedTuple):
    """A rule with its drafts, and in words: what mends a fault, what stands beside a rule, or other settings of it.

    `nodes` is the same rule on laws that are functions of the prefix, where the drafts are a tree.
    """

    words: str
    program: PathProgram
    drafts: Drafter
    nodes: NodeProgram | None = None


class Member(NamedTuple):
    """A published fault, an honest rule that was taken for one, or a rule that is lossy by declaration.

    Attributes
    ----------
    name : str
    kind : "fault", "report" (right tokens, wrong number), "honest" or "lossy"
    part : what is wrong or looks wrong: reported/sampled, uniforms, residual, stopping, bookkeeping, numerics
    summary : how it differs from speculative decoding
    threads : where it was published, as owner/name #number; the text was read
    program, drafts : the rule, and how drafts are drawn
    laws : target and draft laws, the smallest that show it; for an honest one, laws on which it looks most suspicious
    number : of the page: F for faults, H for honest rules, L for lossy ones
    why : what it does to the law, or why it does nothing
    repair : what mends it; what is lossless, or quicker, beside a rule that is no fault
    shown : functions whose lines show it
    second_hand : threads that are told of by others, or of which parts were read
    nodes : the same rule on laws that are functions of the prefix, where the drafts are a tree
    frozen : every batch of calls begins a generator of its own, always the same
    settings : the same with other values of its parameters
    reports : the rule with the number of accepted drafts that it tells, where that is another one
    """

    name: str
    kind: str
    part: str
    summary: str
    threads: tuple[str, ...]
    program: PathProgram
    drafts: Drafter
    laws: Pair
    number: str = ""
    why: str = ""
    repair: Rule | None = None
    shown: tuple[Callable[..., Any], ...] = ()
    second_hand: tuple[str, ...] = ()
    nodes: NodeProgram | None = None
    frozen: bool = False
    settings: tuple[Rule, ...] = ()
    reports: PathProgram | None = None

    @property
    def source(self) -> str:
        """The first thread."""
        return (*self.threads, *self.second_hand)[0]

    def repaired(self) -> Member:
        """The member with its repair; itself where nothing is to be mended."""
        return self if self.repair is None else self.by(self.repair)

    def by(self, rule: Rule) -> Member:
        """The member with another rule and its drafts."""
        return self._replace(program=rule.program, drafts=rule.drafts, nodes=rule.nodes, frozen=False)


def small(p: str, q: str) -> Pair:
    """Laws written as rows of fractions.

    >>> small("1/4 3/4, 1 0", "1/2 1/2").p.tolist()
    [[0.25, 0.75], [1.0, 0.0]]
    """
    rows = [[[Fraction(mass) for mass in row.split()] for row in laws.split(",")] for laws in (p, q)]
    return Pair(f"p = {p}; q = {q}", *(np.array(laws, dtype=np.float64) for laws in rows))


def sampled(draft: Model, gamma: int, chance: Chance) -> Prefix:
    """Drafts drawn one after the other from the draft laws.

    >>> from simspec.methods.verifier.chance import UniformChance
    >>> sampled(lambda prefix: [0.25, 0.75], 2, UniformChance(lambda: 0.5))
    (1, 1)
    """
    x: Prefix = ()
    for _ in range(gamma):
        x = (*x, chance.draw(draft(x)))
    return x


def greedy(draft: Model, gamma: int, chance: Chance) -> Prefix:
    """The most likely token each time, the lowest at ties.

    >>> from simspec.methods.verifier.chance import UniformChance
    >>> greedy(lambda prefix: [0.5, 0.5], 2, UniformChance(lambda: 0.9))
    (0, 0)
    """
    x: Prefix = ()
    for _ in range(gamma):
        x = (*x, int(np.argmax(draft(x))))
    return x


def residual(p: Sequence[Any], reported: Sequence[Any]) -> Sequence[Any]:
    """Weights of the positive part of p - told; p where nothing is left.

    >>> residual([0.5, 0.5], [0.75, 0.25]), residual([1, 0], [1, 0])
    ([0, 0.25], [1, 0])
    """
    residual_weights = [max(a - b, 0) for a, b in zip(p, reported, strict=True)]
    return residual_weights if any(residual_weights) else p


def by_depth(nodes: NodeProgram) -> PathProgram:
    """A rule on a tree, on laws that depend on the depth alone."""
    return lambda p, q, drafts, chance: nodes(by_rows(p), by_rows(q), drafts, chance)


def called_once(member: Member, p: Sequence[Any], q: Sequence[Any], chance: Chance) -> tuple[Prefix, int]:
    """One call: drafts, then the rule; tokens emitted and drafts accepted."""
    return member.program(p, q, member.drafts(by_rows(q), len(q), chance), chance)


def on_nodes(member: Member) -> NodeProgram:
    """The rule of a member on laws that are functions of the prefix."""

    def on_path(target: Model, draft: Model, x: Prefix, chance: Chance) -> tuple[Prefix, int]:
        p = [target(x[:i]) for i in range(len(x) + 1)]
        return member.program(p, [draft(x[:i]) for i in range(len(x))], x, chance)

    return member.nodes or on_path


def verifier(member: Member) -> tuple[Drafting, Verifier]:
    """A member as a drafting and a verifier, for laws that are functions of the prefix.

    >>> from simspec.audit.zoo import MEMBERS
    >>> drafting, judge = verifier(MEMBERS["match_emit"])
    >>> laws = lambda prefix: [0.25, 0.75]
    >>> from simspec.methods.verifier import outcomes
    >>> len(outcomes(judge, laws, laws, 1, drafting))
    6
    """

    return drafting_of(member.drafts), by_nodes(on_nodes(member))


def exact_facts(member: Member, p: Array, q: Array) -> Facts:
    """Exact output law, TV, acceptance and lengths of a member on laws p (gamma + 1, V) and q (gamma, V).

    >>> from simspec.audit.zoo import MEMBERS
    >>> of = exact_facts(MEMBERS["zero_coin"], np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[0.0, 1.0]]))
    >>> float(of.tv), of.law
    (0.5, {(1, 0): 1.0})
    """
    targets = p.tolist()
    drafts = q.tolist()
    ways = every(lambda chance: called_once(member, targets, drafts, chance))
    outcomes = [Outcome(probability, tokens, accepted) for probability, (tokens, accepted) in ways]
    return facts(outcomes, by_rows(targets), len(drafts))


def shown_tv(member: Member, p: Array, q: Array) -> Any:
    """TV of a member from the target: of one call, or of two together where generators are frozen.

    Two calls with the same uniforms emit the same text, and a target with law P a text of its own for each: TV is
    1 - sum P^2.

    >>> from simspec.audit.zoo import MEMBERS
    >>> float(shown_tv(MEMBERS["frozen_seed"], np.array([[0.5, 0.5]]), np.zeros((0, 2))))
    0.5
    """
    member_facts = exact_facts(member, p, q)
    return 1 - sum(mass * mass for mass in member_facts.target.values()) if member.frozen else member_facts.tv


def black_box(member: Member) -> Sampler:
    """A member as a sampler to audit: its program run with uniforms, many calls at once.

    On laws that depend on the prefix too, and with the acceptance rate that it tells where that is a wrong one.

    >>> from simspec.audit.zoo import MEMBERS
    >>> ties = np.array([[0.5, 0.5], [1.0, 0.0]])
    >>> black_box(MEMBERS["greedy_told_softmax"])(ties, ties[:1], 3, np.random.default_rng(0)).tolist()
    [[0, 0], [0, 0], [0, 0]]
    """
    reporting = member if member.reports is None else member._replace(program=member.reports)

    def sampler(p: Laws, q: Laws, n: int, rng: np.random.Generator) -> Any:
        tokens = np.full((n, len(p)), -1)
        accepted = 0
        generator = np.random.default_rng(0) if member.frozen else rng
        for calls, (emitted, accepted_drafts) in many(_call(reporting, p, q), n, generator):
            tokens[calls, : len(emitted)] = emitted
            accepted += accepted_drafts * len(calls)
        if member.reports is None or not len(q):
            return tokens
        return {"tokens": tokens, "acceptance": accepted / (n * len(q))}

    return sampler


def _call(member: Member, p: Laws, q: Laws) -> Callable[[Chance], tuple[Prefix, int]]:
    if isinstance(p, np.ndarray) and isinstance(q, np.ndarray):
        return partial(called_once, member, p.tolist(), q.tolist())
    target = model_of(p)
    draft = model_of(q)
    rule = on_nodes(member)
    return lambda chance: rule(target, draft, member.drafts(draft, len(q), chance), chance)


def rates(member: Member, p: Array, q: Array) -> tuple[Any, Any]:
    """Share of the drafts that a member says it accepted, and share that it accepted; means of a call, exact.

    >>> from simspec.audit.zoo import MEMBERS
    >>> p = np.array([[0.5, 0.5], [1.0, 0.0], [1.0, 0.0]])
    >>> print(*rates(MEMBERS["count_past_rejection"], p, np.array([[0.0, 1.0], [1.0, 0.0]])))
    0.75 0.5
    """
    reporting = member if member.reports is None else member._replace(program=member.reports)
    shares = [
        sum(weight * accepted for weight, (_, accepted) in every(_call(variant, p, q))) / len(q)
        for variant in (reporting, member)
    ]
    return shares[0], shares[1]


def drawn_by(member: Member) -> Drawn:
    """How a member drafts, for exact mode: all its drafts on draft laws, with their probabilities.

    >>> from simspec.audit.zoo import MEMBERS
    >>> drawn_by(MEMBERS["topk_tree_q1"])(np.array([[0.25, 0.5, 0.25]])).tokens.tolist()
    [[[1], [0]]]
    """
    return lambda q: drafts_by(drafting_of(member.drafts), q)


def with_uniforms(member: Member) -> UniformSampler:
    """A member as a verifier (p, q, drafts, uniforms) -> tokens, n calls at once; exact mode drafts for it by `drawn_by`.

    Drafts (n, gamma), or (n, K, gamma) where they are several paths or a tree; uniforms (n, C): the k-th decision of a
    call takes its k-th uniform, and needs at most `decisions`.

    >>> from simspec.audit.zoo import MEMBERS
    >>> judge = with_uniforms(MEMBERS["match_emit"])
    >>> p, q = np.array([[0.25, 0.75], [0.5, 0.5]]), np.array([[0.5, 0.5]])
    >>> judge(p, q, np.array([[0], [0]]), np.array([[0.1, 0.6], [0.3, 0.6]])).tolist()
    [[0, 1], [1, -1]]
    """

    def sampler(p: Laws, q: Laws, drafts: NDArray[np.int64], uniforms: Array) -> NDArray[np.int64]:
        target = model_of(p)
        draft = model_of(q)
        tokens = np.full((len(drafts), len(p)), -1)
        distinct, draft_of = np.unique(drafts, axis=0, return_inverse=True)
        for number, x in enumerate(distinct):
            at = np.flatnonzero(draft_of.reshape(-1) == number)
            rule = partial(on_nodes(member), target, draft, _drafted(member, x))
            for calls, (emitted, _) in many(rule, len(at), uniforms[at]):
                tokens[at[calls], : len(emitted)] = emitted
        return tokens

    return sampler


def _drafted(member: Member, x: NDArray[np.int64]) -> Any:
    """Drafts as the rule of a member takes them."""
    if x.ndim == 1:
        return tuple(x.tolist())
    drafter = member.drafts.func if isinstance(member.drafts, partial) else member.drafts
    return tuple(map(tuple, x.tolist())) if drafter is candidates else as_tree(x)


class _Counted:
    """Chance that counts what is asked."""

    def __init__(self, chance: Chance) -> None:
        self.chance, self.asked = chance, 0

    def draw(self, weights: Sequence[Any] | Array) -> int:
        self.asked += 1
        return self.chance.draw(weights)

    def keep(self, share: Any, total: Any) -> bool:
        self.asked += 1
        return self.chance.keep(share, total)


def decisions(member: Member, pair: Pair) -> int:
    """Most decisions of a call of the rule on a pair of laws: the uniforms that `with_uniforms` needs; at least 1.

    >>> from simspec.audit.zoo import MEMBERS
    >>> decisions(MEMBERS["match_emit"], MEMBERS["match_emit"].laws)
    2
    """
    target = model_of(pair.p)
    draft = model_of(pair.q)
    rule = on_nodes(member)

    def call(chance: Chance) -> int:
        drafts = member.drafts(draft, len(pair.q), chance)
        counted = _Counted(chance)
        rule(target, draft, drafts, counted)
        return counted.asked

    return max(1, *(number_of_decisions for _, number_of_decisions in every(call)))
