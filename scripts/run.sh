#!/usr/bin/env bash
# Starts attnscope from a fresh clone: installs missing Debian packages, builds the release program, opens the window.
#   scripts/run.sh [attnscope's own arguments]      no argument opens the storyteller
#   scripts/run.sh cli [attnscope-cli's arguments]  the command line instead (build/release/attnscope-cli)
#   scripts/run.sh --help                           this text
# Works from any folder; paths in the arguments mean what they mean where you stand. It opens no window where there is
# no display, and says how to take a picture instead. The arguments of the program: scripts/run.sh -h.
set -euo pipefail
# shellcheck source=scripts/help.sh
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release
# shellcheck source=scripts/packages.sh
source "$root/scripts/packages.sh"

program=attnscope
if [[ ${1:-} == cli ]]; then
  program=attnscope-cli
  shift
fi
install_packages build
if [[ ! -f $build/build.ninja ]]; then
  echo "run: configuring build/release"
  # The tests' packages are not needed to run; scripts/test.sh switches the tests on.
  # Large batches: half a minute less from nothing; whoever changes the program and builds again takes cmake by hand.
  (cd "$root" && cmake --preset release -DATTNSCOPE_FROM_NOTHING=ON -DATTNSCOPE_TESTS=OFF -DATTNSCOPE_BENCH=OFF \
    --log-level=WARNING >/dev/null)
fi
if [[ -x $build/$program ]]; then
  ninja -C "$build" --quiet $program
else
  echo "run: building $program (the first time takes two to four minutes on two cores)"
  ninja -C "$build" $program
fi

needs_display=$([[ $program == attnscope ]] && echo yes || echo no)
for argument in "$@"; do
  case "$argument" in
    --screenshot | --screenshot=* | --help | -h | --version | --worksheet | --worksheet=* | --bench-frames) needs_display=no ;;
  esac
done
if [[ $needs_display == yes && -z ${DISPLAY:-} && -z ${WAYLAND_DISPLAY:-} ]]; then
  echo "run: there is no display here (DISPLAY is not set), so no window can open." >&2
  echo "     A picture needs none: scripts/run.sh --screenshot picture.png" >&2
  exit 1
fi
exec "$build/$program" "$@"
