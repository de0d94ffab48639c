"""Finite-horizon decision processes: two language models over states, and the known utility of the finished text.

A state summarises the prefix: `step[s, x]` is the state after token x in state s.  With one state a prefix any
dependence on the prefix can be written; with the last token (and a counter) as state, long horizons stay cheap.
Values are exact, by backward induction; on fractions they are fractions.  What is not here: which tokens are pivots
(`simspec.methods.pad.pivots`), where utility is lost (`simspec.methods.pad.losses`) and processes to try
(`simspec.methods.pad.families`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from simspec.checks import short, whole_number
from simspec.laws import Array, is_exact
from simspec.laws.arrays import as_array
from simspec.methods.method import Method, as_method, one_step
from simspec.methods.pad.process_types import Process, check_process

__all__ = [
    "Process",
    "Run",
    "Step",
    "ahead",
    "along",
    "check_process",
    "evaluate",
    "values",
]

_REMEMBERED = 2**21  # entries (T, S, V) up to which a rule is applied once a position and remembered (50 MB)


Rule = Callable[[int, Array, Array], Method]
"""(position t, target values U_t (S,), target values after each token (S, V)) -> the method used at position t, whose
maps act on all states at once.  It is pure: the same arguments always give the same method."""


class Run(NamedTuple):
    """What a rule does on a process.

    Attributes
    ----------
    utility : expected utility from the start
    values : (T + 1, S); under the rule, at the start of a block
    acceptance : (T, S); acceptance rate of a draft at each position and state
    visits : (T, S); probability of each state at each position, under the rule
    share : expected accepted drafts / expected drafts over a text; 1 when nothing is drafted
    drafting : (T, S)
        probability that a draft is verified at each position and state; the visits, less those where a full block
        ends with a token from the target.
    accepted, drafts, calls : expected number over a text of accepted drafts, drafts and target calls; drafts count those
        after a rejection too, which are never verified (the verified ones are ``drafting.sum()``)
    length : accepted drafts a target call, the mean accepted length that `simspec.methods.speedup_of_accepted` takes
    """

    utility: Any
    values: Array
    acceptance: Array
    visits: Array
    share: Any
    drafting: Array
    accepted: Any
    drafts: Any
    calls: Any
    length: Any


class Step(NamedTuple):
    """What happens at one position, in all states at once.

    Attributes
    ----------
    position : int
    here : (S,); target values before the token
    after : (S, V); target values after each token
    target, drafted, kept, emitted : (S, V); target law, law drafted from, mass kept of each draft, output law
    """

    position: int
    here: Array
    after: Array
    target: Array
    drafted: Array
    kept: Array
    emitted: Array


def values(process: Process) -> Array:
    r"""Expected utility under the target, (T + 1, S): :math:`U_t(s) = \sum_x p_s(x)\, U_{t+1}(\mathrm{step}(s, x))`.

    Errors as in `check_process`.

    >>> process = Process(np.array([[0.75, 0.25], [0, 1]]), np.array([[0.5, 0.5], [0, 1]]), np.array([[0, 1], [1, 1]]),
    ...     np.array([0, 1]), 0, 2)
    >>> values(process).tolist()
    [[0.4375, 1.0], [0.25, 1.0], [0.0, 1.0]]
    """
    check_process(process)
    return _values(process)


def _values(process: Process) -> Array:
    table = [process.utility]
    for _ in range(process.horizon):
        table.append((process.target * ahead(process, table[-1])).sum(axis=-1))
    return np.stack(table[::-1])


def ahead(process: Process, after: Array) -> Array:
    """Value (S, V) after each token, from the values (S,) of the next position.

    >>> half = np.array([[0.5, 0.5]] * 2)
    >>> ahead(Process(half, half, np.array([[0, 1], [1, 1]]), np.array([0, 1]), 0, 1), np.array([0, 1])).tolist()
    [[0, 1], [1, 1]]
    """
    return after[process.step]


def evaluate(process: Process, rule: Rule | Method, gamma: int | None = None) -> Run:
    r"""Exact values, acceptance and visited states of a rule, on one draft a position or on blocks of `gamma` drafts.

    With blocks, the token after `gamma` kept drafts is drawn from the target, so that the rule acts on fewer tokens.
    Blocks end with the text: no draft is made beyond it, and a block whose drafts reach the end draws no extra token.

    Parameters
    ----------
    process : Process
    rule : Method or Rule; the same method everywhere, or one for each position from the target's values
    gamma : int >= 0, optional; drafts per target call; without it every token is a verified draft

    Returns
    -------
    Run

    Raises ValueError as in `check_process`, and for a negative `gamma` or a method whose kept mass is wrong.

    The draft always says 1 where the target says 0 or 1 evenly, and 0 is what is useful:

    >>> from simspec.methods import SD
    >>> from simspec.methods.pad.pivots import pad
    >>> p, q = np.array([[0.5, 0.5]] * 2), np.array([[0.0, 1.0]] * 2)
    >>> process = Process(p, q, np.array([[0, 1], [0, 1]]), np.array([1, 0]), 0, 2)
    >>> run = evaluate(process, SD)
    >>> float(run.utility), float(run.share)
    (0.5, 0.5)
    >>> run = evaluate(process, pad(np.zeros((2, 2), bool)), gamma=1)  # the second token is the target's
    >>> float(run.utility), float(run.share), float(run.calls)
    (0.5, 1.0, 1.0)
    """
    check_process(process)
    return _evaluate(process, _steps(process, rule), _check_gamma(gamma, process.horizon))


def _steps(process: Process, rule: Rule | Method) -> Callable[[int], Step]:
    """Position -> what happens there; remembered when small."""
    target = _values(process)
    remembered: dict[int, Step] = {}
    small = process.horizon * np.size(process.target) <= _REMEMBERED

    def move(method: Method) -> tuple[Array, Array, Array]:
        single_step = one_step(method, process.target, process.draft)
        return single_step.reported, single_step.accepted, single_step.output

    _check_rule(rule)
    constant = move(as_method(rule)) if _is_method(rule) else None

    def at(t: int) -> Step:
        if t not in remembered:
            here = target[t]
            after = ahead(process, target[t + 1])
            moves = constant or move(_method_at(rule, t, here, after))  # type: ignore[arg-type]
            if not small:
                remembered.clear()
            remembered[t] = Step(t, here, after, process.target, *moves)
        return remembered[t]

    return at


def _is_method(rule: Any) -> bool:
    """Whether a rule is the same at every position: a method, or what names one."""
    return isinstance(rule, str) or hasattr(rule, "propose")


def _check_rule(rule: Any) -> None:
    """Refuse what is neither a method nor a function of three arguments."""
    if _is_method(rule):
        return
    expected = "a Method, or a function of a position, the target values and those after each token"
    if not callable(rule):
        raise ValueError(f"rule: {short(rule)}; expected {expected}")
    try:
        signature = inspect.signature(rule)
    except ValueError:  # a builtin that does not say what it takes
        return
    try:
        signature.bind(0, None, None)
    except TypeError as error:
        raise ValueError(f"rule: {short(rule)} ({error}); expected {expected}") from None


def _method_at(rule: Rule, t: int, here: Array, after: Array) -> Method:
    method = rule(t, here, after)
    if not isinstance(method, Method):
        raise ValueError(f"rule: returned {short(method)} at position {t}; expected a Method")
    return method


def _check_gamma(gamma: int | None, horizon: int) -> int | None:
    """A number of drafts, cut where a block would go beyond the text; None for a verified draft at every token."""
    if gamma is None:
        return None
    return min(whole_number("gamma", gamma, 0, None, "a number of drafts that is not negative, or None"), horizon)


def _evaluate(process: Process, steps: Callable[[int], Step], gamma: int | None) -> Run:
    """Run a rule on a process: values by backward induction, then visits, drafts and calls by a forward pass."""
    states = len(process.utility)
    horizon = process.horizon
    unit = _one(process)
    drafted = 1 if gamma is None else gamma  # phases in which a draft is verified; in phase j, j drafts were kept
    after = np.stack([process.utility * unit] * (drafted + (gamma is not None)))
    table: Any = [after[0]]
    for t in reversed(range(horizon)):
        after = _back(process, steps(t), after, gamma)
        table.append(after[0])
    here = after * 0
    here[0] = (np.arange(states) == process.start) * unit
    visits, drafting, acceptance = (np.zeros((horizon, states), dtype=here.dtype) for _ in range(3))
    accepted = drafts = calls = 0 * unit
    for t in range(horizon):
        now = steps(t)
        visits[t] = here.sum(axis=0)
        drafting[t] = here[:drafted].sum(axis=0)
        acceptance[t] = now.kept.sum(axis=-1)
        started = here[0].sum()
        calls += started
        # a call does not draft beyond the end of the text
        drafts += started * min(drafted, horizon - t)
        accepted += (drafting[t] * acceptance[t]).sum()
        here = _forth(process, now, here, gamma)
    share = accepted / drafts if drafts else 1
    length = accepted / calls if calls else 0
    start = table[-1][process.start]
    table = np.stack(table[::-1])
    return Run(
        utility=start,
        values=table,
        acceptance=acceptance,
        visits=visits,
        share=share,
        drafting=drafting,
        accepted=accepted,
        drafts=drafts,
        calls=calls,
        length=length,
    )


def _one(process: Process) -> Any:
    """One, in the arithmetic of the process."""
    kinds = [np.asarray(a).dtype for a in (process.target, process.draft, process.utility)]
    if any(k.kind == "O" for k in kinds):
        return Fraction(1)
    return np.result_type(*kinds, np.float32).type(1)


def _back(process: Process, now: Step, after: Array, gamma: int | None) -> Array:
    """Values (phases, S) at a position, from those of the next."""
    fresh = ahead(process, after[0])
    if gamma is None:
        return (now.emitted * fresh).sum(axis=-1)[None]
    rejected = ((now.emitted - now.kept) * fresh).sum(axis=-1)
    accepted_values = [(now.kept * ahead(process, a)).sum(axis=-1) for a in after[1:]]
    return np.stack([k + rejected for k in accepted_values] + [(now.target * fresh).sum(axis=-1)])


def _forth(process: Process, now: Step, here: Array, gamma: int | None) -> Array:
    """Probability (phases, S) of each phase and state at the next position."""
    if gamma is None:
        return _flow(process, here[0], now.emitted)[None]
    fresh = _flow(process, here[:-1].sum(axis=0), now.emitted - now.kept) + _flow(process, here[-1], now.target)
    return np.stack([fresh] + [_flow(process, h, now.kept) for h in here[:-1]])


def _flow(process: Process, here: Array, mass: Array) -> Array:
    """Mass (S,) that arrives in each state when each state sends `here` times `mass` through its tokens."""
    sent = here[:, None] * mass
    if not is_exact(sent):
        return np.bincount(process.step.ravel(), sent.ravel(), minlength=len(here)).astype(sent.dtype)
    there = here * 0
    np.add.at(there, process.step, sent)
    return there


def along(process: Process, rule: Rule | Method, measure: Callable[[Step], Array], gamma: int | None = None) -> Any:
    r"""Expected sum of a measure over the drafts that a rule verifies, along the rule's own path:
    :math:`\sum_t E_{s_t \sim \mathrm{rule}}[f_t(s_t)]`.

    Parameters
    ----------
    process, rule, gamma : as in `evaluate`
    measure : Step -> (S,)

    Drafts rejected over a text of two tokens:

    >>> from simspec.methods import SD
    >>> p, q = np.array([[0.5, 0.5]] * 2), np.array([[0.0, 1.0]] * 2)
    >>> process = Process(p, q, np.array([[0, 1], [0, 1]]), np.array([1, 0]), 0, 2)
    >>> float(along(process, SD, lambda now: (now.drafted - now.kept).sum(axis=-1)))
    1.0
    """
    check_process(process)
    steps = _steps(process, rule)
    drafting = _evaluate(process, steps, _check_gamma(gamma, process.horizon)).drafting
    if not callable(measure):
        raise ValueError(f"measure: {short(measure)}; expected a function of a Step")
    return sum(((drafting[t] * _measured(measure, steps(t))).sum() for t in range(process.horizon)), 0 * _one(process))


def _measured(measure: Callable[[Step], Array], now: Step) -> Array:
    """A measure at one position, checked to be one number, or one a state."""
    measured = as_array(measure(now), "measure")
    if measured.shape not in ((), now.here.shape):
        raise ValueError(f"measure: returned shape {measured.shape}; expected one number a state, {now.here.shape}")
    return measured
