"""What rules gain and cost on given laws: by hand, from files, from a bank; and what is refused."""

import pickle

import numpy as np
import pytest

from simspec.cli.rates import DEFAULT as TYPED
from simspec.laws import softmax
from simspec.methods import ears
from simspec.methods.registry import rule
from simspec.notebook import html, plot
from simspec.tools.rates import COLUMNS, DEFAULT, frame, rates
from simspec.tools.rates.compute import draw_saving
from simspec.tools.reading import Pairs, load
from tests.small_banks import write_small_bank

P, Q = np.array([[0.5, 0.5, 0.0]]), np.array([[0.25, 0.25, 0.5]])


def measured(name: str, **options) -> dict:
    (made,) = rates(Pairs(P, Q, np.array([0]), "by hand"), [rule(name)], **options)
    return {k: None if v is None else v.estimate for k, v in made.values.items()}


def test_speculative_decoding_by_hand() -> None:
    values = measured("sd", gamma=2, cost=0.25)
    assert values["acceptance"] == 0.5 and values["gain"] == 0 and values["tv"] == 0
    assert values["tokens"] == 1.75 and values["speedup"] == pytest.approx(1.75 / 1.5) and values["bits"] is None


def test_a_block_by_hand_on_a_law_that_lasts() -> None:
    """All drafts on token 0, p = (1/2, 1/2): S = 1/2, 1/4, so 1.75 tokens a call, as token by token; q = (3/4, 1/4) gains.

    There w = 2/3 with probability 3/4, else 1; after it 4/9, 1, 2/3, 1: S_2 = 9/16 · 4/9 + 3/16 · (1 + 2/3) + 1/16 = 5/8.
    """
    pairs = Pairs(np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]]), np.array([0]), "by hand")
    block, token = rates(pairs, ["block", "sd"], gamma=2, cost=0.25)
    assert block.rule == "block" and block.values["acceptance"].estimate == 0.5 and block.values["tv"].estimate == 0
    for name in ("tokens", "speedup"):
        assert block.values[name].estimate == pytest.approx(token.values[name].estimate)
    many = np.repeat([[0.5, 0.5]], 400, axis=0), np.repeat([[0.75, 0.25]], 400, axis=0)
    block, token = rates(Pairs(*many, np.arange(400), "lasting"), ["block", "sd"], gamma=2)
    assert block.values["tokens"].estimate == pytest.approx(
        1 + 0.75 + 5 / 8, abs=0.02
    )  # 25,600 draws: 8 standard errors
    assert token.values["tokens"].estimate == pytest.approx(1 + 0.75 + 0.75**2)


def test_a_pardon_of_a_token_without_target_mass_by_hand() -> None:
    """EARS with β = 1: t = 1/2, half of the draft's 0.5 on token 2 is kept: gain = bias = 0.25, KL is infinite."""
    values = measured("ears:1")
    assert values["acceptance"] == 0.75 and values["gain"] == 0.25 and values["tv"] == 0.25
    assert values["kl"] == float("inf") and values["support"] == 0.25


def test_columns_are_the_values() -> None:
    assert set(measured("sqs:2,4")) == set(COLUMNS)


def test_files_with_laws_and_with_logits(tmp_path) -> None:
    z = np.random.default_rng(0).normal(size=(2, 3, 5))
    np.savez(tmp_path / "logits.npz", target=z[0], draft=z[1], document=np.array([0, 0, 1]))
    np.savez(tmp_path / "laws.npz", p=softmax(z[0]), q=softmax(z[1]))
    logits, laws = load(tmp_path / "logits.npz"), load(tmp_path / "laws.npz")
    np.testing.assert_allclose(logits.p, laws.p)
    assert logits.document.tolist() == [0, 0, 1] and laws.document.tolist() == [0, 1, 2]
    assert load(tmp_path / "logits.npz", 0).p.max(axis=1).tolist() == [1, 1, 1]
    one = tmp_path / "one.npz"
    np.savez(one, p=softmax(z[0, 0]), q=softmax(z[1, 0]))
    assert load(one).p.shape == (1, 5)


def test_a_bank_has_intervals_over_documents() -> None:
    (made,) = rates(load("stories"), [rule("ears:0.1")])
    gain, tv = made.values["gain"], made.values["tv"]
    assert gain.low < gain.estimate < gain.high
    assert gain.estimate == pytest.approx(tv.estimate, abs=1e-9)  # what EARS gains is its bias


def test_a_row_of_laws_may_be_flat(tmp_path) -> None:
    np.savez(tmp_path / "laws.npz", p=P[0], q=Q)
    assert load(tmp_path / "laws.npz").p.tolist() == P.tolist()


