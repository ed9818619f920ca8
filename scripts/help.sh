# source scripts/help.sh: with --help as first argument, a script prints the comment that it begins with, and ends.
# Before anything is installed, built or looked for.
if [[ ${1:-} == --help ]]; then
  sed -n '2,${/^#/!q;s/^# \{0,1\}//p}' "$0"
  exit 0
fi
