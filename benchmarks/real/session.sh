#!/bin/sh
# Records what a user waits for, on an idle machine, from the root of a clone whose changes are committed: about ten minutes.
#
#   sh benchmarks/real/session.sh amd-epyc-2-cores          tools, rules, capture, verify; then the first minute
#   sh benchmarks/real/session.sh amd-epyc-2-cores pair     simspec pair, up to 25 minutes more, in a file of its own
#   sh benchmarks/real/session.sh amd-epyc-2-cores parts run.log   the seconds that .ci/run has printed
#
# Each writes its JSON into docs/benchmarks, then the tables of the page there.
set -eu
machine=${1:?"expected the name of the machine, such as amd-epyc-2-cores"}
python=${PYTHON:-.venv/bin/python}
page=docs/benchmarks/README.md
case ${2:-} in
  '')
    "$python" -m benchmarks real --json "docs/benchmarks/real-$machine.json"
    "$python" -m benchmarks.minute
    ;;
  pair) "$python" -m benchmarks real --case pair --json "docs/benchmarks/real-pair-$machine.json" ;;
  parts) "$python" -m benchmarks.parts "${3:?"expected what .ci/run has printed"}" ;;
  *)
    echo "session.sh: $2; expected pair, or parts LOG" >&2
    exit 2
    ;;
esac
"$python" -m benchmarks.summary "$page"
