"""What is asked of an engine: settings, and the questions of each round, fixed by the seed before anything is seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from simspec.audit.endpoint.records import EndpointError, Question
from simspec.checks import whole_number

__all__ = [
    "DRAFT_TOP",
    "FIRST",
    "OPTIONS",
    "Plan",
    "asks_logprobs",
    "checked_plan",
    "greedy_questions",
    "long_prompt",
    "option_questions",
    "sampled_kind",
    "sampled_questions",
    "stop_questions",
]

OPTIONS: tuple[tuple[tuple[str, float], ...], ...] = (
    (("temperature", 0.6),),
    (("min_p", 0.2),),
    (("top_k", 3),),
    (("top_p", 0.6),),
    (("presence_penalty", 2.0), ("frequency_penalty", 1.0)),
)
"""Options under which the law is judged too."""
WEIGHTS = (1, 1, 1, 1, 4)
"""How many answers each gets, over `Plan.option_answers`: what is wrong with a penalty shows only where a token comes again."""


STOP_WEIGHT = 4
"""How many answers with a stop string there are, over `Plan.option_answers`: most are shorter than others."""
FIRST = 5
"""Tokens of a short answer: those of a step with four drafts."""
SAMPLED_KINDS = (
    "requests alone",
    "batches with equal prompts",
    "several answers to one request",
    "batches of different prompts",
    *("short answers to one prompt",) * 4,
)
"""Rounds of the sampled test, which take turns."""


DRAFT_TOP = 20
"""Most likely tokens that a draft is asked for, where one is given: those of the reference may stand far down in its row."""


class Plan(NamedTuple):
    """Settings of an audit.

    Attributes
    ----------
    tokens : int; sampled tokens judged at most
    tv_limit : float; the law counts as the same where its total variation is known to be at most this
    error : float; probability that an engine with the reference's law is said to differ in the sampled tests, at any stop
    top : int; the reference's most likely tokens that are categories of their own
    seed : int; of prompts' order and of the seeds of all requests
    max_tokens : int; of a request
    context : int; tokens of a long prompt, which stands in batches beside short ones; 0 leaves long prompts out
    in_flight : int; requests at a time
    texts : int; greedy texts
    option_answers : int; answers under each of `OPTIONS`, times its weight, and with stop strings; 0 leaves them out
    pure : bool; whether all processors of the engine are switched off; False judges its defaults against the pure law
    books : bool; whether what the engine states of its answers is judged too
    """

    tokens: int = 2000
    tv_limit: float = 0.1
    error: float = 0.01
    top: int = 5
    seed: int = 0
    max_tokens: int = 16
    context: int = 192
    in_flight: int = 4
    texts: int = 8
    option_answers: int = 8
    pure: bool = True
    books: bool = True


def checked_plan(plan: Plan) -> Plan:
    """The plan, where its numbers can be.

    >>> checked_plan(Plan(top=0))
    Traceback (most recent call last):
    ...
    simspec.audit.endpoint.records.EndpointError: --top: 0; expected an integer from 1 to 20
    """
    limits = {
        "tokens": (1, None),
        "top": (1, 20),
        "seed": (0, 2**20),
        "max_tokens": (2, 512),
        "context": (0, 2**20),
        "in_flight": (1, 64),
        "texts": (0, 1000),
        "option_answers": (0, 1000),
    }
    for name, (low, high) in limits.items():
        try:
            whole_number(f"--{name.replace('_', '-')}", getattr(plan, name), low, high)
        except ValueError as error:
            raise EndpointError(str(error)) from None
    for name in ("tv_limit", "error"):
        if not 0 < getattr(plan, name) < 1:
            raise EndpointError(f"--{name.replace('_', '-')}: {getattr(plan, name)}; expected a number between 0 and 1")
    return plan


def sampled_kind(number: int) -> str:
    """What a round of the sampled test is, in words.

    >>> sampled_kind(0), sampled_kind(11)
    ('requests alone', 'batches of different prompts')
    """
    return SAMPLED_KINDS[number % len(SAMPLED_KINDS)]


def asks_logprobs(number: int) -> bool:
    """Whether the requests of a sampled round ask for log-probabilities, which only the books need: every other one does.

    Some engines draft none for such requests.  From one turn to the next the kinds of rounds change over.

    >>> [asks_logprobs(number) for number in (0, 1, 2, 8, 9)]
    [True, False, True, False, True]
    """
    return (number + number // len(SAMPLED_KINDS)) % 2 == 0


def long_prompt(
    plan: Plan, prompts: Sequence[tuple[int, ...]], first: int, long_prompts: Sequence[tuple[int, ...]] = ()
) -> tuple[int, ...]:
    """A prompt of `Plan.context` tokens: all prompts one after another, from one on, as often as it takes.

    `long_prompts` take turns instead, where they are given: of an engine that does not take any ids.

    >>> long_prompt(Plan(context=5), [(1, 2), (3,)], 1)
    (3, 1, 2, 3, 1)
    """
    if long_prompts:
        return long_prompts[first % len(long_prompts)]
    tokens: list[int] = []
    place = first
    while len(tokens) < plan.context:
        tokens += prompts[place % len(prompts)]
        place += 1
    return tuple(tokens[: plan.context])


def sampled_questions(
    plan: Plan,
    prompts: Sequence[tuple[int, ...]],
    number: int,
    allows_copies: bool,
    leaves_out_logprobs: bool = False,
    long_prompts: Sequence[tuple[int, ...]] = (),
) -> list[Question]:
    """Questions of a round of the sampled test, which are in flight together; with log-probabilities in every other round.

    Rounds take turns: a request alone, a batch with equal prompts, several answers to one request, a ragged batch, and four
    rounds of short answers to one prompt, whose first tokens' law is so learned from many seeds.  A ragged batch has a long
    prompt; it is full and begins with it in one turn, and has half of the requests and ends with it in the next.

    >>> [len(sampled_questions(Plan(), [(1,), (1, 2)], n, True)) for n in range(5)]
    [1, 4, 1, 4, 8]
    >>> [len(question.prompt) for question in sampled_questions(Plan(context=9), [(1,), (1, 2)], 11, True)]
    [1, 9]
    """
    # seeds of different rounds never meet, and stay below 2^31, which all engines take
    first_seed = (plan.seed * 7919 + number * 256) % 2**31
    turn = number // len(SAMPLED_KINDS)
    kind = sampled_kind(number)
    top = plan.top if asks_logprobs(number) and not leaves_out_logprobs else 0
    question = Question(prompts[turn % len(prompts)], first_seed, plan.max_tokens, top=top, pure=plan.pure)
    if kind == "requests alone":
        return [question]
    if kind == "several answers to one request":
        return [question._replace(copies=3 if allows_copies else 1)]
    if kind == "short answers to one prompt":
        short = question._replace(prompt=prompts[0], max_tokens=min(FIRST, plan.max_tokens))
        return [short._replace(seed=first_seed + place) for place in range(2 * plan.in_flight)]
    batch = []
    for place in range(plan.in_flight):
        further = 0 if kind == "batches with equal prompts" and place < 2 else place
        batch.append(question._replace(prompt=prompts[(turn + further) % len(prompts)], seed=first_seed + place))
    if kind == "batches of different prompts":
        if plan.context:
            batch[0] = batch[0]._replace(prompt=long_prompt(plan, prompts, turn, long_prompts))
        if turn % 2:
            batch = batch[: max(plan.in_flight // 2, 1)][::-1]
    return batch


def greedy_questions(
    plan: Plan, prompts: Sequence[tuple[int, ...]], number: int, long_prompts: Sequence[tuple[int, ...]] = ()
) -> list[Question]:
    """Questions of a round of the greedy test: a batch, each text longer than those of the sampled test.

    Every eighth text goes on after a long prompt.
    """
    places = range(number * plan.in_flight, min((number + 1) * plan.in_flight, plan.texts))
    questions = []
    for place in places:
        is_long = plan.context > 0 and place % 8 == 7
        prompt = long_prompt(plan, prompts, place, long_prompts) if is_long else prompts[place % len(prompts)]
        questions.append(Question(prompt, plan.seed, 2 * plan.max_tokens, temperature=0.0, pure=plan.pure))
    return questions


def stop_questions(plan: Plan, prompts: Sequence[tuple[int, ...]], stops: Sequence[str], number: int) -> list[Question]:
    """Questions of a round with a stop string each, which take turns; their seeds are those of no other round.

    >>> [question.stop for question in stop_questions(Plan(in_flight=3), [(1,)], ("a", "b c"), 0)]
    [('a',), ('b c',), ('a',)]
    """
    first_seed = (plan.seed * 7919 + (len(OPTIONS) + 1) * 2**24 + number * 64) % 2**31
    places = range(number * plan.in_flight, min((number + 1) * plan.in_flight, plan.option_answers * STOP_WEIGHT))
    return [
        Question(
            prompts[place % len(prompts)],
            first_seed + place % plan.in_flight,
            plan.max_tokens,
            stop=(stops[place % len(stops)],),
            pure=plan.pure,
        )
        for place in places
    ]


def option_questions(plan: Plan, prompts: Sequence[tuple[int, ...]], option: int, number: int) -> list[Question]:
    """Questions of a round under an option."""
    first_seed = (plan.seed * 7919 + (option + 1) * 2**24 + number * 64) % 2**31
    places = range(number * plan.in_flight, min((number + 1) * plan.in_flight, plan.option_answers * WEIGHTS[option]))
    return [
        Question(
            prompts[place % len(prompts)],
            first_seed + place % plan.in_flight,
            plan.max_tokens,
            options=OPTIONS[option],
        )
        for place in places
    ]
