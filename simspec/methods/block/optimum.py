r"""The best lossless verifier of one drafted path, as a linear program over the joint law of drafts, τ and what is emitted.

For small instances: the program has a variable for every (draft, τ, emitted rest).  SciPy solves it in floats, the solution is
made rational by exact linear algebra, and `checked` accepts it from its primal and dual alone, without a solver.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from simspec.checks import missing, whole_number
from simspec.methods.block.enumerated import Model, Prefix
from simspec.methods.verifier.verifier import one_path

__all__ = ["Certificate", "Program", "checked", "optimum", "program", "solved"]

LARGEST = 20_000
"""Most variables of a program."""


class Program(NamedTuple):
    """Maximise Σ gain[j] x[j] over x ≥ 0 with Σ_j columns[j][i] x[j] = wanted[i] for every row i.

    Attributes
    ----------
    names : (drafts, τ, tokens emitted after the first τ drafts), one for each variable
    gain : τ of each
    columns : {row: coefficient} of each
    wanted : of each row: first the probability of each draft, then the target's of each text
    """

    names: tuple[tuple[Prefix, int, Prefix], ...]
    gain: tuple[int, ...]
    columns: tuple[Mapping[int, Fraction], ...]
    wanted: tuple[Fraction, ...]


class Certificate(NamedTuple):
    """A primal solution {variable: value}, the others 0, and a dual price of each row."""

    primal: Mapping[int, Fraction]
    dual: tuple[Fraction, ...]


def program(target: Model, draft: Model, gamma: int, further: bool = False) -> Program:
    r"""The program of all lossless verifiers, with everything known: also the laws at prefixes that were not drafted.

    Parameters
    ----------
    target, draft : prefix -> law of fractions
    gamma : int; drafts
    further : bool
        what follows the kept prefix: one token, and the target's own law after it; or any text up to γ tokens.

    Raises ValueError for a program of more than `LARGEST` variables.

    >>> half = [Fraction(1, 2)] * 2
    >>> len(program(lambda x: half, lambda x: half, 1).names)
    8
    """
    gamma = whole_number("gamma", gamma, 1, 12, "a number of drafts from 1 to 12")
    vocab = len(target(()))
    drafts = list(one_path(draft, gamma))
    number_of_variables = len(drafts) * (gamma + 1) * vocab ** (gamma if further else 1)
    if number_of_variables > LARGEST:
        raise ValueError(
            f"gamma: {gamma} drafts of {vocab} tokens need {number_of_variables} variables; expected at most {LARGEST}"
        )
    length = gamma if further else gamma + 1
    texts = {text: len(drafts) + n for n, text in enumerate(product(range(vocab), repeat=length))}
    names: list[tuple[Prefix, int, Prefix]] = []
    columns: list[Mapping[int, Fraction]] = []
    for row, (_, x) in enumerate(drafts):
        for accepted in range(gamma + 1):
            for rest in product(range(vocab), repeat=gamma - accepted if further else 1):
                text = x[:accepted] + rest
                reached = {
                    at: chance
                    for t, at in texts.items()
                    if t[: len(text)] == text and (chance := _after(target, text, t))
                }
                names.append((x, accepted, rest))
                columns.append({row: Fraction(1), **reached})
    totals = [Fraction(weight) for weight, _ in drafts] + [_after(target, (), text) for text in texts]
    return Program(tuple(names), tuple(accepted for _, accepted, _ in names), tuple(columns), tuple(totals))


def _after(target: Model, text: Prefix, longer: Prefix) -> Fraction:
    """The target's probability that `longer` goes on from `text`."""
    chance = Fraction(1)
    for i in range(len(text), len(longer)):
        chance *= Fraction(target(longer[:i])[longer[i]])
    return chance


