#!/bin/sh
# All that needs a device, within ten minutes: the tests on it, compute-sanitizer, and the benchmark.  The benchmark times the
# kernel that reads each row once beside the one that reads it twice, so before and after stand in one table.
#
#     sh benchmarks/gpu/session.sh [FOLDER]          # FOLDER for gpu.json (default: docs/benchmarks)
#     PYTHON=python sh benchmarks/gpu/session.sh     # with an environment that is there: installs nothing
#
# The exit status is that of the first part that failed; a later part runs all the same.
out=${1:-docs/benchmarks}
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
    run 180 "$PYTHON" -m pytest -k device tests/kernels/cuda tests/benchmarks/gpu/test_gpu.py
    run 120 "$PYTHON" -m simspec.kernels.cuda.sanitize
else
    run 300 make gpu ARGS="-k device"
fi
run 280 "${PYTHON:-.venv/bin/python}" -m benchmarks gpu --json "$out/gpu.json"
exit "$status"
