"""One step of verification: what a method is, and all that follows from it.

A method is three pure maps.  Kept mass needs no division and no convention for 0/0, so acceptance, output law and
its total variation from the target are exact on fractions.  What verifies several drafted tokens is in `simspec.methods.block`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from simspec.laws import Array, check_law, check_pair, is_exact, unchecked
from simspec.laws.arrays import as_array, as_fractions, first
from simspec.laws.checks import check_arithmetic
from simspec.laws.enclosures import check_finite, encloses, shares, together
from simspec.methods.calls import Call, Constant, Map, written

__all__ = [
    "MAPS",
    "Method",
    "Origin",
    "Step",
    "acceptance_rate",
    "accepted_mass",
    "as_method",
    "is_lossless",
    "leftover",
    "one_step",
    "output_law",
    "read_names_with",
    "tv",
]

ROUNDING = 8
"""Units in the last place by which a product of a few floats can miss what it stands for."""


class Origin(NamedTuple):
    """What made a method, and the three maps that it made: where one of them was replaced since, the method has another."""

    call: Call | Constant
    maps: tuple[Callable[..., Array], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Method:
    """A rule that verifies one drafted token, as three pure maps.

    Attributes
    ----------
    propose : q -> d; the law a draft token is drawn from; it never sees the target, because a drafter cannot look at it
    accept : (p, d) -> k, with 0 <= k <= d
        the mass accepted of each drafted token (speculative decoding: min(p, d)); a token is accepted when u*d < k.
    residual : (p, d) -> r; the law drawn from after a rejection
    origin : what `made_by` notes, by which a method prints, compares and pickles; None where nothing is noted

    `dataclasses.replace` gives the method with another map.

    >>> from simspec.methods import SD, ears, fresh
    >>> p, q = np.array([0.5, 0.5]), np.array([0.75, 0.25])
    >>> SD.accept(p, SD.propose(q)).tolist(), SD.residual(p, q).tolist()
    ([0.5, 0.25], [0.0, 1.0])
    >>> replace(ears(0.5), residual=fresh), ears(0.5) == ears(0.5)
    (replace(ears(0.5), residual=fresh), True)
    """

    propose: Callable[[Array], Array]
    accept: Callable[[Array, Array], Array]
    residual: Callable[[Array, Array], Array]
    origin: Origin | None = None

    @property
    def maps(self) -> tuple[Callable[..., Array], ...]:
        """The three maps in order."""
        return self.propose, self.accept, self.residual

    def made_by(self, factory: Callable[..., Method], /, *args: Any, **kwargs: Any) -> Method:
        """The same, which prints, compares and pickles as this call of the function that makes it.

        Pickling needs a function of a module, as it does of any function.

        >>> from simspec.methods import SD
        >>> def scaled(share: float) -> Method:
        ...     return replace(SD, accept=lambda p, d: share * SD.accept(p, d)).made_by(scaled, share)
        >>> scaled(0.5), scaled(0.5) == scaled(share=0.5), scaled(0.5) == scaled(0.25)
        (scaled(0.5), True, False)
        """
        return replace(self, origin=Origin(Call(factory, *args, **kwargs), self.maps))

    def _replaced(self) -> dict[str, Callable[..., Array]]:
        """The maps that are not those of the origin, by name."""
        if self.origin is None:
            return {}
        pairs = zip(MAPS, self.maps, self.origin.maps, strict=True)
        return {name: now for name, now, before in pairs if now is not before}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Method):
            return NotImplemented
        if self.maps == other.maps:
            return True
        if self.origin is None or other.origin is None or self.origin.call != other.origin.call:
            return False
        return self._replaced() == other._replaced()

    def __hash__(self) -> int:
        """From the names of the maps: the same for methods that are equal because one call made them."""
        return hash(tuple(map(_name_of, self.maps)))

    def __repr__(self) -> str:
        """What made it where that is noted; else the maps by name, without the addresses that differ at every run."""
        if self.origin is None:
            return f"Method({', '.join(map(_name_of, self.maps))})"
        changes = "".join(f", {name}={written(value)}" for name, value in self._replaced().items())
        return f"replace({self.origin.call!r}{changes})" if changes else repr(self.origin.call)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.origin is None:
            return Method, self.maps
        return _again, (self.origin.call.again(), self._replaced())


MAPS = ("propose", "accept", "residual")
"""Names of the maps of a `Method`."""


def _again(make: partial[Method], changes: dict[str, Any]) -> Method:
    """A method from a pickle."""
    method = make()
    return replace(method, **changes) if changes else method


def _name_of(function: Any) -> str:
    return str(getattr(function, "__qualname__", type(function).__name__))


class Step(NamedTuple):
    """One step on checked laws: target law, reported draft law, mass accepted of each token, law after a rejection."""

    target: Array
    reported: Array
    accepted: Array
    residual: Array

    @property
    def output(self) -> Array:
        """Law of the token emitted; a sum of accepted mass that rounding carries beyond one leaves nothing, not less."""
        residual_mass = 1 - unchecked.total(self.accepted)
        return (
            self.accepted
            + (np.maximum(residual_mass, 0) if residual_mass.dtype.kind == "f" else residual_mass) * self.residual
        )


def leftover(accept: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    r"""Residual that makes a rule lossless: :math:`\mathrm{norm}(p - k)`, for a rule with :math:`k \le p`.

    Where nothing is left (k = p: a rejection has probability zero) the law returned is p.  Where floats make k larger
    than p by a few units in the last place, nothing is left of the token.  Where an enclosure of what is left contains 0,
    nothing is divided: each token's share is enclosed by [0, 1].

    Raises ValueError from the residual, where a rule keeps more than p of a token, by row, token and value: no residual
    makes it lossless.

    >>> leftover(np.minimum)(np.array([0.5, 0.5]), np.array([1.0, 0.0])).tolist()
    [0.0, 1.0]
    """

    def residual(p: Array, d: Array) -> Array:
        p, k = together(p, accept(p, d))
        remaining = p - k
        if remaining.size and not _nowhere_below_zero(remaining):
            _check_at_most(k, p, "p, a part of the target: what is accepted beyond it no residual takes back")
            remaining = np.maximum(remaining, 0)
        if encloses(remaining):
            return shares(remaining, unchecked.total(remaining), p)
        return unchecked.normalise(remaining, otherwise=p)

    return Map(residual, Call(leftover, accept))


def _nowhere_below_zero(x: Array) -> bool:
    return not (x < 0).any() if x.dtype == object else bool(x.min() >= 0)


def _check_at_most(k: Array, bound: Array, meaning: str) -> None:
    """Refuse accepted masses that are negative or larger than another array's, beyond rounding."""
    if k.dtype == object or bound.dtype == object:
        good = ~np.asarray((k < 0) | (k > bound), dtype=bool)  # of enclosures: what is certain
    elif ((k >= 0) & (k <= bound)).all():
        return
    else:
        kinds = [np.finfo(x.dtype if x.dtype.kind == "f" else np.float64) for x in (k, bound)]
        ulp, smallest = (max(float(getattr(kind, name)) for kind in kinds) for name in ("eps", "smallest_subnormal"))
        good = (k >= 0) & (k <= bound * (1 + ROUNDING * ulp) + ROUNDING * smallest)
    if not good.all():
        where = first(~good)
        mass, limit = (np.broadcast_to(x, good.shape)[where] for x in (k, bound))
        raise ValueError(
            f"accept(p, d): row {where[:-1]} accepts {mass} of token {where[-1]}, where {meaning[0]} is {limit}; "
            f"expected 0 <= k <= {meaning}"
        )