def checked(of: Program, certificate: Certificate) -> Fraction:
    """The optimum of a program, from a certificate of it; a few lines of exact arithmetic, and no solver.

    Raises ValueError where the primal is not feasible, the dual is not, or their values differ.

    >>> one = [Fraction(1)]
    >>> of = program(lambda x: one, lambda x: one, 1)
    >>> of.names, checked(of, Certificate({1: Fraction(1)}, (Fraction(1), Fraction(0))))
    ((((0,), 0, (0,)), ((0,), 1, (0,))), Fraction(1, 1))
    """
    reached = [Fraction(0)] * len(of.wanted)
    for j, amount in certificate.primal.items():
        if amount < 0:
            raise ValueError(f"certificate: the primal has {amount} of {of.names[j]}; expected no negative mass")
        for i, coefficient in of.columns[j].items():
            reached[i] += coefficient * amount
    if tuple(reached) != of.wanted:
        raise ValueError("certificate: the primal is no lossless verifier of these drafts")
    for name, gain, column in zip(of.names, of.gain, of.columns, strict=True):
        if sum(coefficient * certificate.dual[i] for i, coefficient in column.items()) < gain:
            raise ValueError(f"certificate: the dual prices {name} below its gain {gain}")
    primal = sum((of.gain[j] * amount for j, amount in certificate.primal.items()), start=Fraction(0))
    dual = sum(
        (price * coefficient for price, coefficient in zip(certificate.dual, of.wanted, strict=True)), start=Fraction(0)
    )
    if primal != dual:
        raise ValueError(f"certificate: primal {primal} and dual {dual} differ")
    return primal


def solved(of: Program) -> Certificate:
    """A certificate of a program's optimum: a basic solution from SciPy's HiGHS, solved again in fractions.

    Raises ValueError where SciPy is missing, and where no rational solution is found near the solver's.
    """
    try:
        from scipy.optimize import linprog
        from scipy.sparse import csc_array
    except ImportError as error:
        raise ValueError(missing("the best verifier", error)) from None
    entries = [(float(coefficient), i, j) for j, column in enumerate(of.columns) for i, coefficient in column.items()]
    values, rows, places = zip(*entries, strict=True)
    matrix: Any = csc_array((values, (rows, places)), shape=(len(of.wanted), len(of.names)))
    solution = linprog([-float(g) for g in of.gain], A_eq=matrix, b_eq=[float(w) for w in of.wanted], method="highs-ds")
    if solution.x is None:
        raise ValueError(f"program: {solution.message}")
    prices = [-float(v) for v in solution.eqlin.marginals]
    basic = [j for j, amount in enumerate(solution.x) if amount > 1e-9]
    primal = _solution([[of.columns[j].get(i, Fraction(0)) for j in basic] for i in range(len(of.wanted))], of.wanted)
    spare = [
        sum(float(coefficient) * prices[i] for i, coefficient in c.items()) - g
        for c, g in zip(of.columns, of.gain, strict=True)
    ]
    tight = [j for j, slack in enumerate(spare) if slack < 1e-7]
    near = [Fraction(price).limit_denominator(1000) for price in prices]
    dual = _solution(
        [[of.columns[j].get(i, Fraction(0)) for i in range(len(of.wanted))] for j in tight],
        [Fraction(of.gain[j]) for j in tight],
        near,
    )
    certificate = Certificate(dict(zip(basic, primal, strict=True)), tuple(dual))
    checked(of, certificate)
    return certificate


def _solution(
    rows: Sequence[Sequence[Fraction]], right: Sequence[Fraction], near: Sequence[Fraction] = ()
) -> list[Any]:
    """An exact solution of linear equations; what they leave free is as in `near`, or 0."""
    from flint import fmpq, fmpq_mat

    width = len(rows[0])
    flat = [fmpq(v.numerator, v.denominator) for row, b in zip(rows, right, strict=True) for v in (*row, b)]
    reduced, rank = fmpq_mat(len(rows), width + 1, flat).rref()
    table = [[Fraction(int(v.p), int(v.q)) for v in row] for row in reduced.tolist()[:rank]]
    lead = [next(k for k, v in enumerate(row) if v) for row in table]
    if width in lead:
        raise ValueError("program: the solver's basis has no exact solution")
    x = list(near) if near else [Fraction(0)] * width
    free = [k for k in range(width) if k not in set(lead)]
    for row, k in zip(table, lead, strict=True):
        x[k] = row[width] - sum(row[f] * x[f] for f in free)
    return x


def optimum(target: Model, draft: Model, gamma: int, further: bool = False) -> Fraction:
    """The largest E[τ] of any lossless verifier, with a rational certificate checked on the way; arguments as `program`.

    >>> p = [Fraction(1, 3), Fraction(2, 3)]
    >>> print(optimum(lambda x: p, lambda x: p[::-1], 2), optimum(lambda x: p, lambda x: p[::-1], 2, further=True))
    11/9 4/3
    """
    lossless_program = program(target, draft, gamma, further)
    return checked(lossless_program, solved(lossless_program))
