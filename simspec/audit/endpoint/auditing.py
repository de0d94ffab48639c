"""The audit of an endpoint: ask, score by the reference, collect the evidence, and say what it shows.

Questions are fixed by the plan before anything is seen; evidence is added in the order of the questions, whatever order the
answers come in.  A journal keeps each round, so that an audit which was killed goes on where it was.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

from simspec.audit.endpoint.bets import UNDER_OPTIONS, Wealth
from simspec.audit.endpoint.books import Books, Mistake, metrics_mistakes, mistakes, page_mistakes, summed, sums_of
from simspec.audit.endpoint.categories import Judged, judged_text
from simspec.audit.endpoint.distance import Distance
from simspec.audit.endpoint.drafted import Drafting, SampledDrafts, drafting_of
from simspec.audit.endpoint.greedy import Greedy, judged_greedy
from simspec.audit.endpoint.journal import Journal, Reply, digest
from simspec.audit.endpoint.log_books import LogFile
from simspec.audit.endpoint.options import STATED, Reading, described, ignores_temperature, judged_by, judged_under
from simspec.audit.endpoint.parallel import in_parallel
from simspec.audit.endpoint.plan import (
    OPTIONS,
    STOP_WEIGHT,
    WEIGHTS,
    Plan,
    checked_plan,
    greedy_questions,
    option_questions,
    sampled_questions,
    stop_questions,
)
from simspec.audit.endpoint.prompts import PROMPTS, checked_prompts, long_prompts
from simspec.audit.endpoint.records import (
    Answer,
    EndpointError,
    Engine,
    OutOfTimeError,
    Question,
    RefusedError,
    TopRow,
    Usage,
)
from simspec.audit.endpoint.rounding import Rounding, rounding_of
from simspec.audit.endpoint.rounds import Rounds
from simspec.audit.endpoint.stopping import common_stops, early_ends, stopped, with_stop_strings
from simspec.audit.endpoint.unchanged import Unchanged
from simspec.audit.endpoint.verdict import (
    OPTION_SHARE,
    SAMPLED_SHARE,
    Agreement,
    EndpointReport,
    EndpointVerdict,
    Option,
    Refused,
    Repeats,
    Results,
    Sampled,
    limit_of,
    report_of,
)
from simspec.audit.endpoint.where import BestRequest, Where, WonToken, regions_of

__all__ = ["audit_endpoint"]

Progress = Callable[[str, int, int], None]
MAY_CHANGE = frozenset({"tokens", "tv_limit", "option_answers"})
"""Settings of the plan with which an audit may go on that had others.

