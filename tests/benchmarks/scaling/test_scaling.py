"""Scaling curves: known exponents are found, every kernel does what its curve says, and the picture names them all.

No test asserts a time: clocks are made up, but for one quick run of everything.
"""

import json
import secrets
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from scipy.stats import binom
from threadpoolctl import threadpool_info, threadpool_limits

from benchmarks import __main__ as benchmarks
from benchmarks import harness, scaling
from benchmarks.cases import Bench
from benchmarks.scaling import plot as scaling_plot
from benchmarks.scaling import works as scaling_works
from benchmarks.scaling.curves import Curve, Interval, fit, interval
from benchmarks.scaling.works import Plan, Work
from simspec.kernels.affinity import numba_affinity, reference


def random() -> np.random.Generator:
    """Other numbers each time; a failure shows the seed."""
    seed = secrets.randbits(64)
    print("seed", seed)
    return np.random.default_rng(seed)


# ---- fitting ----


def test_exponent_by_hand():
    x = [1, 2, 4, 8]
    found = fit(x, np.array([[1.0, 4.0, 16.0, 64.0], [5.0, 20.0, 80.0, 320.0]]))
    assert (found.middle, found.low, found.high) == pytest.approx((2, 2, 2)) and found.level == 0.5


def test_only_the_asymptotic_range_counts():
    x = np.array([1.0, 10.0, 100.0, 1000.0])
    seconds = np.array([[7.0, 7.0, 7.0, 70.0]])
    assert fit(x, seconds, fit_from=100).middle == pytest.approx(1)
    assert fit(x, seconds, fit_from=101 / 10).middle == pytest.approx(1)
    assert fit(x, seconds).middle < 0.5
    with pytest.raises(ValueError, match="fit_from: 1000; expected two points"):
        fit(x, seconds, fit_from=1000)


def test_disturbed_points_and_a_disturbed_round_move_nothing():
    x = 10.0 ** np.arange(3, 7, 1 / 3)
    seconds = np.tile(1e-9 * x**1.25, (9, 1))
    seconds[:, 3] *= 40
    seconds[4] = random().lognormal(0, 3, len(x))
    found = fit(x, seconds)
    assert (found.middle, found.low, found.high) == pytest.approx((1.25, 1.25, 1.25))


@pytest.mark.parametrize(
    ("n", "low", "high", "missed"), [(1, 1, 1, 1), (3, 1, 3, 2 / 8), (9, 2, 8, 20 / 512), (15, 4, 12, 2 * 576 / 2**15)]
)
def test_bounds_are_order_statistics_at_the_exact_level(n, low, high, missed):
    found = interval(random().permutation(np.arange(1.0, n + 1)))
    assert found == Interval((n + 1) / 2, low, high, pytest.approx(1 - missed))


def test_the_interval_covers_the_exponent_as_often_as_it_says():
    """False-alarm rate 1e-6, also for skewed noise: with evenly spaced log x the slope's law is symmetric about b."""
    rng, x, trials = random(), 10.0 ** np.arange(4, 6.1, 1 / 3), 400
    missed = {1.1: 0, 1.2: 0}
    for _ in range(trials):
        noise = rng.lognormal(0, 0.1, (9, len(x))) * np.where(rng.random((9, len(x))) < 0.1, 4, 1)
        found = fit(x, 1e-9 * x**1.1 * noise)
        for b in missed:
            missed[b] += not found.low <= b <= found.high
    allowed = binom.isf(1e-6, trials, 20 / 512)
    assert missed[1.1] <= allowed
    assert missed[1.2] > allowed  # the negative control: another exponent


# ---- measuring ----


def test_rounds_are_shuffled_warm_and_short_calls_repeated():
    now, seen, ticks = [0.0], [], []

    def call(name, seconds):
        seen.append(name)
        now[0] += seconds

    calls = [partial(call, name, seconds) for name, seconds in (("a", 1e-3), ("b", 0.5), ("c", 1.0))]
    found = scaling.measure(calls, 4, 0, ticks.append, lambda: now[0])
    np.testing.assert_allclose(found, np.tile([1e-3, 0.5, 1.0], (4, 1)))
    assert "".join(seen[:6]) == "aabbcc"
    once = {"a": "aaa", "b": "bb", "c": "cc"}  # one untimed, then two milliseconds or one call
    rounds, rest = [], "".join(seen[6:])
    while rest:
        order = ""
        for _ in calls:
            order += rest[0]
            assert rest.startswith(once[rest[0]])
            rest = rest[len(once[rest[0]]) :]
        rounds.append(order)
    assert len(rounds) == 4 and all(sorted(order) == list("abc") for order in rounds) and len(set(rounds)) > 1
    assert ticks[:3] == [0, 1, 2] and len(ticks) == 3 * 5


