#!/bin/sh
# All that needs a device, within ten minutes: the tests on it, compute-sanitizer, the benchmark, and counters where Nsight
# Compute (ncu) is there.  The benchmark times each kernel beside the one that it replaces, so before and after stand in one
# table: logits read once and twice, pairs drawn once and twice, cells in one launch and in one each.  Rounds stand beside token
# rounds; before is what docs/benchmarks has.
#
#     sh benchmarks/gpu/session.sh [FOLDER]          # FOLDER for what is measured (default: $OUT, or docs/benchmarks)
#     PYTHON=python sh benchmarks/gpu/session.sh     # with an environment that is there: installs nothing
#
# The exit status is that of the first part that failed; a later part runs all the same.
out=${1:-${OUT:-docs/benchmarks}}
mkdir -p "$out"
status=0

run() {
    echo "== $*" >&2
    timeout "$@"
    code=$?
    if [ "$status" -eq 0 ]; then
        status=$code
    fi
}

if [ -n "${PYTHON:-}" ]; then
    export SIMSPEC_REQUIRE=device
    run 170 "$PYTHON" -m pytest -k device tests/kernels/cuda tests/benchmarks/gpu/test_gpu.py
    run 100 "$PYTHON" -m simspec.kernels.cuda.sanitize
else
    run 270 make gpu ARGS="-k device"
fi
python=${PYTHON:-.venv/bin/python}
run 270 "$python" -m benchmarks gpu --json "$out/gpu.json"
if command -v ncu >/dev/null; then
    # what the instruction limit is in numbers: instructions, how busy the issue of them is, time, and bytes of memory
    run 50 ncu --csv --log-file "$out/gpu-counters.csv" --kernel-name 'regex:pairs_|overlap_f32|sums_f32' \
        --metrics sm__inst_executed.sum,sm__inst_issued.avg.pct_of_peak_sustained_active,gpu__time_duration.sum,dram__bytes.sum \
        "$python" -m benchmarks.gpu.instructions --launch
else
    echo "== no ncu: instructions as counted in the machine code" >&2
    run 10 "$python" -m benchmarks.gpu.instructions
fi
exit "$status"