Bets and intervals hold at every stop, so more may be asked after all was seen.  `error` is not among them: bets stop by it, and
the chance of a false alarm is at most it only where it was chosen before.
"""
PROBED = 4
"""Prompts after which a reference is asked for its law under a temperature."""
PROBES = 3
"""Equal requests at which the metrics page is looked at."""


def audit_endpoint(
    engine: Engine,
    reference: Engine,
    plan: Plan | None = None,
    prompts: Sequence[str] | str | Path = PROMPTS,
    journal: Path | str | None = None,
    progress: Progress = lambda stage, number, total: None,
    time_limit: float = math.inf,
    log: Path | None = None,
    draft: Engine | None = None,
) -> EndpointReport:
    """Judge an engine: does it serve the reference's law?

    Parameters
    ----------
    engine : Engine; what is judged, as `protocols.discovery.engine_of` opens it
    reference : Engine; another one without speculation, a local model (`local.LocalModel`), or the engine itself, whose own
        scores of a text are then the reference: that judges what speculation adds, and sees no wrong model
    plan : Plan; settings
    prompts : texts, or the path of a file with one a line
    journal : Path, str or None; where rounds are kept, and taken from if they are there
    progress : called with a stage, how much of it has been asked, and how much there is
    time_limit : float > 0; after so many seconds no further round begins, and the verdict is on what was asked by then
    log : Path or None; the engine's log on this machine, whose counts of this audit are compared with the responses
    draft : Engine or None; the model that drafts for the engine, which then scores the sampled texts too: bets on faults of the
        verification need its law to win soon

    Returns
    -------
    EndpointReport

    Raises
    ------
    EndpointError
        for an endpoint that cannot be asked, another tokenizer than the reference's, or a model that changes meanwhile.
    """
    started = time.monotonic()
    settings = checked_plan(plan or Plan())
    texts = checked_prompts(prompts)
    ids = _prompt_ids(engine, reference, texts, draft)
    sides = {"the engine": engine, "the reference": reference, **({"the draft": draft} if draft else {})}
    identity = {
        **{name: [side.name, side.url, side.model] for name, side in sides.items()},
        **{
            f"--{name.replace('_', '-')}": value
            for name, value in settings._asdict().items()
            if name not in MAY_CHANGE | {"pure", "books"}
        },
        "--server-defaults": not settings.pure,
        "--no-books": not settings.books,
        "the digest of the prompts": digest(ids),
        "what the reference processes": sorted(reference.processes),
    }
    rounds = Rounds(engine, reference, settings, Journal(journal, identity), time.monotonic() + time_limit, draft)
    if not engine.takes_ids:
        rounds.long_prompts = long_prompts(engine, texts, ids, settings.context)
    try:
        report = _asked(rounds, ids, progress, log)
    except OutOfTimeError as busy:
        if ("sampled", 0) not in rounds.journal:
            raise
        report = _cut_off(rounds, ids, str(busy))
    if not rounds.was_cut:
        return report
    note = (
        f"the time limit of {time_limit:g} s ended: {report.sampled.wealth.tokens:,} of {settings.tokens:,} sampled tokens, "
        f"{len(report.greedy.questions)} greedy texts and {len(report.options)} of the options were judged"
    )
    seconds = time.monotonic() - started
    return replace(report, notes=(*report.notes, note), time_limit=time_limit, seconds=seconds)


def _asked(rounds: Rounds, prompts: Sequence[tuple[int, ...]], progress: Progress, log: Path | None) -> EndpointReport:
    """The report on all rounds, each asked or taken from the journal."""
    engine = rounds.engine
    reference = rounds.reference
    plan = rounds.plan
    if plan.option_answers and plan.pure:
        _check_processed(reference, prompts)
    unchanged = Unchanged(engine, reference, prompts, plan.top, rounds.journal)
    log_file = LogFile(log) if log is not None and plan.books else None
    greedy, rounding = _greedy(rounds, prompts, progress)
    sampled = _sampled(rounds, prompts, progress)
    options, refused = _options(rounds, prompts, rounding, progress)
    early, under_stops, stop_notes, refused_stops = _stop_strings(rounds, prompts, progress)
    options = (*options, *under_stops)
    refused = (*refused, *refused_stops)
    repeats = _repeats(engine, prompts, plan, progress)
    unchanged.check()
    stated_within, unjudged = _log_probability_limit(reference, rounding)
    books, notes = _books(rounds, stated_within, log_file, early, progress) if plan.books else (Books(), ())
    drafting = _drafting(rounds, sampled)
    results = Results(
        sampled, greedy, options, books, repeats, drafting, notes=(*notes, *unjudged, *stop_notes), refused=refused
    )
    return report_of(engine, reference, plan, results)


def _check_processed(reference: Engine, prompts: Sequence[tuple[int, ...]]) -> None:
    """Refuse a reference that is said to state the law under options and states the one without: answers would seem wrong."""
    (option,) = (dict(pairs) for pairs in OPTIONS if "temperature" in dict(pairs))
    if "temperature" not in reference.processes:
        return
    rows: list[TopRow] = []
    stated_rows: list[TopRow] = []
    for prompt in prompts[:PROBED]:
        stated = reference.processed(prompt, prompt[:1], STATED, option)
        if stated:
            stated_rows += stated
            rows += reference.score(prompt, prompt[:1], STATED, is_alone=True)
    if ignores_temperature(rows, stated_rows, option["temperature"]):
        raise EndpointError(
            f"--processed-logprobs: {reference.url} states with temperature {option['temperature']:g} the log-probabilities that "
            "it states without; expected those under the option: is it started with --logprobs-mode processed_logprobs? Else "
            "leave --processed-logprobs out"
        )


def _log_probability_limit(reference: Engine, rounding: Rounding) -> tuple[float, list[str]]:
    """Nats by which rounding may move what the engine states; and a note where it is not known, so that none is a mistake."""
    if not reference.is_local or rounding.between:
        return rounding.of_likely, []
    note = (
        "log-probabilities that the engine states were not judged: how much its kernels and weights differ from those of the "
        "reference on this machine was not measured, because the engine does not score texts or had no greedy texts"
    )
    return math.inf, [note]


def _drafting(rounds: Rounds, sampled: Sampled) -> Drafting:
    """Whether the judged answers were drafted."""
    stages = {f"option {option}": described(pairs) for option, pairs in enumerate(OPTIONS)}
    stages["stop strings"] = "stop strings"
    return drafting_of(sampled.drafts, rounds.journal, rounds.engine.name, rounds.counters, stages)


def _cut_off(rounds: Rounds, prompts: Sequence[tuple[int, ...]], busy: str) -> EndpointReport:
    """The report on the sampled rounds that were answered before a busy server asked for more time than there is.

    A difference that they show is one.  That they show none does not make the law the same: whether the reference is still the
    model that it was at the beginning could not be asked.
    """
    rounds.was_cut = True
    sampled = _sampled(rounds, prompts, lambda stage, number, total: None)
    note = f"all else was not asked, and whether the reference has changed meanwhile: {busy}"
    drafting = _drafting(rounds, sampled)
    results = Results(sampled, judged_greedy([], []), (), Books(), Repeats(True), drafting, (note,))
    report = report_of(rounds.engine, rounds.reference, rounds.plan, results)
    is_settled = report.verdict in {EndpointVerdict.DIFFERS, EndpointVerdict.UNDECIDED}
    return report if is_settled else replace(report, verdict=EndpointVerdict.UNDECIDED)


def _prompt_ids(
    engine: Engine, reference: Engine, prompts: Sequence[str], draft: Engine | None
) -> list[tuple[int, ...]]:
    """Token ids of the prompts, which all sides must agree on."""
    ids = []
    for text in prompts:
        tokens = engine.tokens_of(text)
        if reference is not engine and not _is_alike(engine, tokens, expected := reference.tokens_of(text)):
            raise EndpointError(
                f"reference: its tokenizer is another: {tokens[:6]} at {engine.url} and {expected[:6]} at {reference.url} "
                f"for {text[:30]!r}; expected the same model: name it with --reference-model, or give its own reference"
            )
        if draft is not None and not _is_alike(engine, tokens, expected := draft.tokens_of(text)):
            raise EndpointError(
                f"--draft: its tokenizer is another: {tokens[:6]} at {engine.url} and {expected[:6]} at {draft.url} for "
                f"{text[:30]!r}; expected a draft with the target's tokens: leave --draft out for another one"
            )
        if not tokens:
            raise EndpointError(f"{engine.url}: no tokens for {text[:30]!r}; expected some")
        ids.append(tokens)
    return ids


def _is_alike(engine: Engine, tokens: tuple[int, ...], expected: tuple[int, ...]) -> bool:
    """Whether an engine has the expected ids of a text, behind special ones where it does not take prompts without them."""
    special = 0 if engine.takes_ids else max(len(tokens) - len(expected), 0)
    return tokens[special:] == expected


def _judged(
    replies: Sequence[Reply], earlier: dict[tuple[int, ...], int]
) -> Iterator[tuple[Question, Answer, list[Judged]]]:
    """Tokens of a round beside the reference; `earlier` learns what each answer emitted after which text."""
    has_company = len(replies) > 1
    for question, answers, rows, draft_rows, _ in replies:
        for number, (answer, text_rows) in enumerate(zip(answers, rows, strict=True)):
            yield (
                question,
                answer,
                judged_text(
                    question.prompt,
                    answer.tokens,
                    text_rows,
                    earlier,
                    question.max_tokens,
                    has_company or len(answers) > 1,
                    draft_rows[number] if draft_rows else (),
                ),
            )
            for place, token in enumerate(answer.tokens):
                earlier.setdefault((*question.prompt, *answer.tokens[:place]), token)


def _sampled(rounds: Rounds, prompts: Sequence[tuple[int, ...]], progress: Progress) -> Sampled:
    """Rounds of the sampled test until a bet has won or all tokens are used."""
    plan = rounds.plan
    wealth = Wealth(knows_draft=rounds.draft is not None)
    distance = Distance()
    where = Where()
    earlier: dict[tuple[int, ...], int] = {}
    best_request = BestRequest()
    agreement = Agreement()
    drafts = SampledDrafts()
    empty = 0
    for number in count():
        questions = sampled_questions(
            plan, prompts, number, rounds.engine.allows_copies, drafts.unlogged_only, rounds.long_prompts
        )
        replies = rounds.ask("sampled", number, questions)
        drafts = drafts.add(replies, rounds.journal.drafted["sampled", number])
        tokens_before = wealth.tokens
        judged_round: list[WonToken] = []
        for question, answer, judged in _judged(replies, earlier):
            regions = regions_of(plan, number, question, answer, judged, rounds.engine.marks_drafts)
            gains = wealth.add(judged).gains
            judged_round += map(WonToken, judged, gains, regions)
            best_request.offer(question, gains)
            agreement = _agreement(agreement, judged)
        distance.add(won.token for won in judged_round)
        where.add_round(judged_round)
        progress("sampled tokens", min(wealth.tokens, plan.tokens), plan.tokens)
        empty = empty + 1 if wealth.tokens == tokens_before else 0
        if empty == 8:
            raise EndpointError(f"{rounds.engine.url}: eight rounds without a token; expected answers that hold some")
        if wealth.largest >= limit_of(plan, SAMPLED_SHARE) or wealth.tokens >= plan.tokens:
            break
        if not rounds.may_begin("sampled", number + 1):
            break
    return Sampled(wealth, distance.interval(plan.error), distance, where, best_request.question, agreement, drafts)


def _agreement(before: Agreement, judged: Sequence[Judged]) -> Agreement:
    """Agreement with earlier answers after more tokens."""
    comparable = [token for token in judged if 0 <= token.agreed < len(token.masses) - 1]
    return Agreement(
        before.places + len(comparable),
        before.agreeing + sum(token.category == token.agreed for token in comparable),
        before.expected + sum(token.masses[token.agreed] for token in comparable),
    )


def _greedy(rounds: Rounds, prompts: Sequence[tuple[int, ...]], progress: Progress) -> tuple[Greedy, Rounding]:
    """Greedy texts, and what two shapes of one model differ by on their first tokens."""
    plan = rounds.plan
    texts = []
    number = 0
    while (questions := greedy_questions(plan, prompts, number, rounds.long_prompts)) and (
        not number or rounds.may_begin("greedy", number)
    ):
        for question, answers, rows, *_ in rounds.ask("greedy", number, questions):
            texts.append((question, answers[0], rows[0]))
        progress("greedy texts", len(texts), plan.texts)
        number += 1
    rounding = rounding_of(rounds.journal, rounds.engine, rounds.reference, plan.top, texts, "greedy", progress)
    judged = judged_greedy([(answer.tokens, rows) for _, answer, rows in texts], rounding.of_emitted)
    questions_by_text = [question for question, _, _ in texts]
    return judged._replace(questions=tuple(questions_by_text), is_between=bool(rounding.between)), rounding


class _OptionTest:
    """Whole requests whose answers are judged: what bets won, how far the law is, and the request that shows most."""

    def __init__(self, wealth: Wealth, questions: Callable[[int], list[Question]]) -> None:
        self.wealth = wealth
        self.distance = Distance()
        self._questions = questions
        self._best_request = BestRequest()

    def asked(self, rounds: Rounds, stage: str) -> Iterator[tuple[Reply, ...]]:
        """Rounds until all is asked, a bet has won, or time is over; the first one is asked in any case."""
        limit = limit_of(rounds.plan, OPTION_SHARE)
        for number in count():
            questions = self._questions(number)
            if not questions or self.wealth.largest >= limit or (number and not rounds.may_begin(stage, number)):
                return
            yield rounds.ask(stage, number, questions)

    def add(self, question: Question, judged: Sequence[Judged]) -> None:
        """Judge the tokens of an answer."""
        gains = self.wealth.add(judged).gains
        self.distance.add(judged)
        self._best_request.offer(question, gains.sum(axis=0, keepdims=True))  # the whole request

    @property
    def request(self) -> Question:
        """The request by which a bet won most; the first one where none did."""
        return self._best_request.question or self._questions(0)[0]


def _options(
    rounds: Rounds, prompts: Sequence[tuple[int, ...]], rounding: Rounding, progress: Progress
) -> tuple[tuple[Option, ...], tuple[Refused, ...]]:
    """Answers under each option, and the options that are refused."""
    plan = rounds.plan
    if not plan.option_answers or not plan.pure:
        return (), ()
    if not rounding.differences:
        # no greedy texts: the first sampled ones do as well, and no answer under an option has been asked for
        first_texts = rounds.journal.rounds["sampled", 0]
        texts = [(reply.question, reply.answers[0], reply.rows[0]) for reply in first_texts]
        rounding = rounding_of(rounds.journal, rounds.engine, rounds.reference, plan.top, texts, "sampled", progress)
    results = []
    refused = []
    places = [
        option
        for option, pairs in enumerate(OPTIONS)
        if set(dict(pairs)) <= rounds.engine.takes and WEIGHTS[option]  # of weight 0: never asked for
    ]
    answers_so_far = 0
    for option in places:
        if not rounds.may_begin(f"option {option}", 0):
            break
        test = _OptionTest(Wealth(aimed=UNDER_OPTIONS), partial(option_questions, plan, prompts, option))
        reading = Reading()
        left_out = 0
        try:
            for replies in test.asked(rounds, f"option {option}"):
                for reply in replies:
                    judged, reading = _judged_under_options(rounds, reply, rounding, reading)
                    test.add(reply.question, judged)
                    left_out += len(reply.answers[0].tokens) - len(judged)
                answers_so_far += len(replies)
                progress(
                    "answers with options",
                    answers_so_far,
                    sum(WEIGHTS[place] for place in places) * plan.option_answers,
                )
        except RefusedError as refusal:
            if (f"option {option}", 0) in rounds.journal:
                raise
            refused.append(Refused(OPTIONS[option], str(refusal)))
            continue
        results.append(Option(OPTIONS[option], test.wealth, test.distance, test.request, reading, left_out=left_out))
    return tuple(results), tuple(refused)


def _judged_under_options(
    rounds: Rounds, reply: Reply, rounding: Rounding, reading: Reading
) -> tuple[list[Judged], Reading]:
    """Tokens of an answer beside the reference's law under its options, or beside what its most likely tokens say of that law."""
    question, answers, rows, _, processed_rows = reply
    options = dict(question.options)
    emitted = answers[0].tokens
    if processed_rows and processed_rows[0]:
        return judged_by(
            options,
            question.prompt,
            emitted,
            rows[0],
            processed_rows[0],
            rounds.engine.penalises_prompt,
            reading,
            top=rounds.plan.top,
            rounding=rounding.at_cuts,
        )
    judged = judged_under(
        options,
        question.prompt,
        emitted,
        [row[: rounds.plan.top] for row in rows[0]],
        rounds.engine.penalises_prompt,
        rounding.at_cuts,
    )
    return judged, reading


