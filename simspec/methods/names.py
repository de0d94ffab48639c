"""Rules by name, as the command line and tables write them: ``ears:0.1``, ``lenience:1/2``, ``mine.py:power:0.9``.

A rule is a name and numbers; rules of one's own are named by their place, or registered by a package under the
entry-point group ``simspec.rules``.  What a draft costs in bits belongs to the quantised rules, so a `Rule` carries that
function beside its method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from simspec.laws import Array
from simspec.loading import faults, installed, load, place_of
from simspec.methods.contexts import ROWWISE, On
from simspec.methods.contexts import make as rowwise
from simspec.methods.coupling.lists import NAMES as LISTS
from simspec.methods.coupling.race import NAMES as COUPLED
from simspec.methods.csqs.conformal import csqs
from simspec.methods.ears.acceptance import UNCERTAINTIES, ears, fresh
from simspec.methods.ears.relaxed import lenience, levelled, mixture, typical
from simspec.methods.known import KNOWING, REFUSED, Known, make
from simspec.methods.method import Method
from simspec.methods.multi.names import NAMES as MULTI
from simspec.methods.multi.names import most
from simspec.methods.relaxed.named import NAMED
from simspec.methods.sd import SD
from simspec.methods.sqs.payload import dense_bits, payload_bits
from simspec.methods.sqs.quantised import dense_sqs, sqs, threshold_mask
from simspec.methods.stop.rules import NAMES as STOPPED
from simspec.methods.tli import uniform

__all__ = ["RULES", "SEVERAL", "Rule", "Shape", "rule", "told_of", "usages"]


class Rule(NamedTuple):
    """A rule as it was written, its method, and q -> bits that one draft's law takes (None: the law is not sent).

    A rule that differs from context to context has `on` as well, and `at` says what it is on some rows.  A lossless rule of
    several drafts has `accepts`, laws p and q -> acceptance, and its method means nothing; `most` is the largest acceptance
    of any lossless rule with the same drafts, where it is known.
    """

    name: str
    method: Method
    bits: Callable[[Array], Array] | None = None
    on: On | None = None
    accepts: Callable[[Array, Array], Array] | None = None
    most: Callable[[Array, Array], Array] | None = None

    @property
    def propose(self) -> Callable[[Array], Array]:
        """That of the method, so that a `Rule` stands wherever a `Method` does."""
        return self._single().propose

    @property
    def keep(self) -> Callable[[Array, Array], Array]:
        """That of the method."""
        return self._single().keep

    @property
    def residual(self) -> Callable[[Array, Array], Array]:
        """That of the method."""
        return self._single().residual

    def _single(self) -> Method:
        """The method, or an error where there is none for one draft of known laws."""
        if self.accepts is not None:
            raise ValueError(
                f"rule: {self.name!r} has several drafts; expected a rule of one (`simspec.rates` takes it)"
            )
        if self.on is not None:
            raise ValueError(
                f"rule: {self.name!r} is another in each context; expected `.at(rows, q)[0]`, the method there"
            )
        return self.method

    def at(self, rows: slice, q: Array) -> tuple[Method, Array]:
        """The method on some rows, and the laws that it is given for the draft's there."""
        return (self.method, q) if self.on is None else self.on(rows, q)


class Shape(NamedTuple):
    """How a rule is written: its numbers by name, what it does, and (name, numbers) -> rule."""

    numbers: tuple[str, ...]
    summary: str
    make: Callable[..., tuple[Method, Callable[[Array], Array] | None]]


def _sent(bits: Callable[[int], int]) -> Callable[[Array], Array]:
    return lambda q: np.full(q.shape[:-1], bits(q.shape[-1]))


def _sqs(k: Any, resolution: Any) -> tuple[Method, Callable[[Array], Array]]:
    k, resolution = _whole("K", k), _whole("RESOLUTION", resolution)
    return sqs(k, resolution), _sent(lambda vocab: payload_bits(vocab, k, resolution))


def _dense(resolution: Any) -> tuple[Method, Callable[[Array], Array]]:
    resolution = _whole("RESOLUTION", resolution)
    return dense_sqs(resolution), _sent(lambda vocab: dense_bits(vocab, resolution))