# ---- the kernels ----


def test_every_kernel_works_on_the_laws_that_it_is_said_to():
    data = scaling_works.draw(Plan((1_000, 1_500), 32, (1, 4), 1_000, 1, 1), 3)
    out = {work.name: work.bind(data, 3, 1_500, 1)() for work in scaling_works.WORKS}
    assert out["TV from logits"].shape == (3,) and (out["TV from logits"] > 0.01).all()
    for name in ("overlap, Gaussian", "overlap, Student-t"):
        assert out[name].shape == (3,) and ((out[name] > 0) & (out[name] < 1)).all()
    assert (out["overlap, Gaussian"] != out["overlap, Student-t"]).all()
    assert out["quantise top"].tokens.shape == (3, scaling_works.KEPT)
    assert out["C-SQS paths"].dropped.shape == (3, scaling_works.LENGTH)
    assert (np.ptp(out["C-SQS paths"].thresholds, axis=1) > 0).all()
    laws = {work.name: work.laws for work in scaling_works.WORKS if work.laws > 1}
    assert laws == {"C-SQS paths": 4}


def test_exact_rdk_forms_as_many_rows_as_there_are_laws(monkeypatch):
    given = []
    monkeypatch.setattr(numba_affinity, "affinity_apply", lambda v, *rest, threads: given.append(v))
    data = scaling_works.draw(Plan((1_000,), 16, (1, 200), 1_000, 1, 1), 0)
    work = next(work for work in scaling_works.WORKS if work.name == "RDK, exact rows")
    for rows, vocab in ((1, 1_000), (16, 1_000), (200, 1_000), (7, 333)):
        work.bind(data, rows, vocab, None)()
        assert np.count_nonzero(given[-1]) == rows and given[-1].shape == (vocab,)
        assert given[-1].sum() == pytest.approx(1)


def test_rdk_is_the_kernel_on_the_threads_that_are_asked_for(monkeypatch):
    data = scaling_works.draw(Plan((1_000,), 16, (1, 16), 1_000, 1, 1), 0)
    work = next(work for work in scaling_works.WORKS if work.name == "RDK, exact rows")
    given, right = [], numba_affinity.affinity_apply
    monkeypatch.setattr(
        numba_affinity,
        "affinity_apply",
        lambda *arrays, threads: given.append((arrays, threads)) or right(*arrays, threads),
    )
    one, two = (work.bind(data, 3, 1_000, threads)() for threads in (1, 2))
    (arrays, first), (_, second) = given
    assert (first, second) == (1, 2) and np.array_equal(one, two)
    np.testing.assert_allclose(one, reference.affinity_apply(*arrays), rtol=1e-4, atol=1e-6)


def test_the_data_are_enough_for_every_point_of_any_plan():
    rng = random()
    for _ in range(60):
        vocabs = tuple(sorted(rng.integers(1, 300, 3).tolist()))
        plan = Plan(vocabs, int(rng.integers(1, 40)), (1, int(rng.integers(1, 60))), int(rng.integers(1, 400)), 1, 1)
        data = scaling_works.draw(plan, 0)
        for work in scaling_works.WORKS:
            for axis in scaling_works.AXES:
                made = scaling_works.points(work, axis, plan, data)
                assert (made is None) == (axis == "threads" and not work.threaded)
                assert made is None or len(made.x) == len(made.tokens) == len(made.calls)


def test_points_of_the_three_axes(monkeypatch):
    bound = []
    work = Work("a", lambda data, rows, vocab, threads: bound.append((rows, vocab, threads)) or len, laws=11)
    plan = Plan((10, 100), 25, (1, 2, 4), 30, 1, 1)
    monkeypatch.setattr(harness, "thread_counts", lambda: (1, 3))
    expected = {
        "vocabulary": ((10, 100), (220, 2200), [(2, 10, 1), (2, 100, 1)]),
        "batch": ((11,), (330,), [(1, 30, 1)]),
        "threads": ((1, 3), (330, 330), [(1, 30, 1), (1, 30, 3)]),
    }
    for axis, (x, tokens, calls) in expected.items():
        bound.clear()
        made = scaling_works.points(work, axis, plan, None)
        assert (made.x, made.tokens, bound) == (x, tokens, calls)


