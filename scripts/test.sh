#!/usr/bin/env bash
# Everything that must hold before a change is good. From a fresh clone on a bare Debian: installs the packages,
# builds, and tests. On two cores, from nothing:
#   scripts/test.sh           about 12 minutes: format, the release build and its tests. In turns, from commit to commit, a
#                             sixth of the long tests (suites named Long...) and half of the tests that drive a window
#   scripts/test.sh ci        about 25 minutes: this, and before it a sixth of lint, the headless build, a minute of fuzzing,
#                             and in turns under the sanitizers a quarter of the core's tests, the window's (an eighth of
#                             test_app), or threads under ThreadSanitizer
#   scripts/test.sh full      hours: all of this at once, with every long test, ten minutes of fuzzing, scripts/bench.sh
#                             once (its times unread), README's pictures taken anew and compared, every view exported and
#                             rendered by other programs; then the build and its tests in a tree of Debian's next
#                             releases, and the package installed in each, where root may make one (scripts/debian-tree.sh)
#   scripts/test.sh quick     as without a word, but for the check of the format
# The window tests run in a virtual display (Xvfb) where DISPLAY is not set. Every part runs even when an earlier one
# failed; the exit status is non-zero when any of them did. It does not go on without a release build.
set -euo pipefail
# shellcheck source=scripts/help.sh
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
source scripts/packages.sh

# The compiler cache, where there is one, also serves a clone at another place.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

case "${1:-all}" in
  all | ci | quick | full) what=${1:-all} ;;
  *)
    echo "usage: scripts/test.sh [ci|full|quick] (see scripts/test.sh --help)" >&2
    exit 2
    ;;
esac

failed=()
# part NAME ABOUT COMMAND...: runs one part of which ABOUT says how long it takes on two cores, says how long it took
# and remembers a failure.
part() {
  local name=$1 begin=$SECONDS
  echo "== $name (about $2)"
  shift 2
  if "$@"; then
    echo "== $name: good ($((SECONDS - begin)) s)"
  else
    echo "== $name: FAILED ($((SECONDS - begin)) s)" >&2
    failed+=("$name")
  fi
}

# configure PRESET [OPTION...]: from nothing with large batches of sources, as scripts/run.sh
configure() {
  [[ -f build/$1/build.ninja ]] || set -- "$1" -DATTNSCOPE_FROM_NOTHING=ON "${@:2}"
  cmake --preset "$1" --log-level=WARNING "${@:2}" >/dev/null
}

# on_display COMMAND...: runs a command with a display, a virtual one where there is none. Not with xvfb-run: that one
# misses the signal of a server that is ready too soon, and waits for ever.
on_display() {
  if [[ -n ${DISPLAY:-} ]]; then
    "$@"
    return
  fi
  local ready server number="" status=0
  exec {ready}< <(exec Xvfb -displayfd 1 -screen 0 1920x1080x24 -nolisten tcp -noreset 2>/dev/null)
  server=$!
  read -r number <&"$ready" || true
  if [[ -z $number ]]; then
    echo "Xvfb did not start: is the package xvfb whole? Or set DISPLAY to a running X server." >&2
    return 1
  fi
  DISPLAY=:$number "$@" || status=$?
  kill "$server"
  exec {ready}<&-
  return $status
}

# What takes long comes in turns: which part runs follows from the commit. Without git, the first.
turns=6
turn=$((0x$(git rev-parse --short=7 HEAD 2>/dev/null || echo 0) % turns))
window=$((turn == 4)) threads=$((turn == 5))
round=$((0x$(git rev-parse --short=7 HEAD 2>/dev/null || echo 0) / turns))  # turns inside a turn
if [[ $what == full ]]; then turns=1 turn=0 window=1 threads=1; fi

# not_now BUILD: the long tests of a build whose turn it is not, as an expression for ctest.
not_now() {
  local names
  names=$(ctest --test-dir "$1" -N -R '^long\.' | sed -n 's/^ *Test *#[0-9]*: //p' | sort |
    awk -v turns=$turns -v turn=$turn 'NR % turns != turn' | sed 's/[.+*?^$()|]/\\&/g' | paste -sd '|')
  echo "^(${names:-none})\$"
}

# tests BUILD [OPTION...]: those of a build whose turn it is.
tests() {
  on_display ctest --test-dir "$1" -E "$(not_now "$1")" -j2 --output-on-failure --no-label-summary "${@:2}"
}