def _csqs(threshold: Any, resolution: Any) -> tuple[Method, Callable[[Array], Array]]:
    resolution = _whole("RESOLUTION", resolution)

    def bits(q: Array) -> Array:
        kept = threshold_mask(q, threshold).sum(axis=-1)
        sizes, where = np.unique(kept, return_inverse=True)
        prices = [payload_bits(q.shape[-1], int(k), resolution, adaptive=True) for k in sizes]
        return np.array(prices)[where.reshape(kept.shape)]

    return csqs(threshold, resolution), bits


def _likeliest(q: Array) -> Array:
    """The law of the draft's most likely token, the first of equals."""
    return (np.arange(q.shape[-1]) == q.argmax(axis=-1)[..., None]).astype(q.dtype)


_GREEDY = replace(SD, propose=_likeliest)


def _token(q: Array) -> Array:
    """A law of one token is sent as the token."""
    return np.full(q.shape[:-1], max(1, (q.shape[-1] - 1).bit_length()))


def _plain(made: Callable[..., Method]) -> Callable[..., tuple[Method, None]]:
    """A rule whose drafts are not priced in bits."""
    return lambda *numbers: (made(*numbers), None)


def _whole(name: str, number: Any) -> int:
    if number != int(number):
        raise ValueError(f"{name}: {number}; expected an integer")
    return int(number)


SEVERAL = {**LISTS, **MULTI}
"""Rules of several drafts of a step: their numbers, what they do, and numbers -> (laws p and q -> acceptance)."""

RULES: dict[str, Shape] = {
    "sd": Shape((), "speculative decoding: keep min(p, q); lossless", lambda: (SD, None)),
    "ears": Shape(("BETA",), "EARS with the residual of speculative decoding", lambda b: (ears(b), None)),
    "ears-fresh": Shape(
        ("BETA",), "EARS with a fresh draw from p after a rejection", lambda b: (replace(ears(b), residual=fresh), None)
    ),
    "ears-entropy": Shape(
        ("BETA",), "EARS with the normalised entropy", lambda b: (ears(b, UNCERTAINTIES["normalised entropy"]), None)
    ),
    "ears-variance": Shape(("BETA",), "EARS with 1 - sum p^2", lambda b: (ears(b, UNCERTAINTIES["variance"]), None)),
    "lenience": Shape(("FACTOR",), "accept with min(1, p/(FACTOR q))", lambda f: (lenience(f), None)),
    "lenience-levelled": Shape(
        ("FACTOR",),
        "lenience with the residual that makes KL smallest",
        lambda f: (levelled(lenience(f)), None),
    ),
    "mixture": Shape(("WEIGHT",), "speculative decoding towards (1 - w) p + w q", lambda w: (mixture(w), None)),
    "typical": Shape(("EPSILON", "DELTA"), "typical acceptance", lambda e, d: (typical(float(e), float(d)), None)),
    "sqs": Shape(("K", "RESOLUTION"), "drafts from the quantised law of the K most likely tokens", _sqs),
    "csqs": Shape(("THRESHOLD", "RESOLUTION"), "drafts from the quantised law of tokens above a threshold", _csqs),
    "dense": Shape(("RESOLUTION",), "drafts from the quantised law of all tokens", _dense),
    "greedy": Shape((), "drafts the draft's most likely token, keeps it with p; lossless", lambda: (_GREEDY, _token)),
    "uniform": Shape((), "drafts uniformly: a control", lambda: (uniform(), None)),
    **{name: Shape(numbers, summary, _plain(make)) for name, (numbers, summary, make) in NAMED.items()},
    **{name: Shape(*parts) for name, parts in {**COUPLED, **STOPPED}.items()},
}
"""Every rule that has a name."""