def accepted_mass(method: Method, p: Array, q: Array, drawn: Array | None = None) -> Array:
    r"""Mass with which each token is drafted and accepted, :math:`k`, or :math:`k\,w/d` when `drawn` is the law w.

    Parameters
    ----------
    method : Method
    p, q : laws (..., V); target law and draft law
    drawn : law (..., V), optional
        the law truly drawn from, when a drafter reports another one to the verifier (greedy drawn, softmax reported).

    Raises ValueError when an argument is not a law or the vocabularies differ; when a rule keeps a negative mass of a
    token or more than was drafted, by row, token and value; when floats and fractions meet, which gives floats (a
    power, root or logarithm of a fraction is a float: `simspec.claims.balls` encloses it).

    >>> from simspec.methods import SD
    >>> p, q = np.array([0.5, 0.5]), np.array([0.75, 0.25])
    >>> accepted_mass(SD, p, q, drawn=np.array([1, 0])).round(6).tolist()
    [0.666667, 0.0]
    """
    return _accepted(method, p, q, drawn)[1]


def _accepted(method: Method, p: Array, q: Array, drawn: Array | None) -> tuple[Array, Array, Array]:
    """Checked target law, mass accepted of each token, and the reported draft law."""
    method = as_method(method)
    p, q = together(p, q)
    p, q = check_pair(p, q)
    d = method.propose(q)
    if d is not q:
        p, d = together(p, check_law(d, "propose(q)"))
        check_arithmetic(d, p, "propose(q)")
    k = _mapped(method.accept(p, d), "accept(p, d)", "mass for each token of d", d)
    k, most, like = together(k, d, p)
    _check_at_most(k, most, "d, a part of each draft")
    check_arithmetic(k, like, "accept(p, d)")
    if drawn is None:
        return p, k, d
    _, drawn = check_pair(p, drawn, ("p", "drawn"))
    k, most, drawn = together(k, most, drawn)
    check_arithmetic(drawn, k, "drawn")
    if encloses(k):
        return p, drawn * shares(k, most), d
    return p, np.where(d > 0, drawn * k / as_fractions(np.where(d > 0, d, 1)), 0), d