def test_the_default_goes_from_a_thousand_to_a_million_in_ten_steps():
    vocabs = scaling_works.DEFAULT.vocabs
    assert len(vocabs) == 10 and (vocabs[0], vocabs[-1]) == (1_000, 1_000_000)
    np.testing.assert_allclose(np.diff(np.log10(vocabs)), 1 / 3, atol=1e-3)


# ---- the command ----


@pytest.fixture
def made_up(monkeypatch):
    """Two kernels, linear and of exponent 1.5, half of whose time is shared by the threads, on a clock of their own."""
    now = [0.0]

    def bind(power, data, rows, vocab, threads):
        def call():
            now[0] += 1e-6 * (rows * vocab) ** power * (1 + 1 / threads) / 2
            return np.zeros(rows)

        return call

    works = (Work("linear", partial(bind, 1.0)), Work("worse", partial(bind, 1.5)))
    monkeypatch.setattr(scaling_works, "WORKS", works)
    monkeypatch.setattr(scaling, "measure", partial(scaling.measure, clock=lambda: now[0]))
    monkeypatch.setattr(harness, "thread_counts", lambda: (1, 2, 4))
    monkeypatch.setenv("COLUMNS", "100")
    return works


@pytest.fixture
def undrawn(monkeypatch):
    """A run whose picture is of no account."""
    monkeypatch.setattr(scaling_plot, "save", lambda curves, path: None)


def test_a_run_finds_the_exponents_and_writes_all(made_up, tmp_path, capsys):
    picture, numbers = tmp_path / "new" / "a.svg", tmp_path / "a.json"
    assert benchmarks.main(["--plot", str(picture), "--quick", "--repeats", "6", "--json", str(numbers)]) == 0
    document = json.loads(numbers.read_text())
    assert (document["benchmark"], [case["axis"] for case in document["cases"]]) == (
        "scaling",
        list(scaling_works.AXES),
    )
    for case in document["cases"][:2]:
        for curve, b in zip(case["curves"], (1, 1.5), strict=True):
            found = curve["exponent"]
            assert (found["low"], found["middle"], found["high"]) == pytest.approx((b, b, b))
            assert curve["expected"] == 1 and np.shape(curve["seconds"]) == (6, len(curve["x"]))
    assert document["cases"][0]["curves"][0]["fitted_from"] == scaling_works.QUICK.from_vocab
    for curve in document["cases"][2]["curves"]:
        assert curve["speed_up"]["middle"] == pytest.approx(1.6) and curve["expected"] == 4
    assert "<svg" in picture.read_text()
    out = capsys.readouterr().out.splitlines()
    assert [line.split("│")[2].strip() for line in out if "linear" in line or "worse" in line][:2] == ["1.00", "1.50 !"]
    assert out[-1] == str(picture)


def test_all_kernels_in_a_quick_run(tmp_path, capsys):
    picture, numbers = tmp_path / "a.png", tmp_path / "a.json"
    assert benchmarks.main(["--plot", str(picture), "--quick", "--repeats", "1", "--json", str(numbers)]) == 0
    cases = json.loads(numbers.read_text())["cases"]
    assert all(case["right"] for case in cases)
    names = [work.name for work in scaling_works.WORKS]
    assert [c["kernel"] for c in cases[0]["curves"]] == [c["kernel"] for c in cases[1]["curves"]] == names
    assert [c["kernel"] for c in cases[2]["curves"]] == [work.name for work in scaling_works.WORKS if work.threaded]
    assert all(min(c["median"]) > 0 for case in cases for c in case["curves"])
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert "do not depend" in capsys.readouterr().out


def test_a_result_that_depends_on_threads_fails_the_run(made_up, undrawn, monkeypatch, tmp_path, capsys):
    wrong = Work("wrong", lambda data, rows, vocab, threads: lambda: (np.zeros(rows), np.full(rows, threads)))
    monkeypatch.setattr(scaling_works, "WORKS", (made_up[0], wrong))
    monkeypatch.setattr(scaling, "measure", lambda calls, repeats, *rest: np.ones((repeats, len(calls))))
    assert benchmarks.main(["--plot", str(tmp_path / "a.svg"), "--quick", "--repeats", "1"]) == 1
    assert "DEPEND" in capsys.readouterr().out


