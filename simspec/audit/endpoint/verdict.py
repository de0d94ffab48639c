"""The verdict on an endpoint: in words, as JSON and as JUnit XML."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from simspec.audit.endpoint.bets import BETS, Wealth, divergence
from simspec.audit.endpoint.books import Books
from simspec.audit.endpoint.distance import Distance, look_radius
from simspec.audit.endpoint.drafted import Drafting, SampledDrafts
from simspec.audit.endpoint.exchange import is_same_server
from simspec.audit.endpoint.greedy import Greedy
from simspec.audit.endpoint.options import Reading, described
from simspec.audit.endpoint.plan import OPTIONS, Plan
from simspec.audit.endpoint.records import Engine, Question
from simspec.audit.endpoint.where import Where, excesses
from simspec.audit.junit import Case, Suite, document
from simspec.html.escaping import escaped

__all__ = [
    "OPTION_SHARE",
    "SAMPLED_SHARE",
    "Agreement",
    "EndpointReport",
    "EndpointVerdict",
    "Option",
    "Refused",
    "Repeats",
    "Results",
    "Sampled",
    "limit_of",
    "report_of",
]

SAMPLED_SHARE = 0.7
"""Share of the error on the sampled test; the rest is on the options, in equal parts."""
OPTION_SHARE = (1 - SAMPLED_SHARE) / (len(OPTIONS) + 1)
"""Share of the error of the answers under one of `OPTIONS`, and of those with stop strings.

However many of them are asked for: an audit may go on with more of them after these were judged.
"""

KERNELS_QUESTION = "are the reference's weights and kernels the engine's?"
"""What is asked where greedy texts differ, and neither rounding as measured nor the sampled tokens say why."""
MOST_REGIONS = 3
"""Regions of tokens that the report names."""


class EndpointVerdict(StrEnum):
    """What may be said of an endpoint."""

    SAME = "same law"
    DIFFERS = "differs"
    NUMERICS = "numerics"
    BOOKS = "books only"
    UNDECIDED = "not decided"


EXIT = {
    EndpointVerdict.SAME: 0,
    EndpointVerdict.NUMERICS: 0,
    EndpointVerdict.DIFFERS: 1,
    EndpointVerdict.BOOKS: 1,
    EndpointVerdict.UNDECIDED: 3,
}


class Agreement(NamedTuple):
    """Places at which an earlier answer to the same text stood, tokens that agree with it, and how many chance predicts."""

    places: int = 0
    agreeing: int = 0
    expected: float = 0.0


class Sampled(NamedTuple):
    """What the sampled test shows: the bets' wealth, the interval for TV, where it sits, and the request that shows it best."""

    wealth: Wealth
    tv: tuple[float, float]
    distance: Distance
    where: Where
    request: Question | None
    agreement: Agreement
    drafts: SampledDrafts = SampledDrafts()


class Option(NamedTuple):
    """What answers under some options show; `left_out` are tokens whose law is not known, those at a cut among them."""

    options: tuple[tuple[str, float], ...]
    wealth: Wealth
    distance: Distance
    request: Question
    reading: Reading = Reading()
    stops: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def words(self) -> str:
        """What was asked for, in words."""
        return "stop strings" if self.stops else described(self.options)

    @property
    def law(self) -> str:
        """Whose law the answers were judged by."""
        return (
            "the reference's own"
            if self.reading.places or self.stops
            else "computed from the reference's log-probabilities"
        )


