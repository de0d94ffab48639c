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
from simspec.audit.endpoint.greedy import Greedy, judged_greedy
from simspec.audit.endpoint.journal import Journal, Reply, digest
from simspec.audit.endpoint.log_books import LogFile
from simspec.audit.endpoint.options import STATED, Reading, judged_by, judged_under
from simspec.audit.endpoint.parallel import in_parallel
from simspec.audit.endpoint.plan import (
    DRAFT_TOP,
    OPTIONS,
    WEIGHTS,
    Plan,
    checked_plan,
    greedy_questions,
    option_questions,
    sampled_questions,
    stop_questions,
)
from simspec.audit.endpoint.prompts import PROMPTS, long_prompts
from simspec.audit.endpoint.records import Answer, EndpointError, Engine, OutOfTimeError, Question, TopRow, Usage
from simspec.audit.endpoint.rounding import Rounding, measured_rounding
from simspec.audit.endpoint.stopping import common_stops, early_ends, stopped, with_stop_strings
from simspec.audit.endpoint.verdict import (
    SAMPLED_SHARE,
    Agreement,
    EndpointReport,
    EndpointVerdict,
    Option,
    Repeats,
    Results,
    Sampled,
    limit_of,
    report_of,
)
from simspec.audit.endpoint.where import BestRequest, Where, WonToken, regions_of

__all__ = ["audit_endpoint"]

Progress = Callable[[str, int, int], None]
UNCHANGED = 0.1
"""Nats by which rounding may move the log-probability of a likely token."""
DRAFTED = ("sampled", "stop strings")
"""Stages whose texts a draft scores too, where one is given."""
PENALTIES = frozenset({"presence_penalty", "frequency_penalty"})
"""Options that count what was written before."""
OPTION_SHARE = (1 - SAMPLED_SHARE) / (len(OPTIONS) + 1)
"""Share of the error of the answers under one of `OPTIONS`, and of those with stop strings."""
PROBES = 3
"""Equal requests at which the metrics page is looked at."""


