#!/usr/bin/env bash
# Starts attnscope from a fresh clone: installs missing Debian packages, builds the release program and its command
# line (build/release/attnscope-cli), opens the window.
#   scripts/run.sh [attnscope's own arguments]      no argument opens the storyteller
# Works from any folder; paths in the arguments mean what they mean where you stand. It refuses to open a window
# where there is no display, and says how to take a picture instead.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release
# shellcheck source=scripts/packages.sh
source "$root/scripts/packages.sh"

install_packages build
if [[ ! -f $build/build.ninja ]]; then
  echo "run: configuring build/release"
  # The tests' packages are not needed to run; scripts/test.sh switches the tests on.
  (cd "$root" && cmake --preset release -DATTNSCOPE_TESTS=OFF -DATTNSCOPE_BENCH=OFF --log-level=WARNING >/dev/null)
fi
if [[ -x $build/attnscope && -x $build/attnscope-cli ]]; then
  ninja -C "$build" --quiet attnscope attnscope-cli
else
  echo "run: building attnscope (the first time takes some minutes)"
  ninja -C "$build" attnscope attnscope-cli
fi

needs_display=yes
for argument in "$@"; do
  case "$argument" in
    --screenshot | --screenshot=* | --help | -h | --version) needs_display=no ;;
  esac
done
if [[ $needs_display == yes && -z ${DISPLAY:-} && -z ${WAYLAND_DISPLAY:-} ]]; then
  echo "run: there is no display here (DISPLAY is not set), so no window can open." >&2
  echo "     A picture needs none: scripts/run.sh --screenshot picture.png" >&2
  exit 1
fi
exec "$build/attnscope" "$@"
