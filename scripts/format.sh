#!/usr/bin/env bash
# Formats the C++ sources with clang-format 14 and the rules in .clang-format.
#   scripts/format.sh             rewrites the files
#   scripts/format.sh --check     changes nothing; fails and names the lines that differ
# It refuses other versions of clang-format, which lay out some lines differently.
set -euo pipefail
# shellcheck source=scripts/help.sh
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1:-}" in
  "") mode=(-i) ;;
  --check) mode=(--dry-run --Werror) ;;
  *)
    echo "usage: scripts/format.sh [--check]" >&2
    exit 2
    ;;
esac

formatter=$(command -v clang-format-14 || command -v clang-format || true)
if [[ -z $formatter ]]; then
  echo "format: clang-format is not installed: apt-get install clang-format" >&2
  exit 1
fi
if ! "$formatter" --version | grep -q 'version 14\.'; then
  echo "format: clang-format 14 is needed (Debian 12 has it), found: $("$formatter" --version)" >&2
  exit 3
fi
find app core tests shaders -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.inc' \) -print0 |
  xargs -0 -r -n 20 -P 2 "$formatter" --style=file "${mode[@]}"
