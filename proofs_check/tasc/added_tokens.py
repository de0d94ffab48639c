"""tasc.added-tokens: between boundaries that stay, the merges of the whole text are those of each piece; a match is one token."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, Relation, eq, ge, index, le, total, x, y
from proofs_check.tasc._joined_neighbours import decoded
from proofs_check.tasc._joined_neighbours import values as string_values
from simspec.claims.claim import Instance
from simspec.claims.tasc.added_tokens import ADDED, ADDED_CORRECTED, ADDED_SHARP, BOUNDARIES
from simspec.methods.tasc.encoding import added_encode, expansions, replay, toy_bpe
from simspec.methods.tasc.enrichment import enrich, merge_text

SHORTER = "a merge shortens the text by its reward (see tasc.merge-reward.non-overlapping)"
c = index("c")
m, n, K, N = sp.symbols("m n K N", integer=True, nonnegative=True)


def _inductive(
    d: Derivation, text: str, statement: Relation, start: Sequence[Fact], step: Sequence[Fact], k: sp.Symbol = n
) -> Fact:
    return d.inductive(text, statement, k, start, step, by="smt")


def _same_places(d: Derivation) -> tuple[Any, Any, list[Fact]]:
    """A merge begins at the same places in the text and in its pieces alone, D = 0, unless one crosses a cut."""
    f, b, s, alone, D, clear, crossed = (
        sp.IndexedBase(name, real=True) for name in ("f", "b", "s", "alone", "D", "clear", "crossed")
    )
    width = sp.IndexedBase("width", integer=True, nonnegative=True)
    here = (n, m)
    following = (n, m + 1)
    names = "the pair that the text merges begins at a place, or not; a cut is there, or not"
    flags = d.domain(names, *(eq(a * (1 - a), 0) for a in (f[here], b[following])))
    rule = f[here] * (1 - s[here])
    text = d.recursion("a token is taken by a merge, from the left", eq(s[n, 0], 0), eq(s[following], rule))
    rule = f[here] * (1 - b[following]) * (1 - alone[here])
    pieces = d.recursion("or by one within its piece", eq(alone[n, 0], 0), eq(alone[following], rule))
    apart = sp.Abs(alone[following] - s[following])
    places = d.recursion("places where these differ", eq(D[n, 0], 0), eq(D[following], D[here] + apart))
    rule = clear[here] * (1 - b[following] * s[following])
    open_cuts = d.recursion("no merge so far is across a cut", eq(clear[n, 0], 1), eq(clear[following], rule))
    merged_or_free = _inductive(d, "taken or not", eq(s[here] * (1 - s[here]), 0), text[:1], [text[1], *flags], m)
    yes = [text[1], *flags, merged_or_free]
    across_bit = eq(clear[here] * (1 - clear[here]), 0)
    across_bit = _inductive(d, "none is across, or one", across_bit, open_cuts[:1], [open_cuts[1], *yes], m)
    agree = eq(clear[here] * (alone[here] - s[here]), 0)
    using = [open_cuts[1], pieces[1], *yes, across_bit]
    agree = _inductive(d, "where none is across a cut, a place is alike", agree, [text[0], pieces[0]], using, m)
    ahead = d.instantiate("also the next one", agree, {m: m + 1})
    same = eq(clear[here] * D[here], 0)
    same = _inductive(d, "and no place differs", same, places[:1], [places[1], open_cuts[1], ahead, across_bit], m)
    end = {m: width[n]}
    crossed_is = d.define("whether the merge crosses a cut", crossed[n], 1 - clear[n, width[n]])
    return (
        crossed,
        D[n, width[n]],
        [crossed_is, *(d.instantiate("in the whole text", a, end) for a in (same, across_bit))],
    )


def _merged_alike(d: Derivation, E: sp.IndexedBase) -> tuple[Any, Any, Fact]:
    """What the whole text merges in a piece leaves the piece's own encoding as it is."""
    took, has, next_merge, then = (sp.IndexedBase(name, nonnegative=True) for name in ("took", "has", "own", "then"))
    rank = sp.IndexedBase("rank", real=True)
    here = next_merge[n, c, x]
    there = next_merge[n, c, y]
    d.domain("numbers of pairs and tokens", ge(took[n, x], 0), ge(has[n, c, x], 0), ge(here, 0), ge(then[n, c, x], 0))
    binary = d.domain(
        "a pair of the table is merged in the text, is in a piece, is merged next in the piece alone, or not",
        *(eq(a * (1 - a), 0) for a in (took[n, x], has[n, c, x], here)),
    )
    next_in_text = "the text merges the pair of the table that is in a piece and comes first"
    next_in_text = d.domain(next_in_text, ge(took[n, x] * has[n, c, y] * (rank[y] - rank[x]), 0))
    among = d.domain("a piece alone merges a pair that is in it", le(here, has[n, c, x]))
    earliest = d.domain("and comes first", ge(there * has[n, c, x] * (rank[x] - rank[y]), 0))
    some = d.domain("where a pair is in it, it merges one", le(has[n, c, x], total(there, y)))
    distinct = d.domain(
        "pairs of the same rank are one", le(sp.Abs(here - there), sp.Min(1, sp.Abs(rank[x] - rank[y])))
    )
    onward = d.domain("its encoding is that after its own next merge", eq(here * (E[n, c] - then[n, c, x]), 0))
    absent = "and changes with no pair that is not in it"
    absent = d.domain(absent, eq((1 - has[n, c, x]) * (E[n, c] - then[n, c, x]), 0))
    choice, has_bit, among_pairs = (
        d.instantiate("of the other pair", fact, {x: y}) for fact in (binary[2], binary[1], among)
    )
    no_earlier_pair = eq(took[n, x] * has[n, c, x] * there * (1 - here), 0)
    using = [*binary, choice, has_bit, among_pairs, next_in_text, earliest, distinct]
    no_earlier_pair = d.summed("no other pair of the piece comes first", no_earlier_pair, *using, over=y, by="smt")
    same = eq(took[n, x] * has[n, c, x] * (1 - here), 0)
    same = d.smt("what the text merges, a piece that has it merges next", same, no_earlier_pair, some, *binary)
    encoding_stays = eq(took[n, x] * (then[n, c, x] - E[n, c]), 0)
    encoding_stays = d.smt("so that its encoding stays", encoding_stays, same, onward, absent, *binary)
    return took, (has, then), d.sum("over the pairs", encoding_stays, x)


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every byte-pair table, added tokens and text, but from what byte-pair merging does, which is seen on the instances
    and not proved, so that this is a proof in part: a merge that begins at the same places in the text and in a piece
    changes the piece alike, a piece without pairs of the table is encoded, a match holds a token, and matches and merges
    only join neighbours.

    Equality where every match is one token of the base encoding.
    """
    E, size, cut = (sp.IndexedBase(name, real=True) for name in ("E", "size", "cut"))
    matched = sp.IndexedBase("matched", real=True)
    base = d.number("base")
    took, (has, then), encoding_stays = _merged_alike(d, E)
    crossed, differ, alike = _same_places(d)
    none, next_cut = d.recursion("merges that cross a cut", eq(cut[0], 0), eq(cut[n + 1], cut[n] + crossed[n]))
    piece = total(took[n, x] * (then[n, c, x] - E[n, c]), x)
    locally = "a merge that begins at the same places in the text and in a piece makes the piece the same"
    locally = d.domain(locally, le(sp.Min(1, sp.Abs(E[n + 1, c] - E[n, c] - piece)), differ))
    statement = le(sp.Min(1, sp.Abs(E[n, c] - E[0, c])), sign * cut[n])
    text = "a piece's encoding stays, unless a merge crosses a cut"
    same = _inductive(d, text, statement, [none], [next_cut, locally, encoding_stays, *alike])
    same = d.instantiate("after the last merge", same, {n: K})
    boundaries = d.assume(BOUNDARIES, eq(cut[K], 0))
    encoded = "a piece without pairs of the table is encoded, unless a merge has crossed a cut"
    encoded_bound = d.domain(encoded, le(sp.Min(1, sp.Abs(E[n, c] - size[n, c])), total(has[n, c, x], x) + cut[n]))
    encoded_bound = d.instantiate("in the end", encoded_bound, {n: K})
    final = d.domain("in the end no pair of the table is left", eq(has[K, c, x], 0))
    final = d.sum("over the pairs", final, x)
    there = d.domain("a match holds a token, unless a merge has crossed a cut", ge(size[K, c] + cut[K], matched[c]))
    flag = d.domain("a piece is a match, or not", eq(matched[c] * (1 - matched[c]), 0))
    sum_of_pieces = d.domain("the text's tokens are those of its pieces", eq(base, total(size[K, c], c, upto=N)))
    alone = d.smt(
        "a piece alone has as many tokens as within", eq(E[0, c], size[K, c]), same, encoded_bound, final, boundaries
    )
    length = constant * matched[c] + (1 - matched[c]) * E[0, c]
    length = le(length, size[K, c])
    pieces = d.summed("a match is one token", length, alone, there, flag, boundaries, over=c, upto=N, by="smt")
    added = total(matched[c] + (1 - matched[c]) * E[0, c], c, upto=N)
    joined, text_string, itself = decoded(d)
    d.qed(
        d.derive("together", le(added, base), pieces, sum_of_pieces),
        d.derive("no letter differs", le(sp.Min(1, sp.Abs(joined - text_string)), 0), itself),
    )


def table(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every corpus, text, M and n_max; a new token stands for its parts' base tokens joined, by its definition.

    An identity: the first two rows have no slack.
    """
    length, merges, g, S = (sp.IndexedBase(name, real=True) for name in ("length", "r", "g", "S"))
    shorter = d.domain(SHORTER, eq(length[n + 1], length[n] - merges[n] * (g[n] - 1)))
    none, next_saved = d.recursion(
        "tokens saved", eq(S[0], 0), eq(S[n + 1], S[n] + sign * merges[n] * (g[n] - constant))
    )
    statement = eq(length[n], length[0] - S[n])
    saved = _inductive(d, "the text loses what the merges save", statement, [none], [next_saved, shorter])
    last = d.instantiate("in the end", saved, {n: K})
    joined, text_string, itself = decoded(d)
    d.qed(
        d.smt("no longer", le(length[K], length[0] - S[K]), last),
        d.smt("and no shorter", le(-length[K], S[K] - length[0]), last),
        d.derive("decoded", le(sp.Min(1, sp.Abs(joined - text_string)), 0), itself),
    )


