#!/usr/bin/env bash
# Reads the sources of core/ and app/ with clang-tidy and the rules in .clang-tidy; any finding fails.
#   scripts/lint.sh [FILE.cpp ...]      no argument: every .cpp of core/ and app/
#   scripts/lint.sh --part I/N          the I-th of N parts of them (from 1)
# Needs build/release (scripts/test.sh or scripts/run.sh make it) for the compiler's flags and its batches of sources:
# a header is read once for the batch, which takes a fifth of the time; a FILE is read with its batch. It does not
# read the tests, and it fixes nothing.
set -euo pipefail
# shellcheck source=scripts/help.sh
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/release

tidy=$(command -v clang-tidy-14 || command -v clang-tidy || true)
if [[ -z $tidy ]]; then
  echo "lint: clang-tidy is not installed: apt-get install clang-tidy" >&2
  exit 1
fi
if [[ ! -f $build/compile_commands.json ]]; then
  echo "lint: $build is not configured yet: run scripts/run.sh or scripts/test.sh first" >&2
  exit 1
fi
# What the compiler reads: batches, and the sources that stay alone.
mapfile -t units < <(sed -n 's/^ *"file": "\(.*\)".*/\1/p' $build/compile_commands.json |
  grep -E "^$PWD/(core|app)/|/Unity/(core|app|attnscope-cli)" | sort -u)
# sources UNIT: the .cpp files in it.
sources() {
  if [[ $1 == *.cxx ]]; then sed -n "s|^#include \"\(.*\.cpp\)\"|$PWD/\1|p" "$1"; else echo "$1"; fi
}
part=1 parts=1
if [[ ${1:-} == --part ]]; then
  if [[ ! ${2:-} =~ ^([1-9][0-9]*)/([1-9][0-9]*)$ ]] || ((BASH_REMATCH[1] > BASH_REMATCH[2])); then
    echo "usage: scripts/lint.sh [FILE.cpp ...] or --part I/N" >&2
    exit 2
  fi
  part=${BASH_REMATCH[1]} parts=${BASH_REMATCH[2]}
  shift 2
fi
if (($# > 0)); then
  mapfile -t wanted < <(realpath -- "$@")
  all=("${units[@]}") units=()
  for unit in "${all[@]}"; do
    if sources "$unit" | grep -qxF -f <(printf '%s\n' "${wanted[@]}"); then units+=("$unit"); fi
  done
  count=$#
else
  mapfile -t missing < <(comm -23 <(find "$PWD/core" "$PWD/app" -name '*.cpp' | sort) \
    <(for unit in "${units[@]}"; do sources "$unit"; done | sort))
  if ((${#missing[@]} > 0)); then
    echo "lint: $build does not compile these files, so that they cannot be read: ${missing[*]}" >&2
    exit 1
  fi
  mapfile -t units < <(printf '%s\n' "${units[@]}" | awk -v part="$part" -v parts="$parts" 'NR % parts == part - 1')
  count=$(for unit in "${units[@]}"; do sources "$unit"; done | wc -l)
fi
if ((${#units[@]} == 0)); then
  echo "lint: $build compiles none of these files" >&2
  exit 1
fi
# The largest first, so that no core waits at the end. The compiler's warnings are the compiler's business: here they
# must not hide the findings (-Wno-error). Of stderr only what is not a count of warnings in system headers is worth
# reading.
if ! for unit in "${units[@]}"; do
  echo "$(sources "$unit" | tr '\n' '\0' | xargs -0 cat | wc -l) $unit"
done | sort -rn | cut -d' ' -f2- | tr '\n' '\0' |
  xargs -0 -n 1 -P "$(nproc)" "$tidy" -p "$build" --quiet --checks=-bugprone-suspicious-include \
    --extra-arg=-Wno-error --extra-arg=-Wno-unknown-warning-option --extra-arg="-include$PWD/scripts/clang14.h" \
    2> >(grep -vE '^[0-9]+ warnings?( and [0-9]+ errors?)? (generated|treated)|^Suppressed |^Use -header' >&2); then
  echo "lint: findings above ($count files read)" >&2
  exit 1
fi
echo "lint: $count files, no findings"