def test_whole_numbers_are_laws_too(tmp_path) -> None:
    np.savez(tmp_path / "laws.npz", p=np.eye(2, dtype=int), q=np.array([[1, 0], [1, 0]]))
    pairs = load(tmp_path / "laws.npz")
    assert pairs.p.dtype == np.float64 and rates(pairs, [rule("sd")])[0].values["acceptance"].estimate == 0.5


def test_16_bits_are_counted_in_64(tmp_path) -> None:
    """The gain of EARS is its bias to rounding, which it is not when sums are taken in 16 bits."""
    p, q = np.random.default_rng(0).dirichlet(np.ones(50), size=(2, 20)).astype(np.float16)
    np.savez(tmp_path / "laws.npz", p=p, q=q)
    pairs = load(tmp_path / "laws.npz")
    np.testing.assert_allclose(pairs.p.sum(axis=1), 1, atol=1e-12)
    (made,) = rates(pairs, [rule("ears:0.1")])
    assert made.values["gain"].estimate == pytest.approx(made.values["tv"].estimate, abs=1e-12)


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 cut off"])
def test_a_broken_file_is_refused(content, tmp_path) -> None:
    (tmp_path / "broken.npz").write_bytes(content)
    with pytest.raises(
        ValueError, match="FILE: .*broken.npz' cannot be read: .*; expected an .npz file of number arrays"
    ):
        load(tmp_path / "broken.npz")


def test_a_missing_file_is_named(tmp_path) -> None:
    with pytest.raises(ValueError, match="FILE: no file .*missing.npz'"):
        load(tmp_path / "missing.npz")


@pytest.mark.parametrize(
    ("arrays", "temperature", "message"),
    [
        ({"x": P}, 1, "holds x; expected p and q, or target and draft"),
        ({"p": P, "q": Q}, 0.5, "temperature: 0.5; .* holds distributions, not logits"),
        ({"p": P * 2, "q": Q}, 1, "p: "),
        ({"p": P, "q": Q[:, :2]}, 1, r"q: shape \(1, 2\) where p has \(1, 3\)"),
        ({"p": P, "q": Q, "document": np.arange(3)}, 1, "document: shape"),
        ({"p": P, "q": np.vstack([Q, Q])}, 1, r"q: shape \(2, 3\) where p has \(1, 3\); expected the same"),
        ({"target": P, "draft": Q[:, :2]}, 1, r"draft: shape \(1, 2\) where target has \(1, 3\)"),
        ({"p": P[:0], "q": Q[:0]}, 1, r"p: shape \(0, 3\); expected \(V,\), \(n, V\) or"),
        (
            {"p": P[None, None], "q": Q[None, None]},
            1,
            r"p: shape \(1, 1, 1, 3\); expected .*\(documents, positions, V\)",
        ),
        ({"p": P[None], "q": Q}, 1, r"q: shape \(1, 3\) where p has \(1, 1, 3\)"),
        (
            {"p": P - 1, "q": Q},
            1,
            "p: row 0 holds -1 at token 2, as logits and log-probabilities do; .* names target and draft",
        ),
        ({"p": P + 0j, "q": Q}, 1, "p: dtype complex128; expected real numbers"),
        ({"p": np.array([["1", "0"]]), "q": Q}, 1, "p: dtype <U1"),
        ({"p": P, "q": np.array([[1, "a"]], dtype=object)}, 1, "FILE: .*bad.npz' cannot be read"),
        ({"p": np.where(P == 0, np.nan, P), "q": Q}, 1, r"p: row \(0,\) holds the mass nan"),
        ({"target": P, "draft": Q * np.inf}, 1, "draft: the largest logit of row 0 is inf; expected a finite number"),
        ({"target": P - np.inf, "draft": Q}, 1, "target: the largest logit of row 0 is -inf"),
    ],
)
def test_bad_files_are_refused(arrays, temperature, message, tmp_path) -> None:
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(ValueError, match=message):
        load(tmp_path / "bad.npz", temperature)


def test_rules_at_one_place_are_all_seen() -> None:
    """Lenience and its levelled twin lie on one point: other markers, the later one smaller."""
    from simspec.tools.rates.show import picture

    pairs = Pairs(P, Q, np.array([0]), "by hand")
    drawn = picture(rates(pairs, [rule("lenience:0.8"), rule("lenience-levelled:0.8")]), pairs)
    first, second = [box.lines[0] for box in drawn.axes[0].containers]
    assert first.get_xydata().tolist() == second.get_xydata().tolist()
    assert first.get_marker() != second.get_marker() and first.get_markersize() > second.get_markersize()
    assert drawn.axes[0].get_title() == "by hand: 1 pair of distributions"