class Refused(NamedTuple):
    """Options or stop strings that a server does not take, and so were not judged; its words are escaped in the error."""

    options: tuple[tuple[str, float], ...]
    error: str
    stops: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What was asked for, in words."""
        return "with stop strings" if self.stops else f"with {described(self.options)}"

    @property
    def note(self) -> str:
        """What was not judged, and why.

        >>> Refused((("min_p", 0.2),), "http://127.0.0.1:8000/v1/completions: status 400: no").note
        'with min_p 0.2: not judged, because it is refused: http://127.0.0.1:8000/v1/completions: status 400: no'
        """
        return f"{self.name}: not judged, because it is refused: {self.error}"


class Repeats(NamedTuple):
    """Whether seeds repeat their answers.

    Attributes
    ----------
    is_alone : bool; whether two equal requests, one after the other, have the same answer
    compared : int; answers in a batch beside those of the same seed alone, or of the batch in the opposite order
    changed : int; those that are another text
    """

    is_alone: bool
    compared: int = 0
    changed: int = 0


class Results(NamedTuple):
    """What all tests show, and what else there is to say."""

    sampled: Sampled
    greedy: Greedy
    options: tuple[Option, ...]
    books: Books
    repeats: Repeats
    drafting: Drafting
    notes: tuple[str, ...] = ()
    refused: tuple[Refused, ...] = ()


def limit_of(plan: Plan, share: float) -> float:
    """Logarithm of the wealth that shows a difference, for a test with a share of the error.

    >>> round(limit_of(Plan(error=0.01), 0.5), 3)
    5.298
    """
    return -math.log(plan.error * share)


@dataclass(frozen=True)
class EndpointReport:
    """A verdict on an endpoint and what it rests on.

    Attributes
    ----------
    verdict : EndpointVerdict
    engine, reference : str; name, model and URL of both, as they say themselves
    plan : Plan
    sampled, greedy, options, books : what each test shows
    repeats : Repeats; whether seeds repeat their answers
    drafting : Drafting; whether the judged answers were drafted
    request : str; the smallest request that shows a difference, as a curl command, "" where none does
    notes : what else was noticed
    refused : options that a server does not take, so that answers under them were not judged
    time_limit : float; seconds after which no further round began; infinite where all were asked
    seconds : float; those that the audit took: one round of each kind is asked whatever the limit is
    has_local_reference : bool; whether the reference is a model on this machine, whose kernels are not the engine's
    """

    verdict: EndpointVerdict
    engine: str
    reference: str
    plan: Plan
    sampled: Sampled
    greedy: Greedy
    options: tuple[Option, ...]
    books: Books
    repeats: Repeats
    drafting: Drafting
    request: str = ""
    notes: tuple[str, ...] = ()
    refused: tuple[Refused, ...] = ()
    time_limit: float = math.inf
    seconds: float = 0.0
    has_local_reference: bool = False

    @property
    def exit_status(self) -> int:
        """0 the same law or numerics, 1 it differs or its books are wrong, 3 not decided."""
        return EXIT[self.verdict]

    @property
    def faults(self) -> list[str]:
        """What differs, in words: by how much and where."""
        lines = []
        wealth = self.sampled.wealth
        if _is_sampled_fault(self.sampled, self.plan):
            place, bet = wealth.best
            low, high = self.sampled.tv
            lines.append(
                f"sampled tokens: e-value {_e_value(wealth.largest)} after {wealth.tokens:,} tokens; nearest: {bet.words}, in "
                f"{place}; TV of the average category {low:.3f} to {high:.3f}"
            )
            lines += self._where_lines()
        for option in self.options:
            if _is_option_fault(option, self.plan):
                bet = option.wealth.best[1]
                low, high = option.distance.interval(self.plan.error)
                lines.append(
                    f"with {option.words}: e-value {_e_value(option.wealth.largest)} after "
                    f"{option.wealth.tokens:,} tokens; nearest: {bet.words}; TV of the average category {low:.3f} to {high:.3f}"
                )
        if not self.has_local_reference:
            lines += self._large_margin_lines()
        return lines

    def _large_margin_lines(self) -> list[str]:
        """Greedy tokens whose margin rounding does not explain, and where; no fault by themselves beside a local reference."""
        if not self.greedy.faults:
            return []
        worst = max(self.greedy.faults, key=lambda divergence: divergence.margin)
        places = sorted(divergence.place + 1 for divergence in self.greedy.faults)
        prompts = [len(self.greedy.questions[divergence.text].prompt) for divergence in self.greedy.faults]
        how_far = (
            f"greedy: {len(self.greedy.faults)} of {self.greedy.tokens:,} tokens are not the reference's argmax by more than "
            f"rounding explains ({self.greedy.explained:.3g} nats on {self.greedy.measured} prefixes); the worst by "
            f"{worst.margin:.3g}"
        )
        where = (
            f"greedy, where: tokens {places[0]} to {places[-1]} of their answers, after prompts of {min(prompts)} to "
            f"{max(prompts)} tokens"
        )
        return [how_far, where]

    def _where_lines(self) -> list[str]:
        """Which tokens come too often, and where the difference shows."""
        distance = self.sampled.distance
        radius = look_radius(max(distance.tokens, 1), distance.looks, self.plan.top + 1, self.plan.error)
        lines = []
        if kinds := excesses(distance, radius):
            lines.append(f"sampled, kind of token: {', '.join(kinds)}")
        for region in self.sampled.where.located()[:MOST_REGIONS]:
            low, high = region.tv
            lines.append(
                f"sampled, where: {region.region}: e-value {_e_value(region.log_e_value)} after {region.tokens:,} tokens; "
                f"nearest: {BETS[region.bet].words}; TV {low:.3f} to {high:.3f}"
            )
        return lines

    def words(self) -> str:
        """The report in a few lines; nothing of the server stands in it unescaped."""
        high = self.sampled.tv[1]
        tokens = self.sampled.wealth.tokens
        needs_more = high > self.plan.tv_limit
        missing = f"not within {self.plan.tv_limit:g}" if needs_more else "and other tests were not made"
        if self.drafting.is_missing:
            missing = "and none of them was drafted"
        elif self.greedy.faults and not needs_more:
            missing = (
                f"and greedy texts differ by more than rounding explains: {KERNELS_QUESTION} A reference with the engine's "
                "kernels decides it: --reference self, or the URL of a second server"
            )
        heads = {
            EndpointVerdict.SAME: f"same law within TV {high:.3f} per token ({tokens:,} tokens)",
            EndpointVerdict.NUMERICS: f"numerics: same law within TV {high:.3f} per token ({tokens:,} tokens), and greedy texts "
            f"{self._greedy_words()}",
            EndpointVerdict.BOOKS: f"books only: same law within TV {high:.3f} per token ({tokens:,} tokens), but what it states "
            "of its answers is wrong",
            EndpointVerdict.DIFFERS: "differs from the reference",
            EndpointVerdict.UNDECIDED: f"not decided: TV per token is at most {high:.3f} after {tokens:,} tokens, {missing}",
        }
        lines = [heads[self.verdict], f"engine: {self.engine}", f"reference: {self.reference}", *self.faults]
        if self.has_local_reference:
            lines += self._large_margin_lines()
        lines += self._greedy_lines()
        lines += [f"books: {line}" for line in self.books.lines()]
        bet, tv, needed = divergence(self.sampled.wealth, self.plan.error * SAMPLED_SHARE)
        lines.append(
            f"e-value {_e_value(self.sampled.wealth.largest)} after {tokens:,} tokens; the nearest known fault, {bet.words} "
            f"(TV {tv:.3f}), would have needed about {_rounded(needed)}"
        )
        if self.verdict is EndpointVerdict.UNDECIDED and self.drafting.is_missing:
            lines.append(self.drafting.words())
        elif self.verdict is EndpointVerdict.UNDECIDED and needs_more:
            lines.append(f"about {_rounded(self.needed)} tokens decide it if the law is the same: {self._more()}")
        if self.request:
            lines.append(f"request that shows it best: {self.request}")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def _more(self) -> str:
        """Options with which as many tokens are asked for as decide it.

        The time that is needed is what each sampled token took, all else that was asked for meanwhile counted in.
        """
        options = [] if self.needed <= self.plan.tokens else [f"--tokens {_rounded(self.needed, '')}"]
        if math.isfinite(self.time_limit):
            seconds = max(self.time_limit, self.seconds) * self.needed / max(self.sampled.wealth.tokens, 1)
            options.append(f"--within {_rounded(seconds, '')}, or the same time again and again with --resume FILE")
        return " ".join(options) or f"--tokens {_rounded(self.needed, '')}"

    @property
    def needed(self) -> int:
        """Tokens after which the law is known to be within the limit, if it is the reference's."""
        tokens = max(self.sampled.wealth.tokens, 100)
        per_look = tokens / max(self.sampled.distance.looks, 1)
        while tokens < 10**7:
            # what chance adds to the mean is about the root of the categories over that of the tokens
            chance = math.sqrt((self.plan.top + 1) / (2 * math.pi * tokens))
            if (
                chance + look_radius(tokens, int(tokens / per_look) + 1, self.plan.top + 1, self.plan.error)
                <= self.plan.tv_limit
            ):
                break
            tokens = tokens * 11 // 10 + 1
        return tokens

    def _greedy_lines(self) -> list[str]:
        """How often greedy texts differ, beside how often rounding predicts it."""
        if not self.greedy.tokens:
            return []
        number = len(self.greedy.divergences)
        predicted = self.greedy.rate * self.greedy.tokens
        sides = " between the two" if self.greedy.is_between else ""
        line = (
            f"greedy: {number} of {self.greedy.tokens:,} tokens are not the reference's argmax; rounding, measured{sides} on "
            f"{self.greedy.measured} prefixes, predicts {predicted:.2g}"
        )
        if self.has_more_divergences:
            line += (
                f"; of as many or more the probability is {self.greedy.chance:.1g}: rounding does not explain how often"
            )
        return [line]

    @property
    def has_more_divergences(self) -> bool:
        """Whether greedy texts leave the reference's argmax more often than rounding predicts, as it was measured.

        No fault by itself: what was measured are two shapes of each side, not the kernels of one beside those of the other.
        """
        return self.greedy.chance < self.plan.error

    def _greedy_words(self) -> str:
        """What rounding explains of greedy texts."""
        if self.greedy.is_between and not self.has_more_divergences:
            return (
                "differ by no more than engine and reference were measured to differ on the same prefixes: "
                f"{KERNELS_QUESTION}"
            )
        if self.has_more_divergences:
            return f"differ by no more than rounding moves them, but more often than it predicts: {KERNELS_QUESTION}"
        return "differ where rounding explains it"

    def plain(self) -> dict[str, Any]:
        """The report as a dictionary for JSON."""
        wealth = self.sampled.wealth
        place, bet = wealth.best
        shifts = self.sampled.distance.shifts
        hardest, tv, needed = divergence(wealth, self.plan.error * SAMPLED_SHARE)
        return {
            "verdict": str(self.verdict),
            "engine": self.engine,
            "reference": self.reference,
            "plan": self.plan._asdict(),
            "sampled": {
                "tokens": wealth.tokens,
                "log_e_value": wealth.largest,
                "tv": [*self.sampled.tv],
                "best_bet": bet._asdict(),
                "part": place,
                "mean_shifts": [] if shifts is None else (shifts / wealth.tokens).tolist(),
                "where": [
                    {
                        "region": region.region,
                        "tokens": region.tokens,
                        "log_e_value": region.log_e_value,
                        "best_bet": BETS[region.bet]._asdict(),
                        "tv": [*region.tv],
                    }
                    for region in self.sampled.where.all_regions()
                ],
                "agreement": self.sampled.agreement._asdict(),
            },
            "hardest_fault": {**hardest._asdict(), "tv": tv, "tokens": needed if math.isfinite(needed) else None},
            "drafting": {
                "sampled": self.drafting.state,
                "without_log_probabilities_only": self.drafting.unlogged_only,
                "undrafted": [*self.drafting.undrafted_stages],
            },
            "greedy": self.greedy.plain(),
            "options": [
                {
                    "options": dict(option.options),
                    "stop": [escaped(stop) for stop in option.stops],
                    "tokens": option.wealth.tokens,
                    "left_out": option.left_out,
                    "log_e_value": option.wealth.largest,
                    "best_bet": option.wealth.best[1]._asdict(),
                    "tv": [*option.distance.interval(self.plan.error)],
                    "law": option.law,
                    "reading": option.reading._asdict(),
                }
                for option in self.options
            ],
            "refused_options": [
                {
                    "options": dict(refusal.options),
                    "stop": [escaped(stop) for stop in refusal.stops],
                    "error": refusal.error,
                }
                for refusal in self.refused
            ],
            "books": [{"kind": kind, "times": number, "first": words} for kind, number, words in self.books.mistakes],
            "repeats_with_a_seed": self.repeats.is_alone,
            "changed_by_the_batch": {"compared": self.repeats.compared, "changed": self.repeats.changed},
            "request": self.request,
            "notes": [*self.notes],
        }

    def junit(self) -> str:
        """JUnit XML, which CI systems show: a case for each test.

        Characters that XML cannot hold are escaped already, as all strings of the server are.
        """
        wrong = self.faults
        by_name = {
            "sampled tokens": [line for line in wrong if line.startswith("sampled")],
            "options": [line for line in wrong if line.startswith("with")],
            "greedy texts": [line for line in wrong if line.startswith("greedy")],
            "books": self.books.lines(),
            "decided": [self.words()] if self.verdict is EndpointVerdict.UNDECIDED else [],
        }
        cases = [
            Case(name, "failure", lines[0].splitlines()[0], "\n".join(lines)) if lines else Case(name)
            for name, lines in by_name.items()
        ]
        cases += [Case(refusal.name, "skipped", refusal.note) for refusal in self.refused]
        return document([Suite(self.engine, cases, self.words())])


