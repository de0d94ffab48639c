"""Added tokens never lengthen the encoding of a text, which decodes to the same text.

`tasc.added-tokens`, with its correction and its sharper form: TASC, App. A.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, bound, broken
from simspec.claims.claim import Printed
from simspec.methods.tasc.encoding import added_encode, expansions, merge_encode, replay, toy_bpe
from simspec.methods.tasc.enrichment import enrich

Merges = Sequence[tuple[str, str]]


def _string(draw: Draw, shortest: int, longest: int) -> str:
    return "".join("ab"[draw.integer(0, 1)] for _ in range(draw.integer(shortest, longest)))


def _tokenizer(draw: Draw) -> tuple[list[tuple[str, str]], list[str]]:
    """A merge table over two letters, and added tokens: neighbours in corpora as the base tokenizer cuts them."""
    alphabet = ["a", "b"]
    merges = []
    for _ in range(draw.integer(0, 2)):
        pair = (alphabet[draw.integer(0, len(alphabet) - 1)], alphabet[draw.integer(0, len(alphabet) - 1)])
        merges.append(pair)
        alphabet.append("".join(pair))
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
    at = 0
    cuts = set()
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


ADDED = bound(
    name="tasc.added-tokens",
    statement="Tokens added for neighbours in the corpus, matched before the base merges, never lengthen the encoding of "
    "a text (first row), which decodes to the same text (second row)",
    reference="TASC, App. A",
    instances=_any_text,
    lhs=_added,
    rhs=_base,
    sources=("exact",),
    against=({"merges": [("a", "b"), ("a", "ab")], "added": ["aa"], "text": "aab"},),
    within=({"merges": [("a", "b"), ("a", "ab")], "added": ["aa"], "text": "aab"},),
    corrected_by=("tasc.added-tokens-corrected", "tasc.added-tokens-sharp"),
    note="Decoding holds: pieces and matches are concatenated. Length does not: a match cuts words that the base "
    "tokenizer had merged across its ends, and the remainders cost more than the match saves.",
    printed=Printed(
        place="TASC, Appendix A",
        text="Upon encoding, the set of new tokens is queried for a possible continuation prior to the base "
        "tokenizer’s merge table.",
        read="An encoding never gets longer, and decodes to the same text.",
    ),
)

BOUNDARIES = "each match begins and ends at a token boundary of the base encoding"

ADDED_CORRECTED = bound(
    name="tasc.added-tokens-corrected",
    statement="With a byte-pair base tokenizer, added tokens never lengthen the encoding of a text in which each match "
    "begins and ends at a token boundary of the base encoding; every text decodes to itself",
    reference="correction of TASC, App. A",
    instances=_cut_text,
    assumes={BOUNDARIES: _cuts_agree},
    lhs=_added,
    rhs=_base,
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
        **{"corpus": corpus, "text": text, "vocab": vocab, "budget": draw.integer(0, 4), "n_max": draw.integer(2, 3)}
    }


def _through_table(corpus: list[int], text: list[int], vocab: int, budget: int, n_max: int) -> Array:
    enrichment = enrich([corpus], budget, vocab, n_max)
    tokens = merge_encode(text, enrichment)
    expansion_of = dict(zip(enrichment.ids, expansions(enrichment), strict=True))
    back = [base for token in tokens for base in expansion_of.get(token, (token,))]
    return np.array([len(tokens), -len(tokens), int(back != text)])


def _saved(corpus: list[int], text: list[int], vocab: int, budget: int, n_max: int) -> Array:
    enrichment = enrich([corpus], budget, vocab, n_max)
    saved = sum(n * (len(g) - 1) for n, g in zip(replay([text], enrichment).merged, enrichment.ngrams, strict=True))
    return np.array([len(text) - saved, saved - len(text), 0])


ADDED_SHARP = bound(
    name="tasc.added-tokens-sharp",
    statement=r"Through the merge table, after the base merges, new tokens never lengthen the encoding of any text: it "
    r"loses $\sum_i r_i (n_i - 1) \ge 0$ tokens, $r_i$ the merges of the $i$-th new token in it, and decodes to the same "
    r"text",
    reference="own statement, in place of TASC, App. A",
    instances=_ids,
    lhs=_through_table,
    rhs=_saved,
    sources=("exact",),
    tight=({"corpus": [0, 1], "text": [0, 1, 0], "vocab": 2, "budget": 1, "n_max": 2},),
    note="The base encoding is computed first and only ever shortened. Rows: the length is at most, and at least, what "
    "the sum says; decoding. It is how the enrichment saw its own corpus, so that its compression carries over to use; "
    "added tokens need not keep it.",
    broken=[broken("all tokens of the text", rhs=lambda text: np.array([len(text) - 1, 0, 0]))],
)
