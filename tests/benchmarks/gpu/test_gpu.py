"""The benchmark on a GPU, without one: usage, refusal, limits and tables, and every peer's arithmetic on NumPy arrays."""

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import gpu, harness, synthetic, tv
from benchmarks.gpu import peers as gpu_peers
from benchmarks.gpu.instructions import most_of_limit
from benchmarks.harness import Result
from simspec.kernels import synthetic as cpu
from simspec.kernels.cuda import launch
from simspec.kernels.synthetic import cuda_synthetic as synthetic_requests
from simspec.kernels.tv import reference
from simspec.kernels.tv.held.plans import Device, plans

pytestmark = pytest.mark.filterwarnings("ignore:::torch[.]")  # PyTorch's own, when it compiles

PAIRS = synthetic.Case("pairs", 40, 50, math.inf, 2.0)


def fake_cupy():
    """NumPy under CuPy's name, on a device of two processors."""
    made = {
        name: getattr(np, name) for name in ("abs", "asarray", "copyto", "cos", "empty", "empty_like", "exp", "expm1")
    }
    made |= {name: getattr(np, name) for name in ("log", "minimum", "sin", "sqrt", "subtract")}
    made |= {name: getattr(np, name) for name in ("arange", "full", "searchsorted", "zeros")}
    runtime = SimpleNamespace(
        deviceSynchronize=lambda: None,
        getDevice=lambda: 0,
        getDeviceProperties=lambda i: {"name": b"a device", "multiProcessorCount": 2},
    )
    random = SimpleNamespace(default_rng=np.random.default_rng, RandomState=RandomState)
    return SimpleNamespace(asnumpy=np.asarray, cuda=SimpleNamespace(runtime=runtime), random=random, **made)


class RandomState(np.random.RandomState):
    """NumPy's, with the type of the draws to choose, as CuPy's has it."""

    def standard_t(self, df, size, dtype):
        assert dtype == np.float32
        return super().standard_t(df, size).astype(dtype)


def two_plans(vocab, kind):
    """What an H200 prefers, and two reads."""
    offered = plans(vocab, kind, Device(9, 232_448, 233_472, 65_536))
    return offered[0], offered[-1]


def rows_of_reference(x, y, plan):
    """The distances of rows as a plan's kernel reads them."""
    if x.dtype == np.uint16:
        real = np.float16 if "_f16" in plan.kernel else np.int16
        x, y = (z.view(real) for z in (x, y))
    return reference.tv_from_logits(tv.widened(x), tv.widened(y))


@pytest.fixture
def device(monkeypatch):
    """A device whose kernels are the reference, and PyTorch on the processor in its place."""
    cp = fake_cupy()
    launches = []
    backend = SimpleNamespace(tv_from_logits=reference.tv_from_logits, tv_rows=rows_of_reference, available=two_plans)
    pairs = SimpleNamespace(
        Request=synthetic_requests.Request,
        overlap=cpu.synthetic_overlap,
        overlap_drawn_twice=cpu.synthetic_overlap,
        overlaps=lambda requests, on_host: [cpu.synthetic_overlap(*request) for request in requests],
        sums=lambda draws, vocab, model: np.zeros((2, len(draws.rows))),
    )
    monkeypatch.setattr(gpu, "cupy", lambda: cp)
    monkeypatch.setattr(gpu, "available", two_plans)
    monkeypatch.setattr(gpu, "launch", lambda *given: launches.append(given))
    monkeypatch.setattr(gpu_peers, "gpu", backend)
    monkeypatch.setattr(gpu_peers, "pairs", pairs)
    monkeypatch.setattr(gpu.cells, "pairs", pairs)
    monkeypatch.setattr(synthetic, "QUICK", (PAIRS,))
    monkeypatch.setattr(gpu.paths, "RULES", ("token", "rrs:2"))
    cp.launches = launches
    return cp


def timed(name, *seconds):
    return Result(name, "ok", 1, 0.0, list(seconds))


# ---- without a device ----


