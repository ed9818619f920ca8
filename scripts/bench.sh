#!/usr/bin/env bash
# Measures the core: Google Benchmark's table, then ratios within each family of benchmarks, then the model benchmark,
# then training.
#   scripts/bench.sh [MODEL] [--benchmark_... options]
# MODEL: a model folder for `attnscope-cli bench` (share of this machine's sgemm peak and memory bandwidth).
# It compares numbers of one run only: it refuses to judge them against other machines or days.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release
# shellcheck source=scripts/packages.sh
source "$root/scripts/packages.sh"

model=""
if (($# > 0)) && [[ $1 != --* ]]; then
  model=$1
  shift
fi

install_packages all
(cd "$root" && cmake --preset release -DATTNSCOPE_TESTS=ON -DATTNSCOPE_BENCH=ON --log-level=WARNING >/dev/null)
ninja -C "$build" bench_attnscope attnscope-cli

table=$(mktemp)
trap 'rm -f "$table"' EXIT
"$build/bench_attnscope" --benchmark_counters_tabular=true --benchmark_out_format=csv --benchmark_out="$table" "$@"

# Rows of one family (the name up to the first '/') against its first row, by real time.
echo
echo "Ratios: time of each row over the time of the first row of its family"
awk '
  /^name,/ { rows = 1; next }
  rows && match($0, /^"[^"]+"/) {
    name = substr($0, 2, RLENGTH - 2)
    split(substr($0, RLENGTH + 2), field, ",")   # iterations, real_time, cpu_time, time_unit, ...
    scale = field[4] == "s" ? 1e9 : field[4] == "ms" ? 1e6 : field[4] == "us" ? 1e3 : 1
    family = name
    sub(/\/.*/, "", family)
    if (!(family in first)) first[family] = field[2] * scale
    if (first[family] > 0) printf "  %-56s %8.2f x\n", name, field[2] * scale / first[family]
  }' "$table"

if [[ -n $model ]]; then
  echo
  "$build/attnscope-cli" bench "$model" --tokens 256
fi

# Training at a million weights, beside this machine's sgemm.
echo
"$build/attnscope-cli" bench training
