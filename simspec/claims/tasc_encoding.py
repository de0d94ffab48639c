"""Claims about using an enriched tokenizer (TASC §4.2, App. A): encoding with added tokens, initialising their rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.balls import enclose, exp, log
from simspec.claims.claim import Claim, Evidence, Instance, at_most, equal
from simspec.claims.data import Data
from simspec.claims.draw import Draw
from simspec.claims.empirical import rows_for
from simspec.claims.rdk_parts import matrix
from simspec.claims.sd import law
from simspec.laws import Array, is_exact, softmax
from simspec.methods.enrich import enrich
from simspec.methods.enrich_encode import added_encode, expansions, merge_encode, replay, toy_bpe
from simspec.methods.enrich_statistics import mean_logits, mean_rows

__all__ = ["CLAIMS"]

# --- added tokens ---------------------------------------------------------------------------------------------------

Merges = Sequence[tuple[str, str]]


def _string(draw: Draw, shortest: int, longest: int) -> str:
    return "".join("ab"[draw.integer(0, 1)] for _ in range(draw.integer(shortest, longest)))


def _tokenizer(draw: Draw) -> tuple[list[tuple[str, str]], list[str]]:
    """A merge table over two letters, and added tokens: neighbours in corpora as the base tokenizer cuts them."""
    known, merges = ["a", "b"], []
    for _ in range(draw.integer(0, 2)):
        pair = (known[draw.integer(0, len(known) - 1)], known[draw.integer(0, len(known) - 1)])
        merges.append(pair)
        known.append("".join(pair))
    added = []
    for _ in range(draw.integer(1, 2)):
        corpus = toy_bpe(merges)(_string(draw, 2, 4))
        at = draw.integer(0, max(0, len(corpus) - 2))
        added.append("".join(corpus[at : at + 2]))
    return merges, added


def _any_text(draw: Draw) -> Instance:
    merges, added = _tokenizer(draw)
    return {"merges": merges, "added": added, "text": _string(draw, 0, 6)}


def _boundaries(tokens: Sequence[str]) -> set[int]:
    return {sum(map(len, tokens[:i])) for i in range(len(tokens) + 1)}


def _cuts_agree(merges: Merges, added: Sequence[str], text: str) -> bool:
    """Whether every match of an added token begins and ends where the base encoding of the text has a boundary."""
    base = _boundaries(toy_bpe(merges)(text))
    at, cuts = 0, set()
    for piece in added_encode(text, added, list, [(token,) for token in added]):
        size = len(piece[0])
        cuts |= {at, at + size} if isinstance(piece, tuple) else set()
        at += size
    return cuts <= base


def _cut_text(draw: Draw) -> Instance:
    """A text in which added tokens cut at boundaries; an added token, or nothing, where a drawn text is cut elsewhere."""
    merges, added = _tokenizer(draw)
    text = _string(draw, 0, 6)
    if not _cuts_agree(merges, added, text):
        text = added[0] if _cuts_agree(merges, added, added[0]) else ""
    return {"merges": merges, "added": added, "text": text}


def _added(merges: Merges, added: Sequence[str], text: str) -> Array:
    """Length of the encoding, and whether it decodes to another text."""
    tokens = added_encode(text, added, toy_bpe(merges))
    return np.array([len(tokens), int("".join(tokens) != text)])


def _base(merges: Merges, text: str) -> Array:
    return np.array([len(toy_bpe(merges)(text)), 0])


ADDED = Claim(
    name="tasc.added-tokens",
    kind="bound",
    statement="Tokens added for neighbours in the corpus, matched before the base merges, never lengthen the encoding of "
    "a text (first row), which decodes to the same text (second row)",
    reference="TASC, App. A",
    instances=_any_text,
    lhs=_added,
    rhs=_base,
    relation=at_most,
    sources=("exact",),
    against=({"merges": [("a", "b"), ("a", "ab")], "added": ["aa"], "text": "aab"},),
    corrected_by=("tasc.added-tokens-corrected", "tasc.added-tokens-sharp"),
    note="Decoding holds: pieces and matches are concatenated. Length does not: a match cuts words that the base "
    "tokenizer had merged across its ends, and the remainders cost more than the match saves.",
)

BOUNDARIES = "each match begins and ends at a token boundary of the base encoding"

ADDED_CORRECTED = Claim(
    name="tasc.added-tokens-corrected",
    kind="bound",
    statement="With a byte-pair base tokenizer, added tokens never lengthen the encoding of a text in which each match "
    "begins and ends at a token boundary of the base encoding; every text decodes to itself",
    reference="correction of TASC, App. A",
    instances=_cut_text,
    assumes={BOUNDARIES: _cuts_agree},
    lhs=_added,
    rhs=_base,
    relation=at_most,
    sources=("exact",),
    tight=({"merges": [("a", "b")], "added": ["ab"], "text": "abb"},),
    outside={BOUNDARIES: {"merges": [("a", "b"), ("b", "a")], "added": ["bb"], "text": "abba"}},
    corrected_by=("tasc.added-tokens-sharp",),
    note="No merge of the base tokenizer crosses a boundary that is left at the end, so that what stands between two "
    "such boundaries is encoded alike alone and within the text; a match replaces at least one token by one. A base "
    "tokenizer that marks the start of each piece (a SentencePiece space, WordPiece's ##) can still lose.",
)


def _ids(draw: Draw) -> Instance:
    vocab = draw.integer(1, 3)
    corpus, text = ([draw.integer(0, vocab - 1) for _ in range(draw.integer(0, 7))] for _ in range(2))
    return {
        **{"corpus": corpus, "text": text, "vocab": vocab, "budget": draw.integer(0, 4), "n_max": draw.integer(2, 3)},
    }


def _through_table(corpus: list[int], text: list[int], vocab: int, budget: int, n_max: int) -> Array:
    done = enrich([corpus], budget, vocab, n_max)
    tokens = merge_encode(text, done)
    known = dict(zip(done.ids, expansions(done), strict=True))
    back = [base for token in tokens for base in known.get(token, (token,))]
    return np.array([len(tokens), -len(tokens), int(back != text)])


def _saved(corpus: list[int], text: list[int], vocab: int, budget: int, n_max: int) -> Array:
    done = enrich([corpus], budget, vocab, n_max)
    saved = sum(n * (len(g) - 1) for n, g in zip(replay([text], done).merged, done.ngrams, strict=True))
    return np.array([len(text) - saved, saved - len(text), 0])


ADDED_SHARP = Claim(
    name="tasc.added-tokens-sharp",
    kind="bound",
    statement=r"Through the merge table, after the base merges, new tokens never lengthen the encoding of any text: it "
    r"loses $\sum_i r_i (n_i - 1) \ge 0$ tokens, $r_i$ the merges of the $i$-th new token in it, and decodes to the same "
    r"text",
    reference="own statement, in place of TASC, App. A",
    instances=_ids,
    lhs=_through_table,
    rhs=_saved,
    relation=at_most,
    sources=("exact",),
    tight=({"corpus": [0, 1], "text": [0, 1, 0], "vocab": 2, "budget": 1, "n_max": 2},),
    note="The base encoding is computed first and only ever shortened. Rows: the length is at most, and at least, what "
    "the sum says; decoding. It is how the enrichment saw its own corpus, so that its compression carries over to use; "
    "added tokens need not keep it.",
)

# --- mean initialisation --------------------------------------------------------------------------------------------


TOKENS = 512
"""Tokens of a large vocabulary on which the means are compared."""


def _head(draw: Draw) -> Instance:
    """A language-model head (d, V) with a bias, a hidden state, and an n-gram.

    Floats: the head's rows are the logits of contexts, on their first tokens, and the hidden states pick one each.
    """
    vocab = draw.vocab(2)
    if draw.exact:
        width = draw.integer(1, 2)
        head = np.array([[draw.number(-2, 2) for _ in range(vocab)] for _ in range(width)], dtype=object)
        hidden, bias = (np.array([draw.number(-2, 2) for _ in range(k)], dtype=object) for k in (width, vocab))
    else:
        head = np.log(draw.weights(vocab)[:64, :TOKENS])
        vocab = head.shape[1]
        hidden, bias = np.eye(len(head)), np.zeros(vocab)
    ngram = [draw.integer(0, vocab - 1) for _ in range(draw.integer(2, 4))]
    return {"head": head, "hidden": hidden, "bias": bias, "ngram": ngram, "new_bias": _mean([bias[t] for t in ngram])}


def _mean(values: Sequence[Any]) -> Any:
    return sum(values) / len(values)


def _is_mean(bias: Array, ngram: Sequence[int], new_bias: Any) -> bool:
    return bool(new_bias == _mean([bias[t] for t in ngram]))


MEAN_BIAS = "the head has no bias, or the new token's bias is the mean too"

MEAN = Claim(
    name="tasc.mean-initialisation",
    kind="identity",
    statement=r"With its row of the LM head set to the mean of its constituents' rows, a new token has the mean of their "
    r"logits",
    reference="TASC, §4.2",
    instances=_head,
    assumes={MEAN_BIAS: _is_mean},
    lhs=lambda head, hidden, ngram, new_bias: (mean_rows(head.T, [ngram]) @ hidden)[0] + new_bias,
    rhs=lambda head, hidden, bias, ngram: _mean([head[:, t] @ hidden + bias[t] for t in ngram]),
    relation=equal,
    outside={
        MEAN_BIAS: {
            **{"head": matrix("1 0"), "hidden": law(1), "bias": law(1, 1), "ngram": [0, 1], "new_bias": F(0)},
        }
    },
    corrected_by=("tasc.mean-initialisation-sharp",),
    evidence=lambda data: _on_real_logits(data),
    note="Logits are linear in the head's row. A function applied to logits afterwards (a soft cap) keeps this only if "
    "it is linear. Evidence: the probability that the rows take before any training.",
)


def _constituents(draw: Draw) -> Instance:
    """Exponentials of logits, and an n-gram of two or three different tokens."""
    vocab = draw.vocab(2)
    tokens = [draw.integer(0, vocab - 1) for _ in range(3)]
    ngram = list(dict.fromkeys(tokens))
    w = draw.weights(vocab)
    return {"w": w if draw.exact else w[:64], "ngram": ngram if len(ngram) > 1 else [0, 1]}


def _new_probability(w: Array, ngram: Sequence[int]) -> Any:
    """Probability of a new token whose logit is the mean of its constituents', z = log w."""
    if not is_exact(w):
        z = np.log(w)
        return softmax(np.concatenate([z, mean_logits(z, [ngram])], axis=-1))[..., -1]
    new = exp(sum((log(w[t]) for t in ngram), 0 * log(w[0])) / len(ngram))
    return new / (enclose(w.sum()) + new)


