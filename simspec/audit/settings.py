"""What both modes of the audit can be told, beside laws and calls."""

from __future__ import annotations

from math import inf
from typing import NamedTuple, TypedDict

from simspec.checks import nearest, whole_number

__all__ = ["More", "Settings", "settled"]


class More(TypedDict, total=False):
    """Settings that may be left out.

    Attributes
    ----------
    seed : int; of all random numbers (0)
    max_tv : float in [0, 1); a bias of at most this was declared: where TV is known to be at most this on all pairs, the
        verdict is lossy as declared (0)
    cost : float >= 0; draft time over target time, for the speed-ups in the price (0.05)
    call_timeout : float > 0; a sampler that has not returned from a call after so many seconds is broken (60)
    time_limit : float > 0; after so many seconds the verdict is on what was tried by then (no limit)
    prefixes : bool; the sampler takes laws that depend on the drafted prefix, as levels of a tree, and is tried on such (False)
    ragged : bool; exact mode only: a row of a batch may have fewer drafts than others, filled up with -1, and is tried so (False)
    grid : int; exact mode only: uniforms are multiples of 2^-grid, as of a generator with so many bits (24 in single
        precision), and the law is that on these uniforms; 0: uniforms are real numbers (0)
    diagnose : bool; also look for the cause, and for the price of the repair (True)
    shrink : bool; exact mode only: where a bias is found, also look for smaller laws that show it (True)
    confirmed : int >= 1; in exact mode, random calls on each pair that are compared with the cells found (50,000)
    """

    seed: int
    max_tv: float
    cost: float
    call_timeout: float
    time_limit: float
    prefixes: bool
    ragged: bool
    grid: int
    diagnose: bool
    shrink: bool
    confirmed: int


class Settings(NamedTuple):
    """`More`, with nothing left out."""

    seed: int = 0
    max_tv: float = 0.0
    cost: float = 0.05
    call_timeout: float = 60.0
    time_limit: float = inf
    prefixes: bool = False
    ragged: bool = False
    diagnose: bool = True
    confirmed: int = 50_000
    grid: int = 0
    shrink: bool = True


def settled(options: More) -> Settings:
    """Settings with their defaults; raises ValueError that names the one that is wrong.

    >>> settled({"max_tv": 0.1}).max_tv, settled({}).cost
    (0.1, 0.05)
    """
    if unknown := set(options) - set(Settings._fields):
        name = min(unknown)
        near = nearest(name, Settings._fields)
        raise TypeError(f"{name}: unknown{near}; expected one of {', '.join(Settings._fields)}")
    settings = Settings(**options)
    whole_number("seed", settings.seed, 0, None, "an integer, 0 or more")
    whole_number("confirmed", settings.confirmed, 1, None, "a positive number of calls")
    whole_number("grid", settings.grid, 0, 32, "a number of bits from 0 to 32")
    if not 0 <= settings.max_tv < 1:
        raise ValueError(f"max_tv: {settings.max_tv}; expected a total variation of at least 0 and less than 1")
    if not 0 <= settings.cost < float("inf"):
        raise ValueError(f"cost: {settings.cost}; expected draft time / target time, 0 or more")
    for name in ("call_timeout", "time_limit"):
        if not getattr(settings, name) > 0:
            raise ValueError(f"{name}: {getattr(settings, name)}; expected a positive number of seconds")
    return settings
