"""Prompts without the texts of corpora: what n-gram drafters ask of a prompt is kept, and what could be read is not.

A drafter copies from the prompt after tokens that stand in the output too, and a draft that the output does not hold is refused
whatever it is.  So a token of a prompt that neither output of its pair holds becomes a filler, a number that is no token.  Two
neighbours stay neighbours where an output has the same two.  All else is cut there, and the pieces are shuffled; behind a piece
that ends with a token of an output stands a filler, which is refused as what stood there was.

Fillers are distinct, one for each token of a prompt: counts decide between drafts, and two tokens under one filler would outvote
the one that is accepted.  They are drawn anew for each prompt, with a seed that is not kept.

A refused draft can also stand in the way of a right one: it has more mass in the table of the task's outputs, or of two equally
likely ones it is the lower.  Such tokens are found by drafting, with and without them, and stay.

Where pieces make a run of tokens that could be read and that no output of the pair holds, the run is cut too, if the same drafts
are accepted without it in the split of seed 0, on which claims are decided.  A few runs on which right drafts rest stay.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from simspec.methods.tasc.acceptance import target_calls
from simspec.methods.tasc.drafters import Ngrams, PromptNgrams, mixed, train
from simspec.studies.tasc.ngram_drafts import GAMMA, MIN_COUNT, MIX, N_MAX, Drafting, Table, drafts_along
from simspec.studies.tasc.ngram_tasks import Source
from simspec.studies.tasc.outputs import WAYS, TaskOutputs, Texts
from simspec.studies.tasc.written_drafts import OwnBigrams, parts_of, written_task

__all__ = ["has_same_matches", "labelled", "labelled_prompt", "readable", "redacted", "shuffled_prompt"]

SPLITS = 4
"""Splits into parts, by seed from 0, whose drafts are compared."""
LAG = GAMMA + 2
"""Accepted drafts that a prompt table has not counted yet, at most."""
TRIES = 200
FEW_TRIES = 4
"""Shuffles of a prompt before it stays in its order, and before a cut is left away."""
READABLE = 8
"""Tokens in a row that are not to be read unless an output holds them."""
Tokens = Sequence[int]
Groups = Sequence[tuple[Source, Sequence[float]]]


def labelled(texts: Sequence[Sequence[Hashable]], rng: np.random.Generator) -> list[list[int]]:
    """Texts with a number from 0 on for each different token or word, drawn at random.

    >>> labelled([["a", "b"], ["b", "a", "b"]], np.random.default_rng(0))
    [[0, 1], [1, 0, 1]]
    """
    kinds = list(dict.fromkeys(token for text in texts for token in text))
    labels = dict(zip(kinds, rng.permutation(len(kinds)).tolist(), strict=True))
    return [[labels[token] for token in text] for text in texts]


def labelled_prompt(
    prompt: Tokens, outputs: Sequence[Tokens], vocab: int, rng: np.random.Generator, drafted: Tokens = ()
) -> list[int]:
    """A prompt with a filler from `vocab` on for each token that is in no output, drafted, or among its last ones.

    >>> labelled_prompt([7, 5, 8, 7, 1, 1, 2], [[5, 3]], 100, np.random.default_rng(1))
    [100, 5, 101, 100, 1, 1, 2]
    """
    kept = {*prompt[-(N_MAX - 1) :], *drafted}.union(*outputs)
    hidden = [token for token in dict.fromkeys(prompt) if token not in kept]
    fillers = dict(zip(hidden, (vocab + rng.permutation(len(hidden))).tolist(), strict=True))
    return [fillers.get(token, token) for token in prompt]


def _paths(prompt: Tokens, outputs: Sequence[Tokens]) -> list[list[int]]:
    """What contexts come from: each output after the last tokens of the prompt."""
    end = list(prompt[-(N_MAX - 1) :])
    return [[*end, *text] for text in outputs]


def _joints(prompt: Tokens, paths: Sequence[Tokens], drafted: Tokens) -> set[int]:
    """Places of a prompt whose token and the next must stay neighbours."""
    neighbours = {pair for path in paths for pair in itertools.pairwise(path)}
    asked = {token for path in paths for token in path}
    times = Counter(itertools.pairwise(prompt))
    joints = set(range(len(prompt) - N_MAX, len(prompt) - 1))
    for place, pair in enumerate(itertools.pairwise(prompt)):
        # what follows twice would need one filler in both places
        is_counted = pair[0] in asked and (times[pair] > 1 or pair[1] in drafted)
        if pair in neighbours or is_counted:
            joints.add(place)
    return joints


@dataclass(frozen=True)
class _Cutting:
    """A labelled prompt and how it is cut.

    Attributes
    ----------
    prompt, outputs, vocab : as of `shuffled_prompt`
    joints : places whose token and the next stay neighbours
    copies : of places that are cut, how many tokens before the cut are written behind it again; as many fillers are left away
    """

    prompt: Tokens
    outputs: Sequence[Tokens]
    vocab: int
    joints: frozenset[int]
    copies: dict[int, int] = field(default_factory=dict)

    def pieces(self) -> list[list[int]]:
        """Pieces in their order, the end of the prompt last."""
        pieces = [[self.prompt[0]]]
        for place, token in enumerate(self.prompt[1:]):
            if place in self.joints:
                pieces[-1].append(token)
            else:
                before = self.prompt[place + 1 - self.copies.get(place, 0) : place + 1]
                pieces.append([*before, token])
        return pieces

    def order(self, rng: np.random.Generator, tries: int, is_alike: Callable[[Tokens], bool]) -> list[int] | None:
        """The pieces in another order that is alike; None where none is found."""
        *pieces, last = self.pieces()
        before = readable(self.prompt, self.outputs, self.vocab).keys()
        asked = {token for path in _paths(self.prompt, self.outputs) for token in path}
        fillers = [piece for piece in pieces if len(piece) == 1 and piece[0] >= self.vocab]
        runs = [piece for piece in pieces if len(piece) > 1 or piece[0] < self.vocab]
        runs.sort(key=lambda run: run[-1] not in asked)  # those that need a filler come first
        for _ in range(tries):
            order = rng.permutation(len(fillers)).tolist()[sum(self.copies.values()) :]
            behind = [fillers[number] for number in order[: len(runs)]]
            units = [[*run, *filler] for run, filler in zip(runs, behind, strict=False)]
            units += [*runs[len(behind) :], *(fillers[number] for number in order[len(behind) :])]
            shuffled = [token for number in rng.permutation(len(units)).tolist() for token in units[number]]
            has_new = readable([*shuffled, *last], self.outputs, self.vocab).keys() - before
            if not has_new and is_alike([*shuffled, *last]):
                return [*shuffled, *last]
        return None


def _cut(prompt: Tokens, outputs: Sequence[Tokens], vocab: int, drafted: Tokens) -> _Cutting:
    joints = _joints(prompt, _paths(prompt, outputs), drafted)
    return _Cutting(prompt, outputs, vocab, frozenset(joints))


def shuffled_prompt(
    prompt: Tokens,
    outputs: Sequence[Tokens],
    vocab: int,
    rng: np.random.Generator,
    drafted: Tokens = (),
    checks: Sequence[Callable[[Tokens], bool]] = (),
) -> list[int]:
    """A labelled prompt in another order of its pieces, where one has the same matches.

    Runs of `READABLE` tokens that no output of the pair holds are cut.

    Parameters
    ----------
    prompt : tokens and fillers, as of `labelled_prompt`
    outputs : what was written after it
    vocab : the first filler
    rng : of the order
    drafted : tokens that stay where they are drafted though they are refused
    checks : of an order, whether the same drafts are accepted; the first holds of all orders, and cuts that change what
        matches are made where it holds, else where a later one does

    >>> rng = np.random.default_rng(0)
    >>> shuffled_prompt([100, 5, 3, 101, 102, 5, 103, 1, 1, 2], [[5, 3]], 100, rng)[-3:]
    [1, 1, 2]
    """

    def has_matches(shuffled: Tokens) -> bool:
        return has_same_matches(prompt, shuffled, outputs) and all(check(shuffled) for check in checks[:1])

    cutting = _cut(prompt, outputs, vocab, drafted)
    shuffled = cutting.order(rng, TRIES, has_matches) or list(prompt)
    stages: list[tuple[Callable[[Tokens], bool], Sequence[int]]] = [(has_matches, (0,))]
    for check in checks:
        stages += [(check, (0,)), (check, range(1, N_MAX))]
    for is_alike, copies in stages:
        for run, start in readable(prompt, outputs, vocab).items():
            cuts = rng.permutation(list(itertools.product(range(start, start + READABLE - 1), copies))).tolist()
            for place, copied in cuts:
                if run not in _runs(shuffled):
                    break
                other = replace(cutting, joints=cutting.joints - {place}, copies={**cutting.copies, place: copied})
                order = other.order(rng, FEW_TRIES, is_alike)
                if order is not None and run not in _runs(order):
                    cutting = other
                    shuffled = order
    return shuffled


def readable(prompt: Tokens, outputs: Sequence[Tokens], vocab: int) -> dict[tuple[int, ...], int]:
    """Runs of `READABLE` tokens of a prompt that neither its outputs hold nor its end, and where they begin.

    >>> list(readable([9, *range(8), 8, 1, 1, 2], [range(8)], 100).values())
    [0, 2]
    """
    written = {run for path in _paths(prompt, outputs) for run in _runs(path)}
    runs = enumerate(_runs(prompt[: 1 - N_MAX]))
    return {run: start for start, run in runs if run not in written and max(run) < vocab}


def _runs(text: Tokens) -> list[tuple[int, ...]]:
    return [tuple(text[start : start + READABLE]) for start in range(len(text) - READABLE + 1)]


def _matches(prompt: Tokens, text: Tokens) -> Iterator[tuple[int, int, list[int]]]:
    """Of each call that could begin and each draft of it: order of the context, count of the right token, all counts."""
    table = PromptNgrams(N_MAX, 1 + max(*prompt, *text)).begin(prompt)
    so_far = [*prompt, *text]
    for start in range(len(text)):
        for place in range(start, min(start + LAG, len(text))):
            end = len(prompt) + place
            match = table.match(so_far[max(end - N_MAX + 1, 0) : end])
            right = match.counts[match.tokens == text[place]].tolist()
            yield match.order, sum(right), sorted(match.counts.tolist())
        table.append(text[start])


def has_same_matches(prompt: Tokens, other: Tokens, outputs: Sequence[Tokens]) -> bool:
    """Whether a prompt table is asked and answers alike along outputs, but for the names of tokens that are refused.

    >>> has_same_matches([4, 5, 6, 1], [9, 5, 8, 1], [[5, 2]]), has_same_matches([4, 5, 6, 1], [9, 8, 5, 1], [[5, 1]])
    (True, False)
    """
    return all(
        first == second
        for text in outputs
        for first, second in zip(_matches(prompt, text), _matches(other, text), strict=True)
    )


class _Drafts:
    """Drafts of all drafters from prompts of pairs, under the tables of several splits."""

    def __init__(self, outputs: TaskOutputs, vocab: int) -> None:
        """Tables of outputs with prompts in full; tokens and fillers are below `vocab`."""
        self.outputs = outputs
        self.vocab = vocab
        self.sources: dict[int, list[tuple[int, list[int], Groups, Ngrams]]] = {n: [] for n in range(len(outputs.task))}
        tasks = outputs.facts["tasks"]
        for task, next_task in zip(tasks, [*tasks[1:], *tasks[:1]], strict=True):
            for way, seed in itertools.product(WAYS, range(SPLITS)):
                own = written_task(outputs, task, way, seed)
                elsewhere = train(written_task(outputs, next_task, way, seed).table, N_MAX, MIN_COUNT, vocab)
                both = train([*own.table, *(text for _, text in own.tuning)], N_MAX, MIN_COUNT, vocab)
                groups = [
                    *Drafting(own, OwnBigrams(outputs)).groups,
                    *((Table(table), (MIX,)) for table in (elsewhere, both)),
                ]
                _, tuning, test = parts_of(outputs, task, seed)
                for number in (*tuning, *test):
                    self.sources[number].append((seed, outputs.texts(way)[number], groups, both))

    def of(self, number: int, prompt: Tokens, splits: int = SPLITS) -> list[tuple[list[int], list[int]]]:
        """Drafts along each output of a pair, and the output."""
        return [
            (drafts, text)
            for seed, text, groups, _ in self.sources[number]
            if seed < splits
            for drafts in drafts_along(groups, PromptNgrams(N_MAX, self.vocab), prompt, text)
        ]

    def accepted(self, number: int, splits: int, prompt: Tokens) -> list[Any]:
        """Where drafts are right, and target calls of drafts that a prompt table has not counted yet."""
        right = [
            [x == y for x, y in zip(drafts, text, strict=True)] for drafts, text in self.of(number, prompt, splits)
        ]
        calls = [
            target_calls(mixed(table, PromptNgrams(N_MAX, self.vocab), MIX), text, LAG, prompt)
            for seed, text, _, table in self.sources[number]
            if seed < splits
        ]
        return [right, calls]

    def in_the_way(self, number: int, prompt: Tokens) -> set[int]:
        """Tokens that are drafted from the full prompt where another prompt gives the right draft."""
        full = self.of(number, self.outputs.prompts[number])
        return {
            x
            for (drafts, text), (others, _) in zip(full, self.of(number, prompt), strict=True)
            for x, y, right in zip(drafts, others, text, strict=True)
            if x != right == y
        }


def redacted(outputs: TaskOutputs, rng: np.random.Generator | None = None) -> TaskOutputs:
    """The same with prompts that no text can be read from; drafts are accepted and refused as before.

    Parameters
    ----------
    outputs : with prompts in full
    rng : of fillers and orders; by default from the system's entropy, so that nobody can draw them again
    """
    rng = np.random.default_rng() if rng is None else rng
    vocab = outputs.facts["vocab"]
    drafts = _Drafts(outputs, vocab + int(outputs.prompts.lengths.max()))
    prompts = []
    for number in range(len(outputs.task)):
        full = outputs.prompts[number]
        written = [outputs.texts(way)[number] for way in WAYS]
        drafted: set[int] = set()
        while True:
            prompt = labelled_prompt(full, written, vocab, rng, sorted(drafted))
            in_pieces = _cut(prompt, written, vocab, sorted(drafted)).order(
                rng, TRIES, partial(has_same_matches, prompt, outputs=written)
            )
            more = drafts.in_the_way(number, prompt) | drafts.in_the_way(number, in_pieces or prompt)
            if more <= drafted:
                break
            drafted |= more
        # what the default split says is kept before all else
        checks = [
            partial(_is_equal, drafts, number, splits, drafts.accepted(number, splits, full)) for splits in (SPLITS, 1)
        ]
        prompts.append(shuffled_prompt(prompt, written, vocab, rng, sorted(drafted), checks))
    return replace(outputs, prompts=Texts.of(prompts))


def _is_equal(drafts: _Drafts, number: int, splits: int, expected: list[Any], prompt: Tokens) -> bool:
    return drafts.accepted(number, splits, prompt) == expected