def _stop_strings(
    rounds: Rounds, prompts: Sequence[tuple[int, ...]], progress: Progress
) -> tuple[list[tuple[Question, Mistake]], list[Option], list[str], list[Refused]]:
    """Mistakes of the books at stop strings, new answers with these, notes; and the refusal of a server that takes none."""
    try:
        early = _asked_again_with_stops(rounds, progress) if rounds.plan.books else []
        under_stops, wrong_ends, notes = _under_stop_strings(rounds, prompts, progress)
    except RefusedError as refusal:
        if ("stop", 0) in rounds.journal or ("stop strings", 0) in rounds.journal:
            raise
        return [], [], [], [Refused((), str(refusal), tuple(_stops(rounds)))]
    return early + (wrong_ends if rounds.plan.books else []), under_stops, notes, []


def _stops(rounds: Rounds) -> Sequence[str]:
    """Strings that are common in the sampled answers: in the first ones, where an audit goes on after more of them."""
    texts = [
        answer.text
        for (stage, _), replies in rounds.journal.rounds.items()
        for reply in replies
        for answer in reply.answers
        if stage == "sampled"
    ]
    return rounds.journal.facts.get("stop strings") or common_stops(texts)


def _asked_again_with_stops(rounds: Rounds, progress: Progress) -> list[tuple[Question, Mistake]]:
    """Ask the first greedy questions and the first sampled one again, with stop strings from the middle of their answers.

    The books judge whether the strings are obeyed; here it is judged whether the texts end before them.
    """
    replies = [*rounds.journal.rounds.get(("greedy", 0), ()), *rounds.journal.rounds["sampled", 0][:1]]
    unstopped = with_stop_strings(replies)
    if not unstopped:
        return []
    progress("answers asked again with a stop string", 0, len(unstopped))
    again = rounds.ask("stop", 0, [reply.question for reply in unstopped])
    progress("answers asked again with a stop string", len(again), len(unstopped))
    return early_ends(unstopped, again)