def _is_sampled_fault(sampled: Sampled, plan: Plan) -> bool:
    """Whether the sampled tokens show a difference."""
    return sampled.wealth.largest >= limit_of(plan, SAMPLED_SHARE)


def _is_option_fault(option: Option, plan: Plan) -> bool:
    """Whether answers under an option show a difference."""
    return option.wealth.largest >= limit_of(plan, OPTION_SHARE)


def report_of(engine: Engine, reference: Engine, plan: Plan, results: Results) -> EndpointReport:
    """The report on what all tests show."""
    sampled, greedy, options, books, repeats, drafting, further_notes, refused = results
    shown_options = [option for option in options if _is_option_fault(option, plan)]
    # kernels of another program move margins by more than either program's own rounding: alone they show no fault
    has_greedy_fault = bool(greedy.faults) and not reference.is_local
    is_fault = _is_sampled_fault(sampled, plan) or has_greedy_fault or bool(shown_options)
    request = ""
    if is_fault or greedy.faults:
        shown_greedy = greedy if has_greedy_fault or not is_fault else greedy._replace(faults=())
        request = _request(engine, plan, sampled, shown_greedy, shown_options)
    elif books.question is not None:
        request = engine.curl(books.question)
    notes = [*further_notes, *(refusal.note for refusal in refused)]
    notes += [_reading_note(option) for option in options if option.reading.is_another]
    notes += [_left_out_note(option) for option in options if option.left_out > option.wealth.tokens]
    if not repeats.is_alone:
        notes.append("the same seed gave two answers: results cannot be repeated on this engine (no fault of its law)")
    elif repeats.changed:
        notes.append(
            f"{repeats.changed} of {repeats.compared} answers with the same seed changed with the size or the order of the "
            "batch: random numbers or rounding depend on it (no fault of its law by itself)"
        )
    verdict = _verdict(plan, results, is_fault)
    if verdict is not EndpointVerdict.DIFFERS:
        notes += drafting.notes()
    if not reference.is_local and is_same_server(reference.url, engine.url) and reference.model == engine.model:
        notes.append("the reference is the engine's own score of each text: a wrong model is not seen, only drafting")
    return EndpointReport(
        verdict=verdict,
        engine=_described_engine(engine),
        reference=_described_engine(reference),
        plan=plan,
        sampled=sampled,
        greedy=greedy,
        options=options,
        books=books,
        repeats=repeats,
        drafting=drafting,
        request=request,
        notes=tuple(notes),
        refused=refused,
        has_local_reference=reference.is_local,
    )