def audit_endpoint(
    engine: Engine,
    reference: Engine,
    plan: Plan | None = None,
    prompts: Sequence[str] = PROMPTS,
    journal: Path | None = None,
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
    prompts : texts
    journal : Path or None; where rounds are kept, and taken from if they are there
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
    settings = checked_plan(plan or Plan())
    ids = _prompt_ids(engine, reference, prompts, draft)
    identity = digest(
        {
            "urls": (engine.url, reference.url, *([draft.url] if draft else [])),
            "models": (engine.model, reference.model, *([draft.model] if draft else [])),
            "plan": settings,
            "prompts": ids,
            "processes": sorted(reference.processes),
        }
    )
    rounds = _Rounds(engine, reference, settings, Journal(journal, identity), time.monotonic() + time_limit, draft)
    if not engine.takes_ids:
        rounds.long_prompts = long_prompts(engine, prompts, ids, settings.context)
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
    return replace(report, notes=(*report.notes, note))


def _asked(rounds: _Rounds, prompts: Sequence[tuple[int, ...]], progress: Progress, log: Path | None) -> EndpointReport:
    """The report on all rounds, each asked or taken from the journal."""
    engine = rounds.engine
    reference = rounds.reference
    plan = rounds.plan
    fingerprint = _fingerprint(reference, prompts[0], plan.top)
    log_file = LogFile(log) if log is not None and plan.books else None
    before = engine.counters() if plan.books else {}
    greedy, rounding = _greedy(rounds, prompts, progress)
    sampled = _sampled(rounds, prompts, progress)
    options = _options(rounds, prompts, rounding, progress)
    early = _stop_strings(rounds) if plan.books else []
    under_stops, wrong_ends, stop_notes = _under_stop_strings(rounds, prompts)
    options = (*options, *under_stops)
    early += wrong_ends if plan.books else []
    repeats = _repeats(engine, prompts, plan)
    if not _is_same_row(fingerprint, _fingerprint(reference, prompts[0], plan.top)):
        raise EndpointError(
            f"{reference.url}: the reference scores a text otherwise than at the beginning, by more than rounding; expected one "
            "model for the whole run: audit again while nothing is deployed"
        )
    books, notes = _books(rounds, before, rounding.of_likely, log_file, early) if plan.books else (Books(), ())
    return report_of(engine, reference, plan, Results(sampled, greedy, options, books, repeats, (*notes, *stop_notes)))


def _cut_off(rounds: _Rounds, prompts: Sequence[tuple[int, ...]], busy: str) -> EndpointReport:
    """The report on the sampled rounds that were answered before a busy server asked for more time than there is.

    A difference that they show is one.  That they show none does not make the law the same: whether the reference is still the
    model that it was at the beginning could not be asked.
    """
    rounds.was_cut = True
    sampled = _sampled(rounds, prompts, lambda stage, number, total: None)
    note = f"all else was not asked, and whether the reference has changed meanwhile: {busy}"
    results = Results(sampled, judged_greedy([], []), (), Books(), Repeats(True), (note,))
    report = report_of(rounds.engine, rounds.reference, rounds.plan, results)
    is_settled = report.verdict in {EndpointVerdict.DIFFERS, EndpointVerdict.UNDECIDED}
    return report if is_settled else replace(report, verdict=EndpointVerdict.UNDECIDED)


class _Rounds:
    """Asks questions and scores the answers, or takes both from the journal."""

    def __init__(
        self, engine: Engine, reference: Engine, plan: Plan, journal: Journal, deadline: float, draft: Engine | None
    ) -> None:
        self.deadline = deadline
        self.was_cut = False
        self.engine = engine
        self.reference = reference
        self.draft = draft
        self.plan = plan
        self.journal = journal
        self.asked = 0  # rounds that were not in the journal
        self.long_prompts: Sequence[tuple[int, ...]] = ()  # made of the short ones, where the engine takes any ids

    def may_begin(self, stage: str, number: int) -> bool:
        """Whether a round may begin: one in the journal, or any within the time limit; the first that may not cuts the audit."""
        if (stage, number) in self.journal:
            return True
        self.was_cut = self.was_cut or time.monotonic() >= self.deadline
        return not self.was_cut

    def ask(self, stage: str, number: int, questions: Sequence[Question]) -> tuple[Reply, ...]:
        """Replies to the questions of a round, all in flight together."""
        if (stage, number) not in self.journal:
            answers = in_parallel(self.engine.answers, questions, self.plan.in_flight)
            for question, group in zip(questions, answers, strict=True):
                _check_end(self.engine, question, group)
            texts = [
                (question.prompt, answer.tokens)
                for question, group in zip(questions, answers, strict=True)
                for answer in group
            ]
            # where a truncation ends may lie beyond the tokens that are categories
            top = max(self.plan.top, STATED) if any(map(self._states_law, questions)) else self.plan.top
            rows = iter(in_parallel(partial(_scored, self.reference, top), texts, self.plan.in_flight))
            is_drafted = self.draft is not None and stage in DRAFTED
            score_draft = partial(_scored, self.draft, DRAFT_TOP)
            draft_rows = iter(in_parallel(score_draft, texts, self.plan.in_flight) if is_drafted else ())
            processed_rows = iter(self._processed(questions, answers))
            replies = [
                Reply(
                    question,
                    tuple(group),
                    tuple(next(rows) for _ in group),
                    tuple(next(draft_rows) for _ in group) if is_drafted else (),
                    tuple(next(processed_rows) for _ in group) if self._states_law(question) else (),
                )
                for question, group in zip(questions, answers, strict=True)
            ]
            self.journal.add(stage, number, replies)
            self.asked += 1
        return self.journal.rounds[stage, number]

    def _states_law(self, question: Question) -> bool:
        """Whether the reference states the law under a question's options, as the engine is asked to read them.

        A penalty that counts the prompt is another option than one that does not.
        """
        names = set(dict(question.options))
        is_alike = self.reference.penalises_prompt == self.engine.penalises_prompt or not names & PENALTIES
        return bool(names) and names <= self.reference.processes and is_alike

    def _processed(
        self, questions: Sequence[Question], answers: Sequence[Sequence[Answer]]
    ) -> list[tuple[TopRow, ...]]:
        """What the reference states under options at each answer's tokens, asked with the options of its question."""

        def stated(item: tuple[Question, Answer]) -> tuple[TopRow, ...]:
            question, answer = item
            if not answer.tokens:
                return ()
            return tuple(self.reference.processed(question.prompt, answer.tokens, STATED, dict(question.options)))

        asked = [
            (question, answer)
            for question, group in zip(questions, answers, strict=True)
            if self._states_law(question)
            for answer in group
        ]
        return in_parallel(stated, asked, self.plan.in_flight)


def _scored(model: Engine | None, top: int, text: tuple[tuple[int, ...], tuple[int, ...]]) -> tuple[TopRow, ...]:
    """A model's most likely tokens at each token of a text; nothing for a text without tokens, or without a model."""
    prompt, tokens = text
    return tuple(model.score(prompt, tokens, top)) if model is not None and tokens else ()


def _check_end(engine: Engine, question: Question, answers: Sequence[Answer]) -> None:
    """Refuse an engine that does not send the token which ends a text.

    Other tokens are then seen only where the text goes on, which is another law than the reference's.
    """
    emitted = sum(len(answer.tokens) for answer in answers)
    ends = sum(answer.finish != "length" for answer in answers)
    if ends and not question.stop and answers[0].usage.completion == emitted + ends:
        raise EndpointError(
            f"{engine.url}: the token that ends a text is counted and not sent; expected its id among those of the answer: "
            "without it the law of the others cannot be judged"
        )


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


def _fingerprint(reference: Engine, prompt: tuple[int, ...], top: int) -> TopRow:
    """The reference's most likely tokens after a prompt."""
    (row,) = reference.score(prompt, prompt[:1], top)
    return row


def _is_same_row(before: TopRow, after: TopRow) -> bool:
    """Whether two scores of one text may be those of one model: its most likely token differs by rounding at most.

    >>> before = ((3, -0.25), (5, -1.75))
    >>> _is_same_row(before, ((3, -0.249), (5, -1.7))), _is_same_row(before, ((5, -0.25), (3, -1.75)))
    (True, False)
    """
    token, logprob = before[0]
    again = dict(after).get(token, -math.inf)
    return abs(again - logprob) <= UNCHANGED


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


def _sampled(rounds: _Rounds, prompts: Sequence[tuple[int, ...]], progress: Progress) -> Sampled:
    """Rounds of the sampled test until a bet has won or all tokens are used."""
    plan = rounds.plan
    wealth = Wealth(knows_draft=rounds.draft is not None)
    distance = Distance()
    where = Where()
    earlier: dict[tuple[int, ...], int] = {}
    best_request = BestRequest()
    agreement = Agreement()
    empty = 0
    for number in count():
        questions = sampled_questions(plan, prompts, number, rounds.engine.allows_copies, rounds.long_prompts)
        replies = rounds.ask("sampled", number, questions)
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
    return Sampled(wealth, distance.interval(plan.error), distance, where, best_request.question, agreement)


def _agreement(before: Agreement, judged: Sequence[Judged]) -> Agreement:
    """Agreement with earlier answers after more tokens."""
    comparable = [token for token in judged if 0 <= token.agreed < len(token.masses) - 1]
    return Agreement(
        before.places + len(comparable),
        before.agreeing + sum(token.category == token.agreed for token in comparable),
        before.expected + sum(token.masses[token.agreed] for token in comparable),
    )


def _greedy(rounds: _Rounds, prompts: Sequence[tuple[int, ...]], progress: Progress) -> tuple[Greedy, Rounding]:
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
    rounding = measured_rounding(rounds.engine, rounds.reference, plan.top, texts)
    judged = judged_greedy([(answer.tokens, rows) for _, answer, rows in texts], rounding.differences)
    questions_by_text = [question for question, _, _ in texts]
    return judged._replace(questions=tuple(questions_by_text)), rounding


class _OptionTest:
    """Whole requests whose answers are judged: what bets won, how far the law is, and the request that shows most."""

    def __init__(self, wealth: Wealth, questions: Callable[[int], list[Question]]) -> None:
        self.wealth = wealth
        self.distance = Distance()
        self._questions = questions
        self._best_request = BestRequest()

    def asked(self, rounds: _Rounds, stage: str) -> Iterator[tuple[Reply, ...]]:
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
    rounds: _Rounds, prompts: Sequence[tuple[int, ...]], rounding: Rounding, progress: Progress
) -> tuple[Option, ...]:
    """Answers under each option, judged by the reference's law under it, or by what its most likely tokens say of that law."""
    plan = rounds.plan
    if not plan.option_answers or not plan.pure:
        return ()
    if not rounding.differences:
        # no greedy texts: the first sampled ones do as well, and no answer under an option has been asked for
        first_texts = rounds.journal.rounds["sampled", 0]
        texts = [(reply.question, reply.answers[0], reply.rows[0]) for reply in first_texts]
        rounding = measured_rounding(rounds.engine, rounds.reference, plan.top, texts)
    results = []
    answers_so_far = 0
    for option, pairs in enumerate(OPTIONS):
        if not set(dict(pairs)) <= rounds.engine.takes or not WEIGHTS[option]:  # of weight 0: never asked for
            continue
        if not rounds.may_begin(f"option {option}", 0):
            break
        test = _OptionTest(Wealth(aimed=UNDER_OPTIONS), partial(option_questions, plan, prompts, option))
        reading = Reading()
        left_out = 0
        for replies in test.asked(rounds, f"option {option}"):
            for question, answers, rows, _, processed_rows in replies:
                emitted = answers[0].tokens
                if processed_rows and processed_rows[0]:
                    judged, reading = judged_by(
                        dict(pairs),
                        question.prompt,
                        emitted,
                        rows[0],
                        processed_rows[0],
                        rounds.engine.penalises_prompt,
                        reading,
                        top=plan.top,
                        rounding=rounding.at_cuts,
                    )
                else:
                    judged = judged_under(
                        dict(pairs),
                        question.prompt,
                        emitted,
                        [row[: plan.top] for row in rows[0]],
                        rounds.engine.penalises_prompt,
                        rounding.at_cuts,
                    )
                test.add(question, judged)
                left_out += len(emitted) - len(judged)
            answers_so_far += len(replies)
            progress("answers with options", answers_so_far, sum(WEIGHTS) * plan.option_answers)
        results.append(Option(pairs, test.wealth, test.distance, test.request, reading, left_out=left_out))
    return tuple(results)