def test_a_kernel_on_all_threads_says_so(made_up, undrawn, monkeypatch, tmp_path, capsys):
    free = Work("free", lambda data, rows, vocab, threads: lambda: threads, threaded=False, alone=False)
    monkeypatch.setattr(scaling_works, "WORKS", (*made_up, free))
    monkeypatch.setattr(scaling, "measure", lambda calls, repeats, *rest: np.ones((repeats, len(calls))))
    assert benchmarks.main(["--plot", str(tmp_path / "a.svg"), "--quick", "--repeats", "1"]) == 0
    out = capsys.readouterr().out
    assert out.count("free *") == 2 and "linear *" not in out and "*: all threads" in out


def test_matrix_products_keep_to_one_thread_where_threads_do_not_vary(made_up, undrawn, monkeypatch, tmp_path, capsys):
    seen = []

    def bind(data, rows, vocab, threads):
        return lambda: seen.append((threads, max(pool["num_threads"] for pool in threadpool_info())))

    def measure(calls, repeats, *rest):
        return np.ones((repeats, len([call() for call in calls])))

    monkeypatch.setattr(harness, "thread_counts", lambda: (7,))
    monkeypatch.setattr(scaling_works, "WORKS", (Work("any", bind),))
    monkeypatch.setattr(scaling, "measure", measure)
    with threadpool_limits(2):
        assert benchmarks.main(["--plot", str(tmp_path / "a.svg"), "--quick", "--repeats", "1"]) == 0
    assert set(seen) == {(1, 1), (7, 2)}


