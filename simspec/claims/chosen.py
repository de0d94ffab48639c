"""Which claims a run decides: ids and prefixes, claims of a user's own, and what is left of them by kind, verdict and source.

A claim from outside is found in a file (``mine.py:POWER``, or ``mine.py`` for all that it writes), in a module, among what
installed packages have registered, or is handed over as an object.  Whether a bank of one's own can change a claim's
verdict is told here too.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from simspec.checks import nearest
from simspec.claims import find, registry, sourced
from simspec.claims.claim import Claim, Kind, Verdict
from simspec.claims.deciding.outside import home_of, place_of_id
from simspec.claims.deciding.proved import roles
from simspec.claims.deciding.recorded import expected
from simspec.loading import Place, installed, line_of, names, place_of, unwrapped
from simspec.provenance.walk import texts_of

__all__ = ["Chosen", "choose", "found", "moved_by_bank", "narrowed"]

SOURCES = ("exact", "float", "real")
"""What a claim can be tried on."""
_BANK = re.compile(r"\bName\(data\)\.(main|realistic|deciding|controls|all_pairs|pairs|shipped|path|stories)\b")
"""How the code of this package asks for a bank."""


class Chosen(NamedTuple):
    """A claim, and the text by which the command line finds it: its id or place; None for an object of no file."""

    claim: Claim
    reference: str | None

    @property
    def outside(self) -> bool:
        """Whether it is none of the claims that ship."""
        return self.reference != self.claim.name


def choose(names: Sequence[str | Claim | Chosen] = ()) -> list[Chosen]:
    """Claims by id, prefix or place, or as objects; all that ship when nothing is wanted.

    Parameters
    ----------
    names : sequence of str or Claim
        an id or prefix in any case of letters; ``FILE.py:NAME`` or ``module:NAME``, where NAME is a variable that holds a
        claim or a tuple of claims, or a claim's id; ``FILE.py`` for all claims of a file; an id, or the name of an entry
        point, of what packages have registered under ``simspec.claims``; or a `Claim`.

    Raises
    ------
    ValueError
        for what is no claim, with the nearest ids or names; for two claims of one id.

    Examples
    --------
    >>> [c.claim.name for c in choose(["SD.Speedup", registry()["sd.acceptance"]])]
    ['sd.speedup', 'sd.speedup-monotone', 'sd.acceptance']
    >>> choose(["math:pi"])
    Traceback (most recent call last):
    ...
    ValueError: claim: 'math:pi' is a float; expected a Claim, and there is none in math
    """
    if not names:
        return [Chosen(claim, claim.name) for claim in registry().values()]
    by_name: dict[str, Chosen] = {}
    for choice in (c for w in names for c in _each(w)):
        before = by_name.setdefault(choice.claim.name, choice)
        if before.claim is not choice.claim and before.reference != choice.reference:
            raise ValueError(f"claim: two are called {choice.claim.name!r}; expected an id for each")
        if choice.outside and choice.claim.name in registry():
            raise ValueError(f"claim: {choice.claim.name!r} is the id of one that ships; expected another id")
    return list(by_name.values())


def found(reference: str) -> Chosen:
    """The one claim that a `Chosen.reference` refers to.

    >>> found("sd.speedup").claim.name
    'sd.speedup'
    """
    claim = registry().get(reference)
    return Chosen(claim, reference) if claim is not None else choose([reference])[0]


def _each(wanted: str | Claim | Chosen) -> Iterator[Chosen]:
    if isinstance(wanted, Chosen):
        yield wanted
    elif isinstance(wanted, Claim):
        yield _handed(wanted)
    elif not isinstance(wanted, str):
        raise ValueError(f"claim: {wanted!r} is a {type(wanted).__name__}; expected an id, FILE.py:NAME or a Claim")
    elif place := place_of(wanted):
        yield from _placed(place)
    elif wanted.endswith(".py"):
        yield from _placed(Place(wanted, ""))
    else:
        yield from _named(wanted)


def _handed(claim: Claim) -> Chosen:
    """An object: one that ships, or one of a file in which a name holds it."""
    if registry().get(claim.name) is claim:
        return Chosen(claim, claim.name)
    home, space = home_of(claim)
    if home is None or not any(candidate is claim for _, candidate in _held(space)):
        return Chosen(claim, None)
    here = Path.cwd()
    file = home.resolve()
    return Chosen(claim, _reference(str(file.relative_to(here) if file.is_relative_to(here) else file), space, claim))


def _held(space: Mapping[str, Any]) -> Iterator[tuple[str, Claim]]:
    """Claims that names of a file or module hold, alone or in tuples."""
    for name, value in space.items():
        for claim in value if isinstance(value, tuple) else (value,):
            if isinstance(claim, Claim):
                yield name, claim


def _reference(where: str, space: Mapping[str, Any], claim: Claim) -> str:
    name = next((n for n, value in space.items() if value is claim), claim.name)
    return f"{where}:{name}"


def _placed(place: Place) -> Iterator[Chosen]:
    """Yield the claim that a place names, or every claim of its file or module when the name is empty."""
    space = names(place.where, "claim")
    # by identity: a claim bound to several names counts once
    claims_by_id = {id(c): c for n, c in _held(space) if place.name in ("", n) or place.name.lower() == c.name.lower()}
    if not claims_by_id:
        there = list(dict.fromkeys(n for n, _ in _held(space)))
        example = f", such as {place.where}:{there[0]}" if there else f", and there is none in {place.where}"
        name = f"{place.where}:{place.name}"
        if place.name == "":
            raise ValueError(f"claim: {place.where!r} holds none; expected a Claim")
        value = space.get(place.name)
        word = "not there" if place.name not in space else f"a {type(value).__name__}"
        raise ValueError(f"claim: {name!r} is {word}; expected a Claim{example}")
    for claim in claims_by_id.values():
        if registry().get(claim.name) is claim:  # a file imports what ships
            if place.name:
                yield Chosen(claim, claim.name)
        else:
            yield Chosen(_checked(claim, place.where), _reference(place.where, space, claim))


def _checked(claim: Claim, where: str) -> Claim:
    """A claim whose fields are what the command line and the report rely on."""
    label = f"claim: {place_of_id(Path(where), str(claim.name)) or where}: {claim.name!r}"
    if not isinstance(claim.name, str) or not re.fullmatch(r"[\w.-]+", claim.name):
        raise ValueError(f"{label}: expected an id of letters, digits, dots and hyphens, such as own.power")
    if claim.kind not in get_args(Kind):
        near = nearest(str(claim.kind), get_args(Kind))
        raise ValueError(f"{label}: kind {claim.kind!r}{near}; expected one of {', '.join(get_args(Kind))}")
    if claim.finding is None and (claim.lhs is None or claim.rhs is None):
        raise ValueError(f"{label} has no sides; expected lhs and rhs, or a finding")
    for field in ("assumes", "outside"):
        if not isinstance(getattr(claim, field), Mapping):
            kind = type(getattr(claim, field)).__name__
            raise ValueError(f"{label}: {field} is a {kind}; expected a dictionary, by the name of each assumption")
    for role, function in roles(claim).items():
        if function is not None:
            _check_function(function, f"{label}: {role}")
    if unknown := set(claim.sources) - set(SOURCES):
        source = min(unknown)
        near = nearest(str(source), SOURCES)
        raise ValueError(f"{label}: sources hold {source!r}{near}; expected some of {', '.join(SOURCES)}")
    return claim


def _check_function(function: Any, label: str) -> None:
    """Refuse what cannot be called, and what yields in place of returning."""
    if not callable(function):
        raise ValueError(f"{label} is a {type(function).__name__}; expected a function of named values")
    if inspect.isgeneratorfunction(unwrapped(function)):
        raise ValueError(f"{label} is a generator ({line_of(function)}); expected a function that returns, not yields")


def _named(name: str) -> Iterator[Chosen]:
    """What ships, else what packages have registered."""
    try:
        yield from (Chosen(claim, claim.name) for claim in find([name]))
        return
    except ValueError:
        points = installed("claim")
        if not points:
            raise
        low = name.lower()
        named_points = [p for n, p in points.items() if n.lower() == low]
        registered = [c for p in named_points or points.values() for c in _placed(Place(p.module, p.attr or ""))]
        hits = [c for c in registered if named_points or c.claim.name.lower() == low]
        if not hits:
            raise
    yield from hits


# --- fewer of them ----------------------------------------------------------------------------------------------------


def narrowed(
    choices: Sequence[Chosen], kinds: Iterable[str] = (), verdicts: Iterable[str] = (), source: str | None = None
) -> list[Chosen]:
    """Those of some kinds, recorded verdicts and source; every one where nothing is said.

    Raises
    ------
    ValueError
        for a word that is no kind or verdict, and where no claim is left.

    Examples
    --------
    >>> [c.claim.name for c in narrowed(choose(["sd"]), verdicts=["REFUTED"])]
    ['sd.inverse-proportional']
    """
    rules: list[tuple[str, Iterable[str], tuple[str, ...], Callable[[Claim], Any]]] = [
        ("--kind", kinds, get_args(Kind), lambda claim: claim.kind),
        ("--verdict", verdicts, get_args(Verdict), lambda claim: expected()["verdicts"].get(claim.name)),
    ]
    remaining = list(choices)
    conditions = []
    for option, words, allowed_words, of in rules:
        low = [word.lower() for word in words]
        if wrong := [word for word in low if word not in allowed_words]:
            near = nearest(wrong[0], allowed_words)
            raise ValueError(f"{option}: {wrong[0]!r}{near}; expected one of {', '.join(allowed_words)}")
        if low:
            remaining = [c for c in remaining if of(c.claim) in low]
            conditions.append(f"{option} {' '.join(low)}")
    if not remaining:
        raise ValueError(f"{' and '.join(conditions)}: none of {len(choices)} claims matches; see `simspec claims`")
    if source is None:
        return remaining
    among = {id(claim) for claim in sourced(source, [c.claim for c in remaining])}
    return [c for c in remaining if id(c.claim) in among]


def moved_by_bank(choice: Chosen) -> bool:
    """Whether a bank of one's own can change what is found: a proof or an exact counterexample stands with any.

    It can where evidence is measured on a bank, and where real laws may still refute what only holds.

    >>> moved_by_bank(choose(["sd.acceptance"])[0]), moved_by_bank(choose(["rdk.real-pruning"])[0])
    (False, True)
    """
    claim = choice.claim
    measured = claim.finding.study if claim.finding else claim.evidence
    if measured is not None and any(_BANK.search(text) for text in texts_of([measured])):
        return True
    settled = expected()["verdicts"].get(claim.name) in ("proved", "derived", "refuted")
    real = claim.finding is None and claim.instances is not None and "real" in claim.sources
    return choice.outside or (real and not settled)