def _stop_strings(rounds: _Rounds) -> list[tuple[Question, Mistake]]:
    """Ask the first greedy questions and the first sampled one again, with stop strings from the middle of their answers.

    The books judge whether the strings are obeyed; here it is judged whether the texts end before them.
    """
    replies = [*rounds.journal.rounds.get(("greedy", 0), ()), *rounds.journal.rounds["sampled", 0][:1]]
    unstopped = with_stop_strings(replies)
    return early_ends(unstopped, rounds.ask("stop", 0, [reply.question for reply in unstopped])) if unstopped else []


def _under_stop_strings(
    rounds: _Rounds, prompts: Sequence[tuple[int, ...]]
) -> tuple[list[Option], list[tuple[Question, Mistake]], list[str]]:
    """New answers with stop strings: their tokens beside the reference, how they end, and why they were not judged."""
    plan = rounds.plan
    texts = [
        answer.text
        for (stage, _), replies in rounds.journal.rounds.items()
        for reply in replies
        for answer in reply.answers
        if stage == "sampled"
    ]
    stops = common_stops(texts)
    if not plan.option_answers or not plan.pure or not stops or not rounds.may_begin("stop strings", 0):
        return [], [], []
    # another model's tokenizer would do as well: it is the same one
    speaker = next((side for side in (rounds.engine, rounds.reference) if side.text_of(prompts[0]) is not None), None)
    if speaker is None:
        note = "stop strings: neither side says the text of token ids, so that no answers with them were judged"
        return [], [], [note]
    test = _OptionTest(Wealth(knows_draft=rounds.draft is not None), partial(stop_questions, plan, prompts, stops))
    wrong: list[tuple[Question, Mistake]] = []
    for replies in test.asked(rounds, "stop strings"):
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