# programs BUILD NAME...: the tests of whole programs, each in one process, but for the long ones: it takes longer to
# start one than most tests do. Two at a time; the longest in two shares. Window tests start a display of their own.
programs() {
  local build=$1 sampled=
  [[ $build == build/asan && $what != full ]] && sampled=" under the sanitizers"
  shift
  {
    for name in "$@"; do
      case $name$sampled in
        "test_app under"*) shares ./test_app 16 $((round % 8)) ;;  # thousands of frames: hours
        "test_cli under"*) shares ./test_cli 6 $((round % 3)) ;;   # a process for nearly every line of it
        test_window) shares ./test_window $([[ $what == all || $what == ci ]] && echo 4 $((turn % 2)) || echo 2 0) ;;
        test_golden* | test_cli) shares "./$name" 2 0 ;;
        *) echo "./$name" ;;
      esac
    done
  } | (cd "$build" && on_display xargs -P 2 -d '\n' -I '{}' \
    sh -c "env {} --gtest_brief=1 --gtest_filter='-Long*:*/Long*' || { echo '{}: FAILED' >&2; exit 1; }")
}

# shares PROGRAM OF FIRST: two lines that run two parts of a program's tests, each one of OF: the FIRST-th and the one
# OF / 2 behind it.
shares() {
  for share in $3 $(($3 + $2 / 2)); do
    echo "GTEST_TOTAL_SHARDS=$2 GTEST_SHARD_INDEX=$share timeout 900 $1"
  done
}

# version_14 TOOL: format and lint rules are written for LLVM 14; elsewhere they would judge by other rules.
version_14() {
  { command -v "$1-14" >/dev/null || "$1" --version | grep -q 'version 14\.'; } && return 0
  echo "== $1 14 is not on this machine: its check is left out"
  return 1
}

# What the sanitizers' build needs in every form: without the numbers of lines, which take a sixth of the time; the
# preset alone (cmake --preset asan) has them.
configure_sanitized() {
  configure asan -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -DATTNSCOPE_UNITY_LINES=5200 \
    -DATTNSCOPE_COVERAGE=$([[ $what == full ]] && echo ON || echo OFF) "$@"
}

# Core, command line and layering without a graphics package: nothing of one may be asked for, compiled or linked. The
# build under the sanitizers begins in this form and then goes on with the window.
headless() {
  configure headless && configure_sanitized -DATTNSCOPE_APP=OFF && ninja -C build/asan attnscope-cli test_layering ||
    return 1
  # What it asks for itself: Debian's cairo, which writes PDF, is linked with libX11 on its own account.
  if readelf -d build/asan/attnscope-cli | grep -E 'NEEDED.*(libGL|libEGL|libglfw|libX11)'; then
    echo "attnscope-cli is linked with the libraries above: core must not know a window" >&2
    return 1
  fi
  build/asan/attnscope-cli --help >/dev/null && build/asan/test_layering --gtest_brief=1
}

# chosen BUILD: the test programs whose turn it is.
chosen() {
  ninja -C "$1" -t targets all | sed -n 's/^\(test_[a-z_]*\): CXX_EXECUTABLE_LINKER.*/\1/p' | sort |
    awk -v turns=$turns -v turn=$turn '
      { app = /^test_(app|window)/; core += !app }
      turns == 1 || (app && turn == 4) || (!app && turn < 4 && core % 4 == turn)'
}