def test_without_a_path_the_picture_is_here(made_up, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert benchmarks.main(["--plot", "--quick", "--repeats", "1"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["scaling.svg"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--plot", "tv"], "--plot: tv; expected a name that ends in .svg, .png, .pdf"),
        (["--plot", "file/a.svg"], "--plot: file/a.svg cannot be written; expected the name of a file"),
        (["--plot", "folder.svg"], "--plot: folder.svg cannot be written"),
        (["--plot", "/proc/a.svg"], "--plot: /proc/a.svg cannot be written"),
        (["--plot", "--json", "/proc/a.json"], "--json: /proc/a.json cannot be written"),
        (["--plot", "--json", "folder.svg"], "--json: folder.svg cannot be written"),
        (["--plot", "--json", "file/a.json"], "--json: file/a.json cannot be written"),
        (["--plot", "--repeats", "0"], "--repeats 0"),
        (["--plot", "--seed", "-1"], "--seed -1"),
        (["--quick"], "--quick: expected with --plot, or after a NAME"),
        (["--quick", "tv"], "--quick: stands before tv"),
        (["--plot", "a.svg", "tv", "--quick"], "--plot: stands before tv"),
    ],
)
def test_bad_usage_is_refused_before_anything_is_timed(options, message, tmp_path, monkeypatch, capsys):
    def never(*args):
        raise AssertionError("timed")

    monkeypatch.setattr(scaling, "_axis", never)
    monkeypatch.setattr(Bench, "run", never)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("kept")
    (tmp_path / "folder.svg").mkdir()
    assert benchmarks.main([*options]) == 2
    err = capsys.readouterr().err
    assert message in err and len(err.strip().splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder.svg"]


def test_a_picture_that_cannot_be_written_in_the_end(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"^--plot: .* cannot be written"):
        scaling_plot.save(curves(1), tmp_path / "file" / "a.svg")


def test_bench_alone_gives_its_help(capsys):
    assert benchmarks.main([]) == 2
    err = capsys.readouterr().err
    assert (
        "usage: python -m benchmarks" in err
        and "[--seed SEED]" in " ".join(err.split())
        and "python -m benchmarks --plot scaling.svg" in err
    )


def test_a_work_keeps_its_own_options(monkeypatch):
    seen = []
    monkeypatch.setattr(
        Bench, "run", lambda work, args: seen.append((args.quick, args.repeats, args.seed, args.json)) or 0
    )
    assert benchmarks.main(["tv", "--quick", "--repeats", "3", "--seed", "5"]) == 0
    assert seen == [(True, 3, 5, None)]


# ---- the picture ----


def curves(kernels, counts=(1, 2, 4)):
    """Made-up curves that end close together."""
    made = []
    for i in range(kernels):
        for axis, x in (("vocabulary", (1_000, 10_000, 100_000)), ("batch", (1, 8, 64)), ("threads", counts)):
            tokens = tuple(n * 20 for n in x) if axis != "threads" else (5_000,) * len(x)
            seconds = 1e-9 * np.outer([1.0, 1.2, 0.9], np.asarray(x, float) ** (-0.8 if axis == "threads" else 1))
            least = {"vocabulary": 10_000, "batch": 8, "threads": 1}[axis]
            found = Interval(1.0 + i / 100, 0.9, 1.1, 0.75)
            made.append(Curve(f"kernel {i}", axis, x, tokens, seconds * (1 + i / 50), least, True, found, 1))
    return made


def test_the_panels_say_what_they_show():
    figure = scaling_plot.figure(curves(3))
    panels = figure.axes
    assert [axes.get_xlabel() for axes in panels] == ["V", "V", "laws a call", "laws a call", "threads", "threads"]
    shown = [axes.get_ylabel().split(" (")[0] for axes in panels]
    assert shown == ["time of a call", "time a token"] * 2 + ["time of a call", "speed-up over one thread"]
    assert all((axes.get_xscale(), axes.get_yscale()) == ("log", "log") for axes in panels)
    for axes in panels:
        texts = [text.get_text() for text in axes.texts]
        assert all(any(text.startswith(f"kernel {i}") for text in texts) for i in range(3))
    assert "kernel 2, b = 1.02" in [text.get_text() for text in panels[0].texts]
    assert "kernel 0, 0.05 ns" in [text.get_text() for text in panels[1].texts]  # 1 ns for 20 tokens
    assert "kernel 0, 3×" in [text.get_text() for text in panels[5].texts]  # 4 ** 0.8
    medians = next(line.get_ydata() for line in panels[0].lines if line.get_marker() == "o")
    np.testing.assert_allclose(medians, [1e-3, 1e-2, 1e-1])  # milliseconds


def test_a_curve_on_all_threads_is_marked():
    made = [replace(c, alone=c.kernel != "kernel 1" and c.axis != "threads") for c in curves(2)]
    figure = scaling_plot.figure(made)
    texts = [text.get_text() for axes in figure.axes[:4] for text in axes.texts]
    assert sum(text.startswith("kernel 1 *, ") for text in texts) == 4
    assert sum(text.startswith("kernel 0, ") for text in texts) == 4
    assert figure.axes[4].texts[1].get_text() == "kernel 1"
    assert "*: all threads" in figure.get_suptitle() and "*" not in scaling_plot.figure(curves(2)).get_suptitle()


def test_names_do_not_overlap_and_stay_in_the_picture():
    figure = scaling_plot.figure(curves(9))
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    width, height = figure.bbox.width, figure.bbox.height
    every = []
    for axes in figure.axes:
        boxes = [text.get_window_extent(renderer) for text in axes.texts if text.get_text().startswith("kernel")]
        assert len(boxes) == 9
        assert all(
            box.x0 > axes.get_window_extent().x1 and box.x1 < width and 0 < box.y0 < box.y1 < height for box in boxes
        )
        every += boxes
    labels = [axes.yaxis.label.get_window_extent(renderer) for axes in figure.axes]
    assert not any(a.overlaps(b) for a, b in combinations(every + labels, 2))


def test_kernels_differ_without_colour():
    figure = scaling_plot.figure(curves(9))
    for axes in figure.axes:
        styles = {line.get_marker() for line in axes.lines if len(line.get_xdata()) == 3} - {"None", None, ""}
        assert len(styles) == 9


def test_a_picture_of_one_core():
    figure = scaling_plot.figure(curves(2, counts=(1,)))
    assert [tick.get_text() for tick in figure.axes[4].get_xticklabels()] == ["1"]


def test_places_keep_their_distance_and_order():
    assert scaling_plot.spread([0.2, 0.8], 0.1) == [0.2, 0.8]
    assert scaling_plot.spread([1.0, 1.0], 0.25) == [0.75, 1.0]
    assert scaling_plot.spread([0.0, 0.0, 0.0], 0.7) == [0.0, 0.5, 1.0]  # no room: as far apart as they can be
    rng = random()
    for n in range(1, 12):
        wanted, gap = rng.random(n) * rng.random(), 0.08
        places = np.array(scaling_plot.spread(wanted, gap))
        order = np.argsort(wanted)
        assert (np.diff(places[order]) > gap - 1e-9).all()
        assert (places > -1e-9).all() and (places < 1 + 1e-9).all()