def _under_stop_strings(
    rounds: Rounds, prompts: Sequence[tuple[int, ...]], progress: Progress
) -> tuple[list[Option], list[tuple[Question, Mistake]], list[str]]:
    """New answers with stop strings: their tokens beside the reference, how they end, and why they were not judged."""
    plan = rounds.plan
    stops = _stops(rounds)
    if not plan.option_answers or not plan.pure or not stops or not rounds.may_begin("stop strings", 0):
        return [], [], []
    if "stop strings" not in rounds.journal.facts:
        rounds.journal.add_fact("stop strings", stops)
    # another model's tokenizer would do as well: it is the same one
    speaker = next((side for side in (rounds.engine, rounds.reference) if side.text_of(prompts[0]) is not None), None)
    if speaker is None:
        note = "stop strings: neither side says the text of token ids, so that no answers with them were judged"
        return [], [], [note]
    test = _OptionTest(Wealth(knows_draft=rounds.draft is not None), partial(stop_questions, plan, prompts, stops))
    wrong: list[tuple[Question, Mistake]] = []
    answers_so_far = 0
    for replies in test.asked(rounds, "stop strings"):
        answers_so_far += len(replies)
        progress("answers with stop strings", answers_so_far, STOP_WEIGHT * plan.option_answers)
        for question, answers, rows, draft_rows, _ in replies:
            answer = answers[0]
            end = stopped(question, answer, lambda tokens: speaker.text_of(tokens) or "")
            if end.is_cut:
                # what was sent is then seen only where the text goes on: its law is another, and no bet on it is fair
                return [], wrong, ["the engine does not send the tokens of a stop string: their law was not judged"]
            wrong += [(question, mistake) for mistake in end.mistakes]
            tokens = answer.tokens[: end.length]
            judged = judged_text(
                question.prompt,
                tokens,
                rows[0][: end.length],
                {},
                question.max_tokens,
                True,
                draft_rows[0] if draft_rows else (),
            )
            test.add(question, judged)
    return [Option((), test.wealth, test.distance, test.request, stops=tuple(stops))], wrong, []