def test_the_picture_has_the_intervals_and_the_best_line_by_hand() -> None:
    """Eight documents with p = (1/2, 1/2), and q = p or (1, 0) in turn: the overlap is 3/4, so the line ends at TV 1/4."""
    from simspec.tools.rates.show import picture

    p = np.full((8, 2), 0.5)
    pairs = Pairs(p, np.array([[0.5, 0.5], [1.0, 0.0]] * 4), np.arange(8), "by hand")
    rows = rates(pairs, ["sd", "lenience:0.5"])
    axes = picture(rows, pairs).axes[0]
    tv = rows[1].values["tv"].estimate
    line = next(line for line in axes.lines if line.get_label() == "best on drafts from q")
    assert tv == 0.25 and line.get_xdata().tolist() == pytest.approx([0, 0.25, 1.15 * 0.25])
    assert line.get_ydata().tolist() == pytest.approx([0.75, 1, 1])
    for row, box in zip(rows, axes.containers, strict=True):
        for bar, name, axis in zip(box.lines[2], ("tv", "acceptance"), (0, 1), strict=True):
            (segment,) = bar.get_segments()
            interval = row.values[name]
            assert segment[:, axis].tolist() == pytest.approx([interval.low, interval.high])
    alone = picture(rates(pairs, ["sd"]), pairs).axes[0]
    assert alone.lines[0].get_xdata().tolist() == pytest.approx([0, 0.0575, 0.0575])  # 1.15 times 0.05 at least


def test_no_interval_of_tokens_is_beyond_what_a_call_can_emit() -> None:
    """Draft and target alike on eight texts: every call emits its 3 drafts and a token more, and no other text could more."""
    p = np.full((24, 2), 0.5)
    pairs = Pairs(p, p, np.repeat(np.arange(8), 3), "by hand")
    (row,) = rates(pairs, ["block"], gamma=3)
    tokens = row.values["tokens"]
    assert tokens.estimate == pytest.approx(4) and tokens.high == pytest.approx(4) and tokens.low < 4


def test_rules_together_are_the_rules_alone_and_progress_is_told() -> None:
    pairs, told = load("stories"), []
    chosen = [rule("sd"), rule("ears:0.1"), rule("sqs:8,100")]
    together = rates(pairs, chosen, progress=lambda *what: told.append(what))
    for made, one in zip(together, chosen, strict=True):
        (alone,) = rates(pairs, [one])
        for name, interval in made.values.items():
            if interval is None:
                assert alone.values[name] is None
                continue
            assert tuple(interval) == pytest.approx(tuple(alone.values[name]), rel=1e-12, nan_ok=True), (
                made.rule,
                name,
            )
    steps = 3 * len(pairs.parts())
    assert told == [("measuring rules", step, steps) for step in range(1, steps + 1)]


