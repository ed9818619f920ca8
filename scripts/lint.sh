#!/usr/bin/env bash
# Reads the sources of core/ and app/ with clang-tidy and the rules in .clang-tidy; any finding fails.
#   scripts/lint.sh [FILE.cpp ...]      no argument: every .cpp of core/ and app/
# Needs build/release (scripts/test.sh or scripts/run.sh make it) for the compiler's flags. It does not read the
# tests, and it fixes nothing.
set -euo pipefail
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
if (($# > 0)); then
  files=("$@")
else
  mapfile -t files < <(find core app -type f -name '*.cpp' | sort)
fi
# The compiler's warnings are the compiler's business: here they must not hide the findings (-Wno-error).
# Of stderr only what is not a count of warnings in system headers is worth reading.
if ! printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$(nproc)" "$tidy" -p "$build" --quiet --extra-arg=-Wno-error \
    --extra-arg=-Wno-unknown-warning-option --extra-arg="-include$PWD/scripts/clang14.h" \
    2> >(grep -vE '^[0-9]+ warnings?( and [0-9]+ errors?)? (generated|treated)|^Suppressed |^Use -header' >&2); then
  echo "lint: findings above (${#files[@]} files read)" >&2
  exit 1
fi
echo "lint: ${#files[@]} files, no findings"