_readers: list[Callable[[str], Any]] = []
"""Reads the names of rules; the registry, which knows all of them, puts its own here."""


def read_names_with(reader: Callable[[str], Any]) -> None:
    """Name what turns the name of a rule into the rule: so that this module needs to know none."""
    _readers[:] = [reader]


def as_method(method: Any, name: str = "method") -> Any:
    """The method that an argument stands for: itself, what a rule has, or what a name such as ``ears:0.1`` names.

    Parameters
    ----------
    method : Method, Rule, or text that `simspec.rule` reads
    name : of the argument, for the error

    Raises ValueError for anything else, for a name that is not known, and for a rule that is no method of one draft.

    >>> as_method("sd"), as_method("ears:0.5")
    (SD, ears(0.5))
    """
    given = method
    if isinstance(method, str):
        try:
            given = _readers[0](method)
        except ValueError as error:
            raise ValueError(str(error).replace("rule:", f"{name}:", 1)) from error
    given = getattr(given, "single", given)
    if all(hasattr(given, part) for part in MAPS):
        return given
    raise ValueError(
        f"{name}: {method!r} is a {type(method).__name__}; expected a Method, a rule or its name, such as simspec.rule('sd')"
    )


def _mapped(x: Array, name: str, description: str, like: Array) -> Array:
    """What a method's map returned, as an array that has a row for each row of `like`."""
    expected = f"expected one {description}, {like.shape}"
    if x is None or np.shape(x)[-1:] != like.shape[-1:]:
        raise ValueError(f"{name}: {f'shape {np.shape(x)}' if np.shape(x) else f'a {type(x).__name__}'}; {expected}")
    x = as_array(x, name)
    check_finite(x, name)
    try:
        if x.shape != like.shape:
            np.broadcast_shapes(x.shape, like.shape)
    except ValueError:
        raise ValueError(f"{name}: shape {x.shape}; {expected}") from None
    return x


