#!/usr/bin/env bash
# Writes the tables of the handbook (keys, flags, controls, labs, lessons) anew from the program's own, in every language:
# between "<!-- table: NAME; TITLE; ... -->" and "<!-- end of table -->" in assets/guide/*/*.md.
#   scripts/guide.sh
# It needs a release build with tests (scripts/test.sh). What is written is in the program with its next build.
set -euo pipefail
# shellcheck source=scripts/help.sh
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/release
if [[ ! -f $build/build.ninja ]]; then
  echo "guide: there is no $build; scripts/test.sh makes it" >&2
  exit 1
fi
ninja -C "$build" test_app test_cli
ATTNSCOPE_WRITE_GUIDE=1 "$build/test_app" --gtest_brief=1 --gtest_filter=Guide.ItsTablesAreThoseOfTheProgram
ATTNSCOPE_WRITE_GUIDE=1 "$build/test_cli" --gtest_brief=1 --gtest_filter=Guide.NamesEveryCommandAndFlag
