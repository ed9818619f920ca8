#!/usr/bin/env bash
# Writes the man pages from what the programs' --help says: attnscope.1 and attnscope-cli.1, compressed.
#   packaging/man-pages.sh BUILD_FOLDER OUT_FOLDER
# SOURCE_DATE_EPOCH (seconds), where it is set, is the date of the pages. It changes nothing else.
set -euo pipefail
build=$1
out=$2
export LC_ALL=C.UTF-8 LANG=C.UTF-8
date=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%d)

# The text of a program's help as the lines of a page that are not filled.
verbatim() {
  echo ".nf"
  sed -e 's/\\/\\e/g' -e 's/^\([.'"'"']\)/\\\&\1/' -e 's/-/\\-/g'
  echo ".fi"
}

page() { # NAME SUMMARY
  local program=$build/$1
  echo ".TH ${1^^} 1 $date \"$("$program" --version | sed 's/[ ,]*[(,].*//')\" \"User Commands\""
  printf '.SH NAME\n%s \\- %s\n.SH HELP\n' "${1//-/\\-}" "$2"
  "$program" --lang en --help | verbatim
}

mkdir -p "$out"
if [[ -x $build/attnscope ]]; then
  page attnscope "see, step through, change and check every number in a Transformer" | gzip -9n >"$out/attnscope.1.gz"
fi
{
  page attnscope-cli "the same on the command line"
  "$build/attnscope-cli" --lang en --help | awk '/^(Subcommands|Commands):/ {on=1; next} on && /^  [a-z]/ {print $1}' |
    while read -r command; do
      echo ".SH ${command^^}"
      "$build/attnscope-cli" --lang en "$command" --help | verbatim
    done
} | gzip -9n >"$out/attnscope-cli.1.gz"