def test_without_cupy_or_a_device_one_line_says_so(monkeypatch, capsys):
    for error in (ImportError("GPU kernels need CuPy"), RuntimeError("GPU kernels need a CUDA device\nand found none")):

        def missing(error=error):
            raise error

        monkeypatch.setattr(gpu, "cupy", missing)
        assert benchmarks.main(["gpu"]) == 2
        said = capsys.readouterr()
        assert said.out == "" and said.err.count("\n") == 1 and "GPU kernels need" in said.err


# ---- limits ----


def test_shares_and_rates_by_hand():
    results = [timed(gpu_peers.OURS, 3.0, 4.0, 9.0), timed(gpu_peers.COPY, 1.0, 3.0, 3.0), Result("a", "wrong by 1")]
    assert gpu.share_of(results, gpu_peers.COPY) == 0.75
    assert gpu.rate_of(results, gpu_peers.COPY, 12e9) == 4e9
    assert gpu.rate_of(results, "a", 1.0) is None and gpu.share_of(results, "a") is None
    assert gpu.share_of([Result(gpu_peers.OURS, "wrong by 1"), *results[1:]], gpu_peers.COPY) is None


def test_instruction_rate_counts_both_operations_of_every_chain(device, monkeypatch):
    """Launches of 2, 1, 4 and 3 seconds: the first warms up, the median of the others is 3."""
    clock = iter([0, 2, 10, 11, 20, 24, 30, 33])
    monkeypatch.setattr(gpu.time, "perf_counter", lambda: float(next(clock)))
    rate = gpu.float64_rate(device, repeats=3)
    ((module, kernel, blocks, threads, steps, *_), *others) = device.launches
    assert (module, kernel, len(others)) == ("rate", "float64_chains", 3)
    assert blocks == 64 and rate == 8 * 2 * steps * blocks * threads / 3