# --- instances ------------------------------------------------------------------------------------------------------


def _merge(tokens: Sequence[str], pair: tuple[str, str]) -> list[str]:
    return [t if isinstance(t, str) else "".join(pair) for t in merge_text(tokens, pair, None)]  # type: ignore[arg-type]


def _stages(
    tokens: Sequence[str], merges: Sequence[tuple[str, str]]
) -> Iterator[tuple[list[str], tuple[str, str] | None]]:
    """Tokens and the pair that is merged next, until none is left."""
    now = list(tokens)
    while True:
        pair = next((m for m in merges if m in set(pairwise(now))), None)
        yield now, pair
        if pair is None:
            return
        now = _merge(now, pair)


def _pieces(merges: Sequence[tuple[str, str]], added: Sequence[str], text: str) -> dict[str, Any]:
    """The values of the symbols of `prove`, from the stages of the merges of the whole text and of each piece."""
    merges = list(dict.fromkeys(merges)) or [("", "")]
    pieces = added_encode(text, added, lambda piece: [(piece, 0)], [(token, 1) for token in added]) or [("", 0)]
    ends = [sum(len(p) for p, _ in pieces[:i]) for i in range(len(pieces) + 1)]
    inner = {e for i, e in enumerate(ends) if any(match for _, match in pieces[max(i - 1, 0) : i + 1])}
    stages = list(_stages(text, merges))

    def starts(n: int) -> list[int]:
        tokens = stages[min(n, len(stages) - 1)][0]
        return [sum(map(len, tokens[:i])) for i in range(len(tokens))]

    def at(n: int, c: int) -> list[str]:
        return [
            t for s, t in zip(starts(n), stages[min(n, len(stages) - 1)][0], strict=True) if ends[c - 1] <= s < ends[c]
        ]

    def encoded(tokens: Sequence[str]) -> int:
        return len([*_stages(tokens, merges)][-1][0])

    def pair(n: int, x: int) -> bool:
        return n < len(stages) and stages[n][1] == merges[x - 1]

    tokens = [list(map(ord, token)) for token in added_encode(text, added, toy_bpe(merges))]
    strings = string_values(list(map(ord, text)), tokens)

    def width(n: int) -> int:
        return len(starts(n))

    def begins(n: int, m: int) -> int:
        tokens, merged = stages[n] if n < len(stages) else ([], None)
        return int(tuple(tokens[m : m + 2]) == merged)

    return {
        **{"E": lambda n, c: encoded(at(n, c)), "size": lambda n, c: len(at(n, c))},
        **{"matched": [m for _, m in pieces], "base": len(stages[-1][0])},
        **{"took": lambda n, x: int(pair(n, x)), "rank": list(range(len(merges))), "V": len(merges), "N": len(pieces)},
        **{"has": lambda n, c, x: int(merges[x - 1] in zip(at(n, c), at(n, c)[1:], strict=False))},
        **{"own": lambda n, c, x: int(next(_stages(at(n, c), merges))[1] == merges[x - 1])},
        **{"then": lambda n, c, x: encoded(_merge(at(n, c), merges[x - 1])), "K": len(stages) - 1},
        **strings,
        **{"f": begins, "b": lambda n, m: int(m in range(width(n)) and starts(n)[m] in inner), "width": width},
        "ranges": {
            **{"m": range(len(text) + 2), "n": range(len(stages)), "h": range(strings["joins"] + 1)},
            "c": range(1, len(pieces) + 1),
        },
    }


