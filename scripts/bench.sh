#!/usr/bin/env bash
# Measures the core: Google Benchmark's table, then ratios within each family of benchmarks, then the model benchmark,
# then training.
#   scripts/bench.sh [MODEL] [--benchmark_... options]
# MODEL: a model folder for `attnscope-cli bench` (share of this machine's sgemm peak and memory bandwidth).
# It compares numbers of one run only: it refuses to judge them against other machines or days.
set -euo pipefail
# shellcheck source=scripts/help.sh
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
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
"$build/bench_attnscope" --benchmark_counters_tabular=true --benchmark_out_format=json --benchmark_out="$table" "$@"

# Rows of one family (the name up to the first '/') against its first row, by real time.
echo
echo "Ratios: time of each row over the time of the first row of its family"
awk -F'"' '
  $2 == "name" { name = $4 }
  $2 == "real_time" { time = substr($3, 2) + 0 }
  $2 == "time_unit" {
    time *= $4 == "s" ? 1e9 : $4 == "ms" ? 1e6 : $4 == "us" ? 1e3 : 1
    family = name
    sub(/\/.*/, "", family)
    if (!(family in first)) first[family] = time
    if (first[family] > 0) printf "  %-56s %8.2f x\n", name, time / first[family]
  }' "$table"

if [[ -n $model ]]; then
  echo
  "$build/attnscope-cli" bench "$model" --tokens 256
fi

# Training at a million weights, beside this machine's sgemm.
echo
"$build/attnscope-cli" bench training
