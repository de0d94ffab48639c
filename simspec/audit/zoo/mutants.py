"""Faults that nobody has published: honest verifiers of a chain, of siblings and of a tree with some of their parts changed.

A mutant is a choice of one form for each of its parts (`PARTS`): which rows it reads, how it rounds them, what it compares,
what a refusal leaves, which uniform serves which decision.  The first form of each part is the honest one.  Its exact law
follows from its program (`law_of`), its verifier with uniforms as arguments is `by_uniforms`; the two share the program
and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simspec.audit.calling import UniformSampler
from simspec.audit.drafting import Drawn, Tree, as_tree, drafting_of, drafts_by, drawn_siblings
from simspec.audit.evidence import text_law
from simspec.audit.pairs import Pair
from simspec.audit.zoo.member import residual
from simspec.laws import Array
from simspec.methods.block import Prefix
from simspec.methods.verifier.chance import Chance, SharedUniform, every

__all__ = [
    "FAMILIES",
    "PARTS",
    "Family",
    "Mutant",
    "Uniforms",
    "by_uniforms",
    "drafts_of_family",
    "law_of",
    "mutants",
    "tv_of",
]

Row: TypeAlias = Sequence[Any]
Rows: TypeAlias = Sequence[Row]


class Family(NamedTuple):
    """What is verified: `siblings` drafts at each node of `gamma` levels, drawn with repeats or without."""

    name: str
    gamma: int
    siblings: int
    repeats: bool

    @property
    def uniforms(self) -> int:
        """Uniforms of a call: a test of each sibling of each level, and the last token."""
        return self.gamma * self.siblings + 1


FAMILIES: dict[str, tuple[Family, ...]] = {
    "chains": (Family("chain", 2, 1, True),),
    "siblings": (
        Family("siblings:2", 1, 2, False),
        Family("repeats:2", 1, 2, True),
        Family("siblings:3", 1, 3, False),
        Family("repeats:3", 1, 3, True),
    ),
    "trees": (Family("tree of siblings:2", 2, 2, False), Family("tree of repeats:2", 2, 2, True)),
}
"""Kinds of verifiers by name, each in one or more sizes."""


class Uniforms(Protocol):
    """What a program asks for its random decisions: which uniform of the call, and what it decides."""

    def draw(self, column: int, weights: Row) -> int:
        """The smallest place whose cumulative weight is above u times their sum."""
        ...

    def keep(self, column: int, share: Any, total: Any) -> bool:
        """Whether u * whole < part."""
        ...


# --- parts and their forms ------------------------------------------------------------------------------------------


def _scaled(weights: Row) -> list[Any]:
    """Weights divided by their sum; as they are where it is 0."""
    total = sum(weights)
    return [w / total for w in weights] if total else list(weights)


def _rounded(dtype: str, row: Row) -> list[float]:
    """A row in a narrower format, as a kernel that is given such logits or probabilities sees it."""
    masses = np.array([float(mass) for mass in row])
    if dtype == "bfloat16":
        bits = masses.astype(np.float32).view(np.uint32)
        even = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
        narrow = (even & np.uint32(0xFFFF0000)).view(np.float32)
    elif dtype == "8 bits":
        return [float(mass) for mass in np.round(masses * 255) / 255]
    else:
        narrow = masses.astype(np.float16).astype(np.float32)
    return [float(mass) for mass in narrow]


def _two_largest(row: Row) -> list[Any]:
    largest = sorted(range(len(row)), key=lambda y: (-row[y], y))[:2]
    return _scaled([mass if y in largest else 0 for y, mass in enumerate(row)])


def _without(row: Row, *tokens: int) -> list[Any]:
    """Weights without some tokens; all of them where nothing is left."""
    remaining = [0 if y in tokens else mass for y, mass in enumerate(row)]
    return remaining if any(remaining) else list(row)


ROWS: dict[str, Callable[[Rows, int], Row]] = {
    "own row": lambda rows, i: rows[i],
    "in bfloat16": lambda rows, i: _rounded("bfloat16", rows[i]),
    "in float16": lambda rows, i: _rounded("float16", rows[i]),
    "in 8 bits": lambda rows, i: _rounded("8 bits", rows[i]),
    "row before": lambda rows, i: rows[max(i - 1, 0)],
    "first row": lambda rows, i: rows[0],
    "row after": lambda rows, i: rows[min(i + 1, len(rows) - 1)],
    "tokens in reverse order": lambda rows, i: rows[i][::-1],
    "tokens shifted by one": lambda rows, i: [*rows[i][1:], rows[i][0]],
    "last two tokens exchanged": lambda rows, i: [*rows[i][:-2], *rows[i][-2:][::-1]],
    "half the temperature": lambda rows, i: _scaled([mass**2 for mass in rows[i]]),
    "a higher temperature": lambda rows, i: _scaled([float(mass) ** 0.8 for mass in rows[i]]),
    "two largest masses": lambda rows, i: _two_largest(rows[i]),
    "masses from 1/8": lambda rows, i: _scaled([mass if mass >= 1 / 8 else 0 for mass in rows[i]]),
    "a hundredth of the uniform": lambda rows, i: [0.99 * mass + 0.01 / len(rows[i]) for mass in rows[i]],
    "not less than 1/50": lambda rows, i: [max(mass, 1 / 50) for mass in rows[i]],
}
TESTS: dict[str, Callable[[Row, Row, int], tuple[Any, Any]]] = {
    "u q < p": lambda p, q, x: (p[x], q[x]),
    "u < p": lambda p, q, x: (p[x], 1),
    "u p < q": lambda p, q, x: (q[x], p[x]),
    "u q < 3/4 p": lambda p, q, x: (0.75 * p[x], q[x]),
    "u q < 63/64 p": lambda p, q, x: (63 / 64 * p[x], q[x]),
    "u q < 9/8 p": lambda p, q, x: (1.125 * p[x], q[x]),
    "u q < 2 p": lambda p, q, x: (2 * p[x], q[x]),
    "u q^2 < p^2": lambda p, q, x: (p[x] ** 2, q[x] ** 2),
    "u < p / (p + q)": lambda p, q, x: (p[x], p[x] + q[x]),
    "u < 1 - q": lambda p, q, x: (1 - q[x], 1),
    "u q < p + 1/32": lambda p, q, x: (p[x] + 1 / 32, q[x]),
    "u q < p, sure from p = 1/2": lambda p, q, x: (1 if p[x] >= 1 / 2 else p[x], 1 if p[x] >= 1 / 2 else q[x]),
    "u max q < p": lambda p, q, x: (p[x], max(q)),
    "u q < max p": lambda p, q, x: (max(p), q[x]),
    "p >= q": lambda p, q, x: (int(p[x] >= q[x]), 1),
    "the next token's p": lambda p, q, x: (p[(x + 1) % len(p)], q[x]),
}
LEFT: dict[str, Callable[[Row, Row, int], Row]] = {
    "(p - q)+": lambda p, q, x: residual(p, q),
    "p": lambda p, q, x: p,
    "p without the draft": lambda p, q, x: _without(p, x),
    "|p - q|": lambda p, q, x: [abs(a - b) for a, b in zip(p, q, strict=True)],
    "(q - p)+": lambda p, q, x: residual(q, p),
    "(p - q/2)+": lambda p, q, x: residual(p, [mass / 2 for mass in q]),
    "(p - 15/16 q)+": lambda p, q, x: residual(p, [mass * 15 / 16 for mass in q]),
    "(p - 2 q)+": lambda p, q, x: residual(p, [2 * mass for mass in q]),
    "p where p > q": lambda p, q, x: [a if a > b else 0 for a, b in zip(p, q, strict=True)],
    "(p - q)+ squared": lambda p, q, x: [mass**2 for mass in residual(p, q)],
    "(p - q(x))+": lambda p, q, x: residual(p, [q[x]] * len(p)),
    "(p - q)+ of the token before": lambda p, q, x: [*residual(p, q)[1:], residual(p, q)[0]],
}
BETWEEN = ("residual, divided by its sum", "residual as it is", "p again", "without the refused token")
NEXT_DRAFT = ("as drawn", "unchanged or without, the wrong way", "without the token, not divided")
LAST = ("what is left", "p", "p without the siblings", "first residual", "draft row")
BONUS = ("row of the leaf", "row before", "first row", "draft row", "what siblings left")
COLUMNS = (
    "own",
    "one for all siblings of a node",
    "one for all levels",
    "one for all tests",
    "first test's for the last token",
    "last test's for the last token",
)
TAKEN = ("by its test", "first sibling always", "last sibling always", "first level always", "last level always")
ORDER = ("as drawn", "last first")

PARTS: dict[str, tuple[str, ...]] = {
    "target row": tuple(ROWS),
    "draft row": tuple(ROWS),
    "draft row of the residual": ("as in the test", *list(ROWS)[1:], "own row"),
    "test": tuple(TESTS),
    "residual": tuple(LEFT),
    "between siblings": BETWEEN,
    "draft row of the next sibling": NEXT_DRAFT,
    "last token": LAST,
    "bonus": BONUS,
    "uniforms": COLUMNS,
    "taken": TAKEN,
    "order": ORDER,
}
"""Parts of a verifier and their forms, the honest one first."""
SEVERAL = ("between siblings", "draft row of the next sibling", "order")
"""Parts that a chain does not have."""


class Mutant(NamedTuple):
    """A verifier: its family, and the form of each part, in the order of `PARTS`."""

    family: Family
    forms: tuple[str, ...]

    @property
    def name(self) -> str:
        """The parts that are changed.

        >>> Mutant(FAMILIES["chains"][0], tuple(forms[0] for forms in PARTS.values())).name
        'chain: honest'
        """
        changed = [
            f"{part_name}: {form}"
            for (part_name, forms), form in zip(PARTS.items(), self.forms, strict=True)
            if form != forms[0]
        ]
        return f"{self.family.name}: {'; '.join(changed) or 'honest'}"

    def form(self, part_name: str) -> str:
        """The form of a part."""
        return _by_part(self.forms)[part_name]


@lru_cache(maxsize=1024)
def _by_part(forms: tuple[str, ...]) -> dict[str, str]:
    return dict(zip(PARTS, forms, strict=True))


def mutants(kind: str, number: int, seed: int = 0) -> list[Mutant]:
    """Different mutants of a kind of `FAMILIES`, drawn at random: one to three parts changed, each to any other form.

    >>> len(mutants("trees", 5)), mutants("chains", 1)[0] == mutants("chains", 2)[0]
    (5, True)
    """
    rng = np.random.default_rng([seed, list(FAMILIES).index(kind)])
    distinct_mutants: dict[Mutant, None] = {}
    while len(distinct_mutants) < number:
        families = FAMILIES[kind]
        family = families[int(rng.integers(len(families)))]
        parts = [part_name for part_name in PARTS if family.siblings > 1 or part_name not in SEVERAL]
        changed = rng.choice(len(parts), size=rng.choice([1, 2, 3], p=[0.5, 0.3, 0.2]), replace=False)
        forms = {part_name: options[0] for part_name, options in PARTS.items()}
        for place in changed:
            options = PARTS[parts[place]]
            forms[parts[place]] = options[int(rng.integers(1, len(options)))]
        distinct_mutants[Mutant(family, tuple(forms.values()))] = None
    return list(distinct_mutants)


# --- the program ----------------------------------------------------------------------------------------------------


def _verified(
    mutant: Mutant, p: Rows, q: Rows, siblings: Callable[[Prefix], Sequence[int]], uniforms: Uniforms
) -> Prefix:
    """Tokens that one call emits: levels in turn until all siblings of one are refused, then the last token."""
    family = mutant.family
    node: Prefix = ()
    remaining: Row = p[0]
    while len(node) < family.gamma:
        accepted, remaining, column = _level(mutant, p, q, node, siblings(node), uniforms)
        if accepted < 0:
            return (*node, uniforms.draw(column, remaining))
        node = (*node, accepted)
    weights = {
        "row of the leaf": p[-1],
        "row before": p[max(len(p) - 2, 0)],
        "first row": p[0],
        "draft row": q[-1] if q else p[0],
        "what siblings left": remaining,
    }[mutant.form("bonus")]
    return (*node, uniforms.draw(_last_column(mutant, family.gamma - 1, family.siblings), weights))


def _level(
    mutant: Mutant, p: Rows, q: Rows, node: Prefix, siblings: Sequence[int], uniforms: Uniforms
) -> tuple[int, Row, int]:
    """The sibling that is taken, -1 for none; the weights of the last token; the uniform that draws it."""
    depth = len(node)
    target = ROWS[mutant.form("target row")](p, depth)
    tested = ROWS[mutant.form("draft row")](q, depth)
    form = mutant.form("draft row of the residual")
    reported = tested if form == "as in the test" else ROWS[form](q, depth)
    order = siblings[::-1] if mutant.form("order") == "last first" else siblings
    remaining = target
    first: Row = target
    for j, token in enumerate(order):
        column = _test_column(mutant, depth, j)
        if _is_taken(mutant, depth, j) or uniforms.keep(column, *TESTS[mutant.form("test")](remaining, tested, token)):
            return token, remaining, 0
        rest = LEFT[mutant.form("residual")](remaining, reported, token)
        rest = rest if any(rest) else remaining
        first = rest if j == 0 else first
        remaining = _between(mutant, target, rest, token, is_last=j == len(order) - 1)
        tested, reported = (_next_draft(mutant, law, token) for law in (tested, reported))
    weights = {
        "what is left": remaining,
        "p": target,
        "p without the siblings": _without(target, *siblings),
        "first residual": first,
        "draft row": q[depth],
    }[mutant.form("last token")]
    return -1, weights if any(weights) else target, _last_column(mutant, depth, len(order))


def _between(mutant: Mutant, target: Row, rest: Row, token: int, is_last: bool) -> Row:
    """The target of the next sibling, or of the last token."""
    form = mutant.form("between siblings")
    if is_last or form == "residual, divided by its sum":
        return _scaled(rest)
    if form == "residual as it is":
        return rest
    return target if form == "p again" else _scaled(_without(target, token))


def _next_draft(mutant: Mutant, law: Row, token: int) -> Row:
    """The draft law of the next sibling: the same where siblings repeat, without the refused token where they do not."""
    form = mutant.form("draft row of the next sibling")
    if form == "without the token, not divided":
        return _without(law, token)
    is_same = mutant.family.repeats == (form == "as drawn")
    return law if is_same else _scaled(_without(law, token))


def _is_taken(mutant: Mutant, depth: int, j: int) -> bool:
    """Whether a sibling is taken without a test."""
    family = mutant.family
    return {
        "by its test": False,
        "first sibling always": j == 0 and depth == family.gamma - 1,
        "last sibling always": j == family.siblings - 1,
        "first level always": depth == 0,
        "last level always": depth == family.gamma - 1,
    }[mutant.form("taken")]


def _test_column(mutant: Mutant, depth: int, j: int) -> int:
    form = mutant.form("uniforms")
    width = mutant.family.siblings
    if form == "one for all tests":
        return 0
    level = 0 if form == "one for all levels" else depth
    return level * width + (0 if form == "one for all siblings of a node" else j)


def _last_column(mutant: Mutant, depth: int, tests: int) -> int:
    """The uniform of the last token, after the tests of a level."""
    form = mutant.form("uniforms")
    if form == "first test's for the last token":
        return 0
    if form == "last test's for the last token":
        return depth * mutant.family.siblings + max(tests - 1, 0)
    return mutant.family.uniforms - 1


# --- its exact law --------------------------------------------------------------------------------------------------


class _Intervals:
    """Uniforms as intervals in which each lies: for the exact law."""

    def __init__(self, chance: Chance) -> None:
        self.chance = chance
        self.uniforms: dict[int, SharedUniform] = {}

    def _shared(self, column: int) -> SharedUniform:
        return self.uniforms.setdefault(column, SharedUniform(self.chance))

    def draw(self, column: int, weights: Row) -> int:
        return self._shared(column).draw(weights)

    def keep(self, column: int, share: Any, total: Any) -> bool:
        return self._shared(column).keep(share, total)


def _siblings_drawn(family: Family, q: Rows, chance: Chance) -> Callable[[Prefix], Sequence[int]]:
    """Siblings of a node, drawn when they are asked for: what is never looked at need not be drawn."""

    def siblings(node: Prefix) -> Sequence[int]:
        law = np.array(q[len(node)], dtype=object)  # keeps fractions
        grown = drawn_siblings(lambda prefix: law, 1, chance, k=family.siblings, repeats=family.repeats)
        return grown[()]

    return siblings


def law_of(mutant: Mutant, pair: Pair) -> dict[Prefix, Any]:
    """Probability of each way in which a call of a mutant ends, in the arithmetic of the laws.

    >>> honest = Mutant(Family("chain", 1, 1, True), tuple(forms[0] for forms in PARTS.values()))
    >>> law_of(honest, Pair("", np.array([[0.25, 0.75], [0.0, 1.0]]), np.array([[0.75, 0.25]])))
    {(0, 1): 0.25, (1,): 0.5, (1, 1): 0.25}
    """
    p = pair.p.tolist()
    q = pair.q.tolist()
    ends: dict[Prefix, Any] = {}
    program = lambda chance: _verified(  # noqa: E731
        mutant, p, q, _siblings_drawn(mutant.family, q, chance), _Intervals(chance)
    )
    for probability, tokens in every(program):
        ends[tokens] = ends.get(tokens, 0) + probability
    return ends


def tv_of(mutant: Mutant, pair: Pair) -> float:
    """Total variation of a mutant's next gamma + 1 tokens from the target's, to rounding.

    >>> pair = Pair("", np.array([[9, 5, 2], [16, 0, 0]]) / 16, np.array([[8, 3, 5]]) / 16)
    >>> forms = [forms[0] for forms in PARTS.values()]
    >>> forms[list(PARTS).index("uniforms")] = "one for all siblings of a node"
    >>> round(1 / tv_of(Mutant(Family("repeats:2", 1, 2, True), tuple(forms)), pair), 9)
    48.0
    """
    law = np.zeros((pair.vocab,) * (pair.gamma + 1))
    for tokens, mass in law_of(mutant, pair).items():
        law[tokens] += float(mass) * text_law(pair.p[len(tokens) :]) if len(tokens) <= pair.gamma else float(mass)
    return float(np.abs(law - text_law(pair.p)).sum()) / 2


# --- its verifier ---------------------------------------------------------------------------------------------------


class _Columns:
    """Uniforms of many calls at once: follows earlier decisions, then decides for all calls and goes on with some."""

    def __init__(self, decided: tuple[int, ...], calls: NDArray[np.int64], uniforms: Array) -> None:
        self.decided = decided
        self.calls = calls
        self.uniforms = uniforms
        self.at = 0
        self.others: list[tuple[tuple[int, ...], NDArray[np.int64]]] = []

    def draw(self, column: int, weights: Row) -> int:
        masses = np.array([float(w) for w in weights])
        upto = np.cumsum(masses)[: np.flatnonzero(masses)[-1] + 1]
        return self._decide(lambda u: np.searchsorted(upto[:-1], u * upto[-1], side="right"), column)

    def keep(self, column: int, share: Any, total: Any) -> bool:
        return self._decide(lambda u: (u * float(total) >= float(share)).astype(np.int64), column) == 0

    def _decide(self, of: Callable[[Array], NDArray[np.int64]], column: int) -> int:
        if self.at == len(self.decided):
            answers = of(self.uniforms[self.calls, column])
            ways = [((*self.decided, int(way)), self.calls[answers == way]) for way in np.unique(answers)]
            self.others += ways[:0:-1]
            self.decided, self.calls = ways[0]
        self.at += 1
        return self.decided[self.at - 1]


def _endings(program: Callable[[Uniforms], Prefix], uniforms: Array) -> Iterator[tuple[NDArray[np.int64], Prefix]]:
    """Calls that decide alike, and the tokens that they emit."""
    waiting: list[tuple[tuple[int, ...], NDArray[np.int64]]] = [((), np.arange(len(uniforms)))]
    while waiting:
        columns = _Columns(*waiting.pop(), uniforms)
        tokens = program(columns)
        waiting += columns.others
        yield columns.calls, tokens


def by_uniforms(mutant: Mutant) -> UniformSampler:
    """A mutant as a verifier (p, q, drafts, uniforms) -> tokens; drafts (n, gamma) of a chain, (n, K, gamma) of a tree.

    Laws with fewer levels than the family has are verified so far as they go.
    """

    def sampler(p: Array, q: Array, drafts: NDArray[np.int64], uniforms: Array) -> NDArray[np.int64]:
        sized_mutant = mutant._replace(family=mutant.family._replace(gamma=len(q)))
        tokens = np.full((len(drafts), len(p)), -1)
        distinct, draft_of = np.unique(drafts, axis=0, return_inverse=True)
        for number, paths in enumerate(distinct):
            calls = np.flatnonzero(draft_of.reshape(-1) == number)
            tree: Tree = {paths_prefix: (int(token),) for paths_prefix, token in _nodes(paths)}
            tree = tree if paths.ndim == 1 else as_tree(paths)
            program = partial(_verified, sized_mutant, p.tolist(), q.tolist(), tree.__getitem__)
            for group, emitted in _endings(program, uniforms[calls]):
                tokens[calls[group], : len(emitted)] = emitted
        return tokens

    return sampler


def _nodes(path: NDArray[np.int64]) -> Iterator[tuple[Prefix, int]]:
    """The prefixes of a path, each with its next token; none of several paths."""
    for i in range(len(path) if path.ndim == 1 else 0):
        yield tuple(path[:i].tolist()), int(path[i])


def drafts_of_family(family: Family) -> Drawn | None:
    """How exact mode drafts for a family; None for a chain, which is what it drafts anyway."""
    if family.siblings == 1:
        return None
    drafter = partial(drawn_siblings, k=family.siblings, repeats=family.repeats)
    return lambda q: drafts_by(drafting_of(drafter), q)