def _reading_note(option: Option) -> str:
    """That the reference's law under an option is not the one that the option's definition gives."""
    places, different, largest = option.reading
    return (
        f"with {described(option.options)}: the reference's law, by which the answers were judged, is not the one that its "
        f"log-probabilities give at {different:,} of {places:,} tokens, by TV up to {largest:.3f}: the reference reads the "
        "option another way than simspec"
    )


def _left_out_note(option: Option) -> str:
    """That most of the answers under an option say nothing."""
    emitted = option.left_out + option.wealth.tokens
    return (
        f"with {option.words}: {option.left_out:,} of {emitted:,} tokens were not judged: they are none of the listed ones, or "
        "rounding, as measured, may move them across the end of what the option leaves"
    )


def _verdict(plan: Plan, results: Results, is_fault: bool) -> EndpointVerdict:
    """A fault before all; then what is not known; then what rounding explains; then the books."""
    if is_fault:
        return EndpointVerdict.DIFFERS
    if results.sampled.tv[1] > plan.tv_limit or results.drafting.is_missing:
        return EndpointVerdict.UNDECIDED
    if results.books.mistakes:
        return EndpointVerdict.BOOKS
    if results.greedy.faults:  # beside a reference on this machine
        return EndpointVerdict.UNDECIDED
    return EndpointVerdict.NUMERICS if results.greedy.divergences else EndpointVerdict.SAME


