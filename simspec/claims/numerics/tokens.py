"""At temperature 0 small differences of logits change a token only where two logits are close, and then the text.

`numerics.greedy`, `numerics.greedy-identical`, `numerics.greedy-prefix` and `numerics.temperature-zero-limit`: own statements,
and what vLLM and llama.cpp document.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, identity
from simspec.claims.numerics.parts import OWN

__all__ = ["agree", "clear", "hot", "logits_of", "sharp", "top"]

NEAR = "no logit differs by more than ε"


def top(z: Array) -> int:
    """The most likely token, the first of equals."""
    return int(np.argmax(z))


def hot(z: Array) -> Array:
    """1 at the most likely token."""
    return np.array([int(x == top(z)) for x in range(len(z))], dtype=object)


def _logits(draw: Draw, vocab: int) -> Array:
    return np.array([draw.number(-2, 2) for _ in range(vocab)])


def _shift(draw: Draw, vocab: int, epsilon: F) -> Array:
    return np.array([draw.number(-1, 1) * epsilon for _ in range(vocab)])


def logits_of(draw: Draw) -> Instance:
    """Logits of one position, how much each is changed, and ε."""
    vocab = 2 + draw.integer(0, 2)
    epsilon = draw.number(0, 2)
    return {"z": _logits(draw, vocab), "shift": _shift(draw, vocab, epsilon), "epsilon": epsilon}


def _is_near(shift: Array, epsilon: Any) -> bool:
    return bool((abs(shift) <= epsilon).all())


def _lead(z: Array, first: int) -> Array:
    """By how much a token leads each token."""
    return z[first] - z


GREEDY = bound(
    name="numerics.greedy",
    statement=r"Logits that differ by at most $\varepsilon$ leave the most likely token as it is where it leads "
    r"every other by more than "
    r"$2\varepsilon$: $\hat z_a - \hat z_x \ge z_a - z_x - 2\varepsilon$; 2 is the least constant",
    reference=OWN,
    instances=logits_of,
    assumes={NEAR: _is_near},
    lhs=lambda z, shift: _lead(z + shift, top(z)),
    relation=at_least,
    rhs=lambda z, epsilon: _lead(z, top(z)) - 2 * epsilon,
    tight=[{"z": np.array([F(1), F(0)]), "shift": np.array([F(-1, 2), F(1, 2)]), "epsilon": F(1, 2)}],
    outside={NEAR: {"z": np.array([F(1), F(0)]), "shift": np.array([F(-1), F(1)]), "epsilon": F(1, 2)}},
    sources=("exact",),
    note="The lead is lost in full where the two logits move apart by ε each; at exactly 2ε they tie, and the order "
    "of tokens decides.",
    broken=[broken("one ε in place of two", rhs=lambda z, epsilon: _lead(z, top(z)) - epsilon)],
)

GREEDY_IDENTICAL = identity(
    name="numerics.greedy-identical",
    statement=r"At temperature 0 speculative decoding gives the text that decoding without it gives: the verifier's "
    r"pass chooses the token "
    r"that the decoder's pass chooses",
    reference="vLLM and llama.cpp, documentation, on Leviathan et al. 2023",
    instances=logits_of,
    lhs=lambda z, shift: hot(z + shift),
    rhs=hot,
    sources=("exact",),
    corrected_by=("numerics.greedy-prefix",),
    within=({"z": np.array([F(1), F(0)]), "shift": np.array([F(-1, 2), F(1)]), "epsilon": F(1)},),
    note="True where both passes compute the same logits. A pass over several positions, or over another batch, "
    "sums in another order.",
)


def clear(z: Array, epsilon: F) -> Array:
    """Of each state: 1 where the most likely token leads all others by more than 2ε."""
    return np.array([int((np.delete(_lead(row, top(row)), top(row)) > 2 * epsilon).all()) for row in z], dtype=object)


def _written(z: Array, length: int) -> list[int]:
    """Tokens of the greedy text: row 0 before the text, row x + 1 after token x."""
    tokens: list[int] = []
    for _ in range(length):
        tokens.append(top(z[tokens[-1] + 1 if tokens else 0]))
    return tokens


def agree(z: Array, shift: Array, length: int) -> Array:
    """Whether the greedy texts of both computations agree on their first 1 … length tokens."""
    text = _written(z, length)
    shifted_text = _written(z + shift, length)
    return np.array([int(text[: n + 1] == shifted_text[: n + 1]) for n in range(length)], dtype=object)


def _all_clear(z: Array, epsilon: F, length: int) -> Array:
    """Whether no margin along the text of z has been 2ε or less, up to each of its tokens."""
    states = [0, *(x + 1 for x in _written(z, length))]
    flags = clear(z, epsilon)
    return np.array([int(all(flags[s] for s in states[: n + 1])) for n in range(length)], dtype=object)


def _texts(draw: Draw) -> Instance:
    """A table of logits by last token, how much each is changed, ε, and a length."""
    vocab = 2
    epsilon = draw.number(0, 1)
    rows = [(_logits(draw, vocab), _shift(draw, vocab, epsilon)) for _ in range(vocab + 1)]
    z, shift = (np.stack(table) for table in zip(*rows, strict=True))
    return {"z": z, "shift": shift, "epsilon": epsilon, "length": draw.integer(1, 4)}


SHORT = {"z": np.array([[F(2), F(0)]] * 3), "shift": np.array([[F(0), F(0)]] * 3), "epsilon": F(1, 2), "length": 2}

GREEDY_PREFIX = bound(
    name="numerics.greedy-prefix",
    statement=r"Two greedy texts whose logits differ by at most $\varepsilon$ after equal prefixes agree up to the "
    r"first position whose margin "
    r"is at most $2\varepsilon$",
    reference=OWN,
    instances=_texts,
    assumes={NEAR: _is_near},
    lhs=agree,
    relation=at_least,
    rhs=_all_clear,
    tight=[SHORT],
    outside={NEAR: {**SHORT, "shift": np.array([[F(-3, 2), F(3, 2)]] * 3)}},
    sources=("exact",),
    note="Behind that position nothing is promised: the prefixes are no longer equal, and the texts are two answers.",
    broken=[broken("margins above ε", rhs=lambda z, epsilon, length: _all_clear(z, epsilon / 2, length))],
)


def sharp(ratios: Array, n: int) -> Any:
    """Probability of the most likely token at temperature 1/n, from the weights at temperature 1."""
    powers = (ratios / ratios.max()) ** n
    return powers.max() / powers.sum()


def _weights(draw: Draw) -> Instance:
    return {"w": draw.weights(2 + draw.integer(0, 2)), "n": draw.integer(1, 6)}


def _second(w: Array) -> Any:
    return sorted(w)[-2] / max(w)


def _both(w: Array, n: int) -> Array:
    return np.array([sharp(w, n), -sharp(w, n)])


ZERO_LIMIT = bound(
    name="numerics.temperature-zero-limit",
    statement=r"As $T \to 0$ the law of the next token tends to greedy decoding if and only if the margin $m$ of "
    r"the logits is positive: "
    r"$1/(1 + (V - 1)e^{-m/T}) \le \max_x p_T(x) \le 1/(1 + e^{-m/T})$",
    reference=OWN,
    instances=_weights,
    lhs=_both,
    relation=at_least,
    rhs=lambda w, n: np.array([1 / (1 + (len(w) - 1) * _second(w) ** n), -1 / (1 + _second(w) ** n)]),
    tight=[{"w": np.array([F(1), F(1, 2)]), "n": 2}],
    sources=("exact",),
    note="T = 1/n, n whole. Without a margin the likeliest token has at most ½ at every temperature, and greedy "
    "decoding, which has 1, is "
    "no limit; with one the left side tends to 1. Both are attained by two tokens.",
    broken=[
        broken(
            "one other token in place of all",
            rhs=lambda w, n: np.array([1 / (1 + _second(w) ** n), -1 / (1 + _second(w) ** n)]),
        )
    ],
)