# All but the window tests, whose frames are too slow under the sanitizers. A graphics driver keeps memory until the
# process ends and is unloaded before leaks are looked for, so that no suppression can name it: the tests that load one
# run without the search for leaks, all others with it.
sanitized() {
  local strict=strict_string_checks=1:detect_stack_use_after_return=1 status=0 all with_driver
  configure_sanitized -DATTNSCOPE_APP=$( ((window)) && echo ON || echo OFF) || return 1
  mapfile -t all < <(chosen build/asan | grep -vE '^test_app_(gpu|drawn)$')
  mapfile -t with_driver < <(chosen build/asan | grep -E '^test_app_(gpu|drawn)$')
  if ((${#all[@]} == 0)); then return 0; fi
  ninja -C build/asan "${all[@]}" "${with_driver[@]}" || return 1
  export UBSAN_OPTIONS=print_stacktrace=1
  export LSAN_OPTIONS=suppressions=$PWD/scripts/lsan.supp:print_suppressions=0
  ASAN_OPTIONS=$strict programs build/asan "${all[@]}" || status=1
  ASAN_OPTIONS=$strict tests build/asan -R '^long\.' -L "^($(IFS='|' && echo "${all[*]}"))\$" || status=1
  if ((window)); then ASAN_OPTIONS=$strict:detect_leaks=0 tests build/asan -L 'test_app_(gpu|drawn)' || status=1; fi
  return $status
}

# What shares data between threads: the pool, jobs, a training run beside the window, gradients of a batch.
under_tsan() {
  configure tsan -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 && ninja -C build/tsan test_core_base test_core_session || return 1
  TSAN_OPTIONS=halt_on_error=1 tests build/tsan -R 'ThreadPool|Jobs|Session|Training|BackwardRun'
}

# The tests of release: the windows' first, as the longest.
released() {
  local all status=0
  mapfile -t all < <(cd build/release && ls -S test_* | grep -vxE '.*\.(cmake|a)|test_window')
  programs build/release test_window "${all[@]}" || status=1
  tests build/release -R '^long\.' || status=1
  return $status
}

# with_python NAME ABOUT MODULE[,MODULE] SCRIPT: a test in Python, where one that is here has what it needs. A python3 of
# the user's own may come before the system's, for which Debian has its modules.
with_python() {
  local python
  for python in python3 /usr/bin/python3; do
    if command -v "$python" >/dev/null && "$python" -c "import $3" 2>/dev/null; then
      part "$1" "$2" "$python" "$4" build/release/attnscope-cli
      return
    fi
  done
  echo "== $1: left out, no python3 here has ${3//,/ and }"
}

# Whether every benchmark runs to its end.
measured() {
  scripts/bench.sh --benchmark_min_time=0.001 >/dev/null
}

# The build and its tests in a tree of another suite, and its package there; in sid with the engines that are recorded.
in_tree() {
  if [[ $1 == sid ]]; then scripts/debian-tree.sh sid scripts/packages.sh engines || return 1; fi
  scripts/debian-tree.sh "$1" scripts/test.sh quick && installed_in_tree "$1"
}

# The package built, installed, started and removed in a tree.
installed_in_tree() {
  scripts/debian-tree.sh "$1" scripts/package.sh --install
}

# Whether README's pictures are those that the program takes.
pictured() {
  scripts/screenshots.sh --check
}

# Whether every kind of sources compiles as one file: then it does in batches of any size, as another machine makes them.
in_one_batch() {
  local build=build/batch
  cmake --preset release -B $build --log-level=WARNING -DATTNSCOPE_FROM_NOTHING=ON -DATTNSCOPE_UNITY_LINES=1000000 \
    -DATTNSCOPE_TESTS=OFF -DATTNSCOPE_BENCH=OFF >/dev/null && sed -i 's/-std=c++20/& -fsyntax-only/' $build/build.ninja ||
    return 1
  ninja -C $build -t targets all | sed -n 's/^\(.*Unity.*\.o\): .*/\1/p' | grep -v fuzz | xargs ninja -C $build
}

# Without it nothing else can be tried.
built() {
  configure release -DATTNSCOPE_TESTS=ON -DATTNSCOPE_BENCH=ON && ninja -C build/release
}

install_packages all
part "release build" "5 minutes from nothing, seconds where little changed" built
if ((${#failed[@]} > 0)); then exit 1; fi
if [[ $what != quick ]] && version_14 clang-format; then part "format" "5 s" scripts/format.sh --check; fi
if [[ $what == ci || $what == full ]]; then
  if version_14 clang-tidy; then part "lint" "$((12 / turns)) minutes" scripts/lint.sh --part $((turn + 1))/$turns; fi
  part "headless" "3 minutes" headless
  part "sanitizers" "3 minutes, with the window 10" sanitized
  part "fuzz" "$([[ $what == full ]] && echo 12 || echo 2) minutes" \
    env ATTNSCOPE_APP=$( ((window)) && echo ON || echo OFF) scripts/fuzz.sh $([[ $what == full ]] && echo 10 || echo 1)
  if ((threads)); then
    part "threads" "5 minutes" under_tsan
    part "batches" "1 minute" in_one_batch
  fi
fi
if [[ $what == full ]]; then
  part "benchmarks" "3 minutes" measured
  part "pictures" "1 minute" pictured
  with_python "exports" "5 minutes" numpy,PIL scripts/exports.py
  part "packages" "1 minute" scripts/package.sh
  if dpkg -s python3-torch >/dev/null 2>&1; then
    part "references" "10 s" scripts/references.sh --check
  else
    echo "== references: left out, PyTorch is not here (python3-torch)"
  fi
  if ((EUID == 0)); then part "package in bookworm" "10 minutes" installed_in_tree bookworm; fi
  for suite in trixie sid; do
    if ((EUID == 0)); then
      part "$suite" "25 minutes" in_tree $suite
    else
      echo "== $suite: left out, only root can make a tree"
    fi
  done
fi

with_python "Python" "1 minute" numpy tests/python/attnscope_test.py
with_python "Dask" "1 minute" numpy,distributed tests/python/dask_test.py
with_python "Slurm" "1 minute" json tests/python/slurm_test.py
with_python "records of other engines" "1 minute" torch,transformers,accelerate tests/python/record_test.py
with_python "saved models in transformers" "1 minute" torch,transformers tests/python/saved_test.py

# Last, so that its summary is the last thing to read.
part "release tests" "$([[ $what == full ]] && echo 25 || echo 5) minutes" released
if ((${#failed[@]} > 0)); then
  echo "FAILED: $(printf '%s; ' "${failed[@]}")" >&2
  exit 1
fi