def test_the_tables_state_what_a_fake_clock_says(device, monkeypatch, tmp_path, capsys):
    """Each call of ours takes 4 ms, of a limit 3 ms, of a peer 8 ms: 75 % of the limit, and a ratio of 2."""
    seconds = {gpu_peers.OURS: 4e-3, gpu_peers.DOUBLE: 5e-3, gpu_peers.COPY: 3e-3, gpu_peers.DRAWS: 3e-3}

    def clock(calls, repeats, tick):
        return {key: [seconds.get(key[0], 8e-3)] * repeats for key in calls}

    monkeypatch.setattr(harness, "_interleaved", clock)
    monkeypatch.setattr(gpu, "float64_rate", lambda cp, repeats: 1e9)
    monkeypatch.setenv("COLUMNS", "200")
    path = tmp_path / "gpu.json"
    assert benchmarks.main(["gpu", "--quick", "--repeats", "2", "--json", str(path)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.count("simspec reaches 75% of the limit") == 3 and out.count("2.00") >= 3 and "threads" not in out
    document = json.loads(path.read_text())
    stored, brain, pairs, cells, token, several = document["cases"]
    rows, vocab, _ = gpu.QUICK[0]
    assert document["environment"]["device"] == "a device"
    assert stored["multiprocessors"] == pairs["multiprocessors"] == 2
    assert stored["share_of_limit"] == pairs["share_of_limit"] == pytest.approx(0.75)
    assert stored["bytes"] == 2 * brain["bytes"] == 2 * 4 * rows * vocab
    assert (stored["kernel"], brain["kernel"]) == ("held_f32_1", "held_bf16_1")
    assert [r["name"] for r in stored["results"]][:3] == ["simspec", "simspec, two reads", "CuPy"]
    assert stored["copied_bytes_per_second"] == pytest.approx(stored["bytes"] / 3e-3)
    assert pairs["pairs_per_second"] == pytest.approx(PAIRS.rows * PAIRS.vocab / 4e-3)
    assert pairs["float64_a_pair"] == pytest.approx(1e9 * 5e-3 / (PAIRS.rows * PAIRS.vocab))
    assert pairs["most_share_by_instructions"] == most_of_limit("gaussian")
    assert f"by its instructions at most {most_of_limit('gaussian'):.0%}" in out
    assert [(r["name"], r["status"]) for r in cells["results"]] == [("simspec", "ok"), ("a launch a cell", "ok")]
    assert (cells["cells"], cells["rows"]) == (gpu.cells.QUICK, 16)
    assert f"copies {stored['copied_bytes_per_second'] / 1e9:,.0f} GB/s" in out
    assert f"in float64 a pair in the time of {pairs['float64_a_pair']:,.0f} instructions" in out
    assert pairs["df"] is None and pairs["row_errors"].keys() == {"float32", "float64"}
    assert (token["rule"], several["rule"]) == ("token", "rrs:2") and token["mean_accepted"] > 0
    assert [r["name"] for r in token["results"]] == ["simspec", "CuPy", "simspec on processors"]
    assert token["times_token_rounds"] is None and several["times_token_rounds"] == pytest.approx(0.5)
    assert "0.50 times token rounds (aim: at most 1.5)" in out
    assert [r["status"] for case in (token, several) for r in case["results"]] == ["ok"] * 6


# ---- validation ----


def test_a_wrong_kernel_fails_the_run(device, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "200")
    right = reference.tv_from_logits
    monkeypatch.setattr(gpu_peers.gpu, "tv_from_logits", lambda a, b: right(a, b) + 1e-3)
    assert benchmarks.main(["gpu", "--quick", "--repeats", "1"]) == 1
    assert "wrong by 1.0e-03" in capsys.readouterr().out


@pytest.mark.parametrize(("real", "error"), [(np.float32, 1e-5), (np.float64, 1e-8)])
def test_rows_far_from_the_reference_fail_the_run(device, monkeypatch, real, error):
    """Too little for the statistical check of the mean, and yet seen, in either type."""
    right = gpu_peers.pairs.overlap

    def wrong(draws, *given):
        return right(draws, *given) + error * (draws.dtype == real)

    monkeypatch.setattr(gpu_peers.pairs, "overlap", wrong)
    monkeypatch.setattr(gpu.paths, "RULES", ())
    assert benchmarks.main(["gpu", "--quick", "--repeats", "1"]) == 1


def test_a_cell_whose_bits_change_in_company_fails_the_run(device, monkeypatch):
    """The last bit of one row of one cell."""
    right = gpu.cells.pairs.overlaps

    def wrong(requests, on_host):
        together = right(requests, on_host)
        together[2][5] = np.nextafter(together[2][5], 0)
        return together

    monkeypatch.setattr(gpu.cells.pairs, "overlaps", wrong)
    assert benchmarks.main(["gpu", "--quick", "--repeats", "1"]) == 1


def test_a_path_that_differs_fails_the_run(device, monkeypatch):
    """One token of one row."""
    run, monkey = gpu.paths.rounds.run_rounds, iter([True])

    def wrong(*given, **options):
        found = run(*given, **options)
        if next(monkey, False):
            found.tokens[3, 0] += 1
        return found

    monkeypatch.setattr(gpu.paths.rounds, "run_rounds", wrong)
    assert benchmarks.main(["gpu", "--quick", "--repeats", "1"]) == 1


@pytest.mark.parametrize("dtype", tv.DTYPES)
def test_every_stored_peer_computes_the_distance(device, monkeypatch, dtype):
    pytest.importorskip("torch")
    monkeypatch.setattr(gpu_peers, "_torch_device", lambda: "cpu")
    a, b = tv.draw(4, 300, 5, dtype)
    expected = tv.expected((a, b))
    peers = gpu_peers.stored_peers(300, dtype)
    for peer in peers:
        if peer.checked and peer.name != "PyTorch compiled":
            found = peer.bind(gpu_peers.Stored(device, a, b), 1)()
            np.testing.assert_allclose(found, expected, rtol=0, atol=gpu.TOLERANCE, err_msg=peer.name)
    copy = peers[-1].bind(gpu_peers.Stored(device, a, b), 1)
    assert copy() is None


def test_plans_are_told_apart_by_name():
    offered = plans(32_000, "f32", Device(9, 232_448, 233_472, 65_536))
    names = [gpu_peers._name(plan) for plan in offered]
    assert sorted(names) == [
        "simspec, 1 block a pair",
        "simspec, 2 blocks a pair",
        "simspec, 4 blocks a pair",
        "simspec, 8 blocks a pair",
        "simspec, two reads",
    ]


@pytest.mark.parametrize("df", [math.inf, 5.0])
def test_every_pair_peer_draws_the_law_it_should(device, monkeypatch, df):
    """Means within six standard errors; of another law or correlation, the control, they are not."""
    pytest.importorskip("torch")
    monkeypatch.setattr(gpu_peers, "_torch_device", lambda: "cpu")
    monkeypatch.setattr(gpu_peers, "_compiled", lambda function: function)
    case = PAIRS._replace(df=df, rows=1000, vocab=80, scale=0.5)
    error, expected, tolerance = gpu._expectation(device, case)
    assert all(error[real] <= limit for real, limit in gpu.EXACT.items())
    other = case._replace(df=5.0 if df == math.inf else math.inf)
    for peer in gpu_peers.pair_peers()[1:-1]:
        found = peer.bind(gpu_peers.Pairs(device, case), 1)()
        assert found.shape == (1,) and abs(found - expected) <= tolerance, peer.name
        for wrong in (other, case._replace(rho=0.3)):
            assert abs(peer.bind(gpu_peers.Pairs(device, wrong), 1)() - expected) > tolerance, peer.name


def test_pytorch_without_cuda_counts_as_not_installed(device, monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    results = harness.compare(gpu_peers.pair_peers()[5:8], gpu_peers.Pairs(device, PAIRS), np.zeros(1), 1.0, 1)
    assert [r.status for r in results] == ["not installed (torch with CUDA)"] * 3


def test_normal_draws_come_two_from_a_radius(device, monkeypatch):
    """Of an odd number of draws in all; sums of squares of the two halves are those of the radii."""
    torch = pytest.importorskip("torch")
    case = PAIRS._replace(rows=3, vocab=5)
    assert case.radii(3) == 8 and case._replace(df=5.0).radii(3) == 15
    asked = []

    class Recorder(np.random.Generator):
        def random(self, shape, dtype):
            asked.append(shape)
            return super().random(shape, dtype=dtype)

    monkeypatch.setattr(device.random, "default_rng", lambda seed: Recorder(np.random.PCG64(seed)))
    gpu_peers._cupy_pairs(gpu_peers.Pairs(device, case), library=False)()
    rand = torch.rand
    monkeypatch.setattr(torch, "rand", lambda *shape, device: asked.append(shape) or rand(*shape))
    gpu_peers._torch_pairs(case, "cpu", library=False)()
    assert asked == [(2, 8)] * 4


def test_the_two_of_a_radius_are_not_the_same(device, monkeypatch):
    """In two rows of four the halves are the rows: with one wave for both they would be equal."""
    torch = pytest.importorskip("torch")
    case, seen = PAIRS._replace(rows=2, vocab=4), []
    for library in (device, torch):
        monkeypatch.setattr(library, "minimum", lambda a, b, right=library.minimum: seen.append(a) or right(a, b))
    gpu_peers._cupy_pairs(gpu_peers.Pairs(device, case), library=False)()
    gpu_peers._torch_pairs(case, "cpu", library=False)()
    assert len(seen) == 2 and all(np.abs(np.subtract(*np.asarray(law))).max() > 1e-3 for law in seen)


def test_on_a_device_the_benchmark_runs():
    """The benchmark itself, where there is a device: our own results are right (no time is asserted)."""
    from tests.requirements import require

    require("device")
    launch.cupy.cache_clear()
    assert benchmarks.main(["gpu", "--quick", "--repeats", "1"]) == 0