def _repeats(engine: Engine, prompts: Sequence[tuple[int, ...]], plan: Plan, progress: Progress) -> Repeats:
    """Whether requests repeat their answers with their seeds: alone, and in a batch in two orders."""
    questions = [
        Question(prompts[place % len(prompts)], plan.seed + 1 + place, plan.max_tokens, pure=plan.pure)
        for place in range(plan.in_flight)
    ]
    total = 2 + 2 * len(questions)
    alone = [engine.answers(questions[0])[0] for _ in range(2)]
    progress("answers repeated with their seeds", 2, total)
    forward = in_parallel(engine.answers, questions, plan.in_flight)
    progress("answers repeated with their seeds", 2 + len(questions), total)
    backward = in_parallel(engine.answers, questions[::-1], plan.in_flight)[::-1]
    progress("answers repeated with their seeds", total, total)
    texts = [answers[0].tokens for answers in forward]
    compared = [alone[0].tokens, *(answers[0].tokens for answers in backward)]
    changed = sum(text != again for text, again in zip([texts[0], *texts], compared, strict=True))
    return Repeats(alone[0].tokens == alone[1].tokens, len(compared), changed)


def _books(
    rounds: Rounds,
    rounding: float,
    log: LogFile | None,
    early: Sequence[tuple[Question, Mistake]],
    progress: Progress,
) -> tuple[Books, Sequence[str]]:
    """Mistakes in what the engine stated, over all rounds, after those that are known; and notes on its log."""
    wrong: list[Mistake] = [mistake for _, mistake in early]
    faulty_questions: list[Question] = [question for question, _ in early]
    usages: list[Usage] = []
    of_one_answer: list[Usage] = []
    emitted = 0
    for replies in rounds.journal.rounds.values():
        for question, answers, rows, *_ in replies:
            of_response = mistakes(question, answers, rows, rounding)
            wrong += of_response
            faulty_questions += [question] if of_response else []
            emitted += sum(len(answer.tokens) for answer in answers)
            usages.append(answers[0].usage)
            # of several answers each has its own line
            of_one_answer += [answers[0].usage] if question.copies == 1 else []
    # a run that went on from a journal has not asked for all of these tokens
    is_whole = not rounds.journal.was_resumed
    before = rounds.counters
    after = rounds.engine.counters()
    if is_whole:
        wrong += metrics_mistakes(before, after, sums_of(usages, emitted))
    notes: Sequence[str] = ()
    if log is not None:
        growth = {name: after[name] - before[name] for name in after if name in before}
        of_log, notes = log.reconciled(of_one_answer if is_whole else (), growth)
        wrong += of_log
    wrong += page_mistakes(_probes(rounds, after, progress))
    shortest = min(faulty_questions, key=lambda question: (question.max_tokens, len(question.prompt)), default=None)
    return summed(wrong)._replace(question=shortest), notes


def _probes(
    rounds: Rounds, counters: dict[str, float], progress: Progress
) -> list[tuple[dict[str, float], dict[str, int | None]]]:
    """How counters grow by equal greedy requests, beside what the responses state."""
    if not counters or not rounds.journal.rounds.get(("greedy", 0)):
        return []
    question = rounds.journal.rounds["greedy", 0][0].question
    probes = []
    for number in range(PROBES):
        progress("looks at the metrics page", number, PROBES)
        (answer,) = rounds.engine.answers(question)
        after = rounds.engine.counters()
        growth = {name: after[name] - counters[name] for name in after if name in counters}
        emitted = len(answer.tokens) if answer.usage.completion is None else answer.usage.completion
        probes.append((growth, sums_of([answer.usage], emitted)))
        counters = after
    progress("looks at the metrics page", PROBES, PROBES)
    return probes
