r"""How many drafts of an n-gram drafter a target accepts, by two verifiers.

* Greedy: a draft is accepted while it equals a reference text (`greedy_calls`; `target_calls` for the number alone).
* Sampling: each draft is accepted with probability min(1, p/d) (`survival`, `tokens_per_call`, `acceptance_along`).

For drafts made greedily both are one: sampling verification accepts a one-hot draft x with probability p(x), which is
the probability that a token drawn from p is x, and a rejection draws from p without x.  So `greedy_calls` on references
drawn from the target is a sample of sampling verification, in law.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from simspec import laws
from simspec.laws import Array, check_law, unchecked
from simspec.methods.block import Model, Prefix, block_outcomes, check_gamma
from simspec.methods.method import Method, accepted_mass
from simspec.methods.sd import SD
from simspec.methods.tasc.drafter import Drafter, check_tokens, law
from simspec.methods.tasc.drafters import accepted_greedy, best, draft

__all__ = ["Calls", "acceptance_along", "greedy_calls", "survival", "target_calls", "tokens_per_call"]


@dataclass(frozen=True, eq=False)
class Calls:
    """What a number of target calls did; ``+`` adds those of several texts.

    Entry i of an array is about the draft at position i (from 0) of a call.

    Attributes
    ----------
    calls, tokens : int; target calls, and tokens they emitted: the accepted drafts and one more, within the reference
    offered : int array (gamma,); calls whose reference goes on to this position (drafts beyond its end are not counted)
    reached : int array (gamma,), of those, calls in which all earlier drafts were accepted
    accepted : int array (gamma,), of those, calls in which this draft was accepted too
    matched : int array (gamma,)
        offered calls in which this draft equals the reference's token here, whatever came before; a verifier stops
        earlier, so this is about the drafter alone.
    """

    calls: int
    tokens: int
    offered: Array
    reached: Array
    accepted: Array
    matched: Array

    def __add__(self, other: Calls) -> Calls:
        if len(self.offered) != len(other.offered):
            raise ValueError(f"other: {len(other.offered)} drafts a call; expected {len(self.offered)}")
        first_fields = vars(self).values()
        second_fields = vars(other).values()
        return Calls(*(a + b for a, b in zip(first_fields, second_fields, strict=True)))

    @property
    def tokens_per_call(self) -> float:
        """Emitted tokens per target call: 1 plus the mean number of accepted drafts, but for the ends of texts."""
        return self.tokens / self.calls if self.calls else float("nan")

    @property
    def unconditional(self) -> Array:
        """Share of calls that accept this position and so all before it (nan where no call offers it)."""
        return _share(self.accepted, self.offered)

    @property
    def conditional(self) -> Array:
        """Share of the calls that accepted all earlier positions that accept this one (nan where there is none)."""
        return _share(self.accepted, self.reached)


def _share(count: Array, total: Array) -> Array:
    return np.divide(count, total, out=np.full(len(total), np.nan), where=total > 0)


def greedy_calls(drafter: Drafter, reference: Sequence[int], gamma: int, prompt: Sequence[int] = ()) -> Calls:
    """Draft and verify a reference text greedily, from its first token to its last.

    A call drafts `gamma` tokens after what is written, accepts the longest prefix that the reference shares, and emits
    it with the reference's next token.  It measures agreement with the reference: with real outputs of a task that is
    not what some model would have accepted; with texts drawn from a target it is sampling verification, in law.

    Parameters
    ----------
    drafter : Drafter; it begins anew at the end of `prompt`, and sees each emitted token (a corpus table ignores both)
    reference : tokens; with its end-of-text token, if that is to be drafted too
    gamma : int >= 0; drafts a call; with 0 each call emits one token
    prompt : tokens; context that is not verified

    >>> from simspec.methods.tasc.drafters import train
    >>> run = greedy_calls(train([[0, 1, 2, 0]], n_max=2), [0, 1, 2, 2], gamma=2)
    >>> run.calls, run.tokens_per_call, run.accepted.tolist(), run.reached.tolist()
    (2, 2.0, [1, 1], [2, 1])
    """
    check_gamma(gamma)
    text = check_tokens(reference, drafter.vocab, "reference")
    state = drafter.begin(prompt)
    history = check_tokens(prompt, drafter.vocab, "prompt")
    calls = position = 0
    offered, reached, accepted, matched = (np.zeros(gamma, dtype=np.int64) for _ in range(4))
    while position < len(text):
        ahead = text[position : position + gamma]
        drafts = draft(state, history[max(len(history) - state.window, 0) :], len(ahead))  # none beyond the end
        number_accepted = accepted_greedy(drafts, ahead)
        calls += 1
        offered[: len(ahead)] += 1
        reached[: min(number_accepted + 1, len(ahead))] += 1
        accepted[:number_accepted] += 1
        matched[: len(ahead)] += np.equal(drafts, ahead)
        emitted = text[position : position + number_accepted + 1]
        for token in emitted:
            state.append(token)
        history += emitted
        position += len(emitted)
    return Calls(calls, position, offered, reached, accepted, matched)


def target_calls(drafter: Drafter, reference: Sequence[int], gamma: int, prompt: Sequence[int] = ()) -> int:
    """Target calls that `greedy_calls` counts, without asking for the drafts after a rejected one.

    Parameters are those of `greedy_calls`.

    >>> from simspec.methods.tasc.drafters import train
    >>> target_calls(train([[0, 1, 2, 0]], n_max=2), [0, 1, 2, 2], gamma=2)
    2
    """
    check_gamma(gamma)
    text = check_tokens(reference, drafter.vocab, "reference")
    state = drafter.begin(prompt)
    history = check_tokens(prompt, drafter.vocab, "prompt")
    calls = position = 0
    while position < len(text):
        context = history[max(len(history) - state.window, 0) :]
        number_accepted = 0
        ahead = text[position : position + gamma]
        while number_accepted < len(ahead) and best(state, context) == ahead[number_accepted]:
            context.append(ahead[number_accepted])
            number_accepted += 1
        emitted = text[position : position + number_accepted + 1]
        for token in emitted:
            state.append(token)
        history += emitted
        calls = calls + 1
        position = position + len(emitted)
    return calls


def survival(target: Model, drafter: Model, prefix: Prefix, gamma: int, method: Method = SD) -> Array:
    r"""Probability that the first 1, …, γ drafts of a call are all accepted, sampling verification.

    :math:`S_i = \sum_{x_1 \ldots x_i} \prod_{j \le i} k(x_j \mid x_{<j})`.  One plus their sum is the expected tokens of
    the call; :math:`S_i / S_{i-1}` is acceptance at position i given that all earlier positions were accepted.

    Parameters
    ----------
    target, drafter : prefix -> law
        all drafts are enumerated: one path for a greedy drafter, up to :math:`V^\gamma` otherwise.
    gamma : int >= 0

    Returns
    -------
    array (gamma,), in the arithmetic of the laws

    >>> p, d = np.array([0.5, 0.5]), np.array([0.75, 0.25])
    >>> survival(lambda x: p, lambda x: d, (), 2).tolist()
    [0.75, 0.5625]
    """
    check_gamma(gamma)
    if gamma == 0:
        return np.zeros(0)
    p = target(prefix)
    accepted = accepted_mass(method, p, drafter(prefix))
    out = np.array([accepted.sum()] + [0] * (gamma - 1), dtype=accepted.dtype)
    if gamma > 1:
        for token in np.flatnonzero(accepted):
            out[1:] += accepted[token] * survival(target, drafter, (*prefix, int(token)), gamma - 1, method)
    return out


def tokens_per_call(target: Model, drafter: Model, length: int, gamma: int, method: Method = SD) -> Any:
    r"""Expected tokens / expected target calls of texts of `length` tokens, by enumeration of every draft and uniform.

    The last call counts whole, and what it emits beyond `length` does not.

    Parameters
    ----------
    target, drafter : prefix -> law; small vocabularies and lengths
    length, gamma : int

    >>> p, d = np.array([1.0, 0.0]), np.array([0.5, 0.5])
    >>> float(tokens_per_call(lambda x: p, lambda x: d, length=2, gamma=1))  # 1 call or 2, each with probability 1/2
    1.3333333333333333
    """
    if not length >= 1:
        raise ValueError(f"length: {length}; expected at least one token")
    calls: Any = 0
    open_texts: dict[Prefix, Any] = {(): 1}
    while open_texts:
        text, weight = open_texts.popitem()
        calls += weight
        for outcome in block_outcomes(method, target, drafter, text, gamma):
            longer = text + outcome.tokens
            if len(longer) < length:
                open_texts[longer] = open_texts.get(longer, 0) + weight * outcome.probability
    return Fraction(length) / calls if isinstance(calls, Fraction | int) else length / calls


def acceptance_along(
    drafter: Drafter, targets: Sequence[Array], text: Sequence[int], prompt: Sequence[int] = (), greedy: bool = False
) -> Array:
    r"""Acceptance of one draft at each place of a text, :math:`\sum_x \min(p_t(x), d_t(x))`, sampling verification.

    Parameters
    ----------
    drafter : Drafter; begins anew at the end of `prompt`, and sees the text before each place
    targets : laws (T, V); the target's law before each token of the text
    text : tokens (T,)
    greedy : bool; draft the most likely token instead: acceptance is :math:`p_t` of that token

    Returns
    -------
    array (T,), in the arithmetic of the laws

    >>> from simspec.methods.tasc.drafters import train
    >>> half = np.array([0.5, 0.5])
    >>> acceptance_along(train([[0, 1]], n_max=2), [half, np.array([0.25, 0.75])], [0, 1]).tolist()
    [1.0, 0.75]
    """
    tokens = check_tokens(text, drafter.vocab, "text")
    history = check_tokens(prompt, drafter.vocab, "prompt")
    if len(targets) != len(tokens):
        raise ValueError(f"targets: {len(targets)} laws; expected one before each of the {len(tokens)} tokens")
    state = drafter.begin(history)
    rates = []
    for token, p in zip(tokens, targets, strict=True):
        context = history[max(len(history) - state.window, 0) :]
        if greedy:
            rates.append(check_law(p, "targets")[best(state, context)])
        else:
            d = law(state, context, exact=laws.is_exact(p))
            rates.append(unchecked.overlap(*laws.check_pair(p, d, ("targets", "drafter"))))
        state.append(token)
        history.append(token)
    return np.array(rates)