def test_rows_are_measured_in_parts_with_the_same_result(monkeypatch) -> None:
    pairs, told = load("stories"), []
    chosen = [rule("ears:0.1"), rule("lenience-levelled:0.8"), rule("sqs:8,100")]
    whole = rates(pairs, chosen)
    monkeypatch.setattr("simspec.tools.reading.PART", 7 * pairs.p.shape[1])
    assert rates(pairs, chosen, progress=lambda *what: told.append(what)) == whole
    parts = -(-len(pairs.p) // 7) * len(chosen)
    assert [what for what in told if what[0] == "measuring rules"] == [
        ("measuring rules", done, parts) for done in range(1, parts + 1)
    ]


def test_a_million_rows_fit_in_a_gigabyte(monkeypatch) -> None:
    """What 60,000 more rows of 4 tokens take, a million times over, beside the 200 MB of the libraries."""
    import tracemalloc

    monkeypatch.setattr("simspec.tools.reading.PART", 4 * 2000)
    chosen = [rule(name) for name in ("sd", "ears:0.1", "lenience:0.8", "lenience-levelled:0.8", "mixture:0.1")]
    peaks = []
    for count in (1000, 20_000, 80_000):  # the first of them imports, compiles and fills caches
        tracemalloc.start()
        try:
            p, q = np.random.default_rng(0).dirichlet(np.ones(4), size=(2, count))
            rates(Pairs(p, q, np.arange(count), "made"), chosen)
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert (peaks[2] - peaks[1]) / 60_000 * 10**6 < 600e6


def test_memory_is_of_the_order_of_the_rows() -> None:
    """3,000 rows of 4 tokens, each a document: no table of rows by rows, and none of resamples by rows."""
    import tracemalloc

    p, q = np.random.default_rng(0).dirichlet(np.ones(4), size=(2, 3000))
    tracemalloc.start()
    try:
        rates(Pairs(p, q, np.arange(3000), "made"), [rule("sd"), rule("ears:0.1")])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3000 * 3000


def test_the_table_is_a_list_and_a_frame_with_intervals(tmp_path) -> None:
    pairs = Pairs(np.repeat(P, 6, axis=0), np.array([Q[0], P[0], Q[0]] * 2), np.arange(6), "by <hand>")
    found = rates(pairs, ["sd", ears(1)])
    pytest.importorskip("pandas")
    table = found.frame()
    assert [row.rule for row in found] == table.index.tolist() == ["sd", "ears(1)"]
    mean = found[0].values["acceptance"]
    assert table.loc["sd", ["acceptance", "acceptance.low", "acceptance.high"]].tolist() == list(mean[:3])
    assert table["bits"].isna().all() and table.loc["ears(1)", "kl"] == float("inf")
    assert found.to_csv(tmp_path / "a" / "rates.csv") is None
    assert (tmp_path / "a" / "rates.csv").read_text() == found.to_csv() == table.to_csv()
    shown = html(found)
    assert shown is not None
    assert "by &lt;hand&gt;" in shown and "∞" in shown and "ears(1)" in shown and "0.6667 [" in shown
    assert repr(found) == "RatesTable(by <hand>: 6 pairs of distributions; sd, ears(1))"
    assert plot(found)._repr_png_().startswith(b"\x89PNG")


def test_rules_are_texts_methods_or_rules_and_pairs_may_be_a_file(tmp_path) -> None:
    np.savez(tmp_path / "laws.npz", p=P, q=Q)
    by_name, by_rule = rates(tmp_path / "laws.npz", ["ears:1"]), rates(str(tmp_path / "laws.npz"), [rule("ears:1")])
    by_method = rates(tmp_path / "laws.npz", [ears(1)])
    for made in (by_rule, by_method):
        assert made[0].values["acceptance"].estimate == by_name[0].values["acceptance"].estimate == 0.75
    assert [row.rule for row in rates(tmp_path / "laws.npz")] == list(DEFAULT) == list(TYPED)


def test_rules_as_a_frame() -> None:
    """One row a rule, each mean beside the ends of its interval; what a rule has not is missing."""
    rows = rates(load("stories"), [rule("sd"), rule("sqs:2,4")])
    made = frame(rows)
    assert made.index.tolist() == ["sd", "sqs:2,4"]
    assert list(made.columns) == [f"{name}{end}" for name in COLUMNS for end in ("", ".low", ".high")]
    for row in rows:
        for name, interval in row.values.items():
            shown = made.loc[row.rule, [name, f"{name}.low", f"{name}.high"]].tolist()
            assert np.isnan(shown).all() if interval is None else shown == list(interval[:3])


def test_rates_of_a_bank_are_pickled_without_what_is_open(tmp_path) -> None:
    made = rates(write_small_bank(tmp_path, vocab=12), ["sd"])
    assert made.pairs.known.tuning is not None
    again = pickle.loads(pickle.dumps(made))
    assert repr(again) == repr(made) and repr(again.records()) == repr(made.records())
    assert len(plot(again).figure.axes[0].lines) == len(plot(made).figure.axes[0].lines)


def test_intervals_leave_room_for_a_document_that_was_not_seen() -> None:
    """Twelve alike: acceptance may be lower or higher by what a thirteenth does; what sd never does has no width."""
    found = rates(Pairs(np.repeat(P, 12, axis=0), np.repeat(Q, 12, axis=0), np.arange(12), "alike"), ["sd", "block"])
    for row in found:
        acceptance, tokens, tv = (row.values[name] for name in ("acceptance", "tokens", "tv"))
        assert acceptance is not None and tokens is not None and tv is not None
        mean = acceptance.estimate
        assert acceptance.low < mean * 12 / 13 and acceptance.high > (12 * mean + 1) / 13
        assert 1 <= tokens.low < tokens.estimate < tokens.high <= 5 and tv[:3] == (0, 0, 0)


def test_the_saving_is_that_of_simulated_single_draws_over_documents() -> None:
    """Of 4,000 runs, each with new documents of 3 pairs: the ratio of two variances is known to 1/10 at four deviations."""
    generator = np.random.default_rng(11)
    documents = np.repeat(np.arange(30), 3)
    level = generator.uniform(0.2, 0.8, (4000, 30)).repeat(3, axis=1)
    alpha = (level + generator.uniform(-0.15, 0.15, level.shape)).clip(0, 1)
    draws = generator.uniform(size=alpha.shape) < alpha
    simulated = draws.mean(axis=1).var() / alpha.mean(axis=1).var()
    calculated = np.median([draw_saving(rates_of_run, documents) for rates_of_run in alpha[:400]])
    assert calculated == pytest.approx(simulated, rel=0.15)
    assert draw_saving(np.full(4, 0.3), np.arange(4)) is None and draw_saving(alpha[0], np.zeros(90)) is None
