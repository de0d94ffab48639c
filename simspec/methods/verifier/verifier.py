"""A `Verifier` judges a whole draft at once; from its list of outcomes everything else follows, once for all verifiers.

What a one-token `Method` cannot say is said here: a residual that depends on the drafted token, uniforms shared between
tokens, joint acceptance of a block, several drafts, trees.  What is not here: how many calls show a bias (`simspec.audit`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from simspec.checks import whole_number
from simspec.laws import Array, Scalar
from simspec.methods.block import DEEPEST, Model, Outcome, Prefix, check_gamma
from simspec.methods.method import Method, as_method, one_step
from simspec.methods.verifier.chance import Chance, every

__all__ = [
    "Drafting",
    "Facts",
    "Verifier",
    "by_nodes",
    "by_program",
    "by_rows",
    "facts",
    "from_method",
    "next_tokens",
    "one_path",
    "outcomes",
    "program_of",
]

Verifier = Callable[[Model, Model, Any], Iterable[Outcome]]
"""(target laws, draft laws, drafted tokens) -> a finite list of outcomes, whose probabilities sum to one.

Laws are functions of the prefix, so that it can ask for those on every node of a tree.  The drafted tokens are a tuple,
or whatever the `Drafting` that goes with it makes: a tuple of paths, say."""

Drafting = Callable[[Model, int], Iterable[tuple[Any, Any]]]
"""(draft laws, gamma) -> every draft and its probability, as pairs (probability, drafted tokens)."""

MOST_TEXTS = 10**5
"""Most texts of one length that are told apart before they grow by a token."""

PathProgram = Callable[[Sequence[Any], Sequence[Any], Prefix, Chance], tuple[Prefix, int]]
"""(gamma + 1 target laws, gamma draft laws, drafted tokens, chance) -> (tokens emitted, drafts accepted)."""

NodeProgram = Callable[[Model, Model, Any, Chance], tuple[Prefix, int]]
"""(target laws, draft laws, drafted tokens, chance) -> (tokens emitted, drafts accepted); laws are functions of the prefix."""


def by_rows(laws: Sequence[Any] | Array) -> Model:
    """Laws that depend on the position alone: row i is the law of token i + 1.

    >>> by_rows([[1.0, 0.0], [0.0, 1.0]])((0,))
    [0.0, 1.0]
    """
    return lambda prefix: laws[len(prefix)]


def one_path(draft: Model, gamma: int) -> Iterator[tuple[Any, Prefix]]:
    """Every path of gamma tokens drawn one after the other from the draft laws, with its probability.

    >>> list(one_path(lambda prefix: [0.25, 0.75], 1))
    [(0.25, (0,)), (0.75, (1,))]
    """
    whole_number("gamma", gamma, 0, DEEPEST, f"a number of drafts from 0 to {DEEPEST}")

    def longer(weight: Scalar, path: Prefix) -> Iterator[tuple[Any, Prefix]]:
        if len(path) == gamma:
            yield weight, path
            return
        for token, mass in enumerate(draft(path)):
            if mass > 0:
                yield from longer(weight * mass, (*path, token))

    return longer(1, ())


def by_program(program: PathProgram) -> Verifier:
    """The verifier of one drafted path that goes as a program does; the program sees the laws on its path as rows.

    >>> def never(p, q, x, chance):  # ask the target, keep no draft
    ...     return (chance.draw(p[0]),), 0
    >>> by_program(never)(lambda prefix: [0.25, 0.75], lambda prefix: [0.5, 0.5], (0,))[1]
    Outcome(probability=0.75, tokens=(1,), accepted=0)
    """

    def on_path(target: Model, draft: Model, drafts: Prefix, chance: Chance) -> tuple[Prefix, int]:
        p = [target(drafts[:i]) for i in range(len(drafts) + 1)]
        q = [draft(drafts[:i]) for i in range(len(drafts))]
        return program(p, q, drafts, chance)

    return by_nodes(on_path)


def by_nodes(program: NodeProgram) -> Verifier:
    """The verifier of several drafts, of a tree for one, that goes as a program does; it asks for the law on any node.

    >>> def either(target, draft, drafts, chance):  # a draw from the target, accepted where it is among the drafts
    ...     own = chance.draw(target(()))
    ...     return (own,), int(own in drafts)
    >>> by_nodes(either)(lambda prefix: [0.25, 0.5, 0.25], lambda prefix: [], (0, 2))[2]
    Outcome(probability=0.25, tokens=(2,), accepted=1)
    """

    def verifier(target: Model, draft: Model, drafts: Sequence[int]) -> list[Outcome]:
        ways = every(lambda chance: program(target, draft, drafts, chance))
        return [Outcome(probability, tokens, accepted) for probability, (tokens, accepted) in ways]

    vars(verifier)["program"] = program
    return verifier


def program_of(verifier: Verifier) -> NodeProgram:
    """The program that a verifier goes as, to be run with uniforms; where it was not made from one, a draw from its outcomes.

    >>> program = program_of(by_program(lambda p, q, x, chance: ((chance.draw(p[0]),), 0)))
    >>> list(every(lambda chance: program(lambda x: [0.25, 0.75], lambda x: [], (), chance)))
    [(0.25, ((0,), 0)), (0.75, ((1,), 0))]
    """

    def drawn(target: Model, draft: Model, drafts: Any, chance: Chance) -> tuple[Prefix, int]:
        possible = list(verifier(target, draft, drafts))
        outcome = possible[chance.draw([entry.probability for entry in possible])]
        return outcome.tokens, outcome.accepted

    node_program: NodeProgram = getattr(verifier, "program", drawn)
    return node_program


def from_method(method: Method) -> tuple[Drafting, Verifier]:
    """A one-token rule as a drafting and a verifier: drafts from its `propose`, tested one after the other.

    `block_outcomes` enumerates the same block without the drafts, so without dividing by their masses.

    >>> import numpy as np
    >>> from simspec.methods import SD
    >>> drafting, verifier = from_method(SD)
    >>> p, q = np.array([0.5, 0.5]), np.array([0.75, 0.25])
    >>> for outcome in verifier(lambda prefix: p, lambda prefix: q, (0,)):
    ...     print(round(float(outcome.probability), 6), outcome.tokens, outcome.accepted)
    0.333333 (0, 0) 1
    0.333333 (0, 1) 1
    0.333333 (1,) 0
    """

    method = as_method(method)

    def drafting(draft: Model, gamma: int) -> Iterator[tuple[Any, Prefix]]:
        return one_path(lambda prefix: method.propose(draft(prefix)), gamma)

    def program(p: Sequence[Array], q: Sequence[Array], x: Prefix, chance: Chance) -> tuple[Prefix, int]:
        for i, token in enumerate(x):
            step = one_step(method, p[i], q[i])
            if not chance.keep(step.accepted[token], step.reported[token]):
                return (*x[:i], chance.draw(step.residual)), i
        return (*x, chance.draw(p[-1])), len(x)

    return drafting, by_program(program)


def outcomes(
    verifier: Verifier, target: Model, draft: Model, gamma: int, drafting: Drafting = one_path
) -> list[Outcome]:
    """Every way in which one call can end, drafts included, with its probability.

    Parameters
    ----------
    target, draft : prefix -> law
    gamma : int; drafts of one call on a path, levels of a tree
    drafting : how drafts are drawn: from `draft`, one path, by default

    Raises ValueError where an outcome is no outcome: not 1 to gamma + 1 tokens, or fewer tokens than accepted drafts.

    >>> import numpy as np
    >>> from simspec.methods import SD
    >>> p, q = np.array([0.5, 0.5]), np.array([0.75, 0.25])
    >>> sum(o.probability * o.accepted for o in outcomes(from_method(SD)[1], lambda x: p, lambda x: q, 1))
    np.float64(0.75)
    """
    check_gamma(gamma)
    weighted_outcomes = []
    for weight, drafts in drafting(draft, gamma):
        for outcome in verifier(target, draft, drafts):
            if not outcome.accepted <= len(outcome.tokens) <= gamma + 1 or not outcome.tokens:
                raise ValueError(
                    f"verifier: emits {outcome.tokens} and accepts {outcome.accepted} of the drafts {drafts}; "
                    f"expected 1 to {gamma + 1} tokens, at least as many as accepted drafts"
                )
            weighted_outcomes.append(outcome._replace(probability=weight * outcome.probability))
    return weighted_outcomes


def next_tokens(
    weighted_outcomes: Iterable[Outcome], target: Model, length: int, prefix: Prefix = ()
) -> dict[Prefix, Any]:
    """Law of the next `length` tokens, as {text: probability}: what was emitted, continued with the target's own law.

    Without outcomes but `Outcome(1, (), 0)` it is the target's law of these tokens.

    >>> law = next_tokens([Outcome(0.5, (0,), 0), Outcome(0.5, (1, 1), 1)], lambda prefix: [0.25, 0.75], 2)
    >>> {text: float(mass) for text, mass in law.items()}
    {(1, 1): 0.5, (0, 0): 0.125, (0, 1): 0.375}
    """
    length = whole_number("length", length, 0, DEEPEST + 1, f"a number of tokens from 0 to {DEEPEST + 1}")
    by_length: list[dict[Prefix, Any]] = [{} for _ in range(length + 1)]
    for outcome in weighted_outcomes:
        text = outcome.tokens[:length]
        books = by_length[len(text)]
        books[text] = books.get(text, 0) + outcome.probability
    for books, longer in pairwise(by_length):
        if len(books) > MOST_TEXTS:
            raise ValueError(f"length: {length}; expected at most {MOST_TEXTS} texts, each of which is told apart")
        for text, weight in books.items():
            for token, mass in enumerate(target(prefix + text)):
                if mass > 0:
                    key = (*text, token)
                    longer[key] = longer.get(key, 0) + weight * mass
    return by_length[-1]


class Facts(NamedTuple):
    """What follows from the outcomes of one call.

    Attributes
    ----------
    law : {text: probability}; the next gamma + 1 tokens, continued with the target's own law
    target : {text: probability}; the same of the target alone
    tv : total variation between the two, in [0, 1]
    kl : divergence of the law from the target's, in nats; infinite where a text is emitted that the target never says
    acceptance : probability that at least one draft is accepted
    accepted : mean number of accepted drafts
    length : mean number of emitted tokens
    lengths : probability of 1, 2, ..., gamma + 1 emitted tokens
    """

    law: dict[Prefix, Any]
    target: dict[Prefix, Any]
    tv: Any
    kl: float
    acceptance: Any
    accepted: Any
    length: Any
    lengths: tuple[Any, ...]


def facts(weighted_outcomes: Sequence[Outcome], target: Model, gamma: int) -> Facts:
    """Output law, distances, acceptance and lengths from a list of outcomes, of a verifier or of `block_outcomes`.

    Exact on fractions, but for the divergence.

    >>> import numpy as np
    >>> from simspec.laws import exact
    >>> from simspec.methods import SD, block_outcomes
    >>> p, q = exact(np.array([0.5, 0.5])), exact(np.array([0.75, 0.25]))
    >>> of = facts(list(block_outcomes(SD, lambda x: p, lambda x: q, (), 2)), lambda x: p, 2)
    >>> print(of.tv, of.acceptance, of.length, *of.lengths)
    0 3/4 37/16 1/4 3/16 9/16
    """
    law = next_tokens(weighted_outcomes, target, gamma + 1)
    target_law = next_tokens([Outcome(1, (), 0)], target, gamma + 1)
    return Facts(
        law=law,
        target=target_law,
        tv=sum(abs(law.get(text, 0) - target_law.get(text, 0)) for text in {**target_law, **law}) / 2,
        kl=_divergence(law, target_law),
        acceptance=sum(o.probability for o in weighted_outcomes if o.accepted),
        accepted=sum(o.probability * o.accepted for o in weighted_outcomes),
        length=sum(o.probability * len(o.tokens) for o in weighted_outcomes),
        lengths=tuple(sum(o.probability for o in weighted_outcomes if len(o.tokens) == n) for n in range(1, gamma + 2)),
    )


def _divergence(law: dict[Prefix, Any], target_law: dict[Prefix, Any]) -> float:
    if any(mass > 0 and not target_law.get(text, 0) > 0 for text, mass in law.items()):
        return math.inf
    return sum(float(mass) * math.log(mass / target_law[text]) for text, mass in law.items() if mass > 0)