def _table(corpus: list[int], text: list[int], vocab: int, budget: int, n_max: int) -> dict[str, Any]:
    """The values of the symbols of `table`, from the merges that an enrichment makes in the text."""
    enrichment = enrich([corpus], budget, vocab, n_max)
    stages = [text]
    strings_by_id = dict(zip(enrichment.ids, expansions(enrichment), strict=True))
    for ngram, new in zip(enrichment.ngrams, enrichment.ids, strict=True):
        stages.append(merge_text(stages[-1], ngram, new))
    merged = [*replay([text], enrichment).merged, 0]
    strings = string_values(text, [strings_by_id.get(t, (t,)) for t in stages[-1]])
    return {
        **{
            "length": lambda n: len(stages[min(n, len(enrichment.ngrams))]),
            "r": lambda n: merged[n],
            "K": len(enrichment.ngrams),
        },
        **{**strings, "g": lambda n: len([*enrichment.ngrams, ()][n])},
        "ranges": {"n": range(len(enrichment.ngrams) + 1), "m": range(len(text) + 2), "h": range(strings["joins"] + 1)},
    }


def small() -> Iterator[Instance]:
    """Texts of up to four letters a, b; tables of up to two merges; one added token, neighbours in a text of two or three."""
    for size in range(5):
        for first_merge, second in product((None, *product("ab", repeat=2)), repeat=2):
            alphabet = ["a", "b"] + (["".join(first_merge)] if first_merge else [])
            later = product(alphabet, repeat=2) if second == ("a", "a") and first_merge else [None]
            for third in later:
                merges = [(pair[0], pair[1]) for pair in (first_merge, third) if pair]
                corpora = ("".join(t) for k in (2, 3) for t in product("ab", repeat=k))
                cuts = (toy_bpe(merges)(corpus) for corpus in corpora)
                for token in dict.fromkeys(a + b for tokens in cuts for a, b in pairwise(tokens)):
                    for text in product("ab", repeat=size):
                        yield {"merges": merges, "added": [token], "text": "".join(text)}


PROOFS = (
    Refutation(
        ADDED,
        small,
        scope="the first of all texts over two letters, by their length, with tables of up to two merges and one added token",
        repaired={BOUNDARIES: ADDED_CORRECTED},
    ),
    Proof(ADDED_CORRECTED, prove, drop="a piece alone merges a pair that is in it", bind=_pieces, whole=False),
    Proof(ADDED_SHARP, table, drop=SHORTER, bind=_table),
)