def rule(text: str, known: Known = Known(), several: bool = False) -> Rule:  # noqa: B008 - a tuple
    """The rule that a text such as ``ears:0.1`` names.

    Parameters
    ----------
    text : str
        a name of `RULES`, then its numbers after a colon, separated by commas; a number is a decimal or a fraction; or a
        name of `KNOWING` or `simspec.methods.contexts.ROWWISE`, alone.

        Or ``FILE.py:NAME``, ``module:NAME`` or an installed name, with numbers where NAME is a
        function of them.
    known : Known; what is known of the pair of models, for the names of `KNOWING`
    several : bool; also the rules of several drafts

    Raises ValueError for an unknown name, a wrong number of numbers, text that is no number, a number the rule
    refuses, a rule that needs more than is known, or a method that is no rule for one token; and where the place has no
    `Method` or `Rule`, or its code fails.

    >>> made = rule("lenience:1/2")
    >>> made.method.accept(np.array([0.25, 0.75]), np.array([0.75, 0.25])).tolist()
    [0.5, 0.25]
    """
    name, _, rest = text.partition(":")
    if name in REFUSED:
        raise ValueError(f"rule: {text!r} {REFUSED[name]}")
    if text in KNOWING:
        return Rule(text, make(text, known))
    if text in ROWWISE:
        return Rule(text, SD, on=rowwise(text, known))
    if name in KNOWING or name in ROWWISE:
        raise ValueError(f"rule: {text!r}; expected {name}, without numbers")
    if name in SEVERAL:
        if not several:
            raise ValueError(f"rule: {text!r} has several drafts; expected a rule of one (`simspec rates` takes it)")
        numbers = _numbers(text, rest, name)
        return Rule(text, SD, accepts=SEVERAL[name][2](*numbers), most=_most(name, *numbers))
    if name not in RULES:
        return _brought(text)
    method, bits = RULES[name].make(*_numbers(text, rest, name))
    return Rule(text, method, bits)


def _most(name: str, *numbers: Any) -> Callable[[Array, Array], Any] | None:
    """The most of any lossless rule with the same drafts; those of a list are independent."""
    return most("optimum" if name in LISTS else name, *numbers)


def _numbers(text: str, rest: str, name: str) -> list[Any]:
    """The numbers of a rule, as many as it takes."""
    parts = _parts(rest)
    if len(parts) != len(_taken(name)):
        raise ValueError(f"rule: {text!r}; expected {_usage(name)}")
    return [_number(part, text) for part in parts]


def _taken(name: str) -> tuple[str, ...]:
    return SEVERAL[name][0] if name in SEVERAL else RULES[name].numbers


def _parts(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


def _brought(text: str) -> Rule:
    """A rule of the user's: the value at a place, or what a function there makes of the numbers."""
    where, _, numbers = text.rpartition(":")
    reference, parts = (where, _parts(numbers)) if _known(where) else (text, [])
    if not _known(reference):
        names = [
            *map(_usage, (*RULES, *SEVERAL)),
            *KNOWING,
            *ROWWISE,
            *installed("rule"),
            "FILE.py:NAME or module:NAME",
        ]
        raise ValueError(
            f"rule: {text!r} is not known; expected one of {', '.join(names)} (`simspec rates --list` says what each does)"
        )
    made = load(reference, "rule", (Method, Rule), given=[_number(part, text) for part in parts])
    return made._replace(name=text) if isinstance(made, Rule) else Rule(text, made)


@contextmanager
def told_of(rule: Rule) -> Iterator[None]:
    """What goes wrong in a rule of the user's is told with the name of the rule, and the line where its code fails.

    >>> with told_of(Rule("mine.py:greedy", rule("sd").method)):
    ...     raise ValueError("accept(p, d): row 0 keeps too much")
    Traceback (most recent call last):
    ...
    ValueError: rule: 'mine.py:greedy': accept(p, d): row 0 keeps too much
    """
    if rule.name.partition(":")[0] in RULES:
        yield
        return
    label = f"rule: {rule.name!r}"
    own = [f for f in rule.method if not str(getattr(f, "__module__", "")).startswith("simspec.")]
    try:
        with faults(label, *own):
            yield
    except ValueError as error:
        if str(error).startswith(label):
            raise
        raise ValueError(f"{label}: {error}") from error


def _known(reference: str) -> bool:
    return place_of(reference) is not None or reference in installed("rule")


def usages() -> dict[str, str]:
    """How each rule is written, and what it does.

    >>> usages()["sqs:K,RESOLUTION"]
    'drafts from the quantised law of the K most likely tokens'
    """
    source = {name: "an array `first`" if rule.needs == ("first",) else "a bank" for name, rule in KNOWING.items()}
    known = {name: f"{rule.summary} (needs {source[name]})" for name, rule in KNOWING.items()}
    known |= {name: f"{rule.summary} (needs {rule.needs[0]})" for name, rule in ROWWISE.items()}
    listed = {_usage(name): summary for name, (_, summary, _) in SEVERAL.items()}
    return {_usage(name): shape.summary for name, shape in RULES.items()} | listed | known


def _usage(name: str) -> str:
    return name + (":" + ",".join(_taken(name)) if _taken(name) else "")


def _number(part: str, text: str) -> Any:
    try:
        return int(part) if part.isdigit() else float(Fraction(part))
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"rule: {text!r}: {part!r} is no number") from None