def _repeats(engine: Engine, prompts: Sequence[tuple[int, ...]], plan: Plan) -> Repeats:
    """Whether requests repeat their answers with their seeds: alone, and in a batch in two orders."""
    questions = [
        Question(prompts[place % len(prompts)], plan.seed + 1 + place, plan.max_tokens, pure=plan.pure)
        for place in range(plan.in_flight)
    ]
    alone = [engine.answers(questions[0])[0] for _ in range(2)]
    forward = in_parallel(engine.answers, questions, plan.in_flight)
    backward = in_parallel(engine.answers, questions[::-1], plan.in_flight)[::-1]
    texts = [answers[0].tokens for answers in forward]
    compared = [alone[0].tokens, *(answers[0].tokens for answers in backward)]
    changed = sum(text != again for text, again in zip([texts[0], *texts], compared, strict=True))
    return Repeats(alone[0].tokens == alone[1].tokens, len(compared), changed)


def _books(
    rounds: _Rounds,
    before: dict[str, float],
    rounding: float,
    log: LogFile | None,
    early: Sequence[tuple[Question, Mistake]],
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
    is_whole = rounds.asked == len(rounds.journal.rounds)
    after = rounds.engine.counters()
    if is_whole:
        wrong += metrics_mistakes(before, after, sums_of(usages, emitted))
    notes: Sequence[str] = ()
    if log is not None:
        growth = {name: after[name] - before[name] for name in after if name in before}
        of_log, notes = log.reconciled(of_one_answer if is_whole else (), growth)
        wrong += of_log
    wrong += page_mistakes(_probes(rounds, after))
    shortest = min(faulty_questions, key=lambda question: (question.max_tokens, len(question.prompt)), default=None)
    return summed(wrong)._replace(question=shortest), notes


def _probes(rounds: _Rounds, counters: dict[str, float]) -> list[tuple[dict[str, float], dict[str, int | None]]]:
    """How counters grow by equal greedy requests, beside what the responses state."""
    if not counters or not rounds.journal.rounds.get(("greedy", 0)):
        return []
    question = rounds.journal.rounds["greedy", 0][0].question
    probes = []
    for _ in range(PROBES):
        (answer,) = rounds.engine.answers(question)
        after = rounds.engine.counters()
        growth = {name: after[name] - counters[name] for name in after if name in counters}
        emitted = len(answer.tokens) if answer.usage.completion is None else answer.usage.completion
        probes.append((growth, sums_of([answer.usage], emitted)))
        counters = after
    return probes