DISTINCT = "the constituents are different tokens"

MEAN_SHARP = Claim(
    name="tasc.mean-initialisation-sharp",
    kind="bound",
    statement=r"Before any training a new token of $n$ different constituents takes probability $\frac{g}{1 + g} \le "
    r"\frac{1}{n + 1}$, $g$ the geometric mean of their probabilities",
    reference="own statement, beside TASC, §4.2",
    instances=_constituents,
    assumes={DISTINCT: lambda ngram: len(set(ngram)) == len(ngram)},
    lhs=_new_probability,
    rhs=lambda w, ngram: enclose(F(1, len(ngram) + 1)) if is_exact(w) else 1 / (len(ngram) + 1),
    relation=at_most,
    tight=({"w": law(1, 1), "ngram": [0, 1]},),
    outside={DISTINCT: {"w": law(1), "ngram": [0, 0]}},
    note="g is at most the arithmetic mean, at most 1/n. Where the first token is nearly certain and the second cannot "
    "follow now, g is small: the new token is least likely where it should be used, the less so the more certain the "
    "context.",
)


def _on_real_logits(data: Data) -> list[Evidence]:
    """What the rows of the bank's own most frequent bigrams would take of the next token's law."""
    bank = data.main
    rows = np.arange(bank.contexts)[: rows_for(data, 24, 100, 10_000)]
    last, following = (np.asarray(x) for x in (bank.index.last, bank.index.following))
    pairs = Counter(zip(last.tolist(), following.tolist(), strict=True))
    bigrams = [pair for pair, _ in pairs.most_common(100) if pair[0] != pair[1]]
    z = np.asarray(bank.target(rows), dtype=np.float64)
    p = softmax(z)
    new = softmax(np.concatenate([z, mean_logits(z, bigrams)], axis=-1))[:, bank.vocab :]
    first = np.array([a for a, _ in bigrams])
    at, which = np.nonzero(following[rows][:, None] == first)
    model, label = bank.provenance["models"]["target"]["name"], data.describe(bank, rows)
    facts = {"bigrams": float(len(bigrams)), "largest of one": float(new.max())}
    found = [
        Evidence(
            f"{label}: all new tokens together", model, len(rows), float(new.sum(axis=1).mean()), None, None, facts
        )
    ]
    if len(at):
        facts = {"probability of that first token": float(p[at, first[which]].mean())}
        text = f"{label}: a new token where its first constituent comes next"
        found.append(Evidence(text, model, len(at), float(new[at, which].mean()), None, None, facts))
    return found


CLAIMS = (ADDED, ADDED_CORRECTED, ADDED_SHARP, MEAN, MEAN_SHARP)