def one_step(method: Method, p: Array, q: Array, drawn: Array | None = None) -> Step:
    """All parts of one step, each checked: what the other functions of this module are made of.

    Parameters as in `accepted_mass`; errors as there, and where the residual is not a law, by row, token and value.

    >>> from simspec.methods import SD
    >>> one_step(SD, np.array([0.5, 0.5]), np.array([0.75, 0.25])).residual.tolist()
    [0.0, 1.0]
    """
    method = as_method(method)
    p, k, d = _accepted(method, p, q, drawn)
    r = check_law(_mapped(method.residual(p, d), "residual(p, d)", "law for each row of p", p), "residual(p, d)")
    p, d, k, r = together(p, d, k, r)
    check_arithmetic(r, k, "residual(p, d)")
    return Step(p, d, k, r)


def acceptance_rate(method: Method, p: Array, q: Array, drawn: Array | None = None) -> Array:
    r"""Probability that the drafted token is accepted, :math:`\alpha = \sum_x k_x`.

    Parameters and errors as in `accepted_mass`.  Pinned by claim ``sd.acceptance``.

    >>> from simspec.methods import SD
    >>> float(acceptance_rate(SD, np.array([0.5, 0.5]), np.array([0.75, 0.25])))
    0.75
    """
    return accepted_mass(method, p, q, drawn).sum(axis=-1)


def output_law(method: Method, p: Array, q: Array, drawn: Array | None = None) -> Array:
    r"""Law of the token emitted by one step, :math:`k + (1 - \sum_x k_x)\, r`.

    Parameters and errors as in `accepted_mass`; a residual that is not a law is an error too.  Pinned by claim
    ``sd.lossless``.

    >>> from simspec.methods import SD
    >>> output_law(SD, np.array([0.5, 0.5]), np.array([0.75, 0.25])).tolist()
    [0.5, 0.5]
    """
    return one_step(method, p, q, drawn).output


def tv(method: Method, p: Array, q: Array, drawn: Array | None = None) -> Array:
    r"""Total-variation distance between the emitted token's law and the target, in [0, 1].

    Drawing one law and telling the verifier another is biased, even under speculative decoding:

    >>> from simspec.methods import SD
    >>> p, q = np.array([0.5, 0.5]), np.array([0.75, 0.25])
    >>> round(float(tv(SD, p, q, drawn=np.array([1, 0]))), 6)
    0.166667
    """
    done = one_step(method, p, q, drawn)
    return unchecked.tv(done.output, done.target)


def is_lossless(method: Method, p: Array, q: Array) -> bool:
    """Whether the output law is the target law: exactly on fractions, to rounding on floats.

    Raises ValueError where the total variation is an enclosure that contains 0: neither is certain then.

    >>> from simspec.methods import SD
    >>> is_lossless(SD, np.array([0.5, 0.5]), np.array([0.75, 0.25]))
    True
    """
    step = one_step(method, p, q)
    gap = np.asarray(unchecked.tv(step.output, step.target))
    if encloses(gap):
        return _is_certainly_zero(gap)
    if is_exact(gap):
        return bool((gap == 0).all())
    return bool((gap <= (step.target.shape[-1] + 8) * float(np.finfo(gap.dtype).eps)).all())


def _is_certainly_zero(gap: Array) -> bool:
    """Whether enclosures of a total variation are all 0, or one is certainly not; an error where neither is certain."""
    if (gap > 0).any():
        return False
    certain = np.asarray(gap == 0, dtype=bool)
    if not certain.all():
        raise ValueError(
            f"tv: {gap[first(~certain)]} contains 0, and may be 0 or not; expected a certain answer: state "
            "`output_law(rule, p, q)` and p as the sides of an identity, which certain differences refute "
            "(docs/tours/your-own.md)"
        )
    return True