def _request(engine: Engine, plan: Plan, sampled: Sampled, greedy: Greedy, shown_options: list[Option]) -> str:
    """A greedy request that ends at the wrong token, else the request on which the best bet won most."""
    if greedy.faults:
        first = min(greedy.faults, key=lambda divergence: divergence.place)
        question = greedy.questions[first.text]
        return engine.curl(question._replace(max_tokens=first.place + 1))
    if _is_sampled_fault(sampled, plan) and sampled.request is not None:
        return engine.curl(sampled.request)
    return engine.curl(shown_options[0].request)


def _described_engine(engine: Engine) -> str:
    """Name, model and place of an engine, as they may be printed."""
    return f"{escaped(engine.name)} {escaped(engine.model)} at {escaped(engine.url)}"


def _e_value(log_value: float) -> str:
    """An e-value from its logarithm.

    >>> _e_value(0.0), _e_value(100.0)
    ('1', '3e+43')
    """
    if log_value < 14:
        return f"{math.exp(log_value):.3g}"
    power, rest = divmod(log_value / math.log(10), 1)
    return f"{10**rest:.0f}e+{power:.0f}"


def _rounded(tokens: float, separator: str = ",") -> str:
    """Tokens with two digits, rounded up.

    >>> _rounded(12345), _rounded(7), _rounded(12345, "")
    ('13,000', '7', '13000')
    """
    if not math.isfinite(tokens):
        return "infinitely many"
    number = math.ceil(tokens)
    unit = 10 ** max(len(str(number)) - 2, 0)
    return f"{-(-number // unit) * unit:{separator}}"
